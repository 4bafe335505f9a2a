"""The same questions by how frames were sent: as pictures, as one video, as numbered pictures, as the file."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from report_bench import ask, questions

from chronotope.models import Asked, FunctionModel
from chronotope.report import section_data, write_report
from chronotope.report.parts.sent_frames import WORDS
from chronotope.view import FramesChoice
from drawn_benchmarks import write_benchmark


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One function, asked in four ways: with times it is right everywhere, otherwise about the first task only."""
    folder = tmp_path_factory.mktemp("sent")
    bench = write_benchmark(folder / "bench", [replace(one, window=None) for one in questions()])
    ways = ({}, {"frames_as": "video"}, {"frames_as": "images"}, {"clips": "video"})

    def answer(asked: Asked) -> str:
        knows = asked.times or "Picture 2 (" in asked.text or "Monday" in asked.text or "Wednesday" in asked.text
        return "C" if knows else "B"

    model = FunctionModel(answer, "function/watches", version="1")
    made = [ask(bench, folder / f"run-{number}", model, **way) for number, way in enumerate(ways)]
    return [*made, ask(bench, folder / "other", "baseline/random")]


def test_runs_that_differ_in_this_alone_stand_side_by_side(runs: list[Path], tmp_path: Path) -> None:
    report = write_report(runs, tmp_path / "report")
    [section] = report.sections
    [sent] = section_data(section)["frames_sent"]
    assert sent["model"] == "function/watches"
    told = {one["frames_sent_as"]: one for one in sent["runs"]}
    assert list(told) == [WORDS[how] for how in ("pictures", "images", "video", "file")]
    assert [one["accuracy"] for one in told.values()] == [0.5, 1.0, 1.0, 0.5]
    assert [one.get("difference", {}).get("value") for one in told.values()] == [None, 0.5, 0.5, 0.0]
    assert told[WORDS["video"]]["difference"]["low"] > 0 and told[WORDS["video"]]["difference"]["items"] == 28
    names = [row.compared.name for row in section.rows]
    assert "(clips frames, frames as video)" in names[1] and "(clips video)" in names[3]
    page = report.index.read_text(encoding="utf-8")
    table = page[page.index("The same questions by how frames were sent") :]
    rows = re.findall(r"<tr>.*?</tr>", table[: table.index("</tbody>")], re.DOTALL)
    assert len(rows) == 5 and "one video of frames with their times" in rows[3] and "+50.0" in rows[3]
    assert report.problems == ()


def test_frames_of_a_video_are_shown_and_compared_by_their_hashes(runs: list[Path], tmp_path: Path) -> None:
    report = write_report(runs[1:2], tmp_path / "report", FramesChoice("all"))
    text = (report.index.parent / "questions.js").read_text(encoding="utf-8")
    assert "[video of " in text and '"match"' in text and '"differ"' not in text
    assert report.problems == ()
    [section] = report.sections
    assert not section.parts["sent_frames"].folds
    assert "How frames were sent" not in report.index.read_text(encoding="utf-8")
