"""Tables at the terminal and in a pipe: no name is cut, whatever its length and the width."""

import contextlib
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console
from typer.testing import CliRunner

from chronotope.cli.app import app
from chronotope.cli.terminal_tables import fitted
from chronotope.evaluate.score import open_run
from chronotope.question import open_benchmark
from ledger_lines import changed_lines, write_changed
from small_sources import COMMAND
from sti_released import COUNTS, row, write_release

MODEL = "elsewhere/Qwen2.5-VL-72B-Instruct"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark with runs of it by models of long names, two in two layouts of the same name."""
    place = tmp_path_factory.mktemp("tables")
    rows = [row(number, task=list(COUNTS)[number % 8], scene=number % 3) for number in range(48)]
    release = write_release(place / "release", rows)
    assert CliRunner().invoke(app, ["import", "sti", str(release), "--out", str(place / "bench")]).exit_code == 0
    ids = [question.id for question in open_benchmark(place / "bench").questions]
    for number in range(3):
        replies = place / f"replies-{number}.jsonl"
        replies.write_text("".join(f'{{"id": "{one}", "reply": "{"ABC"[number]}"}}\n' for one in ids))
        words = [
            "score",
            place / "bench",
            replies,
            "--name",
            f"{MODEL[10:]}-{number}",
            "--out",
            place / f"runs/{number}",
        ]
        assert CliRunner().invoke(app, [str(word) for word in words]).exit_code == 0
    return place


def in_terminal(words: list[str], place: Path, columns: int = 80) -> str:
    """What a command writes to a terminal so wide, without its escapes."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    with subprocess.Popen(
        [COMMAND, *words], cwd=place, stdout=theirs, stderr=subprocess.DEVNULL, env=environment | {"TERM": "xterm"}
    ):
        os.close(theirs)
        told = b""
        while block := read(ours):
            told += block
    os.close(ours)
    return ESCAPES.sub("", told.decode()).replace("\r\n", "\n")


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


def in_pipe(words: list[str], place: Path) -> str:
    """What a command writes where nobody looks."""
    with contextlib.chdir(place):
        return CliRunner().invoke(app, words).stdout


def test_no_name_is_cut_in_a_pipe(place: Path) -> None:
    service = f"endpoint/{MODEL}-{'x' * 60}"
    dry = ["run", "bench", "--model", service, "--base-url", "http://127.0.0.1:9/v1", "--dry-run"]
    assert f"│ {service} │" in in_pipe(dry, place)
    told = in_pipe(["report", "runs", "--out", "report", "--frames", "none", "--against", "paper"], place)
    assert "…" not in told
    for number in range(3):  # among the scores, and beside the published rows
        assert f"│ {MODEL}-{number} │" in told and re.search(rf"^ *→ *{MODEL}-{number} +\d", told, re.MULTILINE)


def test_no_name_is_cut_in_80_columns(place: Path) -> None:
    shown = in_terminal(["report", "runs", "--out", "other", "--frames", "none", "--against", "paper"], place)
    assert "…" not in shown and "Displacement" in shown and "Intra a" not in shown
    assert max(cell_len(line.rstrip()) for line in shown.split("\n") if "│" in line) <= 80
    for number in range(3):
        assert f"│ {MODEL}-{number} │" in shown and re.search(rf"^ *→ *{MODEL}-{number} +\d", shown, re.MULTILINE)
    assert "│ 35." in shown or re.search(r"Gemini-2.5-Pro +\d", shown)


def test_models_are_rows_and_tasks_are_columns(place: Path) -> None:
    lines = [line for line in in_pipe(["show", "runs"], place).splitlines() if line.startswith(("┃", "│"))]
    head, *rows = ([cell.strip() for cell in re.split("[┃│]", line)[1:-1]] for line in lines)
    assert head == ["model", "Questions", "Overall", *COUNTS] and [row[0] for row in rows] == [
        f"{MODEL}-{number}" for number in range(3)
    ]
    assert all(row[1] == "48" for row in rows)


def test_show_names_questions_and_takes_their_ids(place: Path) -> None:
    told = in_pipe(["show", "bench"], place)
    ids = [question.id for question in open_benchmark(place / "bench").questions]
    named = [one for one in ids if f"│ {one} " in told]
    assert len(named) == 24 and f"24 of {len(ids)} questions" in told
    assert {question.task for question in open_benchmark(place / "bench").questions if question.id in named} == {
        *COUNTS
    }
    assert "What is number" in in_pipe(["show", "bench", "--question", named[5], "--out", "look"], place)
    told = CliRunner().invoke(app, ["show", str(place / "bench"), "--json"])
    assert f'"{ids[-1]}"' in told.stdout
    shown = in_terminal(["show", "bench"], place)
    assert max(map(cell_len, shown.splitlines())) <= 80 or "made by" in shown
    assert all(one in re.sub(r"[│\s]", "", shown) for one in named)


def test_show_prints_the_scores_of_a_run(place: Path) -> None:
    told = in_pipe(["show", "runs/0"], place)
    assert MODEL in told and "Overall" in told and "48 replied" in told
    assert f"chronotope report {Path('runs/0')} --out report" in told
    one = CliRunner().invoke(app, ["show", str(place / "runs" / "0"), "--json"])
    assert '"accuracy"' in one.stdout and open_run(place / "runs" / "0").card.model in one.stdout
    many = CliRunner().invoke(app, ["show", str(place / "runs"), "--json"])
    assert many.stdout.count('"accuracy"') == 3


def test_runs_of_one_model_are_told_apart(place: Path, tmp_path: Path) -> None:
    for heat in ("0", "0.7"):
        words = ["run", str(place / "bench"), "--model", "baseline/random", "--temperature", heat, "--limit", "5"]
        assert CliRunner().invoke(app, [*words, "--out", str(tmp_path / "runs" / heat)]).exit_code == 0
    told = in_pipe(["show", str(tmp_path / "runs")], place)
    assert "baseline/random (temperature 0.7)" in told
    assert len({line.split("│")[1] for line in told.splitlines() if line.startswith("│ baseline/random")}) == 2


def test_a_run_that_was_stopped_shows_how_many_questions_were_asked(place: Path, tmp_path: Path) -> None:
    """Five right answers of 48 questions are 100 % of what was asked, and no 10 % of all."""
    out, report = tmp_path / "run", tmp_path / "report"
    words = ["run", str(place / "bench"), "--model", "baseline/random", "--out", str(out)]
    assert CliRunner().invoke(app, words).exit_code == 0
    ledger, right = out / "ledger.jsonl", {}
    for question in open_benchmark(place / "bench").questions:
        right[question.id] = "ABCDE"[question.answer[0]]
    header, lines = changed_lines(ledger)
    write_changed(ledger, header, [one | {"reply": right[one["ask"]]} for one in lines[:5]])
    for told in (["show", str(out)], ["report", str(out), "--out", str(report)]):
        assert "│ 5 of 48 asked │   100.0 │" in CliRunner().invoke(app, told).stdout
    assert "5 of 48 asked q" in (report / "index.html").read_text()
    one = json.loads(CliRunner().invoke(app, ["show", str(out), "--json"]).stdout)
    assert (one["planned"], one["accuracy"]["items"], one["accuracy"]["value"]) == (48, 5, 1.0)


@pytest.mark.parametrize("room", [20, 34, 50, 80, 200, None])
@pytest.mark.parametrize("lines", [True, False])
def test_every_character_is_there_at_every_width(room: int | None, lines: bool) -> None:
    columns = ["model", "Overall", "Dimensional Measurement", "because"]
    rows = [
        ["endpoint/a[b]:house:-long", "35.1 (33–37)", "12.3", "the words of this sentence may be wrapped"],
        ["模型/名前", "–", "1.0", "short"],
    ]
    console = Console(width=10_000, color_system=None, emoji=True, markup=True)
    with console.capture() as caught:
        for table in fitted("Title [x]", columns, rows, words=(0, 3), room=room, lines=lines):
            console.print(table)
            assert room is None or (table.width or 0) <= max(room, 12)
    told = caught.get()
    assert room is None or all(cell_len(line.rstrip()) <= max(room, 12) for line in told.splitlines())
    every = [re.sub(r"\s", "", cell) for one in [columns, *rows] for cell in one]
    for cell in every:
        assert all(character in told for character in cell)
    if room is None or room >= 50:
        assert rows[0][0] in told and rows[1][0] in told and "35.1 (33–37)" in told
