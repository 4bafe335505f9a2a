"""The distribution of a benchmark's questions, beside that of the paper."""

from chronotope.families import Share
from chronotope.report.section import Section
from chronotope.report.table import Cell, Column, Fold, Part, Table, TableRow, head_cell
from chronotope.view.words import UNKNOWN, count

PLACE = 130


def make(section: Section) -> Part | None:
    """Show the shares of the benchmark's questions, if the family defines them."""
    share_of = section.rows[0].compared.run.family.paper.composition
    groups: dict[str, list[Share]] = {}
    for share in () if share_of is None else share_of(section.benchmark.questions):
        groups.setdefault(share.group, []).append(share)
    if not groups:
        return None
    words = (
        "The table shows the share of all base questions, and the share in the paper if the paper states it. Where it "
        "only draws the share, the figure is named."
    )
    columns = tuple(map(Column, ("value", "questions", "share, %", "paper, %")))
    rows = [
        row
        for group, shares in groups.items()
        for row in (TableRow((head_cell(group, span=len(columns)),)), *map(_row, shares))
    ]
    table = Table(section.label("Distribution of the questions"), columns, tuple(rows), (words,))
    return Part((Fold("Questions of the set, and of the paper", (table,)),), data={})


def _row(share: Share) -> TableRow:
    paper = share.paper if share.paper is not None else share.figure or UNKNOWN
    cells = (Cell(count(share.count), share.count), Cell(f"{share.percent:.1f}", share.percent), Cell(str(paper)))
    return TableRow((head_cell(share.value.replace("_", " ")), *cells))
