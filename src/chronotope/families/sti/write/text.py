"""Numbers and times as they are printed, and stems with the names of things put in."""

import string
from collections.abc import Sequence

__all__ = ["Stem", "named_stem", "number", "seconds"]


class Stem(str):
    """A stem that knows where it names things: first and last character of each name, and the name's index."""

    names: tuple[tuple[int, int, int], ...] = ()


def named_stem(template: str, names: Sequence[str], **fields: str) -> Stem:
    """A template with names in the places of {0}, {1}, and fields in those of {t} and others."""
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
    """A number rounded once, half to even, to so many decimals; zero has no sign."""
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def seconds(time: float) -> str:
    """A time as printed: one decimal and the unit."""
    return f"{number(time, 1)}s"
