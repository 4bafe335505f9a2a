"""Radar charts of STI-Bench: the tasks over all scenes, and in each kind of scene (Figures 1 and 5 of the paper)."""

from chronotope.families import FigurePoint, TableFigure
from chronotope.families.sti.tasks import SCENES, TASKS


def _tasks(column: str, title: str) -> TableFigure:
    points = tuple(FigurePoint(label=task, column=column, row=task) for task in TASKS)
    return TableFigure(
        title=title,
        words="Accuracy of each task in percent; the center is 0. Tasks without questions have no axis.",
        table="by-task-and-scene",
        points=points,
        kind="radar",
    )


FIGURES = (
    _tasks("Overall", "Accuracy by task, radar chart"),
    *(_tasks(scene, f"Accuracy by task, {scene.lower()} scenes, radar chart") for scene in SCENES),
)
