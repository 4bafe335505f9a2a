"""The sizes of things in homes: a name alone does not tell which of five sizes is right."""

import numpy as np
import pytest
from everyday_sizes import EVERYDAY

from chronotope.question import RATIOS, exchangeable_ratios
from chronotope.world.things import HOME_KINDS, draw_home_thing

LEAST, FIVE = 0.05, min(RATIOS) ** 4  # m: smaller sizes are not asked indoors; what five options need


def level(sides):
    """A box's longer and shorter level side, and its height."""
    return np.array([*sorted(sides[:2], reverse=True), sides[2]])


def sides_of(thing):
    """The sides that can be asked for: name, axis, size, and the range of the kind."""
    low, high = (level(side) for side in thing.sizes.bounds)
    for axis, size in enumerate(level(thing.size)):
        if size >= LEAST and high[axis] >= low[axis] * FIVE:
            yield thing.category, axis, size, low[axis], high[axis]


@pytest.mark.parametrize("name", ["Book", "Chair", "Bottle", "Sofa"])
def test_a_thing_states_the_sizes_of_its_kind(name):
    kind = HOME_KINDS[name]
    for seed in range(3):
        thing = draw_home_thing(name, seed).thing
        assert thing.size in thing.sizes
        np.testing.assert_allclose(thing.sizes.bounds, kind.sizes.bounds, rtol=2e-3)


@pytest.mark.slow
def test_who_knows_everyday_sizes_is_right_as_often_as_by_chance():
    generator = np.random.default_rng(7)
    names = [name for name, kind in HOME_KINDS.items() if kind.noun in EVERYDAY]
    rights, things = [], []
    for number in range(4):
        drawn = [draw_home_thing(name, int(generator.integers(2**31))).thing for name in names]
        found = [side for thing in drawn for side in sides_of(thing)]
        for _ in range(150):
            some = [found[one] for one in generator.choice(len(found), 8, replace=False)]
            made = exchangeable_ratios(
                generator, np.array([one[2] for one in some]), RATIOS, np.array([one[3:] for one in some])
            )
            noun, axis, *_ = some[made.chosen]
            guess = np.abs(np.log(made.options.values / (EVERYDAY[noun][axis] / 100))).argmin()
            rights.append(guess == made.options.answer)
            things.append(f"{number} {noun} {axis}")  # questions about one side are no independent trials
    _, thing = np.unique(things, return_inverse=True)
    error = np.sqrt((np.bincount(thing, np.array(rights) - np.mean(rights)) ** 2).sum()) / len(rights)
    assert abs(np.mean(rights) - 0.2) < 2 * error, (np.mean(rights), error, len(rights))
