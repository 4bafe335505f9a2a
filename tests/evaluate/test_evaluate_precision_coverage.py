"""How often intervals of thresholds hold the truth. `pytest -m slow <this file> -s` prints the docs' tables."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from chronotope.evaluate.score import Trials, fit_threshold, threshold_ratio
from simulated_observers import Observer, draw_design

REPETITIONS = 1000
CLIPS = (8, 15, 30, 60)
THRESHOLDS = (1.07, 1.2, 1.7)
WAYS = ("independent", "alike in a clip", "one spacing a clip")  # how answers of one clip depend on each other
SHARED = {"independent": 0.0, "alike in a clip": 0.5, "one spacing a clip": 0.5}
LAPSES = (0.0, 0.1)
TIMES = 1.6  # the threshold of the second run over that of the first

Cell = tuple[float, str, float]
CELLS = list(itertools.product(THRESHOLDS, WAYS, LAPSES))


def fits(cell: Cell, clips: int, repetitions: int) -> tuple[float, float, float]:
    """The share of intervals that hold the truth; those above it; the share of fits that are called unfit."""
    ratio, way, lapse = cell
    generator = np.random.default_rng([3, CELLS.index(cell), clips])
    observer = Observer(math.log(ratio), lapse, SHARED[way])
    held = above = unfit = 0
    for _ in range(repetitions):
        design = draw_design(generator, clips, by_clip=way == WAYS[2])
        scores = observer.scores(generator, design)
        fit = fit_threshold(Trials(scores, design.spacings, design.chances, design.names))
        assert fit.low is not None and fit.high is not None
        held += fit.low <= observer.threshold <= fit.high
        above += fit.low > observer.threshold
        unfit += fit.misfit is not None and fit.misfit < 0.01
    return held / repetitions, above / repetitions, unfit / repetitions


def ratios(cell: Cell, clips: int, repetitions: int) -> float:
    """The share of intervals of a ratio of two runs' thresholds that hold the truth; half of their errors is shared."""
    ratio, way, lapse = cell
    generator = np.random.default_rng([4, CELLS.index(cell), clips])
    first, second = (Observer(math.log(ratio) * times, lapse, SHARED[way]) for times in (1.0, TIMES))
    held = 0
    for _ in range(repetitions):
        design = draw_design(generator, clips, by_clip=way == WAYS[2])
        size = design.clips.size
        common, *own = ([generator.normal(size=size) for _ in range(2)] for _ in range(3))
        trials = []
        for observer, each in zip((first, second), own, strict=True):
            errors = [math.sqrt(0.5) * (one + other) for one, other in zip(common, each, strict=True)]
            scores = observer.scores(generator, design, errors)
            trials.append(Trials(scores, design.spacings, design.chances, design.names))
        found = threshold_ratio(trials[1], trials[0])
        assert found.low is not None and found.high is not None
        held += found.low <= TIMES <= found.high
    return held / repetitions


def tell(title: str, covered: dict[tuple[Cell, int], float]) -> None:
    """Print a table of the docs."""
    print(f"\n| {title} | " + " | ".join(f"{clips} clips" for clips in CLIPS) + " |")
    print("|---|" + "---|" * len(CLIPS))
    for cell in CELLS:
        row = " | ".join(f"{100 * covered[cell, clips]:.1f}" for clips in CLIPS)
        print(f"| 1 : {cell[0]:g}, {cell[1]}, {cell[2]:g} | {row} |")


def every(of: Callable[[Cell, int, int], float]) -> dict[tuple[Cell, int], float]:
    return {(cell, clips): of(cell, clips, REPETITIONS) for cell in CELLS for clips in CLIPS}


@pytest.mark.slow
def test_thresholds() -> None:
    found = {(cell, clips): fits(cell, clips, REPETITIONS) for cell in CELLS for clips in CLIPS}
    covered = {key: value[0] for key, value in found.items()}
    tell("threshold, answers, lapses", covered)
    tell("called unfit, %", {key: value[2] for key, value in found.items()})
    assert min(covered.values()) >= 0.92
    assert max(value[2] for value in found.values()) <= 0.03


@pytest.mark.slow
def test_ratios() -> None:
    covered = every(ratios)
    tell("threshold of the first run, answers, lapses", covered)
    assert min(covered.values()) >= 0.92
