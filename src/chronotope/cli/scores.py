"""Scores as a table of models for the terminal, and as JSON."""

from __future__ import annotations  # types of other rooms are only for type checkers

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chronotope.api.vocabulary import FEWEST_CLUSTERS
from chronotope.cli.console import note, table

if TYPE_CHECKING:
    from chronotope.api.vocabulary import Estimate, Scores


def scores_json(scores: Scores, *, shown: bool) -> dict[str, Any]:
    """Return accuracies, thresholds and the numbers of readings as plain values.

    The values are None or empty if no call was answered (``shown`` is false).
    """
    return {
        "accuracy": _estimate(scores.overall) if shown else None,  # a row of zeros would look like a score
        "planned": scores.planned,
        "cluster": scores.cluster,
        "covered": _estimate(scores.covered) if shown and scores.covered else None,
        "circular": _estimate(scores.circular) if shown and scores.circular else None,
        "position": _estimate(scores.position) if shown and scores.position else None,
        "tasks": {task: _estimate(value) for task, value in scores.tasks.items()} if shown else {},
        "variants": {name: _estimate(value) for name, value in scores.variants.items()} if shown else {},
        "strategies": {name: _estimate(value) for name, value in scores.strategies.items()} if shown else {},
        "precision": _precision(scores) if shown else [],
        "readings": scores.readings,
    }


def _precision(scores: Scores) -> list[dict[str, Any]]:
    if not scores.precision:
        return []
    from chronotope.view.precision import precision_data  # loads decoders, which asking does not need

    return [precision_data(one, scores.cluster) for one in scores.precision]


def run_scores(name: str, scores: Scores, *, sees: bool) -> dict[str, Any]:
    """Return the entry of a run for `print_accuracies`.

    ``sees`` is false if the model got no pictures, so that it has no thresholds.
    """
    return {"model": name, "sees": sees} | scores_json(scores, shown=scores.states.get("replied", 0) > 0)


def print_accuracies(results: Sequence[dict[str, Any]], title: str = "") -> None:
    """Print the accuracies and thresholds of models with answers.

    ``results`` are results of `scores_json` with the name of the model.
    """
    results = [result for result in results if result["accuracy"] is not None]
    if not results:
        return
    cells: dict[str, list[str]] = {"Questions": [_asked(r) for r in results]}
    for name, words in (("accuracy", "Overall"), ("circular", "Correct in every placement")):
        if any(r[name] for r in results):
            cells[words] = [_words(r[name]) for r in results]
    for kind in ("tasks", "variants", "strategies"):
        names = list(dict.fromkeys(name for r in results for name in r[kind]))
        if kind == "tasks" or len(names) > 1:  # with a single name, the column would equal the overall column
            cells |= {name: [_words(r[kind].get(name)) for r in results] for name in names}
    rows = [[r["model"], *of] for r, *of in zip(results, *cells.values(), strict=True)]
    cluster = results[0]["cluster"]
    table(f"{title}{title and ': '}Accuracy, % (95 % interval by {cluster})", ["model", *cells], rows)
    estimates = [one for r in results for kind in ("tasks", "variants", "strategies") for one in r[kind].values()]
    if any(r["accuracy"]["low"] for r in results) and any(one["low"] is None for one in estimates):
        note(f"figures without an interval come from fewer than {FEWEST_CLUSTERS} {cluster}s", "dim")
    _print_precision(results)


def _print_precision(results: Sequence[dict[str, Any]]) -> None:
    """Print the finest spacing that each model sees.

    There is a line for each quantity that a model sees at all. Models that got no pictures see nothing.
    """
    results = [result for result in results if result.get("sees", True)]
    known = [{_quantity(one): one for one in result["precision"]} for result in results]
    if not any(known):
        return
    seen = list(dict.fromkeys(name for of in known for name, one in of.items() if _sees(one)))
    if not seen:
        note("precision: no quantity is clearly seen better than by a guess", "dim")
        return
    shown = [number for number, of in enumerate(known) if any(map(_sees, of.values()))]
    rows = [[name, *(_spacing(known[number].get(name)) for number in shown)] for name in seen]
    by = f"95 % interval by {results[0]['cluster']}"
    title = f"Precision: smallest spacing that is seen ({by}), and accuracy at it"
    title += ", halfway from chance to the top of its curve"
    table(title, ["quantity", *(results[number]["model"] for number in shown)], rows, words=(0,))
    if len(shown) < len(results):
        rest = ", ".join(result["model"] for number, result in enumerate(results) if number not in shown)
        note(f"not clearly better than a guess at any quantity: {rest}", "dim")


def _quantity(one: dict[str, Any]) -> str:
    return f"{one['quantity']} without a stated scale" if one["without_scale"] else one["quantity"]


def _sees(one: dict[str, Any]) -> bool:
    """Check whether a model sees a quantity better than a guess."""
    return one["sight"] not in ("few", "guess")


def _spacing(one: dict[str, Any] | None) -> str:
    if one is None or not _sees(one):
        return "–"
    said = f"{one['shown']} ({one['interval']})" if one["interval"] else one["shown"]
    return f"{said}, {100 * one['correct_there']:.0f} % correct" if one["sight"] == "within" else said


def _asked(result: dict[str, Any]) -> str:
    """Describe the number of planned questions that the accuracy covers."""
    items, planned = result["accuracy"]["items"], result["planned"]
    return f"{items:,}" if items == planned else f"{items:,} of {planned:,} asked"


def _estimate(estimate: Estimate) -> dict[str, Any]:
    names = ("value", "low", "high", "items", "clusters", "chance")
    return {name: getattr(estimate, name) for name in names}


def _words(estimate: dict[str, Any] | None) -> str:
    if estimate is None:
        return "–"
    value = f"{100 * estimate['value']:.1f}"
    return value if estimate["low"] is None else f"{value} ({100 * estimate['low']:.0f}–{100 * estimate['high']:.0f})"
