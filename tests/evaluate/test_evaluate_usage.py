from collections.abc import Callable
from pathlib import Path

from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import run
from chronotope.evaluate.score import open_run
from chronotope.evaluate.score.usage import Usage, usage_of
from chronotope.families import Family
from chronotope.ledger import LedgerLine
from chronotope.models import Decoding
from chronotope.question import Benchmark


def test_all_calls_of_a_run_are_paid_for_and_those_of_others_are_not() -> None:
    lines = [
        LedgerLine(key="c", ask="", kind="check", state="replied", input_tokens=900, attempts=1, seconds=0.5,
                   at="2025-01-01T10:00:00.000+00:00"),
        LedgerLine(key="a", ask="a", state="failed", attempts=5, seconds=9.0, at="2025-01-01T10:00:09.000+00:00"),
        LedgerLine(key="a", ask="a", state="replied", input_tokens=100, cached_tokens=0, output_tokens=7, money=0.25,
                   attempts=2, seconds=1.5, at="2025-01-02T09:00:00.000+00:00"),
        LedgerLine(key="b", ask="b", state="replied", input_tokens=50, output_tokens=3, money=0.5, seconds=1.0),
        LedgerLine(key="m", ask="m", state="missing_media", attempts=0, at="2024-01-01T00:00:00.000+00:00"),
        LedgerLine(key="r", ask="r", state="replied", input_tokens=10**6, money=10.0, seconds=99.0,
                   at="2023-01-01T00:00:00.000+00:00", extra={"reused": "runs/other"}),
        LedgerLine(key="e", ask="e", state="replied", extra={"asked": "elsewhere"}),
    ]  # fmt: skip
    assert usage_of(lines) == Usage(
        calls=4,
        attempts=9,
        input_tokens=1050,
        cached_tokens=0,
        output_tokens=10,
        money=0.75,
        seconds=12.0,
        first="2025-01-01T10:00:00.000+00:00",
        last="2025-01-02T09:00:00.000+00:00",
        checks=1,
    )


def test_what_no_line_tells_is_not_known() -> None:
    assert usage_of([]) == Usage(0, 0, None, None, None, None, None, None, None, 0)
    untold = [LedgerLine(key="a", ask="a", state="replied"), LedgerLine(key="b", ask="b", state="failed", attempts=3)]
    assert usage_of(untold) == Usage(2, 4, None, None, None, None, None, None, None, 0)


def test_a_run_tells_what_it_took(bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path) -> None:
    server = serve()
    settings = tiny.RunSettings()
    run(
        bench, tiny, "endpoint/x", Decoding(), settings, Selection(), tmp_path / "run", base_url=server.url, check=False
    )
    found = usage_of(open_run(tmp_path / "run").lines)
    assert (found.calls, found.attempts, found.checks) == (24, len(server.requests()), 0)
    assert found.seconds is not None and found.seconds > 0
    assert found.first is not None and found.last is not None and found.first <= found.last
