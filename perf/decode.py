"""Measure the time of `plan_frames` and `decode_frames`, relative to a bare script that decodes the same frames.

usage: python perf/decode.py [--pairs 7] [--size 640x480] [--lengths 10,60]

This script makes clips of 10 s and 60 s (30 frames per second, H.264, a keyframe every 30 and every 250 frames) in a
temporary folder. For k = 8, 30 and 200 evenly spaced frames, it runs our functions and the bare script in turn, in this
process. It prints the median of the pairs' ratios, in CPU time of the process and in wall time; the target is at most
1.3. The bare script makes one demuxing pass for time stamps and keyframes, seeks only if the next frame is in a later
group of pictures, and checks nothing.
"""

import argparse
import statistics
import tempfile
import time
from bisect import bisect_right
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from chronotope.media import ClipFacts, decode_frames, plan_frames, probe


def make_clip(path: Path, seconds: int, keyframe_every: int, width: int, height: int) -> None:
    """Write a clip of a textured scene under a moving camera, with a square that moves independently."""
    rng = np.random.default_rng(0)
    coarse = rng.integers(40, 216, (height // 8 + 40, width // 8 + 80, 3), np.uint8)
    scene = coarse.repeat(8, axis=0).repeat(8, axis=1) + rng.integers(0, 16, (1, 1, 3), np.uint8)
    with av.open(str(path), "w", options={"movflags": "+faststart"}) as container:
        stream = container.add_stream("libx264", rate=30, options={"preset": "veryfast", "crf": "20"})
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.codec_context.gop_size = keyframe_every
        for i in range(seconds * 30):
            left, top = int(300 + 280 * np.sin(i / 50)), int(150 + 140 * np.cos(i / 70))
            picture = scene[top : top + height, left : left + width].copy()
            picture[i % (height - 40) :][:40, (3 * i) % (width - 40) :][:, :40] = (220, 30, 30)
            frame = av.VideoFrame.from_ndarray(picture, "rgb24")
            frame.pts, frame.time_base = i, Fraction(1, 30)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def bare(path: Path, indices: list[int]) -> list[np.ndarray]:
    """Decode the frames with a bare script."""
    pictures = []
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "SLICE"
        stamps, keys = [], []
        for packet in container.demux(stream):
            if packet.pts is not None:
                stamps.append(packet.pts)
                if packet.is_keyframe:
                    keys.append(packet.pts)
        stamps.sort()
        wanted = [stamps[i] for i in indices]
        container.seek(wanted[0], stream=stream)
        group, frames = bisect_right(keys, wanted[0]), container.decode(stream)
        for stamp in wanted:
            if bisect_right(keys, stamp) > group:
                group = bisect_right(keys, stamp)
                container.seek(stamp, stream=stream)
                frames = container.decode(stream)
            for frame in frames:
                if frame.pts == stamp:
                    pictures.append(frame.to_ndarray(format="rgb24"))
                    break
    return pictures


def ours(path: Path, facts: ClipFacts, count: int) -> list[np.ndarray]:
    """Plan and decode the frames with Chronotope."""
    return [picture for _, picture in decode_frames(path, plan_frames(facts, "endpoints", count=count).indices)]


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Return CPU and wall time of a call, in s."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def compare(path: Path, facts: ClipFacts, count: int, pairs: int) -> str:
    """Return one line of the table: CPU and wall ratios, medians over pairs, and our own median times."""
    indices = list(plan_frames(facts, "endpoints", count=count).indices)
    for a, b in zip(ours(path, facts, count), bare(path, indices), strict=True):
        assert np.array_equal(a, b), "ours and the bare script differ"
    cpu, wall, own = [], [], []
    for turn in range(pairs):
        runs = {"ours": lambda: ours(path, facts, count), "bare": lambda: bare(path, indices)}
        order = ["ours", "bare"] if turn % 2 else ["bare", "ours"]
        took = {name: seconds(runs[name]) for name in order}
        cpu.append(took["ours"][0] / took["bare"][0])
        wall.append(took["ours"][1] / took["bare"][1])
        own.append(took["ours"])
    ours_cpu, ours_wall = (1000 * statistics.median(run[i] for run in own) for i in (0, 1))
    return (
        f"{count:>4} frames: ratio CPU {statistics.median(cpu):.2f}, wall {statistics.median(wall):.2f} "
        f"(ours {ours_cpu:.0f} ms CPU, {ours_wall:.0f} ms wall)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--size", default="640x480")
    parser.add_argument("--lengths", default="10,60")
    options = parser.parse_args()
    width, height = (int(part) for part in options.size.split("x"))
    with tempfile.TemporaryDirectory() as folder:
        for length in (int(part) for part in options.lengths.split(",")):
            for keyframe_every in (30, 250):
                path = Path(folder) / f"{length}-{keyframe_every}.mp4"
                make_clip(path, length, keyframe_every, width, height)
                facts = probe(path)
                print(
                    f"{length} s, {options.size}, a keyframe every {keyframe_every}, {path.stat().st_size / 1e6:.1f} MB"
                )
                for count in (8, 30, 200):
                    print(" ", compare(path, facts, count, options.pairs), flush=True)


if __name__ == "__main__":
    main()
