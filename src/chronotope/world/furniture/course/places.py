"""Wrong places of parts: turned, on the other side, or where another part belongs."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from chronotope.world.furniture.product import Entry, Group, Part, Product, Vector
from chronotope.world.things.mesh import Mesh

BESIDE_M, BESIDE = 0.02, 0.25  # m from each right place, and the least share of a wrongly placed part that is so far
LONGER, LONGER_M = 0.25, 0.05  # share and length by which another part is longer or shorter
SAMPLES = 60


def moved_group(product: Product, group: Group, transform: np.ndarray) -> Product:
    """Return a product in which a group of parts is moved by a rigid transform (4, 4)."""
    parts = list(product.parts)
    for number in group:
        parts[number] = _moved(parts[number], transform)
    return replace(product, parts=tuple(parts))


def _moved(part: Part, transform: np.ndarray) -> Part:
    shapes = tuple(
        Mesh(shape.vertices @ transform[:3, :3].T + transform[:3, 3], shape.faces, shape.uv) for shape in part.shapes
    )
    return replace(part, shapes=shapes)


def _box(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2, high - low


def _about(turn: np.ndarray, centre: np.ndarray, to: np.ndarray) -> np.ndarray:
    """Return the transform that turns around a centre, and then takes this centre to another place."""
    transform = np.eye(4)
    transform[:3, :3] = turn
    transform[:3, 3] = to - turn @ centre
    return transform


def other_sides(product: Product, base: Group, entry: Entry) -> Iterator[tuple[np.ndarray, Vector]]:
    """Yield transforms (4, 4) of a group to the other sides of a base.

    With each transform comes the direction in which the group then comes. The group is turned around,
    or put on the opposite side, or both.
    """
    centre, _ = _box(product.points(entry.parts))
    middle, _ = _box(product.points(base))
    for axis, spin in itertools.product((None, 0, 1, 2), (None, 2, 0, 1)):
        if axis is None and spin is None:
            continue
        place, toward = centre.copy(), np.array(entry.toward)
        if axis is not None:
            place[axis] = 2 * middle[axis] - place[axis]
            toward[axis] *= -1
        turn = np.eye(3) if spin is None else -np.eye(3) + 2 * np.outer(np.eye(3)[spin], np.eye(3)[spin])
        yield _about(turn, centre, place), (float(toward[0]), float(toward[1]), float(toward[2]))


def in_place_of(product: Product, entry: Entry, other: int) -> np.ndarray:
    """Return the transform (4, 4) of another part to the place of a group.

    Long sides are along long sides.
    """
    centre, size = _box(product.points(entry.parts))
    own, extent = _box(product.parts[other].points)
    turn = np.zeros((3, 3))
    turn[np.argsort(-size, kind="stable"), np.argsort(-extent, kind="stable")] = 1.0
    if np.linalg.det(turn) < 0:
        turn[np.argsort(-size, kind="stable")[0]] *= -1
    toward = np.array(entry.toward)
    # Its leading side is where that of the right part would be.
    reach = float(np.abs(toward) @ (size - np.abs(turn) @ extent)) / 2
    return _about(turn, own, centre + reach * toward)


def looks_other(product: Product, part: int, other: int) -> bool:
    """Check whether two parts differ clearly in their size."""
    sizes = [np.sort(_box(product.parts[one].points)[1]) for one in (part, other)]
    longest = np.maximum(*sizes)
    return bool((np.abs(sizes[0] - sizes[1]) > np.maximum(LONGER_M, LONGER * longest)).any())


def is_beside(product: Product, right: Product, group: Group) -> bool:
    """Check that a group of a product is clearly not where it, or an equal part, belongs."""
    kinds = {right.parts[part].kind for part in group}
    places = [solid for part in right.parts if part.kind in kinds for solid in part.solids]
    points = np.concatenate([_filled(solid) for part in group for solid in product.parts[part].solids])
    return float((_away(points, places) > BESIDE_M).mean()) >= BESIDE


def _filled(solid: np.ndarray) -> np.ndarray:
    shares = np.random.default_rng(1).dirichlet(np.full(len(solid), 0.4), SAMPLES)
    return shares @ solid


def _away(points: np.ndarray, boxes: Sequence[np.ndarray]) -> np.ndarray:
    """Return how far (N,) m points are from the nearest box around corners."""
    beyond = [np.maximum(np.maximum(box.min(axis=0) - points, points - box.max(axis=0)), 0.0) for box in boxes]
    return np.min([np.linalg.norm(each, axis=1) for each in beyond], axis=0)
