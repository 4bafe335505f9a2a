"""Runs in batch jobs: the same requests and lines as single calls, half the price, and nothing paid for twice."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from evaluate_asking import lines
from evaluate_batches import KEY, MODELS, BatchServer, Job

import chronotope
from chronotope.errors import InputError
from chronotope.evaluate.plan import RunPrice, Selection, make_plan
from chronotope.evaluate.run import Outcome, RunRequest, arun, batches, dry_run, finding, jobs, run
from chronotope.evaluate.run.jobs import Requested, all_jobs, job_file, keep_job, open_jobs, submitted
from chronotope.evaluate.score import open_run, score_run
from chronotope.families import Family
from chronotope.ledger import Ledger
from chronotope.models import Decoding, Limits
from chronotope.models.services.batch import client as batch_client
from chronotope.models.services.batch import forms as batch
from chronotope.models.services.batch.forms import BATCHES
from chronotope.question import Benchmark, Question

PRICE = RunPrice(input=1000.0, output=5000.0)  # 0.11 for a call: 100 tokens and 2
COST = 0.11
PATHS = {"openai": "/batches", "anthropic": "/messages/batches"}
ONE = pytest.mark.parametrize("provider", ["anthropic", pytest.param("openai", marks=pytest.mark.slow)])
BOTH = pytest.mark.parametrize("provider", ["openai", "anthropic"])


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    monkeypatch.setattr(batches, "FIRST_POLL", 0.01)
    monkeypatch.setattr(finding, "PAUSE", 0.01)
    monkeypatch.setattr(finding, "OLD", timedelta(0))
    monkeypatch.setattr(batch_client, "LONGEST_BACKOFF", 0.01)
    with BatchServer() as server:
        server.at_home(monkeypatch)
        yield server


@pytest.fixture
def small(make_bench: Callable[[list[Question]], Benchmark], text_questions: list[Question]) -> Benchmark:
    """24 questions without media."""
    return make_bench(text_questions[:24])


def ask(bench: Benchmark, tiny: Family, provider: str, out: Path, **how: Any) -> Outcome:
    """Ask all questions without their pictures, unless told otherwise, in batch jobs."""
    settings = tiny.RunSettings(**how.pop("settings", {"input": "blind"}))
    how = {"check": False, "batch": True, "price": PRICE} | how
    selection = how.pop("selection", Selection())
    return run(bench, tiny, MODELS[provider], Decoding(max_tokens=2), settings, selection, out, **how)


def limit(patch: pytest.MonkeyPatch, provider: str, **limits: int) -> None:
    for name, value in limits.items():
        patch.setattr(next(form for (one, _), form in BATCHES.items() if one == provider), name, value)


@BOTH
def test_jobs_have_the_requests_and_lines_of_single_calls_at_half_the_price(
    bench: Benchmark, tiny: Family, service: BatchServer, provider: str, tmp_path: Path
) -> None:
    seen: list[str] = []
    shown = {"settings": {}, "progress": lambda done, total, note: seen.append(f"{done} {total} {note}")}
    single = ask(bench, tiny, provider, tmp_path / "single", **{**shown, "batch": False})
    seen.clear()
    jobs = ask(bench, tiny, provider, tmp_path / "jobs", **shown)
    assert single.states == jobs.states == {"replied": 24} and service.keys == {KEY}
    assert len(service.jobs) == 1 and len(service.singles) == len(service.bodies) == 24
    assert sorted(map(json.dumps, service.singles)) == sorted(map(json.dumps, service.bodies.values()))
    apart = {"at", "seconds", "money", "extra", "crc32"}
    kept = [
        {line["key"]: {name: value for name, value in line.items() if name not in apart} for line in lines(folder)}
        for folder in (tmp_path / "single", tmp_path / "jobs")
    ]
    assert kept[0] == kept[1] and kept[0].keys() == service.bodies.keys()
    assert all(len(line["pictures"]) == 4 for line in kept[1].values())
    assert {line["extra"]["batch"] for line in lines(tmp_path / "jobs")} == {service.jobs[0].id}
    assert single.money == pytest.approx(24 * COST) and jobs.money == pytest.approx(12 * COST)
    assert sum(line["money"] for line in lines(tmp_path / "jobs")) == pytest.approx(12 * COST)
    assert any(f"batch job {service.jobs[0].id}: " in note and note.endswith(" of 24 done, money 0") for note in seen)
    assert score_run(open_run(tmp_path / "jobs")).overall.items == 24
    assert not any(KEY.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    # Asked again, nothing is sent, and nothing but the record of the job is left.
    again = ask(bench, tiny, provider, tmp_path / "jobs", settings={})
    assert (again.asked, again.already, len(service.jobs)) == (0, 24, 1)
    [job] = all_jobs(tmp_path / "jobs")
    assert job.ended and job.count == 24 and not job.requests
    assert [path.name for path in (tmp_path / "jobs" / "batches").iterdir()] == [f"{job.tag}.json"]


def test_a_dry_run_foresees_half_the_price(small: Benchmark, tiny: Family, tmp_path: Path) -> None:
    plan = make_plan(small, tiny, tiny.RunSettings(input="blind"), Selection(), Limits())
    whole, half = (
        dry_run(plan, "openai/gpt-4o", Decoding(), tmp_path / "none", PRICE, batch=batch) for batch in (False, True)
    )
    assert whole.money is not None and half.money == pytest.approx(whole.money / 2)
    with pytest.raises(InputError, match="--max-cost: with --batch it needs --price"):
        dry_run(plan, "openai/gpt-4o", Decoding(), tmp_path / "none", None, batch=True, max_cost=1.0)


@BOTH
def test_jobs_keep_the_limits_of_the_service(
    bench: Benchmark, tiny: Family, service: BatchServer, provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, provider, most_requests=10)
    assert ask(bench, tiny, provider, tmp_path / "many").states == {"replied": 24}
    assert [len(job.requests) for job in service.jobs] == [10, 10, 4]
    service.jobs.clear()
    limit(monkeypatch, provider, most_requests=1000, most_bytes=20_000)
    assert ask(bench, tiny, provider, tmp_path / "large", settings={}, selection=Selection(limit=12)).asked == 12
    assert 1 < len(service.jobs) < 12
    for job in service.jobs:
        assert len(job.requests) == 1 or sum(len(json.dumps(one)) for one in job.requests.values()) < 20_000


@BOTH
def test_no_more_is_submitted_than_the_budget_allows(
    small: Benchmark, tiny: Family, service: BatchServer, provider: str, tmp_path: Path
) -> None:
    first = ask(small, tiny, provider, tmp_path / "run", max_cost=0.8)
    assert first.money is not None and 0.6 < first.money <= 0.8
    assert len(service.jobs[0].requests) == 1, "the first request measures the tokens"
    assert sum(len(job.requests) for job in service.jobs) == first.asked < 24
    assert "--max-cost 0.8" in first.problems[0]
    assert "the same command with a larger limit continues" in first.problems[0]
    last = ask(small, tiny, provider, tmp_path / "run", max_cost=9.0)
    assert last.states == {"replied": 24} and last.money == pytest.approx(12 * COST)
    assert len(service.bodies) == sum(len(job.requests) for job in service.jobs) == 24
    with pytest.raises(InputError, match="--max-cost: with --batch it needs --price"):
        ask(small, tiny, provider, tmp_path / "none", max_cost=1.0, price=None)
    assert not (tmp_path / "none").exists()


@BOTH
def test_requests_without_an_answer_are_asked_in_the_next_job(
    small: Benchmark, tiny: Family, service: BatchServer, provider: str, tmp_path: Path
) -> None:
    passing = ["expired", "missing", "torn", (500, "Internal error"), None, None]
    service.rule = lambda number, key, body: passing[int(key[:4], 16) % 6] if number == 0 else None
    service.fates = ["expired"]
    outcome = ask(small, tiny, provider, tmp_path / "run")
    first, second = service.jobs
    assert outcome.states == {"replied": 24} and outcome.problems == ()
    assert second.requests == {key: body for key, body in first.requests.items() if service.rule(0, key, body)}
    assert 0 < len(second.requests) < 24 and outcome.money == pytest.approx(12 * COST)
    assert Counter(line["key"] for line in lines(tmp_path / "run")) == Counter(first.requests.keys())


@BOTH
def test_a_request_that_is_never_answered_fails_after_three_jobs(
    small: Benchmark, tiny: Family, service: BatchServer, provider: str, tmp_path: Path
) -> None:
    service.rule = lambda number, key, body: "expired" if key < "2" else (500, "Internal error") if key < "4" else None
    outcome = ask(small, tiny, provider, tmp_path / "run")
    assert outcome.states.keys() == {"replied", "failed"} and len(service.jobs) == 3
    assert len(outcome.problems) == 2 and all("(tried in 3 batch jobs)" in one for one in outcome.problems)
    failed = [line for line in lines(tmp_path / "run") if line["state"] == "failed"]
    assert len(failed) == outcome.states["failed"] and {line["attempts"] for line in failed} == {3}
    service.rule = lambda number, key, body: None
    assert ask(small, tiny, provider, tmp_path / "run").states == {"replied": 24}


@ONE
def test_answers_that_cannot_be_read_are_paid_for(
    small: Benchmark, tiny: Family, service: BatchServer, provider: str, tmp_path: Path
) -> None:
    service.rule = lambda number, key, body: "odd" if number == 0 and key < "8" else None
    outcome = ask(small, tiny, provider, tmp_path / "run")
    odd = [line for line in lines(tmp_path / "run") if line["state"] == "failed"]
    assert outcome.states == {"replied": 24} and outcome.problems == () and len(service.jobs) == 2
    assert len(odd) == len(service.jobs[1].requests) > 0 and all(line["money"] > 0.005 for line in odd)
    assert outcome.money == pytest.approx(12 * COST + sum(line["money"] for line in odd))
    assert ask(small, tiny, provider, tmp_path / "run").money == pytest.approx(outcome.money)


@BOTH
def test_an_answer_that_is_too_large_fails_once_and_loses_no_other(
    small: Benchmark,
    tiny: Family,
    service: BatchServer,
    provider: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Limits of 10 kB for a line of results, and (other test) of 16 MB for a reply; the job has one of 20 kB."""
    monkeypatch.setattr(batch, "MOST_LINE", 10_000)
    large: list[str] = []

    def rule(number: int, key: str, body: Any) -> str | None:
        large[:] = large or [key]
        return "large" if key in large else None

    service.rule = rule
    outcome = ask(small, tiny, provider, tmp_path / "run")
    assert outcome.states == {"replied": 23, "failed": 1} and len(service.jobs) == 1, "not asked again, and paid again"
    [told] = outcome.problems
    assert told.startswith("failed: the result has 0 MB, expected at most 16 MB")
    [failed] = [line for line in lines(tmp_path / "run") if line["state"] == "failed"]
    assert failed["key"] == large[0] and failed["money"] > 0.005


def test_a_long_result_is_told_by_its_id_at_either_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MOST_LINE", 1 << 20)
    text = json.dumps('"custom_id":"of the text"' * (1 << 16))
    made = [
        f'{{"custom_id": "first", "text": {text}}}',
        f'{{"text": {text}, "custom_id":"last"}}',
        f'{{"text": {text}}}',
        '{"custom_id":"short","response":{"status_code":200,"body":{}}}',
    ]
    (tmp_path / "results").write_text("\n".join(made))
    found = list(batch.read_results(tmp_path / "results", BATCHES["openai", "chat"]))
    assert [(one.key, one.too_large) for one in found] == [("first", True), ("last", True), ("short", False)]


@ONE
def test_the_file_of_a_job_never_outgrows_its_reader(
    small: Benchmark,
    tiny: Family,
    service: BatchServer,
    provider: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batches, "MOST_RECORD", 1000)
    monkeypatch.setattr(jobs, "MOST_JOB", 2000)
    assert ask(small, tiny, provider, tmp_path / "run").states == {"replied": 24}
    assert len(service.jobs) > 1


@BOTH
def test_refused_requests_are_told(
    small: Benchmark, tiny: Family, service: BatchServer, provider: str, tmp_path: Path
) -> None:
    message = "prompt is too long: 9 tokens"
    service.rule = lambda number, key, body: (
        (400, message) if key < "5" else (400, "an odd request") if key < "8" else None
    )
    outcome = ask(small, tiny, provider, tmp_path / "run")
    assert outcome.states.keys() == {"replied", "refused"} and len(service.jobs) == 1
    assert sorted(one.split(" (")[0].partition("; remedy")[0] for one in outcome.problems) == [
        "refused: HTTP 400: an odd request",
        f"refused: HTTP 400: {message}",
    ]
    assert any("fewer frames" in one for one in outcome.problems)


WRONG = {
    "every request": ((400, "an odd request"), "every request so far was refused"),
    "a field": ((400, "temperature is deprecated for this model."), "add --set temperature=null"),
    "the model": ((404, "no such model"), "check the model's name"),
    "the credit": ((402, "Your credit balance is too low"), "the account has no credit left"),
}


@ONE
@pytest.mark.parametrize("name", WRONG)
def test_wrong_use_ends_the_run_after_its_first_job(
    small: Benchmark, tiny: Family, service: BatchServer, provider: str, name: str, tmp_path: Path
) -> None:
    fate, words = WRONG[name]
    service.rule = lambda number, key, body: fate
    with pytest.raises(InputError, match=words):
        ask(small, tiny, provider, tmp_path / "run")
    assert len(service.jobs) == 1 and not (tmp_path / "run").exists()


def test_a_refused_job_ends_the_run(small: Benchmark, tiny: Family, service: BatchServer, tmp_path: Path) -> None:
    service.fates = ["refused"]
    with pytest.raises(InputError, match=r"refuses batch job batch_0 \(The model does not exist \(\[key\]\)\)"):
        ask(small, tiny, "openai", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_full_queue_gets_smaller_jobs(
    small: Benchmark, tiny: Family, service: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, "openai", most_requests=12)
    service.fates = ["completed", "full", "full"]
    assert ask(small, tiny, "openai", tmp_path / "run").states == {"replied": 24}
    # The second waits for the first, is still too large alone, and is halved.
    assert [len(job.requests) for job in service.jobs] == [12, 12, 12, 6, 6]


def test_a_queue_that_others_fill_is_awaited(
    small: Benchmark, tiny: Family, service: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "FULL_PAUSE", 0.01)
    monkeypatch.setattr(batches, "MOST_FULL", 4)
    service.fates = ["full"] * 4
    seen: list[str] = []
    how: Any = {"selection": Selection(limit=6), "progress": lambda done, total, note: seen.append(note)}
    assert ask(small, tiny, "openai", tmp_path / "run", **how).states == {"replied": 6}
    # The smallest job waits for the queue; after it, the jobs grow again.
    assert [len(job.requests) for job in service.jobs] == [6, 3, 1, 1, 1, 2, 3]
    assert any("the queue of batch jobs of this account is full" in note for note in seen)
    service.fates = ["full"] * 5
    with pytest.raises(InputError, match="the queue of batch jobs of this account is full, and stayed full") as caught:
        ask(small, tiny, "openai", tmp_path / "other", **how)
    assert "nothing was asked" not in str(caught.value)


def test_a_long_pause_is_cut_and_told_once(
    small: Benchmark, tiny: Family, service: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_client, "LONGEST_PAUSE", 0.02)
    said: list[str] = []
    busy = {
        stage: [(429, {"Retry-After": "72000"}, {"error": {"message": "busy"}})] * 2 for stage in ("create", "poll")
    }
    service.instead = lambda stage: busy[stage].pop() if busy.get(stage) else None
    outcome = ask(small, tiny, "openai", tmp_path / "run", say=said.append)
    assert outcome.states == {"replied": 24} and len(service.jobs) == 1 and "list" not in service.stages
    assert len(said) == 1 and "asks to wait 72000 s: the next attempt is in 0 s" in said[0]


@ONE
def test_entries_that_are_not_jobs_are_skipped(
    small: Benchmark, tiny: Family, service: BatchServer, provider: str, tmp_path: Path
) -> None:
    def listed(stage: str) -> tuple[int, dict[str, str], Any] | None:
        if stage != "list":
            return None
        _, body = service.get(provider, "/batches", {"limit": ["100"]})
        told = json.loads(body)
        return 200, {}, told | {"data": [{"object": "batch"}, None, *told["data"], {"id": "../x"}]}

    service.before, service.instead = (lambda stage: stage != "create"), listed
    assert ask(small, tiny, provider, tmp_path / "run").states == {"replied": 24} and len(service.jobs) == 1


@ONE
def test_a_page_instead_of_results_is_fetched_again(
    small: Benchmark, tiny: Family, service: BatchServer, provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy asks to log in: the answers are neither lost nor paid for again."""
    with monkeypatch.context() as patch:
        patch.setattr(service, "results", lambda job, kind: b"<html>Please log in</html>")
        with pytest.raises(InputError, match=r"sent no results of batch job .*Please log in.*without paying twice"):
            ask(small, tiny, provider, tmp_path / "run")
    assert ask(small, tiny, provider, tmp_path / "run").states == {"replied": 24} and len(service.jobs) == 1


def test_a_status_as_a_text_is_read(
    small: Benchmark, tiny: Family, service: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = service.results
    changed = lambda job, kind: results(job, kind).replace(b'"status_code": 200', b'"status_code": "200"')  # noqa: E731
    monkeypatch.setattr(service, "results", changed)
    assert ask(small, tiny, "openai", tmp_path / "run").states == {"replied": 24} and len(service.jobs) == 1


def test_errors_of_a_job_in_another_form_are_told(
    small: Benchmark, tiny: Family, service: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = service.told
    failed = lambda job: json.dumps(json.loads(told(job)) | {"status": "failed", "errors": {"data": 5}}).encode()  # noqa: E731
    monkeypatch.setattr(service, "told", failed)
    with pytest.raises(InputError, match=r"refuses batch job batch_0 .no reason was given"):
        ask(small, tiny, "openai", tmp_path / "run")


@ONE
def test_a_list_of_jobs_without_an_end_ends(
    small: Benchmark, tiny: Family, service: BatchServer, provider: str, tmp_path: Path
) -> None:
    """A gateway ignores where the next page begins."""

    def listed(stage: str) -> tuple[int, dict[str, str], Any] | None:
        if stage != "list":
            return None
        _, body = service.get(provider, PATHS[provider], {"limit": ["100"]})
        return 200, {}, json.loads(body) | {"has_more": True}

    service.before, service.instead = (lambda stage: stage != "create"), listed
    assert ask(small, tiny, provider, tmp_path / "run").states == {"replied": 24} and len(service.jobs) == 1


@BOTH
def test_a_job_whose_creation_was_never_answered_is_found_again(
    small: Benchmark, tiny: Family, service: BatchServer, provider: str, tmp_path: Path
) -> None:
    service.before = lambda stage: stage != "create"  # the service makes the job, but the connection breaks
    assert ask(small, tiny, provider, tmp_path / "run").states == {"replied": 24}
    assert len(service.jobs) == 1 and service.stages.count("create") == 1


@ONE
def test_a_job_that_never_reached_the_service_is_submitted_by_the_next_command(
    small: Benchmark,
    tiny: Family,
    service: BatchServer,
    provider: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(finding, "LOOKS", 4)
    service.before = lambda stage: stage != "before create"
    with pytest.raises(InputError, match=r"may have been submitted.*the same command looks for it again"):
        ask(small, tiny, provider, tmp_path / "run")
    [job] = open_jobs(tmp_path / "run")
    assert job.id is None and service.stages.count("create") == 1 and service.stages.count("list") == finding.LOOKS
    service.before = lambda stage: True
    monkeypatch.setattr(finding, "OLD", timedelta(minutes=5))
    with pytest.raises(InputError, match="may have been submitted"):  # the job is too new to be missing
        ask(small, tiny, provider, tmp_path / "run")
    monkeypatch.setattr(finding, "OLD", timedelta(0))
    assert ask(small, tiny, provider, tmp_path / "run").states == {"replied": 24} and len(service.jobs) == 1


@ONE
def test_a_job_whose_search_is_refused_is_kept(
    small: Benchmark, tiny: Family, service: BatchServer, provider: str, tmp_path: Path
) -> None:
    service.before = lambda stage: stage != "create"
    service.instead = lambda stage: (403, {}, {"error": {"message": "no access"}}) if stage == "list" else None
    for _ in range(2):
        with pytest.raises(InputError, match=r"may have been submitted.*no access.*looks for it again"):
            ask(small, tiny, provider, tmp_path / "run")
        assert [job.id for job in open_jobs(tmp_path / "run")] == [None]
    service.instead = lambda stage: None
    assert ask(small, tiny, provider, tmp_path / "run").states == {"replied": 24}
    assert len(service.jobs) == 1 and service.stages.count("create") == 1


@ONE
def test_a_job_that_is_listed_late_is_found(
    small: Benchmark, tiny: Family, service: BatchServer, provider: str, tmp_path: Path
) -> None:
    service.before, service.hidden = (lambda stage: stage != "create"), 20
    assert ask(small, tiny, provider, tmp_path / "run").states == {"replied": 24}
    assert len(service.jobs) == 1


def foreign(number: int, **state: Any) -> Job:
    """A job of another program, with as many requests as ours."""
    return Job(f"msgbatch_foreign{number}", {f"their{n}": {} for n in range(24)}, "completed", **state)


def test_jobs_of_others_neither_block_nor_end_a_search(
    small: Benchmark, tiny: Family, service: BatchServer, tmp_path: Path
) -> None:
    long_ago = datetime.now(UTC) - timedelta(hours=25)
    # One ended, one never ends, and the results of one are gone.
    service.jobs += [foreign(0, polls=10), foreign(1, polls=-10_000, created=long_ago), foreign(2, polls=10)]
    gone = service.jobs[2].id
    service.before = lambda stage: stage != "create"
    service.gone.add(gone)
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finding, "SKEW", timedelta(hours=30))  # so that all are candidates
        outcome = ask(small, tiny, "anthropic", tmp_path / "run", say=said.append)
    assert outcome.states == {"replied": 24} and len(service.jobs) == 4
    assert said == [
        "batch job msgbatch_foreign1, which may be ours, has not ended within 24 hours: it is no longer awaited"
    ]


@BOTH
def test_breaks_while_waiting_end_nothing(
    small: Benchmark, tiny: Family, service: BatchServer, provider: str, tmp_path: Path
) -> None:
    said: list[str] = []
    torn = iter([False] * 5 + [True] * 2 + [False] * 3)
    service.before = lambda stage: next(torn, True) if stage in ("poll", "fetch") else True
    outcome = ask(small, tiny, provider, tmp_path / "run", say=said.append)
    assert outcome.states == {"replied": 24} and len(service.jobs) == 1
    assert len(said) == 1 and "still trying; the batch job is not lost" in said[0]


@BOTH
def test_ctrl_c_leaves_the_job_and_the_same_command_fetches_it(
    small: Benchmark, tiny: Family, service: BatchServer, provider: str, tmp_path: Path
) -> None:
    def interrupt(done: int, total: int, note: str) -> None:
        if "batch job" in note and "done" in note:
            raise KeyboardInterrupt

    out = tmp_path / "run"
    outcome = ask(small, tiny, provider, out, progress=interrupt)
    name = service.jobs[0].id
    assert outcome.interrupted and outcome.problems[0] == (
        f"interrupted with 24 calls left: batch job {name} continues at the service, and the same command fetches the "
        "answers, without paying twice"
    )
    assert [job.id for job in open_jobs(out)] == [name]
    with pytest.raises(InputError, match=f"batch job {name} of this run has not ended.*add --batch") as caught:
        ask(small, tiny, provider, out, batch=False)
    assert f"or delete {job_file(out, open_jobs(out)[0])} to give them up" in str(caught.value)
    plan = make_plan(small, tiny, tiny.RunSettings(input="blind"), Selection(), Limits())
    planned = dry_run(plan, MODELS[provider], Decoding(max_tokens=2), out, PRICE, batch=True)
    assert (planned.calls, planned.already, planned.in_jobs, planned.money) == (0, 24, 24, 0)
    fresh = dry_run(plan, MODELS[provider], Decoding(max_tokens=2), tmp_path / "none", PRICE, batch=True)
    assert (fresh.in_jobs, fresh.in_jobs_money) == (0, 0) and planned.in_jobs_money == pytest.approx(fresh.money)
    # Asked for less, all that is paid for is kept.
    some = ask(small, tiny, provider, out, selection=Selection(limit=6))
    assert (some.states, some.money) == ({"replied": 6}, pytest.approx(12 * COST))
    assert ask(small, tiny, provider, out).asked == 0 and len(service.jobs) == 1


def test_a_cancelled_task_leaves_its_job_in_the_folder(
    small: Benchmark, tiny: Family, service: BatchServer, tmp_path: Path
) -> None:
    async def cancelled() -> None:
        settings = tiny.RunSettings(input="blind")
        request = RunRequest(
            small, tiny, MODELS["openai"], Decoding(max_tokens=2), settings, Selection(), tmp_path / "run", batch=True
        )
        task = asyncio.create_task(arun(request))
        while "poll" not in service.stages:
            await asyncio.sleep(0.01)
        task.cancel()
        await task

    service.polls = 10_000
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    service.polls = 1
    assert len(open_jobs(tmp_path / "run")) == 1
    assert ask(small, tiny, "openai", tmp_path / "run").states == {"replied": 24} and len(service.jobs) == 1


def test_a_job_that_another_process_submits_meanwhile_is_seen(
    small: Benchmark, tiny: Family, service: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(path: Path) -> Any:
        keep_job(tmp_path / "run", submitted({"key": Requested(ask="ask", tokens=1)}))
        return opened(path)

    ask(small, tiny, "openai", tmp_path / "run", batch=False, selection=Selection(limit=1))
    opened = Ledger.open
    monkeypatch.setattr(Ledger, "open", locked)
    with pytest.raises(InputError, match="of this run has not ended, so its calls would be paid for twice"):
        ask(small, tiny, "openai", tmp_path / "run", batch=False)
    assert len(service.singles) == 1 and len(open_jobs(tmp_path / "run")) == 1


def test_a_job_that_is_gone_is_told(small: Benchmark, tiny: Family, service: BatchServer, tmp_path: Path) -> None:
    service.before = lambda stage: bool(service.jobs.clear()) or True if stage == "before poll" else True
    with pytest.raises(InputError, match="does not have this batch job, or its results, any more") as caught:
        ask(small, tiny, "anthropic", tmp_path / "run")
    [job] = open_jobs(tmp_path / "run")
    assert f"or delete {job_file(tmp_path / 'run', job)}, to ask and pay again" in str(caught.value)


GOOD = {"tag": 32 * "a", "id": "batch_1", "begun": "2026-11-28T00:00:00+00:00", "count": 1}


@pytest.mark.parametrize(
    "changed",
    [
        {"tag": "../../victim"},
        {"tag": "/tmp/victim"},
        {"tag": 5000 * "x"},
        {"tag": 32 * "b"},
        {"id": "../../evil?x="},
        {"id": "batch_1\n"},
        {"begun": "yesterday"},
        {"begun": "2026-01-01"},
        {"begun": "2026-01-01T00:00:00+00:00" + " " * 9999},
        {"begun": "0001-01-01T00:00:00+00:00"},
        {"begun": "9999-12-31T23:59:59-12:00"},
        {"count": -1},
        {"requests": {"k": {"ask": "a", "tokens": -1}}},
        {"requests": {"k": {"ask": "a", "tokens": 10**400}}},  # its cost would overflow
    ],
)
def test_a_job_from_a_stranger_is_not_believed(
    small: Benchmark, tiny: Family, service: BatchServer, tmp_path: Path, changed: dict[str, Any]
) -> None:
    folder, victim = tmp_path / "x" / "run", tmp_path / "victim.json"
    ask(small, tiny, "anthropic", folder, batch=False)
    victim.write_text("mine")
    place = folder / "batches" / f"{GOOD['tag']}.json"
    place.parent.mkdir()
    place.write_text(json.dumps(GOOD | {"id": None} | changed))
    with pytest.raises(InputError, match=r"is not the file of a batch job") as told:
        ask(small, tiny, "anthropic", folder)
    assert len(str(told.value)) < 600 and "\n" not in str(told.value)
    assert victim.read_text() == "mine" and not service.jobs and set(service.stages) == {"single"}


@pytest.mark.parametrize("name", ["batches", "batches/.requests.jsonl", "batches/.results.jsonl", "run.yaml"])
def test_a_link_of_a_fixed_name_is_refused(
    small: Benchmark, tiny: Family, service: BatchServer, tmp_path: Path, name: str
) -> None:
    folder, victim = tmp_path / "run", tmp_path / "victim"
    ask(small, tiny, "anthropic", folder, batch=False, selection=Selection(limit=12))
    place = folder / name
    place.parent.mkdir(exist_ok=True)
    if name == "run.yaml":
        place.rename(victim)
    elif name == "batches":
        victim.mkdir()
    else:
        victim.write_text("mine")
    before = victim.read_bytes() if victim.is_file() else b""
    place.symlink_to(victim)
    price = RunPrice(input=1.0, output=1.0)  # to be written into run.yaml
    with pytest.raises(InputError, match=rf"{name}: is a link, expected a regular file"):
        ask(small, tiny, "anthropic", folder, price=price)
    assert (victim.read_bytes() == before) if victim.is_file() else not list(victim.iterdir())
    assert not service.jobs


def test_a_job_from_before_the_clock_was_set_back_is_found(
    small: Benchmark, tiny: Family, service: BatchServer, tmp_path: Path
) -> None:
    """Its file says that it began in two years, and the service has it since today."""
    folder = tmp_path / "run"
    service.before = lambda stage: stage != "create"
    service.hidden = 1 << 20
    with pytest.raises(InputError, match="may have been submitted, but was not found"):
        ask(small, tiny, "openai", folder)
    [job] = all_jobs(folder)
    keep_job(folder, job.model_copy(update={"begun": (datetime.now(UTC) + timedelta(days=700)).isoformat()}))
    service.before, service.hidden = (lambda stage: True), 0
    assert ask(small, tiny, "openai", folder).states == {"replied": 24} and len(service.jobs) == 1


@pytest.mark.parametrize("model", ["endpoint/x", "google/gemini-2.5-pro", "baseline/random"])
def test_other_models_have_no_batches(
    small: Benchmark, tiny: Family, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    url = "http://localhost:9/v1" if model.startswith("endpoint") else None
    settings, out = tiny.RunSettings(input="blind"), tmp_path / "run"
    with pytest.raises(InputError, match=f"--batch: {model} has no batch service: leave --batch out"):
        run(small, tiny, model, Decoding(), settings, Selection(), out, base_url=url, batch=True)
    assert not (tmp_path / "run").exists()


# The command is killed at each stage; it runs in a process of its own.

KILLED = """
import sys
from dataclasses import replace
from chronotope.cli import main
from chronotope.evaluate.run import batches
from chronotope.models import opening
from chronotope.models.services.batch import client as batch_client
for provider in ("openai", "anthropic"):
    home = replace(opening.HOSTED[provider], base_url=f"{sys.argv[1]}/{provider}/v1", chat_url=None)
    opening.HOSTED[provider] = home
batches.FIRST_POLL = batch_client.LONGEST_BACKOFF = 0.01
sys.argv[1:2] = []
main()
"""


def start(bench: Benchmark, url: str, provider: str, out: Path) -> subprocess.Popen[str]:
    """Ask in batch jobs as a command."""
    words = ["run", bench.folder, "--model", MODELS[provider], "--input", "blind", "--max-tokens", 2, "--out", out]
    words += ["--batch", "--no-check", "--price", "1000,5000"]
    # The fixture of the family has put its folder there: the package may be another folder's.
    path = os.pathsep.join([os.environ["PYTHONPATH"], str(Path(chronotope.__file__).parents[1])])
    return subprocess.Popen(
        [sys.executable, "-c", KILLED, url, *map(str, words)],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("stage", ["before create", "create", "poll", "before fetch", "fetch"])
def test_a_kill_at_any_stage_pays_for_nothing_twice(
    small: Benchmark, tiny: Family, service: BatchServer, provider: str, stage: str, tmp_path: Path
) -> None:
    out, dead = tmp_path / "run", []

    def kill(now: str) -> bool:
        if now == stage and not dead:
            dead.append(process.pid)
            process.kill()
            process.wait()
            return False
        return True

    service.before = kill
    process = start(small, service.root, provider, out)
    _, told = process.communicate(timeout=120)
    assert process.returncode < 0 and dead, told
    assert len(open_jobs(out)) == 1
    outcome = ask(small, tiny, provider, out)
    assert outcome.states == {"replied": 24} and outcome.money == pytest.approx(12 * COST)
    assert len(service.jobs) == 1
    assert Counter(line["key"] for line in lines(out)) == Counter(service.bodies.keys())


@pytest.mark.slow
def test_the_command_tells_how_to_continue_after_ctrl_c(
    small: Benchmark, tiny: Family, service: BatchServer, tmp_path: Path
) -> None:
    service.polls = 10_000
    process = start(small, service.root, "openai", tmp_path / "run")
    while "poll" not in service.stages:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 130
    plain = " ".join(told.split())
    assert "batch job batch_0 continues at the service" in plain
    assert f"to continue: chronotope run {small.folder} --model openai/gpt-4o --input blind" in plain
