"""A drill: each command is killed at moments spread over all that it does, and the same command then ends the work.

The process sends itself the signal when it touches a file for the n-th time, so a moment is never missed by luck. CI
runs a sample; ``pytest -m drill`` runs all, with the other tests that kill runs, reviews and probes.
"""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from faults_tools import BUILD, Forks, chronotope, readings, run_words, serve_bench, tree, truth_of, unfinished

import sti_released
from chronotope.evaluate.plan import read_asks
from chronotope.question import open_benchmark
from small_disks import Disk
from tiers import complete_after

pytestmark = [pytest.mark.slow, pytest.mark.drill]

STOPPED = "stopped: "
LEFT = (".bench.building", ".bench.building.lock", "ledger.jsonl.lock")  # work that goes on, and locks nobody holds


@dataclass(frozen=True)
class Work:
    """A command that writes ``out``, and what of its result must be equal to that of an undisturbed command."""

    words: Callable[[Path], tuple[object, ...]]
    result: Callable[[Path], Any]
    codes: tuple[int, ...] = (0,)


def rows_of(bench: Path) -> Any:
    """The questions, and everything that is in the folder but the hashes of a card's files."""
    made = open_benchmark(bench)
    return made.questions, made.media, made.card.content_hash, sorted(tree(bench))


def run_of(run: Path) -> Any:
    return readings(run), read_asks(run)


@pytest.fixture(scope="module")
def works(
    walks: Path, whole: Path, whole_run: Path, tmp_path_factory: pytest.TempPathFactory, forks: Forks
) -> dict[str, Work]:
    place = tmp_path_factory.mktemp("drill")
    release = sti_released.write_release(place / "release", [sti_released.row(number) for number in range(9)])
    parts: list[Path] = []
    for number in range(1, 9):  # the hash of a clip chooses its shard, so most are empty
        words = (
            "run",
            whole,
            "--model",
            "baseline/random",
            "--shard",
            f"{number}/8",
            "--out",
            place / f"part-{number}",
        )
        if forks(*words).code == 0:
            parts.append(place / f"part-{number}")
    replies = place / "replies.jsonl"
    replies.write_text("".join(json.dumps({"id": q.id, "reply": "B"}) + "\n" for q in open_benchmark(whole).questions))
    return {
        "build": Work(lambda out: ("build", "sti", walks, "--out", out, *BUILD), truth_of),
        "import": Work(lambda out: ("import", "sti", release, "--out", out), rows_of, (0, 1)),
        "vary": Work(lambda out: ("vary", whole, "--out", out), rows_of),
        "run": Work(lambda out: ("run", whole, "--model", "baseline/random", "--out", out), run_of),
        "merge": Work(lambda out: ("merge", *parts, "--out", out), run_of),
        "score": Work(lambda out: ("score", whole, replies, "--out", out), run_of),
    }


def moments(count: int, taken: int) -> list[int]:
    """Numbers of events spread over all of a command, the middle first, which a sample takes."""
    spread = [1 + (2 * step + 1) * count // (2 * taken) for step in range(min(count, taken))]
    return sorted(spread, key=lambda moment: abs(moment - count // 2))


# 8 commands, each killed 10 times; CI kills each of two ways once.
@pytest.mark.parametrize("taken", complete_after(1, [1, 10]))
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["SIGKILL", "SIGINT"])
@pytest.mark.parametrize("name", ["build", "import", "vary", "run", "merge", "score"])
def test_a_command_that_is_killed_ends_its_work_when_it_is_run_again(
    works: dict[str, Work], forks: Forks, tmp_path: Path, name: str, number: signal.Signals, taken: int
) -> None:
    work, place = works[name], tmp_path / "killed"
    out = place / "bench"
    undisturbed = forks(*work.words(out), at=(number, "/killed/", 0))
    assert undisturbed.code in work.codes, undisturbed.err
    result, count, killed = work.result(out), forks.events, 0
    assert count > 5
    for moment in moments(count, taken):
        shutil.rmtree(place, ignore_errors=True)
        told = forks(*work.words(out), at=(number, "/killed/", moment))
        if number is signal.SIGKILL:
            assert told.code == -signal.SIGKILL, (moment, told.err)
        elif told.code != 130:  # in its last moments a command has done its work
            assert told.code in work.codes and work.result(out) == result, (moment, told.err)
        else:
            assert STOPPED in told.err and "Traceback" not in told.err, (moment, told.err)
        killed += told.code not in work.codes
        if told.code not in work.codes:
            again = forks(*work.words(out))
            # An import that was killed when its folder was whole refuses to overwrite it.
            whole = again.code == 2 and f"{out}: exists already" in again.err
            assert again.code in work.codes or whole, (moment, again.err)
        assert work.result(out) == result, moment
        assert {*unfinished(place)} <= {*LEFT} or number is signal.SIGKILL, (moment, unfinished(place))
    assert killed or taken == 1


@pytest.mark.parametrize("taken", complete_after(1, [1, 10]))
def test_a_plan_that_is_killed_leaves_the_source_and_the_folder_as_they_were(
    walks: Path, forks: Forks, tmp_path: Path, taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "killed").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "killed"))
    words = ("plan", "build", "sti", walks, "--trial", "0", "--per-variant", 1, "--json")
    before = tree(walks)
    told = forks(*words, at=(signal.SIGKILL, "/killed/", 0))
    assert told.code == 0 and list((tmp_path / "killed").iterdir()) == [], told.err
    questions = told.json["questions"]
    for number in (signal.SIGKILL, signal.SIGINT):
        for moment in moments(forks.events, taken):
            killed = forks(*words, at=(number, "/killed/", moment))
            assert killed.code in (-number, 130), (moment, killed.err)
            left = list(
                (tmp_path / "killed").glob("chronotope-*")
            )  # Python itself tries out a folder for temporary files
            assert number is signal.SIGKILL or not left, moment
            shutil.rmtree(tmp_path / "killed")
            (tmp_path / "killed").mkdir()
            assert tree(walks) == before
    assert forks(*words).json["questions"] == questions


# In KB; each ends the command somewhere else.
@pytest.mark.parametrize("name", ["import", "merge", "score"])
@pytest.mark.parametrize("sizes", complete_after(1, [[8], [4, 12, 16, 20, 24, 28, 36, 44]]), ids=["some", "all"])
def test_a_command_on_a_full_disk_ends_its_work_when_there_is_room(
    works: dict[str, Work], disk: Disk, tmp_path: Path, name: str, sizes: list[int]
) -> None:
    work, out = works[name], disk.place / "bench"
    assert chronotope(*work.words(tmp_path / "bench")).code in work.codes
    result, full = work.result(tmp_path / "bench"), 0
    for size in sizes:
        disk.remount(f"size={size}k")
        told = chronotope(*work.words(out))
        if told.code == 2:
            assert "No space left on device" in told.err and "Traceback" not in told.err, told.err
            full += 1
            disk.remount("size=16m")
            told = chronotope(*work.words(out))
        assert told.code in work.codes, told.err
        assert work.result(out) == result and [path.name for path in disk.place.iterdir()] == ["bench"]
        shutil.rmtree(out)
    assert full, "the disk was never full"


def test_no_trial_of_a_plan_that_is_killed_is_paid_for_twice(whole: Path, forks: Forks, tmp_path: Path) -> None:
    """The calls of a trial belong to the run, also when the plan is killed after them."""
    service = serve_bench(tmp_path / "service", whole)
    try:
        flags = run_words(whole, service.url, out=tmp_path / "run")[1:]
        words = ("plan", *["run", *flags, "--trial", 0.000001])
        process = forks(*words, at=(signal.SIGKILL, "/run/asks.parquet", 3))
        sent = len(service.requests())
        assert process.code in (-signal.SIGKILL, 0) and sent > 0, process.err
        assert forks("run", *flags).code == 0
        bodies = [request["body"] for request in service.requests()]
        assert len(bodies) == len(set(bodies)) > sent
    finally:
        service.stop()


TOOL = """#!{python}
import json, sys
known = "--requirement" in sys.argv
vulnerable = {{"name": "jinja2", "version": "2.10", "vulns": [{{"id": "CVE-2019-10906", "fix_versions": ["2.10.1"]}}]}}
found = [vulnerable] if (known and {reached}) or (not known and {vulnerable}) else []
print(json.dumps({{"dependencies": found, "fixes": []}}))
"""


@pytest.mark.parametrize(
    ("reached", "vulnerable", "code", "words"),
    [
        (True, False, 0, "none in the installed packages"),
        (True, True, 1, "jinja2 2.10: CVE-2019-10906, mended in 2.10.1"),
        (False, False, 0, "skipped, because their database is not reached"),
    ],
)
def test_known_vulnerabilities_are_told_or_why_they_are_unknown(
    tmp_path: Path, reached: bool, vulnerable: bool, code: int, words: str
) -> None:
    script = Path(__file__).parents[2] / "scripts" / "known_vulnerabilities.py"
    tool = tmp_path / "pip-audit"
    tool.write_text(TOOL.format(python=sys.executable, reached=reached, vulnerable=vulnerable))
    tool.chmod(0o755)
    done = subprocess.run([sys.executable, script, tool, tmp_path], capture_output=True, text=True, check=False)
    assert (done.returncode, words in done.stdout) == (code, True), done.stdout + done.stderr
    told = subprocess.run(
        [sys.executable, script, tmp_path / "none", tmp_path], capture_output=True, text=True, check=True
    )
    assert "skipped" in told.stdout
