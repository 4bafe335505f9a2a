"""The scene graph: its types, parameters, ground truth, scenario and rules."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np

from chronotope.world.kinds.stage.graph import structure
from chronotope.world.kinds.stage.graph.cycles import Cycle, crossed
from chronotope.world.kinds.stage.graph.rulebook import Fault, Rulebook, counted
from chronotope.world.kinds.stage.graph.scenarios import Phase, Scenario, ScriptEvent, told
from chronotope.world.kinds.stage.graph.stage_task import StageTask
from chronotope.world.kinds.stage.graph.vocabulary import draw_items


class JnParams(structure.Params):
    """The side from which the crossing vehicle comes, and the role of the vehicle that waits."""

    side: Literal["Left", "Right"]
    waits: Literal["near", "crossing"]


class Looks(structure.Part):
    """The looks of a vehicle; drawn graphs have colours and types that streets can draw."""

    color: structure.Colour
    type: Annotated[structure.Word, structure.Words("vehicles")]


class Vehicle(structure.SceneObject):
    """A vehicle: one comes from the camera's end of the junction, the other crosses its way."""

    role: Literal["near", "crossing"]
    attributes: Looks


class JnTruth(structure.Part):
    """The ids of the vehicles in the order in which they pass the junction, and why."""

    order: tuple[str, ...]
    waiting: str
    reasoning: structure.Prose


class JnGraph(structure.SceneGraph):
    """Two vehicles at a junction."""

    params: Annotated[JnParams, structure.Ours()]
    objects: tuple[Vehicle, ...]
    ground_truth: JnTruth


def draw(generator: np.random.Generator, params: JnParams, theme: str) -> dict[str, Any]:
    """Draw the parts of a graph."""
    looks = draw_items(generator, "vehicles", 2)
    vehicles = tuple(
        Vehicle(id=role, label=f"{colour} {noun}", role=role, attributes=Looks(color=colour, type=noun))
        for role, (noun, colour) in zip(("near", "crossing"), looks, strict=True)
    )
    return {
        "objects": vehicles,
        "camera_movement": structure.Camera(type="fixed", trajectory="none"),
        "ground_truth": _truth(vehicles, params),
    }


def _truth(vehicles: tuple[Vehicle, ...], params: JnParams) -> JnTruth:
    goes, waits = sorted(vehicles, key=lambda vehicle: vehicle.role == params.waits)
    return JnTruth(
        order=(goes.id, waits.id),
        waiting=waits.id,
        reasoning=f"The {waits.label} stops until the {goes.label} is gone.",
    )


def tell(graph: JnGraph) -> Scenario:
    """Make the scenario."""
    by_id = {vehicle.id: vehicle.label for vehicle in graph.objects}
    first, second = graph.ground_truth.order

    def phase(name: str, t0: float, t1: float, *movers: str) -> Phase:
        events = tuple(ScriptEvent(kind="move", object=mover, t0=t0, t1=t1) for mover in movers)
        return Phase(name=name, t0=t0, t1=t1, camera="stays above the road", events=events)

    return told(
        "Tell which vehicle waits for the other.",
        (phase("approach", 0, 2.6, first, second), "Two vehicles come to a junction, and one brakes."),
        (phase("first_passes", 2.6, 5, first), f"The {by_id[first]} passes; the {by_id[second]} stands."),
        (phase("second_follows", 5, 8, second), f"The {by_id[second]} drives on."),
    )


RULES = Rulebook("JN")


@RULES.rule("R1", "one vehicle on each way", "give each role one object")
def _counts(graph: JnGraph) -> Iterator[Fault]:
    yield from counted(graph, {"near": 1, "crossing": 1})


@RULES.rule("R2", "the vehicles differ in colour and in type", "change the colour or the type of one")
def _unlike(graph: JnGraph) -> Iterator[Fault]:
    one, other = (vehicle.attributes for vehicle in graph.objects)
    if one.color == other.color or one.type == other.type:
        yield "objects.1.attributes", graph.objects[1].label


def lay(*of: Any) -> Any:
    """Lay out the scene; what draws is imported only then."""
    from junction import stage

    return stage.lay(*of)


CYCLE = Cycle(crossed(side=("Left", "Right"), waits=("near", "crossing")))
TASK = StageTask(
    code="JN_E_EXO_DYN",
    name="Yielding at a Junction",
    graph=JnGraph,
    params=JnParams,
    cycles={"paper": CYCLE, "extended": CYCLE},
    draw=draw,
    truth=lambda graph: _truth(graph.objects, graph.params),
    tell=tell,
    rules=RULES,
    pool="RV",
    lay=lay,
)
