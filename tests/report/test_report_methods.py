"""Runs with a method beside the published rows of this method, and nowhere else."""

from collections.abc import Callable
from pathlib import Path

import pytest
from report_tables import Tables

import chronotope
from chronotope.models import Asked, FunctionModel
from chronotope.question import (
    Benchmark,
    MediaItem,
    Option,
    Question,
)
from chronotope.report import write_report
from chronotope.view import FramesChoice
from drawn_benchmarks import write_benchmark

pytestmark = pytest.mark.slow

RELEASED = 2932  # questions, as the paper has


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """As many questions as were released, all about one home."""
    folder = tmp_path_factory.mktemp("released") / "bench"
    questions = [
        Question(
            id=f"q{number:04d}",
            family="m3",
            task="object_changes",
            cluster=f"scene_{number % 10}",
            stem=f"Number {number}?",
            options=(Option("this"), Option("that")),
            answer=(number % 2,),
            media=tuple(MediaItem(role, "video", (f"clips/{n}.mp4",)) for n, role in enumerate(("before", "after"))),
            tags={"state_type": ("inter-states",), "capability": ("spatial",), "hallucination": ("no",)},
        )
        for number in range(RELEASED)
    ]
    return write_benchmark(folder, questions, "M3-Verse", "CC0-1.0", "paper", family="m3", frames=12, fps=3)


def answer(asked: Asked) -> str:
    return "A"


def model(name: str, function: Callable[[Asked], str] = answer) -> FunctionModel:
    return FunctionModel(function, f"function/{name}", at_once=8, version="1")


def test_only_a_run_as_published_stands_among_the_rows_of_table_7(bench: Benchmark, tmp_path: Path) -> None:
    published = {"clip_length": 50, "clip_frames": 50}
    how = {
        "as-published": (published, {}),
        "other-length": (published | {"clip_length": 60}, {}),
        "captions-by-another": (published, {"caption_model": model("captioner")}),
        "without-summary": (published | {"summary": False}, {}),
    }
    runs = [
        chronotope.run(bench, model(name), out=tmp_path / name, method="hctr", **settings, **others)
        for name, (settings, others) in how.items()
    ]
    runs.append(chronotope.run(bench, model("asked"), out=tmp_path / "asked", frames=200))
    made = write_report([run.folder for run in runs], tmp_path / "report", FramesChoice("none"), against_paper=True)
    page = made.index.read_text(encoding="utf-8")
    tables = Tables(page).tables

    def own(table: str) -> list[str]:
        return [
            row[1] if row[0].isdigit() else row[0] for row in tables[f"{table}, m3"] if "function/" in " ".join(row)
        ]

    assert [name.split()[0] for name in own("Table 2 of the paper")] == ["function/asked"]
    [row] = own("Table 7 of the paper")
    assert row.startswith("function/as-published")
    assert {name.split(":")[0].split()[0] for name in own("Table 8 as printed")} == {f"function/{name}" for name in how}
    for words in (
        "--clip-length is 60 (as published: 50 or 100 or 200)",
        "--caption-model is function/captioner (as published: not given)",
        "--summary is False (as published: True)",
    ):
        assert words in page, words
    assert "captions-by-another" in page and "caption by function/captioner, 2 calls" in page
