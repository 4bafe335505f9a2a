"""What the tests that try to break a run share: the command, the service, and small benchmarks of the STI family."""

import functools
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chronotope.evaluate.score import open_run
from chronotope.io import write_atomically
from chronotope.ledger import LedgerLine, read_ledger
from chronotope.question import (
    MediaItem,
    Option,
    Question,
    Window,
)
from drawn_benchmarks import halves, write_benchmark
from forks import Told, forks
from service import ServiceProcess

COMMAND = Path(sys.executable).with_name("chronotope")
ANEW = (sys.executable, "-m", "chronotope.cli")  # a process that starts from nothing, its hashes seeded anew
SUPPORT = Path(__file__).parent / "support"
IMPATIENT = (sys.executable, SUPPORT / "hardness_impatient.py")
FRAMES, FPS = 12, 6
TASKS = ("Displacement & Path Length", "Speed & Acceleration", "Pose Estimation", "Trajectory Description")
# Options that are easy to read wrongly: letters as texts, texts within texts, articles, numbers that begin alike.
TRICKY = (
    ("B", "C", "D", "A"),
    ("left", "left and up", "right", "right and up"),
    ("A chair", "A table", "An oven", "A lamp"),
    ("1 m", "1.5 m", "10 m", "15 m"),
    ("It is A that moves", "B moves first", "neither A nor B", "both move"),
    ('{"x": 1.0, "y": -0.5}', '{"x": 1.0, "y": 0.5}', '{"x": -1.0, "y": 0.5}', '{"x": 0.1, "y": 0.5}'),
    ("(B) then (C)", "(C) then (B)", "only (A)", "only (D)"),
)


PROGRESS = re.compile(r": (getting ready|\d+ of \d+(, .*)?)$")


# The command


@functools.cache
def run_flags() -> frozenset[str]:
    """The flags of ``chronotope run``: what this version of the engine can be asked for."""
    told = forks()("run", "--help")
    assert told.code == 0, told.err
    return frozenset(re.findall(r"--[a-z][a-z-]+", told.out))


def run_words(bench: Path, url: str | None, *more: object, out: Path | str, model: str = "endpoint/x") -> list[str]:
    """The words of ``chronotope run``, few frames unless told otherwise; the one place that knows its flags."""
    words: list[object] = ["run", bench, "--model", model, "--out", out, "--json", *more]
    if url is not None:
        words += ["--base-url", url]
    if "--frames" not in more and "blind" not in more:
        words += ["--frames", 2]
    if "--no-check" in run_flags():
        words.append("--no-check")
    return [str(word) for word in words]


def environment(**more: str) -> dict[str, str]:
    """Ours with some more, without a key that a person may have set."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    if "PYTHONPATH" in kept and "PYTHONPATH" in more:
        more["PYTHONPATH"] += os.pathsep + kept["PYTHONPATH"]
    return kept | {"COLUMNS": "200"} | more


def chronotope(
    *words: object, cwd: Path | None = None, by: Sequence[object] = (COMMAND,), timeout: float = 300, **variables: str
) -> Told:
    """Run the command to its end: a fork of what has loaded it, or what ``by`` starts from nothing."""
    if tuple(by) == (COMMAND,) and not any(name.startswith("PYTHON") for name in variables):
        return forks()(*words, cwd=cwd, environment=environment(**variables), timeout=timeout)
    command = [str(word) for word in (*by, *words)]
    done = subprocess.run(
        command, cwd=cwd, env=environment(**variables), capture_output=True, text=True, check=False, timeout=timeout
    )
    return Told(done.returncode, done.stdout, done.stderr)


def start(words: Sequence[object], *, by: Sequence[object] = (COMMAND,), **variables: str) -> subprocess.Popen[str]:
    """Run the command in the background."""
    command = [str(word) for word in (*by, *words)]
    return subprocess.Popen(
        command, env=environment(**variables), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def asked(told: Told, code: int = 0) -> dict[str, Any]:
    """The outcome of a run that ended with this exit code and without a traceback."""
    assert told.code == code, f"exit code {told.code}\n{told.out}\n{told.err}"
    assert "Traceback" not in told.err
    return told.run


def sentence(told: Told, code: int = 2) -> str:
    """The one sentence of a command that was refused; where it took a while, it told its progress before."""
    assert told.code == code, f"exit code {told.code}\n{told.out}\n{told.err}"
    [said] = [line for line in told.err.strip().splitlines() if not PROGRESS.search(line)]
    assert said.startswith("error: ") and told.out == ""
    return said


# The service


class Service(ServiceProcess):
    """A service, a process of its own (support/hardness_server.py)."""

    def events(self) -> list[dict[str, Any]]:
        log = self.folder / "requests.jsonl"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def requests(self) -> list[dict[str, Any]]:
        """Every request that arrived, in order."""
        return [event for event in self.events() if event["event"] == "in"]

    def answered(self) -> int:
        """How many answers it has sent."""
        return sum(event["event"] == "out" for event in self.events())

    def end(self, pid: int, answered: int, by: signal.Signals = signal.SIGKILL) -> None:
        """Have it end a process behind its answer of this number."""
        self.write("kill.json", {"pid": pid, "answered": answered, "by": by.name})

    def write(self, name: str, value: Any) -> None:
        """Change what the service is to do; it never reads half a file."""
        with write_atomically(self.folder / name) as temporary:
            temporary.write_text(json.dumps(value))

    def mend(self) -> None:
        (self.folder / "faults.json").unlink()

    def settle(self) -> None:
        """Wait until all that arrived is answered: nothing of a killed caller is still on its way."""
        quiet, seen, end = 0, -1, time.monotonic() + 60
        while quiet < 3:
            assert time.monotonic() < end, "the service never came to rest"
            events = self.events()
            done = 2 * sum(event["event"] == "out" for event in events) == len(events) == seen
            quiet, seen = (quiet + 1 if done else 0), len(events)
            time.sleep(0.05)


def start_service(folder: Path, knowledge: dict[str, list[str]], *words: object) -> Service:
    """Start a service that knows the right options of some stems; ``folder`` may be that of one that was stopped."""
    folder.mkdir(exist_ok=True)
    (folder / "knowledge.json").write_text(json.dumps(knowledge))
    return Service(SUPPORT / "hardness_server.py", folder, *words)


@contextmanager
def knowing(script: str, folders: pytest.TempPathFactory) -> Iterator[Callable[..., Service]]:
    """Start services of a script, in a mode, that know something; they end together."""
    with ExitStack() as running:

        def start(mode: str, knowledge: Mapping[str, Any] | None = None, **more: Any) -> Service:
            folder = folders.mktemp("service")
            (folder / "knowledge.json").write_text(json.dumps({**(knowledge or {}), **more}))
            return running.enter_context(Service(SUPPORT / script, folder, mode))

        yield start


def wait_for(what: Any, seconds: float = 60) -> None:
    """Wait until ``what()`` is true."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)


def killed_after(service: Service, answers: int, words: Sequence[object]) -> None:
    """Run the command and kill it behind that answer of the service."""
    done = service.answered()
    process = start(words)
    service.end(process.pid, done + answers)
    process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL, "it ended before it could be killed"
    service.settle()


# Benchmarks


def right_texts(questions: Iterable[Question]) -> dict[str, list[str]]:
    """What an oracle knows: the texts of right options by stem, as the base questions have them."""
    known: dict[str, list[str]] = {}
    for question in questions:
        if question.variant == "base":
            known.setdefault(question.stem, []).extend(question.options[index].text or "" for index in question.answer)
    return known


def questions_about(clips: int, each: int, *, seed: int = 4, tricky: bool = False) -> list[Question]:
    """``each`` questions about every clip, with four options and a drawn right one; every stem is another."""
    generator = np.random.default_rng(seed)
    questions: list[Question] = []
    for number in range(clips * each):
        clip = number % clips
        texts = TRICKY[number % len(TRICKY)] if tricky else tuple(f"{number + step}.5 m" for step in range(1, 5))
        questions.append(
            Question(
                id=f"q{number:03d}",
                family="sti",
                task=TASKS[number // clips % len(TASKS)],
                cluster=f"clip-{clip}",
                stem=f"In clip {clip}, what is true of thing number {number:03d}?",
                options=tuple(Option(text) for text in texts),
                answer=(int(generator.integers(4)),),
                window=Window(0.0, 1.5),
                media=(MediaItem("video", "video", (f"clips/{clip}.mp4",)),),
                tags={"scene": (("Indoor", "Outdoor", "Desktop")[clip % 3],)},
            )
        )
    return questions


def twin(question: Question) -> Question:
    """A question that is put with the same words and pictures, under another id, and counted with another clip."""
    return replace(question, id=f"{question.id}-twin", cluster=f"{question.cluster}-twin")


def write_bench(folder: Path, questions: Sequence[Question], *, family: str = "sti") -> Path:
    """A benchmark with real clips of 64 x 48 pixels."""
    picture = partial(halves, of_clip=9, of_number=15)
    how = {"licence": "CC0-1.0", "frames": FRAMES, "fps": FPS, "picture": picture}
    return write_benchmark(folder, questions, folder.name, family=family, **how).folder


# What a run folder holds


def ledger(run: Path) -> list[LedgerLine]:
    return read_ledger(run / "ledger.jsonl")


def recorded(run: Path) -> set[str]:
    """The asks that have a reply in the ledger."""
    return {line.ask for line in ledger(run) if line.state == "replied"}


def readings(run: Path) -> dict[str, Any]:
    """Every ask of a run with its state, its reply and what that says."""
    return {
        one.ask.id: (one.line.state, one.line.reply, one.reading) if one.line else None
        for one in open_run(run).answered
    }


def assert_whole(run: Path) -> None:
    """Nothing but the files of a run is there, and one line for every call."""
    assert {path.name for path in run.iterdir()} <= {"run.yaml", "asks.parquet", "ledger.jsonl", "ledger.jsonl.lock"}
    repeated = [
        key for key, count in Counter(line.key for line in ledger(run) if line.state == "replied").items() if count > 1
    ]
    assert repeated == [], "answers that were paid for twice"
