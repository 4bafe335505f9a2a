"""Tables of a benchmark and of a run that are not what they were: one sentence from every command, nothing changed."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from faults_clips import cut
from faults_tools import chronotope, readings, told_once, tree, unfinished

Edit = Callable[[Path], object]
VERSION = b"chronotope.schema_version"


def stating(version: bytes | None) -> Edit:
    """The same table with another schema version in its metadata."""

    def edit(path: Path) -> None:
        table = pq.read_table(path)
        kept = {key: value for key, value in (table.schema.metadata or {}).items() if key != VERSION}
        pq.write_table(table.replace_schema_metadata(kept | ({VERSION: version} if version else {})), path)

    return edit


def torn(path: Path) -> None:
    """The schema can be read, the rows cannot."""
    content = bytearray(path.read_bytes())
    content[4 : len(content) // 4] = bytes(len(content) // 4 - 4)
    path.write_bytes(content)


SPOILT: dict[str, tuple[Edit, str]] = {
    "empty": (lambda path: path.write_bytes(b""), "cannot be read"),
    "cut": (lambda path: cut(path, 0.5), "cannot be read"),
    "torn": (torn, "cannot be read"),
    "text": (lambda path: path.write_text("id,stem\n1,what?\n"), "cannot be read"),
    "foreign": (lambda path: pq.write_table(pa.table({"name": ["a"], "age": [3]}), path), "column"),
    "gone": (Path.unlink, ""),
    "a folder": (lambda path: (path.unlink(), path.mkdir()), ""),
    "newer": (stating(b"99"), "99"),
    "no version that is a number": (stating(b"first"), "'first' is not a number"),
}
TABLES = {"questions.parquet": "media.parquet", "media.parquet": "questions.parquet"}  # each with the other one


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("what", [*SPOILT, "the other table"])
def test_a_spoilt_table_of_a_benchmark(whole: Path, whole_run: Path, tmp_path: Path, name: str, what: str) -> None:
    bench, run = shutil.copytree(whole, tmp_path / "bench"), shutil.copytree(whole_run, tmp_path / "run")
    card = run / "run.yaml"
    card.write_text(card.read_text().replace(str(whole), str(bench)).replace(f"../{whole.name}", "../bench"))
    path = bench / name
    kept = path.read_bytes()
    edit, words = SPOILT.get(what, (lambda path: shutil.copy(bench / TABLES[name], path), "column"))
    edit(path)
    before = tree(tmp_path)
    for command in (
        ("run", bench, "--model", "baseline/random", "--out", tmp_path / "new"),
        ("run", bench, "--model", "baseline/random", "--out", run),
        ("report", run, "--out", tmp_path / "report"),
        ("vary", bench, "--out", tmp_path / "varied"),
        ("show", bench),
    ):
        told_once(chronotope(*command), f"error: {path}", words)
        assert tree(tmp_path) == before
    if path.is_dir():
        path.rmdir()
    path.write_bytes(kept)
    assert chronotope("run", bench, "--model", "baseline/random", "--out", tmp_path / "new").code == 0
    assert readings(tmp_path / "new") == readings(whole_run)


def test_a_table_without_a_version_is_one_of_other_tools_and_is_read(whole: Path, tmp_path: Path) -> None:
    bench = shutil.copytree(whole, tmp_path / "bench")
    for name in TABLES:
        stating(None)(bench / name)
    assert chronotope("run", bench, "--model", "baseline/random", "--out", tmp_path / "run").code == 0


def test_a_card_of_another_benchmark_is_told(whole: Path, tmp_path: Path) -> None:
    bench = shutil.copytree(whole, tmp_path / "bench")
    assert chronotope("vary", whole, "--variant", "open", "--out", tmp_path / "varied").code == 0
    shutil.copy(tmp_path / "varied" / "card.yaml", bench)
    before = tree(tmp_path)
    told_once(
        chronotope("run", bench, "--model", "baseline/random", "--out", tmp_path / "run"),
        f"error: {bench / 'card.yaml'}, field 'counts'",
        "restore its tables",
    )
    assert tree(tmp_path) == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
def test_a_pipe_in_place_of_asks_is_told(whole: Path, whole_run: Path, tmp_path: Path) -> None:
    """Opening it would wait for ever."""
    run = shutil.copytree(whole_run, tmp_path / "run")
    (run / "asks.parquet").unlink()
    os.mkfifo(run / "asks.parquet")
    told = chronotope("run", whole, "--model", "baseline/random", "--out", run)
    told_once(told, "asks.parquet: is a pipe, expected a Parquet file")


DAMAGED = [what for what in SPOILT if what not in ("newer", "a folder", "no version that is a number")]


@pytest.mark.parametrize("what", [*DAMAGED, "questions in their place", "plans that are none", "newer"])
def test_spoilt_asks_are_planned_anew_by_the_same_command(
    whole: Path, whole_run: Path, tmp_path: Path, what: str
) -> None:
    run = shutil.copytree(whole_run, tmp_path / "run")
    path = run / "asks.parquet"
    if what == "questions in their place":
        shutil.copy(whole / "questions.parquet", path)
    elif what == "plans that are none":
        table = pq.read_table(path)
        column = table.schema.get_field_index("plans")
        pq.write_table(table.set_column(column, "plans", pa.array(["{not JSON"] * table.num_rows)), path)
    else:
        SPOILT[what][0](path)
    before = tree(tmp_path)
    newer = what == "newer"
    sentence = told_once(chronotope("report", run, "--out", tmp_path / "report"), f"error: {path}")
    assert ("update chronotope" if newer else "run the same command again") in sentence
    assert tree(tmp_path) == before
    told = chronotope("run", whole, "--model", "baseline/random", "--out", run)
    if newer:
        told_once(told, f"error: {path}", "update chronotope")
        assert tree(tmp_path) == before
        return
    assert told.code == 0, told.err
    assert readings(run) == readings(whole_run) and unfinished(run) == []
    assert chronotope("report", run, "--out", tmp_path / "report").code == 0
