"""The scene: a junction of two roads from above, and what both vehicles do."""

from typing import Any

import numpy as np

from chronotope.recording import Kind
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import FilmSet
from chronotope.world.kinds.stage.movers import TYPES, driven, moves_of
from chronotope.world.kinds.stage.open_air import crops_of, daylight_of, named_props, sky_light
from chronotope.world.kinds.stage.staged import Staged, place_of, standing
from chronotope.world.quality import Quality
from chronotope.world.slabs import slab
from chronotope.world.street import draw_fixture, draw_vehicle, on_road, straight_lane
from chronotope.world.things import Look

HALF, LANE, FAR = 3.2, 1.6, 90.0  # m: half the width of a road, from its middle to that of a lane, and its length
PACE, BRAKING, STOP, START = 7.0, 4.0, 2.6, 5.0  # m/s, m/s2, and s at which a vehicle stands and goes on
PASSES = 3.4  # s at which the first vehicle is in the middle
TREES = ((-9.0, 11.0), (10.0, 9.0), (-16.0, 17.0), (17.0, 20.0), (-11.0, 24.0), (9.0, 27.0))  # m
ASPHALT, PAINT = Look((0.30, 0.30, 0.32), 0.0, 0.0), Look((0.9, 0.9, 0.88), 0.0, 0.0)


def along(times: np.ndarray, waits: bool, half: float) -> np.ndarray:
    """Return how far (T,) m a vehicle of half a length (m) is beyond the middle of the junction."""
    if not waits:
        return PACE * (times - PASSES)
    left = np.clip(STOP - times, 0, None)  # s until it stands
    braked = np.minimum(left, PACE / BRAKING)
    gone = np.clip(times - START, 0, None)
    gaining = np.minimum(gone, PACE / BRAKING)
    driven_on = BRAKING * gaining**2 / 2 + PACE * (gone - gaining)
    return -(HALF + 1.0 + half) - BRAKING * braked**2 / 2 - PACE * (left - braked) + driven_on


def lay(generator: np.random.Generator, graph: Any, quality: Quality, times: np.ndarray) -> Staged:
    """Lay out the scene; the near vehicle drives along +y, and people drive on the right."""
    _, tones = place_of(graph)
    way = 1 if graph.params.side == "Left" else -1  # direction of the crossing vehicle along x
    ends = {"near": ((LANE, -FAR, 0.0), (LANE, FAR, 0.0)),
            "crossing": ((-way * FAR, -way * LANE, 0.0), (way * FAR, -way * LANE, 0.0))}  # fmt: skip
    movers = []
    for each in graph.objects:
        vehicle = draw_vehicle(generator, TYPES[each.attributes.type], each.attributes.color)
        gone = along(times, each.role == graph.params.waits, vehicle.thing.size[0] / 2)
        lane = straight_lane(*ends[each.role])
        movers.append(driven(each.id, vehicle, on_road(vehicle, lane.poses(FAR + gone, vehicle.axles))))
    tree = draw_fixture(generator, "Tree").thing
    trees = named_props([(tree, standing("", tree, (x, y, 0.0), 0.0).pose) for x, y in TREES])
    grass = slab((4 * FAR, 4 * FAR, 0.2), (0.0, 0.0, -0.15), Look(crops_of(tones)[1], 0.0, 0.0))
    roads = [slab((2 * HALF, 4 * FAR, 0.1), (0.0, 0.0, -0.05), ASPHALT)]
    roads += [slab((2 * FAR, 2 * HALF, 0.1), (s * (FAR + HALF), 0.0, -0.05), ASPHALT) for s in (-1, 1)]
    lines = [slab((0.15, 2.0, 0.02), (0.0, y, 0.0), PAINT) for y in np.arange(-38, 60, 4.0) if abs(y) > HALF + 1]
    lines += [slab((2.0, 0.15, 0.02), (x, 0.0, 0.0), PAINT) for x in np.arange(-60, 61, 4.0) if abs(x) > HALF + 1]
    eye = np.tile([0.0, -30.0, 15.0], (len(times), 1))
    return Staged(
        film_set=FilmSet((*movers, *trees), (grass, *roads, *lines), (), sky_light(tones), 0.5, 160.0,
                         daylight=daylight_of(generator, tones, 40.0)),
        camera=look_at(eye, np.zeros_like(eye)),
        intrinsics=intrinsics_of(50.0, quality.width, quality.height),
        kind=Kind.OUTDOOR,
        parts={each.id: each.id for each in graph.objects},
        depth_scale=400.0,
        events=tuple(event for mover in movers for event in moves_of(mover.id, mover.poses, times)),
        is_baked=False,
    )  # fmt: skip
