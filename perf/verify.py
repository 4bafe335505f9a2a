"""Measure false alarms and detected faults of the verifier's checks of pictures.

usage: python perf/verify.py [RECORDINGS ...] [--tables 200] [--quality full] [--frames 75] [--rows rows.json]
       python perf/verify.py RECORDINGS ... --refused

The script checks correct recordings: either given folders with recording.json, or stretches of ``--frames`` frames from
new tables. Each recording is checked four times: unchanged; with each picture replaced by the previous one; with two
neighbouring pictures exchanged; and with two pictures exchanged that are at least five frames apart. For each check,
the script prints the median and the maximum of the check's statistic over the correct clips. It also prints two figures
that use the logarithm of the statistic: the distance from the mean to the limit, in standard deviations, and the share
of clips beyond the limit, according to a Gumbel distribution with the same mean and standard deviation. For each fault,
it prints the number of clips in which the fault was found. Neighbours with nearly equal outlines are counted
separately, because the check does not compare such pictures.

With ``--refused``, the script makes all checks of correct recordings, of things that move too. It prints how many
recordings each check was made for, how many it refused, with the first reason, and the CPU time of a frame.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from chronotope.recording import load_recording
from chronotope.world import QUALITIES, world_kinds
from chronotope.world.film import film
from chronotope.world.verify import picture_checks, verify
from chronotope.world.verify.frame import Frame, read_frames
from chronotope.world.verify.picture_checks import Pictures

NAMES = ("picture upright", "picture of its frame", "pictures in order: jump", "pictures in order: others")
LIMITS = (
    picture_checks.MOST_MIRRORED,
    picture_checks.MOST_DELAY,
    picture_checks.MOST_JUMP,
    picture_checks.MOST_OF_ANOTHER,
)
APART = 5  # least distance in frames between two exchanged pictures that are not neighbours
AROUND = picture_checks.LAGS[-1] + 1  # each frame is compared with this number of frames before it and after it


@dataclass(frozen=True)
class Row:
    """The statistics of one clip without a fault (``right``), and with each fault.

    The statistic with a fault is divided by its limit. Two neighbours are exchanged: ``share`` is the fraction of their
    outlines in which they differ. ``distance`` is the number of frames between the other two exchanged pictures.
    """

    name: str
    frames: int
    right: tuple[float, ...]
    late: float
    neighbours: float
    share: float
    apart: float
    distance: int


def figures(frames: Sequence[Frame]) -> tuple[float, ...]:
    """Return the statistics of all checks for a sequence of frames."""
    looked = Pictures()
    for frame in frames:
        looked.look(frame)
    return tuple(map(float, looked.figures))


def exchanged(frames: Sequence[Frame], one: int, other: int) -> float:
    """Exchange the pictures of two frames; return the statistic of the order, divided by its limit."""
    planted = list(frames)
    planted[one] = replace(frames[one], picture=frames[other].picture)
    planted[other] = replace(frames[other], picture=frames[one].picture)
    near = [slice(max(at - AROUND, 0), at + AROUND + 1) for at in (one, other)]
    if other - one <= AROUND:
        near = [slice(near[0].start, near[1].stop)]
    found = (figures(planted[part])[2:] for part in near)
    return max(figure / limit for each in found for figure, limit in zip(each, LIMITS[2:], strict=True))


def measure(folder: Path, generator: np.random.Generator) -> Row:
    """Measure one clip, without a fault and with each fault at a random place."""
    recording = load_recording(folder)
    assert recording.clip is not None, f"{folder} has no clip"
    frames = [replace(frame, depth=np.empty((0, 0))) for frame in read_frames(recording, folder, recording.clip.path)]
    late = [frames[0], *(replace(frame, picture=before.picture) for before, frame in pairwise(frames))]
    one = int(generator.integers(len(frames) - 1))
    distance = int(generator.integers(APART, len(frames) // 2))
    first = int(generator.integers(len(frames) - distance))
    outlines = [picture_checks._outline(frames[at], frames[at].picture) for at in (one, one + 1)]
    return Row(
        name=recording.id,
        frames=len(frames),
        right=figures(frames),
        late=figures(late)[1] / LIMITS[1],
        neighbours=exchanged(frames, one, one + 1),
        share=picture_checks._compare(*outlines).share,
        apart=exchanged(frames, first, first + distance),
        distance=distance,
    )


def drawn(tables: int, quality: str, frames: int, place: Path) -> Iterator[Path]:
    """Yield stretches of new tables, each ``frames`` frames long."""
    fast = QUALITIES[quality]
    seconds = min(frames / fast.fps, fast.seconds[0])
    for number in range(tables):
        folder = place / f"{number:04d}"
        folder.mkdir()
        generator = np.random.default_rng([number, frames])
        [whole] = world_kinds()["table"].lay(generator, fast).states
        count = min(round(seconds * fast.fps), len(whole.times))
        start = int(generator.integers(len(whole.times) - count + 1))
        short = replace(whole, times=whole.times[:count], camera=whole.camera[start : start + count])
        film(short, folder.name, "table", generator, fast, folder)
        yield folder / "recordings" / folder.name


def told(rows: Sequence[Row]) -> str:
    """Return the two tables of results."""
    lines = [f"{len(rows)} clips of {min(r.frames for r in rows)} to {max(r.frames for r in rows)} frames", ""]
    lines += ["| check | limit | median | maximum | deviations from mean to limit | share beyond |", "|---" * 6 + "|"]
    for at, (name, limit) in enumerate(zip(NAMES, LIMITS, strict=True)):
        found = np.log([row.right[at] for row in rows])
        mean, spread = found.mean(), found.std(ddof=1) if len(rows) > 1 else np.nan
        scale = spread * np.sqrt(6) / np.pi
        beyond = -np.expm1(-np.exp(-(np.log(limit) - mean + np.euler_gamma * scale) / scale))
        middle, most = np.exp([np.median(found), found.max()])
        away = (np.log(limit) - mean) / spread
        lines.append(f"| {name} | {limit} | {middle:.2f} | {most:.2f} | {away:.1f} | {beyond:.0e} |")
    moved = [row for row in rows if row.share >= picture_checks.MOVED]
    still = [row for row in rows if row.share < picture_checks.MOVED]
    lines += ["", "| fault | found | share of the limit |", "|---|---|---|"]
    for name, found in (
        ("each picture replaced by the previous one", [row.late for row in rows]),
        ("neighbours exchanged", [row.neighbours for row in moved]),
        ("neighbours exchanged that hardly differ", [row.neighbours for row in still]),
        (f"two exchanged, {APART} frames or more apart", [row.apart for row in rows]),
    ):
        if found:
            caught = sum(figure > 1 for figure in found)
            lines.append(f"| {name} | {caught} of {len(found)} | {min(found):.2f} to {max(found):.2f} |")
    return "\n".join(lines)


def refused(folders: Sequence[Path]) -> str:
    """Make all checks of correct recordings; return a table of refusals."""
    made, found, took = Counter[str](), dict[str, list[str]](), []
    for folder in folders:
        recording, start = load_recording(folder), time.process_time()
        verification = verify(recording, folder)
        took.append(1000 * (time.process_time() - start) / int(recording.valid.sum()))
        made.update(check.name for check in verification.checks)
        for check in verification.failed:
            found.setdefault(check.name, []).append(f"{recording.id}: {check.figure}")
    lines = [f"{len(folders)} recordings, {np.median(took):.1f} CPU ms a frame (at most {max(took):.1f})", ""]
    lines += ["| check | recordings | refused | first reason |", "|---|---|---|---|"]
    for name, count in made.items():
        reasons = found.get(name, [])
        lines.append(f"| {name} | {count} | {len(reasons)} | {reasons[0] if reasons else ''} |")
    return "\n".join(lines)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", nargs="*", type=Path)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--quality", choices=QUALITIES, default="full")
    parser.add_argument("--frames", type=int, default=75)
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--refused", action="store_true")
    words = parser.parse_args()
    if words.refused:
        if not words.recordings:
            parser.error("--refused needs folders of recordings")
        print(refused(words.recordings))
        return
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as place:
        folders = words.recordings or drawn(words.tables, words.quality, words.frames, Path(place))
        for number, folder in enumerate(folders):
            rows.append(measure(folder, np.random.default_rng([1, number])))
            print(rows[-1], file=sys.stderr)
    if words.rows:
        words.rows.write_text(json.dumps([asdict(row) for row in rows]))
    print(told(rows))


if __name__ == "__main__":
    main()
