"""The figures of a study as tables, which pages, the terminal and JSON show alike."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

Interval = tuple[float, float, float]  # a share with the limits of its 95 % interval


@dataclass(frozen=True)
class FigureTable:
    """A table of figures; the first column has names, and a row has one text for each column."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class KindFigures:
    """The figures of a study as tables, and as plain values for JSON."""

    name: str
    tables: tuple[FigureTable, ...]
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def plain(self) -> dict[str, Any]:
        """Return all figures as plain values."""
        return {"name": self.name, **self.values}


def share(count: float, of: int) -> Interval | None:
    """Return a share with its 95 % interval by Wilson, or None of no items."""
    from statsmodels.stats.proportion import proportion_confint  # loads pandas, which few commands need

    if not of:
        return None
    low, high = map(float, cast("Any", proportion_confint(count, of, method="wilson")))
    return count / of, low, high


def share_words(found: Interval | None) -> str:
    """Print a share in percent, with its interval."""
    return "–" if found is None else f"{100 * found[0]:.1f} ({100 * found[1]:.1f} to {100 * found[2]:.1f})"


def kappa_words(of: Any) -> str:
    """Print a kappa with its interval."""
    if of.value is None:
        return "–"
    return f"{of.value:.2f}" if of.low is None else f"{of.value:.2f} ({of.low:.2f} to {of.high:.2f})"
