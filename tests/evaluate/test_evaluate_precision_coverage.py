"""How often intervals of thresholds hold the truth; `-s` prints tables, those of the docs with 1000 repetitions."""

import itertools
import math
import os

import numpy as np
import pytest

from chronotope.evaluate.score import Trials, fit_threshold, threshold_ratio
from chronotope.view.precision import UNLIKELY
from simulated_observers import Observer, draw_design

REPETITIONS = int(os.environ.get("CHRONOTOPE_REPETITIONS", "300"))  # the tables of the docs have 1000
CLIPS = (8, 20, 60)
THRESHOLDS = (1.07, 1.2, 1.7)  # near the finest spacing, in the middle, and near the widest
WAYS = ("independent", "alike in a clip", "one spacing a clip")  # how answers of one clip depend on each other
SHARED = {"independent": 0.0, "alike in a clip": 0.5, "one spacing a clip": 0.5}
LAPSE = 0.05
TIMES = 1.6  # the threshold of the second run over that of the first

Cell = tuple[float, str, int]
CELLS = list(itertools.product(THRESHOLDS, WAYS, CLIPS))


def fits(cell: Cell) -> tuple[float, float]:
    """The share of intervals that hold the truth, and the share of fits that are called unfit."""
    ratio, way, clips = cell
    generator = np.random.default_rng([3, CELLS.index(cell)])
    observer = Observer(math.log(ratio), LAPSE, SHARED[way])
    held = unfit = 0
    for _ in range(REPETITIONS):
        design = draw_design(generator, clips, by_clip=way == WAYS[2])
        scores = observer.scores(generator, design)
        fit = fit_threshold(Trials(scores, design.spacings, design.chances, design.names))
        assert fit.low is not None and fit.high is not None
        held += fit.low <= observer.threshold <= fit.high
        unfit += fit.misfit is not None and fit.misfit < UNLIKELY
    return held / REPETITIONS, unfit / REPETITIONS


def ratios(cell: Cell) -> float:
    """The share of intervals of a ratio of two runs' thresholds that hold the truth; half of their errors is shared."""
    ratio, way, clips = cell
    generator = np.random.default_rng([4, CELLS.index(cell)])
    observers = [Observer(math.log(ratio) * times, LAPSE, SHARED[way]) for times in (1.0, TIMES)]
    held = 0
    for _ in range(REPETITIONS):
        design = draw_design(generator, clips, by_clip=way == WAYS[2])
        common, *own = generator.normal(size=(3, 2, design.clips.size))
        first, second = (
            Trials(
                observer.scores(generator, design, tuple(math.sqrt(0.5) * (common + each))),
                design.spacings,
                design.chances,
                design.names,
            )
            for observer, each in zip(observers, own, strict=True)
        )
        found = threshold_ratio(second, first)
        assert found.low is not None and found.high is not None
        held += found.low <= TIMES <= found.high
    return held / REPETITIONS


def tell(title: str, covered: dict[Cell, float]) -> None:
    """Print a table of the docs."""
    print(f"\n| {title} | " + " | ".join(f"{clips} clips" for clips in CLIPS) + " |")
    print("|---|" + "---|" * len(CLIPS))
    for ratio, way in itertools.product(THRESHOLDS, WAYS):
        row = " | ".join(f"{100 * covered[ratio, way, clips]:.1f}" for clips in CLIPS)
        print(f"| 1 : {ratio:g}, {way} | {row} |")


@pytest.mark.slow
def test_thresholds() -> None:
    found = {cell: fits(cell) for cell in CELLS}
    covered = {cell: held for cell, (held, _) in found.items()}
    tell("true threshold, answers", covered)
    tell("called unfit, %", {cell: unfit for cell, (_, unfit) in found.items()})
    assert min(covered.values()) >= 0.92
    assert max(unfit for _, unfit in found.values()) <= 0.03


@pytest.mark.slow
@pytest.mark.complete
def test_ratios() -> None:
    covered = {cell: ratios(cell) for cell in CELLS}
    tell("true threshold of the first run, answers", covered)
    assert min(covered.values()) >= 0.92
