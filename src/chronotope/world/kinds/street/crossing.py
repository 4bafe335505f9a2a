"""Traffic at a crossing: the main road goes first, and who comes from the side stops, waits for a gap and goes.

Nobody signals and no lamp shines: stop signs on the side road and the gaps in the traffic decide.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from chronotope.errors import InputError
from chronotope.world.kinds.street.cast import Cast
from chronotope.world.kinds.street.clearance import Outline, meet
from chronotope.world.kinds.street.flow import SHORT, Queue, add_cyclist, add_queue, drawn, outlines_of, spaced
from chronotope.world.street import Road, Vehicle, Zone, bend_of, crossing_road, cycle_route, route_over
from chronotope.world.street.roads import TURNS, Turn

Manner = Literal["stops", "turns", "passes"]
MANNERS: tuple[Manner, ...] = ("stops", "turns", "passes")
"""What the camera's car does: it stops at a stop sign, turns from the main road, or goes straight on along it."""

REACH = 95.0  # m, length of an arm
PULL = 2.0  # m/s2 to the side, in a turn
MAIN, SIDE, EGO = (7.0, 10.0), (5.0, 7.0), (6.5, 9.0)  # m/s
ARRIVES, LATEST = (0.3, 1.6), 3.6  # s at which the main road's first car comes to the crossing, and its last car
CREEP = (2.4, 3.6)  # m/s of the camera's car before its stop line
REST, PAUSE = 0.35, (0.3, 2.2)  # m/s at which a vehicle nearly stands, and s that it stands at least
STEP, WAITED = 0.4, 0.65  # s between times that are tried, and the share of a clip in which the camera's car must go
GAPS = (8.0, 14.0)  # m
ROOM = (1.6, 0.35)  # m, kept free before and behind, and beside vehicles
ATTEMPTS = 60


def lay_crossing(cast: Cast, ego: Vehicle, manner: Manner) -> tuple[Road, np.ndarray]:
    """Lay out the traffic of a crossing.

    Returns the roads and the path (T, 4, 4) of the camera's car.

    Raises:
        InputError: If the camera's car finds no gap.
    """
    road = crossing_road(REACH)
    for _ in range(ATTEMPTS):
        trial = Cast(cast.generator, cast.times)
        own = _own_way(trial, road, ego, manner)
        if own is not None:
            cast.placements += trial.placements
            cast.outlines += trial.outlines
            cast.events += trial.events
            cast.taken |= trial.taken
            return road, own
    raise InputError(f"world: the camera's car found no gap at a crossing in {ATTEMPTS} attempts: use another seed")


def _own_way(cast: Cast, road: Road, ego: Vehicle, manner: Manner) -> np.ndarray | None:
    """Add all that drives.

    Returns the path of the camera's car, or None if it comes to no gap in time.
    """
    generator = cast.generator
    main = (1, 3) if manner == "stops" else (2,)
    for arm in main:
        _add_main(cast, road, arm)
    if manner != "stops" and generator.random() < 0.7:
        _ride(cast, road, 0 if generator.random() < 0.6 else 2)
    elif manner == "stops":
        _ride(cast, road, int(generator.choice(main)))
    turn: Turn = "straight" if manner == "passes" else _drawn_turn(generator, ("right", "left"))
    if manner == "stops" and generator.random() < 0.3:
        turn = "straight"
    own = _go(cast, _own_queue(cast, road, ego, manner, turn), road, manner == "stops")
    if own is None:
        return None
    for arm in (2,) if manner == "stops" else (1, 3):
        _add_side(cast, road, arm)
    return own


def _own_queue(cast: Cast, road: Road, ego: Vehicle, manner: Manner, turn: Turn) -> Queue:
    """Return the camera's car, perhaps behind another one."""
    assert road.junction is not None
    generator, line = cast.generator, road.junction.line
    if manner == "stops":
        start = line - ego.thing.size[0] / 2 - float(generator.uniform(2.0, 5.5))
        slow = Zone(0.0, line, float(generator.uniform(*CREEP)))  # a clip has no time for more
        queue = _queue(road, 0, [ego], [turn], np.array([start]), generator.uniform(*SIDE, 1))
        return replace(queue, limits=[[slow, *queue.limits[0]]])
    start = line - float(generator.uniform(16.0, 26.0))
    speed = float(generator.uniform(*EGO))
    if generator.random() < 0.6:
        ahead = drawn(cast, 1, SHORT)
        turns: list[Turn] = ["right" if turn != "right" else "straight", turn]
        behind = spaced(generator, [*ahead, ego], GAPS)
        return _queue(road, 0, [*ahead, ego], turns, start + behind[-1] - behind, np.array([speed * 1.1, speed]))
    return _queue(road, 0, [ego], [turn], np.array([start]), np.array([speed]))


def _queue(
    road: Road, arm: int, vehicles: Sequence[Vehicle], turns: Sequence[Turn], starts: np.ndarray, desired: np.ndarray
) -> Queue:
    assert road.junction is not None
    lanes = [route_over(road.junction, arm, turn) for turn in turns]
    return Queue(vehicles, lanes, starts, desired, [_limits(road, turn) for turn in turns])


def _drawn_turn(generator: np.random.Generator, turns: tuple[Turn, ...]) -> Turn:
    return turns[int(generator.integers(len(turns)))]


def _limits(road: Road, turn: Turn) -> list[Zone]:
    if turn == "straight" or road.junction is None:
        return []
    return [Zone(*bend_of(road.junction, turn), float(np.sqrt(PULL * TURNS[turn][1])))]


def _add_main(cast: Cast, road: Road, arm: int) -> None:
    """Add vehicles of the main road, all of which have passed the crossing after some seconds."""
    assert road.junction is not None
    generator = cast.generator
    vehicles = drawn(cast, int(generator.integers(1, 4)))
    speed = float(generator.uniform(*MAIN))
    behind = spaced(generator, vehicles, GAPS)
    kept = behind <= (LATEST - ARRIVES[0]) * speed
    vehicles, behind = [vehicle for vehicle, keep in zip(vehicles, kept, strict=True) if keep], behind[kept]
    first = road.junction.reach - road.junction.half - float(generator.uniform(*ARRIVES)) * speed
    turns: list[Turn] = ["straight"] * len(vehicles)
    queue = _queue(road, arm, vehicles, turns, first - behind, np.full(len(vehicles), speed))
    paths = queue.drive(cast.times)
    if all(cast.is_free(outline) for outline in outlines_of(vehicles, paths)):
        add_queue(cast, vehicles, paths)


def _add_side(cast: Cast, road: Road, arm: int) -> None:
    """Add a vehicle that waits at its stop line until there is a gap.

    If there is none, it waits for the whole clip.
    """
    assert road.junction is not None
    generator = cast.generator
    vehicles = drawn(cast, 1, SHORT)
    turn = _drawn_turn(generator, ("straight", "right"))
    start = road.junction.line - vehicles[0].thing.size[0] / 2 - float(generator.uniform(1.0, 12.0))
    _go(
        cast,
        _queue(road, arm, vehicles, [turn], np.array([start]), generator.uniform(*SIDE, 1)),
        road,
        True,
        forever=True,
    )


def _ride(cast: Cast, road: Road, arm: int) -> None:
    """Add a cyclist on the main road."""
    assert road.junction is not None
    pace = float(cast.generator.uniform(3.5, 5.5))
    start = road.junction.reach - road.junction.half - float(cast.generator.uniform(1.0, 3.0)) * pace
    add_cyclist(cast, cycle_route(road.junction, arm), start, pace)


def _go(cast: Cast, queue: Queue, road: Road, must_stop: bool, forever: bool = False) -> np.ndarray | None:
    """Let a queue go at the first time at which it meets nobody.

    Returns the path of its last vehicle. If the queue ``must_stop``, it goes some time after it has come to rest at the
    stop line. If it may wait ``forever``, all its vehicles are added; otherwise all but the last one, which is the
    camera's car and must go in time.
    """
    assert road.junction is not None
    end, line = float(cast.times[-1]), road.junction.line
    first = _rests(queue.drive(cast.times, line, np.inf)[0], cast.times) + float(cast.generator.uniform(*PAUSE))
    tried: list[float | None] = [] if must_stop else [None]
    tried += np.arange(first if must_stop else STEP, end if forever else WAITED * end, STEP).tolist()
    tried += [np.inf] if forever else []
    for until in tried:
        paths = queue.drive(cast.times, line, until)
        if all(_fits(cast, outline) for outline in outlines_of(queue.vehicles, paths)):
            shown = len(paths) if forever else len(paths) - 1
            add_queue(cast, queue.vehicles[:shown], paths[:shown])
            if not forever:
                cast.outlines += outlines_of(queue.vehicles[-1:], paths[-1:])
            return paths[-1]
    return None


def _rests(path: np.ndarray, times: np.ndarray) -> float:
    """Return the time (s) at which a vehicle has nearly come to rest."""
    speeds = np.linalg.norm(np.diff(path[:, :2, 3], axis=0), axis=1) / np.diff(times)
    slow = np.flatnonzero(speeds < REST)
    return float(times[slow[0]]) if len(slow) else float(times[-1])


def _fits(cast: Cast, outline: Outline) -> bool:
    wider = outline.grown(*ROOM)
    return not any(meet(wider, other) for other in cast.outlines)
