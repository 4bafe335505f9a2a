"""The difficulty of the questions: what foretells it, and questions that the best runs fail and the worst pass."""

from dataclasses import dataclass

import numpy as np

from chronotope.evaluate.score.item_features import Foretold, foretell, item_features
from chronotope.evaluate.score.item_response import FEWEST_RUNS, SHARE_OF_FALSE, ItemResponse, fit_items
from chronotope.evaluate.score.ranks import common_scores
from chronotope.question import Question
from chronotope.recording import Recording
from chronotope.report.compared_runs.run_rows import RunRow
from chronotope.report.parts.ranks import most_asked
from chronotope.report.plots.run_plots import difficulty_plot
from chronotope.report.section import Section
from chronotope.report.table import (
    EXCLUDES,
    Block,
    Cell,
    Column,
    Fold,
    Part,
    Plot,
    Table,
    TableRow,
    head_cell,
    run_table,
)
from chronotope.view.question_boxes import RecordingReader
from chronotope.view.words import CLUSTER, TOO_FEW, count, signed

PLACE = 125
FEWEST_QUESTIONS = 30
MOST_LISTED = 20  # questions of the table
DOUBTFUL = 0.05  # p-value below which a question is listed
LONGEST = 160  # characters of a stem


@dataclass(frozen=True)
class _Items:
    """Common questions of several runs, and the model that was fitted to their answers."""

    rows: list[RunRow]
    questions: list[Question]
    right: np.ndarray
    fitted: ItemResponse


def make(section: Section) -> Part | None:
    """Show the difficulty of the questions, if enough runs are better than chance."""
    rows = [row for row in most_asked(section.forms[0]) if _above_chance(row)]
    if len(rows) < FEWEST_RUNS:
        return None
    right, scored = common_scores([row.scores for row in rows])
    if right.shape[1] < FEWEST_QUESTIONS or len(np.unique(right.mean(axis=0))) < 2:
        return None
    guess = np.array([one.chance or 0.0 for one in scored])
    items = _Items(rows, [one.question for one in scored], right, fit_items(right, guess))
    folder, reader = section.benchmark.folder, RecordingReader()

    def recording_of(one: Question) -> Recording | None:
        return reader.of(folder, one) if len(one.recordings) == 1 else None

    features = item_features(items.questions, recording_of)
    foretold = foretell(
        items.fitted.difficulties,
        features,
        [one.task for one in items.questions],
        [one.cluster for one in items.questions],
    )
    words = "what foretells it, and questions that fit badly"
    return Part((Fold("Difficulty of the questions", tuple(_blocks(section, items, foretold)), words),))


def _above_chance(row: RunRow) -> bool:
    of = row.scores.overall
    return of.value > (of.chance or 0.0) if of.low is None else of.low > (of.chance or 0.0)


def _blocks(section: Section, items: _Items, foretold: Foretold) -> list[Block]:
    names = [row.plot_name for row in items.rows]
    words = (
        "A run with ability a answers a question with difficulty b correctly, without guessing, with the probability "
        "1 / (1 + exp(b − a)); the chance of a lucky guess is added. Bars are questions, lines are runs."
    )
    plot = Plot(
        section.label("Plot of the difficulties"),
        difficulty_plot(names, items.fitted.abilities.tolist(), items.fitted.difficulties.tolist()),
        words,
    )
    return [plot, _abilities(section, items), _foretold(section, foretold), _doubtful(section, items)]


def _abilities(section: Section, items: _Items) -> Table:
    cells = [[Cell(signed(float(one)), float(one))] for one in items.fitted.abilities]
    return run_table(section.label("Abilities"), ["ability (logits)"], zip(items.rows, cells, strict=True))


def _foretold(section: Section, foretold: Foretold) -> Table:
    words = (
        f"For {CLUSTER}s that were left out, the task alone foretells {_share(foretold.by_task)} of the variance of "
        f"difficulty, and the task with the features of the table {_share(foretold.by_scene)}. A rank correlation "
        "above 0, within tasks, means that questions with larger values are more difficult."
    )
    lines = [
        TableRow(
            (
                head_cell(one.name),
                Cell(signed(one.correlation), one.correlation, strong=True),
                Cell(TOO_FEW)
                if one.low is None or one.high is None
                else Cell(
                    f"{signed(one.low)} to {signed(one.high)}",
                    [one.low, one.high],
                    apart=EXCLUDES if one.low > 0 or one.high < 0 else "",
                ),
                Cell(count(one.questions), one.questions),
            )
        )
        for one in foretold.effects
    ]
    columns = ("feature", "rank correlation with difficulty", f"95 % interval by {CLUSTER}", "questions")
    label = section.label("What foretells difficulty")
    return Table(label, tuple(map(Column, columns)), tuple(lines), (words,), "What foretells difficulty", "facts")


def _share(value: float) -> str:
    return "nothing" if value <= 0 else f"{100 * value:.0f} %"


def _doubtful(section: Section, items: _Items) -> Table:
    fitted, total = items.fitted, len(items.questions)
    low = int((fitted.chances < DOUBTFUL).sum())
    words = (
        f"Questions that the better runs fail and the worse ones pass: look whether their answer is right. "
        f"{count(low)} of {count(total)} have p < {DOUBTFUL}; by chance, at most {DOUBTFUL * total:.0f} would. "
        f"{count(len(fitted.suspects))} are suspects, of which {100 * SHARE_OF_FALSE:.0f} % are expected to be false "
        "alarms. With few runs, hardly any question can be told from chance. Runs that are not clearly above chance "
        "are left out."
    )
    order = sorted(range(total), key=lambda place: fitted.chances[place])[:MOST_LISTED]
    lines = [
        TableRow(
            (
                head_cell(items.questions[place].id),
                Cell(items.questions[place].task),
                Cell(_shortened(items.questions[place].stem)),
                Cell(f"{int(items.right[:, place].sum())} of {len(items.rows)}", int(items.right[:, place].sum())),
                Cell(signed(float(fitted.difficulties[place])), float(fitted.difficulties[place])),
                Cell(f"{fitted.chances[place]:.3f}", float(fitted.chances[place])),
                Cell("suspect" if place in fitted.suspects else ""),
            )
        )
        for place in order
        if fitted.chances[place] < DOUBTFUL
    ]
    columns = ("question", "task", "stem", "runs that are right", "difficulty", "p", "verdict")
    label = section.label("Questions that fit badly")
    return Table(label, tuple(map(Column, columns)), tuple(lines), (words,), "Questions that fit badly", "facts")


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"
