"""Ranks and difficulty in the report: runs of known ability, on the page and as data."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from report_bench import ask, questions
from report_tables import Tables

from chronotope.models import Asked, FunctionModel, RawReply
from chronotope.report import section_data, write_report
from drawn_benchmarks import write_benchmark

ABILITIES = (0.97, 0.92, 0.85, 0.8, 0.72, 0.62, 0.55, 0.48)
CLIPS = 8
TEMPTING = "clip 3 on a Monday"  # better runs fail it, and worse ones pass


def model(number: int) -> FunctionModel:
    """A run that is right as often as its ability says; the right letter is C."""

    def answer(asked: Asked) -> RawReply:
        drawn = random.Random(asked.text).random()  # the same questions are hard for all
        right = drawn < ABILITIES[number] if TEMPTING not in asked.text else number >= 5
        return RawReply("replied", "C" if right else "B")

    return FunctionModel(answer, f"function/m{number}", version="1")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("ranks")
    bench = write_benchmark(folder / "bench", [replace(one, window=None) for one in questions(CLIPS)])
    found = [ask(bench, folder / f"m{number}", model(number)) for number in range(len(ABILITIES))]
    return [*found, ask(bench, folder / "random", "baseline/random"), ask(bench, folder / "few", model(0), limit=4)]


def test_ranks_have_intervals_and_name_who_is_left_out(runs: list[Path], tmp_path: Path) -> None:
    report = write_report(runs, tmp_path / "report")
    [section] = report.sections
    [table] = section_data(section)["ranks"]
    rows = table["rows"]
    assert [row["rank"] for row in rows] == sorted(row["rank"] for row in rows)
    assert [row["accuracy"] for row in rows] == sorted((row["accuracy"] for row in rows), reverse=True)
    assert "m0" in rows[0]["model"] and "random" in rows[-1]["model"]
    first, last = rows[0]["95 % interval of the rank"], rows[-1]["95 % interval of the rank"]
    assert first[0] == 1 and last[1] == 9
    assert all(
        row["95 % interval of the rank"][0] <= row["rank"] <= row["95 % interval of the rank"][1] for row in rows
    )
    assert any(row["clips needed"] for row in rows) and rows[-1]["more than the next"] is None
    shown = Tables(report.index.read_text()).rows("Ranks")
    assert len(shown) == 9
    assert "Left out, because they were asked fewer questions" in report.index.read_text()


def test_difficulty_tells_abilities_features_and_doubtful_questions(runs: list[Path], tmp_path: Path) -> None:
    report = write_report(runs, tmp_path / "report")
    [section] = report.sections
    abilities, features, doubtful = section_data(section)["question_difficulty"]
    known = [row["ability (logits)"] for row in abilities["rows"]]
    assert known == sorted(known, reverse=True) and len(known) == 8  # not the random baseline, which tells nothing
    assert {row["feature"] for row in features["rows"]} == set()  # all questions have equal features here
    first = doubtful["rows"][0]
    assert first["question"] == "clip-3-monday" and first["runs that are right"] == 3 and first["p"] < 0.05
    assert "Plot of the difficulties" in report.index.read_text()


def test_two_runs_have_neither(runs: list[Path], tmp_path: Path) -> None:
    [section] = write_report(runs[:2], tmp_path / "report").sections
    assert "ranks" not in section.parts and "question_difficulty" not in section.parts
