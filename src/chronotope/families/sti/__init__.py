"""STI-Bench: precise quantities of space and time from real video."""

from functools import partial

from pydantic import BaseModel, ConfigDict, Field

from chronotope.families import Family, later, read_reference
from chronotope.families.sti.protocol import RunSettings, STIProtocol
from chronotope.families.sti.refusal import MEANINGS
from chronotope.families.sti.tasks import TASKS
from chronotope.question import MEANINGS as SHARED_MEANINGS

__all__ = ["FAMILY", "BuildOptions"]


class BuildOptions(BaseModel):
    """Hold what a person may choose about the questions of this family."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    per_variant: int = Field(8, ge=1, le=100, description="questions of each kind to try for in each recording")


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
    explain={code.value: meaning for code, meaning in (SHARED_MEANINGS | MEANINGS).items()},
    kinds=later(f"{__name__}.write", "kinds"),
)
