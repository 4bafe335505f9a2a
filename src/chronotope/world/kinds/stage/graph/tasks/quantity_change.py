"""QC: how many things are in an opaque container after a series of put-ins and take-outs."""

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from chronotope.world.kinds.stage.graph.cycles import Cycle, crossed
from chronotope.world.kinds.stage.graph.rulebook import CLOSED, Fault, Rulebook, counted, first_side
from chronotope.world.kinds.stage.graph.scenarios import Phase, Scenario, ScriptEvent, told
from chronotope.world.kinds.stage.graph.stage_task import StageTask
from chronotope.world.kinds.stage.graph.structure import (
    Camera,
    Ours,
    Params,
    Part,
    SceneGraph,
    SceneObject,
    Setup,
    Side,
    Step,
    Word,
    Words,
)
from chronotope.world.kinds.stage.graph.tasks.multi_container import SEE_THROUGH, Table, TableAttributes
from chronotope.world.kinds.stage.graph.vocabulary import TABLE_TOPS, apart, draw_material, items

Action = Literal["ADD", "REMOVE", "MOVE"]
# Of 8 frames of a clip with three actions, every second one shows an item in the hand.
SETUP, RESULT = 0.95, 0.28  # s
LATER = 2.88  # s, of the setup before three actions in the extended profile: the second one follows the middle
SPAN, PAUSE, LONGEST = 2.2, 0.4, 2.4  # s: of an action with its pause, of a pause, at least; of an action, at most


class QcParams(Params):
    """The actions, what is inside at the end, and the items on the surface at the start and their side."""

    action_sequence: tuple[Action, ...]
    final_inside: Annotated[int, Field(ge=0, le=9)]
    initial_surface_count: Annotated[int, Field(ge=0, le=9)]
    item_side: Side


class TallAttributes(Part):
    """The looks of the container, which is empty at the start."""

    color: Annotated[Word, Words("colours"), Ours()]
    material: Annotated[Word, Words("materials")]
    initial_state: Word
    type: Annotated[Word, Words("tall containers"), Ours()]


class TallContainer(SceneObject):
    """The opaque container."""

    role: Literal["container"] = "container"
    attributes: TallAttributes


class ItemAttributes(Part):
    """The looks of the identical items, and where they are at the start."""

    appearance: Word
    initial_location: Word
    color: Annotated[Word, Words("colours"), Ours()]
    type: Annotated[Word, Words("counted things"), Ours()]


class Items(SceneObject):
    """All identical items."""

    role: Literal["countable_items"] = "countable_items"
    attributes: ItemAttributes


class QcStep(Step):
    """A put-in or a take-out, or a move on the surface, which changes no count."""

    action: Word


class QcFlow(Part):
    """The actions of the hand."""

    initial_setup: Setup
    action_sequence: tuple[QcStep, ...]


class FixedView(Camera):
    """A camera that does not move, at eye level in front of the container."""

    height: Annotated[Word, Ours()] = "eye level"


class QcTruth(Part):
    """The counts inside, at the start and at the end."""

    initial_inside_count: int
    action_sequence: tuple[str, ...]
    final_inside_count: int
    reasoning: str


class QcGraph(SceneGraph):
    """A container on a table, with items beside it."""

    params: Annotated[QcParams, Ours()]
    objects: tuple[Annotated[Table | TallContainer | Items, Field(discriminator="role")], ...]
    temporal_flow: QcFlow
    camera_movement: FixedView
    ground_truth: QcTruth


def inside_counts(actions: tuple[str, ...]) -> list[int]:
    """Return the number of items inside after each action."""
    changes = {"ADD": 1, "REMOVE": -1}
    return list(accumulate(changes.get(action, 0) for action in actions))


def _reasoning(actions: tuple[str, ...]) -> str:
    return (
        f"Starting empty: {', '.join(f'{a} leaves {n}' for a, n in zip(actions, inside_counts(actions), strict=True))}."
    )


def _location(params: QcParams) -> str:
    return f"on the table to the {params.item_side} of the container"


def draw(generator: np.random.Generator, params: QcParams, theme: str) -> dict[str, Any]:
    """Draw the parts of a graph."""
    vessels, things = items("tall containers"), items("counted things")
    while True:
        vessel, thing = str(generator.choice(list(vessels))), str(generator.choice(list(things)))
        colour, tint = str(generator.choice(vessels[vessel].colours)), str(generator.choice(things[thing].colours))
        if apart(colour, tint):
            break
    top = str(generator.choice(list(TABLE_TOPS)))
    label = tint if tint == thing else f"{tint} {thing}"
    actions = params.action_sequence
    words = {"ADD": f"A hand takes one {label} from the table and drops it into the container.",
             "REMOVE": f"A hand reaches into the container and puts one {label} on the table.",
             "MOVE": f"A hand takes one {label} and puts it down elsewhere on the table."}  # fmt: skip
    return {
        "objects": (
            Table(id="anchor", label=f"{top} table", attributes=TableAttributes(
                color=top, material=str(generator.choice(TABLE_TOPS[top])))),
            TallContainer(id="container", label=f"tall {colour} {vessel.removeprefix('tall ')}",
                attributes=TallAttributes(color=colour, material=draw_material(generator, "tall containers", vessel),
                                          initial_state="Empty", type=vessel)),
            Items(id="items", label=label, attributes=ItemAttributes(
                appearance=label, initial_location=_location(params), color=tint, type=thing)),
        ),
        "temporal_flow": QcFlow(
            initial_setup=Setup(description=f"The container is empty; {params.initial_surface_count} lie beside."),
            action_sequence=tuple(
                QcStep(step=k, action=action, action_description=words[action]) for k, action in enumerate(actions, 1)),
        ),
        "camera_movement": FixedView(type="fixed", trajectory="none"),
        "ground_truth": QcTruth(initial_inside_count=0, action_sequence=actions,
                                final_inside_count=params.final_inside, reasoning=_reasoning(actions)),
    }  # fmt: skip


def truth(graph: QcGraph) -> QcTruth:
    """Compute the ground truth from the steps."""
    actions = tuple(step.action for step in graph.temporal_flow.action_sequence)
    counts = inside_counts(actions)
    return QcTruth(
        initial_inside_count=0, action_sequence=actions, final_inside_count=counts[-1] if counts else 0,
        reasoning=_reasoning(actions),
    )  # fmt: skip


def tell(graph: QcGraph) -> Scenario:
    """Make the scenario: equal times for all actions, with a pause after each."""
    steps = graph.temporal_flow.action_sequence
    begin, end = SETUP, max(8.0, SETUP + RESULT + SPAN * len(steps))
    if graph.profile == "extended" and len(steps) == 3:
        begin, end = LATER, LATER + RESULT + SPAN * len(steps)
    span = (end - begin - RESULT) / max(len(steps), 1)
    busy = min(span - PAUSE, LONGEST)
    events = tuple(
        ScriptEvent(kind="move", agent="hand", object="items", t0=round(begin + k * span, 3),
                    t1=round(begin + k * span + busy, 3))
        for k in range(len(steps))
    )  # fmt: skip
    setup = graph.temporal_flow.initial_setup.description
    return told(
        "Count what goes into the container and what comes out, since its inside is never seen.",
        (Phase(name="setup", t0=0, t1=begin, camera="still"), setup),
        (Phase(name="actions", t0=begin, t1=round(end - RESULT, 6), camera="still", events=events),
         " ".join(step.action_description for step in steps) or "Nothing happens."),
        (Phase(name="result", t0=round(end - RESULT, 6), t1=end, camera="still"), "The hand has left the picture."),
    )  # fmt: skip


RULES = Rulebook("QC")


@RULES.rule("R1", "one anchor, one container and one entry for all identical items", "merge the items into one entry")
def _counts(graph: QcGraph) -> Iterator[Fault]:
    yield from counted(graph, {"anchor": 1, "container": 1, "countable_items": 1})


@RULES.rule("R2", "the container is opaque, tall, open at the top and without a lid, and is called tall",
            "take a tall opaque container, and begin its label with tall")  # fmt: skip
def _container(graph: QcGraph) -> Iterator[Fault]:
    for each in graph.of_role("container"):
        path = f"objects.{graph.objects.index(each)}"
        if each.attributes.material in SEE_THROUGH:
            yield f"{path}.attributes.material", each.attributes.material
        if "tall" not in each.label.split() or CLOSED & set(each.label.lower().split()):
            yield f"{path}.label", each.label


@RULES.rule("R3", "the container starts empty", "set initial_state to Empty and initial_inside_count to 0")
def _empty(graph: QcGraph) -> Iterator[Fault]:
    for each in graph.of_role("container"):
        if each.attributes.initial_state != "Empty":
            yield f"objects.{graph.objects.index(each)}.attributes.initial_state", each.attributes.initial_state
    if graph.ground_truth.initial_inside_count != 0:
        yield "ground_truth.initial_inside_count", graph.ground_truth.initial_inside_count


@RULES.rule("R4", "the camera stays in front of the container at eye level, and never sees inside",
            "set type fixed and height eye level")  # fmt: skip
def _camera(graph: QcGraph) -> Iterator[Fault]:
    if graph.camera_movement.type != "fixed" or graph.camera_movement.trajectory != "none":
        yield "camera_movement", f"{graph.camera_movement.type}, {graph.camera_movement.trajectory}"
    if graph.camera_movement.height != "eye level":
        yield "camera_movement.height", graph.camera_movement.height


@RULES.rule("R5", "the actions are those of the parameter, one at a time, each ADD, REMOVE or MOVE, numbered from 1",
            "write one step for each action of params.action_sequence")  # fmt: skip
def _actions(graph: QcGraph) -> Iterator[Fault]:
    steps = graph.temporal_flow.action_sequence
    if tuple(step.action for step in steps) != graph.params.action_sequence:
        yield "temporal_flow.action_sequence", ", ".join(step.action for step in steps)
    if [step.step for step in steps] != list(range(1, len(steps) + 1)):
        yield "temporal_flow.action_sequence", [step.step for step in steps]


@RULES.rule("R6", "the number inside never falls below 0, nor does that on the surface, and a move has a free place",
            "change the order of actions or the number of items")  # fmt: skip
def _invariants(graph: QcGraph) -> Iterator[Fault]:
    counts = inside_counts(tuple(step.action for step in graph.temporal_flow.action_sequence))
    for index, count in enumerate(counts):
        on_surface = graph.params.initial_surface_count - count
        moves = graph.temporal_flow.action_sequence[index].action == "MOVE"
        if count < 0 or on_surface < moves:
            yield f"temporal_flow.action_sequence.{index}", f"{count} inside"
        # A thing is moved to the place of one that is inside, so that it stays in the picture.
        elif moves and not count:
            yield f"temporal_flow.action_sequence.{index}", "no free place on the surface"


@RULES.rule("R7", "final_inside of the parameter is what the actions leave inside", "correct final_inside")
def _final(graph: QcGraph) -> Iterator[Fault]:
    counts = inside_counts(graph.params.action_sequence)
    if graph.params.final_inside != (counts[-1] if counts else 0):
        yield "params.final_inside", graph.params.final_inside


@RULES.rule("R8", "the items lie beside the container on item_side", "name the side of params.item_side")
def _side(graph: QcGraph) -> Iterator[Fault]:
    for each in graph.of_role("countable_items"):
        where = each.attributes.initial_location
        if first_side(where) != graph.params.item_side or re.search(r"\b(in|inside)\b", where.lower()):
            yield f"objects.{graph.objects.index(each)}.attributes.initial_location", each.attributes.initial_location


@RULES.rule("R9", "the colours of items and container are unlike, so a hand with an item is legible before it",
            "change the colour of the container")  # fmt: skip
def _colours(graph: QcGraph) -> Iterator[Fault]:
    boxes, loose = graph.of_role("container"), graph.of_role("countable_items")
    if boxes and loose and not apart(boxes[0].attributes.color, loose[0].attributes.color):
        yield f"objects.{graph.objects.index(boxes[0])}.attributes.color", boxes[0].attributes.color


def _entry(stock: int, *actions: Action) -> dict[str, Any]:
    return {"action_sequence": actions, "final_inside": inside_counts(actions)[-1], "initial_surface_count": stock}


# All but the last action. Moves on the surface are decoys. Two begin alike until the middle of the clip, and then have
# one or two inside, so the middle says nothing about the end.
_BEGUN: tuple[tuple[Action, ...], ...] = (
    ("ADD", "ADD"), ("ADD", "MOVE"), ("ADD", "ADD", "REMOVE"), ("ADD", "ADD", "MOVE"),
    ("ADD", "ADD", "REMOVE", "ADD"), ("ADD", "ADD", "REMOVE", "MOVE"),
)  # fmt: skip
_SIDES = crossed(item_side=("left", "right"))
TASK = StageTask(
    code="QC_F_EGO_DYN",
    name="Quantity Change Tracking",
    graph=QcGraph,
    params=QcParams,
    cycles={
        "paper": Cycle(
            (_entry(2, "ADD", "ADD"), _entry(3, "ADD", "ADD", "ADD"), _entry(3, "ADD", "ADD", "REMOVE"),
             _entry(1, "ADD", "REMOVE")),
            _SIDES, every=10,
        ),
        "extended": Cycle(
            # Each beginning once with a put-in and once with a take-out at its end: 0 to 3 are equally often inside.
            tuple(_entry(3, *begun, end) for begun in _BEGUN for end in ("ADD", "REMOVE")),
            _SIDES,
        ),
    },
    draw=draw,
    truth=truth,
    tell=tell,
    rules=RULES,
    pool="MC",
)  # fmt: skip
