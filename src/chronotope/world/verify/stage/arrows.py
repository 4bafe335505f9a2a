"""The arrows of a sign, read from the picture of its face."""

from collections.abc import Sequence

import numpy as np
from scipy.ndimage import find_objects, label

from chronotope.world.verify.frame import Frame

LINES = 200  # px, height of the face after it was made upright
INK, PLATE = 0.5, 0.6  # shares: of the largest contrast that is ink, and of a row that the plate fills
EDGE = 0.08  # share of the height of the plate, from its edges: its frame lies there, and no letter
SMALL = 0.12  # share of the height of a line of which an arrow is larger
GRID = 24  # px, of shapes that are compared
LIKE = 0.5  # least share that an arrow and its shape have in common
# An arrow to the right, from -1 to 1 along and across: half the width of its shaft, and where its head begins.
SHAFT, HEAD = 0.2, 0.06
TURNS = {"Right": 0, "Straight": 1, "Left": 2, "Back": 3}  # quarter turns of this arrow
Ways = Sequence[str | None]


def _shape(way: str) -> np.ndarray:
    """Return an arrow in its box (GRID, GRID), 0 or 1."""
    across, along = np.meshgrid(*[(np.arange(GRID) + 0.5) / GRID * 2 - 1] * 2, indexing="ij")
    drawn = np.where(along < HEAD, np.abs(across) < SHAFT, np.abs(across) < (1 - along) / (1 - HEAD))
    return np.rot90(drawn, TURNS[way])


def read_arrows(frame: Frame, identity: int, count: int) -> Ways:
    """Return where the arrow of each line of a sign points, from top to bottom.

    The result has None for a line whose arrow is not read. ``identity`` is that of the sign, whose face is towards +x,
    and ``count`` is the number of its lines.
    """
    ink = _ink(frame, identity)
    if ink is None:
        return [None] * count
    numbered = label(ink, np.ones((3, 3)))[0]  # pyright: ignore[reportGeneralTypeIssues, reportIndexIssue] (SciPy has no types)
    parts = [
        (rows, columns, numbered[rows, columns] == number)
        for number, (rows, columns) in enumerate(find_objects(numbered), 1)
        if rows.stop - rows.start > SMALL * len(ink) / count
    ]
    if not parts:
        return [None] * count
    top, bottom = min(rows.start for rows, _, _ in parts), max(rows.stop for rows, _, _ in parts)
    lines: list[list[tuple[slice, slice, np.ndarray]]] = [[] for _ in range(count)]
    for part in parts:
        middle = (part[0].start + part[0].stop) / 2
        lines[min(int((middle - top) / (bottom - top) * count), count - 1)].append(part)
    return [_pointing(line) for line in lines]


def _ink(frame: Frame, identity: int) -> np.ndarray | None:
    """Return which points (H, W) of the face of a sign have the colour of its letters."""
    if frame.picture is None or frame.regions[identity - 1] is None:
        return None
    thick, wide, tall = 2 * frame.half[identity]
    up, right = (0.5 - (np.arange(LINES) + 0.5) / LINES) * tall, LINES * wide / tall
    aside = ((np.arange(round(right)) + 0.5) / round(right) - 0.5) * wide
    z, y = np.meshgrid(up, aside, indexing="ij")
    pose = frame.things[identity]
    points = np.stack([np.full(y.shape, thick / 2), y, z], axis=-1).reshape(-1, 3) @ pose[:3, :3].T + pose[:3, 3]
    rows, columns, depth = frame.project(points)
    high, broad = frame.identities.shape
    if not (np.isfinite(depth) & (rows >= 0) & (rows <= high - 1) & (columns >= 0) & (columns <= broad - 1)).all():
        return None
    at = rows.round().astype(int), columns.round().astype(int)
    face = (frame.identities[at] == identity).reshape(y.shape)
    plate = face.mean(axis=1) > PLATE  # not the rods above it
    if plate.sum() < LINES / 4:
        return None
    colours = frame.picture[at].reshape(*y.shape, 3).astype(float)[plate]
    away = np.abs(colours - np.median(colours, axis=(0, 1))).max(axis=2)
    cut = round(EDGE * len(away))
    return away[cut:-cut, cut:-cut] > INK * np.quantile(away, 0.98)


def _pointing(line: list[tuple[slice, slice, np.ndarray]]) -> str | None:
    """Return where the arrow at the left or the right end of a line points."""
    if not line:
        return None
    ordered = sorted(line, key=lambda part: part[1].start)
    likeness = {}
    for part in (ordered[0], ordered[-1]):
        shape = part[2]
        at = [((np.arange(GRID) + 0.5) / GRID * size).astype(int) for size in shape.shape]
        small = shape[np.ix_(*at)]
        for way in TURNS:
            drawn = _shape(way)
            likeness[way] = max(likeness.get(way, 0.0), float((small & drawn).sum() / (small | drawn).sum()))
    best = max(likeness, key=lambda way: likeness[way])
    return best if likeness[best] >= LIKE else None
