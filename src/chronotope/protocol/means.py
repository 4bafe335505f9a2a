"""Means of values for tables; unknown values are omitted."""

from collections.abc import Iterable

from chronotope.protocol.protocol import Scored


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the known values; None if there are none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def percent(values: Iterable[float | None]) -> float | None:
    """Return the mean of the known fractions, in percent, or None."""
    fraction = mean(values)
    return None if fraction is None else 100 * fraction


def strict(scored: Scored) -> float | None:
    """Return the strict score of a question, or None."""
    return scored.metrics.get("strict")
