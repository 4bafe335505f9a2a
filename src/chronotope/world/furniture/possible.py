"""Checks that a product can be assembled as its steps say: no part passes through another, and everything stands."""

from collections.abc import Iterator

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, QhullError

from chronotope.world.furniture.product import Entry, Group, Joining, Product, Vector

AWAY = 1.0  # m that a part moves until it is in its place
OVERLAP = 0.001  # m by which parts may overlap, since they touch
TOUCH = 0.001  # m between parts that touch
LEVEL = 0.002  # m above the lowest point, in which a part still stands on the floor
UPSET = np.tan(np.radians(2.5))  # what tips over at a smaller angle does not stand


def faults_of_assembly(product: Product) -> list[str]:
    """Find everything that makes the assembly of a product impossible.

    Each fault is a sentence with the number of its step, from 1. The list is empty if the product can be assembled.
    """
    return [*_faults_of_groups(product), *faults_of_ways(product)]


def _faults_of_groups(product: Product) -> Iterator[str]:
    built: set[Group] = {(part,) for part in range(len(product.parts))}
    for number, joining in _joinings(product):
        used = [part for group in joining.groups for part in group]
        if not joining.entries or len(used) != len(set(used)):
            yield f"step {number}: joins no groups, or a part twice"
        for group in joining.groups:
            if group not in built:
                yield f"step {number}: the group {group} was not built before"
            built.discard(group)
        built.add(joining.joined)
    if built != {tuple(range(len(product.parts)))}:
        yield f"step {len(product.steps)}: {len(built)} groups are left that are not joined"


def _joinings(product: Product) -> Iterator[tuple[int, Joining]]:
    """Yield each joining with the number of its step, from 1."""
    for number, step in enumerate(product.steps, 1):
        for joining in step.joinings:
            yield number, joining


def faults_of_ways(product: Product) -> Iterator[str]:
    """Yield where a part passes through another one, touches nothing, or what is built falls over."""
    for number, joining in _joinings(product):
        there: Group = joining.base
        for entry in joining.entries:
            for moving, still in ((moving, still) for moving in entry.parts for still in there):
                if passes(product, moving, still, entry):
                    names = product.parts[moving].name, product.parts[still].name
                    yield f"step {number}: the {names[0]} passes through the {names[1]}"
            if not any(touch(product, moving, still) for moving in entry.parts for still in there):
                yield f"step {number}: the {product.parts[entry.parts[0]].name} touches nothing"
            there = tuple(sorted((*there, *entry.parts)))
        if (lean := stability(product, there, joining.up)) < UPSET:
            yield f"step {number}: what is built falls over ({np.degrees(np.arctan(lean)):.1f} degrees)"


def stability(product: Product, group: Group, upward: Vector) -> float:
    """Return the tangent of the angle by which a group can be tilted until it falls.

    The value is below 0 if the group does not stand by itself. ``upward`` is the direction of the product that points
    up.
    """
    up = np.array(upward)
    first = np.cross(up, np.eye(3)[np.argmin(np.abs(up))])
    plane = np.stack([first, np.cross(up, first)])
    points = product.points(group)
    heights = points @ up
    feet = points[heights <= heights.min() + LEVEL] @ plane.T
    masses = np.array([product.parts[part].mass for part in group])
    middle = np.average([product.parts[part].middle for part in group], axis=0, weights=masses)
    try:
        sides = ConvexHull(feet).equations
    except QhullError:  # it stands on a line or on a point
        return -1.0
    within = -float((sides[:, :2] @ (middle @ plane.T) + sides[:, 2]).max())
    return within / max(float(middle @ up - heights.min()), 1e-6)


def passes(product: Product, moving: int, still: int, entry: Entry) -> bool:
    """Check whether a part meets another on its way to its place."""
    back = -AWAY * np.array(entry.toward)
    for solid in product.parts[moving].solids:
        swept = np.concatenate([_shrunk(solid), _shrunk(solid) + back])
        for other in product.parts[still].solids:
            if hulls_meet(swept, _shrunk(other)):
                return True
    return False


def touch(product: Product, one: int, other: int) -> bool:
    """Check whether two parts touch."""
    return any(hulls_meet(_grown(a), b) for a in product.parts[one].solids for b in product.parts[other].solids)


def _shrunk(points: np.ndarray) -> np.ndarray:
    """Move the sides of the box around points (N, 3) inwards by half of the allowed overlap."""
    return _scaled(points, -OVERLAP)


def _grown(points: np.ndarray) -> np.ndarray:
    return _scaled(points, 2 * TOUCH)


def _scaled(points: np.ndarray, by: float) -> np.ndarray:
    low, high = points.min(axis=0), points.max(axis=0)
    middle = (low + high) / 2
    return middle + (points - middle) * (np.maximum(high - low + by, 1e-6) / np.maximum(high - low, 1e-6))


def hulls_meet(first: np.ndarray, second: np.ndarray) -> bool:
    """Check whether the convex hulls of points (N, 3) and (M, 3) have a common point."""
    low = np.maximum(first.min(axis=0), second.min(axis=0))
    if np.any(low > np.minimum(first.max(axis=0), second.max(axis=0))):
        return False
    rows = np.concatenate([first.T, -second.T], axis=1)
    ones = np.zeros((2, rows.shape[1]))
    ones[0, : len(first)] = ones[1, len(first) :] = 1.0
    found = linprog(
        np.zeros(rows.shape[1]), A_eq=np.concatenate([rows, ones]), b_eq=np.array([0, 0, 0, 1.0, 1.0]), method="highs"
    )
    return found.status == 0
