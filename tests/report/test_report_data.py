"""What a report has for programs: every score as JSON, and tables for other tools beside the page."""

import csv
import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from report_bench import Asked, ask, questions, read_report
from typer.testing import CliRunner

import vgenst_released
from chronotope.cli.app import app
from chronotope.evaluate.score import open_run, score_run
from chronotope.make import import_release
from chronotope.report import write_report
from chronotope.view import FramesChoice
from drawn_benchmarks import write_benchmark
from ledger_lines import changed_lines, write_changed


def told(*words: object) -> dict:
    result = CliRunner().invoke(app, [str(word) for word in (*words, "--frames", "none", "--json")])
    assert result.exit_code in (0, 1), result.stderr
    return json.loads(result.stdout)


def test_json_has_every_figure_of_every_run(asked: Asked, tmp_path: Path) -> None:
    found = told("report", *asked.runs, "--out", tmp_path / "report")
    [benchmark] = found["benchmarks"]
    assert benchmark["headline"] == "accuracy" and benchmark["profile"] == "strict"
    assert len(benchmark["runs"]) == len(asked.runs)
    for folder, run in zip(asked.runs, benchmark["runs"], strict=True):
        scores = score_run(open_run(folder))
        assert Path(run["folder"]) == folder.resolve() and run["planned"] == scores.planned
        assert (run["variant"], run["strategy"], run["states"]) == (scores.counted, scores.strategy, scores.states)
        if not scores.states.get("replied"):
            assert run["accuracy"] is None and run["tasks"] == {}
            continue
        same(run["accuracy"], scores.overall)
        assert run["headline"] == run["accuracy"]
        for name, estimate in scores.tasks.items():
            same(run["tasks"][name], estimate)
        for key, of in scores.tags.items():
            for name, estimate in of.items():
                same(run["tags"][key][name], estimate)
        assert [table["name"] for table in run["tables"]] == [table.name for table in scores.tables]
        assert [len(table["rows"]) for table in run["tables"]] == [len(table.rows) for table in scores.tables]
        assert run["forms"][0]["placement"] == "published" and run["forms"][0]["overall"] == run["accuracy"]
    assert benchmark["differences"] and set(benchmark["differences"][0]) >= {"first", "second", "value", "low", "high"}


def same(shown: dict, estimate) -> None:
    assert (shown["value"], shown["low"], shown["high"]) == (estimate.value, estimate.low, estimate.high)
    assert (shown["items"], shown["clusters"], shown["chance"]) == (estimate.items, estimate.clusters, estimate.chance)
    assert shown["gap"] == estimate.value - estimate.chance


def test_the_papers_own_headline_is_named(tmp_path: Path) -> None:
    """VGenST-Bench leads with circular accuracy: what always answers B is never right in every placement."""
    rows = [vgenst_released.row(idx=idx) for idx in range(4)]
    release = vgenst_released.write_release(tmp_path / "release", rows)
    import_release("vgenst", release, tmp_path / "bench")
    words = ["run", tmp_path / "bench", "--model", "baseline/constant-B", "--out", tmp_path / "run"]
    for more in (["--variant", "base", "--placement", "swap"], ["--variant", "none_distractor"]):
        assert CliRunner().invoke(app, [str(word) for word in (*words, *more)]).exit_code == 0
    [benchmark] = told("report", tmp_path / "run", "--out", tmp_path / "report")["benchmarks"]
    [run] = benchmark["runs"]
    assert benchmark["headline"] == "circular" and run["headline"] == run["circular"]
    assert run["circular"]["value"] == 0 and run["circular"]["chance"] == 0.25**4
    assert run["accuracy"]["value"] == 0.25 == run["position"]["value"]
    forms = {(one["variant"], one["strategy"], one["placement"]): one["overall"] for one in run["forms"]}
    assert forms["base", "direct", "published"]["value"] == 0.25 and forms["base", "direct", "every"]["value"] == 0
    assert forms["none_distractor", "direct", "published"]["items"] == 4
    assert run["by_letter"]["B"]["value"] == 1 and "Modes (%)" in [table["name"] for table in run["tables"]]


def test_tables_for_other_tools_stand_beside_the_page(asked: Asked, tmp_path: Path) -> None:
    out = tmp_path / "report"
    words = ["report", *asked.runs, "--out", out, "--frames", "none", "--format", "csv,parquet,latex"]
    shown = CliRunner().invoke(app, [str(word) for word in words])
    assert shown.exit_code in (0, 1), shown.stderr
    kinds = ("questions.csv", "questions.parquet", "ranks.csv", "ranks.parquet", "ranks.tex")
    names = [*kinds, "scores.csv", "scores.parquet", "scores.tex"]
    assert sorted(file.name for file in (out / "tables").iterdir()) == names
    assert all(f"tables/{name}" in shown.stdout for name in names)
    scores, asks = (rows_of(out / "tables" / f"{name}.csv") for name in ("scores", "questions"))
    runs = [open_run(folder) for folder in asked.runs]
    assert len(asks) == sum(len(run.answered) for run in runs)
    for run, told_as in zip(runs, dict.fromkeys(one["run"] for one in asks), strict=True):
        here = [one for one in asks if one["run"] == told_as]
        assert [one["ask"] for one in here] == [one.ask.id for one in run.answered]
        replies = [one.line.reply or "" if one.line else "" for one in run.answered]
        assert [one["reply"] for one in here] == [reply.encode("utf-8", "replace").decode() for reply in replies]
        figures = score_run(run)
        if figures.states.get("replied"):
            [overall] = [one for one in scores if one["run"] == told_as and one["name"] == "accuracy"]
            assert float(overall["value"]) == figures.overall.value and int(overall["items"]) == figures.overall.items
            right = sum(one["state"] == "right" for one in here)
            assert right == round(figures.overall.value * figures.overall.items)
    for name, lines in (("scores", scores), ("questions", asks)):
        table = pq.read_table(out / "tables" / f"{name}.parquet").to_pylist()
        assert len(table) == len(lines) and list(table[0]) == list(lines[0])
    latex = (out / "tables" / "scores.tex").read_text()
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 1
    assert all(" & " in line and line.endswith(r"\\") for line in latex.split(r"\midrule")[1].split("\n")[1:2])
    assert not any(sign in latex.replace(f"\\{sign}", "") for sign in "&#_$") or " & " in latex
    again = write_report(asked.runs, out, FramesChoice("none"))  # a report with tables is a report, and is replaced
    assert again.index.is_file() and not (out / "tables").exists()
    (out / "tables").mkdir()
    (out / "tables" / "mine.txt").write_text("x")
    refused = CliRunner().invoke(app, ["report", str(asked.runs[0]), "--out", str(out)])
    assert refused.exit_code == 2 and "contains tables/mine.txt" in refused.stderr


def test_a_reply_is_no_formula_in_a_spreadsheet(asked: Asked, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(asked.runs[0], run)
    header, lines = changed_lines(run / "ledger.jsonl")
    planted = ['=HYPERLINK("http://evil.example","A")', "+1", "-2+3", "@SUM(A1)", "\t=1", "A", "B - C"]
    for line, reply in zip([one for one in lines if one["kind"] == "answer"], planted, strict=False):
        line["reply"] = reply
    write_changed(run / "ledger.jsonl", header, lines)
    words = ["report", run, "--out", tmp_path / "report", "--frames", "none", "--format", "csv,parquet"]
    assert CliRunner().invoke(app, [str(word) for word in words]).exit_code in (0, 1)
    shown = {one["reply"] for one in rows_of(tmp_path / "report/tables/questions.csv")}
    assert {f"'{reply}" for reply in planted[:5]} <= shown and {"A", "B - C"} <= shown
    whole = pq.read_table(tmp_path / "report/tables/questions.parquet").column("reply").to_pylist()
    assert set(planted) <= set(whole)  # no spreadsheet opens that one by itself


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


@pytest.mark.parametrize("text", ["xlsx", "csv,", "csv;latex"])
def test_another_format_is_one_sentence(asked: Asked, tmp_path: Path, text: str) -> None:
    words = ["report", str(asked.runs[0]), "--out", str(tmp_path / "report"), "--format", text]
    told = CliRunner().invoke(app, words)
    assert told.exit_code == 2 and "--format: expected one or more of csv, inspect, latex, parquet" in told.stderr
    assert not (tmp_path / "report").exists()


def test_runs_of_several_profiles_make_sections(asked: Asked, tmp_path: Path) -> None:
    bench = write_benchmark(tmp_path / "bench", questions(1), profile="paper")
    ask(bench, tmp_path / "runs" / "one", "baseline/random")
    found = told("report", asked.runs[0], tmp_path / "runs", "--out", tmp_path / "report")
    assert [one["profile"] for one in found["benchmarks"]] == ["strict", "paper"]
    assert [one["name"].rpartition(" · ")[2] for one in found["benchmarks"]] == ["profile strict", "profile paper"]
    page = (tmp_path / "report" / "index.html").read_text()
    assert "profile strict" in page and "profile paper" in page


@pytest.mark.parametrize("runs", [2, 4])
def test_the_limit_of_the_page_counts_the_answers_of_all_runs(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: int
) -> None:
    every = len(questions())
    monkeypatch.setattr("chronotope.view.question_browser.MOST_ANSWERS", 12)
    made = write_report([Path(run) for run in asked.runs[-runs:]], tmp_path, FramesChoice("none"))
    page = read_report(tmp_path)
    assert sum(answer is not None for item in page["items"] for answer in item["answers"]) == 12
    assert len(page["questions"]) == 12 // runs < every
    assert any(f"shows {12 // runs} of {every} questions, balanced over the clips" in note for note in made.notes)
    scenes = [question["scene"] for question in page["questions"]]
    assert len(set(scenes)) == min(len(scenes), len({question.cluster for question in questions()}))
