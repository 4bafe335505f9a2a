"""What goes into reading procedures and what comes out of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from chronotope.recording.procedure import Procedure

__all__ = ["Entry", "Form", "ReadProcedures", "ReadResult"]


@dataclass(frozen=True)
class ReadResult:
    """One procedure as read, with a sentence for each convention and each thing that was passed over."""

    procedure: Procedure
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entry:
    """One product of a source: what a person calls it, and how it is read (InputError where it cannot be)."""

    name: str
    read: Callable[[], ReadResult]


@dataclass(frozen=True)
class ReadProcedures:
    """The procedures of a source in its order, what was noted, and (name, sentence) for each that was left out."""

    procedures: tuple[Procedure, ...]
    notes: tuple[str, ...] = ()
    failures: tuple[tuple[str, str], ...] = ()


class Form(Protocol):
    """A module of this folder."""

    NAME: str
    TITLE: str

    def matches(self, path: Path) -> bool:
        """Whether the path looks like this form; never raises."""
        ...

    def entries(self, path: Path) -> tuple[list[Entry], tuple[str, ...]]:
        """The products at the path, in the order of the source, and notes about all; InputError where it is not so."""
        ...
