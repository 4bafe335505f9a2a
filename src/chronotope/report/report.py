"""The report of some runs, written whole or not at all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from chronotope.evaluate import Scores
from chronotope.report.compared import Compared, compare
from chronotope.report.folder import FRAMES, check_out, replace_folder
from chronotope.report.frames import FramesChoice
from chronotope.report.items import gather
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
        problems = [*filter(None, map(_without_answer, compared)), *browser.problems]
    return Report(out / "index.html", {one.name: one.scores for one in compared}, tuple(problems))


def _without_answer(one: Compared) -> str | None:
    """A sentence where a run has asks without an answer, which all count as wrong."""
    missing = {state: count for state, count in one.scores.states.items() if state != "replied"}
    if not missing:
        return None
    words = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in sorted(missing.items()))
    advice = "" if one.run.card.elsewhere else ": the same `chronotope run` again asks only these"
    return (
        f"{one.name}: {sum(missing.values())} of {len(one.run.answered)} asks have no answer and count as wrong "
        f"({words}){advice}"
    )
