"""What is printed is what was meant: brackets and colons stay, and nothing that a terminal obeys comes through."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from faults_tools import chronotope, run_words
from hardness_tools import questions_about, write_bench

from chronotope.cli.console import note, out, progress_bar, table
from chronotope.cli.plain import visible_json
from chronotope.errors import visible
from service import Answer, Received, Service, completion, error

MEANT = "[red]left[/] :house: [/] [bold]world:house:1[/bold] [link=x]"
# Colours, a title of the window, a cleared screen in one byte, a bell, a carriage return, and words written backwards.
ORDERS = "\x1b[31m\x1b]0;mine\x07\x9b2J\x08\r\x7f\u202eevil\u2066"
WRITTEN_OUT = r"\x1b[31m\x1b]0;mine\x07\x9b2J\x08\r\x7f\u202eevil\u2066"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Replies(Service):
    """One question in two is answered, the other refused, with all that a terminal may be harmed by in both."""

    def take(self, request: Received) -> Answer:
        if request.number % 2:
            return error(413, f"{MEANT} {ORDERS}", code=ORDERS)
        told = completion(f"{MEANT} {ORDERS}", (10, 1), finish=ORDERS)
        told["choices"][0]["message"]["reasoning_content"] = ORDERS
        return Answer(told)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with Replies() as service:
        yield service.url


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark whose stems, options, clips' names and scenes hold all of it."""
    nasty = f"{MEANT} {ORDERS}"
    questions = [
        replace(
            one,
            stem=f"{one.stem} {nasty}",
            options=tuple(replace(option, text=f"{option.text} {nasty}") for option in one.options),
            cluster=f"{one.cluster} {nasty}",
            tags={"scene": (nasty,)},
        )
        for one in questions_about(2, 3)
    ]
    return write_bench(tmp_path_factory.mktemp("printed") / "b[red]:house:[/]", questions)


def printed(*words: object, code: int | None = None) -> str:
    """All that a command prints, which holds nothing that a terminal obeys."""
    told = chronotope(*words)
    text = told.out + told.err
    assert "Traceback" not in text and (code is None or told.code == code), text
    assert not (found := OBEYED.findall(text)), (found, text)
    assert "🏠" not in text
    return text


@pytest.mark.parametrize(
    "variables",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        pytest.param({"PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"}, marks=pytest.mark.slow),
    ],
    ids=["C", "latin-1"],
)
def test_output_that_cannot_be_encoded_is_escaped(bench: Path, tmp_path: Path, variables: dict[str, str]) -> None:
    commands = [
        ["show", bench],
        ["run", "--help"],
        ["run", bench, "--model", "baseline/random", "--dry-run"],
        ["vary", bench, "--out", tmp_path / "varied"],
    ]
    code = (  # one process, because most of its time goes into loading
        "import json, sys\n"
        "from chronotope.cli import main\n"
        "for words in json.loads(sys.argv[1]):\n"
        "    sys.argv = ['chronotope', *words]\n"
        "    try: main()\n"
        "    except SystemExit as ended: print('\\nended', ended.code or 0)\n"
    )
    words = json.dumps([[str(word) for word in command] for command in commands])
    done = subprocess.run(
        [sys.executable, "-c", code, words], env=os.environ | variables, capture_output=True, check=False
    )
    assert b"Traceback" not in done.stderr, done.stderr
    assert re.findall(rb"^ended (.*)", done.stdout, re.MULTILINE) == [b"0"] * len(commands), done.stderr
    assert rb"\u" in done.stdout


def test_a_service_that_writes_orders_to_terminals(bench: Path, url: str, tmp_path: Path) -> None:
    run = tmp_path / "[red]run:house:"
    words = [word for word in run_words(bench, url, out=run) if word != "--json"]
    assert f"refused: HTTP 413: {MEANT}" in printed(*words, code=1)
    told = chronotope(*words, "--json")
    assert not OBEYED.search(told.out) and told.json[0]["folder"] == str(run)
    assert str(run) in printed(*words)
    assert MEANT in printed("check", "--model", "endpoint/x", "--base-url", url, "--pictures", 2)
    page = tmp_path / "[bold]page:house:[/]"
    assert str(page) in printed("report", run, "--out", page, "--frames", "none").replace("\n", "")


def test_a_benchmark_that_holds_orders_to_terminals(bench: Path, tmp_path: Path) -> None:
    shown = printed("show", bench, code=0)
    assert f"{bench.name}: family sti" in shown
    out = tmp_path / "[i]out:house:"
    told = printed("show", bench, "--question", "q000", "--out", out, code=0)
    assert told.count(f"{MEANT} {WRITTEN_OUT}") == 5 and f"pictures in {out}" in told
    as_json = chronotope("show", bench, "--question", "q000", "--out", out, "--json")
    assert not OBEYED.search(as_json.out) and ORDERS in as_json.json["stem"] and MEANT in as_json.json["stem"]
    name = "[red]mine:house:[/]"
    printed("run", bench, "--model", "baseline/random", "--dry-run", code=0)
    replies = tmp_path / "replies.jsonl"
    replies.write_text("".join(json.dumps({"id": f"q00{n}", "reply": ORDERS}) + "\n" for n in range(6)))
    scored = printed("score", bench, replies, "--name", name, "--out", tmp_path / "scored", code=0)
    assert str(tmp_path / "scored") in scored
    printed("score", bench, replies, "--task", f"no {MEANT}{ORDERS}", code=2)
    printed("vary", bench, "--variant", "open", "--out", tmp_path / ":house:[/]")


def test_errors_repeat_what_was_given(tmp_path: Path) -> None:
    told = printed("build", "sti", "world:castle:1", "--out", tmp_path / "bench", code=2)
    assert "error: world:castle:1: there is no simulated world 'castle'" in told
    folder = tmp_path / f"e{MEANT.replace('/', '|')}{ORDERS}"
    folder.mkdir()
    assert f"e{MEANT.replace('/', '|')}{WRITTEN_OUT}: no source" in printed("show", folder, code=2)
    printed("build", f"world:table:1{ORDERS}", code=2)
    printed("run", tmp_path, "--model", ORDERS, code=2)
    printed("run", folder, "--model", "x", "--limit", ORDERS, code=2)


def test_every_way_to_print(capsys: pytest.CaptureFixture[str]) -> None:
    nasty = f"{MEANT} {ORDERS}"
    note(nasty)
    out.print(nasty)
    table(nasty, ["", nasty], [[nasty, nasty]])
    with progress_bar(nasty) as advance:
        advance(1, 2, nasty)
    told = capsys.readouterr()
    text = told.out + told.err
    assert not OBEYED.search(text) and text.count(WRITTEN_OUT) >= 2 and text.count(MEANT) >= 2


def test_a_bar_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The bar itself is drawn with orders to the terminal; none of them is the label's."""
    monkeypatch.setattr("chronotope.cli.console._notes.is_interactive", True)
    monkeypatch.setattr("chronotope.cli.console._notes._force_terminal", True)
    monkeypatch.setattr("chronotope.cli.console._notes._width", 400)
    with progress_bar(MEANT) as advance:
        advance(1, 2, f"{MEANT}{ORDERS}")
    told = capsys.readouterr().err
    assert MEANT in told and WRITTEN_OUT in told and "\x1b]0;" not in told and "\u202e" not in told


def test_written_out() -> None:
    assert visible("a\tb\nc é 左 🏠 \u200f") == "a\tb\nc é 左 🏠 \u200f"
    assert visible(ORDERS) == WRITTEN_OUT and visible("\ud83d") == r"\ud83d"
    value = {"reply": f"{ORDERS}\ud83d é\n"}
    told = visible_json(json.dumps(value, ensure_ascii=False, indent=2))
    assert json.loads(told) == value and not OBEYED.search(told) and "é" in told


def test_one_place_makes_consoles() -> None:
    source = Path(visible.__code__.co_filename).parents[1]
    makers = [file.name for file in source.rglob("*.py") if "import Console" in file.read_text("utf-8")]
    assert makers == ["plain.py"]
