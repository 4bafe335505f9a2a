"""STI-Bench: precise quantities of space and time from real video."""

from functools import partial

from chronotope.families import Family, later, read_reference
from chronotope.families.sti.options import BuildOptions
from chronotope.families.sti.protocol import RunSettings, STIProtocol
from chronotope.families.sti.refusal import MEANINGS
from chronotope.families.sti.tasks import TASKS

__all__ = ["FAMILY"]

FAMILY = Family(
    name="sti",
    title="STI-Bench: precise quantities of space and time",
    tasks=TASKS,
    write=later(f"{__name__}.write", "write"),
    protocol=STIProtocol(),
    BuildOptions=BuildOptions,
    RunSettings=RunSettings,
    importer=later(f"{__name__}.release", "read_release"),
    reference=partial(read_reference, __name__),
    explain={code.value: meaning for code, meaning in MEANINGS.items()},
    kinds=later(f"{__name__}.write", "kinds"),
)
