"""Cards of clips with a scene graph, and the failure analysis: from questions of our own and a model that reasons."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import simplejpeg
from report_bench import read_report

from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import run
from chronotope.families import family
from chronotope.families.vgenst.write import questions_of
from chronotope.io import sha256_bytes
from chronotope.media import decode_frames
from chronotope.models import Decoding, FunctionModel
from chronotope.models.model import RawReply
from chronotope.question import MediaItem
from chronotope.report import write_report
from chronotope.report.clip_cards import MOST, _spread
from chronotope.view.frames import FramesChoice
from chronotope.view.scene_script import read_script
from chronotope.world.kinds.stage.graph import draw_graph, scenario_of
from drawn_benchmarks import MARKUP, write_benchmark

TRACE = f"First the camera looks down. {MARKUP} Therefore the first option fits best."


def graph_of(number: int):
    return draw_graph(np.random.default_rng(number), ("HO", "MC", "DS")[number % 3], number // 3)


def written(clips: int) -> list:
    return [
        replace(question, recordings=(question.cluster,))
        for number in range(clips)
        for question in questions_of(
            graph_of(number),
            f"stage-{number}",
            1,
            "paper",
            media=(MediaItem("clip", "video", (f"clips/{number}.mp4",)),),
        ).questions
    ]


def add_scripts(folder: Path, clips: int) -> None:
    for number in range(clips):
        place = folder / "recordings" / f"stage-{number}"
        place.mkdir(parents=True)
        graph = graph_of(number)
        (place / "graph.json").write_text(graph.model_dump_json())
        (place / "scenario.json").write_text(scenario_of(graph).model_dump_json())


def reasons(prompt: object) -> RawReply:
    return RawReply(state="replied", text="A", reasoning=TRACE)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("asked")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHRONOTOPE_CACHE", str(folder / "cache"))
        benchmark = write_benchmark(folder / "bench", written(3), "staged", family="vgenst", frames=24)
        add_scripts(benchmark.folder, 3)
        vgenst = family("vgenst")
        settings = vgenst.RunSettings(frames=4)
        models = (FunctionModel(reasons), "baseline/random")
        return [
            run(benchmark, vgenst, model, Decoding(), settings, Selection(), folder / str(number)).folder
            for number, model in enumerate(models)
        ]


@pytest.fixture(scope="module")
def page(asked: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "report"
    report = write_report(asked, out, FramesChoice("all"))
    assert not report.problems
    return out


def cards(page: Path) -> list[str]:
    text = (page / "index.html").read_text(encoding="utf-8")
    return re.findall(r'<details class="fold card".*?</div></details>', text, re.DOTALL)


def test_a_card_shows_graph_scenario_and_a_question_of_each_level(page: Path) -> None:
    found = cards(page)
    data = read_report(page)
    assert len(found) == 3
    for number, card in enumerate(found):
        graph = graph_of(number)
        for each in graph.objects:
            assert f">{each.label}</th>" in card
        for phase, text in scenario_of(graph).timeline.items():
            assert phase.replace("_", " ") in card and text.replace("'", "&#39;") in card
        assert [level for level in ("L1", "L2", "L3") if f"<h4>{level}</h4>" in card] == ["L1", "L2", "L3"]
        assert f"#scene=stage-{number}" in card and graph.scene_meta.theme.replace("'", "&#39;") in card
        stems = {q["stem"] for q in data["questions"] if q["scene"] == f"stage-{number}"}
        shown = re.findall(r'<p class="asking">(.*?)</p>', card)
        assert len(shown) == 3 and len(set(shown)) == 3
        assert all(any(stem[:20].replace("'", "&#39;") in one for stem in stems) for one in shown)


def test_eight_frames_are_those_of_the_clip(page: Path, asked: list[Path]) -> None:
    for number, card in enumerate(cards(page)):
        files = re.findall(r'src="frames/([0-9a-f]{64}\.jpg)"', card)
        assert len(files) == 8
        clip = asked[0].parent / "bench" / "clips" / f"{number}.mp4"
        wanted = dict(decode_frames(clip, [round(k * 23 / 7) for k in range(8)]))
        for file, rgb in zip(files, wanted.values(), strict=True):
            data = (page / "frames" / file).read_bytes()
            assert sha256_bytes(data) == file.partition(".")[0]
            assert np.abs(simplejpeg.decode_jpeg(data).astype(int) - rgb).mean() < 3


def test_the_reasoning_of_wrong_answers_of_level_3_is_listed(page: Path) -> None:
    data, text = read_report(page), (page / "index.html").read_text(encoding="utf-8")
    section = re.search(r'<section id="failures".*?</section>', text, re.DOTALL)
    assert section is not None and MARKUP not in section[0]
    wrong = [
        item for item in data["items"]
        if data["questions"][item["question"]]["tags"]["level"] == ["L3"] and item["answers"][0]["state"] == "wrong"
    ]  # fmt: skip
    assert wrong and section[0].count("First the camera looks down.") == len(wrong)
    assert section[0].count("<h3>function/reasons</h3>") == 1 and "baseline/random</h3>" not in section[0]
    assert f"{len(wrong)} question" in section[0]


def test_without_frames_and_without_graphs(asked: list[Path], tmp_path: Path) -> None:
    write_report(asked, tmp_path / "plain", FramesChoice("none"))
    assert len(cards(tmp_path / "plain")) == 3
    assert not any("frames/" in card for card in cards(tmp_path / "plain"))
    assert not list((tmp_path / "plain" / "frames").iterdir())


def test_a_broken_graph_is_told_and_the_rest_is_shown(asked: list[Path], tmp_path: Path) -> None:
    graph = asked[0].parent / "bench" / "recordings" / "stage-1" / "graph.json"
    kept = graph.read_text()
    try:
        graph.write_text("{")
        report = write_report(asked, tmp_path / "report", FramesChoice("none"))
        assert any("graph.json" in problem for problem in report.problems)
        assert len(cards(tmp_path / "report")) == 2
        for text in ('{"objects": 3, "scene_meta": {}}', "[]", '{"scene_meta": []}'):
            graph.write_text(text)
            with pytest.raises(InputError, match="not those of a stage"):
                read_script(graph.parent)
    finally:
        graph.write_text(kept)


def test_many_clips_are_spread_over_the_tasks() -> None:
    class Script:
        def __init__(self, task: str) -> None:
            self.task = task

    scripts = {f"{task}-{k}": (None, Script(task)) for task in "ABCDE" for k in range(50)}
    chosen = _spread(scripts)  # type: ignore[arg-type]
    counts = [sum(name.startswith(task) for name in chosen) for task in "ABCDE"]
    assert len(chosen) == MOST and max(counts) - min(counts) <= 1 and chosen == [n for n in scripts if n in chosen]
