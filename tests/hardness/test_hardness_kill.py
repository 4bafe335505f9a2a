"""A run of 200 questions that is killed without warning, again and again, loses no answer that it was paid for."""

import itertools
import multiprocessing
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hardness_tools import (
    ANEW,
    Service,
    asked,
    assert_whole,
    chronotope,
    environment,
    killed_after,
    ledger,
    readings,
    recorded,
    right_texts,
    run_words,
    start,
    wait_for,
)

from chronotope.cli import main
from chronotope.evaluate.plan import read_asks, read_manifest
from chronotope.evaluate.score import open_run, usage_of
from chronotope.make import BuildRequest, build
from chronotope.question import CardDraft, Question, open_benchmark, write_benchmark_tables
from small_tables import small_tables

CONCURRENCY = 8
# Where a command is killed very often, it is a fork of a process that has imported everything: most of what a start
# takes. A few kills of whole processes are beside it.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        *(
            "pytest",
            "chronotope.make",
            "chronotope.cli.app",
            "chronotope.cli.run",
            "chronotope.models.services.endpoint",
        ),
        *("httpcore", "anyio._backends._asyncio", "certifi", "scipy.special"),
    ]
)


def command(words: Sequence[object]) -> None:
    """What a fork does, silently."""
    os.environ.update(environment())
    for number in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    sys.argv = ["chronotope", *map(str, words)]
    main()


def killed_as_a_fork_after(service: Service, answers: int, words: Sequence[object]) -> None:
    """``killed_after`` for a fork."""
    done = service.answered()
    process = FORKS.Process(target=command, args=(words,))
    process.start()
    assert process.pid is not None
    service.end(process.pid, done + answers)
    process.join(120)
    assert process.exitcode == -signal.SIGKILL, "it ended before it could be killed"
    service.settle()


def undisturbed(bench: Path, serve: Callable[..., Service], known: dict, out: Path) -> dict:
    """The outcome of a run that nobody kills, by a service that answers the same."""
    service = serve(known, "--mode", "drawn")
    outcome = asked(chronotope(*run_words(bench, service.url, out=out)))
    assert len(service.requests()) == len(known)
    return outcome


@pytest.mark.drill
@pytest.mark.parametrize(
    ("kills", "seed", "kill"),
    [
        (3, 1, killed_after),
        pytest.param(5, 3, killed_after, marks=pytest.mark.slow),
        pytest.param(20, 2, killed_as_a_fork_after, marks=pytest.mark.slow),
    ],
    ids=["3-1", "5-3", "20-2"],
)
def test_killed_and_run_again(
    bench: Path,
    questions: list[Question],
    serve: Callable[..., Service],
    tmp_path: Path,
    kills: int,
    seed: int,
    kill: Callable[..., None],
) -> None:
    kill_and_run_again(bench, questions, serve, tmp_path, kills, seed, kill)


@pytest.fixture(scope="module")
def tables(drawable: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Simulated tables, seen for three seconds; every stem says which question it is, for the services."""
    out = tmp_path_factory.mktemp("tables") / "bench"
    with small_tables():
        build(BuildRequest("sti", "world:table:2", out, options={"per_variant": 8}, quality="fast"), workers=1)
    built = open_benchmark(out)
    named = [replace(question, stem=f"{question.id}: {question.stem}") for question in built.questions]
    draft = CardDraft(name="tables", family="sti", profile="strict", licence=built.card.licence)
    write_benchmark_tables(out, draft, named, built.media)
    return out


@pytest.mark.drill
@pytest.mark.slow
def test_killed_and_run_again_on_simulated_tables(tables: Path, serve: Callable[..., Service], tmp_path: Path) -> None:
    questions = list(open_benchmark(tables).questions)
    assert len(questions) > 60
    kill_and_run_again(tables, questions, serve, tmp_path, 8, 4, killed_as_a_fork_after)


def kill_and_run_again(
    bench: Path,
    questions: list[Question],
    serve: Callable[..., Service],
    tmp_path: Path,
    kills: int,
    seed: int,
    kill: Callable[..., None],
) -> None:
    known = right_texts(questions)
    of_stem = {question.stem: question.id for question in questions}
    service = serve(known, "--mode", "drawn", "--latency", 0.03)
    run = tmp_path / "run"
    words = run_words(bench, service.url, "--concurrency", CONCURRENCY, out=run)
    drawn = random.Random(seed)
    points = sorted(
        drawn.sample(range(1, int(0.85 * len(questions))), kills)
    )  # of answers written down or at least sent, over all runs
    steps = [points[0], *(after - before for before, after in itertools.pairwise(points))]
    in_flight = 0  # at all kills together
    for step in steps:
        sent_before, kept_before = len(service.requests()), recorded(run) if run.exists() else set()
        kill(service, step, words)
        sent = [of_stem[request["stem"]] for request in service.requests()[sent_before:]]
        kept = recorded(run)
        assert kept >= kept_before, "what was recorded stays"
        assert not set(sent) & kept_before, "a recorded answer was asked for again"
        lost = Counter(sent) - Counter(kept - kept_before)
        assert len(sent) == len(set(sent)) and len(lost) <= CONCURRENCY
        in_flight += len(lost)
        assert_whole(run)
    kept_before, sent_before = recorded(run), len(service.requests())
    assert 0 < len(kept_before) < len(questions)

    outcome = asked(chronotope(*words, by=ANEW))
    last = [of_stem[request["stem"]] for request in service.requests()[sent_before:]]
    assert not set(last) & kept_before and len(last) == outcome["asked"] == len(questions) - len(kept_before)
    bodies = Counter(request["body"] for request in service.requests())
    assert len(bodies) == len(questions)
    assert bodies.total() - len(bodies) == in_flight, "only what was in flight was asked for again"

    whole = undisturbed(bench, serve, known, tmp_path / "undisturbed")
    for name in ("states", "accuracy", "tasks", "variants", "readings"):
        assert outcome[name] == whole[name], name
    assert readings(run) == readings(tmp_path / "undisturbed")
    assert read_asks(run) == read_asks(tmp_path / "undisturbed")
    assert read_manifest(run).identity == read_manifest(tmp_path / "undisturbed").identity
    assert_whole(run)


@pytest.mark.drill
@pytest.mark.slow
def test_killed_before_the_first_answer(
    bench: Path, known: dict[str, list[str]], serve: Callable[..., Service], tmp_path: Path
) -> None:
    """While it starts, plans, decodes: whatever is there then, the same command goes on."""
    service = serve(known, "--mode", "drawn", "--latency", 0.02)
    run = tmp_path / "run"
    words = run_words(bench, service.url, "--limit", 20, out=run)
    for is_time in (run.exists, (run / "asks.parquet").exists, lambda: len(service.requests()) > 0):
        process = start(words)
        wait_for(is_time)
        process.kill()
        process.communicate()
    service.settle()
    outcome = asked(chronotope(*words))
    assert outcome["states"] == {"replied": 20}
    kept = Counter(line.ask for line in ledger(run))
    assert len(kept) == 20 and set(kept.values()) == {1}


def test_a_torn_ledger_goes_on(
    bench: Path, known: dict[str, list[str]], serve: Callable[..., Service], tmp_path: Path
) -> None:
    """What a power cut may leave: the last line in part, and only that call is made again."""
    service = serve(known, "--mode", "drawn")
    run = tmp_path / "run"
    words = run_words(bench, service.url, "--limit", 12, out=run)
    asked(chronotope(*words))
    before = readings(run)
    data = (run / "ledger.jsonl").read_bytes()
    last = len(data.rstrip(b"\n").rpartition(b"\n")[2])
    (run / "ledger.jsonl").write_bytes(data[: -1 - random.Random(5).randrange(1, last)])
    assert len(ledger(run)) == 11
    outcome = asked(chronotope(*words))
    assert (outcome["asked"], outcome["already"]) == (1, 11)
    assert readings(run) == before
    assert_whole(run)


def test_a_damaged_answer_is_left_out_and_asked_again(
    bench: Path, known: dict[str, list[str]], serve: Callable[..., Service], tmp_path: Path
) -> None:
    """A bit that flips on the disk: the line is named, never read, and its call is made again."""
    service = serve(known)
    run = tmp_path / "run"
    words = run_words(bench, service.url, "--limit", 6, "--price", "1000,1000", out=run)
    outcome = asked(chronotope(*words))
    data = bytearray((run / "ledger.jsonl").read_bytes())
    place = data.index(b'"reply":"', data.index(b"\n", data.index(b"\n") + 1)) + len(b'"reply":"')  # in line 3
    data[place] ^= 1
    (run / "ledger.jsonl").write_bytes(data)
    told = chronotope("report", run, "--out", tmp_path / "report", "--frames", "none")
    assert "1 line damaged (3)" in (tmp_path / "report" / "index.html").read_text(), told.err
    again = asked(chronotope(*words))
    assert (again["asked"], again["already"]) == (1, 5) and len(service.requests()) == 7
    assert again["accuracy"]["value"] == 1 and again["money"] == pytest.approx(outcome["money"])
    assert any("1 line damaged (3)" in note for note in again["notes"])
    assert data in (run / "ledger.jsonl").read_bytes(), "the damaged line is kept"


def test_a_ledger_that_is_copied_behind_itself_costs_the_same(
    bench: Path, known: dict[str, list[str]], serve: Callable[..., Service], tmp_path: Path
) -> None:
    service = serve(known, "--mode", "drawn")
    run = tmp_path / "run"
    words = run_words(bench, service.url, "--limit", 6, "--price", "1000,1000", out=run)
    outcome = asked(chronotope(*words))
    before = usage_of(open_run(run).lines)
    data = (run / "ledger.jsonl").read_bytes()
    (run / "ledger.jsonl").write_bytes(data + data + data.partition(b"\n")[2])
    again = asked(chronotope(*words, "--max-cost", 1.5 * outcome["money"]))
    assert again["money"] == pytest.approx(outcome["money"]) and again["notes"] == outcome["notes"]
    assert usage_of(open_run(run).lines) == before and len(service.requests()) == 6 == before.calls == before.attempts


def test_a_second_process_on_one_run_gets_a_sentence(
    bench: Path, known: dict[str, list[str]], serve: Callable[..., Service], tmp_path: Path
) -> None:
    service = serve(known, "--mode", "drawn")
    run = tmp_path / "run"
    words = run_words(bench, service.url, "--limit", 24, "--concurrency", 4, out=run)
    service.hold(2)
    first = start(words)
    wait_for(lambda: len(service.requests()) > 0)
    second = chronotope(*words)
    assert first.poll() is None, "the second was there while the first was at work"
    assert second.code == 2 and second.out == ""
    assert "another process" in second.err and str(run) in second.err and len(second.err.splitlines()) == 1
    service.go_on()
    out, err = first.communicate(timeout=120)
    assert first.returncode == 0, err
    assert '"replied": 24' in out
    assert_whole(run)
    sent = Counter(request["body"] for request in service.requests())
    assert len(sent) == 24 and set(sent.values()) == {1}
