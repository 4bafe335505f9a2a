"""The published values of a paper: numbers of released questions, tables, and misprints."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict

from chronotope.question import Question, Variant


class _Published(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PublishedLength(_Published):
    """The share of clips (``percent``) whose lengths are in one range.

    A range begins above the upper limit of the previous range, and ends at its own upper limit ``up_to`` (s). None
    means that the range has no upper limit.
    """

    up_to: float | None
    percent: float


class ReleasedSet(_Published):
    """The number of released questions for each task and each value of a tag.

    ``by`` is the name of the tag. ``questions`` maps each task to {value of the tag: number of questions}; a cell that
    is empty in the paper has the number 0. If the paper prints only the total, ``printed_total`` is this total and
    ``questions`` is empty. ``lengths`` describes the lengths of the clips, if they are published. ``variants`` counts
    the questions of each variant other than "base", separately for each task.
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
        """Check that no question has a released value of the tag ``by``.

        If no question has a released value, the questions are about other kinds of scenes. They are then not a
        selection of the released questions.
        """
        if not self.questions:
            return False
        known = {value for of in self.questions.values() for value in of}
        return known.isdisjoint(value for question in questions for value in question.tags.get(self.by, ()))

    def is_like(self, questions: Sequence[Question]) -> bool:
        """Check whether the numbers of questions equal the published numbers.

        The numbers are compared by task and tag, or in total if the paper prints only the total.
        """
        counts = self.count(questions)
        if not self.questions:
            return sum(sum(of.values()) for of in counts.values()) == self.total
        return counts == self.questions

    def count_variants(self, questions: Sequence[Question]) -> dict[Variant, dict[str, int]]:
        """Count the questions of each variant in the paper, for each task."""
        counts: dict[Variant, dict[str, int]] = {name: dict.fromkeys(of, 0) for name, of in self.variants.items()}
        for question in questions:
            if question.variant in counts:
                of = counts[question.variant]
                of[question.task] = of.get(question.task, 0) + 1
        return counts

    def count(self, questions: Sequence[Question]) -> dict[str, dict[str, int]]:
        """Count the base questions by task and value of the tag.

        Tasks and values that the paper does not have are counted, too.
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

    ``name`` is also the name of the column in the protocol's table. ``short`` is a shorter name for narrow tables.
    ``questions`` is the number of questions on which the column is based, or None if the number is unknown.
    ``decimals`` is the number of decimals, or None if the table's number of decimals is used.
    """

    name: str
    short: str | None = None
    questions: int | None = None
    decimals: int | None = None


class PublishedRow(_Published):
    """A row of a published table, with the printed values.

    A value is None if the paper's cell is empty. ``frames`` is the number of frames that the model was shown, if known.
    """

    model: str
    values: tuple[float | bool | str | None, ...]
    group: str | None = None
    frames: int | None = None


class Misprint(_Published):
    """A printed value that contradicts other printed numbers, with the reason.

    ``right`` is the correct value, or None if it is unknown.
    """

    model: str
    column: str
    right: float | bool | None
    why: str


class PublishedTable(_Published):
    """A table of a paper, with settings for adding the results of runs.

    - ``own`` is the name of a table of the protocol. The only row of this table is compared with the paper's rows. The
      name is None if a run has no comparable row.
    - ``strategy`` is the strategy with which the models of this table were asked.
    - ``overall`` is the column for sorting the rows, highest value first.
    - ``beside`` is the name of another table of the protocol. Its rows are shown below this table without comparison.
      ``probe-LAYER`` is a layer of probes instead.
    - ``method`` is the method with which the answers of this table were made, or None. Only runs with this method have
      rows in this table.
    - ``task`` is the only task that was measured for this table, or None.
    """

    source: str
    title: str
    columns: tuple[PublishedColumn, ...]
    rows: tuple[PublishedRow, ...]
    own: str | None = None
    beside: str | None = None
    strategy: str = "direct"
    method: str | None = None
    task: str | None = None
    overall: str | None = None
    decimals: int = 1
    misprints: tuple[Misprint, ...] = ()
    notes: tuple[str, ...] = ()


class FigurePoint(_Published):
    """A point of a figure: one cell of a table.

    The cell is in the column ``column``, and in the first row whose name begins with ``row``. If ``row`` is None, the
    cell is in the first row.
    """

    label: str
    column: str
    row: str | None = None


class TableFigure(_Published):
    """A figure that shows cells of a table of the protocol, with one series for each model.

    ``table`` is the name of the table, and ``words`` is the caption. The kind ``gaps`` draws a line from the lowest to
    the highest point of each model; the kind ``lines`` connects the points of each model; the kind ``radar`` does so
    around a centre, and leaves out points without any value.
    """

    title: str
    words: str
    table: str
    points: tuple[FigurePoint, ...]
    kind: Literal["gaps", "lines", "radar"]


@dataclass(frozen=True)
class Share:
    """The number of questions with one value, such as one subtask.

    ``group`` names the kind of value. ``total`` is the number of all questions, and ``paper`` is the published share in
    percent, or None if the paper prints none. ``figure`` names the figure in which the paper draws the share without
    printing it, such as "Figure 9".
    """

    group: str
    value: str
    count: int
    total: int
    paper: float | None = None
    figure: str | None = None

    @property
    def percent(self) -> float:
        """Return the share in percent."""
        return 100 * self.count / max(1, self.total)


@dataclass(frozen=True)
class Measure:
    """A measurement on each scene or clip of a set, such as the area of each home.

    ``paper`` is the published mean, or None if the paper prints none. ``figure`` names the figure in which the paper
    draws the values without printing them.
    """

    name: str
    values: tuple[float, ...]
    paper: float | None = None
    figure: str | None = None


class PublishedWay(_Published):
    """A configuration that the paper, or the code of its authors, used for asking models.

    ``fixed`` maps the name of each setting to its allowed values. It can contain settings of the run, the decoding
    parameters ``temperature``, ``top_p`` and ``max_tokens``, and the ``version`` of the protocol. The value null means
    that the setting is not given, or that the request lacks this field. ``extra`` has the allowed values of further
    request fields. If all table rows with this configuration are in one group, ``group`` is the name of this group,
    otherwise None. ``method`` is the name of a method, or None. With a method, ``fixed`` also has settings of the
    method, ``method_version``, and ``caption_model`` and ``summary_model``, whose value null means the model of the
    run.
    """

    fixed: dict[str, tuple[bool | int | float | str | None, ...]]
    extra: dict[str, tuple[bool | int | float | str | None, ...]] = {}
    group: str | None = None
    method: str | None = None


class Reference(_Published):
    """The content of a family's ``reference.json``: the paper's tables, and its ways of asking models."""

    paper: str
    released: ReleasedSet
    tables: tuple[PublishedTable, ...]
    ways: tuple[PublishedWay, ...] = ()


def read_reference(package: str) -> Reference:
    """Read the published results of a family from ``reference.json``.

    ``package`` is the family's package.
    """
    return Reference.model_validate_json(files(package).joinpath("reference.json").read_bytes())
