"""Detection of open answers whose meaning could change when they are converted to plain text."""

import re
from collections.abc import Sequence

# "a" as the name of a thing ("lever a", "a, b"), not as an article, which is followed by a word.
_NAME_A = re.compile(r"\ba\b(?!\s+[^\W\d_]{2})", re.IGNORECASE)
# Signs that Markdown would misread: a minus sign as a bullet, a comparison as a quotation, or a product as emphasis.
_SIGNED = re.compile(r"^\s*[-–—−>+]\s+[\d.]|^\s*>|\d\s*\*\s*\d|~~")
_COMPARED = re.compile(r"[<>≤≥]")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}[.,]\d{3}(?![\d.,])")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
# "ten to five" can be a time or a range.
_BARE_RANGE = re.compile(r"\b\w+\s+to\s+\w+\b", re.IGNORECASE)
_CLOCK = re.compile(r"\bo'?\s?clock\b", re.IGNORECASE)


def _is_small(number: str) -> bool:
    """Check whether a number is less than a thousand.

    If a number in the closed set is so small, a comma or a point in the answer can be a decimal separator.
    """
    return len(re.sub(r"\D", "", number)) < 4


def is_raw(answer: str) -> bool:
    """Check whether conversion to plain text would change an answer's meaning."""
    return _SIGNED.search(answer) is not None


def in_doubt(said: str, expected: str, closed: Sequence[str]) -> bool:
    """Check whether the meaning of an answer is in doubt.

    In this case, only the exact words of a member are accepted.
    """
    every = [said, expected, *closed]
    if any(_NAME_A.search(text) for text in every) or _SIGNED.search(said):
        return True
    if _THOUSANDS.search(said) and any(_is_small(number) for text in every[1:] for number in _NUMBER.findall(text)):
        return True
    if any(_COMPARED.search(text) for text in every):
        return True
    of_hours = any(_CLOCK.search(text) for text in (expected, *closed))
    return of_hours and _BARE_RANGE.search(said) is not None and _CLOCK.search(said) is None
