"""A report against the paper: runs among the published rows where they belong, apart where they do not."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from report_bench import ask, questions
from report_tables import Tables

from chronotope.errors import InputError
from chronotope.evaluate.run import import_replies
from chronotope.families import FamilyPaper, families, family
from chronotope.make import import_release, vary
from chronotope.question import Benchmark, open_benchmark
from chronotope.report import Report, write_report
from chronotope.report.compared_runs.opened_runs import compare
from chronotope.report.paper.against_paper import make_against
from chronotope.report.section import make_sections
from chronotope.view import FramesChoice
from commands import command
from drawn_benchmarks import write_benchmark
from sti_released import COUNTS, published_rows, row, write_release

NONE = FramesChoice("none")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """The released set in numbers, with words of our own."""
    place = tmp_path_factory.mktemp("against")
    import_release("sti", write_release(place / "release", published_rows()), place / "bench")
    return open_benchmark(place / "bench")


@pytest.fixture(scope="module")
def whole(bench: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two runs that were asked everything as published: A throughout, and the right letters, asked elsewhere."""
    place = tmp_path_factory.mktemp("whole")
    oracle = place / "oracle.jsonl"
    replies = [{"id": q.id, "reply": "ABCDE"[q.answer[0]]} for q in bench.questions]
    oracle.write_text("".join(json.dumps(one) + "\n" for one in replies))
    sti = family("sti")
    import_replies(bench, sti, oracle, place / "oracle", sti.RunSettings(), "oracle")
    return [ask(bench, place / "A", "baseline/constant-A"), place / "oracle"]


@pytest.fixture(scope="module")
def report(bench: Benchmark, whole: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Report:
    place = tmp_path_factory.mktemp("report")
    apart = [
        ask(bench, place / "shared", "baseline/constant-B", layout="shared", limit=30),
        ask(bench, place / "frames", "baseline/constant-C", frames=8, limit=30),
        ask(bench, place / "blind", "baseline/constant-D", input="blind", limit=30),
    ]
    return write_report([*whole, *apart], place / "report", NONE, against_paper=True)


def share_of_a(task: str | None = None, scene: int | None = None) -> str:
    """How often A is right, from the rows as they were released, with one decimal."""
    sources = ("Waymo", "ScanNet", "Omni6DPose")
    of = [
        one["Answer"] == "A"
        for one in published_rows()
        if task in (None, one["Task"]) and (scene is None or one["Source"] == sources[scene])
    ]
    return f"{100 * sum(of) / len(of):.1f}"


def test_runs_stand_among_the_published_rows(report: Report) -> None:
    two, three = report.against[0].tables
    assert (two.source, three.source) == ("Table 2", "Table 3")
    assert [row.name for row in two.rows] == [
        "elsewhere/oracle",
        "Gemini-2.5-Pro",
        "Qwen2.5-VL-72B",
        "Claude-3.7-Sonnet",
        "InternVL2.5-78B",
        "VideoChat-Flash",
        "Gemini-2.0-Flash",  # by 36.0, and not by the 38.7 that is printed
        "GPT-4o",
        "VideoLLaMA3-7B",
        "VideoChat-R1",
        "MiniCPM-V-2.6",
        "baseline/constant-A",
    ]
    assert [row.rank for row in two.rows] == [1, 2, 3, 4, 5, 6, 7, 8, 8, 10, 11, 12]
    mine = two.rows[-1]
    assert mine.own is not None and [c.text for c in mine.cells] == [*map(share_of_a, COUNTS), share_of_a()]
    assert [c.text for c in three.rows[-1].cells] == [*(share_of_a(None, scene) for scene in range(3)), share_of_a()]
    assert [c.text for c in two.rows[0].cells] == ["100.0"] * 9
    assert {column.name: column.questions for column in two.columns}["Pose Estimation"] == 360


def test_misprints_are_shown_as_printed_and_told(report: Report) -> None:
    two, three = report.against[0].tables
    marked = {(row.name, cell.text): cell.mark for row in two.rows for cell in row.cells if cell.mark}
    assert set(marked) == {("GPT-4o", "34.8"), ("Gemini-2.0-Flash", "38.7"), ("VideoLLaMA3-7B", "54.6")}
    told = dict(two.footnotes)
    assert "35.2" in told[marked["GPT-4o", "34.8"]] and "36.0" in told[marked["Gemini-2.0-Flash", "38.7"]]
    assert three.footnotes == () and not [c for row in three.rows for c in row.cells if c.mark]


def test_what_was_asked_otherwise_is_apart_with_the_reason(report: Report) -> None:
    for table in report.against[0].tables:
        why = {row.name: "; ".join(row.why) for row in table.apart}
        assert set(why) == {"baseline/constant-B", "baseline/constant-C", "baseline/constant-D"}
        assert all("only 30 of its 2,064 questions were asked" in text for text in why.values())
        assert "not the prompts of the authors" in why["baseline/constant-B"]
        assert "--frames is 8 (as published: 30 or 20)" in why["baseline/constant-C"]
        assert "--input is blind (as published: full)" in why["baseline/constant-D"]
        assert all(row.rank is None for row in table.apart)


def test_the_page_shows_it(report: Report) -> None:
    page = report.index.read_text(encoding="utf-8")
    tables = Tables(page)
    rows = tables.tables["Table 2 of the paper, sti"]
    assert rows[0][:4] == ["rank", "model", "frames", "Dimensional Measurement 289 q"]
    assert [row[1].partition(" ")[0] for row in rows[1:]] == [
        row.name.partition(" ")[0] for row in report.against[0].tables[0].rows
    ]
    shaded = [place for place, name in enumerate(tables.classes["Table 2 of the paper, sti"]) if name == "own"]
    assert shaded == [1, 12] and "asked elsewhere" in rows[1][1]
    assert rows[-1][2] == "20 frames, endpoints" and rows[2][2] == "30 frames"  # the clips here have 20 frames
    [gpt] = [row for row in rows if row[1].startswith("GPT-4o")]
    assert gpt[-1] == "34.8a"
    assert page.count("layout shared: not among published rows") >= 2
    assert [row[1].split()[0] for row in tables.tables["Not comparable with Table 2, sti"][1:]] == [
        "baseline/constant-B",
        "baseline/constant-C",
        "baseline/constant-D",
    ]


def test_without_the_flag_nothing_is_compared(whole: list[Path], tmp_path: Path) -> None:
    plain = write_report(whole[:1], tmp_path / "report", NONE)
    assert plain.against == () and "GPT-4o" not in plain.index.read_text()


def apart(run: Path) -> str:
    """Why a lone run is not among the rows of Table 2; empty where it is."""
    [against], without = make_against(make_sections(compare([run])))
    assert without == []
    table = against.tables[0]
    assert len(table.rows) + len(table.apart) == 11
    return "; ".join(why for row in table.apart for why in row.why)


def test_other_benchmarks_are_apart(tmp_path: Path) -> None:
    built = write_benchmark(tmp_path / "built", questions(3), name="Mine")
    why = apart(ask(built, tmp_path / "run", "baseline/random"))
    assert why == "Mine is not the released set: it was built with the profile strict"
    release = write_release(tmp_path / "release", published_rows()[:-1])
    import_release("sti", release, tmp_path / "less")
    why = apart(ask(open_benchmark(tmp_path / "less"), tmp_path / "less-run", "baseline/random", limit=5))
    assert why.startswith("less has 2,063 questions, the released set 2,064; only 5 of its 2,063 questions")


def test_the_same_number_spread_otherwise_is_apart(tmp_path: Path) -> None:
    rows = published_rows()
    assert rows[0]["Task"] == "Dimensional Measurement" and rows[0]["Source"] == "Waymo"
    rows[0] |= {"Source": "ScanNet", "Video": row(0)["Video"]}
    import_release("sti", write_release(tmp_path / "release", rows), tmp_path / "moved")
    why = apart(ask(open_benchmark(tmp_path / "moved"), tmp_path / "run", "baseline/random", limit=5))
    assert why.startswith(
        "moved is not the released set: it has 69 Outdoor, 127 Indoor, 93 Desktop questions of Dimensional "
        "Measurement, the released set 70 Outdoor, 126 Indoor, 93 Desktop; only 5"
    )


def test_base_questions_count_beside_variants(bench: Benchmark, tmp_path: Path) -> None:
    vary(bench.folder, ["open"], tmp_path / "varied")
    varied = open_benchmark(tmp_path / "varied")
    assert len(varied.questions) > 2064
    assert apart(ask(varied, tmp_path / "run", "baseline/constant-A", variants=("base",))) == ""


def test_a_family_without_published_results(whole: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(families(), "sti", replace(family("sti"), paper=FamilyPaper()))
    with pytest.raises(InputError, match=r"no published results .* omit --against"):
        write_report(whole[:1], tmp_path / "report", NONE, against_paper=True)
    assert not (tmp_path / "report").exists()


def invoke(*words: object) -> str:
    return command(*words, code=0).out


def test_the_command_prints_it(whole: list[Path], tmp_path: Path) -> None:
    flags = ("--out", tmp_path / "report", "--frames", "none", "--against", "paper")
    said = invoke("report", *whole, *flags)
    lines = [line for line in said[said.index("sti: ") :].splitlines() if line.strip()]
    assert max(len(line.rstrip()) for line in lines[1:15]) <= 85
    by_model = {model: line.split() for line in lines[:15] for model in ("GPT-4o", "→12", "oracle") if model in line}
    printed = ["27.1", "51.8", "29.0", "23.2", "35.4", "33.7", "32.0", "53.6", "34.8a"]
    assert by_model["GPT-4o"] == ["8", "GPT-4o", *printed]
    assert by_model["oracle"] == ["→1", "elsewhere/oracle", *["100.0"] * 9]
    assert by_model["→12"][1] == "baseline/constant-A" and by_model["→12"][-1] == share_of_a()
    told = json.loads(invoke("report", *whole, *flags, "--json"))
    two = told["against"][0]["tables"][0]
    assert two["questions"]["Overall"] == 2064
    [mine] = [row for row in two["rows"] if row["model"] == "baseline/constant-A"]
    assert mine["own"] and mine["rank"] == 12 and mine["values"]["Overall"] == float(share_of_a())
    [gpt] = [row for row in two["rows"] if row["model"] == "GPT-4o"]
    assert gpt["values"]["Overall"] == 34.8 and gpt["misprints"] == {"Overall": "a"} and "35.2" in two["misprints"]["a"]


def test_what_counts_as_wrong_is_told_beside_the_rows(bench: Benchmark, tmp_path: Path) -> None:
    some = tmp_path / "some.jsonl"
    some.write_text("".join(json.dumps({"id": q.id, "reply": "B"}) + "\n" for q in bench.questions[:-100]))
    sti = family("sti")
    import_replies(bench, sti, some, tmp_path / "some", sti.RunSettings(), "some")
    [against], _ = make_against(make_sections(compare([tmp_path / "some"])))
    about = dict(against.tables[0].notes)
    assert "100 of 2064" in about["elsewhere/some"]
