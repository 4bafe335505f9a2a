"""The fit against psignifit 4, a published implementation (Schuett, Harmeling, Macke and Wichmann, 2016)."""

import math
import warnings
from collections.abc import Callable

import numpy as np
import psignifit
import psignifit.sigmoids
import pytest
from numpy.typing import NDArray
from scipy.stats import halfnorm

from chronotope.evaluate.score import ThresholdFit, Trials, fit_threshold
from chronotope.evaluate.score.likelihood import LARGEST_LAPSE
from simulated_observers import LADDER, OPTIONS, Design, Observer

PER_SPACING = 120
ANGLES = (5.0, 10.0, 20.0, 40.0)


class Nearest(psignifit.sigmoids.Sigmoid):
    """How often the nearest option is right, by the logarithm of the spacing: its shape has no parameter."""

    def _value(self, stimulus_level: NDArray, threshold: NDArray, width: NDArray) -> NDArray:
        return halfnorm.cdf(np.exp(stimulus_level - threshold) * halfnorm.ppf(0.5))

    def _inverse(self, prop_correct: NDArray, threshold: NDArray, width: NDArray) -> NDArray:
        return np.log(halfnorm.ppf(prop_correct) / halfnorm.ppf(0.5)) + threshold

    def _slope(self, stimulus_level: NDArray, threshold: NDArray, width: NDArray) -> NDArray:
        scaled = np.exp(stimulus_level - threshold) * halfnorm.ppf(0.5)
        return halfnorm.pdf(scaled) * scaled

    def _standard_parameters(self, threshold: NDArray, width: NDArray) -> tuple:
        return threshold, width


def flat(low: float, high: float) -> Callable[[NDArray], NDArray]:
    """A prior that is even between two values."""
    return lambda values: ((np.asarray(values) >= low) & (np.asarray(values) <= high)).astype(float)


def published(design: Design, scores: NDArray) -> tuple[float, float, tuple[float, float]]:
    """Threshold, lapse rate, and 95 % interval of the threshold by psignifit, with flat priors."""
    ladder = np.unique(design.spacings)
    own = [design.spacings == spacing for spacing in ladder]
    data = np.array([[math.log(at), scores[of].sum(), of.sum()] for at, of in zip(ladder, own, strict=True)])
    span = (math.log(ladder[0]) - 2, math.log(ladder[-1]) + 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about thresholds near an end of the ladder
        fit = psignifit.psignifit(
            data,
            sigmoid=Nearest(),
            experiment_type="nAFC",
            experiment_choices=OPTIONS,
            # No free width, and no variance beyond that of a binomial distribution.
            fixed_parameters={"width": 1.0, "eta": 1e-8},
            bounds={"threshold": span, "lambda": (0.0, LARGEST_LAPSE)},
            priors={"threshold": flat(*span), "lambda": flat(0.0, LARGEST_LAPSE)},
            stimulus_range=span,
            grid_steps={"threshold": 200, "lambda": 60},
            verbose=False,
        )
    found = fit.parameter_estimate_MAP
    low, high = fit.confidence_intervals["threshold"]["0.95"]
    return math.exp(found["threshold"]), found["lambda"], (math.exp(low), math.exp(high))


def both(observer: Observer, ladder: tuple[float, ...], seed: int) -> tuple[ThresholdFit, tuple]:
    """The same answers by both implementations; each question is a clip of its own."""
    generator = np.random.default_rng(seed)
    spacings = np.repeat(ladder, PER_SPACING)
    design = Design(np.arange(spacings.size), spacings, generator.integers(0, OPTIONS, spacings.size))
    scores = observer.scores(generator, design)
    ours = fit_threshold(Trials(scores, design.spacings, design.chances, design.names))
    return ours, published(design, scores)


@pytest.mark.parametrize(
    ("observer", "ladder"),
    [
        (Observer(math.log(1.1)), LADDER),
        (Observer(math.log(1.2), 0.05), LADDER),
        (Observer(math.log(1.5), 0.1), LADDER),
        (Observer(12.0, 0.05), ANGLES),
    ],
)
def test_a_fit_is_that_of_psignifit(observer: Observer, ladder: tuple[float, ...]) -> None:
    for seed in range(3):
        ours, (threshold, lapse, interval) = both(observer, ladder, seed)
        assert ours.threshold == pytest.approx(threshold, rel=2e-3)
        assert ours.lapse == pytest.approx(lapse, abs=2e-3)
        # A credible interval is not a confidence interval, but with many questions they are nearly the same.
        assert ours.low is not None and ours.high is not None
        width = math.log(interval[1] / interval[0])
        assert math.log(ours.low / interval[0]) == pytest.approx(0, abs=0.2 * width)
        assert math.log(ours.high / interval[1]) == pytest.approx(0, abs=0.2 * width)
