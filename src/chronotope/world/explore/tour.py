"""Order way points by a nearest neighbour tour and 2-opt."""

import numpy as np

__all__ = ["nearest_neighbour", "order_points", "tour_length", "two_opt"]


def order_points(distances: np.ndarray) -> list[int]:
    """Return the order of all points, for distances (N, N).

    The order starts with point 0.
    """
    return two_opt(nearest_neighbour(distances), distances)


def nearest_neighbour(distances: np.ndarray) -> list[int]:
    """Return the order in which the nearest point comes next.

    Of ties, the first point comes next.
    """
    left = np.ones(len(distances), bool)
    order = [0]
    left[0] = False
    while left.any():
        order.append(int(np.argmin(np.where(left, distances[order[-1]], np.inf))))
        left[order[-1]] = False
    return order


def two_opt(order: list[int], distances: np.ndarray) -> list[int]:
    """Reverse parts of a tour until no reversal makes it shorter.

    The reversal with the best gain is first.
    The first point stays; the end is open. ``distances`` (N, N) are symmetric.
    """
    tour = np.array(order)
    while len(tour) > 2:
        along = distances[np.ix_(tour, tour)]
        steps = np.r_[np.diagonal(along, 1), 0.0]  # the last point has no step
        # Reversing first..last joins the point before first with last, and first with the point after last.
        joined = along[:-1, 1:] + np.pad(along[1:, 2:], ((0, 0), (0, 1)))
        gains = np.triu(steps[:-1, None] + steps[None, 1:] - joined, 1)
        before, last = np.unravel_index(np.argmax(gains), gains.shape)
        if gains[before, last] < 1e-9:
            break
        part = slice(int(before) + 1, int(last) + 2)
        tour[part] = tour[part][::-1]
    return [int(point) for point in tour]


def tour_length(order: list[int], distances: np.ndarray) -> float:
    """Return the length of an open tour."""
    return float(distances[order[:-1], order[1:]].sum())
