"""A product from meshes and steps: which group stays, which groups come, and from where."""

from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.recording import Procedure
from chronotope.world.furniture.meshes.reading import find_products, read_parts
from chronotope.world.furniture.product import AssemblyStep, Entry, Group, Joining, Part, Product, Vector
from chronotope.world.things.mesh import Mesh
from chronotope.world.things.thing import Look

WAYS: tuple[Vector, ...] = (
    (0.0, 0.0, -1.0), (0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0),
)  # fmt: skip
SAMPLES = 6000  # points on the surface of a group
CELL, TOUCH = 0.02, 0.015  # size of a column in which points are compared, and depth by which parts may overlap
LOOK = Look((0.82, 0.72, 0.58), 0.1, 0.2)


def product_of(path: Path, number: int) -> tuple[Product, Procedure]:
    """Read a product from the folder of IKEA Manuals at Work, and its entry there.

    ``number`` counts products with meshes from 0.

    Raises:
        InputError: If a mesh or a group of parts is missing or wrong.
    """
    entry, folder = find_products(path)[0][number]
    where = f"{entry.category}/{entry.product}"
    steps = [(step.number, [_indices(group, where, step.number) for group in step.parts]) for step in entry.steps]
    for index, groups in steps:
        used = [part for group in groups for part in group]
        if len(groups) < 2 or len(used) != len(set(used)):
            raise InputError(
                f"{path}: step {index + 1} of {where} joins {len(groups)} groups of parts, or a part twice: expected "
                "at least two groups in manual.parts; leave out this product with --keep-going"
            )
    count = 1 + max(part for _, groups in steps for group in groups for part in group)
    meshes = read_parts(folder, count)
    parts = tuple(Part(f"part {at + 1}", "part", (mesh,), LOOK) for at, mesh in enumerate(meshes))
    made = tuple(AssemblyStep((_joining(groups, meshes),)) for _, groups in steps)
    return Product(entry.category, entry.product, parts, made), entry


def _indices(group: tuple[str, ...], where: str, step: int) -> Group:
    # Not int(): it takes "0_1", which is a typing error for the parts 0 and 1, as part 1.
    if not all(part.isascii() and part.isdecimal() for part in group):
        raise InputError(
            f"step {step + 1} of {where}: {','.join(group)!r} is not a group of parts: expected numbers such as '0,2'"
        )
    return tuple(sorted(int(part) for part in group))


def _joining(groups: list[Group], meshes: list[Mesh]) -> Joining:
    """Let the largest group stay, and the others come to it one after the other."""
    base = max(groups, key=lambda group: (len(group), _size(group, meshes)))
    there, entries = _sampled(base, meshes), []
    for group in groups:
        if group != base:
            own = _sampled(group, meshes)
            entries.append(Entry(group, way_in(own, there)))
            there = np.concatenate([there, own])
    return Joining(base, tuple(entries))


def _size(group: Group, meshes: list[Mesh]) -> float:
    return float(np.linalg.norm(np.ptp(np.concatenate([meshes[part].vertices for part in group]), axis=0)))


def _sampled(group: Group, meshes: list[Mesh]) -> np.ndarray:
    """Return points on the faces of a group, as many on each area."""
    corners = np.concatenate([meshes[part].vertices[meshes[part].faces] for part in group])
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    generator = np.random.default_rng(1)
    chosen = corners[generator.choice(len(corners), SAMPLES, p=(areas + 1e-12) / (areas + 1e-12).sum())]
    shares = generator.dirichlet((1.0, 1.0, 1.0), SAMPLES)
    return (chosen * shares[..., None]).sum(axis=1)


def way_in(moving: np.ndarray, still: np.ndarray) -> Vector:
    """Return the direction in which a group gets to its place with the least in its way.

    ``moving`` and ``still`` (N, 3) are points of surfaces. Of two equally free directions, the group comes in the one
    in which it meets more of what is there.
    """
    return max(WAYS, key=lambda way: _freedom(moving, still, np.array(way)))


def _freedom(moving: np.ndarray, still: np.ndarray, way: np.ndarray) -> tuple[float, float]:
    """Return which shares of the columns along a way are free, and have something behind."""
    across = np.eye(3)[np.abs(way) < 0.5]
    low = np.minimum(moving.min(axis=0), still.min(axis=0))
    columns = [np.floor((points - low) @ across.T / CELL).astype(int) @ [1 << 20, 1] for points in (moving, still)]
    ends: dict[int, float] = {}
    for column, along in zip(columns[0].tolist(), (moving @ way).tolist(), strict=True):
        ends[column] = max(along, ends.get(column, -np.inf))
    starts: dict[int, float] = {}
    for column, along in zip(columns[1].tolist(), (still @ way).tolist(), strict=True):
        starts[column] = min(along, starts.get(column, np.inf))
    gaps = np.array([starts.get(column, np.inf) - end for column, end in ends.items()])
    return round(float((gaps >= -TOUCH).mean()), 2), float((np.abs(gaps) < 4 * TOUCH).mean())
