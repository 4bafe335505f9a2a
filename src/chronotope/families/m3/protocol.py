"""The published M3-Verse protocol: frames of two videos, prompt and scores.

The words of the prompt are published and used verbatim, with one line for each field as in Figures 18 and 19 of the
paper. The paper leaves three points open, and this module decides them as follows:

- The field ``{candidate options}`` has the options as released, one option on each line, such as ``A. text``.
- The number of frames is the same for both videos. If the shorter video has fewer frames than wanted, all its frames
  are shown, and the same number of frames is taken from the other video. With ``--rate``, the number of frames depends
  on the length of each video.
- The label of a video comes first, and the frames of the video follow. With ``--videos joined``, the frames of both
  videos form one stream, for models that accept only one video. In this stream our own words mark the beginning of each
  video.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from pydantic import Field

from chronotope.errors import InputError
from chronotope.families.m3.tables import CHOSE_NONE, FORMAT_KEPT, tables
from chronotope.families.m3.tasks import LABELS, NONE
from chronotope.media import FramePlan, plan_frames, plan_pictures
from chronotope.protocol import (
    Ask,
    AskSettings,
    ChoiceProtocol,
    MediaFacts,
    Option,
    Part,
    Reading,
    Scored,
    Text,
    choice_asks,
    option_letters,
    planned_images,
)
from chronotope.question import MediaItem, Question

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

# Width and height in px. The paper prints the height first: 336x448 is a 4:3 picture that keeps its shape.
SIZES: dict[str, tuple[int, int] | None] = {"448x448": (448, 448), "336x448": (448, 336), "native": None}


class RunSettings(AskSettings):
    """The settings for asking the questions of M3-Verse.

    - ``size`` is the size of the frames, height by width as in the paper. The paper uses 448x448 for most models, and
      336x448 for VideoLLaMA3. The size 336x448 is 448 px wide and 336 px high, which is the aspect ratio of the videos
      (1024 by 768 px). The value ``native`` keeps the original size, as the paper does for proprietary models.
    - ``frames`` is the number of shown frames of each video, by default 200. The paper shows 60 frames to InternVL3.5
      and VideoLLaMA3.
    - ``rate`` is a number of frames per second, and replaces ``frames``. The paper uses 2 for Gemini-2.5-Pro and 1 for
      Qwen3-VL-235B.

    If a state is released as pictures without a video, the pictures are sent unchanged.
    """

    choosing: ClassVar[frozenset[str]] = AskSettings.choosing | {"rate", "videos"}

    rate: float | None = Field(
        None, gt=0, le=1000, description="number of frames to show per second of video; replaces --frames"
    )
    size: Literal["448x448", "336x448", "native"] = Field(
        "448x448", description="height by width (px) of the frames that are sent; native keeps the original size"
    )
    videos: Literal["separate", "joined"] = Field(
        "separate",
        description="separate: each video follows its own label; joined: both videos form one stream of frames, and "
        "words mark the beginning of each video",
    )


@dataclass(frozen=True)
class M3Protocol(ChoiceProtocol):
    """The protocol of M3-Verse: both videos with labels, then the question and its options.

    The prompt asks for one letter if the question has one correct option, otherwise for several letters.
    """

    partial: ClassVar[bool] = True

    name: str = "m3"
    version: int = 2
    tables = staticmethod(tables)

    def asks(self, question: Question, settings: RunSettings, facts: MediaFacts) -> list[Ask]:
        """Make the asks of a question, with frame plans for both videos."""
        _refuse_contradictions(settings)
        count = _count(question.media, settings, facts)
        plans = [_plan(item, settings, count, facts) for item in question.media]
        return choice_asks(question, settings, plans, wording=(("videos", settings.videos),))

    def parts(self, ask: Ask, question: Question, facts: MediaFacts) -> list[Part]:
        """Make the prompt of an ask.

        Every field of the prompt except the first begins on a new line.
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

    def score(self, question: Question, readings: Sequence[tuple[Ask, Reading | None]]) -> Scored:
        """Score one question.

        If a question has several correct options, a reply without wrong options gets a partial score: the number of
        correct options in the reply, divided by the number of all correct options. If one of the options says that no
        correct option is listed, the metric ``chose_none`` is the share of the replies that choose it. The metric
        ``format_kept`` is the share of replies that have as many letters as the prompt asks for: one, or at least two.
        A reply that cannot be read has no letters.
        """
        scored = super().score(question, readings)
        told = [len(reading.options or ()) for _, reading in readings if reading is not None]
        if question.answer and told:
            kept = sum(count > 1 if question.multiple else count == 1 for count in told) / len(told)
            scored = replace(scored, metrics=scored.metrics | {FORMAT_KEPT: kept})
        places = {place for place, option in enumerate(question.options) if option.text == NONE}
        read = [reading.options or frozenset[int]() for _, reading in readings if reading is not None]
        if not places or not question.answer or not read:
            return scored
        chose = sum(not places.isdisjoint(options) for options in read) / len(read)
        return replace(scored, metrics=scored.metrics | {CHOSE_NONE: chose})


def _refuse_contradictions(settings: RunSettings) -> None:
    """Refuse settings that contradict each other.

    Raises:
        InputError: If ``rate`` and ``frames`` are both given, or if ``rate`` or joined videos are combined with
            settings that show no frames.
    """
    if settings.rate is not None and settings.frames is not None:
        raise InputError("--rate: --frames already gives the number of frames: leave out one of the two flags")
    moot = "no frames are shown with --input blind" if settings.input == "blind" else None
    moot = moot or ("with --clips video whole videos are sent, not frames" if settings.clips == "video" else None)
    if moot is not None and settings.rate is not None:
        raise InputError(f"--rate: {moot}: leave out one of the two flags")
    if moot is not None and settings.videos == "joined":
        raise InputError(f"--videos joined: {moot}: leave out one of the two flags")


def _count(media: Sequence[MediaItem], settings: RunSettings, facts: MediaFacts) -> int:
    """Return the number of shown frames of each video.

    The number is ``settings.frames`` (by default 200), or the number of frames of the shortest video, if this is
    smaller.
    """
    clips = (facts.find_clip(item.paths[0]) for item in media)
    there = [len(item.paths) if clip is None else clip.frames for item, clip in zip(media, clips, strict=True)]
    return min([settings.frames or FRAMES, *there])


def _plan(item: MediaItem, settings: RunSettings, count: int, facts: MediaFacts) -> FramePlan:
    """Plan the frames of a video, or of pictures without a video."""
    clip = facts.find_clip(item.paths[0])
    if clip is None:
        if settings.rate is not None:
            raise InputError(
                f"--rate: {item.paths[0]} is one of several pictures whose frame rate is unknown: use --frames instead"
            )
        return plan_pictures([facts.picture(path).sha256 for path in item.paths], "midpoints", count=count)
    size = SIZES[settings.size]
    if settings.rate is not None:
        return plan_frames(clip, "rate", rate=settings.rate, size=size)
    return plan_frames(clip, "midpoints", count=count, size=size)
