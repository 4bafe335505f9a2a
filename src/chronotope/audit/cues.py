"""Cues of single options: rules that choose options without any knowledge of the world.

Each rule returns the options that it prefers, by index; all options if it prefers none.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from chronotope.audit.attacks.option_shape import (
    comparable_numbers,
    longest,
    nearest_to_median,
    number_value,
    roundest,
)
from chronotope.audit.trials import Asked
from chronotope.question import MediaFile, Question

Chosen = list[Sequence[int] | None]
_WORD = re.compile(r"[^\W\d_]{3,}")
_MARKS = re.compile(r"[^\w\s]")
_NUMBER = re.compile(r"\d+")


def letters(asked: Asked) -> dict[str, Chosen]:
    """Choose the same position in all questions."""
    most = max((len(one.options) for one in asked.questions), default=0)
    return {
        f"letter:{chr(65 + place)}": [[place] if place < len(one.options) else None for one in asked.questions]
        for place in range(min(most, 26))
    }


def order(asked: Asked) -> dict[str, Chosen]:
    """Choose the position of the previous question's answer, and the position after it."""
    same: Chosen = []
    following: Chosen = []
    before: Question | None = None
    for one in asked.questions:
        known = before is not None and len(before.options) == len(one.options) and len(before.answer) == 1
        place = before.answer[0] if known and before is not None else None
        same.append(None if place is None else [place])
        following.append(None if place is None else [(place + 1) % len(one.options)])
        before = one
    return {"order:same": same, "order:next": following}


def by_text(asked: Asked) -> dict[str, Chosen]:
    """Apply the rules that see only the texts of the options and the stem."""
    return {name: [_applied(rule, one) for one in asked.questions] for name, rule in _RULES.items()}


def _applied(rule: Callable[[Sequence[str], str], Sequence[int] | None], one: Question) -> Sequence[int] | None:
    texts = [option.text or "" for option in one.options]
    return rule(texts, one.stem) if all(texts) else None


def _ranked(place: int, least: int = 2) -> Callable[[Sequence[str], str], Sequence[int] | None]:
    """Return a rule that chooses the number at a place in their order, among at least so many."""

    def rule(texts: Sequence[str], stem: str) -> Sequence[int] | None:
        found = comparable_numbers(texts)
        if not found or any(len(numbers) != 1 for numbers in found.values()):
            return None
        values = {option: number_value(numbers[0]) for option, numbers in found.items()}
        if len(values) < least:
            return None
        wanted = sorted(values.values())[place]
        return [option for option, value in values.items() if value == wanted]

    return rule


def _middle(texts: Sequence[str], stem: str) -> Sequence[int] | None:
    return nearest_to_median(texts) if comparable_numbers(texts) else None


def _round(texts: Sequence[str], stem: str) -> Sequence[int] | None:
    return roundest(texts) if comparable_numbers(texts) else None


def _best(scores: Sequence[float]) -> Sequence[int]:
    return [place for place, score in enumerate(scores) if score == max(scores)]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _shared(texts: Sequence[str], stem: str) -> Sequence[int]:
    """Choose the options that share most words, or numbers, with the other options."""
    words = [set(re.findall(r"[\w.]+", text.lower())) for text in texts]
    often = Counter(word for own in words for word in own)
    return _best([sum(often[word] - 1 for word in own) / max(len(own), 1) for own in words])


_RULES: dict[str, Callable[[Sequence[str], str], Sequence[int] | None]] = {
    "rank:smallest": _ranked(0),
    "rank:second-smallest": _ranked(1, 4),
    "rank:second-largest": _ranked(-2, 4),
    "rank:largest": _ranked(-1),
    "rank:middle": _middle,
    "round": _round,
    "length:longest": lambda texts, stem: longest(texts),
    "length:shortest": lambda texts, stem: _best([-len(text.strip()) for text in texts]),
    "punctuation": lambda texts, stem: _best([len(_MARKS.findall(text)) for text in texts]),
    "shared": _shared,
    "stem": lambda texts, stem: _best([len(_words(text) & _words(stem)) for text in texts]),
}


def in_clip(asked: Asked) -> dict[str, Chosen]:
    """Choose the option that most other questions of the same cluster offer, too."""
    offered: dict[str, Counter[str]] = defaultdict(Counter)
    for one in asked.questions:
        offered[one.cluster].update({option.text or option.image or "" for option in one.options})
    return {
        "others": [
            _best([offered[one.cluster][option.text or option.image or ""] for option in one.options])
            for one in asked.questions
        ]
    }


def names(asked: Asked) -> dict[str, Chosen]:
    """Choose the option whose text, or letter, is in the id or the file names of the question."""
    texts: Chosen = []
    marked: Chosen = []
    for one in asked.questions:
        shown = " ".join([one.id, *(path for item in one.media for path in item.paths)])
        plain = "".join(_letters(shown))
        options = ["".join(_letters(option.text or "")) for option in one.options]
        texts.append([place for place, text in enumerate(options) if len(text) >= 3 and text in plain] or None)
        ends = re.split(r"[^A-Za-z0-9]+", one.id)
        marked.append([place for place in range(len(options)) if chr(65 + place) in ends] or None)
    return {"names:text": texts, "names:letter": marked}


def _letters(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def _middle_number(paths: Sequence[str]) -> Sequence[int] | None:
    """Choose the picture whose last number, such as that of a step, is in the middle."""
    found = [_NUMBER.findall(path.rpartition("/")[2]) for path in paths]
    if not all(found):
        return None
    numbers = [int(one[-1]) for one in found]
    return _best([-abs(number - float(np.median(numbers))) for number in numbers]) if len(set(numbers)) > 1 else None


def pictures(asked: Asked, media: Mapping[str, MediaFile]) -> dict[str, Chosen]:
    """Choose options that are pictures by their size, names, or numbers in their names."""
    rules: dict[str, Chosen] = {f"picture:{rule}": [] for rule in ("largest", "smallest", "first", "last", "middle")}
    for one in asked.questions:
        paths = [option.image or "" for option in one.options]
        known = all(path in media for path in paths)
        areas = [(media[path].width or 0) * (media[path].height or 0) for path in paths] if known else []
        rules["picture:largest"].append(_best(areas) if known else None)
        rules["picture:smallest"].append(_best([-area for area in areas]) if known else None)
        rules["picture:first"].append([paths.index(min(paths))] if known and len(set(paths)) == len(paths) else None)
        rules["picture:last"].append([paths.index(max(paths))] if known and len(set(paths)) == len(paths) else None)
        rules["picture:middle"].append(_middle_number(paths))
    return rules
