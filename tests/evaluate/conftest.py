import hashlib
import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from evaluate_seeing import Seeing
from PIL import Image

import drawn_benchmarks
from chronotope.families import Family, families
from chronotope.models import Asked, FunctionModel
from chronotope.question import (
    Benchmark,
    MediaItem,
    Option,
    Question,
    Window,
    make_variants,
)
from drawn_benchmarks import halves
from packages import install_tiny
from service import SeeingProcess, ServiceProcess

SUPPORT = Path(__file__).parent / "support"
CLIPS, FRAMES, FPS = 6, 20, 10
WINDOWS = (Window(0.0, 0.9), Window(1.0, 1.9))
DAYS = ("Monday", "Tuesday", "Friday")


@pytest.fixture(scope="session")
def installed_family(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of installed packages that holds the tiny family, with its entry point."""
    return install_tiny(tmp_path_factory.mktemp("packages"), "tiny")


@pytest.fixture
def tiny(installed_family: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Family]:
    """The tiny family, found as any family of other people's is."""
    monkeypatch.syspath_prepend(str(installed_family))
    monkeypatch.setenv("PYTHONPATH", str(installed_family), prepend=os.pathsep)
    families.cache_clear()
    yield families()["tiny"]
    families.cache_clear()


def clip_questions() -> list[Question]:
    questions = []
    for clip in range(CLIPS):
        for number, day in enumerate((*DAYS, "Sunday" if clip == CLIPS - 1 else "Saturday")):
            options = tuple(Option(f"{10 * clip + number + step} m") for step in range(4))
            questions.append(
                Question(
                    id=f"clip-{clip}-{day.lower()}",
                    family="tiny",
                    task=("count", "where")[number % 2],
                    cluster=f"clip-{clip}",
                    stem=f"How far is it in clip {clip} on a {day}?",
                    options=options,
                    answer=((clip + number) % 4,),
                    window=WINDOWS[number // 2],
                    media=(MediaItem("video", "video", (f"clips/{clip}.mp4",)),),
                    tags={"scene": ("indoor",) if clip % 2 else ("outdoor",)},
                )
            )
    return questions


def write_benchmark(folder: Path, questions: list[Question]) -> Benchmark:
    """A benchmark folder with real clips for the questions that show some."""
    how = {"family": "tiny", "licence": "CC0-1.0", "frames": FRAMES, "picture": halves}
    return drawn_benchmarks.write_benchmark(folder, questions, "Tiny bench", **how)


@pytest.fixture
def bench(tmp_path: Path) -> Benchmark:
    """Six clips, each with two questions in each of two windows; only the last clip has a question about a Sunday."""
    return write_benchmark(tmp_path / "bench", clip_questions())


@pytest.fixture
def varied(tmp_path: Path) -> Benchmark:
    """The same with a none_answer variant of every question."""
    questions = clip_questions()
    return write_benchmark(tmp_path / "varied", [*questions, *make_variants(questions, ["none_answer"], 0)])


class BenchMaker:
    """Benchmarks of some questions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def questions(self) -> list[Question]:
        return clip_questions()

    def __call__(self, questions: list[Question]) -> Benchmark:
        return write_benchmark(self.folder, questions)

    def with_pictures(self) -> Benchmark:
        """Two questions about still pictures, one of them in a form that services do not take."""
        (self.folder / "images").mkdir(parents=True)
        noise = np.random.default_rng(2).integers(0, 255, (12, 16, 3), dtype=np.uint8)
        for name in ("part.png", "whole.jpg", "drawn.bmp"):
            Image.fromarray(noise + len(name)).save(self.folder / "images" / name)
        options = (Option("a wheel"), Option("a leg"))
        two = tuple(MediaItem("diagram", "image", (f"images/{name}",)) for name in ("part.png", "whole.jpg"))
        one = (MediaItem("diagram", "image", ("images/drawn.bmp",)),)
        return write_benchmark(
            self.folder,
            [
                Question("two", "tiny", "count", "chair", "Which is the part?", options, (0,), media=two),
                Question("one", "tiny", "count", "table", "What is drawn?", options, (1,), media=one),
            ],
        )


@pytest.fixture
def make_bench(tmp_path: Path) -> BenchMaker:
    return BenchMaker(tmp_path / "made")


@pytest.fixture(scope="session")
def text_questions() -> list[Question]:
    """400 questions without media, four for each of 100 clusters, whose right letters are drawn."""
    generator = np.random.default_rng(5)
    return [
        Question(
            id=f"text-{number}",
            family="tiny",
            task="count",
            cluster=f"room-{number // 4}",
            stem=f"How many chairs are in room {number}?",
            options=tuple(Option(str(1 + number % 7 + step)) for step in range(4)),
            answer=(int(generator.integers(4)),),
        )
        for number in range(400)
    ]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., ServiceProcess]]:
    """Start answering servers; they end with the test."""
    numbers = itertools.count()
    with ExitStack() as running:

        def start(latency: float = 0.0, tokens: int = 0, cost: float | None = None) -> ServiceProcess:
            folder = tmp_path / f"server-{next(numbers)}"
            folder.mkdir()
            words = ("--latency", latency, "--tokens", tokens, *(() if cost is None else ("--cost", cost)))
            return running.enter_context(ServiceProcess(SUPPORT / "answering_server.py", folder, *words))

        yield start


class Answering:
    """Answers in this process as the answering server does, and keeps what it was asked: HTTP is not the subject."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []

    def __call__(self, asked: Asked) -> str:
        self.asked.append(asked)
        return "ABCD"[hashlib.sha256(asked.text.encode()).digest()[0] % 4]

    @property
    def model(self) -> FunctionModel:
        return FunctionModel(self, "function/answering", at_once=8)


@pytest.fixture
def answering() -> Answering:
    return Answering()


@pytest.fixture
def text_bench(tmp_path: Path, text_questions: list[Question]) -> Benchmark:
    """The 400 questions without media."""
    return write_benchmark(tmp_path / "text", text_questions)


@pytest.fixture(scope="module")
def seeing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Seeing]]:
    """Services by their options, all of one process."""
    with SeeingProcess(tmp_path_factory.mktemp("seeing")) as process:
        yield lambda *options: Seeing(*process.looking(*options))
