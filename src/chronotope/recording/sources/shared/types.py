"""What goes into a source and what comes out of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, overload, runtime_checkable

import numpy as np

from chronotope.recording.types import Kind, Recording

__all__ = ["Decoded", "Found", "Given", "Loaded", "Source", "SourceOfParts", "SourceWithCompanions"]


@dataclass(frozen=True)
class Given:
    """What the flags --fps, --kind and --gravity say; None if a flag is absent.

    ``gravity`` is the direction in which things fall, in world coordinates (any length above zero), or "unknown".
    """

    fps: float | None = None
    kind: Kind | None = None
    gravity: tuple[float, float, float] | Literal["unknown"] | None = None


@dataclass(frozen=True)
class Loaded:
    """A source as a recording.

    ``pictures`` has one file or array (RGB uint8) per sample, or is empty if the source has no pictures of its own;
    the recording's ``clip`` is then still to be made of them. Where a file holds many pictures they are ``Decoded``,
    one at a time. ``depth`` has one file or None per sample, or is empty; a depth picture's
    values are divided by ``depth_scale`` to give metres, and 0 is no value. ``notes`` has one sentence
    for each repair that was made and each convention that was used.
    """

    recording: Recording
    pictures: Sequence[Path | np.ndarray] = ()
    notes: tuple[str, ...] = ()
    depth: tuple[Path | None, ...] = ()


@dataclass(frozen=True)
class Found:
    """One source: where it lies and the name of the module that reads it.

    ``part`` says which of the recordings that the path holds, if it may hold several: a camera of a drive, say.
    """

    path: Path
    source: str
    part: str | None = None


class Decoded(Sequence[np.ndarray]):
    """So many pictures, each decoded (to RGB uint8) when it is asked for and not kept."""

    def __init__(self, numbers: Sequence[int], read: Callable[[int], np.ndarray]) -> None:
        """Take ``read``, which decodes a picture by its number.

        The number is the source's; ``numbers`` are those wanted, in order.
        """
        self._numbers, self._read = numbers, read

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> np.ndarray: ...
    @overload
    def __getitem__(self, index: slice) -> "Decoded": ...
    def __getitem__(self, index: int | slice) -> "np.ndarray | Decoded":
        if isinstance(index, slice):
            return Decoded(self._numbers[index], self._read)
        return self._read(self._numbers[index])


class Source(Protocol):
    """A module that reads one form of source.

    It may be a `SourceOfParts` and a `SourceWithCompanions` besides.
    """

    NAME: str
    TITLE: str
    EXPECTED: str  # what `matches` looks for, as a noun with its article

    def matches(self, path: Path) -> bool:
        """Check whether the path looks like this form.

        It opens at most the start of one file and never raises.
        """
        ...

    def load(self, path: Path, given: Given) -> Loaded:
        """Read the path as this form.

        Raises:
            InputError: If it is not.
        """
        ...


@runtime_checkable
class SourceOfParts(Protocol):
    """A source whose paths may hold several recordings.

    Its ``load`` takes the name of one as a third argument.
    """

    def parts(self, path: Path) -> list[str]:
        """Name the recordings at a path.

        Their ids are made of these names.
        """
        ...


@runtime_checkable
class SourceWithCompanions(Protocol):
    """A source that reads files outside its path."""

    def companions(self, path: Path) -> list[Path]:
        """Name those that are there."""
        ...
