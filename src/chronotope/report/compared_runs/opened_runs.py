"""The runs of a report, opened and scored, with unique names."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chronotope.errors import InputError
from chronotope.evaluate.score import RunResults, Scores, open_run, score_run
from chronotope.report.compared_runs.unique_names import Name, benchmark_names, run_names


@dataclass(frozen=True)
class Compared:
    """One run of a report, with its name in the report.

    ``asked`` is the name of the benchmark of the run.
    """

    named: Name
    asked: str
    run: RunResults
    scores: Scores

    @property
    def name(self) -> str:
        """Return the unique name of the run as one line."""
        return self.named.whole

    @property
    def here(self) -> str:
        """Return the name of the run among the runs of its benchmark."""
        return self.named.here

    @property
    def replied(self) -> bool:
        """Check whether any call of the run got a reply.

        A run without replies has no accuracy and is not compared.
        """
        return self.scores.states.get("replied", 0) > 0

    @property
    def benchmark(self) -> str:
        """Return the content hash of the benchmark of the run.

        Only runs with the same content hash can be compared.
        """
        return self.run.card.benchmark.content_hash


def compare(folders: Sequence[Path]) -> list[Compared]:
    """Open and score runs, in the given order.

    A folder that is named twice counts once.

    Raises:
        InputError: If no folder is given, or a folder is not a run folder.
    """
    runs = [open_run(folder) for folder in dict.fromkeys(folder.resolve() for folder in folders)]
    if not runs:
        raise InputError("no run: name at least one folder made by `chronotope run`")
    asked = benchmark_names(runs)
    return [
        Compared(name, asked[run.card.benchmark.content_hash], run, score_run(run))
        for name, run in zip(run_names(runs), runs, strict=True)
    ]
