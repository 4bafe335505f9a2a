"""The figures of VGenST-Bench: scores by mode of asking, and scores by level."""

from chronotope.families import FigurePoint, TableFigure
from chronotope.families.vgenst.protocol.modes import MODES
from chronotope.families.vgenst.tasks import LEVELS

_ROWS = {
    "vanilla": "Base, vanilla",
    "circular": "Base, circular",
    "V1": "V1, None of these added",
    "V2": "V2, None of these right",
    "V1 and V2": "V1 and V2, both right",
    "V3": "V3, open-ended",
}

FIGURES = (
    TableFigure(
        title="Vanilla against circular",
        words="Accuracy (mean over the tasks) with options in the published order, with the correct option at each "
        "letter in turn, and for the variants that were asked; the widest gap first.",
        table=MODES,
        points=tuple(
            # Open answers without a verdict show nothing about the model, so V3 has the covered score.
            FigurePoint(label=name, column="Macro, covered" if name == "V3" else "Macro", row=row)
            for name, row in _ROWS.items()
        ),
        kind="gaps",
    ),
    TableFigure(
        title="Level drop",
        words="Accuracy of each level (mean over its tasks and types), for base questions with options in the "
        "published order.",
        table=MODES,
        points=tuple(FigurePoint(label=level, column=level, row=_ROWS["vanilla"]) for level in LEVELS),
        kind="lines",
    ),
)
