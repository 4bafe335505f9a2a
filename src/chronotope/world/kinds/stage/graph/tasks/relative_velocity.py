"""RV: whether each other mover is slower or faster than the camera's own vehicle."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from chronotope.world.kinds.stage.graph.cycles import Cycle, crossed
from chronotope.world.kinds.stage.graph.rulebook import Fault, Rulebook, counted, first_side
from chronotope.world.kinds.stage.graph.scenarios import Phase, Scenario, ScriptEvent, told
from chronotope.world.kinds.stage.graph.stage_task import StageTask
from chronotope.world.kinds.stage.graph.structure import (
    Camera,
    Colour,
    Ours,
    Params,
    Part,
    Prose,
    SceneGraph,
    SceneObject,
    Setup,
    Step,
    TemporalFlow,
    Word,
    Words,
)
from chronotope.world.kinds.stage.graph.vocabulary import apart, draw_items

SLOWER, FASTER, EQUAL = "Slower-than-Ego", "Faster-than-Ego", "Same-as-Ego"
CUES = (2.5, 5.0)  # s, when the first and the second mover are beside the camera
MIDDLE, AHEAD = 4.0, (7.0, 10.0)  # s of the clip, and m ahead of the camera at this time
SLOW, FAST, UNLIKE = (6.0, 8.5), (23.0, 28.0), 1.5  # m/s, of others, and least difference between two movers
# Where both movers are slower, or both are faster: the speed (m/s) of the camera, how far (m) the one that is ahead in
# the middle of the clip then is, and by how much (m/s) the other one differs from the camera: less, or more.
BOTH_EGO, BOTH_AHEAD = (20.0, 21.5), (11.0, 13.0)
BOTH_AWAY = {"slower": ((6.5, 7.5), (16.0, 17.5)), "faster": ((5.0, 5.4), (11.5, 14.0))}

Speed = Annotated[float, Field(ge=0, le=100)]
UNSTEADY = ("not constant", "changes lane", "brakes", "accelerates")


class RvParams(Params):
    """The sides of both movers, and which cue comes first; ``are_both`` makes both movers slower or faster."""

    slow_side: Literal["Left", "Right"]
    overtake_side: Literal["Left", "Right"]
    overtake_order: Literal["slower_first", "faster_first"]
    are_both: Literal["", "slower", "faster"] = ""


class MoverLooks(Part):
    """The looks of a mover."""

    color: Colour
    type: Annotated[Word, Words("vehicles")]


class Motion(Part):
    """How a mover moves: its constant speed (m/s)."""

    description: Prose
    speed: Annotated[Speed, Ours()]


class Mover(SceneObject):
    """A vehicle in a lane beside the camera's lane."""

    role: Literal["slower", "faster"]
    visual_attributes: MoverLooks
    motion: Motion
    position: Word
    relative_velocity_to_ego: Word


class EgoVehicle(SceneObject):
    """The vehicle that carries the camera."""

    role: Literal["ego"] = "ego"
    motion: Motion
    position: Word


class Forward(Camera):
    """A forward view from the ego vehicle, on a straight road with three lanes."""

    lanes: Annotated[int, Ours()] = 3
    is_straight: Annotated[bool, Ours()] = True


class RvTruth(Part):
    """The relative speed of each mover, and the order of all speeds."""

    relative_velocity_per_agent: dict[str, str]
    velocity_ranking_low_to_high: tuple[str, ...]


class RvGraph(SceneGraph):
    """Three vehicles on a road with three lanes."""

    params: Annotated[RvParams, Ours()]
    objects: tuple[Annotated[EgoVehicle | Mover, Field(discriminator="role")], ...]
    temporal_flow: TemporalFlow
    camera_movement: Forward
    ground_truth: RvTruth


def _lane(side: str) -> str:
    return f"{side.lower()} lane"


def draw(generator: np.random.Generator, params: RvParams, theme: str) -> dict[str, Any]:
    """Draw the parts of a graph; the types are drawn independently of the speeds."""
    looks = draw_items(generator, "vehicles", 2)
    ego, speeds = _draw_both(generator, params) if params.are_both else _draw_speeds(generator, params)
    movers = []
    for (role, side), (noun, colour) in zip(
        (("slower", params.slow_side), ("faster", params.overtake_side)), looks, strict=True
    ):
        speed = speeds[role]
        movers.append(Mover(
            id=f"obj_{role}", label=f"{colour} {noun}", role=role,  # type: ignore[arg-type]
            visual_attributes=MoverLooks(color=colour, type=noun), position=_lane(side),
            motion=Motion(description="constant speed, keeps its lane", speed=speed),
            relative_velocity_to_ego=SLOWER if speed < ego else FASTER,
        ))  # fmt: skip
    by_role = {each.role: each for each in movers}
    order = ("slower", "faster") if params.overtake_order == "slower_first" else ("faster", "slower")
    texts = {SLOWER: "The {} ahead comes nearer, slides past on the {} and is left behind.",
             FASTER: "The {} comes from behind on the {}, passes and shrinks ahead."}  # fmt: skip
    steps = [
        texts[by_role[r].relative_velocity_to_ego].format(by_role[r].label, by_role[r].position.split()[0])
        for r in order
    ]
    camera = EgoVehicle(id="ego", label="camera vehicle", position="middle lane",
                        motion=Motion(description="constant speed, keeps its lane", speed=ego))  # fmt: skip
    return {
        "objects": (camera, *movers),
        "temporal_flow": TemporalFlow(
            initial_setup=Setup(description="The camera drives on a straight road with three lanes."),
            action_sequence=tuple(Step(step=k, action_description=text) for k, text in enumerate(steps, 1)),
        ),
        "camera_movement": Forward(type="forward", trajectory="constant_speed"),
        "ground_truth": RvTruth(
            relative_velocity_per_agent={each.id: each.relative_velocity_to_ego for each in movers},
            velocity_ranking_low_to_high=tuple(
                name for _, name in sorted([(ego, "ego"), *((speeds[m.role], m.id) for m in movers)])
            ),
        ),
    }


def _draw_speeds(generator: np.random.Generator, params: RvParams) -> tuple[float, dict[str, float]]:
    """Draw the speeds (m/s) of the camera, and of a slower and a faster mover."""
    while True:
        ego = round(float(generator.uniform(14.5, 18)), 1)
        speeds = {role: _draw_speed(generator, ego, params, role) for role in ("slower", "faster")}
        if abs(speeds["slower"] - speeds["faster"]) >= UNLIKE:
            return ego, speeds


def _draw_both(generator: np.random.Generator, params: RvParams) -> tuple[float, dict[str, float]]:
    """Draw the speeds (m/s) of the camera, and of two movers that are both slower or both faster.

    Which of both is faster has nothing to do with which of them is ahead of the camera in the middle of the clip.
    """
    ego = round(float(generator.uniform(*BOTH_EGO)), 1)
    sign = 1 if params.are_both == "faster" else -1
    speeds: dict[str, float] = {}
    for role in ("slower", "faster"):
        ahead = sign * (MIDDLE - cue(params, role))
        if ahead > 0:
            away = float(generator.uniform(*BOTH_AHEAD)) / ahead
        else:
            away = float(generator.uniform(*BOTH_AWAY[params.are_both][int(generator.integers(2))]))
        speeds[role] = round(ego + sign * away, 1)
    return ego, speeds


def _draw_speed(generator: np.random.Generator, ego: float, params: RvParams, role: str) -> float:
    """Draw the speed (m/s) of a mover.

    Who is ahead of the camera in the middle of the clip is as far ahead whether it is slower or faster.
    """
    is_slower = role == "slower"
    until = cue(params, role) - MIDDLE
    if is_slower == (until > 0):
        return round(ego - float(generator.uniform(*AHEAD)) / until, 1)
    return round(float(generator.uniform(*(SLOW if is_slower else FAST))), 1)


def cue(params: RvParams, role: str) -> float:
    """Return the time (s) at which a mover is beside the camera."""
    return CUES[(role == "slower") != (params.overtake_order == "slower_first")]


def is_none_at_middle(graph: RvGraph) -> bool:
    """Check whether no mover is ahead of the camera in the middle of the clip."""
    [ego] = graph.of_role("ego")
    return all(
        (each.motion.speed - ego.motion.speed) * (MIDDLE - cue(graph.params, each.role)) < 0
        for each in graph.of_role("slower", "faster")
    )


def relation(speed: float, ego: float) -> str:
    """Return the relative speed in words."""
    return SLOWER if speed < ego else FASTER if speed > ego else EQUAL


def truth(graph: RvGraph) -> RvTruth:
    """Compute the ground truth from the speeds."""
    ego = next((each.motion.speed for each in graph.of_role("ego")), 0.0)
    movers = graph.of_role("slower", "faster")
    ranking = sorted(graph.objects, key=lambda each: each.motion.speed)
    return RvTruth(
        relative_velocity_per_agent={each.id: relation(each.motion.speed, ego) for each in movers},
        velocity_ranking_low_to_high=tuple(each.id for each in ranking),
    )


def tell(graph: RvGraph) -> Scenario:
    """Make the scenario."""
    steps = [step.action_description for step in graph.temporal_flow.action_sequence]
    first, second = [*steps, "-", "-"][:2]
    order = ("slower", "faster") if graph.params.overtake_order == "slower_first" else ("faster", "slower")
    cues = [
        Phase(name=f"{role}_cue", t0=t0, t1=t1, camera="drives at constant speed",
              events=(ScriptEvent(kind="move", object=f"obj_{role}", t0=t0, t1=t1),))
        for role, (t0, t1) in zip(order, ((0.6, 3.6), (3.6, 6.8)), strict=True)
    ]  # fmt: skip
    return told(
        "Tell for each vehicle whether it is slower or faster than the camera.",
        (Phase(name="setup", t0=0, t1=0.6, camera="drives at constant speed"),
         graph.temporal_flow.initial_setup.description),
        (cues[0], first), (cues[1], second),
        (Phase(name="result", t0=6.8, t1=8, camera="drives at constant speed"), "The camera drives on."),
    )  # fmt: skip


RULES = Rulebook("RV")


@RULES.rule("R1", "the ego vehicle, one slower and one faster mover", "give each role one object")
def _counts(graph: RvGraph) -> Iterator[Fault]:
    yield from counted(graph, {"ego": 1, "slower": 1, "faster": 1})


@RULES.rule("R2", "the faster mover is faster than the ego, and the slower one slower (unless are_both says otherwise)",
            "choose speeds at least 3 m/s apart")  # fmt: skip
def _speeds(graph: RvGraph) -> Iterator[Fault]:
    ego = next((each.motion.speed for each in graph.of_role("ego")), 0.0)
    for each in graph.of_role("slower", "faster"):
        way = graph.params.are_both or each.role
        away = each.motion.speed - ego if way == "faster" else ego - each.motion.speed
        if away < 3:
            yield f"objects.{graph.objects.index(each)}.motion.speed", each.motion.speed


@RULES.rule("R3", "all speeds are constant, without lane changes", "say that each keeps its speed and its lane")
def _constant(graph: RvGraph) -> Iterator[Fault]:
    for index, each in enumerate(graph.objects):
        text = each.motion.description
        if "constant" not in text or any(words in text for words in UNSTEADY):
            yield f"objects.{index}.motion.description", text


@RULES.rule("R4", "the path is straight with three lanes: the ego in the middle, the movers on their sides",
            "put the slower mover on slow_side, the faster one on overtake_side, the ego in the middle")  # fmt: skip
def _lanes(graph: RvGraph) -> Iterator[Fault]:
    if graph.camera_movement.lanes != 3 or not graph.camera_movement.is_straight:
        yield "camera_movement", f"{graph.camera_movement.lanes} lanes"
    params = graph.params
    wanted = {"ego": "middle lane", "slower": _lane(params.slow_side), "faster": _lane(params.overtake_side)}
    for index, each in enumerate(graph.objects):
        if each.position != wanted[each.role]:
            yield f"objects.{index}.position", each.position


@RULES.rule("R5", "the movers differ in colour and in type", "change the colour or the type of one")
def _unlike(graph: RvGraph) -> Iterator[Fault]:
    pair = graph.of_role("slower", "faster")
    if len(pair) == 2:
        one, other = (each.visual_attributes for each in pair)
        if not apart(one.color, other.color) or one.type == other.type:
            yield f"objects.{graph.objects.index(pair[1])}.visual_attributes", pair[1].label


@RULES.rule("R6", "relative_velocity_to_ego agrees with the speeds", "state what the speeds give")
def _relative(graph: RvGraph) -> Iterator[Fault]:
    ego = next((each.motion.speed for each in graph.of_role("ego")), 0.0)
    for each in graph.of_role("slower", "faster"):
        if each.relative_velocity_to_ego != relation(each.motion.speed, ego):
            yield f"objects.{graph.objects.index(each)}.relative_velocity_to_ego", each.relative_velocity_to_ego


@RULES.rule("R7", "one cue after the other, in the order of overtake_order", "swap the two steps")
def _order(graph: RvGraph) -> Iterator[Fault]:
    order = ("slower", "faster") if graph.params.overtake_order == "slower_first" else ("faster", "slower")
    steps = graph.temporal_flow.action_sequence
    if len(steps) != 2:
        yield "temporal_flow.action_sequence", f"{len(steps)} steps"
        return
    for number, (role, step) in enumerate(zip(order, steps, strict=True)):
        for each in graph.of_role(role):
            side = each.position.removesuffix(" lane")
            if each.label not in step.action_description or first_side(step.action_description) not in (None, side):
                yield f"temporal_flow.action_sequence.{number}", step.action_description


@RULES.rule("R8", "the camera looks forward from the ego vehicle, at constant speed",
            "set type forward and trajectory constant_speed")  # fmt: skip
def _camera(graph: RvGraph) -> Iterator[Fault]:
    if graph.camera_movement.type != "forward" or graph.camera_movement.trajectory != "constant_speed":
        yield "camera_movement", f"{graph.camera_movement.type}, {graph.camera_movement.trajectory}"


_ENTRIES = ({"slow_side": "Right", "overtake_side": "Left"}, {"slow_side": "Left", "overtake_side": "Right"})
TASK = StageTask(
    code="RV_E_EGO_DYN",
    name="Relative Velocity Identification",
    graph=RvGraph,
    params=RvParams,
    cycles={
        "paper": Cycle(_ENTRIES, crossed(overtake_order=("slower_first", "faster_first"))),
        "extended": Cycle(
            _ENTRIES, crossed(overtake_order=("slower_first", "faster_first"), are_both=("", "", "slower", "faster"))
        ),
    },
    draw=draw,
    truth=truth,
    tell=tell,
    rules=RULES,
)
