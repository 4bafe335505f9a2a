"""IKEA-Bench: assembly diagrams against video of people who assemble."""

from functools import partial

from chronotope.families import Family, later, read_reference
from chronotope.families.ikea.options import BuildOptions
from chronotope.families.ikea.protocol import IKEAProtocol, RunSettings
from chronotope.families.ikea.refusal import MEANINGS
from chronotope.families.ikea.tasks import TASKS

__all__ = ["FAMILY"]

FAMILY = Family(
    name="ikea",
    title="IKEA-Bench: assembly diagrams against video of people who assemble",
    tasks=TASKS,
    write=later(f"{__name__}.build", "write_procedure"),
    protocol=IKEAProtocol(),
    BuildOptions=BuildOptions,
    RunSettings=RunSettings,
    subject="procedure",
    select=later(f"{__name__}.write", "select"),
    describe=later(f"{__name__}.descriptions", "describe"),
    importer=later(f"{__name__}.release", "read_release"),
    exporter=later(f"{__name__}.release", "export_results"),
    reference=partial(read_reference, __name__),
    explain={code.value: meaning for code, meaning in MEANINGS.items()},
)
