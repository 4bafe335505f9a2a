"""The runs that a report compares: opened, scored, each under a name of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chronotope.errors import InputError
from chronotope.evaluate import RunResults, Scores, open_run, score_run

__all__ = ["Compared", "compare"]


@dataclass(frozen=True)
class Compared:
    """One run of a report under the name that the report gives it."""

    name: str
    run: RunResults
    scores: Scores

    @property
    def benchmark(self) -> str:
        """Content hash of the benchmark that was asked: runs of the same one can be compared."""
        return self.run.card.benchmark.content_hash


def compare(folders: Sequence[Path]) -> list[Compared]:
    """Open and score some runs, in the order given; a folder that is named twice counts once.

    Raises InputError where there is none, where a folder is no run, and where the runs mix profiles.
    """
    runs = [open_run(folder) for folder in dict.fromkeys(folder.resolve() for folder in folders)]
    if not runs:
        raise InputError("no run was given: name at least one folder that `chronotope run` made")
    profiles = sorted({run.benchmark.card.profile for run in runs})
    if len(profiles) > 1:
        raise InputError(f"the runs mix the profiles {', '.join(profiles)}: make one report for each")
    return [Compared(name, run, score_run(run)) for name, run in zip(_names(runs), runs, strict=True)]


def _names(runs: Sequence[RunResults]) -> list[str]:
    """The shortest form that tells each run from all others: its model, then with the benchmark, then the folder."""
    forms = [
        (
            run.card.model,
            f"{run.card.model} · {run.card.benchmark.name}",
            f"{run.card.model} · {run.folder.name}",
            f"{run.card.model} · {run.folder}",
        )
        for run in runs
    ]
    every = [list(of_one_form) for of_one_form in zip(*forms, strict=True)]
    return [next(name for name, others in zip(names, every, strict=True) if others.count(name) == 1) for names in forms]
