"""Frame plans for the video segment of an assembly step."""

import math
from collections.abc import Sequence
from dataclasses import replace

from chronotope.errors import InputError
from chronotope.media import ClipFacts, FramePlan, plan_pictures
from chronotope.question import MediaItem

FEW, MANY = 4, 8
LONG_S = 10.0  # seconds; a step of at least this length is shown in MANY frames
MARGIN = 0.1  # share of the step that is left out at each end
QUALITY = 90  # JPEG quality of the frames

# A tolerance in seconds and in frames. It is much larger than rounding errors in float64, and much smaller than the
# difference of two annotated times.
_ROUNDING = 1e-6


def plan_segment(item: MediaItem, clip: ClipFacts, count: int | None = None) -> FramePlan:
    """Plan the frames of a segment of a clip.

    By default, a segment shorter than 10 s gets 4 frames, and a longer segment gets 8 frames. The times of the frames
    are evenly spaced from 10 % to 90 % of the segment. ``count`` replaces the number of frames. If ``count`` is 1, the
    frame is in the middle of the segment. The index of each frame is its time multiplied by the frame rate, rounded
    down. If the segment has too few frames, some frames are shown twice.

    Raises:
        InputError: If the clip's frame rate varies, or the segment begins after the clip's end.
    """
    path = item.paths[0]
    if clip.fps is None:
        raise InputError(
            f"{path}: its frame rate varies, so no frames can be chosen by time: encode the clip again at a constant "
            "rate (ffmpeg -i FILE -vf fps=30 NEW.mp4) and build the benchmark again"
        )
    start = 0.0 if item.start is None else item.start
    end = clip.duration_s if item.end is None else item.end
    if not 0 <= start < clip.duration_s:
        raise InputError(
            f"{path}: a step begins at {start:g} s, but the clip is {clip.duration_s:g} s long: correct the times of "
            "the step in the source and build the benchmark again"
        )
    duration = end - start
    frames = count or (FEW if duration < LONG_S - _ROUNDING else MANY)
    margin = MARGIN * duration if duration > 0 else 0.0
    times = _evenly(start + margin, end - margin, frames)
    indices = tuple(min(max(math.floor(time * clip.fps + _ROUNDING), 0), clip.frames - 1) for time in times)
    return FramePlan(
        clip=clip.sha256,
        sampler="times",
        window=None if item.start is None and item.end is None else (start, end),
        indices=indices,
        times=tuple(index / clip.fps for index in indices),
        size=None,
        quality=QUALITY,
    )


def plan_some(pictures: Sequence[str], count: int | None) -> FramePlan:
    """Plan the pictures that replace a clip.

    ``pictures`` are the SHA-256 hashes of the pictures, in order. By default, all pictures are shown. If there are more
    than ``count`` pictures, only ``count`` pictures are shown, evenly spaced from the first to the last. If ``count``
    is 1, the middle picture is shown.
    """
    plan = plan_pictures(pictures, "endpoints", count=count)
    if count != 1:
        return plan
    [middle] = _evenly(0, len(pictures) - 1, count)
    return replace(plan, sampler="midpoints", indices=(round(middle),))


def _evenly(first: float, last: float, count: int) -> list[float]:
    """Return ``count`` evenly spaced numbers from ``first`` to ``last``.

    If ``count`` is 1, the result is the mean of ``first`` and ``last``.
    """
    if count == 1:
        return [(first + last) / 2]
    return [first + (last - first) * place / (count - 1) for place in range(count)]
