"""The scores by tag of the questions."""

import re

from chronotope.report.compared_runs.variant_scores import distinct
from chronotope.report.section import Section
from chronotope.report.table import Fold, Part, Table, run_table, score_cell

PLACE = 120
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)( ?\D*)")
MANY = 40  # largest number of values of a tag in a table; more values (such as clips) would be unreadable


def make(section: Section) -> Part | None:
    """Show the accuracy for each value of each tag."""
    scores = [row.scores for row in section.rows]
    every = {key: distinct(of.tags.get(key, {}) for of in scores) for key in distinct(of.tags for of in scores)}
    every = {key: _sorted(values) for key, values in every.items()}
    tags = {key: values for key, values in every.items() if len(values) <= MANY}
    if not tags:
        return None
    tables = tuple(_table(section, key, values) for key, values in tags.items())
    return Part(
        (Fold("Scores by tag", tables, f"properties of the questions: {', '.join(tags).replace('_', ' ')}"),), data={}
    )


def _sorted(values: list[str]) -> list[str]:
    """Sort values that all begin with a number, by unit and number, such as 1.05, 2, 5°, 10°."""
    found = [_NUMBER.fullmatch(value) for value in values]
    keys = {one[0]: (one[2], float(one[1])) for one in found if one is not None}
    return sorted(values, key=keys.__getitem__) if None not in found else values


def _table(section: Section, key: str, values: list[str]) -> Table:
    rows = [(row, [score_cell(row.scores.tags.get(key, {}).get(value)) for value in values]) for row in section.rows]
    words = section.rows[0].compared.run.family.tag_words.get(key)
    notes = () if words is None else (words,)
    return run_table(section.label(f"Scores by {key}"), values, rows, notes, heading=key.replace("_", " "))
