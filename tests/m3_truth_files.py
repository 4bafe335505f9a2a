"""The ground truth of a scene in the released form: a small house, walked through and ray-cast in its own axes.

Everything here is in the simulator's left-handed axes (x right, y up, z forward); nothing is shared with the importer.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from chronotope.media import encode_clip

WIDTH, HEIGHT, FPS, EYE, FOV = 96, 72, 3.0, 1.576, 120.0
FOCAL = HEIGHT / 2 / np.tan(np.radians(FOV / 2))
FAR = 60.0


@dataclass(frozen=True)
class Thing:
    """A box of the house: centre and size in x, y, z; yaw clockwise from above in degrees."""

    id: str
    kind: str
    centre: tuple[float, float, float]
    size: tuple[float, float, float]
    yaw: float = 0.0
    parent: str | None = None
    colour: tuple[int, int, int] = (200, 80, 60)
    states: tuple[tuple[str, Any], ...] = ()

    def axes(self) -> np.ndarray:
        """Right, up and forward of the thing, one a row."""
        a = np.radians(self.yaw)
        return np.array([[np.cos(a), 0, -np.sin(a)], [0, 1, 0], [np.sin(a), 0, np.cos(a)]])

    def corners(self) -> np.ndarray:
        signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T
        return np.array(self.centre) + (signs * np.array(self.size) / 2) @ self.axes()


TABLE = Thing("DiningTable|1", "DiningTable", (0.5, 0.4, 3.0), (1.6, 0.8, 0.9), 30.0, "Floor|1", (150, 100, 60))
MUG = Thing(
    "Mug|2",
    "Mug",
    (0.4, 0.95, 2.9),
    (0.3, 0.3, 0.3),
    75.0,
    TABLE.id,
    (220, 40, 40),
    (("dirtyable", True), ("isDirty", False)),
)
FRIDGE = Thing(
    *("Fridge|3", "Fridge", (-1.6, 0.9, 1.6), (0.7, 1.8, 0.8), 90.0, "Floor|1", (180, 190, 210)),
    (("openable", True), ("openness", 0.0), ("isOpen", False)),
)
LAMP = Thing("FloorLamp|4", "FloorLamp", (2.2, 0.8, 1.5), (0.3, 1.6, 0.3), 0.0, "Floor|1", (240, 220, 90))
THINGS = (TABLE, MUG, FRIDGE, LAMP)
MOVED = (
    TABLE,
    replace(MUG, centre=(1.4, 0.15, 1.2), yaw=10.0, parent="Floor|1", states=(("dirtyable", True), ("isDirty", True))),
    FRIDGE,
    LAMP,
)
WALLS = Thing("wall|1", "Wall", (0.0, 1.5, 4.5), (6.0, 3.0, 0.1), colour=(120, 130, 120))
ROOMS = (
    ("room|1", "Kitchen", [(-3.0, -1.0), (-3.0, 4.5), (3.0, 4.5), (3.0, -1.0)]),
    ("room|2", "LivingRoom", [(3.0, -1.0), (3.0, 4.5), (6.0, 4.5), (6.0, -1.0)]),
    ("room|3", "Bathroom", [(6.0, -1.0), (6.0, 4.5), (8.0, 4.5), (8.0, -1.0)]),
)
OPENED = {"execution_order": 2, "action": "OpenObject", "object_id": FRIDGE.id, "params": {"openness": 0.5}}
PUT = {
    "execution_order": 1,
    "action": "PlaceObjectAtPoint",
    "object_id": MUG.id,
    "object_type": "Mug",
    "params": {"new_receptacle": "Floor|1"},
    "old_pos": {"x": 0.4, "y": 0.95, "z": 2.9},
    "new_pos": {"position": {"x": 1.4, "y": 0.15, "z": 1.2}, "rotation": {"x": 0, "y": 10.0, "z": 0}},
    "old_receptacle": TABLE.id,
    "new_receptacle": "Floor|1",
    "auto": False,
    "before": {"isDirty": False},
    "after": {"isDirty": True},
}

View = tuple[float, float, float, float]  # x, z, yaw and pitch in degrees


def walk(pitch: float = 0.0) -> list[View]:
    """The views of a walk, the start view first: steps of 0.25 m and turns of 30 degrees, one at a time."""
    x, z, yaw = 0.0, 0.0, 330.0
    views = [(x, z, yaw, pitch)]
    for action in "RMMRRRMLLLL" + "M":
        if action == "M":
            x, z = x + 0.25 * np.sin(np.radians(yaw)), z + 0.25 * np.cos(np.radians(yaw))
        else:
            yaw = (yaw + (30 if action == "R" else -30)) % 360
        views.append((x, z, yaw, pitch))
    return views


def cast(view: View, things: tuple[Thing, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Depth along the view (H, W) in m, FAR where nothing is, and the place of the thing hit, -1 where none is."""
    x, z, yaw, pitch = view
    a, b = np.radians(yaw), np.radians(pitch)
    right = np.array([np.cos(a), 0, -np.sin(a)])
    forward = np.array([np.sin(a) * np.cos(b), -np.sin(b), np.cos(a) * np.cos(b)])
    up = np.array([np.sin(a) * np.sin(b), np.cos(b), np.cos(a) * np.sin(b)])
    u, v = np.meshgrid(np.arange(WIDTH) - (WIDTH - 1) / 2, np.arange(HEIGHT) - (HEIGHT - 1) / 2)
    rays = forward + u[..., None] / FOCAL * right - v[..., None] / FOCAL * up
    depth, hit = np.full((HEIGHT, WIDTH), FAR), np.full((HEIGHT, WIDTH), -1)
    for place, thing in enumerate(things):
        start = thing.axes() @ (np.array([x, EYE, z]) - thing.centre)
        along = rays @ thing.axes().T
        along = np.where(np.abs(along) < 1e-12, 1e-12, along)
        ends = np.stack([(-np.array(thing.size) / 2 - start) / along, (np.array(thing.size) / 2 - start) / along])
        near, far = ends.min(axis=0).max(axis=-1), ends.max(axis=0).min(axis=-1)
        struck = (near < far) & (near > 0.05) & (near < depth)
        depth[struck], hit[struck] = near[struck], place
    return depth, hit


def record(thing: Thing) -> dict[str, Any]:
    """An object of objects_state.json."""
    corners = thing.corners()
    low, high = corners.min(axis=0), corners.max(axis=0)
    centre, size = (dict(zip("xyz", part.tolist(), strict=True)) for part in ((low + high) / 2, high - low))
    return {
        "objectId": thing.id,
        "objectType": thing.kind,
        "position": centre,
        "rotation": {"x": 0.0, "y": thing.yaw, "z": 0.0},
        "parentReceptacles": None if thing.parent is None else [thing.parent],
        "axisAlignedBoundingBox": {"center": centre, "size": size, "cornerPoints": []},
        "objectOrientedBoundingBox": {"cornerPoints": corners[[3, 0, 6, 5, 1, 7, 2, 4]].round(5).tolist()},
        "openable": False,
        "dirtyable": False,
        "room_name": "room|1",
        **dict(thing.states),
    }


@dataclass(frozen=True)
class Form:
    """How a scene is written: ``maps`` png, npz or stack; ``stale`` logs the yaw from before each turn."""

    maps: str = "png"
    start_in_log: bool = True
    start_in_clip: bool = True
    stale: bool = False
    plain: bool = False  # only what the authors' pipeline logs
    pictures: bool = False  # numbered pictures in place of a video
    pitch: float = 0.0


def write_scene(home: Path, form: Form = Form()) -> Path:
    """Both states of a scene with their clips, and everything that is true of them."""
    home.mkdir(parents=True, exist_ok=True)
    polygons = [[{"x": x, "y": 0, "z": z} for x, z in floor] for *_, floor in ROOMS]
    doors = [("room|1", "room|2", {}), ("room|2", "room|3", {"openness": 0}), ("room|3", "room|3", {"openness": 1})]
    house = {
        "rooms": [
            {"id": name, "roomType": kind, "floorPolygon": polygon, "children": []}
            for (name, kind, _), polygon in zip(ROOMS, polygons, strict=True)
        ],
        "doors": [{"id": f"door|{k}", "room0": a, "room1": b, **more} for k, (a, b, more) in enumerate(doors)],
    }
    (home / "house.json").write_text(json.dumps(house))
    details = [
        {"room_id": k, "room_name": name, "room_type": kind, "connected_rooms": others, "polygon_coordinates": floor}
        for (k, (name, kind, floor)), others in zip(enumerate(ROOMS), ([1], [0], []), strict=True)
    ]
    (home / "room_static_analysis.json").write_text(json.dumps({"total_rooms": 3, "room_static_details": details}))
    (home / "object_asset_mapping.json").write_text(json.dumps({MUG.id: "Mug_3", "Gone|1": "Gone_1"}))
    for state, things in enumerate((THINGS, MOVED)):
        write_state(home / f"state_{state}", (*things, WALLS), form)
    log = {"operations_count": 2, "operations": [OPENED, PUT]}
    (home / "state_1" / "operations_log.json").write_text(json.dumps(log))
    return home


def write_state(folder: Path, things: tuple[Thing, ...], form: Form) -> None:
    folder.mkdir(exist_ok=True)
    views = walk(form.pitch)
    cut = [cast(view, things) for view in views]
    colours = np.array([*(thing.colour for thing in things), (40, 50, 70)], np.uint8)
    pictures = [(colours[hit] * (1 - depth[..., None] / 90)).astype(np.uint8) for depth, hit in cut]
    if not form.start_in_clip:
        pictures = pictures[1:]
    if form.pictures:
        (folder / "RGB").mkdir()
        for number, picture in enumerate(pictures):
            Image.fromarray(picture).save(folder / "RGB" / f"{number}.png")
    else:
        encode_clip(pictures, folder / "video.mp4", FPS)
    (folder / "objects_state.json").write_text(json.dumps({thing.id: record(thing) for thing in things}))
    write_steps(folder, views, [hit for _, hit in cut], things, form)
    kept = cut if form.start_in_clip else cut[1:]
    millimetres = [np.where(depth < FAR, np.rint(depth * 1000), 0).astype(np.uint16) for depth, _ in kept]
    write_maps(folder / "depth", millimetres, form.maps)
    write_maps(folder / "segmentation", [((hit + 1) * 100).astype(np.uint16) for _, hit in kept], form.maps)
    table = {thing.id: (place + 1) * 100 for place, thing in enumerate(things)}
    (folder / "segmentation" / "ids.json").write_text(json.dumps(table))


def write_steps(folder: Path, views: list[View], hits: list[np.ndarray], things: Any, form: Form) -> None:
    lines: list[dict[str, Any]] = []
    for number, ((x, z, yaw, pitch), hit) in enumerate(zip(views, hits, strict=True)):
        told = views[max(number - 1, 0)][2] if form.stale else yaw
        counts = {
            one.id: int((hit == k).sum()) for k, one in enumerate(things) if (hit == k).any() and one is not WALLS
        }
        line = {
            "step_count": number,
            "position": {"x": x, "z": z},
            "rotation": told,
            "room_id": 0,
            "room_name": "room|1",
        }
        line["visible_objects"] = list(counts)
        if not form.plain:
            line |= {"pitch": pitch, "action": "Step", "pixels": counts}
        lines.append(line)
    lines = lines if form.start_in_log else lines[1:]
    (folder / "agent_trajectory.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def write_maps(folder: Path, values: list[np.ndarray], maps: str) -> None:
    folder.mkdir(exist_ok=True)
    if maps == "stack":
        np.savez_compressed(folder / "all.npz", np.array(values))
    elif maps == "named":
        np.savez_compressed(folder / "all.npz", **{f"frame_{k}": one for k, one in enumerate(values)})  # pyright: ignore
    for number, one in enumerate(values):
        if maps == "png":
            Image.fromarray(one).save(folder / f"{number}.png")
        elif maps == "npz":
            metres = one.astype(np.float32) / 1000 if folder.name == "depth" else one
            np.savez_compressed(folder / f"{number}.npz", metres)
