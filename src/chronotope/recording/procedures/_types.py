"""The input and output of reading procedures."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from chronotope.recording.procedure import Procedure

__all__ = ["Entry", "Form", "ReadProcedures", "ReadResult"]


@dataclass(frozen=True)
class ReadResult:
    """One procedure as read, with notes.

    Notes are sentences about the conventions used and the content that was skipped.
    """

    procedure: Procedure
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entry:
    """One product of a source: its name for people, and how to read it.

    Reading raises InputError if it cannot be read.
    """

    name: str
    read: Callable[[], ReadResult]


@dataclass(frozen=True)
class ReadProcedures:
    """The procedures of a source, the notes, and the failures.

    A failure is (name, sentence).
    """

    procedures: tuple[Procedure, ...]
    notes: tuple[str, ...] = ()
    failures: tuple[tuple[str, str], ...] = ()


class Form(Protocol):
    """A module of this folder."""

    NAME: str
    TITLE: str

    def matches(self, path: Path) -> bool:
        """Check whether the path looks like this form; never raises."""
        ...

    def entries(self, path: Path) -> tuple[list[Entry], tuple[str, ...]]:
        """Return the products at the path, in order, and notes about all.

        Raises:
            InputError: If the path is not of this form.
        """
        ...
