"""Replies in tables: which columns are read, and what is told."""

import re
from pathlib import Path

import pytest

from chronotope.errors import InputError
from chronotope.evaluate.score.predictions import read_predictions


@pytest.mark.parametrize(
    ("name", "header", "delimiter", "encoding", "told"),
    [
        ("model.csv", "id,reply", ",", "utf-8", None),
        ("model.tsv", "id\treply", "\t", "utf-8-sig", None),
        ("model.csv", "id;reply", ";", "utf-8-sig", None),
        ("model.txt", "Question ID,Response", ",", "utf-8", "'Question ID', the replies from 'Response'"),
        ("model.csv", "qid,prediction", ",", "utf-8", "'qid', the replies from 'prediction'"),
        ("model.csv", "index,answer,response", ",", "utf-8", "'index', the replies from 'response'"),
    ],
)
def test_tables_with_a_header_are_read(
    tmp_path: Path, name: str, header: str, delimiter: str, encoding: str, told: str | None
) -> None:
    """Replies contain line breaks, quotes and delimiters."""
    more = [""] * (header.count(delimiter) - 1)
    rows = [["q1", *more, f'"B{delimiter}\nsaid ""so"""'], ["q2", *more, "C"], ["q3", *more, " "], ["", *more, ""]]
    lines = [header, *(delimiter.join(row) for row in rows)]
    (tmp_path / name).write_bytes("\r\n".join(lines).encode(encoding))
    file = read_predictions(tmp_path / name)
    found = {one.id: one.reply for one in file.entries}
    assert found == {"q1": f'B{delimiter}\nsaid "so"', "q2": "C", "q3": None}
    assert [remark.partition("column ")[2] for remark in file.remarks] == ([] if told is None else [told])


def test_a_long_cell_is_read(tmp_path: Path) -> None:
    """A reply of more than 16 MB is refused later, alone, and not with the whole table."""
    for length in (500_000, (16 << 20) + 1):
        (tmp_path / "model.csv").write_text(f"id,reply\nq,{'x' * length}\nr,B\n")
        assert [len(entry.reply or "") for entry in read_predictions(tmp_path / "model.csv").entries] == [length, 1]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name,reply\na,B\n", r"no column is named 'id' \(the columns are 'name', 'reply'\): rename the column"),
        ("id,answer,gpt-4o\na,B,C\n", "the column 'answer' may have the correct answers, .*rename the column of the"),
        ("id,truth\na,B\n", r"no column is named 'reply' \(the columns are 'id', 'truth'\)"),
        ("id,reply\na,B,C\n", "line 2 has 3 cells, the header has 2: quote cells that contain ','"),
        ('id,reply\na,"B\n', "cannot be read as a table at line 2 .*each quote in a cell"),
        ("id,reply\n", "contains no replies below its header"),
        ("id,reply,Reply\na,B,C\n", "several columns are named 'reply': rename or remove all but one"),
        ("", "contains no replies"),
    ],
)
def test_a_table_that_cannot_be_read_is_a_sentence(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "model.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        read_predictions(tmp_path / "model.csv")
    assert re.search(told, str(caught.value))


def test_lines_of_json_are_no_table(tmp_path: Path) -> None:
    (tmp_path / "model.txt").write_text('{"id": "q", "reply": "id, reply"}\n')
    assert [one.reply for one in read_predictions(tmp_path / "model.txt").entries] == ["id, reply"]
