"""CI: which objects two containers share, each looked into once."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from chronotope.world.kinds.stage.graph.cycles import Cycle, crossed
from chronotope.world.kinds.stage.graph.rulebook import CLOSED, Fault, Rulebook, counted
from chronotope.world.kinds.stage.graph.scenarios import Phase, Scenario, told
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
    Step,
    TemporalFlow,
    Word,
    Words,
)
from chronotope.world.kinds.stage.graph.tasks.multi_container import SEE_THROUGH, Table, TableAttributes
from chronotope.world.kinds.stage.graph.vocabulary import (
    FROM_ABOVE,
    SHALLOW,
    TABLE_TOPS,
    WIDE,
    apart,
    draw_items,
    draw_material,
    items,
    with_a,
)

SLOTS = tuple(f"obj_{letter}{number}" for letter in "AB" for number in (1, 2, 3))
SIDE, ARC, LOOK = 0.5, 1.45, 2.05  # s, of the side view, of the way over the first container, and of a look into one
LOOKS = (2.0, 3.0)  # s, of a look into a container as graphs may state it
SLIDE = {"paper": 1.95, "extended": 3.2}  # s, of the way to the second container


class CiParams(Params):
    """The number of shared objects; in the extended profile, B can be first, and near misses can occur.

    A near miss is an object of the other container's type in another colour.
    """

    num_shared: Annotated[int, Field(ge=0, le=3)]
    first: Literal["A", "B"] = "A"
    has_near_miss: bool = False


class BinAttributes(Part):
    """The looks of a container, and when it is looked into: first or second."""

    revealed_in: Word
    color: Colour
    material: Annotated[Word, Words("materials")]
    type: Annotated[Word, Words("containers"), Ours()]


class Bin(SceneObject):
    """Container A or B."""

    role: Literal["container_A", "container_B"]
    attributes: BinAttributes


class LooseAttributes(Part):
    """The looks of an object in a container."""

    color: Colour
    type: Annotated[Word, Words("things from above")]


class Loose(SceneObject):
    """An object in a container."""

    role: Literal["obj_A1", "obj_A2", "obj_A3", "obj_B1", "obj_B2", "obj_B3"]
    attributes: LooseAttributes


class Peek(Camera):
    """A side view, then a look into each container from above, for ``look_seconds`` each."""

    look_seconds: Annotated[float, Field(ge=0, le=20), Ours()] = LOOK


class CiTruth(Part):
    """What the containers have, and what they share."""

    container_A_contents: tuple[str, ...]  # noqa: N815
    container_B_contents: tuple[str, ...]  # noqa: N815
    num_shared: int
    shared_objects: tuple[str, ...]
    answer: int
    reasoning: str


class CiGraph(SceneGraph):
    """Two containers with three objects each."""

    params: Annotated[CiParams, Ours()]
    objects: tuple[Annotated[Table | Bin | Loose, Field(discriminator="role")], ...]
    temporal_flow: TemporalFlow
    camera_movement: Peek
    ground_truth: CiTruth

    def inside(self, letter: str) -> tuple[Loose, ...]:
        """Return the objects in container A or B."""
        return tuple(e for e in self.objects if isinstance(e, Loose) and e.role.startswith(f"obj_{letter}"))


def _trajectory(params: CiParams) -> str:
    return f"side_then_over_{params.first}_then_other"


def _looks(each: Loose) -> tuple[str, str]:
    return each.attributes.type, each.attributes.color


def draw(generator: np.random.Generator, params: CiParams, theme: str) -> dict[str, Any]:
    """Draw the parts of a graph."""
    bins = draw_items(generator, "containers", 2, WIDE)
    while True:
        materials = [draw_material(generator, "containers", noun) for noun, _ in bins]
        if materials[0] != materials[1]:
            break
        bins = draw_items(generator, "containers", 2, WIDE)
    kinds = items("things from above")
    nouns = [str(noun) for noun in generator.choice(FROM_ABOVE, 6 - params.num_shared, replace=False)]
    looks = [(noun, str(generator.choice(kinds[noun].colours))) for noun in nouns]
    shared, rest = looks[: params.num_shared], looks[params.num_shared :]
    own = 3 - params.num_shared
    first, second = [*shared, *rest[:own]], [*shared, *rest[own:]]
    if params.has_near_miss and own:
        noun = next((n for n, _ in rest[:own] if len(kinds[n].colours) > 1), None)
        if noun is not None:
            taken = dict(first)[noun]
            free = [colour for colour in kinds[noun].colours if apart(colour, taken)]
            second[-1] = (noun, str(generator.choice(free)))
    pairs = [first[k] for k in generator.permutation(3)] + [second[k] for k in generator.permutation(3)]
    loose = [
        Loose(
            id=slot,
            label=noun if noun == colour else f"{colour} {noun}",
            role=slot,  # type: ignore[arg-type]
            attributes=LooseAttributes(color=colour, type=noun),
        )
        for slot, (noun, colour) in zip(SLOTS, pairs, strict=True)
    ]
    top = str(generator.choice(list(TABLE_TOPS)))
    table = Table(
        id="anchor", label=f"{top} table",
        attributes=TableAttributes(color=top, material=str(generator.choice(TABLE_TOPS[top]))),
    )  # fmt: skip
    order = ("first", "second") if params.first == "A" else ("second", "first")
    containers = [
        Bin(id=role, label=f"{colour} {noun}", role=role,  # type: ignore[arg-type]
            attributes=BinAttributes(revealed_in=when, color=colour, material=material, type=noun))
        for role, (noun, colour), material, when in zip(
            ("container_A", "container_B"), bins, materials, order, strict=True)
    ]  # fmt: skip
    names = [each.label for each in (containers if params.first == "A" else containers[::-1])]
    return {
        "objects": (table, *containers, *loose),
        "temporal_flow": TemporalFlow(
            initial_setup=Setup(description="Both containers are seen from the side."),
            action_sequence=(
                Step(step=1, action_description=f"The camera looks into the {names[0]} from above."),
                Step(step=2, action_description=f"The camera looks into the {names[1]} from above."),
            ),
        ),
        "camera_movement": Peek(type="peek", trajectory=_trajectory(params)),
        "ground_truth": _truth(loose, params.num_shared),
    }


def _truth(loose: list[Loose], count: int) -> CiTruth:
    first, second = ([each.label for each in loose if each.role.startswith(f"obj_{x}")] for x in "AB")
    shared = [label for label in first if label in second]
    return CiTruth(
        container_A_contents=tuple(first),
        container_B_contents=tuple(second),
        num_shared=count,
        shared_objects=tuple(shared),
        answer=count,
        reasoning=f"In both containers: {', '.join(shared) or 'nothing'}.",
    )


def truth(graph: CiGraph) -> CiTruth:
    """Compute the ground truth from the looks of the objects."""
    first, second = graph.inside("A"), graph.inside("B")
    shared = [each.label for each in first if _looks(each) in {_looks(other) for other in second}]
    return CiTruth(
        container_A_contents=tuple(each.label for each in first),
        container_B_contents=tuple(each.label for each in second),
        num_shared=len(shared),
        shared_objects=tuple(shared),
        answer=len(shared),
        reasoning=f"In both containers: {', '.join(shared) or 'nothing'}.",
    )


def tell(graph: CiGraph) -> Scenario:
    """Make the scenario."""
    bins = {each.role: each.label for each in graph.of_role("container_A", "container_B")}
    inside = {x: ", ".join(with_a(each.label) for each in graph.inside(x)) for x in "AB"}
    first, second = ("A", "B") if graph.params.first == "A" else ("B", "A")
    a, b = bins.get("container_A", ""), bins.get("container_B", "")
    left = SIDE + ARC + LOOK
    # In the extended profile, the middle of the clip is between the containers, and shows neither inside.
    times = [0.0, SIDE, left, left + SLIDE[graph.profile] + (LOOK if graph.profile == "paper" else left)]
    return told(
        "Keep in mind what is in the first container, and compare it with what is in the second.",
        (Phase(name="setup", t0=times[0], t1=times[1], camera="still at table height"),
         f"The {a} is on the left and the {b} on the right. No inside can be seen."),
        (Phase(name=f"{first}_reveal", t0=times[1], t1=times[2], camera="arc over the first container, hold"),
         f"From above, the {bins.get(f'container_{first}', '')} holds {inside[first]}."),
        (Phase(name=f"{second}_reveal", t0=times[2], t1=times[3], camera="slide over the second container, hold"),
         f"From above, the {bins.get(f'container_{second}', '')} holds {inside[second]}."),
    )  # fmt: skip


RULES = Rulebook("CI")


@RULES.rule("R1", "an anchor, containers A and B, and exactly three objects for each", "give each role one object")
def _counts(graph: CiGraph) -> Iterator[Fault]:
    yield from counted(graph, dict.fromkeys(("anchor", "container_A", "container_B", *SLOTS), 1))


@RULES.rule("R2", "both containers are open at the top, opaque and without lids", "take an opaque, deep container")
def _opaque(graph: CiGraph) -> Iterator[Fault]:
    for index, each in enumerate(graph.objects):
        if isinstance(each, Bin):
            looks = each.attributes
            if looks.material in SEE_THROUGH or any(word in looks.type.split() for word in SHALLOW):
                yield f"objects.{index}.attributes", f"{looks.material} {looks.type}"
            if CLOSED & set(f"{each.label} {looks.type}".lower().split()):
                yield f"objects.{index}.label", each.label


@RULES.rule("R3", "the containers differ in material, in colour and in shape", "change what both have in common")
def _unlike(graph: CiGraph) -> Iterator[Fault]:
    pair = graph.of_role("container_A", "container_B")
    if len(pair) != 2:
        return
    one, other = (each.attributes for each in pair)
    index = graph.objects.index(pair[1])
    if one.material == other.material:
        yield f"objects.{index}.attributes.material", other.material
    if not apart(one.color, other.color):
        yield f"objects.{index}.attributes.color", other.color
    if one.type == other.type:
        yield f"objects.{index}.attributes.type", other.type


@RULES.rule("R4", "exactly num_shared objects look the same, in type and colour, in both containers",
            "change objects until the containers share params.num_shared")  # fmt: skip
def _shared(graph: CiGraph) -> Iterator[Fault]:
    first, second = ({_looks(each) for each in graph.inside(x)} for x in "AB")
    if len(first & second) != graph.params.num_shared:
        yield "objects", f"{len(first & second)} shared"


@RULES.rule("R5", "objects that are not shared look unlike all others", "change the type of the object")
def _unique(graph: CiGraph) -> Iterator[Fault]:
    for x in "AB":
        seen: list[tuple[str, str]] = []
        for each in graph.inside(x):
            if _looks(each) in seen:
                yield f"objects.{graph.objects.index(each)}.attributes", each.label
            seen.append(_looks(each))
    if not graph.params.has_near_miss:
        for a in graph.inside("A"):
            for b in graph.inside("B"):
                if _looks(a) != _looks(b) and a.attributes.type == b.attributes.type:
                    yield f"objects.{graph.objects.index(b)}.attributes.type", b.label


@RULES.rule("R6", "while the camera looks into one container, the inside of the other is off the screen",
            "look into A and B one after the other: params.first says which is revealed first")  # fmt: skip
def _order(graph: CiGraph) -> Iterator[Fault]:
    for index, each in enumerate(graph.objects):
        if isinstance(each, Bin):
            wanted = "first" if each.role.endswith(graph.params.first) else "second"
            if each.attributes.revealed_in != wanted:
                yield f"objects.{index}.attributes.revealed_in", each.attributes.revealed_in
    first = graph.of_role(f"container_{graph.params.first}")
    for number, step in enumerate(graph.temporal_flow.action_sequence[:2]):
        if any((each.label in step.action_description) != (number == 0) for each in first):
            yield f"temporal_flow.action_sequence.{number}", step.action_description


@RULES.rule("R7", "the camera starts beside the table and looks into each container for 2 to 3 s",
            "set type peek, look_seconds 2 to 3, and a trajectory such as side_then_over_A_then_other")  # fmt: skip
def _camera(graph: CiGraph) -> Iterator[Fault]:
    if graph.camera_movement.type != "peek":
        yield "camera_movement.type", graph.camera_movement.type
    if graph.camera_movement.trajectory != _trajectory(graph.params):
        yield "camera_movement.trajectory", graph.camera_movement.trajectory
    if not LOOKS[0] <= graph.camera_movement.look_seconds <= LOOKS[1]:
        yield "camera_movement.look_seconds", graph.camera_movement.look_seconds


@RULES.rule("R8", "shared_objects are the labels of the objects in both containers, and answer is their number",
            "list the labels that stand in both contents")  # fmt: skip
def _answer(graph: CiGraph) -> Iterator[Fault]:
    told_ = graph.ground_truth
    both = sorted(set(told_.container_A_contents) & set(told_.container_B_contents))
    if sorted(told_.shared_objects) != both or told_.answer != len(both) or told_.num_shared != len(both):
        yield "ground_truth", f"{told_.answer}: {', '.join(told_.shared_objects) or 'nothing'}"


_SHARED = tuple({"num_shared": number} for number in range(4))
TASK = StageTask(
    code="CI_F_EXO_STA",
    name="Container Intersection Inference",
    graph=CiGraph,
    params=CiParams,
    cycles={
        "paper": Cycle(_SHARED),
        "extended": Cycle(_SHARED, crossed(first=("A", "B"), has_near_miss=(True, False))),
    },
    draw=draw,
    truth=truth,
    tell=tell,
    rules=RULES,
    pool="MC",
)
