"""How often the verifier's checks of pictures are wrong, and how often they find a fault.

usage: python perf/verify.py [RECORDINGS ...] [--tables 200] [--quality full] [--frames 75] [--rows rows.json]

Looks at recordings that are right, either those given (folders with recording.json) or tables drawn for it, of each of
which a stretch of ``--frames`` is taken. Each is looked at as it is; with each picture replaced by the one before it;
with two neighbouring pictures exchanged; and with two exchanged that lie at least five frames apart. Printed is, for
each check of the right clips, how the logarithms of what it decides by are spread, how far the limit is from their mean
in standard deviations, and what share of clips a Gumbel distribution with these moments puts beyond it; and for each
fault, in how many clips it was found. Neighbours whose outlines differ in less than the share that the check asks for
are counted on their own: they are hardly different.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from chronotope.recording import load_recording
from chronotope.world import QUALITIES, world_kinds
from chronotope.world.film import film
from chronotope.world.verify import pictures
from chronotope.world.verify.frame import Frame, read_frames
from chronotope.world.verify.pictures import Pictures

NAMES = ("picture upright", "picture of its frame", "pictures in order: jump", "pictures in order: others")
LIMITS = (pictures.MOST_MIRRORED, pictures.MOST_DELAY, pictures.MOST_JUMP, pictures.MOST_OF_ANOTHER)
APART = 5  # frames at least between two that are exchanged and no neighbours
AROUND = pictures.LAGS[-1] + 1  # frames before and after one, with which it is compared


@dataclass(frozen=True)
class Row:
    """What was found in one clip: what the checks decide by as it is and, as a share of the limit, with each fault;
    ``share`` is that of the neighbours' outlines that differs, ``distance`` how far apart the others lie."""

    name: str
    frames: int
    right: tuple[float, ...]
    late: float
    neighbours: float
    share: float
    apart: float
    distance: int


def figures(frames: Sequence[Frame]) -> tuple[float, ...]:
    """What the checks decide by."""
    looked = Pictures()
    for frame in frames:
        looked.look(frame)
    return tuple(map(float, looked.figures))


def exchanged(frames: Sequence[Frame], one: int, other: int) -> float:
    """What the check of the order decides by, as a share of its limits, about two frames with each other's picture."""
    planted = list(frames)
    planted[one] = replace(frames[one], picture=frames[other].picture)
    planted[other] = replace(frames[other], picture=frames[one].picture)
    near = [slice(max(at - AROUND, 0), at + AROUND + 1) for at in (one, other)]
    if other - one <= AROUND:
        near = [slice(near[0].start, near[1].stop)]
    found = (figures(planted[part])[2:] for part in near)
    return max(figure / limit for each in found for figure, limit in zip(each, LIMITS[2:], strict=True))


def measure(folder: Path, generator: np.random.Generator) -> Row:
    """One clip, right and with each fault planted at a place drawn for it."""
    recording = load_recording(folder)
    assert recording.clip is not None, f"{folder} has no clip"
    frames = [replace(frame, depth=np.empty((0, 0))) for frame in read_frames(recording, folder, recording.clip.path)]
    late = [frames[0], *(replace(frame, picture=before.picture) for before, frame in pairwise(frames))]
    one = int(generator.integers(len(frames) - 1))
    distance = int(generator.integers(APART, len(frames) // 2))
    first = int(generator.integers(len(frames) - distance))
    outlines = [pictures._outline(frames[at], frames[at].picture) for at in (one, one + 1)]
    return Row(
        name=recording.id,
        frames=len(frames),
        right=figures(frames),
        late=figures(late)[1] / LIMITS[1],
        neighbours=exchanged(frames, one, one + 1),
        share=pictures._compare(*outlines).share,
        apart=exchanged(frames, first, first + distance),
        distance=distance,
    )


def drawn(tables: int, quality: str, frames: int, place: Path) -> Iterator[Path]:
    """Stretches of so many frames of tables, one after the other."""
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
    """The two tables."""
    lines = [f"{len(rows)} clips of {min(r.frames for r in rows)} to {max(r.frames for r in rows)} frames", ""]
    lines += ["| check | limit | right clips: median | most | limit, in deviations | beyond it |", "|---" * 6 + "|"]
    for at, (name, limit) in enumerate(zip(NAMES, LIMITS, strict=True)):
        found = np.log([row.right[at] for row in rows])
        mean, spread = found.mean(), found.std(ddof=1) if len(rows) > 1 else np.nan
        scale = spread * np.sqrt(6) / np.pi
        beyond = -np.expm1(-np.exp(-(np.log(limit) - mean + np.euler_gamma * scale) / scale))
        middle, most = np.exp([np.median(found), found.max()])
        away = (np.log(limit) - mean) / spread
        lines.append(f"| {name} | {limit} | {middle:.2f} | {most:.2f} | {away:.1f} | {beyond:.0e} |")
    moved = [row for row in rows if row.share >= pictures.MOVED]
    still = [row for row in rows if row.share < pictures.MOVED]
    lines += ["", "| fault | found | share of the limit |", "|---|---|---|"]
    for name, found in (
        ("each picture that of the frame before", [row.late for row in rows]),
        ("neighbours exchanged", [row.neighbours for row in moved]),
        ("neighbours exchanged that hardly differ", [row.neighbours for row in still]),
        (f"two exchanged, {APART} frames or more apart", [row.apart for row in rows]),
    ):
        if found:
            caught = sum(figure > 1 for figure in found)
            lines.append(f"| {name} | {caught} of {len(found)} | {min(found):.2f} to {max(found):.2f} |")
    return "\n".join(lines)


def main() -> None:
    """See the top."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", nargs="*", type=Path)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--quality", choices=QUALITIES, default="full")
    parser.add_argument("--frames", type=int, default=75)
    parser.add_argument("--rows", type=Path)
    words = parser.parse_args()
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
