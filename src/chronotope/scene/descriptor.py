"""A description of a thing or a room, with the test that decides what it fits."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Descriptor(Generic[T]):
    """A description: its kind, its text, and the test ``fits`` for what the text says about something."""

    kind: str
    text: str
    fits: Callable[[T], bool]


def fits_only(descriptor: Descriptor[T], wanted: T, everything: Iterable[T]) -> bool:
    """Check that a description fits one thing and nothing else."""
    found = False
    for each in everything:
        if descriptor.fits(each):
            if found or each != wanted:
                return False
            found = True
    return found
