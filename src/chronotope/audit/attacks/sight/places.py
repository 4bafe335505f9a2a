"""Answers to questions about the positions of things: relations, distances, boxes."""

from collections.abc import Sequence
from math import cos, radians, sin, tan

import cv2
import numpy as np

from chronotope.audit.attacks.sight.clip import SeenClip
from chronotope.audit.attacks.sight.colours import colour_of, patches
from chronotope.audit.attacks.sight.structure import Structure
from chronotope.audit.attacks.sight.things import SeenThing, find_thing, find_things
from chronotope.audit.attacks.stems import numbers_of

LEAST_OVERLAP = 0.1  # minimum intersection over union of a patch and a box
_WORDS = {
    "Left": (0, -1), "Right": (0, 1), "Up": (1, -1), "Down": (1, 1), "Front": (2, -1), "Back": (2, 1),
}  # fmt: skip


def best_word(
    structure: Structure, frame: int, first: SeenThing, second: SeenThing, words: Sequence[str]
) -> int | None:
    """Return the word for the position of a thing relative to another.

    The relation is measured in the coordinates of the camera at ``frame``.
    """
    seen = structure.camera(frame, np.stack([first.place, second.place]))
    apart = seen[0] - seen[1]
    rated = [apart[_WORDS[word][0]] * _WORDS[word][1] if word in _WORDS else -np.inf for word in words]
    return int(np.argmax(rated)) if np.isfinite(max(rated)) else None


def nearest_thing(clip: SeenClip, structure: Structure, frame: int, phrases: Sequence[str]) -> int | None:
    """Return the index of the thing nearest to a frame's camera.

    Things that are not found are left out; at least three things must be found.
    """
    found = [find_thing(clip, structure, phrase) for phrase in phrases]
    distances = [
        np.inf if thing is None else float(np.linalg.norm(structure.camera(frame, thing.place[None])))
        for thing in found
    ]
    return int(np.argmin(distances)) if np.isfinite(distances).sum() >= 3 else None


def distance_of(
    clip: SeenClip, structure: Structure, frame: int, kind: str, phrases: Sequence[str], sizes: Sequence[float | None]
) -> float | None:
    """Return a distance in units of the reconstruction, or None.

    ``sizes`` are the widths of the things. A gap is the distance of the centres minus half of each width.
    """
    things = find_things(clip, structure, phrases)
    if things is None:
        return None
    if kind == "camera-distance":
        return float(np.linalg.norm(structure.camera(frame, things[0].place[None])))
    apart = float(np.linalg.norm(things[0].place - things[1].place))
    if kind == "centre-distance":
        return apart
    gap = apart - sum(size / 2 for size in sizes if size is not None)
    return gap if gap > 0 else None


def best_box(
    frames: Sequence[tuple[np.ndarray, float]], phrase: str, view: float, options: Sequence[str], stem: str
) -> int | None:
    """Return the printed box that fits a patch of colour best.

    In each frame, the patch with the largest overlap with a box is chosen. The middle of this patch is compared with
    the middle of each box's outline. Returns None if no box fits. ``frames`` are the frames around the moment, with
    weights for interpolation; ``view`` is the horizontal field of view in degrees.
    """
    colour = colour_of(phrase)
    boxes = [_corners(text, stem) for text in options]
    if colour is None:
        return None
    height, width = frames[0][0].shape[:2]
    focal = width / 2 / tan(radians(view) / 2)
    outlines = [None if box is None else _outline(box, focal, np.array([width - 1, height - 1]) / 2) for box in boxes]
    if all(outline is None for outline in outlines):
        return None
    middles: list[np.ndarray] = []
    for frame, _ in frames:
        rated = [
            (max(_overlap(patch.hull, outline) for outline in outlines if outline is not None), patch.middle)
            for patch in patches(frame, colour)
        ]
        overlap, middle = max(rated, key=lambda one: one[0], default=(0.0, np.zeros(2)))
        if overlap < LEAST_OVERLAP:
            return None
        middles.append(middle)
    seen = sum((weight * middle for (_, weight), middle in zip(frames, middles, strict=True)), np.zeros(2))
    off = [
        np.inf if outline is None else float(np.abs((outline.min(axis=0) + outline.max(axis=0)) / 2 - seen).sum())
        for outline in outlines
    ]
    return int(np.argmin(off)) if np.isfinite(min(off)) else None


def _corners(text: str, stem: str) -> np.ndarray | None:
    """Return the corners (8, 3) of a printed box.

    The corners are in the frame of a camera with OpenCV axes. Returns None if the text is not a box.
    """
    numbers = numbers_of(text)
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2
    if len(numbers) == 9:
        size, centre = np.array(numbers[:3]), np.array(numbers[3:6])
        return signs * size @ _turned(*np.radians(numbers[6:])).T + centre
    if len(numbers) != 7:
        return None
    size, centre, heading = np.array(numbers[:3]), np.array(numbers[3:6]), numbers[6]
    if "x forward, y left, z up" in stem:
        flat = signs * size @ _turned(heading, 0.0, 0.0).T + centre
        return np.stack([-flat[:, 1], -flat[:, 2], flat[:, 0]], axis=1)
    ahead = radians(heading)  # the angle from the viewing direction, positive to the left as seen from above
    long, wide = np.array([-sin(ahead), 0, cos(ahead)]), np.array([cos(ahead), 0, sin(ahead)])
    return signs * size @ np.stack([long, wide, [0.0, 1.0, 0.0]]) + centre


def _turned(yaw: float, pitch: float, roll: float) -> np.ndarray:
    """Return Rz(yaw) Ry(pitch) Rx(roll), in radians."""
    about_z = np.array([[cos(yaw), -sin(yaw), 0], [sin(yaw), cos(yaw), 0], [0, 0, 1]])
    about_y = np.array([[cos(pitch), 0, sin(pitch)], [0, 1, 0], [-sin(pitch), 0, cos(pitch)]])
    about_x = np.array([[1, 0, 0], [0, cos(roll), -sin(roll)], [0, sin(roll), cos(roll)]])
    return about_z @ about_y @ about_x


def _outline(corners: np.ndarray, focal: float, middle: np.ndarray) -> np.ndarray | None:
    """Return the convex outline (K, 2) px of a box.

    Returns None if a corner is behind the camera.
    """
    if (corners[:, 2] <= 1e-6).any():
        return None
    pixels = focal * corners[:, :2] / corners[:, 2:] + middle
    return cv2.convexHull(pixels.astype(np.float32)).reshape(-1, 2)


def _overlap(first: np.ndarray, second: np.ndarray) -> float:
    """Return the intersection over union of two convex outlines."""
    one, other = first.astype(np.float32), second.astype(np.float32)
    common = cv2.intersectConvexConvex(one, other)[0]
    whole = cv2.contourArea(one) + cv2.contourArea(other) - common
    return float(common / whole) if whole > 0 else 0.0
