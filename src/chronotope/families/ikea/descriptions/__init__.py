"""Descriptions of assembly diagrams: writing, import, removal of hints about the order of steps, and checks."""

from chronotope.families.ikea.descriptions.crosscheck import OUTCOMES, Outcome, Verdict, cross_check, tally
from chronotope.families.ikea.descriptions.describe import INSTRUCTIONS, describe, to_describe
from chronotope.families.ikea.descriptions.leaks import (
    Cleaned,
    Leak,
    clean_descriptions,
    clean_text,
    find_leaks,
)
from chronotope.families.ikea.descriptions.record import StepRecord, rows_of, says_nothing
from chronotope.families.ikea.descriptions.released import ImportedDescriptions, StepKey, import_descriptions

__all__ = [
    "INSTRUCTIONS",
    "OUTCOMES",
    "Cleaned",
    "ImportedDescriptions",
    "Leak",
    "Outcome",
    "StepKey",
    "StepRecord",
    "Verdict",
    "clean_descriptions",
    "clean_text",
    "cross_check",
    "describe",
    "find_leaks",
    "import_descriptions",
    "rows_of",
    "says_nothing",
    "tally",
    "to_describe",
]
