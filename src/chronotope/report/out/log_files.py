"""The runs of a report as logs of other suites."""

from collections.abc import Collection, Sequence
from pathlib import Path

from chronotope.io import slug
from chronotope.io.packed import Keys, PackedList
from chronotope.report.compared_runs.opened_runs import Compared
from chronotope.report.out.report_folder import TABLES
from chronotope.suites import write_inspect_log
from chronotope.view.frames import FramesChoice, chosen_questions


def write_logs(folder: Path, compared: Sequence[Compared], frames: FramesChoice, formats: Collection[str]) -> list[str]:
    """Write each run as a log of Inspect if ``formats`` has ``inspect``; return the paths.

    The logs are written into the folder ``tables`` inside ``folder``. The log of a run has the pictures of those
    questions that ``frames`` chooses.
    """
    if "inspect" not in formats:
        return []
    (folder / TABLES).mkdir(exist_ok=True)
    written: list[str] = []
    for number, one in enumerate(compared, start=1):
        wrong = {scored.question.id for scored in one.scores.scored if scored.metrics.get("strict") != 1}
        asked = Keys()
        questions = PackedList(of.question for of in one.run.answered if asked.add(of.question.id))
        shown = chosen_questions(frames, questions, wrong)
        written.append(f"{TABLES}/log-{number}-{slug(one.name)}.eval")
        write_inspect_log(one.run, one.scores, folder / written[-1], shown)
    return written
