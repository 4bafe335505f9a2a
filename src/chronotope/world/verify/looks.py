"""The check "states shown": the clip shows each change of the state of a thing in the stated frame.

The colours of the thing's pixels change in this frame more than in the frames before and after it. A state that
concerns an opening, or that moves a part, is shown by the joints of the thing instead.
"""

import numpy as np

from chronotope.recording import Entity, Recording
from chronotope.world.verify.frame import Frame
from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.timing import apart, relative, tolerance

OPENING = "open"  # the name of a state that concerns an opening contains this word
COLOURED = ("colour", "lit")  # names of states of which the colours of the pixels are the only evidence
FEWEST = 30  # least number of pixels that show the thing in two consecutive frames
LEAST = 2.0  # least mean change of colour (of 255)
OVER = 2.0  # least factor by which the colours change more than in the frames before and after
OPENED_M, OPENED = 0.005, np.radians(3)  # least movement of a joint that shows a change


class Looks:
    """Makes the check "states shown"."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._changing = {identity: entity for identity, entity in enumerate(recording.entities, 1) if entity.changes}
        self._needed = {
            frame + offset
            for entity in self._changing.values()
            for frame in (change.frame for change in entity.changes)
            for offset in (-1, 0, 1)
        }
        self._last: Frame | None = None
        # The mean change of colour from the frame before, by identity and frame.
        self._changes: dict[tuple[int, int], float] = {}

    def look(self, frame: Frame) -> None:
        """Compare the colours of a frame with those of the frame before it."""
        last, self._last = self._last, frame
        if last is None or last.index != frame.index - 1 or frame.index not in self._needed:
            return
        if frame.picture is None or last.picture is None:
            return
        for identity in self._changing:
            both = (frame.identities == identity) & (last.identities == identity)
            if both.sum() >= FEWEST:
                difference = np.abs(frame.picture[both].astype(np.int16) - last.picture[both])
                self._changes[identity, frame.index] = float(difference.mean())

    def checks(self) -> tuple[Check, ...]:
        """Return the check, or none if no state changes."""
        if not self._changing:
            return ()
        faults, shown, count = [], 0, 0
        for identity, entity in self._changing.items():
            for change in entity.changes:
                count += 1
                told = self._fault(identity, entity, change.frame, change.key)
                if told:
                    faults.append(f"{entity.id} has {change.key} {change.value} from frame {change.frame}, but {told}")
                shown += told is None
        well = f"{shown} of {count} changes are shown"
        return (judged("states shown", faults, well),)

    def _fault(self, identity: int, entity: Entity, at: int, key: str) -> str | None:
        """Describe why a change is not shown.

        The result is None if the change is shown, and empty if the frames cannot show it.
        """
        if not 0 < at < len(self._recording.times):
            return "the clip has no such frame" if at else ""
        by_joints = entity.body is not None and key not in COLOURED
        if by_joints and _joints_move(self._recording, entity, at):
            return None
        if by_joints and OPENING in key.lower():
            return "no joint moves there"
        change = self._changes.get((identity, at))
        if change is None:
            return ""
        around = max(self._changes.get((identity, at + offset), 0.0) for offset in (-1, 1))
        if change < LEAST or change < OVER * around:
            return (
                f"the colours of its pixels change by {change:.1f} there (at least {LEAST:g}), and by {around:.1f} "
                f"in the frames before and after (at most {change / OVER:.1f})"
            )
        return None


def _joints_move(recording: Recording, entity: Entity, at: int) -> bool:
    """Check whether a joint moves, relative to the root, about the time of a change."""
    assert entity.body is not None
    poses, times = entity.body.poses, recording.times
    frames = np.flatnonzero((np.abs(times - times[at]) <= tolerance(recording)) & recording.valid)
    for joint in range(1, poses.shape[1]):
        moved, turned = apart(own := relative(poses[frames, joint], poses[frames, 0]), own[0])
        if moved.max() > OPENED_M or turned.max() > OPENED:
            return True
    return False
