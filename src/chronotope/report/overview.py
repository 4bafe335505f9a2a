"""The overview of a report: the finding of each benchmark, a table of all runs, and cautions."""

from collections.abc import Sequence
from dataclasses import dataclass

from chronotope.evaluate.score import Estimate
from chronotope.report.compared_runs.run_rows import RunRow
from chronotope.report.compared_runs.variant_scores import Form
from chronotope.report.main_finding import Finding, findings
from chronotope.report.section import Section

OVERALL, NOT_ASKED, NO_REPLY = "Overall", "not asked", "no reply"
_BASELINES = {  # by the beginning of the name
    "random": "a random letter",
    "constant": "always the same letter",
    "option-shape": "reads only the options, and picks the middle, longest or roundest",
    "size-by-name": "guesses the size of a thing from its name, without pictures",
    "joint": "fits all questions of a clip together, without pictures",
    "sight": "measures in the frames with classical vision, without learning",
}
MOST = 20  # largest number of cautions about one run; missing clips could cause thousands


@dataclass(frozen=True)
class Line:
    """A line of the table of models.

    ``cells`` has the accuracy in each column, or the reason why there is no accuracy.
    """

    title: str
    row: RunRow
    cells: tuple[Estimate | str, ...]


@dataclass(frozen=True)
class Overview:
    """The overview of a report.

    - ``findings`` has the finding of each benchmark, the clearest first.
    - ``columns`` are the benchmarks or, if there is only one benchmark, the overall accuracy and the tasks.
    - ``lines`` are the models. The best model is first.
    - ``cautions`` are sentences to print next to the scores, grouped by run. Each run is listed once, with all its
      sentences. For sentences about all runs, and for sentences about no single run, the run is None.
    - ``clusters`` has the word for clusters in each column, and ``cluster`` all these words.
    """

    findings: list[Finding]
    columns: list[str]
    lines: list[Line]
    cautions: list[tuple[str | None, list[str]]]
    clusters: tuple[str, ...]

    @property
    def baselines(self) -> str:
        """Say what each baseline in the table is."""
        models = dict.fromkeys(line.row.compared.run.card.model for line in self.lines)
        return "; ".join(f"{model}: {words}" for model in models if (words := _baseline(model)))

    @property
    def cluster(self) -> str:
        """Return the words for the clusters of all columns."""
        return " or ".join(dict.fromkeys(self.clusters))


def make_overview(sections: Sequence[Section], problems: Sequence[str]) -> Overview:
    """Make the overview of a report.

    ``problems`` are sentences about calls and frames. A sentence can begin with the name of its run.
    """
    form = sections[0].forms[0]
    if len(sections) == 1:
        columns = [OVERALL, *form.tasks]
        lines = [Line(row.compared.named.model, row, _cells(row, form)) for row in form.rows]
        lines.sort(key=lambda line: _rank(line.cells[:1]))
    else:
        columns = [section.name for section in sections]
        lines = sorted(_models(sections), key=lambda line: (line.row.compared.run.looked is False, *_rank(line.cells)))
    words = [section.cluster for section in sections] if len(sections) > 1 else [sections[0].cluster] * len(columns)
    return Overview(findings(sections), columns, lines, _cautions(sections, problems), tuple(words))


def _baseline(model: str) -> str:
    """Say what a baseline does; the text of other models is empty."""
    return next((words for name, words in _BASELINES.items() if model.startswith(f"baseline/{name}")), "")


def _cells(row: RunRow, form: Form) -> tuple[Estimate | str, ...]:
    if not row.counts(form.variant):
        return tuple(NOT_ASKED if row.compared.replied else NO_REPLY for _ in (OVERALL, *form.tasks))
    return (row.scores.overall, *(row.scores.tasks.get(task, NOT_ASKED) for task in form.tasks))


def _models(sections: Sequence[Section]) -> list[Line]:
    """Return a line for each model and each of its settings.

    A line has the overall accuracy on each benchmark.
    """
    found: dict[tuple[str, tuple[str, ...]], dict[int, RunRow]] = {}
    for place, section in enumerate(sections):
        for row in section.rows:
            key = (row.compared.run.card.model, row.compared.named.told)
            found.setdefault(key, {})[place] = row
    return [
        Line(model, next(iter(rows.values())), tuple(_overall(rows.get(place)) for place in range(len(sections))))
        for (model, _), rows in found.items()
    ]


def _overall(row: RunRow | None) -> Estimate | str:
    if row is None:
        return NOT_ASKED
    return row.scores.overall if row.compared.replied else NO_REPLY


def _rank(cells: Sequence[Estimate | str]) -> tuple[int, float]:
    """Return the sort key of a line of the table.

    Lines are sorted by the number of their accuracies, then by the mean of these accuracies.
    """
    known = [cell.value for cell in cells if isinstance(cell, Estimate)]
    return (-len(known), -(sum(known) / len(known)) if known else 0.0)


def _cautions(sections: Sequence[Section], problems: Sequence[str]) -> list[tuple[str | None, list[str]]]:
    """Collect the notes and problems of all runs, grouped by run.

    Each run is listed once. Runs with the same notes are listed together.
    """
    rows = [row for section in sections for row in section.rows]
    said: dict[str, list[str]] = {row.compared.name: list(row.notes) for row in rows}
    of_none: list[str] = []
    for problem in problems:
        name = next((name for name in sorted(said, key=len, reverse=True) if problem.startswith(f"{name}: ")), None)
        (of_none if name is None else said[name]).append(problem if name is None else problem[len(name) + 2 :])
    common = [
        text for text in next(iter(said.values()), []) if len(said) > 1 and all(text in of for of in said.values())
    ]
    together: dict[tuple[str, ...], list[str]] = {}
    for name, texts in said.items():
        own = tuple(dict.fromkeys(text for text in texts if text not in common))
        if own:
            together.setdefault(own, []).append(name)
    of_all: list[tuple[str | None, list[str]]] = [(None, _first([*common, *of_none]))] if common or of_none else []
    return [*of_all, *((", ".join(names), _first(texts)) for texts, names in together.items())]


def _first(texts: Sequence[str]) -> list[str]:
    return [*texts[:MOST], *([f"and {len(texts) - MOST} more"] if len(texts) > MOST else [])]
