"""Which steps stand beside the right one: the published rule, and one that tells nothing."""

from collections.abc import Sequence

import numpy as np

__all__ = ["cyclic_run", "nearest"]


def nearest(generator: np.random.Generator, right: int, numbers: Sequence[int], count: int = 3) -> list[int]:
    """Choose distractors by the published rule.

    They are the nearest ``count - 1`` and one of the next three. Nearness is |number - right|, the lower number first
    if two are equally near. All the others are taken if there are at most ``count`` of them. The right one stands in
    the middle more often than not: it can be guessed.
    """
    others = sorted((number for number in numbers if number != right), key=lambda n: (abs(n - right), n))
    if len(others) <= count:
        return others
    further = others[count - 1 : count + 2]
    return [*others[: count - 1], further[int(generator.integers(len(further)))]]


def cyclic_run(
    generator: np.random.Generator, right: int, numbers: Sequence[int], count: int, stride: int = 1
) -> list[int]:
    """Choose ``count`` of the numbers that are neighbours on a ring.

    The right one is among them; they are in ascending order. The numbers, ascending, are laid on a ring, the first
    after the last; every ``stride``-th from a start is taken, and the place of the right one among those taken is
    uniform. Each number is in equally many such sets and a set is drawn with the same chance whichever of its members
    is the right one, so the set tells nothing, at the ends of a manual as little as in its middle. Neighbours are the
    hardest to tell apart. It needs ``count * stride <= len(numbers)``.
    """
    ring = sorted(numbers)
    start = ring.index(right) - stride * int(generator.integers(count))
    return sorted(ring[(start + stride * place) % len(ring)] for place in range(count))
