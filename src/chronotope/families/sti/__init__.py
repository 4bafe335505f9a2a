"""STI-Bench: precise quantities of space and time from real video."""

from functools import partial

from chronotope.families import Family, read_reference
from chronotope.families.sti.protocol import RunSettings, STIProtocol
from chronotope.families.sti.refusal import MEANINGS
from chronotope.families.sti.release import read_release
from chronotope.families.sti.tasks import TASKS
from chronotope.families.sti.write import BuildOptions, kinds, write

__all__ = ["FAMILY"]

FAMILY = Family(
    name="sti",
    title="STI-Bench: precise quantities of space and time",
    tasks=TASKS,
    write=write,
    protocol=STIProtocol(),
    BuildOptions=BuildOptions,
    RunSettings=RunSettings,
    importer=read_release,
    reference=partial(read_reference, __name__),
    explain={code.value: meaning for code, meaning in MEANINGS.items()},
    kinds=kinds(),
)
