"""CI: two containers on a table; the camera shows both from the side, then looks into each from above."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from chronotope.recording import Kind
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import Placement
from chronotope.world.kinds.stage.filling import draw_box, draw_inside, loose_places, no_room, width_of
from chronotope.world.kinds.stage.graph import scenario_of
from chronotope.world.kinds.stage.graph.tasks.container_intersection import SLIDE, CiGraph
from chronotope.world.kinds.stage.sets import draw_setting
from chronotope.world.kinds.stage.staged import Staged, place_of, set_of, standing
from chronotope.world.kinds.stage.table_top import draw_table
from chronotope.world.kinds.stage.timing import through
from chronotope.world.quality import Quality
from chronotope.world.things import Thing

DEPTH_SCALE = 10_000.0  # steps per m; what is farther than 6.5 m has no depth
FIELD = 27.0  # degrees, vertical
TOP = (0.44, 0.52)  # m, height of the table
APART = 3.6  # distance of the middles, in widths of the wider container: no view between them shows an inside
SHOWN = 1.26  # height of the picture over a container, in its widths
OVER, LOW = 84.0, 4.0  # degrees of elevation, over a container and beside the table
HOLD = 2.05  # s over each container
HEIGHT = 3.6  # m, of the room
WALL = 1.9  # m, y of a wall with a dressing
LIFT = -0.75  # m, by which things on the wall hang higher, since the camera looks down
DRAWS, TRIES = 5, 20


def lay(generator: np.random.Generator, graph: CiGraph, quality: Quality, times: np.ndarray) -> Staged:
    """Lay out the scene.

    Raises:
        RefusedError: If the objects have no room in the containers.
    """
    place, tones = place_of(graph)
    setting = draw_setting(generator, place, tones, (-3.0, -3.1, 3.0, WALL), HEIGHT, lift=LIFT)
    by_role: dict[str, Any] = {each.role: each for each in graph.objects}
    anchor = by_role["anchor"]
    for _ in range(TRIES):
        bins = [draw_box(generator, e.type, e.color, 0.36) for e in (
            by_role["container_A"].attributes, by_role["container_B"].attributes)]  # fmt: skip
        limit = min(each.radius for each in bins) * 2 / 2.2
        things = _things(generator, graph, limit)
        places = [
            loose_places(generator, box, [things[e.id] for e in graph.inside(x)])
            for box, x in zip(bins, "AB", strict=True)
        ]
        if all(places):
            break
    else:
        raise no_room("the objects have no room in the containers")
    widest = max(max(each.thing.size[:2]) for each in bins)
    top = float(generator.uniform(*TOP))
    table = draw_table(generator, (APART * widest + widest + 1.1, 1.0, top), anchor.attributes)
    placements: list[Placement] = [table]
    parts = {"anchor": "anchor"}
    for side, letter, box, spots in zip((-1, 1), "AB", bins, places, strict=True):
        name = f"container_{letter}"
        x = side * APART * widest / 2
        placements.append(standing(name, box.thing, (x, 0.0, top), 0.0, "anchor"))
        base = placements[-1].pose[:3, 3]
        for each, (spot, yaw) in zip(graph.inside(letter), spots, strict=True):
            low = base + np.array([*spot, box.floor])
            placements.append(standing(each.id, things[each.id], low.tolist(), yaw, name))
            parts[each.id] = each.id
        parts[name] = name
    rim = top + max(each.thing.size[2] for each in bins)
    return Staged(
        film_set=set_of(setting, placements),
        camera=_camera(graph, times, quality, widest, rim),
        intrinsics=intrinsics_of(FIELD, quality.width, quality.height),
        kind=Kind.DESKTOP,
        parts=parts,
        depth_scale=DEPTH_SCALE,
        facts={"insides": {e.id: f"container_{x}" for x in "AB" for e in graph.inside(x)}},
    )


def _things(generator: np.random.Generator, graph: CiGraph, limit: float) -> Mapping[str, Thing]:
    """Draw the objects, at most ``limit`` m wide where their kinds allow; shared objects are the same thing."""
    drawn: dict[tuple[str, str], Thing] = {}
    found = {}
    for each in (*graph.inside("A"), *graph.inside("B")):
        looks = each.attributes.type, each.attributes.color
        if looks not in drawn:
            choice = [draw_inside(generator, *looks) for _ in range(DRAWS)]
            fit = [thing for thing in choice if width_of(thing) <= limit]
            drawn[looks] = max(fit, key=width_of) if fit else min(choice, key=width_of)
        found[each.id] = drawn[looks]
    return found


def _camera(graph: CiGraph, times: np.ndarray, quality: Quality, widest: float, rim: float) -> np.ndarray:
    setup, first, _ = scenario_of(graph).phases
    focal = float(intrinsics_of(FIELD, quality.width, quality.height)[1, 1])
    beside = (APART * widest + widest + 0.25) / quality.width * focal
    over = SHOWN * widest / quality.height * focal + 0.1
    way = 1 if graph.params.first == "A" else -1
    reach = APART * widest / 2
    spans = [(setup.t1, first.t1 - HOLD), (first.t1, first.t1 + SLIDE[graph.profile])]
    x = through(times, (0.0, -way * reach, way * reach), spans)
    angle = np.radians(through(times, (LOW, OVER, OVER), spans))
    away = through(times, (beside, over, over), spans)
    targets = np.stack([x, np.zeros_like(x), through(times, (rim - 0.12, rim - 0.15, rim - 0.15), spans)], axis=1)
    offsets = np.stack([np.zeros_like(x), -np.cos(angle), np.sin(angle)], axis=1)
    return look_at(targets + away[:, None] * offsets, targets, right=(1.0, 0.0, 0.0))
