"""Means of scores in percent, over cells. A cell has the questions of one task and one question type.

A cell stores only the number of its questions and the sum of their scores. Means over cells, types or tasks include
only the cells for which the paper has questions. Micro means are over all questions.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from sys import intern
from typing import NamedTuple

from chronotope.families.vgenst.tasks import flag_of, is_active, level_of
from chronotope.protocol import Scored, mean
from chronotope.question import Question


class Valued(NamedTuple):
    """What the means need of a question, and its score, between 0 and 1.

    ``kind`` is the question type, and ``flag`` is the reason why the answer hardly varies (`flag_of`).
    """

    id: str
    base: str | None
    task: str
    kind: str
    flag: str
    value: float


@dataclass(frozen=True)
class Cell:
    """A cell: the number of questions with one task and one type, and the sum of their scores."""

    task: str
    kind: str
    questions: int
    total: float


def valued(question: Question, value: float) -> Valued:
    """Return the value of a question, without the question itself.

    Equal words are one object, because each copy of a packed question has words of its own.
    """
    kind = next(iter(question.tags.get("type", ())), "")
    return Valued(question.id, question.base, intern(question.task), intern(kind), intern(flag_of(question)), value)


def metric(scored: Iterable[Scored], name: str) -> list[Valued]:
    """Return the questions that have this metric, with their values."""
    return [valued(one.question, value) for one in scored if (value := one.metrics.get(name)) is not None]


def cells_of(values: Iterable[Valued]) -> list[Cell]:
    """Group scored questions into cells by task and type."""
    groups: dict[tuple[str, str], list[float]] = defaultdict(list)
    for one in values:
        groups[one.task, one.kind].append(one.value)
    return [Cell(task, kind, len(of), sum(of)) for (task, kind), of in groups.items()]


def of_level(cells: Iterable[Cell], level: str) -> list[Cell]:
    """Return the cells whose question type has this level."""
    return [cell for cell in cells if level_of(cell.kind) == level]


def count(cells: Iterable[Cell]) -> int:
    """Return the total number of questions in all cells."""
    return sum(cell.questions for cell in cells)


def micro(cells: Sequence[Cell]) -> float | None:
    """Return the mean score over all questions of the cells (%)."""
    return 100 * sum(cell.total for cell in cells) / count(cells) if cells else None


def type_mean(cells: Iterable[Cell]) -> float | None:
    """Return the mean of the accuracies of all question types (%).

    The accuracy of a type is the mean over its questions of all tasks. The authors' script reports the result as its
    macro average.
    """
    return _mean_of(cells, lambda cell: cell.kind, micro)


def level_mean(cells: Iterable[Cell]) -> float | None:
    """Return the score of a level: the mean accuracy over cells (%)."""
    return _mean_of(cells, lambda cell: f"{cell.task} {cell.kind}", micro)


def task_mean(cells: Iterable[Cell]) -> float | None:
    """Return the overall score (%).

    For each task, the accuracies of its question types are averaged. The overall score is the mean of these averages.
    """
    return _mean_of(cells, lambda cell: cell.task, type_mean)


def _mean_of(
    cells: Iterable[Cell], key: Callable[[Cell], str], of: Callable[[list[Cell]], float | None]
) -> float | None:
    groups: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        if is_active(cell.task, cell.kind):
            groups[key(cell)].append(cell)
    return mean(map(of, groups.values()))
