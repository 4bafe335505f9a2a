"""VGenST-Bench: released questions about space and time in generated clips (arXiv 2605.22570)."""

from functools import partial
from pathlib import Path

from chronotope.families import Family, FamilyPaper, FamilyRelease, Release, read_reference
from chronotope.families.vgenst.figures import FIGURES
from chronotope.families.vgenst.guard import guard
from chronotope.families.vgenst.protocol import RunSettings, VGenSTProtocol
from chronotope.families.vgenst.statements import statements
from chronotope.families.vgenst.tasks import TASKS

__all__ = ["FAMILY"]


def _read_release(path: Path, clips: Path | None = None) -> Release:
    from chronotope.families.vgenst.release import read_release

    return read_release(path, clips)


FAMILY = Family(
    name="vgenst",
    title="VGenST-Bench: spatio-temporal reasoning over generated clips",
    tasks=TASKS,
    protocol=VGenSTProtocol(),
    RunSettings=RunSettings,
    release=FamilyRelease(read=_read_release),
    paper=FamilyPaper(
        reference=partial(read_reference, __name__), statements=statements, figures=FIGURES, headline="circular"
    ),
    guard=guard,
)
