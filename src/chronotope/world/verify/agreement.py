"""Checks that other frames show the points of a frame at the positions predicted by the claimed poses.

Points are taken from the previous frame, and from a few frames spread over the recording. In each frame they are
projected with the claimed poses; a point of an articulated thing is carried by the skin of the thing. A point in front
of the visible surface, or on a surface of another identity, is a contradiction. A point behind the visible surface is
hidden, and is not compared. Its distance from the surface is measured only where the surface continues: of an open
container seen from the side, all points that are not hidden may lie at the rim, before the far side of the inside.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from chronotope.recording import Recording
from chronotope.world.verify.frame import NEAR_M, Frame, Points, is_slow, read_frame
from chronotope.world.verify.outcome import Check, Worst
from chronotope.world.verify.skin import Skins

ANCHORS = 5  # frames, spread over the recording, whose points are searched for in all other frames
OF_THING, OF_WORLD = 75, 300  # largest number of points taken from a thing, and from the world, in a frame
THROUGH_M = 0.005  # m; a point that is farther than this in front of the visible surface is a contradiction
ON_M = 0.001  # m; a point that is nearer than this to a surface counts as a point on the surface
MOST_APART_M = 0.0005  # m, allowed median distance of the other points from their surfaces
FEWEST = 100  # least number of points for a share or a median
FAR_SHARE = 0.01  # least share of a picture farther away than NEAR_M, for limits that grow with distance


@dataclass(frozen=True)
class _Limits:
    """The limits of the check: allowed shares of contradicting points, of lost points, and of failed comparisons.

    A point is lost if it is hidden or outside the picture in the next frame. If a pixel covers more than ``pixel`` (m)
    of a surface, THROUGH_M and MOST_APART_M grow in proportion. A point is not compared in a frame in which it is
    ``farther`` times as deep as before, because a narrow part can then lie between the pixels.
    """

    wrong: float = 0.02
    lost: float = 0.7
    failed: float = 0.0
    pixel: float = np.inf
    farther: float = np.inf


USUAL = _Limits()
FAR = _Limits(pixel=0.003, farther=1.3)  # walls are metres away, and a pixel covers some centimetres of them
# In slow clips, the camera moves far between two frames, so comparisons have few points.
SLOW = replace(FAR, wrong=0.06, lost=0.95, failed=0.5)


class Agreement:
    """Makes the check "points across frames"."""

    def __init__(self, recording: Recording, folder: Path, skins: Skins | None = None) -> None:
        self._skins = skins or Skins(recording)
        valid = np.flatnonzero(recording.valid)
        chosen = np.unique(valid[np.linspace(0, len(valid) - 1, ANCHORS).astype(np.int64)])
        frames = [read_frame(recording, folder, int(index)) for index in chosen]
        far = bool(recording.rooms) or any((frame.depth > NEAR_M).mean() > FAR_SHARE for frame in frames)
        self._limits = SLOW if is_slow(recording) else FAR if far else USUAL
        self._anchors = [self._take(frame, _is_wide(frame, self._limits)) for frame in frames]
        self._before: Points | None = None
        self._wrong, self._apart, self._lost = Worst(), Worst(), Worst()
        self._made, self._failed = np.zeros((2, len(recording.times)), np.int64)  # comparisons by frame

    def look(self, frame: Frame) -> None:
        """Search for the other frames' points in one frame."""
        wide = _is_wide(frame, self._limits)
        sources = [anchor for anchor in self._anchors if anchor.frame != frame.index]
        if self._before is not None:
            sources.append(self._before)
        if sources:
            self._compare(frame, sources, wide)
        self._before = self._take(frame, wide)

    def _take(self, frame: Frame, wide: np.ndarray) -> Points:
        """Choose points of a frame, and find the points on bodies on their surfaces."""
        points = _take(frame, wide)
        places, triangles = points.places.copy(), points.triangles.copy()
        for identity, posed in self._skins.at(frame.index).items():
            own = points.identities == identity
            if own.any():
                world = frame.to_world(places[own], identity)
                triangles[own], places[own], _ = posed.nearest(world)
        return replace(points, places=places, triangles=triangles)

    def _to_world(self, frame: Frame, points: Points) -> np.ndarray:
        """Return the places (N, 3) m in the world of points at the poses of a frame."""
        world = frame.to_world(points.places, points.identities)
        if (points.triangles >= 0).any():
            for identity, posed in self._skins.at(frame.index).items():
                own = points.identities == identity
                world[own] = posed.places(points.triangles[own], points.places[own])
        return world

    def _compare(self, frame: Frame, sources: list[Points], wide: np.ndarray) -> None:
        identities = np.concatenate([source.identities for source in sources])
        world = np.concatenate([self._to_world(frame, source) for source in sources])
        depths = np.concatenate([source.depths for source in sources])
        wrong, right, apart = find_again(frame, identities, world, depths, self._limits, wide)
        ends = np.cumsum([len(source.identities) for source in sources])
        for source, end in zip(sources, ends, strict=True):
            part = slice(end - len(source.identities), end)
            pair = f"from frame {source.frame} to frame {frame.index}"
            compared = int(wrong[part].sum() + right[part].sum())
            if source is self._before:
                self._lost.note(1 - compared / max(len(source.identities), 1), pair)
            if compared < FEWEST:
                continue
            share = float(wrong[part].sum() / compared)
            known = apart[part][np.isfinite(apart[part])]
            median = float(np.median(known)) if len(known) >= FEWEST else 0.0
            self._wrong.note(share, pair)
            self._apart.note(median, pair)
            both = [source.frame, frame.index]
            self._made[both] += 1
            self._failed[both] += share > self._limits.wrong or median > MOST_APART_M

    def checks(self) -> tuple[Check, ...]:
        """Return the check, as the only element."""
        told = (
            f"{self._wrong.value:.1%} of the points contradict {self._wrong.where} (at most {self._limits.wrong:.0%}), "
            f"the median distance is up to {self._apart.value * 1000:.2f} mm {self._apart.where} "
            f"(at most {MOST_APART_M * 1000:.1f} mm)"
        )
        if self._lost.value > self._limits.lost:
            told += f", {self._lost.value:.0%} cannot be compared {self._lost.where} (at most {self._limits.lost:.0%})"
        failed = self._failed / np.maximum(self._made, 1)
        is_wrong = failed.max(initial=0.0) > self._limits.failed
        if is_wrong:
            told += (
                f"; frame {failed.argmax()} fails {failed.max():.0%} of its {self._made[failed.argmax()]} comparisons"
            )
        return (Check("points across frames", not is_wrong and self._lost.value <= self._limits.lost, told),)


def _take(frame: Frame, wide: np.ndarray) -> Points:
    """Choose points of a frame, away from outlines and from narrow parts, at pixels ``wide`` (H, W).

    At outlines, rounding could assign a point to the wrong thing. A narrow part, such as the leaf of a plant, can lie
    between the pixels of another frame, so a point on it could seem to be in front of the visible surface.
    """
    return frame.sample(OF_THING, OF_WORLD, frame.interior & wide)


def _is_wide(frame: Frame, limits: _Limits) -> np.ndarray:
    """Find pixels (H, W) whose surface continues around them.

    The surface continues if, along the row, the column and both diagonals, it bends by less than the distance at which
    a point would contradict the visible surface. A part narrower than three pixels with another surface behind it does
    not continue.
    """
    depth = frame.depth
    margin = THROUGH_M * _coarseness(frame, depth, limits)[1:-1, 1:-1] + frame.rounding
    wide = np.zeros(depth.shape, bool)
    with np.errstate(invalid="ignore", divide="ignore"):
        near = 1 / depth  # on a plane, linear in the picture
        here = near[1:-1, 1:-1]
        pairs = (
            near[:-2, 1:-1] + near[2:, 1:-1],
            near[1:-1, :-2] + near[1:-1, 2:],
            near[:-2, :-2] + near[2:, 2:],
            near[:-2, 2:] + near[2:, :-2],
        )
        bent = np.maximum.reduce([np.abs(pair / 2 - here) for pair in pairs])
        wide[1:-1, 1:-1] = bent / here**2 < margin
    return wide


def _coarseness(frame: Frame, depth: np.ndarray, limits: _Limits) -> np.ndarray:
    """Return the factor by which the limits grow.

    The limits grow with the size of a pixel at each ``depth`` (m).
    """
    return np.maximum(depth / frame.intrinsics[0, 0] / limits.pixel, 1.0)


def find_again(
    frame: Frame, identities: np.ndarray, world: np.ndarray, depths: np.ndarray, limits: _Limits, wide: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compare points (N, 3) m with the surfaces visible in a frame.

    ``depths`` (N,) m are their depths in the frame from which they were taken. ``wide`` (H, W) are the pixels of this
    frame whose surface continues around them.
    Returns which points contradict the frame (N,), which points agree with the frame (N,), and the distances (N,) m of
    the agreeing points from the surface, divided by the growth of the limits with the size of a pixel. A distance
    is NaN if the four pixels around a point do not all show the identity of the point, or if the surface does not
    continue at them. What the steps of depth round is not counted.
    """
    rows, columns, depth = frame.project(world)
    height, width = frame.depth.shape
    inside = (rows >= 0) & (columns >= 0) & (rows < height - 1) & (columns < width - 1)
    inside &= depth <= limits.farther * depths
    rows, columns = np.where(inside, rows, 0), np.where(inside, columns, 0)
    first = rows.astype(np.int64) * width + columns.astype(np.int64)
    four = first + np.array([[0], [1], [width], [width + 1]])
    around, named = frame.depth.ravel()[four], frame.identities.ravel()[four] == identities
    coarse = _coarseness(frame, depth, limits)
    margin = THROUGH_M * coarse + 2 * frame.rounding
    y, x = rows % 1, columns % 1
    weights = np.stack([(1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y])
    with np.errstate(invalid="ignore"):
        # On a plane, the inverse of depth is linear in the picture. NaN compares as False.
        apart = np.where(inside, np.abs(depth - 1 / (weights / around).sum(axis=0)), np.nan)
        through = inside & (depth < around.min(axis=0) - margin)
        alien = (apart < ON_M + frame.rounding) & ~named.any(axis=0)
        agree = inside & ~through & (depth < around.max(axis=0) + margin) & named.any(axis=0)
    apart = np.maximum(apart - frame.rounding, 0.0) / coarse
    is_whole = named.all(axis=0) & wide.ravel()[four].all(axis=0)
    return through | alien, agree, np.where(agree & is_whole, apart, np.nan)
