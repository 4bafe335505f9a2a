"""The inputs and outputs of a source."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, overload, runtime_checkable

import numpy as np

from chronotope.recording.types import Kind, Recording

__all__ = ["Decoded", "Found", "Given", "Loaded", "Source", "SourceOfParts", "SourceWithCompanions"]


@dataclass(frozen=True)
class Given:
    """The values of --fps, --kind and --gravity; None if a flag is absent.

    ``gravity`` is the direction in which things fall, in world coordinates (any length above zero), or "unknown".
    """

    fps: float | None = None
    kind: Kind | None = None
    gravity: tuple[float, float, float] | Literal["unknown"] | None = None


@dataclass(frozen=True)
class Loaded:
    """A source as a recording.

    ``pictures`` has one file or array (RGB uint8) per sample, and the recording's ``clip`` is made from them later; it
    is empty if the source has no pictures of its own. If one file contains many pictures, ``pictures`` is a
    ``Decoded``, which decodes one at a time. ``depth`` has one file or None per sample, or is empty; a depth picture's
    values divided by ``depth_scale`` are metres, and 0 means no value. ``notes`` has one sentence for each repair that
    was made and each convention that was used.
    """

    recording: Recording
    pictures: Sequence[Path | np.ndarray] = ()
    notes: tuple[str, ...] = ()
    depth: tuple[Path | None, ...] = ()


@dataclass(frozen=True)
class Found:
    """One source: its path and the name of the module that reads it.

    If the path can contain several recordings, ``part`` is the name of one of them, for example a camera of a drive.
    """

    path: Path
    source: str
    part: str | None = None


class Decoded(Sequence[np.ndarray]):
    """Pictures that are decoded (to RGB uint8) on each access and not kept."""

    def __init__(self, numbers: Sequence[int], read: Callable[[int], np.ndarray]) -> None:
        """Take ``read``, which decodes a picture by its number.

        The number is the source's own; ``numbers`` are the numbers of the wanted pictures, in order.
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

    It can also be a `SourceOfParts`, a `SourceWithCompanions`, or both.
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
    """A source whose paths can contain several recordings.

    Its ``load`` takes the name of one recording as a third argument.
    """

    def parts(self, path: Path) -> list[str]:
        """Name the recordings at a path.

        The ids of the recordings are made from these names.
        """
        ...


@runtime_checkable
class SourceWithCompanions(Protocol):
    """A source that reads files outside its path."""

    def companions(self, path: Path) -> list[Path]:
        """List the files outside the path that exist."""
        ...
