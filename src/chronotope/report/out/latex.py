"""The tables of a report in LaTeX, for the package booktabs."""

from markupsafe import Markup

from chronotope.evaluate.score import Difference, Estimate
from chronotope.report.table import Cell, IntervalCell, RunCell, Table
from chronotope.view.words import called, difference_interval, points

_SPECIAL = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--"},
}


def latex_table(table: Table, cluster: str) -> str:
    """Write a table; intervals are in small type, and the sign ≠ is that of the page.

    ``cluster`` is the family's word for a cluster.
    """
    heads = [r" & ".join(map(_escaped, (column.name for column in table.columns))) + r" \\"]
    if table.groups:
        heads.insert(0, " & ".join(_spanned(_escaped(name), count, "c") for name, count in table.groups) + r" \\")
    rows = [" & ".join(_spanned(_cell(cell), cell.span, "l") for cell in row.cells) + r" \\" for row in table.rows]
    comment = " ".join(Markup("; ").join([table.label, *table.notes]).striptags().split())
    lines = [
        f"% {comment}; needs the package booktabs",
        rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}",
        *(r"\toprule", *heads, r"\midrule", *rows, r"\bottomrule"),
        r"\end{tabular}",
        "",
    ]
    return called("\n".join(lines), cluster)


def _cell(cell: Cell) -> str:
    match cell:
        case RunCell():
            return _escaped(cell.plain)
        case IntervalCell(of=Estimate() as of):
            interval = None if of.low is None or of.high is None else f"{100 * of.low:.0f}--{100 * of.high:.0f}"
            return f"{100 * of.value:.1f}" + _small(interval)
        case IntervalCell(of=Difference() as of):
            interval = None if of.low is None or of.high is None else _signed(difference_interval(of))
            return _signed(points(of.value)) + _small(interval) + _apart(cell)
        case _:
            text = cell.text if isinstance(cell.text, str) else "; ".join(cell.text)
            return _escaped(text) + _apart(cell)


def _signed(text: str) -> str:
    return text.replace("−", "$-$")


def _small(interval: str | None) -> str:
    return "" if interval is None else f" {{\\small ({interval})}}"


def _apart(cell: Cell) -> str:
    return r" $\neq$" if cell.apart else ""


def _spanned(text: str, columns: int, side: str) -> str:
    return text if columns == 1 else rf"\multicolumn{{{columns}}}{{{side}}}{{{text}}}"


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)
