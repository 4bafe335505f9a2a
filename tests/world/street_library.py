"""Models of streets in the form of Sweet Home 3D: a car with wheels and a number plate, a bench, and a tree."""

import json
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from world.furniture_library import write_library

PAINT, RUBBER, PLATE_PX = (0.70, 0.05, 0.06), (0.05, 0.05, 0.05), (16, 64)
LENGTH, WIDTH, HEIGHT, RADIUS, FRONT, REAR, TRACK = 440.0, 180.0, 145.0, 32.0, 135.0, -130.0, 150.0  # cm
MTL = f"""newmtl paint
Kd {PAINT[0]} {PAINT[1]} {PAINT[2]}
newmtl rubber
Kd {RUBBER[0]} {RUBBER[1]} {RUBBER[2]}
newmtl chrome
Kd 0.6 0.6 0.6
newmtl glass
Kd 0.1 0.12 0.15
newmtl plate
Kd 1 1 1
map_Kd plate.png
newmtl grille
Kd 1 1 1
map_Kd grille.png
newmtl leaf
Kd 1 1 1
map_Kd leaf.png
newmtl wood
Kd 0.4 0.25 0.1
"""
Part = tuple[str, np.ndarray, list[list[int]]]  # material, points (N, 3) along the front, to the left and up, and faces


def box(low: tuple[float, ...], high: tuple[float, ...], material: str) -> Part:
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return material, corners, faces


def disc(centre: tuple[float, float, float], radius: float, width: float, material: str, yaw: float = 0.0) -> Part:
    """Make a cylinder whose axle is along y, turned about z by yaw (degrees)."""
    turn = np.arange(24) * np.pi / 12
    points = np.concatenate(
        [np.column_stack([radius * np.cos(turn), np.full(24, y), radius * np.sin(turn)]) for y in (-1, 1)]
    )
    points[:, 1] *= width / 2
    c, s = np.cos(np.radians(yaw)), np.sin(np.radians(yaw))
    points = points @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) + centre
    sides = [[k, 24 + k, 24 + (k + 1) % 24, (k + 1) % 24] for k in range(24)]
    return material, points, [*sides, list(range(24)), list(range(24, 48))[::-1]]


def car(yaw: float = 0.0, wheels: int = 4) -> list[Part]:
    parts = [
        box((-LENGTH / 2, -WIDTH / 2, 25), (LENGTH / 2, WIDTH / 2, 90), "paint"),
        box((-150, -75, 90), (90, 75, HEIGHT), "glass"),
        box((LENGTH / 2, -26, 40), (LENGTH / 2 + 1, 26, 51), "plate"),
        box((LENGTH / 2, -60, 60), (LENGTH / 2 + 1, 60, 85), "grille"),
        box((0.0, 0.0, HEIGHT), (0.001, 0.001, HEIGHT + 0.001), "chrome"),  # a speck
    ]
    places = [(x, y) for x in (FRONT, REAR) for y in (TRACK / 2, -TRACK / 2)][:wheels]
    for x, y in places:
        turned = yaw if x > 0 else 0.0
        parts.append(disc((x, y, RADIUS), RADIUS, 20, "rubber", turned))
        parts.append(disc((x, y, RADIUS), 0.6 * RADIUS, 24, "chrome", turned))
    return parts


def bench() -> list[Part]:
    slats = [box((-20 + 10 * k, -75, 42), (-12 + 10 * k, 75, 45), "wood") for k in range(4)]
    return [*slats, *(box((-15, y, 0), (12, y + 5, 42), "chrome") for y in (-60, 55))]


def tree(leaves: int) -> list[Part]:
    generator = np.random.default_rng(1)
    parts = [box((-12, -12, 0), (12, 12, 300), "wood")]
    for _ in range(leaves):
        middle = generator.normal(0, 80, 3) * [1, 1, 0.8] + [0, 0, 420]
        corners = middle + generator.normal(0, 6, (4, 3))
        parts.append(("leaf", corners, [[0, 1, 2], [0, 2, 3]]))
    parts += [box((x, y, 250), (x + 2, y + 2, 600), "wood") for x, y in ((-250, 0), (250, 0), (0, -250), (0, 250))]
    return parts


def obj_of(parts: list[Part]) -> str:
    """Write parts as an OBJ file in the axes of the library: x to the right, y up, z to the viewer (the front)."""
    lines, count = ["mtllib model.mtl", "vt 0.02 0.02", "vt 0.98 0.02", "vt 0.98 0.98", "vt 0.02 0.98"], 0
    for material, points, faces in parts:
        lines += [f"v {y:.6f} {z:.6f} {x:.6f}" for x, y, z in points]
        lines.append(f"usemtl {material}")
        lines += ["f " + " ".join(f"{count + k + 1}/{n % 4 + 1}" for n, k in enumerate(face)) for face in faces]
        count += len(points)
    return "\n".join(lines) + "\n"


def picture(colours: list[tuple[int, int, int]], size: tuple[int, int]) -> bytes:
    pixels = np.zeros((*size, 3), np.uint8)
    for number, colour in enumerate(colours):
        pixels[:, number * size[1] // len(colours) : (number + 1) * size[1] // len(colours)] = colour
    buffer = BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def write_streets(path: Path, models: dict[str, list[Part]]) -> Path:
    """Write a library with models by their names; each has the size of its parts."""

    def change(files: dict[str, bytes]) -> None:
        for name, parts in models.items():
            folder = f"test/{name.lower()}"
            files[f"{folder}/model.obj"] = obj_of(parts).encode()
            files[f"{folder}/model.mtl"] = MTL.encode()
            files[f"{folder}/plate.png"] = picture([(250, 250, 250), (10, 10, 10)] * 4, PLATE_PX)
            files[f"{folder}/grille.png"] = picture([(20, 20, 20), (200, 200, 210)] * 5, (300, 600))
            files[f"{folder}/leaf.png"] = picture([(20, 120, 30), (60, 160, 40), (140, 40, 20)], (32, 32))

    boxes = {}
    for name, parts in models.items():
        everything = np.concatenate([points for _, points, _ in parts])
        low, high = everything.min(axis=0), everything.max(axis=0)
        # Rows of the catalogue have the size of a box of x to the right, y up and z to the viewer.
        boxes[name] = (name, [((low[1], low[2], low[0], high[1], high[2], high[0]), "cloth")])
    return write_library(path, boxes, change)


def write_table(path: Path, street: dict[str, list[str]], **others: object) -> Path:
    """Write the table that turns the models into things of streets."""
    path.write_text(
        json.dumps({"street": {kind: [f"Test#{name}" for name in names] for kind, names in street.items()}, **others})
    )
    return path
