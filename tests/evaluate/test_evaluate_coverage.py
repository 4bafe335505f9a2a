"""How often the intervals hold the truth. `pytest -m slow <this file> -s` prints the tables of docs/statistics.md."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from chronotope.evaluate.score import korn_graubard
from chronotope.evaluate.score.statistics import difference

REPETITIONS = 4000
CLUSTERS, SHARES, CORRELATIONS = (10, 30, 300), (0.2, 0.5, 0.95), (0.0, 0.2)
SIZES = (5, 10)  # questions of a clip: as many as five, at most ten, drawn anew each time
LESS = 0.05  # by how much the second of two runs is worse

Cell = tuple[int, float, float]
CELLS = list(itertools.product(CLUSTERS, SHARES, CORRELATIONS))


def answers(
    generator: np.random.Generator, members: NDArray[np.int64], clusters: int, share: float, correlation: float
) -> NDArray[np.float64]:
    """Right or wrong for each item: beta-binomial, two items of one cluster correlated by ``correlation``."""
    if correlation:
        total = 1 / correlation - 1  # the correlation of a beta-binomial is 1 / (alpha + beta + 1)
        shares = generator.beta(share * total, (1 - share) * total, clusters)[members]
    else:
        shares = np.full(members.size, share)
    return (generator.random(members.size) < shares).astype(float)


class Names(np.ndarray):
    """Cluster names that are walked through as plain strings: NumPy's own make most of what a repetition costs."""

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())


def samples(cell: Cell, seed: int) -> Iterator[tuple[np.random.Generator, NDArray[np.int64], Sequence[str]]]:
    """A generator, the cluster number of each item, and its cluster name, for each repetition."""
    generator = np.random.default_rng([seed, CELLS.index(cell)])
    letters = np.array([chr(0x100 + number) for number in range(cell[0])])  # names of one letter are quick to sort
    for _ in range(REPETITIONS):
        members = np.repeat(np.arange(cell[0]), generator.integers(SIZES[0], SIZES[1], cell[0], endpoint=True))
        yield generator, members, cast("Sequence[str]", letters[members].view(Names))


def coverage_of_accuracy(cell: Cell) -> float:
    """The share of repetitions whose interval holds the share of right answers."""
    clusters, share, correlation = cell
    held = 0
    for generator, members, names in samples(cell, 1):
        low, high = korn_graubard(answers(generator, members, clusters, share, correlation), names)
        held += low <= share <= high
    return held / REPETITIONS


def coverage_of_difference(cell: Cell) -> float:
    """The same for two runs on the same items, the second of which is right less often by ``LESS``."""
    clusters, share, correlation = cell
    held = 0
    for generator, members, names in samples(cell, 2):
        first = answers(generator, members, clusters, share, correlation)
        second = answers(generator, members, clusters, share - LESS, correlation)
        found = difference(first, second, names)
        assert found is not None and found.low is not None and found.high is not None
        held += found.low <= LESS <= found.high
    return held / REPETITIONS


def tell(title: str, covered: dict[Cell, float]) -> None:
    """Print a table of the docs."""
    print(f"\n| {title} | " + " | ".join(f"{clusters} clips" for clusters in CLUSTERS) + " |")
    print("|---|" + "---|" * len(CLUSTERS))
    for share, correlation in itertools.product(SHARES, CORRELATIONS):
        row = " | ".join(f"{100 * covered[clusters, share, correlation]:.1f}" for clusters in CLUSTERS)
        print(f"| {share:g}, {correlation:g} | {row} |")


@pytest.mark.slow
def test_accuracies() -> None:
    covered = {cell: coverage_of_accuracy(cell) for cell in CELLS}
    tell("share right, correlation", covered)
    assert min(covered.values()) >= 0.93
    assert max(value for cell, value in covered.items() if cell[0] == 300) <= 0.975


@pytest.mark.slow
def test_differences() -> None:
    covered = {cell: coverage_of_difference(cell) for cell in CELLS}
    tell("share right of the first, correlation", covered)
    assert min(covered.values()) >= 0.93
    assert max(value for cell, value in covered.items() if cell[0] == 300) <= 0.975
