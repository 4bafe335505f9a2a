"""LS: the compass position of landmark 3 relative to landmark 1, from the movements of a camera that looks down."""

from collections.abc import Iterator, Sequence
from math import atan2, cos, degrees, hypot, radians, sin
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from chronotope.world.kinds.stage.graph.cycles import Cycle
from chronotope.world.kinds.stage.graph.rulebook import Fault, Rulebook, counted
from chronotope.world.kinds.stage.graph.scenarios import Phase, Scenario, told
from chronotope.world.kinds.stage.graph.stage_task import StageTask
from chronotope.world.kinds.stage.graph.structure import (
    Camera,
    Ours,
    Params,
    Part,
    SceneGraph,
    SceneObject,
    Word,
    Words,
)
from chronotope.world.kinds.stage.graph.themes import category_of
from chronotope.world.kinds.stage.graph.vocabulary import BROAD_ROOFS, CATEGORY_ROOFS, ROOFS

COMPASS = ("North", "Northeast", "East", "Southeast", "South", "Southwest", "West", "Northwest")
MARGIN = 12.0  # degrees between a direction and the border of its octant
LEAST_RATIO = 6.0  # of the distances of landmarks 3 and 2 from landmark 1
STRIDE = 27  # coprime to 64, so that both directions change from scene to scene

Compass = Literal["North", "Northeast", "East", "Southeast", "South", "Southwest", "West", "Northwest"]


class LsParams(Params):
    """Where landmark 2 appears, and where the camera flies.

    With ``composed`` (the extended profile), the camera flies from landmark 1 over landmark 2 to landmark 3: first
    towards ``l2_appear``, then along ``drift_dir``.
    """

    l2_appear: Compass
    drift_dir: Compass
    composed: bool = False


class LandmarkLooks(Part):
    """The looks of a landmark from above."""

    color: Annotated[Word, Words("roof colours")]
    type: Annotated[Word, Words("landmarks")]
    rooftop_shape: Annotated[Word, Words("rooftops")]
    position_relative_to_L1: str | None = None  # noqa: N815


class SeenLandmark(SceneObject):
    """A landmark, with its place (x to the East, y to the North; m)."""

    role: Literal["landmark_1", "landmark_2", "landmark_3"]
    attributes: LandmarkLooks
    place: Annotated[tuple[float, float], Ours()]


class Flight(Camera):
    """A flight that looks straight down, with the North up: at most ``low_height`` (m) over a roof, or high."""

    low_height: Annotated[float, Field(gt=0, le=5000), Ours()] = 115.0
    high_height: Annotated[float, Field(gt=0, le=5000), Ours()] = 460.0
    looks_down: Annotated[bool, Ours()] = True


class LsTruth(Part):
    """The directions between the landmarks."""

    L2_relative_to_L1: str
    drift_direction: str
    L3_relative_to_L1: str
    reasoning: str


class LsGraph(SceneGraph):
    """A town with three landmarks."""

    params: Annotated[LsParams, Ours()]
    objects: tuple[SeenLandmark, ...]
    camera_movement: Flight
    ground_truth: LsTruth

    def place(self, number: int) -> tuple[float, float]:
        """Return the place (m) of landmark 1, 2 or 3."""
        return next(each.place for each in self.objects if each.role == f"landmark_{number}")


def octant(east: float, north: float) -> str:
    """Return the compass direction of an offset."""
    return COMPASS[round(degrees(atan2(east, north)) / 45) % 8]


def margin(east: float, north: float) -> float:
    """Return the angle (degrees) between an offset and the border of its octant."""
    bearing = degrees(atan2(east, north)) % 45
    return abs(bearing - 22.5)


def _offset(direction: str, length: float, off: float) -> tuple[float, float]:
    angle = radians(45 * COMPASS.index(direction) + off)
    return length * sin(angle), length * cos(angle)


def draw(generator: np.random.Generator, params: LsParams, theme: str) -> dict[str, Any]:
    """Draw the parts of a graph."""
    kinds = _kinds(generator, CATEGORY_ROOFS.get(category_of("LS", theme), ()))
    while True:
        second, third = _places(generator, params)
        if min(margin(*second), margin(*third)) >= MARGIN:
            break
    where = octant(*third) if params.composed else params.drift_dir
    places = ((0.0, 0.0), second, third)
    objects = tuple(
        SeenLandmark(
            id=f"landmark_{number}", label=kind, role=f"landmark_{number}",  # type: ignore[arg-type]
            attributes=LandmarkLooks(
                color=ROOFS[kind][0], type=kind, rooftop_shape=ROOFS[kind][1],
                position_relative_to_L1=params.l2_appear if number == 2 else None,
            ),
            place=(round(place[0], 1), round(place[1], 1)),
        )
        for number, (kind, place) in enumerate(zip(kinds, places, strict=True), 1)
    )  # fmt: skip
    return {
        "objects": objects,
        "camera_movement": Flight(type="nadir flight", trajectory=_trajectory(params)),
        "ground_truth": LsTruth(
            L2_relative_to_L1=params.l2_appear, drift_direction=params.drift_dir, L3_relative_to_L1=where,
            reasoning=_reasoning(params, where),
        ),
    }  # fmt: skip


def _kinds(generator: np.random.Generator, telling: Sequence[str]) -> list[str]:
    """Draw three kinds of landmarks; one of the ``telling`` kinds is the first or the third."""
    usual = [kind for kind in ROOFS if all(kind not in kinds for kinds in CATEGORY_ROOFS.values())]
    near = str(generator.choice([kind for kind in usual if kind not in BROAD_ROOFS]))
    rest = [kind for kind in usual if kind != near]
    others = [str(kind) for kind in generator.choice(rest, 2, replace=False)]
    if telling:
        others[int(generator.integers(2))] = str(generator.choice(list(telling)))
    return [others[0], near, others[1]]


def _places(generator: np.random.Generator, params: LsParams) -> tuple[tuple[float, float], tuple[float, float]]:
    turn, drift = generator.uniform(-5, 5, 2)
    if params.composed:
        second = _offset(params.l2_appear, float(generator.uniform(420, 520)), float(turn))
        leg = _offset(params.drift_dir, float(generator.uniform(420, 620)), float(drift))
        return second, (second[0] + leg[0], second[1] + leg[1])
    near = float(generator.uniform(166, 176))
    far = float(generator.uniform(LEAST_RATIO * 1.01 * near, 1090))
    return _offset(params.l2_appear, near, float(turn)), _offset(params.drift_dir, far, float(drift))


def _trajectory(params: LsParams) -> str:
    way = f"{params.l2_appear}_then_{params.drift_dir}" if params.composed else params.drift_dir
    return f"climb_fly_{way}_descend"


def _reasoning(params: LsParams, where: str) -> str:
    way = f"{params.l2_appear} and then {params.drift_dir}" if params.composed else params.drift_dir
    return f"North is up on the screen. The camera flies {way}, so landmark 3 lies {where} of landmark 1."


def truth(graph: LsGraph) -> LsTruth:
    """Compute the ground truth from the places of the landmarks."""
    (x1, y1), (x2, y2), (x3, y3) = (graph.place(number) for number in (1, 2, 3))
    start = (x2, y2) if graph.params.composed else (x1, y1)
    where = octant(x3 - x1, y3 - y1)
    return LsTruth(
        L2_relative_to_L1=octant(x2 - x1, y2 - y1),
        drift_direction=octant(x3 - start[0], y3 - start[1]),
        L3_relative_to_L1=where,
        reasoning=_reasoning(graph.params, where),
    )


def tell(graph: LsGraph) -> Scenario:
    """Make the scenario: 2.3 s climb, 3.7 s flight and 2 s descent."""
    names = [each.label for each in graph.objects]
    one, two, three = names if len(names) == 3 else ("landmark 1", "landmark 2", "landmark 3")
    params = graph.params
    way = f"{params.l2_appear} over the {two}, then {params.drift_dir}" if params.composed else params.drift_dir
    return told(
        "North is up. Follow the camera's movements, and tell where landmark 3 lies as seen from landmark 1.",
        (Phase(name="climb", t0=0, t1=2.3, camera="climbs straight up, looking down"),
         f"A low view straight down on the {one}. The camera climbs until the {two} appears {params.l2_appear} of it."),
        (Phase(name="flight_and_descent", t0=2.3, t1=8, camera=f"flies {way}, then descends"),
         f"The camera flies {way} at one height until both are out of view, and descends on the {three}."),
    )  # fmt: skip


RULES = Rulebook("LS")


@RULES.rule("R1", "exactly three landmarks: 1, 2 and 3", "give each role one landmark")
def _counts(graph: LsGraph) -> Iterator[Fault]:
    yield from counted(graph, dict.fromkeys(("landmark_1", "landmark_2", "landmark_3"), 1))


@RULES.rule("R2", "the camera looks straight down all the time, with the North up, and flies high between two lows",
            "set type nadir flight, looks_down, and a high_height of at least twice low_height")  # fmt: skip
def _nadir(graph: LsGraph) -> Iterator[Fault]:
    camera = graph.camera_movement
    if camera.type != "nadir flight" or not camera.looks_down:
        yield "camera_movement", f"{camera.type}, looks_down {camera.looks_down}"
    if camera.high_height < 2 * camera.low_height:
        yield "camera_movement.high_height", camera.high_height
    if camera.trajectory != _trajectory(graph.params):
        yield "camera_movement.trajectory", camera.trajectory


@RULES.rule("R3", "the landmarks have three different rooftop shapes", "take another kind of landmark")
def _shapes(graph: LsGraph) -> Iterator[Fault]:
    seen: set[str] = set()
    for index, each in enumerate(graph.objects):
        if each.attributes.rooftop_shape in seen or each.attributes.type in seen:
            yield f"objects.{index}.attributes.rooftop_shape", each.attributes.rooftop_shape
        seen |= {each.attributes.rooftop_shape, each.attributes.type}


@RULES.rule("R4", "landmark 2 appears at l2_appear of landmark 1", "move landmark 2, or state its true direction")
def _second(graph: LsGraph) -> Iterator[Fault]:
    for index, each in enumerate(graph.objects):
        stated = each.attributes.position_relative_to_L1
        if each.role == "landmark_2" and stated != graph.params.l2_appear:
            yield f"objects.{index}.attributes.position_relative_to_L1", stated
        if each.role == "landmark_2" and octant(*each.place) != graph.params.l2_appear:
            yield f"objects.{index}.place", each.place
        if each.role == "landmark_1" and each.place != (0.0, 0.0):
            yield f"objects.{index}.place", each.place


@RULES.rule("R5", "landmark 3 is at least 6 times as far from landmark 1 as landmark 2 (comparable legs when composed)",
            "move landmark 3 further along drift_dir")  # fmt: skip
def _far(graph: LsGraph) -> Iterator[Fault]:
    places = {each.role: each.place for each in graph.objects}
    if len(places) < 3:
        return
    near, far = hypot(*places["landmark_2"]), hypot(*places["landmark_3"])
    if not graph.params.composed and far < LEAST_RATIO * near:
        yield "objects.2.place", f"{far:.0f} m against {near:.0f} m"
    if graph.params.composed:
        leg = hypot(*(a - b for a, b in zip(places["landmark_3"], places["landmark_2"], strict=True)))
        if not 0.5 <= leg / max(near, 1e-9) <= 2:
            yield "objects.2.place", f"legs of {near:.0f} m and {leg:.0f} m"


@RULES.rule("R6", "each direction is at least 12 degrees from the border of its octant",
            "move the landmark towards the middle of the octant")  # fmt: skip
def _margins(graph: LsGraph) -> Iterator[Fault]:
    for index, each in enumerate(graph.objects):
        if each.role != "landmark_1" and margin(*each.place) < MARGIN:
            yield f"objects.{index}.place", f"{margin(*each.place):.1f} degrees"


@RULES.rule("R7", "landmark 3 lies along drift_dir (from landmark 2 when composed)", "move landmark 3")
def _drift(graph: LsGraph) -> Iterator[Fault]:
    places = {each.role: each.place for each in graph.objects}
    if len(places) < 3:
        return
    start = places["landmark_2" if graph.params.composed else "landmark_1"]
    way = octant(places["landmark_3"][0] - start[0], places["landmark_3"][1] - start[1])
    if way != graph.params.drift_dir:
        yield "objects.2.place", way


def _pairs(composed: bool) -> Cycle:
    """Return all pairs of directions; composed pairs are those whose sum has a clear direction."""
    every = [
        {"l2_appear": COMPASS[k % 8], "drift_dir": COMPASS[k // 8], "composed": composed}
        for k in (STRIDE * index % 64 for index in range(64))
    ]
    if composed:  # turns by 90 degrees: the sum lies between both legs, so each single leg is a wrong answer
        turns = [(COMPASS.index(p["l2_appear"]) - COMPASS.index(p["drift_dir"])) % 8 for p in every]  # type: ignore[arg-type]
        every = [pair for pair, turn in zip(every, turns, strict=True) if turn in (2, 6)]
    return Cycle(tuple(every))


TASK = StageTask(
    code="LS_E_EXO_STA",
    name="Landmark Spatial Composition",
    graph=LsGraph,
    params=LsParams,
    cycles={"paper": _pairs(False), "extended": _pairs(True)},
    draw=draw,
    truth=truth,
    tell=tell,
    rules=RULES,
)
