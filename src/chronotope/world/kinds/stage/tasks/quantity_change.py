"""QC: a hand puts equal things into a tall container and takes them out; the camera is below the rim."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from chronotope.recording import Kind
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import Placement
from chronotope.world.kinds.stage.filling import no_room, width_of
from chronotope.world.kinds.stage.graph import scenario_of
from chronotope.world.kinds.stage.graph.tasks.quantity_change import QcGraph, inside_counts
from chronotope.world.kinds.stage.graph.vocabulary import CLOTH_COLOURS, apart
from chronotope.world.kinds.stage.sets import draw_setting
from chronotope.world.kinds.stage.staged import Staged, place_of, set_of, standing
from chronotope.world.kinds.stage.table_top import draw_table
from chronotope.world.people import Person, arm_of, draw_person
from chronotope.world.people.motion.acts import Side
from chronotope.world.people.motion.own_hand import Trip, move_own_hand
from chronotope.world.quality import Quality
from chronotope.world.things import Container, Thing, draw_liquid, draw_thing
from chronotope.world.things.colours import plain
from chronotope.world.things.mesh import cylinder
from chronotope.world.things.open_tops import measured
from chronotope.world.things.thing import finished, size_of

DEPTH_SCALE = 10_000.0  # steps per m; what is farther than 6.5 m has no depth
FIELD, PITCH = 64.0, np.radians(9.0)  # degrees, vertical, and rad by which the camera looks down
TOP = (0.74, 0.80)  # m, height of the table
BELOW = 0.03  # m, of the eye below the rim
AWAY = 0.47  # m, from the eye to the middle of the container
ITEMS_AWAY = 0.48  # m, from the eye to the row of items
FROM_EDGE = 0.24  # m, from the eye to the edge of the table
TALL = (0.27, 0.40)  # m, heights of containers
HIDDEN = 0.02  # m from the rim down to the items inside, which lie on a board so high that a hand reaches them
BOARD = 0.006  # m, thickness of this board
GAP, BESIDE, CLEAR = 0.022, 0.05, 0.005  # m between items, beside the container, and between items inside
OVER, LIFTED = 0.03, 0.11  # m, least height of an item over the rim, and over the table when it is moved there
HEIGHT = 3.6  # m, of the room
HANDY, DRAWS, TRIES = 0.078, 8, 200  # m, the wanted width of an item, of so many, and draws of a container
LONG = 0.52  # m, least length of an arm


class _Box(NamedTuple):
    """The container at its place: the point under it, its rim (m), its radius, and the board inside."""

    container: Container
    place: np.ndarray
    rim: float
    outside: float
    inside: float
    board: Placement


def lay(generator: np.random.Generator, graph: QcGraph, quality: Quality, times: np.ndarray) -> Staged:
    """Lay out the scene.

    Raises:
        InputError: If the items have no room, or the hand cannot hold or reach them.
    """
    place, tones = place_of(graph)
    setting = draw_setting(generator, place, tones, (-3.0, -3.1, 3.0, 2.4), HEIGHT)
    by_role: dict[str, Any] = {each.role: each for each in graph.objects}
    top, sign = float(generator.uniform(*TOP)), -1 if graph.params.item_side == "left" else 1
    looks = by_role["countable_items"].attributes
    drawn = [draw_thing(generator, looks.type, looks.color) for _ in range(DRAWS)]
    thing = min(drawn, key=lambda each: abs(width_of(each) - HANDY))
    most = max(inside_counts(graph.params.action_sequence))
    box = _draw_tall(generator, by_role["container"], top, most, thing)
    eye = np.array([0.0, -AWAY, box.rim - BELOW])
    table = draw_table(generator, (1.7, AWAY - FROM_EDGE + 0.42, top), by_role["anchor"].attributes)
    table.pose[1, 3] = (0.42 - AWAY + FROM_EDGE) / 2
    items = _row(generator, graph, thing, sign, box, top)
    side: Side = "Left" if sign < 0 else "Right"
    person = _draw_bearer(generator, side, (looks.color, by_role["container"].attributes.color))
    trips = _trips(graph, items, box, width_of(thing), thing.size[2], sign, top)
    moved = move_own_hand(person, side, times, eye, trips, items)
    arm = arm_of(person, side)
    arm = replace(arm, thing=replace(arm.thing, category="hand", called="hand"))
    paths = {each.id: each for each in moved.moved()}
    body = standing("container", box.container.thing, box.place.tolist(), 0.0, "anchor")
    placements = [
        table, body, box.board, *(paths.get(each.id, each) for each in items), moved.placement("hand", arm),
    ]  # fmt: skip
    return Staged(
        film_set=set_of(setting, placements),
        camera=_camera(eye, len(times)),
        intrinsics=intrinsics_of(FIELD, quality.width, quality.height),
        kind=Kind.DESKTOP,
        parts={"anchor": "anchor", "container": "container", **{each.id: "items" for each in items}},
        depth_scale=DEPTH_SCALE,
        events=moved.events,
        facts={"rim": round(box.rim, 6), "board": "inside", "hand": "hand"},
    )


def _draw_bearer(generator: np.random.Generator, side: Side, taken: Sequence[str]) -> Person:
    """Draw who holds the camera: with long bare arms, and with a T-shirt unlike the things in colour."""
    free = [colour for colour in CLOTH_COLOURS if all(apart(colour, other) for other in taken)]
    clothes = {"T-shirt": str(generator.choice(free))}
    while True:
        person = draw_person(generator, None, "adult", garments=("trousers", "T-shirt"), colours=clothes)
        shoulder, elbow, wrist = (
            person.rest[person.joints.index(side + bone), :3, 3] for bone in ("Arm", "ForeArm", "Hand")
        )
        if np.linalg.norm(elbow - shoulder) + np.linalg.norm(wrist - elbow) >= LONG:
            return person


def _camera(eye: np.ndarray, frames: int) -> np.ndarray:
    ahead = np.array([0.0, np.cos(PITCH), -np.sin(PITCH)])
    return look_at(np.tile(eye, (frames, 1)), np.tile(eye + ahead, (frames, 1)))


def _draw_tall(generator: np.random.Generator, looks: Any, top: float, most: int, thing: Thing) -> _Box:
    """Draw a tall container in whose upper part ``most`` items have room beside each other."""
    noun, colour = looks.attributes.type.removeprefix("tall "), looks.attributes.color
    width, deep = width_of(thing), thing.size[2] + HIDDEN
    for _ in range(TRIES):
        drawn = draw_thing(generator, noun, colour)
        if not TALL[0] <= drawn.size[2] <= TALL[1] or drawn.size[0] / 2 < _ring(most, width) + width / 2 + CLEAR:
            continue
        container = measured(drawn)
        disc, _ = draw_liquid(container, "water", 1 - deep / container.depth)
        inside = disc.size[0] / 2
        if inside < _ring(most, width) + width / 2 + CLEAR:
            continue
        place = np.array([0.0, 0.0, top])
        rim = top + container.thing.size[2] / 2 + container.rim
        board = _board(inside)
        pose = [*place[:2] + container.axis, rim - deep - BOARD]
        return _Box(container, place, rim, container.thing.size[0] / 2, inside,
                    standing("inside", board, pose, 0.0, "container"))  # fmt: skip
    raise no_room(f"{most} items have no room in a {noun}")


def _ring(count: int, width: float) -> float:
    """Return the radius (m) of the circle on which so many items lie beside each other."""
    return 0.0 if count < 2 else (width + CLEAR) / 2 / np.sin(np.pi / count)


def _board(radius: float) -> Thing:
    """Make the round board inside a container; a camera never sees it."""
    piece = finished(cylinder(radius, BOARD, "z", 0.0, 40), plain((0.62, 0.50, 0.36), "cardboard"))
    return Thing(
        "board", "brown", "cardboard", (piece,), size_of((piece,)), "any", None, 0.1, (piece.vertices,), None,
        called="round {category}",
    )  # fmt: skip


def _row(
    generator: np.random.Generator, graph: QcGraph, thing: Thing, sign: int, box: _Box, top: float
) -> list[Placement]:
    """Lay the items in a row beside the container."""
    step, y = width_of(thing) + GAP, ITEMS_AWAY - AWAY
    row = []
    for number in range(graph.params.initial_surface_count):
        x = sign * (box.outside + BESIDE + width_of(thing) / 2 + number * step)
        yaw = sign * float(generator.uniform(-0.6, 0.6))
        row.append(standing(f"item-{number + 1}", thing, (x, y, top), yaw, "anchor"))
    return row


def _trips(
    graph: QcGraph, items: Sequence[Placement], box: _Box, width: float, tall: float, sign: int, top: float
) -> list[Trip]:
    """Plan the trips: the last item in is the first one out.

    The nearest item goes in, and the farthest one is moved on the table, to the nearest free place.
    """
    spans = [(event.t0, event.t1) for event in scenario_of(graph).phase("actions").events]
    places = [item.pose[:3, 3] for item in items]  # from the nearest to the container to the farthest
    at = {number: item.id for number, item in enumerate(items)}  # what lies at each place
    inside = list[str]()
    free = _slots(graph, box, width, tall, sign)
    over = box.rim + OVER + tall / 2
    front = np.array([sign * 0.01, -box.inside + width / 2 + 0.012, over])
    beside = np.array([sign * (box.outside + 0.3 * width + 0.05), -0.6 * box.outside, over])
    trips: list[Trip] = []
    used: dict[str, np.ndarray] = {}
    for action, (start, end) in zip(graph.params.action_sequence, spans, strict=True):
        if action == "ADD":
            item = at.pop(min(at))
            inside.append(item)
            used[item] = free.pop(0)
            trips.append(Trip(item, start, end, front, used[item], np.empty((0, 3)), beside[None]))
            continue
        empty = min(set(range(len(places))) - set(at))
        goal = places[empty]
        if action == "MOVE":
            item, middle = at.pop(last := max(at)), (places[last] + goal) / 2 + [0.0, 0.0, LIFTED]
            trips.append(Trip(item, start, end, goal, goal, np.empty((0, 3)), middle[None]))
        else:
            item = inside.pop()
            slot = used.pop(item)
            free.insert(0, slot)
            high = np.array([slot[0], slot[1], over])
            trips.append(Trip(item, start, end, goal, goal, np.stack([beside, high]), np.stack([high, beside])))
        at[empty] = item
    return trips


def _slots(graph: QcGraph, box: _Box, width: float, tall: float, sign: int) -> list[np.ndarray]:
    """Return the places of items on the board inside; places that are emptied again are near the front."""
    most = max(inside_counts(graph.params.action_sequence))
    away, level = _ring(most, width), box.rim - HIDDEN - tall / 2
    first = -np.pi / 2 + (np.pi / most if most > 1 else 0)
    turns = first + 2 * np.pi * np.arange(most) / most
    near = 0.0
    if "REMOVE" in graph.params.action_sequence:  # all of them as far to the front as there is room
        room = box.inside - width / 2 - CLEAR
        near = np.sqrt(max(0.0, room**2 - away**2)) if most == 2 else max(0.0, room - away)
    places = [np.array([sign * away * np.cos(t), away * np.sin(t) - near, level]) for t in turns]
    return sorted(places, key=lambda place: -place[1])
