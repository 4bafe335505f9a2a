"""The check "wheels": wheels turn with the road, and stand on it.

A wheel is a joint whose name begins with "wheel"; its axle is the y axis of the joint. Its radius is measured at the
vertices that are bound to it.
"""

from dataclasses import dataclass, field

import numpy as np

from chronotope.recording import Entity, Recording
from chronotope.world.verify.frame import Frame
from chronotope.world.verify.ground import Ground, filled
from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.skin import Skins

NAMED = "wheel"
BOUND = 0.5  # least weight with which a vertex belongs to a wheel
SHARE, PER_S = 0.03, np.radians(2)  # allowed difference of the angle: a share of it, and an angle for each second
ROUNDING = np.radians(0.2)
TOUCH_M = 0.010  # m, largest distance of the lowest point of a wheel from the road
LONGEST = 600  # largest number of frames whose pairs are compared


@dataclass
class _Wheel:
    """One wheel; ``levels`` are the measured heights of the road below it (T,), and NaN where they are not known."""

    entity: Entity
    joint: int
    radius: float
    levels: np.ndarray = field(repr=False)

    @property
    def name(self) -> str:
        assert self.entity.body is not None
        return f"{self.entity.body.joints[self.joint]} of {self.entity.id}"

    @property
    def poses(self) -> np.ndarray:
        assert self.entity.body is not None
        return self.entity.body.poses[:, self.joint]


class Wheels:
    """Makes the check "wheels"."""

    def __init__(self, recording: Recording, skins: Skins) -> None:
        self._recording = recording
        self._ground = None if recording.up is None else Ground(recording.up)
        self._wheels: list[_Wheel] = []
        for identity, skin in skins.by_identity.items():
            for joint, name in enumerate(skin.body.joints):
                own = np.intersect1d(np.flatnonzero(skin.weights_of(np.array([joint])) >= BOUND), skin.used)
                if name.startswith(NAMED) and len(own):
                    rest = skin.body.rest[joint]
                    places = (skin.body.vertices[own] - rest[:3, 3]) @ rest[:3, :3]
                    radius = float(np.hypot(places[:, 0], places[:, 2]).max())
                    levels = np.full(len(recording.times), np.nan)
                    self._wheels.append(_Wheel(recording.entities[identity - 1], joint, radius, levels))

    def look(self, frame: Frame) -> None:
        """Measure the height of the road below each wheel."""
        if self._ground is not None and self._recording.up is not None:
            for wheel in self._wheels:
                lowest = wheel.poses[frame.index, :3, 3] - wheel.radius * self._recording.up
                wheel.levels[frame.index] = self._ground.level(frame, lowest)

    def checks(self) -> tuple[Check, ...]:
        """Return the check, or none if there are no wheels."""
        if not self._wheels or self._recording.up is None:
            return ()
        faults = [fault for wheel in self._wheels for fault in (*self._turning(wheel), *self._standing(wheel))]
        return (judged("wheels", faults, f"{len(self._wheels)} wheels turn with the road"),)

    def _turning(self, wheel: _Wheel) -> list[str]:
        valid = np.flatnonzero(self._recording.valid)
        assert self._recording.up is not None
        angles, needed = _turned(wheel.poses[valid], wheel.radius, self._recording.up)
        step = max(len(valid) // LONGEST, 1)
        chosen = np.unique([*range(0, len(valid), step), len(valid) - 1])
        angles, needed, times = angles[chosen], needed[chosen], self._recording.times[valid][chosen]
        off = np.abs((angles[:, None] - angles) - (needed[:, None] - needed))
        most = SHARE * np.abs(needed[:, None] - needed) + PER_S * np.abs(times[:, None] - times) + ROUNDING
        start, end = np.sort(np.unravel_index((off - most).argmax(), off.shape))
        if off[start, end] <= most[start, end]:
            return []
        return [
            f"{wheel.name} turns by {np.degrees(angles[end] - angles[start]):.0f} degrees from frame "
            f"{valid[chosen[start]]} to frame {valid[chosen[end]]}, but its way on the road is "
            f"{np.degrees(needed[end] - needed[start]):.0f} degrees"
        ]

    def _standing(self, wheel: _Wheel) -> list[str]:
        lowest = wheel.poses[:, :3, 3] @ self._recording.up - wheel.radius
        gaps = np.where(self._recording.valid, lowest - filled(wheel.levels, self._recording), 0.0)
        gaps = np.nan_to_num(gaps)
        at = int(np.abs(gaps).argmax())
        if abs(gaps[at]) <= TOUCH_M:
            return []
        return [
            f"{wheel.name} is {abs(gaps[at]) * 1000:.0f} mm {'above' if gaps[at] > 0 else 'below'} the road in "
            f"frame {at}"
        ]


def _turned(poses: np.ndarray, radius: float, up: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the angles (T,) rad by which a wheel has turned, and should have turned.

    Between two frames, a wheel may turn more than once, so each step is counted with the number of whole turns that is
    nearest to its way.
    """
    axles = poses[:, :3, 1]
    forward = np.cross(axles, up)
    forward /= np.maximum(np.linalg.norm(forward, axis=1, keepdims=True), 1e-9)
    ways = np.einsum("ti,ti->t", np.diff(poses[:, :3, 3], axis=0), (forward[1:] + forward[:-1]) / 2) / radius
    # The angle is measured against the direction forward, so that steering does not count.
    x, z = poses[:, :3, 0], poses[:, :3, 2]
    angles = np.diff(np.arctan2(np.einsum("ti,ti->t", z, forward), np.einsum("ti,ti->t", x, forward)))
    off = (angles - ways + np.pi) % (2 * np.pi) - np.pi
    return np.concatenate([[0.0], np.cumsum(ways + off)]), np.concatenate([[0.0], np.cumsum(ways)])
