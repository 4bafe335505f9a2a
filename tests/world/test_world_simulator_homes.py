"""The simulator of our own homes: its floor, its boxes, its changes of state, and its pictures."""

from dataclasses import replace

import numpy as np
import pytest
from simulator_drive import rich_home

from chronotope.errors import InputError
from chronotope.world.catalogue.homes import HomeState
from chronotope.world.explore import camera_poses, explore, largest_component
from chronotope.world.kinds.house.home import HomeObject
from chronotope.world.kinds.house.operations import STATE_ACTIONS, ImpossibleError, put, spawn_points
from chronotope.world.kinds.house.scenery import free_floor
from chronotope.world.render import render
from chronotope.world.simulator.actions import ACTIONS, checked
from chronotope.world.simulator.homes import HomeSimulator, open_home
from chronotope.world.simulator.thor import ThorSimulator
from chronotope.world.simulator.walks import plan_route, walk

LAST = ["FillObjectWithLiquid", "EmptyLiquidFromObject", "BreakObject"]  # shards allow nothing more
IN_ORDER = [*(each for each in STATE_ACTIONS if each not in LAST), *LAST]
VALUES = {"OpenObject": {"openness": 0.5}, "FillObjectWithLiquid": {"fillLiquid": "wine"}}
STATES = {
    "isOpen", "isSliced", "isBroken", "isToggled", "isDirty", "isCooked", "isFilledWithLiquid", "isUsedUp",
}  # fmt: skip
FOLLOWS = {  # what may change with the shape of an object
    "axisAlignedBoundingBox", "objectOrientedBoundingBox", "position", "openness", "fillLiquid", "receptacle",
    "receptacleObjectIds",
}  # fmt: skip


@pytest.fixture
def simulator():
    with open_home(*rich_home()) as opened:
        yield opened


def places(points):
    return np.array(sorted((each["x"], each["z"]) for each in points))


def test_the_agent_reaches_the_grid_of_exploration(simulator):
    grid = largest_component(free_floor(rich_home()[0]))
    listed = simulator.step("GetReachablePositions").metadata["actionReturn"]
    assert places(listed) == pytest.approx(np.array(sorted(map(tuple, grid.points(grid.cells).tolist()))))


def test_a_step_ahead_and_back_ends_where_it_began(simulator):
    listed = simulator.step("GetReachablePositions").metadata["actionReturn"]
    known = {(each["x"], each["z"]) for each in listed}
    generator = np.random.default_rng(0)
    moved = 0
    for _ in range(60):
        place, yaw = listed[generator.integers(len(listed))], 90.0 * generator.integers(4)
        start = simulator.step("Teleport", position=place, rotation=yaw)
        ahead = (place["x"] + 0.25 * np.sin(np.radians(yaw)), place["z"] + 0.25 * np.cos(np.radians(yaw)))
        is_free = any(np.allclose(ahead, each) for each in known)
        assert simulator.step("MoveAhead").success == is_free
        if is_free:
            moved += 1
            for _ in range(6):
                simulator.step("RotateRight")
            simulator.step("MoveAhead")
            for _ in range(2):
                simulator.step("RotateLeft", degrees=90.0)
        assert simulator.last_event.metadata["agent"] == start.metadata["agent"]
    assert 20 < moved < 60


def test_the_agent_keeps_to_the_grid(simulator):
    simulator.step("RotateRight", degrees=30.0)
    assert "at a yaw of 30 degrees" in simulator.step("MoveAhead").metadata["errorMessage"]
    simulator.step("RotateLeft", degrees=30.0)
    assert "in steps of 0.25 m" in simulator.step("MoveAhead", moveMagnitude=0.3).metadata["errorMessage"]
    place = simulator.last_event.metadata["agent"]["position"]
    for shift in (0.1, -50.0):
        told = simulator.step("Teleport", position={**place, "x": place["x"] + shift}, rotation=0.0)
        assert told.metadata["errorMessage"] == "the agent cannot stand at this position"


def test_boxes_agree_with_the_shapes_and_the_poses(simulator):
    home, records = rich_home()[0], simulator.last_event.objects
    assert records.keys() == home.objects.keys()
    for thing in home:
        record, pose = records[thing.id], thing.thing_pose
        vertices = np.concatenate([piece.vertices for piece in thing.made.thing.pieces])
        local = np.stack([np.ptp(vertices, axis=0), np.abs(vertices).max(axis=0)])
        vertices = (vertices @ pose[:3, :3].T + pose[:3, 3])[:, [0, 2, 1]]
        turned = np.array(record["objectOrientedBoundingBox"]["cornerPoints"])
        sides = np.sort([np.linalg.norm(turned[other] - turned[0]) for other in (1, 3, 4)])
        assert sides == pytest.approx(np.sort(local[0]), abs=1e-5), "the box is as large as the shape"
        assert local[1] == pytest.approx(local[0] / 2, abs=1e-5)
        aligned = np.array(record["axisAlignedBoundingBox"]["cornerPoints"])
        low, high = aligned.min(axis=0), aligned.max(axis=0)
        assert turned.min(axis=0) == pytest.approx(low, abs=1e-5)
        assert turned.max(axis=0) == pytest.approx(high, abs=1e-5)
        assert (low - 1e-5 <= vertices).all() and (vertices <= high + 1e-5).all()
        assert vertices[:, 1].min() == pytest.approx(low[1], abs=1e-5)
        front, yaw = pose[:3, 0], np.radians(record["rotation"]["y"])
        assert (front[0], front[1]) == pytest.approx((np.sin(yaw), np.cos(yaw)), abs=1e-6)
        assert [record["position"][axis] for axis in "xyz"] == pytest.approx(pose[[0, 2, 1], 3], abs=1e-5)


def test_each_action_flips_exactly_one_flag_of_one_object(simulator):
    tried = set()
    for name in rich_home()[0].objects:
        for action in IN_ORDER:
            before = simulator.last_event
            after = simulator.step(action, objectId=name, **VALUES.get(action, {}))
            if not after.success:
                continue
            tried.add(action)
            one, other = before.objects[name], after.objects[name]
            changed = {key for key in one if one[key] != other[key]}
            flipped = {key for key in changed & STATES if other[key] or action != "BreakObject"}
            assert len(flipped) == 1 or (action == "OpenObject" and one["isOpen"] and flipped == set()), (name, action)
            assert changed <= FOLLOWS | (STATES if action == "BreakObject" else flipped)
            assert {**before.objects, name: None} == {**after.objects, name: None}
    assert tried == set(STATE_ACTIONS)


def wrong_actions(simulator):
    """Actions that must fail, whatever the home is."""
    records = simulator.last_event.metadata["objects"]
    for action, kind in ACTIONS.items():
        if kind.forced:
            yield action, {"objectId": "Unicorn|1|0", **VALUES.get(action, {})}
    for action, rule in STATE_ACTIONS.items():
        for record in records:
            if not record[rule.flag]:
                yield action, {"objectId": record["objectId"], **VALUES.get(action, {})}
    for record in records:
        if record["receptacleObjectIds"] or not record["pickupable"]:
            yield "RemoveObject", {"objectId": record["objectId"]}
        if not record["receptacle"]:
            yield "GetSpawnCoordinatesAboveReceptacle", {"objectId": record["objectId"]}
        yield "PlaceObjectAtPoint", {"objectId": record["objectId"], "position": {"x": 0.0, "y": 9.0, "z": 0.0}}
        new = {"objectType": "Mug", "objectId": record["objectId"], "position": record["position"]}
        yield "AddObject", new
    yield "AddObject", {"objectType": "Unicorn", "objectId": "Unicorn|1|0", "position": {"x": 0.0, "y": 0.0, "z": 0.0}}
    yield "MoveAhead", {"moveMagnitude": 100.0}


def test_a_failed_action_changes_nothing(simulator):
    start, home = simulator.last_event, simulator.home
    for action, parameters in wrong_actions(simulator):
        told = simulator.step(action, **parameters)
        assert not told.success, (action, parameters)
        assert "  " not in told.metadata["errorMessage"] and len(told.metadata["errorMessage"]) > 10
        assert told.metadata["objects"] == start.metadata["objects"]
        assert told.metadata["agent"] == start.metadata["agent"]
    assert simulator.home is home


def test_a_thing_that_is_put_lies_on_its_shelf_and_touches_nothing():
    home = rich_home()[0]
    generator, placed = np.random.default_rng(4), 0
    receptacles = [each for each in home if any(not shelf.closed for shelf in each.shelves)]
    small = [each for each in home if each.can("pickupable") and not home.children(each.id)]
    for _ in range(250):
        thing, receptacle = small[generator.integers(len(small))], receptacles[generator.integers(len(receptacles))]
        points = spawn_points(receptacle)
        point = points[generator.integers(len(points))]
        try:
            after = put(home, thing, point).objects[thing.id]
        except ImpossibleError:
            continue
        placed += 1
        assert (after.parent, after.room) == (receptacle.id, receptacle.room)
        assert after.heights()[0] == pytest.approx(point[2], abs=2e-4)
        assert after.thing_pose[:2, 3] == pytest.approx(point[:2], abs=1e-5)
        shelf, pose = receptacle.shelves[after.shelf], receptacle.pose
        corners = (after.footprint() - pose[:2, 3]) @ pose[:2, :2] - shelf.centre[:2]
        assert (np.abs(corners) <= np.array([shelf.length, shelf.width]) / 2 + 1e-6).all()
        assert after.made.thing.size[2] <= shelf.clear
        others = [
            each for each in home.without(thing.id) if not home.carries(each.id, after) and each.id != after.parent
        ]
        assert not any(after.meets(each) for each in others if not home.with_object(after).carries(each.id, after))
    assert placed > 40


def test_points_above_a_closed_shelf_are_not_listed():
    fridge = HomeObject("Fridge|1|0", "Fridge", 0, "room|1", np.eye(4))
    opened = replace(fridge, state=HomeState(openness=1.0))
    known, more = ({tuple(point) for point in spawn_points(each)} for each in (fridge, opened))
    assert known < more
    box = HomeObject("Box|1|0", "Box", 0, "room|1", np.eye(4))
    with pytest.raises(ImpossibleError, match=r"^Box\|1\|0 is closed$"):
        spawn_points(box)


def test_a_walk_in_the_simulator_is_the_walk_of_exploration(simulator):
    home = rich_home()[0]
    floors = [room.polygon for room in home.plan.rooms]
    route = plan_route(simulator, np.random.default_rng(7), floors)
    expected = explore(largest_component(free_floor(home)), np.random.default_rng(7), floors)
    assert route.actions == expected.actions and route.poses == pytest.approx(expected.poses)
    events = list(walk(simulator, route))
    assert np.array([event.pose for event in events]) == pytest.approx(route.poses)
    assert np.array([event.camera for event in events]) == pytest.approx(camera_poses(route), abs=1e-9)
    blocked = replace(route, actions=("MoveAhead",) * 200)
    with pytest.raises(InputError, match="the simulator refused MoveAhead: "):
        list(walk(simulator, blocked))


@pytest.mark.usefixtures("drawable")
def test_pictures_show_the_home_at_the_time_of_their_event():
    home, film_set, quality = rich_home()
    quality = replace(quality, width=160, height=120)
    with open_home(home, film_set, quality) as simulator:
        seen, broken = face_something_breakable(simulator)
        changed = simulator.step("BreakObject", objectId=broken)
        late = simulator.step("RotateRight", degrees=90.0)
        assert changed.success and not np.array_equal(changed.frame, seen.frame)
        focal = quality.height / 2 / np.tan(np.radians(60))
        for event, state in ((seen, home), (changed, simulator.home)):
            filmed = replace(film_set, placements=state.placements())
            [drawn] = render(filmed, quality, focal, [event.camera])
            assert np.array_equal(drawn.rgb, event.frame)
            assert np.array_equal(drawn.identities, event.identities)
            assert np.array_equal(drawn.depth, event.depth_frame, equal_nan=True)
    assert changed.frame is changed.frame, "a picture that was drawn is kept"
    with pytest.raises(InputError, match="the simulator is closed"):
        _ = late.frame


def face_something_breakable(simulator):
    """Look at an unbroken thing from nearby: the event, and the thing's id."""
    listed = simulator.step("GetReachablePositions").metadata["actionReturn"]
    for thing in simulator.last_event.metadata["objects"]:
        if not thing["breakable"] or thing["isBroken"]:
            continue
        offsets = np.array(
            [(thing["position"]["x"] - each["x"], thing["position"]["z"] - each["z"]) for each in listed]
        )
        place = listed[int(np.argmin(np.linalg.norm(offsets, axis=1)))]
        x, z = offsets[int(np.argmin(np.linalg.norm(offsets, axis=1)))]
        event = simulator.step("Teleport", position=place, rotation=float(np.degrees(np.arctan2(x, z))), horizon=30.0)
        if (event.identities == event.object_ids.index(thing["objectId"]) + 1).sum() > 50:
            return event, thing["objectId"]
    raise AssertionError("no breakable thing can be seen")


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
def test_a_mistake_in_an_action_is_told_in_one_sentence(mistake, simulator):
    action, parameters, sentence = WRONG[mistake]
    with pytest.raises(InputError) as caught:
        checked(action, parameters)
    assert str(caught.value).startswith(sentence) and "\n" not in str(caught.value)
    told = simulator.step(action, **parameters)
    assert not told.success and told.metadata["errorMessage"] == str(caught.value)


def test_parameters_that_are_not_given_have_the_values_of_exploration():
    assert checked("MoveAhead", {}) == {"moveMagnitude": 0.25}
    assert checked("RotateRight", {}) == {"degrees": 30.0}
    assert checked("OpenObject", {"objectId": "a"}) == {"objectId": "a", "openness": 1.0}


def test_all_simulators_have_the_same_members():
    def members(kind):
        return {name for name in vars(kind) if name[0] != "_"}

    assert members(HomeSimulator) - {"home"} == members(ThorSimulator)
