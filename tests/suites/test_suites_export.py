"""The folder of an exported task: its copy of the reader, its prompts, and what cannot be exported."""

import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
from scripted import FORMS, KEPT

import chronotope as ct
from commands import command


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tasks")
    for name in ("m3", "ikea"):
        ct.export(KEPT / name / "bench", place / name, to="inspect")
    return place


@pytest.fixture
def reader(tasks: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(tasks / "m3"))
    yield importlib.import_module("chronotope_reader")
    for name in [one for one in sys.modules if one.partition(".")[0] == "chronotope_reader"]:
        del sys.modules[name]


def test_the_copied_reader_needs_only_python(tasks: Path) -> None:
    code = "import sys, chronotope_reader; print(sorted({'chronotope', 'numpy', 'pydantic'} & set(sys.modules)))"
    made = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=tasks / "m3", capture_output=True, text=True, check=True
    )
    assert made.stdout.strip() == "[]"


def test_the_copied_reader_scores_as_we_do(tasks: Path, reader: ModuleType, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (tasks / "m3" / "asks.jsonl").read_text().splitlines()]
    assert {row["multiple"] for row in rows} == {True, False}
    replies = {
        row["id"]: FORMS[number % len(FORMS)].format(*(row["answer"] if number % 2 else ["B"]), "A")
        for number, row in enumerate(rows)
    }
    run = ct.score(KEPT / "m3" / "bench", replies, out=tmp_path / "run")
    ours = {one.question.id: one.metrics["strict"] for one in run.computed().scored}
    theirs = {row["question"]: reader.score_reply(row, replies[row["id"]]).credit for row in rows}
    assert theirs == ours
    assert {0.0, 1.0} < set(ours.values())


def test_a_reply_that_was_cut_short_counts_only_with_a_whole_answer(tasks: Path, reader: ModuleType) -> None:
    row = json.loads((tasks / "m3" / "asks.jsonl").read_text().splitlines()[0])
    [right] = row["answer"][:1]
    assert reader.score_reply({**row, "answer": [right], "multiple": False}, f"I think {right}.").credit == 1
    cut = reader.score_reply({**row, "multiple": False}, f"I think {right}.", truncated=True)
    assert (cut.credit, cut.chosen, cut.rule) == (0.0, None, "truncated")


def test_pictures_of_a_prompt_stand_where_the_protocol_has_them(tasks: Path) -> None:
    about = json.loads((tasks / "ikea" / "about.json").read_text())
    rows = [json.loads(line) for line in (tasks / "ikea" / "asks.jsonl").read_text().splitlines()]
    assert about["questions"] == len(rows) == ct.open(KEPT / "ikea" / "bench").card.counts.questions
    assert about["max_tokens"] == 1024
    shown = {part["path"] for row in rows for one in row["messages"] for part in one["content"] if part["path"]}
    assert shown == {f"frames/{file.name}" for file in (tasks / "ikea" / "frames").iterdir()}
    for row in rows:
        kinds = [part["type"] for part in row["messages"][0]["content"]]
        assert all(pair != ("text", "text") for pair in pairwise(kinds))


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("sti", {"clips": "video"}, "--clips video: a task shows pictures"),
        ("sti", {"placement": "rotate"}, "--placement rotate: a task shows pictures, and asks each question once"),
        ("sti", {"frames_as": "video"}, "--frames-as video"),
        ("sti", {"pictures": False}, "pictures: belongs to the layout of authors"),
        ("ikea", {"strategy": "all"}, "is asked with several strategies"),
        ("vgenst", {"variants": ()}, "have the variants base, none_answer, none_distractor"),
        ("vgenst", {"variants": "open"}, "none of the selected questions has options"),
        ("sti", {"to": "helm"}, "to: found 'helm': expected one of authors, "),
        ("sti", {"to": "authors"}, "there is no export for family sti"),
        ("m3", {"to": "authors", "limit": 3}, "limit: belongs to a suite"),
        ("sti", {"framse": 3}, "framse"),
    ],
)
def test_what_a_task_cannot_have_is_refused(name: str, options: dict, words: str, tmp_path: Path) -> None:
    with pytest.raises(ct.InputError, match=re.escape(words)):
        ct.export(KEPT / name / "bench", tmp_path / "out", **{"to": "inspect", **options})
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["sti", "m3"])
def test_without_a_form_each_family_gets_one_that_it_has(name: str, tmp_path: Path) -> None:
    told = command("export", KEPT / name / "bench", "--out", tmp_path / "out", "--no-pictures")
    assert told.code == 0, told.err
    assert (tmp_path / "out" / "croissant.json").exists() == (name == "sti")
    assert ("--to hf" in told.err + told.out) == (name == "sti")


def test_the_terminal_and_the_readme_name_one_command(tmp_path: Path) -> None:
    told = command("export", KEPT / "sti" / "bench", "--to", "inspect", "--limit", 2, "--out", tmp_path / "a" / "task")
    readme = (tmp_path / "a" / "task" / "README.md").read_text(encoding="utf-8")
    [line] = [line.strip() for line in readme.splitlines() if "inspect eval" in line]
    said = " ".join((told.err + told.out).split())
    assert line in said and "README.md says how to run them, and what to put for MODEL, URL and KEY" in said


def test_the_help_has_no_flags_that_no_suite_takes() -> None:
    shown = command("export", "--help").out
    assert "--frames" in shown and "--input" in shown
    for flag in ("--placement", "--clips", "--frames-as"):
        assert not re.search(rf"{flag}\b", shown)


@pytest.mark.parametrize("suite", ["inspect", "lmms-eval", "vlmevalkit"])
def test_the_readme_of_a_task_says_how_to_install_and_run_it(suite: str, tmp_path: Path) -> None:
    made = ct.export(KEPT / "sti" / "bench", tmp_path / "deep" / "task", to=suite, limit=2)  # type: ignore[arg-type]
    text = (tmp_path / "deep" / "task" / "README.md").read_text(encoding="utf-8")
    assert "pip install " in text and "## Limits" in text and not re.search(r"\{\w+\}", text)
    for word in ("MODEL", "URL", "KEY"):
        assert f"| `{word}` |" in text and word in (made.command or "")
    # The command holds in the folder above, wherever that is.
    assert (made.command or "").replace(str(tmp_path / "deep" / "task"), "task") in text and str(tmp_path) not in text
    assert re.search(r"sends \d+ pictures\. All questions together send \d+, from \d+ files that they share\.", text)
    assert "Quote the 95 % interval of Chronotope instead" in text and "`chronotope score BENCHMARK " in text
    assert "by cluster" not in text and ("`stderr` is its standard error by clip" in text) == (suite == "inspect")
    assert "judge" not in text  # each question of this benchmark has options
    listed = set(re.findall(r"^\| `([^`]+?)/?` \|", text, re.MULTILINE)) - {"MODEL", "URL", "KEY"}
    assert listed | {"README.md"} == {file.name for file in (tmp_path / "deep" / "task").iterdir()}


def test_a_folder_with_files_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ct.InputError, match="exists already"):
        ct.export(KEPT / "sti" / "bench", tmp_path, to="inspect")
