"""The random choice of factors that are equally plausible, although some values are more usual than others.

A reader who knows the usual values prefers options with usual values. If the true value had each rank with the same
probability, such a guess would often be correct. Therefore a choice of factors is kept with a probability that makes
all five worlds equally likely for this reader.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from chronotope.question import rungs_by_chance

COUNT = 5

Likelihood = Callable[[np.ndarray], np.ndarray]


def draw_factors(
    generator: np.random.Generator, likelihood: Likelihood, ratios: Sequence[float]
) -> tuple[float, np.ndarray]:
    """Return a ratio, and factors (5,) with this ratio between neighbours.

    One factor is 1. ``likelihood`` is called with factors (any shape), and returns the relative likelihood of the true
    values after multiplication by each factor. Each ratio is tried once. If no ratio is kept, the smallest ratio is
    used, with a factor of 1 at a random rank. The likelihoods of the five worlds can differ only in this last case.
    """
    reached = likelihood
    for ratio in rungs_by_chance(generator, ratios):
        factors = _factors(ratio, int(generator.integers(COUNT)))
        if generator.random() < _kept(reached, factors):
            return ratio, factors
        reached = _after(reached, ratio)
    return min(ratios), _factors(min(ratios), int(generator.integers(COUNT)))


def _factors(ratio: float, rank: int) -> np.ndarray:
    return ratio ** (np.arange(COUNT) - float(rank))


def _kept(likelihood: Likelihood, factors: np.ndarray) -> np.ndarray:
    """Return the probability of keeping factors (..., 5).

    The probability is the likelihood of the least likely world, divided by the likelihood of the true world.
    """
    true = likelihood(np.ones(factors.shape[:-1]))
    least = likelihood(factors).min(axis=-1)
    return np.divide(least, true, out=np.zeros_like(true), where=true > 0)


def _after(likelihood: Likelihood, ratio: float) -> Likelihood:
    """Update a likelihood after a choice with ``ratio`` was not kept.

    For unusual values, wide ratios are kept less often than for usual values. So without this correction, a narrow
    ratio would be a hint that the value is unusual.
    """
    # The factors of all ladders that contain 1: any five successive factors are a ladder.
    steps = ratio ** np.arange(1.0 - COUNT, COUNT)

    def after(factors: np.ndarray) -> np.ndarray:
        around = likelihood(factors[..., None] * steps)
        least = sliding_window_view(around, COUNT, axis=-1).min(axis=-1).mean(axis=-1)
        return np.maximum(around[..., COUNT - 1] - least, 0.0)

    return after
