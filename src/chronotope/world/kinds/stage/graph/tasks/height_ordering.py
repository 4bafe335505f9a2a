"""HO: the order of three objects by elevation, seen one at a time while the camera tilts."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np

from chronotope.world.kinds.stage.graph.cycles import Cycle, crossed
from chronotope.world.kinds.stage.graph.rulebook import Fault, Rulebook, counted
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
    Side,
    Word,
    Words,
)
from chronotope.world.kinds.stage.graph.vocabulary import ANYWHERE, LEVEL_THINGS, PLACEMENTS, apart, draw_items

ROLES = ("obj_lowest", "obj_middle", "obj_highest")
LEVELS = {"lowest": 0, "highest": 2}
TILT = 1.75  # s
# s, of the views of a tilt in one direction, and of one that turns back; both show the middle level at half the time.
HOLDS, LONGER = (1.5, 1.5, 1.5), (2.2, 2.8, 1.5, 1.5)
BELONGS = ("low", "middle", "high")
LEVEL_PLACES: dict[str, str] = dict(zip(("lowest", "middle", "highest"), PLACEMENTS, strict=True))


class HoParams(Params):
    """The direction of the tilt, and the level and side of the distractor; ``stops`` are the levels in their order.

    In the extended profile, the tilt can turn back, so a level is seen twice, and things ``stand_anywhere``: their
    kinds do not tell their levels.
    """

    tilt_dir: Literal["Bottom-to-Top", "Top-to-Bottom"]
    distractor_level: Literal["lowest", "highest"]
    distractor_side: Side
    turns_back: bool = False
    stand_anywhere: bool = False

    @property
    def stops(self) -> tuple[int, ...]:
        """Return the levels (0 is the lowest) in the order in which the camera shows them."""
        up = (0, 1, 2) if self.tilt_dir == "Bottom-to-Top" else (2, 1, 0)
        return (*up, 1) if self.turns_back else up


class HoAttributes(Part):
    """The looks and the level of a thing; things of one level have the same support."""

    color: Colour
    type: Annotated[Word, Words("things on levels")]
    height_level: Word
    placement: Annotated[Word, Words("placements")]


class HoThing(SceneObject):
    """A thing on one of the levels."""

    role: Literal["obj_lowest", "obj_middle", "obj_highest", "obj_distractor"]
    attributes: HoAttributes


class Tilt(Camera):
    """A tilt of a camera that stays where it is; ``moves_position`` is always false."""

    moves_position: Annotated[bool, Ours()] = False
    distractor_side: Annotated[str, Ours()]


class HoTruth(Part):
    """The order of the three objects by height."""

    height_ranking_low_to_high: tuple[str, ...]
    lowest_object: str
    middle_object: str
    highest_object: str
    tilt_direction: str


class HoGraph(SceneGraph):
    """A wall unit with things on three levels."""

    params: Annotated[HoParams, Ours()]
    objects: tuple[HoThing, ...]
    camera_movement: Tilt
    ground_truth: HoTruth


def draw(generator: np.random.Generator, params: HoParams, theme: str) -> dict[str, Any]:
    """Draw the parts of a graph."""
    level = LEVELS[params.distractor_level]
    usual = [LEVEL_THINGS[name] for name in (*BELONGS, BELONGS[level])]
    while True:
        wanted = [ANYWHERE] * 4 if params.stand_anywhere else usual
        pairs = [draw_items(generator, "things on levels", 1, nouns)[0] for nouns in wanted]
        nouns, colours = zip(*pairs, strict=True)
        if len(set(nouns)) == 4 and all(apart(a, b) for k, a in enumerate(colours) for b in colours[:k]):
            break
    things = []
    for role, (noun, colour), at in zip((*ROLES, "obj_distractor"), pairs, (0, 1, 2, level), strict=True):
        name = ("lowest", "middle", "highest")[at]
        looks = HoAttributes(color=colour, type=noun, height_level=name, placement=PLACEMENTS[at])
        things.append(HoThing(id=role, label=f"{colour} {noun}", role=role, attributes=looks))
    names = tuple(each.label for each in things[:3])
    return {
        "objects": tuple(things),
        "camera_movement": Tilt(type="tilt", trajectory=params.tilt_dir, distractor_side=params.distractor_side),
        "ground_truth": HoTruth(
            height_ranking_low_to_high=names,
            lowest_object=names[0],
            middle_object=names[1],
            highest_object=names[2],
            tilt_direction=params.tilt_dir,
        ),
    }


def truth(graph: HoGraph) -> HoTruth:
    """Compute the ground truth from the levels of the things."""
    by_level = {each.attributes.height_level: each.label for each in graph.objects if each.role in ROLES}
    low, middle, high = (by_level.get(level, "") for level in ("lowest", "middle", "highest"))
    return HoTruth(
        height_ranking_low_to_high=(low, middle, high),
        lowest_object=low,
        middle_object=middle,
        highest_object=high,
        tilt_direction=graph.camera_movement.trajectory,
    )


def tell(graph: HoGraph) -> Scenario:
    """Make the scenario: a hold at each level, and a tilt between two holds."""
    levels = ("lowest", "middle", "highest")
    stops = graph.params.stops
    holds = LONGER if graph.params.turns_back else HOLDS
    phases, seen, start = [], set(), 0.0
    for number, stop in enumerate(stops):
        name = levels[stop] if stop not in seen else f"{levels[stop]}_again"
        seen.add(stop)
        shown = [each.label for each in graph.objects if each.attributes.height_level == levels[stop]]
        beside = f", with the {shown[1]} beside it" if len(shown) > 1 else ""
        where = next((e.attributes.placement for e in graph.objects if e.attributes.height_level == levels[stop]), "")
        end = round(start + holds[number] + (TILT if number + 1 < len(stops) else 0.0), 6)
        camera = "still, then tilts" if number + 1 < len(stops) else "still"
        text = f"The camera shows only the {where}: the {shown[0] if shown else 'nothing'}{beside}."
        phases.append((Phase(name=name, t0=start, t1=end, camera=camera), text))
        start = end
    return told("Order the three objects by height from three views that never show two of them together.", *phases)


RULES = Rulebook("HO")


@RULES.rule("R1", "one object for each of the three levels, and one distractor", "give each role exactly one object")
def _counts(graph: HoGraph) -> Iterator[Fault]:
    yield from counted(graph, {**dict.fromkeys(ROLES, 1), "obj_distractor": 1})


@RULES.rule("R2", "the camera keeps its position and only tilts, in the direction of the parameter",
            "set type tilt, moves_position false and the trajectory to params.tilt_dir")  # fmt: skip
def _tilt(graph: HoGraph) -> Iterator[Fault]:
    camera = graph.camera_movement
    if camera.type != "tilt" or camera.moves_position:
        yield "camera_movement", f"{camera.type}, moves_position {camera.moves_position}"
    if camera.trajectory != graph.params.tilt_dir:
        yield "camera_movement.trajectory", camera.trajectory


@RULES.rule("R3", "the three objects stand on three clearly separated levels: lowest, middle and highest",
            "give each object the level of its role, and its level a support of its own")  # fmt: skip
def _levels(graph: HoGraph) -> Iterator[Fault]:
    places: dict[str, str] = {}
    for index, each in enumerate(graph.objects):
        looks = each.attributes
        if each.role in ROLES and each.role != f"obj_{looks.height_level}":
            yield f"objects.{index}.attributes.height_level", looks.height_level
        known = looks.placement in PLACEMENTS  # graphs that are not drawn may have other words
        misplaced = known and LEVEL_PLACES.get(looks.height_level, looks.placement) != looks.placement
        if each.role in ROLES and (misplaced or looks.placement in places.values()):
            yield f"objects.{index}.attributes.placement", f"{looks.placement} as the {looks.height_level} level"
        if each.role in ROLES:
            places[looks.height_level] = looks.placement


@RULES.rule("R4", "the distractor is beside the object of its level, on the same support",
            "give the distractor the level of the parameter and the placement of the object there")  # fmt: skip
def _distractor(graph: HoGraph) -> Iterator[Fault]:
    for index, each in enumerate(graph.objects):
        if each.role != "obj_distractor":
            continue
        if each.attributes.height_level != graph.params.distractor_level:
            yield f"objects.{index}.attributes.height_level", each.attributes.height_level
        beside = [o for o in graph.objects if o.role == f"obj_{each.attributes.height_level}"]
        if beside and beside[0].attributes.placement != each.attributes.placement:
            yield f"objects.{index}.attributes.placement", each.attributes.placement


@RULES.rule("R5", "the things are small and natural for their level: nothing heavy on the top board",
            "take a thing that people keep there, such as a vase on the top board")  # fmt: skip
def _natural(graph: HoGraph) -> Iterator[Fault]:
    usual = {"lowest": "low", "middle": "middle", "highest": "high"}
    known = {noun for nouns in LEVEL_THINGS.values() for noun in nouns}
    for index, each in enumerate(graph.objects):
        noun, level = each.attributes.type, usual.get(each.attributes.height_level, "")
        wanted = ANYWHERE if graph.params.stand_anywhere else LEVEL_THINGS.get(level, ())
        if noun in known and level and noun not in wanted:
            yield f"objects.{index}.attributes.type", f"{noun} on the {each.attributes.height_level} level"


@RULES.rule("R6", "the side of the distractor is stated: left or right of the object of its level",
            "set camera_movement.distractor_side to params.distractor_side")  # fmt: skip
def _side(graph: HoGraph) -> Iterator[Fault]:
    if graph.camera_movement.distractor_side != graph.params.distractor_side:
        yield "camera_movement.distractor_side", graph.camera_movement.distractor_side


_ENTRIES = (
    {"tilt_dir": "Bottom-to-Top", "distractor_level": "lowest"},
    {"tilt_dir": "Bottom-to-Top", "distractor_level": "highest"},
    {"tilt_dir": "Top-to-Bottom", "distractor_level": "highest"},
    {"tilt_dir": "Top-to-Bottom", "distractor_level": "lowest"},
)
TASK = StageTask(
    code="HO_V_EXO_STA",
    name="Height Ordering",
    graph=HoGraph,
    params=HoParams,
    cycles={
        "paper": Cycle(_ENTRIES, crossed(distractor_side=("left", "right"))),
        "extended": Cycle(
            _ENTRIES, crossed(distractor_side=("left", "right"), turns_back=(False, True), stand_anywhere=(True,))
        ),
    },
    draw=draw,
    truth=truth,
    tell=tell,
    rules=RULES,
)
