"""The tables: loss-free, hashed as a whole, readable elsewhere and by versions that know them."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from question_examples import PICTURED, question

from chronotope.errors import InputError
from chronotope.question import (
    MediaFile,
    MediaItem,
    Mention,
    Option,
    Question,
    Window,
    content_hash,
    mentions_of,
    read_questions,
    recordings_of,
    write_questions,
)

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
times = st.floats(allow_nan=False, allow_infinity=False)
tuples_of_words = st.lists(words, max_size=3).map(tuple)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | times | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
items = st.builds(
    MediaItem,
    role=words,
    kind=st.sampled_from(["image", "video", "frames"]),
    paths=tuples_of_words,
    label=st.none() | words,
    start=st.none() | times,
    end=st.none() | times | st.integers(0, 9),
)
any_question = st.builds(
    Question,
    id=words,
    family=words,
    task=words,
    cluster=words,
    stem=words,
    options=st.lists(st.builds(Option, text=st.none() | words, image=st.none() | words), max_size=4).map(tuple),
    answer=st.lists(st.integers(0, 2**31 - 1), max_size=3).map(tuple),
    expected=st.none() | words,
    multiple=st.booleans(),
    variant=st.sampled_from(["base", "none_distractor", "none_answer", "open"]),
    base=st.none() | words,
    window=st.none() | st.builds(Window, start=times | st.integers(0, 9), end=times),
    media=st.lists(items, max_size=3).map(tuple),
    tags=st.dictionaries(words, tuples_of_words, max_size=3),
    flags=tuples_of_words,
    provenance=st.dictionaries(words, json_values, max_size=3),
)


@settings(max_examples=60)
@given(st.lists(any_question, max_size=4))
def test_no_question_loses_anything_on_disk(
    tmp_path_factory: pytest.TempPathFactory, questions: list[Question]
) -> None:
    path = tmp_path_factory.mktemp("trip") / "questions.parquet"
    write_questions(path, questions)
    back = read_questions(path)
    assert list(back) == questions
    assert content_hash(back, {}) == content_hash(questions, {})


def test_the_hash_sees_every_column_and_the_order() -> None:
    first = question(0)
    changes: list[dict[str, Any]] = [
        {"stem": "How slow?"},
        {"options": first.options[::-1]},
        {"answer": (1,)},
        {"window": Window(0.2, 0.8)},
        {"media": ()},
        {"tags": {}},
        {"flags": ("x",)},
        {"provenance": {}},
        {"multiple": True},
    ]
    hashes = {content_hash([replace(first, **change)], {}) for change in changes} | {content_hash([first], {})}
    assert len(hashes) == len(changes) + 1
    assert content_hash([first, PICTURED], {}) != content_hash([PICTURED, first], {})
    file = MediaFile("a.png", "0" * 64, "image", 2, 2)
    assert content_hash([first], {"a.png": file}) != content_hash([first], {"a.png": replace(file, sha256="1" * 64)})


# Other readers --------------------------------------------------------------------------------------------------------


def test_pandas_reads_the_questions(whole: Path) -> None:
    frame = pd.read_parquet(whole / "questions.parquet").set_index("id")
    assert frame.loc["q1", "options"][2] == {"text": "0.30m/s", "image": None}
    assert list(frame.loc["q1", "answer"]) == [1]
    assert frame.loc["q3", "media"][1]["paths"].tolist() == ["images/a.png", "images/b.jpg"]
    assert json.loads(frame.loc["q0", "provenance"]) == {"speed": 0.1}
    assert frame.loc["q0", "recordings"].tolist() == ["clip-0"]
    [mention] = frame.loc["q0", "mentions"]
    assert (mention["entity"], mention["role"], mention["phrase"]) == ("cup", "asked", "the cup")


def test_duckdb_reads_the_questions(whole: Path) -> None:
    path = whole / "questions.parquet"
    query = f"""select options[answer[1] + 1].text, "window"."end", media[1].paths[1], tags[2].values[1]
                from '{path}' where id = 'q1'"""
    assert duckdb.sql(query).fetchall() == [("0.20m/s", 0.9, "clips/one.mp4", "desktop")]


def test_datasets_reads_the_questions(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    datasets = pytest.importorskip("datasets")
    table = datasets.load_dataset(
        "parquet", data_files=str(whole / "questions.parquet"), cache_dir=str(tmp_path / "cache"), split="train"
    )
    row = table[2]
    assert row["id"] == "q3" and row["window"] is None and row["flags"] == ["AMBIGUOUS"]
    assert row["options"] == [{"text": None, "image": "images/a.png"}, {"text": "the second", "image": "images/b.jpg"}]
    assert row["media"][1]["end"] == 1.5 and row["media"][0]["label"] == "Image A"
    assert table[0]["tags"] == [
        {"key": "object", "values": ["cup", "plate"]},
        {"key": "scene", "values": ["desktop"]},
    ]


def test_tables_rewritten_by_others_are_read(folder: Path) -> None:
    path, before = folder / "questions.parquet", read_questions(folder / "questions.parquet")
    duckdb.sql(f"copy (select *, 1 as extra from '{path}') to '{folder / 'copy.parquet'}' (format parquet)")
    assert read_questions(folder / "copy.parquet") == before
    pd.read_parquet(path).to_parquet(folder / "pandas.parquet")
    assert read_questions(folder / "pandas.parquet") == before


# What a question is about ---------------------------------------------------------------------------------------------


def without(table: pa.Table, *columns: str) -> pa.Table:
    return table.drop_columns(list(columns))


def test_a_folder_of_before_says_it_in_the_provenance_and_keeps_its_hash(tmp_path: Path) -> None:
    older = {"recording": "walk", "entities": ["cup", "jug"], "phrases": {"cup": "the red cup"}, "speed": 0.1}
    old = replace(question(0), recordings=(), mentions=(), provenance=older)
    write_questions(tmp_path / "q.parquet", [old])
    table = pq.read_table(tmp_path / "q.parquet")
    pq.write_table(without(table, "recordings", "mentions"), tmp_path / "q.parquet")
    [read] = read_questions(tmp_path / "q.parquet")
    assert read == old and content_hash([read], {}) == content_hash([old], {})
    assert recordings_of(read) == ("walk",)
    assert mentions_of(read) == (Mention("cup", "asked", "the red cup"), Mention("jug", "asked"))
    spoilt = replace(old, provenance={"recording": 3, "entities": [1, None, {}], "phrases": []})
    assert recordings_of(spoilt) == () and mentions_of(spoilt) == ()


@pytest.mark.parametrize(
    ("mention", "said"),
    [
        (Mention("cup", "owner"), "mentions[0].role is 'owner'; expected one of stem, option, asked"),
        (Mention("cup", "stem", "cup", 4, 900), "mentions[0] is from 4 to 900, and the stem has"),
        (Mention("cup", "stem", "cup", 4), "mentions[0] is from 4 to None, and the stem has"),
    ],
)
def test_a_mention_outside_the_stem_is_told(tmp_path: Path, mention: Mention, said: str) -> None:
    write_questions(tmp_path / "q.parquet", [replace(question(0), mentions=(mention,))])
    with pytest.raises(InputError, match=re.escape(said)):
        read_questions(tmp_path / "q.parquet")


def test_a_table_of_several_row_groups_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chronotope.question.schema.ROW_GROUP", 7)
    questions = [question(number) for number in range(20)]
    write_questions(tmp_path / "questions.parquet", questions)
    assert list(read_questions(tmp_path / "questions.parquet")) == questions
