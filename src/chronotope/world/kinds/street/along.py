"""Traffic along a road without a crossing: vehicles ahead of the camera's car, beside it, and towards it; cyclists."""

import numpy as np

from chronotope.world.kinds.street.cast import Cast
from chronotope.world.kinds.street.flow import Queue, add_cyclist, add_queue, drawn, spaced
from chronotope.world.street import Road, Vehicle, Zone, curved_road, straight_road

START, VIEW = 15.0, 70.0  # m of road behind the first place of the camera, and before its last place
EGO, FASTER, SLOWER = (6.5, 9.5), (2.5, 4.0), (2.5, 4.0)  # m/s, and how much faster or slower others are
ONCOMING, CYCLING = (6.0, 12.0), (3.2, 5.2)  # m/s
GAPS = (7.0, 20.0)  # m between vehicles at first
PULL = 2.2  # m/s2 to the side, in a bend
RADII, ANGLES = (24.0, 38.0), (50.0, 90.0)  # m and degrees, of bends
BEFORE = (6.0, 12.0)  # m from the camera to a bend


def lay_straight(cast: Cast, ego: Vehicle, lanes: int) -> tuple[Road, np.ndarray]:
    """Lay out the traffic of a straight road with a number of lanes for each direction.

    Returns the road and the path (T, 4, 4) of the camera's car.
    """
    speed = float(cast.generator.uniform(*EGO))
    road = straight_road(START + np.ceil((speed + 2.0) * cast.times[-1]) + VIEW, lanes)
    lane = int(cast.generator.integers(lanes))
    own = _add_own_lane(cast, road, ego, lane, speed)
    if lanes > 1:
        _add_other_lane(cast, road, lane, speed)
    _add_oncoming(cast, road, own)
    _add_cyclists(cast, road, own)
    return road, own


def lay_curve(cast: Cast, ego: Vehicle) -> tuple[Road, np.ndarray]:
    """Lay out the traffic of a road with a bend.

    Returns the road and the path (T, 4, 4) of the camera's car.
    """
    generator = cast.generator
    speed, radius = float(generator.uniform(*EGO)), float(generator.uniform(*RADII))
    angle = np.radians(float(generator.uniform(*ANGLES))) * float(generator.choice([-1.0, 1.0]))
    before = START + float(generator.uniform(*BEFORE))
    after = max(30.0, (speed + 1.0) * cast.times[-1] - before) + VIEW
    road = curved_road(before, angle, radius, float(np.ceil(after)), float(np.sqrt(PULL * radius)))
    own = _add_own_lane(cast, road, ego, 0, speed)
    _add_oncoming(cast, road, own)
    _add_cyclists(cast, road, own)
    return road, own


def _add_own_lane(cast: Cast, road: Road, ego: Vehicle, lane: int, speed: float) -> np.ndarray:
    """Add a vehicle ahead of the camera's car, and perhaps one more.

    Returns the path (T, 4, 4) of the camera's car.
    """
    generator = cast.generator
    vehicles = [*drawn(cast, int(generator.integers(1, 3))), ego]
    behind = spaced(generator, vehicles, GAPS)
    # Who is ahead drives away from the camera, or holds it up: never nearly as fast as the camera would like to.
    shares = generator.uniform(
        *((0.62, 0.8) if generator.random() < 0.5 and lane == 0 and not road.limits else (1.2, 1.4)), len(vehicles) - 1
    )
    desired = np.append(np.sort(shares)[::-1] * speed, speed)
    starts = START + behind[-1] - behind
    way = road.lane(lane)
    queue = Queue(vehicles, [way] * len(vehicles), starts, desired, [road.limits] * len(vehicles))
    paths = queue.drive(cast.times)
    add_queue(cast, vehicles[:-1], paths[:-1])
    return paths[-1]


def _add_other_lane(cast: Cast, road: Road, own: int, speed: float) -> None:
    """Add vehicles on the other lane of the same direction.

    Those on the left overtake the camera's car, and it overtakes those on the right.
    """
    generator = cast.generator
    vehicles = drawn(cast, int(generator.integers(2, 4)))
    behind = spaced(generator, vehicles, (7.0, 12.0))
    if own == 0:  # the lane on the left is the faster one
        pace, first = speed + float(generator.uniform(*FASTER)), float(generator.uniform(2.0, 12.0))
    else:
        pace, first = speed - float(generator.uniform(*SLOWER)), behind[-1] + float(generator.uniform(9.0, 15.0))
    starts = START + first - behind
    desired = pace * np.linspace(1.0, 0.96, len(vehicles))
    paths = Queue(vehicles, [road.lane(1 - own)] * len(vehicles), starts, desired).drive(cast.times)
    add_queue(cast, vehicles, paths)


def _add_oncoming(cast: Cast, road: Road, own: np.ndarray) -> None:
    """Add the vehicles of the other direction, most of which the camera meets."""
    generator = cast.generator
    driven = float(np.linalg.norm(np.diff(own[:, :2, 3], axis=0), axis=1).sum())
    for lane in range(road.lanes):
        vehicles = drawn(cast, int(generator.integers(1, 3)) + (road.lanes == 1))
        way = road.lane(lane, back=True)
        first = way.length - START - float(generator.uniform(22.0, 30.0 + driven / 2))
        starts = first - spaced(generator, vehicles, GAPS)
        desired = generator.uniform(*ONCOMING, len(vehicles))
        queue = Queue(vehicles, [way] * len(vehicles), starts, desired, [_back(road)] * len(vehicles))
        add_queue(cast, vehicles, queue.drive(cast.times))


def _back(road: Road) -> list[Zone]:
    """Return the speed limits of the other direction."""
    return [
        zone._replace(start=road.middle.length - zone.end, end=road.middle.length - zone.start) for zone in road.limits
    ]


def _add_cyclists(cast: Cast, road: Road, own: np.ndarray) -> None:
    """Add a cyclist ahead, whom the camera overtakes, and perhaps one who comes towards it."""
    generator = cast.generator
    driven = float(np.linalg.norm(np.diff(own[:, :2, 3], axis=0), axis=1).sum())
    pace = float(generator.uniform(*CYCLING))
    ahead = START + float(generator.uniform(6.0, 9.0)) + 0.35 * max(driven - pace * cast.times[-1], 0.0)
    add_cyclist(cast, road.cycle_lane(), ahead, pace)
    if generator.random() < 0.5:
        way = road.cycle_lane(back=True)
        start = way.length - START - float(generator.uniform(25.0, 30.0 + driven / 2))
        add_cyclist(cast, way, start, float(generator.uniform(*CYCLING)))
