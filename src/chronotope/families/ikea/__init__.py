"""IKEA-Bench: questions that compare assembly diagrams with videos of people who assemble furniture."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronotope.families import (
    Described,
    DescribeRequest,
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
from chronotope.families.ikea.depictions import depicted_steps, pictured
from chronotope.families.ikea.figures import FIGURES
from chronotope.families.ikea.options import BuildOptions
from chronotope.families.ikea.protocol import IKEAProtocol, RunSettings
from chronotope.families.ikea.refusal import Code
from chronotope.families.ikea.statements import statements
from chronotope.families.ikea.tasks import ALL_TASKS
from chronotope.protocol import Ask, Reading
from chronotope.question import Description, Question

if TYPE_CHECKING:
    from chronotope.recording import Procedure

__all__ = ["FAMILY"]


def _write(procedure: "Procedure", context: WriteContext) -> Written:
    from chronotope.families.ikea.build import write_procedure

    return write_procedure(procedure, context)


def _select(questions: Sequence[Question], context: WriteContext) -> Written:
    from chronotope.families.ikea.write import select

    return select(questions, context)


def _pictures(folders: Mapping[str, Path], known: Sequence[Description]) -> Collection[str]:
    from chronotope.families.ikea.descriptions import to_describe

    return to_describe(folders, known)


def _describe(request: DescribeRequest) -> Described:
    from chronotope.families.ikea.descriptions import describe

    return describe(request)


def _read_release(path: Path, clips: Path | None = None) -> Release:
    from chronotope.families.ikea.release import read_release

    return read_release(path, clips)


def _export_results(replied: Iterable[tuple[Ask, Question, Reading | None, str | None]]) -> dict[str, Any]:
    from chronotope.families.ikea.release import export_results

    return export_results(replied)


def _twin(question: Question, context: TwinContext) -> Question:
    from chronotope.families.ikea.twins import twin

    return twin(question, context)


FAMILY = Family(
    name="ikea",
    title="IKEA-Bench: assembly diagrams and videos of people who assemble",
    tasks=ALL_TASKS,
    protocol=IKEAProtocol(),
    RunSettings=RunSettings,
    build=FamilyBuild(
        write=_write,
        Options=BuildOptions,
        subject="procedure",
        select=_select,
        describe=_describe,
        pictures=_pictures,
        explain=Code.meanings(),
    ),
    release=FamilyRelease(read=_read_release, results=_export_results),
    paper=FamilyPaper(reference=partial(read_reference, __name__), statements=statements, figures=FIGURES),
    cluster="product",
    depicts=depicted_steps,
    pictured=pictured,
    twin=_twin,
    # At most 6 tiles, and the overview: the same grids as in the authors' code.
    processors={"InternVL": {"crop_to_patches": True, "max_patches": 6}},
)
