"""CM: which of two triggers drives which of two effectors, and which trigger is inert."""

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
    SceneGraph,
    SceneObject,
    Setup,
    Side,
    Step,
    TemporalFlow,
    Word,
    Words,
)
from chronotope.world.kinds.stage.graph.tasks.multi_container import Table, TableAttributes
from chronotope.world.kinds.stage.graph.vocabulary import CLOTH_COLOURS, PERSONS, TABLE_TOPS, apart, draw_items

NO_EFFECT = "No Effect"
WHOLE = 8.0  # s
# s, begins of the ways to the triggers, and the length of the clip. A frame from the middle of the clip shows the first
# reaction, nothing, or the second reaction, so it does not tell which reaction was first.
PACES = {
    "published": ((0.9, 4.3), WHOLE),
    "first reaction": ((4.0, 7.4), 12.2),
    "rest": ((0.9, 5.1), 9.4),
    "second reaction": ((0.6, 4.0), 12.2),
}
REACHES, DOWN, UP = 1.2, 0.3, 0.6  # s from the begin of a press to the touch, and from the touch down and up again
OTHER = {"left": "right", "right": "left"}


class CmParams(Params):
    """Which trigger is inert, and the sides of the first trigger and of the first effector as the camera sees them.

    In the extended profile, ``at_middle`` is what happens in the middle of the clip.
    """

    scenario_type: Literal["A", "B", "C"]
    trigger_1_side: Side
    effector_1_side: Side
    at_middle: Literal["published", "first reaction", "rest", "second reaction"] = "published"

    @property
    def inert(self) -> int:
        """Return the number of the inert trigger, or 0."""
        return {"A": 0, "B": 1, "C": 2}[self.scenario_type]


class PersonAttributes(Part):
    """The looks of a person."""

    appearance: Word
    color: Annotated[Word, Words("colours"), Ours()]
    type: Annotated[Word, Words("persons"), Ours()]


class Person(SceneObject):
    """The person who acts."""

    role: Literal["agent"] = "agent"
    attributes: PersonAttributes


class TriggerAttributes(Part):
    """The looks and the place of a trigger."""

    position: Word
    color: Colour
    type: Annotated[Word, Words("triggers"), Ours()]


class Trigger(SceneObject):
    """What the person presses."""

    role: Literal["trigger_1", "trigger_2"]
    attributes: TriggerAttributes


class EffectorAttributes(Part):
    """The looks and the place of an effector."""

    position: Word
    color: Colour
    type: Annotated[Word, Words("effectors"), Ours()]


class Effector(SceneObject):
    """What may react."""

    role: Literal["effector_1", "effector_2"]
    attributes: EffectorAttributes


class FrontView(Camera):
    """A camera that does not move, in front of the table, pitched down (degrees)."""

    pitch_down: Annotated[float, Field(ge=-90, le=90), Ours()] = 35.0


class CmTruth(Part):
    """What each trigger does."""

    scenario_type: str
    trigger_1_effect: str
    trigger_2_effect: str


class CmGraph(SceneGraph):
    """A person behind a desk with two triggers and two effectors."""

    params: Annotated[CmParams, Ours()]
    objects: tuple[Annotated[Person | Table | Trigger | Effector, Field(discriminator="role")], ...]
    temporal_flow: TemporalFlow
    camera_movement: FrontView
    ground_truth: CmTruth


def draw_person_words(
    generator: np.random.Generator, taken: tuple[str, ...] = (), among: tuple[str, ...] = PERSONS
) -> tuple[str, str, str]:
    """Draw a person: the words for who, the colour of the T-shirt, and the label."""
    who = str(generator.choice(among))
    free = [colour for colour in CLOTH_COLOURS if all(apart(colour, other) for other in taken)]
    colour = str(generator.choice(free))
    return who, colour, f"{who} in the {colour} T-shirt"


def draw(generator: np.random.Generator, params: CmParams, theme: str) -> dict[str, Any]:
    """Draw the parts of a graph."""
    who, shirt, label = draw_person_words(generator)
    effectors = draw_items(generator, "effectors", 2)
    noun, first = draw_items(generator, "triggers", 1)[0]
    second = next(
        c for n, c in (draw_items(generator, "triggers", 1, [noun])[0] for _ in range(500)) if apart(c, first)
    )
    top = str(generator.choice(list(TABLE_TOPS)))
    sides = {1: params.trigger_1_side, 2: OTHER[params.trigger_1_side]}
    near = {1: params.effector_1_side, 2: OTHER[params.effector_1_side]}
    triggers = tuple(
        Trigger(id=f"trigger_{k}", label=f"{colour} {noun}", role=f"trigger_{k}",  # type: ignore[arg-type]
                attributes=TriggerAttributes(position=f"background_{sides[k]}", color=colour, type=noun))
        for k, colour in ((1, first), (2, second))
    )  # fmt: skip
    reactors = tuple(
        Effector(id=f"effector_{k}", label=f"{colour} {kind}", role=f"effector_{k}",  # type: ignore[arg-type]
                 attributes=EffectorAttributes(position=f"foreground_{near[k]}", color=colour, type=kind))
        for k, (kind, colour) in enumerate(effectors, 1)
    )  # fmt: skip
    effects = [NO_EFFECT if params.inert == k else reactors[k - 1].label for k in (1, 2)]
    return {
        "objects": (
            Person(id="agent", label=label, attributes=PersonAttributes(appearance=label, color=shirt, type=who)),
            Table(id="anchor", label=f"{top} table", attributes=TableAttributes(
                color=top, material=str(generator.choice(TABLE_TOPS[top])))),
            *triggers, *reactors,
        ),
        "temporal_flow": TemporalFlow(
            initial_setup=Setup(description="Everything is at rest; the hands lie on the table."),
            action_sequence=tuple(
                Step(step=k, action_description=_pressed(triggers[k - 1].label, effects[k - 1])) for k in (1, 2)
            ),
        ),
        "camera_movement": FrontView(type="fixed", trajectory="none"),
        "ground_truth": CmTruth(
            scenario_type=params.scenario_type, trigger_1_effect=effects[0], trigger_2_effect=effects[1]),
    }  # fmt: skip


def _pressed(trigger: str, effect: str) -> str:
    return f"The person works the {trigger}; " + (
        "nothing else changes."
        if effect == NO_EFFECT
        else f"the {effect} reacts at once, and is as before about two seconds later."
    )


def truth(graph: CmGraph) -> CmTruth:
    """Compute the ground truth from the effectors and the inert trigger."""
    labels = {each.role: each.label for each in graph.objects}
    inert = graph.params.inert
    return CmTruth(
        scenario_type=graph.params.scenario_type,
        trigger_1_effect=NO_EFFECT if inert == 1 else labels.get("effector_1", ""),
        trigger_2_effect=NO_EFFECT if inert == 2 else labels.get("effector_2", ""),
    )


def tell(graph: CmGraph) -> Scenario:
    """Make the scenario."""
    steps = graph.temporal_flow.action_sequence
    begins, whole = PACES[graph.params.at_middle]
    phases = []
    for k, t0 in enumerate(begins, 1):
        events = [
            ScriptEvent(kind="press", agent="agent", object=f"trigger_{k}", t0=t0 + REACHES, t1=t0 + REACHES + UP)
        ]
        if graph.params.inert != k:
            events.append(
                ScriptEvent(kind="switch", object=f"effector_{k}", t0=t0 + REACHES + DOWN, t1=t0 + REACHES + DOWN)
            )
        text = steps[k - 1].action_description if len(steps) >= k else "Nothing happens."
        end = whole if k == 2 else begins[1]
        phases.append((Phase(name=f"press_{k}", t0=t0, t1=end, camera="still", events=tuple(events)), text))
    return told(
        "Link each trigger to the thing that reacts to it, and notice a trigger that does nothing.",
        (Phase(name="setup", t0=0, t1=begins[0], camera="still"), graph.temporal_flow.initial_setup.description),
        *phases,
    )


RULES = Rulebook("CM")


@RULES.rule("R1", "an agent, an anchor, two triggers and two effectors", "give each role one object")
def _counts(graph: CmGraph) -> Iterator[Fault]:
    roles = ("agent", "anchor", "trigger_1", "trigger_2", "effector_1", "effector_2")
    yield from counted(graph, dict.fromkeys(roles, 1))


@RULES.rule("R2", "the triggers are in the background on opposite sides, trigger 1 on the side of the parameter",
            "set position to background_left and background_right by params.trigger_1_side")  # fmt: skip
def _triggers(graph: CmGraph) -> Iterator[Fault]:
    yield from _sides(graph, "trigger", "background", graph.params.trigger_1_side)


@RULES.rule("R3", "the effectors are in the foreground on opposite sides, effector 1 on the side of the parameter",
            "set position to foreground_left and foreground_right by params.effector_1_side")  # fmt: skip
def _effectors(graph: CmGraph) -> Iterator[Fault]:
    yield from _sides(graph, "effector", "foreground", graph.params.effector_1_side)


def _sides(graph: CmGraph, what: str, ground: str, first: str) -> Iterator[Fault]:
    for number, side in ((1, first), (2, OTHER[first])):
        for each in graph.of_role(f"{what}_{number}"):
            if each.attributes.position != f"{ground}_{side}":
                yield f"objects.{graph.objects.index(each)}.attributes.position", each.attributes.position


@RULES.rule("R4", "one press at a time: trigger 1 first, then trigger 2, in two steps", "write two steps, 1 and 2")
def _presses(graph: CmGraph) -> Iterator[Fault]:
    if [step.step for step in graph.temporal_flow.action_sequence] != [1, 2]:
        yield "temporal_flow.action_sequence", [step.step for step in graph.temporal_flow.action_sequence]


@RULES.rule("R5", "an inert press changes nothing but the hand, and another press makes its effector react at once",
            "describe the reaction of the effector, or that nothing else changes")  # fmt: skip
def _inert(graph: CmGraph) -> Iterator[Fault]:
    labels = {each.role: each.label for each in graph.objects}
    for index, step in enumerate(graph.temporal_flow.action_sequence, 1):
        reacts = labels.get(f"effector_{index}", "-") in step.action_description
        if reacts == (graph.params.inert == index):
            yield f"temporal_flow.action_sequence.{index - 1}", step.action_description


@RULES.rule("R6", "the camera is fixed in front of the table, pitched down by 30 to 45 degrees",
            "set type fixed and pitch_down from 30 to 45")  # fmt: skip
def _camera(graph: CmGraph) -> Iterator[Fault]:
    camera = graph.camera_movement
    if camera.type != "fixed" or camera.trajectory != "none":
        yield "camera_movement", f"{camera.type}, {camera.trajectory}"
    if not 30 <= camera.pitch_down <= 45:
        yield "camera_movement.pitch_down", camera.pitch_down


@RULES.rule("R7", "reactions are visible at once, so the effectors are things that visibly change",
            "take a lamp, a fan, a flag or a lid")  # fmt: skip
def _visible(graph: CmGraph) -> Iterator[Fault]:
    known = ("lamp", "fan", "flag", "box", "lid", "door", "light", "barrier", "pillar")
    for each in graph.of_role("effector_1", "effector_2"):
        if not any(word in each.attributes.type for word in known):
            yield f"objects.{graph.objects.index(each)}.attributes.type", each.attributes.type


TASK = StageTask(
    code="CM_F_EXO_DYN",
    name="Causal Mapping",
    graph=CmGraph,
    params=CmParams,
    cycles={
        "paper": Cycle(
            crossed(scenario_type=("A", "B", "C")),
            crossed(trigger_1_side=("left", "right"), effector_1_side=("left", "right")),
        ),
        "extended": Cycle(
            crossed(scenario_type=("A", "B", "C")),
            crossed(trigger_1_side=("left", "right"), effector_1_side=("left", "right"),
                    at_middle=("rest", "first reaction", "rest", "second reaction")),
        ),
    },
    draw=draw,
    truth=truth,
    tell=tell,
    rules=RULES,
)  # fmt: skip
