"""Measure how fast questions of M3-Verse are made of recordings that are there, relative to saving the questions.

usage: python perf/m3_write.py [--homes 20] [--pairs 3] [--results perf/RESULTS.md]

The homes are those of tests/families/m3_homes.py, laid without pictures and saved, so that reading the recordings, the
writing and the selection are measured, but no links of films and maps. The bare bound is saving the candidates, from
which the selection chooses, as a Parquet table. Each pair measures both one after the other in CPU time; the median
ratio counts.
"""

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median

from record import record

from chronotope.families import WriteContext
from chronotope.families.m3 import FAMILY
from chronotope.question import objects_that_stay, write_questions
from chronotope.recording import Scene, load_recording, save_recording

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "families"))

from m3_homes import laid_home


def saved(home: Scene, folder: Path) -> Callable[[], Scene]:
    """Save a home, and return a function that reads it."""
    places = [folder / one.id for one in home.recordings]
    for one, place in zip(home.recordings, places, strict=True):
        save_recording(one, place)
    return lambda: Scene(home.id, tuple(load_recording(place) for place in places), home.changes)


def measure(homes: Sequence[Callable[[], Scene]]) -> tuple[int, int, float, float, float, float]:
    """Return the numbers of candidates and questions.

    Then come the CPU seconds of reading, writing, selecting and saving.
    """
    assert FAMILY.build.write is not None and FAMILY.build.select is not None
    context = WriteContext(7, "strict", FAMILY.build.Options())
    times = [time.process_time()]
    with objects_that_stay():  # as in a build
        scenes = [read() for read in homes]
        times.append(time.process_time())
        candidates = [one for scene in scenes for one in FAMILY.build.write(scene, context).questions]
        times.append(time.process_time())
        chosen = FAMILY.build.select(candidates, context).questions
        times.append(time.process_time())
        with tempfile.TemporaryDirectory() as folder:
            write_questions(Path(folder) / "questions.parquet", candidates)
        times.append(time.process_time())
    read, write, select, save = (late - early for early, late in pairwise(times))
    return len(candidates), len(chosen), read, write, select, save


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--homes", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--results", type=Path, default=Path(__file__).with_name("RESULTS.md"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        homes = [saved(laid_home(7000 + number), Path(folder)) for number in range(arguments.homes)]
        measure(homes[:2])  # loads the modules
        rows = [measure(homes) for _ in range(arguments.pairs)]
    lines = [
        f"| {many} | {count} | {read:.2f} | {write:.2f} | {select:.2f} | {save:.2f} | "
        f"{count / (read + write + select):.0f} | {(write + select) / save:.1f} |"
        for many, count, read, write, select, save in rows
    ]
    ratio = median((write + select) / save for *_, write, select, save in rows)
    rate = median(count / (write + select) for _, count, _, write, select, _ in rows)
    whole = median(count / (read + write + select) for _, count, read, write, select, _ in rows)
    text = "\n".join(
        [
            "# Results of perf/m3_write.py",
            "",
            f"`python perf/m3_write.py --homes {arguments.homes} --pairs {arguments.pairs}` on {os.cpu_count()} cores, "
            f"Python {platform.python_version()}, profile strict.",
            "",
            "| candidates | questions | read, CPU s | write, CPU s | select, CPU s | save, CPU s | questions per s | "
            "ratio |",
            "|---" * 8 + "|",
            *lines,
            "",
            f"Median: {whole:.0f} questions per second on one core with reading the recordings, {rate:.0f} without. "
            f"Writing and selecting take {ratio:.1f} times as long as saving the candidates.",
            "",
        ]
    )
    record(arguments.results, text)
    print(text)


if __name__ == "__main__":
    main()
