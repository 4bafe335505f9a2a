"""A small released set for the tests of this room."""

import pytest

from chronotope.make import import_release
from chronotope.question import Benchmark
from m3_released import row, write_release

ROWS = 15


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """Fifteen released questions of three scenes; no test changes the folder."""
    folder = tmp_path_factory.mktemp("filtered")
    release = write_release(folder / "release", [row(number) for number in range(ROWS)])
    return import_release("m3", release, folder / "bench").benchmark
