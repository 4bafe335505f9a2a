"""Builds on Ray: the bytes of a local build, whatever happens to its nodes, and nothing that others can reach."""

import contextlib
import faulthandler
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from cluster_nodes import COMMAND, Nodes, can_hide, cluster, wait_until

from chronotope.errors import InputError
from chronotope.make.jobs.part import PartJob, attempt_part
from chronotope.make.sources.origin import FromSource
from chronotope.pool import FolderJob, Tell
from chronotope.pool.cluster import place
from chronotope.pool.on_node import Unit, do_unit
from chronotope.recording.sources import Found, Given
from commands import refused
from service import free_port
from small_sources import truth_of, walk, write_tum

STUCK = Path(__file__).with_name("stuck_node")
LONGEST = 3000  # seconds of each of the largest builds on a busy machine
LONG = 600  # poses: a job takes long enough to be killed
TRUTH = "recordings/*/recording.json"
WORDS = ("--per-variant", "2", "--keep-going", "--json")


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight trajectories, and one that cannot be used."""
    folder = tmp_path_factory.mktemp("sources") / "walks"
    folder.mkdir()
    for seed in range(8):
        write_tum(folder / f"walk-{seed}.txt", walk(seed, LONG))
    (folder / "broken.txt").write_text((folder / "walk-0.txt").read_text()[:-90] + "0.1 nothing\n")
    return folder


def start(
    source: Path | str,
    out: Path,
    *words: str,
    family: str = "sti",
    command: tuple[str, ...] = COMMAND,
    **environment: str,
) -> subprocess.Popen:
    return subprocess.Popen(
        [*command, "build", family, str(source), "--out", str(out), *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "RAY_AUTH_MODE": "disabled", **environment},
    )  # fmt: skip


def ended(process: subprocess.Popen, code: int, seconds: float = 500) -> dict:
    out, err = process.communicate(timeout=seconds)
    assert process.returncode == code, err
    assert "Traceback" not in err
    return {"out": json.loads(out) if out else None, "err": err}


@pytest.fixture(scope="module")
def local(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    out = tmp_path_factory.mktemp("local") / "bench"
    return out, ended(start(sources, out, "--workers", "1", *WORDS), 1)["out"]


def same(a: Path, b: Path) -> bool:
    """The same tables, the same truth, and the same account of what failed."""
    notes = [json.loads((bench / ".origin.json").read_text()) for bench in (a, b)]
    return truth_of(a) == truth_of(b) and notes[0] == notes[1]


def stuck_at(job: int, folder: Path) -> dict[str, str]:
    """The environment of a node whose job with this number, from 0, never ends; ``folder`` tells its jobs."""
    folder.mkdir()
    path = os.pathsep.join((str(STUCK), os.environ.get("PYTHONPATH", "")))
    return {"PYTHONPATH": path, "STUCK_FOLDER": str(folder), "STUCK_JOB": str(job)}


def finished(out: Path) -> int:
    return len([*out.with_name(f".{out.name}.building").glob("parts/*/part.json")])


@pytest.fixture(scope="module")
def nodes():
    with cluster() as made:
        yield made


WAITING = """
import sys
import chronotope as ct
from chronotope.errors import InputError
from chronotope.pool import cluster

cluster.TOLD, cluster.PATIENCE = 1.0, 4.0
source, out, on = sys.argv[1:]
for work in (
    lambda: ct.plan_build("sti", source, workers=None, on=on, trial=0),
    lambda: ct.build("sti", source, out, on=on, progress=lambda done, total, label: print(label)),
):
    try:
        work()
    except InputError as error:
        print(error)
"""


@pytest.mark.slow
def test_a_cluster_without_cpus_is_told_and_given_up(sources: Path, nodes: Nodes, tmp_path: Path) -> None:
    """The head has no CPUs, and no node has joined it."""
    words = [sys.executable, "-c", WAITING, str(sources / "walk-0.txt"), str(tmp_path / "bench"), nodes.on]
    done = subprocess.run(
        words, capture_output=True, text=True, check=True, env={**os.environ, "RAY_AUTH_MODE": "disabled"}
    )
    told = list(dict.fromkeys(done.stdout.splitlines()))
    assert told == [
        "no node of the Ray cluster has a CPU: let nodes join it, or give the number of workers",
        "walk-0.txt: no node of the Ray cluster has a CPU, so this waits for other nodes",
        "no node of the Ray cluster has had a CPU for 4 s (each job needs 1 CPU): let nodes with CPUs join it; "
        "finished recordings are kept",
    ]


@pytest.mark.slow
def test_a_cluster_that_loses_a_node_makes_the_bytes_of_one_machine(
    sources: Path, local: tuple[Path, dict], nodes: Nodes, tmp_path: Path
) -> None:
    """The first node has a disk of its own if that can be had here, so its parts come back through Ray.

    Its fourth job never ends, so the node is always at work when it dies, and has always finished some.
    """
    out, jobs = tmp_path / "made" / "bench", tmp_path / "jobs"
    out.parent.mkdir()
    first = nodes.join(2, hidden=out.parent if can_hide() else None, environment=stuck_at(3, jobs))
    process = start(sources, out, "--on", nodes.on, *WORDS)
    wait_until(
        lambda: process.poll() is not None or (finished(out) > 1 and (jobs / "stuck").exists()), "the stuck job", 500
    )
    assert process.poll() is None, ended(process, 0)
    first.kill()
    assert finished(out) < 8
    second = nodes.join(4)  # what was lost, and what was not begun, is made here
    told = ended(process, 1)
    second.kill()
    assert same(local[0], out)
    assert [one["reason"] for one in told["out"]["failures"]] == [one["reason"] for one in local[1]["failures"]]
    assert sorted(path.name for path in out.parent.iterdir()) == ["bench"]


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.complete
@pytest.mark.parametrize("moment", [1, 3, 6])
def test_a_driver_that_is_killed_continues_and_makes_no_part_again(
    sources: Path, local: tuple[Path, dict], nodes: Nodes, tmp_path: Path, moment: int
) -> None:
    out, node = tmp_path / "bench", nodes.join(5)
    dying = (sys.executable, str(Path(__file__).with_name("dying_driver.py")), str(moment))
    killed = start(sources, out, "--on", nodes.on, *WORDS, command=dying)
    killed.communicate(timeout=500)
    assert killed.returncode == -signal.SIGKILL
    kept = {path.parent.name: path.stat().st_ino for path in tmp_path.glob(f".bench.building/parts/[0-9]*/{TRUTH}")}
    assert len(kept) == moment
    ended(start(sources, out, "--on", nodes.on, *WORDS), 1)
    node.kill()
    assert same(local[0], out)
    assert kept.items() <= {path.parent.name: path.stat().st_ino for path in out.glob(TRUTH)}.items()
    assert [path.name for path in tmp_path.iterdir()] == ["bench"]


@pytest.mark.slow
def test_a_node_with_another_version_is_refused(sources: Path, nodes: Nodes, tmp_path: Path) -> None:
    (tmp_path / "old" / "chronotope").mkdir(parents=True)
    (tmp_path / "old" / "chronotope" / "__init__.py").write_text('__version__ = "0.0.1"\n')
    old = nodes.join(3, environment={"PYTHONPATH": str(tmp_path / "old")})
    told = ended(start(sources, tmp_path / "bench", "--on", nodes.on, "--keep-going"), 2)
    old.kill()
    [sentence] = [line for line in told["err"].splitlines() if line.startswith("error: ")]
    assert "has Chronotope 0.0.1 on Python" in sentence and "install the same versions on all nodes" in sentence


def listening(process: subprocess.Popen) -> set[str]:
    """The addresses at which a process and its children listen."""
    found = set()
    for one in psutil.Process(process.pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            found |= {each.laddr.ip for each in one.net_connections("inet") if each.status == psutil.CONN_LISTEN}
    return found


def words_of(process: psutil.Process) -> str:
    """The command line of a process, which may have ended."""
    with contextlib.suppress(psutil.Error):
        return " ".join(process.cmdline())
    return ""


@pytest.mark.slow
def test_ray_on_this_machine_is_closed_to_others_and_ends_with_the_command(
    sources: Path, local: tuple[Path, dict], tmp_path: Path
) -> None:
    pytest.importorskip("ray")
    home, out, jobs = tmp_path / "home", tmp_path / "bench", tmp_path / "jobs"
    home.mkdir()
    words = ("--on", "ray", "--workers", "1", *WORDS)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    process = subprocess.Popen(
        [*COMMAND, "build", "sti", str(sources), "--out", str(out), *words],
        env={**environment, "HOME": str(home), **stuck_at(3, jobs)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    wait_until(lambda: process.poll() is not None or (finished(out) > 1 and (jobs / "stuck").exists()), "the stuck job")
    assert process.poll() is None, ended(process, 130)
    children = psutil.Process(process.pid).children(recursive=True)
    assert {address.removeprefix("::ffff:") for address in listening(process)} == {"127.0.0.1"}
    served = [words for words in map(words_of, children) if "dashboard.py" in words]
    assert all("--disable-frontend" in words for words in served)
    os.killpg(process.pid, signal.SIGINT)  # Ctrl-C reaches all processes of a terminal
    told = ended(process, 130)
    assert told["err"].splitlines()[-1].startswith("stopped: finished recordings are kept")
    _, left = psutil.wait_procs(children, timeout=30)
    assert left == [] and [*home.iterdir()] == []
    kept = finished(out)
    assert 1 < kept < 8
    ended(start(sources, out, "--workers", "1", *WORDS), 1)  # whatever made the parts
    assert same(local[0], out)


# Ray waits 30 s for a node, then gives up: here its first node is not found, and its clock runs ahead.
BUSY = """
import itertools, ray, sys, time, types
from ray._private import node, services
asked, jumps = services.get_node, itertools.count(0, 1000)
def busy(*given):
    raise RuntimeError("not yet")
def give_up(*given, **named):
    try:
        return started(*given, **named)
    except Exception:
        print("gave up")
        services.get_node, node.time = asked, time
        raise
services.get_node = busy
node.time = types.SimpleNamespace(**vars(time) | {"monotonic": lambda: time.monotonic() + next(jumps)})
started, ray.init = ray.init, give_up
from chronotope.pool import connection
connection._start(ray, 1, {})
print(ray.get(ray.remote(lambda: 7).remote()))
"""


@pytest.mark.slow
def test_a_ray_that_a_busy_machine_did_not_start_is_started_again() -> None:
    pytest.importorskip("ray")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    done = subprocess.run([sys.executable, "-c", BUSY], capture_output=True, text=True, check=False, env=environment)
    assert done.stdout.split("\n") == ["gave up", "7", ""], done.stderr


@pytest.mark.slow
def test_a_process_that_imported_ray_before_is_told_what_to_do(sources: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    code = "import ray, sys, chronotope as ct; ct.build('sti', *sys.argv[1:], on='ray')"
    words = [sys.executable, "-c", code, str(sources / "walk-0.txt"), str(tmp_path / "bench")]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.stderr.splitlines()[-1].endswith(
        "Ray was imported before it could be closed to other machines and users: call ray.init() first, whose "
        "connection is then used, or do not import ray"
    )


def _write(job: FolderJob, tell: Tell) -> str:
    tell(0.5, "writing")
    (job.folder / "inner").mkdir(parents=True)
    (job.folder / "inner" / "text").write_text("words")
    (job.folder / "link").symlink_to(job.folder / "inner" / "text")  # its target stays on the node
    return "done"


@pytest.mark.parametrize("sign", ["known", "another disk"])
def test_a_node_writes_beside_the_folder_only_if_it_shares_the_disk(tmp_path: Path, sign: str) -> None:
    (tmp_path / "probe").write_text("known")
    unit = Unit(_write, FolderJob(tmp_path / "00001"), str(Path.cwd()), tmp_path / "probe", sign)
    told: list[object] = []
    finished = do_unit(pickle.dumps(unit), lambda *words: told.append(words))
    assert (finished.result, told) == ("done", [(0.5, "writing")])
    assert (finished.name is not None, finished.archive is not None) == (sign == "known", sign != "known")
    place(finished, unit.job)
    assert (tmp_path / "00001" / "inner" / "text").read_text() == "words"
    assert (tmp_path / "00001" / "link").is_symlink() == (sign == "known")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00001", "probe"]


def test_a_node_without_the_source_is_one_sentence(tmp_path: Path) -> None:
    job = PartJob(tmp_path / "0", FromSource(Found(tmp_path / "walks", "tum"), Given()), "sti", 0, "strict", {})
    with pytest.raises(InputError, match="does not have this file or folder: put it on a disk that all nodes share"):
        do_unit(pickle.dumps(Unit(attempt_part, job, str(Path.cwd()))), lambda *_: None)


def test_what_is_wrong_with_the_place_is_one_sentence(sources: Path, tmp_path: Path, monkeypatch) -> None:
    words = ("build", "sti", sources, "--out", tmp_path / "bench", "--on")
    assert "--on: found 'slurm': expected ray, or the address of a cluster" in refused(*words, "slurm")
    port = free_port()
    assert f"ray://127.0.0.1:{port}: no Ray cluster answers there" in refused(*words, f"ray://127.0.0.1:{port}")
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    for name in ("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "RAY_USAGE_STATS_ENABLED", "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):
        monkeypatch.setenv(name, "")  # what the command sets ends with the test
        monkeypatch.delenv(name)
    assert "Ray is not installed: pip install 'chronotope[cluster]'" in refused(*words, "ray")
    assert [*tmp_path.iterdir()] == []


@pytest.fixture
def unhurried() -> None:
    """A test that ends by its own limits, however long the machine takes: not by the limit for tests that hang."""
    faulthandler.cancel_dump_traceback_later()


@pytest.mark.slow
@pytest.mark.complete
@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize(
    ("family", "source", "words"),
    [
        ("sti", 200, ("--per-variant", "2")),
        ("sti", "world:table:6", ("--quality", "fast")),
        ("m3", "world:house:2", ("--quality", "fast")),
    ],
)
def test_large_builds_on_two_nodes_of_which_one_dies(
    family: str, source: int | str, words: tuple[str, ...], nodes: Nodes, tmp_path: Path
) -> None:
    place: Path | str = tmp_path / "walks"
    if isinstance(source, int):
        Path(place).mkdir()
        for seed in range(source):
            write_tum(Path(place) / f"walk-{seed:03d}.txt", walk(seed, 60))
    else:
        place = source
    alone, out = tmp_path / "alone", tmp_path / "bench"
    ended(start(place, alone, *words, "--json", family=family), 0, LONGEST)
    first = 0 if family == "m3" else 1  # of two homes, none may be finished while both nodes draw
    jobs = tmp_path / "jobs"
    other, rest = nodes.join(2, environment=stuck_at(first, jobs)), nodes.join(4)
    process = start(place, out, *words, "--on", nodes.on, "--json", family=family)
    wait_until(lambda: process.poll() is not None or (jobs / "stuck").exists(), "the stuck job", 600)
    assert process.poll() is None
    other.kill()
    ended(process, 0, LONGEST)
    rest.kill()
    assert same(alone, out)
    shutil.rmtree(tmp_path)
