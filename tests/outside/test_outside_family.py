"""A family in a package of its own: installed, it has every command, and nothing of Chronotope's is changed for it."""

import json
from pathlib import Path

import numpy as np
import pytest

from packages import install, install_project
from small_sources import arc, canonical_rows, chronotope, write_posed, write_tum

PACKAGE = Path(__file__).parent / "homecoming"
ANGLES = {"back": 2 * np.pi - 0.1, "away": np.pi, "almost": 2 * np.arcsin(1 / 3)}  # on a circle of 1.5 m
DISTANCES = {name: 3 * np.sin(angle / 2) for name, angle in ANGLES.items()}


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_project(PACKAGE, tmp_path_factory.mktemp("packages"))


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources") / "walks"
    for name in ("back", "away"):
        write_posed(folder / name, arc(1.5, ANGLES[name], 31))
    write_tum(folder / "almost.txt", arc(1.5, ANGLES["almost"], 31))
    return folder


WORDS = ("--workers", "2", "--polite", "--gravity", "-z", "--answers", "Yes it does", "--answers", "No")


@pytest.fixture(scope="module")
def place(packages: Path, sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the benchmark of the sources, and built.json, which is what the command said."""
    place = tmp_path_factory.mktemp("place")
    built = chronotope("build", "homecoming", sources, "--out", "bench", *WORDS, "--json", cwd=place, packages=packages)
    assert built.returncode == 0, built.stderr
    assert all(line.startswith("building ") for line in built.stderr.splitlines()), built.stderr  # on a slow machine
    (place / "built.json").write_text(built.stdout)
    return place


def test_it_is_listed_and_its_options_are_flags(packages: Path) -> None:
    assert "homecoming" not in chronotope("build", "--help").stdout
    told = chronotope("build", "--help", packages=packages)
    assert told.returncode == 0 and "homecoming" in told.stdout and "sti" in told.stdout
    flags = chronotope("build", "homecoming", "--help", packages=packages).stdout
    assert "Questions of homecoming" in flags and "--near" in flags and "--polite" in flags
    assert "(default: 1.0)" in flags and "Undefined" not in flags
    assert "--per-variant" not in flags


def test_it_builds_with_the_options_given(packages: Path, sources: Path, place: Path) -> None:
    card = json.loads((place / "built.json").read_text())["card"]
    assert card["family"] == "homecoming"
    assert card["refusals"] == {"homecoming": {"TOO_CLOSE_TO_CALL": 1}}
    rows = [json.loads(row) for row in canonical_rows(place / "bench" / "questions.parquet")]
    assert [row["id"] for row in rows] == ["away-homecoming", "back-homecoming"]
    for row, name, right in zip(rows, ("away", "back"), ("No", "Yes it does"), strict=True):
        assert row["stem"] == "Please say: does the camera end nearer to where it started than 1 m?"
        assert [row["options"][index]["text"] for index in row["answer"]] == [right]
        assert json.loads(row["provenance"])["distance"] == pytest.approx(DISTANCES[name], abs=1e-6)
    assert "--polite" in card["command"].split()
    assert "--answers 'Yes it does' --answers No" in card["command"]
    words = ("build", "homecoming", sources, "--out", "bench", *WORDS, "--explain")
    explained = chronotope(*words, cwd=place, packages=packages).stdout
    assert "TOO_CLOSE_TO_CALL" in explained and "already there" in explained


@pytest.mark.slow
def test_it_is_run_and_reported(packages: Path, place: Path) -> None:
    words = ("run", "bench", "--model", "baseline/random", "--shown", "3", "--json")
    [run] = json.loads(chronotope(*words, cwd=place, packages=packages).stdout)
    assert run["states"] == {"replied": 2} and run["tasks"].keys() == {"Homecoming"}
    assert run["accuracy"]["chance"] == pytest.approx(0.5)
    words = ("report", run["folder"], "--out", "report", "--frames", "all", "--json")
    report = json.loads(chronotope(*words, cwd=place, packages=packages).stdout)
    assert report["accuracy"] == {"baseline/random": run["accuracy"]["value"]} and report["problems"] == []
    page = (place / "report" / "index.html").read_text()
    assert "homecoming" in page.lower()
    assert len(list((place / "report" / "frames").iterdir())) == 2 * 3


def test_the_settings_of_one_family_are_refused_to_another(packages: Path, place: Path) -> None:
    words = ("run", "bench", "--model", "baseline/random", "--sampling", "stride")
    told = chronotope(*words, cwd=place, packages=packages)
    assert told.returncode == 2
    assert told.stderr.strip() == "error: --sampling: family homecoming does not have this setting"


def test_what_is_no_family_is_told_by_its_name(packages: Path, tmp_path: Path) -> None:
    points = {"chronotope.families": {"nothing": "nothing:FAMILY"}}
    folder = install("FAMILY = 'none'\n", "nothing", points, tmp_path / "wrong", "chronotope-nothing")
    told = chronotope("--help", packages=folder)
    assert told.returncode == 2
    assert told.stderr.strip() == (
        "error: entry point 'nothing' of chronotope.families is not a Family: correct the entry point"
    )


def test_without_the_package_its_benchmark_is_refused_in_a_sentence(place: Path) -> None:
    told = chronotope("run", "bench", "--model", "baseline/random", cwd=place)
    assert told.returncode == 2
    assert told.stderr.startswith("error: there is no family 'homecoming': expected one of ")
    assert len(told.stderr.splitlines()) == 1
