"""Shards of a run, and the run that they merge to."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from evaluate_asking import ask, lines

from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection, Shard, read_asks, read_manifest, read_shard
from chronotope.evaluate.run import merge_runs
from chronotope.evaluate.score import open_run, score_run
from chronotope.families import Family
from chronotope.models import FunctionModel
from chronotope.question import Benchmark

LETTERS = FunctionModel(lambda asked: "ABCD"[len(asked.text) % 4], name="function/letters", version="1")


def shards(bench: Benchmark, tiny: Family, of: int, folder: Path, **how) -> list[Path]:
    made = []
    for number in range(1, of + 1):
        selection = Selection(shard=Shard(number, of))
        try:
            ask(bench, tiny, LETTERS, folder / f"part-{number}", selection=selection, **how)
        except InputError as error:
            assert "has no question" in str(error)
        else:
            made.append(folder / f"part-{number}")
    return made


def told(folder: Path) -> list[dict]:
    """The calls of a run, without what the clock says, in the order of their keys."""
    rows = [{k: v for k, v in line.items() if k not in ("at", "seconds", "crc32")} for line in lines(folder)]
    return sorted(rows, key=lambda row: row["key"])


def test_shards_merge_to_the_run_of_one_machine(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    ask(bench, tiny, LETTERS, tmp_path / "whole")
    parts = shards(bench, tiny, 3, tmp_path)
    assert len(parts) > 1
    clips = [{one.ask.question.rpartition("-")[0] for one in read_asks(part)} for part in parts]
    assert sum(map(len, clips)) == len(set().union(*clips)) == 6  # each clip is in one part
    made = merge_runs(parts[::-1], tmp_path / "merged")
    assert (made.runs, made.asks, made.answered, made.calls, made.remarks) == (len(parts), 24, 24, 24, ())
    assert read_asks(tmp_path / "merged") == read_asks(tmp_path / "whole")
    assert (tmp_path / "merged" / "asks.parquet").read_bytes() == (tmp_path / "whole" / "asks.parquet").read_bytes()
    assert told(tmp_path / "merged") == told(tmp_path / "whole")
    assert read_manifest(tmp_path / "merged") == read_manifest(tmp_path / "whole")
    assert merge_runs(parts, tmp_path / "merged").calls == 0
    scores = [score_run(open_run(tmp_path / name)) for name in ("whole", "merged")]
    assert scores[0] == scores[1]
    assert ask(bench, tiny, LETTERS, tmp_path / "merged").asked == 0


def test_a_missing_shard_is_named_and_added_later(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    parts = shards(bench, tiny, 2, tmp_path)
    made = merge_runs(parts[:1], tmp_path / "merged")
    assert made.remarks == ("without 2/2 (--shard)",)
    assert merge_runs(parts, tmp_path / "merged").answered == 24


def test_each_shard_has_a_folder_of_its_own(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    part = shards(bench, tiny, 2, tmp_path)[0]
    with pytest.raises(InputError, match=r"contains shard 1/2 of this run, not shard 2/2.*chronotope merge"):
        ask(bench, tiny, LETTERS, part, selection=Selection(shard=Shard(2, 2)))
    outcome = ask(bench, tiny, LETTERS, None, selection=Selection(shard=Shard(1, 2)), runs=tmp_path / "runs")  # type: ignore[arg-type]
    assert outcome.folder.name.endswith("-shard-1-of-2")
    ask(bench, tiny, LETTERS, part)  # now the folder has the whole run
    assert read_manifest(part).shard is None


def test_unlike_runs_are_refused_with_their_difference(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    one, two = shards(bench, tiny, 2, tmp_path)
    ask(bench, tiny, FunctionModel(lambda _: "A", name="function/a", version="1"), tmp_path / "a")
    with pytest.raises(
        InputError, match=r'is another run than .*model is "function/letters" in part-1 and "function/a"'
    ):
        merge_runs([one, tmp_path / "a"], tmp_path / "merged")
    with pytest.raises(InputError, match="is one of the runs to merge"):
        merge_runs([one, two], one)
    with pytest.raises(InputError, match="contains another run"):
        merge_runs([one, two], tmp_path / "a")
    with pytest.raises(InputError, match="is not a run"):
        merge_runs([one, tmp_path], tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


def test_an_ask_about_a_question_that_is_not_there_is_refused(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    parts = shards(bench, tiny, 2, tmp_path)
    path = parts[1] / "asks.parquet"
    table = pq.read_table(path)
    names = ["nowhere", *table.column("question").to_pylist()[1:]]
    pq.write_table(table.set_column(table.schema.get_field_index("question"), "question", [names]), path)
    with pytest.raises(
        InputError, match=f"{parts[1]}: ask '.*' is about question 'nowhere', which is missing in .*bench"
    ):
        merge_runs(parts, tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


@pytest.mark.parametrize("text", ["0/2", "3/2", "2", "a/b", "1/0", "-1/2", ""])
def test_what_is_not_a_shard_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"expected I/N, such as 1/8"):
        read_shard(text)


def test_an_empty_shard_is_refused(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--shard .*/1000: this shard has no question"):
        for number in range(1, 1001):
            ask(bench, tiny, LETTERS, tmp_path / "run", selection=Selection(shard=Shard(number, 1000)))


def test_variants_without_media_stay_together(make_bench: Callable, text_questions) -> None:
    bench = make_bench([replace(text_questions[0]), replace(text_questions[1])])
    variant = replace(text_questions[0], id="other", base=text_questions[0].id)
    for number in range(1, 4):
        shard = Shard(number, 3)
        assert shard.has(bench, variant) == shard.has(bench, text_questions[0])
