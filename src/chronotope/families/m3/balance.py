"""Selections of questions whose options do not reveal the correct option.

An option's features, such as its text, its rank among numbers, or its text together with a word of the stem, must be
about as common among correct options as among all options. The option "No correct option is listed." is one of the
options: it is correct as often as any other.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import count

import numpy as np
from scipy import sparse

from chronotope.families.m3.tasks import NONE
from chronotope.question import Question

__all__ = ["balanced_questions"]

COARSE, FINE = 0.25, 0.75  # tolerated imbalance of a feature, in standard errors
SINGLE = 1.0  # tolerated excess of any feature, in options
PRIOR = 2.0  # options; imbalances of rare features count less
STEPS = 100  # questions are left out in about so many steps
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_WORD = re.compile(r"[a-z0-9-]+")
_MAGNITUDE = 1.3  # ratio of two numbers that are of different magnitudes


def balanced_questions(questions: Sequence[Question], limit: int, generator: np.random.Generator) -> list[int]:
    """Choose questions of one subtask, and at most ``limit`` questions of each home, or of each of its states.

    The result are the places of the chosen questions. As long as a feature of options tells correct options from wrong
    ones, the question that contributes most to such differences is left out.
    """
    order = generator.permutation(len(questions))
    excess, chances, tolerances = _features([questions[int(place)] for place in order])
    groups = np.unique([_group(questions[int(place)]) for place in order], return_inverse=True)[1]
    kept = np.ones(len(order), bool)
    batch = max(1, len(order) // STEPS)
    while kept.any():
        gains = _gains(excess[kept], chances[kept], tolerances)
        places = np.flatnonzero(kept)
        crowded = np.bincount(groups[kept], minlength=groups.max() + 1) > limit
        allowed = crowded[groups[places]] if crowded.any() else gains > 0
        if not allowed.any():
            break
        ranked = np.flatnonzero(allowed)[np.argsort(-gains[allowed], kind="stable")]
        firsts = np.unique(groups[places[ranked]], return_index=True)[1]  # one question of each group at a time
        kept[places[ranked[np.sort(firsts)[:batch]]]] = False
    return sorted(int(place) for place in order[kept])


def _group(question: Question) -> str:
    return f"{question.cluster} {question.provenance['state']}"


def _gains(excess: sparse.csr_matrix, chances: sparse.csr_matrix, tolerances: np.ndarray) -> np.ndarray:
    """Return how much more balanced the features are without each question."""
    total = np.asarray(excess.sum(axis=0)).ravel()
    spread = np.asarray(chances.sum(axis=0)).ravel()
    beyond = np.sign(total) * np.maximum(np.abs(total) - tolerances * np.sqrt(spread) - SINGLE, 0)
    return excess @ (beyond / (spread + PRIOR))


def _features(questions: Sequence[Question]) -> tuple[sparse.csr_matrix, sparse.csr_matrix, np.ndarray]:
    """Return the excess of correct options over chance, and its variance, for each question and feature.

    The third result is the tolerance of each feature.
    """
    common = _common_words(questions)
    number: defaultdict[tuple[str, bool], int] = defaultdict(count().__next__)
    rows: list[int] = []
    columns: list[int] = []
    excess: list[float] = []
    variance: list[float] = []
    for row, question in enumerate(questions):
        chance = _chance(question)
        words = [] if len(questions) == 1 else sorted(_words(question.stem) - common)
        for place, names in _options(question, words):
            for name, is_fine in names:
                rows.append(row)
                columns.append(number[f"{question.multiple} {name}", is_fine])
                excess.append((place in question.answer) - chance)
                variance.append(chance * (1 - chance))
    shape = len(questions), len(number)
    made = (sparse.csr_matrix((values, (rows, columns)), shape=shape) for values in (excess, variance))
    return next(made), next(made), np.array([FINE if is_fine else COARSE for _, is_fine in number])


def _chance(question: Question) -> float:
    """Return the share of correct options.

    If several options are correct, NONE is certainly wrong, and does not count.
    """
    return len(question.answer) / sum(not _is_impossible(question, each.text) for each in question.options)


def _is_impossible(question: Question, text: str | None) -> bool:
    return question.multiple and text == NONE


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _common_words(questions: Sequence[Question]) -> set[str]:
    """Return the words of all stems."""
    counts = Counter(word for one in questions for word in _words(one.stem))
    return {word for word, times in counts.items() if times == len(questions)}


def _options(question: Question, words: Sequence[str]) -> Iterator[tuple[int, list[tuple[str, bool]]]]:
    """Return the place and the features of each option that can be correct."""
    texts = [each.text or "" for each in question.options if not _is_impossible(question, each.text)]
    size = len(texts)
    values = [_value(text) for text in texts]
    known = sorted(value for value in values if value is not None)
    lengths = sorted(len(text) for text in texts)
    for place, one in enumerate(question.options):
        text = one.text or ""
        if _is_impossible(question, text):
            continue
        value = _value(text)
        looks = [text] if value is None else [text, f"magnitude {_magnitude(value)}"]
        coarse = [*looks, f"longer {lengths.index(len(text))}/{size}", f"none {text == NONE}/{size}"]
        coarse += [] if value is None else [f"rank {known.index(value)}/{size}"]
        fine = [f"{text}/{size}", f"stem {question.stem}/{text}"]
        fine += [f"word {word}" for word in sorted(_words(text))]
        fine += [f"pair {text}/{other}" for other in texts if other != text]
        fine += [f"with {word}/{look}" for word in words for look in looks]
        yield place, [*((name, False) for name in coarse), *((name, True) for name in fine)]


def _value(text: str) -> float | None:
    found = _NUMBER.search(text)
    return float(found[0]) if found else None


def _magnitude(value: float) -> int:
    return round(np.log(max(value, 0.1)) / np.log(_MAGNITUDE))
