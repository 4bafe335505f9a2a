"""A controller that gives the recorded answers of `thor_events.json`, decoded as AI2-THOR decodes them."""

import copy
import json
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np

RECORDED = json.loads(Path(__file__).with_name("thor_events.json").read_text(encoding="utf-8"))
NEAR, FAR = 0.1, 20.0


def unity_bytes(metadata):
    """The pictures as Unity sends them: the lowest row first, four channels, and depth in metres as float32."""
    colours = {each["name"]: each["color"] for each in metadata["colors"]}
    other = [1, 2, 3]  # of no object in the metadata
    ids = np.array(
        [[[*colours.get(name, other), 255] for name in row] for row in RECORDED["picture"]["seen"]], np.uint8
    )
    depth = np.array(RECORDED["picture"]["depth"], np.float32)
    return ids[::-1, :, [1, 2, 0, 3]].tobytes(), depth[::-1].tobytes(), ids[::-1].tobytes()


def by_ai2thor(metadata):
    """Decode with the package of AI2-THOR."""
    from ai2thor.server import DepthFormat, Event

    image, depth, ids = unity_bytes(metadata)
    told = Event(metadata)
    told.add_image(image)
    told.add_image_depth(
        depth, depth_format=DepthFormat.Meters, camera_near_plane=NEAR, camera_far_plane=FAR, add_noise=False
    )
    told.add_image_ids(ids)
    return told


def by_hand(metadata):
    """Decode to the same attributes without the package."""
    return decoded(metadata, *unity_bytes(metadata))


def decoded(metadata, image, depth, ids):
    """The event of metadata and of the bytes of three pictures."""
    shape = metadata["screenHeight"], metadata["screenWidth"]
    return SimpleNamespace(
        metadata=metadata,
        frame=np.flip(np.frombuffer(image, np.uint8).reshape(*shape, 4), axis=0)[..., :3],
        depth_frame=np.flip(np.frombuffer(depth, np.float32).reshape(shape), axis=0),
        instance_segmentation_frame=np.flip(np.frombuffer(ids, np.uint8).reshape(*shape, 4), axis=0)[..., :3],
        color_to_object_id={tuple(each["color"]): each["name"] for each in metadata["colors"]},
    )


INSTALLED = find_spec("ai2thor") is not None


class Replay:
    """A controller that expects the recorded actions in their order."""

    def __init__(self, decode=by_ai2thor if INSTALLED else by_hand):
        self.decode = decode
        self.metadata = {**copy.deepcopy(RECORDED["scene"]), "objects": copy.deepcopy(RECORDED["objects"])}
        self.server = SimpleNamespace(camera_far_plane=FAR)
        self.steps = iter(RECORDED["steps"])
        self.last_event = decode(self.metadata)
        self.stopped = 0

    def step(self, action, **parameters):
        recorded = next(self.steps)
        assert {"action": action, **parameters} == recorded["sent"]
        told = copy.deepcopy(self.metadata)
        told.update(recorded["told"])
        changed = recorded.get("objects", {})
        there = {each["objectId"]: each for each in told["objects"] if each["objectId"] not in recorded.get("gone", ())}
        told["objects"] = [
            {**there.get(name, {}), **changed.get(name, {})} for name in dict.fromkeys([*there, *changed])
        ]
        self.metadata = told
        self.last_event = self.decode(told)
        return self.last_event

    def stop(self):
        self.stopped += 1


class Answers:
    """A controller that notes what is sent, and changes nothing.

    It succeeds unless an action is in `refused` or `unknown`. Each thing of the scene is there `copies` times.
    """

    def __init__(self, refused=(), unknown=(), copies=1):
        self.metadata = {**copy.deepcopy(RECORDED["scene"]), "objects": copy.deepcopy(RECORDED["objects"])}
        for number in range(1, copies):
            more = copy.deepcopy(RECORDED["objects"])
            self.metadata["objects"] += [{**each, "objectId": f"{each['objectId']}|{number}"} for each in more]
        self.server = SimpleNamespace(camera_far_plane=FAR)
        self.refused, self.unknown, self.sent = refused, unknown, []
        self.last_event = by_hand(self.metadata)

    def step(self, action, **parameters):
        self.sent.append({"action": action, **parameters})
        points = [{"x": 2.1 + 0.25 * number, "y": 0.95, "z": 0.3} for number in range(4)]
        fails = action in self.refused or action in self.unknown
        told = {**self.metadata, "lastAction": action, "lastActionSuccess": not fails, "errorMessage": ""}
        if action == "GetSpawnCoordinatesAboveReceptacle":
            told["actionReturn"] = points
        if fails:
            told |= {"errorMessage": f"{action} was refused", "actionReturn": None}
        self.last_event = by_hand(told)
        if action in self.unknown:
            raise ValueError(f"{action} was refused")
        return self.last_event

    def stop(self):
        self.sent.append("stop")
