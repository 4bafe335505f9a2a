"""The check "feet": the feet of people neither sink into the floor nor slide on it, and people who walk do not float.

A sole consists of the lowest vertices of a shoe at rest. A point of a sole that is at the floor in two frames in a row
stays where it is. A stance is a sequence of such frames, without the first and the last step.
"""

from dataclasses import dataclass, field

import numpy as np

from chronotope.recording import Entity, Recording
from chronotope.world.verify.frame import Frame
from chronotope.world.verify.ground import Ground, filled
from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.skin import Skins
from chronotope.world.verify.timing import during, stretches

SIDES = ("Left", "Right")
PARTS = ("Foot", "ToeBase")
BOUND = 0.5  # least sum of weights with which a vertex belongs to a foot
SOLE_M = 0.02  # m, height above the lowest point of a shoe up to which it is a sole
MOST = 300  # largest number of points of a sole
SINKS_M, FLOATS_M = 0.005, 0.010  # m, allowed depth of a sole in the floor, and height of the lower sole above it
CONTACT_M = 0.004  # m, height of a point that is at the floor
FEWEST = 3  # least number of points at the floor in a stance
STEP_M, STANCE_M = 0.020, 0.030  # m by which a sole may slide between two frames, and in a stance
HIDDEN_M = 0.25  # m; a sole this far from the floor is no foot on the floor, as on stairs or on a chair


@dataclass
class _Foot:
    """A foot of a person, over all frames.

    ``own`` are the vertices of the sole. ``lowest`` (T,) m are the heights of its lowest point along up, and ``levels``
    (T,) m the measured heights of the floor. ``heights`` and ``places`` have the heights (N,) and horizontal places
    (N, 3) of its points by frame.
    """

    entity: Entity
    side: str
    own: np.ndarray
    levels: np.ndarray
    lowest: np.ndarray
    heights: dict[int, np.ndarray] = field(default_factory=dict[int, np.ndarray])
    places: dict[int, np.ndarray] = field(default_factory=dict[int, np.ndarray])


class Feet:
    """Makes the check "feet"."""

    def __init__(self, recording: Recording, skins: Skins) -> None:
        self._recording, self._skins = recording, skins
        self._people: dict[int, list[_Foot]] = {}
        up = recording.up
        if up is None:
            return
        self._ground = Ground(up)
        for identity, skin in skins.by_identity.items():
            joints = skin.body.joints
            if not {side + part for side in SIDES for part in PARTS} <= set(joints):
                continue
            feet = []
            for side in SIDES:
                bound = skin.weights_of(np.array([joints.index(side + part) for part in PARTS]))
                own = np.intersect1d(np.flatnonzero(bound >= BOUND), skin.used)
                if len(own):
                    # At rest, a person stands, so the sole is the lowest part along the z axis of the vertices.
                    heights = skin.body.vertices[own, 2]
                    own = own[heights < heights.min() + SOLE_M]
                    own = own[:: max(len(own) // MOST, 1)]
                    blank = np.full(len(recording.times), np.nan)
                    feet.append(_Foot(recording.entities[identity - 1], side, own, blank, blank.copy()))
            self._people[identity] = feet

    def look(self, frame: Frame) -> None:
        """Note where the soles and the floor below them are in a frame."""
        up = self._recording.up
        for identity, feet in self._people.items():
            assert up is not None
            vertices = self._skins.at(frame.index)[identity].vertices
            for foot in feet:
                places = vertices[foot.own]
                heights = places @ up
                at = int(heights.argmin())
                foot.lowest[frame.index] = heights[at]
                foot.levels[frame.index] = self._ground.level(frame, places[at])
                foot.heights[frame.index] = heights.astype(np.float32)
                foot.places[frame.index] = (places - heights[:, None] * up).astype(np.float32)

    def checks(self) -> tuple[Check, ...]:
        """Return the check, or none if there are no people."""
        if not self._people:
            return ()
        faults: list[str] = []
        for feet in self._people.values():
            floors = {foot.side: self._floor(foot) for foot in feet}
            for foot in feet:
                faults += self._sunk(foot, floors[foot.side])
                faults += self._slid(foot, floors[foot.side])
            faults += self._floats(feet, floors)
        return (judged("feet", faults, f"the feet of {len(self._people)} people stand on the floor"),)

    def _floor(self, foot: _Foot) -> np.ndarray:
        """Return the heights (T,) m of the floor under a foot.

        A height is NaN where it is unknown, or far below the foot.
        """
        floor = filled(foot.levels, self._recording)
        return np.where(np.abs(foot.lowest - floor) < HIDDEN_M, floor, np.nan)

    def _sunk(self, foot: _Foot, floor: np.ndarray) -> list[str]:
        depth = np.nan_to_num(floor - foot.lowest)
        at = int(depth.argmax())
        if depth[at] <= SINKS_M:
            return []
        return [f"the {foot.side} foot of {foot.entity.id} is {depth[at] * 1000:.0f} mm in the floor in frame {at}"]

    def _slid(self, foot: _Foot, floor: np.ndarray) -> list[str]:
        """Describe the first stance in which a foot slides.

        The way of a foot between two frames is the median way of its points that are at the floor in both frames.
        """
        samples = len(self._recording.times)
        ways = np.full((samples, 3), np.nan)
        for frame in range(1, samples):
            if frame not in foot.places or frame - 1 not in foot.places:
                continue
            both = (foot.heights[frame - 1] - floor[frame - 1] < CONTACT_M) & (
                foot.heights[frame] - floor[frame] < CONTACT_M
            )
            if both.sum() >= FEWEST:
                ways[frame] = np.median(foot.places[frame][both] - foot.places[frame - 1][both], axis=0)
        for stance in stretches(np.isfinite(ways[:, 0])):
            # Between its last frame at the floor and the next one, a foot rolls off: its tip moves within the limit of
            # contact. The same is true of the first frames of a stance.
            frames = stance[(stance > stance[0]) | (stance == 1)]
            frames = frames[(frames < stance[-1]) | (frames == samples - 1)]
            if not len(frames):
                continue
            steps = np.linalg.norm(ways[frames], axis=1)
            away = np.linalg.norm(np.cumsum(ways[frames], axis=0), axis=1)
            if steps.max() > STEP_M or away.max() > STANCE_M:
                return [
                    f"the {foot.side} foot of {foot.entity.id} slides by "
                    f"{max(away.max(), steps.max()) * 1000:.0f} mm on the floor in frames "
                    f"{frames[0] - 1} to {frames[-1]}"
                ]
        return []

    def _floats(self, feet: list[_Foot], floors: dict[str, np.ndarray]) -> list[str]:
        """Describe how a person who walks floats.

        A person who sits may have both feet above the floor.
        """
        if not feet:
            return []
        gaps = np.min([foot.lowest - floors[foot.side] for foot in feet], axis=0)
        walks = np.zeros(len(gaps), bool)
        for event in self._recording.events:
            if event.kind == "walk" and event.agent == feet[0].entity.id:
                walks |= during(self._recording.times, event)
        gaps = np.where(walks & np.isfinite(gaps), gaps, 0.0)
        at = int(gaps.argmax())
        if gaps[at] <= FLOATS_M:
            return []
        return [
            f"both feet of {feet[0].entity.id} are {gaps[at] * 1000:.0f} mm above the floor in frame {at}, in a walk"
        ]
