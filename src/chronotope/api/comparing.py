"""Compare runs: a table of paired differences, and the report for the browser."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from chronotope.api.frames import table
from chronotope.api.settings import as_path
from chronotope.errors import InputError
from chronotope.evaluate.score import compare_groups

if TYPE_CHECKING:
    from chronotope.api.opened_run import Run

_FIELDS = (
    *((name, pa.string()) for name in ("group", "name")),
    *((name, pa.float64()) for name in ("first", "second", "difference", "low", "high")),
    *((name, pa.int64()) for name in ("items", "clusters")),
)


def compare(first: "Run | Path | str", second: "Run | Path | str") -> Any:
    """Compare two runs on their common questions, as a table.

    The table has a row for all questions, for each task, and for each tag: the accuracy of both runs, and ``first``
    minus ``second`` with its 95 % interval. All values are fractions. It is a DataFrame if pandas is installed, and
    otherwise an Arrow table.

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


def report(
    runs: "Run | Path | str | Sequence[Run | Path | str]",
    out: Path | str = "report",
    *,
    frames: str = "wrong",
    against_paper: bool = False,
    formats: Sequence[str] = (),
) -> Path:
    """Write the report of runs; return the path of its web page.

    ``frames`` chooses the questions to show with frames: ``wrong``, ``sample:200``, ``all`` or ``none``. With
    ``against_paper``, the runs are compared with the published rows. ``formats`` adds tables: csv, parquet, latex.

    Raises:
        InputError: If a folder is not a run folder, or ``out`` has other content or cannot be written.
    """
    from chronotope.api.opened_run import as_run
    from chronotope.report import parse_formats, write_report
    from chronotope.view import parse_frames

    several = [runs] if isinstance(runs, str | Path) or not isinstance(runs, Sequence) else runs
    folders = [as_run(one).folder for one in several]
    written = parse_formats(",".join(formats))
    return write_report(
        folders, as_path(out, "out"), parse_frames(frames), against_paper=against_paper, formats=written
    ).index
