"""The random choice of factors that are equally plausible, although some values are more usual than others.

A reader who knows the usual values prefers options with usual values. If the true value had each rank with the same
probability, such a guess would often be correct. Therefore a choice of factors is kept with a probability that makes
all five worlds equally likely for this reader.
"""

from collections.abc import Callable, Sequence
from re import search

import numpy as np

from chronotope.question import item_generator, rungs_by_chance

COUNT = 5
_RANKS = np.arange(COUNT)
# The places of the members of a ladder among the factors of `_after`, (COUNT, COUNT): by the rank of 1, then by member.
_MEMBERS = COUNT - 1 + _RANKS - _RANKS[:, None]

Likelihood = Callable[[np.ndarray], np.ndarray]


def draw_factors(
    generator: np.random.Generator, likelihood: Likelihood, ratios: Sequence[float], rank: int | None = None
) -> tuple[float, np.ndarray]:
    """Return a ratio, and factors (5,) with this ratio between neighbours.

    One factor is 1; it has the given ``rank``, or else a random one. ``likelihood`` is called with factors (any shape),
    and returns the relative likelihood of the true values after multiplication by each factor. Each ratio is tried
    once. If no ratio is kept, the smallest ratio is used. The likelihoods of the five worlds can differ only in this
    last case.
    """
    place = int(generator.integers(COUNT)) if rank is None else rank
    reached: Likelihood = lambda factors: np.repeat(likelihood(factors)[..., None], COUNT, axis=-1)  # noqa: E731
    for ratio in rungs_by_chance(generator, ratios):
        factors = _factors(ratio, place)
        if generator.random() < _kept(reached, factors, place):
            return ratio, factors
        reached = _after(reached, ratio)
    return min(ratios), _factors(min(ratios), place)


def balanced_rank(seed: int, name: str, what: str) -> int:
    """Return a rank among five for a recording, so that few recordings have no usual rank.

    The rank is random. If names end with numbers, five recordings in a row have five different ranks. ``what`` is the
    quantity whose rank it is.
    """
    found = search(r"\d+$", name)
    number, start = (int(found[0]), name[: found.start()]) if found else (0, name)
    block, place = divmod(number, COUNT)
    return int(item_generator(seed, "sti", f"{start}{block}", f"rank of {what}").permutation(COUNT)[place])


def _factors(ratio: float, rank: int) -> np.ndarray:
    return ratio ** (_RANKS - float(rank))


def _kept(reached: Likelihood, factors: np.ndarray, rank: int) -> float:
    """Return the probability of keeping factors (5,) with the true world at ``rank``.

    The probability is the likelihood of the least likely world at its rank, divided by that of the true world.
    """
    worlds = np.diagonal(reached(factors))
    return float(worlds.min() / worlds[rank]) if worlds[rank] > 0 else 0.0


def _after(reached: Likelihood, ratio: float) -> Likelihood:
    """Update a likelihood after a choice with ``ratio`` was not kept.

    The last axis of the likelihood is the rank of the true world, which is the same for all ratios. For unusual values,
    wide ratios are kept less often than for usual values. So without this correction, a narrow ratio would be a hint
    that the value is unusual.
    """
    # The factors of all ladders that contain 1: any five successive factors are a ladder.
    steps = ratio ** np.arange(1.0 - COUNT, COUNT)

    def after(factors: np.ndarray) -> np.ndarray:
        around = reached(factors[..., None] * steps)
        least = around[..., _MEMBERS, _RANKS].min(axis=-1)
        return np.maximum(around[..., COUNT - 1, :] - least, 0.0)

    return after
