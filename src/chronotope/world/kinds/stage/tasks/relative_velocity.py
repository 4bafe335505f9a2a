"""RV: a straight road with three lanes through the windscreen of a car, which passes one vehicle and is passed."""

import numpy as np

from chronotope.recording import Event, Kind
from chronotope.world.camera import intrinsics_of
from chronotope.world.film_set import FilmSet
from chronotope.world.kinds.stage.graph.tasks.relative_velocity import RvGraph, cue
from chronotope.world.kinds.stage.movers import TYPES, driven
from chronotope.world.kinds.stage.open_air import daylight_of, draw_highway, sky_light
from chronotope.world.kinds.stage.staged import Staged, place_of
from chronotope.world.quality import Quality
from chronotope.world.shot import Ego
from chronotope.world.street import draw_vehicle, on_road, straight_lane

FIELD = 54.0  # degrees, vertical
BEHIND, FAR = 110.0, 240.0  # m of road behind the first place of the camera, and how far it sees
DEPTH_SCALE = 270.0  # steps per m
WINDOW = 38.0  # m, half the side of the square with shadows


def lay(generator: np.random.Generator, graph: RvGraph, quality: Quality, times: np.ndarray) -> Staged:
    """Lay out the scene; all vehicles drive along +x, the camera's car on the middle lane."""
    place, tones = place_of(graph)
    ego = draw_vehicle(generator, "Car")
    pace = graph.of_role("ego")[0].motion.speed
    length = float(np.ceil(BEHIND + pace * times[-1] + FAR))
    street, beside = draw_highway(generator, place, tones, length)
    half = length / 2
    lanes = [straight_lane((-half, y, 0.0), (half, y, 0.0)) for y in street.lanes]
    own = on_road(ego, lanes[1].poses(BEHIND + pace * times, ego.axles))
    camera = own @ ego.mount
    eye = BEHIND + float(ego.mount[0, 3])
    movers = []
    for each in graph.of_role("slower", "faster"):
        vehicle = draw_vehicle(generator, TYPES[each.visual_attributes.type], each.visual_attributes.color)
        passes = cue(graph.params, each.role)
        lane = lanes[0 if each.position.startswith("right") else 2]
        along = eye + pace * passes + each.motion.speed * (times - passes)
        movers.append(driven(each.id, vehicle, on_road(vehicle, lane.poses(along, vehicle.axles))))
    return Staged(
        film_set=FilmSet(
            (*movers, *beside), street.pieces, (), sky_light(tones), 0.15, FAR,
            daylight=daylight_of(generator, tones, WINDOW),
        ),
        camera=camera,
        intrinsics=intrinsics_of(FIELD, quality.width, quality.height),
        kind=Kind.OUTDOOR,
        parts={each.id: each.id for each in movers},
        depth_scale=DEPTH_SCALE,
        events=tuple(Event("move", float(times[0]), float(times[-1]), object=each.id) for each in movers),
        is_baked=False,
        facts={"lanes": list(street.lanes), "forward": [1.0, 0.0]},
        ego=Ego(own, ego.mount, np.gradient(own[:, :3, 3], times, axis=0)),
    )  # fmt: skip
