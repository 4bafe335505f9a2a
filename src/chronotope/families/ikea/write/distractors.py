"""Choose distractor steps: by the published rule, and by a rule without hints."""

from collections.abc import Sequence

import numpy as np

__all__ = ["cyclic_run", "nearest"]


def nearest(generator: np.random.Generator, right: int, numbers: Sequence[int], count: int = 3) -> list[int]:
    """Choose distractors by the published rule.

    They are the nearest ``count - 1`` and one of the next three. Nearness is |number - right|, the lower number first
    if two are equally near. If there are at most ``count`` others, all are chosen. The correct step is usually in the
    middle of the options, so it can be guessed.
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

    The correct number is among them; they are in ascending order. The sorted numbers form a ring, with the first after
    the last. From a start, every ``stride``-th number is chosen, and the place of the correct one among them is
    uniform. Each number is in equally many such sets, and a set has the same probability whichever of its members is
    correct, so the set gives no hint, even at the ends of a manual. Neighbours are the hardest to distinguish. ``count
    * stride <= len(numbers)`` is required.
    """
    ring = sorted(numbers)
    start = ring.index(right) - stride * int(generator.integers(count))
    return sorted(ring[(start + stride * place) % len(ring)] for place in range(count))
