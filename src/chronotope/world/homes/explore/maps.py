"""Compute distances in cells between the points of a set."""

from collections.abc import Iterable

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

Cell = tuple[int, int]


class Maps:
    """Compute and keep breadth-first maps of distances in a set of cells.

    ``cells`` (X, Y) bool is the set; neighbours share a side. Distances are in cells, infinite outside the component.
    """

    def __init__(self, cells: np.ndarray) -> None:
        self.cells = cells
        self._nodes = np.full(cells.shape, -1)
        self._nodes[cells] = np.arange(np.count_nonzero(cells))
        pairs = [
            np.stack([self._nodes[ours], self._nodes[theirs]], axis=-1)[cells[ours] & cells[theirs]]
            for ours, theirs in (
                ((slice(None, -1), slice(None)), (slice(1, None), slice(None))),
                ((slice(None), slice(None, -1)), (slice(None), slice(1, None))),
            )
        ]
        one, other = np.concatenate(pairs).T
        count = int(np.count_nonzero(cells))
        ends = (np.r_[one, other], np.r_[other, one])
        self._graph = sparse.csr_array((np.ones(2 * len(one)), ends), shape=(count, count))
        self._rows: dict[Cell, np.ndarray] = {}

    def prepare(self, sources: Iterable[Cell]) -> None:
        """Compute the maps of all sources in one call, which is faster."""
        missing = [cell for cell in dict.fromkeys(sources) if cell not in self._rows]
        if missing:
            nodes = [self._nodes[cell] for cell in missing]
            rows = np.atleast_2d(csgraph.dijkstra(self._graph, indices=nodes, unweighted=True))
            self._rows.update(zip(missing, rows, strict=True))

    def between(self, sources: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Return the distances (S, T) between cells (S, 2) and (T, 2)."""
        keys = [(int(x), int(y)) for x, y in sources]
        self.prepare(keys)
        nodes = self._nodes[tuple(np.asarray(targets).T)]
        return np.array([self._rows[key][nodes] for key in keys]).reshape(len(keys), len(targets))

    def whole(self, source: Cell) -> np.ndarray:
        """Return the map (X, Y) of distances from one cell."""
        self.prepare([source])
        found = np.full(self.cells.shape, np.inf)
        found[self.cells] = self._rows[source]
        return found

    def nearest(self, sources: np.ndarray) -> np.ndarray:
        """Return the map (X, Y) of distances from the nearest source.

        ``sources`` (S, 2) are cells.
        """
        nodes = self._nodes[tuple(np.asarray(sources).T)]
        found = np.full(self.cells.shape, np.inf)
        found[self.cells] = csgraph.dijkstra(self._graph, indices=nodes, unweighted=True, min_only=True)
        return found

    def path(self, source: Cell, target: Cell) -> np.ndarray:
        """Return one shortest path (N, 2), with both ends."""
        distances = self.whole(target)
        path = [source]
        while path[-1] != target:
            x, y = path[-1]
            around = [(x - 1, y), (x, y - 1), (x, y + 1), (x + 1, y)]
            there = [(a, b) for a, b in around if 0 <= a < distances.shape[0] and 0 <= b < distances.shape[1]]
            path.append(min(there, key=lambda cell: (distances[cell], cell)))
        return np.array(path)
