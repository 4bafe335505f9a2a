"""DE: the clock direction back to the start after a walk around corners."""

import re
from collections.abc import Iterator
from math import atan2, degrees, hypot
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from chronotope.world.kinds.stage.graph.cycles import Cycle, crossed
from chronotope.world.kinds.stage.graph.rulebook import Fault, Rulebook, alike_colours, counted
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
from chronotope.world.kinds.stage.graph.vocabulary import draw_items

BAND = (0.58, 1.73)  # of the ratio of the legs: the start is then between 4 and 5 o'clock
LEGS = (3.5, 5.3)  # m
WALKS = 7.1  # s
CLEAR = {"L": 4.0, "U": 8.0, "Z": 4.0}  # degrees from the start to a full hour
HALF, BEYOND = 1.05, 2.5  # m: half the width of the corridor, and from where a leg ends to the wall behind its landmark
# s, in which the camera stands before and after the walk: as published, and in the extended profile, of which a scene
# takes the pair with which the middle of the clip is farthest from a turn.
PUBLISHED, STANDS = (0.0, 0.9), ((0.0, 0.9), (0.9, 0.9), (2.0, 0.9), (3.2, 0.9), (0.0, 2.2), (0.0, 3.4))
COMPASS = ("north", "east", "south", "west")
PACE = 2.0  # m/s, at most; people walk
RANGES = {"Right": "4-5 o'clock", "Left": "7-8 o'clock"}


class DeParams(Params):
    """The turn; in the extended profile, ``shape`` is the shape of the way, with turns to the other side or back."""

    turn_direction: Literal["Right", "Left"]
    shape: Literal["L", "U", "Z"] = "L"

    @property
    def turns(self) -> tuple[int, ...]:
        """Return the turns in order: 1 is to the right, -1 to the left."""
        first = 1 if self.turn_direction == "Right" else -1
        return {"L": (first,), "U": (first, first), "Z": (first, -first)}[self.shape]


class LandmarkAttributes(Part):
    """The looks of a landmark, and where it stands."""

    color: Colour
    position: Word
    type: Annotated[Word, Words("large things"), Ours()]


class LandmarkAt(SceneObject):
    """A large thing at the far end of a leg."""

    role: Literal["landmark_1", "landmark_2", "landmark_3"]
    attributes: LandmarkAttributes


class WalkPath(Camera):
    """A walk along straight legs (m) with right angles between them, at eye height (m)."""

    legs: Annotated[tuple[Annotated[float, Field(gt=0, le=50)], ...], Ours()]
    eye_height: Annotated[float, Field(gt=0, le=3), Ours()] = 1.6
    compass: Annotated[str, Ours()]


class DeTruth(Part):
    """Which way the walk turns, and where the start then is."""

    turn_direction: str
    relative_direction_to_start: str
    reasoning: str


class DeGraph(SceneGraph):
    """A corridor with corners, and a landmark at the end of each leg."""

    params: Annotated[DeParams, Ours()]
    objects: tuple[LandmarkAt, ...]
    camera_movement: WalkPath
    ground_truth: DeTruth


def clock_hour(legs: tuple[float, ...], turns: tuple[int, ...]) -> float:
    """Return the clock hour (0 to 12) of the start, seen from the end of a walk."""
    x = y = heading = 0.0
    for leg, turn in zip(legs, (*turns, 0), strict=True):
        x, y = x + leg * np.sin(heading), y + leg * np.cos(heading)
        heading += turn * np.pi / 2
    back = degrees(atan2(-x, -y) - heading)
    return (back / 30.0) % 12.0


def clock_range(hour: float) -> str:
    """Return the range of two full hours around an hour, such as "4-5 o'clock"."""
    low = int(hour) or 12
    return f"{low}-{low % 12 + 1} o'clock"


def draw(generator: np.random.Generator, params: DeParams, theme: str) -> dict[str, Any]:
    """Draw the parts of a graph."""
    count = len(params.turns) + 1
    things = draw_items(generator, "large things", count)
    turns = params.turns
    while True:
        scale = 1.0 if count == 2 else 0.7  # three legs are walked in the same time
        legs = tuple(round(float(generator.uniform(*LEGS)) * scale, 2) for _ in range(count))
        hour = clock_hour(legs, turns)
        apart_ = min(hour % 1, 1 - hour % 1) * 30  # degrees from a full hour
        if (
            _in_band(legs, params)
            and apart_ >= CLEAR[params.shape]
            and _back(legs, turns) > 1.5
            and _is_hidden(legs, params)
        ):
            break
    compass = "East" if params.turn_direction == "Right" else "West"
    ends = ("north wall, far end of segment 1", f"{compass.lower()} wall, far end of segment 2", "far end of segment 3")
    landmarks = tuple(
        LandmarkAt(
            id=f"landmark_{number}", label=f"{colour} {noun}", role=f"landmark_{number}",  # type: ignore[arg-type]
            attributes=LandmarkAttributes(color=colour, position=ends[number - 1], type=noun),
        )
        for number, (noun, colour) in enumerate(things, 1)
    )  # fmt: skip
    where = RANGES[params.turn_direction] if params.shape == "L" else clock_range(hour)
    return {
        "objects": landmarks,
        "camera_movement": WalkPath(
            type="walk", trajectory=f"{params.shape}_shaped_{params.turn_direction.lower()}", legs=legs, compass=compass
        ),
        "ground_truth": DeTruth(
            turn_direction=params.turn_direction,
            relative_direction_to_start=where,
            reasoning=_reasoning(params, where),
        ),
    }


def _in_band(legs: tuple[float, ...], params: DeParams) -> bool:
    return params.shape != "L" or BAND[0] * 1.03 < legs[0] / legs[1] < BAND[1] / 1.03


def _is_hidden(legs: tuple[float, ...], params: DeParams) -> bool:
    """Check that the end of the third leg cannot be seen from the first one, past both corners."""
    if params.shape != "Z":
        return True
    first, second, third = legs
    eyes = np.linspace(0.0, first, 40)
    # Lines from the eye to the far edge of the landmark pass the corner of the first leg, and then that of the third.
    aside, ahead = second + HALF, first + third + BEYOND - eyes
    at_first, at_third = (eyes + ahead * across / aside for across in (HALF, second - HALF))
    return bool(((at_first < first - HALF) | (at_third > first + HALF)).all())


def _back(legs: tuple[float, ...], turns: tuple[int, ...]) -> float:
    x = y = heading = 0.0
    for leg, turn in zip(legs, (*turns, 0), strict=True):
        x, y = x + leg * np.sin(heading), y + leg * np.cos(heading)
        heading += turn * np.pi / 2
    return hypot(x, y)


def _reasoning(params: DeParams, where: str) -> str:
    first = params.turn_direction.lower()
    then = {"L": "", "U": f", then {first} again", "Z": f", then {'left' if first == 'right' else 'right'}"}
    return f"After a turn to the {first}{then[params.shape]}, the start is at {where}."


def truth(graph: DeGraph) -> DeTruth:
    """Compute the ground truth from the legs of the walk."""
    params, camera = graph.params, graph.camera_movement
    legs = camera.legs
    where = clock_range(clock_hour(legs, params.turns)) if len(legs) == len(params.turns) + 1 else "unknown"
    turn = "Right" if camera.compass == "East" else "Left"
    return DeTruth(turn_direction=turn, relative_direction_to_start=where, reasoning=_reasoning(params, where))


def stands(graph: DeGraph) -> tuple[float, float]:
    """Return how long (s) the camera stands before and after the walk."""
    legs = graph.camera_movement.legs
    if graph.profile == "paper":
        return PUBLISHED
    turns = np.cumsum(legs[:-1]) / sum(legs) * WALKS

    def clear(pair: tuple[float, float]) -> float:
        return float(np.abs(turns - ((WALKS + pair[1] - pair[0]) / 2)).min(initial=WALKS))

    return max(STANDS, key=clear)


def tell(graph: DeGraph) -> Scenario:
    """Make the scenario: an even pace with a stop at the end, and perhaps one at the start."""
    params, legs = graph.params, graph.camera_movement.legs
    names = [each.label for each in graph.objects]
    before, after = stands(graph)
    turn_at = before + WALKS * legs[0] / sum(legs)
    ends = [round(turn_at - 0.6, 3), round(before + WALKS, 3), round(before + WALKS + after, 3)]
    walk, first = params.turn_direction.lower(), "stands, then walks" if before else "walks"
    more = "" if params.shape == "L" else " and once more around the next corner"
    landmark = names[-1] if names else "landmark"
    return told(
        "Keep track of the way walked, and tell in which direction the start lies from where the walk ends.",
        (Phase(name="setup", t0=0, t1=ends[0], camera=f"{first} straight at eye level"),
         f"The camera walks down a corridor towards the {names[0] if names else 'landmark'} at its far end."),
        (Phase(name="event", t0=ends[0], t1=ends[1], camera=f"turns {walk} and walks on"),
         f"The camera turns {walk} around the corner{more}, and walks towards the {landmark}."),
        (Phase(name="result", t0=ends[1], t1=ends[2], camera="stands still"),
         f"The camera stops in front of the {landmark}."),
    )  # fmt: skip


RULES = Rulebook("DE")


@RULES.rule("R1", "a landmark at the far end of each leg, and nothing else", "give each leg its own landmark")
def _counts(graph: DeGraph) -> Iterator[Fault]:
    count = len(graph.params.turns) + 1
    yield from counted(graph, {f"landmark_{number}": 1 for number in range(1, count + 1)})


@RULES.rule("R2", "the corridor has straight legs with right angles between them, so segment 2 is hidden at first",
            f"give one leg more than turns, each from 1.5 to 12 m long, and {PACE * WALKS:.1f} m in all")  # fmt: skip
def _corridor(graph: DeGraph) -> Iterator[Fault]:
    camera = graph.camera_movement
    if camera.type != "walk":
        yield "camera_movement.type", camera.type
    if len(camera.legs) != len(graph.params.turns) + 1:
        yield "camera_movement.legs", f"{len(camera.legs)} legs"
    for index, leg in enumerate(camera.legs):
        if not 1.5 <= leg <= 12:
            yield f"camera_movement.legs.{index}", leg
    if sum(camera.legs) > PACE * WALKS:
        yield "camera_movement.legs", f"{sum(camera.legs):.1f} m in {WALKS} s"


@RULES.rule("R3", "the walk turns to the side of the parameter: right goes on to the East, left to the West",
            "set compass and trajectory by params.turn_direction")  # fmt: skip
def _side(graph: DeGraph) -> Iterator[Fault]:
    params, camera = graph.params, graph.camera_movement
    if camera.compass != ("East" if params.turn_direction == "Right" else "West"):
        yield "camera_movement.compass", camera.compass
    if camera.trajectory != f"{params.shape}_shaped_{params.turn_direction.lower()}":
        yield "camera_movement.trajectory", camera.trajectory


@RULES.rule("R4", "the first leg is 0.58 to 1.73 times as long as the second, so the start is at 4-5 or 7-8 o'clock",
            "make the legs more alike")  # fmt: skip
def _band(graph: DeGraph) -> Iterator[Fault]:
    legs = graph.camera_movement.legs
    if graph.params.shape == "L" and len(legs) == 2 and not BAND[0] <= legs[0] / legs[1] <= BAND[1]:
        yield "camera_movement.legs", f"{legs[0]} m and {legs[1]} m"


@RULES.rule("R5", "the landmarks are large, and their colours are far apart", "take another landmark or colour")
def _landmarks(graph: DeGraph) -> Iterator[Fault]:
    yield from alike_colours(graph)


@RULES.rule("R6", "the start is not marked: no landmark stands there", "move the landmark to the far end of a segment")
def _unmarked(graph: DeGraph) -> Iterator[Fault]:
    for index, each in enumerate(graph.objects):
        if "far end" not in each.attributes.position or "start" in each.attributes.position.split():
            yield f"objects.{index}.attributes.position", each.attributes.position


@RULES.rule("R7", "landmark 1 is at the north wall, and landmark 2 at the east or west wall of the turn",
            "place landmark 1 in the north, and landmark 2 by params.turn_direction")  # fmt: skip
def _walls(graph: DeGraph) -> Iterator[Fault]:
    second = "east" if graph.params.turn_direction == "Right" else "west"
    for role, wall in (("landmark_1", "north"), ("landmark_2", second)):
        for each in graph.of_role(role):
            named = {word for word in COMPASS if re.search(rf"\b{word}\b", each.attributes.position.lower())}
            if named != {wall}:
                yield f"objects.{graph.objects.index(each)}.attributes.position", each.attributes.position


TASK = StageTask(
    code="DE_V_EGO_STA",
    name="Direction Estimation",
    graph=DeGraph,
    params=DeParams,
    cycles={
        "paper": Cycle(crossed(turn_direction=("Right", "Left"))),
        "extended": Cycle(crossed(turn_direction=("Right", "Left")), crossed(shape=("L", "U", "Z"))),
    },
    draw=draw,
    truth=truth,
    tell=tell,
    rules=RULES,
)
