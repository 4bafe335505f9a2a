"""The tables and plots of a report, and their cells, which every renderer knows.

The renderers are the page, the plain values (JSON), and the files (CSV, Parquet, LaTeX).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from markupsafe import Markup

from chronotope.evaluate.score import Difference, Estimate, Pair
from chronotope.report.compared_runs.run_differences import tells_apart
from chronotope.report.compared_runs.run_rows import RunRow
from chronotope.report.compared_runs.variant_scores import Form
from chronotope.view.score_rows import estimate_data
from chronotope.view.words import CLUSTER, UNKNOWN, difference_interval, interval, percent, points

# The sign for intervals that exclude 0, in a paragraph, and its explanation where the pointer rests on it.
APART = Markup('<span class="apart">≠</span>')
EXCLUDES = "the 95 % interval excludes 0; not corrected for the number of comparisons"


@dataclass(frozen=True)
class Cell:
    """A cell with a text, and how the text looks on the page.

    - ``text`` can have several lines.
    - ``value`` is the plain value; None means that the text is the value.
    - ``small`` are lines in small type below the text.
    - ``apart`` is the reason for the sign ≠ after the text, or empty.
    - ``kind`` is a class of the style sheet.
    - ``span`` is the number of columns.
    - ``head`` marks a cell that names its row, and ``breaks`` a text that may be broken after a slash.
    """

    text: str | tuple[str, ...] = UNKNOWN
    value: Any = None
    strong: bool = False
    small: tuple[str, ...] = ()
    apart: str = ""
    kind: str = ""
    span: int = 1
    head: bool = False
    breaks: bool = False

    @property
    def plain(self) -> Any:
        """Return the value for programs; None stands for an unknown value."""
        if self.value is not None:
            return self.value
        text = self.text if isinstance(self.text, str) else "; ".join(self.text)
        return None if text == UNKNOWN else text

    @property
    def values(self) -> Mapping[str, Any]:
        """Return the values for columns of a file, by the end of the column's name."""
        return {"": self.plain}


@dataclass(frozen=True)
class RunCell(Cell):
    """The name of a run with its marks, as `run_cell` makes it; with ``whole``, the words of the marks are not cut."""

    row: RunRow | None = None
    whole: bool = False


@dataclass(frozen=True)
class IntervalCell(Cell):
    """A number in percent with its interval: an accuracy (`score_cell`), or a difference (`change_cell`)."""

    of: Estimate | Difference | None = None

    @property
    def plain(self) -> Any:
        """Return the number and its limits as fractions, and its numbers of questions and clusters."""
        return estimate_data(self.of) if isinstance(self.of, Estimate) else self.of and asdict(self.of)

    @property
    def values(self) -> Mapping[str, Any]:
        """Return the number, its limits, and its numbers of questions and clusters."""
        names = {"": "value"} | {f" {name}": name for name in ("low", "high", "items", "clusters")}
        return {end: getattr(self.of, name, None) for end, name in names.items()}


def run_cell(row: RunRow, *, whole: bool = False) -> RunCell:
    """Make the cell with the name of a run."""
    return RunCell(row.compared.here, row.compared.name, head=True, row=row, whole=whole)


def score_cell(of: Estimate | None, unit: str = "q", *, strong: bool = False, planned: int = 0) -> IntervalCell:
    """Make the cell of an accuracy; if ``of`` is None, the text says that the accuracy is unknown.

    ``unit`` is the word for the counted things. If more questions were ``planned``, the cell says how many were asked.
    """
    if of is None:
        return IntervalCell()
    asked = f" of {planned} asked" if planned > of.items else ""
    small = (interval(of), f"{of.items}{asked} {unit}, {of.clusters} {CLUSTER}s")
    return IntervalCell(percent(of.value), strong=strong, small=small, of=of)


def change_cell(of: Difference | None, beside: Sequence[str] = ()) -> IntervalCell:
    """Make the cell of a difference; the lines ``beside`` stand above its interval."""
    if of is None:
        return IntervalCell()
    small = (*beside, difference_interval(of), f"{of.items} q, {of.clusters} {CLUSTER}s")
    return IntervalCell(points(of.value), strong=True, small=small, apart=apart_words(of), of=of)


def change_cells(of: Difference) -> list[Cell]:
    """Make four cells: a difference, its interval, and its numbers of questions and clusters."""
    return [
        Cell(points(of.value), of.value, strong=True),
        Cell(difference_interval(of), apart=apart_words(of)),
        number_cell(of.items),
        number_cell(of.clusters),
    ]


# The columns of `beside_first`.
BESIDE_FIRST = ("accuracy", "difference", f"95 % interval by {CLUSTER}", "questions", f"{CLUSTER}s")


def beside_first(row: RunRow, pair: Pair | None, *, first: bool) -> list[Cell]:
    """Make the cells of a run that is compared with the first run of its table.

    ``pair`` has their difference. The columns are `BESIDE_FIRST`.
    """
    overall = row.scores.overall
    accuracy = Cell(percent(overall.value), overall.value, strong=True)
    if pair is not None:
        return [accuracy, *change_cells(pair.difference)]
    if first:
        return [accuracy, Cell(), Cell(), number_cell(overall.items), number_cell(overall.clusters)]
    return [accuracy, Cell("no question in common", span=4)]


def apart_words(of: Difference) -> str:
    """Return the reason for the sign ≠, or an empty text."""
    return EXCLUDES if tells_apart(of) else ""


def number_cell(value: int) -> Cell:
    """Make the cell of a whole number."""
    return Cell(str(value), value)


def head_cell(text: str, *small: str, span: int = 1) -> Cell:
    """Make the cell that names a row."""
    return Cell(text, small=small, head=True, breaks=not small, span=span)


@dataclass(frozen=True)
class Column:
    """The head of a column; neighbouring columns can have a common head, ``group``."""

    name: str
    group: str = ""


@dataclass(frozen=True)
class TableRow:
    """The cells of a row; ``kind`` is a class of the style sheet."""

    cells: tuple[Cell, ...]
    kind: str = ""


@dataclass(frozen=True)
class Table:
    """A table of a report.

    - ``label`` says what the table contains, and is unique in the report.
    - ``heading`` and ``notes`` stand above the table. The notes are paragraphs.
    - ``kind`` is a class of the style sheet.
    """

    label: str
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    notes: tuple[str, ...] = ()
    heading: str = ""
    kind: str = ""

    @property
    def groups(self) -> list[tuple[str, int]]:
        """Return the common heads of columns, each with its number of columns.

        The list is empty if there are no common heads.
        """
        found: list[tuple[str, int]] = []
        for column in self.columns:
            if found and column.group and found[-1][0] == column.group:
                found[-1] = (column.group, found[-1][1] + 1)
            else:
                found.append((column.group, 1))
        return found if any(name for name, _ in found) else []


def run_table(
    label: str,
    columns: Sequence[str],
    rows: Iterable[tuple[RunRow, Sequence[Cell]]],
    notes: Sequence[str] = (),
    *,
    heading: str = "",
    first: str = "model",
) -> Table:
    """Make a table with a row for each run; the head of the names is ``first``."""
    lines = tuple(TableRow((run_cell(row), *cells)) for row, cells in rows)
    return Table(label, tuple(map(Column, (first, *columns))), lines, tuple(notes), heading)


@dataclass(frozen=True)
class Plot:
    """A plot as SVG text, with the paragraph above it."""

    label: str
    svg: str
    words: str = ""


@dataclass(frozen=True)
class Panels:
    """The bars of all runs, one panel for each task, which the page draws itself."""

    label: str
    form: Form


@dataclass(frozen=True)
class SmallPlots:
    """Small plots beside each other; each has a title and a sentence.

    ``runs`` are the names of the runs, in the order of their colours.
    """

    label: str
    runs: tuple[str, ...]
    plots: tuple[tuple[str, str, str], ...]
    words: str


@dataclass(frozen=True)
class Note:
    """A heading or a paragraph, or a list; ``tag`` is its element in the page."""

    text: str | tuple[str, ...]
    tag: str = "p"
    kind: str = ""


Block = Table | Plot | Panels | SmallPlots | Note


@dataclass(frozen=True)
class Fold:
    """A folded piece of the page: its title, a few words beside the title, and its content."""

    title: str
    blocks: tuple[Block, ...]
    words: str = ""


@dataclass(frozen=True)
class Part:
    """What one part of a report says about a benchmark.

    - ``front`` stands above the folded pieces of the page.
    - ``data`` are the values for programs, by name. If ``data`` is None, the tables of the part are these values: they
      stand under the name of the part's module, and in files of the same name.
    """

    folds: Sequence[Fold] = ()
    front: Sequence[Block] = ()
    data: Mapping[str, Any] | None = None

    @property
    def tables(self) -> list[Table]:
        """Return all tables, in their order on the page."""
        blocks = [*self.front, *(block for fold in self.folds for block in fold.blocks)]
        return [block for block in blocks if isinstance(block, Table)]
