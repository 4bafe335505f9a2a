"""Benchmarks with clips of grey frames, for tests that are not about the clips."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from chronotope.media import encode_clip
from chronotope.question import Benchmark, CardDraft, Question, measure_media, open_benchmark, write_benchmark_tables

MARKUP = "<b id='injected'>x</b>"  # in names and texts, which a page must not run
FRAMES, FPS = 8, 10  # of a clip


def write_benchmark(
    folder: Path,
    items: Sequence[Question],
    name: str = f"Bench {MARKUP}",
    licence: str = "CC-BY-4.0",
    profile: str = "strict",
) -> Benchmark:
    """Write a benchmark of STI-Bench with the questions' clips, whose files are named by numbers."""
    paths = sorted({path for question in items for item in question.media for path in item.paths})
    (folder / "clips").mkdir(parents=True)
    for path in paths:
        clip = int(Path(path).stem)
        grey = [np.full((48, 64, 3), 20 + 25 * clip + 3 * number, np.uint8) for number in range(FRAMES)]
        encode_clip(grey, folder / path, FPS)
    draft = CardDraft(name=name, family="sti", profile=profile, licence=licence)
    write_benchmark_tables(folder, draft, items, measure_media(folder, paths))
    return open_benchmark(folder)
