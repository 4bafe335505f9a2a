"""Calibration and margin in the report, from the letters' log-probabilities in the ledger."""

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from report_bench import ask, questions

from chronotope.models import Asked, FunctionModel, RawReply
from chronotope.report import section_data, write_report
from drawn_benchmarks import write_benchmark

# By the day in the question: the probabilities of the letters. The correct letter is C, and there are 7 clips.
TOLD = {
    "Monday": {"A": 0.05, "B": 0.05, "C": 0.85, "D": 0.05},
    "Tuesday": {"A": 0.05, "B": 0.85, "C": 0.05, "D": 0.05},
    "Wednesday": {"A": 0.1, "B": 0.2, "C": 0.5, "D": 0.1},  # sums to 0.9: the rest went to other tokens
    "Thursday": {"A": 0.4},  # the service gave one letter only
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("calibration")
    bench = write_benchmark(folder / "bench", [replace(one, window=None) for one in questions()])

    def answer(asked: Asked) -> RawReply:
        [known] = [of for day, of in TOLD.items() if day in asked.text]
        return RawReply("replied", "C", letter_log_probabilities={name: math.log(p) for name, p in known.items()})

    told = ask(bench, folder / "told", FunctionModel(answer, "function/sure", version="1"))
    return [told, ask(bench, folder / "other", "baseline/random")]


def test_calibration_and_margin_are_those_of_the_definition(runs: list[Path], tmp_path: Path) -> None:
    report = write_report(runs, tmp_path / "report")
    [section] = report.sections
    [told] = section_data(section)["calibration"]  # baseline/random has no probabilities
    scaled = 0.5 / 0.9
    assert told["items"] == 28
    assert told["confidence"] == pytest.approx((0.85 + 0.85 + scaled + 1) / 4)
    assert told["accuracy"] == 0.5
    # Three bins: at 0.56 always right, at 0.85 right for every second ask, at 1 never right.
    assert [(one["confidence"], one["accuracy"], one["items"]) for one in told["bins"]] == [
        (pytest.approx(scaled), 1.0, 7),
        (pytest.approx(0.85), 0.5, 14),
        (1.0, 0.0, 7),
    ]
    assert told["error"] == pytest.approx((1 - scaled) / 4 + 0.35 / 2 + 1 / 4)
    # The margin is unknown where the correct letter has no probability.
    sure, wrong, half = math.log(0.85 / 0.05), math.log(0.05 / 0.85), math.log(0.5 / 0.2)
    assert told["margin"]["value"] == pytest.approx((sure + wrong + half) / 3)
    assert (told["margin"]["items"], told["margin"]["clusters"]) == (21, 7)
    page = report.index.read_text(encoding="utf-8")
    part = page[page.index("does the model know when it is right?") :]
    rows = re.findall(r"<tr>.*?</tr>", part[: part.index("</tbody>")], re.DOTALL)
    assert len(rows) == 2 and "+0.31" in rows[1] and "function/<wbr>sure" in rows[1]
    assert "expected calibration error" in rows[0] and f"{100 * told['error']:.1f}" in rows[1]
    assert "Accuracy in percent by confidence" in part
    assert report.problems == ()


def test_runs_without_probabilities_have_no_calibration(runs: list[Path], tmp_path: Path) -> None:
    report = write_report(runs[1:], tmp_path / "report")
    [section] = report.sections
    assert not section.parts["calibration"].folds and section_data(section)["calibration"] == []
    assert "does the model know when it is right?" not in report.index.read_text(encoding="utf-8")
