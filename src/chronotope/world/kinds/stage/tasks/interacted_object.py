"""IO: a person comes to a table with three objects, takes one of them, and puts it on a side table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.geometry import rotation_from_vector
from chronotope.recording import Kind
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import Placement
from chronotope.world.interiors.furniture import make_table
from chronotope.world.kinds.stage.cast import draw_actor
from chronotope.world.kinds.stage.filling import no_room
from chronotope.world.kinds.stage.graph import scenario_of
from chronotope.world.kinds.stage.graph.tasks.interacted_object import SPOTS, IoGraph
from chronotope.world.kinds.stage.graph.vocabulary import TABLE_TOPS
from chronotope.world.kinds.stage.lines_of_sight import hidden
from chronotope.world.kinds.stage.sets import draw_setting
from chronotope.world.kinds.stage.staged import Staged, place_of, set_of, standing
from chronotope.world.kinds.stage.table_top import surface_look
from chronotope.world.people import Person
from chronotope.world.people.motion import Grasp, Performance, Place, Stand, Walk, perform, seconds_needed
from chronotope.world.people.motion.acts import Act, Side
from chronotope.world.quality import Quality
from chronotope.world.slabs import corners_of
from chronotope.world.things import Thing, draw_thing

# Lengths (m) of a set for a person of 1.7 m; a set is as large as its person.
STATURE = 1.7
FRONT = (0.84, 0.52, 0.84)  # of the table: along x, along y, and its height
BACK = 0.22  # y of its edge on the person's side; the row of objects is at y = 0
SPACING, NARROWEST = 0.23, 0.20  # between objects, and at least, whoever the person is
ASIDE = (0.40, 0.46, 0.80)  # of the side table
BESIDE, BEHIND = 0.64, 0.44  # x and y of its middle
# Where on the side table a thing is put down, from its middle, away from the row and from the person, by how many
# places of the row the target is away: the nearest one is put down farther, since its way is short.
GOALS = ((0.06, -0.03), (0.0, -0.05), (-0.10, -0.10))
STANDS = 0.45  # y of where the person stands
SHOULDER, WITH_ARM = 0.18, 0.8  # from the middle of the person, and the share of the turn of the arm in that of a thing
# Its x towards the side table, by the distance of the target from this table in places of the row: what is tried.
STANDS_ASIDE = ((0.14, 0.08, 0.20), (0.09, 0.15, 0.21), (0.20, 0.26, 0.32))
FROM, FAR_BACK = 3.2, 1.35  # x and y, of where the person comes from
TURN = 0.85  # radius of the turn towards the table
EYE, AIM, AWAY = 1.42, 1.20, 1.95  # height of the camera and of what it looks at, and its distance from the row
FIELD = 32.0  # degrees, vertical
SEEN, HAND, RAYS = 0.55, 0.35, 80  # least share of the target that is seen when it is taken; m; rays that tell it
ROOM, HEIGHT = (-4.3, -3.0, 4.3, 3.9), 2.9  # m
FREE_FROM, FREE_TO = 1.9, 3.6  # m: no furniture is nearer than this y, or this far aside
DEPTH_SCALE = 9000.0  # steps per m
SPEED = 1.75  # m/s
BEFORE = 6.0  # s before the clip, in which the person can walk outside of the picture
WIDEST, TALLEST = 0.15, 0.22  # m, of an object: along the row, and its height
DRAWS, ROWS = 6, 3  # draws of an object, and of the whole row
HANDS: Mapping[int, Side] = {-1: "Right", 1: "Left"}  # the hand on a side of the picture


@dataclass(frozen=True, eq=False)
class _Row:
    """The objects of the row at their places, and the place where the target is put down."""

    things: Mapping[str, Placement]
    target: str
    goal: np.ndarray


def lay(generator: np.random.Generator, graph: IoGraph, quality: Quality, times: np.ndarray) -> Staged:
    """Lay out the scene; the camera looks along +y, and the person faces it.

    Raises:
        InputError: If the person cannot reach or hold the target.
    """
    place, tones = place_of(graph)
    setting = draw_setting(generator, place, tones, ROOM, HEIGHT)
    setting = replace(setting, props=tuple(prop for prop in setting.props if _is_aside(prop)))
    by_role: dict[str, Any] = {each.role: each for each in graph.objects}
    person = draw_actor(generator, by_role["agent"].attributes)
    scale = person.height / STATURE
    front = _table(generator, by_role["primary_surface"], scale, FRONT, (0.0, BACK - FRONT[1] / 2))
    beside = (_side(graph) * BESIDE, BEHIND)
    aside = _table(generator, by_role["destination_surface"], scale, ASIDE, beside)
    for number in range(ROWS):
        row = _row(generator, graph, scale, aside)
        try:
            acted = _act(person, graph, row, scale, times)
            break
        except InputError:
            if number == ROWS - 1:
                raise
    else:
        raise AssertionError("the last row is laid out or refused")
    moved = {placement.id: placement for placement in acted.moved()}
    things = [moved.get(name, thing) for name, thing in row.things.items()]
    placements = [front, aside, *things, acted.placement("agent", person)]
    return Staged(
        film_set=set_of(setting, placements),
        camera=_camera(scale, len(times)),
        intrinsics=intrinsics_of(FIELD, quality.width, quality.height),
        kind=Kind.INDOOR,
        parts={placement.id: placement.id for placement in placements},
        depth_scale=DEPTH_SCALE,
        events=acted.events,
        facts={"goal": np.round(row.goal, 6).tolist()},
    )


def _is_aside(prop: Placement) -> bool:
    """Check that a piece of furniture does not stand in the way of the person."""
    corners = corners_of(prop.thing.size, (0.0, 0.0, 0.0)) @ prop.pose[:3, :3].T + prop.pose[:3, 3]
    return bool(corners[:, 1].min() > FREE_FROM or np.abs(corners[:, 0]).min() > FREE_TO)


def _table(
    generator: np.random.Generator, surface: Any, scale: float, size: Sequence[float], middle: tuple[float, float]
) -> Placement:
    """Draw one of the two tables, at the middle (x, y) of a set of the scale 1."""
    colour = surface.attributes.color
    material = str(generator.choice(TABLE_TOPS[colour]))
    look = surface_look(generator, colour, material)
    length, width, height = (round(scale * each, 3) for each in size)
    table = make_table((length, width, height), look, colour, material, look)
    return standing(surface.id, table, (scale * middle[0], scale * middle[1], 0.0), 0.0)


def _row(generator: np.random.Generator, graph: IoGraph, scale: float, aside: Placement) -> _Row:
    """Draw the objects, and put them on the table from left to right."""
    spacing = max(SPACING * scale, NARROWEST)
    top = round(scale * FRONT[2], 3)
    by_spot = {each.position: each for each in graph.of_role("target", "distractor")}
    things: dict[str, Placement] = {}
    for number, name in enumerate(SPOTS):
        looks = by_spot[name].attributes
        thing, yaw = _fitting(generator, looks.type, looks.color)
        things[by_spot[name].id] = standing(
            by_spot[name].id, thing, ((number - 1) * spacing, 0.0, top), yaw, "primary_surface"
        )
    target = graph.of_role("target")[0].id
    shift = scale * np.array(GOALS[_places_away(graph)]) * [_side(graph), 1.0]
    goal = np.array([*(aside.pose[:2, 3] + shift), aside.thing.size[2] + things[target].thing.size[2] / 2])
    return _Row(things, target, goal)


def _side(graph: IoGraph) -> int:
    """Return the side of the other table: 1 is right."""
    return -1 if graph.params.destination_side == "left" else 1


def _arm(graph: IoGraph) -> int:
    """Return the side of the arm that moves the target: 1 is right.

    The arm is on the side of the other table. If the target is far from there, the other arm takes it, since an arm
    that reaches across the row covers the target with the back of its hand.
    """
    return _side(graph) if _places_away(graph) < len(SPOTS) - 1 else -_side(graph)


def _places_away(graph: IoGraph) -> int:
    """Return the place of the target in the row, counted from the other table."""
    number = SPOTS.index(graph.params.target_position)
    return number if _side(graph) < 0 else len(SPOTS) - 1 - number


def _fitting(generator: np.random.Generator, noun: str, colour: str) -> tuple[Thing, float]:
    """Draw a large thing that is not too wide for the row, and its yaw there.

    A hand hides most of a small thing.
    """
    drawn = [draw_thing(generator, noun, colour) for _ in range(DRAWS)]
    fit = [thing for thing in drawn if min(thing.size[:2]) <= WIDEST and thing.size[2] <= TALLEST]
    thing = max(fit, key=lambda each: np.prod(each.size)) if fit else min(drawn, key=lambda each: min(each.size[:2]))
    is_long = thing.size[0] > WIDEST
    return thing, -np.pi / 2 if is_long or thing.front is not None else 0.0


def _act(person: Person, graph: IoGraph, row: _Row, scale: float, times: np.ndarray) -> Performance:
    """Let the person move the target from a place where both tables can be reached."""
    told = "nothing"
    for aside in STANDS_ASIDE[_places_away(graph)]:
        try:
            acted = _acted(person, graph, row, scale, times, _side(graph) * aside)
        except InputError as error:
            told = str(error)
            continue
        seen = _share_seen(person, acted, row, scale, times)
        if seen >= SEEN:
            return acted
        told = f"the hand hides {1 - seen:.2f} of the object"
    raise no_room(f"the person cannot take the object ({told})")


def _share_seen(person: Person, acted: Performance, row: _Row, scale: float, times: np.ndarray) -> float:
    """Return the least share of the target that is seen when the hand takes it."""
    frames = [int(np.searchsorted(times, each.start - 1e-6)) for each in acted.events if each.kind == "hold"]
    return min(_seen_at(frame, person, acted, row, scale) for frame in frames)


def _seen_at(frame: int, person: Person, acted: Performance, row: _Row, scale: float) -> float:
    pose, eye, rig = acted.objects[row.target][frame], _camera(scale, 1)[0, :3, 3], acted.rig(person)
    faces = np.concatenate([piece.vertices[piece.faces] for piece in row.things[row.target].thing.pieces])
    faces = faces @ pose[:3, :3].T + pose[:3, 3]
    middles = faces.mean(axis=1)
    normals = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    sizes = np.einsum("ni,ni->n", normals, eye - middles)  # as large as the triangles look
    skin = person.parts.index("skin")
    body = rig.posed(skin, person.thing.pieces[skin].vertices, frame)[person.thing.pieces[skin].faces]
    near = body[np.linalg.norm(body.mean(axis=1) - pose[:3, 3], axis=1) < HAND]
    chosen = np.searchsorted(np.cumsum(np.maximum(sizes, 0)), (np.arange(RAYS) + 0.5) / RAYS * sizes[sizes > 0].sum())
    return 1 - float(hidden(eye, middles[np.minimum(chosen, len(middles) - 1)], near).mean())


def _acted(person: Person, graph: IoGraph, row: _Row, scale: float, times: np.ndarray, stop: float) -> Performance:
    """Let the person come, take the target, and put it down, at the times of the scenario.

    The person stands at the x ``stop`` of a set of the scale 1.
    """
    step = float(times[1] - times[0])
    entered = -1 if graph.params.agent_entry == "Left" else 1
    way = _way(scale, entered, stop)
    start = np.array([*way[0], 0.0 if entered < 0 else np.pi])
    reach = scenario_of(graph).phase("pick_up").t0
    walk = Walk(way, SPEED * np.sqrt(scale))
    wait = BEFORE + reach - seconds_needed(person, [walk], start=start)
    longer = np.concatenate([times[0] - step * np.arange(round(BEFORE / step), 0, -1), times])
    hand, pose = HANDS[_arm(graph)], row.things[row.target].pose
    shoulder = scale * np.array([stop + _arm(graph) * SHOULDER, STANDS])
    goal = _turned(pose, row.goal, shoulder)
    acts: list[Act] = [Stand(wait), walk, Grasp(row.target, hand), Place(row.target, goal)]
    shown = [row.things[row.target]]
    if graph.params.returns:
        pause = BEFORE + scenario_of(graph).phase("return").t0 - seconds_needed(person, acts, shown, start)
        acts += [Stand(max(pause, 0.0)), Grasp(row.target, hand), Place(row.target, pose)]
    acted = perform(person, longer, acts, shown, start, "agent")
    return acted.since(times)


def _turned(pose: np.ndarray, goal: np.ndarray, shoulder: np.ndarray) -> np.ndarray:
    """Return the pose (4, 4) of a thing at its goal (3,) m.

    The thing has turned with the arm, so that the wrist is not bent; the shoulder is at (x, y) m.
    """
    first, last = (np.arctan2(*(place - shoulder)[::-1]) for place in (pose[:2, 3], goal[:2]))
    angle = WITH_ARM * float((last - first + np.pi) % (2 * np.pi) - np.pi)
    turned = np.eye(4)
    turned[:3, :3] = rotation_from_vector(np.array([0.0, 0.0, angle])) @ pose[:3, :3]
    turned[:3, 3] = goal
    return turned


def _way(scale: float, entered: int, stop: float) -> np.ndarray:
    """Return the way (N, 2) m from outside of the picture to the table.

    At its end is a turn of 90 degrees, to the camera.
    """
    turn = np.linspace(0.0, np.pi / 2, 24)
    arc = np.column_stack([stop + entered * TURN * (1 - np.sin(turn)), FAR_BACK - TURN * (1 - np.cos(turn))])
    points = np.concatenate([[[entered * FROM, FAR_BACK]], arc, [[stop, STANDS]]])
    return scale * points


def _camera(scale: float, frames: int) -> np.ndarray:
    eye, target = scale * np.array([0.0, -AWAY, EYE]), scale * np.array([0.0, 0.0, AIM])
    return look_at(np.tile(eye, (frames, 1)), np.tile(target, (frames, 1)))
