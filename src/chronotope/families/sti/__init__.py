"""STI-Bench: questions about precise quantities of space and time in video."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from chronotope.families import (
    Family,
    FamilyBuild,
    FamilyPaper,
    FamilyRelease,
    Release,
    TwinContext,
    WriteContext,
    Written,
    read_reference,
)
from chronotope.families.sti.figures import FIGURES
from chronotope.families.sti.protocol import RunSettings, STIProtocol
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.statements import statements
from chronotope.families.sti.tasks import TASKS
from chronotope.question import RATIOS, Reason

__all__ = ["FAMILY", "BuildOptions"]


class BuildOptions(BaseModel):
    """Options for building the questions of STI-Bench."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    per_variant: int = Field(8, ge=1, le=100, description="maximum number of questions of each kind for each recording")
    scale: Literal["stated", "none"] | None = Field(
        None, description="whether metric questions state a fact that fixes the scale (strict: stated, paper: none)"
    )
    spacing: tuple[float, ...] = Field(
        RATIOS, min_length=1, description="possible ratios of neighbouring options (profile strict)"
    )

    @field_validator("spacing")
    @classmethod
    def _ratios(cls, value: tuple[float, ...]) -> tuple[float, ...]:
        if not all(1.01 <= ratio <= 10 for ratio in value):
            raise ValueError("expected ratios from 1.01 to 10")
        return tuple(sorted(set(value)))


if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronotope.question import Question
    from chronotope.recording import Scene


def _write(scene: "Scene", context: WriteContext) -> Written:
    from chronotope.families.sti.write import write

    return write(scene, context)


def _select(questions: "Sequence[Question]", context: WriteContext) -> Written:
    from chronotope.families.sti.select import select

    return select(questions, context)


def _read_release(path: Path, clips: Path | None = None) -> Release:
    from chronotope.families.sti.release import read_release

    return read_release(path, clips)


def _kinds() -> dict[str, str]:
    from chronotope.families.sti.write import kinds

    return kinds()


def _twin(question: "Question", context: TwinContext) -> "Question":
    from chronotope.families.sti.twins import twin

    return twin(question, context)


FAMILY = Family(
    name="sti",
    title="STI-Bench: precise quantities of space and time",
    tasks=TASKS,
    protocol=STIProtocol(),
    RunSettings=RunSettings,
    build=FamilyBuild(
        write=_write, Options=BuildOptions, select=_select, explain=Reason.meanings() | Code.meanings(), kinds=_kinds
    ),
    release=FamilyRelease(read=_read_release),
    paper=FamilyPaper(reference=partial(read_reference, __name__), statements=statements, figures=FIGURES),
    twin=_twin,
    tag_words={
        "quantity": "What the question asks for. Precision is by these quantities; the bars of accuracy are by task.",
        "scale": "“Stated”: the question states the size of a thing, from which other lengths can be judged.",
        "source": "Where the recording of the clip comes from, such as a simulated world (“world:…”).",
        "spacing": "How far apart neighbouring options are: their ratio, or the angle between them.",
        "variant": "The kinds of questions within the tasks.",
    },
)
