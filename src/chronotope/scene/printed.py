"""Print numbers and times, and insert the names of things into stems."""

import string
from collections.abc import Sequence

TICK = 0.1  # s; the precision of printed times


class Stem(str):
    """A stem, with the positions of the names of things in its text.

    ``names`` has three numbers per name: the index of its first character, the index after its last character, and
    the number of the name.
    """

    names: tuple[tuple[int, int, int], ...] = ()


def named_stem(template: str, names: Sequence[str], **fields: str) -> Stem:
    """Fill a template with ``names`` and ``fields``.

    The names replace {0}, {1} and so on. The fields replace {t} and other named fields.
    """
    text, places = "", list[tuple[int, int, int]]()
    for literal, field, _, _ in string.Formatter().parse(template):
        text += literal
        if field is None:
            continue
        if field.isdecimal():
            name = names[int(field)]
            places.append((len(text), len(text) + len(name), int(field)))
            text += name
        else:
            text += fields[field]
    stem = Stem(text)
    stem.names = tuple(places)
    return stem


def number(value: float, decimals: int) -> str:
    """Print a number with a fixed number of decimals.

    The number is rounded once, with halves to the even digit. Zero has no sign.
    """
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def seconds(time: float) -> str:
    """Print a time (s) with one decimal and its unit."""
    return f"{number(time, 1)}s"
