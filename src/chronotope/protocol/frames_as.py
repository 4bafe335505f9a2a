"""Frames of clips in a form that the authors did not use: one video, or numbered pictures with their times."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from chronotope.errors import InputError
from chronotope.media import FramePlan
from chronotope.protocol.facts import MediaFacts
from chronotope.protocol.parts import FrameOf, FramesOf, Image, Part, Role, Text, Video


def time_label(number: int, seconds: float) -> str:
    """Return the text before a numbered picture."""
    return f"Picture {number} ({seconds:.2f} s):\n"


def as_frame_videos(parts: Sequence[Part], facts: MediaFacts) -> list[Part]:
    """Replace the frames of each clip by one video of these frames.

    The video keeps the numbers of the frames in the clip, and the frame rate of the clip.

    Raises:
        InputError: If the frames are not JPEG pictures, because such a video consists of JPEG pictures.
    """
    found: list[Part] = []
    for clip, group in groupby(parts, key=_clip_of):
        if clip is None:
            found.extend(group)
            continue
        frames = [frame for part in group if (frame := _frame_of(part)) is not None]
        path, plan, role = clip
        if plan.codec != "jpeg":
            raise InputError(
                f"{path}: its frames are {plan.codec.upper()}, and a video has JPEG frames: omit --frames-as"
            )
        about = facts.clip(path)
        assert about.fps is not None  # clips with a variable rate are refused
        positions = tuple(frame.position for frame in frames)
        found.append(_video(path, plan, role, positions, about.fps, about.frames))
    return found


def with_times(parts: Sequence[Part]) -> list[Part]:
    """Write a number and the time in the clip before each frame."""
    return list(_with_times(parts))


def _with_times(parts: Sequence[Part]) -> Iterator[Part]:
    before: Part | None = None
    number, last = 0, None
    for part in parts:
        if (frame := _frame_of(part)) is not None:
            number = number + 1 if (frame.path, frame.plan) == last else 1
            last = (frame.path, frame.plan)
            label = time_label(number, frame.plan.times[frame.position])
            joins = isinstance(before, Text) and before.role == part.role and not before.text.endswith("\n")
            yield Text(f"\n{label}" if joins else label, part.role, label=True)
        yield part
        before = part


def _frame_of(part: Part) -> FrameOf | None:
    return part.picture if isinstance(part, Image) and isinstance(part.picture, FrameOf) else None


def _clip_of(part: Part) -> tuple[str, FramePlan, Role] | None:
    frame = _frame_of(part)
    return None if frame is None else (frame.path, frame.plan, part.role)


@lru_cache(maxsize=128)  # all asks about a clip share one object
def _video(path: str, plan: FramePlan, role: Role, positions: tuple[int, ...], fps: float, total: int) -> Video:
    frames = tuple(FrameOf(path, plan, position) for position in positions)
    return Video(path, plan.clip, role, FramesOf(frames, fps, total))
