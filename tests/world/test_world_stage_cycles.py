"""A clip of each task and of each entry of its published cycle passes all gates."""

from pathlib import Path

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.world.kinds.stage.graph import TASKS
from chronotope.world.quality import Quality
from chronotope.world.worlds import simulate

SMALL = Quality("fast", 320, 180, 10, (8.0, 8.0), 1024, 2, 20)
ATTEMPTS = 5  # as many as a build makes
MOST = 8  # of the 64 pairs of compass directions of LS; all other cycles are shorter


def entries() -> list[tuple[str, int]]:
    lengths = {task: len(rules.cycles["paper"].entries) for task, rules in TASKS.items()}
    return [(task, index) for task, length in lengths.items() for index in range(min(length, MOST))]


@pytest.mark.slow
@pytest.mark.complete
@pytest.mark.usefixtures("drawable")
@pytest.mark.parametrize(("task", "index"), entries())
def test_each_entry_of_a_cycle_has_a_clip_that_passes_its_gates(task: str, index: int, tmp_path: Path) -> None:
    refused: list[str] = []
    for seed in range(ATTEMPTS):
        try:
            inside = tmp_path / str(seed)
            inside.mkdir()
            simulate("stage", "s", np.random.default_rng(seed), SMALL, inside, number=index, options={"task": task})
            return
        except InputError as fault:  # a scene that is refused is drawn again
            refused.append(str(fault))
    raise AssertionError(refused)
