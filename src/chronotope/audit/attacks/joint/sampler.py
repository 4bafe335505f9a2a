"""A sequential Monte Carlo sampler that chooses, for all questions, options whose values fit smooth processes.

A channel is a Gaussian process, and each observation of a channel is a linear functional of this process. Every
hypothesis (a smoothness and a bend) gives each channel a covariance. The sampler starts from random choices and raises
the weight of the likelihood step by step. After each step, every choice is drawn again, given all others (Gibbs). In
addition, the sampler tries to move all choices to the next larger or to the next smaller option. Gibbs steps alone
rarely find choices in which all values are larger or smaller by a common factor.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

STEPS = 40  # number of tempering steps
PARTICLES = 40  # number of particles for each hypothesis
WORLD_SWEEPS = 6  # number of sweeps in the second search, which starts from options of equal rank


@dataclass(frozen=True, eq=False)
class Channel:
    """Observations of one process.

    ``variables`` (n,) are the questions of the observations, or -1 for a stated fact. ``values`` (n, 5, D) are the
    observed values for each option, minus the expected value of the observation. ``covariances`` (B, n, n) are the
    covariances of the values for B hypotheses.
    """

    variables: np.ndarray
    values: np.ndarray
    covariances: np.ndarray

    @cached_property
    def precision(self) -> tuple[np.ndarray, np.ndarray]:
        """Return inverse covariances (B, n, n) and log normalization constants (B,)."""
        precision = np.linalg.inv(self.covariances)
        return precision, 0.5 * self.values.shape[2] * np.linalg.slogdet(precision)[1]


@dataclass
class _State:
    """The values chosen in one channel, (B, R, n, D), and their product with the precision."""

    precision: np.ndarray  # (B, n, n)
    constant: np.ndarray  # (B,), the constant of the log density
    chosen: np.ndarray
    product: np.ndarray

    def log_density(self) -> np.ndarray:
        """Return the log density (B, R) of the chosen values."""
        return self.constant[:, None] - 0.5 * np.einsum("brnd,brnd->br", self.chosen, self.product)


def best_options(generator: np.random.Generator, sizes: Sequence[np.ndarray], channels: Sequence[Channel]) -> list[int]:
    """Return the options, one for each variable, that fit together best.

    ``sizes`` has the magnitudes of each variable's options, which give the ranks of the options. If a channel has
    values for more options than a variable has, the additional values are not used. A second search starts from choices
    in which all options have the same rank. Its result is used if its density is clearly higher. The second search is
    needed because a search from random choices can miss a narrow peak of the density.
    """
    hypotheses = channels[0].covariances.shape[0]
    picked = np.stack([generator.integers(0, len(size), (hypotheses, PARTICLES)) for size in sizes], axis=-1)
    states = [_start(channel, picked) for channel in channels]
    weights = np.zeros((hypotheses, PARTICLES))
    heats = (np.arange(STEPS + 1) / STEPS) ** 2
    for step in range(1, STEPS + 1):
        weights += (heats[step] - heats[step - 1]) * _density(states)
        weights = _resample(generator, weights, picked, states)
        _sweep(generator, sizes, channels, states, picked, float(heats[step]))
        _shift(generator, sizes, channels, states, picked, float(heats[step]))
    worlds = _worlds(sizes, hypotheses)
    others = [_start(channel, worlds) for channel in channels]
    for _ in range(WORLD_SWEEPS):
        _sweep(generator, sizes, channels, others, worlds, 1.0)
    reached, density = _density(others), _density(states)
    if reached.max() > density.max() + 1:
        row, column = np.unravel_index(int(reached.argmax()), reached.shape)
        return worlds[row, column].tolist()
    shares = np.exp(weights - weights.max())
    return [
        int(np.argmax([shares[picked[:, :, variable] == option].sum() for option in range(len(size))]))
        for variable, size in enumerate(sizes)
    ]


def _density(states: Sequence[_State]) -> np.ndarray:
    """Return the log density (B, R) over all channels."""
    return np.sum([state.log_density() for state in states], axis=0)


def _worlds(sizes: Sequence[np.ndarray], hypotheses: int) -> np.ndarray:
    """Return the choices with which the second search starts.

    There is one set of choices for each rank: all its options have this rank. The array has the shape
    (B, R, variables).
    """
    ranks = max(len(size) for size in sizes)
    each = np.stack([np.argsort(size, kind="stable")[np.arange(ranks).clip(max=len(size) - 1)] for size in sizes], -1)
    return np.repeat(each[None], hypotheses, axis=0)


def _sweep(
    generator: np.random.Generator,
    sizes: Sequence[np.ndarray],
    channels: Sequence[Channel],
    states: Sequence[_State],
    picked: np.ndarray,
    heat: float,
) -> None:
    """Draw every choice again, given all others."""
    seen = _places(len(sizes), channels)
    for variable in generator.permutation(len(sizes)).tolist():
        count = len(sizes[variable])
        odds = np.zeros((*picked.shape[:2], count))
        for channel, place in seen[variable]:
            odds += heat * _odds(channels[channel], states[channel], place, count)
        drawn = (odds + generator.gumbel(size=odds.shape)).argmax(axis=-1)
        picked[:, :, variable] = drawn
        for channel, place in seen[variable]:
            _replace(channels[channel], states[channel], place, drawn)


def _places(variables: int, channels: Sequence[Channel]) -> list[list[tuple[int, int]]]:
    """Return the channels and observations of each variable."""
    places: list[list[tuple[int, int]]] = [[] for _ in range(variables)]
    for number, channel in enumerate(channels):
        for place, variable in enumerate(channel.variables.tolist()):
            if variable >= 0:
                places[variable].append((number, place))
    return places


def _start(channel: Channel, picked: np.ndarray) -> _State:
    precision, constant = channel.precision
    depth = channel.values.shape[2]
    number = len(channel.variables)
    chosen = np.empty((*picked.shape[:2], number, depth))
    for place, variable in enumerate(channel.variables.tolist()):
        chosen[:, :, place] = channel.values[place][picked[:, :, variable] if variable >= 0 else 0]
    return _State(precision, constant, chosen, np.einsum("bmn,brnd->brmd", precision, chosen))


def _odds(channel: Channel, state: _State, place: int, count: int) -> np.ndarray:
    """Return the log density of each option, given all other choices.

    The array has the shape (B, R, count).
    """
    own = state.precision[:, place, place][:, None, None]
    expected = state.chosen[:, :, place] - state.product[:, :, place] / own
    off = channel.values[place, :count] - expected[:, :, None, :]
    return -0.5 * own * (off**2).sum(axis=-1)


def _replace(channel: Channel, state: _State, place: int, drawn: np.ndarray) -> None:
    """Write the values of the drawn options (B, R) at ``place``."""
    values = channel.values[place][drawn]
    change = values - state.chosen[:, :, place]
    state.chosen[:, :, place] = values
    state.product += state.precision[:, None, :, place, None] * change[:, :, None, :]


def _shift(
    generator: np.random.Generator,
    sizes: Sequence[np.ndarray],
    channels: Sequence[Channel],
    states: Sequence[_State],
    picked: np.ndarray,
    heat: float,
) -> None:
    """Try to shift all choices of a particle by some ranks.

    A shift is accepted by the Metropolis rule. A choice is never shifted beyond the lowest or the highest rank.
    """
    step = generator.choice([-2, -1, 1, 2], picked.shape[:2])
    moved = picked.copy()
    for variable, size in enumerate(sizes):
        order = np.argsort(size, kind="stable")
        ranks = np.argsort(order)[picked[:, :, variable]] + step
        moved[:, :, variable] = order[ranks.clip(0, len(size) - 1)]
    tried = [_start(channel, moved) for channel in channels]
    gain = _density(tried) - _density(states)
    taken = np.log(generator.random(gain.shape)) < heat * gain
    picked[taken] = moved[taken]
    for after, before in zip(tried, states, strict=True):
        before.chosen[taken], before.product[taken] = after.chosen[taken], after.product[taken]


def _resample(
    generator: np.random.Generator, weights: np.ndarray, picked: np.ndarray, states: Sequence[_State]
) -> np.ndarray:
    """Draw particles by weight within each hypothesis; return their new weights.

    The total weight of a hypothesis does not change. If the particles of a hypothesis still have similar weights, they
    are kept.
    """
    top = weights.max(axis=1, keepdims=True)
    shares = np.exp(weights - top)
    total = shares.sum(axis=1, keepdims=True)
    even = (shares / total) ** 2
    for row in np.flatnonzero(1 / even.sum(axis=1) < PARTICLES / 2).tolist():
        places = (generator.random() + np.arange(PARTICLES)) / PARTICLES
        kept = np.searchsorted(np.cumsum(shares[row] / total[row]), places).clip(max=PARTICLES - 1)
        picked[row] = picked[row, kept]
        for state in states:
            state.chosen[row] = state.chosen[row, kept]
            state.product[row] = state.product[row, kept]
        weights[row] = top[row, 0] + np.log(total[row, 0] / PARTICLES)
    return weights
