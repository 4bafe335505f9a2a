"""Thresholds as text: the smallest spacing that a run distinguishes, and comparisons of two runs."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from chronotope.evaluate.score import Precision, PrecisionRatio, ThresholdRatio
from chronotope.evaluate.score.precision import SpacingUnit

__all__ = [
    "UNLIKELY",
    "interval_words",
    "precision_data",
    "precision_sentence",
    "ratio_data",
    "ratio_differs",
    "ratio_range",
    "ratio_sentence",
    "ratio_words",
    "spacing_words",
    "threshold_words",
]

CLOSE = 0.01  # a ratio below 1 + CLOSE is printed with more than two decimals
UNLIKELY = 0.01  # the sentence mentions a misfit whose probability is less than UNLIKELY


def spacing_words(spacing: float, unit: SpacingUnit) -> str:
    """Format a spacing, such as ``1 : 1.4`` or ``10°``."""
    return f"{_figure(spacing, unit)}°" if unit == "degrees" else f"1 : {_figure(spacing, unit)}"


def precision_sentence(one: Precision, cluster: str) -> str:
    """Describe the precision of a run for a quantity.

    The sentence begins with its verb. ``cluster`` is the family's word for clusters. If the threshold is outside the
    range of spacings in the questions, the sentence gives only a limit.
    """
    fit, subject = one.fit, one.subject
    finest, widest = (spacing_words(spacing, subject.unit) for spacing in (one.finest, one.widest))
    if _unknown(one):
        said = f"was asked too few questions to say how finely it tells {subject.name} apart"
        return f"{said} ({fit.items} on {fit.clusters} {cluster}s)"
    if fit.threshold > one.widest:
        said = f"cannot tell {subject.name} apart at {widest}"
        reach = "" if fit.low is None or fit.low >= one.widest else interval_words(one)
        guess = "not above chance" if fit.high == math.inf else ""
        remarks = [reach, guess]
    elif fit.threshold < one.finest:
        said = f"tells {subject.name} apart at better than {finest}"
        remarks = ["" if fit.high is None or fit.high < one.finest else f"at most {_end(one, fit.high)}"]
    else:
        said = f"tells {subject.name} apart at {spacing_words(fit.threshold, subject.unit)}"
        remarks = [interval_words(one)]
    if fit.low is None:
        remarks = [f"too few {cluster}s for an interval"]
    if fit.misfit is not None and fit.misfit < UNLIKELY:
        remarks.append("its accuracies do not follow the curve")
    known = "; ".join(filter(None, remarks))
    return f"{said} ({known})" if known else said


def threshold_words(one: Precision) -> str:
    """Format a threshold for a table.

    If the threshold is outside the range of spacings in the questions, the text gives only a limit. If the interval
    extends beyond this range at both ends, the threshold is unknown.
    """
    unit = one.subject.unit
    if _unknown(one):
        return "not known"
    if one.fit.threshold > one.widest:
        return f"> {spacing_words(one.widest, unit)}"
    if one.fit.threshold < one.finest:
        return f"< {spacing_words(one.finest, unit)}"
    return spacing_words(one.fit.threshold, unit)


def interval_words(one: Precision) -> str:
    """Format the interval of a threshold.

    If an end of the interval is outside the range of spacings in the questions, the text gives only a limit for this
    end. If there is no interval, the text is empty.
    """
    if one.fit.low is None or one.fit.high is None:
        return ""
    if _unknown(one):
        return "too few questions"
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
        "low": _plain(fit.low, unit),
        "high": _plain(fit.high, unit),
        "lapse": fit.lapse,
        "misfit": fit.misfit,
        "chance": one.chance,
        "items": fit.items,
        "clusters": fit.clusters,
        "points": [{"spacing": _plain(of.spacing, unit), **asdict(of.accuracy)} for of in one.points],
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
            "quantity": one.subject.quantity,
            "unit": one.subject.unit,
            "without_scale": one.subject.no_scale,
            "ratio": _finite(one.ratio.value),
            "low": _finite(one.ratio.low),
            "high": _finite(one.ratio.high),
            "items": one.ratio.items,
            "clusters": one.ratio.clusters,
            "words": ratio_sentence(one, first, second, cluster),
        }
        for one in ratios
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
