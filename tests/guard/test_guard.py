"""The guard of restructuring: what is built from fixed seeds, and what a stored run scores, stays as it was.

``before.json`` holds what version 0.1 of 22 November 2026 made. Digests are of the rows of questions with their numbers
rounded to six digits, because the last bits of a number depend on the processor. Build them anew with
``python tests/guard/test_guard.py`` only where a change of questions is meant, and say so in CHANGELOG.md.
"""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from forks import forks

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
BEFORE = HERE / "before.json"
# What a question says, in every version: columns that came later say it elsewhere again.
COLUMNS = [
    *("id", "family", "task", "cluster", "stem", "options", "answer"),
    *("expected", "multiple", "variant", "base", "window"),
]
BUILDS = {
    "posed strict": ["build", "sti", "clips", "--seed", "7"],
    "posed paper": ["build", "sti", "clips", "--seed", "7", "--profile", "paper"],
    "manuals strict": ["build", "ikea", "manuals", "--seed", "7"],
    "manuals paper": ["build", "ikea", "manuals", "--seed", "7", "--profile", "paper"],
}
TABLES = ["build", "sti", "world:table:8", "--quality", "fast", "--per-variant", "2"]


def chronotope(folder: Path, *words: str) -> str:
    """What a command prints, run in a process of its own."""
    told = forks()(*words, cwd=folder)
    assert told.code == 0, told.err
    return told.out


def rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.6g}") + 0.0
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    return [rounded(part) for part in value] if isinstance(value, list) else value


def digest(bench: Path) -> dict[str, Any]:
    """How many questions of each task there are, and a digest of what they say."""
    rows = pq.read_table(bench / "questions.parquet", columns=COLUMNS).to_pylist()
    tasks: dict[str, int] = {}
    for row in rows:
        tasks[row["task"]] = tasks.get(row["task"], 0) + 1
    text = json.dumps(rounded(sorted(rows, key=lambda row: row["id"])), sort_keys=True, ensure_ascii=False)
    return {"tasks": dict(sorted(tasks.items())), "sha256": hashlib.sha256(text.encode()).hexdigest()}


def source(folder: Path, name: str) -> None:
    """Draw posed clips or manuals, as the examples do, unless they are there already."""
    draw = {"posed": ("posed_folders.py", "clips", "--folders", "2"), "manuals": ("manuals.py", "manuals")}
    script, out, *words = draw[name.split()[0]]
    if not (folder / out).exists():
        command = [sys.executable, str(EXAMPLES / script), out, *words]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def drawn(drawn_manuals: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("guard")
    shutil.copytree(drawn_manuals, folder / "manuals")
    return folder


def built(folder: Path, name: str) -> dict[str, Any]:
    source(folder, name)
    # One worker: two would import everything again, and tests/make holds that their number changes nothing.
    chronotope(folder, *BUILDS[name], "--workers", "1", "--out", name.replace(" ", "-"))
    return digest(folder / name.replace(" ", "-"))


def scores(run: Path, folder: Path) -> dict[str, Any]:
    """The scores of a run as the report tells them to programs: values, intervals and counts by task."""
    told = json.loads(chronotope(folder, "show", str(run), "--json"))
    return {"overall": rounded(told["accuracy"]), "tasks": rounded(told["tasks"])}


def kept(folder: Path) -> Path:
    """A copy of the benchmark and the run that version 0.1 wrote."""
    return Path(shutil.copytree(HERE / "kept", folder / "kept"))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name != "manuals strict" else name for name in BUILDS]
)
def test_the_same_seed_asks_the_same_questions_as_before(drawn: Path, name: str) -> None:
    assert built(drawn, name) == json.loads(BEFORE.read_text())[name]


@pytest.mark.slow
def test_tables_ask_the_same_questions_as_before(tmp_path: Path) -> None:
    chronotope(tmp_path, *TABLES, "--out", "bench")
    assert digest(tmp_path / "bench") == json.loads(BEFORE.read_text())["tables"]


def test_a_folder_and_a_run_of_that_version_open_and_score_the_same(tmp_path: Path) -> None:
    place = kept(tmp_path)
    before = json.loads(BEFORE.read_text())
    assert digest(place / "bench") == before["kept"]
    for run in sorted((place / "answered").iterdir()):
        assert scores(run, tmp_path) == before["scores"][run.name]


def test_a_run_of_that_version_goes_on_and_asks_nothing_again(tmp_path: Path) -> None:
    place = kept(tmp_path)
    ledger = place / "answered" / "random" / "ledger.jsonl"
    lines = ledger.read_text().splitlines()
    chronotope(place, "run", "bench", "--model", "baseline/random", "--out", "answered/random")
    assert ledger.read_text().splitlines() == lines


def main() -> None:
    """Write ``before.json`` anew from the folders ``kept`` and from the code as it is."""
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found: dict[str, Any] = {name: built(folder, name) for name in BUILDS}
        chronotope(folder, *TABLES, "--out", "tables")
        found["tables"] = digest(folder / "tables")
        found["kept"] = digest(HERE / "kept" / "bench")
        found["scores"] = {run.name: scores(run, folder) for run in sorted((HERE / "kept" / "answered").iterdir())}
    BEFORE.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
