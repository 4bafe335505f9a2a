"""Ctrl-C, and being told to end, at any moment: a word on how to go on, and the same command does so.

The signals are real, sent by the process to itself when it touches a file for the n-th time.
"""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from faults_tools import (
    BUILD,
    Forks,
    Service,
    Told,
    chronotope,
    readings,
    run_words,
    serve_bench,
    start,
    tree,
    truth_of,
    unfinished,
)

STOPPED = (
    "stopped: run the same command again",
    "stopped: finished recordings are kept; the same command makes the others",  # a build
)
SIGNALS = {"SIGINT": signal.SIGINT, "SIGTERM": signal.SIGTERM}
# A signal and how many moments, spread evenly; both signals take the same ways, so that one is tried out more.
MOMENTS = [
    pytest.param("SIGINT", 4, id="SIGINT"),
    pytest.param("SIGTERM", 1, id="SIGTERM"),
    pytest.param("SIGINT", 16, id="SIGINT at more moments", marks=pytest.mark.slow),
    pytest.param("SIGTERM", 8, id="SIGTERM at more moments", marks=pytest.mark.slow),
]


def moments(forks: Forks, at_most: int, *words: object, part: str) -> list[int]:
    """When to send a signal, out of all that an undisturbed command does to what has ``part`` in its path."""
    told = forks(*words, at=(signal.SIGINT, part, 0))
    assert told.code == 0, told.err
    count = forks.events
    assert count > 10
    taken = min(count, at_most)
    return [1 + (2 * step + 1) * count // (2 * taken) for step in range(taken)]


def stopped(told: Told) -> bool:
    """Whether a command was interrupted, and said so in one line; the last moments may come too late for it."""
    assert "Traceback" not in told.err, told.err
    if told.code == 0:
        return False
    assert told.code == 130 and told.out == "", f"exit code {told.code}\n{told.err}"
    assert told.err.strip().splitlines()[-1] in STOPPED
    return True


@pytest.mark.parametrize(("name", "at_most"), MOMENTS)
def test_a_build_by_one_worker(walks: Path, whole: Path, tmp_path: Path, forks: Forks, name: str, at_most: int) -> None:
    place = tmp_path / "stopped"
    words = ("build", "sti", walks, "--out", place / "bench", *BUILD)
    truth = truth_of(whole)
    for moment in moments(forks, at_most, *words, part="/stopped/"):
        shutil.rmtree(place)
        if stopped(forks(*words, at=(SIGNALS[name], "/stopped/", moment))):
            # What is kept for the next time is whole.
            left = {path.name for path in place.glob("*")} | {path.name for path in place.glob(".*")}
            # A lock that nobody holds is in nobody's way, and goes with the next build that does something.
            assert left <= {"bench", ".bench.building", ".bench.building.lock"}, (moment, left)
            assert {*unfinished(place)} <= {".bench.building", ".bench.building.lock"}, moment
            assert not (place / "bench").exists() or truth_of(place / "bench") == truth
        told = forks(*words)
        assert told.code == 0, (moment, told.err)
        assert truth_of(place / "bench") == truth, moment
        assert {path.name for path in place.iterdir()} - {".bench.building.lock"} == {"bench"}, moment


@pytest.mark.parametrize("name", ["SIGINT", pytest.param("SIGTERM", marks=pytest.mark.slow)])
def test_a_build_by_two_workers_while_it_is_put_together(
    walks: Path, whole: Path, tmp_path: Path, forks: Forks, name: str
) -> None:
    words = ("build", "sti", walks, "--out", tmp_path / "bench", *BUILD[:-1], 2)
    told = forks(*words, at=(SIGNALS[name], "/.bench.building/benchmark/recordings", 2))
    assert stopped(told) and [path.name for path in tmp_path.iterdir()] == [".bench.building"]
    parts = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("part.json")}
    assert len(parts) == 2 and unfinished(tmp_path / ".bench.building") == []
    assert not (tmp_path / ".bench.building" / "benchmark").exists()
    told = forks(*words)
    assert told.code == 0, told.err
    assert truth_of(tmp_path / "bench") == truth_of(whole) and [p.name for p in tmp_path.iterdir()] == ["bench"]


@pytest.mark.parametrize(("name", "at_most"), MOMENTS)
def test_a_run_before_its_first_answer_and_after_its_last(
    whole: Path, whole_run: Path, tmp_path: Path, forks: Forks, name: str, at_most: int
) -> None:
    place = tmp_path / "stopped"
    words = ("run", whole, "--model", "baseline/random", "--out", place / "run")
    for moment in moments(forks, at_most, *words, part="/stopped/"):
        shutil.rmtree(place)
        stopped(forks(*words, at=(SIGNALS[name], "/stopped/", moment)))
        assert unfinished(place) == [], moment
        told = forks(*words)
        assert told.code == 0, (moment, told.err)
        assert readings(place / "run") == readings(whole_run), moment


@pytest.mark.parametrize(("name", "at_most"), MOMENTS)
@pytest.mark.parametrize("old", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_report(whole_run: Path, tmp_path: Path, forks: Forks, name: str, at_most: int, old: bool) -> None:
    """The old report stays, to the last byte, until the new one is whole."""
    place = tmp_path / "stopped"
    before = tmp_path / "before"
    before.mkdir()
    if old:
        assert forks("report", whole_run, "--out", before / "report", "--frames", "none").code == 0
    words = ("report", whole_run, "--out", place / "report", "--frames", "all")
    times = moments(forks, at_most, *words, part="/stopped/")
    new = tree(place)
    was = {name.replace("before/", "stopped/", 1): mark for name, mark in tree(before).items()}
    for moment in times:
        shutil.rmtree(place)
        shutil.copytree(before, place)
        interrupted = stopped(forks(*words, at=(SIGNALS[name], "/stopped/", moment)))
        assert tree(place) in ((was, new) if interrupted else (new,)), moment
        told = forks(*words)
        assert told.code == 0, (moment, told.err)
        assert tree(place) == new, moment


@pytest.mark.parametrize("at_most", [1, pytest.param(16, marks=pytest.mark.slow)])
def test_twice_in_a_row(walks: Path, whole: Path, whole_run: Path, tmp_path: Path, forks: Forks, at_most: int) -> None:
    """Whoever presses again while a command cleans up gets the same: its word, its exit code, nothing half-written."""
    place = tmp_path / "stopped"
    commands: tuple[tuple[object, ...], ...] = (
        ("build", "sti", walks, "--out", place / "bench", *BUILD),
        ("run", whole, "--model", "baseline/random", "--out", place / "run"),
        ("report", whole_run, "--out", place / "report", "--frames", "all"),
    )
    for words in commands:
        interrupted = 0
        for moment in moments(forks, at_most, *words, part="/stopped/"):
            shutil.rmtree(place, ignore_errors=True)  # a command that was stopped early has not made it
            told = forks(*words, at=(signal.SIGINT, "/stopped/", moment), times=2)
            interrupted += stopped(told)  # in its last moments a command has done its work
            left = [name for name in unfinished(place) if not name.startswith(".bench.building")]
            assert left == [], (words, moment)
        assert interrupted, words
        told = forks(*words)
        assert told.code == 0, told.err
        shutil.rmtree(place, ignore_errors=True)


@pytest.fixture(scope="module")
def service(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    started = serve_bench(tmp_path_factory.mktemp("service"), whole, "--latency", 0.05)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def answered(whole: Path, service: Service, forks: Forks) -> Path:
    """An undisturbed run of a service."""
    told = forks(*asking(whole, service, whole.with_name("answered")))
    assert told.code == 0, told.err
    return whole.with_name("answered")


def asking(bench: Path, service: Service, out: Path) -> list[str]:
    return run_words(bench, service.url, "--placement", "rotate", "--concurrency", 2, out=out)


@pytest.mark.parametrize("name", ["SIGINT", pytest.param("SIGTERM", marks=pytest.mark.slow)])
def test_a_run_that_waits_for_answers(whole: Path, service: Service, answered: Path, tmp_path: Path, name: str) -> None:
    words = asking(whole, service, tmp_path / "run")
    before = service.answered()
    process = start(words)
    service.end(process.pid, before + 5, SIGNALS[name])
    out, err = process.communicate(timeout=120)
    assert stopped(Told(process.returncode, out, err)), "it ended before it was told to"
    assert "calls left: all answers are kept" in err
    service.settle()
    kept = {ask for ask, one in readings(tmp_path / "run").items() if one is not None}
    assert 0 < len(kept) < len(readings(answered)) and unfinished(tmp_path) == []
    before = len(service.requests())
    told = chronotope(*words)
    assert told.code == 0, told.err
    assert len(service.requests()) - before == len(readings(answered)) - len(kept)
    assert readings(tmp_path / "run") == readings(answered)


def test_before_anything_is_imported() -> None:
    """Whoever thinks better of it at once gets no traceback; the process is caught in its first second."""
    for wanted in ("rich", "typer", "numpy", "chronotope.cli.app"):
        process = start(["--help"], by=_tracing(wanted))
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130 and "Traceback" not in err and out == "", (wanted, err)
        assert err == "stopped: run the same command again\n"


def test_little_is_loaded_before_ctrl_c_is_handled() -> None:
    """Until then, Python itself handles it, with a traceback."""
    code = "import sys; before = {*sys.modules}; from chronotope.cli import main; print(*{*sys.modules} - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {*done.stdout.split()} <= {"__future__", "gc", "chronotope", "chronotope.cli", "chronotope.interrupts"}


@pytest.mark.slow
@pytest.mark.parametrize("name", SIGNALS)
def test_at_any_time_of_the_first_moments(whole: Path, name: str) -> None:
    random = Random(0)
    for _ in range(10):
        process = start(["show", whole])
        time.sleep(random.uniform(0, 0.3))
        process.send_signal(SIGNALS[name])
        _, err = process.communicate(timeout=60)
        # Python was not ready, or had not reached the first line of the command: nothing of ours could handle it.
        too_early = process.returncode == -SIGNALS[name] or "site" in err
        assert too_early or process.returncode in (0, 130), err
        assert "Traceback" not in err or (too_early and "in main" not in err), err
        assert too_early or process.returncode == 0 or err.strip().splitlines()[-1] in STOPPED, err


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("run", "chronotope.evaluate.run"),
        ("report", "matplotlib"),
        ("build", "chronotope.pool.local"),
        ("demo", "chronotope.api.demo_steps"),
    ],
)
def test_while_a_command_is_imported(command: str, wanted: str, whole: Path, whole_run: Path, tmp_path: Path) -> None:
    words: dict[str, list[object]] = {
        "run": [whole, "--model", "baseline/random", "--out", tmp_path / "run"],
        "report": [whole_run, "--out", tmp_path / "report"],
        "build": ["sti", "world:table:1", "--out", tmp_path / "bench"],
        "demo": ["--out", tmp_path / "demo"],
    }
    process = start([command, *words[command]], by=_tracing(wanted, times=2))
    out, err = process.communicate(timeout=60)
    how = (
        "finished recordings are kept; the same command makes the others"
        if command == "build"
        else "run the same command again"
    )
    assert (process.returncode, out, err) == (130, "", f"stopped: {how}\n")
    assert list(tmp_path.iterdir()) == []


def _tracing(module: str, times: int = 1) -> list[str]:
    """A command that interrupts itself when it imports a module or a part of it."""
    code = (
        "import os, signal, sys\n"
        "def hook(event, arguments):\n"
        f"    part = event == 'import' and f'{{arguments[0]}}.'.startswith('{module}.')\n"
        f"    if event == 'import' and (sent or part) and len(sent) < {times}:\n"
        "        sent.append(1); os.kill(os.getpid(), signal.SIGINT)\n"
        "sent = []\n"
        "sys.addaudithook(hook)\n"
        "from chronotope.cli import main\n"
        "main()\n"
    )
    return [sys.executable, "-c", code]
