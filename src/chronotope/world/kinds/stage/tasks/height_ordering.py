"""HO: a wall unit with things on three levels, and a camera that only tilts."""

import numpy as np

from chronotope.recording import Kind
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import Placement
from chronotope.world.kinds.stage.graph import scenario_of
from chronotope.world.kinds.stage.graph.tasks.height_ordering import TILT, HoGraph
from chronotope.world.kinds.stage.sets import FRONTS, draw_setting
from chronotope.world.kinds.stage.staged import Staged, place_of, set_of, standing
from chronotope.world.kinds.stage.timing import through
from chronotope.world.kinds.stage.wall_unit import DEPTH, SUPPORTS, draw_unit
from chronotope.world.quality import Quality
from chronotope.world.things import Thing, draw_thing

FRONT, EDGE = -DEPTH - 0.075, 0.006  # m, y of the front edge of the boards, and distance of things from it
ASIDE = 0.1  # m from the middle of the view to the middle of the unit, which has no mirror image then
EYE, AWAY = 1.28, 1.9  # m: height of the camera, and its distance from the front of the unit
DEPTH_SCALE = 10_000.0  # steps per m; what is farther than 6.5 m has no depth
FIELD = 25.0  # degrees, vertical
AIMS = (0.20, 1.06, 2.06)  # m, heights at which the camera looks at the three levels
LONG = 1.4  # how much longer than wide things are that one knows from the side
TALLEST = (0.34, 0.40, 0.34)  # m, so that nothing reaches into the view of the next level


def lay(generator: np.random.Generator, graph: HoGraph, quality: Quality, times: np.ndarray) -> Staged:
    """Lay out the scene."""
    place, tones = place_of(graph)
    setting = draw_setting(generator, place, tones, (-2.6, -2.9, 2.6, 0.0), 3.2, back=False)
    unit = draw_unit(generator, next((FRONTS[word] for word in (*tones, place) if word in FRONTS), ""))
    aside = float(generator.choice([-ASIDE, ASIDE]))
    middle = np.eye(4)
    middle[:3, 3] = np.round([aside, FRONT + DEPTH - unit.size[1] / 2, unit.size[2] / 2], 6)
    placements = [Placement("wall-unit", unit, middle, role="furniture")]
    levels = {"lowest": 0, "middle": 1, "highest": 2}
    side = 1 if graph.params.distractor_side == "right" else -1
    shared = levels[graph.params.distractor_level]
    for each in graph.objects:
        level = levels[each.attributes.height_level]
        x = aside + float(generator.uniform(-0.05, 0.05))
        if level == shared:
            x += side * (0.27 if each.role == "obj_distractor" else -0.22)
        thing = _fitting(generator, each.attributes.type, each.attributes.color, TALLEST[level])
        yaw = _shown(thing) + float(generator.uniform(-0.3, 0.3))
        y = FRONT + EDGE + _reach(thing, yaw)  # at the front edge, since the top board is seen from below
        placements.append(standing(each.id, thing, (x, y, SUPPORTS[level]), yaw, "wall-unit"))
    return Staged(
        film_set=set_of(setting, placements),
        camera=_camera(graph, times),
        intrinsics=intrinsics_of(FIELD, quality.width, quality.height),
        kind=Kind.INDOOR,
        parts={each.id: each.id for each in graph.objects},
        depth_scale=DEPTH_SCALE,
        facts={"supports": list(SUPPORTS)},
    )


def _camera(graph: HoGraph, times: np.ndarray) -> np.ndarray:
    phases = scenario_of(graph).phases
    spans = [(phase.t1 - TILT, phase.t1) for phase in phases[:-1]]
    position = np.array([0.0, FRONT - AWAY, EYE])
    near = AWAY + DEPTH / 2
    pitches = [float(np.arctan2(AIMS[stop] - EYE, near)) for stop in graph.params.stops]
    pitch = through(times, pitches, spans)
    forward = np.stack([np.zeros_like(pitch), np.cos(pitch), np.sin(pitch)], axis=1)
    positions = np.tile(position, (len(times), 1))
    return look_at(positions, positions + forward)


def _shown(thing: Thing) -> float:
    """Return the yaw at which people know a thing: by its front, or if long, by its side."""
    is_long = thing.size[0] > LONG * thing.size[1]
    return 0.0 if thing.front is None or is_long else -np.pi / 2


def _reach(thing: Thing, yaw: float) -> float:
    """Return how far (m) a turned thing reaches towards the camera from its middle."""
    points = np.concatenate([piece.vertices[:, :2] for piece in thing.pieces])
    return float(-(points @ [np.sin(yaw), np.cos(yaw)]).min())


def _fitting(generator: np.random.Generator, noun: str, colour: str, tallest: float) -> Thing:
    """Draw a thing that is large, but not too tall or too wide for its level."""
    drawn = [draw_thing(generator, noun, colour) for _ in range(8)]
    fit = [each for each in drawn if each.size[2] <= tallest and max(each.size[:2]) <= 0.38]
    return max(fit or [min(drawn, key=lambda each: max(each.size))], key=lambda each: each.size[2])
