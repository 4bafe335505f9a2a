"""The released text of a question, split into stem and options in line."""

import re
from collections.abc import Mapping

from chronotope.families import UnusableError

__all__ = ["in_line", "split_text", "without_cue"]

CUE = "Answer concisely without explanation."
_BETWEEN = " \t\r\n,;."


def in_line(options: Mapping[str, str]) -> str:
    """Join options as in the released texts: ``A. x, B. y``."""
    return ", ".join(f"{letter}. {text}" for letter, text in options.items())


def split_text(text: str, options: Mapping[str, str]) -> tuple[str, bool]:
    """Split a released text into its stem and its options.

    The second value states whether the options in the text are those of the table (letter to text). If not, the stem is
    the text before them; a text without options in line is a stem. A colon before the options belongs to the stem.
    UnusableError is raised if the text does not show where the options begin.
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
    """Return an open question's text without the published cue at its end."""
    whole = text.strip()
    return whole[: -len(CUE)].rstrip() if whole.casefold().endswith(CUE.casefold()) else whole


def _peeled(text: str, options: Mapping[str, str]) -> str | None:
    """Remove the options from the end of a text.

    Each must have a usual form; the result is None if one differs.
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
    """Return the text before the options.

    It is the whole text if there are no options in it. UnusableError is raised if their beginning cannot be found.
    """
    marks = [list(re.finditer(rf"(?<!\w)\(?{letter}[.):]\s", text)) for letter in letters]
    if not any(marks):
        return text
    if not marks[0]:
        raise UnusableError("no_stem")
    # The last A that has a B behind it: an A before it is a word of the stem.
    second = marks[1][-1].start() if marks[1] else len(text)
    begun = [mark.start() for mark in marks[0] if mark.start() < second]
    if not begun:
        raise UnusableError("no_stem")
    return text[: begun[-1]].rstrip()
