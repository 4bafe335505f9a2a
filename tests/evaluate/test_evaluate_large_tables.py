"""Tables of our own that are larger than the limits of a small file: they are read, and a small file is refused."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from evaluate_asking import ask

from chronotope.errors import InputError
from chronotope.evaluate.plan import asks
from chronotope.evaluate.run import merge_runs
from chronotope.evaluate.score import open_run
from chronotope.families import Family
from chronotope.io import parquet
from chronotope.models import FunctionModel
from chronotope.question import Benchmark, open_benchmark, schema

LETTERS = FunctionModel(lambda asked: "ABCD"[len(asked.text) % 4], name="function/letters", version="1")
ROTATED = {"placement": "rotate"}


@pytest.fixture
def low(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that a table of 24 questions or 96 asks exceeds, for files of up to 1 kB; row groups of 10 rows."""
    for name, most in (("_SMALL", 1000), ("_MOST_ROWS", 20), ("_MOST_VALUES", 60), ("_MOST_BYTES", 4000)):
        monkeypatch.setattr(parquet, name, most)
    monkeypatch.setattr(parquet, "_MOST_TEXT", 6000)
    monkeypatch.setattr(asks, "ROW_GROUP", 10)


@pytest.mark.usefixtures("low")
def test_a_run_reads_the_asks_that_it_wrote(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert ask(bench, tiny, LETTERS, out, settings=ROTATED).asked == 96
    facts = pq.read_metadata(out / "asks.parquet")
    assert facts.num_row_groups == 10 and facts.num_rows > parquet._MOST_ROWS
    again = ask(bench, tiny, LETTERS, out, settings=ROTATED)
    assert (again.already, again.asked) == (96, 0)
    assert len(open_run(out).answered) == 96
    assert merge_runs([out], tmp_path / "merged").asks == 96


def test_asks_beyond_the_limits_are_neither_lost_nor_asked_again(
    bench: Benchmark, tiny: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    ask(bench, tiny, LETTERS, out, settings=ROTATED)
    before = (out / "asks.parquet").read_bytes()
    monkeypatch.setattr(parquet, "_MOST_ROWS", 20)
    with pytest.raises(InputError, match=r"asks\.parquet: 96 rows, expected at most 20"):
        ask(bench, tiny, LETTERS, out, settings=ROTATED)
    assert (out / "asks.parquet").read_bytes() == before


@pytest.mark.usefixtures("low")
def test_a_benchmark_of_many_questions_is_opened(bench: Benchmark, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(schema, "ROW_GROUP", 10)
    again = open_benchmark(bench.folder)
    assert again.questions == bench.questions and len(again.questions) > parquet._MOST_ROWS
    few = tmp_path / "few.parquet"  # the same number of rows, which need hardly any bytes
    pq.write_table(pq.read_table(bench.folder / "questions.parquet", columns=["family"]), few, compression="zstd")
    assert few.stat().st_size < parquet._SMALL
    with pytest.raises(InputError, match="24 rows, expected at most 20"):
        list(parquet.table_batches(few, ["family"]))
    with pytest.raises(InputError, match="24 rows, expected at most 20"):  # all rows are kept
        parquet.read_bounded(bench.folder / "questions.parquet", ["id"])
