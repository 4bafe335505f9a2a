"""BT: which event made the agent stop, not the static bystander object."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from chronotope.world.kinds.stage.graph.cycles import Cycle, crossed
from chronotope.world.kinds.stage.graph.rulebook import Fault, Rulebook, alike_colours, counted, first_side
from chronotope.world.kinds.stage.graph.scenarios import Phase, Scenario, ScriptEvent, told
from chronotope.world.kinds.stage.graph.stage_task import StageTask
from chronotope.world.kinds.stage.graph.structure import (
    Camera,
    Colour,
    Ours,
    Params,
    Part,
    SceneGraph,
    SceneObject,
    Setup,
    Side,
    Step,
    TemporalFlow,
    Word,
    Words,
)
from chronotope.world.kinds.stage.graph.vocabulary import WALKING, apart, draw_items

ENTER, BRAKE = 2.0, 3.4  # s, until which the trigger is out of view, and at which it reaches the path
WHOLE = 8.0  # s
LATER = (4.2, 4.8)  # s, by which all is later in the extended profile: the middle of a clip is before the trigger


class BtParams(Params):
    """The reaction, and the sides of the distractor and of the trigger.

    All happens by ``later`` (s) later than published.
    """

    reaction_type: Literal["Full_Stop", "Wait_and_Resume", "No_Reaction"]
    distractor_position: Side
    trigger_side: Side
    later: Annotated[float, Field(ge=0, le=WHOLE)] = 0.0

    @property
    def brake(self) -> float:
        """Return when (s) the trigger reaches the path."""
        return BRAKE + self.later


class RunnerAttributes(Part):
    """The looks of the agent."""

    color: Colour
    type: Annotated[Word, Words("agents")]


class Runner(SceneObject):
    """The agent, which moves along the path."""

    role: Literal["agent"] = "agent"
    attributes: RunnerAttributes


class BystanderAttributes(Part):
    """The looks and the side of the distractor."""

    color: Colour
    type: Annotated[Word, Words("bystanders")]
    position: Word


class Bystander(SceneObject):
    """The static object beside the path."""

    role: Literal["distractor"] = "distractor"
    attributes: BystanderAttributes


class HazardAttributes(Part):
    """The looks of the hazard, and the side from which it comes."""

    entry_direction: Word
    color: Colour
    type: Annotated[Word, Words("hazards")]


class Hazard(SceneObject):
    """What comes onto the path from outside the frame."""

    role: Literal["trigger"] = "trigger"
    attributes: HazardAttributes


class Drone(Camera):
    """A high view from behind that follows the agent."""

    is_high: Annotated[bool, Ours()] = True


class BtTruth(Part):
    """What the agent reacted to, and how."""

    trigger_object_id: str
    trigger_object_label: str
    reaction_type: str


class BtGraph(SceneGraph):
    """A path with an agent, a hazard and a bystander object."""

    params: Annotated[BtParams, Ours()]
    objects: tuple[Annotated[Runner | Bystander | Hazard, Field(discriminator="role")], ...]
    temporal_flow: TemporalFlow
    camera_movement: Drone
    ground_truth: BtTruth


_REACTIONS = {
    "Full_Stop": "The {} brakes at once and stays where it is.",
    "Wait_and_Resume": "The {} brakes at once, waits until the {} has left the path, and resumes its way.",
    "No_Reaction": "The {} keeps its speed: the {} has left the path before.",
}


def draw(generator: np.random.Generator, params: BtParams, theme: str) -> dict[str, Any]:
    """Draw the parts of a graph."""
    while True:
        (kind, paint), (aside, second), (hazard, third) = (
            draw_items(generator, catalogue, 1)[0] for catalogue in ("agents", "bystanders", "hazards")
        )
        if apart(paint, second) and apart(paint, third) and apart(second, third):
            break
    agent = Runner(id="agent", label=f"{paint} {kind}", attributes=RunnerAttributes(color=paint, type=kind))
    bystander = Bystander(id="distractor", label=f"{second} {aside}", attributes=BystanderAttributes(
        color=second, type=aside, position=params.distractor_position))  # fmt: skip
    called = f"{hazard} in the {third} T-shirt" if hazard in WALKING else f"{third} {hazard}"
    trigger = Hazard(id="trigger", label=called, attributes=HazardAttributes(
        entry_direction=params.trigger_side, color=third, type=hazard))  # fmt: skip
    reaction = _REACTIONS[params.reaction_type].format(agent.label, trigger.label)
    return {
        "objects": (agent, bystander, trigger),
        "temporal_flow": TemporalFlow(
            initial_setup=Setup(description=f"The {agent.label} moves along a clear straight path at constant speed; "
                           f"the {bystander.label} stands at its {params.distractor_position} side."),
            action_sequence=(
                Step(step=1, action_description=f"The {trigger.label} comes onto the path from the "
                 f"{params.trigger_side}."),
                Step(step=2, action_description=reaction),
            ),
        ),
        "camera_movement": Drone(type="follow", trajectory="behind_and_above"),
        "ground_truth": BtTruth(trigger_object_id="trigger", trigger_object_label=trigger.label,
                                reaction_type=params.reaction_type),
    }  # fmt: skip


def truth(graph: BtGraph) -> BtTruth:
    """Compute the ground truth from the roles and the reaction that is told."""
    triggers, steps = graph.of_role("trigger"), graph.temporal_flow.action_sequence
    text = steps[-1].action_description if steps else ""
    reaction = "Wait_and_Resume" if "resumes" in text else "Full_Stop" if "brakes" in text else "No_Reaction"
    return BtTruth(
        trigger_object_id=triggers[0].id if triggers else "",
        trigger_object_label=triggers[0].label if triggers else "",
        reaction_type=reaction,
    )


def tell(graph: BtGraph) -> Scenario:
    """Make the scenario."""
    steps = [step.action_description for step in graph.temporal_flow.action_sequence]
    enters, reacts = [*steps, "-", "-"][:2]
    enter, brake, whole = (round(t + graph.params.later, 6) for t in (ENTER, BRAKE, WHOLE))
    reaction = (ScriptEvent(kind="move", object="agent", t0=brake, t1=whole),)
    return told(
        "Tell what made the agent react, and what it did.",
        (Phase(name="baseline", t0=0, t1=enter, camera="follows"), graph.temporal_flow.initial_setup.description),
        (Phase(name="trigger_enters", t0=enter, t1=brake, camera="follows",
               events=(ScriptEvent(kind="move", object="trigger", t0=enter, t1=brake),)), enters),
        (Phase(name="reaction", t0=brake, t1=whole, camera="follows", events=reaction), reacts),
    )  # fmt: skip


RULES = Rulebook("BT")


@RULES.rule("R1", "one agent, one distractor and one trigger", "give each role one object")
def _counts(graph: BtGraph) -> Iterator[Fault]:
    yield from counted(graph, {"agent": 1, "distractor": 1, "trigger": 1})


@RULES.rule("R2", "the agent first moves at constant speed along a clear, straight path",
            "say in initial_setup that the path is straight and clear and the speed constant")  # fmt: skip
def _baseline(graph: BtGraph) -> Iterator[Fault]:
    text = graph.temporal_flow.initial_setup.description
    if not all(word in text for word in ("straight", "clear", "constant")):
        yield "temporal_flow.initial_setup.description", text


@RULES.rule("R3", "the distractor is static, beside the path on the side of the parameter",
            "set its position to params.distractor_position")  # fmt: skip
def _distractor(graph: BtGraph) -> Iterator[Fault]:
    for each in graph.of_role("distractor"):
        if each.attributes.position != graph.params.distractor_position:
            yield f"objects.{graph.objects.index(each)}.attributes.position", each.attributes.position


@RULES.rule("R4", "the hazard comes onto the path from outside the frame, on trigger_side",
            "set entry_direction to params.trigger_side")  # fmt: skip
def _trigger(graph: BtGraph) -> Iterator[Fault]:
    for each in graph.of_role("trigger"):
        if each.attributes.entry_direction != graph.params.trigger_side:
            yield f"objects.{graph.objects.index(each)}.attributes.entry_direction", each.attributes.entry_direction
    for step in graph.temporal_flow.action_sequence[:1]:
        if first_side(step.action_description) not in (None, graph.params.trigger_side):
            yield "temporal_flow.action_sequence.0", step.action_description


@RULES.rule("R5", "first the trigger enters, then the agent reacts as the parameter says",
            "write two steps: the trigger enters, and the reaction of params.reaction_type")  # fmt: skip
def _reaction(graph: BtGraph) -> Iterator[Fault]:
    steps = graph.temporal_flow.action_sequence
    if [step.step for step in steps] != [1, 2]:
        yield "temporal_flow.action_sequence", [step.step for step in steps]
    elif truth(graph).reaction_type != graph.params.reaction_type or (
        graph.params.reaction_type != "No_Reaction" and {"not", "never"} & set(steps[1].action_description.split())
    ):
        yield "temporal_flow.action_sequence.1", steps[1].action_description


@RULES.rule("R6", "the colours of agent, distractor and trigger are unlike", "change one of the colours")
def _unlike(graph: BtGraph) -> Iterator[Fault]:
    yield from alike_colours(graph)


@RULES.rule("R7", "the camera follows the agent from above and behind", "set type follow and is_high")
def _camera(graph: BtGraph) -> Iterator[Fault]:
    if graph.camera_movement.type != "follow" or not graph.camera_movement.is_high:
        yield "camera_movement", f"{graph.camera_movement.type}, is_high {graph.camera_movement.is_high}"


_ENTRIES = crossed(reaction_type=("Full_Stop", "Wait_and_Resume"), distractor_position=("left", "right"))
TASK = StageTask(
    code="BT_E_EXO_DYN",
    name="Behavioral Trigger Identification",
    graph=BtGraph,
    params=BtParams,
    cycles={
        "paper": Cycle(_ENTRIES, crossed(trigger_side=("left", "right"))),
        "extended": Cycle(
            crossed(reaction_type=("Full_Stop", "Wait_and_Resume", "No_Reaction"),
                    distractor_position=("left", "right")),
            crossed(trigger_side=("left", "right"), later=LATER),
        ),
    },
    draw=draw,
    truth=truth,
    tell=tell,
    rules=RULES,
)  # fmt: skip
