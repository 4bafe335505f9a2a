"""Parameter cycles: scene i takes entry i mod n, so the distribution of answers is fixed before a graph is written."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any
from zlib import crc32

import numpy as np

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Cycle:
    """The parameter sets of a task, in their published order.

    ``balance`` has values of further parameters, which the published design leaves to chance. They change after
    ``every`` scenes, by default after one turn of the cycle, so that they are independent of ``entries``.
    """

    entries: tuple[Values, ...]
    balance: tuple[Values, ...] = ({},)
    every: int | None = None

    def at(self, index: int) -> dict[str, Any]:
        """Return the parameters of the scene with an index, from 0."""
        turn = index // (self.every or len(self.entries))
        return {**self.entries[index % len(self.entries)], **self.balance[turn % len(self.balance)]}

    @property
    def length(self) -> int:
        """Return the number of scenes after which all parameters repeat."""
        return (self.every or len(self.entries)) * len(self.balance)


def crossed(**values: tuple[Any, ...]) -> tuple[Values, ...]:
    """Return all combinations of values; the first parameter changes slowest."""
    return tuple(dict(zip(values, each, strict=True)) for each in product(*values.values()))


def shuffled(index: int, length: int, seed: int, task: str) -> int:
    """Return the index that a random order of each turn of a cycle has at ``index``.

    ``length`` is the number of scenes of a turn. The order depends on the seed and the task. Only the first scene is
    that of the cycle.
    """
    if index == 0:
        return 0
    turn, place = divmod(index, length)
    generator = np.random.default_rng(crc32(f"{seed} {task} {turn}".encode()))
    order = generator.permutation(length)
    if turn == 0:
        order = np.append(0, order[order > 0])
    return turn * length + int(order[place])
