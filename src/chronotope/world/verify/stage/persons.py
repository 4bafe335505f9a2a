"""What the gates of stages measure of people: their places, their eyes, and points of their bodies."""

import numpy as np

from chronotope.recording import Entity
from chronotope.world.verify.skin import Posed, Skin
from chronotope.world.verify.timing import joint_poses

FORWARD, UP = 0.085, 0.42  # m, and share of the way from the joint of the head to the crown: where the eyes are


def hips_of(entity: Entity) -> np.ndarray:
    """Return the places (T, 3) m of the hips of a person; NaN for an entity without hips."""
    poses = joint_poses(entity, "Hips")
    return np.full((1, 3), np.nan) if poses is None else poses[:, :3, 3]


def eyes_of(entity: Entity) -> np.ndarray:
    """Return the places (T, 3) m between the eyes of a person."""
    body, head = entity.body, joint_poses(entity, "Head")
    assert body is not None and head is not None, "a person has a head"
    joint = body.rest[body.joints.index("Head")][:3, 3]
    crown = float(np.asarray(body.vertices)[:, 2].max()) - joint[2]
    return head[:, :3, 3] + head[:, :3, :3] @ np.array([FORWARD, 0.0, UP * crown])


class Points:
    """Points spread evenly over the surface of a person, in any frame."""

    def __init__(self, entity: Entity, count: int, joints: tuple[str, ...] | None = None) -> None:
        """Choose points of the whole surface, or of what some joints move.

        The names of these joints begin with one of ``joints``.
        """
        assert entity.body is not None, "a person has a body"
        self._skin = Skin(entity.body)
        chosen = None
        if joints is not None:
            moved = np.flatnonzero([name.startswith(joints) for name in entity.body.joints])
            chosen = self._skin.part(moved, 0.5)
        self._points = self._skin.spread(count, chosen)

    def at(self, frame: int) -> np.ndarray:
        """Return the points (N, 3) m in the world in a frame."""
        return Posed(self._skin, self._skin.vertices_at(frame)).places(*self._points)
