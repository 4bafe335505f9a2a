"""Separation of a released question text into its stem and its options, which are on the same line."""

import re
from collections.abc import Mapping

from chronotope.families import UnusableError

CUE = "Answer concisely without explanation."
_BETWEEN = " \t\r\n,;."


def in_line(options: Mapping[str, str]) -> str:
    """Join options as in the released texts: ``A. x, B. y``."""
    return ", ".join(f"{letter}. {text}" for letter, text in options.items())


def split_text(text: str, options: Mapping[str, str]) -> tuple[str, bool]:
    """Separate the stem of a released text from its options.

    ``options`` maps letters to the texts of the options in the table. The second result is true if the text ends with
    exactly these options. If the text ends with other options, the stem is the text before the first of them. If the
    text has no options, the whole text is the stem. A colon before the options belongs to the stem.

    Raises:
        UnusableError: If it is unclear at which position the options begin.
    """
    whole = text.rstrip()
    listed = in_line(options)
    stem = whole[: -len(listed)].rstrip() if whole.endswith(listed) else _peeled(whole, options)
    agrees = stem is not None
    if stem is None:
        stem = _before(whole, tuple(options))
    if not stem.strip(" :"):
        raise UnusableError("no_stem")
    return stem, agrees


def without_cue(text: str) -> str:
    """Remove the published instruction from the end of an open question."""
    whole = text.strip()
    return whole[: -len(CUE)].rstrip() if whole.casefold().endswith(CUE.casefold()) else whole


def _peeled(text: str, options: Mapping[str, str]) -> str | None:
    """Remove the options from the end of a text.

    The result is None if the text does not end with all options, each after its letter.
    """
    rest = text
    for letter, option in reversed(list(options.items())):
        while rest and not rest.endswith(option) and rest[-1] in _BETWEEN:
            rest = rest[:-1]
        if not rest.endswith(option):
            return None
        rest = rest[: -len(option)].rstrip()
        marks = (f"({letter})", f"{letter}.", f"{letter})", f"{letter}:")
        mark = next((mark for mark in marks if rest.endswith(mark)), None)
        if mark is None or re.search(r"\w\Z", before := rest[: -len(mark)]):
            return None
        rest = before
    return rest.rstrip()


def _before(text: str, letters: tuple[str, ...]) -> str:
    """Return the beginning of a text, up to its options.

    If the text has no options, the whole text is returned.

    Raises:
        UnusableError: If it is unclear at which position the options begin.
    """
    marks = [list(re.finditer(rf"(?<!\w)\(?{letter}[.):]\s", text)) for letter in letters]
    if not any(marks):
        return text
    if not marks[0]:
        raise UnusableError("no_stem")
    # The options begin at the last "A" that precedes a "B". An earlier "A" is a word of the stem.
    second = marks[1][-1].start() if marks[1] else len(text)
    begun = [mark.start() for mark in marks[0] if mark.start() < second]
    if not begun:
        raise UnusableError("no_stem")
    return text[: begun[-1]].rstrip()
