"""Times of samples: from the stamps of the source, or k/fps where those are not regular (STI-Bench spec, 4.1)."""

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.recording.sources._text import Stamps

__all__ = ["Ordered", "frame_times", "in_order", "numbered_times", "require_fps", "stamps_kept"]

_TOLERANCE = 0.2  # a period may differ from the nominal one by this share of it


@dataclass(frozen=True)
class Ordered:
    """Rows in the order of time, each time once.

    ``rows`` (N,) are the kept rows of the file, ``times`` (N,) their s since the first, ``first`` that stamp as written
    and ``exact`` (N,) the stamps in the unit of the file.
    """

    rows: np.ndarray
    times: np.ndarray
    first: str
    exact: tuple[Decimal, ...]
    notes: tuple[str, ...]


def in_order(path: Path, stamps: Stamps, unit: float) -> Ordered:
    """Sort rows by stamp, drop repeated stamps (the first row stays) and stamps that are no number.

    ``unit`` is the number of the file's units in a second. InputError where no stamp is left.
    """
    kept = [(stamp, row) for row, stamp in enumerate(stamps.decimals) if stamp is not None]
    if not kept:
        raise InputError(f"{path}: no row has a time stamp; expected one sample per line, its time first")
    origin, first = min(kept)
    seconds = np.array([float(stamp - origin) for stamp, _ in kept]) / unit
    order = np.argsort(seconds, kind="stable")
    unique = order[np.concatenate([[True], np.diff(seconds[order]) > 0])]
    notes: list[str] = []
    if len(kept) < len(stamps.decimals):
        notes.append(f"{path.name}: {len(stamps.decimals) - len(kept)} rows without a finite time stamp dropped")
    if (np.diff(order) < 0).any():
        notes.append(f"{path.name}: rows were not in the order of time; sorted")
    if len(unique) < len(order):
        notes.append(f"{path.name}: {len(order) - len(unique)} rows with a repeated time stamp dropped, the first kept")
    rows = np.array([row for _, row in kept])[unique]
    exact = tuple(kept[index][0] for index in unique)
    return Ordered(rows, seconds[unique], stamps.texts[first], exact, tuple(notes))


def frame_times(stamps: np.ndarray, fps: float | None, name: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """Times (T,) s of pictures, from zero, and what was done about them.

    The stamps (T,) s are kept when they increase strictly and every period is within 20 % of the nominal one
    (1/``fps``, else the median); otherwise picture k is at k / nominal fps. ``name`` opens the note. InputError
    where there is no fps and half of the stamps or more do not increase.
    """
    periods = np.diff(stamps)
    nominal = 1 / fps if fps is not None else (float(np.median(periods)) if len(periods) else 0.0)
    if not (np.isfinite(nominal) and nominal > 0):
        raise InputError(f"{name}: the time stamps do not increase; correct them, or say the rate with --fps N")
    uneven = int((~(np.abs(periods / nominal - 1) <= _TOLERANCE)).sum())
    if not uneven:
        return stamps - stamps[0], ()
    note = (
        f"{name}: {uneven} of {len(periods)} periods differ by more than 20 % from {nominal:.4g} s; "
        f"picture k is taken to be at k / {1 / nominal:.6g} s"
    )
    return np.arange(len(stamps)) * nominal, (note,)


def require_fps(settled_fps: float | None, path: Path) -> float:
    """The frame rate; InputError names the flag where nobody said it."""
    if settled_fps is None:
        raise InputError(
            f"{path}: the format does not say how many pictures there are per second; say it with --fps N or with "
            f"'fps: N' in {path / 'chronotope.yaml'}"
        )
    return settled_fps


def numbered_times(numbers: np.ndarray | None, count: int, fps: float, name: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """Times (T,) s of pictures taken at ``fps`` whose ``numbers`` (T,) count them; without numbers none was left out.

    A folder that keeps every fifth picture has times five periods apart; see frame_times for uneven gaps.
    """
    if numbers is None or count < 2:
        return np.arange(count) / fps, ()
    return frame_times((numbers - numbers[0]) / fps, None, name)


def stamps_kept(fps: float | None, path: Path) -> tuple[str, ...]:
    """The note that a frame rate is of no use to a trajectory that has its own stamps and no pictures."""
    return () if fps is None else (f"{path.name}: has its own time stamps; {fps:g} fps is not used",)
