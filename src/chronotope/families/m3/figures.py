"""Figures of M3-Verse: capabilities by state, and hallucination questions against all other questions."""

from collections.abc import Mapping

from chronotope.families import FigurePoint, TableFigure
from chronotope.families.m3.tables import HALLUCINATION, NONE_CHOSEN
from chronotope.families.m3.tasks import CAPABILITIES


def _by_state(title: str, words: str, labels: Mapping[str, str]) -> TableFigure:
    """Compare columns of the table by state; ``labels`` maps columns to labels."""
    points = tuple(FigurePoint(label=label, column=column) for column, label in labels.items())
    return TableFigure(
        title=title, words=f"{words}, the widest gap first.", table="by-state", points=points, kind="gaps"
    )


def _capabilities(state: str) -> dict[str, str]:
    return {f"{state} {capability}": capability for capability in CAPABILITIES}


FIGURES = (
    _by_state(
        "Intra- and inter-state questions",
        "Scores on questions about one video (intra) and on questions about both (inter)",
        {"Intra avg": "intra", "Inter avg": "inter"},
    ),
    _by_state("Intra-state questions by capability", "Scores on questions about one video", _capabilities("Intra")),
    _by_state("Inter-state questions by capability", "Scores on questions about both videos", _capabilities("Inter")),
    TableFigure(
        title="Hallucination gap",
        words="Scores on questions about missing things (Hall) and on all other questions (Fac), the widest gap first; "
        "thick lines are runs of this report.",
        table=HALLUCINATION,
        points=(FigurePoint(label="Hall", column="Hall"), FigurePoint(label="Fac", column="Fac")),
        kind="gaps",
    ),
    TableFigure(
        title="“No correct option is listed.”",
        words="Share of the replies that choose this option: in hallucination questions, where it is correct, and in "
        "factual questions that offer it.",
        table=NONE_CHOSEN,
        points=(
            FigurePoint(label="correct", column="Chose none", row="hallucination"),
            FigurePoint(label="wrong", column="Chose none", row="factual, offered"),
        ),
        kind="gaps",
    ),
)
