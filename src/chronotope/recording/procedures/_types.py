"""Data types for reading procedures: a product to read, the procedure read, and failures."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from chronotope.recording.procedure import Procedure


@dataclass(frozen=True)
class ReadResult:
    """One procedure read from a source, with notes.

    Notes are sentences about the conventions that were used and the content that was skipped.
    """

    procedure: Procedure
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entry:
    """One product of a source: a name that people understand, and a function that reads the product.

    The function raises InputError if the product cannot be read.
    """

    name: str
    read: Callable[[], ReadResult]


@dataclass(frozen=True)
class ReadProcedures:
    """The procedures of a source, with notes and failures.

    A failure is a pair: the name of the product and an error message.
    """

    procedures: tuple[Procedure, ...]
    notes: tuple[str, ...] = ()
    failures: tuple[tuple[str, str], ...] = ()


class Form(Protocol):
    """A module of this folder that reads sources of one form."""

    NAME: str
    TITLE: str

    def matches(self, path: Path) -> bool:
        """Check whether the path looks like a source of this form."""
        ...

    def entries(self, path: Path) -> tuple[list[Entry], tuple[str, ...]]:
        """Return the products at the path, and notes about the source.

        Raises:
            InputError: If the path is not of this form.
        """
        ...
