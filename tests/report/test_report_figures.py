"""Figures over a family's tables: what is drawn, in which order, and of whom."""

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from chronotope.evaluate.score import Estimate
from chronotope.families import FigurePoint, TableFigure, families
from chronotope.families.ikea.tasks import STRATEGIES
from chronotope.protocol import Scored, Table
from chronotope.question import Option, Question
from chronotope.report.plots.table_plots import Series, frames_figure, table_figure, values_of

GAP = TableFigure(
    title="Gap",
    words="Two values of each.",
    table="scores",
    points=(FigurePoint(label="easy", column="Easy"), FigurePoint(label="hard", column="Hard", row="second")),
    kind="gaps",
)
SCORES = Table("scores", "Scores", ("Name", "Easy", "Hard"), (("first", 80.0, 70), ("second", None, 20.0)))


def names_in(svg: str, names: list[str]) -> list[str]:
    """The names as the plot has them, from its top to its bottom (texts are drawn from the first tick on)."""
    return [text for text in re.findall(r">([^<>]+)</text>", svg) if text in names]


def test_values_are_those_of_the_table() -> None:
    assert values_of(GAP, [Table("other", "Scores", ("Easy",), ((1.0,),)), SCORES]) == (80.0, 20.0)
    assert values_of(GAP, [Table("scores", "Scores", ("Name", "Easy"), (("first", 80.0),))]) == (80.0, None)
    assert values_of(GAP, []) == (None, None)


def test_the_widest_gap_stands_first_and_whoever_has_one_value_is_left_out() -> None:
    series = [Series("small", (50.0, 49.0)), Series("wide", (90.0, 10.0)), Series("one", (50.0, None))]
    figure = table_figure(GAP, [*series, Series("published", (70.0, 30.0), own=False)])
    assert figure is not None and names_in(figure.svg, ["small", "wide", "one", "published"]) == [
        "wide",
        "published",
        "small",
    ]
    assert table_figure(GAP, [series[2]]) is None
    assert figure.svg.startswith('<svg role="img"') and "easy" in figure.svg


def test_a_radar_chart_has_an_axis_for_each_task_with_questions() -> None:
    names = ("Pose", "Speed", "Course", "Size")
    figure = TableFigure(
        title="Tasks",
        words="Each task.",
        table="tasks",
        points=tuple(FigurePoint(label=name, column=name) for name in names),
        kind="radar",
    )
    runs = [Series("a & b", (10.0, 20.0, None, 40.0)), Series("other", (60.0, None, None, 30.0))]
    drawn = table_figure(figure, runs)
    assert drawn is not None and names_in(drawn.svg, [*names, "a &amp; b", "other"]) == [
        "Pose", "Speed", "Size", "a &amp; b", "other",
    ]  # fmt: skip
    assert (
        'aria-label="Tasks, in percent. a &amp; b: Pose 10.0, Speed 20.0, Size 40.0; other: Pose 60.0, Size 30.0."'
        in (drawn.svg)
    )
    assert "style=" not in drawn.svg and "nan" not in drawn.svg.lower()
    assert table_figure(figure, [Series("two tasks", (10.0, 20.0, None, None))]) is None
    many = table_figure(figure, [Series(f"run {number}", (1.0, 2.0, 3.0, 4.0)) for number in range(9)])
    assert many is not None and many.words == "Each task. Only the first 8 of 9 runs are drawn."
    assert "run 7" in many.svg and "run 8" not in many.svg


@pytest.mark.parametrize("kind", ["gaps", "lines"])
def test_the_same_values_give_the_same_bytes(kind: str) -> None:
    figure = GAP.model_copy(update={"kind": kind})
    first, again = (table_figure(figure, [Series("a", (1.0, 3.0)), Series("b", (99.0, 100.0))]) for _ in range(2))
    assert first == again and first is not None


def row(model: str, frames: int | None, accuracy: float, counts: bool = True, layout: str = "published") -> Any:
    """As much of a row as the curve looks at."""
    plan = None if frames is None else SimpleNamespace(indices=tuple(range(frames)))
    ask = SimpleNamespace(plans=(plan, plan), question="q", placement=(0, 1), strategy="direct")
    identity = {"model": model, "protocol.settings.frames": frames, "layout": layout}
    card = SimpleNamespace(model=model, identified=lambda: identity)
    run = SimpleNamespace(card=card, answered=[SimpleNamespace(ask=ask)])
    overall = Estimate(accuracy, accuracy - 0.1, accuracy + 0.1, 20, 10, 0.25)
    return SimpleNamespace(
        compared=SimpleNamespace(run=run),
        scores=SimpleNamespace(overall=overall, cluster="clip"),
        counts=lambda variant: counts,
    )


def test_a_curve_joins_runs_of_one_model_with_different_numbers_of_frames() -> None:
    rows = [row("m/a", 8, 0.4), row("m/a", 48, 0.6), row("m/b", 8, 0.5), row("m/b", 8, 0.5), row("m/c", None, 0.9)]
    figure = frames_figure(rows, "base")
    assert figure is not None and names_in(figure.svg, ["m/a", "m/b", "m/c"]) == ["m/a"]
    assert names_in(figure.svg, ["8", "48"]) == ["8", "48"]
    assert frames_figure(rows[2:], "base") is None
    assert frames_figure([row("m/a", 8, 0.4), row("m/a", 48, 0.6, layout="shared")], "base") is None
    assert frames_figure([row("m/a", 8, 0.4), row("m/a", 60, 0.6, counts=False)], "base") is None


def scored(variant: Any, level: str) -> Scored:
    """A question of one form, right in every way in which it can be asked."""
    answer, expected = ((), "a") if variant == "open" else ((0,), None)
    tags = {"type": (f"{level}-{'OE' if level == 'L1' else 'CR'}",), "level": (level,), "hallucination": ("no",)}
    name, base = (f"{level}-{variant}", None if variant == "base" else f"{level}-base")
    options = (Option("a"), Option("b"), Option("c"))
    question = Question(
        name, "any", "MC_F_EGO_STA", "clip", "What?", options, answer, expected, variant=variant, base=base, tags=tags
    )
    metrics = ("strict", "covered", "circular", "circular_covered", "vanilla", "vanilla_covered")
    return Scored(question, dict.fromkeys(metrics, 1.0), 0.25)


def test_figures_name_cells_that_the_tables_of_their_protocols_have() -> None:
    """What is not there would be left out of every figure, and nobody would know."""
    every = [scored(v, level) for v in ("base", "none_distractor", "none_answer", "open") for level in ("L1", "L3")]
    asked = [replace(one, strategy=name) for one in every[:2] for name in ("direct", *STRATEGIES, "routed")]
    drawn = 0
    for family in families().values():
        for figure in family.paper.figures:
            of_modes = getattr(family.protocol, "mode_tables", lambda scored: [])(every)
            tables = {table.key: table for table in [*family.protocol.tables(asked), *of_modes]}
            for point in figure.points:
                assert point.column in tables[figure.table].columns, (family.name, figure.title, point)
                assert point.row is None or point.row in {line[0] for line in tables[figure.table].rows}, point
            drawn += 1
    assert drawn >= 3
