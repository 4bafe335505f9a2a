"""The values of a probe as texts."""

from dataclasses import dataclass

from chronotope.view.words import percent


@dataclass(frozen=True)
class ProbeValue:
    """One measured value: its name, its text, and the texts of its interval and its chance."""

    name: str
    text: str
    value: float
    interval: str | None = None
    chance: str | None = None


def in_percent(
    name: str, value: float, low: float | None, high: float | None, chance: float | None = None
) -> ProbeValue:
    """Return a share in percent."""
    limits = None if low is None or high is None else f"{percent(low)} to {percent(high)}"
    by_chance = None if chance is None else f"{percent(chance)} %"
    return ProbeValue(name, f"{percent(value)} %", value, limits, by_chance)


def plain_value(
    name: str, value: float, low: float | None, high: float | None, chance: float | None = None
) -> ProbeValue:
    """Return a value with two decimals."""
    limits = None if low is None or high is None else f"{low:.2f} to {high:.2f}"
    return ProbeValue(name, f"{value:.2f}", value, limits, None if chance is None else f"{chance:.2f}")
