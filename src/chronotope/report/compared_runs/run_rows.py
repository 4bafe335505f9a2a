"""The row of one run in the tables of its benchmark."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chronotope.evaluate.score import Scores, Usage, usage_of
from chronotope.report.compared_runs.opened_runs import Compared
from chronotope.report.compared_runs.run_marks import BY_STRATEGY, Mark, marks
from chronotope.report.compared_runs.run_notes import check_concerns, missing_words


@dataclass(frozen=True)
class RunRow:
    """The row of one run in the tables of its benchmark.

    - ``scores`` are the scores to show; they are empty if there are no replies.
    - ``notes`` are sentences to print next to the scores.
    - ``cut_short`` counts the replies that reached the limit on tokens, even if an answer was read from such a reply.
    """

    compared: Compared
    scores: Scores
    marks: tuple[Mark, ...]
    notes: tuple[str, ...]
    spent: Usage
    cut_short: int

    def counts(self, variant: str) -> bool:
        """Check whether the overall accuracy of the run covers this variant."""
        return self.compared.replied and self.scores.counted == variant

    @property
    def told(self) -> tuple[str, ...]:
        """Return the words that distinguish a run from similar runs.

        Similar runs have the same model. Words that are also marks are omitted.
        """
        shown = {mark.short for mark in self.marks}
        return tuple(words for words in self.compared.named.told if words not in shown)

    @property
    def plot_name(self) -> str:
        """Return the name of the run in plots.

        The name is unique among the runs of its benchmark, and has its marks.

        The marks are included because a plot can be copied out of the page.
        """
        words = [*self.told, *(mark.short for mark in self.marks)]
        return f"{self.compared.named.model} ({', '.join(words)})" if words else self.compared.here


def make_row(one: Compared) -> RunRow:
    """Make the row of one run in the tables."""
    cut_short = sum(answered.reading is not None and answered.reading.truncated for answered in one.run.answered)
    notes = one.scores.notes if one.replied else (missing_words(one) or "",)
    scores = one.scores if one.replied else _without_accuracy(one.scores)
    return RunRow(one, scores, marks(one.run), (*notes, *check_concerns(one.run)), usage_of(one.run.lines), cut_short)


def of_any_strategy(row: RunRow) -> RunRow:
    """Return the row without the mark of its strategy.

    Rows without this mark are used in tables that already name the strategy.
    """
    return replace(row, marks=tuple(mark for mark in row.marks if mark.why != BY_STRATEGY))


def row_notes(rows: Sequence[RunRow]) -> list[tuple[str | None, str]]:
    """Return each note once, with the names of its runs.

    The names are None if there are several runs and the note is about all runs.
    """
    about: dict[str, list[str]] = {}
    for row in rows:
        for note in row.notes:
            about.setdefault(note, []).append(row.compared.name)
    return [(None if len(rows) > 1 and len(of) == len(rows) else ", ".join(of), note) for note, of in about.items()]


def _without_accuracy(scores: Scores) -> Scores:
    return replace(
        scores,
        covered=None,
        circular=None,
        position=None,
        positions={},
        tasks={},
        tags={},
        precision=(),
        scales={},
        variants={},
        letters={},
        right_letters={},
        tables=(),
    )
