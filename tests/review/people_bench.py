"""A benchmark for people's pages: clips whose frames say their own number, and texts that are markup."""

from pathlib import Path

import numpy as np

from chronotope.question import Benchmark, MediaItem, Option, Question, Window
from drawn_benchmarks import MARKUP, write_benchmark

SIZE = (96, 160)  # height, width
BITS = 8  # vertical bars of a frame, each a bit of its number
FRAMES, FPS = 40, 12.5
TASKS = ("Displacement & Path Length", "Speed & Acceleration")
SCRIPT = "<script>document.title='owned'</script>"


def numbered(clip: int, number: int) -> np.ndarray:
    """A picture with one bar for each bit of the frame's number; the clip's number is in the two highest bits."""
    height, width = SIZE
    bits = number + (clip << 6)
    picture = np.zeros((height, width, 3), np.uint8)
    for bit in range(BITS):
        picture[:, bit * width // BITS : (bit + 1) * width // BITS] = 235 if bits >> bit & 1 else 20
    return picture


def read_number(picture: np.ndarray) -> int:
    """The bits that a picture of any size (height, width, channels) shows."""
    height, width = picture.shape[:2]
    middles = [(2 * bit + 1) * width // (2 * BITS) for bit in range(BITS)]
    return sum((picture[height // 2, x, :3].mean() > 128) << bit for bit, x in enumerate(middles))


def items(clips: int = 3, each: int = 2) -> list[Question]:
    """Questions about each clip, of two tasks; the right option is the second (B)."""
    return [
        Question(
            id=f"clip-{clip}-{number}",
            family="sti",
            task=TASKS[number % 2],
            cluster=f"clip-{clip}",
            stem=f"How far is it in clip {clip}, number {number}? {SCRIPT}",
            options=(Option(f"{MARKUP} m"), Option(f"{clip + number}.25 m"), Option("7.5 m"), Option("9.5 m")),
            answer=(1,),
            window=Window(0.4, 2.4),
            media=(MediaItem("video", "video", (f"clips/{clip}.mp4",)),),
            provenance={"secret": "the ground truth"},
        )
        for clip in range(clips)
        for number in range(each)
    ]


def people_bench(folder: Path, clips: int = 3, each: int = 2) -> Benchmark:
    """The benchmark, written."""
    return write_benchmark(folder, items(clips, each), name="people", frames=FRAMES, fps=FPS, picture=numbered)
