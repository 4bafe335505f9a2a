"""A part of the report is one file: dropped into the folder of parts, it appears in every renderer."""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from report_bench import ask, questions
from report_tables import Tables

from chronotope.evaluate.score import Difference, Estimate
from chronotope.report import parts as folder
from chronotope.report import section_data, write_report
from chronotope.report.out.latex import latex_table
from chronotope.report.parts import list_parts
from chronotope.report.table import Cell, Column, Table, TableRow, change_cell, head_cell, score_cell
from chronotope.view import FramesChoice
from drawn_benchmarks import write_benchmark

PART = '''"""The length of the stems."""

from chronotope.report.section import Section
from chronotope.report.table import Cell, Fold, Part, run_table, score_cell

PLACE = 15


def make(section: Section) -> Part:
    """Show the accuracy beside the words of the questions."""
    words = sum(len(question.stem.split()) for question in section.benchmark.questions)
    rows = [(row, [Cell(f"{words} words", words), score_cell(row.scores.overall)]) for row in section.rows]
    table = run_table(section.label("Lengths of stems"), ["words & more", "accuracy"], rows, ("All stems.",))
    return Part((Fold("Lengths of stems", (table,)),))
'''


@pytest.fixture
def dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A part in a folder of its own, which is listed beside the folder of parts."""
    place = tmp_path / "parts"
    place.mkdir()
    (place / "stem_lengths.py").write_text(PART)
    monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(place)])
    yield "stem_lengths"
    sys.modules.pop(f"{folder.__name__}.stem_lengths", None)


def test_a_part_in_the_folder_appears_in_every_renderer(dropped: str, tmp_path: Path) -> None:
    benchmark = write_benchmark(tmp_path / "bench", questions(3))
    runs = [ask(benchmark, tmp_path / name[-1], name) for name in ("baseline/constant-A", "baseline/constant-B")]
    formats = ("csv", "latex", "parquet")
    report = write_report(runs, tmp_path / "report", FramesChoice("none"), formats=formats)
    words = sum(len(question.stem.split()) for question in benchmark.questions)
    [section] = report.sections
    right = [row.scores.overall for row in section.rows]

    page = Tables(report.index.read_text())
    shown = page.rows("Lengths of stems")
    assert [row["words & more"] for row in shown.values()] == [f"{words} words"] * 2
    labels = list(page.tables)
    scores, own, calls = (next(i for i, label in enumerate(labels) if label.startswith(name)) for name in (
        "Scores", "Lengths of stems", "Calls and replies"
    ))  # fmt: skip
    assert scores < own < calls  # in the order of PLACE

    [table] = section_data(section)[dropped]
    assert table["table"] == f"Lengths of stems, {section.benchmark.card.name}"
    assert [row["words & more"] for row in table["rows"]] == [words] * 2
    assert [row["accuracy"]["value"] for row in table["rows"]] == [one.value for one in right]
    assert [row["model"] for row in table["rows"]] == [row.compared.name for row in section.rows]

    assert {path.name for path in report.tables} >= {f"{dropped}.csv", f"{dropped}.tex", f"{dropped}.parquet"}
    tables = tmp_path / "report" / "tables"
    with (tables / f"{dropped}.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["benchmark"] for line in lines] == [section.name] * 2
    assert [(line["words & more"], float(line["accuracy"])) for line in lines] == [
        (str(words), one.value) for one in right
    ]
    typed = pq.read_table(tables / f"{dropped}.parquet").to_pylist()
    assert [(line["words & more"], line["accuracy"], line["accuracy items"]) for line in typed] == [
        (words, one.value, one.items) for one in right
    ]
    latex = (tables / f"{dropped}.tex").read_text()
    assert r"model & words \& more & accuracy \\" in latex and "All stems." in latex.splitlines()[0]
    assert f"{words} words & {100 * right[0].value:.1f}" in latex

    # The report with these files is replaced as a whole, like every other report.
    assert write_report(runs, tmp_path / "report", FramesChoice("none")).tables == ()


def test_every_part_has_a_place_of_its_own() -> None:
    places = [module.PLACE for module in list_parts().values()]
    assert places == sorted(set(places))


def test_latex_knows_every_look_of_a_cell() -> None:
    cells = (
        head_cell("a_b", "from the paper"),
        score_cell(Estimate(0.5, 0.25, 0.75, 8, 8, 0.2)),
        change_cell(Difference(-0.125, -0.2, -0.05, 8, 8)),
        Cell(("one", "two"), apart="the interval excludes 0"),
    )
    columns = (Column("model"), Column("all", "both"), Column("change", "both"), Column("words"))
    table = Table("Looks, bench", columns, (TableRow(cells), TableRow((head_cell("group", span=4),))))
    assert latex_table(table, "clip").splitlines() == [
        "% Looks, bench; needs the package booktabs",
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r" & \multicolumn{2}{c}{both} &  \\",
        r"model & all & change & words \\",
        r"\midrule",
        r"a\_b & 50.0 {\small (25--75)} & $-$12.5 {\small ($-$20.0 to $-$5.0)} $\neq$ & one; two $\neq$ \\",
        r"\multicolumn{4}{l}{group} \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
