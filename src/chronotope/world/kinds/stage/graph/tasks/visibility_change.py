"""VI: how the visibility of a target changes for an observer in the scene, while the camera sees everything."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from chronotope.world.kinds.stage.graph.cycles import Cycle, crossed
from chronotope.world.kinds.stage.graph.rulebook import Fault, Rulebook, counted
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
    Step,
    Word,
    Words,
)
from chronotope.world.kinds.stage.graph.tasks.causal_mapping import draw_person_words
from chronotope.world.kinds.stage.graph.vocabulary import draw_items

VISIBLE, OCCLUDED = "Visible", "Occluded"
# s, of the movement: its begin, its end, and the end of the clip. In the middle of an extended clip, nobody
# walks: all stand as at the end, or as at first.
PACES = {"published": (1.6, 6.2, 8.0), "final": (1.4, 6.0, 12.6), "initial": (6.6, 11.2, 12.6)}
SIDES = {"Left": 9, "Right": 3}
Transition = Literal["Visible_to_Occluded", "Occluded_to_Visible", "Always_Visible", "Always_Occluded"]


class ViParams(Params):
    """The change, the side of the observer, who moves, and the clock point at which the target can be seen.

    In the extended profile, ``at_middle`` is the state in the middle of the clip.
    """

    transition: Transition
    observer_side: Literal["Left", "Right"]
    mover: Literal["Target_Moves", "Observer_Moves"]
    visible_point: Literal[12, 6]
    at_middle: Literal["published", "final", "initial"] = "published"


class ActorAttributes(Part):
    """The looks of a person, and the clock point around the occluder as it is seen on the screen."""

    appearance: Word
    position: Word
    color: Annotated[Word, Words("colours"), Ours()]
    type: Annotated[Word, Words("persons"), Ours()]


class Actor(SceneObject):
    """The observer or the target."""

    role: Literal["observer", "target"]
    attributes: ActorAttributes


class OccluderAttributes(Part):
    """The looks of the occluder."""

    material: Word
    position: Word
    color: Annotated[Colour, Ours()]
    type: Annotated[Word, Words("occluders"), Ours()]


class Occluder(SceneObject):
    """What hides the target from the observer."""

    role: Literal["occluder"] = "occluder"
    attributes: OccluderAttributes


class State(Part):
    """The places of both at one time."""

    description: Prose


class ViFlow(Part):
    """What happens, and what the observer sees of the target at the start and at the end."""

    initial_state: State
    action_sequence: tuple[Step, ...]
    final_state: State
    observer_view_status: dict[str, str]


class HighView(Camera):
    """A high view that does not move, pitched down (degrees)."""

    pitch_down: Annotated[float, Field(ge=0, le=90), Ours()] = 68.0


class ViTruth(Part):
    """How the target's visibility changes for the observer."""

    visibility_transition: str
    mover: str
    observer_side: str
    initial_status: str
    final_status: str
    trigger_event: str


class ViGraph(SceneGraph):
    """Two people on a circle around an occluder."""

    params: Annotated[ViParams, Ours()]
    objects: tuple[Annotated[Actor | Occluder, Field(discriminator="role")], ...]
    temporal_flow: ViFlow
    camera_movement: HighView
    ground_truth: ViTruth


def hours_of(position: str) -> tuple[int, int]:
    """Return the first and the last clock point of a position."""
    hours = [int(hour) for hour in re.findall(r"(\d+) o'clock", position)]
    return (hours[0], hours[-1]) if hours else (0, 0)


def gap(first: int, second: int) -> int:
    """Return the number of hours between two clock points, 0 to 6."""
    away = abs(first - second) % 12
    return min(away, 12 - away)


def status(observer: int, target: int) -> str:
    """Return whether the target is visible.

    Points that are opposite each other, or nearly so, are not; points up to 90 degrees apart are.
    """
    return {6: OCCLUDED, 5: OCCLUDED, 3: VISIBLE, 2: VISIBLE, 1: VISIBLE}.get(gap(observer, target), "Partial")


def points(params: ViParams, visible: int = 3, shift: int = 0) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the first and the last clock point of the observer, and those of the target.

    ``visible`` is the number of hours, 2 or 3, between both where a change begins or ends with a visible target. With a
    ``shift`` of 1, all points are an hour farther. So, in the extended profile, one frame of people at rest shows the
    same places whether the visibility changes or not, and whoever stands is at the same places as who walks.
    """
    home, seen = SIDES[params.observer_side], params.visible_point
    moves_target = params.mover == "Target_Moves"
    mover, other = (seen, home) if moves_target else (home, seen)
    way = _towards(other, mover)
    farther = shift * (-way if params.transition == "Always_Occluded" else way)
    shown, near, far, beside, opposite, beyond = (
        _hour(other + hours * way + farther) for hours in (visible, 2, 3, 5, 6, 7)
    )
    hidden = opposite if params.at_middle == "published" else beside
    ends = {
        "Visible_to_Occluded": (shown, hidden),
        "Occluded_to_Visible": (hidden, shown),
        # A mover who stays visible comes nearer or goes away, so that this does not tell the change.
        "Always_Visible": (far, near) if seen == 12 else (near, far),
        # The end in the middle of the clip is on the side on which a change that is shifted so has its hidden end.
        "Always_Occluded": (beside, beyond) if params.at_middle == "final" else (beyond, beside),
    }[params.transition]
    stands = _hour(other + farther)
    return ((stands, stands), ends) if moves_target else (ends, (stands, stands))


def _towards(hour: int, other: int) -> int:
    """Return the direction of the shorter way from a clock point to another: 1 is clockwise."""
    return 1 if (other - hour) % 12 <= 6 else -1


def _hour(number: int) -> int:
    return number % 12 or 12


def _position(ends: tuple[int, int]) -> str:
    first, last = ends
    return f"{first} o'clock" if first == last else f"{first} o'clock (initial), moves to {last} o'clock"


def draw(generator: np.random.Generator, params: ViParams, theme: str) -> dict[str, Any]:
    """Draw the parts of a graph."""
    who, shirt, label = draw_person_words(generator)
    while True:
        other, second, name = draw_person_words(generator, (shirt,))
        if other != who:
            break
    noun, colour = draw_items(generator, "occluders", 1)[0]
    is_published = params.at_middle == "published"
    seer, seen = (
        points(params) if is_published else points(params, *(int(n) for n in generator.integers((2, 0), (4, 2))))
    )
    observer = Actor(id="observer", label=label, role="observer", attributes=ActorAttributes(
        appearance=label, position=_position(seer), color=shirt, type=who))  # fmt: skip
    target = Actor(id="target", label=name, role="target", attributes=ActorAttributes(
        appearance=name, position=_position(seen), color=second, type=other))  # fmt: skip
    pillar = Occluder(id="occluder", label=f"{colour} {noun}", attributes=OccluderAttributes(
        material="Opaque", position="center", color=colour, type=noun))  # fmt: skip
    mover, ends = (target, seen) if params.mover == "Target_Moves" else (observer, seer)
    first, last = status(seer[0], seen[0]), status(seer[1], seen[1])
    step = f"The {mover.label} walks from {ends[0]} o'clock to {ends[1]} o'clock around the {pillar.label}."
    return {
        "objects": (observer, target, pillar),
        "temporal_flow": ViFlow(
            initial_state=State(description=f"The {label} is at {seer[0]} o'clock, the {name} at {seen[0]} o'clock."),
            action_sequence=(Step(step=1, action_description=step),),
            final_state=State(description=f"The {label} is at {seer[1]} o'clock, the {name} at {seen[1]} o'clock."),
            observer_view_status={"initial": first, "final": last},
        ),
        "camera_movement": HighView(type="fixed", trajectory="none"),
        "ground_truth": ViTruth(
            visibility_transition=params.transition, mover=params.mover, observer_side=params.observer_side,
            initial_status=first, final_status=last, trigger_event=step),
    }  # fmt: skip


def truth(graph: ViGraph) -> ViTruth:
    """Compute the ground truth from the clock points."""
    seer, seen = (hours_of(graph.of_role(role)[0].attributes.position) for role in ("observer", "target"))
    first, last = status(seer[0], seen[0]), status(seer[1], seen[1])
    steps = graph.temporal_flow.action_sequence
    return ViTruth(
        visibility_transition=f"{first}_to_{last}" if first != last else f"Always_{first}",
        mover="Observer_Moves" if seer[0] != seer[1] else "Target_Moves",
        observer_side=graph.params.observer_side,
        initial_status=first,
        final_status=last,
        trigger_event=steps[0].action_description if steps else "",
    )


def tell(graph: ViGraph) -> Scenario:
    """Make the scenario."""
    flow = graph.temporal_flow
    mover = "observer" if graph.params.mover == "Observer_Moves" else "target"
    start, stop, whole = PACES[graph.params.at_middle]
    walk = (ScriptEvent(kind="walk", agent=mover, t0=start, t1=stop),)
    text = flow.action_sequence[0].action_description if flow.action_sequence else "Nobody moves."
    return told(
        "Tell from above whether the observer can see the target at the start and at the end.",
        (Phase(name="initial", t0=0, t1=start, camera="still"), flow.initial_state.description),
        (Phase(name="movement", t0=start, t1=stop, camera="still", events=walk), text),
        (Phase(name="final_hold", t0=stop, t1=whole, camera="still"), flow.final_state.description),
    )


RULES = Rulebook("VI")


@RULES.rule("R1", "one observer, one target and one occluder", "give each role one object")
def _counts(graph: ViGraph) -> Iterator[Fault]:
    yield from counted(graph, {"observer": 1, "target": 1, "occluder": 1})


@RULES.rule("R2", "the occluder is opaque, and stands in the centre", "set material Opaque and position center")
def _occluder(graph: ViGraph) -> Iterator[Fault]:
    for each in graph.of_role("occluder"):
        path = f"objects.{graph.objects.index(each)}.attributes"
        if each.attributes.material != "Opaque":
            yield f"{path}.material", each.attributes.material
        if each.attributes.position not in ("center", "centre"):
            yield f"{path}.position", each.attributes.position


@RULES.rule("R3", "both states are total: points 150 degrees or more apart are occluded, up to 90 degrees visible",
            "put both at points that are nearly opposite each other, or 90 degrees apart")  # fmt: skip
def _total(graph: ViGraph) -> Iterator[Fault]:
    if len(graph.of_role("observer", "target")) != 2:
        return
    seer, seen = (hours_of(graph.of_role(role)[0].attributes.position) for role in ("observer", "target"))
    for k, when in enumerate(("initial", "final")):
        if status(seer[k], seen[k]) == "Partial":
            yield "objects", f"{when}: {seer[k]} and {seen[k]} o'clock"


@RULES.rule("R4", "only the mover of the parameter moves", "keep the other at one clock point")
def _mover(graph: ViGraph) -> Iterator[Fault]:
    wanted = "observer" if graph.params.mover == "Observer_Moves" else "target"
    for each in graph.of_role("observer", "target"):
        first, last = hours_of(each.attributes.position)
        if (first != last) != (each.role == wanted):
            yield f"objects.{graph.objects.index(each)}.attributes.position", each.attributes.position


@RULES.rule("R5", "the change of visibility is the one of the parameter", "move the clock points")
def _transition(graph: ViGraph) -> Iterator[Fault]:
    if len(graph.of_role("observer", "target")) == 2:
        found = truth(graph).visibility_transition
        if found != graph.params.transition:
            yield "objects", found


@RULES.rule("R6", "the observer is on the side of the parameter when it stands still, or at one end of its way",
            "put the observer at 9 o'clock for Left and at 3 o'clock for Right, or near to it")  # fmt: skip
def _side(graph: ViGraph) -> Iterator[Fault]:
    home = SIDES[graph.params.observer_side]
    for each in graph.of_role("observer"):
        first, last = hours_of(each.attributes.position)
        if (graph.profile == "paper" and home not in (first, last)) or min(gap(first, home), gap(last, home)) > 2:
            yield f"objects.{graph.objects.index(each)}.attributes.position", each.attributes.position


@RULES.rule("R7", "the view is fixed and high, pitched down by 60 to 80 degrees, so all three are seen in every frame",
            "set type fixed and pitch_down from 60 to 80")  # fmt: skip
def _camera(graph: ViGraph) -> Iterator[Fault]:
    camera = graph.camera_movement
    if camera.type != "fixed" or camera.trajectory != "none":
        yield "camera_movement", f"{camera.type}, {camera.trajectory}"
    if not 60 <= camera.pitch_down <= 80:
        yield "camera_movement.pitch_down", camera.pitch_down


@RULES.rule("R8", "the question is about the observer's sight: observer_view_status agrees with the clock points",
            "state Visible or Occluded for initial and final by the clock points")  # fmt: skip
def _sight(graph: ViGraph) -> Iterator[Fault]:
    if len(graph.of_role("observer", "target")) == 2:
        told_ = truth(graph)
        wanted = {"initial": told_.initial_status, "final": told_.final_status}
        if graph.temporal_flow.observer_view_status != wanted:
            yield "temporal_flow.observer_view_status", graph.temporal_flow.observer_view_status


def _entries(*transitions: str) -> tuple[dict[str, Any], ...]:
    # The transition changes fastest, and the mover slowest.
    return tuple(
        {"transition": t, "observer_side": side, "mover": mover}
        for mover in ("Target_Moves", "Observer_Moves") for side in ("Left", "Right") for t in transitions
    )  # fmt: skip


_CHANGES = ("Visible_to_Occluded", "Occluded_to_Visible")
_POINTS = crossed(visible_point=(12, 6))
TASK = StageTask(
    code="VI_V_EXO_DYN",
    name="Visibility Identification",
    graph=ViGraph,
    params=ViParams,
    cycles={
        "paper": Cycle(_entries(*_CHANGES), _POINTS),
        # A third changes in one direction, a third in the other, and a third not at all. So a frame in which the target
        # is visible, or hidden, says nothing about the change.
        "extended": Cycle(
            _entries(*_CHANGES, "Always_Visible", *_CHANGES, "Always_Occluded"),
            crossed(visible_point=(12, 6), at_middle=("final", "initial")),
        ),
    },
    draw=draw,
    truth=truth,
    tell=tell,
    rules=RULES,
)
