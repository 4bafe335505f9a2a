"""Building from simulated worlds: resume, workers, refusals before any work, and what a second build keeps."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from chronotope.errors import InputError
from chronotope.files import sha256_file
from chronotope.make import BuildRequest, build
from chronotope.make.origin import FromWorld, parse_world
from chronotope.question import open_benchmark
from chronotope.recording import load_recording, read_depth
from chronotope.recording.sources import Given
from chronotope.world import require_rendering
from small_tables import program, small_tables


@pytest.fixture(scope="module")
def drawable():
    try:
        require_rendering()
    except InputError as error:
        pytest.skip(str(error))
    with small_tables():
        yield


def request(out, source="world:table:1", **more):
    return BuildRequest("sti", source, out, options={"per_variant": 1}, quality="fast", **more)


@pytest.fixture(scope="module")
def one_table(drawable, tmp_path_factory):
    return build(request(tmp_path_factory.mktemp("tables") / "bench"), workers=1).folder


def rows(bench):
    """What "same bytes" means: the rows of every table but media.parquet."""
    tables = sorted(path for path in bench.rglob("*.parquet") if path.name != "media.parquet")
    return {
        path.relative_to(bench).as_posix(): json.dumps(pq.read_table(path).to_pylist(), default=str) for path in tables
    }


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("world:house:2", "no simulated world is called 'house'"),
        ("world:", "no simulated world is called ''"),
        ("world:table:0", "from 1 to 9999"),
        ("world:table:many", "from 1 to 9999"),
        ("world:table:²", "from 1 to 9999"),
        ("world:table:-3", "from 1 to 9999"),
    ],
)
def test_a_world_that_there_is_not_is_told(tmp_path, source, said):
    with pytest.raises(InputError, match="world:") as caught:
        build(request(tmp_path / "bench", source))
    assert said in str(caught.value) and list(tmp_path.iterdir()) == []


def test_flags_that_do_not_go_with_a_source_are_told(tmp_path):
    with pytest.raises(InputError, match="leave --fps"):
        build(request(tmp_path / "bench", given=Given(fps=10)))
    (tmp_path / "clips").mkdir()
    with pytest.raises(InputError, match=r"--quality fast: .* is not simulated"):
        build(request(tmp_path / "bench", tmp_path / "clips"))


def test_names_of_worlds_are_read():
    assert parse_world("clips") is None and parse_world("./world:table") is None
    assert parse_world("world:table").source == "world:table:8"
    assert parse_world("world:table:12").count == 12
    assert FromWorld("table", 3, 7, "full").name == "table-3-0007"


def test_a_table_becomes_a_benchmark_with_its_truth(one_table):
    benchmark = open_benchmark(one_table)
    assert benchmark.card.command.startswith("chronotope build sti world:table:1 ")
    assert "--quality fast" in benchmark.card.command and benchmark.card.licence.startswith("CC0-1.0")
    tasks = {question.task for question in benchmark.questions}
    assert tasks >= {"Dimensional Measurement", "Displacement & Path Length", "Speed & Acceleration", "Pose Estimation"}
    recording = load_recording(one_table / "recordings" / "table-0-0000")
    assert recording.clip is not None and recording.clip.path == one_table / "clips" / "table-0-0000.mp4"
    assert sha256_file(recording.clip.path) == recording.clip.sha256
    for files in (recording.depth, recording.identities):
        assert all((one_table / "recordings" / "table-0-0000" / name).is_file() for name in files)


def test_the_same_command_finds_it_again_and_other_tables_do_not_depend_on_their_number(
    one_table, tmp_path, monkeypatch
):
    assert build(request(one_table)).already_there
    monkeypatch.chdir(tmp_path)  # a world is the same wherever one stands
    assert build(request(one_table, "world:table:1")).already_there
    two = build(request(tmp_path / "two", "world:table:2"), workers=1).folder
    alone, together = rows(one_table), rows(two)
    for name, text in alone.items():
        if name.startswith("recordings/"):
            assert together[name] == text, name
    mine = [row for row in json.loads(together["questions.parquet"]) if row["cluster"] == "table-0-0000"]
    assert mine == json.loads(alone["questions.parquet"])


def test_a_build_from_its_recordings_keeps_depth_and_identities(one_table, tmp_path):
    again = build(BuildRequest("sti", one_table / "recordings", tmp_path / "again", options={"per_variant": 1})).folder
    first, second = (folder / "recordings" / "table-0-0000" for folder in (one_table, again))
    recording = load_recording(second)
    for name in (*recording.depth, *recording.identities):
        assert (first / name).read_bytes() == (second / name).read_bytes()
    assert np.nanmin(read_depth(second / recording.depth[0], recording.provenance["depth_scale"])) > 0.2
    assert {q.id for q in open_benchmark(again).questions} == {q.id for q in open_benchmark(one_table).questions}


def test_depth_that_is_named_and_not_there_is_told(one_table, tmp_path):
    copy = tmp_path / "recordings" / "table-0-0000"
    copy.mkdir(parents=True)
    for path in (one_table / "recordings" / "table-0-0000").glob("*.*"):
        (copy / path.name).write_bytes(path.read_bytes())
    with pytest.raises(InputError, match=r"depth/000000\.png: recording\.json names it, but it is not there"):
        build(BuildRequest("sti", tmp_path / "recordings", tmp_path / "bench"), workers=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["recordings"]


@pytest.mark.slow
def test_an_interrupted_build_goes_on_and_ends_as_an_undisturbed_one(drawable, tmp_path):
    words = ["build", "sti", "world:table:2", "--quality", "fast", "--per-variant", "1", "--workers", "1"]
    command = [sys.executable, "-c", program(), *words]
    undisturbed = subprocess.run([*command, "--out", "calm"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "calm is ready" in undisturbed.stdout
    started = subprocess.Popen([*command, "--out", "bench"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    parts = tmp_path / ".bench.building" / "parts"
    while not (parts / "00000" / "part.json").exists():
        assert started.poll() is None
        time.sleep(0.05)
    finished = (parts / "00000" / "part.json").stat().st_mtime_ns
    os.kill(started.pid, signal.SIGINT)
    assert started.wait(60) == 130 and "finished recordings are kept" in started.stderr.read()
    assert not (tmp_path / "bench").exists() and (parts / "00000" / "part.json").stat().st_mtime_ns == finished
    subprocess.run([*command, "--out", "bench"], cwd=tmp_path, check=True, capture_output=True)
    assert rows(tmp_path / "bench") == rows(tmp_path / "calm")
    assert not [path for path in Path(tmp_path).iterdir() if path.name.startswith(".")]
