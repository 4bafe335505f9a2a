"""M3-Verse: questions about two videos of a house, before and after a change (arXiv 2512.18735).

The released questions are used unchanged. New questions are written about homes in two states.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from chronotope.families import (
    Family,
    FamilyBuild,
    FamilyPaper,
    FamilyRelease,
    Measure,
    Release,
    TwinContext,
    WriteContext,
    Written,
    read_reference,
)
from chronotope.families.m3.composition import composition
from chronotope.families.m3.figures import FIGURES
from chronotope.families.m3.findings import FINDINGS
from chronotope.families.m3.presets import PRESETS
from chronotope.families.m3.protocol import M3Protocol, RunSettings
from chronotope.families.m3.subtasks import SUBTASKS
from chronotope.families.m3.tasks import (
    ALL_VISITED,
    BALANCE,
    NOT_KNOWN,
    SHARE,
    STATE_SHARE,
    TASKS,
)
from chronotope.question import Question, Reason

__all__ = ["FAMILY", "BuildOptions"]

if TYPE_CHECKING:
    from chronotope.recording import Scene


class BuildOptions(BaseModel):
    """Options for building the questions of M3-Verse."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    per_subtask: int = Field(
        3, ge=1, le=100, description="maximum number of questions of each subtask for each home, or for each state"
    )
    hallucination: float | None = Field(
        None,
        ge=0,
        lt=1,
        description="share of questions whose correct option says that no correct option is listed; by default 0.232 "
        "with the profile paper, and otherwise as many as for any other option",
    )
    inter_state: float | None = Field(
        None,
        gt=0,
        lt=1,
        description="share of questions about both videos; by default 0.5155 with the profile paper, and otherwise as "
        "many as were written",
    )


def _write(scene: "Scene", context: WriteContext) -> Written:
    from chronotope.families.m3.write import write

    return write(scene, context)


def _select(questions: Sequence[Question], context: WriteContext) -> Written:
    from chronotope.families.m3.select import select

    return select(questions, context)


def _read_release(path: Path, clips: Path | None = None) -> Release:
    from chronotope.families.m3.release import read_release

    return read_release(path, clips)


def _write_release(*args: Any, **options: Any) -> tuple[str, ...]:
    from chronotope.families.m3.release import write_release

    return write_release(*args, **options)


def _measures(recordings: Sequence[Mapping[str, Any]]) -> Sequence[Measure]:
    from chronotope.families.m3.homes import measures

    return measures(recordings)


def _kinds() -> dict[str, str]:
    return {name: row.category for name, row in SUBTASKS.items()}


def _twin(question: Question, context: TwinContext) -> Question:
    from chronotope.families.m3.twins import twin

    return twin(question, context)


FAMILY = Family(
    name="m3",
    title="M3-Verse: a house before and after a change",
    tasks=TASKS,
    protocol=M3Protocol(),
    RunSettings=RunSettings,
    build=FamilyBuild(
        write=_write,
        Options=BuildOptions,
        select=_select,
        joins_states=True,
        explain=Reason.meanings()
        | {
            SHARE: "left out, so that the wanted share of questions has no correct option",
            STATE_SHARE: "left out, so that the wanted share of questions is about both videos",
            NOT_KNOWN: "the thing's colour or shape is not known, or none of the words for it is plainly right",
            ALL_VISITED: "both videos visit the same rooms",
            BALANCE: "left out, so that options do not reveal the correct option",
        },
        kinds=_kinds,
    ),
    release=FamilyRelease(read=_read_release, write=_write_release),
    paper=FamilyPaper(
        reference=partial(read_reference, __name__),
        figures=FIGURES,
        findings=FINDINGS,
        presets=PRESETS,
        composition=composition,
        measures=_measures,
    ),
    cluster="scene",
    twin=_twin,
)
