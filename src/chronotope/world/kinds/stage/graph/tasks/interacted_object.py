"""IO: which of three objects an agent took, and where it went."""

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
    Place,
    SceneGraph,
    SceneObject,
    Setup,
    Side,
    Step,
    TemporalFlow,
    Word,
    Words,
)
from chronotope.world.kinds.stage.graph.tasks.causal_mapping import Person, PersonAttributes, draw_person_words
from chronotope.world.kinds.stage.graph.vocabulary import BODIES, GROWN, TABLE_TOPS, apart, draw_items

SPOTS: tuple[Place, ...] = ("Left", "Center", "Right")
TIMES = (0.4, 3.25, 4.9, 8.0)  # s: entry, pick-up, transport, end
LET_GO = 1.0  # s before the end, when the object has been put down
BACK, END = 8.9, 13.8  # s: the return of the object, and the end of a clip with it


class IoParams(Params):
    """Where the agent enters and which object it takes; the destination is to one side of the table.

    If it ``returns``, the agent puts the object back to its first place afterwards.
    """

    agent_entry: Literal["Left", "Right"]
    target_position: Place
    destination_side: Side
    returns: bool = False


class SurfaceAttributes(Part):
    """The looks of a surface."""

    color: Colour


class Surface(SceneObject):
    """The table of the objects, or the other table."""

    role: Literal["primary_surface", "destination_surface"]
    attributes: SurfaceAttributes
    position: Word


class HandAttributes(Part):
    """The looks of an object."""

    color: Colour
    type: Annotated[Word, Words("things in a hand"), Ours()]


class HandThing(SceneObject):
    """One of the objects."""

    role: Literal["target", "distractor"]
    attributes: HandAttributes
    position: Word


class EyeLevel(Camera):
    """A first-person view that does not move."""

    height: Annotated[Word, Ours()] = "eye level"


class IoTruth(Part):
    """What was taken, and where it went."""

    target_object_id: str
    target_position: str
    agent_entry_direction: str
    destination: str


class IoGraph(SceneGraph):
    """A table with three objects, and a person who takes one of them away."""

    params: Annotated[IoParams, Ours()]
    objects: tuple[Annotated[Person | Surface | HandThing, Field(discriminator="role")], ...]
    temporal_flow: TemporalFlow
    camera_movement: EyeLevel
    ground_truth: IoTruth


def draw(generator: np.random.Generator, params: IoParams, theme: str) -> dict[str, Any]:
    """Draw the parts of a graph."""
    things = draw_items(generator, "things in a hand", 3)
    who, shirt, label = draw_person_words(generator, among=GROWN)
    first = str(generator.choice(list(TABLE_TOPS)))
    second = str(generator.choice([c for c in TABLE_TOPS if c.split()[-1] != first.split()[-1]]))
    objects = tuple(
        HandThing(id=f"obj_{spot}", label=f"{colour} {noun}", position=spot,
                  role="target" if spot == params.target_position else "distractor",
                  attributes=HandAttributes(color=colour, type=noun))
        for spot, (noun, colour) in zip(SPOTS, things, strict=True)
    )  # fmt: skip
    target = next(each for each in objects if each.role == "target")
    entry = params.agent_entry.lower()
    steps = [
        f"The person comes in from the {entry} and walks behind the table.",
        f"The person picks up the {target.label}.",
        f"The person puts the {target.label} on the {second} side table.",
        f"The person puts the {target.label} back to its place on the {first} table.",
    ][: 3 + params.returns]
    return {
        "objects": (
            Person(id="agent", label=label, attributes=PersonAttributes(appearance=label, color=shirt, type=who)),
            Surface(id="primary_surface", label=f"{first} table", role="primary_surface",
                    attributes=SurfaceAttributes(color=first), position="front"),
            Surface(id="destination_surface", label=f"{second} side table", role="destination_surface",
                    attributes=SurfaceAttributes(color=second), position=params.destination_side),
            *objects,
        ),
        "temporal_flow": TemporalFlow(
            initial_setup=Setup(description="Three objects lie in a row on the table; nobody is there."),
            action_sequence=tuple(Step(step=k, action_description=text) for k, text in enumerate(steps, 1)),
        ),
        "camera_movement": EyeLevel(type="fixed", trajectory="none"),
        "ground_truth": IoTruth(
            target_object_id=f"obj_{params.target_position}", target_position=params.target_position,
            agent_entry_direction=params.agent_entry, destination=f"{second} side table",
        ),
    }  # fmt: skip


def truth(graph: IoGraph) -> IoTruth:
    """Compute the ground truth from the roles of the objects."""
    targets = graph.of_role("target")
    goals = graph.of_role("destination_surface")
    return IoTruth(
        target_object_id=targets[0].id if targets else "",
        target_position=targets[0].position if targets else "",
        agent_entry_direction=graph.params.agent_entry,
        destination=goals[0].label if goals else "",
    )


def tell(graph: IoGraph) -> Scenario:
    """Make the scenario."""
    steps = [step.action_description for step in graph.temporal_flow.action_sequence]
    texts = [*steps, "", "", "", ""]
    target = graph.ground_truth.target_object_id
    a, b, c, d = TIMES
    d = BACK if graph.params.returns else d
    phases = [
        (Phase(name="establishment", t0=0, t1=a, camera="still"), graph.temporal_flow.initial_setup.description),
        (Phase(name="entry", t0=a, t1=b, camera="still",
               events=(ScriptEvent(kind="walk", agent="agent", t0=a, t1=b),)), texts[0] or "Nobody comes."),
        (Phase(name="pick_up", t0=b, t1=c, camera="still",
               events=(ScriptEvent(kind="reach", agent="agent", object=target, t0=b, t1=c),)), texts[1] or "-"),
        (Phase(name="transport_and_place", t0=c, t1=d, camera="still",
               events=(ScriptEvent(kind="hold", agent="agent", object=target, t0=c, t1=TIMES[-1] - LET_GO),)),
         texts[2] or "-"),
    ]  # fmt: skip
    if graph.params.returns:
        again = (ScriptEvent(kind="reach", agent="agent", object=target, t0=BACK, t1=END - LET_GO),)
        phases.append((Phase(name="return", t0=BACK, t1=END, camera="still", events=again), texts[3] or "-"))
    return told("Watch which of the three objects the person takes, and where it is put down.", *phases)


RULES = Rulebook("IO")


@RULES.rule("R1", "one agent, two surfaces, one target and two distractors", "give each role its number of objects")
def _counts(graph: IoGraph) -> Iterator[Fault]:
    yield from counted(
        graph, {"agent": 1, "primary_surface": 1, "destination_surface": 1, "target": 1, "distractor": 2}
    )


@RULES.rule("R2", "the three objects stand in a row: obj_Left, obj_Center and obj_Right, each at its place",
            "give each object the position of its id")  # fmt: skip
def _row(graph: IoGraph) -> Iterator[Fault]:
    things = graph.of_role("target", "distractor")
    if sorted(each.position for each in things) != sorted(SPOTS):
        yield "objects", ", ".join(each.position for each in things)
    for each in things:
        if each.id != f"obj_{each.position}":
            yield f"objects.{graph.objects.index(each)}.position", each.position


@RULES.rule("R3", "the objects differ from each other in colour and in category", "change the colour or the category")
def _unlike(graph: IoGraph) -> Iterator[Fault]:
    seen: list[HandAttributes] = []
    for each in graph.of_role("target", "distractor"):
        looks = each.attributes
        if any(o.type == looks.type or not apart(o.color, looks.color) for o in seen):
            yield f"objects.{graph.objects.index(each)}.attributes", each.label
        seen.append(looks)


@RULES.rule("R4", "the target is the object at target_position", "swap the roles of target and distractor")
def _target(graph: IoGraph) -> Iterator[Fault]:
    for each in graph.of_role("target"):
        if each.position != graph.params.target_position:
            yield f"objects.{graph.objects.index(each)}.role", f"target at {each.position}"


@RULES.rule("R5", "the destination is a surface of its own, to the side of the parameter, with an unlike colour",
            "move or repaint the destination surface")  # fmt: skip
def _destination(graph: IoGraph) -> Iterator[Fault]:
    starts, goals = graph.of_role("primary_surface"), graph.of_role("destination_surface")
    for each in goals:
        path = f"objects.{graph.objects.index(each)}"
        if each.position != graph.params.destination_side:
            yield f"{path}.position", each.position
        if starts and starts[0].attributes.color == each.attributes.color:
            yield f"{path}.attributes.color", each.attributes.color


@RULES.rule("R6", "the agent enters from the side of the parameter, then picks up exactly the target, then places it",
            "write a step each: entry from the side, pick-up of the target, placing it, and any return")  # fmt: skip
def _flow(graph: IoGraph) -> Iterator[Fault]:
    steps = graph.temporal_flow.action_sequence
    if [step.step for step in steps] != [1, 2, 3, 4][: 3 + graph.params.returns]:
        yield "temporal_flow.action_sequence", [step.step for step in steps]
        return
    if first_side(steps[0].action_description) != graph.params.agent_entry.lower():
        yield "temporal_flow.action_sequence.0", steps[0].action_description
    for number in range(1, len(steps)):
        text = steps[number].action_description
        if not all(each.label in text for each in graph.of_role("target")) or any(
            each.label in text for each in graph.of_role("distractor")
        ):
            yield f"temporal_flow.action_sequence.{number}", text
    if not all(each.label in steps[2].action_description for each in graph.of_role("destination_surface")):
        yield "temporal_flow.action_sequence.2", steps[2].action_description


@RULES.rule("R7", "the view is first-person, at eye level, and does not move", "set type fixed and height eye level")
def _camera(graph: IoGraph) -> Iterator[Fault]:
    camera = graph.camera_movement
    if camera.type != "fixed" or camera.trajectory != "none" or camera.height != "eye level":
        yield "camera_movement", f"{camera.type}, {camera.trajectory}, {camera.height}"


@RULES.rule("R8", "the agent is grown up: the way to the destination is long for the arm of a child",
            "take a man or a woman")  # fmt: skip
def _grown(graph: IoGraph) -> Iterator[Fault]:
    for each in graph.of_role("agent"):
        if each.attributes.type in BODIES and each.attributes.type not in GROWN:
            yield f"objects.{graph.objects.index(each)}.attributes.type", each.attributes.type


_ENTRIES = crossed(agent_entry=("Left", "Right"), target_position=SPOTS)
TASK = StageTask(
    code="IO_V_EGO_DYN",
    name="Interacted Object Identification",
    graph=IoGraph,
    params=IoParams,
    cycles={
        "paper": Cycle(_ENTRIES, crossed(destination_side=("left", "right"))),
        "extended": Cycle(_ENTRIES, crossed(destination_side=("left", "right"), returns=(False, True))),
    },
    draw=draw,
    truth=truth,
    tell=tell,
    rules=RULES,
)
