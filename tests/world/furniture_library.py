"""A furniture library in the form of Sweet Home 3D, with small models that are made here."""

import json
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

LICENSE = "LICENSE\n\nhttp://creativecommons.org/licenses/by/3.0/\n\nYou are free: to Share, to Remix\n"
HEAD = """# PluginFurnitureCatalog.properties
id=Test#Models
name=Test catalog
license=Creative Commons Attribution 3.0 license
provider=nobody
"""

# Boxes (x0, y0, z0, x1, y1, z1) in the axes of the library: x to the right, y up, z to the viewer; and materials.
CHAIR = [
    ((0, 40, 0, 40, 45, 40), "cloth"),
    ((0, 45, 0, 40, 90, 5), "cloth"),  # the back is away from the viewer
    *(((x, 0, z, x + 4, 40, z + 4), "steel") for x in (0, 36) for z in (0, 36)),
]
TABLE = [((0, 70, 0, 150, 75, 80), "oak"), *(((x, 0, z, x + 6, 70, z + 6), "oak") for x in (0, 144) for z in (0, 74))]
DESK = [
    ((0, 70, 0, 140, 75, 60), "oak"),
    ((0, 75, 0, 140, 110, 20), "oak"),  # a rack on the back of the desk
    *(((x, 0, 0, x + 4, 70, 60), "oak") for x in (0, 136)),
]
SOFA = [((0, 0, 0, 180, 40, 85), "cloth"), ((0, 40, 0, 180, 85, 20), "cloth")]
BED = [((0, 0, 0, 150, 45, 200), "sheet"), ((0, 45, 0, 150, 95, 6), "oak")]
FRIDGE = [((0, 0, 0, 70, 170, 70), "steel")]
TOILET = [((0, 0, 0, 38, 40, 65), "sheet"), ((0, 40, 0, 38, 80, 20), "sheet")]
MATERIALS = """newmtl cloth
Kd 0.75 0.08 0.09
Ks 0.1 0.1 0.1
Ns 20
d 1
newmtl steel
Kd 0.6 0.6 0.62
newmtl sheet
Kd 0.95 0.95 0.93
newmtl oak
Kd 0.8 0.8 0.8
map_Kd oak.png
"""
OAK = (180, 130, 80)
MODELS = {
    "Chair": ("Chair", CHAIR),
    "DiningTable": ("Table", TABLE),
    "Desk": ("Desk", DESK),
    "Sofa": ("Sofa", SOFA),
    "Bed": ("Bed", BED),
    "Fridge": ("Fridge", FRIDGE),
    "Toilet": ("Toilet", TOILET),
}


def obj_of(boxes: list[tuple[tuple[float, ...], str]], materials: str = "model.mtl") -> str:
    """Write boxes as an OBJ file, with one quadrilateral for each side, seen from outside counter-clockwise."""
    lines, count = [f"mtllib {materials}", "vt 0 0", "vt 1 0", "vt 1 1", "vt 0 1"], 0
    sides = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    for (x0, y0, z0, x1, y1, z1), material in boxes:
        lines += [f"v {x} {y} {z}" for x in (x0, x1) for y in (y0, y1) for z in (z0, z1)]
        lines.append(f"usemtl {material}")
        lines += ["f " + " ".join(f"{count + k + 1}/{n + 1}" for n, k in enumerate(side)) for side in sides]
        count += 8
    return "\n".join(lines) + "\n"


def write_library(
    path: Path,
    models: dict[str, tuple[str, list]] | None = None,
    change: Callable[[dict[str, bytes]], None] | None = None,
) -> Path:
    """Write a library with a model for each object type; ``change`` may change its files."""
    chosen = MODELS if models is None else models
    oak = BytesIO()
    Image.new("RGB", (8, 8), OAK).save(oak, "PNG")
    files: dict[str, bytes] = {"LICENSE.TXT": LICENSE.encode()}
    rows = [HEAD]
    for number, (kind, (name, boxes)) in enumerate(chosen.items(), 1):
        low, high = (np.array([box for box, _ in boxes], float)[:, part] for part in (slice(0, 3), slice(3, 6)))
        width, height, depth = high.max(axis=0) - low.min(axis=0)
        folder = f"test/{kind.lower()}"
        rows.append(
            f"id#{number}=Test#{kind}\nname#{number}={name}\ncategory#{number}=Living room\n"
            f"model#{number}=/{folder}/model.obj\nwidth#{number}={width}\ndepth#{number}={depth}\n"
            f"height#{number}={height}\nmovable#{number}=true\ndoorOrWindow#{number}=false\n"
            f"creator#{number}=J\\u00f8rn\n"
        )
        files[f"{folder}/model.obj"] = obj_of(boxes).encode()
        files[f"{folder}/model.mtl"] = MATERIALS.encode()
        files[f"{folder}/oak.png"] = oak.getvalue()
    files["PluginFurnitureCatalog.properties"] = "\n".join(rows).encode("latin-1")
    if change is not None:
        change(files)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def write_table(path: Path, kinds: tuple[str, ...] = tuple(MODELS)) -> Path:
    """Write the table that turns the models into things of their object types."""
    path.write_text(json.dumps({"types": {kind: [f"Test#{kind}"] for kind in kinds}}))
    return path
