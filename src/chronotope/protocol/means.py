"""Means for the cells of tables; unknown values are omitted."""

from collections.abc import Iterable

from chronotope.protocol.protocol import Scored

__all__ = ["mean", "percent", "strict"]


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the known values, or None without any."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def percent(values: Iterable[float | None]) -> float | None:
    """Return the mean of fractions in percent, or None without any."""
    fraction = mean(values)
    return None if fraction is None else 100 * fraction


def strict(scored: Scored) -> float | None:
    """Return the strict score of a question, if it has one."""
    return scored.metrics.get("strict")
