"""Findings of M3-Verse's paper on runs whose answers are known: which hold, which do not, and which cannot be told."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_bench import ask, questions
from report_tables import Tables

import chronotope
from chronotope.evaluate.score import open_run
from chronotope.families import family
from chronotope.media import encode_clip
from chronotope.models import Asked, FunctionModel
from chronotope.question import (
    Benchmark,
    CardDraft,
    MediaItem,
    Option,
    Question,
    measure_media,
    open_benchmark,
    write_benchmark_tables,
)
from chronotope.report import section_data, write_report
from chronotope.view import FramesChoice
from drawn_benchmarks import write_benchmark

CAPABILITIES = ("spatial", "temporal", "attribute", "reasoning")
EACH = 16  # questions about a home


def about(number: int) -> tuple[bool, str, bool]:
    """Whether a question is about both videos, its capability, and whether several options are correct."""
    place = number % EACH
    return place % 2 == 1, CAPABILITIES[place // 2 % 4], place in (1, 4)


def write_bench(folder: Path, homes: int) -> Benchmark:
    (folder / "clips").mkdir(parents=True)
    paths = ("clips/before.mp4", "clips/after.mp4")
    for grey, path in zip((60, 160), paths, strict=True):
        encode_clip([np.full((48, 64, 3), grey + number, np.uint8) for number in range(12)], folder / path, 3)
    questions = [
        Question(
            id=f"q{number:04d}",
            family="m3",
            task="object_changes" if both else "object_info",
            cluster=f"home_{number // EACH}",
            stem=f"Number {number}?",
            options=tuple(map(Option, ("this", "that", "another"))),
            answer=(0, 2) if several else (number // EACH % 2,),
            multiple=several,
            media=tuple(MediaItem(path[6:-4], "video", (path,)) for path in paths),
            tags={
                "state_type": ("inter-states" if both else "intra-state",),
                "capability": (capability,),
                "hallucination": ("yes" if number % 3 == 0 else "no",),
            },
        )
        for number in range(homes * EACH)
        for both, capability, several in [about(number)]
    ]
    draft = CardDraft(name="Homes", family="m3", profile="paper", licence="CC0-1.0")
    write_benchmark_tables(folder, draft, questions, measure_media(folder, paths))
    return open_benchmark(folder)


def answers(asked: Asked) -> str:
    """Right about both videos; about one, right unless it is reasoning, and if four frames of each video are shown.

    Nothing is right without videos and captions. One letter is given even if several are asked for.
    """
    found = re.search(r"Number (\d+)\?", asked.text)
    if found is None:
        return "A room with a table."
    number = int(found[1])
    both, capability, several = about(number)
    captions = "Context:" in asked.text
    sees = len(asked.files) or captions
    right = sees and (both or (capability != "reasoning" and len(asked.files) == 8))
    letter = number // EACH % 2 if not several else 0
    return "ABC"[letter] if right else "B" if several else "ABC"[1 - letter]


def worse(asked: Asked) -> str:
    """Like the smaller model, but wrong about one video."""
    found = re.search(r"Number (\d+)\?", asked.text)
    assert found is not None
    several = about(int(found[1]))[2]
    return answers(asked) if about(int(found[1]))[0] else "B" if several else "ABC"[1 - int(found[1]) // EACH % 2]


def asked_in_all_ways(bench: Benchmark, folder: Path) -> list[Path]:
    small = FunctionModel(answers, "function/seer-4B", at_once=8, version="1")
    large = FunctionModel(worse, "function/seer-8B", at_once=8, version="1")
    ways: dict[str, tuple[Any, dict[str, Any]]] = {
        "four": (small, {"frames": 4}),
        "two": (small, {"frames": 2}),
        "blind": (small, {"input": "blind"}),
        "large": (large, {"frames": 4}),
        "hctr": (small, {"method": "hctr", "clip_length": 6, "clip_frames": 2}),
    }
    return [chronotope.run(bench, model, out=folder / name, **how).folder for name, (model, how) in ways.items()]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], str, list[Path]]:
    """The findings as data, the page, and the runs; eight homes."""
    folder = tmp_path_factory.mktemp("findings")
    runs = asked_in_all_ways(write_bench(folder / "bench", 8), folder)
    made = write_report(runs, folder / "report", FramesChoice("none"))
    data = json.loads(json.dumps(section_data(made.sections[0])["findings"]))
    return data, made.index.read_text(encoding="utf-8"), runs


def found(told: Any, words: str) -> dict[str, Any]:
    [one] = [one for one in told[0] if words in one["words"]]
    return one


def of_four(told: Any, words: str) -> tuple[bool | None, str]:
    """The verdict about the small model with four frames alone."""
    [check] = [one for one in found(told, words)["checks"] if one["about"] == "function/seer-4B (frames 4)"]
    return check["holds"], check["figures"]


def test_each_finding_holds_or_not_or_cannot_be_told(told: Any) -> None:
    assert len(told[0]) == len(family("m3").paper.findings) and all(one["checks"] for one in told[0])
    expected = {
        "above that of random guesses": True,
        "about both videos score higher": True,
        "reasoning is the weakest": True,
        "With one video, attribute is the strongest": False,
        "With both videos, attribute is the strongest": None,  # equal to another one
        "missing things score lower": None,
        "right number of them": True,
    }
    verdicts = {words: of_four(told, words)[0] for words in expected}
    assert verdicts == expected
    assert "both signs are possible" in of_four(told, "missing things")[1]
    assert of_four(told, "right number of them")[1].startswith(
        "several correct options 0.0 %, one correct option 100.0 %: −100.0 points"
    )


def test_pairs_of_runs_differ_in_one_thing_only(told: Any) -> None:
    checks = {words: found(told, words)["checks"] for words in ("larger model", "with the videos", "rise", "Answering")}
    assert [one["holds"] for one in checks["larger model"]] == [True]
    assert "8B" in checks["larger model"][0]["about"].split(" against ")[0]
    assert [one["holds"] for one in checks["with the videos"]] == [True, True]  # with four frames, and with two
    assert [one["holds"] for one in checks["rise"]] == [True]
    # Against four frames HCTR is worse in the answers about one video; against two, both give the same answers.
    assert sorted((one["holds"] for one in checks["Answering"]), key=str) == [False, None]
    gains = found(told, "gains in questions about both videos")["checks"]
    assert [one["holds"] for one in gains] == [None, None]


def test_the_differences_are_those_of_the_replies(told: Any) -> None:
    """Recomputed from the ledgers' readings and the answers of the questions."""
    runs = {folder.name: open_run(folder) for folder in told[2]}

    def score(run: str, both: bool | None = None) -> float:
        earned = []
        for one in runs[run].answered:
            number = int(one.question.stem.split()[1].rstrip("?"))
            if both in (None, about(number)[0]):
                chosen = set(one.reading.options or ())
                right = set(one.question.answer)
                earned.append(len(chosen) / len(right) if chosen and chosen <= right else 0.0)
        return 100 * sum(earned) / len(earned)

    assert f"{score('large') - score('four'):.1f}".replace("-", "−") in found(told, "larger")["checks"][0]["figures"]
    assert f"+{score('four') - score('two'):.1f} points" in found(told, "rise")["checks"][0]["figures"]
    gap = f"+{score('four', True) - score('four', False):.1f} points"
    assert gap in of_four(told, "about both videos score higher")[1]


def test_the_page_has_a_row_for_each_check(told: Any) -> None:
    [table] = [rows for name, rows in Tables(told[1]).tables.items() if name.startswith("Findings of the paper")]
    assert len(table) == 1 + sum(len(one["checks"]) for one in told[0])
    verdicts = {"holds", "does not hold", "cannot be told"}
    assert {next(word for word in verdicts if row[-1].startswith(word)) for row in table[1:]} == verdicts
    assert "M3-Verse specification, section 11.1" in told[1]


def test_a_missing_run_and_too_few_homes_are_reasons(tmp_path: Path) -> None:
    bench = write_bench(tmp_path / "bench", 3)
    run = chronotope.run(bench, FunctionModel(answers, "function/seer", version="1"), out=tmp_path / "run", frames=4)
    made = write_report([run.folder], tmp_path / "report", FramesChoice("none"))
    data = section_data(made.sections[0])["findings"]
    reasons = " ".join(str(one["needs"]) for one in data)
    for flag in ("--input blind", "--frames", "--method", "such as 4B and 8B"):
        assert flag in reasons
    [gap] = [one for one in data if "both videos score higher" in one["words"]]
    assert gap["checks"][0]["holds"] is None
    assert "too few scenes for an interval: 3 of at least 6" in gap["checks"][0]["figures"]


def test_an_overview_of_several_benchmarks_says_of_what_each_has_too_few(tmp_path: Path) -> None:
    homes = write_bench(tmp_path / "bench", 3)
    runs = [chronotope.run(homes, "baseline/constant-A", out=tmp_path / "homes").folder]
    runs.append(ask(write_benchmark(tmp_path / "clips", questions(2)), tmp_path / "two", "baseline/constant-A"))
    page = write_report(runs, tmp_path / "report", FramesChoice("none")).index.read_text(encoding="utf-8")
    [row] = Tables(page).tables["Overview of all runs"][1:]
    assert row[1].endswith("too few scenes") and row[2].endswith("too few clips")
    assert "too few clusters" not in page and "by scene or clip." in page and "\ue000" not in page
