"""Things with meshes that other people made and released (see meshes/LICENCES.md)."""

from functools import cache
from importlib.resources import files
from io import BytesIO

import numpy as np

from chronotope.world.things.colours import plain, shade
from chronotope.world.things.kind import Model
from chronotope.world.things.mesh import Mesh, merge, slices
from chronotope.world.things.thing import Look, Paint

_BLACK, _STEEL, _BEECH = (0.07, 0.07, 0.075), (0.70, 0.70, 0.72), (0.80, 0.62, 0.43)


@cache
def _parts(name: str) -> tuple[Mesh, ...]:
    """Return the parts of a stored mesh, scaled to length 1."""
    with np.load(BytesIO((files("chronotope.world.things") / "meshes" / f"{name}.npz").read_bytes())) as stored:
        vertices, faces, part = stored["vertices"] / 65535.0, stored["faces"].astype(np.int64), stored["parts"]
    found = []
    for number in range(int(part.max()) + 1):
        used, which = np.unique(faces[part == number], return_inverse=True)
        found.append(Mesh(vertices[used], which.reshape(-1, 3), np.zeros((len(used), 2))))
    return tuple(found)


def _draft(name: str, looks: list[Look], axis: int, count: int) -> Model:
    """Make a draft from a stored mesh, with looks for its parts.

    The solids of the draft are slices along an axis.
    """
    parts = _parts(name)
    whole = merge(*parts)
    low, high = whole.vertices[:, axis].min(), whole.vertices[:, axis].max()
    cuts = np.linspace(low, high + 1e-9, count + 1)
    return Model(tuple(zip(parts, looks, strict=True)), slices(whole, cuts.tolist(), axis))


def rocking_horse(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a painted horse on wooden rockers: head towards +x."""
    wood = plain(shade(_BEECH, generator.uniform(0.7, 1.0)), "wood")
    return _draft("rocking_horse", [paint.look, wood, plain(_BLACK, "plastic")], 0, 10)


def boot(generator: np.random.Generator, paint: Paint) -> Model:
    """Return an ankle boot: toe towards +x."""
    sole = plain((0.10, 0.08, 0.07) if paint.colour != "black" else (0.55, 0.40, 0.25), "rubber")
    return _draft("boot", [paint.look, sole], 0, 9)


def headphones(generator: np.random.Generator, paint: Paint) -> Model:
    """Return headphones that lie on their side: ear pads towards +x."""
    dark = plain(_BLACK if paint.colour != "black" else (0.25, 0.25, 0.27), "plastic")
    return _draft("headphones", [plain(_STEEL, "steel"), paint.look, paint.look, dark], 1, 12)


def toy_forklift(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a fork-lift truck whose forks point towards +x."""
    dark = plain((0.13, 0.13, 0.14), "metal")
    return _draft(
        "toy_forklift", [paint.look, dark, dark, plain((0.25, 0.25, 0.27), "leather"), plain(_BLACK, "rubber")], 0, 10
    )


def wheelbarrow(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a toy wheelbarrow: its wheel towards +x."""
    black = plain(_BLACK, "rubber")
    frame = plain((0.25, 0.25, 0.26), "metal") if paint.colour != "black" else plain(_STEEL, "steel")
    return _draft("wheelbarrow", [paint.look, black, frame, black], 0, 12)


def reindeer(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a leaping reindeer on a small foot: head towards +x."""
    return _draft("reindeer", [paint.look], 2, 14)
