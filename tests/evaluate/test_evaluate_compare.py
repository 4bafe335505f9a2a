import dataclasses
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import run
from chronotope.evaluate.score import Scores, open_run, score_run
from chronotope.evaluate.score.compare import pair_runs
from chronotope.evaluate.score.statistics import Difference
from chronotope.families import Family
from chronotope.models import Decoding
from chronotope.question import Benchmark


def scores_of(bench: Benchmark, tiny: Family, model: str, out: Path, selection: Selection = Selection()) -> Scores:  # noqa: B008
    run(bench, tiny, model, Decoding(), tiny.RunSettings(), selection, out, check=False)
    return score_run(open_run(out))


def difference_of(first: Scores, second: Scores) -> Difference | None:
    pair = pair_runs(first, second)
    return pair and pair.difference


def right_by_hand(bench: Benchmark, out: Path) -> dict[str, bool]:
    """Which questions were answered right in the published placement, from the files alone."""
    answer = {q["id"]: q["answer"][0] for q in pq.read_table(bench.folder / "questions.parquet").to_pylist()}
    replies = [json.loads(line) for line in (out / "ledger.jsonl").read_text().splitlines()[1:]]
    return {line["ask"]: "ABCD".index(line["reply"]) == answer[line["ask"]] for line in replies}


def test_a_difference_is_paired_by_question(text_bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    first = scores_of(text_bench, tiny, "baseline/random", tmp_path / "first")
    second = scores_of(text_bench, tiny, "baseline/constant-B", tmp_path / "second")
    found = difference_of(first, second)
    one, other = right_by_hand(text_bench, tmp_path / "first"), right_by_hand(text_bench, tmp_path / "second")
    assert found is not None and found.low is not None and found.high is not None
    assert found.value == pytest.approx(sum(one[name] - other[name] for name in one) / 400)
    assert found.value == pytest.approx(first.overall.value - second.overall.value)
    assert (found.items, found.clusters) == (400, 100)
    assert found.low < found.value < found.high
    turned = difference_of(second, first)
    assert turned is not None and turned.value == pytest.approx(-found.value)


def test_only_questions_of_both_count(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    whole = scores_of(bench, tiny, "baseline/random", tmp_path / "whole")
    half = scores_of(bench, tiny, "baseline/constant-A", tmp_path / "half", Selection(tasks=("count",)))
    other = scores_of(bench, tiny, "baseline/constant-A", tmp_path / "other", Selection(tasks=("where",)))
    found = difference_of(whole, half)
    assert found is not None
    one, two = right_by_hand(bench, tmp_path / "whole"), right_by_hand(bench, tmp_path / "half")
    assert found.value == pytest.approx(sum(one[name] - two[name] for name in two) / 12)
    assert (found.items, found.clusters) == (12, 6)
    assert pair_runs(half, other) is None


def test_a_run_is_no_better_than_itself(text_bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    scores = scores_of(text_bench, tiny, "baseline/random", tmp_path / "run")
    found = difference_of(scores, scores)
    assert found is not None and found.low is not None and found.high is not None
    assert dataclasses.replace(found, low=None, high=None) == Difference(0.0, None, None, 400, 100)
    assert found.low == -found.high < 0


def test_unlike_variants_are_not_compared(varied: Benchmark, tiny: Family, tmp_path: Path) -> None:
    base = scores_of(varied, tiny, "baseline/random", tmp_path / "base", Selection(variants=("base",)))
    variant = scores_of(varied, tiny, "baseline/random", tmp_path / "none", Selection(variants=("none_answer",)))
    both = scores_of(varied, tiny, "baseline/constant-D", tmp_path / "both")
    assert pair_runs(base, variant) is None
    found = difference_of(base, both)
    assert found is not None and found.items == 24  # the base questions of either


def test_questions_that_differ_under_one_name_are_not_compared(make_bench, bench, tiny: Family, tmp_path: Path) -> None:
    questions = make_bench.questions()
    questions[5] = dataclasses.replace(questions[5], stem="How far is it really?")
    first = scores_of(bench, tiny, "baseline/random", tmp_path / "first")
    second = scores_of(make_bench(questions), tiny, "baseline/random", tmp_path / "second")
    assert pair_runs(first, second) is None
