"""A report as plain values for programs."""

from typing import Any

from chronotope.report.out.plain_data import section_data
from chronotope.report.paper.against_paper import Against, AgainstRow, AgainstTable
from chronotope.report.probes.probe_summary import probe_data
from chronotope.report.report import Report


def report_data(report: Report) -> dict[str, Any]:
    """Return the paths of a report, its scores and its comparisons as plain values."""
    # Without replies there is no accuracy.
    accuracy = {
        name: scores.overall.value if scores.states.get("replied") else None for name, scores in report.scores.items()
    }
    return {
        "index": str(report.index),
        "accuracy": accuracy,
        "benchmarks": [section_data(section) for section in report.sections],
        "problems": list(report.problems),
        "notes": list(report.notes),
        "against": [_plain(one) for one in report.against],
        "tables": list(map(str, report.tables)),
        "probes": [probe_data(part) for part in report.probes],
    }


def _plain(against: Against) -> dict[str, Any]:
    """Return the comparison with published tables, as plain values.

    Values have the decimals of the published tables.
    """
    return {
        "family": against.family,
        "paper": against.paper,
        "tables": [_plain_table(one) for one in against.tables],
        "printed": [_plain_table(one) for one in against.printed],
    }


def _plain_table(one: AgainstTable) -> dict[str, Any]:
    return {
        "source": one.source,
        "title": one.title,
        "questions": {column.name: column.questions for column in one.columns},
        "rows": [_plain_row(one, row) for row in one.rows],
        "apart": [_plain_row(one, row) | {"because": list(row.why)} for row in one.apart],
        "misprints": dict(one.footnotes),
        "notes": [{"about": about, "note": text} for about, text in one.notes],
    }


def _plain_row(of: AgainstTable, row: AgainstRow) -> dict[str, Any]:
    cells = {column.name: cell for column, cell in zip(of.columns, row.cells, strict=True)}
    return {
        "model": row.name,
        "own": row.own is not None,
        "rank": row.rank,
        "frames": row.frames,
        "values": {name: cell.value for name, cell in cells.items()},
        "texts": {name: cell.text for name, cell in cells.items() if cell.value is None},
        "misprints": {name: cell.mark for name, cell in cells.items() if cell.mark},
    }
