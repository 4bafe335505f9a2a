"""The scenario of a clip: what its maker wanted to show, which reviewers compare with the clip."""

import json
from dataclasses import dataclass

from chronotope.question import Benchmark, Question, recordings_of

_FILE = "scenario.json"
_MOST = 1 << 20  # bytes


@dataclass(frozen=True)
class Scenario:
    """The text of a scenario: its goal, and its moments in order, each with a name and a description."""

    goal: str
    moments: tuple[tuple[str, str], ...]


def scenarios_of(benchmark: Benchmark, question: Question) -> tuple[Scenario, ...]:
    """Read the scenarios of what a question shows; most recordings have none."""
    found = (_scenario(benchmark, recording) for recording in recordings_of(question))
    return tuple(one for one in found if one is not None)


def _scenario(benchmark: Benchmark, recording: str) -> Scenario | None:
    place = benchmark.folder / "recordings" / recording / _FILE
    if not place.resolve().is_relative_to(benchmark.folder.resolve()) or not place.is_file():
        return None
    if place.stat().st_size > _MOST:
        return None
    try:
        told = json.loads(place.read_text(encoding="utf-8"))
    except ValueError:
        return None
    if not isinstance(told, dict) or not isinstance(told.get("timeline"), dict):
        return None
    moments = tuple((str(name).replace("_", " "), str(text)) for name, text in told["timeline"].items())
    return Scenario(str(told.get("reasoning_goal", "")), moments)
