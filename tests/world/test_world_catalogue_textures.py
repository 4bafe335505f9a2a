"""The textures: seamless, of their colour, drawn from the generator; letters that can be read."""

from collections.abc import Callable

import numpy as np
import pytest

from chronotope.world.things import textures

SURFACES: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "wood": textures.wood,
    "planks": lambda generator: textures.wood(generator, "oak", planks=4),
    "parquet": textures.parquet,
    "plaster": textures.plaster,
    "brick": textures.brick,
    "tiles": textures.tiles,
    "chequered tiles": lambda generator: textures.tiles(generator, (0.9, 0.9, 0.9), (0.2, 0.2, 0.2)),
    "carpet": textures.carpet,
    "fabric": lambda generator: textures.fabric(generator, (0.3, 0.4, 0.6)),
    "wicker": lambda generator: textures.wicker(generator, (0.6, 0.4, 0.2)),
    "marble": textures.marble,
    "cardboard": textures.cardboard,
    "paper": lambda generator: textures.paper(generator, (0.9, 0.2, 0.1)),
    "stripes": lambda generator: textures.stripes(generator, (0.9, 0.2, 0.1), (1.0, 1.0, 1.0)),
}


@pytest.mark.parametrize("name", SURFACES)
def test_a_texture_is_a_picture_that_can_be_laid_side_by_side(name: str) -> None:
    picture = SURFACES[name](np.random.default_rng(4))
    assert picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3
    values = picture.astype(float)
    for axis in (0, 1):
        steps = np.abs(values - np.roll(values, 1, axis=axis)).mean(axis=(1 - axis, 2))
        assert steps[0] <= np.max(steps[1:]) * 1.05 + 1, "a seam where the picture meets itself"


@pytest.mark.parametrize("name", SURFACES)
def test_a_texture_is_the_generators(name: str) -> None:
    first, again, other = (SURFACES[name](np.random.default_rng(seed)) for seed in (7, 7, 8))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_texture_has_the_colour_that_was_asked_for() -> None:
    for colour in ((0.9, 0.2, 0.1), (0.2, 0.5, 0.3)):
        for make in (textures.plaster, textures.carpet, textures.paper, textures.cardboard):
            mean = make(np.random.default_rng(1), colour).mean(axis=(0, 1)) / 255
            assert np.allclose(mean, colour, atol=0.03)


def test_letters_stand_upright_in_their_box_and_nowhere_else() -> None:
    ground = np.full((70, 120, 3), 255, np.uint8)
    done = textures.write(ground, "L", (0.0, 0.0, 0.0), (0.25, 0.2, 0.5, 0.8))
    assert np.all(ground == 255), "the picture that was given stays as it is"
    inked = done[:, :, 0] == 0
    rows, columns = np.nonzero(inked)
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (14, 55, 30, 59)
    assert inked[14:50, 30].all() and inked[55, 30:60].all(), "a stem on the left, a foot at the bottom"
    assert not inked[14:46, 50:60].any()
