"""What a paper printed: counts of its released set, tables, and misprinted cells."""

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

    They last longer than the row before says, and up to ``up_to`` s; None: any.
    """

    up_to: float | None
    percent: float


class ReleasedSet(_Published):
    """How many questions the released set has, by task and tag.

    ``by`` names the tag; empty cells are zeros. ``lengths`` say how long its clips are, if that is published.
    ``printed_total`` is the number of all questions if the paper prints no other; ``questions`` is empty then.
    ``variants`` counts the other forms, by task.
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
        """Return all questions."""
        if self.printed_total is not None:
            return self.printed_total
        return sum(sum(of.values()) for of in self.questions.values())

    def is_foreign(self, questions: Sequence[Question]) -> bool:
        """Check whether no question has a released value of ``by``.

        It is another world altogether then.
        """
        if not self.questions:
            return False
        known = {value for of in self.questions.values() for value in of}
        return known.isdisjoint(value for question in questions for value in question.tags.get(self.by, ()))

    def is_like(self, questions: Sequence[Question]) -> bool:
        """Check whether questions are as many as the released ones.

        Each kind that the paper counts is compared.
        """
        counts = self.count(questions)
        if not self.questions:
            return sum(sum(of.values()) for of in counts.values()) == self.total
        return counts == self.questions

    def count_variants(self, questions: Sequence[Question]) -> dict[Variant, dict[str, int]]:
        """Count the other forms that the paper counts."""
        counts: dict[Variant, dict[str, int]] = {name: dict.fromkeys(of, 0) for name, of in self.variants.items()}
        for question in questions:
            if question.variant in counts:
                of = counts[question.variant]
                of[question.task] = of.get(question.task, 0) + 1
        return counts

    def count(self, questions: Sequence[Question]) -> dict[str, dict[str, int]]:
        """Count questions in their first form.

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

    ``name`` is also that of the protocol's table; ``short`` stands if there is little room; ``questions`` is None
    where the number is not known. ``decimals`` are those of the table if it has none of its own.
    """

    name: str
    short: str | None = None
    questions: int | None = None
    decimals: int | None = None


class PublishedRow(_Published):
    """A row as printed.

    None stands for a cell that the paper leaves empty; ``frames`` is the number shown, if known.
    """

    model: str
    values: tuple[float | bool | str | None, ...]
    group: str | None = None
    frames: int | None = None


class Misprint(_Published):
    """A printed cell that other printed numbers contradict, and why.

    The value is the one to use, None if none is known.
    """

    model: str
    column: str
    right: float | bool | None
    why: str


class PublishedTable(_Published):
    """A table of a paper.

    ``own`` is the key of the table of the family's protocol whose one row belongs among these rows, None for a table
    that no run has a row in; ``strategy`` is the one by which they were asked; ``overall`` is the column by which rows
    are sorted, the highest first. ``beside`` is the key of the table of the protocol whose rows are shown below those
    of a table that they are not compared with.
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

    The row is the one that begins so; None: the first.
    """

    label: str
    column: str
    row: str | None = None


class TableFigure(_Published):
    """A figure over cells of one of the protocol's tables, a series for each model.

    ``table`` is the key of that table. ``gaps`` shows how far the points of each model are apart, ``lines`` how a model
    does from one point to the next. ``words`` explain it.
    """

    title: str
    words: str
    table: str
    points: tuple[FigurePoint, ...]
    kind: Literal["gaps", "lines"]


@dataclass(frozen=True)
class CheckedStatement:
    """A statement of a paper in words, and whether a run agrees.

    None if the run does not tell. ``source`` names the place in the paper, ``figures`` the run's numbers that decide.
    """

    words: str
    source: str
    holds: bool | None
    figures: str


class PublishedWay(_Published):
    """A way in which a paper, or the code of its authors, had models asked.

    ``fixed`` holds what it fixes, each with the values that it allows: settings of the run by their names, and of the
    decoding ``temperature``, ``top_p`` and ``max_tokens``, and the ``version`` of the protocol. Null is a setting that
    is not given, or a field that is not sent. ``extra`` holds further fields of the request. ``group`` is that of the
    rows which alone were asked so; None: any.
    """

    fixed: dict[str, tuple[bool | int | float | str | None, ...]]
    extra: dict[str, tuple[bool | int | float | str | None, ...]] = {}
    group: str | None = None


class Reference(_Published):
    """``reference.json`` of a family: the paper's tables, and its ways of asking."""

    paper: str
    released: ReleasedSet
    tables: tuple[PublishedTable, ...]
    ways: tuple[PublishedWay, ...] = ()


def read_reference(package: str) -> Reference:
    """Return the published results that lie beside a family's code."""
    return Reference.model_validate_json(files(package).joinpath("reference.json").read_bytes())
