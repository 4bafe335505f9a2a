"""The cutting of videos into clips: consecutive frames, without overlap.

The paper gives lengths of clips without a unit. We read these lengths as numbers of frames of the recorded video: at 3
frames per second, a typical video of M3-Verse has 506 frames and lasts 169 s, so lengths in seconds would often be one
clip.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from chronotope.errors import InputError
from chronotope.media import ClipFacts, FramePlan, plan_frames
from chronotope.methods.method import MethodAsk
from chronotope.protocol import FrameOf, Image, Option, PictureFile, Text


@dataclass(frozen=True)
class ShownClip:
    """A clip of a video: its shown frames, and its start and end (s)."""

    plan: FramePlan
    start: float
    end: float


@dataclass(frozen=True)
class Shot:
    """A video of a question.

    ``plan`` has the window and the picture size of the protocol. ``label`` is the text by which the protocol's prompt
    names the video, or an empty text.
    """

    place: int
    path: str
    facts: ClipFacts
    plan: FramePlan
    label: str


def shots_of(asked: MethodAsk) -> list[Shot]:
    """List the videos of an ask, in the order of its media.

    Raises:
        InputError: If the question shows no video, or shows pictures that are not frames of a video, because the answer
            is given from text.
    """
    question = asked.question
    where = f"--method hctr: question {question.id!r}"
    otherwise = "select other tasks with --task, or omit --method"
    if not any(item.kind == "video" for item in question.media):
        shows = "pictures without times, and HCTR needs videos" if question.media else "no video"
        raise InputError(f"{where} shows {shows}: {otherwise}")
    pictures = [part for part in asked.parts if isinstance(part, Image) and isinstance(part.picture, PictureFile)]
    of_options = [part for part in asked.parts if isinstance(part, Option) and part.image is not None]
    frames = {path for item in question.media if item.kind == "frames" for path in item.paths}
    if of_options or any(part.picture.path not in frames for part in pictures):
        raise InputError(f"{where} has pictures besides its videos, and HCTR answers from text: {otherwise}")
    labels = _labels(asked)
    found: list[Shot] = []
    for place, (item, plan) in enumerate(zip(question.media, asked.ask.plans, strict=True)):
        if item.kind == "video":  # a clip may also be there as numbered pictures, which have no times
            facts = asked.facts.clip(item.paths[0])
            label = "" if plan is None else labels.get((item.paths[0], plan), "")
            found.append(Shot(place, item.paths[0], facts, plan or plan_frames(facts, "endpoints", count=1), label))
    return found


def _labels(asked: MethodAsk) -> dict[tuple[str, FramePlan], str]:
    """Return the label before the first frame of each video."""
    found: dict[tuple[str, FramePlan], str] = {}
    label, last = "", None
    for part in asked.parts:
        if isinstance(part, Text):
            label = part.text.strip() if part.label else ""
        elif isinstance(part, Image) and isinstance(part.picture, FrameOf) and part.picture.plan is not last:
            last = part.picture.plan  # all frames of a video share one plan, whose hash is not cheap
            found.setdefault((part.picture.path, last), label)
    return found


@lru_cache(maxsize=256)
def clips_of(facts: ClipFacts, plan: FramePlan, length: int, count: int) -> tuple[ShownClip, ...]:
    """Cut the window of a plan into clips of ``length`` frames.

    The last clip can be shorter. At most ``count`` frames of each clip are shown, at the middles of equal parts. All
    questions about a video share the clips.
    """
    assert facts.fps is not None  # clips with a variable rate are refused
    every = plan_frames(facts, "stride", step=1, window=plan.window).indices
    found: list[ShownClip] = []
    for start in range(0, len(every), length):
        first, last = every[start], every[min(start + length, len(every)) - 1]
        window = (first / facts.fps, last / facts.fps)
        made = plan_frames(facts, "midpoints", count=count, window=window, codec="jpeg", quality=plan.quality)
        made = replace(made, size=plan.size, codec=plan.codec)
        found.append(ShownClip(made, window[0], (last + 1) / facts.fps))
    return tuple(found)


def shown_plans(asked: MethodAsk, length: int, count: int) -> tuple[FramePlan | None, ...]:
    """Return the frames of all clips together, for each video.

    The window and the size of the pictures are those of the protocol's plan, so `clips_of` returns the same clips for
    these plans.
    """
    found: list[FramePlan | None] = [None] * len(asked.question.media)
    for shot in shots_of(asked):
        clips = clips_of(shot.facts, shot.plan, length, count)
        indices = tuple(index for clip in clips for index in clip.plan.indices)
        times = tuple(time for clip in clips for time in clip.plan.times)
        found[shot.place] = replace(shot.plan, sampler="midpoints", indices=indices, times=times)
    return tuple(found)
