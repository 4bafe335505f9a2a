from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest
from hardness_tools import Service, questions_about, right_texts, start_service, write_bench

from chronotope.question import Question


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Start services; they end with the test. ``folder`` is by default a new one."""
    numbers = count()
    with ExitStack() as running:

        def start(knowledge: dict[str, list[str]], *words: object, folder: Path | None = None) -> Service:
            folder = folder or tmp_path / f"service-{next(numbers)}"
            return running.enter_context(start_service(folder, knowledge, *words))

        yield start


@pytest.fixture(scope="session")
def questions() -> list[Question]:
    """200 questions about ten clips."""
    return questions_about(10, 20)


@pytest.fixture(scope="session")
def bench(questions: list[Question], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The benchmark of the 200 questions; tests only read it."""
    return write_bench(tmp_path_factory.mktemp("bench") / "two-hundred", questions)


@pytest.fixture(scope="session")
def known(questions: list[Question]) -> dict[str, list[str]]:
    """What an oracle knows of the 200 questions."""
    return right_texts(questions)
