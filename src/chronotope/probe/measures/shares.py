"""The share of attention that the last token gives to each part of a prompt."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

_SUM = 1e-3  # tolerated difference of a row's sum from 1, for weights of 16 bits


def attention_shares(row: ArrayLike, positions: Mapping[str, ArrayLike]) -> dict[str, NDArray[np.float64]]:
    """Sum the attention of the last token over each part.

    ``row`` has its weights (heads, s). ``positions`` maps each part to its token positions, and no position belongs to
    two parts. Each result has the shape (heads,). The results sum to 1 if the parts cover the prompt.

    Raises:
        ValueError: If the weights of a head do not sum to 1, or a position belongs to two parts.
    """
    array = np.asarray(row, dtype=np.float64)
    if array.ndim != 2 or not np.allclose(array.sum(axis=1), 1.0, atol=_SUM):
        raise ValueError(f"weights {array.shape} whose rows do not sum to 1: expected one row for each head")
    every = np.concatenate([np.asarray(at, dtype=np.int64).ravel() for at in positions.values()] or [np.zeros(0)])
    if len(np.unique(every)) < len(every):
        raise ValueError("a position belongs to two parts")
    return {name: array[:, np.asarray(at, dtype=np.int64)].sum(axis=1) for name, at in positions.items()}
