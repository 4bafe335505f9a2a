"""Tables of means and of paired changes, by task, from the rows of single questions."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from chronotope.probe.layer import Row
from chronotope.probe.measures import paired_change, summarize

ALL = "all"  # the name of all tasks together

_Key = tuple[Any, ...]


def values_of(rows: Iterable[Row], name: str) -> list[Any]:
    """Return the different values of a column, in order."""
    return list(dict.fromkeys(row[name] for row in rows))


def last_depth(rows: Sequence[Row]) -> int:
    """Return the largest depth, which is the number of decoder layers."""
    return max((row["depth"] for row in rows), default=0)


def mean_rows(rows: Sequence[Row], keys: Sequence[str], value: str, *, resamples: int = 2000) -> list[Row]:
    """Compute the mean of a column for each combination of keys.

    The rows are also divided by task and condition. The task ``all`` has the questions of all tasks. Without
    ``resamples`` there are no intervals.
    """
    found: list[Row] = []
    for (task, condition, *at), of in _grouped(rows, keys).items():
        told = summarize([row[value] for row in of], [row["cluster"] for row in of], resamples=resamples)
        found.append(
            {"task": task, "condition": condition, **dict(zip(keys, at, strict=True))}
            | {"mean": told.value, "deviation": told.deviation, "low": told.low, "high": told.high}
            | {"questions": told.items, "clusters": told.clusters}
        )
    return found


def change_rows(rows: Sequence[Row], keys: Sequence[str], value: str, conditions: Sequence[str]) -> list[Row]:
    """Compare the first condition with each other one.

    Only questions with both conditions are used. Intervals are paired by question and resampled by cluster.
    """
    grouped = _grouped(rows, keys)
    found: list[Row] = []
    for (task, condition, *at), of in grouped.items():
        before = {row["question"]: row[value] for row in grouped.get((task, conditions[0], *at), ())}
        pairs = [(before[row["question"]], row[value], row["cluster"]) for row in of if row["question"] in before]
        if condition != conditions[0] and pairs:
            first, second, clusters = zip(*pairs, strict=True)
            about = {"task": task, "from": conditions[0], "to": condition, **dict(zip(keys, at, strict=True))}
            found.append(about | asdict(paired_change(first, second, clusters)))
    return found


def _grouped(rows: Sequence[Row], keys: Sequence[str]) -> dict[_Key, list[Row]]:
    groups: dict[_Key, list[Row]] = {}
    for row in rows:
        for task in (ALL, row["task"]):
            groups.setdefault((task, row["condition"], *(row[key] for key in keys)), []).append(row)
    return groups
