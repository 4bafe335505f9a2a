from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hardness_tools import Service, questions_about, right_texts, start_service, write_bench

from chronotope.errors import InputError
from chronotope.make import BuildRequest, build
from chronotope.question import CardDraft, Question, open_benchmark, write_benchmark_tables
from chronotope.world import require_rendering


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Start services; they end with the test. ``folder`` is by default a new one."""
    services: list[Service] = []

    def start(knowledge: dict[str, list[str]], *words: object, folder: Path | None = None) -> Service:
        services.append(start_service(folder or tmp_path / f"service-{len(services)}", knowledge, *words))
        return services[-1]

    yield start
    for service in services:
        service.stop()


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


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's kind of benchmark, simulated tables; every stem says which question it is, for the services."""
    try:
        require_rendering()
    except InputError as error:
        pytest.skip(str(error))
    out = tmp_path_factory.mktemp("tables") / "bench"
    build(BuildRequest("sti", "world:table:4", out, options={"per_variant": 2}, quality="fast"))
    built = open_benchmark(out)
    named = [replace(question, stem=f"{question.id}: {question.stem}") for question in built.questions]
    draft = CardDraft(name="tables", family="sti", profile="strict", licence=built.card.licence)
    write_benchmark_tables(out, draft, named, built.media)
    return out
