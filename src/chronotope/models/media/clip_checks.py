"""Automatic checks of generated clips: length, cuts, frozen or black frames, the first frame, and camera motion.

A generated clip comes without truth, so these checks use its pixels alone. They find what is broken in plain ways; what
a clip shows is judged by a model and by a person.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from chronotope.media import decode_frames, probe, read_picture

WIDTH, HEIGHT = 96, 54  # px of the pictures that are compared
MOST_FRAMES = 240  # frames that are compared; a longer clip is thinned out
LENGTH_OFF = 0.1  # largest relative error of the duration
CUT = 0.03  # mean difference of two frames (1 is white against black) that can be a cut
CUT_TIMES = 6.0  # a cut is also this many times the usual difference around it
CUT_ALIKE = 0.6  # and the structures of its two frames correlate less than this
FROZEN = 0.0008  # mean difference below which two frames are the same picture
FROZEN_SHARE = 0.95  # share of equal frames of a clip that shows nothing but one picture
BLACK, BLACK_SPREAD = 0.04, 0.02  # mean and standard deviation of a black frame
BLACK_FRAMES = 2  # black frames that a clip may have
ANCHOR_ALIKE = 0.75  # least correlation of the first frame with the anchor
STILL = 0.008  # largest share of the width that a fixed camera drifts
MOVING = 0.03  # least share of the width that a moving camera moves

CheckName = Literal["length", "cuts", "frozen", "black", "anchor", "camera"]
CameraMotion = Literal["fixed", "moving"]


@dataclass(frozen=True)
class ClipCheck:
    """The result of one check, with the measured value and the limit in words."""

    name: CheckName
    passed: bool
    value: float
    told: str


def check_clip(
    path: Path, seconds: float | None = None, anchor: Path | None = None, camera: CameraMotion | None = None
) -> list[ClipCheck]:
    """Check a clip by its pixels.

    ``seconds`` is the demanded duration (s), ``anchor`` the picture with which the clip should begin, and ``camera``
    says whether the camera should move. What is None is not checked.

    Raises:
        InputError: If the clip or the anchor cannot be read.
    """
    facts = probe(path)
    step = max(1, -(-facts.frames // MOST_FRAMES))
    frames = np.stack(
        [_grey(picture) for _, picture in decode_frames(path, range(0, facts.frames, step), (WIDTH, HEIGHT))]
    )
    checks = [_cuts(frames), _frozen(frames), _black(frames)]
    if seconds is not None:
        off = abs(facts.duration_s - seconds) / seconds
        told = f"{facts.duration_s:.2f} s instead of {seconds:g} s"
        checks.insert(0, ClipCheck("length", off <= LENGTH_OFF, facts.duration_s, told))
    if anchor is not None:
        checks.append(_begins_with(frames[0], anchor))
    if camera is not None:
        checks.append(_camera(frames, camera))
    return checks


def _grey(picture: np.ndarray) -> np.ndarray:
    """Return a picture as grey values from 0 to 1."""
    return picture.astype(np.float32) @ np.array([0.299, 0.587, 0.114], np.float32) / 255


def _cuts(frames: np.ndarray) -> ClipCheck:
    """Find the largest jump between two frames; fast movements and black frames do not count."""
    steps, dark = _steps(frames), _is_black(frames)
    worst, where = 0.0, 0
    for index, step in enumerate(steps):
        around = np.concatenate([steps[max(0, index - 4) : index], steps[index + 1 : index + 5]])
        usual = float(np.median(around)) if len(around) else 0.0
        is_jump = step > CUT and step > CUT_TIMES * usual and not (dark[index] or dark[index + 1])
        if is_jump and _alike(frames[index], frames[index + 1]) < CUT_ALIKE and step > worst:
            worst, where = float(step), index + 1
    told = f"a jump of {worst:.2f} at frame {where}" if worst else "no cut"
    return ClipCheck("cuts", worst == 0.0, worst, told)


def _frozen(frames: np.ndarray) -> ClipCheck:
    steps = _steps(frames)
    share = float(np.mean(steps < FROZEN)) if len(steps) else 1.0
    return ClipCheck("frozen", share < FROZEN_SHARE, share, f"{share:.0%} of the frames equal the one before")


def _black(frames: np.ndarray) -> ClipCheck:
    count = int(_is_black(frames).sum())
    return ClipCheck("black", count <= BLACK_FRAMES, count, f"{count} black frames")


def _is_black(frames: np.ndarray) -> np.ndarray:
    return (frames.mean(axis=(1, 2)) < BLACK) & (frames.std(axis=(1, 2)) < BLACK_SPREAD)


def _begins_with(first: np.ndarray, anchor: Path) -> ClipCheck:
    """Compare the first frame with the anchor, which may have another size and may be cut a little."""
    from PIL import Image

    picture = Image.fromarray(read_picture(anchor))
    best = -1.0
    for share in (1.0, 0.95, 0.9):
        wide, high = picture.width * share, picture.height * share
        left, top = (picture.width - wide) / 2, (picture.height - high) / 2
        cut = picture.resize((WIDTH, HEIGHT), Image.Resampling.BOX, (left, top, left + wide, top + high))
        best = max(best, _alike(_grey(np.asarray(cut)), first))
    told = f"the first frame correlates with the anchor by {best:.2f}, and at least {ANCHOR_ALIKE} is expected"
    return ClipCheck("anchor", best >= ANCHOR_ALIKE, best, told)


def _camera(frames: np.ndarray, camera: CameraMotion) -> ClipCheck:
    """Measure how far the whole picture moves, as a share of its width.

    Movers change parts of the picture; the camera changes all of it. So the shift of most of nine parts counts.
    """
    path = np.zeros(2)
    farthest = 0.0
    turned = 0.0
    for before, after in itertools.pairwise(frames):
        shift, spread = _common_shift(before, after)
        path += shift
        turned += spread
        farthest = max(farthest, float(np.hypot(path[0], path[1])))
    value = (farthest + turned) / WIDTH
    if camera == "fixed":
        drift = farthest / WIDTH
        return ClipCheck("camera", drift <= STILL, drift, f"the picture drifts by {drift:.1%}")
    return ClipCheck("camera", value >= MOVING, value, f"the picture moves by {value:.1%} of its width")


def _common_shift(before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the median shift (px) of nine parts of the picture, and how much these parts move apart."""
    high, wide = before.shape[0] // 3, before.shape[1] // 3
    shifts = []
    for row in range(3):
        for column in range(3):
            part = (slice(row * high, (row + 1) * high), slice(column * wide, (column + 1) * wide))
            shifts.append(_shift(before[part], after[part]))
    found = np.array(shifts)
    median = np.median(found, axis=0)
    apart = np.median(np.linalg.norm(found - median, axis=1))
    return median, float(apart)


def _shift(before: np.ndarray, after: np.ndarray) -> tuple[float, float]:
    """Return the shift (px) between two small pictures, by one step of least squares on their gradients."""
    mean = (before + after) / 2
    down, right = np.gradient(mean)
    change = after - before
    matrix = np.array([[np.sum(right * right), np.sum(right * down)], [np.sum(right * down), np.sum(down * down)]])
    if np.linalg.det(matrix) < 1e-6:  # nothing to see in it
        return 0.0, 0.0
    x, y = np.linalg.solve(matrix, -np.array([np.sum(right * change), np.sum(down * change)]))
    return float(np.clip(x, -8, 8)), float(np.clip(y, -8, 8))


def _steps(frames: np.ndarray) -> np.ndarray:
    """Return the mean difference of each frame from the one before."""
    return np.abs(np.diff(frames, axis=0)).mean(axis=(1, 2))


def _alike(one: np.ndarray, other: np.ndarray) -> float:
    """Return the correlation of two pictures; 1 for two pictures without structure and with one brightness."""
    a, b = one - one.mean(), other - other.mean()
    size = float(np.sqrt(np.sum(a * a) * np.sum(b * b)))
    if size < 1e-6:
        return 1.0 if abs(float(one.mean() - other.mean())) < 0.1 else 0.0
    return float(np.sum(a * b) / size)


def passed(checks: Sequence[ClipCheck]) -> bool:
    """Check whether a clip passes all checks."""
    return all(check.passed for check in checks)
