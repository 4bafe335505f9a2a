"""VGenST-Bench as an evaluation protocol (specification, section 9)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import Field

from chronotope.errors import InputError
from chronotope.families.vgenst.protocol.modes import mode_tables
from chronotope.families.vgenst.protocol.prompt import prompt
from chronotope.families.vgenst.protocol.tables import tables
from chronotope.media import ClipFacts, FramePlan, plan_frames
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
    """How VGenST-Bench is asked."""

    allow_self_eval: bool = Field(
        False, description="ask a model of the family that wrote the questions, or that judges its answers"
    )


@dataclass(frozen=True)
class VGenSTProtocol:
    """Frames from first to last, then the question with its options in line; one letter, or a few words, asked for.

    With ``placement`` swap the right option changes places with each other one in turn, "None of these" among them, as
    published; the forms of a question (V1, V2, V3) are questions of their own.
    """

    name: str = "vgenst"
    version: int = 1

    def asks(self, question: Question, settings: RunSettings, facts: MediaFacts) -> list[Ask]:
        """See EvaluationProtocol."""
        plans = [_plan(item, settings, facts) for item in question.media]
        return choice_asks(question, settings, plans, keep_last=False)

    def parts(self, ask: Ask, question: Question, settings: RunSettings, facts: MediaFacts) -> list[Part]:
        """See EvaluationProtocol."""
        return prompt(ask, question, facts, settings.frames or FRAMES)

    def read(self, ask: Ask, question: Question, reply: str, truncated: bool) -> Reading:
        """See EvaluationProtocol; whether an open answer is right is for a judge to say."""
        return read_asked_choice(ask, question, reply, truncated)

    def score(self, question: Question, readings: Sequence[tuple[Ask, Reading | None]]) -> Scored:
        """See EvaluationProtocol and ``score_choice``, and beside it the modes of section 9.2.

        ``vanilla`` and ``vanilla_covered`` are of the order as published alone; ``circular_covered`` is None unless
        every placement was read.
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
            "circular_covered": scored.metrics["circular"] if whole else None,
        }
        return replace(scored, metrics=scored.metrics | more)

    def tables(self, scored: Sequence[Scored]) -> list[Table]:
        """See EvaluationProtocol: by task, type, level and axis, and over the cells that tell something."""
        return tables(scored)

    def mode_tables(self, scored: Sequence[Scored]) -> list[Table]:
        """The modes beside each other, never pooled, and the gaps between them; of all forms of the questions."""
        return mode_tables(scored)


def _plan(item: MediaItem, settings: RunSettings, facts: MediaFacts) -> FramePlan | None:
    clip = facts[item.paths[0]]
    if isinstance(clip, ClipFacts) and item.kind == "video":
        return plan_frames(clip, "endpoints", count=settings.frames or FRAMES)
    if settings.clips == "video":
        raise InputError(
            f"--clips video: {item.paths[0]} and others are frames, and no video of them was released with this "
            "folder: leave out --clips video, or import again with the unpacked videos"
        )
    return None
