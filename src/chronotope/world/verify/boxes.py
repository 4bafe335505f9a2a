"""Checks that the visible points of an entity are inside its claimed box and reach its visible faces.

The points must reach a visible face for the following reason. If a box is tight, the thing touches the plane of each
face at a point. For a camera in front of this plane, the line of sight to the point of contact is in front of the
plane, but the whole thing is behind the plane. So no part of the thing can hide the point, whatever its shape. The
point is therefore visible if the whole face is in the picture and no other thing is in front of it. But a sharp tip can
fall between the pixels. Therefore the check requires contact only if a tip of the area ``TIP_M2`` would have at least
``EXPECTED`` pixels in all frames that showed the face.
"""

from dataclasses import dataclass

import numpy as np

from chronotope.recording import Recording
from chronotope.world.verify.frame import Frame, heights
from chronotope.world.verify.outcome import Check, Worst, judged

TOLERANCE_M = 0.005
# Allowed shares of a thing's pixels that are farther than TOLERANCE_M outside its box: in one frame, and in all frames.
# Without faults, the shares are 0. Pixels at outlines are included, because small parts may be visible only there.
OUTSIDE_IN_FRAME, OUTSIDE_IN_ALL = 0.01, 0.0003
SAMPLED = 1000  # sampled pixels of a thing in a frame
FEWEST_IN_FRAME, FEWEST_IN_ALL = 100, 10_000  # least numbers of pixels for a share
FACE_ON = 0.35  # least cosine between a face's normal and the line of sight: 70 degrees
FACE_PX = 8.0  # px, least length of the shorter side of a face that counts as seen
GRID_PX, MOST_STEPS = 4.0, 32  # grid of a face's points, all of which must be visible: step (px), most points per side
HIDDEN_M, SUNK_M = 0.002, 0.012
# The area of the uppermost 5 mm of a tip, and the least expected number of its pixels in all frames together.
TIP_M2, EXPECTED = 4e-6, 4.0
EXTREMES = 6000  # largest number of pixels of a thing that are searched for extreme points


@dataclass
class _Face:
    """One face of a claimed box: ``sign`` along ``axis``.

    ``nearest`` is the distance (m) from the face to the nearest visible point of the thing. ``seen`` is the number of
    frames that showed the whole face before a point reached it. ``expected`` is the number of pixels that a tip would
    have in these frames.
    """

    identity: int
    axis: int
    sign: float
    nearest: float = np.inf
    seen: int = 0
    expected: float = 0.0

    @property
    def reached(self) -> bool:
        return self.nearest <= TOLERANCE_M


class Boxes:
    """The two checks with the names "inside boxes" and "faces reached"."""

    def __init__(self, recording: Recording) -> None:
        self._names = ["the world", *(entity.id for entity in recording.entities)]
        # The box of an articulated thing is around its whole motion, so no frame need show the thing at a face; see the
        # check "boxes of bodies".
        self._faces = [
            [_Face(identity, axis, sign) for axis in range(3) for sign in (-1.0, 1.0)] if entity.body is None else []
            for identity, entity in enumerate(recording.entities, 1)
        ]
        ids = [entity.id for entity in recording.entities]
        self._parents = [0, *(ids.index(each.parent) + 1 if each.parent in ids else 0 for each in recording.entities)]
        self._up = recording.up
        self._outside = np.zeros(len(self._names), np.int64)
        self._looked = np.zeros(len(self._names), np.int64)
        self._worst = Worst()

    def look(self, frame: Frame) -> None:
        """Check every entity in one frame."""
        self._look_inside(frame)
        for identity, faces in enumerate(self._faces, 1):
            if frame.counts[identity]:
                self._look_at_faces(frame, identity, [face for face in faces if not face.reached])

    def _look_inside(self, frame: Frame) -> None:
        points = frame.sample(SAMPLED)
        beyond = frame.beyond(points.places, points.identities)
        is_outside = beyond > frame.grown(TOLERANCE_M, points.depths)
        outside = np.bincount(points.identities[is_outside], minlength=len(self._names))
        looked = np.bincount(points.identities, minlength=len(self._names))
        self._outside += outside
        self._looked += looked
        shares = outside / np.maximum(looked, FEWEST_IN_FRAME)
        most = int(shares.argmax())
        if shares[most] > self._worst.value:
            farthest = 1000 * beyond[points.identities == most].max()
            where = f"of {self._names[most]} beyond its box, by up to {farthest:.1f} mm, in frame {frame.index}"
            self._worst.note(float(shares[most]), where)

    def _look_at_faces(self, frame: Frame, identity: int, faces: list[_Face]) -> None:
        half = frame.half[identity]
        eye = frame.to_things(frame.camera[:3, 3], identity)
        faces = [face for face in faces if _is_face_on(face, eye, half)]
        if not faces:
            return
        places = frame.to_things(frame.unproject(*frame.pixels_of(identity, EXTREMES)), identity)
        places = places[frame.beyond(places, identity) <= TOLERANCE_M]
        for face in faces:
            short = half[face.axis] - face.sign * places[:, face.axis]
            face.nearest = min(face.nearest, float(short.min(initial=np.inf)))
            if not face.reached and self._is_free(frame, face, eye):
                face.seen += 1
                pixels_per_m = frame.intrinsics[0, 0] / np.linalg.norm(_sight(face, eye, half))
                face.expected += float(pixels_per_m**2 * TIP_M2)

    def _is_free(self, frame: Frame, face: _Face, eye: np.ndarray) -> bool:
        """Check whether a face is large, fully visible, and unobstructed."""
        half = frame.half[face.identity]
        across = [axis for axis in range(3) if axis != face.axis]
        long = 2 * half[across] * frame.intrinsics[0, 0] / np.linalg.norm(_sight(face, eye, half))
        if long.min() < FACE_PX:
            return False
        steps = np.clip(np.ceil(long / GRID_PX).astype(int) + 1, 3, MOST_STEPS)
        ticks = (np.linspace(-1, 1, step) * half[axis] for step, axis in zip(steps, across, strict=True))
        one, two = np.meshgrid(*ticks)
        grid = np.full((one.size, 3), face.sign * half[face.axis])
        grid[:, across] = np.stack([one.ravel(), two.ravel()], axis=1)
        points = frame.to_world(grid, face.identity)
        rows, columns, depth = frame.project(points)
        height, width = frame.depth.shape
        # A point behind the camera is NaN, and counts as outside the picture.
        if not (rows.min() >= 0 and columns.min() >= 0 and rows.max() <= height - 1 and columns.max() <= width - 1):
            return False
        pixels = np.rint(rows).astype(np.int64), np.rint(columns).astype(np.int64)
        shown = frame.identities[pixels]
        hidden = (frame.depth[pixels] < depth - HIDDEN_M) & (shown != face.identity)
        return not (hidden & ~self._is_sunk(frame, face.identity, points, shown)).any()

    def _is_sunk(self, frame: Frame, identity: int, points: np.ndarray, shown: np.ndarray) -> np.ndarray:
        """Find a face's points (N, 3) m that are inside the parent.

        The parent hides these points, and its top is above them. No part of the thing can be at such a point, so the
        box of the thing is slightly too low. All other points of the face are checked.
        """
        parent = self._parents[identity]
        if not parent or self._up is None:
            return np.zeros(len(points), bool)
        (bottom, _), (_, top) = (heights(frame.things[each], frame.half[each], self._up) for each in (identity, parent))
        return (shown == parent) & (points @ self._up < top + HIDDEN_M) & (top - bottom < SUNK_M)

    def checks(self) -> tuple[Check, ...]:
        """Return both checks."""
        return self._check_inside(), self._check_faces()

    def _check_inside(self) -> Check:
        shares = self._outside / np.maximum(self._looked, FEWEST_IN_ALL)
        most, limit = int(shares.argmax()), TOLERANCE_M * 1000
        told = f"no pixel shows a point more than {limit:.0f} mm beyond the box of its entity"
        if self._worst.value:
            told = (
                f"{self._worst.value:.1%} {self._worst.where} (at most {OUTSIDE_IN_FRAME:.0%} by more than {limit:.0f} "
                f"mm), and {shares[most]:.2%} of {self._names[most]} in all frames (at most {OUTSIDE_IN_ALL:.2%})"
            )
        return Check("inside boxes", self._worst.value <= OUTSIDE_IN_FRAME and shares[most] <= OUTSIDE_IN_ALL, told)

    def _check_faces(self) -> Check:
        faces = [face for faces in self._faces for face in faces]
        missed = [face for face in faces if not face.reached and face.expected >= EXPECTED]
        told = [
            f"{self._names[face.identity]} stays {face.nearest * 1000:.1f} mm away from its {'-+'[face.sign > 0]}"
            f"{'xyz'[face.axis]} face, which {face.seen} frames show unobstructed"
            for face in missed
        ]
        reached = sum(face.reached for face in faces)
        return judged("faces reached", told, f"{reached} faces of {sum(map(bool, self._faces))} boxes")


def _sight(face: _Face, eye: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Return the vector from a face's middle to the eye.

    Face and eye are in the coordinates of the thing.
    """
    sight = eye.copy()
    sight[face.axis] -= face.sign * half[face.axis]
    return sight


def _is_face_on(face: _Face, eye: np.ndarray, half: np.ndarray) -> bool:
    sight = _sight(face, eye, half)
    return bool(face.sign * sight[face.axis] >= FACE_ON * np.linalg.norm(sight))
