"""The comparison of runs with the published rows of their paper.

Runs that cannot be compared with the published rows are listed separately.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase
from typing import Any

from chronotope.errors import InputError
from chronotope.families import Family, PublishedColumn, PublishedRow, PublishedTable, Reference
from chronotope.report.compared_runs.run_rows import RunRow, of_any_strategy, row_notes
from chronotope.report.paper.comparability import nearest, nearest_way, reasons
from chronotope.report.plots.table_plots import Figure, Series, table_figure
from chronotope.report.section import Section
from chronotope.view.words import UNKNOWN


@dataclass(frozen=True)
class Cell:
    """A number in a table, formatted with the decimals of the table.

    ``mark`` is the letter of a footnote to this number.
    """

    text: str
    value: float | None
    mark: str | None = None


@dataclass(frozen=True)
class AgainstRow:
    """A row of a table: a published row, or the row of a run.

    ``own`` is the run, or None for a published row. ``rank`` is the rank in the table, or None for a run that is listed
    separately. ``why`` gives the reasons why a run is listed separately.
    """

    name: str
    cells: tuple[Cell, ...]
    frames: str
    group: str | None = None
    own: RunRow | None = None
    rank: int | None = None
    why: tuple[str, ...] = ()


@dataclass(frozen=True)
class AgainstTable:
    """A published table with the runs that can be compared with it.

    - ``rows`` contains the published rows and the rows of these runs. The best row is first.
    - ``apart`` contains the runs that are listed separately.
    - ``footnotes`` maps letters to the errors in the marked cells.
    - ``notes`` are other sentences about the table, each with the names of its runs.
    - ``figures`` are the plots that the family defines for this table. They also show the published rows.
    """

    source: str
    title: str
    columns: tuple[PublishedColumn, ...]
    rows: tuple[AgainstRow, ...]
    apart: tuple[AgainstRow, ...]
    footnotes: tuple[tuple[str, str], ...]
    notes: tuple[tuple[str | None, str], ...]
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class Against:
    """The runs of one family, with the tables of its paper.

    ``printed`` contains the tables that cannot be compared with runs.
    """

    family: str
    paper: str
    tables: tuple[AgainstTable, ...]
    printed: tuple[AgainstTable, ...] = ()


def make_against(sections: Sequence[Section]) -> tuple[list[Against], list[str]]:
    """Make the tables of each family that has published results.

    Returns the tables, and one sentence for each family without published results.
    """
    by_family: dict[str, list[RunRow]] = {}
    for section in sections:
        for row in section.rows:
            by_family.setdefault(row.compared.run.family.name, []).append(row)
    found: list[Against] = []
    without: list[str] = []
    for name, rows in by_family.items():
        read = rows[0].compared.run.family.paper.reference
        if read is None:
            without.append(f"family {name!r} has no published results to compare with")
            continue
        reference = read()
        tables = tuple(_table(table, reference, rows) for table in reference.tables if _compares(table, rows))
        printed = printed_tables(reference, rows)
        if tables or printed:
            found.append(Against(name, reference.paper, tables, printed))
        if not tables:
            without.append(
                f"the paper of family {name!r} has no table of models: its claims are listed beside the scores"
            )
            without += _asked_otherwise(reference, rows)
    if not found and all(rows[0].compared.run.family.paper.reference is None for rows in by_family.values()):
        raise InputError(f"{'; '.join(without)}: omit --against")
    return found, without


def _asked_otherwise(reference: Reference, runs: Sequence[RunRow]) -> list[str]:
    """Describe the differences between runs and the authors' settings.

    Returns one sentence for each run. The sentences are used for tables that cannot contain rows of runs.
    """
    found = ((run.compared.name, nearest(run.compared.run, reference.ways)[1]) for run in runs if reference.ways)
    return [f"{name} was not asked in the authors' way: {'; '.join(told)}" for name, told in found if told]


def _table(table: PublishedTable, reference: Reference, runs: Sequence[RunRow]) -> AgainstTable:
    marks, footnotes = _misprints(table)
    strategies = {other.strategy for other in reference.tables if other.own is not None}
    methods = {other.method for other in reference.tables if other.own is not None}
    asked = [
        run
        for run in runs
        if _belongs(run, table.strategy, strategies) and (_method(run) == table.method or _method(run) not in methods)
    ]
    own = [_own(table, run, reference) for run in asked]
    among = [row for row in own if not row.why]
    ordered = sorted(
        [(_published(table, of, marks), _right(table, of)) for of in table.rows]
        + [(row, _overall(table, row.cells)) for row in among],
        key=lambda both: -both[1],
    )
    rows = tuple(replace(row, rank=1 + sum(other > overall for _, other in ordered)) for row, overall in ordered)
    return AgainstTable(
        source=table.source,
        title=table.title,
        columns=table.columns,
        rows=rows,
        figures=_figures(table, rows, runs[0].compared.run.family),
        apart=tuple(row for row in own if row.why),
        footnotes=footnotes,
        notes=(*row_notes([row.own for row in among if row.own is not None]), *((None, text) for text in table.notes)),
    )


def printed_tables(reference: Reference, runs: Sequence[RunRow] = ()) -> tuple[AgainstTable, ...]:
    """Return the published tables that cannot be compared with runs.

    The published rows are unchanged. Below them, each table has the rows of the runs that have the same kind of values.
    """
    return tuple(_printed(table, runs) for table in reference.tables if not _compares(table, runs))


def _compares(table: PublishedTable, runs: Sequence[RunRow]) -> bool:
    """Check whether rows of runs can be compared with a table."""
    return table.own is not None and (table.method is None or any(_method(run) == table.method for run in runs))


def _method(run: RunRow) -> str | None:
    method = run.compared.run.card.method
    return None if method is None else method.name


def _printed(table: PublishedTable, runs: Sequence[RunRow]) -> AgainstTable:
    marks, footnotes = _misprints(table)
    own: list[AgainstRow] = []
    for run in (run for run in runs if table.method in (None, _method(run))):
        for of in run.scores.tables:
            for line in of.rows if of.key == table.beside else ():
                values = dict(zip(of.columns, line, strict=True))
                named = [str(line[0])] if of.columns[0] not in {column.name for column in table.columns} else []
                cells = tuple(_cell(values.get(column.name), _decimals(table, column)) for column in table.columns)
                name = ": ".join([run.compared.name, *named])
                own.append(AgainstRow(name, cells, UNKNOWN, own=of_any_strategy(run)))
    return AgainstTable(
        source=table.source,
        title=table.title,
        columns=table.columns,
        rows=(*(_published(table, of, marks) for of in table.rows), *own),
        apart=(),
        footnotes=footnotes,
        notes=tuple((None, text) for text in table.notes),
    )


def _misprints(table: PublishedTable) -> tuple[dict[tuple[str, str], str], tuple[tuple[str, str], ...]]:
    """Return the letters of the misprints, and the footnotes.

    The letters are a mapping from the model and the column of a cell to the letter of this cell.
    """
    marks = {(one.model, one.column): ascii_lowercase[place] for place, one in enumerate(table.misprints)}
    said = (
        (marks[misprint.model, misprint.column], f"{misprint.model}, {misprint.column}: {misprint.why}")
        for misprint in table.misprints
    )
    return marks, tuple(said)


def _figures(table: PublishedTable, rows: Sequence[AgainstRow], family: Family) -> tuple[Figure, ...]:
    """Return the family's plots of the rows of a table.

    The family defines these plots for one of its protocol's tables. This table of the protocol corresponds to the
    published table.
    """
    places = {column.name: place for place, column in enumerate(table.columns)}
    drawn: list[Figure | None] = []
    for figure in family.paper.figures:
        at = [places.get(point.column) for point in figure.points if point.row is None]
        if figure.table == table.own and len(at) == len(figure.points) and None not in at:
            values = [tuple(row.cells[place].value for place in at if place is not None) for row in rows]
            of = [Series(row.name, of, row.own is not None) for row, of in zip(rows, values, strict=True)]
            drawn.append(table_figure(figure, of))
    return tuple(one for one in drawn if one is not None)


def _belongs(run: RunRow, strategy: str, published: Collection[str]) -> bool:
    """Check whether a run belongs to a table of this strategy.

    A run belongs to the table if it used this strategy, or if none of its strategies has a table.
    """
    asked = {one.ask.strategy for one in run.compared.run.answered}
    return strategy in asked or not asked & set(published)


def _published(table: PublishedTable, of: PublishedRow, marks: Mapping[tuple[str, str], str]) -> AgainstRow:
    cells = (
        _cell(value, _decimals(table, column), marks.get((of.model, column.name)))
        for column, value in zip(table.columns, of.values, strict=True)
    )
    frames = UNKNOWN if of.frames is None else f"{of.frames} frames"
    return AgainstRow(of.model, tuple(cells), frames, of.group)


def _own(table: PublishedTable, run: RunRow, reference: Reference) -> AgainstRow:
    """Return a run's row for a published table.

    The values come from the corresponding table of the protocol. The values are empty if the run has no accuracy.
    """
    values: dict[str, Any] = {}
    for of in run.scores.tables:
        if of.key == table.own and of.rows:
            values = dict(zip(of.columns, of.rows[0], strict=True))
    cells = tuple(_cell(values.get(column.name), _decimals(table, column)) for column in table.columns)
    asked = run.compared.run.card
    shown = "; ".join(asked.frames) or ("released pictures" if run.compared.run.pictures_sent else "none")
    frames = UNKNOWN if asked.elsewhere is not None else shown
    way, _ = nearest_way(run, reference, table)
    why = reasons(run, reference, table)
    group = None if way is None or why else way.group
    return AgainstRow(run.compared.name, cells, frames, group, own=of_any_strategy(run), why=why)


def _decimals(table: PublishedTable, column: PublishedColumn) -> int:
    return table.decimals if column.decimals is None else column.decimals


def _cell(value: Any, decimals: int, mark: str | None = None) -> Cell:
    if isinstance(value, bool):
        return Cell("yes" if value else "no", None, mark)
    if isinstance(value, int | float):
        return Cell(f"{value:,.{decimals}f}", round(float(value), decimals), mark)
    return Cell(UNKNOWN if value is None else str(value), None, mark)


def _overall(table: PublishedTable, cells: Sequence[Cell]) -> float:
    """Return the printed overall value of a row, as a sort key.

    Rows without a value come last.
    """
    place = next((place for place, column in enumerate(table.columns) if column.name == table.overall), None)
    value = None if place is None else cells[place].value
    return -1.0 if value is None else value


def _right(table: PublishedTable, of: PublishedRow) -> float:
    """Return the sort key of a published row.

    If the printed overall value is a misprint, the sort key is the correct value.
    """
    for one in table.misprints:
        if (one.model, one.column) == (of.model, table.overall) and one.right is not None:
            return float(one.right)
    return _overall(table, _published(table, of, {}).cells)
