"""VGenST-Bench as an evaluation protocol."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from chronotope.errors import InputError
from chronotope.families.vgenst.protocol.modes import mode_tables
from chronotope.families.vgenst.protocol.prompt import prompt
from chronotope.families.vgenst.protocol.tables import tables
from chronotope.media import FramePlan, plan_frames, plan_pictures
from chronotope.protocol import (
    Ask,
    AskSettings,
    MediaFacts,
    Part,
    Reading,
    Scored,
    Table,
    choice_asks,
    read_asked_choice,
    score_choice,
)
from chronotope.question import MediaItem, Question

__all__ = ["RunSettings", "VGenSTProtocol"]

FRAMES = 16


class RunSettings(AskSettings):
    """The settings of a run of VGenST-Bench.

    By default a clip is shown by all frames that were released with it, as in the authors' code, or by 16 frames of its
    video if there are none. A number selects that many frames of the video, or of the released frames if there is no
    video.
    """

    frames: Annotated[int, Field(ge=1)] | Literal["released"] | None = Field(  # pyright: ignore[reportIncompatibleVariableOverride]
        None, description="frames shown of a clip, or released: those that came with it"
    )
    prompt: Literal["own", "code"] = Field("own", description="words of our own, or the prompts of the authors' code")
    allow_self_eval: bool = Field(
        False, description="ask a model of the family that wrote the questions, or that judges its answers"
    )

    @property
    def max_tokens(self) -> int:
        """Return the limit of the authors' script."""
        return 8192


@dataclass(frozen=True)
class VGenSTProtocol:
    """Shows frames from first to last, then the question with options in line.

    The reply is one letter, or a few words. With ``placement`` swap the correct option changes places with each other
    option in turn, including "None of these", as published; the forms of a question (V1, V2, V3) are separate
    questions.
    """

    name: str = "vgenst"
    version: int = 2

    def asks(self, question: Question, settings: RunSettings, facts: MediaFacts) -> list[Ask]:
        """Return the asks of a question."""
        plans = [_plan(item, question, settings, facts) for item in question.media]
        return choice_asks(question, settings, plans, keep_last=False, wording=(("prompt", settings.prompt),))

    def parts(self, ask: Ask, question: Question, facts: MediaFacts) -> list[Part]:
        """Make the prompt of an ask."""
        return prompt(ask, question, facts)

    def read(self, ask: Ask, question: Question, reply: str, truncated: bool) -> Reading:
        """Read a reply.

        A judge decides whether an open answer is correct.
        """
        return read_asked_choice(ask, question, reply, truncated)

    def score(self, question: Question, readings: Sequence[tuple[Ask, Reading | None]]) -> Scored:
        """See EvaluationProtocol and ``score_choice``; adds the modes of section 9.2.

        ``vanilla`` and ``vanilla_covered`` use only the published order; ``position`` and ``position_covered`` are
        means over all orders; ``circular_covered`` is None unless every placement was read.
        """
        scored = score_choice(question, readings)
        published = tuple(range(len(question.options) if question.answer else 0))
        alone = [(ask, reading) for ask, reading in readings if ask.placement == published]
        vanilla = score_choice(question, alone).metrics if alone else {}
        placed = {ask.placement for ask, _ in readings}
        whole = len(placed) == len(question.options) and all(
            reading is not None and reading.parsed for _, reading in readings
        )
        more = {
            "vanilla": vanilla.get("strict"),
            "vanilla_covered": vanilla.get("covered"),
            "position": scored.metrics["strict"],
            "position_covered": scored.metrics["covered"],
            "circular_covered": scored.metrics["circular"] if whole else None,
        }
        return replace(scored, metrics=scored.metrics | more)

    def tables(self, scored: Sequence[Scored]) -> list[Table]:
        """Make the tables by task, type, level and axis.

        Informative cells have separate tables.
        """
        return tables(scored)

    def mode_tables(self, scored: Sequence[Scored]) -> list[Table]:
        """Make tables of the modes side by side, and their gaps.

        They cover all forms of the questions and are never pooled.
        """
        return mode_tables(scored)


def _number(settings: RunSettings) -> int:
    """Return the number of frames that show a clip.

    It applies if the clip is not shown by all its released frames.
    """
    return settings.frames if isinstance(settings.frames, int) else FRAMES


def _shows_released(question: Question, settings: RunSettings) -> bool:
    """Check whether the clip is shown by all its released frames."""
    there = any(item.kind == "frames" for item in question.media)
    if settings.frames == "released" and not there:
        raise InputError(
            f"--frames released: no frames were released with the clip of {question.id!r}: give a number of frames, or "
            "import again with the unpacked processed_frames"
        )
    return there and not isinstance(settings.frames, int) and settings.clips == "frames"


def _plan(item: MediaItem, question: Question, settings: RunSettings, facts: MediaFacts) -> FramePlan | None:
    """Plan the frames of the clip's video, or the released ones.

    The plan that is not used is None.
    """
    released = _shows_released(question, settings)
    clip = facts.find_clip(item.paths[0])
    if clip is not None and item.kind == "video":
        return None if released else plan_frames(clip, "endpoints", count=_number(settings))
    has_video = any(one.kind == "video" and facts.find_clip(one.paths[0]) is not None for one in question.media)
    if settings.clips == "video" and all(one.kind != "video" for one in question.media):
        raise InputError(
            f"--clips video: {item.paths[0]} and others are frames, and no video of them was released with this "
            "folder: leave out --clips video, or import again with the unpacked videos"
        )
    if item.kind != "frames" or (has_video and not released):
        return None
    pictures = [facts.picture(path).sha256 for path in item.paths]
    return plan_pictures(pictures, "endpoints", count=None if released else _number(settings))
