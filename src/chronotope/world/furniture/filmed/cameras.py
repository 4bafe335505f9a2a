"""The cameras of takes: one that stands, one that moves around the product, and one that the person wears."""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from scipy.ndimage import gaussian_filter1d

from chronotope.world.camera import look_at

Camera = Literal["fixed", "moving", "worn"]
CAMERAS: tuple[Camera, ...] = ("fixed", "moving", "worn")  # by the number of the take

SWING = np.radians(14.0)  # of a moving camera around the product
WORN_FIELD = 66.0  # degrees, vertical field of view of a worn camera
EYES = np.array([0.17, 0.0, 0.10])  # m ahead of the joint of the head, aside, and above it
LOWEST, HIGHEST = np.radians(78.0), np.radians(20.0)  # how far below level a worn camera looks
STEADY = 0.22  # s, over which turns of a worn camera are smoothed
BENT = 0.5  # least level share of the direction of the head, with which it has a turn aside


@dataclass(frozen=True, eq=False)
class Work:
    """What a worn camera follows: poses (T, 4, 4) of the joint of the head and of the person on the floor.

    ``comes`` (T, 3) m is the middle of the group that comes.
    """

    head: np.ndarray
    person: np.ndarray
    comes: np.ndarray


class Viewed(Protocol):
    """The place of a camera that nobody wears."""

    @property
    def camera(self) -> Camera:
        """Return the kind of camera."""
        ...

    @property
    def azimuth(self) -> float:
        """Return the direction (rad) from the middle of the room to the camera."""
        ...

    @property
    def away(self) -> float:
        """Return the distance (m) from the middle of the room."""
        ...

    @property
    def eye(self) -> float:
        """Return the height (m) of the camera."""
        ...

    @property
    def aim(self) -> float:
        """Return the height (m) at which the camera looks."""
        ...


def camera_path(view: Viewed, work: Work, fps: int) -> np.ndarray:
    """Return the poses world_T_camera (T, 4, 4)."""
    frames = len(work.head)
    if view.camera == "worn":
        return _worn(work, fps)
    share = np.linspace(-1, 1, frames) if view.camera == "moving" else np.zeros(frames)
    angle = view.azimuth + SWING * np.sin(np.pi / 2 * share)
    places = np.column_stack([view.away * np.cos(angle), view.away * np.sin(angle), view.eye + 0.1 * share])
    return look_at(places, np.tile([0.0, 0.0, view.aim], (frames, 1)))


def _worn(work: Work, fps: int) -> np.ndarray:
    """Return the poses of a camera before the forehead.

    Who works looks at what comes, and turns the camera with the head. The camera is level.
    """
    eyes = work.head[:, :3, :3] @ EYES + work.head[:, :3, 3]
    ahead, body = work.head[:, :3, 0], work.person[:, :3, 0]
    aside = np.arctan2(body[:, 0] * ahead[:, 1] - body[:, 1] * ahead[:, 0], (body[:, :2] * ahead[:, :2]).sum(axis=1))
    aside = np.where(np.linalg.norm(ahead[:, :2], axis=1) > BENT, aside, 0.0)
    way = work.comes - eyes
    below = np.arctan2(-way[:, 2], np.maximum((way * body).sum(axis=1), 0.05))
    below = np.clip(below, HIGHEST, LOWEST)
    yaw = np.unwrap(np.arctan2(body[:, 1], body[:, 0])) + aside
    yaw, below = (gaussian_filter1d(each, STEADY * fps, mode="nearest") for each in (yaw, below))
    forward = np.column_stack([np.cos(yaw) * np.cos(below), np.sin(yaw) * np.cos(below), -np.sin(below)])
    return look_at(eyes, eyes + forward)
