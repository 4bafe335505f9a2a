"""The camera of a recording as the subject of questions."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chronotope.families import Refused
from chronotope.families.sti.measure import Track, track_of
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import SCALES, Scale
from chronotope.families.sti.write.windows import TICK
from chronotope.recording import Recording

__all__ = ["Camera", "camera_of"]

_EPSILON = 1e-6  # s


@dataclass(frozen=True, eq=False)
class Camera:
    """A recording and its camera's way."""

    recording: Recording
    track: Track

    @property
    def scale(self) -> Scale:
        """See Subject."""
        return self.track.scale

    @cached_property
    def end(self) -> float:
        """The clip's last printed time (s): that of its last frame, floored to 0.1 s."""
        last = self.recording.times[-1]
        if self.recording.clip is not None:
            last = (len(self.recording.times) - 1) / self.recording.clip.fps
        return round(float(np.floor(last / TICK + _EPSILON)) * TICK, 1)

    def phrase(self, entity: str) -> str:
        """See Subject: nothing but the camera is named."""
        raise KeyError(entity)

    def up(self) -> np.ndarray:
        """Unit vector (3,) away from the ground, in the world; refused where it is not known."""
        if self.recording.up is None:
            raise Refused(Code.NO_GRAVITY)
        return self.recording.up

    def ahead(self) -> np.ndarray:
        """Unit vector (3,) in the camera's axes that its vehicle faces; without a vehicle, that the camera looks."""
        if self.recording.camera_mount is not None:
            return self.recording.camera_mount[0, :3]
        self.require_forward()
        return np.array([0.0, 0.0, 1.0])

    def require_forward(self) -> None:
        """Refused where the source does not say which way the camera looks."""
        if self.recording.native_axes is None:
            raise Refused(Code.NO_FORWARD)


def camera_of(recording: Recording) -> Camera:
    """The camera's way, split at its gaps, resampled and smoothed."""
    scale = SCALES[recording.kind]
    poses = recording.world_T_camera
    return Camera(recording, track_of(recording.times, poses, recording.valid, recording.fps, scale, scale.still))
