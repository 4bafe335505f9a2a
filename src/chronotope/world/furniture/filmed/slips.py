"""When a mistake happens in a take."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from chronotope.recording import Mistake, Recording
from chronotope.world.furniture.course.course import Slip
from chronotope.world.furniture.filmed.shots import Scene


class FilmedShot(Protocol):
    """A shot after filming."""

    @property
    def scene(self) -> Scene:
        """Return what was filmed."""
        ...

    @property
    def recording(self) -> Recording:
        """Return the recording."""
        ...

    @property
    def first(self) -> int:
        """Return the first frame in the take."""
        ...


def mistake_of(slip: Slip, filmed: Sequence[FilmedShot], fps: int, truth: Mapping[str, Any]) -> Mistake:
    """Return a slip with its times in the take.

    The times are the beginning of its first shot, and when what comes is in its place. ``truth`` is the content of the
    product's file of parts and steps.
    """
    if slip.kind == "wrong_order":
        own = [one for one in filmed if one.scene.step == slip.step]
    elif slip.kind == "left_out":
        own = [_following(slip, filmed, truth)]
    else:
        own = [one for one in filmed if one.scene.situation.entry.parts == slip.parts]
    arrived = max(event.end for event in own[-1].recording.events if event.kind == "move")
    end = own[-1].first / fps + arrived
    parts = tuple(str(part) for part in slip.parts)
    return Mistake(slip.kind, slip.step, parts, round(own[0].first / fps, 6), round(end, 6), slip.undo)


def _following(slip: Slip, filmed: Sequence[FilmedShot], truth: Mapping[str, Any]) -> FilmedShot:
    """Return the first shot of what comes after what is left out."""
    groups = [
        (number, sorted(entry["parts"]))
        for number, step in enumerate(truth["steps"]) for joining in step for entry in joining["entries"]
    ]  # fmt: skip
    last = max(at for at, (step, group) in enumerate(groups) if step == slip.step and set(group) <= set(slip.parts))
    return next(
        one for one in filmed if (one.scene.step, sorted(one.scene.situation.entry.parts)) in groups[last + 1 :]
    )
