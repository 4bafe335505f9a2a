"""Benchmarks with clips of grey frames, for tests that are not about the clips."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from chronotope.media import encode_clip
from chronotope.question import Benchmark, CardDraft, Question, measure_media, open_benchmark, write_benchmark_tables

MARKUP = "<b id='injected'>x</b>"  # in names and texts, which a page must not run
FRAMES, FPS = 8, 10  # of a clip


def grey(clip: int, number: int) -> np.ndarray:
    """A picture of one grey."""
    return np.full((48, 64, 3), 20 + 25 * clip + 3 * number, np.uint8)


def halves(clip: int, number: int, of_clip: int = 35, of_number: int = 10) -> np.ndarray:
    """A picture that says which it is: the left half's grey is the frame's number, the right half's the clip's."""
    picture = np.zeros((48, 64, 3), np.uint8)
    picture[:, :32], picture[:, 32:] = 20 + of_number * number, 20 + of_clip * clip
    return picture


def write_benchmark(
    folder: Path,
    items: Sequence[Question],
    name: str = f"Bench {MARKUP}",
    licence: str = "CC-BY-4.0",
    profile: str = "strict",
    *,
    family: str = "sti",
    frames: int = FRAMES,
    fps: float = FPS,
    picture: Callable[[int, int], np.ndarray] = grey,
) -> Benchmark:
    """Write a benchmark with the questions' clips, whose files are named by numbers; pictures are there already."""
    shown = {path for question in items for item in question.media for path in item.paths}
    paths = sorted(shown | {option.image for question in items for option in question.options if option.image})
    (folder / "clips").mkdir(parents=True)
    for path in (path for path in paths if path.endswith(".mp4")):
        encode_clip([picture(int(Path(path).stem), number) for number in range(frames)], folder / path, fps)
    draft = CardDraft(name=name, family=family, profile=profile, licence=licence)
    write_benchmark_tables(folder, draft, items, measure_media(folder, paths))
    return open_benchmark(folder)
