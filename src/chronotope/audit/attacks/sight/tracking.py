"""Points followed through the frames of a clip."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

CORNERS = 170  # maximum number of points that are followed at a time
APART = 9  # minimum distance (px) between two corners
RETURNS = 1.0  # maximum distance (px) of a point from its start after following it forth and back
LEAST_LENGTH = 3  # minimum number of frames of a track; shorter tracks are dropped
_FLOW: dict[str, Any] = {
    "winSize": (19, 19),
    "maxLevel": 4,
    "criteria": (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 20, 0.03),
}


@dataclass(frozen=True, eq=False)
class Tracks:
    """Points (F, P, 2) px in F frames, NaN if a point is not in view."""

    points: np.ndarray

    @property
    def seen(self) -> np.ndarray:
        """Return whether each point is in view, (F, P)."""
        return np.isfinite(self.points[:, :, 0])


def track_points(greys: Sequence[np.ndarray]) -> Tracks:
    """Follow corners through grey frames (H, W) uint8.

    Each corner is followed to the next frame and back by the optical flow of Lucas and Kanade. New corners replace lost
    corners.
    """
    columns: list[np.ndarray] = []  # one array (F, 2) for each point
    active: list[int] = []
    for frame, grey in enumerate(greys):
        if frame and active:
            before = np.array([columns[number][frame - 1] for number in active], np.float32).reshape(-1, 1, 2)
            after, kept = _follow(greys[frame - 1], grey, before)
            for number, place, good in zip(active, after.reshape(-1, 2), kept, strict=True):
                if good:
                    columns[number][frame] = place
            active = [number for number, good in zip(active, kept, strict=True) if good]
        for place in _new_corners(grey, np.array([columns[number][frame] for number in active])):
            active.append(len(columns))
            columns.append(np.full((len(greys), 2), np.nan))
            columns[-1][frame] = place
    points = np.stack(columns, axis=1) if columns else np.empty((len(greys), 0, 2))
    return Tracks(points[:, np.isfinite(points[:, :, 0]).sum(axis=0) >= min(LEAST_LENGTH, len(greys))])


def _follow(first: np.ndarray, second: np.ndarray, before: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Follow points (P, 1, 2) px to the next frame.

    Returns the points and a mask (P,) of the reliable points.
    """
    after, found, _ = cv2.calcOpticalFlowPyrLK(first, second, before, before.copy(), **_FLOW)
    back, again, _ = cv2.calcOpticalFlowPyrLK(second, first, after, after.copy(), **_FLOW)
    missed = np.linalg.norm((back - before).reshape(-1, 2), axis=1)
    place = after.reshape(-1, 2)
    inside = ((place >= 2) & (place < np.array(first.shape[::-1]) - 2)).all(axis=1)
    return after, (found.ravel() == 1) & (again.ravel() == 1) & (missed < RETURNS) & inside


def _new_corners(grey: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Return corners (N, 2) px away from the existing points."""
    wanted = CORNERS - len(there)
    if wanted <= CORNERS // 10:
        return np.empty((0, 2))
    mask = np.full(grey.shape, 255, np.uint8)
    for x, y in there:
        cv2.circle(mask, (round(float(x)), round(float(y))), APART, 0, -1)
    corners = cv2.goodFeaturesToTrack(grey, wanted, 0.008, APART, mask=mask, blockSize=5)
    return np.empty((0, 2)) if corners is None else corners.reshape(-1, 2)
