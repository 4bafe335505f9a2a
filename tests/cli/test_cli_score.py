"""``chronotope score``: replies made with another tool, from the file to the report."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import typer
import yaml

from chronotope.cli.build import app as build
from chronotope.cli.report import report_command
from chronotope.cli.score import score_command
from commands import command
from small_sources import walk, write_tum

app = typer.Typer()
app.add_typer(build, name="build")
app.command("score")(score_command)
app.command("report")(report_command)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of seven bare trajectories."""
    place = tmp_path_factory.mktemp("score")
    (place / "walks").mkdir()
    for seed in range(2, 9):  # nobody turns far, so no task has few clips
        write_tum(place / "walks" / f"{seed}.txt", walk(seed))
    built = command("build", "sti", place / "walks", "--out", place / "bench", "--per-variant", 1, "--workers", 1)
    assert built.code == 0, built.err
    return place / "bench"


def rows(bench: Path) -> list[dict]:
    return pq.read_table(bench / "questions.parquet").to_pylist()


def write(path: Path, replies: dict[str, str]) -> Path:
    path.write_text("".join(json.dumps({"id": name, "reply": reply}) + "\n" for name, reply in replies.items()))
    return path


def rights(bench: Path) -> dict[str, str]:
    return {row["id"]: f"The answer is {'ABCDE'[row['answer'][0]]}." for row in rows(bench)}


def test_replies_are_scored_and_reported(bench: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "model.jsonl", rights(bench))
    told = command("score", bench, file, "--out", tmp_path / "run")
    assert told.code == 0 and told.err == ""
    assert "elsewhere/model" in told.out and "100.0" in told.out
    assert told.out.splitlines()[-1] == str(tmp_path / "run")
    again = command("score", bench, file, "--out", tmp_path / "run", "--json")
    values = json.loads(again.out)
    number = len(rights(bench))
    assert values["accuracy"] | {"low": 0.0} == {
        "value": 1.0, "low": 0.0, "high": 1.0, "items": number, "clusters": 7, "chance": 0.2,
    }  # fmt: skip
    assert 0.8 < values["accuracy"]["low"] < 1
    counts = ("replied", "missing", "unknown", "repeated", "differing", "remarks")
    assert [values[name] for name in counts] == [number, 0, 0, 0, 0, []]
    assert values["model"] == "elsewhere/model" and set(values["tasks"]) == {row["task"] for row in rows(bench)}
    reported = command("report", tmp_path / "run", "--out", tmp_path / "report", "--frames", "none", "--json")
    assert reported.code == 0, reported.err
    assert json.loads(reported.out)["accuracy"] == {"elsewhere/model": 1.0}


def test_a_task_with_few_clips_is_told(bench: Path, tmp_path: Path) -> None:
    few, task = sorted({row["cluster"] for row in rows(bench)})[:5], rows(bench)[0]["task"]
    replies = {row["id"]: "A" for row in rows(bench) if row["task"] != task or row["cluster"] in few}
    told = command("score", bench, write(tmp_path / "m.jsonl", replies), "--out", tmp_path / "run", "--only")
    assert told.code == 0, told.err
    assert "figures without an interval come from fewer than 6 clips" in told.err.splitlines()


def test_what_is_missing_is_told_and_counts_as_wrong(bench: Path, tmp_path: Path) -> None:
    replies = rights(bench)
    first = next(iter(replies))
    del replies[first]
    file = write(tmp_path / "model.jsonl", {"nobody": "A", **replies})
    told = command("score", bench, file, "--out", tmp_path / "run", "--name", "Ours")
    assert told.code == 1
    assert told.err.splitlines() == [
        "model.jsonl: 1 unknown id left out; the first is 'nobody' (line 1)",
        f"model.jsonl: no reply for 1 of {len(replies) + 1} asks, counted as wrong; the first is {first!r}",
    ]
    name, questions, overall, *_ = [cell.strip() for cell in told.out.splitlines()[4].strip("│").split("│")]
    assert (name, questions) == ("elsewhere/Ours", str(len(replies) + 1)) and not overall.startswith("100.0")


def test_a_part_of_the_questions(bench: Path, tmp_path: Path) -> None:
    task = rows(bench)[0]["task"]
    replies = {row["id"]: "B" for row in rows(bench) if row["task"] == task}
    file = write(tmp_path / "model.jsonl", replies)
    told = command("score", bench, file, "--out", tmp_path / "run", "--task", task, "--variant", "base", "--json")
    values = json.loads(told.out)
    assert told.code == 0 and list(values["tasks"]) == [task] and values["replied"] == len(replies)


def test_no_reply_is_no_accuracy(bench: Path, tmp_path: Path) -> None:
    file = tmp_path / "model.jsonl"
    file.write_text(json.dumps({"id": rows(bench)[0]["id"], "reply": None}))
    told = command("score", bench, file, "--out", tmp_path / "run", "--json")
    assert told.code == 1 and json.loads(told.out)["accuracy"] is None


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("bench", "nowhere.jsonl"), "nowhere.jsonl: no such file"),
        (("nowhere", "bad.jsonl"), "nowhere: no such file or folder"),
        (("bench", "bad.jsonl"), "bad.jsonl: line 2 is not JSON"),
        (("bench", "good.jsonl", "--task", "Nothing"), "no question of task 'Nothing'"),
        (("bench", "good.jsonl", "--frames", 0), "--frames"),
        (("bench", "good.jsonl", "--out", "bench"), "contains files that do not belong to a run"),
    ],
)
def test_wrong_use_is_one_sentence(
    bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench").symlink_to(bench)
    write(tmp_path / "good.jsonl", rights(bench))
    (tmp_path / "bad.jsonl").write_text('{"id": "a", "reply": "A"}\n{"id"\n')
    told = command("score", *words, *(() if "--out" in words else ("--out", "run")))
    assert told.code == 2 and told.out == "" and sentence in told.err
    assert told.err.startswith("error: ") and "\n" not in told.err.strip()
    assert not (tmp_path / "run").exists() and not (tmp_path / "runs").exists()


def test_only_scores_the_questions_in_the_file_as_a_stated_subset(bench: Path, tmp_path: Path) -> None:
    replies = dict(list(rights(bench).items())[:3])
    file, total = tmp_path / "model.csv", len(rows(bench))
    file.write_text("".join(f'{name},"{reply}"\n' for name, reply in {"qid": "prediction", **replies}.items()))
    whole = command("score", bench, file, "--out", tmp_path / "whole", "--json")
    assert json.loads(whole.out)["accuracy"]["value"] == pytest.approx(3 / total)
    part = command("score", bench, file, "--out", tmp_path / "part", "--only", "--json")
    assert part.code == 0, part.err
    values, words = json.loads(part.out), f"a subset: 3 of {total} questions, those in model.csv (--only)"
    assert (values["accuracy"]["value"], values["planned"], values["missing"]) == (1.0, 3, 0)
    assert words in values["remarks"]
    assert "model.csv: the ids are read from the column 'qid', the replies from 'prediction'" in values["remarks"]
    assert yaml.safe_load((tmp_path / "part" / "run.yaml").read_text())["elsewhere"]["subset_of"] == total
    again = command("score", bench, file, "--out", tmp_path / "part")
    assert again.code == 2 and "a subset of questions (--only)" in " ".join(again.err.split())
    reported = command("report", tmp_path / "part", "--out", tmp_path / "report", "--frames", "none")
    assert reported.code == 0, reported.err
    assert f"the run has 3 of {total} questions" in (tmp_path / "report" / "index.html").read_text()
