import pytest
from methods_homes import Crew, drive_questions, home_questions, write_bench

from chronotope.question import Benchmark


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return write_bench(tmp_path_factory.mktemp("homes") / "bench", home_questions(), "m3")


@pytest.fixture(scope="session")
def drive(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return write_bench(tmp_path_factory.mktemp("drive") / "bench", drive_questions(), "sti")


@pytest.fixture
def crew() -> Crew:
    return Crew()
