"""What is compared with what: runs that were asked other questions, other forms of them, or that replied nothing."""

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from report_bench import CLIPS, Asked, ask, questions
from report_tables import Tables, row_of

from chronotope.cli import main
from chronotope.evaluate.score import open_run
from chronotope.question import make_variants
from chronotope.report import Report, write_report
from chronotope.view import FramesChoice
from drawn_benchmarks import write_benchmark
from ledger_lines import changed_lines, write_changed

NONE = FramesChoice("none")


def right(run: Path) -> dict[str, bool]:
    """Which questions were answered rightly, from the ledger and the truth alone; of one placement."""
    return {
        one.question.id: one.line is not None and "ABCD".find((one.line.reply or "")[:1]) in one.question.answer
        for one in open_run(run).answered
    }


def percent(values: list[bool]) -> float:
    return 100 * sum(values) / len(values)


def signed(words: str) -> float:
    return float(words.replace("−", "-"))


def silent(asked: Asked, folder: Path) -> Path:
    """A run of a model of its own that was planned and brought no reply."""
    spoilt = asked.copy(folder).runs[2]
    ledger = spoilt / "ledger.jsonl"
    header, lines = changed_lines(ledger)
    failed = {"state": "failed", "reply": None, "error": "overloaded"}
    write_changed(ledger, header, [line | failed for line in lines])
    return spoilt


def words(report: Report) -> str:
    return " ".join(re.sub(r"<svg.*?</svg>|<[^>]*>", "", report.index.read_text(), flags=re.DOTALL).split())


@pytest.fixture(scope="module")
def unlike(asked: Asked, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Path], Report]:
    """All questions twice, seven of them with every answer right, and four."""
    folder = tmp_path_factory.mktemp("unlike")
    benchmark = open_run(asked.runs[0]).benchmark
    runs = {
        "baseline/random": asked.runs[1],
        "baseline/option-shape": asked.runs[2],
        "baseline/constant-C": ask(benchmark, folder / "few", "baseline/constant-C", limit=7),
        "baseline/constant-A": ask(benchmark, folder / "fewer", "baseline/constant-A", limit=4),
    }
    return runs, write_report(list(runs.values()), folder / "report", NONE)


def test_a_row_of_differences_is_over_the_questions_of_both(unlike: tuple[dict[str, Path], Report]) -> None:
    runs, report = unlike
    truth = {name: right(run) for name, run in runs.items()}
    assert percent(list(truth["baseline/constant-C"].values())) == 100  # and yet it is not the best
    full = ("baseline/random", "baseline/option-shape")
    best = max(full, key=lambda name: sum(truth[name].values()))
    assert f"<b>{best}</b>, in percentage points" in report.index.read_text()
    rows = Tables(report.index.read_text()).rows("Differences to the best run")
    assert len(rows) == 3
    for name in set(runs) - {best}:
        row, shared = row_of(rows, name), sorted(truth[name].keys() & truth[best].keys())
        mine, theirs = (percent([truth[of][question] for question in shared]) for of in (name, best))
        assert float(row["accuracy"]) == pytest.approx(mine, abs=0.051)
        assert float(row["the best"]) == pytest.approx(theirs, abs=0.051)
        assert signed(row["difference"]) == pytest.approx(mine - theirs, abs=0.051)
        assert row["questions"] == str(len(shared)) and row["clips"] == str(len({q[:6] for q in shared}))


def test_every_pair_tells_both_accuracies_and_their_questions(unlike: tuple[dict[str, Path], Report]) -> None:
    runs, report = unlike
    truth = {name: right(run) for name, run in runs.items()}
    rows = Tables(report.index.read_text()).rows("Differences of all pairs")
    cell = row_of(rows, "baseline/constant-C")["baseline/random"]
    shared = sorted(truth["baseline/constant-C"])
    other = percent([truth["baseline/random"][question] for question in shared])
    assert f"100.0 and {other:.1f}" in cell and cell.endswith(f"7 q, {len({q[:6] for q in shared})} clips")


def test_runs_over_different_questions_are_told_before_the_table(
    unlike: tuple[dict[str, Path], Report], asked: Asked, tmp_path: Path
) -> None:
    page = unlike[1].index.read_text()
    sentence = f"{4 * CLIPS}, 7 and 4 questions: the rows have different questions; the differences below use common"
    assert 0 < page.index(sentence) < page.index('aria-label="Scores, ')
    same = write_report(asked.runs, tmp_path / "same", NONE)
    assert "different questions" not in same.index.read_text()


def test_as_many_questions_may_be_others(asked: Asked, tmp_path: Path) -> None:
    benchmark = open_run(asked.runs[0]).benchmark
    runs = [ask(benchmark, tmp_path / str(day), f"baseline/constant-{day}", limit=5) for day in "AB"]
    for run, kept in zip(runs, ("even", "odd"), strict=True):
        drop_asks(run, kept)
    page = words(write_report(runs, tmp_path / "report", NONE))
    assert "2 questions each, but not the same: the rows have different questions." in page
    assert "Differences" not in page


def drop_asks(run: Path, kept: str) -> None:
    """Leave two of the asks: the first and third, or the second and fourth."""
    table = pq.read_table(run / "asks.parquet")
    pq.write_table(table.take([0, 2] if kept == "even" else [1, 3]), run / "asks.parquet")


def test_where_nothing_was_replied_there_is_no_accuracy(asked: Asked, tmp_path: Path) -> None:
    dead = silent(asked, tmp_path)
    report = write_report([asked.runs[1], dead, asked.runs[3]], tmp_path / "report", NONE)
    page = report.index.read_text()
    tables = Tables(page)
    for label in ("Scores, ", "Scores by scene", "Accuracy by the letter", "Letters chosen"):
        rows = tables.rows(label)
        [(name, cells)] = [(name, cells) for name, cells in rows.items() if name.startswith("baseline/option-shape n")]
        assert name == "baseline/option-shape no replies"
        assert set(cells.values()) == {"–"}, label
    glance = row_of(tables.rows("Overview of all runs"), "baseline/option-shape")
    assert set(glance.values()) == {"no reply"}
    assert row_of(tables.rows("Calls and replies"), "baseline/option-shape")["failed"] == str(4 * CLIPS)
    assert f"there are no replies ({4 * CLIPS} failed), so there is no accuracy" in words(report)
    assert "counted as wrong" not in words(report)
    assert all("there are no replies" not in svg for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL))
    assert {name.partition(" ")[0] for name in tables.rows("Differences to the best")} < {
        "baseline/random",
        "baseline/option-shape:longest",
    }
    assert any("there are no replies" in problem for problem in report.problems)


def test_the_command_gives_no_accuracy_where_nothing_was_replied(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [str(asked.runs[1]), str(silent(asked, tmp_path))]
    command = ["chronotope", "report", *runs, "--out", str(tmp_path / "report"), "--frames", "none", "--json"]
    monkeypatch.setattr("sys.argv", command)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    told = json.loads(capsys.readouterr().out)["accuracy"]
    assert told["baseline/option-shape"] is None and 0 <= told["baseline/random"] <= 1


def test_with_one_run_that_replied_nothing_is_compared(asked: Asked, tmp_path: Path) -> None:
    dead = silent(asked, tmp_path)
    page = write_report([asked.runs[1], dead], tmp_path / "two", NONE).index.read_text()
    assert "Differences" not in page and "Plot of the scores" in page and "different questions" not in page
    alone = write_report([dead], tmp_path / "alone", NONE)
    assert "Plot of the scores" not in alone.index.read_text() and "give away" not in words(alone)
    [cells] = Tables(alone.index.read_text()).rows("Scores, ").values()
    assert set(cells.values()) == {"–"}


def test_a_run_without_base_questions_has_a_table_of_its_own(tmp_path: Path) -> None:
    base = questions()
    bench = write_benchmark(
        tmp_path / "bench", [*base, *make_variants(base, ["none_answer", "open"], 0)], name="Varied"
    )
    runs = [ask(bench, tmp_path / "base", "baseline/constant-C", variants=("base",))]
    runs += [ask(bench, tmp_path / f"none-{of}", f"baseline/constant-{of}", variants=("none_answer",)) for of in "AD"]
    report = write_report(runs, tmp_path / "report", NONE)
    tables = Tables(report.index.read_text())
    first = tables.rows("Scores, Varied")
    assert row_of(first, "baseline/constant-C")["Overall"].startswith("100.0 ")
    for of in "AD":
        assert set(row_of(first, f"baseline/constant-{of}").values()) == {"–"}
    assert "Accuracy in percent over questions in their first form;" in words(report)
    own = tables.rows("Scores of the variant none answer, Varied")
    assert {name.partition(" ")[0] for name in own} == {"baseline/constant-A", "baseline/constant-D"}
    # "None of these" stands last.
    assert row_of(own, "baseline/constant-D")["Overall"].startswith("100.0 ")
    assert row_of(own, "baseline/constant-A")["Overall"].startswith("0.0 ")
    assert "variant none answer: no base question" in next(iter(own))
    variants = tables.rows("Scores by variant")
    assert row_of(variants, "baseline/constant-D")["base"] == "–"
    assert row_of(variants, "baseline/constant-D")["none answer"].startswith("100.0 ")
    # Compared with each other, and not with the run of base questions.
    [row] = tables.rows("Differences to the best run").values()
    assert row["questions"] == str(4 * CLIPS) and row["the best"] == "100.0"
    assert "different questions" not in words(report)


def test_a_report_without_base_questions_says_so(tmp_path: Path) -> None:
    base = questions(2)
    bench = write_benchmark(tmp_path / "bench", [*base, *make_variants(base, ["open"], 0)])
    run = ask(bench, tmp_path / "run", "baseline/random", variants=("open",))
    report = write_report([run], tmp_path / "report", NONE)
    assert "over questions of the variant “open” (no base question was asked)" in words(report)
    assert "first form" not in words(report)
    [cells] = Tables(report.index.read_text()).rows("Scores of the variant open").values()
    assert cells["Overall"].startswith("0.0 ") and cells["chance"] == "–"


def test_too_few_clips_stand_in_place_of_an_interval(tmp_path: Path) -> None:
    bench = write_benchmark(tmp_path / "bench", questions(2))
    runs = [ask(bench, tmp_path / of, f"baseline/constant-{of}") for of in "ABC"]
    report = write_report(runs, tmp_path / "report", NONE)
    assert "(for at least 6 clips)" in words(report)
    tables = Tables(report.index.read_text())
    assert row_of(tables.rows("Scores, "), "baseline/constant-A")["Overall"] == "0.0 too few clips 8 q, 2 clips"
    assert {row["95 % interval by clip"] for row in tables.rows("Differences to the best run").values()} == {
        "too few clips"
    }
