"""The output of ``chronotope show`` for runs and for the questions of a benchmark."""

from __future__ import annotations  # types of other rooms are only for type checkers

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chronotope.cli.console import emit_json, note, out, table
from chronotope.cli.scores import print_accuracies, run_scores

if TYPE_CHECKING:
    from chronotope.api.benchmarks import Benchmark
    from chronotope.api.vocabulary import Question

MOST_IDS, MOST_STEM, MOST_VALUES = 24, 60, 12


def show_runs(path: Path, folders: Sequence[Path], *, as_json: bool) -> None:
    """Print the scores of the runs at a path.

    Runs of the same benchmark are printed in one table.
    """
    from chronotope.api.opened_run import Run, Runs  # loads what few commands need

    by_benchmark: dict[str, list[dict]] = {}
    runs = Runs(map(Run, folders))
    for run, name in zip(runs, runs.names(), strict=True):
        results, scores = run.results(), run.computed()
        card = results.card
        about = {"folder": str(run.folder), "benchmark": card.benchmark.name, "notes": list(scores.notes)}
        told = (
            run_scores(card.model, scores, sees=results.looked is not False)
            | {"name": name}
            | about
            | {"states": scores.states}
        )
        by_benchmark.setdefault(card.benchmark.content_hash, []).append(told)
    if as_json:
        every = [one for runs in by_benchmark.values() for one in runs]
        emit_json(every[0] if len(every) == 1 else {"runs": every})
        return
    for told in by_benchmark.values():
        print_accuracies([one | {"model": one["name"]} for one in told], told[0]["benchmark"])
        for one in told:
            states = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in one["states"].items())
            out.print(f"{one['folder']}: {one['name']}, {states}", markup=False)
            for text in one["notes"]:
                note(f"{one['name']}: {text}", "yellow")
    out.print(f"every question and reply: chronotope report {path} --out report", markup=False)


def by_task(questions: Sequence[Question], tag: str) -> dict[str, dict[str, int]]:
    """Count the questions of each task by the values of a tag.

    If no question has the tag, the only value is ``all``.
    """
    values = sorted({value for one in questions for value in one.tags.get(tag, ())}) or ["all"]
    counts = Counter((one.task, value) for one in questions for value in one.tags.get(tag, ("all",)))
    return {task: {value: counts[task, value] for value in values} for task in dict.fromkeys(q.task for q in questions)}


def tell_by_task(title: str, questions: Sequence[Question], tag: str) -> None:
    """Print the numbers of questions by task and tag value.

    A tag with very many values, such as products, has no columns of its own.
    """
    rows = by_task(questions, tag)
    whole = Counter(one.task for one in questions)
    values = [value for value in next(iter(rows.values()), {}) if value != "all"]
    columns = values if len(values) <= MOST_VALUES else []
    cells = [[task, *(str(of[value]) for value in columns), str(whole[task])] for task, of in rows.items()]
    table(f"{title}: {len(questions)} questions", ["task", *columns, "all"], cells)


def tell_questions(benchmark: Benchmark) -> None:
    """Print the ids of some questions of each task.

    The ids can be used with ``show --question``.
    """
    by_task: dict[str, list[Question]] = {}
    for question in benchmark.questions:
        by_task.setdefault(question.task, []).append(question)
    each = max(1, MOST_IDS // max(1, len(by_task)))
    rows = [[one.id, task, _short(one.stem)] for task, of in by_task.items() for one in of[:each]]
    told = f"{len(rows)} of {len(benchmark.questions):,} questions"
    table(f"{told}: look at one with --question ID", ["id", "task", "question"], rows, words=(0, 1, 2))
    if len(rows) < len(benchmark.questions):
        out.print("all ids: --json", markup=False)


def _short(stem: str) -> str:
    plain = " ".join(stem.split())
    return plain if len(plain) <= MOST_STEM else f"{plain[: MOST_STEM - 1].rstrip()}…"
