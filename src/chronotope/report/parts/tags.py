"""The scores by tag of the questions."""

from chronotope.report.compared_runs.variant_scores import distinct
from chronotope.report.section import Section
from chronotope.report.table import Fold, Part, Table, run_table, score_cell

PLACE = 120
MANY = 40  # largest number of values of a tag in a table; more values (such as clips) would be unreadable


def make(section: Section) -> Part | None:
    """Show the accuracy for each value of each tag."""
    scores = [row.scores for row in section.rows]
    every = {key: distinct(of.tags.get(key, {}) for of in scores) for key in distinct(of.tags for of in scores)}
    tags = {key: values for key, values in every.items() if len(values) <= MANY}
    if not tags:
        return None
    tables = tuple(_table(section, key, values) for key, values in tags.items())
    return Part((Fold("Scores by tag", tables, ", ".join(tags).replace("_", " ")),), data={})


def _table(section: Section, key: str, values: list[str]) -> Table:
    rows = [(row, [score_cell(row.scores.tags.get(key, {}).get(value)) for value in values]) for row in section.rows]
    return run_table(section.label(f"Scores by {key}"), values, rows, heading=key.replace("_", " "))
