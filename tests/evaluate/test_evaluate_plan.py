import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from chronotope.errors import InputError
from chronotope.evaluate.plan import Plan, Selection, make_plan
from chronotope.evaluate.run import DryRun, dry_run, run
from chronotope.families import Family
from chronotope.models import Decoding, Limits, open_model
from chronotope.question import Benchmark

EYES = Limits()


def foreseen(plan: Plan) -> DryRun:
    return dry_run(plan, "endpoint/x", Decoding(), plan.benchmark.folder / "no run", None)


def test_the_plan_counts_what_it_will_send(bench: Benchmark, tiny: Family) -> None:
    for clip in bench.folder.glob("clips/*"):
        clip.unlink()  # planning opens no clip
    plan = make_plan(bench, tiny, tiny.RunSettings(), Selection(), EYES)
    totals = foreseen(plan)
    assert (totals.calls, totals.pictures) == (24, 24 * 4)
    # 64 x 48 px are 3 x 2 patches of 28 px; the prompts are some 80 characters long.
    assert 24 * (4 * 6 + 15) < totals.tokens < 24 * (4 * 6 + 35)
    assert {ask.question for ask in plan.asks} == {q.id for q in bench.questions}
    rotated = foreseen(make_plan(bench, tiny, tiny.RunSettings(placement="rotate", frames=3), Selection(), EYES))
    assert (rotated.calls, rotated.pictures) == (24 * 4, 24 * 4 * 3)
    blind = foreseen(make_plan(bench, tiny, tiny.RunSettings(input="blind"), Selection(), EYES))
    assert (blind.calls, blind.pictures) == (24, 0)


def test_selection(varied: Benchmark, tiny: Family) -> None:
    def asked(**wanted: object) -> list[str]:
        plan = make_plan(varied, tiny, tiny.RunSettings(), Selection(**wanted), EYES)
        return [ask.question for ask in plan.asks]

    assert len(asked()) == 48
    where = asked(tasks=("where",), variants=("none_answer",))
    assert len(where) == 12
    assert {q.variant for q in varied.questions if q.id in where} == {"none_answer"}
    assert {q.task for q in varied.questions if q.id in where} == {"where"}
    six = asked(limit=6, variants=("base",))
    assert len({question.split("-")[1] for question in six}) == 6  # one of each clip
    assert set(six) < set(asked(limit=12, variants=("base",)))


@pytest.mark.parametrize(
    ("selection", "words"),
    [
        (Selection(tasks=("cuont",)), "task 'cuont': expected one of count, where"),
        (Selection(variants=("open",)), "variant 'open': expected one of base, none_answer"),
        (Selection(limit=0), "at least 1"),
    ],
)
def test_what_is_not_there_is_refused(varied: Benchmark, tiny: Family, selection: Selection, words: str) -> None:
    with pytest.raises(InputError, match=words):
        make_plan(varied, tiny, tiny.RunSettings(), selection, EYES)


def test_over_limits_is_a_sentence_before_anything_is_sent(bench: Benchmark, tiny: Family) -> None:
    told = r"shows 4 pictures, but the model accepts at most 3: show fewer with --frames 3$"
    with pytest.raises(InputError, match=told):
        make_plan(bench, tiny, tiny.RunSettings(), Selection(), Limits(pictures=3))
    make_plan(bench, tiny, tiny.RunSettings(frames=3), Selection(), Limits(pictures=3))


def test_nothing_to_see_is_refused_for_those_who_look(text_bench: Benchmark, tiny: Family) -> None:
    with pytest.raises(InputError, match=r"400 of 400 questions have no media .* --input blind"):
        make_plan(text_bench, tiny, tiny.RunSettings(), Selection(), EYES)
    assert foreseen(make_plan(text_bench, tiny, tiny.RunSettings(), Selection(), Limits(looks=False))).calls == 400
    assert foreseen(make_plan(text_bench, tiny, tiny.RunSettings(input="blind"), Selection(), EYES)).calls == 400


def test_a_letter_that_no_ask_has_is_refused(bench: Benchmark, tiny: Family) -> None:
    with pytest.raises(InputError, match="no selected question has the option E: choose a letter from A to D"):
        make_plan(bench, tiny, tiny.RunSettings(), Selection(), open_model("baseline/constant-E").limits)
    make_plan(bench, tiny, tiny.RunSettings(), Selection(), open_model("baseline/constant-D").limits)


def test_a_benchmark_of_another_family_is_refused(bench: Benchmark, tiny: Family) -> None:
    with pytest.raises(InputError, match="the family 'tiny', expected 'other'"):
        make_plan(bench, replace(tiny, name="other"), tiny.RunSettings(), Selection(), EYES)


def test_asks_parquet_says_what_was_planned(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    run(bench, tiny, "baseline/random", Decoding(), tiny.RunSettings(), Selection(limit=6), tmp_path / "run")
    rows = pq.read_table(tmp_path / "run" / "asks.parquet").to_pylist()
    assert len(rows) == 6
    for row in rows:
        (plan,) = json.loads(row["plans"])
        question = next(q for q in bench.questions if q.id == row["question"])
        assert plan["clip"] == bench.media[question.media[0].paths[0]].sha256
        assert plan["indices"] == ([1, 3, 6, 8] if question.window.start == 0 else [11, 13, 16, 18])
        assert row["placement"] == [0, 1, 2, 3]
        assert (row["input"], row["strategy"], row["pictures"]) == ("full", "direct", 4)
        assert len(row["prompt"]) == len(row["key"]) == 64
        assert row["estimated_tokens"] > 24
