"""A kind of world with a moving person, in a package of its own, as the manual shows it."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chronotope.question import open_benchmark
from chronotope.recording import load_recording
from chronotope.world import require_rendering
from packages import install_project
from small_sources import chronotope
from small_tables import SMALL, program

ROOT = Path(__file__).parents[2]
PACKAGE = Path(__file__).parent / "stroll"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_rendering()
    return install_project(PACKAGE, tmp_path_factory.mktemp("packages"))


def build(packages: Path, place: Path, out: str, *more: str) -> Path:
    """Build two small scenes, three seconds long."""
    words = ("build", "sti", "world:stroll:2", "--out", out, "--quality", "fast", "--per-variant", "2", *more)
    environment = dict(os.environ) | {"PYTHONPATH": str(packages)}
    command = [sys.executable, "-c", program(replace(SMALL, seconds=(6.0, 6.0))), *words]
    built = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return place / out


@pytest.fixture(scope="module")
def bench(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(packages, tmp_path_factory.mktemp("place"), "bench", "--workers", "1")


def test_the_walker_walks_as_its_flag_says_and_is_asked_about(bench: Path) -> None:
    recording = load_recording(bench / "recordings" / "stroll-0-0000")
    [walker] = [entity for entity in recording.entities if entity.is_person]
    assert walker.body is not None and {event.kind for event in recording.events} >= {"walk"}
    [walk] = [event for event in recording.events if event.kind == "walk"]
    middle = (recording.times > walk.start + 0.8) & (recording.times < walk.end - 0.8)
    steps = np.linalg.norm(np.diff(walker.poses[middle][:, :2, 3], axis=0), axis=1)
    assert steps.sum() / np.ptp(recording.times[middle]) == pytest.approx(1.1, rel=0.12)
    stems = [question.stem for question in open_benchmark(bench).questions]
    assert any(re.search(r"\b(man|woman|boy|girl) in the\b", stem) for stem in stems)


def hashes(bench: Path) -> dict[str, str]:
    return {
        path.relative_to(bench).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in ("clips", "recordings")
        for path in sorted((bench / folder).rglob("*"))
        if path.is_file()
    }


@pytest.mark.slow
@pytest.mark.complete
def test_four_workers_make_the_same_bytes_as_one(packages: Path, tmp_path: Path) -> None:
    for workers in ("1", "4"):
        words = ("build", "sti", "world:stroll:2", "--out", workers, "--quality", "fast", "--workers", workers)
        told = chronotope(*words, cwd=tmp_path, packages=packages)
        assert told.returncode == 0, told.stderr
    assert hashes(tmp_path / "1") == hashes(tmp_path / "4") and len(hashes(tmp_path / "1")) > 100


def test_another_option_makes_another_scene(packages: Path, bench: Path) -> None:
    told = chronotope(
        "build", "sti", "world:stroll:2", "--out", "bench", "--pace", "0.7", cwd=bench.parent, packages=packages
    )
    assert told.returncode == 2 and "choose another --out" in told.stderr, told.stderr


def test_scenes_of_other_code_are_made_anew(packages: Path, tmp_path: Path) -> None:
    """The parts of a stopped build, and a finished benchmark, are taken only if their fingerprints are the same."""
    changed = shutil.copytree(packages, tmp_path / "packages")
    code = (changed / "stroll.py").read_text()
    for edited, same in ((code, True), (code.replace("0.55, 0.52, 0.48", "0.35, 0.52, 0.48"), False)):
        (changed / "stroll.py").write_text(edited)
        told = fingerprint(changed)
        assert (told == fingerprint(packages)) is same, "the folder of a package does not count, but its code does"


def fingerprint(packages: Path) -> str:
    code = (
        "from chronotope.make.sources.origin import FromWorld; print(FromWorld('stroll', 0, 0, 'fast').fingerprint())"
    )
    path = os.pathsep.join(filter(None, (str(packages), os.environ.get("PYTHONPATH"))))
    environment = dict(os.environ) | {"PYTHONPATH": path}
    told = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return told.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("world:stroll:1", "--pace", "5"), "pace"),
        (
            ("world:stroll:1", "--people", "2"),
            "--people 2: world:stroll has no such flag: leave out the flag, or build from world:house, world:walk",
        ),
        ((".", "--pace", "1"), "--pace 1.0: only simulated worlds have this flag"),
    ],
)
def test_a_wrong_option_is_told_in_a_sentence(
    packages: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    told = chronotope("build", "sti", *words, "--out", "x", cwd=tmp_path, packages=packages)
    assert told.returncode == 2 and said in told.stderr and len(told.stderr.splitlines()) == 1, told.stderr


def test_the_manual_shows_this_package() -> None:
    page = (ROOT / "docs" / "moving.md").read_text()
    assert (PACKAGE / "stroll.py").read_text().rstrip() in page
    for line in ('[project.entry-points."chronotope.worlds"]', 'stroll = "stroll:KIND"'):
        assert line in page and line in (PACKAGE / "pyproject.toml").read_text()
