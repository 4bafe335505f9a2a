"""The catalogue's list, and a thing drawn from it."""

import numpy as np

from chronotope.errors import InputError
from chronotope.world.catalogue import desk, food, home, household, paperware, tableware, toys
from chronotope.world.catalogue.colours import COLOURS, paint
from chronotope.world.catalogue.things import Category, Thing, assemble

__all__ = ["CATEGORIES", "draw_thing"]

_ALL = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "white", "black")
_BRIGHT = ("red", "orange", "yellow", "green", "blue", "purple", "pink")
_TOYS = ("red", "orange", "yellow", "green", "blue", "pink", "white", "black")
_GLAZES = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "white", "black")

_LIST = (
    Category("mug", _GLAZES, ("ceramic",), (0.105, 0.135), 1900, "none", "its handle", tableware.mug),
    Category("bowl", _GLAZES, ("ceramic",), (0.13, 0.24), 1900, "any", None, tableware.bowl),
    Category("plate", _GLAZES, ("ceramic",), (0.20, 0.28), 1900, "any", None, tableware.plate),
    Category("bottle", _ALL, ("glass", "plastic"), (0.20, 0.32), 600, "any", None, tableware.bottle),
    Category("vase", _GLAZES, ("ceramic",), (0.18, 0.34), 1900, "any", None, tableware.vase),
    Category("jug", _GLAZES, ("ceramic",), (0.17, 0.28), 1900, "none", "its handle", tableware.jug),
    Category("teapot", _GLAZES, ("ceramic",), (0.19, 0.27), 700, "none", "its spout", tableware.teapot),
    Category("frying pan", ("red", "orange", "green", "blue", "black"), ("metal",), (0.34, 0.45), 2700, "none", "its handle", tableware.frying_pan),
    Category("cooking pot", ("red", "orange", "yellow", "green", "blue", "white", "black"), ("metal",), (0.22, 0.34), 450, "half", None, tableware.cooking_pot),
    Category("book", _ALL, ("paper",), (0.20, 0.30), 650, "half", None, paperware.book),
    Category("cardboard box", ("brown",), ("cardboard",), (0.20, 0.40), 90, "half", None, paperware.cardboard_box),
    Category("cereal box", ("red", "orange", "yellow", "green", "blue", "purple"), ("cardboard",), (0.24, 0.34), 130, "half", None, paperware.cereal_box),
    Category("gift box", ("red", "green", "blue", "purple", "pink", "white", "black"), ("paper",), (0.12, 0.28), 120, "half", None, paperware.gift_box),
    Category("ball", _ALL, ("rubber",), (0.06, 0.22), 300, "any", None, home.ball),
    Category("table lamp", ("red", "orange", "yellow", "green", "blue", "purple", "pink", "white"), ("fabric",), (0.28, 0.42), 700, "any", None, home.table_lamp),
    Category("desk lamp", ("red", "orange", "yellow", "green", "blue", "pink", "white", "black"), ("metal",), (0.32, 0.44), 1500, "none", "its shade", home.desk_lamp),
    Category("candle", _BRIGHT + ("white",), ("wax",), (0.12, 0.24), 900, "any", None, household.candle),
    Category("alarm clock", _BRIGHT + ("white", "black"), ("metal",), (0.11, 0.18), 900, "half", None, household.alarm_clock),
    Category("flower pot", ("red", "orange", "yellow", "blue", "purple", "pink", "brown", "white", "black"), ("clay", "ceramic"), (0.16, 0.34), 1100, "quarter", None, household.flower_pot),
    Category("basket", ("brown",), ("wicker",), (0.22, 0.36), 400, "half", None, household.basket),
    Category("bucket", _BRIGHT + ("white", "black"), ("plastic", "metal"), (0.20, 0.36), 950, "half", None, household.bucket),
    Category("watering can", _BRIGHT + ("white", "black"), ("metal", "plastic"), (0.26, 0.40), 1000, "none", "its spout", household.watering_can),
    Category("toilet roll", ("white",), ("paper",), (0.09, 0.12), 180, "any", None, household.toilet_roll),
    Category("spray bottle", _BRIGHT + ("white", "black"), ("plastic",), (0.20, 0.28), 500, "none", "its nozzle", household.spray_bottle),
    Category("hat", _ALL, ("felt",), (0.27, 0.34), 60, "any", None, household.hat),
    Category("cap", _BRIGHT + ("white", "black"), ("fabric",), (0.23, 0.28), 80, "none", "its visor", household.cap),
    Category("traffic cone", ("orange", "red", "yellow", "blue", "green"), ("plastic",), (0.22, 0.34), 350, "quarter", None, household.traffic_cone),
    Category("apple", ("red", "yellow", "green"), ("fruit",), (0.075, 0.10), 850, "any", None, food.apple),
    Category("pear", ("yellow", "green"), ("fruit",), (0.095, 0.13), 950, "any", None, food.pear),
    Category("banana", ("yellow", "green"), ("fruit",), (0.17, 0.21), 900, "none", "its stalk", food.banana),
    Category("pumpkin", ("orange", "white", "green"), ("fruit",), (0.14, 0.30), 450, "quarter", None, food.pumpkin),
    Category("tin can", _BRIGHT + ("white",), ("steel",), (0.085, 0.16), 900, "any", None, food.tin_can),
    Category("milk carton", ("red", "orange", "yellow", "green", "blue", "purple", "pink"), ("cardboard",), (0.16, 0.26), 1000, "half", None, food.milk_carton),
    Category("toy car", _TOYS, ("plastic", "metal"), (0.11, 0.26), 550, "none", "its bonnet", toys.toy_car),
    Category("toy train", ("red", "orange", "yellow", "green", "blue", "pink"), ("wood", "plastic"), (0.16, 0.30), 550, "none", "its chimney", toys.toy_train),
    Category("toy plane", _TOYS, ("plastic", "wood"), (0.18, 0.34), 350, "none", "its propeller", toys.toy_plane),
    Category("toy boat", _TOYS, ("wood", "plastic"), (0.17, 0.34), 350, "none", "its bow", toys.toy_boat),
    Category("rubber duck", ("yellow", "orange", "green", "blue", "purple", "pink", "white", "black", "red"), ("rubber",), (0.09, 0.16), 300, "none", "its beak", toys.rubber_duck),
    Category("piggy bank", ("pink", "red", "yellow", "green", "blue", "white", "black"), ("ceramic",), (0.13, 0.22), 550, "none", "its snout", toys.piggy_bank),
    Category("teddy bear", ("brown", "pink", "blue", "white", "red"), ("plush",), (0.18, 0.34), 120, "none", "its face", toys.teddy_bear),
    Category("toy brick", ("red", "orange", "yellow", "green", "blue", "pink", "white", "black"), ("plastic",), (0.08, 0.14), 500, "half", None, toys.toy_brick),
    Category("dice", ("red", "green", "blue", "purple", "white", "black"), ("plastic", "wood"), (0.035, 0.08), 900, "quarter", None, toys.dice),
    Category("laptop", ("red", "blue", "pink", "white", "black"), ("plastic",), (0.31, 0.38), 900, "none", "its keyboard", desk.laptop),
    Category("camera", ("red", "brown", "white", "black"), ("metal",), (0.125, 0.16), 900, "none", "its lens", desk.camera),
    Category("pencil holder", _BRIGHT + ("white", "black"), ("metal", "plastic"), (0.16, 0.21), 900, "quarter", None, desk.pencil_holder),
    Category("trophy", ("golden",), ("metal",), (0.20, 0.36), 2000, "half", None, desk.trophy),
    Category("toolbox", ("red", "orange", "yellow", "green", "blue", "black"), ("metal", "plastic"), (0.32, 0.43), 250, "half", None, desk.toolbox),
    Category("dumbbell", ("red", "green", "blue", "purple", "pink", "black"), ("iron",), (0.15, 0.28), 2500, "half", None, desk.dumbbell),
    Category("tissue box", _BRIGHT + ("white", "black"), ("cardboard",), (0.20, 0.26), 130, "half", None, desk.tissue_box),
)  # fmt: skip

CATEGORIES: dict[str, Category] = {category.name: category for category in _LIST}
"""Every kind of thing by its name."""


def draw_thing(
    generator: np.random.Generator, category: str, colour: str | None = None, scale: float | None = None
) -> Thing:
    """A thing of a category, its size drawn from the real range; `scale` multiplies that size.

    The same state of the generator gives the same arrays. InputError where there is no such category or colour.
    """
    kind = CATEGORIES.get(category)
    if kind is None:
        raise InputError(f"world: no category {category!r} in the catalogue: choose one of {', '.join(CATEGORIES)}")
    if colour is not None and colour not in kind.colours:
        raise InputError(f"world: no {colour} {category} in the catalogue: its colours are {', '.join(kind.colours)}")
    colour = colour or str(generator.choice(kind.colours))
    painted = paint(generator, colour, str(generator.choice(kind.materials)))
    longest = generator.uniform(*kind.longest) * (1.0 if scale is None else scale)
    return assemble(kind, painted, kind.sketch(generator, painted), longest)
