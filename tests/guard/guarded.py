"""What the guard of restructuring compares: each value has a name and is made from nothing but the code and a folder.

``PYTHONPATH=tests python tests/guard/guarded.py [NAME ...]`` writes the values of ``before.json`` anew, all of them or
those named. Do so only where a change is meant, and say so in CHANGELOG.md. ``--keep`` makes the folders
``kept/FAMILY`` anew.

Digests are of values with rounded numbers, because the last bits of a number depend on the processor. Nothing that the
renderer drew is compared.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import ikea_released
import m3_released
import sti_released
import vgenst_released
from forks import forks

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
BEFORE = HERE / "before.json"
KEPT = HERE / "kept"
# What a question says, in every version: columns that came later say it elsewhere again.
COLUMNS = [
    *("id", "family", "task", "cluster", "stem", "options", "answer"),
    *("expected", "multiple", "variant", "base", "window"),
]
# One worker where a second would only import everything again; tests/make holds that their number changes nothing.
BUILDS = {
    "posed strict": "build sti clips --seed 7 --workers 1",
    "posed paper": "build sti clips --seed 7 --profile paper --workers 1",
    "manuals strict": "build ikea manuals --seed 7 --workers 1",
    "manuals paper": "build ikea manuals --seed 7 --profile paper --workers 1",
    "tables": "build sti world:table:3 --quality fast --per-variant 2",
    "walks": "build sti world:walk:3 --quality fast --per-variant 2",
    "houses": "build m3 world:house:2 --quality fast",
}
FAMILIES = ("sti", "ikea", "m3", "vgenst")
PLACES = ("report", "benchmark", "folder", "path", "files", "version", "when", "seconds", "command")


def chronotope(folder: Path, *words: object) -> str:
    """What a command prints, run in a process of its own."""
    told = forks()(*words, cwd=folder)
    assert told.code == 0, told.err
    return told.out


def rounded(value: Any, digits: int = 6) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{digits}g}") + 0.0
    if isinstance(value, dict):
        return {name: rounded(part, digits) for name, part in value.items()}
    return [rounded(part, digits) for part in value] if isinstance(value, list) else value


def sha256(value: Any) -> str:
    return hashlib.sha256(json.dumps(rounded(value), sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def digest(bench: Path) -> dict[str, Any]:
    """How many questions of each task there are, and a digest of what they say."""
    rows = pq.read_table(bench / "questions.parquet", columns=COLUMNS).to_pylist()
    tasks: dict[str, int] = {}
    for row in rows:
        tasks[row["task"]] = tasks.get(row["task"], 0) + 1
    return {"tasks": dict(sorted(tasks.items())), "sha256": sha256(sorted(rows, key=lambda row: row["id"]))}


def built(folder: Path, name: str) -> dict[str, Any]:
    """The questions of a build, and of a world the things that stand in it and what changed between its states."""
    kind, out = name.split()[0], name.replace(" ", "-")
    draw = {"posed": ("posed_folders.py", "clips", "--folders", "2"), "manuals": ("manuals.py", "manuals")}.get(kind)
    if draw is not None and not (folder / draw[1]).exists():
        command = [sys.executable, str(EXAMPLES / draw[0]), *draw[1:]]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    chronotope(folder, *BUILDS[name].split(), "--out", out)
    found = digest(folder / out)
    if draw is None:
        found["things"] = sha256([_things(one) for one in sorted((folder / out / "recordings").iterdir())])
        changes = folder / out / "changes.jsonl"
        found["changes"] = sha256(
            [json.loads(line) for line in changes.read_text().splitlines()] if changes.exists() else []
        )
    return found


def _things(recording: Path) -> list[Any]:
    """Name, size and first place of each thing, in mm: what settles may differ in the last bits."""
    entities = json.loads((recording / "recording.json").read_text())["entities"]
    return [[one["id"], one["label"], [round(1000 * edge) for edge in one["size"]]] for one in entities]


def write_release(family: str, folder: Path) -> Path:
    """A small release of a family."""
    if family == "sti":
        rows = [sti_released.row(n, task, n % 3) for n, task in enumerate(sorted(sti_released.COUNTS) * 3)]
        return sti_released.write_release(folder, rows)
    if family == "ikea":
        products = [("Chair", "lisabo"), ("Table", "lunnarp"), ("Table", "gladom")]
        rows = [ikea_released.row(task, *one, n) for one in products for task in ikea_released.TASKS for n in range(2)]
        return ikea_released.write_release(folder, rows)
    if family == "m3":
        return m3_released.write_release(folder, [m3_released.row(n) for n in range(40)])
    rows = [
        vgenst_released.row(idx=idx, kind=kind)
        for idx in range(4)
        for kind in vgenst_released.matrix()[vgenst_released.MC][0]
    ]
    return vgenst_released.write_release(folder, rows)


def imported(folder: Path, family: str) -> dict[str, Any]:
    """The questions and the defects of a small release."""
    write_release(family, folder / family / "release")
    told = forks()("import", family, f"{family}/release", "--out", f"{family}/bench", "--json", cwd=folder)
    assert told.code in (0, 1), told.err  # 1: something was found
    return digest(folder / family / "bench")


def kept(folder: Path) -> Path:
    """A copy of the benchmarks and the runs that earlier versions wrote."""
    return folder / "kept" if (folder / "kept").exists() else Path(shutil.copytree(KEPT, folder / "kept"))


def scores(folder: Path, run: str) -> dict[str, Any]:
    """The scores of a kept run as they are told to programs: values, intervals and counts by task."""
    told = json.loads(chronotope(folder, "show", kept(folder) / run, "--json"))
    return {"overall": rounded(told["accuracy"]), "tasks": rounded(told["tasks"])}


def reported(folder: Path, family: str) -> dict[str, str]:
    """A digest of each part of what the report tells to programs about the kept runs of a family."""
    runs = sorted((kept(folder) / family / "answered").iterdir())
    told = json.loads(chronotope(folder, "report", *runs, "--out", f"{family}-report", "--against", "paper", "--json"))
    return {name: sha256(_placeless(part)) for name, part in sorted(told.items()) if name not in PLACES}


def _placeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _placeless(part) for name, part in value.items() if name not in PLACES}
    return [_placeless(part) for part in value] if isinstance(value, list) else value


def commands() -> list[str]:
    from chronotope.cli import app

    return sorted([*app._COMMANDS, *(f"build {name}" for name in ("sti", "ikea", "m3", "vgenst"))])


def told_help(folder: Path, command: str) -> list[str]:
    """The lines of a command's help."""
    return [line.rstrip() for line in chronotope(folder, *command.split(), "--help").splitlines()]


def runs() -> list[str]:
    """The kept runs, as paths below ``kept``."""
    return sorted(path.parent.relative_to(KEPT).as_posix() for path in KEPT.glob("*/answered/*/run.yaml"))


def values() -> dict[str, Callable[[Path], Any]]:
    """How each value is made in a folder, by its name."""
    made: dict[str, Callable[[Path], Any]] = {name: lambda folder, name=name: built(folder, name) for name in BUILDS}
    made |= {f"import {name}": lambda folder, name=name: imported(folder, name) for name in FAMILIES}
    made |= {f"scores {name}": lambda folder, name=name: scores(folder, name) for name in runs()}
    made |= {f"report {name}": lambda folder, name=name: reported(folder, name) for name in FAMILIES}
    made["kept"] = lambda _: digest(KEPT / "posed" / "bench")
    return made | {f"help {name}": lambda folder, name=name: told_help(folder, name) for name in commands()}


def keep(family: str) -> None:
    """Make ``kept/FAMILY`` anew: a benchmark, and runs of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        imported(folder, family)
        for model in ("baseline/random", "baseline/constant-A"):
            out = f"answered/{model.partition('/')[2]}"
            chronotope(folder / family, "run", "bench", "--model", model, "--out", out)
        shutil.rmtree(KEPT / family, ignore_errors=True)
        shutil.rmtree(folder / family / "release")
        for run in (folder / family / "answered").iterdir():
            card = (run / "run.yaml").read_text()
            (run / "run.yaml").write_text(card.replace(str((folder / family).resolve()), "/gone"))
        shutil.copytree(folder / family, KEPT / family, ignore=shutil.ignore_patterns("*.lock"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--keep", action="store_true")
    asked = parser.parse_args()
    if asked.keep:
        for family in FAMILIES:
            keep(family)
    before = json.loads(BEFORE.read_text()) if asked.names else {}
    with tempfile.TemporaryDirectory() as name:
        for value, make in values().items():
            if not asked.names or value in asked.names or value.split()[0] in asked.names:
                before[value] = make(Path(name))
    before = {name: before[name] for name in values() if name in before}
    BEFORE.write_text(json.dumps(before, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
