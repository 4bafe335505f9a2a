"""The top of the page: the sentence that matters, every run at a glance, bars that say what they are of."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from report_bench import CLIPS, DAYS, TASKS, ask, questions
from report_browser import Tab
from report_tables import Tables

from chronotope.evaluate.run import import_replies
from chronotope.families import family
from chronotope.question import Benchmark
from chronotope.report import write_report
from chronotope.report.compared_runs.opened_runs import compare
from chronotope.report.overview import make_overview
from chronotope.report.section import make_sections
from chronotope.view import FramesChoice
from drawn_benchmarks import write_benchmark

NONE = FramesChoice("none")


def score(benchmark: Benchmark, name: str, right: Iterable[str]) -> Path:
    """A run, called ``name``, that is right on these days and on no others."""
    file, sti = benchmark.folder.parent / f"{name}.jsonl", family("sti")
    days = set(right)
    replies = {q.id: "C" if any(f"on a {day}" in q.stem for day in days) else "B" for q in benchmark.questions}
    file.write_text("".join(json.dumps({"id": key, "reply": reply}) + "\n" for key, reply in replies.items()))
    import_replies(benchmark, sti, file, file.with_suffix(""), sti.RunSettings(), name)
    return file.with_suffix("")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return write_benchmark(tmp_path_factory.mktemp("overview") / "bench", questions(), name="Bench")


@pytest.fixture(scope="module")
def runs(bench: Benchmark) -> list[Path]:
    """Right in nothing of the second task; in half of each; in everything. The last is the best."""
    days = {"first-task": ["Monday", "Wednesday"], "half": ["Monday", "Tuesday"], "all": list(DAYS)}
    return [score(bench, name, right) for name, right in days.items()]


@pytest.fixture(scope="module")
def page(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(runs, tmp_path_factory.mktemp("page") / "report", NONE).index


def headlines(page: Path) -> list[str]:
    found = re.findall(r'<p class="headline.*?">(.*?)</p>', page.read_text(), re.DOTALL)
    return [" ".join(re.sub(r"<[^>]*>", "", one).split()) for one in found]  # no-break spaces become spaces


def test_the_page_begins_with_the_best_run_and_its_lead(page: Path) -> None:
    [said] = headlines(page)
    assert said.startswith("elsewhere/all is right on 100 % of 28 questions; a random guess on 25 %. That is clearly ")
    assert f"better than a random guess: the 95 % interval over {CLIPS} clips is 83 to 100 %." in said
    assert 'class="lead"' not in page.read_text()  # without frames, no question stands at the top
    assert re.search(
        r"It scored 50\.0 points more than elsewhere/first-task \(95 % interval of the difference \+\d+\.\d to ", said
    )
    text = page.read_text()
    assert (
        text.index('<p class="headline')
        < text.index('<h2 id="overview-head">At a glance')
        < text.index("Overview of all runs")
        < text.index("<h2>Bench")
    )


def shade(clip: int, number: int) -> np.ndarray:
    return np.full((48, 64, 3), 20 + 10 * clip + number, np.uint8)


def test_a_task_that_is_better_than_a_guess_is_named_if_all_together_are_not(tmp_path: Path) -> None:
    """Half of the first task is right, and nothing of the second: a fourth of all, as of a guess."""
    bench = write_benchmark(tmp_path / "bench", questions(20), name="Bench", picture=shade)
    [said] = headlines(write_report([score(bench, "half-of-one", ["Monday"])], tmp_path / "report", NONE).index)
    assert "That is not clearly better than a random guess: the 95 % interval over 20 clips is" in said
    task = TASKS[0].replace("&", "&amp;")
    assert f"On 1 of the 2 tasks, taken alone, it is clearly better than a guess ({task}); one of several" in said


def test_what_clips_cannot_tell_apart_is_said(bench: Benchmark, tmp_path: Path) -> None:
    runs = [ask(bench, tmp_path / name, f"baseline/{name}") for name in ("constant-A", "constant-B")]
    [said] = headlines(write_report(runs, tmp_path / "report", NONE).index)
    assert said.startswith("baseline/constant-A is right on 0 % of 28 questions; a random guess on 25 %.")
    assert "That is clearly worse than a random guess: the 95 % interval over 7 clips is 0 to 17 %." in said
    assert "It scored the same as baseline/constant-B" in said and "7 clips are too few to tell which of the" in said
    [alone] = headlines(write_report(runs[:1], tmp_path / "alone", NONE).index)
    assert alone.startswith("baseline/constant-A is right on 0 %") and "differs" not in alone


def test_every_run_at_a_glance_the_best_first_and_overall_first(page: Path) -> None:
    rows = Tables(page.read_text()).tables["Overview of all runs"]
    assert rows[0] == ["model", "Overall", *TASKS]
    assert [row[0].split()[0] for row in rows[1:]] == ["elsewhere/all", "elsewhere/first-task", "elsewhere/half"]
    assert [cell.partition("%")[0] for cell in rows[2][1:]] == ["50.0 ", "100.0 ", "0 "]


def test_of_several_benchmarks_there_is_a_column_each(bench: Benchmark, runs: list[Path], tmp_path: Path) -> None:
    second = write_benchmark(tmp_path / "second", questions(2), name="Second")
    more = [score(second, "half", ["Monday", "Tuesday"]), ask(second, tmp_path / "A", "baseline/constant-A")]
    page = write_report([*runs, *more], tmp_path / "report", NONE).index
    rows = Tables(page.read_text()).tables["Overview of all runs"]
    assert rows[0] == ["model", "Bench", "Second"]
    assert rows[1][0].startswith("elsewhere/half") and [cell.split(" %")[0] for cell in rows[1][1:]] == ["50.0", "50.0"]
    of = {row[0].split()[0]: row[1:] for row in rows[1:]}
    assert of["baseline/constant-A"][0] == "not asked" and of["elsewhere/all"][1] == "not asked"
    assert [said.split(".")[0] for said in headlines(page)] == ["Bench", "Second"]
    second = headlines(page)[1]
    assert "elsewhere/half is right on 50 % of 8 questions; baseline/constant-A, which sees nothing, on 0 %;" in second
    assert "a random guess on 25 %. 2 clips are too few to tell this from a random guess." in second


def test_a_bar_is_as_long_as_its_figure_and_none_is_not_nothing(page: Path, tab: Tab) -> None:
    """Of 0 % something is to be seen and "0 %" to be read; what was not asked has no track."""
    tab.open(page)
    bars = tab.ask(
        "[...document.querySelectorAll('.panel li, .matrix td')].map(e => { const width = s => e.querySelector(s)"
        "?.getBoundingClientRect().width; return [e.querySelector('b').textContent, width('.bar'), width('.reached'),"
        " getComputedStyle(e.querySelector('.reached')).fill] })"
    )
    assert len(bars) == 2 * 3 * 3  # at a glance and in the section: three runs, overall and two tasks
    assert {figure for figure, *_ in bars} == {"0 %", "50.0 %", "100.0 %"}
    for figure, track, reached, fill in bars:
        share = float(figure[:-2]) / 100
        assert track > 50 and reached == pytest.approx(share * track if share else 3, abs=0.5), figure
        assert fill not in ("none", "rgba(0, 0, 0, 0)")
    chance = tab.ask(
        "[...document.querySelectorAll('.panel .bar')].map(e => { const [a, b] = ['.guess', '.bar'].map(s =>"
        " (e.querySelector(s) ?? e).getBoundingClientRect()); return (a.left + a.width / 2 - b.left) / b.width })"
    )
    assert all(place == pytest.approx(0.25, abs=0.02) for place in chance)


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_the_top_fits_the_screen(page: Path, tab: Tab, width: int) -> None:
    tab.open(page, width)
    assert tab.ask("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    right = tab.ask("document.querySelector('.headline').getBoundingClientRect().right")
    assert right <= width
    wide = tab.ask("document.querySelector('figure.plot').getBoundingClientRect().width")
    assert wide > 0.9 * width - 30  # the plot uses it


def test_all_scores_can_be_taken_away(page: Path, tab: Tab) -> None:
    tab.open(page)
    rows = json.loads(tab.saved("#score-downloads [data-save='scores.json']"))
    of = {(row["run"], row["group"], row["name"]): row for row in rows}
    half = of["elsewhere/first-task", "overall", "accuracy"]
    assert half["value"] == 0.5 and half["items"] == 4 * CLIPS and half["clusters"] == CLIPS and half["chance"] == 0.25
    assert of["elsewhere/first-task", "task", TASKS[1]]["value"] == 0.0
    table = tab.saved("#score-downloads [data-save='scores.csv']").split("\r\n")
    assert (
        table[0]
        == "benchmark,profile,family,run,model,variant,strategy,group,name,value,low,high,items,clusters,chance,gap"
    )
    wanted = "Bench,strict,sti,elsewhere/all,elsewhere/all,base,direct,overall,accuracy,1,"
    assert len(table) == len(rows) + 1 and any(line.startswith(wanted) for line in table)


def test_tables_beside_the_page_are_linked(runs: list[Path], tmp_path: Path) -> None:
    page = write_report(runs, tmp_path / "report", NONE, formats=("csv", "parquet")).index
    [links] = re.findall(r'id="score-downloads">(.*?)</p>', page.read_text(), re.DOTALL)
    found = re.findall(r'href="(.*?)"', links)
    assert found == [
        f"tables/{name}.{kind}" for name in ("questions", "ranks", "scores") for kind in ("csv", "parquet")
    ]
    assert all((page.parent / path).is_file() for path in found)
    assert page.read_text().count("tables/scores.csv") == 2  # the address and the words


def test_thousands_of_cautions_do_not_fill_the_page(runs: list[Path]) -> None:
    sections = make_sections(compare(runs))
    problems = [f"clips/{number}.mp4: cannot be opened" for number in range(3000)] + [
        "elsewhere/half: its frames differ"
    ]
    cautions = dict(make_overview(sections, problems).cautions)
    assert cautions[None][:1] == problems[:1] and len(cautions[None]) < 30 and cautions[None][-1].startswith("and 29")
    assert cautions["elsewhere/half"][-1] == "its frames differ"


def test_the_lead_is_over_whom_was_asked_as_much(bench: Benchmark, runs: list[Path], tmp_path: Path) -> None:
    """A run that was asked a few questions and got them all is neither the best nor the next best."""
    few = ask(bench, tmp_path / "few", "baseline/constant-C", limit=8)
    page = write_report([*runs[:2], few], tmp_path / "report", NONE).index
    [said] = headlines(page)
    assert said.startswith("elsewhere/first-task is right on 50 %") and "the same as elsewhere/half" in said
    assert "28 and 8 questions: these runs have different questions." in page.read_text()
    [said] = headlines(write_report([runs[0], few], tmp_path / "two", NONE).index)
    assert re.search(
        r"scored \d+\.\d points less than baseline/constant-C .* over the 8 questions that both were", said
    )


def test_of_a_run_that_was_stopped_it_says_how_far_it_came(bench: Benchmark, tmp_path: Path) -> None:
    run = ask(bench, tmp_path / "run", "baseline/constant-C")
    ledger = run / "ledger.jsonl"
    ledger.write_text("".join(ledger.read_text().splitlines(keepends=True)[: 1 + 10]))
    page = write_report([run], tmp_path / "report", NONE).index
    assert "is right on 100 % of the 10 questions asked so far (of 28); " in headlines(page)[0]
    assert Tables(page.read_text()).tables["Overview of all runs"][1][0].endswith("10 of 28 asked")
