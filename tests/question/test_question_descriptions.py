"""Texts that stand for pictures: kept without loss, part of what a benchmark is, and checked like its other tables."""

from dataclasses import replace
from pathlib import Path

import pytest

from chronotope.errors import InputError
from chronotope.question import (
    Description,
    by_image,
    open_benchmark,
    read_descriptions,
    validate,
    write_benchmark_tables,
    write_descriptions,
)

TEXTS = (
    Description("images/b.jpg", "action", "Turn the leg, twice.", "endpoint/x", "In step 3, turn the leg, twice."),
    Description("images/b.jpg", "tools", "", "endpoint/x"),
    Description("images/a.png", "action", "Añadir – “ok”", ""),
)


def described(folder: Path, descriptions: tuple[Description, ...]) -> None:
    benchmark = open_benchmark(folder)
    write_benchmark_tables(folder, benchmark.card, benchmark.questions, benchmark.media, descriptions)


def test_they_come_back_as_they_were(folder: Path) -> None:
    pictures = [path for path, file in open_benchmark(folder).media.items() if file.kind == "image"]
    texts = tuple(replace(text, image=pictures[text.image == "images/a.png"]) for text in TEXTS)
    described(folder, texts)
    benchmark = open_benchmark(folder)
    assert benchmark.descriptions == texts and validate(folder, deep=True) == []
    assert by_image(benchmark.descriptions)[pictures[0]] == {"action": "Turn the leg, twice.", "tools": ""}


def test_they_are_part_of_what_a_benchmark_is(folder: Path) -> None:
    before = open_benchmark(folder).card.content_hash
    picture = next(path for path, file in open_benchmark(folder).media.items() if file.kind == "image")
    described(folder, (Description(picture, "action", "Turn.", ""),))
    first = open_benchmark(folder).card.content_hash
    assert first != before
    write_descriptions(folder / "descriptions.parquet", (Description(picture, "action", "Turn it.", ""),))
    with pytest.raises(InputError, match=r"card\.yaml, field 'content_hash'"):
        open_benchmark(folder)


def test_a_text_about_nothing_is_refused(folder: Path) -> None:
    with pytest.raises(
        InputError, match=r"descriptions\.parquet, row 1, column 'image': 'images/zz\.png' is not a picture"
    ):
        described(folder, (Description("images/zz.png", "action", "Turn.", ""),))
    assert not (folder / "descriptions.parquet").exists()
    picture = next(path for path, file in open_benchmark(folder).media.items() if file.kind == "image")
    with pytest.raises(InputError, match=r"row 2, column 'dimension': row 1 already describes 'action'"):
        described(folder, (Description(picture, "action", "a", ""), Description(picture, "action", "b", "")))


def test_a_damaged_table_is_named(folder: Path) -> None:
    (folder / "descriptions.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(InputError, match=r"descriptions\.parquet: cannot be read as Parquet"):
        open_benchmark(folder)
    assert read_descriptions(folder / "nowhere.parquet") == ()
