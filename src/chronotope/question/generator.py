"""Randomness that belongs to one item: the same for a seed, whatever the order and the number of workers."""

import numpy as np

from chronotope.io import sha256_bytes

__all__ = ["item_generator"]


def item_generator(seed: int, family: str, item_id: str, stage: str = "") -> np.random.Generator:
    """The random numbers of one stage of one item.

    PCG64, seeded from the first 16 bytes (big-endian) of the SHA-256 of "family|seed|item_id|stage" in UTF-8. Stages
    such as ``"options"`` and ``"shuffle"`` are independent: a change in how much one draws does not move the other.
    """
    digest = sha256_bytes(f"{family}|{seed}|{item_id}|{stage}".encode())
    return np.random.Generator(np.random.PCG64(int(digest[:32], 16)))
