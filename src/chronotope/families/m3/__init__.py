"""M3-Verse: questions about two videos of a house, before and after a change (arXiv 2512.18735).

The released questions are used unchanged.
"""

from functools import partial
from pathlib import Path

from chronotope.families import Family, Release, read_reference
from chronotope.families.m3.figures import FIGURES
from chronotope.families.m3.protocol import M3Protocol, RunSettings
from chronotope.families.m3.tasks import TASKS

__all__ = ["FAMILY"]


def _read_release(path: Path, clips: Path | None = None) -> Release:
    from chronotope.families.m3.release import read_release

    return read_release(path, clips)


FAMILY = Family(
    name="m3",
    title="M3-Verse: a house before and after a change",
    tasks=TASKS,
    protocol=M3Protocol(),
    cluster="scene",
    RunSettings=RunSettings,
    importer=_read_release,
    reference=partial(read_reference, __name__),
    figures=FIGURES,
)
