"""The means of VGenST-Bench, in percent, over (task, type) cells.

A cell has a number of questions and the sum of their scores. Means over cells, types and tasks use the cells that the
paper asks; micro means use every question.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chronotope.families.vgenst.tasks import is_active, level_of
from chronotope.protocol import Scored, mean
from chronotope.question import Question

__all__ = [
    "Cell",
    "Valued",
    "cells_of",
    "count",
    "level_mean",
    "metric",
    "micro",
    "of_level",
    "task_mean",
    "type_mean",
]


class Valued(NamedTuple):
    """A question and its score, between 0 and 1."""

    question: Question
    value: float


@dataclass(frozen=True)
class Cell:
    """The questions of one type about one task: their number, and the sum of their values."""

    task: str
    kind: str
    questions: int
    total: float


def metric(scored: Iterable[Scored], name: str) -> list[Valued]:
    """Return the questions that have this metric, with their values."""
    return [Valued(one.question, value) for one in scored if (value := one.metrics.get(name)) is not None]


def cells_of(values: Iterable[Valued]) -> list[Cell]:
    """Return the cells of some questions."""
    groups: dict[tuple[str, str], list[float]] = defaultdict(list)
    for one in values:
        groups[one.question.task, next(iter(one.question.tags.get("type", ())), "")].append(one.value)
    return [Cell(task, kind, len(of), sum(of)) for (task, kind), of in groups.items()]


def of_level(cells: Iterable[Cell], level: str) -> list[Cell]:
    """Return the cells of one level."""
    return [cell for cell in cells if level_of(cell.kind) == level]


def count(cells: Iterable[Cell]) -> int:
    """Count the questions of the cells."""
    return sum(cell.questions for cell in cells)


def micro(cells: Sequence[Cell]) -> float | None:
    """Return the mean over questions, %."""
    return 100 * sum(cell.total for cell in cells) / count(cells) if cells else None


def type_mean(cells: Iterable[Cell]) -> float | None:
    """Return the mean over types of their accuracy, tasks pooled, %.

    It is the macro average of the authors' script.
    """
    return _mean_of(cells, lambda cell: cell.kind, micro)


def level_mean(cells: Iterable[Cell]) -> float | None:
    """Return a level's score: the mean over (task, type) cells, %."""
    return _mean_of(cells, lambda cell: f"{cell.task} {cell.kind}", micro)


def task_mean(cells: Iterable[Cell]) -> float | None:
    """Return the mean over tasks of the means over their types, %.

    It is the overall score.
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
