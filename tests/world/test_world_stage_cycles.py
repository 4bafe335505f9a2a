"""A clip of each task and of each entry of its published cycle passes all gates."""

from pathlib import Path

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.world.kinds.stage import StageOptions
from chronotope.world.kinds.stage.graph import TASKS
from chronotope.world.kinds.stage.stages import number_of
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


def first_two(task: str, seed: int, profile: str) -> list[dict]:
    options = StageOptions(task=task, stage_profile=profile)  # type: ignore[arg-type]
    return [TASKS[task].cycles[options.stage_profile].at(number_of(seed, number, options)) for number in (0, 1)]


@pytest.mark.parametrize("task", ["MC", "BT", "IO", "DE", "HO"])
def test_the_first_stages_of_a_set_have_no_parameter_in_common_for_all_seeds(task: str) -> None:
    """In the order of the cycle, whoever knew the first clip of a set of two knew these parameters of the second."""
    pairs = [first_two(task, seed, "extended") for seed in range(40)]
    for name in pairs[0][0]:
        values = {one[name] for of in pairs for one in of}
        same = np.mean([one[name] == other[name] for one, other in pairs])
        assert len(values) == 1 or same < 0.75, name
    assert first_two(task, 1, "paper") == [TASKS[task].cycles["paper"].at(number) for number in (0, 1)]


def test_each_stage_of_a_cycle_comes_once_in_a_turn() -> None:
    options = StageOptions(stage_profile="extended")
    for place, task in enumerate(("HO", "MC")):
        length = TASKS[task].cycles["extended"].length
        numbers = [number_of(3, 12 * index + place, options) for index in range(2 * length)]
        assert all(number % 12 == place for number in numbers)
        assert sorted(number // 12 for number in numbers[:length]) == list(range(length))
        assert sorted(number // 12 for number in numbers[length:]) == list(range(length, 2 * length))
        assert numbers[:length] != sorted(numbers[:length])
