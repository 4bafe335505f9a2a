"""The adapter to AI2-THOR, on recorded metadata in its format: what is sent, and how events are converted."""

import sys
from types import ModuleType

import numpy as np
import pytest
from simulator_drive import rich_home
from thor_replay import FAR, INSTALLED, RECORDED, Answers, Replay, by_ai2thor, by_hand

from chronotope.errors import InputError
from chronotope.world.simulator.metadata import ObjectRecord
from chronotope.world.simulator.thor import ThorSimulator, open_thor
from chronotope.world.simulator.thor_events import STRUCTURE

POINT = {"x": 2.0, "y": 0.95, "z": 0.3}
MUG, COUNTER = "Mug|surface|2|3", "CounterTop|2|0"


@pytest.mark.parametrize("decode", [by_hand, pytest.param(by_ai2thor, marks=pytest.mark.skipif(
    not INSTALLED, reason="AI2-THOR is not installed: pip install -e '.[thor]'"))])  # fmt: skip
def test_pictures_are_converted(decode):
    event = ThorSimulator(Replay(decode)).last_event
    seen = [[event.object_ids[value - 1] if value else "" for value in row] for row in event.identities.tolist()]
    things = {each["objectId"] for each in RECORDED["objects"] if each["objectType"] not in STRUCTURE}
    assert seen == [[name if name in things else "" for name in row] for row in RECORDED["picture"]["seen"]]
    depth = np.array(RECORDED["picture"]["depth"], np.float32)
    assert np.isnan(event.depth_frame[depth == FAR]).all()
    assert np.array_equal(event.depth_frame[depth < FAR], depth[depth < FAR])
    fridge = next(each["color"] for each in RECORDED["scene"]["colors"] if each["name"] == "Fridge|2|1")
    assert event.frame[0, 3].tolist() == [fridge[1], fridge[2], fridge[0]]
    assert event.frame.flags.c_contiguous and event.frame.shape == (3, 4, 3)


def test_parts_of_the_house_are_no_things():
    event = ThorSimulator(Answers()).last_event
    assert {each["objectType"] for each in RECORDED["objects"]} & STRUCTURE == {"Floor", "Wall", "Window"}
    assert not {each["objectType"] for each in event.metadata["objects"]} & STRUCTURE
    assert event.objects[COUNTER]["parentReceptacles"] is None
    assert event.objects[MUG]["parentReceptacles"] == [COUNTER]


def test_values_that_mean_nothing_become_none():
    controller = Answers()
    controller.metadata["objects"][8].update(fillLiquid="", parentReceptacles=[])
    [changed] = [controller.metadata["objects"][8]["objectId"]]
    controller.last_event = by_hand(controller.metadata)
    record = ThorSimulator(controller).last_event.objects[changed]
    assert record["fillLiquid"] is None and record["parentReceptacles"] is None


@pytest.mark.parametrize("key", sorted(set(ObjectRecord.__annotations__) - {"objectId", "objectType"}))
def test_a_field_that_is_missing_is_named(key):
    controller = Answers()
    del controller.metadata["objects"][3][key]
    controller.last_event = by_hand(controller.metadata)
    with pytest.raises(InputError, match=rf"AI2-THOR tells no '{key}' of CounterTop\|2\|0: use the build of ai2thor 5"):
        ThorSimulator(controller)


SENT = [
    ("OpenObject", {"objectId": "Fridge|2|1", "openness": 0.25}, {"forceAction": True}),
    ("FillObjectWithLiquid", {"objectId": MUG, "fillLiquid": "wine"}, {"forceAction": True}),
    ("UseUpObject", {"objectId": MUG}, {"forceAction": True}),
    ("PlaceObjectAtPoint", {"objectId": MUG, "position": POINT}, {}),
    ("GetSpawnCoordinatesAboveReceptacle", {"objectId": COUNTER, "anywhere": True}, {}),
    ("RotateLeft", {"degrees": 30.0}, {}),
    ("MoveAhead", {"moveMagnitude": 0.25}, {}),
]


@pytest.mark.parametrize(("action", "parameters", "added"), SENT, ids=[each[0] for each in SENT])
def test_an_action_is_sent_with_the_parameters_of_ai2thor(action, parameters, added):
    controller = Answers()
    assert ThorSimulator(controller).step(action, **parameters).success
    assert controller.sent == [{"action": action, **parameters, **added}]


def test_actions_that_ai2thor_calls_otherwise_are_translated():
    controller = Answers()
    simulator = ThorSimulator(controller, {"Vase": ["Vase_1", "Vase_2"]})
    told = simulator.step("RemoveObject", objectId=MUG)
    assert told.metadata["lastAction"] == "RemoveObject"
    simulator.step("Teleport", position=POINT, rotation=90.0, horizon=10.0)
    assert simulator.step("AddObject", objectType="Vase", objectId="Vase|9", position=POINT, seed=5).success
    upright, waiting = {"x": 0.0, "y": 0.0, "z": 0.0}, {"x": 0.0, "y": -20.0, "z": 0.0}
    assert controller.sent == [
        {"action": "RemoveFromScene", "objectId": MUG},
        {
            "action": "Teleport",
            "position": POINT,
            "rotation": {**upright, "y": 90.0},
            "horizon": 10.0,
            "standing": True,
        },
        {
            "action": "SpawnAsset",
            "assetId": "Vase_2",
            "generatedId": "Vase|9",
            "position": waiting,
            "rotation": upright,
        },
        {"action": "PlaceObjectAtPoint", "objectId": "Vase|9", "position": POINT},
    ]
    simulator.close()
    assert controller.sent[-1] == "stop"


def test_a_new_object_that_has_no_room_is_taken_away_again():
    controller = Answers(refused=["PlaceObjectAtPoint"])
    told = ThorSimulator(controller).step("AddObject", objectType="Mug", objectId="Mug|9", position=POINT)
    assert not told.success and told.metadata["errorMessage"] == "PlaceObjectAtPoint was refused"
    assert told.metadata["lastAction"] == "AddObject"
    assert [each["action"] for each in controller.sent] == ["SpawnAsset", "PlaceObjectAtPoint", "RemoveFromScene"]
    assert controller.sent[0]["assetId"] == "Mug_3", "an asset of the scene"


REFUSED = {
    "a thing that is not pickupable": ("RemoveObject", {"objectId": "Fridge|2|1"}, "Fridge|2|1 is not pickupable"),
    "a thing that is not there": ("RemoveObject", {"objectId": "Mug|7"}, "no object has the id 'Mug|7'"),
    "an id that is taken": (
        "AddObject", {"objectType": "Mug", "objectId": MUG, "position": POINT},
        f"an object already has the id '{MUG}'",
    ),
    "a type without assets": (
        "AddObject", {"objectType": "Vase", "objectId": "Vase|1", "position": POINT},
        "no asset of the object type 'Vase' is known",
    ),
    "a wrong parameter": ("MoveAhead", {"moveMagnitude": 0}, "MoveAhead: moveMagnitude is 0: expected metres above 0"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", REFUSED)
def test_what_cannot_be_done_is_not_sent(mistake):
    action, parameters, sentence = REFUSED[mistake]
    controller = Answers()
    told = ThorSimulator(controller).step(action, **parameters)
    assert (told.success, told.metadata["errorMessage"], controller.sent) == (False, sentence, [])


def test_a_refusal_of_ai2thor_is_in_the_event():
    for controller in (Answers(refused=["SliceObject"]), Answers(unknown=["SliceObject"])):
        simulator = ThorSimulator(controller)
        told = simulator.step("SliceObject", objectId=MUG)
        assert not told.success and told.metadata["errorMessage"] == "SliceObject was refused"
        assert simulator.step("BreakObject", objectId=MUG).success


def test_pictures_that_were_not_rendered_are_missed_when_they_are_needed():
    controller = Answers()
    controller.last_event.depth_frame = None
    event = ThorSimulator(controller).last_event
    with pytest.raises(InputError, match="start it with renderDepthImage=True"):
        _ = event.frame


def test_without_ai2thor_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ai2thor.controller", None)
    with pytest.raises(InputError, match=r"^AI2-THOR is not installed: pip install 'chronotope\[thor\]'$"):
        open_thor("FloorPlan1", rich_home()[2], 120.0).__enter__()


def test_ai2thor_is_started_with_the_grid_and_the_camera_of_exploration_and_is_stopped(monkeypatch):
    started, controller = {}, Answers()
    module = ModuleType("ai2thor.controller")
    monkeypatch.setitem(sys.modules, "ai2thor", ModuleType("ai2thor"))
    monkeypatch.setitem(sys.modules, "ai2thor.controller", module)
    module.Controller = lambda **settings: started.update(settings) or controller
    quality = rich_home()[2]
    with pytest.raises(RuntimeError, match="the user's"), open_thor("FloorPlan1", quality, 120.0, x_display="1"):
        raise RuntimeError("the user's")
    assert controller.sent == ["stop"]
    assert started == {
        "scene": "FloorPlan1", "width": quality.width, "height": quality.height, "gridSize": 0.25, "fieldOfView": 120.0,
        "visibilityDistance": 1.5, "rotateStepDegrees": 30, "snapToGrid": False, "renderDepthImage": True,
        "renderInstanceSegmentation": True, "x_display": "1",
    }  # fmt: skip
    pose = {"position": POINT, "rotation": {"x": 0, "y": 90, "z": 0}, "horizon": 0, "standing": True}
    with open_thor({"rooms": [], "metadata": {"agent": pose}}, quality, 120.0):
        assert controller.sent[1:] == [{"action": "Teleport", **pose}]
    controller.refused = ["Teleport"]
    with pytest.raises(InputError, match="the agent cannot enter the house: Teleport was refused: change the pose"):
        open_thor({"metadata": {"agent": pose}}, quality, 120.0).__enter__()
    assert controller.sent[-1] == "stop", "it is stopped though it was not used"

    def fails(**settings):
        raise OSError("no display\n:0")

    module.Controller = fails
    with pytest.raises(InputError, match=r"AI2-THOR does not start \(no display :0\): it needs a Unity build"):
        open_thor("FloorPlan1", quality, 120.0).__enter__()
