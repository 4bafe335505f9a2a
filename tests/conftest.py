"""What the tests of every room share."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

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
