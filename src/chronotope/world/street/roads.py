"""Roads for traffic on the right: straight, curved and crossing ones, with the lanes that vehicles and bicycles follow.

The camera's road begins along x. Its carriageway is at z = 0. On each side of the road, from its middle: traffic lanes,
a cycle lane, perhaps a strip for parked cars, the kerb, and the pavement.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from chronotope.world.street.backdrop import LANE
from chronotope.world.street.lanes import Lane, bend, curved_lane, lane_back, lane_beside, lane_of, straight_lane
from chronotope.world.street.traffic import Zone

RoadKind = Literal["straight", "curve", "crossing"]
Turn = Literal["straight", "right", "left"]
CYCLE, PARKING = 1.5, 2.1  # m, widths of a cycle lane and of a strip for parked cars
RAMP = 12.0  # m over which the curvature of a road grows
CORNER = 6.0  # m, radius of the kerb at a crossing
TURNS: dict[Turn, tuple[float, float, float]] = {  # angle (rad), radius and ramp (m)
    "right": (-np.pi / 2, 6.5, 3.0),
    "left": (np.pi / 2, 9.0, 4.0),
}
ZEBRA = (1.6, 4.6)  # m, from the kerb of the other road to the near and the far end of a zebra crossing
STOP_LINE = 5.6  # m, from the kerb of the other road to the near edge of a stop line
ARMS = 4


class Junction(NamedTuple):
    """A crossing of two roads with its middle at x = y = 0.

    Its four arms, from 0 to 3, lie to the west, south, east and north of the middle. ``reach`` (m) is the length of
    each arm, and ``half`` (m) is half the width of each road.
    """

    reach: float
    half: float

    @property
    def line(self) -> float:
        """Return the distance (m) from the far end of an arm to its stop line."""
        return self.reach - self.half - STOP_LINE


@dataclass(frozen=True, eq=False)
class Road:
    """A road: its middle line in the direction of the camera, and what lies beside it.

    ``lanes`` is the number of traffic lanes for each direction. ``half`` (m) is half the width between the kerbs.
    ``kerbs`` are the edges of the pavements; each is a lane that has the road on its left. ``limits`` are the speed
    limits of bends. A ``junction`` is the crossing, if there is one; the middle line then leads straight over it.
    """

    kind: RoadKind
    middle: Lane
    lanes: int
    has_parking: bool
    half: float
    kerbs: tuple[Lane, ...]
    limits: tuple[Zone, ...] = ()
    junction: Junction | None = None

    def lane(self, number: int, back: bool = False) -> Lane:
        """Return a traffic lane, from 0 for the rightmost one; ``back`` chooses the other direction."""
        away = (self.lanes - number - 0.5) * LANE
        return self._beside(away, back)

    def cycle_lane(self, back: bool = False) -> Lane:
        """Return the middle of a cycle lane."""
        return self._beside(self.lanes * LANE + CYCLE / 2, back)

    def _beside(self, away: float, back: bool) -> Lane:
        return lane_back(lane_beside(self.middle, away)) if back else lane_beside(self.middle, -away)


def straight_road(length: float, lanes: int = 1) -> Road:
    """Return a straight road from x = 0 to ``length`` (m)."""
    return _road("straight", straight_lane((0, 0, 0), (length, 0, 0)), lanes, ())


def curved_road(before: float, angle: float, radius: float, after: float, fastest: float) -> Road:
    """Return a road with one bend.

    The road is straight for ``before`` m, turns by ``angle`` (rad, above 0 to the left) with a ``radius`` (m), and is
    straight for ``after`` m. In the bend, vehicles drive at most at ``fastest`` (m/s).
    """
    parts = bend(angle, radius, RAMP)
    middle = curved_lane((0, 0, 0), 0.0, [(before, 0.0), *parts, (after, 0.0)])
    long = sum(length for length, _ in parts)
    limits = (Zone(before + RAMP / 4, before + long - RAMP / 4, fastest),)
    return _road("curve", middle, 1, limits)


def crossing_road(reach: float) -> Road:
    """Return two roads that cross at right angles at x = y = 0.

    The camera comes from x = -``reach`` (m).
    """
    half = LANE + CYCLE
    junction = Junction(reach, half)
    straight = reach - half - CORNER
    corner = curved_lane((-reach, -half, 0), 0.0, [(straight, 0.0), (np.pi / 2 * CORNER, -1 / CORNER), (straight, 0.0)])
    kerbs = tuple(turned_lane(corner, arm) for arm in range(ARMS))
    return Road("crossing", straight_lane((-reach, 0, 0), (reach, 0, 0)), 1, False, half, kerbs, (), junction)


def route_over(junction: Junction, arm: int, turn: Turn) -> Lane:
    """Return the lane of a car that comes along an arm and goes straight on or turns."""
    reach, away = junction.reach, LANE / 2
    if turn == "straight":
        return turned_lane(straight_lane((-reach, -away, 0), (reach, -away, 0)), arm)
    angle, radius, ramp = TURNS[turn]
    parts = bend(angle, radius, ramp)
    ahead, aside, _ = curved_lane((0, 0, 0), 0.0, parts).points[-1]
    start = np.sign(angle) * away - ahead  # where the bend begins, so that it ends in the right lane
    run = start + reach
    lane = curved_lane((-reach, -away, 0), 0.0, [(run, 0.0), *parts, (reach - abs(aside - away), 0.0)])
    return turned_lane(lane, arm)


def bend_of(junction: Junction, turn: Turn) -> tuple[float, float]:
    """Return where on its route (m) a turning car begins and ends its bend."""
    angle, radius, ramp = TURNS[turn]
    parts = bend(angle, radius, ramp)
    ahead = curved_lane((0, 0, 0), 0.0, parts).points[-1][0]
    start = junction.reach + np.sign(angle) * LANE / 2 - ahead
    return float(start), float(start + sum(length for length, _ in parts))


def cycle_route(junction: Junction, arm: int) -> Lane:
    """Return the cycle lane that leads straight over a crossing from an arm."""
    away = LANE + CYCLE / 2
    return turned_lane(straight_lane((-junction.reach, -away, 0), (junction.reach, -away, 0)), arm)


def turned_lane(lane: Lane, arm: int) -> Lane:
    """Turn a lane of arm 0 about the middle of a crossing to another arm."""
    cosine, sine = ((1, 0), (0, 1), (-1, 0), (0, -1))[arm % ARMS]
    return lane_of(lane.points @ np.array([[cosine, sine, 0], [-sine, cosine, 0], [0, 0, 1.0]]))


def _road(kind: RoadKind, middle: Lane, lanes: int, limits: tuple[Zone, ...]) -> Road:
    half = lanes * LANE + CYCLE + PARKING
    kerbs = lane_beside(middle, -half), lane_back(lane_beside(middle, half))
    return Road(kind, middle, lanes, True, half, kerbs, limits)
