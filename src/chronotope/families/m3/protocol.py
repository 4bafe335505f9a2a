"""The published M3-Verse protocol: frames of two videos, prompt and scores.

The words of the prompt are published and used verbatim, with a line for each field as in Figures 18 and 19. The open
points are decided here:

- ``{candidate options}``: the options as released, ``A. text``, one a line.
- Of both videos equally many frames are shown, as many as the shorter one has where that is fewer; with a rate, which
  gives each video its own number, as many as the rate gives.
- A video is its frames, behind its label. With ``--videos joined`` both stand in one stream of frames, for models that
  take one video, and words of our own mark where each begins.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from chronotope.errors import InputError
from chronotope.families.m3.tables import tables
from chronotope.families.m3.tasks import LABELS
from chronotope.media import FramePlan, plan_frames, plan_pictures
from chronotope.protocol import (
    Ask,
    AskSettings,
    MediaFacts,
    Option,
    Part,
    Reading,
    Scored,
    Table,
    Text,
    choice_asks,
    option_letters,
    planned_images,
    read_asked_choice,
    score_choice,
)
from chronotope.question import MediaItem, Question

__all__ = ["M3Protocol", "RunSettings"]

FRAMES = 200  # of each video

TASK = "Your task is to answer questions based on the provided videos and options."
RETURN = (
    "Return ONLY the letter(s) corresponding to the correct option(s) "
    "(e.g., A, B, C, or A,C for multiple correct answers)"
)
ONE = "There is only one correct option for this question."
SEVERAL = "There are more than one correct option for this question."

# Our own words: the paper has neither the marks of a joined stream nor open questions.
JOINED = "Both videos are given as one stream of frames."
MARKS = ("Frames of the first video:", "Frames of the second video:")
OPEN = "Return ONLY the answer."

# Width and height in px. The paper prints 336x448 for a 4:3 picture that keeps its shape, so it puts the height first.
SIZES: dict[str, tuple[int, int] | None] = {"448x448": (448, 448), "336x448": (448, 336), "native": None}


class RunSettings(AskSettings):
    """How M3-Verse is asked.

    ``size`` is as the paper prints it, height by width: 448x448 for most models, 336x448 (448 px wide and 336 px high,
    which is the shape of its 1024 by 768 px videos) for VideoLLaMA3; ``native`` sends frames in their original size, as
    the paper does for proprietary models. ``frames`` is the number shown of each of the two videos, 200 by default (60
    in the paper for InternVL3.5 and VideoLLaMA3); ``rate`` (frames per second) replaces it, as the paper's 2 for
    Gemini-2.5-Pro and 1 for Qwen3-VL-235B. Pictures in place of a video are sent unchanged.
    """

    rate: float | None = Field(None, gt=0, le=1000, description="frames shown per second of video, instead of --frames")
    size: Literal["448x448", "336x448", "native"] = Field(
        "448x448", description="height by width of the frames sent, in px, or as large as they are"
    )
    videos: Literal["separate", "joined"] = Field(
        "separate", description="each video behind its label, or both in one stream of frames with marks"
    )


@dataclass(frozen=True)
class M3Protocol:
    """Shows equal numbers of labelled frames of both videos.

    The prompt asks for one letter or several, according to the number of correct options.
    """

    name: str = "m3"
    version: int = 2

    def asks(self, question: Question, settings: RunSettings, facts: MediaFacts) -> list[Ask]:
        """Return the asks of a question."""
        _refuse_contradictions(settings)
        count = _count(question.media, settings, facts)
        plans = [_plan(item, settings, count, facts) for item in question.media]
        return choice_asks(question, settings, plans, wording=(("videos", settings.videos),))

    def parts(self, ask: Ask, question: Question, facts: MediaFacts) -> list[Part]:
        """Make the prompt of an ask.

        Every field except the first begins a new line.
        """
        joined = ask.worded("videos") == "joined" and len(question.media) > 1
        shown = list(question.media) if ask.input == "full" else []
        parts: list[Part] = [Text(f"{TASK}\n{JOINED}" if joined and shown else TASK)]
        for place, (item, plan) in enumerate(zip(shown, ask.plans, strict=False)):
            label = item.label or LABELS.get(item.role) or f"This is the {item.role} video:"
            parts.append(Text(f"\n{MARKS[place] if joined and place < len(MARKS) else label}", label=True))
            parts += planned_images(item.paths, plan, facts) if plan is not None else ()
        parts.append(Text(f"\nQuestion: {question.stem}"))
        if not question.answer:
            return [*parts, Text(f"\n{OPEN}")]
        parts.append(Text("\noptions: "))
        for letter, index in zip(option_letters(len(ask.placement)), ask.placement, strict=True):
            text = question.options[index].text or ""
            parts.append(Option(letter, f"{letter}. {text}\n", text, multiple=question.multiple))
        return [*parts, Text(f"{RETURN}\n{SEVERAL if question.multiple else ONE}")]

    def read(self, ask: Ask, question: Question, reply: str, truncated: bool) -> Reading:
        """Read a reply."""
        return read_asked_choice(ask, question, reply, truncated)

    def score(self, question: Question, readings: Sequence[tuple[Ask, Reading | None]]) -> Scored:
        """Score one question; a subset of the correct options scores its share."""
        return score_choice(question, readings, partial=True)

    def tables(self, scored: Sequence[Scored]) -> list[Table]:
        """Make Tables 2 and 3, chance, and breakdowns."""
        return tables(scored)


def _refuse_contradictions(settings: RunSettings) -> None:
    """Refuse settings that contradict each other.

    Raises:
        InputError: If there are such settings.
    """
    if settings.rate is not None and settings.frames is not None:
        raise InputError("--rate: --frames gives the number of frames of a video: leave one of the two out")
    moot = "nothing is shown with --input blind" if settings.input == "blind" else None
    moot = moot or ("clips are sent whole as videos (--clips video)" if settings.clips == "video" else None)
    if moot is not None and settings.rate is not None:
        raise InputError(f"--rate: {moot}: leave one of the two out")
    if moot is not None and settings.videos == "joined":
        raise InputError(f"--videos joined: {moot}: leave one of the two out")


def _count(media: Sequence[MediaItem], settings: RunSettings, facts: MediaFacts) -> int:
    """Return how many frames are shown of each video.

    It is the wanted number, or that of the shortest video.
    """
    clips = (facts.find_clip(item.paths[0]) for item in media)
    there = [len(item.paths) if clip is None else clip.frames for item, clip in zip(media, clips, strict=True)]
    return min([settings.frames or FRAMES, *there])


def _plan(item: MediaItem, settings: RunSettings, count: int, facts: MediaFacts) -> FramePlan:
    """Plan the frames of a video.

    If it is a set of pictures, the same positions are planned.
    """
    clip = facts.find_clip(item.paths[0])
    if clip is None:
        if settings.rate is not None:
            raise InputError(
                f"--rate: {item.paths[0]} is one of pictures of which nobody says how many make a second: give --frames"
            )
        return plan_pictures([facts.picture(path).sha256 for path in item.paths], "midpoints", count=count)
    size = SIZES[settings.size]
    if settings.rate is not None:
        return plan_frames(clip, "rate", rate=settings.rate, size=size)
    return plan_frames(clip, "midpoints", count=count, size=size)
