"""The benchmark asked of baselines and of a server; see report_bench."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest
from report_bench import (
    DAYS,
    MODEL,
    Asked,
    Server,
    ask,
    questions,
    save_licensed,
)
from report_browser import Tab, start_browser

from drawn_benchmarks import MARKUP, write_benchmark


@pytest.fixture
def serve(tmp_path: Path, quick_retries: None) -> Iterator[Callable[[list[tuple[str, int, str]]], Server]]:
    """Start answering servers; they end with the test."""
    numbers = count()
    with ExitStack() as running:
        yield lambda script: running.enter_context(Server(tmp_path / f"server-{next(numbers)}", script))


@pytest.fixture
def quick_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """What fails is tried as often as ever, with hardly a pause."""
    monkeypatch.setattr("chronotope.models.services.endpoint.LONGEST_BACKOFF", 0.01)


@pytest.fixture(scope="session")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """A tab of a real browser; skips where none is installed."""
    with start_browser(tmp_path_factory.mktemp("profile")) as tab:
        yield tab


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """Asked once for all tests, with a cache that no report sees; nothing of it is changed."""
    folder = tmp_path_factory.mktemp("asked")
    script = [(f"on a {day}", 500 if kind == "failed" else 200, reply) for day, (kind, reply) in DAYS.items()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHRONOTOPE_CACHE", str(folder / "cache"))
        patch.setattr("chronotope.models.services.endpoint.LONGEST_BACKOFF", 0.01)
        benchmark = write_benchmark(folder / "bench", questions())
        save_licensed(benchmark.folder, "clip-0", f"CC0 {MARKUP}")
        save_licensed(benchmark.folder, "clip-1", None)
        with Server(folder / "server", script) as server:
            runs = [ask(benchmark, folder / "endpoint", MODEL, server.url)]
        models = ("baseline/random", "baseline/option-shape", "baseline/option-shape:longest")
        runs += [ask(benchmark, folder / str(number), model) for number, model in enumerate(models)]
    yield Asked(benchmark.folder, runs, server)
