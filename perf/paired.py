"""Measure the cost of two clips of 200 frames in one prompt, as in M3-Verse, relative to a bare client.

usage: python perf/paired.py --no-check [--pairs 5] [--clips 5] [--frames 250] [--results perf/RESULTS.md]

The script makes five pairs of clips (1024 x 768, 250 frames at 3 per second), with ten questions about each pair.
`chronotope run` asks them with 2 x 200 frames of 448 x 448. Memory is measured in a run without cached frames. The
script computes the cost of a question that is not the first of its pair. There are 45 such questions: their cost is the
CPU time of all 50 questions minus the CPU time of the five first questions, divided by 45. Both times are measured with
cached frames, because without the cache the variation of the decoding time would hide this cost. The bare client posts
request bodies that were made beforehand and equal those of `chronotope run`, one after the other with httpx, and reads
the replies. Its cost is computed in the same way. Linux only. Needs: pip install aiohttp psutil.
"""

import argparse
import math
import os
import platform
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import av
import numpy as np
from endpoint import measure, server, summary
from record import record

from chronotope.evaluate.plan import Plan, Selection, make_plan
from chronotope.families import family
from chronotope.media import FrameCache, FramePlan
from chronotope.models import Decoding, Limits
from chronotope.models.services.body import Encoder
from chronotope.models.services.wires.chat import CHAT, SHAPE
from chronotope.protocol import Ask
from chronotope.question import (
    CardDraft,
    MediaItem,
    Option,
    Question,
    measure_media,
    open_benchmark,
    write_benchmark_tables,
)

PAIRS, QUESTIONS, FRAMES = 5, 10, 250
BARE = """
import sys
from pathlib import Path
import httpx
url, folder, each = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
bodies = [path.read_bytes() for path in sorted(folder.iterdir())]
with httpx.Client(timeout=60) as client:
    for body in bodies:
        for _ in range(each):
            client.post(url, content=body, headers={"Content-Type": "application/json"}).json()
"""


def write_clip(path: Path, seed: int, frames: int) -> None:
    """Write a clip with as much detail as a filmed room: coarse shapes that drift, and a little grain."""
    generator = np.random.default_rng(seed)
    coarse = generator.integers(0, 256, (48, 64, 3), np.uint8).repeat(24, 0).repeat(24, 1)
    grain = generator.integers(0, 12, (768, 1024, 3), np.uint8)
    with av.open(str(path), "w") as container:
        stream: Any = container.add_stream("libx264", rate=3, options={"preset": "ultrafast", "crf": "28"})
        stream.width, stream.height, stream.pix_fmt = 1024, 768, "yuv420p"
        for number in range(frames):
            picture = np.roll(coarse, 8 * number, 1)[:768, :1024] // 2 + grain + 40
            for packet in stream.encode(av.VideoFrame.from_ndarray(picture.astype(np.uint8), "rgb24")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)


def make_benchmark(folder: Path, clips: int, frames: int) -> Path:
    (folder / "clips").mkdir(parents=True)
    questions: list[Question] = []
    for pair in range(clips):
        paths = [f"clips/{pair}-{state}.mp4" for state in ("before", "after")]
        for number, path in enumerate(paths):
            write_clip(folder / path, 2 * pair + number, frames)
        media = tuple(
            MediaItem(role, "video", (path,), label=f"This is the {place} video:")
            for role, place, path in zip(("before", "after"), ("first", "second"), paths, strict=True)
        )
        options = tuple(Option(text) for text in ("It was moved", "It is gone", "It was opened", "Nothing"))
        questions += [
            Question(
                id=f"pair-{pair}-{number}",
                family="m3",
                task="object_changes",
                cluster=f"house-{pair}",
                stem=f"What has become of thing {number} in the second video?",
                options=options,
                answer=(number % 4,),
                media=media,
                tags={"state_type": ("inter-states",), "hallucination": ("no",)},
            )
            for number in range(QUESTIONS)
        ]
    draft = CardDraft(name="Paired workload", family="m3", profile="paper", licence="made by a script")
    paths = sorted({path for question in questions for item in question.media for path in item.paths})
    write_benchmark_tables(folder, draft, questions, measure_media(folder, paths))
    return folder


def write_bodies(bench: Path, folder: Path, cache: Path) -> None:
    """Write the request body of the first question about each pair."""
    folder.mkdir()
    benchmark = open_benchmark(bench)
    chosen = family("m3")
    plan = make_plan(benchmark, chosen, chosen.RunSettings(), Selection(), Limits())
    frames = FrameCache(cache)
    for pair in range(len(plan.asks) // QUESTIONS):
        ask = plan.asks[pair * QUESTIONS]
        shown = {one: frames.frames(bench / item.paths[0], [one])[0] for item, one in _clips(plan, ask)}
        encoder = Encoder(lambda picture, shown=shown: shown[picture.plan][picture.position], SHAPE)
        body = CHAT.body("bench", encoder.pieces(plan.parts(ask)), CHAT.fields(Decoding(max_tokens=16)))
        (folder / f"{pair}.json").write_bytes(b"".join(body))


def _clips(plan: Plan, ask: Ask) -> list[tuple[MediaItem, FramePlan]]:
    media = plan.questions[ask.question].media
    return [(item, one) for item, one in zip(media, ask.plans, strict=True) if one is not None]


def ours(bench: Path, work: Path, cache: Path, flags: list[str]) -> dict[str, Any]:
    """Make a run with a frame cache; return CPU time, memory and requests."""
    work.mkdir()
    log = work / "server.jsonl"
    with server(log, "--latency", "0.05") as port:
        command = [str(Path(sys.executable).with_name("chronotope")), "run", str(bench), "--model", "endpoint/bench"]
        command += ["--base-url", f"http://127.0.0.1:{port}/v1", "--max-tokens", "16", "--out", str(work / "run")]
        found = measure([*command, *flags], cache)
    return found | {"requests": summary(log)["requests"]}


def bare(bodies: Path, work: Path, each: int) -> dict[str, Any]:
    """Run the bare client, which posts every body ``each`` times."""
    work.mkdir()
    with server(work / "server.jsonl", "--latency", "0") as port:
        url = f"http://127.0.0.1:{port}/v1/chat/completions"
        return measure([sys.executable, "-c", BARE, url, str(bodies), str(each)], work / "cache")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5, help="number of pairs of measurements (default: 5)")
    parser.add_argument("--clips", type=int, default=PAIRS, help="number of pairs of clips (default: 5)")
    parser.add_argument("--frames", type=int, default=FRAMES, help="frames of each clip (default: 250)")
    parser.add_argument("--no-check", action="store_true", help="ask without showing the server test pictures first")
    parser.add_argument("--results", type=Path, default=Path(__file__).with_name("RESULTS.md"))
    arguments = parser.parse_args()
    no_check = ["--no-check"] if arguments.no_check else []
    clips = arguments.clips
    more = clips * (QUESTIONS - 1)
    rows: list[str] = []
    ratios: list[float] = []
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        bench = make_benchmark(work / "bench", clips, arguments.frames)
        bodies = work / "bodies"
        write_bodies(bench, bodies, work / "frames")
        size = statistics.mean(path.stat().st_size for path in bodies.iterdir()) / 1e6
        cache = work / "cache"
        peak = ours(bench, work / "cold", cache, no_check)["peak_mb"]
        for number in range(1, arguments.pairs + 1):
            first = ours(bench, work / f"first-{number}", cache, ["--limit", str(clips), *no_check])
            every = ours(bench, work / f"every-{number}", cache, no_check)
            assert (first["requests"], every["requests"]) == (clips, clips * QUESTIONS) or not no_check
            few, many = (bare(bodies, work / f"bare-{number}-{each}", each) for each in (1, QUESTIONS))
            mine, theirs = ((of["cpu_s"] - start["cpu_s"]) / more for start, of in ((first, every), (few, many)))
            ratios.append(mine / theirs if theirs > 0 else math.nan)  # for short clips, the difference is too small
            rows.append(f"| {number} | {1000 * theirs:.1f} | {1000 * mine:.1f} | {ratios[-1]:.2f} |")
            print(rows[-1], flush=True)
    text = "\n".join(
        [
            "# Results of perf/paired.py",
            "",
            f"`python perf/paired.py {' '.join(no_check)} --pairs {arguments.pairs} --clips {clips} "
            f"--frames {arguments.frames}` on {os.cpu_count()} cores, Python {platform.python_version()}; "
            f"a request has {size:.1f} MB.",
            "",
            "| pair | bare client, CPU ms per question | ours, after the first of a pair of clips | ratio |",
            "|---|---|---|---|",
            *rows,
            "",
            f"Median ratio: {statistics.median(ratios):.2f}, both with cached frames; the target is at most 2. "
            f"Without cached frames, the run needs at most {peak} MB; the target is less than 400 MB.",
            "",
        ]
    )
    record(arguments.results, text)
    print(text)


if __name__ == "__main__":
    main()
