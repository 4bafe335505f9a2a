"""The logit lens: which option letter the model would choose after each layer (nostalgebraist, 2020)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.errors import InputError
from chronotope.probe.residual import Decoder, find_decoder

__all__ = ["Lens", "letter_lens"]


@dataclass(frozen=True)
class Lens:
    """The letters that the states before each layer prefer.

    - ``logits`` (layers + 1, letters): row i is the input of layer i, and the last row is the output of the model.
    - ``shares`` (layers + 1, letters): the probabilities among the letters only; each row has the sum 1.
    - ``mass`` (layers + 1,): the probability of all letters together, among all tokens.
    """

    logits: NDArray[np.float64]
    shares: NDArray[np.float64]
    mass: NDArray[np.float64]

    def margins(self, right: int) -> NDArray[np.float64]:
        """Return the margin of a letter (layers + 1,), in nats.

        The margin is the logit of the letter at the index ``right``, minus the largest logit of another letter.
        """
        others = np.delete(self.logits, right, axis=1)
        return self.logits[:, right] - others.max(axis=1)

    def decided(self, right: int) -> int | None:
        """Return the layer from which on a letter is always preferred.

        The result is 0 for the embeddings, n for the output of layer n, or None if the model prefers another letter.
        """
        above = self.margins(right) > 0
        below = np.flatnonzero(~above)
        first = int(below[-1]) + 1 if below.size else 0
        return first if first < len(above) else None


def letter_lens(
    model: Any,
    inputs: Mapping[str, Any],
    letters: Sequence[int],
    position: int = -1,
    decoder: Decoder | None = None,
) -> Lens:
    """Read the option letters from the states before each layer.

    ``inputs`` are the tensors of one prompt, and ``letters`` are the tokens of the option letters. The states of the
    token at ``position`` are read through the model's final norm and its head. The hidden states that Transformers
    returns cannot be used for this: the last of them is after the norm, and would be normed twice.

    Raises:
        InputError: If there are fewer than two letters, or the model has no decoder that can be read.
    """
    if len(set(letters)) < 2:
        raise InputError(f"letters {list(letters)}: expected the tokens of at least two different letters")
    decoder = decoder or find_decoder(model, inputs)
    states = decoder.read(decoder.prepare(inputs))[:, position]
    logits = decoder.seen_through(states).double().cpu().numpy()
    every = _log_sum(logits)
    chosen = logits[:, list(letters)]
    among = _log_sum(chosen)
    return Lens(chosen, np.exp(chosen - among[:, None]), np.exp(among - every))


def _log_sum(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    top = logits.max(axis=1)
    return top + np.log(np.exp(logits - top[:, None]).sum(axis=1))
