"""Compare runs: a table of paired differences, and the report for the browser."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from chronotope.api.checked_settings import as_path
from chronotope.api.data_frames import table
from chronotope.api.telling import Advance, advance_of
from chronotope.errors import InputError
from chronotope.evaluate.score import compare_groups

if TYPE_CHECKING:
    from chronotope.api.opened_run import Run
    from chronotope.api.probing import Probe
    from chronotope.evaluate.score.explain import Explanation
    from chronotope.question import Benchmark
    from chronotope.report import Report

_FIELDS = (
    *((name, pa.string()) for name in ("group", "name")),
    *((name, pa.float64()) for name in ("first", "second", "difference", "low", "high")),
    *((name, pa.int64()) for name in ("items", "clusters")),
)


def merge(runs: "Sequence[Run | Path | str]", out: Path | str) -> "Run":
    """Merge shards of a run (``shard`` of `run`), or other runs with one identity, to one run.

    The result is the run that one machine would have made. ``out`` is its folder; merging again adds only what is new.
    ``outcome`` of the returned run has counts, and remarks such as a missing shard.

    Raises:
        InputError: If a folder is not a run, or the runs differ in their identity. Nothing is written then.
    """
    from chronotope.api.opened_run import Run, as_run
    from chronotope.evaluate.run import merge_runs

    if isinstance(runs, Run | Path | str):
        raise InputError("found one run", where="runs", expected="a list of runs, or of run folders")
    merged = merge_runs([as_run(one).folder for one in runs], as_path(out, "out", "the path of a run folder"))
    return Run(merged.folder, merged.remarks, merged)


def compare(first: "Run | Path | str", second: "Run | Path | str") -> Any:
    """Compare two runs on their common questions, as a table.

    The table has a row for all questions, for each task, and for each tag: the accuracy of both runs, and ``first``
    minus ``second`` with its 95 % interval. All values are fractions. The result is a DataFrame if pandas is installed,
    and otherwise an Arrow table.

    Raises:
        InputError: If a folder is not a run folder, or the runs have no question in common.
    """
    from chronotope.api.opened_run import as_run

    one, other = as_run(first), as_run(second)
    pairs = compare_groups(one.computed(), other.computed())
    if not pairs:
        raise InputError(
            "the runs have no question in common",
            where=f"{one.folder} and {other.folder}",
            expected="two runs of one benchmark, with scores of the same variant",
        )
    rows = [
        {"group": group, "name": name, "first": pair.first, "second": pair.second}
        | {"difference": pair.difference.value}
        | {key: getattr(pair.difference, key) for key in ("low", "high", "items", "clusters")}
        for (group, name), pair in pairs.items()
    ]
    return table(_FIELDS, rows)


def explain(
    first: "Run | Path | str", second: "Run | Path | str", *, bench: "Benchmark | Path | str | None" = None
) -> "Explanation":
    """Explain why the accuracies of two runs differ.

    The result lists the settings that differ, and splits the difference into three parts with 95 % intervals: other
    questions, replies without an answer, and different answers to the common questions. A run can also be a file with
    the replies of another tool, in one of the formats that `score` reads, such as a log of Inspect or the samples of
    lmms-eval. A fourth part then tells what the suite's own reader of replies changes. ``bench`` is the benchmark of
    such files; without it, it is that of the other run.

    Raises:
        InputError: If a path is neither a run folder nor a file with replies, or the runs cannot be compared.
    """
    from chronotope.api.opened_run import Run, as_run
    from chronotope.api.running import score
    from chronotope.evaluate.score.explain import explain_runs
    from chronotope.evaluate.score.predictions import read_predictions

    given = [one if isinstance(one, Run) else as_path(one, "run") for one in (first, second)]
    files = [one for one in given if isinstance(one, Path) and one.is_file()]
    if len(files) == 2 and bench is None:
        raise InputError(
            f"{files[0]} and {files[1]} are files of other tools: name their benchmark with bench (--bench)"
        )
    runs = {place: as_run(one) for place, one in enumerate(given) if one not in files}
    with TemporaryDirectory() as temporary:
        stated: list[dict[str, float]] = [{}, {}]
        for place, file in enumerate(given):
            if isinstance(file, Path) and file in files:
                of = bench if bench is not None else runs[1 - place].results().benchmark.folder
                runs[place] = score(of, file, out=Path(temporary) / str(place), only=True, say=lambda _: None)
                told = read_predictions(file).entries
                stated[place] = {one.id: one.stated for one in told if one.stated is not None}
        return explain_runs(runs[0].results(), runs[1].results(), (stated[0], stated[1]))


def report(
    runs: "Run | Probe | Path | str | Sequence[Run | Probe | Path | str]",
    out: Path | str = "report",
    *,
    frames: str = "wrong",
    against_paper: bool = False,
    formats: str | Sequence[str] = (),
    export: Path | str | None = None,
    single_file: bool = False,
    progress: Advance | bool = False,
) -> Path:
    """Write the report of runs; return the path of its web page.

    ``frames`` chooses the questions to show with frames: ``wrong``, ``sample:200``, ``all`` or ``none``. With
    ``against_paper``, the runs are compared with the published rows. ``formats`` adds tables: csv, parquet, latex.
    ``export`` is a folder for result files in the format of the paper's authors. With ``single_file``, the page is
    written once more as one file that can be sent to others, ``report.html``; clips are not in it. ``runs`` can
    contain probes, and folders with runs.

    Raises:
        InputError: If a folder is not a run folder, or ``out`` has other content or cannot be written.
    """
    from chronotope.api.opened_run import Run
    from chronotope.api.probing import Probe

    several = [runs] if isinstance(runs, str | Path) or not isinstance(runs, Sequence) else runs
    places = [one.folder if isinstance(one, Run | Probe) else as_path(one, "runs") for one in several]
    named = formats if isinstance(formats, str) else ",".join(formats)
    target = None if export is None else as_path(export, "export")
    return make_report(
        places, as_path(out, "out"), frames=frames, against_paper=against_paper, formats=named,
        export=target, single_file=single_file, progress=advance_of(progress, "writing the report"),
    ).report.index  # fmt: skip


@dataclass(frozen=True)
class WrittenReport:
    """A report, the result files for authors, and the number of asks that these files cannot have."""

    report: "Report"
    exported: Sequence[Path]
    not_exported: int

    def plain(self) -> dict[str, Any]:
        """Return the paths of the report, its scores and its comparisons as plain values."""
        from chronotope.report import report_data

        return report_data(self.report) | {"exported": list(map(str, self.exported))}


def make_report(
    places: Sequence[Path],
    out: Path,
    *,
    frames: str,
    against_paper: bool,
    formats: str | None,
    export: Path | None,
    single_file: bool,
    progress: Advance | None,
) -> WrittenReport:
    """Write a report, and the result files for authors (see `report`)."""
    from chronotope.api.opened_run import runs_in
    from chronotope.probe import is_probe
    from chronotope.report import export_results, parse_formats, write_report
    from chronotope.view import parse_frames

    probes = [place for place in places if is_probe(place)]
    folders = [run for place in places if place not in probes for run in runs_in(place)]
    exported, not_exported = export_results(folders, export) if export is not None else ([], 0)
    written, shown = parse_formats(formats), parse_frames(frames)
    made = write_report(
        folders, out, shown, progress, against_paper=against_paper, formats=written, probes=probes,
        single_file=single_file,
    )  # fmt: skip
    return WrittenReport(made, exported, not_exported)
