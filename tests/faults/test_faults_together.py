"""Three processes with one folder at once: one works, the others say so in a sentence, and nothing is done twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from faults_tools import BUILD, Service, Told, readings, run_words, serve_bench, start, truth_of, unfinished

from chronotope.ledger import read_ledger

THREE = 3


@pytest.fixture(scope="module")
def service(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    started = serve_bench(tmp_path_factory.mktemp("service"), whole, "--latency", 0.2)
    yield started
    started.stop()


def together(*words: object) -> list[Told]:
    """What came of three processes that began at the same time; at least one did its work."""
    processes = [start(words) for _ in range(THREE)]
    told = [Told(process.returncode, *output) for process in processes for output in [process.communicate(timeout=300)]]
    for one in told:
        assert "Traceback" not in one.err and one.code in (0, 2), one.err
        if one.code == 2:
            *_, last = one.err.strip().splitlines()
            assert last.startswith("error: ") and "another process" in last, one.err
    assert any(one.code == 0 for one in told), told
    return told


def test_a_run(whole: Path, service: Service, tmp_path: Path) -> None:
    before = len(service.requests())
    together(*run_words(whole, service.url, "--placement", "rotate", "--concurrency", 2, out=tmp_path / "run"))
    asks = readings(tmp_path / "run")
    keys = [line.key for line in read_ledger(tmp_path / "run" / "ledger.jsonl")]
    assert all(one is not None for one in asks.values()) and len(keys) == len({*keys})
    assert len(service.requests()) - before == len(keys) and unfinished(tmp_path) == []


def test_a_pass_of_a_filter(whole: Path, service: Service, tmp_path: Path) -> None:
    before, record = len(service.requests()), tmp_path / "record"
    words = ("filter", whole, "--pass", "text-only", "--record", record, "--wait", 5)
    together(*words, "--model", "endpoint/x", "--base-url", service.url, "--concurrency", 2)
    [ledger] = record.rglob("ledger.jsonl")
    keys = [line.key for line in read_ledger(ledger)]
    assert keys and len(keys) == len({*keys}) == len(service.requests()) - before


def test_a_build(walks: Path, whole: Path, tmp_path: Path) -> None:
    together("build", "sti", walks, "--out", tmp_path / "bench", *BUILD)
    assert truth_of(tmp_path / "bench") == truth_of(whole)
    assert {path.name for path in tmp_path.iterdir()} - {".bench.building.lock"} == {"bench"}
