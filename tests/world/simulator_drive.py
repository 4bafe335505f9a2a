"""The same actions for every controller of AI2-THOR, chosen from what it tells."""

import json
from functools import cache

import numpy as np
from thor_house import House

from chronotope.world import world_kinds
from chronotope.world.homes.document import document_of
from chronotope.world.homes.draw_plan import draw_plan
from chronotope.world.homes.furnish import furnish
from chronotope.world.homes.operations import STATE_ACTIONS, abilities, refusal
from chronotope.world.homes.scenery import FIELD, film_set_of
from chronotope.world.simulator import Event
from chronotope.world.simulator.thor import ThorSimulator

# Capability flag, state, and the actions that set it; an action that can be undone is followed by the one that does so.
FLAGS = (
    ("openable", "isOpen", ("OpenObject", {"openness": 0.5}), ("CloseObject", {})),
    ("toggleable", "isToggled", ("ToggleObjectOn", {}), ("ToggleObjectOff", {})),
    ("dirtyable", "isDirty", ("DirtyObject", {}), ("CleanObject", {})),
    ("canFillWithLiquid", "isFilledWithLiquid", ("FillObjectWithLiquid", {"fillLiquid": "coffee"}),
     ("EmptyLiquidFromObject", {})),
    ("sliceable", "isSliced", ("SliceObject", {}), None),
    ("cookable", "isCooked", ("CookObject", {}), None),
    ("canBeUsedUp", "isUsedUp", ("UseUpObject", {}), None),
    ("breakable", "isBroken", ("BreakObject", {}), None),
)  # fmt: skip


@cache
def rich_home():
    """A home in which every change of state is possible, with its shell and the quality of its pictures."""
    for seed in (1, *range(60)):  # the first one suffices
        generator = np.random.default_rng(seed)
        home = furnish(generator, draw_plan(generator, 3))
        things = [(abilities(each), each.state) for each in home]
        possible = {action for action in STATE_ACTIONS for each in things if refusal(*each, action) is None}
        if possible | {"EmptyLiquidFromObject"} == set(STATE_ACTIONS):
            return home, film_set_of(generator, home), world_kinds()["house"].qualities["fast"]
    raise AssertionError("no home has things for every change of state")


def thor_simulator(home):
    """AI2-THOR in the house file of a home, with a controller that needs no Unity."""
    return ThorSimulator(House(json.loads(document_of(home).text()), 160, 120, FIELD))


def rich_house():
    """AI2-THOR in the home in which every change of state is possible."""
    return thor_simulator(rich_home()[0])


def free_to_walk(points):
    """Two points of the grid, the second 0.25 m ahead of the first in z."""
    known = {(round(each["x"], 2), round(each["z"], 2)): each for each in points}
    return next(
        (each, known[ahead]) for (x, z), each in sorted(known.items()) if (ahead := (x, round(z + 0.25, 2))) in known
    )


def drive(simulator: ThorSimulator) -> list[Event]:
    """Carry out every action at least once; the last ones fail."""
    events = [simulator.last_event]

    def step(action, **parameters):
        events.append(simulator.step(action, **parameters))
        return events[-1]

    points = step("GetReachablePositions").metadata["actionReturn"]
    start, _ = free_to_walk(points)
    step("Teleport", position=start, rotation=0.0)
    step("MoveAhead", moveMagnitude=0.25)
    step("RotateRight", degrees=30.0)
    step("RotateLeft", degrees=120.0)
    for flag, state, change, back in FLAGS:
        able = [
            each
            for each in simulator.last_event.metadata["objects"]
            if each[flag] and not each[state] and not each["isBroken"]
        ]
        action, parameters = change
        # Some changes need room, such as the pieces of a broken thing.
        found = next(each for each in able if step(action, objectId=each["objectId"], **parameters).success)
        if back is not None:
            step(back[0], objectId=found["objectId"], **back[1])
    rearrange(simulator, step)
    step("SliceObject", objectId="Nothing|0|0")
    step("MoveAhead", moveMagnitude=100.0)
    step("OpenObject", objectId="Nothing|0|0", openness=2.0)
    step("JumpAhead")
    return events


def rearrange(simulator, step):
    """Move a thing on its receptacle, put another one of its type there, and take that away again."""
    for thing in simulator.last_event.metadata["objects"]:
        if not thing["pickupable"] or thing["receptacleObjectIds"] or not thing["parentReceptacles"]:
            continue
        points = step("GetSpawnCoordinatesAboveReceptacle", objectId=thing["parentReceptacles"][0])
        free = iter(points.metadata["actionReturn"] or ())
        if not any(step("PlaceObjectAtPoint", objectId=thing["objectId"], position=point).success for point in free):
            continue
        new = {"objectType": thing["objectType"], "objectId": f"{thing['objectType']}|surface|0|99", "seed": 3}
        if any(step("AddObject", position=point, **new).success for point in free):
            step("RemoveObject", objectId=new["objectId"])
            return
    raise AssertionError("no thing of this home can be moved and added")
