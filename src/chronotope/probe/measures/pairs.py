"""Pairs of pictures of the same thing and of different things, drawn without listing all pairs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SPLITS = 5  # each fifth group is a test group, so there are five splits

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Population:
    """The pictures that pairs are drawn from, with three names for each.

    ``things`` names the thing that the picture shows. ``groups`` is the group of this thing; pairs never join two
    groups. ``takes`` is the clip that the picture comes from.
    """

    things: tuple[str, ...]
    groups: tuple[str, ...]
    takes: tuple[str, ...]


@dataclass(frozen=True)
class PairSample:
    """Pairs of pictures, given by their indices ``first`` and ``second``, both (m,).

    ``same`` (m,) is true for two pictures of one thing. ``across`` (m,) is true for pictures from two takes.
    """

    first: Indices
    second: Indices
    same: NDArray[np.bool_]
    across: NDArray[np.bool_]

    @property
    def count(self) -> int:
        """Return the number of pairs."""
        return len(self.first)

    def of(self, chosen: NDArray[np.bool_] | Indices) -> "PairSample":
        """Return some of the pairs."""
        return PairSample(self.first[chosen], self.second[chosen], self.same[chosen], self.across[chosen])


def split_groups(groups: Iterable[str], offset: int = SPLITS - 1) -> tuple[list[str], list[str]]:
    """Split groups into train and test groups; no group is in both.

    Each fifth of the sorted groups is a test group. The first one is at the place ``offset``, which is 4 in the paper.
    The offsets 0 to 4 together test each group once.
    """
    names = sorted(set(groups))
    return [name for at, name in enumerate(names) if at % SPLITS != offset], names[offset::SPLITS]


def sample_pairs(
    population: Population, groups: Sequence[str], most: int, negatives: int, random: np.random.Generator
) -> PairSample:
    """Draw pairs of the same thing, and pairs of different things.

    For each pair of the same thing, ``negatives`` pairs of different things are drawn. All pairs are drawn without
    replacement from the groups, at most ``most`` in all. Things with one picture are left out.
    """
    of_thing: dict[tuple[str, str], list[int]] = {}
    for index, key in enumerate(zip(population.groups, population.things, strict=True)):
        if key[0] in groups:
            of_thing.setdefault(key, []).append(index)
    blocks: dict[str, list[Indices]] = {}
    for (group, _), members in sorted(of_thing.items()):
        if len(members) > 1:
            blocks.setdefault(group, []).append(np.array(members))
    same = [_Triangle(block) for of in blocks.values() for block in of]
    other = [_Rectangle(a, b) for of in blocks.values() for at, a in enumerate(of) for b in of[at + 1 :]]
    positive = min(sum(one.size for one in same), most // (1 + negatives))
    negative = min(sum(one.size for one in other), negatives * positive)
    drawn = [_draw(same, positive, random), _draw(other, negative, random)]
    first, second = (np.concatenate([one[at] for one in drawn]) for at in (0, 1))
    takes = np.asarray(population.takes, dtype=str)
    truth = np.repeat([True, False], [positive, negative])
    return PairSample(first, second, truth, takes[first] != takes[second] if len(first) else np.zeros(0, bool))


@dataclass(frozen=True)
class _Triangle:
    """All pairs of two different members."""

    members: Indices

    @property
    def size(self) -> int:
        return len(self.members) * (len(self.members) - 1) // 2

    def at(self, ranks: Indices) -> tuple[Indices, Indices]:
        """Return the pairs with these ranks.

        Rank 0 is (0, 1), rank 1 is (0, 2), rank 2 is (1, 2), rank 3 is (0, 3), and so on.
        """
        second = ((1 + np.sqrt(1 + 8 * ranks.astype(float))) // 2).astype(np.int64)
        return self.members[ranks - second * (second - 1) // 2], self.members[second]


@dataclass(frozen=True)
class _Rectangle:
    """All pairs of a member of one thing with a member of another."""

    rows: Indices
    columns: Indices

    @property
    def size(self) -> int:
        return len(self.rows) * len(self.columns)

    def at(self, ranks: Indices) -> tuple[Indices, Indices]:
        """Return the pairs with these ranks, row by row."""
        return self.rows[ranks // len(self.columns)], self.columns[ranks % len(self.columns)]


def _draw(
    blocks: Sequence[_Triangle] | Sequence[_Rectangle], count: int, random: np.random.Generator
) -> tuple[Indices, Indices]:
    """Draw pairs from blocks, without replacement."""
    ends = np.cumsum([block.size for block in blocks])
    if not count:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    ranks = np.sort(random.choice(int(ends[-1]), count, replace=False))
    block_of = np.searchsorted(ends, ranks, side="right")
    first, second = np.empty(count, np.int64), np.empty(count, np.int64)
    for number in np.unique(block_of):
        at = block_of == number
        first[at], second[at] = blocks[number].at(ranks[at] - (ends[number] - blocks[number].size))
    return first, second
