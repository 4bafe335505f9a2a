"""Radar charts of IKEA-Bench: the tasks, for each strategy."""

from chronotope.families import FigurePoint, TableFigure
from chronotope.families.ikea.protocol.route import ROUTED
from chronotope.families.ikea.tasks import STRATEGIES, TASKS

FIGURES = tuple(
    TableFigure(
        title=f"Accuracy by task, {strategy}, radar chart",
        words="Accuracy of each task in percent; the center is 0. Tasks without questions have no axis.",
        table=f"by-task-{strategy}",
        points=tuple(FigurePoint(label=task, column=task) for task in TASKS),
        kind="radar",
    )
    for strategy in (*STRATEGIES, ROUTED)
)
