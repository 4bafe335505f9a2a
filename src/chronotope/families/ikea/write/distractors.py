"""Choice of the steps for the options, by the published rule or by a rule that gives no hint."""

from collections.abc import Sequence

import numpy as np


def nearest(generator: np.random.Generator, right: int, numbers: Sequence[int], count: int = 3) -> list[int]:
    """Choose the steps of wrong options by the published rule.

    The distance of a step is the difference between its number and the correct number. The chosen steps are the nearest
    ``count - 1`` steps, and one of the next three steps at random. Of two equally near steps, the step with the lower
    number comes first. If there are at most ``count`` other steps, all are chosen. With this rule, the correct step is
    usually in the middle of the options, and can therefore be guessed.
    """
    others = sorted((number for number in numbers if number != right), key=lambda n: (abs(n - right), n))
    if len(others) <= count:
        return others
    further = others[count - 1 : count + 2]
    return [*others[: count - 1], further[int(generator.integers(len(further)))]]


def cyclic_run(
    generator: np.random.Generator, right: int, numbers: Sequence[int], count: int, stride: int = 1
) -> list[int]:
    """Choose ``count`` neighbouring numbers that include the correct number.

    The sorted numbers form a ring: the first number follows the last. Every ``stride``-th number of the ring is chosen,
    beginning at a random number. The correct number is always among the chosen numbers, and has each position with the
    same probability. The result is in ascending order. If only the chosen numbers are known, each of them is equally
    likely to be correct. The options therefore give no hint, even at the beginning and the end of a manual. Neighbours
    are chosen because they are the hardest to distinguish. The product ``count * stride`` must not exceed
    ``len(numbers)``.
    """
    ring = sorted(numbers)
    start = ring.index(right) - stride * int(generator.integers(count))
    return sorted(ring[(start + stride * place) % len(ring)] for place in range(count))
