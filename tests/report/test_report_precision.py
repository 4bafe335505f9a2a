"""Precision in the report: sentences, plot, tables and data, from observers of known precision."""

import csv
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from report_bench import ask, questions
from report_browser import Tab
from report_tables import Tables, row_of
from typer.testing import CliRunner

from chronotope.cli.app import app
from chronotope.evaluate.run import import_replies
from chronotope.families import family
from chronotope.question import Benchmark, MediaItem, Option, Question, open_benchmark
from chronotope.report import section_data, write_report
from chronotope.report.compared_runs.opened_runs import compare
from chronotope.report.report import Report
from chronotope.report.section import make_sections
from chronotope.view import FramesChoice
from chronotope.view.precision import interval_words, precision_data, precision_sentence, sight_of, threshold_words
from drawn_benchmarks import write_benchmark
from simulated_observers import SIGMAS

NONE = FramesChoice("none")
ROOMS, MEDIA = 20, 4  # clusters, and clips that they share
LADDERS = {"sizes": ("1.05", "1.1", "1.2", "1.4", "2"), "turns": ("5°", "10°", "20°", "40°")}
RUNS = {"fine": 0.25, "coarse": 1.0, "blind": 50.0}  # thresholds in those of an observer of 1 : 1.3 and 15°


def ladder_questions() -> list[Question]:
    found, generator = [], np.random.default_rng(4)
    for room in range(ROOMS):
        for quantity, ladder in LADDERS.items():
            for spacing in ladder:
                for scale in ("stated", "none")[: 2 if quantity == "sizes" and spacing == "1.4" else 1]:
                    number = len(found)
                    tags = {"quantity": (quantity,), "spacing": (spacing,)}
                    tags |= {"scale": (scale,)} if quantity == "sizes" else {}
                    found.append(
                        Question(
                            id=f"q{number}",
                            family="sti",
                            task="Dimensional Measurement" if quantity == "sizes" else "Trajectory Description",
                            cluster=f"room-{room}",
                            stem=f"How much is it in question {number}?",
                            options=tuple(Option(f"{number + step}.5") for step in range(5)),
                            answer=(int(generator.integers(5)),),
                            media=(MediaItem("video", "video", (f"clips/{room % MEDIA}.mp4",)),),
                            tags=tags,
                        )
                    )
    return found


def pick(question: Question, times: float, generator: np.random.Generator) -> str:
    text = question.tags["spacing"][0]
    threshold, spacing = (15.0, float(text[:-1])) if text.endswith("°") else (math.log(1.3), math.log(float(text)))
    error = generator.normal() * times * threshold / SIGMAS
    return "ABCDE"[int(np.clip(np.rint(question.answer[0] + error / spacing), 0, 4))]


def observed(benchmark: Benchmark, name: str, times: float) -> Path:
    """A run of an observer."""
    generator, sti = np.random.default_rng(len(name)), family("sti")
    file = benchmark.folder.parent / f"{name}.jsonl"
    replies = [{"id": one.id, "reply": pick(one, times, generator)} for one in benchmark.questions]
    file.write_text("".join(json.dumps(one) + "\n" for one in replies))
    import_replies(benchmark, sti, file, file.with_suffix(""), sti.RunSettings(), name)
    return file.with_suffix("")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    benchmark = write_benchmark(tmp_path_factory.mktemp("precision") / "bench", ladder_questions(), name="Ladder")
    return [observed(benchmark, name, times) for name, times in RUNS.items()]


@pytest.fixture(scope="module")
def report(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Report:
    return write_report(runs, tmp_path_factory.mktemp("page") / "report", NONE, formats=("csv",))


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", "", html).split())


def part(report: Report) -> str:
    """The plots and sentences about precision."""
    page = report.index.read_text()
    start = page.index("<h3>Precision</h3>")
    return page[start : page.index('<div class="folds"', start)]


def test_each_quantity_has_one_plot_and_one_sentence(report: Report) -> None:
    figures = re.findall(r'<figure class="quantity">(.*?)</figure>', part(report), re.DOTALL)
    assert all(one.count("<svg role=") == one.count("<p>") == 1 for one in figures)
    said = {text_of(one.partition("</figcaption>")[0]): text_of(one[one.index("<p>") :]) for one in figures}
    assert list(said) == ["Sizes", "Turns"]  # one spacing alone, as without a stated scale, shows no precision
    assert re.fullmatch(
        r"elsewhere/fine sees sizes to (better than )?1 : 1\.\d+ \(.*?\); elsewhere/coarse sees sizes to 1 : 1\.\d+ "
        r"\(1\.\d+ to 1\.\d+\); elsewhere/blind is not clearly better than a guess\.",
        " ".join(said["Sizes"].split()),
    )
    for name, scores in report.scores.items():
        for one in scores.precision:
            words = f"{name} {precision_sentence(one, 'clip')}"
            if sight_of(one) not in ("few", "guess") and one.widest > one.finest:
                assert words in " ".join(said[one.subject.name.capitalize()].split())
    assert "apart" not in text_of(part(report)) and "<li>" not in part(report).partition("</ul>")[2]


def test_observers_are_found_again(report: Report) -> None:
    held = []
    for scores, times in zip(report.scores.values(), RUNS.values(), strict=True):
        for one in scores.precision:
            truth = times * (15.0 if one.subject.unit == "degrees" else math.log(1.3))
            assert one.fit.low is not None and one.fit.high is not None
            held.append(one.fit.low <= truth <= one.fit.high)
    assert len(held) == 9 and sum(held) >= 8


def test_tables_have_thresholds_and_ratios(report: Report) -> None:
    tables = Tables(report.index.read_text())
    thresholds = tables.rows("Thresholds, Ladder")
    assert list(row_of(thresholds, "elsewhere/fine")) == ["sizes", "sizes without a stated scale", "turns"]
    for name, scores in report.scores.items():
        row = row_of(thresholds, name)
        for one in scores.precision:
            counts = f"{one.fit.items} q, {one.fit.clusters} clips"
            interval = "" if sight_of(one) == "guess" else f" {interval_words(one)}"
            assert row[one.subject.name] == f"{threshold_words(one)}{interval} {counts}"
    compared = tables.rows("Thresholds compared with the finest run")
    assert row_of(compared, "elsewhere/fine")["turns"] == "smallest"
    coarse, blind = (row_of(compared, f"elsewhere/{name}")["turns"] for name in ("coarse", "blind"))
    assert re.fullmatch(r"\d\.\d\d ≠ \d\.\d\d to \d\.\d\d 80 q, 20 clips", coarse)
    assert re.fullmatch(r"at least [\d.]+ ≠ 80 q, 20 clips", blind)
    numbers = report.index.read_text().partition("<h3>Precision in numbers</h3>")[2].partition("<details")[0]
    sentences = [text_of(line) for line in re.findall(r"<li>(.*?)</li>", numbers, re.DOTALL)]
    assert 3 <= len(sentences) <= 6 and not any("cannot" in line or "no difference" in line for line in sentences)
    assert any(
        line.startswith("elsewhere/coarse tells turns apart less finely than elsewhere/fine") for line in sentences
    )
    head, of, *rows = tables.tables["Accuracy by scale, Ladder"]
    assert (head, of) == (["", "sizes"], ["model", "stated", "none"])
    for row, scores in zip(rows, report.scores.values(), strict=True):
        for cell, one in zip(row[1:], scores.scales["sizes"].values(), strict=True):
            assert cell.startswith(f"{100 * one.value:.1f} ") and cell.endswith(f"{one.items} q, {one.clusters} clips")


def test_a_plot_names_its_axis_and_thresholds_and_goes_from_0_to_100(report: Report) -> None:
    sizes, turns = re.findall(r"<figure class=\"quantity\">.*?(<svg role=.*?</svg>)", part(report), re.DOTALL)
    texts = [[text_of(one) for one in re.findall(r"<text.*?</text>", plot, re.DOTALL)] for plot in (sizes, turns)]
    for of, *wanted in (
        (texts[0], "1.05", "1.4", "ratio of neighbouring options"),
        (texts[1], "40°", "angle between options"),
    ):
        assert {*wanted, "0", "100"} <= set(of) and not any(one.startswith(("−", "-")) for one in of)
    coarse = report.scores["elsewhere/coarse"].precision[0]
    assert threshold_words(coarse) in texts[0] and "style=" not in sizes


def test_data_and_tables_for_programs(report: Report) -> None:
    [section] = report.sections
    data = section_data(section)
    json.dumps(data, allow_nan=False)
    for run, scores in zip(data["runs"], report.scores.values(), strict=True):
        assert run["precision"] == [precision_data(one, "clip") for one in scores.precision]
        assert list(run["scales"]) == ["sizes"] and list(run["scales"]["sizes"]) == ["stated", "none"]
    pairs = [(one["first"], one["second"], one["quantity"]) for one in data["precision_ratios"]]
    assert len(pairs) == 9 and ("elsewhere/fine", "elsewhere/blind", "turns") in pairs
    with (report.index.parent / "tables/scores.csv").open() as file:
        lines = [line for line in csv.DictReader(file) if line["run"] == "elsewhere/coarse"]
    [turns] = [line for line in lines if (line["group"], line["name"]) == ("threshold, degrees", "turns")]
    [threshold] = [one["threshold"] for one in data["runs"][1]["precision"] if one["quantity"] == "turns"]
    assert (float(turns["value"]), turns["items"]) == (pytest.approx(threshold), "80")
    assert [line["name"] for line in lines if line["group"] == "turns by spacing"] == list(LADDERS["turns"])


def test_the_command_line_tells_thresholds(runs: list[Path]) -> None:
    told = CliRunner().invoke(app, ["show", str(runs[1].parent)])
    assert told.exit_code == 0, told.output
    lines = [" ".join(line.replace("│", " ").split()) for line in told.output.splitlines()]
    [head] = [place for place, line in enumerate(lines) if line.startswith("Precision: smallest spacing that is seen")]
    assert any(re.match(r"sizes .*1 : 1\.\d+ \(1\.\d+ to 1\.\d+\), [56]\d % correct", line) for line in lines[head:])
    assert any(line.startswith("turns ") and "°" in line for line in lines[head:])
    assert "cannot tell" not in told.output and len(lines) - head < 15
    assert "not clearly better than a guess at any quantity: elsewhere/blind" in told.output
    told = CliRunner().invoke(app, ["show", str(runs[1]), "--json"])
    assert [one["quantity"] for one in json.loads(told.stdout)["precision"]] == ["sizes", "sizes", "turns"]


def test_runs_without_pictures_have_no_threshold_and_values_are_sorted(runs: list[Path], tmp_path: Path) -> None:
    baseline = ask(open_benchmark(runs[0].parent / "bench"), tmp_path / "random", "baseline/random")
    made = write_report([*runs, baseline], tmp_path / "report", NONE)
    tables = Tables(made.index.read_text())
    cells = row_of(tables.rows("Thresholds, Ladder"), "baseline/random")
    assert all(
        re.fullmatch(r"(may be guessing|not known|above chance) \d+ q, \d+ clips", one) for one in cells.values()
    )
    assert "baseline/random" not in tables.rows("Thresholds compared with the finest run")
    assert tables.tables["Scores by spacing, Ladder"][0][1:] == [*LADDERS["sizes"], *LADDERS["turns"]]
    # Alone, no run has a known threshold: nothing is compared.
    alone = write_report([runs[2], baseline], tmp_path / "alone", NONE).index.read_text()
    assert "Thresholds compared with" not in alone and "Comparison with the run of the smallest" not in alone


def test_a_benchmark_without_spacings_has_no_such_part(tmp_path: Path) -> None:
    benchmark = write_benchmark(tmp_path / "bench", questions(1))
    [section] = make_sections(compare([ask(benchmark, tmp_path / "run", "baseline/random")]))
    assert not section.parts["precision"].folds
    data = section_data(section)
    assert (data["precision_ratios"], data["runs"][0]["precision"], data["runs"][0]["scales"]) == ([], [], {})


def test_a_run_of_few_clips_says_so(tmp_path: Path) -> None:
    some = [one for one in ladder_questions() if one.cluster in ("room-0", "room-1", "room-2")]
    benchmark = write_benchmark(tmp_path / "bench", some, name="Few")
    runs = [observed(benchmark, name, times) for name, times in (("one", 1.0), ("two", 1.0))]
    report = write_report(runs, tmp_path / "report", NONE)
    wanted = (
        "Too few questions, spacings or clips to say how finely runs see sizes, sizes without a stated scale, turns."
    )
    assert wanted in text_of(part(report)) and "<figure" not in part(report)
    assert row_of(Tables(report.index.read_text()).rows("Thresholds, Few"), "elsewhere/one")["turns"].endswith(
        "too few clips 12 q, 3 clips"
    )


def test_the_part_fits_a_narrow_screen(tab: Tab, report: Report) -> None:
    tab.open(report.index, width=390, scheme="dark")
    assert tab.ask("document.documentElement.scrollWidth") <= 390
    inside = "document.querySelector('figure.quantity')"
    assert tab.ask(f"{inside}.querySelectorAll('svg path').length") > 20
    colour = tab.ask("getComputedStyle(document.body).color")
    assert tab.ask(f"getComputedStyle({inside}.querySelector('svg text')).fill") == colour
