"""Runs exported as result files for the tools of a paper's authors."""

from collections.abc import Sequence
from pathlib import Path

from chronotope.errors import InputError
from chronotope.evaluate.score import open_run
from chronotope.io import slug, write_json
from chronotope.report.compared_runs.unique_names import run_names


def export_results(folders: Sequence[Path], out: Path) -> tuple[list[Path], int]:
    """Write one file for each run and strategy into ``out``.

    The name of a file is ``<model>_<the authors' name of the strategy>.json``. If the files of two runs of a model
    would have the same name, the second file is named after the run's full name in the report. A file with the same
    name in ``out`` is replaced.

    The answers in the files are the answers that Chronotope read from the replies. Returns the files, and the number of
    asks that are in no file. These are asks without pictures, asks of variants, and asks with another order of the
    options.

    Raises:
        InputError: If a folder is not a run folder, or the authors of the run's family have no such files.
    """
    runs = [open_run(folder) for folder in dict.fromkeys(folder.resolve() for folder in folders)]
    written: list[Path] = []
    left_out = 0
    for run, name in zip(runs, run_names(runs), strict=True):
        if run.family.release.results is None:
            raise InputError(f"{run.folder}: the authors of family {run.family.name!r} have no result files to export")
        replied = (
            (one.ask, one.question, one.reading, one.line.reply if one.line is not None else None)
            for one in run.answered
        )
        files = run.family.release.results(replied)
        left_out += len(run.answered) - sum(map(len, files.values()))
        for setting, rows in files.items():
            file = out / f"{slug(run.card.model.rpartition('/')[2])}_{setting}.json"
            if file in written:  # the same model with other settings
                file = out / f"{slug(name.whole)}_{setting}.json"
            out.mkdir(parents=True, exist_ok=True)
            write_json(file, rows, most=None)
            written.append(file)
    return written, left_out
