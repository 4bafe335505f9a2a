"""A prompt is made once and described once, however often a run needs it."""

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import run
from chronotope.evaluate.score import open_run
from chronotope.families import Family
from chronotope.models import Decoding
from chronotope.question import Benchmark


@pytest.fixture
def made(tiny: Family, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the prompts that the protocol makes, and the descriptions, wherever in the package they are made."""
    counts: Counter[str] = Counter()

    def counted(name: str, function: Callable) -> Callable:
        def call(*arguments: object, **named: object) -> object:
            counts[name] += 1
            return function(*arguments, **named)

        return call

    kind = type(tiny.protocol)
    monkeypatch.setattr(kind, "parts", counted("prompts", kind.parts))
    from chronotope.protocol import describe

    for name, module in list(sys.modules.items()):
        if name.startswith("chronotope.") and getattr(module, "describe", None) is describe:
            monkeypatch.setattr(module, "describe", counted("descriptions", describe))
    return counts


@pytest.mark.parametrize("layout", ["published", "shared"])
def test_a_run_makes_and_describes_each_prompt_once(
    layout: str, bench: Benchmark, tiny: Family, serve: Callable, made: Counter[str], tmp_path: Path
) -> None:
    settings = tiny.RunSettings(placement="rotate")

    def go_on(limit: int) -> int:
        made.clear()
        selection, out = Selection(limit=limit), tmp_path / "run"
        decoding, url = Decoding(), serve().url
        outcome = run(
            bench, tiny, "endpoint/x", decoding, settings, selection, out, layout=layout, base_url=url, check=False
        )
        return sum(outcome.states.values())

    asks = go_on(3)
    assert asks == 12 and made == {"prompts": asks, "descriptions": asks}
    asks = go_on(5)  # going on makes the prompts anew, once again
    assert asks == 20 and made == {"prompts": asks, "descriptions": asks}
    made.clear()
    assert len(open_run(tmp_path / "run").answered) == 20 and not made  # reading a run makes none
