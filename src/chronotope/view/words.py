"""Numbers as text: percentages, intervals, differences, amounts and times.

The text ``–`` means that a number is unknown.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from chronotope.evaluate.score import Difference, Estimate, Usage

UNKNOWN = "–"
# A placeholder for the word for clusters, which differs between benchmarks; `called` replaces it.
CLUSTER = "\ue000"
TOO_FEW = f"too few {CLUSTER}s"  # the text that replaces a missing interval


def percent(fraction: float | None) -> str:
    """Format a fraction in percent with one decimal.

    A fraction above 0 is never formatted as 0.
    """
    if fraction is None:
        return UNKNOWN
    return "<0.1" if 0 < fraction < 0.0005 else f"{100 * fraction:.1f}"


def interval(estimate: Estimate) -> str:
    """Format the 95 % interval in whole percent.

    If there are too few clusters for an interval, the text states that.
    """
    if estimate.low is None or estimate.high is None:
        return TOO_FEW
    return f"{100 * estimate.low:.0f}–{100 * estimate.high:.0f}"


def points(fraction: float) -> str:
    """Format a difference of two fractions in percentage points, with sign."""
    return _with_sign(100 * fraction, 1)


def difference_interval(difference: Difference) -> str:
    """Format the 95 % interval of a difference in percentage points.

    If there are too few clusters for an interval, the text states that.
    """
    return _interval(difference, points)


def signed(value: float) -> str:
    """Format a change with two decimals and its sign."""
    return _with_sign(value, 2)


def change_interval(change: Difference) -> str:
    """Format the 95 % interval of a change in any unit.

    If there are too few clusters for an interval, the text states that.
    """
    return _interval(change, signed)


def _with_sign(value: float, decimals: int) -> str:
    rounded = round(value, decimals)
    sign = "+" if rounded > 0 else "−" if rounded < 0 else ""
    return f"{sign}{abs(rounded):.{decimals}f}"


def _interval(change: Difference, printed: Callable[[float], str]) -> str:
    if change.low is None or change.high is None:
        return TOO_FEW
    return f"{printed(change.low)} to {printed(change.high)}"


def called(page: str, cluster: str) -> str:
    """Insert the family's word for a cluster into a text."""
    return type(page)(page.replace(CLUSTER, cluster))


def setting(value: Any) -> str:
    """Format the value of a setting.

    A text is unchanged; all other values are formatted as JSON.
    """
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def count(number: int | None) -> str:
    """Format a whole number, with commas between thousands."""
    return UNKNOWN if number is None else f"{number:,}"


def amount(money: float | None) -> str:
    """Format an amount of money in the service's currency.

    The text has two decimals, or more for amounts below one.
    """
    if money is None:
        return UNKNOWN
    return f"{money:,.2f}" if money >= 1 or money == 0 else f"{money:.2g}" if money >= 0.0001 else f"{money:.1e}"


def duration(seconds: float | None) -> str:
    """Format a duration in everyday units."""
    if seconds is None:
        return UNKNOWN
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds >= 0.95 else f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def span(taken: Usage) -> str:
    """Format the time span of a run's calls, in UTC.

    Times that are not in ISO 8601 format are unchanged.
    """
    first, last = taken.first, taken.last
    if first is None or last is None:
        return UNKNOWN
    try:
        start, end = (datetime.fromisoformat(stamp).astimezone(UTC) for stamp in (first, last))
    except ValueError:
        return f"{first} – {last}"
    if start.replace(microsecond=0) == end.replace(microsecond=0):
        return f"{start:%Y-%m-%d %H:%M:%S} UTC"
    until = f"{end:%H:%M:%S}" if start.date() == end.date() else f"{end:%Y-%m-%d %H:%M:%S}"
    return f"{start:%Y-%m-%d %H:%M:%S} – {until} UTC"
