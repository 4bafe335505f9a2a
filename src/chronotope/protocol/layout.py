"""In which order a prompt's parts are sent: as its authors published them, or with what many prompts share first."""

from collections.abc import Sequence
from itertools import groupby
from typing import Literal

from chronotope.errors import InputError
from chronotope.protocol.parts import FrameOf, Image, Part, Video

__all__ = ["Layout", "arrange", "as_videos"]

Layout = Literal["published", "shared"]


def arrange(parts: Sequence[Part], layout: Layout) -> list[Part]:
    """The parts in the order of a layout.

    ``published`` keeps the authors' order to the letter. ``shared`` sends the system's part, then all pictures and
    videos, then all text: prompts about the same media then begin with the same bytes, so that a service (or our own
    cache) can reuse what it worked out for them. Pictures of options stay with their options.
    """
    if layout == "published":
        return list(parts)
    return sorted(parts, key=_rank)


def as_videos(parts: Sequence[Part]) -> list[Part]:
    """The parts with the frames of each clip replaced by the clip itself, as a video.

    Raises InputError where only a part of a clip is shown, since the whole would show more.
    """
    found: list[Part] = []
    for video, group in groupby(parts, key=_video_of):
        found.extend(group if video is None else [video])
    return found


def _video_of(part: Part) -> Video | None:
    if not isinstance(part, Image) or not isinstance(part.picture, FrameOf):
        return None
    frame = part.picture
    if frame.plan.window is not None:
        start, end = frame.plan.window
        raise InputError(
            f"{frame.path}: only {start:g} to {end:g} s of it are to be shown, so it cannot be sent as a video: "
            "send frames (--clips frames)"
        )
    return Video(frame.path, frame.plan.clip, part.role)


def _rank(part: Part) -> int:
    if part.role == "system":
        return 0
    return 1 if isinstance(part, Image | Video) else 2
