"""The settings of the runs of a benchmark."""

from chronotope.report.runs.run_settings import facts
from chronotope.report.section import Section
from chronotope.report.table import Cell, Column, Fold, Note, Part, Table, TableRow, head_cell

PLACE = 110


def make(section: Section) -> Part:
    """List how the runs were asked, and mark the lines in which they differ."""
    names = [row.compared.here for row in section.rows]
    rows = tuple(
        TableRow((head_cell(fact.name), Cell(fact.values[0], span=len(names))))
        if fact.same
        else TableRow((head_cell(fact.name), *map(Cell, fact.values)), kind="unlike")
        for fact in facts([row.compared for row in section.rows])
    )
    table = Table(section.label("How the runs were asked"), tuple(map(Column, ("", *names))), rows, kind="facts")
    words = (Note("Marked are the lines in which the runs differ."),) if len(names) > 1 else ()
    return Part((Fold("Settings of the runs", (*words, table)),), data={})
