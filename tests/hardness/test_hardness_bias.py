"""A service that always says A has the share of questions whose answer stands there, and nothing once orders change."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hardness_tools import Service, asked, chronotope, questions_about, run_words, write_bench

from chronotope.evaluate.score import open_run, score_run


def test_always_the_first_letter(serve: Callable[..., Service], tmp_path: Path) -> None:
    questions = questions_about(6, 8, seed=11)
    bench = write_bench(tmp_path / "bench", questions)
    service = serve({}, "--mode", "always")
    plain = asked(chronotope(*run_words(bench, service.url, out=tmp_path / "run")))
    first = [question.answer == (0,) for question in questions]
    assert 0 < sum(first) < len(first)
    assert plain["accuracy"]["value"] == pytest.approx(sum(first) / len(first), abs=1e-12)
    tasks = {question.task for question in questions}
    assert plain["tasks"].keys() == tasks and len(tasks) == 4
    for task in tasks:
        there = [one for one, question in zip(first, questions, strict=True) if question.task == task]
        assert plain["tasks"][task]["value"] == pytest.approx(sum(there) / len(there), abs=1e-12)
    assert score_run(open_run(tmp_path / "run")).circular is None

    for placement, run in (("swap", tmp_path / "run"), ("rotate", tmp_path / "rotated")):
        turned = asked(chronotope(*run_words(bench, service.url, "--placement", placement, out=run)))
        assert turned["accuracy"] == plain["accuracy"], "that of the published order, whatever else was asked"
        scores = score_run(open_run(run))
        assert scores.position is not None
        assert scores.position.value == pytest.approx(1 / 4, abs=1e-12), "right once in four places"
        assert scores.circular is not None
        assert (scores.circular.value, scores.circular.items) == (0, len(questions))
        for task in tasks:
            circular = [one.metrics["circular"] for one in scores.scored if one.question.task == task]
            assert len(circular) == 12 and set(circular) == {0}
        assert scores.letters == {"A": 4 * len(questions), "B": 0, "C": 0, "D": 0}
        assert set(scores.right_letters.values()) == {len(questions)}, "every place is right equally often"
