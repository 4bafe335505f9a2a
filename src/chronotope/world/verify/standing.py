"""The check "stands still": what is said to stand, stands.

A recording that has events states all motion, so the poses of a thing change only in its events of the kinds "move" and
"hold". People are left to the check "events". A thing that has one pose stands for the whole clip. Its pose cannot
contradict this, but its pixels can: its points must be found again at their places.
"""

import numpy as np

from chronotope.recording import Entity, Recording
from chronotope.world.verify.agreement import FAR, find_again
from chronotope.world.verify.frame import Frame, Points
from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.timing import apart, during, events_of, joint_poses, poses_of, stretches, tolerance

STILL_M, STILL = 0.001, np.radians(0.5)  # largest change of the pose of a thing that stands
POINTS, FEWEST = 60, 30  # largest number of points of a thing, and least number of compared points
MOVED = 0.4  # share of contradicting points with which a thing seems to have moved
FRAMES = 3  # least number of frames in which a thing that does not stand seems to have moved


class Standing:
    """Makes the check "stands still"."""

    def __init__(self, recording: Recording) -> None:
        self._names = ["the world", *(entity.id for entity in recording.entities)]
        self._faults = [fault for entity in recording.entities for fault in _moves(recording, entity)]
        self._still = [
            identity
            for identity, entity in enumerate(recording.entities, 1)
            if len(entity.poses) == 1 and entity.body is None
        ]
        self._taken: dict[int, Points] = {}
        self._moved: dict[int, list[int]] = {identity: [] for identity in self._still}

    def look(self, frame: Frame) -> None:
        """Search for the points of things that stand."""
        for identity in self._still:
            before = self._taken.get(identity)
            if before is not None:
                world = frame.to_world(before.places, identity)
                wrong, right, _ = find_again(frame, before.identities, world, before.depths, FAR, frame.depth > 0)
                if wrong.sum() > MOVED * max(wrong.sum() + right.sum(), FEWEST):
                    self._moved[identity].append(frame.index)
            elif frame.counts[identity] >= 2 * FEWEST:
                rows, columns = frame.pixels_of(identity, POINTS, frame.interior)
                if len(rows) >= FEWEST:
                    places = frame.to_things(frame.unproject(rows, columns), identity)
                    values = np.full(len(rows), identity)
                    self._taken[identity] = Points(
                        frame.index, values, places, frame.depth[rows, columns], values * 0 - 1
                    )

    def checks(self) -> tuple[Check, ...]:
        """Return the check, as the only element."""
        faults = self._faults + [
            f"{self._names[identity]} has one pose, but its points of frame {self._taken[identity].frame} are not "
            f"where they should be in {len(frames)} frames, first in frame {frames[0]}"
            for identity, frames in self._moved.items()
            if len(frames) >= FRAMES
        ]
        return (judged("stands still", faults, f"{len(self._still)} things stand for the whole clip"),)


def _moves(recording: Recording, entity: Entity) -> list[str]:
    """Describe how an entity moves outside the events in which it may move."""
    is_person = joint_poses(entity, "Hips") is not None
    if not recording.events or is_person or (len(entity.poses) == 1 and entity.body is None):
        return []
    events = events_of(recording, entity.id, "move", "hold")
    wider = tolerance(recording)
    free = recording.valid.copy()
    for event in events:
        free &= ~during(recording.times, event, wider)
    samples = len(recording.times)
    poses = poses_of(entity, samples) if entity.body is None else entity.body.poses[:, 0]
    for frames in stretches(free):
        moved, turned = apart(poses[frames], poses[frames[0]])
        over = np.flatnonzero((moved > STILL_M) | (turned > STILL))
        if len(over):
            return [
                f"{entity.id} moves by {moved.max() * 1000:.1f} mm and {np.degrees(turned.max()):.1f} degrees in "
                f"frames {frames[0]} to {frames[-1]}, first in frame {frames[over[0]]}, but no event says so"
            ]
    return []
