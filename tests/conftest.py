"""What the tests of every room share."""

import fcntl
import os
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tiers import (
    QUICK_EXAMPLES,
    asks_for_quick,
    budgets,
    is_quick,
    is_slow,
    is_spread,
    may_hold_quick,
    over_budget,
    room_of,
)

# Hundreds of processes are started, and each would compile everything anew. The workers take this over from here.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Workers side by side must not each take every core: threads that wait for one another are several times slower. No
# library that reads these is imported yet.
if "PYTEST_XDIST_WORKER" in os.environ:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "LP_NUM_THREADS"):
        os.environ.setdefault(name, "1")

# Values, bounds and messages of the tests are those of a CPU. On a GPU, models take other number formats by default.
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

# Homes that the tests draw have no furniture from the user's own folder of assets.
os.environ["CHRONOTOPE_ASSETS"] = os.devnull

settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.register_profile("quick", settings.get_profile("house"), max_examples=QUICK_EXAMPLES)
settings.load_profile("house")


def pytest_configure(config: pytest.Config) -> None:
    if asks_for_quick(config.option.markexpr):
        settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files unread whose tests are not run: importing them all takes longer than the quick tests themselves."""
    if not asks_for_quick(config.option.markexpr):
        return None
    wanted = may_hold_quick(collection_path) if collection_path.is_dir() else is_quick(collection_path)
    return None if wanted else True


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder of real data that CHRONOTOPE_TEST_DATA names; skips where it is not set."""
    folder = os.environ.get("CHRONOTOPE_TEST_DATA")
    if not folder:
        pytest.skip("CHRONOTOPE_TEST_DATA is not set: it names the folder of real data")
    return Path(folder)


@pytest.fixture(scope="session")
def drawable() -> None:
    """Simulated worlds can be drawn here; skips where the renderer or its system library is missing."""
    from chronotope.errors import InputError
    from chronotope.world import require_rendering

    try:
        require_rendering()
    except InputError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def drawn_manuals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What examples/manuals.py writes: drawn once for all workers, which share a folder. Tests only read it."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    script, manuals = Path(__file__).parents[1] / "examples" / "manuals.py", shared / "drawn" / "manuals"
    with (shared / "drawn.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until it is closed
        if not manuals.exists():
            making = manuals.parent / "making"
            subprocess.run([sys.executable, str(script), str(making)], check=True, capture_output=True)
            making.rename(manuals)
    return manuals


@pytest.fixture(scope="session")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Paths in one folder: ``mktemp`` would read the names of all thousands of folders for each one that it makes."""
    place = tmp_path_factory.mktemp("caches")
    return (place / str(number) for number in count())


@pytest.fixture(autouse=True)
def private_cache(caches: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test has a cache of its own: none reads what another, or a person, left behind."""
    cache = next(caches)
    cache.mkdir()
    monkeypatch.setenv("CHRONOTOPE_CACHE", str(cache))


@pytest.fixture(autouse=True)
def ordinary_priority() -> Iterator[None]:
    """No test makes this process a real-time one: whatever starts afterwards would starve the machine."""
    policy = getattr(os, "sched_getscheduler", lambda _: 0)
    before = policy(0)
    yield
    assert policy(0) == before, "this test made its process a real-time one, as SVT-AV1 does for root"


# With the data there, a test that skips for want of it hides a fault: the session then fails.
_skipped: list[str] = []


@pytest.hookimpl(tryfirst=True)  # before those are left out that the marks do not select
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if is_slow(item.path):
            item.add_marker("slow")
        if item.get_closest_marker("slow") and not is_spread(item.path):
            item.add_marker(pytest.mark.xdist_group(str(item.path)))  # for --dist loadgroup
        if is_quick(item.path) and item.get_closest_marker("slow") is None:
            item.add_marker("quick")
            if asks_for_quick(config.option.markexpr):
                _try_fewer_examples(item)
        if "test_data" in getattr(item, "fixturenames", ()):
            item.user_properties.append(("needs", "test_data"))  # travels with the report from a worker process


def _try_fewer_examples(item: pytest.Item) -> None:
    """Bound the examples of a property that asks for more itself; a profile only bounds those that do not."""
    test = getattr(item, "obj", None)
    own = getattr(test, "_hypothesis_internal_use_settings", None)
    if is_hypothesis_test(test) and own is not None and own.max_examples > QUICK_EXAMPLES:
        function = getattr(test, "__func__", test)
        function._hypothesis_internal_use_settings = settings(own, max_examples=QUICK_EXAMPLES)


# Seconds of processor time of each room's tests, over all workers: a busy machine does not change them.
_seconds: Counter[str] = Counter()
_began = pytest.StashKey[float]()


def _processor_seconds() -> float:
    """The processor time of this process and of those that it started and that have ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[_began] = _processor_seconds()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    if call.when == "teardown":
        item.user_properties.append(("seconds", _processor_seconds() - item.stash[_began]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if sentences := over_budget(_seconds, budgets()):
        terminalreporter.section("rooms over their budget (CONTRIBUTING.md)")
        for sentence in sentences:
            terminalreporter.write_line(sentence)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "teardown" and "slow" not in report.keywords:
        _seconds[room_of(report.nodeid)] += dict(report.user_properties)["seconds"]
    needs_data = any(list(entry) == ["needs", "test_data"] for entry in report.user_properties)
    if report.skipped and needs_data and os.environ.get("CHRONOTOPE_TEST_DATA"):
        _skipped.append(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if _skipped:
        print(f"\nCHRONOTOPE_TEST_DATA is set, but these tests skipped: {', '.join(_skipped)}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
