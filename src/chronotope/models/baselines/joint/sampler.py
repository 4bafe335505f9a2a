"""Choose one option of every question so that all chosen values fit smooth processes: a sequential Monte Carlo sampler.

A channel is a Gaussian process seen through linear functionals, one for each of its observations. Every hypothesis (a
smoothness, a bend) gives each channel a covariance. The sampler starts from random choices and raises the weight of
the likelihood step by step; between two steps every choice is drawn anew, given all others (Gibbs).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Channel", "marginals"]

STEPS = 40  # of the tempering
PARTICLES = 48  # for each hypothesis


@dataclass(frozen=True, eq=False)
class Channel:
    """Observations of one process.

    ``variables`` (n,) are the questions of the observations, -1 for a stated fact; ``values`` (n, 5, D) their values
    for each option, less their mean; ``covariances`` (B, n, n) those of the values, for each of B hypotheses.
    """

    variables: np.ndarray
    values: np.ndarray
    covariances: np.ndarray


@dataclass
class _State:
    """The values chosen in one channel, (B, R, n, D), and their product with the precision."""

    precision: np.ndarray  # (B, n, n)
    constant: np.ndarray  # (B,), the log density's constant
    chosen: np.ndarray
    product: np.ndarray

    def log_density(self) -> np.ndarray:
        """Return the log density (B, R) of the chosen values."""
        return self.constant[:, None] - 0.5 * np.einsum("brnd,brnd->br", self.chosen, self.product)


def marginals(generator: np.random.Generator, options: Sequence[int], channels: Sequence[Channel]) -> list[np.ndarray]:
    """Return the probability of each option of each variable.

    ``options`` are the numbers of options of the variables; a channel's values beyond them are not used.
    """
    hypotheses = channels[0].covariances.shape[0]
    widest = max(options)
    picked = np.stack([generator.integers(0, count, (hypotheses, PARTICLES)) for count in options], axis=-1)
    states = [_start(channel, picked) for channel in channels]
    seen = _places(len(options), channels)
    weights = np.zeros((hypotheses, PARTICLES))
    heats = (np.arange(STEPS + 1) / STEPS) ** 2
    for step in range(1, STEPS + 1):
        weights += (heats[step] - heats[step - 1]) * sum(state.log_density() for state in states)
        weights = _resample(generator, weights, picked, states)
        for variable in generator.permutation(len(options)).tolist():
            odds = np.full((hypotheses, PARTICLES, widest), -np.inf)
            odds[:, :, : options[variable]] = 0.0
            for channel, place in seen[variable]:
                odds[:, :, : options[variable]] += heats[step] * _odds(
                    channels[channel], states[channel], place, options[variable]
                )
            drawn = (odds + generator.gumbel(size=odds.shape)).argmax(axis=-1)
            picked[:, :, variable] = drawn
            for channel, place in seen[variable]:
                _replace(channels[channel], states[channel], place, drawn)
    shares = np.exp(weights - weights.max())
    shares /= shares.sum()
    return [
        np.array([shares[picked[:, :, variable] == option].sum() for option in range(count)])
        for variable, count in enumerate(options)
    ]


def _places(variables: int, channels: Sequence[Channel]) -> list[list[tuple[int, int]]]:
    """Return the channels and observations of each variable."""
    places: list[list[tuple[int, int]]] = [[] for _ in range(variables)]
    for number, channel in enumerate(channels):
        for place, variable in enumerate(channel.variables.tolist()):
            if variable >= 0:
                places[variable].append((number, place))
    return places


def _start(channel: Channel, picked: np.ndarray) -> _State:
    precision = np.linalg.inv(channel.covariances)
    depth = channel.values.shape[2]
    constant = 0.5 * depth * np.linalg.slogdet(precision)[1]
    number = len(channel.variables)
    chosen = np.empty((*picked.shape[:2], number, depth))
    for place, variable in enumerate(channel.variables.tolist()):
        chosen[:, :, place] = channel.values[place][picked[:, :, variable] if variable >= 0 else 0]
    return _State(precision, constant, chosen, np.einsum("bmn,brnd->brmd", precision, chosen))


def _odds(channel: Channel, state: _State, place: int, count: int) -> np.ndarray:
    """Return the log density of each option (B, R, count), given all other choices."""
    own = state.precision[:, place, place][:, None, None]
    expected = state.chosen[:, :, place] - state.product[:, :, place] / own
    off = channel.values[place, :count] - expected[:, :, None, :]
    return -0.5 * own * (off**2).sum(axis=-1)


def _replace(channel: Channel, state: _State, place: int, drawn: np.ndarray) -> None:
    """Put the values of drawn options (B, R) in place."""
    values = channel.values[place][drawn]
    change = values - state.chosen[:, :, place]
    state.chosen[:, :, place] = values
    state.product += state.precision[:, None, :, place, None] * change[:, :, None, :]


def _resample(
    generator: np.random.Generator, weights: np.ndarray, picked: np.ndarray, states: Sequence[_State]
) -> np.ndarray:
    """Draw particles by weight within each hypothesis; return their new weights.

    The weight of a hypothesis is kept. Hypotheses whose particles are still about equally heavy are left alone.
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
