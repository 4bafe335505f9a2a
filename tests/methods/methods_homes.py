import hashlib
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np

from chronotope.models import Asked
from chronotope.question import (
    Benchmark,
    MediaItem,
    Option,
    Question,
    Window,
)
from drawn_benchmarks import halves, write_benchmark

FRAMES, FPS, EACH = 20, 10, 3  # of each clip; questions about each home
HOMES = 2


def read_frame(picture: np.ndarray) -> tuple[int, int]:
    """The clip and the number of a frame, as they are seen."""
    height, width, _ = picture.shape
    left, right = picture[:, : width // 3].mean(), picture[:, 2 * width // 3 :].mean()
    assert height and width
    return round((right - 20) / 50), round((left - 20) / 10)


def home_questions(homes: int = HOMES, each: int = EACH) -> list[Question]:
    """Questions about homes in two states; every third has two right options."""
    return [
        Question(
            id=f"home-{home}-{number}",
            family="m3",
            task="object_changes",
            cluster=f"home-{home}",
            stem=f"What happened to thing {number} of home {home}?",
            options=tuple(Option(text) for text in ("It moved {far}", "It opened", "No correct option is listed.")),
            answer=(0, 1) if number % 3 == 2 else (number % 3,),
            multiple=number % 3 == 2,
            media=(
                MediaItem("before", "video", (f"clips/{2 * home}.mp4",)),
                MediaItem("after", "video", (f"clips/{2 * home + 1}.mp4",)),
            ),
            tags={"state_type": ("inter-states",), "capability": ("spatial",)},
        )
        for home in range(homes)
        for number in range(each)
    ]


def drive_questions() -> list[Question]:
    """Questions about one clip, each about a window."""
    return [
        Question(
            id=f"drive-{number}",
            family="sti",
            task="Displacement & Path Length",
            cluster="drive",
            stem="How far does the camera move?",
            options=tuple(Option(f"{step} m") for step in range(1, 6)),
            answer=(number,),
            window=Window(0.5 * number, 0.5 * number + 0.9),
            media=(MediaItem("video", "video", ("clips/0.mp4",)),),
            tags={"scene": ("Indoor",)},
        )
        for number in range(2)
    ]


def write_bench(folder: Path, questions: list[Question], family: str, profile: str = "strict") -> Benchmark:
    how = {"profile": profile, "licence": "CC0-1.0", "frames": FRAMES, "picture": partial(halves, of_clip=50)}
    return write_benchmark(folder, questions, "Homes", family=family, **how)


class Crew:
    """A captioner that tells which frames it sees, a summariser, and an answerer that needs the frames' numbers."""

    def __init__(self) -> None:
        self.seen: list[Asked] = []
        self.merged: list[Asked] = []
        self.answered: list[Asked] = []

    def caption(self, asked: Asked) -> str:
        self.seen.append(asked)
        frames = [read_frame(picture) for picture in asked.frames()]
        return f"<think>hm</think> clip {frames[0][0]} frames {[number for _, number in frames]}"

    def summarize(self, asked: Asked) -> str:
        self.merged.append(asked)
        return f"merged {hashlib.sha256(asked.text.encode()).hexdigest()[:8]} {asked.text}"

    def answer(self, asked: Asked) -> str:
        self.answered.append(asked)
        return "A"

    @property
    def calls(self) -> Counter[str]:
        return +Counter(caption=len(self.seen), summary=len(self.merged), answer=len(self.answered))
