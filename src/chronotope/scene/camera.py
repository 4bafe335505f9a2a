"""The camera of a recording, prepared once for all questions: its track, time limit and directions."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chronotope.question import Reason, Refused
from chronotope.recording import Kind, Recording
from chronotope.scene.printed import TICK
from chronotope.scene.tracks import MotionLimits, Track, camera_track

_EPSILON = 1e-6  # s


@dataclass(frozen=True, eq=False)
class Camera:
    """The camera of a recording, with its track."""

    recording: Recording
    track: Track

    @property
    def kind(self) -> Kind:
        """Return the size class of the scene."""
        return self.recording.kind

    @property
    def limits(self) -> MotionLimits:
        """Return the limits of motion for a scene of this size class."""
        return self.track.limits

    @cached_property
    def end(self) -> float:
        """Return the clip's last printed time (s).

        The result is the time of the clip's last frame, rounded down to 0.1 s.
        """
        last = self.recording.times[-1]
        if self.recording.clip is not None:
            last = (len(self.recording.times) - 1) / self.recording.clip.fps
        return round(float(np.floor(last / TICK + _EPSILON)) * TICK, 1)

    def phrase(self, entity: str) -> str:
        """Raise KeyError, because a question about the camera names no thing."""
        raise KeyError(entity)

    def up(self) -> np.ndarray:
        """Return the unit vector (3,) that points up in the world.

        Raises:
            Refused: If the up direction is unknown (NO_GRAVITY).
        """
        if self.recording.up is None:
            raise Refused(Reason.NO_GRAVITY)
        return self.recording.up

    def ahead(self) -> np.ndarray:
        """Return the unit vector (3,) that points ahead in the camera's axes.

        For a camera on a vehicle, ahead is the forward direction of the vehicle. For any other camera, ahead is the
        viewing direction.

        Raises:
            Refused: If the source does not state the viewing direction (NO_FORWARD).
        """
        if self.recording.camera_mount is not None:
            return self.recording.camera_mount[0, :3]
        self.require_forward()
        return np.array([0.0, 0.0, 1.0])

    def require_forward(self) -> None:
        """Check that the source states the viewing direction.

        Raises:
            Refused: If the source does not state the viewing direction (NO_FORWARD).
        """
        if self.recording.native_axes is None:
            raise Refused(Reason.NO_FORWARD)


def camera_of(recording: Recording) -> Camera:
    """Prepare the camera of a recording."""
    return Camera(recording, camera_track(recording))
