"""The reader of replies: a corpus of real-shaped replies, and what must hold for any string."""

import string
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chronotope.protocol import Choice, read_choice


class Row(NamedTuple):
    reply: str
    letters: str
    options: dict[str, str]
    multiple: bool
    expected: Choice | str
    why: str


def corpus() -> list[Row]:
    rows: list[Row] = []
    for group in tomllib.loads((Path(__file__).parent / "replies.toml").read_text(encoding="utf-8")).values():
        for reply, expected, why in group["replies"]:
            rows.append(Row(reply, group["letters"], group["options"], group.get("multiple", False), expected, why))
    return rows


CORPUS = corpus()


def written(choice: Choice) -> str:
    if choice.letters is not None:
        return "".join(sorted(choice.letters))
    return "!" + "".join(sorted(choice.invalid_letters)) if choice.invalid_letters else "-"


@pytest.mark.parametrize("row", CORPUS, ids=[f"{i}-{row.reply[:20]!a}" for i, row in enumerate(CORPUS)])
def test_corpus(row: Row) -> None:
    choice = read_choice(row.reply, row.letters, options=row.options, multiple=row.multiple)
    assert written(choice) == row.expected, (row.reply, row.why, choice.rule)


def test_corpus_is_large_and_says_why() -> None:
    assert len(CORPUS) >= 150
    assert len({(row.reply, row.letters, row.multiple) for row in CORPUS}) >= 150
    assert all(row.why for row in CORPUS)
