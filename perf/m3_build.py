"""Measure how fast the whole command makes questions of M3-Verse from recorded homes, relative to linking the files.

usage: python perf/m3_build.py HOMES/recordings [--seed 7] [--workers 2] [--pairs 5] [--results perf/RESULTS.md]

HOMES is a benchmark that ``chronotope build m3 world:house:20 --seed 7 --out HOMES`` drew, at its defaults. The bare
bound is a new Python process that links all files of the recordings and hashes their films. Each pair measures both one
after the other, by the clock; the median ratio counts.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from record import record

from chronotope.question import open_benchmark

BARE = """
import hashlib, os, sys
source, target = sys.argv[1:]
for folder, _, names in os.walk(source):
    made = target + folder[len(source):]
    os.makedirs(made)
    for name in names:
        os.link(f"{folder}/{name}", f"{made}/{name}")
films = f"{source}/../clips"
for name in os.listdir(films):
    with open(f"{films}/{name}", "rb") as file:
        hashlib.file_digest(file, "sha256")
"""


def timed(*words: object) -> float:
    """Run a command, and return its seconds by the clock."""
    start = time.perf_counter()
    ended = subprocess.run([str(word) for word in words], check=False, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(ended.stderr)
    return time.perf_counter() - start


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--results", type=Path, default=Path(__file__).with_name("RESULTS.md"))
    arguments = parser.parse_args()
    build = [Path(sys.executable).with_name("chronotope"), "build", "m3", arguments.recordings]
    build += ["--seed", arguments.seed, "--workers", arguments.workers, "--out"]
    rows: list[tuple[int, float, float]] = []
    # Beside the recordings, because links cannot lead to another disk.
    with tempfile.TemporaryDirectory(dir=arguments.recordings.parent) as folder:
        timed(*build, Path(folder) / "first")  # so that all files are in memory
        for pair in range(arguments.pairs):
            bare = timed(sys.executable, "-c", BARE, arguments.recordings, Path(folder) / f"bare-{pair}")
            whole = timed(*build, made := Path(folder) / f"bench-{pair}")
            rows.append((len(open_benchmark(made).questions), bare, whole))
    homes = len({path.name.rpartition("-state_")[0] for path in arguments.recordings.iterdir()})
    films = sum(path.stat().st_size for path in (arguments.recordings.parent / "clips").iterdir())
    lines = [f"| {count} | {bare:.2f} | {whole:.2f} | {count / whole:.0f} |" for count, bare, whole in rows]
    rate = median(count / whole for count, _, whole in rows)
    ratio = median(whole / bare for _, bare, whole in rows)
    text = "\n".join(
        [
            "# Results of perf/m3_build.py",
            "",
            f"{homes} recorded homes with films of {films / 1e9:.2f} GB, `--pairs {arguments.pairs}`, "
            f"{arguments.workers} workers on {os.cpu_count()} cores, Python {platform.python_version()}, profile "
            "strict.",
            "",
            "| questions | links and hashes, s | whole command, s | questions per s |",
            "|---" * 4 + "|",
            *lines,
            "",
            f"Median: {rate:.0f} questions per second by the whole command, which takes {ratio:.1f} times as long as "
            "links and hashes alone.",
            "",
        ]
    )
    record(arguments.results, text)
    print(text)


if __name__ == "__main__":
    main()
