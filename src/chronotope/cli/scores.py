"""Scores at the terminal: models side by side, and as JSON."""

from typing import Any

from chronotope.cli.console import table
from chronotope.evaluate import Estimate, Scores

__all__ = ["print_accuracies", "scores_json"]


def scores_json(scores: Scores, *, shown: bool) -> dict[str, Any]:
    """Accuracy overall, by task and by variant, and what the replies were; no figures where nothing was answered."""
    return {
        "accuracy": _estimate(scores.overall) if shown else None,  # a row of zeros would look like a score
        "covered": _estimate(scores.covered) if shown and scores.covered else None,
        "circular": _estimate(scores.circular) if shown and scores.circular else None,
        "tasks": {task: _estimate(value) for task, value in scores.tasks.items()} if shown else {},
        "variants": {name: _estimate(value) for name, value in scores.variants.items()} if shown else {},
        "strategies": {name: _estimate(value) for name, value in scores.strategies.items()} if shown else {},
        "readings": scores.readings,
    }


def print_accuracies(results: list[dict[str, Any]]) -> None:
    """Models side by side: their names are longer than the figures, and so are those of tasks."""
    results = [result for result in results if result["accuracy"] is not None]
    if not results:
        return
    rows = [["Questions", *(f"{r['accuracy']['items']:,}" for r in results)]]
    rows += [
        [words, *(_words(r[name]) if r[name] else "–" for r in results)]
        for name, words in (("accuracy", "Overall"), ("circular", "Right in every placement"))
        if any(r[name] for r in results)
    ]
    for kind in ("tasks", "variants", "strategies"):
        names = list(dict.fromkeys(name for r in results for name in r[kind]))
        if kind != "tasks" and len(names) == 1:
            continue  # the overall row says it
        rows += [[n, *(_words(r[kind][n]) if n in r[kind] else "–" for r in results)] for n in names]
    table("Accuracy, % (95 % interval by clip)", ["", *(r["model"] for r in results)], rows)


def _estimate(estimate: Estimate) -> dict[str, Any]:
    names = ("value", "low", "high", "items", "clusters", "chance")
    return {name: getattr(estimate, name) for name in names}


def _words(estimate: dict[str, Any]) -> str:
    value = f"{100 * estimate['value']:.1f}"
    return value if estimate["low"] is None else f"{value} ({100 * estimate['low']:.0f}–{100 * estimate['high']:.0f})"
