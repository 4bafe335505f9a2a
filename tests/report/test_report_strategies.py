"""A report of models asked by several strategies, and of replies read by two readers."""

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_tables import Tables
from typer.testing import CliRunner

from chronotope.cli.app import app
from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import import_replies, run
from chronotope.evaluate.score import open_run, score_run
from chronotope.families import family
from chronotope.make import import_release
from chronotope.models import Decoding
from chronotope.question import Benchmark, open_benchmark
from chronotope.report import write_report
from chronotope.report.compared_runs.opened_runs import compare
from chronotope.report.out.author_files import export_results
from chronotope.report.paper.against_paper import make_against
from chronotope.report.parts.strategies import make_strategies, series, size_of
from chronotope.report.parts.two_readers import two_readers
from chronotope.report.section import make_sections
from chronotope.view import FramesChoice
from ikea_released import TASKS, published_rows, row, write_release
from service import ChatService, completion

PRODUCTS = (
    *(("Chair", name) for name in ("bekvam_3017", "grubban", "lisabo", "stefan", "nordviken")),
    *(("Table", name) for name in ("lunnarp", "gladom", "tornviken")),
)
SETTINGS = {"visual": "baseline", "visual_text": "text_grounding", "text_only": "text_only"}
MODELS = ("Small-VL-2B", "Large-VL-30B-A3B", "Other")
STRATEGIES = {"visual": "visual", "visual_text": "visual text", "text_only": "text only"}
LOOSE = "The answer came late"  # C to the published reader, nothing to ours


def is_right(model: str, strategy: str, number: int) -> bool:
    """Whether a model is right on the question of this number: no two of them alike, and all above chance."""
    return (number * (3 + MODELS.index(model)) + 2 * list(SETTINGS).index(strategy)) % 5 < 3


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """Some questions of each task about eight products; only in D1 no diagram is shown."""
    place = tmp_path_factory.mktemp("strategies")
    rows = [row(task, *product, n) for product in PRODUCTS for task in TASKS for n in range(1 if task == "D2" else 3)]
    import_release("ikea", write_release(place / "release", rows), place / "bench")
    return open_benchmark(place / "bench")


def results(bench: Benchmark, model: str, strategy: str) -> list[dict[str, Any]]:
    """The authors' result file of a model; every seventh reply is loose."""
    rows: list[dict[str, Any]] = []
    for number, question in enumerate(bench.questions):
        wrong = 0 if is_right(model, strategy, number) else 1
        said = "ABCD"[(question.answer[0] + wrong) % len(question.options)]
        reply = LOOSE if number % 7 == 0 else f"Answer: {said}. Reason: it looks so"
        rows.append({"id": question.id, "answer_gt": "ABCD"[question.answer[0]], "raw_response": reply})
    return rows


def save(bench: Benchmark, folder: Path, model: str, strategy: str, rows: list[dict[str, Any]]) -> Path:
    """The run folder of a result file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{model}_{SETTINGS[strategy]}.json"
    file.write_text(json.dumps(rows))
    ikea, out = family("ikea"), folder / f"{model}-{strategy}"
    import_replies(bench, ikea, file, out, ikea.RunSettings(strategy=strategy), model)
    return out


@pytest.fixture(scope="module")
def runs(bench: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two models asked by every strategy, and one by the first alone; a file each."""
    place = tmp_path_factory.mktemp("runs")
    asked = [(model, strategy) for model in MODELS for strategy in SETTINGS if model != "Other" or strategy == "visual"]
    return [save(bench, place, *one, results(bench, *one)) for one in asked]


@pytest.fixture(scope="module")
def page(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> str:
    report = write_report(runs, tmp_path_factory.mktemp("page") / "report", FramesChoice("none"))
    return report.index.read_text()


def numbers_of(bench: Benchmark, task: str) -> list[int]:
    return [n for n, question in enumerate(bench.questions) if task in (question.task, "Overall")]


def accuracy(bench: Benchmark, model: str, strategy: str, task: str) -> Fraction:
    """The share of right answers that a file names without looseness, in percent."""
    numbers = numbers_of(bench, task)
    return Fraction(100 * sum(n % 7 != 0 and is_right(model, strategy, n) for n in numbers), len(numbers))


def signed(points: Fraction) -> str:
    rounded = round(float(points), 1)
    return f"{'+' if rounded > 0 else '−' if rounded < 0 else ''}{abs(rounded):.1f}"


def test_each_model_by_each_strategy(bench: Benchmark, page: str) -> None:
    heads, *rows = Tables(page).tables["Scores by strategy, bench"]
    assert heads == ["model", "strategy", *TASKS, "Overall"] and len(rows) == 8
    for name, strategy, *cells in rows[:-1]:
        key = next(key for key, words in STRATEGIES.items() if words == strategy)
        wanted = [accuracy(bench, name.removeprefix("elsewhere/"), key, task) for task in heads[2:]]
        assert [cell.split()[0] for cell in cells] == [f"{float(one):.1f}" for one in wanted]
    sizes = {task: [len(bench.questions[n].options) for n in numbers_of(bench, task)] for task in heads[2:]}
    chances = [100 * sum(1 / size for size in of) / len(of) for of in sizes.values()]
    assert rows[-1] == ["chance", "", *(f"{one:.1f}" for one in chances)]
    assert chances[0] > 26 and chances[1] == 50


def test_what_a_strategy_changes(bench: Benchmark, page: str) -> None:
    tables = Tables(page)
    heads, *rows = tables.tables["What a strategy changes, bench"]
    assert [row[:2] for row in rows] == [["visual text", "2"], ["text only", "2"]]
    for (_, _, *cells), strategy in zip(rows, ("visual_text", "text_only"), strict=True):
        for cell, task in zip(cells, heads[2:], strict=True):
            apart = [
                accuracy(bench, model, strategy, task) - accuracy(bench, model, "visual", task) for model in MODELS[:2]
            ]
            assert cell.split()[0] == signed(sum(apart, Fraction()) / 2), (strategy, task)
    _, *alone = tables.tables["What a strategy changes for each model, bench"]
    assert [row[0] for row in alone] == [f"elsewhere/{model}" for model in MODELS[:2] for _ in range(2)]
    apart = accuracy(bench, MODELS[1], "text_only", "T1") - accuracy(bench, MODELS[1], "visual", "T1")
    assert alone[3][2].split()[0] == signed(apart)


def test_plots(page: str) -> None:
    figures = {one.split('"')[0]: one.partition("</svg>")[0] for one in page.split('aria-label="Plot ')[1:]}
    by_size, strategies = figures["by size, bench"], figures["of strategies, bench"]
    for figure in (by_size, strategies):
        assert ">Small-VL<" in figure and ">Large-VL<" in figure and ">Other<" not in figure
        assert all(f">{task}<" in figure for task in TASKS)
    assert ">2<" in by_size and ">30<" in by_size
    assert ">text only, %<" in strategies and ">visual, %<" in strategies


def test_two_readers(bench: Benchmark, runs: list[Path], page: str) -> None:
    rows = [row for row in Tables(page).tables["Two readers, bench"][1:] if "visual" in row[1]]
    assert len(rows) == 5
    ours = accuracy(bench, "Other", "visual", "Overall")
    loose = [question for n, question in enumerate(bench.questions) if n % 7 == 0]
    read = [question for question in loose if len(question.options) > 2]
    gained = sum(question.answer == (2,) for question in read)
    assert 0 < gained < len(read) < len(loose)
    [_, strategy, replies, here, there, differ, only_there, only_here] = rows[-1]
    assert (strategy, replies, differ, only_there, only_here) == (
        ("visual", f"{len(bench.questions)}", f"{len(read)}", f"{gained}", "0")
    )
    assert here.split()[0] == f"{float(ours):.1f}"
    assert there.split()[0] == f"{float(ours + Fraction(100 * gained, len(bench.questions))):.1f}"


def test_one_run_of_all_strategies(bench: Benchmark, tmp_path: Path) -> None:
    ikea = family("ikea")
    settings = ikea.RunSettings(strategy="all")
    run(bench, ikea, "baseline/random", Decoding(), settings, Selection(), tmp_path / "all", check=False)
    [section] = make_sections(compare([tmp_path / "all"]))
    [form] = section.forms
    strategies, readers = make_strategies(section.rows, "base", form.tasks), two_readers(section.rows, "base")
    assert strategies is not None and strategies.plot is not None
    [model] = strategies.models
    assert list(model.by) == list(SETTINGS) and strategies.scaling is None
    # What shows no diagram is the same prompt by every strategy, and is asked once.
    assert [effect.tasks["D1"].value for effect in strategies.means] == [0, 0]
    assert [mark.words for mark in section.rows[0].marks] == ["visual, the first of 3 strategies"]
    assert {one.strategy for one in readers} == set(SETTINGS)
    assert not any(one.row.marks for one in readers)  # the table tells the strategy
    assert all(one.differ == 0 and one.ours.value == one.published.value for one in readers)
    exported = export_results([tmp_path / "all"], tmp_path / "out")[0]
    assert [file.name for file in exported] == [f"random_{name}.json" for name in SETTINGS.values()]


class Answers(ChatService):
    """Answers A to a prompt with pictures, and B to a prompt without any."""

    def answer(self, body: dict[str, Any]) -> tuple[int, Mapping[str, Any] | bytes]:
        return 200, completion("Answer: A." if "image_url" in json.dumps(body) else "Answer: B.")


def test_a_stated_route_is_asked_and_scored(bench: Benchmark, tmp_path: Path) -> None:
    """Over HTTP: D2 without pictures, all other tasks with them; each strategy has its own accuracy in one run."""
    command = ["run", str(bench.folder), "--model", "endpoint/x", "--no-check", "--route", "D2=text_only"]
    with Answers() as service:
        flags = ["--base-url", service.url, "--out", str(tmp_path / "routed")]
        made = CliRunner().invoke(app, [*command, *flags])
        assert made.exit_code == 0, made.output
        assert len(service.bodies) == len(bench.questions)
        flags = ["--base-url", service.url, "--strategy", "all", "--out", str(tmp_path / "all")]
        sent = len(service.bodies)
        made = CliRunner().invoke(app, [*command, *flags])
        assert made.exit_code == 0, made.output
        # D1 is alike in all strategies, and a routed prompt is that of one of the three: no further calls.
        assert len(service.bodies) - sent == 3 * len(bench.questions) - 2 * sum(q.task == "D1" for q in bench.questions)
        other = [*command[:-1], "D2=visual", "--base-url", service.url, "--out", str(tmp_path / "routed")]
        refused = CliRunner().invoke(app, other)
    assert refused.exit_code == 2 and "route" in refused.output  # another route is another run
    scores = score_run(open_run(tmp_path / "routed"))
    right = {
        task: [q.answer[0] == (1 if task == "D2" else 0) for q in bench.questions if q.task == task] for task in TASKS
    }
    assert scores.strategy == "routed" and {task: one.value for task, one in scores.tasks.items()} == pytest.approx(
        {task: sum(of) / len(of) for task, of in right.items()}
    )
    assert scores.overall.items == len(bench.questions)
    every = score_run(open_run(tmp_path / "all"))
    assert list(every.strategies) == [*SETTINGS, "routed"] and every.strategies["routed"] == scores.overall
    page = write_report(
        [tmp_path / "routed", tmp_path / "all"], tmp_path / "report", FramesChoice("none"), against_paper=True
    )
    assert "its strategy is routed, but the published rows have visual" in page.index.read_text(encoding="utf-8")
    files, left_out = export_results([tmp_path / "all"], tmp_path / "out")
    assert [file.name for file in files] == [f"x_{name}.json" for name in SETTINGS.values()]
    assert left_out == len(bench.questions)  # the authors' files have no routes


def test_result_files_come_back(bench: Benchmark, runs: list[Path], tmp_path: Path) -> None:
    files = export_results(runs, tmp_path / "out")[0]
    assert [file.name for file in files[:4]] == [
        *(f"small-vl-2b_{name}.json" for name in SETTINGS.values()),
        "large-vl-30b-a3b_baseline.json",
    ]
    rows = json.loads(files[0].read_text())
    source = results(bench, MODELS[0], "visual")
    codes = dict(zip(TASKS, ("1a", "1b", "2a", "2b", "1c", "2c"), strict=True))
    for number, (one, said, question) in enumerate(zip(rows, source, bench.questions, strict=True)):
        assert one["type"] == codes[question.task] and one["product"] == question.tags["product"][0]
        assert {name: one[name] for name in said} == said
        read = None if number % 7 == 0 else said["raw_response"][8]
        assert one["answer_pred"] == read and one["correct"] is (read == one["answer_gt"])
    again = save(bench, tmp_path / "again", MODELS[0], "visual", rows)
    first, second = (one.scores for one in compare([runs[0], again]))
    assert first.overall == second.overall and first.tasks == second.tasks


def test_the_command_exports(runs: list[Path], tmp_path: Path) -> None:
    words = ["report", str(runs[0]), "--out", str(tmp_path / "report"), "--frames", "none"]
    told = CliRunner().invoke(app, [*words, "--export", str(tmp_path / "out"), "--json"])
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["exported"] == [str(tmp_path / "out" / "small-vl-2b_baseline.json")]


@pytest.mark.slow
def test_runs_stand_in_the_table_of_their_strategy(tmp_path: Path) -> None:
    import_release("ikea", write_release(tmp_path / "release", published_rows()), tmp_path / "bench")
    bench = open_benchmark(tmp_path / "bench")
    asked = ("visual", "text_only")
    runs = [save(bench, tmp_path / "runs", "Some", name, results(bench, MODELS[0], name)) for name in asked]
    [against] = make_against(make_sections(compare(runs)))[0]
    assert [table.source for table in against.tables] == ["Table 4", "Tables 9–13", "Tables 9–13"]
    assert not any(row.own for row in (*against.tables[1].rows, *against.tables[1].apart))
    for table, strategy in zip(against.tables[::2], asked, strict=True):
        [own] = [row for row in table.rows if row.own is not None]
        assert not table.apart and own.own is not None and own.own.scores.strategy == strategy
        assert [mark.words for mark in own.own.marks] == ["asked elsewhere"]
        wanted = [accuracy(bench, MODELS[0], strategy, task) for task in TASKS]
        assert [cell.text for cell in own.cells] == [f"{float(one):.1f}" for one in (*wanted, sum(wanted) / 6)]


def test_other_questions_and_amounts_are_no_match(bench: Benchmark, runs: list[Path], tmp_path: Path) -> None:
    ikea = family("ikea")
    settings = ikea.RunSettings(strategy="visual", frames=2)
    run(bench, ikea, "baseline/random", Decoding(), settings, Selection(limit=8), tmp_path / "few", check=False)
    [against] = make_against(make_sections(compare([runs[1], tmp_path / "few"])))[0]
    [described] = against.tables[1].apart
    assert described.why == (f"bench has {len(bench.questions)} questions, the released set 1,623",)
    [few] = against.tables[0].apart
    assert "--frames is 2 (as published: not given)" in few.why
    assert against.tables[2].apart == ()


@pytest.mark.parametrize(
    ("name", "size", "kind"),
    [
        ("Qwen3-VL-8B", 8, "Qwen3-VL"),
        ("Qwen3-VL-30B-A3B", 30, "Qwen3-VL"),
        ("Qwen/Qwen2.5-VL-7B-Instruct", 7, "Qwen/Qwen2.5-VL-Instruct"),
        ("InternVL3_5-38B", 38, "InternVL3_5"),
        ("SmolVLM2-500M-Video-Instruct", 0.5, "SmolVLM2-Video-Instruct"),
        ("gemma-3-4b-it", 4, "gemma-3-it"),
        ("LLaVA-OneVision-1.5-8B", 8, "LLaVA-OneVision-1.5"),
        ("llava-0.5b", 0.5, "llava"),
        ("MiniCPM-V-4.5", None, "MiniCPM-V-4.5"),
        ("gpt-4b-o1mini", 4, "gpt-o1mini"),
        ("2bit-model", None, "2bit-model"),
        ("", None, ""),
    ],
)
def test_sizes_that_names_tell(name: str, size: float | None, kind: str) -> None:
    assert size_of(name) == size and series(name) == kind


@given(st.text())
def test_any_name_has_a_series(name: str) -> None:
    assert size_of(series(name) + "-7B") == 7 or size_of(series(name)) is not None
