"""IKEA-Bench: assembly diagrams against video of people who assemble."""

from functools import partial

from chronotope.families import Family, read_reference
from chronotope.families.ikea.build import write_procedure
from chronotope.families.ikea.descriptions import describe
from chronotope.families.ikea.protocol import IKEAProtocol, RunSettings
from chronotope.families.ikea.refusal import MEANINGS
from chronotope.families.ikea.release import export_results, read_release
from chronotope.families.ikea.tasks import TASKS
from chronotope.families.ikea.write import BuildOptions, select

__all__ = ["FAMILY"]

FAMILY = Family(
    name="ikea",
    title="IKEA-Bench: assembly diagrams against video of people who assemble",
    tasks=TASKS,
    write=write_procedure,
    protocol=IKEAProtocol(),
    BuildOptions=BuildOptions,
    RunSettings=RunSettings,
    subject="procedure",
    select=select,
    describe=describe,
    importer=read_release,
    exporter=export_results,
    reference=partial(read_reference, __name__),
    explain={code.value: meaning for code, meaning in MEANINGS.items()},
)
