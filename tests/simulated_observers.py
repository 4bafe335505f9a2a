"""Observers of known precision: they measure with a Gaussian error and pick the nearest of equally spaced options."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SIGMAS = 1.348979500392163  # the threshold in sigmas: two quartiles of the normal distribution
LADDER = tuple(np.log([1.05, 1.1, 1.2, 1.4, 2.0]))  # spacings of lengths
OPTIONS = 5


@dataclass(frozen=True)
class Design:
    """Questions of a benchmark: for each the number of its clip, its spacing, and the place of its right option."""

    clips: NDArray[np.int64]
    spacings: NDArray[np.float64]
    ranks: NDArray[np.int64]

    @property
    def names(self) -> list[str]:
        return [f"clip-{clip}" for clip in self.clips]

    @property
    def chances(self) -> NDArray[np.float64]:
        return np.full(self.clips.size, 1 / OPTIONS)


def draw_design(
    generator: np.random.Generator,
    clips: int,
    questions: tuple[int, int] = (4, 8),
    ladder: Sequence[float] = LADDER,
    *,
    by_clip: bool = False,
) -> Design:
    """Draw questions; ``by_clip``: all questions of a clip share their spacing and the place of their right option."""
    of = np.repeat(np.arange(clips), generator.integers(*questions, clips, endpoint=True))
    steps = np.array(ladder)
    if by_clip:
        order = generator.permutation(np.arange(clips) % steps.size)
        return Design(of, steps[order][of], generator.integers(0, OPTIONS, clips)[of])
    return Design(of, steps[generator.integers(0, steps.size, of.size)], generator.integers(0, OPTIONS, of.size))


@dataclass(frozen=True)
class Observer:
    """An observer with a threshold, in the unit of spacings, and a rate of lapses, in which it draws an option.

    ``shared`` is the correlation of its errors in two questions of one clip.
    """

    threshold: float
    lapse: float = 0.0
    shared: float = 0.0

    def picks(self, generator: np.random.Generator, design: Design, errors: Sequence[NDArray] = ()) -> NDArray:
        """The place of the option that it picks in each question.

        ``errors`` are standard normal ones of clips and of questions, for two observers that err alike.
        """
        size = design.clips.size
        of_clip, own = errors or (generator.normal(size=size), generator.normal(size=size))
        error = np.sqrt(self.shared) * of_clip[design.clips] + np.sqrt(1 - self.shared) * own
        error = error * self.threshold / SIGMAS
        nearest = np.clip(np.rint(design.ranks + error / design.spacings), 0, OPTIONS - 1).astype(int)
        lapses = generator.random(size) < self.lapse
        return np.where(lapses, generator.integers(0, OPTIONS, size), nearest)

    def scores(self, generator: np.random.Generator, design: Design, errors: Sequence[NDArray] = ()) -> NDArray:
        """1 for each right answer, 0 for each wrong one."""
        return (self.picks(generator, design, errors) == design.ranks).astype(float)
