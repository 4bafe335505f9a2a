"""What the tests of every room share."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Workers side by side must not each take every core: threads that wait for one another are several times slower. No
# library that reads these is imported yet.
if "PYTEST_XDIST_WORKER" in os.environ:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "LP_NUM_THREADS"):
        os.environ.setdefault(name, "1")

settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("house")


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder of real data that CHRONOTOPE_TEST_DATA names; skips where it is not set."""
    folder = os.environ.get("CHRONOTOPE_TEST_DATA")
    if not folder:
        pytest.skip("CHRONOTOPE_TEST_DATA is not set: it names the folder of real data")
    return Path(folder)


@pytest.fixture(autouse=True)
def private_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test has a cache of its own: none reads what another, or a person, left behind."""
    monkeypatch.setenv("CHRONOTOPE_CACHE", str(tmp_path_factory.mktemp("cache")))


# With the data there, a test that skips for want of it hides a fault: the session then fails.
_skipped: list[str] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "test_data" in getattr(item, "fixturenames", ()):
            item.user_properties.append(("needs", "test_data"))  # travels with the report from a worker process


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    needs_data = any(list(entry) == ["needs", "test_data"] for entry in report.user_properties)
    if report.skipped and needs_data and os.environ.get("CHRONOTOPE_TEST_DATA"):
        _skipped.append(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if _skipped:
        print(f"\nCHRONOTOPE_TEST_DATA is set, but these tests skipped: {', '.join(_skipped)}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
