"""Measure the memory of each step over a very large benchmark: plan, run, score, report, shards, merge.

usage: python perf/million.py [--questions 1000000] [--clips 200] [--keep FOLDER]

The script makes a benchmark of STI-Bench's form, clip by clip as builds do, and asks `baseline/random`. Each step runs
in a process of its own. The table shows its peak memory (the largest resident set of the process and its children, from
`wait4`), its time and its result. The target is 1.5 GB at each step. Linux only.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from chronotope.io.packed import PackedList
from chronotope.media import encode_clip
from chronotope.question import CardDraft, MediaItem, Option, Question, Window, measure_media, write_benchmark_tables

TASKS = ("Displacement & Path Length", "Speed & Acceleration")
LIMIT = 1.5  # GB


def make(folder: Path, questions: int, clips: int) -> None:
    """Write the benchmark."""
    (folder / "clips").mkdir(parents=True)
    paths = [f"clips/{number}.mp4" for number in range(clips)]
    for number, path in enumerate(paths):
        grey = np.full((48, 64, 3), number % 250, np.uint8)
        grey[0, 0] = number // 250
        encode_clip([grey] * 8, folder / path, 10)
    items = (
        Question(
            id=f"q-{n:07d}", family="sti", task=TASKS[n % 2], cluster=f"clip-{(clip := n * clips // questions)}",
            stem=f"How far is it in clip {clip}, place {n}?",
            options=tuple(Option(f"{(n * 7 + step) % 1000}.5 m") for step in range(5)), answer=(n % 5,),
            window=Window(0.0, 0.5), media=(MediaItem("video", "video", (paths[clip],)),),
            tags={"scene": ("Indoor" if n % 3 else "Outdoor",)}, recordings=(f"clip-{clip}",),
        )
        for n in range(questions)
    )  # fmt: skip
    draft = CardDraft(name="Very large", family="sti", profile="strict", licence="CC0-1.0")
    write_benchmark_tables(folder, draft, PackedList(items), measure_media(folder, paths))


def measured(place: Path, words: list[str]) -> tuple[int, float, float, float]:
    """Run a command of ours; return its exit code, its peak memory (GB), its seconds and its CPU seconds."""
    began = time.monotonic()
    with (place / "log.txt").open("a") as log:
        print("$", *words, file=log, flush=True)
        child = os.posix_spawn(
            sys.executable, [sys.executable, *words], dict(os.environ),
            file_actions=[(os.POSIX_SPAWN_DUP2, log.fileno(), 1), (os.POSIX_SPAWN_DUP2, log.fileno(), 2)],
        )  # fmt: skip
        _, status, used = os.wait4(child, 0)
    seconds, busy = time.monotonic() - began, used.ru_utime + used.ru_stime
    return os.waitstatus_to_exitcode(status), used.ru_maxrss * 1024 / 1e9, seconds, busy


def main() -> None:
    """Print a row for each step; exit with 1 if a step fails or needs more than the target."""
    parser = argparse.ArgumentParser(description="Measure the memory of each step over a very large benchmark.")
    parser.add_argument("--questions", type=int, default=1_000_000)
    parser.add_argument("--clips", type=int, default=200)
    parser.add_argument("--keep", type=Path, help="a folder for the benchmark and its runs, which is kept")
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--steps", default="make,plan,run,again,show,report,shard-1,shard-2,merge")
    given = parser.parse_args()
    if given.make is not None:
        make(given.make, given.questions, given.clips)
        return
    place = given.keep or Path(tempfile.mkdtemp(prefix="chronotope-million-"))
    place.mkdir(exist_ok=True)
    bench, ours = str(place / "bench"), ["-m", "chronotope.cli"]
    run = [*ours, "run", bench, "--model", "baseline/random"]
    steps = {
        "make": [__file__, "--make", bench, "--questions", str(given.questions), "--clips", str(given.clips)],
        "plan": [*run, "--dry-run", "--out", str(place / "run")],
        "run": [*run, "--out", str(place / "run")],
        "again": [*run, "--out", str(place / "run")],
        "show": [*ours, "show", str(place / "run")],
        "report": [*ours, "report", str(place / "run"), "--out", str(place / "report"), "--frames", "none"],
        "shard-1": [*run, "--out", str(place / "part-1"), "--shard", "1/2"],
        "shard-2": [*run, "--out", str(place / "part-2"), "--shard", "2/2"],
        "merge": [*ours, "merge", *(str(place / f"part-{n}") for n in (1, 2)), "--out", str(place / "merged")],
    }
    over = False
    print(
        f"{given.questions:,} questions\n\n| step | GB | seconds | CPU s | exit code |\n|---|---|---|---|---|",
        flush=True,
    )
    for name in given.steps.split(","):
        code, peak, seconds, busy = measured(place, steps[name])
        over |= peak > LIMIT or code != 0
        print(f"| {name} | {peak:.2f} | {seconds:.0f} | {busy:.0f} | {code} |", flush=True)
    if given.keep is None:
        shutil.rmtree(place)
    raise SystemExit(int(over))


if __name__ == "__main__":
    main()
