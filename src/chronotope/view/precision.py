"""Thresholds as text: the smallest spacing that a run distinguishes, and comparisons of two runs."""

import math
from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any, Literal

from chronotope.evaluate.score import Precision, PrecisionRatio, ThresholdRatio
from chronotope.evaluate.score.precision import SpacingUnit

Sight = Literal["few", "guess", "beyond", "finer", "within"]
CLOSE = 0.01  # a ratio below 1 + CLOSE is printed with more than two decimals
UNLIKELY = 0.01  # the sentence mentions a misfit whose probability is less than UNLIKELY


def spacing_words(spacing: float, unit: SpacingUnit) -> str:
    """Format a spacing, such as ``1 : 1.4`` or ``10°``."""
    return f"{_figure(spacing, unit)}°" if unit == "degrees" else f"1 : {_figure(spacing, unit)}"


def sight_of(one: Precision) -> Sight:
    """Return how finely a run sees a quantity, as a kind.

    - ``few``: the interval says nothing about the spacings of the questions, or there is none.
    - ``guess``: a run that guesses is within the interval.
    - ``beyond``: the threshold is wider than all spacings of the questions.
    - ``finer``: the threshold is smaller than all spacings of the questions.
    - ``within``: the threshold is among the spacings.
    """
    fit = one.fit
    if fit.low is None or _unknown(one):
        return "few"
    if fit.high == math.inf:
        return "guess"
    if fit.threshold > one.widest:
        return "beyond"
    return "finer" if fit.threshold < one.finest else "within"


def precision_sentence(one: Precision, cluster: str) -> str:
    """Describe the precision of a run for a quantity.

    The sentence begins with its verb. ``cluster`` is the family's word for clusters. If the threshold is outside the
    range of spacings in the questions, the sentence gives only a limit.
    """
    name, fit = one.subject.name, one.fit
    finest, widest = (spacing_words(spacing, one.subject.unit) for spacing in (one.finest, one.widest))
    match sight_of(one):
        case "few":
            count = f"{fit.clusters} {cluster}{'' if fit.clusters == 1 else 's'}"
            few = f"an interval needs more {cluster}s" if fit.low is None else "the interval covers all spacings asked"
            return f"has no known threshold for {name}: {few} ({fit.items} questions on {count})"
        case "guess":
            said, reach = f"is not clearly better than a guess at {name}", ""
        case "beyond":
            said = f"sees {name} only if they differ by more than {widest}"
            reach = "" if fit.low is None or fit.low >= one.widest else interval_words(one)
        case "finer":
            said = f"sees {name} to better than {finest}"
            reach = "" if fit.high is None or fit.high < one.finest else f"at most {_end(one, fit.high)}"
        case _:
            said, reach = f"sees {name} to {spacing_words(fit.threshold, one.subject.unit)}", interval_words(one)
    misfit = fit.misfit is not None and fit.misfit < UNLIKELY and sight_of(one) != "guess"
    known = "; ".join(filter(None, [reach, "its accuracies do not follow the curve" if misfit else ""]))
    return f"{said} ({known})" if known else said


def quantity_sentence(named: Sequence[tuple[str, Precision]], cluster: str, blind: Collection[str] = ()) -> str:
    """Describe the precision of several runs for one quantity in a sentence.

    ``named`` are the names of the runs with their values. Runs that see the quantity are described, all others are
    counted. The runs ``blind`` got no pictures, so they see nothing, and have no threshold.
    """
    kinds = {name: _kind(one, name in blind) for name, one in named}
    said = [f"{name} {precision_sentence(one, cluster)}" for name, one in named if kinds[name] == "sees"]
    for kind, (one, several, every) in _COUNTED.items():
        names = [name for name, _ in named if kinds[name] == kind]
        if len(names) == 1:
            said.append(f"{names[0]} {one}")
        elif names and len(names) == len(named):
            said.append(every)
        elif names:
            said.append(f"{len(names)} {'other ' if said else ''}runs {several}")
    return f"{'; '.join(said)}."


def _kind(one: Precision, blind: bool) -> str:
    sight = sight_of(one)
    if sight == "guess":
        return sight
    if sight == "few":
        return "open" if blind and one.fit.low is not None else "clusters" if one.fit.low is None else "few"
    return "blind" if blind else "sees"


# The words about one run of a kind, about several, and about all.
_ABOVE = "no pictures, but {} above chance for this quantity alone"
_COVERED = "no known threshold, because its interval covers all spacings asked"
_COUNTED = {
    "blind": (
        f"sees {_ABOVE.format('is')}",
        f"see {_ABOVE.format('are')}",
        f"All runs see {_ABOVE.format('are')}",
    ),
    "guess": (
        "is not clearly better than a guess",
        "are not clearly better than a guess",
        "No run is clearly better than a guess",
    ),
    "few": (f"has {_COVERED}", f"have {_COVERED}", f"Each run has {_COVERED}"),
    "open": (
        "sees no pictures, and was asked too little to tell it from a guess",
        "see no pictures, and were asked too little to tell them from a guess",
        "All runs see no pictures, and were asked too little to tell them from a guess",
    ),
    "clusters": (
        "was asked too little for an interval",
        "were asked too little for an interval",
        "All runs were asked too little for an interval",
    ),
}


def threshold_words(one: Precision) -> str:
    """Format a threshold for a table.

    If the threshold is outside the range of spacings in the questions, the text gives only a limit. If a run that
    guesses is within the interval, or if the interval extends beyond the range at both ends, the threshold is unknown.
    """
    unit = one.subject.unit
    if _unknown(one):
        return "not known"
    if one.fit.low is not None and sight_of(one) == "guess":
        return "may be guessing"
    if one.fit.threshold > one.widest:
        return f"> {spacing_words(one.widest, unit)}"
    if one.fit.threshold < one.finest:
        return f"< {spacing_words(one.finest, unit)}"
    return spacing_words(one.fit.threshold, unit)


def correct_at_threshold(one: Precision) -> float | None:
    """Return the fitted accuracy at the threshold: halfway between chance and the curve's top.

    The result is None if the threshold is infinite.
    """
    return None if one.fit.threshold == math.inf else one.chance + (1 - one.chance - one.fit.lapse) / 2


def interval_words(one: Precision) -> str:
    """Format the interval of a threshold.

    If an end of the interval is outside the range of spacings in the questions, the text gives only a limit for this
    end. If there is no interval, the text is empty.
    """
    if one.fit.low is None or one.fit.high is None:
        return ""
    if _unknown(one):
        return "covers all spacings asked"
    if one.fit.high < one.finest:
        return f"less than {_end(one, one.finest)}"
    if one.fit.low >= one.widest:
        return f"more than {_end(one, one.widest)}"
    low = f"less than {_end(one, one.finest)}" if one.fit.low < one.finest else _end(one, one.fit.low)
    high = f"more than {_end(one, one.widest)}" if one.fit.high > one.widest else _end(one, one.fit.high)
    return f"{low} to {high}"


def ratio_sentence(one: PrecisionRatio, first: str, second: str, cluster: str) -> str:
    """Compare two runs' thresholds of one quantity in a sentence."""
    ratio, name = one.ratio, one.subject.name
    over = f"{ratio.items} questions on {ratio.clusters} {cluster}s"
    if ratio.low is None or (ratio.low == 0 and ratio.high == math.inf):
        few = f"{cluster}s" if ratio.low is None else "questions"
        return f"The precision of {first} and {second} for {name} cannot be compared: too few {few} ({over})"
    bounded = ratio.value is not None and 0 < ratio.value < math.inf
    needs = f"{ratio_words(ratio)} times the spacing ({ratio_range(ratio)}; {over})"
    needs = needs if bounded else f"{ratio_range(ratio)} times the spacing ({over})"
    if not ratio_differs(ratio):
        same = f"These {cluster}s show no difference in precision between {first} and {second} for {name}"
        return f"{same}: {first} needs {needs}"
    finer = "less" if ratio.low > 1 else "more"
    return f"{first} tells {name} apart {finer} finely than {second}: it needs {needs}"


def ratio_differs(ratio: ThresholdRatio) -> bool:
    """Check whether the interval excludes 1."""
    return ratio.low is not None and ratio.high is not None and not ratio.low <= 1 <= ratio.high


def ratio_words(ratio: ThresholdRatio) -> str:
    """Format a ratio of thresholds."""
    if ratio.value is None or (ratio.low == 0 and ratio.high == math.inf):
        return "not known"
    return _times(ratio.value)


def ratio_range(ratio: ThresholdRatio) -> str:
    """Format the interval of a ratio.

    If there is no interval, the text is empty.
    """
    if ratio.low is None or ratio.high is None:
        return ""
    if ratio.high == math.inf:
        return "too few questions" if ratio.low == 0 else f"at least {_times(ratio.low)}"
    return f"at most {_times(ratio.high)}" if ratio.low == 0 else f"{_times(ratio.low)} to {_times(ratio.high)}"


def precision_data(one: Precision, cluster: str) -> dict[str, Any]:
    """Return a threshold with its points as plain values.

    A spacing is a ratio, or an angle in degrees. ``threshold`` and ``high`` are None if they are infinite. ``low`` is
    None if there is no interval.
    """
    unit, fit = one.subject.unit, one.fit
    return {
        "quantity": one.subject.quantity,
        "unit": unit,
        "without_scale": one.subject.no_scale,
        "threshold": _plain(fit.threshold, unit),
        "correct_there": correct_at_threshold(one),
        "low": _plain(fit.low, unit),
        "high": _plain(fit.high, unit),
        "lapse": fit.lapse,
        "misfit": fit.misfit,
        "chance": one.chance,
        "items": fit.items,
        "clusters": fit.clusters,
        "points": [{"spacing": _plain(of.spacing, unit), **asdict(of.accuracy)} for of in one.points],
        "sight": sight_of(one),
        "shown": threshold_words(one),
        "interval": interval_words(one),
        "words": precision_sentence(one, cluster),
    }


def ratio_data(ratios: Sequence[PrecisionRatio], first: str, second: str, cluster: str) -> list[dict[str, Any]]:
    """Return two runs' ratios of thresholds as plain values.

    ``ratio`` and ``high`` are None if they are infinite.
    """
    return [
        {
            "first": first,
            "second": second,
            "quantity": ratio.subject.quantity,
            "unit": ratio.subject.unit,
            "without_scale": ratio.subject.no_scale,
            "ratio": _finite(ratio.ratio.value),
            "low": _finite(ratio.ratio.low),
            "high": _finite(ratio.ratio.high),
            "items": ratio.ratio.items,
            "clusters": ratio.ratio.clusters,
            "words": ratio_sentence(ratio, first, second, cluster),
        }
        for ratio in ratios
    ]


def _unknown(one: Precision) -> bool:
    """Check whether both ends of the interval are outside the questions' spacings."""
    low, high = one.fit.low, one.fit.high
    return low is not None and high is not None and low < one.finest and high > one.widest


def _figure(spacing: float, unit: SpacingUnit) -> str:
    """Format a ratio with two decimals, or an angle with two digits.

    Ratios close to 1 have more decimals.
    """
    of = spacing if unit == "degrees" else math.expm1(spacing)
    digits = max(0, 1 - math.floor(math.log10(of))) if of > 0 else 0
    if unit == "ratio" and of >= CLOSE:
        digits = min(digits, 2)
    text = f"{of if unit == 'degrees' else 1 + of:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _end(one: Precision, spacing: float) -> str:
    """Format the end of an interval, without ``1 :``."""
    text = _figure(spacing, one.subject.unit)
    return f"{text}°" if one.subject.unit == "degrees" else text


def _times(ratio: float) -> str:
    if ratio == math.inf:
        return "∞"
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


def _plain(spacing: float | None, unit: SpacingUnit) -> float | None:
    if spacing is None or unit == "degrees":
        return _finite(spacing)
    return _finite(math.exp(spacing)) if spacing < 700 else None


def _finite(value: float | None) -> float | None:
    return None if value is None or math.isinf(value) else value
