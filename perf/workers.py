"""Measure how a build of text trajectories speeds up with its workers, and whether its memory grows with their number.

usage: python perf/workers.py [--recordings 2000] [--poses 900] [--blocks 4] [--workers N]

The same recordings are built in short blocks, in turn with one worker and with ``--workers`` (default: one for each
core), so that other work on the machine disturbs both alike. Two ratios to linear speed-up are printed:

- `by the clock`: the time of one worker, divided by N times the time of N workers. Right on an idle machine only: on a
  busy one, N processes get a larger share of the cores than one process.
- `by CPU time`: the CPU seconds of the build with one worker, divided by N times the longest path of the build with N
  workers: all of the command's own process, and an Nth part of its workers. Other work hardly changes this ratio. It is
  too low where the command works at the same time as its workers.

Then a quarter of the recordings is built, and the peak memory (proportional set size of all processes, sampled) of both
builds is compared. The targets are 85 % of linear, and less than 20 kB for each further recording. Linux only.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

LINEAR, GROWTH = 0.85, 20  # targets: share of linear, and kB for each further recording
FPS = 10


@dataclass(frozen=True)
class Used:
    """The use of one build: seconds, CPU seconds of the command itself and of its workers, and peak memory (MB)."""

    clock: float
    own: float
    workers: float
    peak: float


def write_walk(path: Path, seed: int, poses: int) -> None:
    """Write a walk that bends and changes its speed, in the format of TUM."""
    a, b, c = np.random.default_rng(seed).uniform(0.5, 1.0, 3)
    t = np.arange(poses) / FPS
    yaw = 2 * c * np.sin(0.6 * a * t) * (1 if seed % 2 else -1)
    steps = (1 + 0.6 * a * np.sin(1.7 * b * t))[:, None] * np.stack([np.cos(yaw), np.sin(yaw), 0 * t], 1) / FPS
    half = np.stack([0 * t, 0 * t, np.sin(yaw / 2), np.cos(yaw / 2)], 1)
    level = np.array([-0.5, 0.5, -0.5, 0.5])  # from the axes of a camera that looks along x
    x, y, z, w = half.T
    i, j, k, r = level
    turned = np.stack(
        [w * i + x * r + y * k - z * j, w * j - x * k + y * r + z * i, w * k + x * j - y * i + z * r,
         w * r - x * i - y * j - z * k], 1,
    )  # fmt: skip
    values = np.hstack([1.7e9 + t[:, None], np.cumsum(steps, 0) + np.array([0, 0, 1.5]), turned])
    np.savetxt(path, values, fmt=["%.4f"] + ["%.9f"] * 7)


def built(source: Path, out: Path, workers: int) -> Used:
    """Build, and measure.

    The CPU seconds of the workers are those of all children that have ended.
    """
    words = [sys.executable, "-m", "chronotope.cli", "build", "sti", str(source), "--out", str(out)]
    began, before = time.monotonic(), os.times()
    process = subprocess.Popen(
        [*words, "--workers", str(workers), "--per-variant", "2", "--json"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    root, own, peak = psutil.Process(process.pid), 0.0, 0.0
    while process.poll() is None:
        try:
            times = root.cpu_times()
            own = times.user + times.system
            peak = max(peak, sum(map(_memory, [root, *root.children(recursive=True)])))
        except psutil.NoSuchProcess:
            break
        time.sleep(0.25)
    _, told = process.communicate()
    if process.returncode:
        raise SystemExit(told)
    after = os.times()
    whole = after.children_user + after.children_system - before.children_user - before.children_system
    return Used(time.monotonic() - began, own, whole - own, peak)


def _memory(process: psutil.Process) -> float:
    try:
        return process.memory_full_info().pss / 1e6
    except psutil.Error:
        return 0.0


def main() -> None:
    """Print a row for each pair of blocks, and the results; exit with 1 if a target is missed."""
    parser = argparse.ArgumentParser(description="Measure the speed-up and the memory of a build's workers.")
    parser.add_argument("--recordings", type=int, default=2000)
    parser.add_argument("--poses", type=int, default=900)
    parser.add_argument("--blocks", type=int, default=4, help="pairs of builds, each of its share of the recordings")
    parser.add_argument("--workers", type=int, default=max(2, os.cpu_count() or 1))
    given = parser.parse_args()
    n, each = given.workers, given.recordings // given.blocks
    print(f"{given.blocks} blocks of {each} recordings of {given.poses} poses, {n} workers, {os.cpu_count()} cores")
    print("block  workers  clock s  own CPU s  workers' CPU s  peak MB  load")
    pairs: list[tuple[Used, Used]] = []
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        for block in range(given.blocks):
            source = place / f"walks-{block}"
            source.mkdir()
            for seed in range(block * each, (block + 1) * each):
                write_walk(source / f"walk-{seed:05d}.txt", seed, given.poses)
            order = (1, n) if block % 2 == 0 else (n, 1)
            used = {workers: built(source, place / f"bench-{block}-{workers}", workers) for workers in order}
            pairs.append((used[1], used[n]))
            for workers, one in sorted(used.items()):
                row = (
                    f"{one.clock:8.1f}  {one.own:9.1f}  {one.workers:14.1f}  {one.peak:7.0f}  {os.getloadavg()[0]:.1f}"
                )
                print(f"{block:5d}  {workers:7d} {row}", flush=True)
        few = place / "few"
        few.mkdir()
        for walk in sorted((place / "walks-0").iterdir())[: each // 4]:
            shutil.copy(walk, few)
        less = built(few, place / "bench-few", n)
    clock = sum(one.clock for one, _ in pairs) / (n * sum(many.clock for _, many in pairs))
    alone = sum(one.own + one.workers for one, _ in pairs)
    path = sum(many.own + many.workers / n for _, many in pairs)
    grown = 1000 * (pairs[0][1].peak - less.peak) / (each - each // 4)
    print(f"share of linear: {clock:.0%} by the clock, {alone / (n * path):.0%} by CPU time (target {LINEAR:.0%})")
    more = pairs[0][1].peak
    print(f"memory of {n} workers: {less.peak:.0f} MB for {each // 4} recordings, {more:.0f} MB for {each}")
    print(f"memory for each further recording: {grown:.1f} kB (target {GROWTH})")
    sys.exit(alone / (n * path) < LINEAR or grown > GROWTH)


if __name__ == "__main__":
    main()
