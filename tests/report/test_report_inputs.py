"""The same questions by the media that were shown: the change in accuracy, and in the margin of the correct letter."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from report_bench import ask, questions

from chronotope.models import Asked, FunctionModel, RawReply
from chronotope.report import section_data, write_report
from drawn_benchmarks import write_benchmark


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A function that is right if it sees frames that get brighter, and surer the more of them it sees."""
    folder = tmp_path_factory.mktemp("inputs")
    bench = write_benchmark(folder / "bench", [replace(one, window=None) for one in questions()])

    def answer(asked: Asked) -> RawReply:
        grey = [float(frame.mean()) for frame in asked.frames()]
        rises = len(grey) > 1 and all(later > sooner for sooner, later in pairwise(grey))
        wrong = {"A": -3.0, "B": -1.0, "C": -1.0 - 0.25 * len(set(grey))}
        right = {"A": -3.0, "B": -2.0, "C": -1.0}
        return RawReply("replied", "C" if rises else "B", letter_log_probabilities=right if rises else wrong)

    model = FunctionModel(answer, "function/order", version="1")
    ways = ({}, {"input": "blind"}, {"input": "first"}, {"input": "shuffled"}, {"frames": 4}, {"input": "frozen"})
    made = [ask(bench, folder / f"run-{number}", model, **way) for number, way in enumerate(ways)]
    return [*made, ask(bench, folder / "other", "baseline/random")]


def test_the_changes_in_accuracy_and_margin_stand_in_one_table(runs: list[Path], tmp_path: Path) -> None:
    report = write_report(runs, tmp_path / "report")
    [section] = report.sections
    found, of_four_frames = section_data(section)["inputs"]
    assert [one["shown"] for one in of_four_frames["runs"]] == ["all pictures", "no pictures"]  # which have no number
    told = {one["shown"]: one for one in found["runs"]}
    assert list(told) == [
        "all pictures",
        "no pictures",
        "only the first frame of each clip",
        "the frames in random order",
        "the middle frame in place of every frame",
    ]
    assert [one["accuracy"] for one in told.values()] == [1.0, 0.0, 0.0, 0.0, 0.0]
    # From C at -1 against B at -2, to C below B by a quarter for each different frame.
    margins = [one.get("margin_difference", {}).get("value") for one in told.values()]
    assert margins == [None, -1.0, -1.25, pytest.approx(-1 - 0.25 * 8), -1.25]
    shuffled = told["the frames in random order"]
    assert shuffled["difference"]["value"] == -1.0 and shuffled["difference"]["high"] < 0
    names = [row.compared.name for row in section.rows]
    assert "(blind)" in names[1] and "(first)" in names[2] and "(shuffled)" in names[3]
    page = report.index.read_text(encoding="utf-8")
    table = page[page.index("The same questions by the media that were shown") :]
    rows = re.findall(r"<tr>.*?</tr>", table[: table.index("</tbody>")], re.DOTALL)
    assert len(rows) == 6 and "−100.0" in rows[4] and "−3.00" in rows[4] and "change in margin" in rows[0]
    assert report.problems == ()


def test_without_a_run_with_all_pictures_nothing_is_compared(runs: list[Path], tmp_path: Path) -> None:
    report = write_report(runs[1:4], tmp_path / "report")
    [section] = report.sections
    assert not section.parts["shown_media"].folds
    assert "by the media that were shown" not in report.index.read_text(encoding="utf-8")
