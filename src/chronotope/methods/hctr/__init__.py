"""HCTR, hierarchical captioning and text-based reasoning: the method of the M3-Verse paper (arXiv 2512.18735).

A video is cut into clips. A model describes each clip, a model merges the descriptions into a summary of the video, and
a model answers from text only.
"""

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from chronotope.media import FramePlan
from chronotope.methods.method import Method, MethodAsk, MethodSettings, Step, StepKind

if TYPE_CHECKING:
    from chronotope.protocol import Part

__all__ = ["METHOD", "HCTRSettings"]


class HCTRSettings(MethodSettings):
    """The settings of HCTR.

    The paper uses clips of 50, 100 and 200 frames of the recorded video. InternVL3.5 was shown 50 frames of each clip,
    and Qwen3-VL 100 frames.
    """

    clip_length: int = Field(100, ge=1, description="length of a clip, in frames of the recorded video")
    clip_frames: int = Field(50, ge=1, description="number of frames that are shown of each clip")
    summary: bool = Field(
        True, description="merge the captions of a video into one summary; otherwise, answer from the captions"
    )
    state_count: bool = Field(
        False, description="state in the last prompt whether one or several options are correct (not as published)"
    )


def _kinds(settings: HCTRSettings) -> tuple[StepKind, ...]:
    return ("caption", "summary") if settings.summary else ("caption",)


def _shown(asked: MethodAsk, settings: HCTRSettings) -> tuple[FramePlan | None, ...]:
    from chronotope.methods.hctr.clips import shown_plans

    return shown_plans(asked, settings.clip_length, settings.clip_frames)


def _stages(asked: MethodAsk, settings: HCTRSettings) -> Generator[Sequence[Step], Sequence[str], "tuple[Part, ...]"]:
    from chronotope.methods.hctr.stages import stages

    return (yield from stages(asked, settings))


def _words(settings: HCTRSettings) -> str:
    return f"clips of {settings.clip_length} frames, at most {settings.clip_frames} frames of each shown"


METHOD = Method(
    name="hctr",
    title="hierarchical captioning and text-based reasoning (M3-Verse)",
    version=1,
    kinds=_kinds,
    shown=_shown,
    stages=_stages,
    words=_words,
    Settings=HCTRSettings,
)
