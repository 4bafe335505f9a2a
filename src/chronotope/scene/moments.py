"""Windows and moments of a clip for questions; all times are printed times.

The random order depends on the ids of things, not on the order of the things.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from chronotope.question import Reason, Refused
from chronotope.scene.printed import TICK
from chronotope.scene.things import SceneView

SHORTEST, LONGEST = 20, 100  # ticks: sub-windows last 2 to 10 s
LEAST_PAIR = 10  # ticks: a window lasts at least 1 s
FIRST_POSE = 2  # s
_EPSILON = 1e-6  # s


@dataclass(frozen=True)
class Place:
    """The subject of one question: a time window, a moment, and things.

    The window and the moment ``at`` inside it are in s. ``at`` is None if no moment is named. ``entities`` are ids in
    the order of the question. ``tells`` names the facts that the answer reveals: no two questions of a recording may
    reveal the same fact.
    """

    start: float
    end: float
    at: float | None = None
    entities: tuple[str, ...] = ()
    tells: frozenset[tuple[str, ...]] = frozenset()


def _time(tick: int) -> float:
    return round(tick * TICK, 1)


def _window(first: int, last: int, of: str | None) -> Place:
    """Return the window between two ticks.

    Answers about a length and a speed over the same window would reveal each other.
    """
    who = () if of is None else (of,)
    return Place(_time(first), _time(last), None, who, frozenset({("window", *who, str(first), str(last))}))


def reveals(tells: frozenset[tuple[str, ...]], told: Collection[tuple[str, ...]], near: int = 0) -> bool:
    """Check whether earlier answers reveal one of the facts of a question.

    ``tells`` are the facts of the question, and ``told`` are the facts that earlier answers reveal. Windows of one
    thing whose starts and ends differ by at most ``near`` ticks reveal each other.
    """
    if any(fact in told for fact in tells):
        return True
    windows = [fact for fact in tells if fact[0] == "window"] if near else []
    return any(_nearly_the_same(fact, other, near) for fact in windows for other in told if other[0] == "window")


def _nearly_the_same(first: tuple[str, ...], second: tuple[str, ...], near: int) -> bool:
    ends = zip(first[-2:], second[-2:], strict=True)
    return first[:-2] == second[:-2] and all(abs(int(one) - int(other)) <= near for one, other in ends)


def draw_windows(
    generator: np.random.Generator, end: float, count: int, *, whole: bool, start: float = 0.0, of: str | None = None
) -> list[Place]:
    """Draw at most ``count`` distinct windows of 2 to 10 s.

    The windows are distributed uniformly between the printed times ``start`` and ``end`` (s). If ``whole`` is True, the
    first window extends from ``start`` to ``end``. If ``end`` is at most 2 s after ``start``, this window is the only
    window. ``of`` is the id of the moving thing, None for the camera.

    Raises:
        Refused: If this time is too short for a window (TOO_SHORT).
    """
    first, last = round(start / TICK), round(end / TICK)
    whole_length = last - first
    if whole_length < LEAST_PAIR:
        raise Refused(Reason.TOO_SHORT)
    places = [_window(first, last, of)] if whole or whole_length <= SHORTEST else []
    for _ in range(count - len(places) if whole_length > SHORTEST else 0):
        length = int(generator.integers(SHORTEST, min(LONGEST, whole_length) + 1))
        begin = first + int(generator.integers(0, whole_length - length + 1))
        places.append(_window(begin, begin + length, of))
    return list(dict.fromkeys(places))


def draw_moments(
    generator: np.random.Generator,
    end: float,
    margin: float,
    count: int,
    start: float = 0.0,
    tells: tuple[str, ...] = (),
) -> list[Place]:
    """Draw at most ``count`` moments between ``start`` and ``end`` (s).

    The moments are at least ``margin`` s away from both times. ``tells`` names the moving thing, if it is not the
    camera, and the quantity, which the answers reveal at their moments.

    Raises:
        Refused: If there is no such moment (TOO_SHORT).
    """
    first, last = int(np.ceil((start + margin) / TICK - _EPSILON)), int(np.floor((end - margin) / TICK + _EPSILON))
    if last < first:
        raise Refused(Reason.TOO_SHORT)
    ticks = generator.permutation(np.arange(first, last + 1))[:count]
    facts = [frozenset({("window", *tells, str(tick), str(tick))}) if tells else frozenset() for tick in ticks]
    return [Place(start, end, _time(int(tick)), (), fact) for tick, fact in zip(ticks, facts, strict=True)]


def draw_pose_moments(generator: np.random.Generator, end: float, count: int) -> list[Place]:
    """Draw at most ``count`` whole seconds for questions about poses.

    The seconds are at least 2 s after the start. Each window extends from the start to one of these seconds. The pose
    at a moment reveals the camera's distance from the start and its turn. Questions about a length, a turn or a course
    over the same window ask for the same facts.

    Raises:
        Refused: If there is no such moment (TOO_SHORT).
    """
    if end < FIRST_POSE:
        raise Refused(Reason.TOO_SHORT)
    seconds = generator.permutation(np.arange(FIRST_POSE, int(np.floor(end + _EPSILON)) + 1))[:count]
    return [replace(_window(0, round(int(second) / TICK), None), at=float(second)) for second in seconds]


def shuffled(
    generator: np.random.Generator, scene: SceneView, items: Sequence[tuple[str, ...]]
) -> list[tuple[str, ...]]:
    """Shuffle the items; items that can be asked about come first.

    Each item is a tuple of ids: one thing, two things, or a thing and a word. All things of an item that can be asked
    about have names, and are clearly visible together at some time.
    """

    def unusable(item: tuple[str, ...]) -> bool:
        things = [one for one in item if one in scene.ids]
        return any(thing in scene.nameless for thing in things) or not scene.together(things)

    drawn = [items[int(index)] for index in generator.permutation(len(items))]
    return sorted(drawn, key=unusable)


def pairs_of(scene: SceneView) -> list[tuple[str, ...]]:
    """Return all pairs of ids, except a thing with its support."""
    return [
        (a.entity.id, b.entity.id)
        for a, b in combinations(scene.things, 2)
        if a.entity.parent != b.entity.id and b.entity.parent != a.entity.id
    ]


def draw_instants(
    generator: np.random.Generator,
    scene: SceneView,
    names: tuple[str, ...],
    count: int,
    tells: frozenset[tuple[str, ...]] = frozenset(),
) -> list[Place]:
    """Draw at most ``count`` moments at which all things are clearly seen.

    The window is the whole clip. If there is no such moment, a random moment of the clip is returned, and the
    measurement at this moment is then refused.
    """
    seen = scene.moments(names)
    if len(seen) == 0:
        seen, count = np.round([generator.uniform(0, scene.observer.end)], 1), 1
    chosen = generator.permutation(seen)[:count]
    return [Place(0.0, scene.observer.end, float(time), names, tells) for time in chosen]


def stretches(generator: np.random.Generator, scene: SceneView) -> list[tuple[str, float, float]]:
    """Return each moving thing and its visible stretch (s).

    Things come in random order; times are printed times. If a thing is never visible, its stretch is the whole clip.
    """
    found: list[tuple[str, float, float]] = []
    for (name,) in shuffled(generator, scene, [(thing.entity.id,) for thing in scene.things]):
        if scene.rests(name):
            continue
        run = scene.window((name,))
        if run is None:
            found.append((name, 0.0, scene.observer.end))
            continue
        first, last = np.ceil(run[0] / TICK - _EPSILON) * TICK, np.floor(run[1] / TICK + _EPSILON) * TICK
        found.append((name, round(float(first), 1), round(min(float(last), scene.observer.end), 1)))
    return found
