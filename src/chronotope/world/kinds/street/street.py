"""The layout of a street: a straight road, a bend or a crossing by turns, its traffic, and the car with the camera."""

import numpy as np

from chronotope.recording import Kind
from chronotope.world.camera import intrinsics_of
from chronotope.world.film_set import Daylight, FilmSet
from chronotope.world.kinds.street.along import lay_curve, lay_straight
from chronotope.world.kinds.street.cast import Cast
from chronotope.world.kinds.street.crossing import MANNERS, lay_crossing
from chronotope.world.kinds.street.roadside import add_furniture, add_parked, add_signs, add_walkers
from chronotope.world.quality import Quality
from chronotope.world.shot import Ego, Shot, Shots
from chronotope.world.street import Road, Vehicle, draw_vehicle, road_pieces
from chronotope.world.street.roads import RoadKind

KINDS: tuple[RoadKind, ...] = ("straight", "curve", "crossing")
"""The kinds of roads, in the order in which they take turns."""

FAR = 220.0  # m
DEPTH_SCALE = 290.0  # steps per metre; the largest depth is 226 m
FIELD = (42.0, 54.0)  # degrees, vertical field of view
SUN = np.radians((30.0, 60.0))  # heights of the sun
AMBIENT = (0.46, 0.48, 0.52)


def lay_street(generator: np.random.Generator, quality: Quality, number: int = 0) -> Shots:
    """Lay out a street in daylight, and the drive through it.

    ``number`` is the place of the street in its set, from 0: kinds of roads take turns, and so do the numbers of
    lanes of straight roads and what the camera's car does at crossings.

    Raises:
        InputError: If the camera's car finds no gap at a crossing.
    """
    times = np.arange(round(generator.uniform(*quality.seconds) * quality.fps)) / quality.fps
    cast, ego = Cast(generator, times), draw_vehicle(generator, "Car")
    road, own, told = _traffic(cast, ego, number)
    add_parked(cast, road, own)
    add_signs(cast, road, own, (0, 2) if told.get("manner") == "stops" else (1, 3))
    add_walkers(cast, road, own)
    add_furniture(cast, road, own)
    shot = Shot(
        film_set=FilmSet(
            tuple(cast.placements),
            (*road_pieces(generator, road), *cast.plants),
            (),
            AMBIENT,
            near=0.15,
            far=FAR,
            daylight=_daylight(generator),
        ),
        times=times,
        camera=own @ ego.mount,
        intrinsics=intrinsics_of(float(generator.uniform(*FIELD)), quality.width, quality.height),
        kind=Kind.OUTDOOR,
        depth_scale=DEPTH_SCALE,
        provenance=told,
        events=tuple(
            sorted(cast.events, key=lambda event: (event.start, event.end, event.object or event.agent or ""))
        ),
        ego=Ego(own, ego.mount, np.gradient(own[:, :3, 3], times, axis=0)),
    )
    return Shots((shot,))


def _traffic(cast: Cast, ego: Vehicle, number: int) -> tuple[Road, np.ndarray, dict[str, str]]:
    """Lay out all that drives.

    Returns the road, the path (T, 4, 4) of the camera's car, and what is told of both.
    """
    kind, turn = KINDS[number % len(KINDS)], number // len(KINDS)
    if kind == "straight":
        lanes = 2 - turn % 2
        return (*lay_straight(cast, ego, lanes), {"road": kind, "lanes": str(lanes)})
    if kind == "curve":
        return (*lay_curve(cast, ego), {"road": kind})
    manner = MANNERS[turn % len(MANNERS)]
    return (*lay_crossing(cast, ego, manner), {"road": kind, "manner": manner})


def _daylight(generator: np.random.Generator) -> Daylight:
    height, azimuth = float(generator.uniform(*SUN)), float(generator.uniform(-np.pi, np.pi))
    x, y, z = np.cos(height) * np.cos(azimuth), np.cos(height) * np.sin(azimuth), np.sin(height)
    return Daylight((float(x), float(y), float(z)), window=35.0)
