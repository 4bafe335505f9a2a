"""``chronotope import``: from a released folder to a benchmark, with what is wrong in it told."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ikea_released
import m3_released
from chronotope.question import open_benchmark, validate
from commands import command
from sti_released import COUNTS, published_rows, row, write_release


def test_the_published_table_is_shown_beside_the_papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chronotope.cli.console.out.width", 200)
    release = write_release(tmp_path / "release", published_rows())
    told = command("import", "sti", release, "--out", tmp_path / "bench")
    assert told.code == 0, told.err
    shown = {cells[0]: cells[1:] for line in told.out.splitlines() if len(cells := split(line)) == 5}
    for task, of in COUNTS.items():
        assert shown[task] == [f"{count} / {count}" for count in (*of, sum(of))]
    assert shown["all"] == ["793 / 793", "865 / 865", "406 / 406", "2064 / 2064"]
    assert "2,064 questions on 9 clips in 20 cells; the paper has 2,064 on 300 clips in 20 of 24" in told.out
    assert validate(tmp_path / "bench") == []


def split(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("│┃").replace("┃", "│").split("│")]


def test_what_is_left_out_is_named_and_the_exit_code_says_so(tmp_path: Path) -> None:
    rows = [row(n) for n in range(9)]
    rows[4]["Answer"] = "G"
    rows[5]["Answer Detail"] = "another"
    for number in (0, 3, 6, 8):
        rows[number]["Video"] = f"scene009{number}_00.mp4"
    release = write_release(tmp_path / "release", rows)
    told = command("import", "sti", release, "--out", tmp_path / "bench")
    assert told.code == 1
    assert "left out, an answer that is not one of the options: 1 row: row 5 (scene0001_00.mp4, ID 1)" in told.err
    assert "left out, a missing clip: 4 rows: row 1 (scene0090_00.mp4, ID 0), row 4" in told.err
    assert "and 1 more" in told.err and "kept, with a flag, an Answer Detail" in told.err
    assert "4 questions on 2 clips in 1 cells" in told.out and "different numbers of questions" in told.out
    again = command("import", "sti", release, "--out", tmp_path / "other", "--json")
    found = json.loads(again.out)
    assert again.code == 1 and found["left_out"] == 5
    assert {one["code"]: len(one["rows"]) for one in found["findings"]} == {
        "no_such_option": 1,
        "missing_clip": 4,
        "answer_detail_differs": 1,
    }
    assert found["counts"]["Speed & Acceleration"]["Indoor"] == 4
    assert found["published"]["Speed & Acceleration"]["Indoor"] == 115
    assert found["card"]["refusals"] == {"Speed & Acceleration": {"missing_clip": 4, "no_such_option": 1}}
    assert len(open_benchmark(tmp_path / "other").questions) == 4


def test_wrong_use_is_one_sentence(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", [row(0)])
    out = tmp_path / "bench"
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("")
    for words, expected in [
        (("sti", tmp_path / "nowhere", "--out", out), "no such file or folder"),
        (("sti", release, "--out", tmp_path / "full"), "exists already: choose another --out"),
        (("sti", release, "--out", out, "--clips", tmp_path / "none"), "no such folder: --clips"),
        (("nobody", release, "--out", out), "there is no family 'nobody'"),
        (("sti", release / "video", "--out", out), "the folder has no table"),
    ]:
        told = command("import", *words)
        assert told.code == 2 and told.out == "", words
        assert expected in told.err and told.err.count("\n") == 1
        assert not out.exists() and not list(tmp_path.glob(".*"))
    out.mkdir()
    assert command("import", "sti", release, "--out", out).code == 0  # an empty folder is no obstacle


def test_nothing_half_written_stays_after_an_interruption(tmp_path: Path) -> None:
    write_release(tmp_path / "release", [row(n) for n in range(3)])
    place = tmp_path / "place"
    place.mkdir()
    # It stops for a while at the first clip, and is interrupted there.
    script = (
        "import sys, time, pathlib, chronotope.make.transfer.imports as imports\n"
        "from chronotope.cli import main\n"
        "measure = imports.measure_media\n"
        f"there = pathlib.Path({str(tmp_path / 'there')!r})\n"
        "imports.measure_media = lambda *of: (measure(*of), there.touch(), time.sleep(60))[0]\n"
        f"sys.argv = ['chronotope', 'import', 'sti', {str(tmp_path / 'release')!r}, '--out', 'bench']\n"
        "main()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], cwd=place, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "there").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    assert list(place.glob(".*.partial/clips/*"))
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130 and "stopped" in said and "Traceback" not in said
    assert list(place.iterdir()) == []


def test_a_run_of_it_can_be_asked_and_scored(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", [row(n) for n in range(10)])
    assert command("import", "sti", release, "--out", tmp_path / "bench").code == 0
    told = command("run", tmp_path / "bench", "--model", "baseline/constant-A", "--out", tmp_path / "run", "--json")
    assert told.code == 0, told.err
    # The right letter goes round: A is right in a fifth.
    assert "0.2" in told.out


def test_show_counts_the_questions_by_the_values_that_the_family_has(tmp_path: Path) -> None:
    m3_released.write_release(tmp_path / "m3", [m3_released.row(number) for number in range(10)])
    ikea = [ikea_released.row(task, "Chair", "bekvam_3017", n) for n, task in enumerate(ikea_released.TASKS)]
    ikea_released.write_release(tmp_path / "ikea", ikea)
    for family, heads in (
        ("m3", ["task", "inter-states", "intra-state", "all"]),
        ("ikea", ["task", "bekvam_3017", "all"]),
    ):
        assert command("import", family, tmp_path / family, "--out", tmp_path / f"{family}-bench").code in (0, 1)
        told = command("show", tmp_path / f"{family}-bench")
        shown = [split(line) for line in told.out.splitlines()]
        assert heads in shown and not any("–" in cells for cells in shown if len(cells) == len(heads))
        assert ("Lengths of clips" in told.out) == (family == "m3")
        tasks = command("show", tmp_path / f"{family}-bench", "--json")
        counts = json.loads(tasks.out)["tasks"]
        assert sum(sum(of.values()) for of in counts.values()) == json.loads(tasks.out)["questions"]
