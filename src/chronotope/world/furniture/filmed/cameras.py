"""The cameras of takes: one that stands, one that moves around the product, and one that the person wears."""

from typing import Literal, Protocol

import numpy as np

from chronotope.world.camera import look_at

Camera = Literal["fixed", "moving", "worn"]
CAMERAS: tuple[Camera, ...] = ("fixed", "moving", "worn")  # by the number of the take

SWING = np.radians(14.0)  # of a moving camera around the product
WORN_FIELD = 82.0  # degrees, vertical field of view of a worn camera
EYES = np.array([0.17, 0.0, 0.10])  # m ahead of the joint of the head, aside, and above it
BOWED = np.radians(36.0)


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


def camera_path(view: Viewed, head: np.ndarray) -> np.ndarray:
    """Return the poses world_T_camera (T, 4, 4); ``head`` has the poses (T, 4, 4) of the joint of the head."""
    if view.camera == "worn":
        return head @ _mount()
    share = np.linspace(-1, 1, len(head)) if view.camera == "moving" else np.zeros(len(head))
    angle = view.azimuth + SWING * np.sin(np.pi / 2 * share)
    places = np.column_stack([view.away * np.cos(angle), view.away * np.sin(angle), view.eye + 0.1 * share])
    return look_at(places, np.tile([0.0, 0.0, view.aim], (len(head), 1)))


def _mount() -> np.ndarray:
    """Return head_T_camera (4, 4): the joint of the head has x ahead, y to the left and z up."""
    ahead = np.array([np.cos(BOWED), 0.0, -np.sin(BOWED)])
    return look_at(EYES[None], (EYES + ahead)[None])[0]
