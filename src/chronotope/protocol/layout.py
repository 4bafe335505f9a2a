"""The order in which a prompt's parts are sent: as published, or shared parts first."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Literal

from chronotope.errors import InputError
from chronotope.protocol.parts import FrameOf, Image, Part, Text, Video

__all__ = ["Layout", "arrange", "as_videos"]

Layout = Literal["published", "shared"]


def arrange(parts: Sequence[Part], layout: Layout) -> list[Part]:
    """Return the parts in the order of a layout.

    ``published`` keeps exactly the authors' order. ``shared`` sends the system's part, then all pictures and videos
    with their labels, then all other text: prompts about the same media then begin with the same bytes, so that a
    service (or our own cache) can reuse its computation. Pictures of options stay with their options.
    """
    if layout == "published":
        return list(parts)
    return list(_apart(sorted(parts, key=_rank)))


def as_videos(parts: Sequence[Part]) -> list[Part]:
    """Replace the frames of each clip by the clip, as a video.

    Raises:
        InputError: If only a part of a clip is shown, because the whole clip would show more.
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
            f"{frame.path}: only {start:g} to {end:g} s of it belong to the question, so it cannot be sent as a whole "
            "video: send frames (--clips frames)"
        )
    return Video(frame.path, frame.plan.clip, part.role)


def _apart(parts: Sequence[Part]) -> Iterator[Part]:
    """Separate texts from the labels beside them.

    A text after a label gets a line break; a first label has no blank before it.
    """
    before: Part | None = None
    for part in parts:
        first = before is None or before.role != part.role
        if isinstance(part, Text) and part.label and first:
            yield replace(part, text=part.text.lstrip())
        elif isinstance(part, Text) and not part.label and isinstance(before, Text) and before.label and not first:
            yield replace(part, text="\n" + part.text.lstrip("\n"))
        else:
            yield part
        before = part


def _rank(part: Part) -> int:
    if part.role == "system":
        return 0
    beside_media = isinstance(part, Image | Video) or (isinstance(part, Text) and part.label)
    return 1 if beside_media else 2
