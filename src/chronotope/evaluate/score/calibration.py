"""Calibration: whether a model's probabilities of the option letters say how often it is right."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.evaluate.score.margin import margin_of
from chronotope.evaluate.score.results import Answered
from chronotope.evaluate.score.statistics import Difference, change
from chronotope.protocol import option_letters

BINS = 10  # bins of equal width, as in the source of `calibrate`


@dataclass(frozen=True)
class ReliabilityBin:
    """The asks with a similar confidence.

    ``confidence`` is their mean confidence, and ``accuracy`` the share of them whose likeliest letter is correct.
    """

    confidence: float
    accuracy: float
    items: int


@dataclass(frozen=True)
class Calibration:
    """The calibration of a run.

    - ``bins`` is the reliability curve, from low to high confidence; bins without asks are left out.
    - ``error`` is the expected calibration error, in [0, 1].
    - ``confidence`` is the mean confidence, and ``accuracy`` the share of asks whose likeliest letter is correct.
    - ``margin`` is the mean margin of the correct letter in nats, or None if it is unknown everywhere.
    - ``items`` is the number of asks.
    """

    bins: tuple[ReliabilityBin, ...]
    error: float
    confidence: float
    accuracy: float
    margin: Difference | None
    items: int


def calibrate(answered: Sequence[Answered]) -> Calibration | None:
    """Compare the probabilities of option letters with the share of correct answers.

    Returns None if no ask with one correct option has log-probabilities of its letters. The probabilities of the
    letters of an ask are scaled so that their sum is 1. A letter without a log-probability has the probability 0. The
    confidence is the largest probability. The expected calibration error is the mean difference between confidence and
    accuracy of ten bins of confidence, weighted by the numbers of asks.

    Source: C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger, "On calibration of modern neural networks", ICML 2017.
    """
    told = [known for one in answered if (known := _confidence(one)) is not None]
    if not told:
        return None
    confidence = np.array([value for value, _ in told])
    right = np.array([is_right for _, is_right in told], dtype=float)
    place = np.minimum((confidence * BINS).astype(int), BINS - 1)
    bins = [
        ReliabilityBin(float(confidence[inside].mean()), float(right[inside].mean()), int(inside.sum()))
        for number in range(BINS)
        if (inside := place == number).any()
    ]
    margins = [(margin, one.question.cluster) for one in answered if (margin := margin_of(one)) is not None]
    return Calibration(
        bins=tuple(bins),
        error=sum(one.items * abs(one.accuracy - one.confidence) for one in bins) / len(told),
        confidence=float(confidence.mean()),
        accuracy=float(right.mean()),
        margin=change([margin for margin, _ in margins], [cluster for _, cluster in margins]),
        items=len(told),
    )


def _confidence(one: Answered) -> tuple[float, bool] | None:
    """Return a confidence, and whether the likeliest letter is correct."""
    question, known = one.question, one.line and one.line.letter_log_probabilities
    if not known or len(question.answer) != 1:
        return None
    letters = option_letters(len(one.ask.placement))
    asked = {letter: known[letter] for letter in letters if letter in known}
    if not asked:
        return None
    likeliest = max(asked, key=lambda letter: asked[letter])
    right = letters[one.ask.placement.index(question.answer[0])]
    return 1 / sum(_ratios(asked, likeliest)), likeliest == right


def _ratios(known: Mapping[str, float], likeliest: str) -> list[float]:
    """Return the probability of each letter, divided by that of the likeliest."""
    return [math.exp(value - known[likeliest]) for value in known.values()]
