"""Compare the CPU time that ``chronotope plan build`` foresees with the CPU time of the build.

usage: python perf/plan.py [--trial 30] [--builds "sti world:table:12 --quality fast" ...]

Each command runs in a process of its own, with one worker. Times are CPU times, so other work on the machine has little
influence. The start of Python and the assembly of the benchmark belong to the build, and the trial does not see them.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

BUILDS = (
    "sti world:table:12 --quality fast",
    "sti world:walk:12 --quality fast",
    "m3 world:house:5 --quality fast",
)


def cpu_of(*words: str) -> tuple[float, str]:
    """Run a command of ours, and return its CPU time (s) and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = subprocess.run([sys.executable, "-m", "chronotope.cli", *words], check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, told.stdout


def main() -> None:
    """Print a line for each build."""
    parser = argparse.ArgumentParser(description="Compare foreseen with true CPU times of builds.")
    parser.add_argument("--builds", nargs="+", default=BUILDS, help="what follows `chronotope build`, in quotes")
    parser.add_argument("--trial", type=float, default=30, help="seconds of a trial (default: 30)")
    given = parser.parse_args()
    print("| build | tried | foreseen (CPU s) | true (CPU s) | off | GB foreseen | true GB |\n" + "|---" * 7 + "|")
    for build in given.builds:
        words = build.split()
        trial = str(given.trial)
        foreseen = json.loads(cpu_of("plan", "build", *words, "--workers", "1", "--trial", trial, "--json")[1])
        with tempfile.TemporaryDirectory() as name:
            spent, _ = cpu_of("build", *words, "--workers", "1", "--out", f"{name}/bench")
            size = sum(file.stat().st_size for file in Path(name).rglob("*") if file.is_file()) / 1e9
        seconds, tried = 3600 * foreseen["cpu_hours"], f"{len(foreseen['trial'])} of {foreseen['parts']}"
        off, told = seconds / spent - 1, foreseen["gigabytes"]
        print(
            f"| `{build}` | {tried} | {seconds:.1f} | {spent:.1f} | {off:+.0%} | {told:.3f} | {size:.3f} |", flush=True
        )


if __name__ == "__main__":
    main()
