"""The evaluation protocol of VGenST-Bench: run settings, frame plans, asks and scores."""

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
    ChoiceProtocol,
    MediaFacts,
    Part,
    Reading,
    Scored,
    choice_asks,
    score_choice,
)
from chronotope.question import MediaItem, Question

FRAMES = 16


class RunSettings(AskSettings):
    """The settings for asking the questions of VGenST-Bench.

    ``frames`` has these values:

    - None (default) shows all frames that were released with a clip, as in the authors' code. If no frames were
      released, 16 frames of the video are shown.
    - A number N shows N frames of the video. If there is no video, N of the released frames are shown.
    - ``released`` shows all released frames. If a clip has no released frames, an error is raised.
    """

    frames: Annotated[int, Field(ge=1)] | Literal["released"] | None = Field(  # pyright: ignore[reportIncompatibleVariableOverride]
        None,
        description="number of frames to show of each clip; released shows all frames that were released with the clip",
    )
    prompt: Literal["own", "code"] = Field(
        "own", description="own: Chronotope's own prompt; code: the prompt in the authors' code"
    )
    allow_self_eval: bool = Field(
        False,
        description="allow a run in which the writer of the questions or the judge belongs to the model's own family",
    )

    @property
    def max_tokens(self) -> int:
        """Return the token limit in the authors' script."""
        return 8192


@dataclass(frozen=True)
class VGenSTProtocol(ChoiceProtocol):
    """The protocol of VGenST-Bench: frames from first to last, then the question with its options on one line.

    The reply is one letter, or a few words for an open question. With the placement ``swap``, a question is asked
    several times. As published, the correct option changes places once with each of the other options. The option "None
    of these" is exchanged like all others. The variants V1, V2 and V3 are separate questions.
    """

    name: str = "vgenst"
    version: int = 2
    tables = staticmethod(tables)
    mode_tables = staticmethod(mode_tables)

    def asks(self, question: Question, settings: RunSettings, facts: MediaFacts) -> list[Ask]:
        """Make the asks of a question, each with its frame plans."""
        plans = [_plan(item, question, settings, facts) for item in question.media]
        return choice_asks(question, settings, plans, keep_last=False, wording=(("prompt", settings.prompt),))

    def parts(self, ask: Ask, question: Question, facts: MediaFacts) -> list[Part]:
        """Make the prompt of an ask."""
        return prompt(ask, question, facts)

    def score(self, question: Question, readings: Sequence[tuple[Ask, Reading | None]]) -> Scored:
        """Score one question, with separate metrics for each mode.

        The result has these metrics in addition to the metrics of ``score_choice``:

        - ``vanilla`` and ``vanilla_covered`` are the scores with the options in the published order.
        - ``position`` and ``position_covered`` are means over all placements.
        - ``circular_covered`` is the circular score, or None if a placement has no readable reply.
        """
        scored = super().score(question, readings)
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


def _number(settings: RunSettings) -> int:
    """Return the number of shown frames of a video."""
    return settings.frames if isinstance(settings.frames, int) else FRAMES


def _shows_released(question: Question, settings: RunSettings) -> bool:
    """Check whether all released frames of the clip are shown.

    Raises:
        InputError: If the setting asks for released frames, but the clip has none.
    """
    there = any(item.kind == "frames" for item in question.media)
    if settings.frames == "released" and not there:
        raise InputError(
            f"--frames released: no frames were released with the clip of {question.id!r}: give a number of frames, or "
            "import the release again with the unpacked folder processed_frames"
        )
    return there and not isinstance(settings.frames, int) and settings.clips == "frames"


def _plan(item: MediaItem, question: Question, settings: RunSettings, facts: MediaFacts) -> FramePlan | None:
    """Plan the frames of a video, or of its released frames.

    If a clip has a video and released frames, only one of these two media items is shown. The plan for the other media
    item is None.
    """
    released = _shows_released(question, settings)
    clip = facts.find_clip(item.paths[0])
    if clip is not None and item.kind == "video":
        return None if released else plan_frames(clip, "endpoints", count=_number(settings))
    has_video = any(one.kind == "video" and facts.find_clip(one.paths[0]) is not None for one in question.media)
    if settings.clips == "video" and all(one.kind != "video" for one in question.media):
        raise InputError(
            f"--clips video: this benchmark has only frames, such as {item.paths[0]}, and no video: leave out --clips "
            "video, or import the release again with the unpacked videos"
        )
    if item.kind != "frames" or (has_video and not released):
        return None
    pictures = [facts.picture(path).sha256 for path in item.paths]
    return plan_pictures(pictures, "endpoints", count=None if released else _number(settings))
