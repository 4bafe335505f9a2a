"""The tiers of tests: what is quick, what the quick tier tries, and who is told to be over its budget."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tiers import QUICK, QUICK_EXAMPLES, TESTS, asks_for_quick, budgets, is_quick, may_hold_quick, over_budget

FREE_SECONDS = 530  # five minutes on two cores, less what starting three workers and collecting takes


def test_what_is_quick_is_there_and_what_lies_beside_it_is_not_quick() -> None:
    files = sorted(TESTS.rglob("test_*.py"))
    for one in QUICK:
        assert any(file == TESTS / one or file.is_relative_to(TESTS / one) for file in files), one
    quick = {file.relative_to(TESTS).as_posix() for file in files if is_quick(file)}
    assert {"geometry/test_geometry_rigid.py", "models/test_models_baselines.py"} <= quick
    assert not quick & {"models/test_models_endpoint.py", "make/test_make_build.py", "question/test_question_folder.py"}
    for file in files:
        assert may_hold_quick(file.parent) or not is_quick(file), file  # none is lost with its folder
    assert not may_hold_quick(TESTS / "hardness")


@pytest.mark.parametrize("expression", ["quick", " quick ", "quick and not slow"])
def test_expressions_that_ask_for_quick_tests_only(expression: str) -> None:
    assert asks_for_quick(expression)


@pytest.mark.parametrize("expression", ["", "slow", "not slow", "not quick", "quick or slow", "quickly"])
def test_expressions_that_ask_for_others(expression: str) -> None:
    assert not asks_for_quick(expression)


def test_every_room_has_a_budget_and_together_they_keep_the_promise() -> None:
    rooms = {path.parent.name for path in TESTS.glob("*/test_*.py")} | {path.name for path in TESTS.glob("test_*.py")}
    assert set(budgets()) == rooms
    assert sum(budgets().values()) <= FREE_SECONDS


def test_rooms_over_their_budget_are_told_worst_first() -> None:
    took = {"geometry": 9.0, "make": 80.25, "world": 50.0, "shed": 0.5}
    assert over_budget(took, {"geometry": 10, "make": 60, "world": 45}) == [
        "tests/make: 80.2 s, its budget is 60 s",
        "tests/world: 50.0 s, its budget is 45 s",
        "tests/shed: 0.5 s, and CONTRIBUTING.md gives it no budget",
    ]
    assert over_budget({"geometry": 10.0}, {"geometry": 10}) == []


TRIED = """
from hypothesis import given, settings, strategies as st
import pytest

tried = {"plain": 0, "many": 0, "few": 0}

@given(st.integers())
def test_plain(n):
    tried["plain"] += 1

@settings(max_examples=300)
@given(st.integers())
def test_many(n):
    tried["many"] += 1

@settings(max_examples=7)
@given(st.integers())
def test_few(n):
    tried["few"] += 1

class TestIn:
    @settings(max_examples=300)
    @given(st.integers())
    def test_method(self, n):
        tried["method"] = tried.get("method", 0) + 1

def test_burn():
    sum(range(4_000_000))
    print("tried", *tried.values())

@pytest.mark.slow
def test_slow():
    print("slow ran")
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what makes the tiers, with one quick file, one that is not, and budgets for one room."""
    folder = tmp_path_factory.mktemp("house")
    (folder / "tests" / "geometry").mkdir(parents=True)
    (folder / "tests" / "cellar").mkdir()
    for name in ("conftest.py", "tiers.py"):
        shutil.copy(TESTS / name, folder / "tests" / name)
    shutil.copy(TESTS.parent / "pyproject.toml", folder)
    (folder / "tests" / "geometry" / "test_tried.py").write_text(TRIED)
    (folder / "tests" / "cellar" / "test_dark.py").write_text("def test_dark():\n    print('dark ran')\n")
    (folder / "CONTRIBUTING.md").write_text("| `geometry` | 0 |\n| `cellar` | 100 |\n")
    return folder


def pytest_in(folder: Path, *words: str) -> str:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-s",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-o",
        "addopts=",
        *words,
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_quick_tier_tries_few_examples_and_reads_no_other_file(house: Path) -> None:
    told = pytest_in(house, "-m", "quick")
    assert f"tried {QUICK_EXAMPLES} {QUICK_EXAMPLES} 7 {QUICK_EXAMPLES}" in told
    assert "dark ran" not in told and "slow ran" not in told
    assert "5 passed, 1 deselected" in told  # and nothing of the cellar


def test_the_default_tier_tries_all_and_tells_who_is_over_its_budget(house: Path) -> None:
    told = pytest_in(house, "-m", "not slow")
    assert "tried 100 300 7 300" in told and "dark ran" in told
    [line] = [line for line in told.splitlines() if line.startswith("tests/") and "budget" in line]
    assert line.startswith("tests/geometry: ") and line.endswith(" s, its budget is 0 s")


def test_slow_tests_count_for_no_budget(house: Path) -> None:
    told = pytest_in(house, "-m", "slow")
    assert "slow ran" in told and "budget" not in told
