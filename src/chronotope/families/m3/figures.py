"""A figure of M3-Verse that compares hallucination questions with all other questions."""

from chronotope.families import FigurePoint, TableFigure
from chronotope.families.m3.tables import HALLUCINATION

__all__ = ["FIGURES"]

FIGURES = (
    TableFigure(
        title="Hallucination gap",
        words="Scores on questions about missing things (Hall) and on all other questions (Fac), the widest gap first; "
        "thick lines are runs of this report.",
        table=HALLUCINATION,
        points=(FigurePoint(label="Hall", column="Hall"), FigurePoint(label="Fac", column="Fac")),
        kind="gaps",
    ),
)
