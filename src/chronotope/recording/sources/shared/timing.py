"""Times of samples: the source's stamps, or constant steps if the stamps are irregular."""

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.recording.sources.shared.text import Stamps

__all__ = ["Ordered", "Timed", "frame_times", "in_order", "numbered_times", "require_fps", "stamps_kept"]

_LARGEST_HOLE = 0.5  # s; a longer gap splits a track (STI-Bench spec, 5)
_TOLERANCE = 0.2  # largest difference from the nominal period, as a share of this period
_PRINTED = 1e-6  # s; largest rounding error of a period between printed stamps


@dataclass(frozen=True)
class Ordered:
    """Rows sorted by time, without repeated times.

    ``rows`` (N,) are the kept rows of the file, and ``times`` (N,) are their times in s since the first stamp.
    ``first`` is the first stamp as it is written in the file, and ``exact`` (N,) are the stamps in the unit of the
    file.
    """

    rows: np.ndarray
    times: np.ndarray
    first: str
    exact: tuple[Decimal, ...]
    notes: tuple[str, ...]


def in_order(path: Path, stamps: Stamps, unit: float) -> Ordered:
    """Sort rows by time stamp, without repeated and missing stamps.

    If two rows have the same stamp, the first of these rows is kept. ``unit`` is the number of the file's time
    units per second.

    Raises:
        InputError: If no row has a finite time stamp.
    """
    kept = [(stamp, row) for row, stamp in enumerate(stamps.decimals) if stamp is not None]
    if not kept:
        raise InputError(
            f"{path}: no row has a time stamp; expected one sample per line, with its time as the first number"
        )
    origin, first = min(kept)
    seconds = np.array([float(stamp - origin) for stamp, _ in kept]) / unit
    order = np.argsort(seconds, kind="stable")
    unique = order[np.concatenate([[True], np.diff(seconds[order]) > 0])]
    notes: list[str] = []
    if len(kept) < len(stamps.decimals):
        notes.append(f"{path.name}: {len(stamps.decimals) - len(kept)} rows without a finite time stamp are omitted")
    if (np.diff(order) < 0).any():
        notes.append(f"{path.name}: the rows were not sorted by time; they were sorted on reading")
    if len(unique) < len(order):
        notes.append(f"{path.name}: {len(order) - len(unique)} rows that repeat an earlier time stamp are omitted")
    rows = np.array([row for _, row in kept])[unique]
    exact = tuple(kept[index][0] for index in unique)
    return Ordered(rows, seconds[unique], stamps.texts[first], exact, tuple(notes))


@dataclass(frozen=True)
class Timed:
    """The times (T,) in s, from zero, of the samples ``kept``.

    ``notes`` has a sentence for each change to the stamps.
    """

    times: np.ndarray
    kept: slice
    notes: tuple[str, ...]


def frame_times(stamps: np.ndarray, fps: float | None, name: str) -> Timed:
    """Choose the times of pictures with the stamps ``stamps`` (N,) s.

    The stamps are used unchanged if they fulfil three conditions:

    - The stamps increase strictly.
    - Every period is within 20 % of the nominal period. The nominal period is 1 / ``fps``, or the median if ``fps``
      is None.
    - Every stamp differs by less than a period from the time of its picture in the clip. The clip has a constant rate.

    If the stamps do not fulfil these conditions, picture k gets the time k / ``fps``. If the source has gaps of
    more than 0.5 s, only the longest sequence without such a gap is kept, because closing a gap would make the
    motion jump. Every note begins with ``name``.

    Raises:
        InputError: If ``fps`` is None and at least half of the stamps do not increase.
    """
    periods = np.diff(stamps)
    nominal = 1 / fps if fps is not None else (float(np.median(periods)) if len(periods) else 0.0)
    if not (np.isfinite(nominal) and nominal > 0):
        raise InputError(
            f"{name}: the time stamps do not increase; correct the time stamps, or set the rate with --fps N"
        )
    uneven = int((~(np.abs(periods / nominal - 1) <= _TOLERANCE)).sum())
    drift, mean = (np.inf, nominal) if uneven else _drift(stamps)
    if drift < mean:
        return Timed(stamps - stamps[0], slice(0, len(stamps)), ())
    stretch = _longest_stretch(stamps, nominal)
    if stretch.stop - stretch.start < len(stamps):
        return _cut(stamps, stretch, fps, name)
    if uneven:
        told = f"{uneven} of {len(periods)} periods differ by more than 20 % from {nominal:.4g} s"
    else:
        told = f"the time stamps differ by up to {drift:.2g} s from a constant rate"
        nominal = nominal if fps is not None else mean
    note = f"{name}: {told}; picture k gets the time k / {1 / nominal:.6g} s"
    return Timed(np.arange(len(stamps)) * nominal, slice(0, len(stamps)), (note,))


def _drift(stamps: np.ndarray) -> tuple[float, float]:
    """Return the largest deviation (s) of stamps from a constant rate.

    The rate is the mean rate between the first and the last stamp. The second value is the period (s) of this rate.
    """
    mean = float((stamps[-1] - stamps[0]) / (len(stamps) - 1))
    return float(np.abs(stamps - stamps[0] - mean * np.arange(len(stamps))).max()), mean


def _longest_stretch(stamps: np.ndarray, nominal: float) -> slice:
    """Return the longest sequence of samples without a gap.

    Missing stamps are interpolated first. The sequence has all samples if the nominal period itself is longer than the
    largest allowed gap.
    """
    finite = np.flatnonzero(np.isfinite(stamps))
    if nominal > _LARGEST_HOLE or not len(finite):
        return slice(0, len(stamps))
    filled = np.interp(np.arange(len(stamps)), finite, stamps[finite])  # NaN must not hide a gap
    holes = np.flatnonzero(np.abs(np.diff(filled)) > _LARGEST_HOLE + _PRINTED) + 1
    edges = np.concatenate([[0], holes, [len(stamps)]])
    longest = int(np.argmax(np.diff(edges)))
    return slice(int(edges[longest]), int(edges[longest + 1]))


def _cut(stamps: np.ndarray, stretch: slice, fps: float | None, name: str) -> Timed:
    count, left_out = len(stamps), len(stamps) - (stretch.stop - stretch.start)
    note = (
        f"{name}: the source has gaps of more than {_LARGEST_HOLE} s; only the longest sequence without such a gap "
        "(samples "
        f"{stretch.start} to {stretch.stop - 1}) is kept, and {left_out} of {count} samples are omitted"
    )
    if left_out == count - 1:
        return Timed(np.zeros(1), stretch, (note,))
    rest = frame_times(stamps[stretch], fps, name)
    return Timed(rest.times, stretch, (note, *rest.notes))


def require_fps(settled_fps: float | None, path: Path) -> float:
    """Return the frame rate; raise an error if it is not set.

    Raises:
        InputError: If the frame rate is None. The message names the flag that sets the rate.
    """
    if settled_fps is None:
        raise InputError(
            f"{path}: files of this format do not state the frame rate; set the rate with --fps N or with 'fps: N' in "
            f"{path / 'chronotope.yaml'}"
        )
    return settled_fps


def numbered_times(numbers: np.ndarray | None, count: int, fps: float, name: str) -> Timed:
    """Return the times of pictures taken at the rate ``fps``.

    ``numbers`` (T,) are the numbers of the pictures. If ``numbers`` is None, no picture is missing. If a folder has
    only every fifth picture, the interval between two times is five periods. ``frame_times`` handles uneven gaps.
    """
    if numbers is None or count < 2:
        return Timed(np.arange(count) / fps, slice(0, count), ())
    return frame_times((numbers - numbers[0]) / fps, None, name)


def stamps_kept(fps: float | None, path: Path) -> tuple[str, ...]:
    """Return a note that a given frame rate is not used.

    A trajectory with time stamps and without pictures needs no frame rate.
    """
    return (
        () if fps is None else (f"{path.name}: has its own time stamps, so the given rate of {fps:g} fps is not used",)
    )
