"""VGenST-Bench: questions about space and time in generated clips (arXiv 2605.22570)."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from chronotope.families import (
    Family,
    FamilyBuild,
    FamilyPaper,
    FamilyRelease,
    GivenScenes,
    Profile,
    Release,
    TwinContext,
    WriteContext,
    Written,
    read_reference,
)
from chronotope.families.vgenst.figures import FIGURES
from chronotope.families.vgenst.guard import guard
from chronotope.families.vgenst.protocol import RunSettings, VGenSTProtocol
from chronotope.families.vgenst.statements import statements
from chronotope.families.vgenst.tasks import ACTIVE, NAMES, TASKS
from chronotope.families.vgenst.write.refusal import Code
from chronotope.question import Question, Reason

if TYPE_CHECKING:
    from chronotope.recording import Scene

__all__ = ["FAMILY", "BuildOptions"]


class BuildOptions(BaseModel):
    """Options for building the questions of VGenST-Bench: one question for each active cell of each stage."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    render: bool = Field(True, description="draw the clips; otherwise, only graphs, scenarios and questions are made")
    per_task: int | None = Field(
        None, ge=1, le=800, description="number of stages of each task, in place of SOURCE world:stage:N"
    )
    keep_unvalidated: bool = Field(
        False, description="take drafts that no judge accepted, too; their questions get the flag unvalidated"
    )
    proposed: bool = Field(
        False,
        description="take generated clips that no person has picked but no check rejects; their questions get the flag "
        "unpicked",
    )


def _usual_source(options: BuildOptions) -> str | None:
    return None if options.per_task is None else f"world:stage:{options.per_task * len(NAMES)}"


def _write(scene: "Scene", context: WriteContext) -> Written:
    from chronotope.families.vgenst.write.writer import write

    return write(scene, context)


def _given(path: Path, options: BuildOptions, profile: Profile) -> GivenScenes | None:
    from chronotope.families.vgenst.scene_sources import Taking, given_scenes

    taking = Taking(options.render, options.keep_unvalidated, options.proposed, profile)
    return given_scenes(path, taking)


def _kinds() -> dict[str, str]:
    return {
        f"{task.partition('_')[0]}-{kind.partition('-')[2]}": task for task, kinds in ACTIVE.items() for kind in kinds
    }


def _read_release(path: Path, clips: Path | None = None) -> Release:
    from chronotope.families.vgenst.release import read_release

    return read_release(path, clips)


def _twin(question: Question, context: TwinContext) -> Question:
    from chronotope.families.vgenst.twins import twin

    return twin(question, context)


FAMILY = Family(
    name="vgenst",
    title="VGenST-Bench: spatio-temporal reasoning over generated clips",
    tasks=TASKS,
    protocol=VGenSTProtocol(),
    RunSettings=RunSettings,
    build=FamilyBuild(
        write=_write,
        Options=BuildOptions,
        explain=Reason.meanings() | Code.meanings(),
        kinds=_kinds,
        needs_plan=True,
        usual_source=_usual_source,
        world_options={"strict": {"stage_profile": "extended"}},  # what the constant cells ask about varies
        given=_given,
        given_words="drafts, a folder of scene graphs, or generated clips",
    ),
    release=FamilyRelease(read=_read_release),
    paper=FamilyPaper(
        reference=partial(read_reference, __name__), statements=statements, figures=FIGURES, headline="circular"
    ),
    guard=guard,
    twin=_twin,
)
