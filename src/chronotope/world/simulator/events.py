"""The results of an action in AI2-THOR: metadata, and pictures."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chronotope.world.homes.explore import cameras_at, from_left_handed
from chronotope.world.simulator.metadata import Metadata, ObjectRecord

EYE_ABOVE_AGENT = 0.675  # m, of the camera above the agent's position


@dataclass(frozen=True, eq=False)
class Pictures:
    """The view of the agent: colours, depth and identities.

    ``frame`` is (H, W, 3) uint8 RGB. ``depth`` (H, W) float32 is in m along the view axis, NaN where nothing is hit.
    ``identities`` (H, W) uint16 has value v where object v - 1 of the event is seen, and 0 elsewhere.
    """

    frame: np.ndarray
    depth: np.ndarray
    identities: np.ndarray


@dataclass(frozen=True, eq=False)
class Event:
    """The result of an action in AI2-THOR.

    ``draw`` makes the pictures from the pose world_T_camera (4, 4). ``draw`` is called once, when a picture is needed
    for the first time.
    """

    metadata: Metadata
    draw: Callable[[np.ndarray], Pictures]

    @property
    def success(self) -> bool:
        """Check whether the action was carried out."""
        return self.metadata["lastActionSuccess"]

    @cached_property
    def objects(self) -> dict[str, ObjectRecord]:
        """Return the records of all objects by their ids."""
        return {each["objectId"]: each for each in self.metadata["objects"]}

    @cached_property
    def object_ids(self) -> tuple[str, ...]:
        """Return the ids of all objects.

        Value v of the identities means object v - 1.
        """
        return tuple(each["objectId"] for each in self.metadata["objects"])

    @property
    def pose(self) -> np.ndarray:
        """Return the agent's pose (4,) in the world's axes.

        The pose is x and y in m, yaw and pitch in rad.
        """
        agent = self.metadata["agent"]
        place, yaw = agent["position"], agent["rotation"]["y"]
        return from_left_handed(np.array([[place["x"], place["z"], yaw, agent["cameraHorizon"]]]))[0]

    @property
    def camera(self) -> np.ndarray:
        """Return the pose world_T_camera (4, 4) with OpenCV axes."""
        height = self.metadata["agent"]["position"]["y"] + EYE_ABOVE_AGENT
        return cameras_at(self.pose[None], height)[0]

    @cached_property
    def _pictures(self) -> Pictures:
        return self.draw(self.camera)

    @property
    def frame(self) -> np.ndarray:
        """Return the colours (H, W, 3) uint8."""
        return self._pictures.frame

    @property
    def depth_frame(self) -> np.ndarray:
        """Return the depth (H, W) float32 in m along the view axis.

        The depth is NaN where nothing is hit.
        """
        return self._pictures.depth

    @property
    def identities(self) -> np.ndarray:
        """Return the identities (H, W) uint16; 0 is the backdrop."""
        return self._pictures.identities
