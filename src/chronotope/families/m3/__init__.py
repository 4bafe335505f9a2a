"""M3-Verse: two videos of a house, before and after something in it has changed (arXiv 2512.18735), as released."""

from functools import partial

from chronotope.families import Family, later, read_reference
from chronotope.families.m3.figures import FIGURES
from chronotope.families.m3.protocol import M3Protocol, RunSettings
from chronotope.families.m3.tasks import TASKS

__all__ = ["FAMILY"]

FAMILY = Family(
    name="m3",
    title="M3-Verse: a house before and after a change",
    tasks=TASKS,
    protocol=M3Protocol(),
    RunSettings=RunSettings,
    importer=later(f"{__name__}.release", "read_release"),
    reference=partial(read_reference, __name__),
    figures=FIGURES,
)
