"""Arms and legs: limbs of two bones that reach to a point."""

import numpy as np

from chronotope.world.people.motion.skeleton import framed

STRAIGHT = 0.998  # longest reach as a share of the length of both bones


def bend_limb(
    start: np.ndarray, end: np.ndarray, axis: np.ndarray, first: float, second: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bend a limb so that it ends at a point.

    ``start`` and ``end`` are (T, 3) m, and ``axis`` (T, 3) is the direction to which the hinge should be parallel; the
    limb bends forward as seen against it, as a knee does about the axis to the left. ``first`` and ``second`` (m) are
    the lengths of the bones.

    Returns:
        The place (T, 3) m of the hinge, the end (T, 3) m that is reached, and the axis (T, 3) of the hinge.
    """
    way = end - start
    distance = np.linalg.norm(way, axis=-1, keepdims=True)
    along = way / distance
    reach = np.clip(distance, abs(first - second) + 0.02 * first, STRAIGHT * (first + second))
    hinge = axis - along * (along * axis).sum(-1, keepdims=True)
    hinge = hinge / np.linalg.norm(hinge, axis=-1, keepdims=True)
    cosine = np.clip((first**2 + reach**2 - second**2) / (2 * first * reach), -1.0, 1.0)
    knee = start + first * (cosine * along + np.sqrt(1 - cosine**2) * np.cross(along, hinge))
    return knee, start + reach * along, hinge


def turn_bone(rest: np.ndarray, rest_axis: np.ndarray, now: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Return the rotations (T, 3, 3) of a bone.

    The bone ``rest`` (3,) comes to lie along ``now`` (T, 3), and its axis ``rest_axis`` (3,) comes to ``axis`` (T, 3).
    """
    return framed(now, axis) @ framed(rest, rest_axis).T
