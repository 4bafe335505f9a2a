"""The calls of the runs: their states and readings, and their cost and time."""

from chronotope.evaluate.score import Usage
from chronotope.report.compared_runs.run_rows import RunRow
from chronotope.report.section import Section
from chronotope.report.table import Cell, Column, Fold, Part, Table, TableRow, run_cell, run_table
from chronotope.view.words import amount, count, duration, percent, span

PLACE = 100
# The states of a call, and the kinds of a reading; all are counted, including zeros.
STATES = ("replied", "refused", "failed", "missing_media", "not_asked")
READINGS = ("parsed", "unparsed", "truncated", "unjudged", "missing")
_TRUNCATED = 0.01  # a larger share of truncated replies is marked


def make(section: Section) -> Part:
    """Show the calls of all runs, and their cost."""
    return Part((Fold("Calls, cost and time", (_calls(section), _costs(section))),), data={})


def _calls(section: Section) -> Table:
    words = (
        "The table shows the states of all calls, and the readings of all replies. In “parsed” replies, an answer was "
        "found; in “unparsed” ones, none. “Unjudged” are open answers that wait for a judge. “Truncated” replies were "
        "cut short before an answer. “At the limit” counts replies that reached the limit of tokens, with or without "
        "an answer."
    )
    calls = (Column(state.replace("_", " "), "the calls") for state in STATES)
    replies = (Column(name, "the replies") for name in (*READINGS, "share truncated", "at the limit"))
    rows = (TableRow((run_cell(row), *_call_cells(row))) for row in section.rows)
    columns = (Column("model"), Column("in all", "the calls"), *calls, *replies)
    return Table(section.label("Calls and replies"), columns, tuple(rows), (words,), "Calls and replies")


def _call_cells(row: RunRow) -> list[Cell]:
    scores = row.compared.scores
    truncated = scores.truncated_share
    return [
        _number(len(row.compared.run.answered)),
        *(_number(scores.states.get(state, 0), bad=state != "replied") for state in STATES),
        *(_number(scores.readings.get(kind, 0), bad=kind != "parsed") for kind in READINGS),
        Cell(f"{percent(truncated)} %", truncated, kind="bad" if truncated > _TRUNCATED else ""),
        _number(row.cut_short),
    ]


def _number(value: int | None, *, bad: bool = False) -> Cell:
    return Cell(count(value), value, kind="bad" if bad and value else "")


def _costs(section: Section) -> Table:
    words = (
        "The table shows the usage of the runs' own calls, including checks and calls that were given up. Time is the "
        "sum over all calls, although many calls were parallel. Prices are per million tokens; cached tokens have the "
        "full price."
    )
    columns = ["calls", "of them checks", "attempts", "input tokens", "of them cached", "output tokens", "money"]
    columns += ["price in, out", "time of calls", "from – to"]
    rows = [(row, _cost_cells(row)) for row in section.rows]
    return run_table(section.label("Cost and time"), columns, rows, (words,), heading="Cost and time")


def _cost_cells(row: RunRow) -> list[Cell]:
    spent, price = row.spent, row.compared.run.card.price
    return [
        *(_number(value) for value in (spent.calls, spent.checks, spent.attempts, spent.input_tokens)),
        _cached(spent),
        _number(spent.output_tokens),
        Cell(amount(spent.money), spent.money),
        Cell() if price is None else Cell(f"{price.input:g}, {price.output:g}"),
        Cell(duration(spent.seconds), spent.seconds),
        Cell(span(spent), kind="when"),
    ]


def _cached(spent: Usage) -> Cell:
    share = ()
    if spent.cached_tokens is not None and spent.input_tokens:
        share = (f"{percent(spent.cached_tokens / spent.input_tokens)} %",)
    return Cell(count(spent.cached_tokens), spent.cached_tokens, small=share)
