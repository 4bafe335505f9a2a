"""The tables of the runs in the layout of the paper."""

from chronotope.report.section import Section
from chronotope.report.table import Cell, Column, Fold, Part, Table, TableRow
from chronotope.view.words import UNKNOWN

PLACE = 140


def make(section: Section) -> Part | None:
    """Show the tables of each run that the protocol defines."""
    tables = tuple(
        Table(
            f"{table.name}, {row.compared.here}",
            tuple(map(Column, table.columns)),
            tuple(TableRow(tuple(map(_cell, line))) for line in table.rows),
            heading=f"{row.compared.here}: {table.name}",
        )
        for row in section.rows
        for table in row.scores.tables
    )
    return Part((Fold("Tables in the paper's layout", tables),), data={}) if tables else None


def _cell(value: str | float | int | None) -> Cell:
    text = UNKNOWN if value is None else f"{value:.1f}" if isinstance(value, float) else str(value)
    return Cell(text, value)
