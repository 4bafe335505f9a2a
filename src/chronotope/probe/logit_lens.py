"""The logit lens: which option letter the model would choose after each layer (nostalgebraist, 2020)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronotope.errors import InputError
from chronotope.probe.residual import Inputs, Stream


@dataclass(frozen=True)
class Lens:
    """The letters that the states at each depth prefer.

    A depth is a number of layers; the last depth is the output of the model.

    - ``logits`` (depths, letters) are the logits of the letters. If a letter has several tokens, such as one with a
      blank before it, this is the logarithm of the sum of their exponentials.
    - ``shares`` (depths, letters) are the probabilities among the letters only. Each row has the sum 1.
    - ``mass`` (depths,) is the probability of all letters together, among all tokens.
    """

    logits: NDArray[np.float64]
    shares: NDArray[np.float64]
    mass: NDArray[np.float64]

    def margins(self, right: int) -> NDArray[np.float64]:
        """Return the margin of a letter (depths,), in nats.

        The margin is the logit of the letter at the index ``right``, minus the largest logit of another letter.
        """
        others = np.delete(self.logits, right, axis=1)
        return self.logits[:, right] - others.max(axis=1)

    def decided(self, right: int) -> int | None:
        """Return the depth from which on a letter is always preferred.

        The result is None if the model prefers another letter.
        """
        above = self.margins(right) > 0
        below = np.flatnonzero(~above)
        first = int(below[-1]) + 1 if below.size else 0
        return first if first < len(above) else None


def letter_lens(stream: Stream, inputs: Inputs, letters: Sequence[Sequence[int]], position: int = -1) -> Lens:
    """Read the option letters from the states at each depth.

    ``inputs`` are the tensors of one prompt, and ``letters`` has the tokens of each option letter. The states of the
    token at ``position`` are read through the model's final norm and its head. The hidden states that Transformers
    returns cannot be used for this: the last of them is after the norm, and would be normed twice.

    Raises:
        InputError: If there are fewer than two letters, or a letter has no token of its own.
    """
    tokens = [token for letter in letters for token in letter]
    if len(letters) < 2 or not all(letters) or len(set(tokens)) < len(tokens):
        raise InputError(f"letters {list(letters)}: expected at least two letters, each with tokens of its own")
    states = stream.states(stream.prepare(inputs))[:, position]
    logits = stream.seen(states).double().cpu().numpy()
    every = _log_sum(logits)
    chosen = np.stack([_log_sum(logits[:, list(letter)]) for letter in letters], axis=1)
    among = _log_sum(chosen)
    return Lens(chosen, np.exp(chosen - among[:, None]), np.exp(among - every))


def _log_sum(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    top = logits.max(axis=1)
    return top + np.log(np.exp(logits - top[:, None]).sum(axis=1))
