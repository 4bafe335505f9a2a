"""The small benchmark as a folder."""

from pathlib import Path

import pytest
from PIL import Image
from question_examples import DRAFT, PICTURED, pictures, question

from chronotope.media import encode_clip
from chronotope.question import (
    make_variants,
    measure_media,
    write_benchmark_tables,
)


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A valid benchmark folder: a clip of 12 frames at 10 fps, two pictures, four questions, the variants of one."""
    folder = tmp_path_factory.mktemp("benchmark")
    (folder / "images").mkdir()
    (folder / "clips").mkdir()
    encode_clip(pictures(0, 12), folder / "clips/one.mp4", 10)
    Image.fromarray(pictures(1, 1)[0]).save(folder / "images/a.png")
    Image.fromarray(pictures(2, 1)[0]).save(folder / "images/b.jpg")
    opened = question(4, options=(), answer=(), expected="0.10m/s")
    questions = [question(0), question(1), PICTURED, opened]
    questions += make_variants(questions[:1], ["none_distractor", "none_answer", "open"], 0)
    write_benchmark_tables(
        folder, DRAFT, questions, measure_media(folder, ["clips/one.mp4", "images/b.jpg", "images/a.png"])
    )
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy of it to be spoilt."""
    copy = tmp_path / "benchmark"
    for file in whole.rglob("*"):
        if file.is_file():
            (copy / file.relative_to(whole)).parent.mkdir(parents=True, exist_ok=True)
            (copy / file.relative_to(whole)).write_bytes(file.read_bytes())
    return copy
