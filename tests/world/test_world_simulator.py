"""What holds for every scene of AI2-THOR, recorded or simulated: the same actions, keys, types and units."""

import json
import os
import types
from dataclasses import replace
from functools import cache
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np
import pytest
from pydantic import TypeAdapter
from simulator_drive import FLAGS, drive, rich_home, rich_house
from thor_replay import Answers, Replay

from chronotope.errors import InputError
from chronotope.families.m3.release._truth_files import ObjectRecord as ReadRecord
from chronotope.world.homes.explore import EYE_HEIGHT, camera_poses
from chronotope.world.homes.scenery import walk_over, walk_through
from chronotope.world.simulator.actions import ACTIONS, checked
from chronotope.world.simulator.events import EYE_ABOVE_AGENT
from chronotope.world.simulator.film import reachable_grid, walk
from chronotope.world.simulator.metadata import Metadata, ObjectRecord
from chronotope.world.simulator.thor import ThorSimulator, open_thor

AGENT_HEIGHT = 0.901  # m above the floor
STATES = {
    "openness", "isOpen", "isSliced", "isBroken", "isToggled", "isDirty", "isCooked", "isFilledWithLiquid",
    "fillLiquid", "isUsedUp",
}  # fmt: skip


BUILD = os.environ.get("CHRONOTOPE_THOR_BUILD")  # path of a Unity build of AI2-THOR
KINDS = ["house", "recorded", *(["thor"] if BUILD else [])]


@pytest.fixture(scope="module", params=KINDS)
def driven(request):
    """The events of each kind of controller, after all actions."""
    if request.param == "thor":
        with open_thor("FloorPlan1", rich_home()[2], 120.0, local_executable_path=BUILD) as simulator:
            yield drive(simulator)
    elif request.param == "house":
        yield drive(rich_house())
    else:
        replay = Replay()
        yield drive(ThorSimulator(replay))
        assert next(replay.steps, None) is None, "all recorded steps were asked for"


@pytest.mark.skipif(not BUILD, reason="CHRONOTOPE_THOR_BUILD names no Unity build of AI2-THOR")
def test_ai2thor_itself_draws_what_it_tells():
    with open_thor("FloorPlan1", rich_home()[2], 120.0, local_executable_path=BUILD) as simulator:
        event = simulator.step("RotateRight", degrees=90.0)
        assert event.success
        assert len(np.unique(event.identities)) > 3
        assert 0.05 < np.nanmin(event.depth_frame) < np.nanmax(event.depth_frame) < 20


hints_of = cache(get_type_hints)


def fits(value, wanted):
    """Whether a value is exactly of an annotated type."""
    if wanted is Any:
        return True
    if is_typeddict(wanted):
        hints = hints_of(wanted)
        return type(value) is dict and set(value) == set(hints) and all(fits(value[key], hints[key]) for key in hints)
    if get_origin(wanted) in (Union, types.UnionType):
        return any(fits(value, each) for each in get_args(wanted))
    if get_origin(wanted) is list:
        return type(value) is list and all(fits(each, get_args(wanted)[0]) for each in value)
    return type(value) is wanted


def pairs(driven, action):
    """The events before and after each time that an action was carried out."""
    return [(one, other) for one, other in pairwise(driven) if other.success and other.metadata["lastAction"] == action]


def changed_records(before, after):
    """The changed fields of each object, by its id."""
    assert before.objects.keys() == after.objects.keys()
    return {
        name: {key for key in record if record[key] != after.objects[name][key]}
        for name, record in before.objects.items()
        if record != after.objects[name]
    }


def test_every_action_is_carried_out(driven):
    assert {event.metadata["lastAction"] for event in driven if event.success} == {*ACTIONS, "Initialize"}


def test_metadata_have_the_keys_and_the_types_of_the_interface(driven):
    assert fits(driven[0].metadata, Metadata)
    for before, after in pairwise(driven):
        assert fits({**after.metadata, "objects": []}, Metadata), after.metadata["lastAction"]
        assert all(fits(each, ObjectRecord) for name, each in after.objects.items() if before.objects.get(name) != each)


def test_the_reader_of_scene_files_accepts_every_record(driven):
    for record in driven[-1].metadata["objects"]:
        read = TypeAdapter(ReadRecord).validate_json(json.dumps(record), strict=True)
        assert read.object_type == record["objectType"]


def test_boxes_are_in_metres_and_states_agree(driven):
    for record in (record for event in (driven[0], driven[-1]) for record in event.metadata["objects"]):
        box = record["axisAlignedBoundingBox"]
        corners = np.array(box["cornerPoints"])
        assert corners.shape == (8, 3)
        centre, size = ([box[key][axis] for axis in "xyz"] for key in ("center", "size"))
        assert np.ptp(corners, axis=0) == pytest.approx(size, abs=1e-4)
        assert corners.mean(axis=0) == pytest.approx(centre, abs=1e-4)
        assert 1e-3 < max(size) < 6
        turned = record["objectOrientedBoundingBox"]
        if turned is not None:
            assert np.array(turned["cornerPoints"]).shape == (8, 3)
            assert np.array(turned["cornerPoints"]).mean(axis=0) == pytest.approx(centre, abs=1e-3)
            lower, upper = np.array(turned["cornerPoints"])[:, 1].reshape(2, 4).mean(axis=1)
            assert upper - lower == pytest.approx(size[1], abs=1e-2), "the four lower corners come first"
        assert 0 <= record["openness"] <= 1
        assert record["isOpen"] == (record["openness"] > 0)
        assert record["isFilledWithLiquid"] == (record["fillLiquid"] is not None)
        assert record["receptacle"] == (record["receptacleObjectIds"] is not None)
        assert 0 <= record["rotation"]["y"] < 360


def test_receptacles_and_what_they_hold_name_each_other(driven):
    for event in (driven[0], driven[-1]):
        carried = {
            (each["objectId"], parent)
            for each in event.metadata["objects"]
            for parent in each["parentReceptacles"] or ()
        }
        holding = {
            (name, each["objectId"]) for each in event.metadata["objects"] for name in each["receptacleObjectIds"] or ()
        }
        assert carried == holding


def test_the_agent_stands_on_the_floor_and_sees_from_the_height_of_its_eyes(driven):
    for event in driven:
        assert event.metadata["agent"]["position"]["y"] == pytest.approx(AGENT_HEIGHT, abs=1e-3)
        assert event.camera[2, 3] == pytest.approx(EYE_HEIGHT, abs=1e-3)
        assert event.camera[:2, 3] == pytest.approx(event.pose[:2])
        ahead = [np.cos(event.pose[2]), np.sin(event.pose[2]), 0.0]
        assert event.camera[:3, 2] == pytest.approx(ahead, abs=1e-6)
    assert pytest.approx(EYE_HEIGHT) == AGENT_HEIGHT + EYE_ABOVE_AGENT


def test_moves_are_in_metres_and_turns_in_degrees_clockwise(driven):
    for before, after in pairs(driven, "MoveAhead"):
        yaw = np.radians(before.metadata["agent"]["rotation"]["y"])
        one, other = (event.metadata["agent"]["position"] for event in (before, after))
        assert other["x"] - one["x"] == pytest.approx(0.25 * np.sin(yaw), abs=1e-3)
        assert other["z"] - one["z"] == pytest.approx(0.25 * np.cos(yaw), abs=1e-3)
        assert after.pose[:2] - before.pose[:2] == pytest.approx(
            0.25 * np.array([np.cos(before.pose[2]), np.sin(before.pose[2])]), abs=1e-3
        )
    for action, degrees in (("RotateRight", 30), ("RotateLeft", -120)):
        [(before, after)] = pairs(driven, action)
        turned = after.metadata["agent"]["rotation"]["y"] - before.metadata["agent"]["rotation"]["y"]
        assert (turned - degrees + 180) % 360 == pytest.approx(180, abs=1e-3)


@pytest.mark.parametrize(("flag", "state", "change", "back"), FLAGS, ids=[each[0] for each in FLAGS])
def test_an_action_on_an_object_sets_its_state_and_nothing_else(driven, flag, state, change, back):
    for action, value in ((change, True), (back, False)):
        if action is None:
            continue
        for before, after in pairs(driven, action[0]):
            changed = changed_records(before, after)
            [name] = [name for name, keys in changed.items() if state in keys]
            assert after.objects[name][flag] and after.objects[name][state] is value
            assert all(not keys & STATES for other, keys in changed.items() if other != name)
    [(_, opened)] = pairs(driven, "OpenObject")
    assert 0.5 in {each["openness"] for each in opened.metadata["objects"]}
    [(_, filled)] = pairs(driven, "FillObjectWithLiquid")
    assert "coffee" in {each["fillLiquid"] for each in filled.metadata["objects"]}


def test_a_thing_is_put_where_it_was_asked_for(driven):
    for before, after in pairs(driven, "PlaceObjectAtPoint"):
        points = before.metadata["actionReturn"] or ()
        [(name, keys)] = [each for each in changed_records(before, after).items() if "position" in each[1]]
        assert not keys & STATES
        box = after.objects[name]["axisAlignedBoundingBox"]
        bottom = box["center"]["y"] - box["size"]["y"] / 2
        assert not points or any(
            abs(point["x"] - box["center"]["x"]) < 1e-3
            and abs(point["z"] - box["center"]["z"]) < 1e-3
            and abs(point["y"] - bottom) < 0.06
            for point in points
        )
    [(before, after)] = pairs(driven, "AddObject")
    [new] = after.objects.keys() - before.objects.keys()
    assert after.metadata["actionReturn"] == new
    [(before, after)] = pairs(driven, "RemoveObject")
    assert before.objects.keys() - after.objects.keys() == {new}


def test_a_failed_action_changes_nothing_and_says_why(driven):
    failed = [(one, other) for one, other in pairwise(driven) if not other.success]
    assert len(failed) >= 4
    for before, after in failed:
        assert after.metadata["errorMessage"]
        assert after.metadata["actionReturn"] is None
        assert after.metadata["agent"] == before.metadata["agent"]
        assert after.metadata["objects"] == before.metadata["objects"]
    assert all(event.metadata["errorMessage"] == "" for event in driven if event.success)


@pytest.mark.usefixtures("drawable")
def test_pictures_have_their_types_and_units():
    simulators = [rich_house(), ThorSimulator(Replay())]
    for simulator in simulators:
        event = simulator.last_event
        height, width = event.depth_frame.shape
        assert (event.frame.dtype, event.frame.shape) == (np.uint8, (height, width, 3))
        assert event.depth_frame.dtype == np.float32
        assert 0.01 < np.nanmin(event.depth_frame) <= np.nanmax(event.depth_frame) < 33
        assert (event.identities.dtype, event.identities.shape) == (np.uint16, (height, width))
        assert event.identities.max() <= len(event.object_ids)
        assert event.object_ids == tuple(event.objects)
        simulator.close()


@pytest.mark.parametrize("name", ["house", "recorded"])
def test_exploration_asks_any_simulator_for_its_grid(name):
    simulator = rich_house() if name == "house" else ThorSimulator(Replay())
    grid = reachable_grid(simulator)
    points = [(each["x"], each["z"]) for each in simulator.last_event.metadata["actionReturn"]]
    assert sorted(map(tuple, np.round(grid.points(grid.cells), 3).tolist())) == sorted(
        (round(x, 3), round(z, 3)) for x, z in points
    )


class Shifted:
    """A simulator whose points are elsewhere."""

    def __init__(self, shift):
        self.shift = shift

    def step(self, action):
        points = [{"x": x + self.shift(number), "y": 0.9, "z": 0.1} for number, x in enumerate((0.0, 0.25, 0.5))]
        return SimpleNamespace(success=True, metadata={"actionReturn": points})


def test_exploration_takes_any_grid_of_its_step_and_nothing_else():
    grid = reachable_grid(Shifted(lambda number: 0.07))
    assert grid.points(grid.cells) == pytest.approx(np.array([[0.07, 0.1], [0.32, 0.1], [0.57, 0.1]]))
    with pytest.raises(InputError, match=r"not on a grid of 0.25 m: start it with gridSize=0.25"):
        reachable_grid(Shifted(lambda number: 0.1 * number))
    with pytest.raises(InputError, match="no point where the agent can stand"):
        reachable_grid(SimpleNamespace(step=lambda _: SimpleNamespace(success=True, metadata={"actionReturn": []})))


def test_a_walk_in_the_simulator_is_the_walk_of_exploration():
    home, simulator = rich_home()[0], rich_house()
    route = walk_over(np.random.default_rng(7), reachable_grid(simulator), home.plan.rooms)
    expected = walk_through(np.random.default_rng(7), home)
    assert route.actions == expected.actions and route.poses == pytest.approx(expected.poses)
    events = list(walk(simulator, route))
    assert np.array([event.pose for event in events]) == pytest.approx(route.poses)
    assert np.array([event.camera for event in events]) == pytest.approx(camera_poses(route), abs=1e-9)
    blocked = replace(route, actions=("MoveAhead",) * 200)
    with pytest.raises(InputError, match="the simulator refused MoveAhead: "):
        list(walk(simulator, blocked))


WRONG = {
    "an unknown action": ("Jump", {}, "no action 'Jump': choose one of GetReachablePositions, "),
    "an unknown parameter": ("MoveAhead", {"metres": 1}, "MoveAhead: no parameter 'metres': expected moveMagnitude"),
    "a parameter of an action without any": (
        "GetReachablePositions", {"x": 1}, "GetReachablePositions: no parameter 'x': expected no parameters",
    ),
    "a missing parameter": (
        "SliceObject", {}, "SliceObject: the parameter 'objectId' is missing: expected the id of an object",
    ),
    "no id": ("SliceObject", {"objectId": 3}, "SliceObject: objectId is 3: expected the id of an object"),
    "no distance": (
        "MoveAhead", {"moveMagnitude": -1}, "MoveAhead: moveMagnitude is -1: expected metres above 0",
    ),
    "no angle": ("RotateLeft", {"degrees": 270}, "RotateLeft: degrees is 270: expected degrees above 0, at most 180"),
    "no number": ("RotateLeft", {"degrees": True}, "RotateLeft: degrees is True: expected degrees above 0, at most"),
    "no finite number": (
        "MoveAhead", {"moveMagnitude": float("nan")}, "MoveAhead: moveMagnitude is nan: expected metres above 0",
    ),
    "no openness": (
        "OpenObject", {"objectId": "a", "openness": 0}, "OpenObject: openness is 0: expected a number above 0, at most",
    ),
    "no liquid": (
        "FillObjectWithLiquid", {"objectId": "a", "fillLiquid": "milk"},
        "FillObjectWithLiquid: fillLiquid is 'milk': expected one of water, coffee, wine",
    ),
    "no point": (
        "PlaceObjectAtPoint", {"objectId": "a", "position": {"x": 0, "y": 1}},
        "PlaceObjectAtPoint: position is {'x': 0, 'y': 1}: expected a point with finite numbers x, y and z in metres",
    ),
    "a steep view": (
        "Teleport", {"position": {"x": 0, "y": 0, "z": 0}, "rotation": 0, "horizon": 80},
        "Teleport: horizon is 80: expected degrees from -30 to 60",
    ),
    "only visible points": (
        "GetSpawnCoordinatesAboveReceptacle", {"objectId": "a", "anywhere": False},
        "GetSpawnCoordinatesAboveReceptacle: anywhere is False: expected True, because points are listed whether they",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", WRONG)
def test_a_mistake_in_an_action_is_told_in_one_sentence(mistake):
    action, parameters, sentence = WRONG[mistake]
    with pytest.raises(InputError) as caught:
        checked(action, parameters)
    assert str(caught.value).startswith(sentence) and "\n" not in str(caught.value)
    told = ThorSimulator(Answers()).step(action, **parameters)
    assert not told.success and told.metadata["errorMessage"] == str(caught.value)


def test_parameters_that_are_not_given_have_the_values_of_exploration():
    assert checked("MoveAhead", {}) == {"moveMagnitude": 0.25}
    assert checked("RotateRight", {}) == {"degrees": 30.0}
    assert checked("OpenObject", {"objectId": "a"}) == {"objectId": "a", "openness": 1.0}
