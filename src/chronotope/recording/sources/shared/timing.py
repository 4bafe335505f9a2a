"""Times of samples: the source's stamps, or constant steps if the stamps are irregular."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.recording.sources.shared.text import Stamps

_LARGEST_HOLE = 0.5  # s; a longer gap splits a track (STI-Bench spec, 5)
_TOLERANCE = 0.2  # largest difference from the nominal period, as a share of this period
_UNITS = {1e3: "milliseconds", 1e6: "microseconds", 1e9: "nanoseconds"}  # units per second
_SLOWEST = 30.0  # s, a longer usual gap between stamps in seconds is not plausible
_USUAL = 2.0  # s, longest usual gap between stamps in another unit
_DATES = (6e8, 4.2e9)  # s since 1970: the years 1989 to 2103
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
    unit: float = 1.0


def in_order(path: Path, stamps: Stamps, unit: float | None) -> Ordered:
    """Sort rows by time stamp, without repeated and missing stamps.

    If two rows have the same stamp, the first of these rows is kept. ``unit`` is the number of the file's time
    units per second. If it is None, the stamps are in seconds, unless only a smaller unit is plausible.

    Raises:
        InputError: If no row has a finite time stamp.
    """
    kept = [(stamp, row) for row, stamp in enumerate(stamps.decimals) if stamp is not None]
    if not kept:
        raise InputError(
            f"{path}: no row has a time stamp; expected one sample per line, with its time as the first number"
        )
    origin, first = min(kept)
    since = np.array([float(stamp - origin) for stamp, _ in kept])
    notes: list[str] = []
    if unit is None:
        unit, told = _plausible_unit(path.name, float(origin), since)
        notes += told
    seconds = since / unit
    order = np.argsort(seconds, kind="stable")
    unique = order[np.concatenate([[True], np.diff(seconds[order]) > 0])]
    if len(kept) < len(stamps.decimals):
        notes.append(f"{path.name}: {len(stamps.decimals) - len(kept)} rows without a finite time stamp are omitted")
    if (np.diff(order) < 0).any():
        notes.append(f"{path.name}: the rows were not sorted by time; they were sorted on reading")
    if len(unique) < len(order):
        notes.append(f"{path.name}: {len(order) - len(unique)} rows that repeat an earlier time stamp are omitted")
    rows = np.array([row for _, row in kept])[unique]
    exact = tuple(kept[index][0] for index in unique)
    return Ordered(rows, seconds[unique], stamps.texts[first], exact, tuple(notes), unit)


def _plausible_unit(name: str, origin: float, since: np.ndarray) -> tuple[float, list[str]]:
    """Choose the number of time units per second.

    The usual gap between stamps decides. ``origin`` is the first stamp, and ``since`` (N,) are the stamps minus the
    first, both in the unit of the file. The unit is smaller than a second only if the usual gap would otherwise be
    longer than ``_SLOWEST``. If the first stamp is a date in one of the units, this unit is used.
    """
    gaps = np.diff(np.sort(since))
    gaps = gaps[gaps > 0]
    usual = float(np.median(gaps)) if len(gaps) else 0.0
    if usual <= _SLOWEST:
        return 1.0, []
    dated = (unit for unit in _UNITS if _DATES[0] <= origin / unit <= _DATES[1] and usual / unit <= _SLOWEST)
    quick = (unit for unit in _UNITS if usual / unit <= _USUAL)
    unit = next(dated, None) or next(quick, max(_UNITS))
    why = f"in seconds there would be one row every {usual:g} s"
    return unit, [f"{name}: the stamps are read as {_UNITS[unit]}, because {why}"]


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
        return _cut(stamps, stretch, name, lambda one: frame_times(stamps[one], fps, name))
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


def _cut(stamps: np.ndarray, stretch: slice, name: str, timed: Callable[[slice], Timed]) -> Timed:
    """Keep one stretch of samples, whose times ``timed`` returns."""
    count, left_out = len(stamps), len(stamps) - (stretch.stop - stretch.start)
    note = (
        f"{name}: the source has gaps of more than {_LARGEST_HOLE} s; only the longest sequence without such a gap "
        "(samples "
        f"{stretch.start} to {stretch.stop - 1}) is kept, and {left_out} of {count} samples are omitted"
    )
    if left_out == count - 1:
        return Timed(np.zeros(1), stretch, (note,))
    rest = timed(stretch)
    kept = slice(stretch.start + rest.kept.start, stretch.start + rest.kept.stop)
    return Timed(rest.times, kept, (note, *rest.notes))


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
    only every fifth picture, the interval between two times is five periods. If few pictures are missing, the times
    follow the numbers, and each differs by less than a period from the time of its picture in the clip. If many are
    missing in one place, only the longest sequence without a missing picture is kept, because closing a gap would make
    the motion jump. ``frame_times`` handles gaps of more than 0.5 s.
    """
    if numbers is None or count < 2:
        return Timed(np.arange(count) / fps, slice(0, count), ())
    stamps = (numbers - numbers[0]) / fps
    gaps = np.diff(numbers)
    usual = float(np.median(gaps))
    if not (gaps > 0).all() or np.ptp(gaps) == 0:
        return frame_times(stamps, None, name)
    stretch = _longest_stretch(stamps, usual / fps)
    if stretch.stop - stretch.start < count:
        return _cut(stamps, stretch, name, lambda one: numbered_times(numbers[one], one.stop - one.start, fps, name))
    drift, mean = _drift(stamps)
    told = f"{name}: pictures are missing at {int((gaps > usual).sum())} places"
    if drift < mean:
        return Timed(stamps, slice(0, count), (f"{told}; the times follow the numbers in the file names",))
    edges = np.concatenate([[0], np.flatnonzero(gaps != usual) + 1, [count]])
    longest = int(np.argmax(np.diff(edges)))
    kept = slice(int(edges[longest]), int(edges[longest + 1]))
    note = (
        f"{told}; only the longest sequence without a missing picture (samples {kept.start} to {kept.stop - 1}) is "
        f"kept, and {count - kept.stop + kept.start} of {count} samples are omitted"
    )
    return Timed(stamps[kept] - stamps[kept.start], kept, (note,))


def stamps_kept(fps: float | None, path: Path) -> tuple[str, ...]:
    """Return a note that a given frame rate is not used.

    A trajectory with time stamps and without pictures needs no frame rate.
    """
    return (
        () if fps is None else (f"{path.name}: has its own time stamps, so the given rate of {fps:g} fps is not used",)
    )
