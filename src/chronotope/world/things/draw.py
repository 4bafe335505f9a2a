"""The list of all categories in the catalogue, and the random choice of a thing."""

from collections.abc import Callable

import numpy as np

from chronotope.errors import InputError
from chronotope.world.things.colours import paint
from chronotope.world.things.sizes import SIZES
from chronotope.world.things.sketches import desk, food, found, home, household, paperware, tableware, toys
from chronotope.world.things.thing import Category, Draft, Paint, Symmetry, Thing, assemble, extent_of

TWINS = 12  # largest number of attempts to find two sizes that clearly differ
APART = 0.35  # the positions of twins in the range of sizes (0 to 1) differ at least by this

_BRIGHT = "red orange yellow green blue purple pink"
_GLAZES = _BRIGHT + " white black"
_ALL = _BRIGHT + " brown white black"
_TOYS = "red orange yellow green blue pink white black"


def _kind(
    sketch: Callable[[np.random.Generator, Paint], Draft],
    colours: str,
    materials: str,
    density: float,
    turns: Symmetry = "any",
    front: str | None = None,
    along: str | None = None,
) -> Category:
    name = sketch.__name__.replace("_", " ")
    return Category(
        name=name,
        colours=tuple(colours.split()),
        materials=tuple(materials.split()),
        sizes=SIZES[name],
        density=density,
        symmetry="none" if front else turns,
        front=front,
        along=along,
        sketch=sketch,
    )


_LIST = (
    _kind(tableware.mug, _GLAZES, "ceramic", 1900, front="its handle"),
    _kind(tableware.bowl, _GLAZES, "ceramic", 1900),
    _kind(tableware.plate, _GLAZES, "ceramic", 1900),
    _kind(tableware.bottle, _ALL, "glass plastic", 600),
    _kind(tableware.vase, _GLAZES, "ceramic", 1900),
    _kind(tableware.jug, _GLAZES, "ceramic", 1900, front="its handle"),
    _kind(tableware.teapot, _GLAZES, "ceramic", 700, front="its spout"),
    _kind(tableware.frying_pan, "red orange green blue black", "metal", 2700, front="its handle"),
    _kind(
        tableware.cooking_pot,
        "red orange yellow green blue white black",
        "metal",
        450,
        turns="half",
        along="its two handles",
    ),
    _kind(paperware.book, _ALL, "paper", 650, turns="half"),
    _kind(paperware.cardboard_box, "brown", "cardboard", 90, turns="half"),
    _kind(paperware.cereal_box, "red orange yellow green blue purple", "cardboard", 130, turns="half"),
    _kind(paperware.gift_box, "red green blue purple pink white black", "paper", 120, turns="half"),
    _kind(home.ball, _ALL, "rubber", 300),
    _kind(home.table_lamp, _BRIGHT + " white", "fabric", 700),
    _kind(home.desk_lamp, _TOYS, "metal", 1500, front="its shade"),
    _kind(household.candle, _BRIGHT + " white", "wax", 900),
    _kind(household.alarm_clock, _GLAZES, "metal", 900, turns="half"),
    _kind(
        household.potted_plant,
        "red orange yellow blue purple pink brown white black",
        "clay ceramic",
        1100,
        turns="quarter",
    ),
    _kind(household.basket, "brown", "wicker", 400, turns="half"),
    _kind(
        household.bucket,
        _GLAZES,
        "plastic metal",
        950,
        turns="half",
        along="the two ends of its handle",
    ),
    _kind(household.watering_can, _GLAZES, "metal plastic", 1000, front="its spout"),
    _kind(household.toilet_roll, "white", "paper", 180),
    _kind(household.spray_bottle, _GLAZES, "plastic", 500, front="its nozzle"),
    _kind(household.hat, _ALL, "felt", 60),
    _kind(household.cap, _GLAZES, "fabric", 80, front="its visor"),
    _kind(household.traffic_cone, "orange red yellow blue green", "plastic", 350, turns="quarter"),
    _kind(food.apple, "red yellow green", "fruit", 850),
    _kind(food.pear, "yellow green", "fruit", 950),
    _kind(food.banana, "yellow", "fruit", 900, front="its stalk"),
    _kind(food.pumpkin, "orange white", "fruit", 450, turns="quarter"),
    _kind(food.tin_can, _BRIGHT + " white", "steel", 900),
    _kind(food.milk_carton, "red orange yellow green blue purple pink", "cardboard", 1000, turns="half"),
    _kind(toys.toy_car, _TOYS, "plastic metal", 550, front="its bonnet"),
    _kind(toys.toy_train, "red orange yellow green blue pink", "wood plastic", 550, front="its chimney"),
    _kind(toys.toy_plane, _TOYS, "plastic wood", 350, front="its propeller"),
    _kind(toys.toy_boat, _TOYS, "wood plastic", 350, front="its bow"),
    _kind(
        toys.rubber_duck,
        "yellow orange green blue purple pink white black red",
        "rubber",
        300,
        front="its beak",
    ),
    _kind(toys.piggy_bank, "pink red yellow green blue white black", "ceramic", 550, front="its snout"),
    _kind(toys.teddy_bear, "brown pink blue white red", "plush", 120, front="its face"),
    _kind(toys.toy_brick, _TOYS, "plastic", 500, turns="half"),
    _kind(toys.die, "red green blue purple white black", "plastic wood", 900, turns="quarter"),
    _kind(desk.laptop, "red blue pink white black", "plastic", 900, front="its keyboard"),
    _kind(desk.photo_camera, "red brown white black", "metal", 900, front="its lens"),
    _kind(desk.pencil_holder, _GLAZES, "metal plastic", 900, turns="quarter"),
    _kind(desk.trophy, "golden", "metal", 2000, turns="half", along="its two handles"),
    _kind(desk.toolbox, "red orange yellow green blue black", "metal plastic", 250, turns="half"),
    _kind(desk.dumbbell, "red green blue purple pink black", "iron", 2500, turns="half"),
    _kind(desk.tissue_box, _GLAZES, "cardboard", 130, turns="half"),
    _kind(found.rocking_horse, _TOYS, "wood", 500, front="its head"),
    _kind(found.boot, "red blue brown white black", "leather", 700, front="its toe"),
    _kind(
        found.headphones,
        "red orange green blue purple pink white black",
        "plastic",
        500,
        front="its ear pads",
    ),
    _kind(food.cupcake, _GLAZES, "paper", 500),
    _kind(found.toy_forklift, _TOYS, "metal plastic", 900, front="its forks"),
    _kind(found.wheelbarrow, _TOYS, "metal", 900, front="its wheel"),
    _kind(found.reindeer, _ALL + " golden", "ceramic metal", 1500, front="its head"),
)

CATEGORIES: dict[str, Category] = {category.name: category for category in _LIST}
"""Every kind of thing by its name."""


def draw_thing(generator: np.random.Generator, category: str, colour: str | None = None) -> Thing:
    """Draw a thing of a category.

    The same state of the generator gives the same arrays.

    Raises:
        InputError: If the category or the colour does not exist.
    """
    kind, painted, draft = _sketched(generator, category, colour)
    low, high = extent_of(draft)
    return assemble(kind, painted, draft, kind.sizes.draw(generator, high - low))


def draw_twins(generator: np.random.Generator, category: str, colour: str, ratio: float) -> tuple[Thing, Thing] | None:
    """Draw a smaller and a larger thing from the same draft.

    The longest side of the larger thing is at least ``ratio`` times as long as the longest side of the smaller thing,
    and no side of the larger thing is shorter than the same side of the smaller thing. The result is None if no such
    sizes were found in ``TWINS`` attempts.
    """
    kind, painted, draft = _sketched(generator, category, colour)
    low, high = extent_of(draft)
    for _ in range(TWINS):
        # Each position alone is uniform from 0 to 1, so twins have the same sizes as other things. The difference
        # between the two positions is at least APART.
        first = float(generator.uniform(0, 1))
        second = (first + float(generator.uniform(APART, 1 - APART))) % 1
        small, large = (kind.sizes.draw(generator, high - low, at) for at in sorted((first, second)))
        if large.max() >= ratio * small.max() and (large >= small).all():
            return assemble(kind, painted, draft, small), assemble(kind, painted, draft, large)
    return None


def _sketched(generator: np.random.Generator, category: str, colour: str | None) -> tuple[Category, Paint, Draft]:
    kind = CATEGORIES.get(category)
    if kind is None:
        raise InputError(f"world: no category {category!r} in the catalogue: choose one of {', '.join(CATEGORIES)}")
    if colour is not None and colour not in kind.colours:
        raise InputError(f"world: no {colour} {category} in the catalogue: its colours are {', '.join(kind.colours)}")
    colour = colour or str(generator.choice(kind.colours))
    painted = paint(generator, colour, str(generator.choice(kind.materials)))
    return kind, painted, kind.sketch(generator, painted)
