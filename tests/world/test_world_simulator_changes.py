"""Changes of a scene of AI2-THOR."""

from collections import Counter

import numpy as np
import pytest
from simulator_drive import rich_house, thor_simulator
from thor_replay import Answers

from chronotope.world.homes.changes import _Changes
from chronotope.world.homes.changing import items_of
from chronotope.world.homes.choice import DEGREES, LEAST_MOVE, Operation, candidates
from chronotope.world.homes.draw_plan import draw_plan
from chronotope.world.homes.furnish import furnish
from chronotope.world.homes.operations import STATE_ACTIONS
from chronotope.world.homes.small_things import held_types
from chronotope.world.simulator.actions import ACTIONS
from chronotope.world.simulator.changes import _ChangingScene, change_scene
from chronotope.world.simulator.thor import ThorSimulator

STATE_KEYS = {
    "openness": "openness", "on": "isToggled", "dirty": "isDirty", "sliced": "isSliced", "broken": "isBroken",
    "cooked": "isCooked", "liquid": "fillLiquid", "used_up": "isUsedUp",
}  # fmt: skip
VALUES = {"OpenObject": {"openness": 0.5}, "FillObjectWithLiquid": {"fillLiquid": "wine"}}


@pytest.fixture(scope="module", params=range(3))
def changed(request):
    """The records before and after, and the log."""
    simulator = rich_house()
    before = simulator.last_event.objects
    changes = change_scene(np.random.default_rng(request.param), simulator, "scene")
    return before, simulator.last_event.objects, changes


def middle(record):
    return [record["axisAlignedBoundingBox"]["center"][axis] for axis in "xzy"]


def test_the_log_tells_the_facts_before_and_after(changed):
    before, after, changes = changed
    for change in changes:
        for records, facts in ((before, change.before), (after, change.after)):
            assert (change.object in records) == bool(facts)
            if not facts:
                continue
            record = records[change.object]
            assert facts["position"] == pytest.approx(middle(record), abs=1e-5)
            assert facts["receptacle"] == (record["parentReceptacles"] or [None])[0]
            assert all(record[STATE_KEYS[key]] == facts[key] for key in facts.keys() & STATE_KEYS.keys())
        assert (change.scene, change.parameters["object_type"]) == ("scene", change.object.split("|")[0])


def test_things_without_a_logged_change_stay_as_they_are(changed):
    before, after, changes = changed
    logged = {change.object for change in changes}
    for name in before.keys() | after.keys():
        if name not in logged:
            held = {"receptacleObjectIds": None}
            assert {**before[name], **held} == {**after[name], **held}
    assert len(logged) == len(changes), "each object is changed once"


def test_changes_keep_to_the_rules_of_the_choice(changed):
    before, after, changes = changed
    wanted = [change for change in changes if not change.automatic]
    assert 4 <= len(wanted) <= 15
    actions = Counter(change.operation for change in wanted)
    assert max(actions.values()) <= max(1, 0.4 * (len(wanted) + 1))
    moves = {"PlaceObjectAtPoint", "AddObject", "RemoveObject"}
    count = sum(actions[each] for each in moves)
    assert 2 <= count <= len(wanted) - 2
    for change in wanted:
        match change.operation:
            case "PlaceObjectAtPoint":
                shift = np.linalg.norm(np.subtract(change.after["position"], change.before["position"]))
                assert change.before["receptacle"] != change.after["receptacle"] or shift >= LEAST_MOVE - 1e-3
                parent = after[change.after["receptacle"]]["objectType"]
                assert change.parameters["object_type"] in held_types(parent) or not before[change.object]["pickupable"]
                assert change.parameters["new_receptacle"] == change.after["receptacle"]
            case "OpenObject":
                assert change.after["openness"] - change.before["openness"] >= 0.25
                assert change.parameters["openness"] == change.after["openness"] in DEGREES
            case "AddObject":
                assert change.object not in before
            case "FillObjectWithLiquid":
                assert change.parameters["liquid_type"] == change.after["liquid"]
            case _:
                assert change.before != change.after
    for change in changes:
        if change.automatic:
            assert (change.operation, change.after["openness"]) == ("OpenObject", 1.0)
            assert change.object in {each.after.get("receptacle") for each in wanted}


def test_the_same_seed_gives_the_same_changes():
    logs = [change_scene(np.random.default_rng(5), rich_house()) for _ in range(2)]
    assert logs[0] == logs[1]


def test_candidates_from_records_are_those_of_the_home():
    simulator = rich_house()
    home = simulator._controller.home
    assert candidates(_ChangingScene(simulator).items()) == candidates(items_of(home))


def test_a_receptacle_that_was_opened_in_vain_is_closed_again():
    controller = Answers(refused=["PlaceObjectAtPoint"])
    changing = _ChangingScene(ThorSimulator(controller))
    move = Operation("PlaceObjectAtPoint", "Apple|surface|2|1", "move")
    assert _Changes(changing, "").carry_out(np.random.default_rng(0), move) is None
    doors = [each["action"] for each in controller.sent if each.get("objectId") == "Fridge|2|1"]
    assert doors == ["OpenObject", "GetSpawnCoordinatesAboveReceptacle", "CloseObject"]
    assert changing.touched == set()


def test_changes_of_ai2thor_are_actions_of_the_interface():
    for seed in range(6):
        controller = Answers(copies=8)
        changes = change_scene(np.random.default_rng(seed), ThorSimulator(controller))
        assert changes
        renamed = {"RemoveFromScene", "SpawnAsset"}
        assert {each["action"] for each in controller.sent} <= ACTIONS.keys() | renamed
        assert all("forceAction" in each for each in controller.sent if each["action"] in ("BreakObject", "OpenObject"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_homes_stay_sound_when_they_are_changed(seed):
    generator = np.random.default_rng(seed)
    home = furnish(generator, draw_plan(generator, 3 + seed % 4))
    simulator = thor_simulator(home)
    controller = simulator._controller
    changes = change_scene(generator, simulator)
    assert changes
    for name in {change.object for change in changes} & controller.home.objects.keys():
        assert controller.home.has_room_for(controller.home.objects[name]), name
    records = simulator.last_event.objects
    carried = {(name, parent) for name, each in records.items() for parent in each["parentReceptacles"] or ()}
    assert carried == {(each, name) for name in records for each in records[name]["receptacleObjectIds"] or ()}
    for action in STATE_ACTIONS:
        for name in records:
            told = simulator.step(action, objectId=name, **VALUES.get(action, {}))
            assert told.success or name in told.metadata["errorMessage"]
