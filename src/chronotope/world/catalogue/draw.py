"""The list of all categories in the catalogue, and the random choice of a thing."""

from collections.abc import Callable

import numpy as np

from chronotope.errors import InputError
from chronotope.world.catalogue import desk, food, found, home, household, paperware, tableware, toys
from chronotope.world.catalogue.colours import paint
from chronotope.world.catalogue.things import Category, Draft, Paint, Symmetry, Thing, assemble

__all__ = ["CATEGORIES", "draw_thing"]

_BRIGHT = "red orange yellow green blue purple pink"
_GLAZES = _BRIGHT + " white black"
_ALL = _BRIGHT + " brown white black"
_TOYS = "red orange yellow green blue pink white black"


def _kind(
    sketch: Callable[[np.random.Generator, Paint], Draft],
    colours: str,
    materials: str,
    longest: tuple[float, float],
    density: float,
    turns: Symmetry = "any",
    front: str | None = None,
    along: str | None = None,
) -> Category:
    return Category(
        name=sketch.__name__.replace("_", " "),
        colours=tuple(colours.split()),
        materials=tuple(materials.split()),
        longest=longest,
        density=density,
        symmetry="none" if front else turns,
        front=front,
        along=along,
        sketch=sketch,
    )


_LIST = (
    _kind(tableware.mug, _GLAZES, "ceramic", (0.105, 0.135), 1900, front="its handle"),
    _kind(tableware.bowl, _GLAZES, "ceramic", (0.13, 0.24), 1900),
    _kind(tableware.plate, _GLAZES, "ceramic", (0.2, 0.28), 1900),
    _kind(tableware.bottle, _ALL, "glass plastic", (0.2, 0.32), 600),
    _kind(tableware.vase, _GLAZES, "ceramic", (0.18, 0.34), 1900),
    _kind(tableware.jug, _GLAZES, "ceramic", (0.17, 0.28), 1900, front="its handle"),
    _kind(tableware.teapot, _GLAZES, "ceramic", (0.19, 0.27), 700, front="its spout"),
    _kind(tableware.frying_pan, "red orange green blue black", "metal", (0.34, 0.45), 2700, front="its handle"),
    _kind(
        tableware.cooking_pot,
        "red orange yellow green blue white black",
        "metal",
        (0.22, 0.34),
        450,
        turns="half",
        along="its two handles",
    ),
    _kind(paperware.book, _ALL, "paper", (0.2, 0.3), 650, turns="half"),
    _kind(paperware.cardboard_box, "brown", "cardboard", (0.2, 0.4), 90, turns="half"),
    _kind(paperware.cereal_box, "red orange yellow green blue purple", "cardboard", (0.24, 0.34), 130, turns="half"),
    _kind(paperware.gift_box, "red green blue purple pink white black", "paper", (0.12, 0.28), 120, turns="half"),
    _kind(home.ball, _ALL, "rubber", (0.06, 0.22), 300),
    _kind(home.table_lamp, _BRIGHT + " white", "fabric", (0.28, 0.42), 700),
    _kind(home.desk_lamp, _TOYS, "metal", (0.32, 0.44), 1500, front="its shade"),
    _kind(household.candle, _BRIGHT + " white", "wax", (0.12, 0.24), 900),
    _kind(household.alarm_clock, _GLAZES, "metal", (0.13, 0.19), 900, turns="half"),
    _kind(
        household.potted_plant,
        "red orange yellow blue purple pink brown white black",
        "clay ceramic",
        (0.16, 0.34),
        1100,
        turns="quarter",
    ),
    _kind(household.basket, "brown", "wicker", (0.22, 0.36), 400, turns="half"),
    _kind(
        household.bucket,
        _GLAZES,
        "plastic metal",
        (0.2, 0.36),
        950,
        turns="half",
        along="the two ends of its handle",
    ),
    _kind(household.watering_can, _GLAZES, "metal plastic", (0.26, 0.4), 1000, front="its spout"),
    _kind(household.toilet_roll, "white", "paper", (0.09, 0.12), 180),
    _kind(household.spray_bottle, _GLAZES, "plastic", (0.2, 0.28), 500, front="its nozzle"),
    _kind(household.hat, _ALL, "felt", (0.27, 0.34), 60),
    _kind(household.cap, _GLAZES, "fabric", (0.23, 0.28), 80, front="its visor"),
    _kind(household.traffic_cone, "orange red yellow blue green", "plastic", (0.22, 0.34), 350, turns="quarter"),
    _kind(food.apple, "red yellow green", "fruit", (0.075, 0.1), 850),
    _kind(food.pear, "yellow green", "fruit", (0.095, 0.13), 950),
    _kind(food.banana, "yellow", "fruit", (0.17, 0.21), 900, front="its stalk"),
    _kind(food.pumpkin, "orange white", "fruit", (0.14, 0.3), 450, turns="quarter"),
    _kind(food.tin_can, _BRIGHT + " white", "steel", (0.085, 0.16), 900),
    _kind(food.milk_carton, "red orange yellow green blue purple pink", "cardboard", (0.16, 0.26), 1000, turns="half"),
    _kind(toys.toy_car, _TOYS, "plastic metal", (0.11, 0.26), 550, front="its bonnet"),
    _kind(toys.toy_train, "red orange yellow green blue pink", "wood plastic", (0.16, 0.3), 550, front="its chimney"),
    _kind(toys.toy_plane, _TOYS, "plastic wood", (0.18, 0.34), 350, front="its propeller"),
    _kind(toys.toy_boat, _TOYS, "wood plastic", (0.17, 0.34), 350, front="its bow"),
    _kind(
        toys.rubber_duck,
        "yellow orange green blue purple pink white black red",
        "rubber",
        (0.09, 0.16),
        300,
        front="its beak",
    ),
    _kind(toys.piggy_bank, "pink red yellow green blue white black", "ceramic", (0.13, 0.22), 550, front="its snout"),
    _kind(toys.teddy_bear, "brown pink blue white red", "plush", (0.18, 0.34), 120, front="its face"),
    _kind(toys.toy_brick, _TOYS, "plastic", (0.1, 0.16), 500, turns="half"),
    _kind(toys.die, "red green blue purple white black", "plastic wood", (0.045, 0.09), 900, turns="quarter"),
    _kind(desk.laptop, "red blue pink white black", "plastic", (0.31, 0.38), 900, front="its keyboard"),
    _kind(desk.photo_camera, "red brown white black", "metal", (0.125, 0.16), 900, front="its lens"),
    _kind(desk.pencil_holder, _GLAZES, "metal plastic", (0.16, 0.21), 900, turns="quarter"),
    _kind(desk.trophy, "golden", "metal", (0.2, 0.36), 2000, turns="half", along="its two handles"),
    _kind(desk.toolbox, "red orange yellow green blue black", "metal plastic", (0.32, 0.43), 250, turns="half"),
    _kind(desk.dumbbell, "red green blue purple pink black", "iron", (0.15, 0.28), 2500, turns="half"),
    _kind(desk.tissue_box, _GLAZES, "cardboard", (0.2, 0.26), 130, turns="half"),
    _kind(found.rocking_horse, _TOYS, "wood", (0.24, 0.42), 500, front="its head"),
    _kind(found.boot, "red blue brown white black", "leather", (0.23, 0.29), 700, front="its toe"),
    _kind(
        found.headphones,
        "red orange green blue purple pink white black",
        "plastic",
        (0.19, 0.22),
        500,
        front="its ear pads",
    ),
    _kind(food.cupcake, _GLAZES, "paper", (0.08, 0.115), 500),
    _kind(found.toy_forklift, _TOYS, "metal plastic", (0.18, 0.34), 900, front="its forks"),
    _kind(found.wheelbarrow, _TOYS, "metal", (0.24, 0.42), 900, front="its wheel"),
    _kind(found.reindeer, _ALL + " golden", "ceramic metal", (0.17, 0.30), 1500, front="its head"),
)

CATEGORIES: dict[str, Category] = {category.name: category for category in _LIST}
"""Every kind of thing by its name."""


def draw_thing(
    generator: np.random.Generator, category: str, colour: str | None = None, longest: float | None = None
) -> Thing:
    """Make a random thing of a category.

    The `longest` side (m) is chosen at random, unless it is given. The same state of the generator gives the same
    arrays.

    Raises:
        InputError: If the category or the colour does not exist.
    """
    kind = CATEGORIES.get(category)
    if kind is None:
        raise InputError(f"world: no category {category!r} in the catalogue: choose one of {', '.join(CATEGORIES)}")
    if colour is not None and colour not in kind.colours:
        raise InputError(f"world: no {colour} {category} in the catalogue: its colours are {', '.join(kind.colours)}")
    colour = colour or str(generator.choice(kind.colours))
    painted = paint(generator, colour, str(generator.choice(kind.materials)))
    drawn = generator.uniform(*kind.longest)
    return assemble(kind, painted, kind.sketch(generator, painted), drawn if longest is None else longest)
