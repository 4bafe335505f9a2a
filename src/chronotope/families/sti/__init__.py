"""STI-Bench: precise quantities of space and time from real video."""

from chronotope.families import Family
from chronotope.families.sti.protocol import RunSettings, STIProtocol
from chronotope.families.sti.tasks import TASKS
from chronotope.families.sti.write import BuildOptions, write
from chronotope.families.sti.write.refusal import MEANINGS

__all__ = ["FAMILY"]

FAMILY = Family(
    name="sti",
    title="STI-Bench: precise quantities of space and time",
    tasks=TASKS,
    write=write,
    protocol=STIProtocol(),
    BuildOptions=BuildOptions,
    RunSettings=RunSettings,
    explain={code.value: meaning for code, meaning in MEANINGS.items()},
)
