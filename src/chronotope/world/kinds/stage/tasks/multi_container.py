"""MC: a row of open containers on a table, and a camera that booms from rim height to straight above."""

import numpy as np

from chronotope.recording import Kind
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import Placement
from chronotope.world.kinds.stage.filling import fill
from chronotope.world.kinds.stage.graph import scenario_of
from chronotope.world.kinds.stage.graph.tasks.multi_container import McGraph
from chronotope.world.kinds.stage.sets import draw_setting
from chronotope.world.kinds.stage.staged import Staged, place_of, set_of
from chronotope.world.kinds.stage.table_top import draw_table
from chronotope.world.kinds.stage.timing import eased
from chronotope.world.quality import Quality

GAP = 0.09  # m, between two containers
DEPTH_SCALE = 10_000.0  # steps per m; what is farther than 6.5 m has no depth
FIELD = 27.0  # degrees, vertical
TOP = (0.44, 0.52)  # m, height of the table
MARGIN = 0.12  # m, of the picture beside the row
HEIGHT = 3.6  # m, of the room
WALL = 1.9  # m, y of a wall with a dressing
LIFT = -0.75  # m, by which things on the wall hang higher, since the camera looks down


def lay(generator: np.random.Generator, graph: McGraph, quality: Quality, times: np.ndarray) -> Staged:
    """Lay out the scene."""
    place, tones = place_of(graph)
    setting = draw_setting(generator, place, tones, (-3.0, -3.1, 3.0, WALL), HEIGHT, lift=LIFT)
    by_id = {each.id: each for each in graph.objects}
    row = [by_id[subject] for subject in graph.places().values()]
    filled = [fill(generator, each.id, each.attributes) for each in row]
    wide = sum(each.container.thing.size[0] for each in filled) + GAP * (len(filled) - 1)
    anchor = by_id["anchor"]
    top = float(generator.uniform(*TOP))
    table = draw_table(generator, (max(wide + 0.5, 1.3), 0.85, top), anchor.attributes)
    placements: list[Placement] = [table]
    parts = {"anchor": "anchor"}
    x = -wide / 2
    for each in filled:
        length = each.container.thing.size[0]
        for placement in each.placed((x + length / 2, 0.0, top), "anchor"):
            placements.append(placement)
            parts[placement.id] = each.name
        x += length + GAP
    rim = top + max(each.container.thing.size[2] for each in filled)
    middle = np.array([0.0, 0.0, top + 0.72 * (rim - top)])
    focal = float(intrinsics_of(FIELD, quality.width, quality.height)[1, 1])
    away = (wide / 2 + MARGIN) * focal / (quality.width / 2)
    away = max(away, (rim - top) * 1.6 * focal / quality.height)
    return Staged(
        film_set=set_of(setting, placements),
        camera=_camera(graph, times, middle, away),
        intrinsics=intrinsics_of(FIELD, quality.width, quality.height),
        kind=Kind.DESKTOP,
        parts=parts,
        depth_scale=DEPTH_SCALE,
        facts={"contents": {p.id: each.name for each in filled for p in each.items}, "away": round(away, 4)},
    )


def _camera(graph: McGraph, times: np.ndarray, middle: np.ndarray, away: float) -> np.ndarray:
    boom = scenario_of(graph).phase("boom")
    camera = graph.camera_movement
    ends = np.radians([camera.low_elevation, camera.high_elevation])
    share = eased(times, boom.t0, boom.t1)
    if graph.params.camera_trajectory == "Boom_Down":
        share = 1 - share
    angle = ends[0] + (ends[1] - ends[0]) * share
    positions = middle + away * np.stack([np.zeros_like(angle), -np.cos(angle), np.sin(angle)], axis=1)
    return look_at(positions, np.tile(middle, (len(times), 1)), right=(1.0, 0.0, 0.0))
