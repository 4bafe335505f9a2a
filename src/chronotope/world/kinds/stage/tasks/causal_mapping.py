"""CM: a person behind a desk works two triggers; things before them react, or do not."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from chronotope.geometry import rotation_from_vector
from chronotope.recording import Event, Kind
from chronotope.world.articulation import Switch, place_articulated
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import Placement
from chronotope.world.kinds.stage.filling import no_room
from chronotope.world.kinds.stage.graph import scenario_of
from chronotope.world.kinds.stage.graph.tasks.causal_mapping import OTHER, CmGraph
from chronotope.world.kinds.stage.graph.vocabulary import REACTIONS
from chronotope.world.kinds.stage.sets import draw_setting
from chronotope.world.kinds.stage.staged import Staged, place_of, set_of
from chronotope.world.kinds.stage.table_top import draw_table
from chronotope.world.kinds.stage.timing import eased
from chronotope.world.people import Person, draw_person
from chronotope.world.people.motion import Performance, Press, Sit, Stand, perform
from chronotope.world.people.motion.acts import Act, Side
from chronotope.world.quality import Quality
from chronotope.world.things import Look, Piece
from chronotope.world.things.articulated import Articulated, draw_articulated
from chronotope.world.things.mesh import cylinder, merge, moved
from chronotope.world.things.thing import finished

DEPTH_SCALE = 10_000.0  # steps per m; what is farther than 6.5 m has no depth
FIELD = 42.0  # degrees, vertical
HEIGHT = 3.6  # m, of the room
# m for a person of 1.7 m: heights of the desk and the stool, and from the hips to the edge of the desk and triggers.
DESK, STOOL, TO_EDGE, TO_TRIGGERS, TALL = 0.78, 0.40, 0.18, 0.50, 1.7
CROWN = 0.14  # share of the height of a person from the joint of the head to the top of the hair
NEARER, FRONT, WIDE = 0.30, 0.18, 1.56  # m from triggers to effectors, from these to the edge, and of the desk
TRIGGERS, EFFECTORS = 0.22, 0.40  # m from the middle to the sides
MARGIN = 0.03  # m of the picture above the head
PUSH = np.radians(15.0)  # of a lever to each side
PRESS = 0.6  # s down and up again
BEFORE = 3.0  # s before the clip, in which the person sits down
LASTS, RISES, FALLS = 1.7, 0.3, 0.3  # s: a reaction, and its begin and its end
TURNS = 2.3  # a second, of what turns
ASIDE = np.radians(50.0)  # by which what blows is turned to the side
LATE = 0.05  # s by which a press may be late
OPPOSITE: Mapping[str, Side] = {"left": "Right", "right": "Left"}  # the hand of a person who faces the camera


class _Trigger(NamedTuple):
    """A trigger at its place: what is pressed from which point, in which direction, and how far."""

    name: str
    hand: Side
    articulated: Articulated
    pose: np.ndarray
    joint: str
    point: np.ndarray
    direction: np.ndarray
    travel: float

    def openness(self, pushed: np.ndarray) -> np.ndarray:
        """Return the openness (T,) of the joint for the ways (T,) m of the finger."""
        limit = self.articulated.limits[self.joint]
        if limit.slides:
            return np.clip(pushed / limit.high, 0, 1)
        angle = np.arcsin(np.clip(np.sin(PUSH) * (2 * pushed / self.travel - 1), -1, 1))
        return 0.5 + angle / (limit.high - limit.low)


def lay(generator: np.random.Generator, graph: CmGraph, quality: Quality, times: np.ndarray) -> Staged:
    """Lay out the scene.

    Raises:
        InputError: If the person cannot reach a trigger in time.
    """
    place, tones = place_of(graph)
    setting = draw_setting(generator, place, tones, (-3.0, -3.1, 3.0, 2.4), HEIGHT)
    by_role: dict[str, Any] = {each.role: each for each in graph.objects}
    person = _draw_agent(generator, by_role["agent"].attributes)
    scale = person.height / TALL
    top, hips = DESK * scale, TO_TRIGGERS * scale
    back, front = hips - TO_EDGE * scale, -NEARER - FRONT
    table = draw_table(generator, (WIDE, back - front, top), by_role["anchor"].attributes)
    table.pose[1, 3] = (back + front) / 2
    triggers = _triggers(generator, graph, by_role, top)
    acted = _act(person, graph, triggers, times, hips, STOOL * scale)
    agent = replace(acted.placement("agent", person), parent=None)
    pressed = [_bottom(acted, person, trigger, times) for trigger in triggers]
    reacting = [
        _effector(generator, graph, by_role, number, top, times, pressed[number - 1][1]) for number in (1, 2)
    ]  # fmt: skip
    placements = [table, *(_pressed(t, pushed) for t, (pushed, _) in zip(triggers, pressed, strict=True)),
                  *(thing for thing, _ in reacting), agent]  # fmt: skip
    events = tuple(sorted((*acted.events, *(e for _, more in reacting for e in more)), key=lambda e: (e.start, e.end)))
    crown = float(acted.joints[0, person.joints.index("Head"), 2, 3]) + CROWN * person.height + MARGIN
    setting = replace(setting, backdrop=(*setting.backdrop, *_stool(hips, STOOL * scale)))
    return Staged(
        film_set=set_of(setting, placements),
        camera=_camera(graph, len(times), np.array([hips, crown]), np.array([front, 0.92 * top])),
        intrinsics=intrinsics_of(FIELD, quality.width, quality.height),
        kind=Kind.DESKTOP,
        parts={placement.id: placement.id for placement in placements},
        depth_scale=DEPTH_SCALE,
        events=events,
        facts={"bottoms": [round(float(times[frame]), 6) for _, frame in pressed]},
    )


def _camera(graph: CmGraph, frames: int, high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Return a still camera with the pitch of the graph.

    The points ``high`` and ``low``, as (y, z) m, are at the upper and at the lower edge of the picture.
    """
    pitch = graph.camera_movement.pitch_down
    up, down = (np.tan(np.radians(pitch + half)) for half in (-FIELD / 2, FIELD / 2))
    # The camera (y, z) lies on the lines through both points with these slopes.
    y, z = np.linalg.solve([[up, 1.0], [down, 1.0]], [high[1] + up * high[0], low[1] + down * low[0]])
    eye = np.array([0.0, y, z])
    ahead = np.array([0.0, np.cos(np.radians(pitch)), -np.sin(np.radians(pitch))])
    return look_at(np.tile(eye, (frames, 1)), np.tile(eye + ahead, (frames, 1)))


def _draw_agent(generator: np.random.Generator, looks: Any) -> Person:
    """Draw the person of a graph, in a T-shirt of the colour and in muted trousers."""
    age = "old" if looks.type.startswith("old ") else "child" if looks.type in ("boy", "girl") else "adult"
    sex = "female" if looks.type.endswith(("woman", "girl")) else "male"
    legs = "grey" if looks.color != "grey" else "black"
    return draw_person(
        generator, sex, age, garments=("trousers", "T-shirt"), colours={"trousers": legs, "T-shirt": looks.color}
    )


def _stool(y: float, height: float) -> list[Piece]:
    """Make a round stool under the person."""
    seat = moved(cylinder(0.17, 0.04, "z", 0.008, 32), by=(0, y, height - 0.02))
    leg = moved(cylinder(0.025, height - 0.04, "z", 0.0, 16), by=(0, y, height / 2 - 0.02))
    foot = moved(cylinder(0.19, 0.02, "z", 0.004, 32), by=(0, y, 0.01))
    return [finished(merge(seat, leg, foot), Look((0.30, 0.28, 0.27), 0.1, 0.2))]


def _posed(articulated: Articulated, x: float, y: float, low: float, yaw: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, :3] = rotation_from_vector(np.array([0.0, 0.0, yaw]))
    pose[:3, 3] = np.round([x, y, low + articulated.thing.size[2] / 2], 6)
    return pose


def _named(articulated: Articulated, looks: Any) -> Articulated:
    """Call a thing by the words of its graph."""
    return replace(articulated, thing=replace(articulated.thing, category=looks.type, called="{colour} {category}"))


def _side(first: str, number: int) -> str:
    return first if number == 1 else OTHER[first]


def _sign(side: str) -> int:
    return -1 if side == "left" else 1


def _triggers(generator: np.random.Generator, graph: CmGraph, by_role: Mapping[str, Any], top: float) -> list[_Trigger]:
    """Draw the triggers and place them before the person."""
    made = []
    for number in (1, 2):
        looks = by_role[f"trigger_{number}"].attributes
        side = _side(graph.params.trigger_1_side, number)
        articulated = _named(draw_articulated(generator, looks.type, looks.color), looks)
        pose = _posed(articulated, _sign(side) * TRIGGERS, 0.0, top, -np.pi / 2)
        (joint,) = articulated.limits
        limit = articulated.limits[joint]
        if limit.slides:
            point, direction = np.array([0.0, 0.0, articulated.thing.size[2] / 2]), np.array([0.0, 0.0, -1.0])
            travel = limit.high
        else:
            point, travel = _knob(articulated, joint)
            direction = np.array([1.0, 0.0, 0.0])
        point, direction = pose[:3, :3] @ point + pose[:3, 3], pose[:3, :3] @ direction
        made.append(_Trigger(f"trigger_{number}", OPPOSITE[side], articulated, pose, joint, point, direction, travel))
    return made


def _knob(articulated: Articulated, joint: str) -> tuple[np.ndarray, float]:
    """Return where a finger touches a lever that leans back by ``PUSH``, and its way (m)."""
    limit, number = articulated.limits[joint], articulated.joints.index(joint)
    pivot = articulated.rest[number, :3, 3]
    knob = [k for k, binding in enumerate(articulated.bindings) if binding == number][-1]
    points = articulated.thing.pieces[knob].vertices
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    radius, arm = float(np.ptp(points[:, 1])) / 2, float(np.linalg.norm(middle - pivot))
    rest = limit.low + (0.5 - PUSH / (limit.high - limit.low)) * (limit.high - limit.low)
    turned = rotation_from_vector(rest * np.array(limit.axis)) @ (middle - pivot) + pivot
    return turned - [radius, 0.0, 0.0], 2 * arm * float(np.sin(PUSH))


def _act(
    person: Person, graph: CmGraph, triggers: Sequence[_Trigger], times: np.ndarray, hips: float, seat: float
) -> Performance:
    """Let the person sit at the desk and press both triggers at the times of the scenario."""
    step = float(times[1] - times[0])
    longer = np.concatenate([times[0] - step * np.arange(round(BEFORE / step), 0, -1), times])
    thigh = float(np.linalg.norm(np.subtract(*(person.rest[person.joints.index(f"Left{b}"), :3, 3]
                                               for b in ("UpLeg", "Leg")))))  # fmt: skip
    start = np.array([0.0, hips - 0.95 * thigh, -np.pi / 2])
    shown = [Placement(t.name, t.articulated.thing, t.pose) for t in triggers]
    scenario = scenario_of(graph)
    wanted = [next(e.t0 for e in scenario.phase(f"press_{n}").events if e.kind == "press") for n in (1, 2)]
    waits, late = [BEFORE, 0.0], [0.0]
    for _ in range(3):
        acts: list[Act] = [Sit(seat)]
        for trigger, wait in zip(triggers, waits, strict=True):
            press = Press(trigger.name, trigger.point, trigger.direction, trigger.travel, PRESS, trigger.hand)
            acts += [Stand(wait), press]
        acted = perform(person, longer, acts, shown, start, "agent")
        touched = [e.start for t in triggers for e in acted.events if e.kind == "press" and e.object == t.name]
        late = [t - w for t, w in zip(touched, wanted, strict=False)]
        if len(late) == 2 and max(np.abs(late)) <= step / 2 + 1e-6:
            return acted.since(times)
        waits[0] = waits[0] - late[0]
        if len(late) == 2:
            waits[1] = waits[1] - (late[1] - late[0])
        if min(waits) < 0:
            break
    raise no_room(f"the person presses {late} s too late")


def _bottom(acted: Performance, person: Person, trigger: _Trigger, times: np.ndarray) -> tuple[np.ndarray, int]:
    """Return how far (T,) m the finger pushes a trigger, and the frame of the farthest push."""
    press = next(e for e in acted.events if e.kind == "press" and e.object == trigger.name)
    tip = acted.joints[:, person.joints.index(f"{trigger.hand}HandIndex3"), :3, 3] @ trigger.direction
    during = (times >= press.start - 1e-9) & (times <= press.end + 1e-9)
    pushed = np.where(during, tip - tip[np.argmax(during)], 0.0)
    return np.maximum(pushed, 0.0), int(np.argmax(pushed))


def _pressed(trigger: _Trigger, pushed: np.ndarray) -> Placement:
    openness = {trigger.joint: np.round(trigger.openness(pushed), 6)}
    return place_articulated(trigger.name, trigger.articulated, trigger.pose, openness, parent="anchor")


def _effector(
    generator: np.random.Generator, graph: CmGraph, by_role: Mapping[str, Any], number: int, top: float,
    times: np.ndarray, frame: int,
) -> tuple[Placement, list[Event]]:  # fmt: skip
    """Draw an effector, and let it react from a frame on, unless its trigger is inert."""
    looks, name = by_role[f"effector_{number}"].attributes, f"effector_{number}"
    reaction = REACTIONS[looks.type]
    articulated = _named(draw_articulated(generator, reaction.kind, looks.color), looks)
    sign = _sign(_side(graph.params.effector_1_side, number))
    flies = looks.type == "flag"
    yaw = (0.0 if sign > 0 else np.pi) if flies else -np.pi / 2 + (sign * ASIDE if reaction.key == "power" else 0.0)
    pose = _posed(articulated, sign * EFFECTORS, -NEARER, top, yaw)
    rest, other = reaction.values
    if graph.params.inert == number:
        return place_articulated(name, articulated, pose, parent="anchor"), []
    begin, end = float(times[frame]), float(times[frame]) + LASTS
    last = int(np.searchsorted(times, end - 1e-9))
    share = eased(times, begin, begin + RISES) - eased(times, end, end + FALLS)
    openness: dict[str, np.ndarray] = {joint: np.round(share, 6) for joint in reaction.opens}
    for joint in articulated.limits.keys() - set(reaction.opens):
        openness[joint] = np.round(np.cumsum(TURNS * share) * float(times[1] - times[0]), 6)
    switches = [Switch(frame, reaction.key, other), Switch(last, reaction.key, rest)]
    if last >= len(times):
        raise no_room("a reaction does not end within the clip")
    events = [
        Event("switch", float(times[s.frame]), float(times[s.frame]), None, name, {"key": s.key, "value": s.value})
        for s in switches
    ]
    return place_articulated(name, articulated, pose, openness, switches, "anchor"), events
