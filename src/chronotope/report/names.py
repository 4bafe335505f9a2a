"""The names of the runs of a report: the model, and what tells its runs apart."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from chronotope.evaluate import RunResults
from chronotope.report.marks import marks
from chronotope.report.words import setting

__all__ = ["Name", "run_names"]

_PREFIXES = ("decoding.extra.", "decoding.", "protocol.settings.")
_MARKED = ("layout", "protocol.settings.input")  # the marks have a word of their own for these


@dataclass(frozen=True)
class Name:
    """What is asked, and the words that tell it from other runs of the same, such as ``temperature 0.5``."""

    title: str
    told: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        """In one line."""
        return f"{self.title} ({', '.join(self.told)})" if self.told else self.title


def run_names(runs: Sequence[RunResults]) -> list[Name]:
    """A name for each run that no other has: the model (and benchmark, where there are several of one model).

    Where that is not enough, with what differs in how the runs were asked, then in how much; then the folder.
    """
    names = [Name(_title(run, runs)) for run in runs]
    for words_of in (_ways, _amounts, _folders):
        clashing: dict[str, list[int]] = {}
        for place, name in enumerate(names):
            clashing.setdefault(name.whole, []).append(place)
        for places in clashing.values():
            if len(places) > 1:
                words = words_of([runs[place] for place in places])
                for place, more in zip(places, words, strict=True):
                    names[place] = replace(names[place], told=(*names[place].told, *more))
    return names


def _title(run: RunResults, runs: Sequence[RunResults]) -> str:
    asked = {one.card.benchmark.name for one in runs if one.card.model == run.card.model}
    return f"{run.card.model} · {run.card.benchmark.name}" if len(asked) > 1 else run.card.model


def _ways(runs: Sequence[RunResults]) -> list[list[str]]:
    """What answers depend on and is not the same in all of these runs; what is by default is not said."""
    ways = [_way(run) for run in runs]
    keys = dict.fromkeys(key for way in ways for key in way)
    differing = [key for key in keys if any(way.get(key) != ways[0].get(key) for way in ways)]
    return [[words for key in differing if (words := way.get(key))] for way in ways]


def _way(run: RunResults) -> dict[str, str]:
    """How a run was asked, in words by what they are about."""
    short = {mark.short: mark.short for mark in marks(run)}
    if run.card.elsewhere is not None:  # the rest is not known
        return short | {"file": run.card.elsewhere.file, "bytes": f"SHA-256 {run.card.elsewhere.sha256[:8]}"}
    identified = run.card.identified()
    return {
        key: _setting(key, value) for key, value in identified.items() if value not in (None, {}) and key not in _MARKED
    } | short


def _setting(key: str, value: Any) -> str:
    if key == "benchmark":
        return f"content {value[:8]}"
    prefix = next((prefix for prefix in _PREFIXES if key.startswith(prefix)), "")
    return f"{key.removeprefix(prefix).replace('.', ' ').replace('_', ' ')} {setting(value)}"


def _amounts(runs: Sequence[RunResults]) -> list[list[str]]:
    """How many questions each was asked, where that differs."""
    counts = [len({one.question.id for one in run.answered}) for run in runs]
    return [[f"{count} questions"] if len(set(counts)) > 1 else [] for count in counts]


def _folders(runs: Sequence[RunResults]) -> list[list[str]]:
    names = [run.folder.name for run in runs]
    return [[run.folder.name if names.count(run.folder.name) == 1 else str(run.folder)] for run in runs]
