"""Errors of a run: the sample, explanations and labels through a service, people beside the judge, and judged pairs."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from people_bench import items, numbered, people_bench

pytest.importorskip("alembic", reason="the extra review is not installed")

from reviewed_bench import Visitor, review_of

import chronotope.api as ct
from chronotope.errors import InputError
from chronotope.ledger import read_ledger
from chronotope.question import Benchmark
from chronotope.review.store import open_database
from commands import command
from drawn_benchmarks import write_benchmark
from service import ChatService, completion, read_parts

SPATIAL = "Inaccurate Spatial Quantification"


class Critic(ChatService):
    """A service that explains, and labels the first half of what it is asked as spatial errors."""

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        text, _ = read_parts(body)
        if "Explain step by step" in text:
            return 200, completion(json.dumps({"steps": "I took the bars for metres."}))
        label = SPATIAL if "number 0" in text else "Other"
        return 200, completion(json.dumps({"reason": "it says so", "label": label, "second": None}))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return people_bench(tmp_path_factory.mktemp("errors") / "bench", clips=2, each=2)


@pytest.fixture(scope="module")
def wrong_run(bench: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose answers are all wrong but one; one reply has its reasoning."""

    def answer(asked: Any) -> str:
        right = "clip 1, number 1" in asked.text
        if "clip 0, number 1" in asked.text:
            return "The thing moves " + "a long way " * 10 + "so the answer is A"
        return "B" if right else "A"

    return ct.run(bench, answer, out=tmp_path_factory.mktemp("runs") / "run").folder


def test_errors_are_explained_labelled_and_compared(bench: Benchmark, wrong_run: Path, tmp_path: Path) -> None:
    with Critic() as service:
        spec = ct.ModelSpec("endpoint/critic", service.url)
        how: dict[str, Any] = {"explainer": spec, "judge": spec, "out": tmp_path / "errors", "price": (1, 1)}
        foreseen = ct.dry_run(ct.label_errors, wrong_run, **how)
        assert (foreseen.wrong, foreseen.cases, foreseen.kept) == (3, 3, 1)
        assert (foreseen.explain_calls, foreseen.label_calls) == (2, 3)
        assert not (tmp_path / "errors").exists() and not service.bodies
        found = ct.label_errors(wrong_run, **how)
        assert (found.wrong, found.kept, found.explained, found.labelled, found.asked) == (3, 1, 2, 3, 5)
        assert found.stopped is None
        told = [read_parts(body) for body in service.bodies]
        explaining = [(text, pictures) for text, pictures in told if "Explain step by step" in text]
        assert all(pictures for _, pictures in explaining)
        # The truth is hidden from the model that explains; the judge sees it.
        assert not any("Right answer" in text for text, _ in explaining)
        assert sum("Right answer: B" in text and "Answer of the model: A" in text for text, _ in told) == 2
        assert {line.kind for line in read_ledger(tmp_path / "errors" / "ledger.jsonl")} == {"explain", "label"}
        again = ct.label_errors(wrong_run, **how)
        assert (again.asked, again.labelled, len(service.bodies)) == (0, 3, 5)
    shares = again.figures.plain()["judge"]
    assert shares[SPATIAL][0] == pytest.approx(2 / 3) and shares["Other"][0] == pytest.approx(1 / 3)
    assert shares[SPATIAL][1] < 2 / 3 < shares[SPATIAL][2]
    assert again.figures.plain()["published"][SPATIAL] == 56.44
    lines = [json.loads(line) for line in (tmp_path / "errors" / "cases.jsonl").read_text().splitlines()]
    assert {line["explained"] for line in lines} == {True, False}


def test_replies_without_a_form_are_counted(wrong_run: Path, tmp_path: Path) -> None:
    class Poet(Critic):
        def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
            is_about = "Explain step by step" in read_parts(body)[0]
            return (200, completion("Roses are red.")) if is_about else super().answer(body)

    with Poet() as service:
        words = ["--base-url", service.url, "--model", "endpoint/poet", "--judge", "endpoint/poet"]
        words += ["--judge-base-url", service.url, "--out", tmp_path / "errors"]
        told = command("review", "errors", wrong_run, *words)
        assert told.code == 0, told.err
        assert "2 without explanation: the replies were refused or had no valid form (see" in " ".join(told.err.split())
        assert command("review", "errors", wrong_run, *words, "--json").json["without"] == {"explanation": 2}


def test_people_label_the_same_cases_before_or_after_the_judge(
    bench: Benchmark, wrong_run: Path, tmp_path: Path
) -> None:
    bare = ct.label_errors(wrong_run, out=tmp_path / "errors")
    assert (bare.asked, bare.labelled) == (0, 0)
    where = {"record": tmp_path / "review"}
    made = ct.label_study(bare, wrong_run, **where)
    assert (made.begun.items, made.begun.assignments) == (3, 3)
    review = review_of(open_database(tmp_path / "review"), bench, tmp_path)
    for name in ("error-labels-1", "error-labels-2"):
        visitor = Visitor(review, name)
        while "/work/" in (page := visitor.next()).url.path:
            assert "the model</small>" in page.text or "The thing moves" in page.text
            form = visitor.forms(page.text) | {"label": "0"}
            assert visitor.client.post(f"{page.url.path}label", data=form).status_code == 200
    with Critic() as service:
        spec = ct.ModelSpec("endpoint/critic", service.url)
        labelled = ct.label_errors(wrong_run, judge=spec, out=tmp_path / "errors")
    after = ct.label_study(labelled, wrong_run, **where)
    plain = after.figures.plain()
    assert not after.begun.new
    assert plain["people"][SPATIAL][0] == 1.0
    assert plain["judge_agrees"]["share"][0] == pytest.approx(2 / 3)


def test_calls_stop_before_they_cost_too_much(wrong_run: Path, tmp_path: Path) -> None:
    with Critic() as service:
        spec = ct.ModelSpec("endpoint/critic", service.url)
        how: dict[str, Any] = {"judge": spec, "out": tmp_path / "errors", "concurrency": 1}
        found = ct.label_errors(wrong_run, judge_price=(1, 1), max_cost=1e-3, **how)
        assert found.stopped is not None and found.asked < 3
        whole = ct.label_errors(wrong_run, judge_price=(1, 1), max_cost=1, **how)
        assert (whole.labelled, len(service.bodies)) == (3, 3)


def test_a_run_without_errors_or_judge_is_refused(bench: Benchmark, wrong_run: Path, tmp_path: Path) -> None:
    right = ct.run(bench, lambda asked: "B", out=tmp_path / "right")
    with pytest.raises(InputError, match="no wrong answer"):
        ct.label_errors(right.folder)
    with pytest.raises(InputError, match="no judge model has judged"):
        ct.check_judge(wrong_run, record=tmp_path / "review")


class Judge(ChatService):
    """A judge that finds short replies right."""

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        text, _ = read_parts(body)
        return 200, completion(json.dumps({"reason": "length", "correct": "far" not in text.rpartition("reply")[2]}))


def test_a_judge_is_checked_against_people(tmp_path: Path) -> None:
    opened = [
        replace(one, options=(), answer=(), expected=f"{number} metres ahead") for number, one in enumerate(items(2, 2))
    ]
    bench = write_benchmark(tmp_path / "open", opened, name="open", frames=40, fps=12.5, picture=numbered)
    with Judge() as service:
        judge = ct.ModelSpec("endpoint/judge", service.url)
        run = ct.run(bench, lambda asked: "far away" if "number 1" in asked.text else "ahead", judge=judge,
                     out=tmp_path / "run")  # fmt: skip
    made = ct.check_judge(run.folder, record=tmp_path / "review")
    assert made.begun.items == run.computed().open_answers.judged > 0
    review = review_of(open_database(tmp_path / "review"), bench, tmp_path)
    said = 0
    for name in ("judge-check-1", "judge-check-2"):
        visitor = Visitor(review, name)
        while "/work/" in (page := visitor.next()).url.path:
            assert "metres ahead" in page.text and "video" not in page.text
            form = visitor.forms(page.text) | {"label": "0"}  # right
            assert visitor.client.post(f"{page.url.path}label", data=form).status_code == 200
            said += 1
    agrees = ct.check_judge(run.folder, record=tmp_path / "review").figures.plain()["judge_agrees"]
    assert agrees["pairs"] == said
    assert 0 < agrees["share"][0] < 1
    assert sum(count for of in agrees["confusion"].values() for count in of.values()) == said
