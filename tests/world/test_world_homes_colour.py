"""A thing of a home is called by a colour only if most of it has that colour."""

import numpy as np
import pytest

from chronotope.world.things import HOME_KINDS, HomeState, draw_home_thing


def _of(name: str, colour: str | None) -> bool:
    return any(draw_home_thing(name, seed).thing.colour == colour for seed in range(12))


@pytest.mark.parametrize("name", ["Mug", "Sofa", "Fridge", "Vase", "Dresser"])
def test_things_of_one_colour_are_called_by_it(name: str) -> None:
    for seed in range(6):
        thing = draw_home_thing(name, seed).thing
        assert thing.colour is not None
        assert thing.label == f"{thing.colour} {HOME_KINDS[name].noun}"


@pytest.mark.parametrize("name", ["FloorLamp", "HousePlant", "Spoon", "Painting", "Poster"])
def test_things_of_several_colours_are_called_by_none(name: str) -> None:
    assert _of(name, None)
    thing = next(t for seed in range(12) if (t := draw_home_thing(name, seed).thing).colour is None)
    assert thing.label == HOME_KINDS[name].noun


def test_a_red_pixel_average_agrees() -> None:
    """The named colour is the nearest of the painted ones in the mean of most points of the surface."""
    for seed in range(8):
        thing = draw_home_thing("Mug", seed).thing
        if thing.colour in ("red", "green", "blue"):
            shades = np.concatenate([np.tile(piece.look.colour, (len(piece.faces), 1)) for piece in thing.pieces])
            channel = {"red": 0, "green": 1, "blue": 2}[thing.colour]
            assert (shades.argmax(axis=1) == channel).mean() > 0.5


@pytest.mark.parametrize("name", ["Bed", "Mug", "FloorLamp"])
def test_the_colour_is_the_same_in_all_states(name: str) -> None:
    for seed in range(6):
        states = [HomeState(), HomeState(dirty=True), HomeState(on=True), HomeState(broken=True)]
        assert len({draw_home_thing(name, seed, state).thing.colour for state in states}) == 1


@pytest.mark.parametrize(
    ("name", "state"),
    [("Book", HomeState(openness=1.0)), ("Apple", HomeState(sliced=True)), ("SoapBottle", HomeState(used_up=True))],
)
def test_a_state_that_shows_other_colours_takes_the_colour(name: str, state: HomeState) -> None:
    seed = next(seed for seed in range(12) if draw_home_thing(name, seed).thing.colour is not None)
    assert draw_home_thing(name, seed, state).thing.colour is None
