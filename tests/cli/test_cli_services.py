"""What commands send to a service by default, and what they say of one that does not answer."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chronotope.evaluate.run.jobs import Requested, keep_job, submitted
from chronotope.families import families
from chronotope.question import Option, Question
from commands import command
from drawn_benchmarks import write_benchmark
from service import ChatService, completion

LONGEST = {"sti": 100, "m3": 100, "ikea": 1024, "vgenst": 8192}  # tokens, of the papers or their code


class Bodies(ChatService):
    """A service that answers A, or as ``reply`` says: a status, and what is added to the body."""

    reply: tuple[int, dict] = (200, {})

    def answer(self, body: dict) -> tuple[int, dict]:
        status, more = self.reply
        return status, {"choices": completion("A")["choices"]} | more


@pytest.fixture
def service() -> Iterator[Bodies]:
    with Bodies() as service:
        yield service


def write_bench(folder: Path, family: str) -> Path:
    """Two questions of a family without media."""
    chosen = families()[family]
    options = tuple(map(Option, ("one", "two", "three", "four")))
    questions = [Question(f"q-{n}", family, chosen.tasks[0], f"c-{n}", f"How {n}?", options, (n,)) for n in range(2)]
    return write_benchmark(folder, questions, f"Bench {family}", profile="paper", family=family).folder


def said(*words: object) -> tuple[int, str]:
    told = command(*words)
    return told.code, told.said


@pytest.mark.parametrize("family", LONGEST)
def test_a_reply_may_be_as_long_as_the_paper_gave(
    service: Bodies, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: str
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("run", write_bench(tmp_path / "bench", family), "--input", "blind", "--model", "endpoint/m")
    words = (*words, "--base-url", service.url)
    _, told = said(*words, "--dry-run")
    assert f"endpoint/m: a reply is {LONGEST[family]:,} tokens at most (--max-tokens)" in told
    assert json.loads(said(*words, "--dry-run", "--json")[1])[0]["longest_reply"] == LONGEST[family]
    assert service.bodies == []
    assert said(*words)[0] == 0
    assert [(body["max_tokens"], "top_p" in body) for body in service.bodies] == [(LONGEST[family], False)] * 2
    said(*words, "--max-tokens", 7, "--out", "other")
    assert service.bodies[-1]["max_tokens"] == 7


def test_what_is_not_sent_is_told(tmp_path: Path) -> None:
    words = ("run", write_bench(tmp_path / "bench", "sti"), "--input", "blind", "--dry-run", "--model")
    assert "temperature is not sent, because this model refuses it" in said(*words, "openai/o3-mini")[1]
    assert "not sent" not in said(*words, "openai/gpt-4o")[1]


def test_a_dry_run_tells_whether_it_fits_within_the_bound(service: Bodies, tmp_path: Path) -> None:
    words = ("run", write_bench(tmp_path / "bench", "sti"), "--input", "blind", "--model", "endpoint/m")
    words = (*words, "--base-url", service.url, "--out", tmp_path / "run", "--price", "0,10000")

    def dry(most: float, *more: object) -> str:
        return " ".join(said(*words, "--dry-run", "--max-cost", most, *more)[1].split())

    # Two replies of 100 tokens at most: 1 each.
    assert "at most 2.00 by this estimate" in dry(2)
    assert "the limit is 2 (--max-cost), of which 0 is spent: it fits" in dry(2)
    assert "the limit is 1.5 (--max-cost), of which 0 is spent: it may not fit" in dry(1.5)
    assert "--max-cost" not in said(*words, "--dry-run")[1]
    service.reply = (200, {"usage": {"prompt_tokens": 10, "completion_tokens": 60, "total_tokens": 70}})
    assert said(*words, "--limit", 1)[0] == 0
    assert "at most 1.00 by this estimate" in dry(1.5) and "0.6 is spent: it may not fit" in dry(1.5)
    assert "0.6 is spent: it fits" in dry(1.6)
    told = json.loads(said(*words, "--dry-run", "--max-cost", 2, "--json")[1])[0]
    assert (told["max_cost"], told["spent"], told["money"]) == (2, 0.6, 1.0)


def test_a_dry_run_counts_calls_in_batch_jobs_apart(service: Bodies, tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ("run", write_bench(tmp_path / "bench", "sti"), "--input", "blind", "--model", "endpoint/m")
    words = (*words, "--base-url", service.url, "--out", run, "--price", "0,10000")
    service.reply = (200, {"usage": {"prompt_tokens": 10, "completion_tokens": 60, "total_tokens": 70}})
    assert said(*words)[0] == 0
    *kept, last = (run / "ledger.jsonl").read_text().splitlines(keepends=True)
    (run / "ledger.jsonl").write_text("".join(kept))
    keep_job(run, submitted({json.loads(last)["key"]: Requested(ask=json.loads(last)["ask"], tokens=10)}))
    told = json.loads(said(*words, "--dry-run", "--json")[1])[0]
    assert (told["calls"], told["already"], told["in_jobs"], told["in_jobs_money"]) == (0, 2, 1, 0.5)
    shown = " ".join(said(*words, "--dry-run", "--max-cost", 1)[1].split())
    assert "calls in batch jobs that have not ended: 1, for at most 0.5" in shown
    assert "0.6 is spent and at most 0.5 is needed by batch jobs: it may not fit" in shown
    assert "0.5 is needed by batch jobs: it fits" in " ".join(said(*words, "--dry-run", "--max-cost", 2)[1].split())
    unpriced = said(*words[:-2], "--out", tmp_path / "other", "--dry-run", "--max-cost", 2)[1]
    assert "add --price IN,OUT to see whether the other calls fit" in " ".join(unpriced.split())


def test_a_service_that_refuses_a_field_is_told_of_with_the_flag(service: Bodies, tmp_path: Path) -> None:
    service.reply = (422, {"error": {"message": "temperature is deprecated for this model"}})
    words = ("run", write_bench(tmp_path / "bench", "sti"), "--input", "blind", "--model", "endpoint/m")
    words = (*words, "--base-url", service.url, "--out", tmp_path / "run")
    code, told = said(*words)
    assert code == 2 and "add --set temperature=null" in told and len(service.bodies) <= 2, "both may be in flight"
    service.reply = (200, {})
    assert said(*words, "--set", "temperature=null")[0] == 0 and "temperature" not in service.bodies[-1]


def test_nobody_there_is_said_at_once_also_into_a_file(tmp_path: Path) -> None:
    """Without a terminal, by a process of its own: the sentence comes long before it gives up."""
    bench = write_bench(tmp_path / "bench", "sti")
    with socket.socket() as bound:  # bound and not listening: connections are refused
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}/v1"
        words = ["run", str(bench), "--input", "blind", "--model", "endpoint/m", "--base-url", url, "--wait", "3"]
        command = [sys.executable, "-m", "chronotope.cli", *words]
        process = subprocess.Popen(
            command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ)
        )
        assert process.stderr is not None
        first, heard = process.stderr.readline(), time.monotonic()
        rest = process.stderr.read()
        assert process.wait() == 2 and time.monotonic() - heard > 0.7
    assert first.startswith(f"no service answers at {url}/chat/completions yet: trying for 3 s (ConnectError")
    assert "no service answers there" in rest and "(tried for 3 s, " in rest
    assert not (tmp_path / "runs").exists() or not any((tmp_path / "runs").iterdir())
