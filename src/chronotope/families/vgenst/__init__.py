"""VGenST-Bench: spatio-temporal reasoning over generated clips (arXiv 2605.22570), as released."""

from functools import partial

from chronotope.families import Family, later, read_reference
from chronotope.families.vgenst.figures import FIGURES
from chronotope.families.vgenst.guard import guard
from chronotope.families.vgenst.protocol import RunSettings, VGenSTProtocol
from chronotope.families.vgenst.statements import statements
from chronotope.families.vgenst.tasks import TASKS

__all__ = ["FAMILY"]

FAMILY = Family(
    name="vgenst",
    title="VGenST-Bench: spatio-temporal reasoning over generated clips",
    tasks=TASKS,
    protocol=VGenSTProtocol(),
    RunSettings=RunSettings,
    importer=later(f"{__name__}.release", "read_release"),
    reference=partial(read_reference, __name__),
    figures=FIGURES,
    statements=statements,
    headline="circular",
    guard=guard,
)
