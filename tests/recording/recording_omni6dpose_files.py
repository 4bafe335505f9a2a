"""A table top in the files of Omni6DPose ROPE, written from known numbers, without the package.

In the table's frame z is up and boxes stand on z = 0; each has axes of its own, of which one is up. A hand-held camera
goes round a part of a circle. The files hold each box in each camera; masks are drawn by meeting every pixel's ray with
the boxes.
"""

import json
import math
from dataclasses import dataclass, field

import numpy as np
from PIL import Image
from recording_truth import looking, rays_of

SIZE = (128, 72)
K = np.array([[91.5, 0, 64.1], [0, 91.4, 36.3], [0, 0, 1]])
NONE = {"any": False, "x": "none", "y": "none", "z": "none"}


@dataclass(frozen=True)
class Thing:
    """A box: mask id, names, centre in the table's frame, sides along its own axes, which of them is up, its yaw."""

    mask_id: int
    oid: str
    class_name: str
    centre: tuple
    sides: tuple
    up: str = "y"
    yaw: float = 0.0
    scale: float = 1.0
    symmetry: dict = field(default_factory=lambda: NONE)
    background: bool = False


THINGS = (
    Thing(3, "real-toy_car_01", "toy_car", (0.10, 0.02, 0.04), (0.20, 0.08, 0.09), yaw=0.4, scale=0.8),
    Thing(5, "phocal-box_02", "box", (-0.12, 0.08, 0.06), (0.07, 0.12, 0.11), yaw=-1.1),
    Thing(6, "google_scan-shoe_03", "shoe", (-0.02, -0.15, 0.05), (0.16, 0.07, 0.10), up="z", yaw=2.0),
    Thing(8, "omniobject3d-bowl_04", "bowl", (0.16, 0.2, 0.03), (0.1, 0.06, 0.1), symmetry={**NONE, "y": "any"}),
    Thing(1, "real-table_05", "table", (0.0, 0.0, -0.02), (1.4, 0.04, 1.4), background=True),
)
FRONT = [thing for thing in THINGS if not thing.background]


def rotation_of(thing):
    """Table_R_thing (3, 3): the thing's own up axis along z, turned about z by its yaw."""
    axis = "xyz".index(thing.up)
    turn = np.zeros((3, 3))
    turn[2, axis] = turn[0, (axis + 1) % 3] = turn[1, (axis + 2) % 3] = 1
    c, s = math.cos(thing.yaw), math.sin(thing.yaw)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]) @ turn


def pose_of(thing):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation_of(thing), thing.centre
    return pose


def cameras(count, sweep=1.2, radius=0.7, height=0.55):
    """Table_T_camera (N, 4, 4), OpenCV axes, towards a point a little above the table."""
    poses = np.zeros((count, 4, 4))
    for k in range(count):
        angle = 0.3 + sweep * k / (count - 1)
        place = np.array([radius * math.cos(angle), radius * math.sin(angle), height + 0.02 * math.sin(3 * angle)])
        poses[k] = looking(place, (0.0, 0.0, 0.05))
    return poses


def quaternion(R):
    """w x y z of a rotation, by the largest of the four, of either sign."""
    w, x, y, z = (
        math.sqrt(max(1 + a + b + c, 0)) / 2
        for a, b, c in [np.diag(R) * signs for signs in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))]
    )
    largest = int(np.argmax([w, x, y, z]))
    xy, xz, yz = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    wx, wy, wz = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    first = {
        0: (4 * w * w, wx, wy, wz),
        1: (wx, 4 * x * x, xy, xz),
        2: (wy, xy, 4 * y * y, yz),
        3: (wz, xz, yz, 4 * z * z),
    }
    return np.array(first[largest]) / (4 * (w, x, y, z)[largest])


def draw(camera, things=THINGS):
    """The mask id (H, W) of what each pixel shows, 0 for nothing."""
    rays = rays_of(camera, K, SIZE)
    nearest, shown = np.full(len(rays), np.inf), np.zeros(len(rays), int)
    for thing in things:
        R = rotation_of(thing)
        start, along = R.T @ (camera[:3, 3] - thing.centre), rays @ R
        a, b = ((side * np.array(thing.sides) / 2 - start) / along for side in (-1, 1))
        enter, leave = np.minimum(a, b).max(axis=1), np.maximum(a, b).min(axis=1)
        met = (enter <= leave) & (enter > 0) & (enter < nearest)
        nearest[met], shown[met] = enter[met], thing.mask_id
    return shown.reshape(SIZE[1], SIZE[0])


def meta_of(camera, things=THINGS, valid=(), noise=None):
    """The document of a frame; ``valid`` are the mask ids of things that are (all where empty)."""
    objects = {}
    for thing in things:
        pose = np.linalg.inv(camera) @ pose_of(thing)
        q = quaternion(pose[:3, :3])
        shift = np.zeros(3) if noise is None else noise[thing.mask_id]
        objects[f"{thing.mask_id}_{thing.oid}"] = {
            "meta": {
                **{"oid": thing.oid, "class_name": thing.class_name, "class_label": 7, "instance_path": "x/y.obj"},
                **{"scale": [thing.scale] * 3, "is_background": thing.background, "bbox_side_len": list(thing.sides)},
            },
            "quaternion_wxyz": q.tolist(),
            "translation": (pose[:3, 3] + shift).tolist(),
            "is_valid": not valid or thing.mask_id in valid or thing.background,
            **{"id": 1, "material": [], "world_quaternion_wxyz": [1, 0, 0, 0], "world_translation": [0, 0, 0]},
        }
    intrinsics = {"fx": K[0, 0], "fy": K[1, 1], "cx": K[0, 2], "cy": K[1, 2], "width": SIZE[0], "height": SIZE[1]}
    view = {"quaternion": [1.0, 0.0, 0.0, 0.0], "translation": [0.0, 0.0, 0.0], "intrinsics": intrinsics}
    return {"objects": objects, "camera": {**view, "scene_obj_path": "", "distances": [], "kind": ""}, "comments": ""}


def write_catalogue(path, things=THINGS, up=None):
    """real_obj_meta.json; ``up`` gives for mask ids another list of axes that may be up."""
    instances = {
        thing.oid: {
            **{"object_id": thing.oid, "source": "real", "name": thing.class_name, "obj_path": "x", "class_label": 7},
            "tag": {
                **{"datatype": "test", "sceneChanger": False, "symmetry": thing.symmetry, "materialOptions": ["raw"]},
                "upAxis": (up or {}).get(thing.mask_id, [thing.up]),
            },
            "class_name": thing.class_name,
            "dimensions": [side / thing.scale for side in thing.sides],
        }
        for thing in things
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"class_list": [], "instance_dict": instances}))


def write_scene(folder, poses, metas=None, masks=None, numbers=None):
    """One scene; ``masks`` None writes none, else a function that writes one file from ids."""
    folder.mkdir(parents=True)
    for k, (number, pose) in enumerate(zip(numbers or range(len(poses)), poses, strict=True)):
        Image.new("RGB", SIZE, (90, 10 + 5 * (k % 40), 30)).save(folder / f"{number:06d}_color.png")
        meta = meta_of(pose) if metas is None else metas[k]
        (folder / f"{number:06d}_meta.json").write_text(json.dumps(meta))
        if masks is not None:
            masks(folder / f"{number:06d}_mask.exr", draw(pose))
    return folder


def write_exr_mask(path, ids):
    """A mask as the data set has it: id / 255 in the red channel, something else in the others."""
    import OpenEXR

    channels = {"R": (ids / 255).astype(np.float32), "G": np.full(ids.shape, 0.5, np.float32)}
    channels["B"] = np.full(ids.shape, 0.25, np.float32)
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    OpenEXR.File(header, channels).write(str(path))
