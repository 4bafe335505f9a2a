"""The layout of a prompt: its parts in the published order, or shared parts first."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Literal

from chronotope.errors import InputError
from chronotope.protocol.parts import FrameOf, Image, Part, Text, Video

Layout = Literal["published", "shared"]


def arrange(parts: Sequence[Part], layout: Layout) -> list[Part]:
    """Arrange the parts of a prompt according to a layout.

    ``published`` keeps exactly the order of the authors. ``shared`` sends the system message first, then all pictures
    and videos with their labels, then all other text. With ``shared``, prompts about the same media begin with the same
    bytes, so that a service can reuse its computation. Pictures of options stay with their options.
    """
    if layout == "published":
        return list(parts)
    return list(_apart(sorted(parts, key=_rank)))


def as_videos(parts: Sequence[Part]) -> list[Part]:
    """Replace the frames of each clip by the clip, as a video.

    Raises:
        InputError: If a prompt shows only a time window of a clip, because the video would show more than this window.
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
            f"{frame.path}: the question is only about {start:g} to {end:g} s, so the clip cannot be sent as a whole "
            "video: send frames (--clips frames)"
        )
    return Video(frame.path, frame.plan.clip, part.role)


def _apart(parts: Sequence[Part]) -> Iterator[Part]:
    """Separate other texts from the labels of pictures.

    If a text follows a label, a line break is added in front of the text. If a label is the first part of its message,
    blanks in front of the label are removed.
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
