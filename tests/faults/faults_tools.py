"""What the tests of faults share: small sources, what a command told, and what is on the disk before and after."""

import hashlib
import re
from pathlib import Path

from hardness_tools import Service, Told, readings, right_texts, run_words, start, start_service, wait_for

from chronotope.question import open_benchmark
from commands import command
from forks import Forks
from small_sources import truth_of, walk, write_posed

__all__ = [
    "BUILD",
    "Forks",
    "Service",
    "Told",
    "chronotope",
    "readings",
    "run_words",
    "serve_bench",
    "start",
    "told_once",
    "tree",
    "truth_of",
    "unfinished",
    "wait_for",
    "write_walks",
]

PROGRESS = re.compile(r"[a-z ]+\S*: (getting ready|\d+ of \d+)")
BUILD = ("--per-variant", 1, "--workers", 1)


def write_walks(folder: Path, frames: int = 25) -> Path:
    """Two folders of pictures, a and b."""
    for seed, name in enumerate(("a", "b")):
        write_posed(folder / name, walk(seed, frames))
    return folder


# Commands


def chronotope(*words: object) -> Told:
    """Run a command in this process; what a person would see as a traceback is raised."""
    told = command(*words)
    return Told(told.code, told.out, told.err)


def told_once(told: Told, *words: str, code: int = 2) -> str:
    """The one sentence of a command that ended with this exit code; all of ``words`` are in it."""
    assert told.code == code, f"exit code {told.code}\n{told.out}\n{told.err}"
    assert "Traceback" not in told.err and told.out == "", told.err
    # A slow machine also says how far it was.
    lines = [line for line in told.err.strip().splitlines() if not PROGRESS.match(line)]
    assert len(lines) == 1, told.err
    [sentence] = lines
    for word in words:
        assert word in sentence, f"{word!r} is not in: {sentence}"
    return sentence


def serve_bench(folder: Path, bench: Path, *words: object) -> Service:
    """A service that knows the questions of a benchmark and gives equal prompts equal replies."""
    return start_service(folder, right_texts(open_benchmark(bench).questions), "--mode", "drawn", *words)


# What is on the disk


def tree(*folders: Path) -> dict[str, str]:
    """Everything below some folders: the hash of each file, where each link leads, and folders as such."""
    found: dict[str, str] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            name = f"{folder.name}/{path.relative_to(folder)}"
            if path.is_symlink():
                found[name] = f"to {path.readlink()}"
            else:
                found[name] = "folder" if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def unfinished(folder: Path) -> list[str]:
    """What was begun below a folder under a temporary name and is still there."""
    names = (path.name for path in folder.rglob(".*"))
    return [name for name in names if ".partial" in name or name.endswith((".old", ".building", ".lock"))]
