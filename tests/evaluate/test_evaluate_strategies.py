"""A run that asks by two strategies: equal prompts are sent once, and each strategy has its own score."""

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from chronotope.evaluate.plan import Selection, make_plan
from chronotope.evaluate.run import dry_run, run
from chronotope.evaluate.score import open_run, pair_runs, score_run
from chronotope.families import Family
from chronotope.models import Decoding, Limits
from chronotope.question import Benchmark


def asked(bench: Benchmark, tiny: Family, out: Path, url: str, **settings: object) -> None:
    run(
        bench, tiny, "endpoint/x", Decoding(), tiny.RunSettings(**settings), Selection(), out, base_url=url, check=False
    )


def test_equal_prompts_are_sent_once(bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path) -> None:
    """Only the twelve questions "where" have a hint; the others are the same by both strategies."""
    settings = tiny.RunSettings(hints=True)
    plan = make_plan(bench, tiny, settings, Selection(), Limits())
    foreseen = dry_run(plan, "endpoint/x", Decoding(), tmp_path / "run", None)
    assert (foreseen.asks, foreseen.calls) == (48, 36)
    server = serve()
    asked(bench, tiny, tmp_path / "run", server.url, hints=True)
    assert len(server.requests()) == 36


def test_another_strategy_extends_a_run(bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path) -> None:
    server = serve()
    asked(bench, tiny, tmp_path / "run", server.url)
    alone = score_run(open_run(tmp_path / "run"))
    assert len(server.requests()) == 24
    asked(bench, tiny, tmp_path / "run", server.url, hints=True)
    assert len(server.requests()) == 36
    both = score_run(open_run(tmp_path / "run"))
    assert (both.strategy, both.overall, both.tasks, both.letters) == (
        *("direct", alone.overall, alone.tasks),
        alone.letters,
    )


def test_each_strategy_is_scored_apart(bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path) -> None:
    asked(bench, tiny, tmp_path / "run", serve().url, hints=True)
    results = open_run(tmp_path / "run")
    scores = score_run(results)
    answers = {question.id: question.answer[0] for question in bench.questions}
    right: dict[str, list[bool]] = {"direct": [], "hinted": []}
    replies = {one.ask.id: one.line.reply for one in results.answered if one.line is not None}
    for row in pq.read_table(tmp_path / "run" / "asks.parquet").to_pylist():
        chosen = row["placement"]["ABCD".index(replies[row["id"]])]
        right[row["strategy"]].append(chosen == answers[row["question"]])
    assert list(scores.strategies) == ["direct", "hinted"]
    for name, values in right.items():
        assert scores.strategies[name].value == pytest.approx(sum(values) / 24)
        assert (scores.strategies[name].items, scores.strategies[name].clusters) == (24, 6)
    assert scores.overall == scores.strategies["direct"]
    assert len(scores.scored) == 48 and len(scores.counted_questions) == 24
    assert {one.strategy for one in scores.counted_questions.values()} == {"direct"}
    assert scores.tables[0].rows == ((48,),)


def test_runs_are_compared_by_the_strategy_that_counts(
    bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    server = serve()
    asked(bench, tiny, tmp_path / "one", server.url)
    asked(bench, tiny, tmp_path / "both", server.url, hints=True)
    pair = pair_runs(*(score_run(open_run(tmp_path / name)) for name in ("one", "both")))
    assert pair is not None and (pair.difference.value, pair.difference.items) == (0.0, 24)
