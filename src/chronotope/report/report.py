"""The report of some runs, written whole or not at all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from chronotope.evaluate import Scores
from chronotope.report.compared import compare
from chronotope.report.folder import FRAMES, check_out, replace_folder
from chronotope.report.frames import FramesChoice
from chronotope.report.items import gather
from chronotope.report.missing import missing_words
from chronotope.report.render import write_page

__all__ = ["Report", "write_report"]


@dataclass(frozen=True)
class Report:
    """Where the report is, what it compares, and sentences about calls and frames that somebody should look at."""

    index: Path
    scores: dict[str, Scores]
    problems: tuple[str, ...]


def write_report(
    folders: Sequence[Path],
    out: Path,
    frames: FramesChoice = FramesChoice(),  # noqa: B008 - frozen
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Write the report of some runs into ``out``: index.html, its data and the frames that were sent.

    A report that is there already is replaced when the new one is whole. Raises InputError where a folder is no run,
    where the runs mix profiles, and where ``out`` holds something else or cannot be written.
    """
    replaced = check_out(out)
    compared = compare(folders)
    with replace_folder(replaced) as temporary:
        (temporary / FRAMES).mkdir()
        browser = gather(compared, frames, temporary / FRAMES, progress)
        write_page(temporary, compared, browser)  # which tells beside the scores what was not answered
        problems = [f"{one.name}: {words}" for one in compared if (words := missing_words(one)) is not None]
    return Report(out / "index.html", {one.name: one.scores for one in compared}, (*problems, *browser.problems))
