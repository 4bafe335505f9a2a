"""Tables of accuracies for one variant of the questions: by task, type, level and axis.

A cell has the questions of one task and one type. Cells whose answer hardly varies between scenes are reported
separately.
"""

from collections.abc import Sequence

from chronotope.families.vgenst.protocol.means import (
    Cell,
    Valued,
    cells_of,
    count,
    level_mean,
    metric,
    micro,
    of_level,
    task_mean,
    type_mean,
)
from chronotope.families.vgenst.tasks import (
    AXES,
    LEVELS,
    TASKS,
    TYPE_NAMES,
    TYPES,
    axes_of,
    is_active,
)
from chronotope.io.packed import select
from chronotope.protocol import Scored, Table

Value = str | float | int | None
# The metrics of the tables, with their words. ``circular`` needs questions that were asked in several placements.
_KINDS = {"vanilla": "as published", "circular": "circular"}


def tables(scored: Sequence[Scored]) -> list[Table]:
    """Make tables for the published order and for circular asking.

    The tables for circular asking are made only if questions were asked in several placements. Each strategy has its
    own tables.
    """
    made: list[Table] = []
    for strategy in dict.fromkeys(one.strategy for one in scored):
        of_strategy = select(scored, lambda one, strategy=strategy: one.strategy == strategy)
        for name, words in _KINDS.items():
            if values := metric(of_strategy, name):
                direct = strategy == "direct"
                made += _tables(
                    values, name if direct else f"{name}-{strategy}", words if direct else f"{words}, {strategy}"
                )
    return made


def _tables(values: Sequence[Valued], way: str, words: str) -> list[Table]:
    """Make all tables for one way of asking.

    ``way`` is the end of the names of the tables, and ``words`` is the end of their titles.
    """
    cells = cells_of(values)
    return [
        _by_task(cells, way, words),
        _by_cell(cells, way, words),
        _by_type(cells, way, words),
        _by_level(cells, way, words),
        _by_axis(cells, way, words),
        _informative(values, way, words),
    ]


def _by_task(cells: Sequence[Cell], way: str, words: str) -> Table:
    """Make a table with a row for each task.

    A row has the mean over the types of the task, and the mean over its questions. The last row has the overall score,
    which is the mean over the tasks.
    """
    rows: list[tuple[Value, ...]] = []
    for task in TASKS:
        own = [cell for cell in cells if cell.task == task]
        rows.append((task, count(own), len(own), type_mean(own), micro(own)))
    rows.append(("all", count(cells), len(cells), task_mean(cells), micro(cells)))
    return Table(
        f"by-task-{way}",
        f"Accuracy by task (%), {words}",
        ("Task", "Questions", "Types", "Macro", "Micro"),
        tuple(rows),
    )


def _by_cell(cells: Sequence[Cell], way: str, words: str) -> Table:
    """Make a table with rows for tasks and columns for types."""
    found = {(cell.task, cell.kind): micro([cell]) for cell in cells}
    rows = tuple((task, *(found.get((task, kind)) for kind in TYPES)) for task in TASKS)
    return Table(f"by-cell-{way}", f"Accuracy by task and type (%), {words}", ("Task", *TYPES), rows)


def _by_type(cells: Sequence[Cell], way: str, words: str) -> Table:
    """Make a table with a row for each type.

    A row has the mean over the tasks, and the mean over the questions.
    """
    rows: list[tuple[Value, ...]] = []
    for kind in TYPES:
        own = [cell for cell in cells if cell.kind == kind]
        rows.append((kind, TYPE_NAMES[kind], count(own), len(own), level_mean(own), micro(own)))
    columns = ("Type", "What is asked", "Questions", "Tasks", "Macro", "Micro")
    return Table(f"by-type-{way}", f"Accuracy by type (%), {words}", columns, tuple(rows))


def _by_level(cells: Sequence[Cell], way: str, words: str) -> Table:
    """Make a table with a row for each level.

    A row has the means over cells, over types and over questions. The authors' script uses the mean over types.
    """
    rows: list[tuple[Value, ...]] = []
    for level in LEVELS:
        own = of_level(cells, level)
        rows.append((level, count(own), len(own), level_mean(own), type_mean(own), micro(own)))
    columns = ("Level", "Questions", "Cells", "Macro over cells", "Macro over types", "Micro")
    return Table(f"by-level-{way}", f"Accuracy by level (%), {words}", columns, tuple(rows))


def _by_axis(cells: Sequence[Cell], way: str, words: str) -> Table:
    """Make a table with a row for each value of each axis.

    A row has the mean over the tasks with this value, and the mean over their questions.
    """
    rows: list[tuple[Value, ...]] = []
    for axis, of_axis in AXES.items():
        for value in of_axis.values():
            own = [cell for cell in cells if cell.task in TASKS and axes_of(cell.task)[axis] == value]
            tasks = {cell.task for cell in own}
            rows.append((axis, value, count(own), len(tasks), task_mean(own), micro(own)))
    columns = ("Axis", "Value", "Questions", "Tasks", "Macro", "Micro")
    return Table(f"by-axis-{way}", f"Accuracy by axis (%), {words}", columns, tuple(rows))


def _informative(values: Sequence[Valued], way: str, words: str) -> Table:
    """Make a table that compares informative cells with the other cells.

    In a cell that is not informative, the answer is the same in every scene, or it always names the thing with the same
    role in the scene. Sets of our own state this by flags, since questions of the profile ``strict`` vary everywhere.
    """
    names = {"": "informative cells", "constant": "answer always the same",
             "role_constant": "answer always of one role"}  # fmt: skip
    groups = {"all cells": [cell for cell in cells_of(values) if is_active(cell.task, cell.kind)]}
    for flag, name in names.items():
        cells = cells_of(value for value in values if value.flag == flag)
        groups[name] = [cell for cell in cells if is_active(cell.task, cell.kind)]
    rows = tuple(
        (
            name,
            count(own),
            len(own),
            task_mean(own),
            micro(own),
            *(level_mean(of_level(own, level)) for level in LEVELS),
        )
        for name, own in groups.items()
    )
    columns = ("Cells", "Questions", "Number of cells", "Macro", "Micro", *LEVELS)
    return Table(f"informative-{way}", f"Accuracy over informative cells (%), {words}", columns, rows)
