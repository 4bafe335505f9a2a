"""Building from simulated worlds: resume, workers, refusals before any work, and what a second build keeps."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from chronotope.errors import InputError
from chronotope.io import sha256_file
from chronotope.make import BuildRequest, build
from chronotope.make.sources import origin
from chronotope.make.sources.origin import FromWorld, parse_world
from chronotope.question import open_benchmark
from chronotope.recording import load_recording, read_depth
from chronotope.recording.sources import Given
from chronotope.world import film
from chronotope.world.render import Renderer
from chronotope.world.verify import verify
from chronotope.world.verify.picture_checks import Pictures
from small_tables import mirroring, program, small_tables


@pytest.fixture(scope="module")
def drawable(drawable):
    with small_tables():
        yield


def request(out, source="world:table:1", **more):
    return BuildRequest("sti", source, out, options={"per_variant": 1}, quality="fast", **more)


@pytest.fixture(scope="module")
def watched(drawable, tmp_path_factory):
    """A table, and each step told of while it was built, after how many frames were drawn and verified by then."""
    drawn, verified, told = [], [], []
    with pytest.MonkeyPatch.context() as patch:
        for room, name, seen in ((Renderer, "draw", drawn), (Pictures, "look", verified)):
            patch.setattr(room, name, counting(getattr(room, name), seen))
        out = tmp_path_factory.mktemp("tables") / "bench"
        build(request(out), workers=1, progress=lambda *step: told.append((len(drawn), len(verified), *step)))
    return out, told


def counting(method, seen):
    def counted(*words):
        seen.append(None)
        return method(*words)

    return counted


@pytest.fixture(scope="module")
def one_table(watched):
    return watched[0]


def rows(bench):
    """What "same bytes" means: the rows of every table but media.parquet."""
    tables = sorted(path for path in bench.rglob("*.parquet") if path.name != "media.parquet")
    return {
        path.relative_to(bench).as_posix(): json.dumps(pq.read_table(path).to_pylist(), default=str) for path in tables
    }


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("world:castle:2", "there is no simulated world 'castle'"),
        ("world:", "there is no simulated world ''"),
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
    with pytest.raises(InputError, match="the flags --fps, --kind, --gravity and --source do not apply"):
        build(request(tmp_path / "bench", given=Given(fps=10)))
    (tmp_path / "clips").mkdir()
    with pytest.raises(InputError, match=r"--quality fast: only simulated worlds have a quality"):
        build(request(tmp_path / "bench", tmp_path / "clips"))
    with pytest.raises(InputError, match=r"--quality photo: world:table has no such quality: choose one of fast, full"):
        build(replace(request(tmp_path / "bench"), quality="photo"))


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
    # One size among so few questions would have its options too near to each other (TOO_MANY_NARROW).
    assert tasks == {"Displacement & Path Length", "Speed & Acceleration", "Spatial Relation", "3D Video Grounding"}
    assert all("TOO_MANY_NARROW" in benchmark.card.refusals[kind] for kind in ("size", "gap", "centre-distance"))
    recording = load_recording(one_table / "recordings" / "table-0-0000")
    assert recording.clip is not None and recording.clip.path == one_table / "clips" / "table-0-0000.mp4"
    assert sha256_file(recording.clip.path) == recording.clip.sha256
    for files in (recording.depth, recording.identities):
        assert all((one_table / "recordings" / "table-0-0000" / name).is_file() for name in files)


def test_no_more_than_one_frame_passes_between_two_steps_that_are_told(watched):
    _, told = watched
    drawn, verified, done, totals, labels = zip(*told, strict=True)
    for seen in (drawn, verified):
        assert seen[0] == 0 and seen[-1] == 30 and set(np.diff(seen)) == {0, 1}
    assert list(done) == sorted(done) and done[0] == 0 and done[-1] == 1 and set(totals) == {1}
    assert labels[0] == "table-0-0000: laying out the table" and labels[1] == "table-0-0000: drawing frame 1 of 30"
    assert "table-0-0000: verifying frame 30 of 30" in labels and "table-0-0000: writing questions" in labels


def test_a_table_that_its_verifier_refuses_is_drawn_anew(one_table, tmp_path, monkeypatch):
    encode, drawn = mirroring({"table-0-0000": 1})
    monkeypatch.setattr(film, "encode_clip", encode)
    built = build(request(tmp_path / "bench"), workers=1)
    assert drawn == {"table-0-0000": 2} and built.failures == ()
    [refused] = built.card.redrawn["table-0-0000"]
    assert "picture upright" in refused.split(", ") and built.card.redrawn.keys() == {"table-0-0000"}
    assert open_benchmark(built.folder).card.redrawn == built.card.redrawn
    [told] = [note for note in built.notes["table-0-0000"] if "drawn anew" in note]
    assert "because an attempt failed a check (" in told and "do not use" not in told
    assert "with left and right exchanged" in told
    again = load_recording(built.folder / "recordings" / "table-0-0000")
    assert again.provenance["attempt"] == 1 and verify(again, built.folder / "recordings" / again.id).passed
    first = load_recording(one_table / "recordings" / "table-0-0000")
    assert "attempt" not in first.provenance and not np.array_equal(first.world_T_camera, again.world_T_camera)
    assert open_benchmark(one_table).card.redrawn == {}


@pytest.mark.slow
def test_a_table_that_is_refused_each_time_fails_in_a_sentence(drawable, tmp_path, monkeypatch):
    encode, drawn = mirroring({"table-0-0000": 99})
    monkeypatch.setattr(film, "encode_clip", encode)
    monkeypatch.setattr(origin, "ATTEMPTS", 2)
    with pytest.raises(InputError) as caught:
        build(request(tmp_path / "bench"), workers=1)
    said = str(caught.value)
    assert said.startswith("recording 'table-0-0000' contradicts itself (") and "\n" not in said
    assert "(refused in all 2 attempts: leave out this scene with --keep-going, or use another --seed)" in said
    assert drawn == {"table-0-0000": 2} and list(tmp_path.iterdir()) == []


def test_what_is_no_refusal_is_not_drawn_anew(drawable, tmp_path, monkeypatch):
    drawn = []

    def full(pictures, path, fps, *, crf):
        drawn.append(next(iter(pictures)))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(film, "encode_clip", full)
    with pytest.raises(InputError, match="No space left on device"):
        build(request(tmp_path / "bench"), workers=1)
    assert len(drawn) == 1


REFUSED = {"table-0-0000": 1, "table-0-0001": 2}
PROGRAM = f"""
from chronotope.cli import main
from chronotope.world import QUALITIES, film
from small_tables import SMALL, mirroring

QUALITIES["fast"] = SMALL
film.encode_clip = mirroring({REFUSED})[0]
if __name__ == "__main__":
    main()
"""


@pytest.mark.slow
def test_redrawn_tables_are_the_same_with_any_number_of_workers_and_after_a_kill(drawable, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    words = ["build", "sti", "world:table:2", "--quality", "fast", "--per-variant", "1", "--out", "bench", "--workers"]
    command = [sys.executable, str(tmp_path / "program.py"), *words]
    for name in ("one", "two", "killed"):
        (tmp_path / name).mkdir()
    run = partial(subprocess.run, env=environment, check=True, capture_output=True, text=True)
    calm = run([*command, "1"], cwd=tmp_path / "one")
    assert calm.stderr.count("drawn anew, because ") == 3
    run([*command, "2"], cwd=tmp_path / "two")
    started = subprocess.Popen([*command, "1"], cwd=tmp_path / "killed", env=environment, stderr=subprocess.DEVNULL)
    parts = tmp_path / "killed" / ".bench.building" / "parts"
    while not ((parts / "00000" / "part.json").exists() and list(parts.glob(".*.partial"))):
        assert started.poll() is None
        time.sleep(0.01)
    started.kill()
    started.wait()
    assert not (tmp_path / "killed" / "bench").exists()
    run([*command, "1"], cwd=tmp_path / "killed")
    one, two, killed = (tmp_path / name / "bench" for name in ("one", "two", "killed"))
    assert rows(one) == rows(two) == rows(killed)
    cards = [open_benchmark(bench).card for bench in (one, two, killed)]
    assert cards[0] == cards[1] == cards[2]
    assert {name: len(checks) for name, checks in cards[0].redrawn.items()} == REFUSED


@pytest.mark.slow
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
    assert np.nanmin(read_depth(second / recording.depth[0], recording.depth_scale)) > 0.2
    assert {q.id for q in open_benchmark(again).questions} == {q.id for q in open_benchmark(one_table).questions}


def test_depth_that_is_named_and_not_there_is_told(one_table, tmp_path):
    copy = tmp_path / "recordings" / "table-0-0000"
    copy.mkdir(parents=True)
    for path in (one_table / "recordings" / "table-0-0000").glob("*.*"):
        (copy / path.name).write_bytes(path.read_bytes())
    with pytest.raises(
        InputError, match=r"depth/000000\.png: recording\.json names this file, but the file is missing"
    ):
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
