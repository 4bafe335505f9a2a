"""A run over several servers on real sockets, some of which die, hang or come late."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from evaluate_asking import lines

from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import run
from chronotope.families import Family
from chronotope.models import Decoding, ModelSpec, urls_of
from chronotope.models.services import servers
from chronotope.question import Benchmark, Option, Question, Window

SERVER = Path(__file__).parents[2] / "perf" / "workload" / "server.py"
ABOUT_EACH_CLIP = 20


class Server:
    """A process that answers letters, with a cache of eight prefixes; it writes down each call that it answers."""

    def __init__(self, log: Path, latency: float) -> None:
        self.log, self.latency = log, latency
        self.begin()

    def begin(self, *words: object, port: int = 0) -> None:
        """Start it, and return when it listens."""
        command = [sys.executable, SERVER, self.log, "--latency", self.latency, "--port", port, *words]
        self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline().split()[1])
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def begin_anew(self, *words: object) -> None:
        """Start another one at the same address, which remembers nothing."""
        self.end()
        self.log.unlink(missing_ok=True)
        self.begin(*words, port=self.port)

    def rows(self) -> list[dict]:
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


Start = Callable[..., list[Server]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[Server] = []

    def begin(count: int, latency: float = 0.03) -> list[Server]:
        running.extend(Server(tmp_path / f"log-{len(running) + n}.jsonl", latency) for n in range(count))
        return running[-count:]

    yield begin
    for one in running:
        one.end()


@pytest.fixture
def many(make_bench) -> Benchmark:
    """Six clips, each with 20 questions about the same window."""
    first = make_bench.questions()[::4]
    asked = [
        replace(q, id=f"{q.id}-{n}", stem=f"{q.stem} ({n})", window=Window(0.0, 1.9), options=_options(n))
        for q in first
        for n in range(ABOUT_EACH_CLIP)
    ]
    return make_bench(asked)


def _options(number: int) -> tuple[Option, ...]:
    return tuple(Option(f"{number + step} m") for step in range(4))


def over(urls: list[str]) -> ModelSpec:
    return ModelSpec("endpoint/x", **urls_of(urls))


def asked(bench: Benchmark, family: Family, urls: list[str], out: Path, settings=None, **how):
    settings = family.RunSettings(**(settings or {}))
    how = {"check": False, "layout": "shared"} | how
    return run(bench, family, over(urls), Decoding(max_tokens=100), settings, Selection(), out, **how)


def test_each_clip_has_one_server_whatever_their_order(
    many: Benchmark, tiny: Family, start: Start, tmp_path: Path
) -> None:
    five = start(5, 0.0)
    urls = [one.url for one in five]
    outcome = asked(many, tiny, urls, tmp_path / "run")
    assert (outcome.states, outcome.problems) == ({"replied": len(many.questions)}, ())
    seen = [{row["prefix"] for row in one.rows()} for one in five]
    assert sum(map(len, seen)) == len(set().union(*seen)) == 6
    assert sum(bool(one) for one in seen) > 1
    asked(many, tiny, urls[::-1], tmp_path / "again")
    assert [{row["prefix"] for row in one.rows()} for one in five] == seen
    assert sum(row["hit"] for one in five for row in one.rows()) >= 0.85 * 2 * len(many.questions)


def busiest(many: Benchmark, tiny: Family, running: list[Server], out: Path) -> tuple[Server, int]:
    """The server that gets most calls of a run, and how many these are."""
    asked(many, tiny, [one.url for one in running], out)
    counts = [len(one.rows()) for one in running]
    return running[counts.index(max(counts))], max(counts)


def one_will_end(many: Benchmark, tiny: Family, three: list[Server], out: Path, by: str) -> Server:
    """Servers that begin anew, the busiest of which ends itself in the middle of its calls."""
    found, count = busiest(many, tiny, three, out)
    for one in three:
        one.begin_anew(*(("--end-at", count // 2, "--end-by", by) if one is found else ()))
    return found


def test_a_server_that_is_killed_loses_and_doubles_nothing(
    many: Benchmark, tiny: Family, start: Start, tmp_path: Path
) -> None:
    three = start(3)
    dead = one_will_end(many, tiny, three, tmp_path / "before", "SIGKILL")
    outcome = asked(many, tiny, [one.url for one in three], tmp_path / "run")
    assert dead.process.wait(30) == -signal.SIGKILL
    assert outcome.states == {"replied": len(many.questions)}
    remark = next(one for one in outcome.problems if dead.url in one)
    assert "stopped answering at" in remark and "calls went to other servers" in remark
    kept = [line["key"] for line in lines(tmp_path / "run")]
    assert len(kept) == len(set(kept)) == len(many.questions)
    rows = [row for one in three for row in one.rows()]
    answered = Counter((row["prefix"], row["text"]) for row in rows)
    # A call that was answered, but whose answer was on its way when the server died, may be made again.
    in_flight = max(row["peak"] for row in rows)
    assert len(many.questions) <= sum(answered.values()) <= len(many.questions) + in_flight
    assert sum(row["hit"] for row in rows) / len(rows) > 0.85
    again = asked(many, tiny, [one.url for one in three if one is not dead], tmp_path / "run")
    assert (again.asked, again.already) == (0, len(many.questions))  # the servers are not part of the identity


@pytest.mark.slow
def test_a_silent_server_gives_its_calls_to_the_others(
    many: Benchmark, tiny: Family, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    three = start(3)
    silent = one_will_end(many, tiny, three, tmp_path / "before", "SIGSTOP")
    monkeypatch.setattr("chronotope.models.services.availability.SILENT", 0.5)
    monkeypatch.setattr(servers, "CHECK_EVERY", 0.1)
    monkeypatch.setattr(servers, "CHECK_TIME", 0.3)
    outcome = asked(many, tiny, [one.url for one in three], tmp_path / "run")
    assert outcome.states == {"replied": len(many.questions)}
    assert any(silent.url in one and "no answer to health checks" in one for one in outcome.problems)


@pytest.mark.slow
def test_a_server_that_comes_late_gets_its_clips(
    many: Benchmark, tiny: Family, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = start(2)
    late, _ = busiest(many, tiny, two, tmp_path / "before")
    for one in two:
        one.begin_anew()
    late.end()
    monkeypatch.setattr(servers, "CHECK_EVERY", 0.05)

    def begin(done: int, total: int, words: str) -> None:
        if done >= 4 and late.process.poll() is not None:
            late.begin(port=late.port)

    outcome = asked(many, tiny, [one.url for one in two], tmp_path / "run", concurrency=1, progress=begin)
    assert outcome.states == {"replied": len(many.questions)}
    assert all(one.rows() for one in two)


def test_no_server_at_all_is_one_sentence(many: Benchmark, tiny: Family, start: Start, tmp_path: Path) -> None:
    two = start(2)
    for one in two:
        one.end()
    began = time.monotonic()
    with pytest.raises(InputError, match=r"none of the 2 servers answers \(tried for 0.2 s; http.*check that they run"):
        asked(many, tiny, [one.url for one in two], tmp_path / "run", wait=0.2)
    assert time.monotonic() - began < 10
    assert not (tmp_path / "run").exists()


def test_a_url_given_twice_is_refused(many: Benchmark, tiny: Family, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is given twice"):
        asked(many, tiny, ["http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1/"], tmp_path / "run")


def test_questions_without_clips_are_shared_too(
    make_bench, tiny: Family, start: Start, text_questions: list[Question], tmp_path: Path
) -> None:
    bench = make_bench(text_questions[:60])
    two = start(2, 0.0)
    urls = [one.url for one in two]
    outcome = asked(bench, tiny, urls, tmp_path / "run", settings={"input": "blind"}, layout="published")
    assert outcome.states == {"replied": 60}
    assert min(len(one.rows()) for one in two) > 10
