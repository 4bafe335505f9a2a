"""The inputs and outputs of a reader of sources."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, overload, runtime_checkable

import numpy as np

from chronotope.recording.types import Kind, Recording


@dataclass(frozen=True)
class Given:
    """The values of --fps, --kind and --gravity; None if a flag is absent.

    ``gravity`` is the direction in which things fall, in world coordinates, or "unknown". The vector can have any
    length above zero.
    """

    fps: float | None = None
    kind: Kind | None = None
    gravity: tuple[float, float, float] | Literal["unknown"] | None = None


@dataclass(frozen=True)
class Loaded:
    """A source that was read as a recording.

    ``pictures`` has one file or one array (RGB uint8) per sample. The recording's clip is made from these pictures
    later. ``pictures`` is empty if the source itself has no pictures. If one file contains many pictures, ``pictures``
    is a ``Decoded``, which decodes one picture at a time.

    ``depth`` has one file or None per sample, or is empty. The values of a depth picture divided by ``depth_scale``
    are metres, and the value 0 means that the depth is unknown. ``notes`` has one sentence for each repair that was
    made and for each convention that was used. ``saved`` is the folder of a saved recording that no flag changes,
    and otherwise None.
    """

    recording: Recording
    pictures: Sequence[Path | np.ndarray] = ()
    notes: tuple[str, ...] = ()
    depth: tuple[Path | None, ...] = ()
    saved: Path | None = None


@dataclass(frozen=True)
class Found:
    """One source: its path and the name of the module that reads it.

    If the path can contain several recordings, ``part`` is the name of one recording, for example of one camera of
    a drive.
    """

    path: Path
    source: str
    part: str | None = None


class Decoded(Sequence[np.ndarray]):
    """Pictures that are decoded (to RGB uint8) on each access and not kept in memory."""

    def __init__(self, numbers: Sequence[int], read: Callable[[int], np.ndarray]) -> None:
        """Store the function ``read``, which decodes a picture by its number.

        ``numbers`` are the source's numbers of the pictures to decode, in order.
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

    The module can also be a ``SourceOfParts``, a ``SourceWithCompanions``, or both.
    """

    NAME: str
    TITLE: str
    EXPECTED: str  # the form that `matches` looks for, as a noun phrase with its article

    def matches(self, path: Path) -> bool:
        """Check whether the path looks like a source of this form.

        The function opens at most the start of one file and never raises.
        """
        ...

    def load(self, path: Path, given: Given) -> Loaded:
        """Read the path as a source of this form.

        Raises:
            InputError: If the path is not a source of this form.
        """
        ...


@runtime_checkable
class SourceOfParts(Protocol):
    """A source whose paths can contain several recordings.

    The function ``load`` of this source has the name of one recording as its third argument.
    """

    def parts(self, path: Path) -> list[str]:
        """Return the names of the recordings at a path.

        The ids of the recordings are made from these names.
        """
        ...


@runtime_checkable
class SourceWithCompanions(Protocol):
    """A source that reads files outside its path."""

    def companions(self, path: Path) -> list[Path]:
        """List the existing files outside the path that the reader uses."""
        ...
