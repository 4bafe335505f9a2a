"""The published rule for wrong options (profile ``paper``). The rule has a known defect: it reveals the answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chronotope.geometry import Box, relative_pose, rotation_from_vector, rotation_vector
from chronotope.question import Reason, Refused

GAP_RATIOS = ((1, 1, 2, 4), (1, 2, 2, 4))
TURN_STEP = 15.0  # degrees


@dataclass(frozen=True)
class Gap:
    """The nearest distractor's distance e, computed from the uniform random number u."""

    e: float
    u: float


@dataclass(frozen=True)
class Adjusted:
    """Five values (the answer comes first), and three numbers about their adjustment.

    The three numbers are the nearest gap, the weight w of the answer, and the number of mirrored distractors.
    """

    values: np.ndarray
    gap: Gap
    weight: float
    mirrored: int


def fine_gap(generator: np.random.Generator, nearest: tuple[float, float]) -> Gap:
    """Draw the nearest distractor's distance, log-uniform in the published range."""
    low, high = nearest
    u = float(generator.uniform())
    return Gap(low * (high / low) ** u, u)


def adjustment(
    gap: Gap, weight: float, nearest: tuple[float, float], mirrored: int = 0, factor: float = 1.0
) -> dict[str, Any]:
    """Return the record of an adjustment, for the facts of an item.

    ``nearest`` is the range of e, in the SI unit. ``gap`` is in printed units, and ``factor`` is the number of printed
    units in one SI unit. The weight is w = 1 - e / (nearest initial distance). ``mirrored`` is the number of values
    that were moved to the other side of the answer, because they were not positive.
    """
    drawn = {"range": list(nearest), "u": gap.u, "e": gap.e / factor, "w": weight, "mirrored": mirrored}
    return {"adjust": drawn}


def adjust_scalar(answer: float, initial: np.ndarray, gap: float) -> tuple[np.ndarray, float]:
    """Scale the distractors (4,) about the answer by one factor.

    In the result, the nearest distractor has exactly the distance ``gap`` from the answer. Returns the distractors and
    w = 1 - gap/m, where m is the nearest initial distance. If m < gap, the distractors move outwards (w < 0); this is
    allowed.
    """
    weight = 1 - gap / np.abs(initial - answer).min()
    return (1 - weight) * initial + weight * answer, float(weight)


def _initial_scalars(generator: np.random.Generator, answer: float) -> np.ndarray:
    """Draw four distractors whose gaps have a published pattern.

    The signs of the gaps are random, but two equal gaps have opposite signs.
    """
    if answer == 0:
        return np.array([1.0, 2.0, 3.0, 4.0])
    ratios = np.array(GAP_RATIOS[generator.integers(len(GAP_RATIOS))], dtype=float)
    while True:
        signs = generator.choice([-1.0, 1.0], size=4)
        if len(set(signs)) == 2 and len(set(signs * ratios)) == 4:
            return answer + signs * ratios


def published_scalars(
    generator: np.random.Generator,
    answer: float,
    nearest: tuple[float, float],
    show: Callable[[float], str],
    ulp: float,
    positive: bool,
) -> Adjusted:
    """Return the answer and four distractors by the published rule.

    ``show`` prints a value with its unit. The gap is drawn once. If ``positive`` is true, distractors that are not
    positive are mirrored to the other side of the answer.

    Raises:
        Refused: If two printed texts are equal, or if the nearest printed gap is outside the range (NO_DISTRACTORS).
    """
    low, high = nearest
    gap = fine_gap(generator, nearest)
    values, weight = adjust_scalar(answer, _initial_scalars(generator, answer), gap.e)
    wrong = values <= ulp / 2 if positive else np.zeros(len(values), bool)
    values = _mirrored(answer, values, wrong, gap.e)
    texts = {show(float(value)) for value in (answer, *values)}
    printed = np.round(np.array([answer, *values]) / ulp) * ulp
    closest = np.abs(printed[1:] - printed[0]).min()
    if len(texts) < 5 or not low - 0.5 * ulp - 1e-9 <= closest <= high + 0.5 * ulp + 1e-9:
        raise Refused(Reason.NO_DISTRACTORS)
    return Adjusted(np.array([answer, *values]), gap, weight, int(wrong.sum()))


def _mirrored(answer: float, values: np.ndarray, wrong: np.ndarray, gap: float) -> np.ndarray:
    """Move distractors (4,) to the other side of the answer.

    Only the distractors in ``wrong`` are moved; they keep their distance from the answer. If another distractor on the
    other side has the same distance, the next free multiple of ``gap`` is used.
    """
    steps = np.rint((values - answer) / gap)
    taken = {float(step) for step in steps[~wrong]}
    for at in np.flatnonzero(wrong):
        step = abs(float(steps[at]))
        while step in taken:
            step += 1
        taken.add(step)
        steps[at] = step
    return np.where(wrong, answer + steps * gap, values)


def published_turns(answer: float) -> np.ndarray:
    """Return the answer A (degrees) and four other turns.

    The other turns are A + k · 15°, where k is -2, -1, 1 and 2. If A is printed as zero, k is 1, 2, 3 and 4.
    """
    steps = (1, 2, 3, 4) if answer == 0 else (-2, -1, 1, 2)
    return np.array([answer, *(answer + TURN_STEP * k for k in steps)])


def published_pose_offsets(
    generator: np.random.Generator, first: np.ndarray, last: np.ndarray, nearest: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Make pose distractors, scaled about the answer.

    The four distractors are zero motion, half the motion, and two random motions. ``first`` and ``last`` are
    world_T_camera (4, 4). The function returns three values:

    - the translations (4, 3) m from the answer, in the world,
    - the rotation vectors (4, 3) rad from the answer, in the answer's camera frame,
    - the record of the draw.

    Usually positions and rotations have one common scale. If the camera moved less than the lower end of ``nearest``,
    this scale would make the rotations too large. In this case, only the positions are scaled, and the motion of the
    camera is replaced by a motion of this minimum length.
    """
    moved, hardly = _at_least(generator, first[:3, 3] - last[:3, 3], nearest[0])
    turned = rotation_vector(relative_pose(last, first)[:3, :3])
    lengths = np.array(GAP_RATIOS[generator.integers(len(GAP_RATIOS))][1:3]) * float(np.linalg.norm(moved))
    directions = generator.normal(size=(2, 2, 3))
    directions /= np.linalg.norm(directions, axis=2, keepdims=True)
    spread = max(float(np.linalg.norm(turned)), np.radians(TURN_STEP))
    translations = np.vstack([moved, moved / 2, directions[0] * lengths[:, None]])
    rotations = np.vstack([turned, turned / 2, directions[1] * spread])
    gap = fine_gap(generator, nearest)
    scale = gap.e / float(np.linalg.norm(translations, axis=1).min())
    rotations *= 1.0 if hardly else scale
    angles = np.linalg.norm(rotations, axis=1, keepdims=True)
    rotations *= np.minimum(1.0, np.pi / np.maximum(angles, 1e-12))
    return scale * translations, rotations, adjustment(gap, 1 - scale, nearest)


def _at_least(generator: np.random.Generator, moved: np.ndarray, least: float) -> tuple[np.ndarray, bool]:
    """Lengthen a translation (3,) m to at least ``least``.

    The direction of a zero translation is drawn at random. The second value is true if the translation was changed.
    """
    length = float(np.linalg.norm(moved))
    if length >= least:
        return moved, False
    direction = generator.normal(size=3) if length < 1e-9 else moved
    return direction * (least / float(np.linalg.norm(direction))), True


def published_boxes(
    generator: np.random.Generator, answer: Box, nearest: tuple[float, float], axis: np.ndarray | None
) -> tuple[list[Box], dict[str, Any]]:
    """Return the correct box, four wrong boxes, and the draw's record.

    Centres are shifted in random directions, sizes change by up to a half, and rotations are about a random axis, or
    about ``axis`` (3,) if it is given. Then one factor scales all differences from the answer, so that the nearest
    centre is at distance e. No size is smaller than the lower end of ``nearest``.
    """
    ratios = np.array(GAP_RATIOS[generator.integers(len(GAP_RATIOS))], dtype=float)
    directions = generator.normal(size=(2, 4, 3))
    directions /= np.linalg.norm(directions, axis=2, keepdims=True)
    shifts = directions[0] * (ratios * np.linalg.norm(answer.size) / 2)[:, None]
    growth = generator.uniform(-0.5, 0.5, (4, 3)) * answer.size
    axes = directions[1] if axis is None else axis * generator.choice([-1.0, 1.0], (4, 1))
    turns = axes * np.radians(TURN_STEP) * ratios[:, None]
    gap = fine_gap(generator, nearest)
    scale = gap.e / float(np.linalg.norm(shifts, axis=1).min())
    sizes = np.maximum(answer.size + scale * growth, nearest[0])
    turns *= scale
    turns *= np.minimum(1.0, np.pi / np.linalg.norm(turns, axis=1, keepdims=True))
    rotations = answer.rotation @ rotation_from_vector(turns)
    others = [Box(*member) for member in zip(answer.centre + scale * shifts, sizes, rotations, strict=True)]
    return [answer, *others], adjustment(gap, 1 - scale, nearest)
