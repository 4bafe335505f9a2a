"""Which stretch or moment of a clip is asked about: candidates in a random order, on the grid of printed times."""

from dataclasses import dataclass, replace

import numpy as np

from chronotope.families import Refused
from chronotope.families.sti.refusal import Code

__all__ = ["TICK", "Place", "moments", "pose_moments", "windows"]

TICK = 0.1  # s; the precision of printed times
SHORTEST, LONGEST = 20, 100  # ticks: sub-windows last 2 to 10 s
LEAST_PAIR = 10  # ticks: the two ends of a window lie at least 1 s apart
FIRST_POSE = 2  # s


@dataclass(frozen=True)
class Place:
    """What is asked about: a window of the clip (s), the moment ``at`` in it where one is named, and which things.

    ``entities`` are ids in the order in which the question names them. ``tells`` names what the answer gives away: no
    two questions of a recording may tell the same.
    """

    start: float
    end: float
    at: float | None = None
    entities: tuple[str, ...] = ()
    tells: frozenset[tuple[str, ...]] = frozenset()


def _time(tick: int) -> float:
    return round(tick * TICK, 1)


def _window(first: int, last: int, of: str | None) -> Place:
    """The window between two ticks; over one window a length, a speed, a turn would tell each other."""
    who = () if of is None else (of,)
    return Place(_time(first), _time(last), None, who, frozenset({("window", *who, str(first), str(last))}))


def windows(
    generator: np.random.Generator, end: float, count: int, *, whole: bool, start: float = 0.0, of: str | None = None
) -> list[Place]:
    """Sub-windows of 2 to 10 s of the printed times from ``start`` to ``end`` (s), all distinct, drawn uniformly.

    With ``whole`` the whole stretch comes first; one of up to 2 s has no other window. ``of`` is the id of the thing
    that is asked about, None for the camera.
    """
    first, last = round(start / TICK), round(end / TICK)
    whole_length = last - first
    if whole_length < LEAST_PAIR:
        raise Refused(Code.TOO_SHORT)
    places = [_window(first, last, of)] if whole or whole_length <= SHORTEST else []
    for _ in range(count - len(places) if whole_length > SHORTEST else 0):
        length = int(generator.integers(SHORTEST, min(LONGEST, whole_length) + 1))
        begin = first + int(generator.integers(0, whole_length - length + 1))
        places.append(_window(begin, begin + length, of))
    return list(dict.fromkeys(places))


def moments(generator: np.random.Generator, end: float, margin: float, count: int, start: float = 0.0) -> list[Place]:
    """Moments from ``start`` to ``end`` (s), at least ``margin`` (s) from both, in random order."""
    first, last = int(np.ceil((start + margin) / TICK - 1e-6)), int(np.floor((end - margin) / TICK + 1e-6))
    if last < first:
        raise Refused(Code.TOO_SHORT)
    ticks = generator.permutation(np.arange(first, last + 1))[:count]
    return [Place(start, end, _time(int(tick))) for tick in ticks]


def pose_moments(generator: np.random.Generator, end: float, count: int) -> list[Place]:
    """Whole seconds, at least 2 s after the start, in random order; the window runs from the start to the moment.

    The pose at a moment tells how far the camera is from the start, and how it turned: what a length, a turn or a
    course over the same window asks for.
    """
    if end < FIRST_POSE:
        raise Refused(Code.TOO_SHORT)
    seconds = generator.permutation(np.arange(FIRST_POSE, int(np.floor(end + 1e-6)) + 1))[:count]
    return [replace(_window(0, round(int(second) / TICK), None), at=float(second)) for second in seconds]
