"""The guard of restructuring: what is built from fixed seeds, imported, scored and told stays as it was.

``kept/posed`` holds what version 0.1 of 22 November 2026 made, the other folders of ``kept`` what 28 November made.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import guarded
import pytest

QUESTIONS = ("manuals strict",)  # the build that the default tests do
VALUES = guarded.values()


@pytest.fixture(scope="module")
def before() -> dict[str, Any]:
    return json.loads(guarded.BEFORE.read_text())


@pytest.fixture(scope="module")
def folder(drawn_manuals: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("guard")
    shutil.copytree(drawn_manuals, folder / "manuals")
    return folder


def is_slow(name: str) -> bool:
    return (name in guarded.BUILDS and name not in QUESTIONS) or name.startswith(("help", "report"))


def marks(name: str) -> list[pytest.MarkDecorator]:
    """What draws worlds takes minutes: it is complete only."""
    drawn = name in ("tables", "walks", "houses")
    return [*([pytest.mark.slow] if is_slow(name) else []), *([pytest.mark.complete] if drawn else [])]


@pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in VALUES])
def test_nothing_changed_that_was_not_meant_to(folder: Path, before: dict[str, Any], name: str) -> None:
    assert VALUES[name](folder) == before[name]


def test_every_value_is_guarded(before: dict[str, Any]) -> None:
    assert list(before) == list(VALUES)


def test_a_run_of_an_earlier_version_goes_on_and_asks_nothing_again(tmp_path: Path) -> None:
    place = guarded.kept(tmp_path) / "posed"
    ledger = place / "answered" / "random" / "ledger.jsonl"
    lines = ledger.read_text().splitlines()
    guarded.chronotope(place, "run", "bench", "--model", "baseline/random", "--out", "answered/random")
    assert ledger.read_text().splitlines() == lines
