"""The published values of a paper: counts of its released set, tables, and misprints."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict

from chronotope.question import Question, Variant

__all__ = [
    "CheckedStatement",
    "FigurePoint",
    "Misprint",
    "PublishedColumn",
    "PublishedLength",
    "PublishedRow",
    "PublishedTable",
    "PublishedWay",
    "Reference",
    "ReleasedSet",
    "TableFigure",
    "read_reference",
]


class _Published(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PublishedLength(_Published):
    """The share of clips (percent) in one range of lengths.

    They are longer than the limit of the row before, and at most ``up_to`` s; None means no limit.
    """

    up_to: float | None
    percent: float


class ReleasedSet(_Published):
    """The number of questions in the released set, by task and tag.

    ``by`` names the tag; empty cells are zeros. ``lengths`` are the lengths of its clips, if published.
    ``printed_total`` is the total if the paper prints only that; ``questions`` is empty then. ``variants`` counts the
    other variants, by task.
    """

    clips: int
    by: str
    questions: dict[str, dict[str, int]]
    source: str
    lengths: tuple[PublishedLength, ...] = ()
    printed_total: int | None = None
    variants: dict[Variant, dict[str, int]] = {}

    @property
    def total(self) -> int:
        """Return the number of all questions."""
        if self.printed_total is not None:
            return self.printed_total
        return sum(sum(of.values()) for of in self.questions.values())

    def is_foreign(self, questions: Sequence[Question]) -> bool:
        """Check whether no question has a released value of ``by``.

        Then it is a different world, not a different selection.
        """
        if not self.questions:
            return False
        known = {value for of in self.questions.values() for value in of}
        return known.isdisjoint(value for question in questions for value in question.tags.get(self.by, ()))

    def is_like(self, questions: Sequence[Question]) -> bool:
        """Check whether the numbers of questions equal the released ones.

        Each kind that the paper counts is compared.
        """
        counts = self.count(questions)
        if not self.questions:
            return sum(sum(of.values()) for of in counts.values()) == self.total
        return counts == self.questions

    def count_variants(self, questions: Sequence[Question]) -> dict[Variant, dict[str, int]]:
        """Count the other variants that the paper counts."""
        counts: dict[Variant, dict[str, int]] = {name: dict.fromkeys(of, 0) for name, of in self.variants.items()}
        for question in questions:
            if question.variant in counts:
                of = counts[question.variant]
                of[question.task] = of.get(question.task, 0) + 1
        return counts

    def count(self, questions: Sequence[Question]) -> dict[str, dict[str, int]]:
        """Count the base questions.

        A task or value that is not published is added.
        """
        counts = {task: dict.fromkeys(of, 0) for task, of in self.questions.items()}
        for question in questions:
            if question.variant == "base":
                of_task = counts.setdefault(question.task, {})
                for value in question.tags.get(self.by) or ("",):
                    of_task[value] = of_task.get(value, 0) + 1
        return counts


class PublishedColumn(_Published):
    """A column of a published table.

    ``name`` is also the name in the protocol's table; ``short`` is used if there is little room; ``questions`` is None
    if the number is unknown. ``decimals`` default to those of the table.
    """

    name: str
    short: str | None = None
    questions: int | None = None
    decimals: int | None = None


class PublishedRow(_Published):
    """A row as printed.

    None means that the paper's cell is empty; ``frames`` is the number of frames shown, if known.
    """

    model: str
    values: tuple[float | bool | str | None, ...]
    group: str | None = None
    frames: int | None = None


class Misprint(_Published):
    """A printed cell that contradicts other printed numbers, with the reason.

    The value is the correct one, None if unknown.
    """

    model: str
    column: str
    right: float | bool | None
    why: str


class PublishedTable(_Published):
    """A table of a paper.

    ``own`` is the key of the protocol's table whose single row belongs among these rows; None if runs have no row in
    this table. ``strategy`` is the strategy of these rows. ``overall`` is the column for sorting, highest first.
    ``beside`` is the key of a protocol's table whose rows are shown below this table without comparison.
    """

    source: str
    title: str
    columns: tuple[PublishedColumn, ...]
    rows: tuple[PublishedRow, ...]
    own: str | None = None
    beside: str | None = None
    strategy: str = "direct"
    overall: str | None = None
    decimals: int = 1
    misprints: tuple[Misprint, ...] = ()
    notes: tuple[str, ...] = ()


class FigurePoint(_Published):
    """A point of a figure: the cell of a table in this column.

    The row is the first whose name begins with ``row``; None means the first row.
    """

    label: str
    column: str
    row: str | None = None


class TableFigure(_Published):
    """A figure over cells of one of the protocol's tables, a series for each model.

    ``table`` is the key of that table. ``gaps`` shows the range of each model's points, ``lines`` connects them.
    ``words`` is the caption.
    """

    title: str
    words: str
    table: str
    points: tuple[FigurePoint, ...]
    kind: Literal["gaps", "lines"]


@dataclass(frozen=True)
class CheckedStatement:
    """A claim of a paper in words, and whether a run agrees.

    None if the run cannot decide it. ``source`` names the place in the paper, ``figures`` the run's numbers that
    decide.
    """

    words: str
    source: str
    holds: bool | None
    figures: str


class PublishedWay(_Published):
    """A configuration in which a paper, or its authors' code, asked models.

    ``fixed`` maps each fixed setting to its allowed values: settings of the run by name, ``temperature``, ``top_p`` and
    ``max_tokens`` of the decoding, and the ``version`` of the protocol. Null means that a setting is not given, or a
    field not sent. ``extra`` has further fields of the request. ``group`` is the only group of rows with this
    configuration; None means all groups.
    """

    fixed: dict[str, tuple[bool | int | float | str | None, ...]]
    extra: dict[str, tuple[bool | int | float | str | None, ...]] = {}
    group: str | None = None


class Reference(_Published):
    """``reference.json`` of a family: the paper's tables, and the configurations of its runs."""

    paper: str
    released: ReleasedSet
    tables: tuple[PublishedTable, ...]
    ways: tuple[PublishedWay, ...] = ()


def read_reference(package: str) -> Reference:
    """Return the published results in a family's folder."""
    return Reference.model_validate_json(files(package).joinpath("reference.json").read_bytes())
