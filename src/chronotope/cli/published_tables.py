"""Printing of published tables that cannot be compared with runs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chronotope.cli.console import out, table

if TYPE_CHECKING:
    from chronotope.api.vocabulary import AgainstTable


def tell_tables(family: str, tables: "Sequence[AgainstTable]") -> None:
    """Print published tables with their notes."""
    for one in tables:
        heads = [column.short or column.name for column in one.columns]
        rows = [[row.name, *(f"{cell.text}{cell.mark or ''}" for cell in row.cells)] for row in one.rows]
        told = [place for place in range(1, len(heads) + 1) if any(row[place][:1].isalpha() for row in rows)]
        title = f"{family}: {one.title}, {one.source} of the paper"
        table(title, ["", *heads], rows, words=(0, *told), lines=False)
        for mark, text in one.footnotes:
            out.print(f"{mark} {text}", markup=False, style="dim")
        for _, text in one.notes:
            out.print(text, markup=False, style="dim")
        out.print()


def name_tables(tables: "Sequence[AgainstTable]") -> None:
    """Print the names of the tables that only the report shows."""
    if tables:
        named = "; ".join(f"{one.source}: {one.title}" for one in tables)
        out.print(f"further published tables, in the report: {named}", markup=False, style="dim")
