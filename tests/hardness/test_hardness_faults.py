"""Whatever a service does wrong ends as retried or as failed, is counted apart, and is asked again by the next run."""

import functools
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hardness_tools import (
    IMPATIENT,
    PROGRESS,
    Service,
    asked,
    assert_whole,
    chronotope,
    ledger,
    questions_about,
    right_texts,
    run_words,
    start,
    wait_for,
    write_bench,
)

from chronotope.evaluate.score import open_run, score_run
from chronotope.question import Question

FAULTS = (
    "429",
    "429 with Retry-After",
    "500",
    "503",
    "hang",
    "drip",
    "half a body",
    "HTML",
    "HTML under 502",
    "not UTF-8",
    "another charset",
    "connection reset",
    "plain text",
    "a stream of events",
    "a picture",
    "a good answer of another type",
)
TOLD = {
    "429": "HTTP 429",
    "429 with Retry-After": "HTTP 429",
    "500": "HTTP 500",
    "503": "HTTP 503",
    "hang": "no answer within",
    "drip": "no answer within",
    "HTML": "html",
    "HTML under 502": "HTTP 502",
    "not UTF-8": "UTF-8",
    "another charset": "",
    "half a body": "",
    "connection reset": "",
    "plain text": "JSON",
    "a stream of events": "JSON",
    "a picture": "JSON",
    "a good answer of another type": "text/plain",
}
TIMEOUT, RETRIES, BACKOFF = 3.0, 1, 0.05
impatient = functools.partial(chronotope, by=(*IMPATIENT, TIMEOUT, RETRIES, BACKOFF))


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Question]]:
    """One question for each fault and as many that nothing happens to."""
    questions = questions_about(4, 8)
    assert len(questions) == 2 * len(FAULTS)
    return write_bench(tmp_path_factory.mktemp("faulty") / "bench", questions), questions


def faults_of(questions: list[Question], times: int) -> dict[str, list[Any]]:
    """What goes wrong, by stem, with every second question."""
    return {question.stem: [name, times] for question, name in zip(questions[::2], FAULTS, strict=True)}


def fault_by_id(questions: list[Question]) -> dict[str, str]:
    return {question.id: name for question, name in zip(questions[::2], FAULTS, strict=True)}


def test_what_lasts_is_failed_and_asked_again_once_mended(
    faulty: tuple[Path, list[Question]], serve: Callable[..., Service], tmp_path: Path
) -> None:
    bench, questions = faulty
    service = serve(right_texts(questions))
    service.write("faults.json", faults_of(questions, -1))
    run = tmp_path / "run"
    words = run_words(bench, service.url, "--concurrency", 30, out=run)
    told = impatient(*words)
    outcome = asked(told, code=1)
    n = len(FAULTS)
    assert outcome["states"] == {"replied": n, "failed": n}
    assert outcome["readings"] == {"parsed": n, "unparsed": 0, "truncated": 0, "missing": n, "unjudged": 0}
    assert outcome["accuracy"]["value"] == 0.5 and outcome["accuracy"]["items"] == 2 * n, "strict counts them wrong"
    scores = score_run(open_run(run))
    assert scores.covered is not None and (scores.covered.value, scores.covered.items) == (1, n), "covered does not"
    assert scores.states == {"replied": n, "failed": n}
    names = fault_by_id(questions)
    lines = {line.ask: line for line in ledger(run)}
    assert len(lines) == len(ledger(run)) == 2 * n
    for ask, line in lines.items():
        if ask in names:
            assert (line.state, line.reply, line.finish) == ("failed", None, None), names[ask]
            assert line.attempts == 1 + RETRIES and TOLD[names[ask]] in f"{line.error}", (names[ask], line.error)
        else:
            assert (line.state, line.attempts, line.error) == ("replied", 1, None)
    sent = Counter(request["stem"] for request in service.requests())
    assert sent == {q.stem: 1 + RETRIES if q.id in names else 1 for q in questions}
    assert all(one.reading is None for one in open_run(run).answered if one.question.id in names)
    assert "failed" in told.err

    # A report of such a run counts them too.
    report = chronotope("report", run, "--out", tmp_path / "report", "--frames", "none", "--json")
    assert report.code == 1 and f"{n} failed" in report.err
    assert "failed" in (tmp_path / "report" / "index.html").read_text()

    service.mend()
    before = len(service.requests())
    again = asked(chronotope(*words))
    assert (again["asked"], again["already"], again["states"]) == (n, n, {"replied": 2 * n})
    assert again["accuracy"]["value"] == 1
    assert Counter(request["stem"] for request in service.requests()[before:]) == {
        q.stem: 1 for q in questions if q.id in names
    }
    assert_whole(run)


def test_what_passes_is_retried(
    faulty: tuple[Path, list[Question]], serve: Callable[..., Service], tmp_path: Path
) -> None:
    bench, questions = faulty
    service = serve(right_texts(questions))
    service.write("faults.json", faults_of(questions, 1))
    run = tmp_path / "run"
    outcome = asked(impatient(*run_words(bench, service.url, "--concurrency", 30, out=run)))
    assert outcome["states"] == {"replied": 2 * len(FAULTS)} and outcome["accuracy"]["value"] == 1
    names = fault_by_id(questions)
    assert {line.ask: line.attempts for line in ledger(run)} == {q.id: 1 + (q.id in names) for q in questions}
    bodies: dict[str, set[str]] = {}
    for request in service.requests():
        bodies.setdefault(request["stem"], set()).add(request["body"])
    assert all(len(sent) == 1 for sent in bodies.values()), "every attempt sends the same bytes"


def test_the_command_itself_waits_and_tries_again(
    faulty: tuple[Path, list[Question]], serve: Callable[..., Service], tmp_path: Path
) -> None:
    """The command as it is, its pauses included; a service that hangs would take its whole time-out."""
    bench, questions = faulty
    service = serve(right_texts(questions))
    passing = {s: fault for s, fault in faults_of(questions, 1).items() if fault[0] not in ("hang", "drip")}
    service.write("faults.json", passing)
    outcome = asked(chronotope(*run_words(bench, service.url, out=tmp_path / "run")))
    assert outcome["states"] == {"replied": 2 * len(FAULTS)} and outcome["accuracy"]["value"] == 1
    assert sum(line.attempts == 2 for line in ledger(tmp_path / "run")) == len(passing)


def test_a_service_that_dies_and_comes_back(
    bench: Path, known: dict[str, list[str]], serve: Callable[..., Service], tmp_path: Path
) -> None:
    service = serve(known, "--latency", 0.05)
    run = tmp_path / "run"
    words = run_words(bench, service.url, "--limit", 60, "--concurrency", 4, out=run)
    process = start(words, by=(*IMPATIENT, TIMEOUT, 1, BACKOFF))
    wait_for(lambda: sum(event["event"] == "out" for event in service.events()) >= 10)
    service.stop()
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2 and "Traceback" not in err and "no service answers there" in err
    kept = {line.ask for line in ledger(run) if line.state == "replied"}
    assert 6 <= len(kept) < 60
    assert sum(line.state == "failed" for line in ledger(run)) <= 60 - len(kept)

    back = serve(known, "--port", service.port, folder=service.folder)
    before = len(back.requests())
    outcome = asked(chronotope(*words))
    assert outcome["states"] == {"replied": 60} and outcome["accuracy"]["value"] == 1
    assert (outcome["asked"], len(back.requests()) - before) == (60 - len(kept), 60 - len(kept))
    assert_whole(run)


def test_where_nobody_is_nothing_is_scored(bench: Path, serve: Callable[..., Service], tmp_path: Path) -> None:
    service = serve({})
    service.stop()
    run = tmp_path / "run"
    words = (*run_words(bench, service.url, out=run), "--wait", 1)
    told = chronotope(*words, by=(*IMPATIENT, TIMEOUT, 1, BACKOFF))
    assert told.code == 2 and "Traceback" not in told.err
    first, *_, last = (line for line in told.err.splitlines() if not PROGRESS.search(line))
    assert first.startswith(f"no service answers at {service.url}") and "no service answers there" in last
    assert not run.exists(), "a run in which nothing was answered leaves nothing behind"
