"""A kind of world and a provider of models in a package of their own: installed, `build` and `run` take them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from chronotope.evaluate.score import open_run
from chronotope.question import open_benchmark
from chronotope.recording import load_recording, read_depth, read_identities
from chronotope.world import require_rendering
from chronotope.world.verify import verify
from packages import install_project
from small_sources import chronotope
from small_tables import program

PACKAGE = Path(__file__).parent / "pond"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an installer leaves behind."""
    require_rendering()
    return install_project(PACKAGE, tmp_path_factory.mktemp("packages"))


@pytest.fixture(scope="module")
def place(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("place")
    # In small pictures, three seconds long.
    words = (
        "build",
        "sti",
        "world:floor:1",
        "--out",
        "bench",
        "--quality",
        "fast",
        "--per-variant",
        "2",
        "--workers",
        "1",
    )
    command, environment = [sys.executable, "-c", program(), *words], dict(os.environ) | {"PYTHONPATH": str(packages)}
    built = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return place


def test_a_scene_in_two_states_is_built_and_verified(place: Path) -> None:
    bench = place / "bench"
    names = ["floor-0-0000-after", "floor-0-0000-before"]
    assert sorted(path.name for path in (bench / "recordings").iterdir()) == names
    after, before = (load_recording(bench / "recordings" / name) for name in names)
    for recording in (after, before):
        assert verify(recording, bench / "recordings" / recording.id).passed
        assert (recording.scene, recording.source) == ("floor-0-0000", "world:floor")
    assert (before.state, after.state) == ("before", "after")
    [line] = (bench / "changes.jsonl").read_text().splitlines()
    assert json.loads(line)["operation"] == "move" and json.loads(line)["object"] == "thing-0"
    moved = [
        one.id for one, other in zip(before.entities, after.entities, strict=True) if (one.poses != other.poses).any()
    ]
    assert moved == ["thing-0"]
    questions = open_benchmark(bench).questions
    assert {question.cluster for question in questions} == {"floor-0-0000"}
    assert {question.recordings[0] for question in questions} == set(names)
    assert {question.media[0].paths for question in questions} == {(f"clips/{name}.mp4",) for name in names}


def test_what_moves_is_where_its_track_says(place: Path) -> None:
    """Depth and identities of a frame, back-projected, follow the thing: drawn, not only said."""
    folder = place / "bench" / "recordings" / "floor-0-0000-before"
    recording = load_recording(folder)
    number = [one.id for one in recording.entities].index("thing-3")
    thing = recording.entities[number]
    assert len(thing.poses) == len(recording.times)
    assert np.linalg.norm(thing.poses[-1][:3, 3] - thing.poses[0][:3, 3]) == pytest.approx(0.08 * recording.times[-1])
    seen = [k for k in range(len(recording.times)) if thing.visible_pixels[k] > 50]
    assert len(seen) > 20
    for k in seen[:: len(seen) // 5]:
        depth = read_depth(folder / recording.depth[k], recording.depth_scale)
        rows, columns = np.nonzero(read_identities(folder / recording.identities[k]) == number + 1)
        rays = np.stack([columns, rows, np.ones(len(rows))]) * depth[rows, columns]
        camera = np.linalg.inv(recording.intrinsics) @ rays
        world = recording.world_T_camera[k][:3, :3] @ camera + recording.world_T_camera[k][:3, 3:]
        own = thing.poses[k][:3, :3].T @ (world - thing.poses[k][:3, 3:])
        assert (np.abs(own).max(axis=1) <= np.array(thing.size) / 2 + 0.003).all()


def test_a_provider_answers_a_run(packages: Path, place: Path) -> None:
    told = chronotope("run", "bench", "--model", "pond/last", "--out", "run", "--json", cwd=place, packages=packages)
    assert told.returncode == 0, told.stderr
    run = open_run(place / "run")
    assert run.card.model == "pond/last"
    assert all(one.line.reply == "ABCDE"[len(one.question.options) - 1] for one in run.answered)
    again = chronotope("run", "bench", "--model", "pond/last", "--out", "run", "--json", cwd=place, packages=packages)
    assert json.loads(again.stdout)[0]["already"] == len(run.answered)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "bench", "--model", "pond/first"), "the pond has one model, pond/last"),
        (
            ("run", "bench", "--model", "pond/last", "--base-url", "http://x/v1"),
            "no base URL: the installed provider 'pond' sets it",
        ),
        (("run", "bench", "--model", "lake/last"), "--base-url, transformers/PATH-OR-HUB-NAME, openai/NAME"),
        (("build", "sti", "world:lake:1", "--out", "x"), "world:walk:N or world:floor:N"),
    ],
)
def test_what_there_is_not_is_told_in_a_sentence(
    packages: Path, place: Path, words: tuple[str, ...], said: str
) -> None:
    told = chronotope(*words, cwd=place, packages=packages)
    assert told.returncode == 2 and said in told.stderr and len(told.stderr.splitlines()) == 1, told.stderr
