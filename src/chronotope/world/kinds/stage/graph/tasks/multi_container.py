"""MC: which content sits in which container; outside and inside are seen at different heights of the camera."""

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
    Word,
    Words,
)
from chronotope.world.kinds.stage.graph.vocabulary import (
    CONTENTS,
    EMPTY,
    LEAKY,
    LIQUIDS,
    SHALLOW,
    TABLE_TOPS,
    TOO_WIDE,
    apart,
    draw_items,
    draw_material,
    items,
)

PLACES = {2: ("left", "right"), 3: ("left", "middle", "right"), 4: ("left", "middle_left", "middle_right", "right")}
LOW, HIGH = (0.0, 10.0), (70.0, 90.0)  # degrees of elevation
SEE_THROUGH = ("glass", "clear plastic")
HOLD, BOOM = 1.6, 4.8  # s


class McParams(Params):
    """The camera's way; ``count`` and ``has_twins`` vary in the extended profile."""

    camera_trajectory: Literal["Boom_Up", "Boom_Down"]
    count: Literal[2, 3, 4] = 3
    has_twins: bool = False


class TableAttributes(Part):
    """The looks of a surface."""

    color: Colour
    material: Annotated[Word, Words("materials")]


class Table(SceneObject):
    """The surface on which the containers stand."""

    role: Literal["anchor"] = "anchor"
    attributes: TableAttributes


class ContainerAttributes(Part):
    """The looks of a container, and what it holds."""

    content: Annotated[Word, Words("contents")]
    color: Colour
    material: Annotated[Word, Words("materials")]
    type: Annotated[Word, Words("containers"), Ours()]


class Container(SceneObject):
    """An open container."""

    role: Literal["container"] = "container"
    attributes: ContainerAttributes


class Relation(Part):
    """Where a container stands on the surface."""

    subject: Word
    relation: Word
    target: Word


class Boom(Camera):
    """A vertical boom with a counter-tilt, from one elevation (degrees) to the other."""

    low_elevation: Annotated[float, Field(ge=-90, le=90), Ours()] = 6.0
    high_elevation: Annotated[float, Field(ge=-90, le=90), Ours()] = 82.0


class McTruth(Part):
    """The content of each container, by label."""

    mapping: dict[str, str]


class McGraph(SceneGraph):
    """A row of open containers on a surface."""

    params: Annotated[McParams, Ours()]
    objects: tuple[Annotated[Table | Container, Field(discriminator="role")], ...]
    spatial_layout: tuple[Relation, ...]
    camera_movement: Boom
    ground_truth: McTruth

    def places(self) -> dict[str, str]:
        """Return the id of the container at each place, from left to right."""
        order = PLACES[self.params.count]
        found = {r.relation.removeprefix("standing_on_").removesuffix("_of"): r.subject for r in self.spatial_layout}
        return {place: found[place] for place in order if place in found}


def _trajectory(params: McParams) -> str:
    return "low_angle_to_high_angle" if params.camera_trajectory == "Boom_Up" else "high_angle_to_low_angle"


def draw(generator: np.random.Generator, params: McParams, theme: str) -> dict[str, Any]:
    """Draw the parts of a graph."""
    pairs = draw_items(generator, "containers", params.count)
    if params.has_twins:  # two containers of one colour, which only their kinds tell apart
        kinds = items("containers")
        shared = sorted(set(kinds[pairs[0][0]].colours) & set(kinds[pairs[1][0]].colours))
        if shared:
            colour = str(generator.choice(shared))
            pairs[:2] = [(pairs[0][0], colour), (pairs[1][0], colour)]
    contents = draw_contents(generator, [noun for noun, _ in pairs])
    top = str(generator.choice(list(TABLE_TOPS)))
    material = str(generator.choice(TABLE_TOPS[top]))
    table = Table(id="anchor", label=f"{top} table", attributes=TableAttributes(color=top, material=material))
    containers = [
        Container(
            id=f"container_{number}",
            label=f"{colour} {noun}",
            attributes=ContainerAttributes(
                content=content, color=colour, material=draw_material(generator, "containers", noun), type=noun
            ),
        )
        for number, ((noun, colour), content) in enumerate(zip(pairs, contents, strict=True), 1)
    ]
    order = generator.permutation(params.count)
    return {
        "objects": (table, *containers),
        "spatial_layout": tuple(
            Relation(subject=containers[k].id, relation=f"standing_on_{place}_of", target="anchor")
            for k, place in zip(order, PLACES[params.count], strict=True)
        ),
        "camera_movement": Boom(type="boom", trajectory=_trajectory(params)),
        "ground_truth": McTruth(mapping={f"{c} {n}": x for (n, c), x in zip(pairs, contents, strict=True)}),
    }


def draw_contents(generator: np.random.Generator, nouns: list[str]) -> list[str]:
    """Draw unlike contents for containers; one of them may be empty."""
    while True:
        drawn = [str(word) for word in generator.choice([EMPTY, *CONTENTS], len(nouns), replace=False)]
        kinds = [CONTENTS[word] for word in drawn if word != EMPTY]
        outside = any(not _holds(noun, word) for noun, word in zip(nouns, drawn, strict=True))
        alike = any(a.noun == b.noun or not apart(a.colour, b.colour) for k, a in enumerate(kinds) for b in kinds[:k])
        if not outside and not alike:
            return drawn


def _holds(noun: str, content: str) -> bool:
    """Check whether a content stays below the rim of a kind of container."""
    return not (noun in LEAKY and content in LIQUIDS) and content not in TOO_WIDE.get(noun, ())


def truth(graph: McGraph) -> McTruth:
    """Compute the ground truth from the containers."""
    return McTruth(mapping={each.label: each.attributes.content for each in graph.of_role("container")})


def tell(graph: McGraph) -> Scenario:
    """Make the scenario."""
    by_id: dict[str, Any] = {each.id: each for each in graph.objects}
    row = [by_id[subject] for subject in graph.places().values()]
    table = by_id["anchor"].label if "anchor" in by_id else "surface"
    names = ", ".join(f"the {each.label}" for each in row)
    inside = "; ".join(
        f"the {each.label} is empty" if each.attributes.content == EMPTY
        else f"the {each.label} holds {each.attributes.content}" for each in row
    )  # fmt: skip
    low = f"At rim height the camera shows, from left to right, {names} on the {table}. No inside can be seen."
    high = f"From above the insides can be seen: {inside}."
    rises = graph.params.camera_trajectory == "Boom_Up"
    first, last = (low, high) if rises else (high, low)
    way = "rises and tilts down" if rises else "sinks and tilts up"
    return told(
        "Match what is seen inside each container from above with the outside that is seen from the side.",
        (Phase(name="first_view", t0=0, t1=HOLD, camera="still"), first),
        (Phase(name="boom", t0=HOLD, t1=HOLD + BOOM, camera=way),
         f"The camera {way} in one smooth arc; nothing else moves."),
        (Phase(name="last_view", t0=HOLD + BOOM, t1=8, camera="still"), last),
    )  # fmt: skip


RULES = Rulebook("MC")


@RULES.rule("R1", "one anchor surface, and exactly 3 containers (2 to 4 in the extended profile)",
            "add or remove containers until their number is params.count")  # fmt: skip
def _counts(graph: McGraph) -> Iterator[Fault]:
    yield from counted(graph, {"anchor": 1, "container": graph.params.count})


@RULES.rule("R2", "containers are open at the top, opaque and deep, so the inside is invisible from the side",
            "take an opaque container that is at least as deep as it is wide, such as a bucket")  # fmt: skip
def _opaque(graph: McGraph) -> Iterator[Fault]:
    for index, each in enumerate(graph.objects):
        if each.role == "container":
            looks = each.attributes
            if looks.material in SEE_THROUGH or any(word in looks.type.split() for word in SHALLOW):
                yield f"objects.{index}.attributes", f"{looks.material} {looks.type}"
            if CLOSED & set(f"{each.label} {looks.type}".lower().split()):
                yield f"objects.{index}.label", each.label


@RULES.rule("R3", "containers differ from each other in colour or in kind", "change the colour or the kind of one")
def _distinct(graph: McGraph) -> Iterator[Fault]:
    seen: list[Any] = []
    for index, each in enumerate(graph.objects):
        if each.role != "container":
            continue
        looks = each.attributes
        if any(o.type == looks.type and not apart(o.color, looks.color) for o in seen):
            yield f"objects.{index}.attributes", f"another {looks.color} {looks.type}"
        seen.append(looks)


@RULES.rule("R4", "contents are pairwise different, and at most one is Empty", "change one of the equal contents")
def _contents(graph: McGraph) -> Iterator[Fault]:
    seen: set[str] = set()
    for index, each in enumerate(graph.objects):
        if each.role == "container":
            if each.attributes.content.casefold() in seen:
                yield f"objects.{index}.attributes.content", each.attributes.content
            seen.add(each.attributes.content.casefold())


@RULES.rule("R5", "contents can be told apart from above by colour and kind",
            "take contents of unlike colours and kinds")  # fmt: skip
def _legible(graph: McGraph) -> Iterator[Fault]:
    seen: list[str] = []
    for index, each in enumerate(graph.objects):
        if each.role != "container" or each.attributes.content not in CONTENTS:
            continue
        content, known = each.attributes.content, CONTENTS[each.attributes.content]
        if any(content != o and (CONTENTS[o].noun == known.noun or not apart(CONTENTS[o].colour, known.colour))
               for o in seen):  # fmt: skip
            yield f"objects.{index}.attributes.content", content
        seen.append(content)


@RULES.rule("R6", "all containers stand in one row on the anchor: one relation for each container and place",
            "give each container its own place, such as standing_on_left_of the anchor")  # fmt: skip
def _row(graph: McGraph) -> Iterator[Fault]:
    anchors = {each.id for each in graph.of_role("anchor")}
    wanted = {f"standing_on_{place}_of" for place in PLACES[graph.params.count]}
    for index, each in enumerate(graph.spatial_layout):
        if each.relation not in wanted or each.target not in anchors:
            yield f"spatial_layout.{index}", f"{each.relation} {each.target}"
    subjects = sorted(each.subject for each in graph.spatial_layout)
    if subjects != sorted(each.id for each in graph.of_role("container")):
        yield "spatial_layout", f"relations of {', '.join(subjects) or 'no container'}"
    if len({each.relation for each in graph.spatial_layout}) != len(graph.spatial_layout):
        yield "spatial_layout", "a place that two containers have"


@RULES.rule("R7", "the camera booms from rim height to 70 to 90 degrees or back, so that insides come into view or go",
            "set low_elevation from 0 to 10, high_elevation from 70 to 90, and the trajectory")  # fmt: skip
def _boom(graph: McGraph) -> Iterator[Fault]:
    camera = graph.camera_movement
    if camera.type != "boom":
        yield "camera_movement.type", camera.type
    if not LOW[0] <= camera.low_elevation <= LOW[1]:
        yield "camera_movement.low_elevation", camera.low_elevation
    if not HIGH[0] <= camera.high_elevation <= HIGH[1]:
        yield "camera_movement.high_elevation", camera.high_elevation
    if camera.trajectory != _trajectory(graph.params):
        yield "camera_movement.trajectory", camera.trajectory


@RULES.rule(
    "R8",
    "contents stay below the rim: liquids are in tight containers, and wide things in wide ones",
    "put liquids into a bucket, and wide things into a tub",
)
def _inside(graph: McGraph) -> Iterator[Fault]:
    for index, each in enumerate(graph.objects):
        if each.role == "container" and not _holds(each.attributes.type, each.attributes.content):
            yield f"objects.{index}.attributes.content", f"{each.attributes.content} in a {each.attributes.type}"


TASK = StageTask(
    code="MC_F_EGO_STA",
    name="Multi-Container Attribute Mapping",
    graph=McGraph,
    params=McParams,
    cycles={
        "paper": Cycle(crossed(camera_trajectory=("Boom_Up", "Boom_Down"))),
        "extended": Cycle(
            crossed(camera_trajectory=("Boom_Up", "Boom_Down")), crossed(count=(2, 3, 4), has_twins=(False, True))
        ),
    },
    draw=draw,
    truth=truth,
    tell=tell,
    rules=RULES,
)
