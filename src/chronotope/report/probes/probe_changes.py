"""Pairs of media and conditions of a probe, compared on the same things or questions, with intervals by cluster."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chronotope.report.probes.probe_tables import ALL, OVER_LAYERS, Rows, Tables
from chronotope.report.probes.probe_values import ProbeValue, in_percent, plain_value
from chronotope.view.words import percent

ALIGNED = ("unbiased CKA", "R@1 in its cluster", "R@10")  # measures of how well two media agree
_TEMPLATE = "template"


@dataclass(frozen=True)
class PairRow:
    """How well two media agree at one level; ``values`` has one value for each of `ALIGNED`, or None."""

    roles: str
    level: str
    values: tuple[ProbeValue | None, ...]


@dataclass(frozen=True)
class ChangeRow:
    """A value that differs between two pairs of media, or two conditions.

    The texts are ``first``, ``second``, and ``difference`` (second minus first) with its ``interval``, or None.
    """

    layer: str
    name: str
    before: str
    after: str
    first: str
    second: str
    difference: str
    interval: str | None
    items: int
    clusters: int


def pair_rows(tables: Mapping[str, Tables]) -> tuple[PairRow, ...]:
    """Return how well every two media agree, if more than two were compared."""
    rows = [row for row in tables.get("representation", {}).get("measures", ()) if row["task"] == ALL]
    pairs = list(dict.fromkeys(row["roles"] for row in rows if row["measure"] in ALIGNED))
    if len(pairs) < 2:
        return ()
    at = {(row["roles"], row["level"], row["measure"]): row for row in rows}
    levels = list(dict.fromkeys(row["level"] for row in rows))
    return tuple(
        PairRow(pair, level, tuple(_aligned(at.get((pair, level, name))) for name in ALIGNED))
        for pair in pairs
        for level in levels
    )


def _aligned(row: Mapping[str, Any] | None) -> ProbeValue | None:
    if row is None:
        return None
    shown = plain_value if row["measure"] == ALIGNED[0] else in_percent
    return shown(row["measure"], row["value"], row["low"], row["high"], row["chance"])


def change_rows(tables: Mapping[str, Tables]) -> tuple[ChangeRow, ...]:
    """Return the differences between pairs of media and between conditions, for all tasks together."""
    seen = tables.get("representation", {}).get("pairs", ())
    kept = _of_all(tables.get("hidden", {}).get("changes", ()))
    used = _of_all(tables.get("attention", {}).get("changes", ()))
    last = max((row["depth"] for row in kept), default=0)
    kept = [row for row in kept if row["depth"] == last and row["modality"] != _TEMPLATE]
    used = [row for row in used if row["layer"] == OVER_LAYERS and row["name"] != _TEMPLATE]
    return (
        *_changed("representation", _of_all(seen), lambda row: f"{row['measure']}, {row['level']}", ALIGNED[0]),
        *_changed("hidden", kept, lambda row: f"influence of {row['modality']}", "influence"),
        *_changed("attention", used, lambda row: f"attention to {row['name']}", ""),
    )


def _of_all(rows: Rows) -> Rows:
    return [row for row in rows if row["task"] == ALL]


def _changed(layer: str, rows: Rows, name: Any, plain: str) -> Iterator[ChangeRow]:
    """Yield the rows of a layer; a value whose name begins with ``plain`` is not in percent."""
    for row in rows:
        called, limits = name(row), (row.get("low"), row.get("high"))
        is_plain = bool(plain) and called.startswith(plain)
        first, second, difference = (
            f"{value:.2f}" if is_plain else f"{percent(value)} {unit}"
            for value, unit in (
                (row["first"], "%"),
                (row["first"] + row["difference"], "%"),
                (row["difference"], "points"),
            )
        )
        low, high = (None if one is None else f"{one:.2f}" if is_plain else percent(one) for one in limits)
        yield ChangeRow(
            layer, called, row["from"], row["to"], first, second, difference,
            None if low is None or high is None else f"{low} to {high}", row["items"], row["clusters"],
        )  # fmt: skip
