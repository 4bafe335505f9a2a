"""The statements of the paper about its models, checked on each run."""

from dataclasses import asdict

from chronotope.report.section import Section
from chronotope.report.table import Cell, Column, Fold, Part, Table, TableRow, head_cell

PLACE = 75
_AGREES = {True: "agrees", False: "differs", None: "unknown"}


def make(section: Section) -> Part:
    """Check the statements of the paper on each run with replies."""
    rows, check = section.rows, section.rows[0].compared.run.family.paper.statements
    found = [] if check is None else [(row, check(row.scores.scored)) for row in rows if row.compared.replied]
    data = {"statements": [{"run": row.compared.name, **asdict(one)} for row, checked in found for one in checked]}
    if not found:
        return Part(data=data)
    shown = [(row, checked) for row, checked in found if not row.compared.run.card.model.startswith("baseline/")]
    if not shown:
        return Part(data=data)
    words = (
        "The table lists what the paper of this family of benchmarks says or shows about its models (where, "
        "stands below each statement), and whether each run agrees. Counts of models in the statements are the "
        "paper’s. Baselines are left out."
    )
    lines = tuple(
        TableRow(
            (
                head_cell(of_runs[0].words, of_runs[0].source),
                *(Cell(_AGREES[one.holds], one.holds, strong=True, small=(one.figures,)) for one in of_runs),
            )
        )
        for of_runs in zip(*(checked for _, checked in shown), strict=True)
    )
    columns = tuple(map(Column, ("statement", *(row.compared.here for row, _ in shown))))
    table = Table(section.label("What the paper says"), columns, lines, (words,), kind="statements")
    return Part((Fold("Statements of the paper", (table,), "checked on each run"),), data=data)
