"""A baseline that answers questions about sizes from names alone, with usual sizes from other clusters."""

import re
from collections.abc import Iterable
from math import exp, log

import numpy as np

from chronotope.audit.attacks.stems import SIZES, quantity_of, value_of
from chronotope.audit.attacks.studied import Found
from chronotope.models.study import Solved, Study, Unsolved

_ARTICLE = re.compile(r"^(?:the|a|an) ", re.IGNORECASE)
_RANK = re.compile(r"^(?:larger|largest|smaller|smallest) of the \w+ ")
_AFTER = re.compile(r" (?:in|on|with|nearest|of|that|which) .*$")


def head_noun(phrase: str) -> str:
    """Return the last noun of a thing's name.

    "The red toy car" is a car, and "the larger of the two blue mugs" is a mug.
    """
    noun = _AFTER.sub("", _RANK.sub("", _ARTICLE.sub("", phrase.strip())))
    head = noun.split()[-1].lower() if noun.split() else ""
    return head[:-1] if _RANK.match(_ARTICLE.sub("", phrase)) and head.endswith("s") else head


def size_by_name(study: Study) -> dict[str, Found]:
    """Answer questions about sizes with the usual size of a category.

    The usual size is the geometric mean of the asked measure over all things with the same noun in other clusters. If
    this measure is unknown for the noun, the other measures of the noun are used. For an unknown noun, the answer is
    the geometric middle of the options.
    """
    known = _learned(study.others())
    found: dict[str, Found] = {}
    for question in study.asked:
        asked = quantity_of(question.stem)
        values = _values(question)
        if asked is None or asked.kind not in SIZES or values is None:
            continue
        noun = head_noun(asked.who)
        usual, how = _usual(known, noun, asked.kind)
        if usual is None:
            usual, how = float(np.log(values).mean()), "no size of such a thing is known: the geometric middle"
        found[question.id] = Found(int(np.argmin(np.abs(np.log(values) - usual))), how)
    return found


def _values(question: Unsolved) -> np.ndarray | None:
    """Return the options in m.

    Returns None if they are not all positive lengths.
    """
    values = [value_of(text) for text in question.options]
    if len(values) < 2 or any(value is None or value <= 0 for value in values):
        return None
    return np.array(values, float)


def _learned(others: Iterable[Solved]) -> dict[tuple[str, str], list[float]]:
    """Collect the logarithms of sizes by noun and measure."""
    known: dict[tuple[str, str], list[float]] = {}
    for one in others:
        asked = quantity_of(one.question.stem)
        if asked is None or asked.kind not in SIZES:
            continue
        value = value_of(one.question.options[one.answer])
        if value is not None and value > 0:
            known.setdefault((head_noun(asked.who), asked.kind), []).append(log(value))
    return known


def _usual(known: dict[tuple[str, str], list[float]], noun: str, kind: str) -> tuple[float | None, str]:
    """Return the usual logarithm of a size, and its source."""
    logs = known.get((noun, kind))
    if logs is None:
        logs = [value for (name, _), values in known.items() if name == noun for value in values]
    if not logs:
        return None, ""
    mean = float(np.mean(logs))
    return mean, f"such a thing usually measures {100 * exp(mean):.1f} cm (seen {len(logs)} times in other clusters)."
