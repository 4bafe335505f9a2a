"""Exchangeable options: all members of a set are equally likely to be correct.

All random numbers of a set (gaps, rank, scale) are independent of the correct value. The set is then placed around the
correct value. The caller has two duties:

- The check whether a set is acceptable (all values positive, inside the room, printed texts different) must depend on
  the set alone. If a set is not acceptable, the caller must refuse the question or use the same offsets for the correct
  value of another item. The caller must never choose new offsets for the same correct value.
- A rule that refuses some correct values (too small, too near to a border) must be applied to every member of the set.
  A member that could never be correct would reveal that it is wrong.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.errors import InputError
from chronotope.io import sha256_bytes

Floats = NDArray[np.float64]
T = TypeVar("T")

# Maximum number of complete sets that are drawn before the range counts as impossible. A usual range needs only a few
# draws.
_DRAWS = 10_000


def item_generator(seed: int, family: str, item_id: str, stage: str = "") -> np.random.Generator:
    """Make the random generator for one stage of one item.

    The random numbers depend on the seed, but not on the order of the items or the number of workers. The generator is
    PCG64. The seed of the generator is the first 16 bytes (big-endian) of the SHA-256 of "family|seed|item_id|stage" in
    UTF-8. Stages such as ``"options"`` and ``"shuffle"`` are independent: if one stage uses more random numbers,
    another stage still gets the same numbers.
    """
    digest = sha256_bytes(f"{family}|{seed}|{item_id}|{stage}".encode())
    return np.random.Generator(np.random.PCG64(int(digest[:32], 16)))


@dataclass(frozen=True, eq=False)
class OptionSet:
    """The values of all options, and the index of the correct option.

    The values are in ascending order. Angles are in ascending order before they are wrapped.
    """

    values: Floats
    answer: int

    def __post_init__(self) -> None:
        if not 0 <= self.answer < len(self.values):
            raise ValueError(f"answer {self.answer} is outside the {len(self.values)} values")

    @classmethod
    def around(cls, truth: float, offsets: Floats, step: float | None = None, turn: float | None = None) -> "OptionSet":
        """Make the set of options with ``offsets`` (count,) around ``truth``.

        The correct option is the option with offset 0. See ``lay`` for ``step`` and ``turn``.
        """
        return cls(lay(truth, offsets, step, turn), int(np.flatnonzero(offsets == 0)[0]))


def lay(truth: ArrayLike, offsets: Floats, step: float | None = None, turn: float | None = None) -> Floats:
    """Add ``offsets`` to ``truth``.

    Returns values (count,) if the truth is a number, and (count, d) if it is a vector (d,). ``step`` is the value of
    the last printed digit. With ``step``, the truth is first rounded to a multiple of ``step`` (half to even), so that
    all values are multiples of ``step`` and the printed gaps equal the chosen gaps. ``turn`` is 2π or 360. With
    ``turn``, values are wrapped into (-turn/2, turn/2].
    """
    unit = 1.0 if step is None else step
    right = np.asarray(truth, dtype=np.float64)
    start = right if step is None else np.rint(right / unit)
    moves = offsets if step is None else np.rint(offsets / unit)
    values = start + moves
    if turn is not None:
        # If the turn is a whole number of steps, the values are computed in steps, so that half a turn is exact.
        around = turn / unit
        if step is not None and abs(around - round(around)) < 1e-6:
            around = float(round(around))
        values = around / 2 - np.mod(around / 2 - values, around)
    return values * unit


def draw_scalar_offsets(
    generator: np.random.Generator, nearest: tuple[float, float], count: int = 5, step: float | None = None
) -> Floats:
    """Choose random offsets (count,) of all members from the truth.

    The offsets are in ascending order. One offset is exactly 0, and its rank is uniformly distributed. The gaps between
    neighbours are independent and log-uniform in ``nearest`` = (low, high), in the unit of the values. The distance of
    each member to its nearest neighbour is therefore in this range. With ``step``, every gap is rounded to a multiple
    of ``step`` within the range.

    Raises:
        InputError: If the range is empty, or contains no multiple of ``step``.
    """
    return _about_rank(generator, _draw_gaps(generator, nearest, count, step), step)


def draw_angle_offsets(
    generator: np.random.Generator,
    nearest: tuple[float, float],
    count: int = 5,
    step: float | None = None,
    turn: float = 2 * np.pi,
) -> Floats:
    """Choose random offsets (count,) of angles from the truth.

    The offsets are in ascending order and are not wrapped. One offset is exactly 0. The rules of
    ``draw_scalar_offsets`` apply, with one more rule. The closing gap is the remaining angle of the turn. If the
    closing gap would be smaller than the smallest gap, new gaps are chosen before the rank is chosen. ``nearest``,
    ``step`` and ``turn`` have the same unit: radians, unless ``turn`` is 360.

    Raises:
        InputError: If the members do not fit on the circle.
    """
    for _ in range(_DRAWS):
        gaps = _draw_gaps(generator, nearest, count, step)
        if turn - gaps.sum() * (1.0 if step is None else step) >= gaps.min() * (1.0 if step is None else step):
            return _about_rank(generator, gaps, step)
    raise InputError(
        f"{count} directions with gaps of at least {nearest[0]:g} do not fit into {turn:g}: reduce the range"
    )


def draw_vector_offsets(
    generator: np.random.Generator,
    nearest: tuple[float, float],
    count: int = 5,
    shape: ArrayLike = (1.0, 1.0, 1.0),
    step: float | None = None,
) -> Floats:
    """Choose random offsets (count, d) of all members from the truth.

    The truth is member 0. The members are independent samples of a normal distribution around a hidden centre, which is
    not a member. ``shape`` is a scale for each axis (d,), or a matrix (d, d) that is applied to samples of the unit
    normal distribution.

    Each set is multiplied by one scale. The scale is log-uniform over all scales for which the Euclidean distance of
    every member to its nearest neighbour is in ``nearest`` = (low, high). If a set has no such scale, a new set is
    sampled, independently of the truth. With ``step``, every member is rounded to multiples of ``step``.

    Raises:
        InputError: If no set with such distances is found.
    """
    low, high = _checked(nearest, count)
    matrix = np.asarray(shape, dtype=np.float64)
    matrix = np.diag(matrix) if matrix.ndim == 1 else matrix
    unit = 1.0 if step is None else step
    for _ in range(_DRAWS):
        points = generator.standard_normal((count, len(matrix))) @ matrix.T
        distances = _nearest(np.linalg.norm(points[:, None] - points[None], axis=-1))
        scale = _draw_scale(generator, distances, low, high)
        if scale is None:
            continue
        points *= scale
        if step is not None:
            points = np.rint(points / step)
            distances = unit * _nearest(np.linalg.norm(points[:, None] - points[None], axis=-1))
            if distances.min() < low or distances.max() > high:
                continue
        return (points - points[0]) * unit
    raise InputError(
        f"cannot find {count} points whose nearest neighbours are {low:g} to {high:g} apart (shape {matrix.tolist()}, "
        f"step {step}): widen the range"
    )


def shuffle(generator: np.random.Generator, options: Sequence[T], answer: int) -> tuple[list[T], int]:
    """Shuffle the options; return them with the correct option's new index.

    Every order is equally likely.
    """
    order = [int(index) for index in generator.permutation(len(options))]
    return [options[index] for index in order], order.index(answer)


def _checked(nearest: tuple[float, float], count: int) -> tuple[float, float]:
    low, high = nearest
    if not 0 < low <= high < np.inf:
        raise InputError(f"the range of the nearest option is ({low:g}, {high:g}): expected 0 < low <= high")
    if count < 2:
        raise InputError(f"{count} options: expected at least 2")
    return low, high


def _draw_gaps(generator: np.random.Generator, nearest: tuple[float, float], count: int, step: float | None) -> Floats:
    """Choose random gaps (count - 1,), log-uniform in the range.

    The gaps are independent. With ``step``, the gaps are whole numbers of steps.
    """
    low, high = _checked(nearest, count)
    gaps = np.exp(generator.uniform(np.log(low), np.log(high), count - 1))
    if step is None:
        return np.clip(gaps, low, high)
    fewest, most = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    if fewest > most:
        raise InputError(
            f"there is no multiple of the printed step {step:g} between {low:g} and {high:g}: widen the range"
        )
    return np.clip(np.rint(gaps / step), fewest, most)


def _about_rank(generator: np.random.Generator, gaps: Floats, step: float | None) -> Floats:
    places = np.concatenate([[0.0], np.cumsum(gaps)])
    return (places - places[generator.integers(len(places))]) * (1.0 if step is None else step)


def _nearest(distances: Floats) -> Floats:
    """Return the distance (count,) of each member to its nearest neighbour.

    ``distances`` (count, count) are the distances between all pairs of members.
    """
    others = distances.copy()
    np.fill_diagonal(others, np.inf)
    return others.min(axis=1)


def _draw_scale(generator: np.random.Generator, distances: Floats, low: float, high: float) -> float | None:
    """Choose a random factor that brings every distance into [low, high].

    The factor is log-uniform over all such factors. Returns None if there is no such factor.
    """
    shortest, longest = float(distances.min()), float(distances.max())
    if shortest <= 0 or high / longest < low / shortest:
        return None
    return math.exp(generator.uniform(math.log(low / shortest), math.log(high / longest)))
