"""Passes against a service over HTTP, killed and rerun; the command, and the functions for Python."""

import json
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from review_scripts import asked_words, files_of, number_of, proposal

import chronotope as ct
from chronotope.ledger import read_ledger
from chronotope.question import Benchmark
from commands import command
from service import ChatService, completion


class Filtering(ChatService):
    """Answers the prompts of all passes; drops question 3 as answerable and question 4 as ambiguous.

    ``pause`` is the time (s) for each answer.
    """

    pause = 0.0

    def answer(self, body: dict[str, Any]) -> tuple[int, Mapping[str, Any] | bytes]:
        time.sleep(self.pause)
        content = body["messages"][-1]["content"]
        text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
        return 200, completion(self.reply(text), (100, 10))

    def reply(self, text: str) -> str:
        number = number_of(text)
        if "quality control" in text:
            return "Filter out" if number == 4 else "Keep"
        if "requires visual information" in text:
            return "Filter out" if number == 3 else "Keep"
        if "Two versions" in text:
            return "Same"
        if "rewrite the given" in text:
            stem, options = asked_words(text)
            return proposal(f"Tell me: {stem}", options)
        return "spatial, reasoning" if "capabilities" in text else "A"

    @property
    def prompts(self) -> Counter[str]:
        return Counter(json.dumps(body["messages"]) for body in self.bodies)


@pytest.fixture
def service() -> Iterator[Filtering]:
    with Filtering() as started:
        yield started


sieve = partial(command, "filter")


def at(service: Filtering) -> list[str]:
    return ["--model", "endpoint/judge", "--base-url", service.url]


def test_the_command_makes_passes_shows_shares_and_writes_the_folder(
    bench: Benchmark, service: Filtering, tmp_path: Path
) -> None:
    before = files_of(bench.folder)
    record = ["--record", tmp_path / "record"]
    nothing = sieve(bench.folder, *record)
    assert nothing.code == 0 and "no pass was made yet" in nothing.out
    dry = command(
        "filter", bench.folder, *record, *at(service), "--pass", "ambiguity,text-only", "--price", "1,2", "--dry-run"
    )
    assert dry.code == 0 and not service.bodies and not (tmp_path / "record").exists()
    assert dry.out.index("text-only") < dry.out.index("ambiguity") and " 45 " in dry.out
    told = command("filter",
        bench.folder, *record, *at(service), "--pass", "rewrite,ambiguity,text-only", "--price", "1,2", "--json",
        "--out", tmp_path / "out",
    )  # fmt: skip
    assert told.code == 0, told.err
    result = json.loads(told.out)
    assert [one["pass"] for one in result["made"]] == ["text-only", "ambiguity", "rewrite"]
    assert [one["asked"] for one in result["made"]] == [15, 14, 26]
    assert result["made"][0]["money"] == pytest.approx(15 * (100 * 1 + 10 * 2) / 1e6)
    assert set(result["dropped"]) == {"scene_0-3", "scene_1-4"} and result["rewritten"] == result["questions"] == 13
    paper = {(one["group"], one["value"]): one["paper"] for one in result["composition"]}
    assert paper["hallucination", "yes"] == 23.2
    assert service.bodies[0]["temperature"] == 0.5 and service.bodies[-1]["temperature"] == 0.95
    filtered = ct.open(tmp_path / "out")
    assert len(filtered) == 13 and all(one.stem.startswith("Tell me: ") for one in filtered)
    shown = sieve(bench.folder, *record, "--without", "rewrite")
    assert shown.code == 0 and "13 of 15 questions are left, 0 rewritten" in shown.out and "23.2 %" in shown.out
    again = sieve(bench.folder, *record, *at(service), "--pass", "text-only", "--json")
    assert json.loads(again.out)["made"][0]["asked"] == 0 and len(service.bodies) == 15 + 14 + 26
    assert files_of(bench.folder) == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--pass", "easy", "--model", "x/y"), "--pass: there is no pass 'easy': expected one or more of text-only"),
        (("--pass", "text-only"), "--model: is missing"),
        (("--model", "openai/x"), "--model: is a setting of a pass: add --pass"),
        (("--max-cost", "2"), "--max-cost: is a setting of a pass: add --pass"),
        (
            ("--pass", "text-only,rewrite", "--model", "openai/x", "--frames", "3"),
            "--frames: is a setting of the pass too-easy: add this pass to --pass, or omit the flag",
        ),
        (("--dry-run",), "--dry-run: shows the calls of a pass"),
        (("--without", "rewrite"), "--without rewrite: there are no such decisions"),
        (("--pass", "text-only", "--model", "nobody/x"), "there is no model 'nobody/x'"),
    ],
)
def test_wrong_flags_are_one_sentence(bench: Benchmark, tmp_path: Path, words: tuple[str, ...], sentence: str) -> None:
    told = sieve(bench.folder, "--record", tmp_path / "record", *words)
    assert told.code == 2 and told.out == ""
    assert told.err.startswith("error: ") and sentence in " ".join(told.err.split())
    assert not (tmp_path / "record").exists()


def test_a_budget_stops_a_pass_and_a_larger_one_continues_it(
    bench: Benchmark, service: Filtering, tmp_path: Path
) -> None:
    words = [bench.folder, "--record", tmp_path, *at(service), "--pass", "text-only", "--price", "10,10", "--json"]
    short = sieve(*words, "--max-cost", "0.02")
    assert short.code == 1 and "--max-cost 0.02" in short.err
    made = len(service.bodies)
    assert 0 < made < 15 and json.loads(short.out)["passes"][0]["unanswered"] == 15 - made
    assert sieve(*words, "--max-cost", "1").code == 0
    assert len(service.bodies) == 15 and max(service.prompts.values()) == 1


def test_a_model_without_any_clear_reply_is_told(bench: Benchmark, tmp_path: Path) -> None:
    class Silent(Filtering):
        def reply(self, text: str) -> str:
            return "I cannot help with that."

    with Silent() as silent:
        told = sieve(bench.folder, "--record", tmp_path, *at(silent), "--pass", "text-only")
    said = " ".join(told.err.split())
    assert "text-only: 15 of 15 questions are undecided, because 3 replies were neither “Keep” nor “Filter out”" in said
    assert "--without text-only:endpoint/judge leaves these decisions out" in said
    assert (tmp_path / re.search(r"read the replies in ([^ ;]+)", said)[1]).is_file()
    shown = sieve(bench.folder, "--record", tmp_path, "--without", "text-only:endpoint/judge")
    assert "15 of 15 questions are left" in shown.out


def test_from_python(bench: Benchmark, service: Filtering, tmp_path: Path) -> None:
    record = tmp_path / "record"
    spec = ct.ModelSpec("endpoint/judge", service.url)
    filters = ct.filter_pass(bench, "ambiguity", spec, record=record, price=(1, 2), concurrency=2)
    rows = [dict(zip(filters.decisions().columns, row, strict=True)) for row in filters.decisions().to_numpy()]
    assert {row["question"] for row in rows if row["outcome"] == "drop"} == {"scene_1-4"}
    assert list(filters.shares()["dropped"]) == [1] and filters.outcome.asked == len(service.bodies)
    read = ct.Filters(bench, record)
    assert read.outcome is None and read.passes == filters.passes
    assert len(read.left().questions) == 14 and read.left(keep="scene_1-4").dropped == {}
    assert len(ct.write_filtered(bench, tmp_path / "out", record=record)) == 14
    assert len(ct.write_filtered(bench, tmp_path / "all", record=record, without="ambiguity")) == 15
    with pytest.raises(ct.InputError, match="without: found 'easy'"):
        ct.write_filtered(bench, tmp_path / "x", record=record, without="easy")
    with pytest.raises(ct.InputError, match="limits: there is no such option"):
        ct.filter_pass(bench, "ambiguity", spec, record=record, limits=3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["text-only", "rewrite", "capability", "too-easy"])
def test_a_pass_that_is_killed_again_and_again_pays_nothing_twice(
    bench: Benchmark, service: Filtering, tmp_path: Path, name: str
) -> None:
    """SIGKILL after every few answers: only the calls in flight, one at a time, can be made again."""
    service.pause = 0.02
    command = [sys.executable, "-m", "chronotope.cli", "filter", str(bench.folder), "--record", str(tmp_path)]
    command += [*at(service), "--pass", name, "--concurrency", "1", "--no-check"]
    kills = 0
    while True:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if kills < 6:
            service.end_at(process.pid, 4)
        _, said = process.communicate(timeout=120)
        if process.returncode != -signal.SIGKILL:
            break
        kills += 1
    assert process.returncode == 0, said
    [ledger] = tmp_path.glob(f"{name}/*/ledger.jsonl")
    lines = [line for line in read_ledger(ledger) if line.state == "replied"]
    assert len({line.key for line in lines}) == len(lines)
    repeated = 3 if name == "capability" else 1  # asked three times on purpose
    again = sum(max(0, count - repeated) for count in service.prompts.values())
    assert kills >= 2 and again <= kills and len(service.bodies) <= len(lines) + kills
    with Filtering() as undisturbed:
        calm = tmp_path / "calm"
        assert sieve(bench.folder, "--record", calm, *at(undisturbed), "--pass", name, "--no-check").code == 0
        assert len(undisturbed.bodies) == len(lines)

    def decided(folder: Path) -> list[dict[str, Any]]:
        values = map(json.loads, (folder / "filters.jsonl").read_text().splitlines()[1:])
        return [value | {"run": ""} for value in values]

    assert decided(tmp_path) == decided(calm)


@pytest.mark.slow
def test_ctrl_c_keeps_the_decisions_so_far(bench: Benchmark, service: Filtering, tmp_path: Path) -> None:
    service.pause = 0.1
    command = [sys.executable, "-m", "chronotope.cli", "filter", str(bench.folder), "--record", str(tmp_path)]
    command += [*at(service), "--pass", "text-only", "--concurrency", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    service.end_at(process.pid, 4, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and "all replies are kept, and the same command continues" in said
    outcomes = Counter(
        one["outcome"] for one in map(json.loads, (tmp_path / "filters.jsonl").open()) if "outcome" in one
    )
    assert 0 < outcomes["unanswered"] < 15 and outcomes.total() == 15
    service.pause = 0.0
    assert sieve(bench.folder, "--record", tmp_path, *at(service), "--pass", "text-only").code == 0
    assert len(service.prompts) == 15 and len(service.bodies) <= 16  # only the call in flight was made again
