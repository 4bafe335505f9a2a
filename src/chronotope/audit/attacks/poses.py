"""Camera poses in the texts of answers."""

from collections.abc import Sequence

import numpy as np

from chronotope.audit.attacks.stems import numbers_of
from chronotope.geometry import project_to_so3

_GIVEN = "At the start of this period the pose is "


def relative_poses(stem: str, options: Sequence[str]) -> tuple[list[int], np.ndarray] | None:
    """Return the options that are poses, by index.

    The poses (N, 4, 4) are relative to the first pose of the stem. The result is None if the stem states no first
    pose, or if no option is a pose.
    """
    first = _pose(stem.rpartition(_GIVEN)[2].partition("}")[0])
    found = {index: pose for index, text in enumerate(options) if (pose := _pose(text)) is not None}
    if first is None or not found:
        return None
    return list(found), np.linalg.inv(first) @ np.stack(list(found.values()))


def _pose(text: str) -> np.ndarray | None:
    """Read three numbers of a translation and nine of a rotation.

    Returns None for any other text.
    """
    numbers = numbers_of(text)
    if len(numbers) != 12:
        return None
    pose = np.eye(4)
    pose[:3, 3] = numbers[:3]
    rotation = np.reshape(numbers[3:], (3, 3))
    if abs(np.linalg.det(rotation) - 1) > 0.2:
        return None
    pose[:3, :3] = project_to_so3(rotation)
    return pose
