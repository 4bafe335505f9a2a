"""A run as an object: its answers and scores as tables, and its asks with frames, prompt, reply and truth."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from chronotope.api.checked_settings import as_path
from chronotope.api.data_frames import table
from chronotope.api.html import block, facts, grid, pre
from chronotope.errors import InputError
from chronotope.evaluate.plan import read_manifest
from chronotope.evaluate.score import Answered, RunResults, Scores, open_run, score_run
from chronotope.io import value_words, visible
from chronotope.media import FrameCache
from chronotope.protocol import option_letters
from chronotope.question import one_of
from chronotope.view.answers import answer_data
from chronotope.view.frames import Strip, make_pictures
from chronotope.view.prompts import prompt_words, shown_pictures
from chronotope.view.score_rows import ASK_FIELDS, SCORE_FIELDS, ask_row, score_rows
from chronotope.view.words import interval, percent

if TYPE_CHECKING:
    from chronotope.api.plots import Plot
    from chronotope.evaluate.run import ImportedReplies, JudgeOutcome, MergedRuns, Outcome

_LAST = ("variant", "strategy")  # last columns of scores, because all rows usually have the same value there
_SCORES = sorted(SCORE_FIELDS, key=lambda field: field[0] in _LAST)
# What `Run.answers` has besides the columns of a report's table.
_FURTHER = [
    ("stem", pa.string()),
    ("options", pa.list_(pa.string())),
    ("expected", pa.string()),
    ("log_probabilities", pa.list_(pa.float64())),
    *((name, pa.string()) for name in ("reasoning", "finish")),
    ("attempts", pa.int64()),
    ("seconds", pa.float64()),
]
_RUN_FIELDS = [
    *((name, pa.string()) for name in ("folder", "model", "benchmark")),
    *((name, pa.float64()) for name in ("value", "low", "high", "chance")),
    *((name, pa.int64()) for name in ("items", "clusters", "replied", "asks")),
]
_FILES = ("run.yaml", "asks.parquet", "ledger.jsonl")


@dataclass(frozen=True)
class ShownAsk:
    """One ask of a run, as text and, in a notebook, with its frames."""

    run: RunResults = field(repr=False)
    answered: Answered = field(repr=False)

    @cached_property
    def row(self) -> dict[str, Any]:
        """Return the row of the ask in `Run.answers`."""
        return ask_row(self.run, self.answered)

    @property
    def prompt(self) -> str:
        """Return the text of the prompt, with marks for pictures."""
        return prompt_words(self.run.parts(self.answered.ask))

    def _truth(self) -> dict[str, Any]:
        names = ("state", "chosen", "right", "value", "rule", "error")
        told = {name: self.row[name] for name in names}
        told["expected"] = self.answered.question.expected
        return {"ask": self.row["ask"]} | {name: value for name, value in told.items() if value is not None}

    def __repr__(self) -> str:
        truth = "; ".join(f"{name} {value}" for name, value in self._truth().items())
        return visible(f"{self.prompt}\n\n→ {self.row['reply']}\n({truth})")

    def _repr_html_(self) -> str:
        shown, note = shown_pictures(self.run.parts(self.answered.ask)), ""
        try:
            made = make_pictures(self.run.benchmark.folder, [picture for picture, _ in shown], FrameCache())
        except InputError as error:
            made, note = [], facts({"frames": str(error)})
        if made:
            strip = Strip(tuple(one.sha256 for one in made), ())
            if answer_data(self.run, self.answered, strip)["frames"] == "differ":
                note = facts({"frames": "differ from those that were sent"})
        words = [label for _, label in shown] if made else []
        pictures = grid(zip(made, words, strict=True))
        reply = pre(self.row["reply"] or "")
        return block(self.row["ask"], pictures, note, pre(self.prompt), "<b>reply</b>", reply, facts(self._truth()))


class ShownAsks(tuple[ShownAsk, ...]):
    """The asks of one question, which show themselves one below the other."""

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self))

    def _repr_html_(self) -> str:
        return "<hr>".join(one._repr_html_() for one in self)


class Run:
    """A run, which may be unfinished.

    ``Run("runs/NAME")`` opens a run that was made earlier. ``problems`` are sentences about calls without an answer.
    ``outcome`` has the counts of the call of `run` or `score` that made this run, and ``judged`` those of the judge.
    Scores are computed from the ledger when they are needed.

    Raises:
        InputError: If the folder is not a run folder.
    """

    def __init__(
        self,
        folder: Path | str,
        problems: tuple[str, ...] = (),
        outcome: "Outcome | ImportedReplies | MergedRuns | None" = None,
        judged: "JudgeOutcome | None" = None,
    ) -> None:
        self.folder, self.problems = as_path(folder, "folder", "the path of a run folder"), problems
        self.outcome, self.judged = outcome, judged
        read_manifest(self.folder)
        self._kept: dict[str, Any] = {}

    def results(self) -> RunResults:
        """Return asks, calls and readings; read changed files again."""
        stamp = tuple((file.stat().st_mtime_ns, file.stat().st_size) for file in self._files() if file.exists())
        if self._kept.get("stamp") != stamp:
            self._kept.clear()
            self._kept.update(stamp=stamp, results=open_run(self.folder))
        return self._kept["results"]

    def computed(self) -> Scores:
        """Return all scores, from which `scores` takes its rows."""
        results = self.results()
        if "scores" not in self._kept:
            self._kept["scores"] = score_run(results)
        return self._kept["scores"]

    def answers(self) -> Any:
        """Return a table with a row for each ask.

        ``state`` is the outcome of the ask, such as right or wrong. ``right`` and ``chosen`` are the letters under
        which the correct and the chosen options were shown. ``options`` are in the order shown, and
        ``log_probabilities`` has the value of each option's letter at the first token of the reply, if the service
        stated it. The table is a DataFrame if pandas is installed, and otherwise an Arrow table.
        """
        results = self.results()
        rows = [ask_row(results, one) | _further(one) for one in results.answered]
        return table([*ASK_FIELDS, *_FURTHER], rows)

    def scores(self) -> Any:
        """Return a table with a row for each score, as fractions.

        ``group`` is ``overall``, ``task``, ``variant``, ``strategy`` or ``tag NAME``. ``low`` and ``high`` are the 95 %
        interval, by cluster; ``chance`` is the expected score of a random guess. If no call was answered, there are no
        rows. The table is a DataFrame if pandas is installed, and otherwise an Arrow table.
        """
        scores = self.computed()
        return table(_SCORES, list(score_rows(scores)) if self._replied else [])

    def show(self, name: str) -> ShownAsks:
        """Show asks with frames, prompt, reply and truth.

        ``name`` is the id of a question, or of an ask, such as ``ID#rotate-1``.

        Raises:
            InputError: If the run has no such question or ask.
        """
        if not isinstance(name, str):
            raise InputError(f"found {value_words(name)}", where="name", expected="the id of a question or an ask")
        results = self.results()
        found = [one for one in results.answered if name in (one.question.id, one.ask.id)]
        if not found:
            every = [one.ask.id for one in results.answered]
            raise InputError(f"no question or ask {name!r}", where=str(self.folder), expected=one_of(every, like=name))
        return ShownAsks(ShownAsk(results, one) for one in found)

    def plot(self, group: str = "task", beside: "Run | Path | str | Sequence[Run | Path | str]" = ()) -> "Plot":
        """Draw accuracy with intervals and chance.

        ``group`` is a group of `scores`. ``beside`` are further runs. In a notebook, the plot shows itself;
        ``run.plot().save("scores.pdf")`` writes it.

        Raises:
            InputError: If no run has scores of this group; a run without replies has no scores.
        """
        from chronotope.api.plots import plot_scores  # loads the library for plots

        several = [beside] if isinstance(beside, str | Path) or not isinstance(beside, Sequence) else beside
        runs = list({run.folder.resolve(): run for run in (self, *map(as_run, several))}.values())
        models = Counter(run.results().card.model for run in runs)
        places = Counter((run.results().card.model, run.folder.name) for run in runs)
        rows = {}
        for run in runs:
            name, folder = run.results().card.model, run.folder
            if models[name] > 1:
                name += f" ({folder.name if places[name, folder.name] == 1 else folder})"
            rows[name] = list(score_rows(run.computed())) if run._replied else []
        return plot_scores(rows, group)

    @property
    def _replied(self) -> bool:
        return self.computed().states.get("replied", 0) > 0

    def _files(self) -> list[Path]:
        return [self.folder / name for name in _FILES]

    def _facts(self) -> dict[str, Any]:
        results, scores = self.results(), self.computed()
        overall, card = scores.overall, results.card
        accuracy = f"{percent(overall.value)} % of {overall.items} questions" if self._replied else None
        if accuracy is not None and overall.low is not None:
            accuracy += f" ({interval(overall)})"
        states = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in scores.states.items())
        return {
            "model": card.model,
            "benchmark": card.benchmark.name,
            "accuracy": accuracy,
            "chance": None if overall.chance is None else f"{percent(overall.chance)} %",
            "asks": states,
        }

    def __repr__(self) -> str:
        about = "; ".join(f"{name} {value}" for name, value in self._facts().items() if value is not None)
        return visible(f"<Run {self.folder}: {about}>")

    def _repr_html_(self) -> str:
        notes = dict.fromkeys((*self.problems, *self.computed().notes))
        tasks = {f"task {name}": f"{percent(one.value)} %" for name, one in self.computed().tasks.items()}
        shown = self._facts() | (tasks if self._replied else {})
        return block(str(self.folder), facts(shown), *(pre(note) for note in notes))


def _further(one: Answered) -> dict[str, Any]:
    """Return the values of the columns in ``_FURTHER``."""
    shown, known = one.ask.placement, getattr(one.line, "letter_log_probabilities", None)
    letters = option_letters(len(shown))
    return {
        "stem": one.question.stem,
        "options": [(option := one.question.options[place]).text or option.image for place in shown],
        "expected": one.question.expected,
        "log_probabilities": None if known is None else [known.get(letter) for letter in letters],
        **{name: getattr(one.line, name, None) for name in ("reasoning", "finish", "attempts", "seconds")},
    }


class Runs(tuple[Run, ...]):
    """Several runs, which show themselves as a table."""

    def table(self) -> Any:
        """Return a table with a row for each run.

        The table is a DataFrame if pandas is installed, and otherwise an Arrow table. Values are fractions.
        """
        return table(_RUN_FIELDS, [_run_row(run) for run in self])

    def names(self) -> list[str]:
        """Return the names of the models; if several runs have the same model, details distinguish their names."""
        results = [run.results() for run in self]
        models = [one.card.model for one in results]
        if len(set(models)) == len(models):
            return models
        from chronotope.report import run_names  # loads the library for plots

        return [name.whole for name in run_names(results)]

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) or "no runs"

    def _repr_html_(self) -> str:
        return block(f"{len(self)} runs", *(run._repr_html_() for run in self))


def runs(folder: Path | str = "runs") -> Runs:
    """Open all runs in a folder and its folders, sorted by path.

    The calls of filters are left out.

    Raises:
        InputError: If there is no such folder, or a run in it cannot be opened.
    """
    from chronotope.review.filters import FILTERS  # few scripts need it

    folder = as_path(folder, "folder", "the path of a folder with runs")
    if not folder.is_dir():
        raise InputError("no such folder", where=str(folder), expected="a folder with runs, such as runs")
    found = sorted(path.parent for path in folder.rglob("run.yaml") if path.is_file())
    # The folder of a pass is two levels below the record of the filters.
    return Runs(Run(one) for one in found if not (one.absolute().parents[1] / FILTERS).exists())


def runs_in(folder: Path) -> list[Path]:
    """Return the run folder ``folder``, or the run folders inside it, sorted."""
    inside = [] if (folder / "run.yaml").exists() else sorted(card.parent for card in folder.glob("[!.]*/run.yaml"))
    return inside or [folder]


def _run_row(run: Run) -> dict[str, Any]:
    card, overall = run.results().card, run.computed().overall
    replied = run._replied
    figures = ("value", "low", "high", "chance", "items", "clusters")
    return (
        {"folder": str(run.folder), "model": card.model, "benchmark": card.benchmark.name}
        | {name: getattr(overall, name) if replied or name == "chance" else None for name in figures}
        | {"replied": run.computed().states.get("replied", 0), "asks": sum(run.computed().states.values())}
    )


def as_run(run: Run | Path | str) -> Run:
    """Open a run by its folder; return a run unchanged."""
    return run if isinstance(run, Run) else Run(run)
