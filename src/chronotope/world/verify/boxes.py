"""Whether what is seen of each entity lies in its claimed box and reaches the faces of the box that are seen.

Why a face that is seen must be reached: where a box is tight, the thing touches the plane of each face somewhere. From
a camera in front of that plane, the line of sight to such a point of contact runs in front of the plane all the way, and
the whole thing lies behind it: no part of the thing can hide the point, whatever its shape. So if nothing else stands
before any point of the face, and the face lies wholly in the picture, then the point of contact is seen.
"""

from dataclasses import dataclass

import numpy as np

from chronotope.recording import Recording
from chronotope.world.verify.frame import Frame
from chronotope.world.verify.outcome import Check, Worst

__all__ = ["Boxes"]

TOLERANCE_M = 0.005
# Pixels beyond the box: so many of a thing's inner pixels in one frame and in all of them.
OUTSIDE_IN_FRAME, OUTSIDE_IN_ALL = 0.02, 0.005
FEWEST = 50  # inner pixels of a thing that make a share of one frame
FACE_ON = 0.35  # cosine between a face's normal and the line of sight: 70 degrees
FACE_PX = 8.0  # shortest side of a face that counts as seen
GRID_PX, MOST_STEPS = 4.0, 32  # between the points of a face that nothing may hide
HIDDEN_M = 0.002
FRAMES, TOUCHES = 3, 3  # frames that must see a face before it has to be reached, pixels that reach it
EXTREMES = 6000  # pixels of a thing searched for its extreme points


@dataclass
class _Face:
    """One face of a claimed box: ``sign`` along ``axis``; how many pixels reached it, how many frames saw it freely."""

    identity: int
    axis: int
    sign: float
    touches: int = 0
    seen: int = 0
    nearest: float = np.inf  # m from the face to the nearest point of the thing


class Boxes:
    """Checks "inside boxes" and "faces reached"."""

    def __init__(self, recording: Recording) -> None:
        self._names = ["the world", *(entity.id for entity in recording.entities)]
        self._faces = [
            [_Face(identity, axis, sign) for axis in range(3) for sign in (-1.0, 1.0)]
            for identity in range(1, len(self._names))
        ]
        self._needed = min(FRAMES, int(recording.valid.sum()))
        self._outside = np.zeros(len(self._names), np.int64)
        self._looked = np.zeros(len(self._names), np.int64)
        self._worst = Worst()

    def look(self, frame: Frame) -> None:
        """Look at every entity in one frame."""
        self._look_inside(frame)
        for identity, faces in enumerate(self._faces, 1):
            if frame.counts[identity]:
                self._look_at_faces(frame, identity, [face for face in faces if face.touches < TOUCHES])

    def _look_inside(self, frame: Frame) -> None:
        points = frame.sample
        beyond = frame.beyond(points.places, points.identities)
        outside = np.bincount(points.identities[beyond > TOLERANCE_M], minlength=len(self._names))
        looked = np.bincount(points.identities, minlength=len(self._names))
        self._outside += outside
        self._looked += looked
        shares = outside / np.maximum(looked, FEWEST)
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
            face.touches += int((short <= TOLERANCE_M).sum())
            if face.touches < TOUCHES and _is_free(frame, face, eye):
                face.seen += 1

    def checks(self) -> tuple[Check, ...]:
        """Both checks."""
        return self._check_inside(), self._check_faces()

    def _check_inside(self) -> Check:
        shares = self._outside / np.maximum(self._looked, FEWEST)
        most, limit = int(shares.argmax()), TOLERANCE_M * 1000
        told = f"no inner pixel is more than {limit:.0f} mm beyond the box of its entity"
        if self._worst.value:
            told = (
                f"{self._worst.value:.1%} {self._worst.where} (at most {OUTSIDE_IN_FRAME:.0%} by more than {limit:.0f} "
                f"mm), and {shares[most]:.1%} of {self._names[most]} in all frames (at most {OUTSIDE_IN_ALL:.1%})"
            )
        return Check("inside boxes", self._worst.value <= OUTSIDE_IN_FRAME and shares[most] <= OUTSIDE_IN_ALL, told)

    def _check_faces(self) -> Check:
        faces = [face for faces in self._faces for face in faces]
        missed = [face for face in faces if face.touches < TOUCHES and face.seen >= self._needed]
        told = [
            f"{self._names[face.identity]} stays {face.nearest * 1000:.1f} mm away from its {'-+'[face.sign > 0]}"
            f"{'xyz'[face.axis]} face, which {face.seen} frames see freely"
            for face in missed
        ]
        reached = sum(face.touches >= TOUCHES for face in faces)
        return Check("faces reached", not missed, ", ".join(told) or f"{reached} faces of {len(self._faces)} boxes")


def _sight(face: _Face, eye: np.ndarray, half: np.ndarray) -> np.ndarray:
    """From the middle of a face to the eye, both in the frame of the thing."""
    sight = eye.copy()
    sight[face.axis] -= face.sign * half[face.axis]
    return sight


def _is_face_on(face: _Face, eye: np.ndarray, half: np.ndarray) -> bool:
    sight = _sight(face, eye, half)
    return bool(face.sign * sight[face.axis] >= FACE_ON * np.linalg.norm(sight))


def _is_free(frame: Frame, face: _Face, eye: np.ndarray) -> bool:
    """Whether a face is large enough in a frame, wholly in the picture, and has nothing else before it."""
    half = frame.half[face.identity]
    across = [axis for axis in range(3) if axis != face.axis]
    long = 2 * half[across] * frame.intrinsics[0, 0] / np.linalg.norm(_sight(face, eye, half))
    if long.min() < FACE_PX:
        return False
    steps = np.clip(np.ceil(long / GRID_PX).astype(int) + 1, 3, MOST_STEPS)
    one, two = np.meshgrid(*(np.linspace(-1, 1, step) * half[axis] for step, axis in zip(steps, across, strict=True)))
    grid = np.full((one.size, 3), face.sign * half[face.axis])
    grid[:, across] = np.stack([one.ravel(), two.ravel()], axis=1)
    rows, columns, depth = frame.project(frame.to_world(grid, face.identity))
    height, width = frame.depth.shape
    # NaN, behind the camera, is no place in the picture.
    if not (rows.min() >= 0 and columns.min() >= 0 and rows.max() <= height - 1 and columns.max() <= width - 1):
        return False
    pixels = np.rint(rows).astype(np.int64), np.rint(columns).astype(np.int64)
    nearer = frame.depth[pixels] < depth - HIDDEN_M
    return not (nearer & (frame.identities[pixels] != face.identity)).any()
