"""The unique names of the runs of a report."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chronotope.evaluate.score import RunResults
from chronotope.io.packed import Keys
from chronotope.report.compared_runs.run_marks import BY_STRATEGY, marks
from chronotope.view.words import setting

_PREFIXES = ("decoding.extra.", "decoding.", "protocol.settings.", "method.settings.", "method.models.")
_MARKED = ("layout", "protocol.settings.input")  # these settings have their own marks


@dataclass(frozen=True)
class Name:
    """The name of a run: its model, and how it differs from other runs.

    ``title`` is the model, with the benchmark if the model has runs of several benchmarks. ``told`` contains the words
    for the difference to other runs, such as ``temperature 0.5``.
    """

    title: str
    model: str
    told: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        """Return the complete name as one line."""
        return f"{self.title} ({', '.join(self.told)})" if self.told else self.title

    @property
    def here(self) -> str:
        """Return the name among the runs of one benchmark, as one line."""
        return replace(self, title=self.model).whole


def run_names(runs: Sequence[RunResults]) -> list[Name]:
    """Return a unique name for each run.

    The name is the model. The benchmark is added if the model has runs of several benchmarks. If names are still equal,
    more words are added until the names differ: first the strategy, then other different settings, then the numbers of
    questions, then the folder.
    """
    benchmarks = benchmark_names(runs)
    names = [Name(_title(run, runs, benchmarks), run.card.model) for run in runs]
    for words_of in (_strategies, _ways, _amounts, _folders):
        clashing: dict[str, list[int]] = {}
        for place, name in enumerate(names):
            clashing.setdefault(name.whole, []).append(place)
        for places in clashing.values():
            if len(places) > 1:
                words = words_of([runs[place] for place in places])
                for place, more in zip(places, words, strict=True):
                    names[place] = replace(names[place], told=(*names[place].told, *more))
    return names


def benchmark_names(runs: Sequence[RunResults]) -> dict[str, str]:
    """Return the name of each benchmark, by its content hash.

    The profile is added to the names if the benchmarks have different profiles. The folder is added if several
    benchmarks have the same name.
    """
    folders = {run.card.benchmark.content_hash: run.benchmark.folder for run in runs}
    called = {run.card.benchmark.content_hash: run.card.benchmark.name for run in runs}
    profiles = {run.card.benchmark.content_hash: run.benchmark.card.profile for run in runs}
    if len(set(profiles.values())) > 1:
        called = {key: f"{name} · profile {profiles[key]}" for key, name in called.items()}
    alike = {key: [folders[other] for other in called if called[other] == name] for key, name in called.items()}
    return {
        key: name if len(alike[key]) == 1 else f"{name} ({_folder_name(folders[key], alike[key])})"
        for key, name in called.items()
    }


def _title(run: RunResults, runs: Sequence[RunResults], benchmarks: dict[str, str]) -> str:
    asked = {one.card.benchmark.content_hash for one in runs if one.card.model == run.card.model}
    return f"{run.card.model} · {benchmarks[run.card.benchmark.content_hash]}" if len(asked) > 1 else run.card.model


def _strategies(runs: Sequence[RunResults]) -> list[list[str]]:
    """Return the marks of the strategies, if these differ between runs."""
    words = [[mark.short for mark in marks(run) if mark.why == BY_STRATEGY] for run in runs]
    return words if any(word != words[0] for word in words) else [[] for _ in runs]


def _ways(runs: Sequence[RunResults]) -> list[list[str]]:
    """Return the settings that differ between these runs.

    Only settings that affect answers are returned. Settings with their default value are omitted.
    """
    ways = [_way(run) for run in runs]
    keys = dict.fromkeys(key for way in ways for key in way)
    if any(run.card.method is None for run in runs):  # the mark of the method distinguishes these runs
        keys = {key: None for key in keys if not key.startswith("method.")}
    differing = [key for key in keys if any(way.get(key) != ways[0].get(key) for way in ways)]
    return [[words for key in differing if (words := way.get(key))] for way in ways]


def _way(run: RunResults) -> dict[str, str]:
    """Return the settings of a run as text, by the setting's name."""
    short = {mark.short: mark.short for mark in marks(run)}
    if run.card.elsewhere is not None:  # all other settings are unknown
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
    """Return the runs' numbers of questions, if these differ."""
    counts = [len(Keys(one.question.id for one in run.answered)) for run in runs] if len(runs) > 1 else [0]
    return [[f"{count} questions"] if len(set(counts)) > 1 else [] for count in counts]


def _folders(runs: Sequence[RunResults]) -> list[list[str]]:
    return [[_folder_name(run.folder, [one.folder for one in runs])] for run in runs]


def _folder_name(folder: Path, among: Sequence[Path]) -> str:
    """Return the last part of a path, or the whole path.

    The whole path is returned if several paths have the same last part.
    """
    return folder.name if [one.name for one in among].count(folder.name) == 1 else str(folder)
