"""What a report says of runs: finished or not, of one model or benchmark or several, and where it may be written."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from report_bench import CLIPS, DAYS, MODEL, Asked, ask, questions, read_report

from chronotope.errors import InputError
from chronotope.evaluate.score import open_run
from chronotope.protocol import Image, Option, PictureFile, Text
from chronotope.question import make_variants
from chronotope.report import write_report
from chronotope.view import FramesChoice
from chronotope.view.prompts import prompt_words, shown_pictures
from drawn_benchmarks import MARKUP, write_benchmark
from ledger_lines import changed_lines, write_changed

NONE = FramesChoice("none")


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def names(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.iterdir())


def test_states_are_those_of_the_script(asked: Asked, tmp_path: Path) -> None:
    data = read_report(write_report(asked.runs, tmp_path / "report", NONE).index.parent)
    assert data["runs"] == [MODEL, "baseline/random", "baseline/option-shape", "baseline/option-shape:longest"]
    for item in data["items"]:
        kind, reply = DAYS[item["id"].rpartition("-")[2].capitalize()]
        answer = item["answers"][0]
        assert answer["state"] == kind
        assert answer["reply"] == (None if kind == "failed" else reply.replace("\ud800", "?"))
        assert (reply in (answer["error"] or "")) == (kind == "failed")
        assert item["right"] == [2] and item["answers"][1]["state"] in ("right", "wrong")
        assert answer["chosen"] == {"right": [2], "wrong": [1]}.get(kind)
        assert f"[{item['prompts'][0]['pictures']} pictures]" in item["prompts"][0]["text"]


def test_an_unfinished_run_is_reported(asked: Asked, tmp_path: Path) -> None:
    spoilt = asked.copy(tmp_path)
    ledger = spoilt.runs[1] / "ledger.jsonl"
    ledger.write_text("".join(ledger.read_text().splitlines(keepends=True)[:11]))
    report = write_report(spoilt.runs[1:2], tmp_path / "report", FramesChoice("wrong"))
    assert report.problems == (
        f"baseline/random: {4 * CLIPS - 10} of {4 * CLIPS} questions were not asked yet, and do not count: the same "
        "`chronotope run` repeats only these",
    )
    items = read_report(report.index.parent)["items"]
    states = [item["answers"][0]["state"] for item in items]
    assert states.count("not asked") == 4 * CLIPS - 10
    # Nobody got wrong what nobody was asked.
    assert not [i for i in items if i["answers"][0]["state"] == "not asked" and i["prompts"][0]["strip"] is not None]


def test_of_a_question_that_was_begun_it_is_not_said_to_be_wrong(asked: Asked, tmp_path: Path) -> None:
    benchmark = open_run(asked.runs[0]).benchmark
    run = ask(benchmark, tmp_path / "rotated", "baseline/constant-A", limit=2, placement="rotate")
    ledger = run / "ledger.jsonl"
    ledger.write_text("".join(ledger.read_text().splitlines(keepends=True)[:-1]))
    [problem] = write_report([run], tmp_path / "report", NONE).problems
    assert problem == (
        "baseline/constant-A: 1 of 8 asks were not asked yet, and do not count: the same `chronotope run` repeats "
        "only these"
    )


def test_variants_placements_open_questions_and_questions_without_media(tmp_path: Path) -> None:
    base = questions(2)
    bare = replace(base[0], id="bare", media=(), provenance={})
    bench = write_benchmark(tmp_path / "bench", [*base, bare, *make_variants(base, ["none_answer", "open"], 0)])
    runs = [ask(bench, tmp_path / "rotated", "baseline/option-shape", placement="rotate")]
    runs += [ask(bench, tmp_path / "blind", "baseline/option-shape", input="blind")]
    report = write_report(runs, tmp_path / "report", FramesChoice("all"))
    data = read_report(report.index.parent)
    items = {item["id"]: item for item in data["items"]}
    by_variant: dict[str, list[dict]] = {}
    for item in items.values():
        by_variant.setdefault(data["questions"][item["question"]]["variant"], []).append(item)
    assert len(by_variant["base"]) == 9 * 5 and len(by_variant["open"]) == 8 * 2  # as asked, and blind
    for item in by_variant["open"]:
        assert item["options"] == [] == item["right"]
        assert {answer["state"] for answer in item["answers"] if answer} == {"unread"}
        assert data["questions"][item["question"]]["expected"]
    rotated = items["clip-1-monday#rotate-1"]
    assert rotated["right"] == [1] and rotated["options"] == ["1.5 m", "2.5 m", "3.5 m", f"{MARKUP} 1 m"]
    assert rotated["answers"][1] is None and rotated["prompts"][0]["strip"] is not None
    assert items["bare"]["prompts"][0]["pictures"] == 0 == items["clip-0-monday#blind"]["prompts"][0]["pictures"]
    page = report.index.read_text()
    assert "By variant" in page and "none answer" in page and "right in every placement" in page


def test_benchmarks_stand_side_by_side(asked: Asked, tmp_path: Path) -> None:
    # The same ids with another truth: they must not be taken for the questions of the first.
    other = [replace(q, task="Pose Estimation", stem="Where?", answer=(0,)) for q in questions(3)]
    bench = write_benchmark(tmp_path / "bench", other, name="Second")
    always = ask(bench, tmp_path / "a", "baseline/constant-A")
    report = write_report([asked.runs[0], always], tmp_path / "report", FramesChoice("wrong"))
    data = read_report(report.index.parent)
    assert len(data["items"]) == 4 * CLIPS + 12 and {q["benchmark"] for q in data["questions"]} == {
        f"Bench {MARKUP}",
        "Second",
    }
    # What one run got right is not wrong because the other was never asked it.
    of_second = [item for item in data["items"] if data["questions"][item["question"]]["benchmark"] == "Second"]
    assert all(item["answers"][1]["state"] == "right" and item["prompts"][0]["strip"] is None for item in of_second)
    first, second = report.index.read_text().split('<section class="scores" id=')[1:]
    assert "Pose Estimation" not in first.partition("</table>")[0] and second.count("Pose Estimation") >= 2
    assert "Speed &amp; Acceleration" in first and report.scores["baseline/constant-A"].overall.value == 1


def test_benchmarks_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    asked = [questions(1), questions(2), questions(3)]
    places = [tmp_path / "mine", tmp_path / "x" / "bench", tmp_path / "y" / "bench"]
    benches = [write_benchmark(place, items, name="Same") for place, items in zip(places, asked, strict=True)]
    models = ("baseline/random", "baseline/random", "baseline/constant-A")
    runs = [ask(bench, tmp_path / str(n), model) for n, (bench, model) in enumerate(zip(benches, models, strict=True))]
    names = ["Same (mine)", f"Same ({places[1]})", f"Same ({places[2]})"]
    report = write_report(runs, tmp_path / "report", NONE)
    data = read_report(report.index.parent)
    assert data["runs"] == [f"baseline/random · {names[0]}", f"baseline/random · {names[1]}", "baseline/constant-A"]
    assert [{q["benchmark"] for q in data["questions"]}] == [set(names)]
    assert re.findall("<h2>(Same.*)</h2>", report.index.read_text()) == names
    # A name that is enough is left alone.
    [alone] = {
        q["benchmark"] for q in read_report(write_report(runs[:1], tmp_path / "one", NONE).index.parent)["questions"]
    }
    assert alone == "Same"


def test_runs_of_one_model_have_names_of_their_own(asked: Asked, tmp_path: Path) -> None:
    benchmark = open_run(asked.runs[0]).benchmark
    second = write_benchmark(tmp_path / "second", questions(2), name="Second")
    runs = [
        ask(benchmark, tmp_path / "x" / "run", "baseline/random", frames=3),
        ask(benchmark, tmp_path / "y" / "run", "baseline/random", frames=4, prompt="local"),
        ask(benchmark, tmp_path / "z" / "other", "baseline/random", input="blind", placement="rotate"),
        ask(second, tmp_path / "second-run", "baseline/random"),
        asked.runs[2],
    ]
    report = write_report([*runs, runs[0], tmp_path / "x" / ".." / "x" / "run"], tmp_path / "report", NONE)
    bench = f"baseline/random · Bench {MARKUP}"
    assert list(report.scores) == [
        f"{bench} (frames 3, prompt api)",
        f"{bench} (frames 4, prompt local)",
        f"{bench} (prompt api, blind, every rotation)",
        "baseline/random · Second",
        "baseline/option-shape",
    ]
    assert read_report(report.index.parent)["runs"] == list(report.scores)


def test_names_fall_back_to_amounts_and_folders(asked: Asked, tmp_path: Path) -> None:
    benchmark = open_run(asked.runs[0]).benchmark
    warm = shutil.copytree(asked.runs[1], tmp_path / "warm")
    card = yaml.safe_load((warm / "run.yaml").read_text())
    card["decoding"] |= {"temperature": 0.5, "extra": {"seed": 3}}
    (warm / "run.yaml").write_text(yaml.safe_dump(card))
    runs = [
        asked.runs[1],
        warm,
        ask(benchmark, tmp_path / "few", "baseline/random", limit=9),
        shutil.copytree(asked.runs[1], tmp_path / "again"),
        shutil.copytree(asked.runs[1], tmp_path / "deeper" / "again"),
    ]
    names = list(write_report(runs, tmp_path / "report", NONE).scores)
    cold, all_of_them = "baseline/random (temperature 0.0", f"{4 * CLIPS} questions"
    assert names == [
        f"{cold}, {all_of_them}, {asked.runs[1].name})",
        "baseline/random (temperature 0.5, seed 3)",
        f"{cold}, 9 questions)",
        f"{cold}, {all_of_them}, {tmp_path / 'again'})",
        f"{cold}, {all_of_them}, {tmp_path / 'deeper' / 'again'})",
    ]
    # A name that is enough is left alone.
    assert list(write_report(runs[1:2], tmp_path / "one", NONE).scores) == ["baseline/random"]


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run"):
        write_report([], tmp_path / "report", NONE)
    with pytest.raises(InputError, match="is not a run"):
        write_report([tmp_path], tmp_path / "report", NONE)
    assert not (tmp_path / "report").exists()


def test_long_replies_are_shortened(asked: Asked, tmp_path: Path) -> None:
    spoilt = asked.copy(tmp_path)
    ledger = spoilt.runs[1] / "ledger.jsonl"
    header, [first, *rest] = changed_lines(ledger)
    line = first | {"reply": "A\n" + "x" * 50_000 + "END"}
    write_changed(ledger, header, [line, *rest])
    data = read_report(write_report(spoilt.runs[1:2], tmp_path / "report", NONE).index.parent)
    [reply] = [i["answers"][0]["reply"] for i in data["items"] if i["id"] == line["ask"]]
    assert reply.startswith("A\nxxx") and reply.endswith("xEND") and "42005 characters are in ledger.jsonl" in reply
    assert len(reply) < 8100


def test_the_same_runs_give_the_same_bytes(asked: Asked, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_report(asked.runs, tmp_path / name)
    assert content(tmp_path / "one") == content(tmp_path / "two")


def test_a_report_is_replaced_whole(asked: Asked, tmp_path: Path) -> None:
    out = tmp_path / "reports" / "report"
    write_report(asked.runs, out, FramesChoice("all"))
    old = content(out)

    def interrupt(done: int, total: int) -> None:
        if done > total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_report(asked.runs[:1], out, FramesChoice("all"), interrupt)
    assert content(out) == old and names(out.parent) == ["report"]
    report = write_report(asked.runs[1:2], out, NONE)
    assert report.index == out / "index.html"
    assert set(content(out)) == {"index.html", "questions.js", "report.css", "report.js", "theme.js"}
    assert names(out.parent) == ["report"] and old != content(out)


def test_the_old_report_comes_back_where_the_new_cannot_take_its_place(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "reports" / "report"
    write_report(asked.runs[:1], out, NONE)
    old, whole = content(out), Path.replace

    def full(path: Path, target: Path) -> Path:
        if target == out:
            raise OSError(28, "No space left on device")
        return whole(path, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InputError, match=r"report: the report cannot be written \(No space left on device\)"):
        write_report(asked.runs[1:2], out, NONE)
    assert content(out) == old and names(out.parent) == ["report"]


def test_only_a_report_is_replaced(asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = tmp_path / "report"
    write_report(asked.runs[1:2], report, FramesChoice("all"))
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<h1>my own</h1>")
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    (tmp_path / "inside").mkdir()
    before = content(tmp_path)
    monkeypatch.chdir(tmp_path / "inside")
    for out, words in (
        ("../site", r"contains index\.html, which is not part of a report"),
        ("../file", "is a file"),
        (".", "the current folder cannot be replaced"),
        ("..", "the current folder cannot be replaced"),
        (str(asked.benchmark), r"contains card\.yaml"),
        (str(asked.runs[0]), "not part of a report"),
    ):
        with pytest.raises(InputError, match=words):
            write_report(asked.runs[1:2], Path(out), NONE)
    for added in ("notes.md", "frames/holiday.jpg"):
        (report / added).write_text("mine")
        with pytest.raises(InputError, match=f"contains {added}, which is not part of a report"):
            write_report(asked.runs[1:2], report, NONE)
        (report / added).unlink()
    assert content(tmp_path) == before
    # An empty folder, a relative path and a link to a report are as good as any.
    assert write_report(asked.runs[1:2], Path("../empty"), NONE).index.exists()
    (tmp_path / "link").symlink_to(report)
    write_report(asked.runs[1:2], tmp_path / "link", NONE)
    assert (tmp_path / "link").is_symlink() and not (report / "frames").joinpath("x").exists()
    assert content(report) == content(tmp_path / "empty")


def test_a_prompt_is_shown_with_its_roles_and_pictures() -> None:
    picture = PictureFile("a.png", "0" * 64)
    parts = [
        Text("Be brief.", "system"),
        Text("Which?"),
        Image(picture),
        Image(picture),
        Option("A", "A. ", image=picture),
    ]
    assert prompt_words(parts) == "[system]\nBe brief.\n[user]\nWhich?\n[2 pictures]\nA. \n[1 picture]\n"
    assert shown_pictures(parts) == ((picture, ""), (picture, ""), (picture, "A"))
    assert prompt_words([]) == ""
