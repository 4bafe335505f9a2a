"""HCTR from end to end against three servers: a captioner, a summariser and an answerer."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from methods_homes import home_questions, write_bench

from chronotope.evaluate.plan import read_asks, read_manifest
from chronotope.evaluate.score import open_run, usage_of
from chronotope.ledger import LedgerLine, read_ledger
from chronotope.question import Benchmark
from service import ChatService, SeeingProcess, completion

pytestmark = pytest.mark.slow


class Station(ChatService):
    """A service that replies with a hash of the request, and kills a process behind one of its replies."""

    replies = 0
    keeping = threading.Lock()
    kill: tuple[subprocess.Popen[str], int] | None = None

    def __init__(self, word: str) -> None:
        self.word = word
        super().__init__()

    def answer(self, body: dict[str, Any]) -> tuple[int, Mapping[str, Any] | bytes]:
        time.sleep(0.01)  # so that several requests are in flight
        with Station.keeping:
            Station.replies += 1
            if Station.kill is not None and Station.replies >= Station.kill[1]:
                Station.kill[0].send_signal(signal.SIGKILL)
                Station.kill = None
        return 200, completion(f"{self.word} {digest(body)}", tokens=(1000, 50))


def digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body["messages"]).encode()).hexdigest()[:16]


def pictures(body: dict[str, Any]) -> int:
    content = body["messages"][-1]["content"]
    return 0 if isinstance(content, str) else sum(part["type"] != "text" for part in content)


@pytest.fixture
def stations() -> Iterator[dict[str, Station]]:
    with ExitStack() as stack:
        yield {name: stack.enter_context(Station(name)) for name in ("caption", "summary", "B")}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return write_bench(tmp_path_factory.mktemp("servers") / "bench", home_questions(2, 10), "m3")


def words(bench: Benchmark, stations: Mapping[str, Any], out: Path, *more: object) -> list[str]:
    told = [
        sys.executable, "-m", "chronotope.cli", "run", bench.folder, "--out", out, "--json", "--concurrency", 4,
        "--model", "endpoint/answerer", "--base-url", stations["B"].url, "--method", "hctr",
        "--clip-length", 4, "--clip-frames", 2,
        "--caption-model", "endpoint/captioner", "--caption-base-url", stations["caption"].url,
        "--summary-model", "endpoint/summariser", "--summary-base-url", stations["summary"].url, *more,
    ]  # fmt: skip
    return [str(word) for word in told]


def run(command: list[str], code: int = 0) -> Any:
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)[0] if code == 0 else done.stderr


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}


def lines_of(folder: Path) -> list[LedgerLine]:
    return read_ledger(folder / "ledger.jsonl")


def test_three_servers_each_get_their_calls_once(
    bench: Benchmark, stations: dict[str, Station], tmp_path: Path
) -> None:
    prices = ("--price", "1,2", "--caption-price", "10,20", "--summary-price", "100,200", "--no-check")
    foreseen = run(words(bench, stations, tmp_path / "run", *prices, "--dry-run"))
    assert {one["kind"]: one["calls"] for one in foreseen["stages"]} == {"caption": 20, "summary": 4, "answer": 20}
    assert foreseen["calls"] == 44 and not any(station.bodies for station in stations.values())
    told = run(words(bench, stations, tmp_path / "run", *prices))
    assert told["stages"] == {"caption": 20, "summary": 4} and told["states"] == {"replied": 20}
    assert {name: len(station.bodies) for name, station in stations.items()} == {"caption": 20, "summary": 4, "B": 20}
    assert {pictures(body) for body in stations["caption"].bodies} == {2}
    assert {pictures(body) for name in ("summary", "B") for body in stations[name].bodies} == {0}
    assert {body["max_tokens"] for body in stations["caption"].bodies} == {1024}
    assert {body["model"] for body in stations["summary"].bodies} == {"summariser"}
    each = (1000 * 1 + 50 * 2) / 1e6
    assert told["money"] == pytest.approx(20 * each + 20 * 10 * each + 4 * 100 * each)
    assert told["money"] <= foreseen["money"]
    stages = usage_of(open_run(tmp_path / "run").lines).stages
    assert {kind: of.money for kind, of in stages.items()} == pytest.approx(
        {"caption": 200 * each, "summary": 400 * each, "answer": 20 * each}
    )
    again = run(words(bench, stations, tmp_path / "run", *prices, "--dry-run"))
    assert again["calls"] == 0 and again["spent"] == pytest.approx(told["money"])


@pytest.mark.parametrize("seed", [1, 2])
def test_kills_at_any_time_lose_no_reply_and_pay_nothing_twice(
    seed: int, bench: Benchmark, stations: dict[str, Station], tmp_path: Path
) -> None:
    run(words(bench, stations, tmp_path / "calm", "--no-check"))
    calm = {line.key: line.reply for line in lines_of(tmp_path / "calm")}
    for station in stations.values():
        station.bodies.clear()
    generator = random.Random(seed)
    command, out = words(bench, stations, tmp_path / "killed", "--no-check"), tmp_path / "killed"
    kills = 0
    while True:
        recorded = {line.reply for line in lines_of(out)} if (out / "ledger.jsonl").exists() else set()
        before = {name: len(station.bodies) for name, station in stations.items()}
        process = subprocess.Popen(
            command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        Station.kill = (process, Station.replies + generator.randint(1, 9))
        _, told = process.communicate(timeout=120)
        Station.kill = None
        asked = {f"{name} {digest(body)}" for name, at in before.items() for body in stations[name].bodies[at:]}
        assert not asked & recorded, "a reply that was there was asked for again"
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, told
        kills += 1
    assert kills >= 4
    lines = [line for line in lines_of(out) if line.state == "replied"]
    assert {line.key: line.reply for line in lines} == calm and len(lines) == len(calm) == 44
    requests = Counter(f"{name} {digest(body)}" for name, station in stations.items() for body in station.bodies)
    assert sum(requests.values()) <= 44 + 5 * kills  # at most the calls in flight at each kill are made again
    keys = {one.key for one in read_asks(out)}
    assert keys == {line.key for line in lines if line.kind == "answer"}


@pytest.fixture
def seeing(tmp_path: Path) -> Iterator[SeeingProcess]:
    with SeeingProcess(tmp_path) as process:
        yield process


def test_the_check_asks_the_captioner_about_pictures_and_nobody_else(
    bench: Benchmark, stations: dict[str, Station], seeing: SeeingProcess, tmp_path: Path
) -> None:
    captioner = SimpleNamespace(url=seeing.looking()[0])
    told = run(words(bench, stations | {"caption": captioner}, tmp_path / "run"))  # pyright: ignore
    assert told["states"] == {"replied": 20}
    checks = [line for line in lines_of(tmp_path / "run") if line.kind == "check"]
    assert max(len(line.pictures) for line in checks) == 2  # as many as a caption shows
    card = read_manifest(tmp_path / "run")
    assert card.check is not None and card.check["arrived"] is True
    assert all(pictures(body) == 0 for name in ("summary", "B") for body in stations[name].bodies)
    assert len(stations["B"].bodies) == 20
    blind = SimpleNamespace(url=seeing.looking("--blind", "400")[0])
    said = run(words(bench, stations | {"caption": blind}, tmp_path / "blind"), 2)  # pyright: ignore
    assert "endpoint/captioner refuses pictures of 448x448 px" in said
    assert len(stations["B"].bodies) == 20


def test_a_service_that_refuses_every_request_stops_the_run_with_its_name(
    bench: Benchmark, stations: dict[str, Station], tmp_path: Path
) -> None:
    class Closed(Station):
        def answer(self, body: dict[str, Any]) -> tuple[int, Mapping[str, Any] | bytes]:
            return 401, {"error": {"message": "no such key"}}

    with Closed("summary") as closed:
        said = run(words(bench, stations | {"summary": closed}, tmp_path / "run", "--no-check"), 2)
    assert "endpoint/summariser" in said
    kinds = Counter(line.kind for line in lines_of(tmp_path / "run"))
    assert kinds["caption"] and not kinds["answer"]
    told = run(words(bench, stations, tmp_path / "run", "--no-check"))
    assert told["states"] == {"replied": 20} and len(stations["caption"].bodies) == 20


def test_a_limit_names_the_stage_whose_costs_are_unknown(
    bench: Benchmark, stations: dict[str, Station], tmp_path: Path
) -> None:
    def stopped(out: str, *prices: str) -> str:
        command = words(bench, stations, tmp_path / out, *prices, "--no-check", "--max-cost", 9)
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, timeout=300)
        return done.stderr

    every = {
        "--price": "endpoint/answerer",
        "--caption-price": "endpoint/captioner",
        "--summary-price": "endpoint/summariser",
    }
    for flag, name in every.items():
        told = stopped(flag, *(word for other in every if other != flag for word in (other, "1,2")))
        assert f"{name} does not report costs, which --max-cost needs: add {flag} IN,OUT" in " ".join(told.split())
