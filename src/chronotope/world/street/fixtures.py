"""Street furniture: things that stand in streets, drawn at random from built-in shapes or from a folder of assets."""

from dataclasses import dataclass, field

import numpy as np

from chronotope.errors import InputError
from chronotope.world.street.assets import StreetAssets
from chronotope.world.street.street_types import STREET_KINDS
from chronotope.world.things.colours import paint
from chronotope.world.things.kind import assemble
from chronotope.world.things.sizes import Sizes
from chronotope.world.things.thing import Thing


@dataclass(frozen=True, eq=False)
class Fixture:
    """A piece of street furniture.

    ``type`` is its object type. ``source`` has the id, the licence and the attribution of the asset, if it is one.
    """

    type: str
    thing: Thing
    source: dict[str, str] = field(default_factory=dict[str, str])


def fixture_types(assets: StreetAssets | None = None) -> tuple[str, ...]:
    """List the types of street furniture that can be drawn."""
    there = set[str]() if assets is None else assets.types
    return tuple(
        name for name, row in STREET_KINDS.items() if row.use == "furniture" and (row.built_in or name in there)
    )


def draw_fixture(
    generator: np.random.Generator,
    kind: str | None = None,
    colour: str | None = None,
    assets: StreetAssets | None = None,
) -> Fixture:
    """Draw a piece of street furniture.

    ``kind`` is an object type of street furniture, such as "Bench", and ``colour`` one of its colours. With ``assets``,
    some pieces have shapes from a library. The same state of the generator gives the same arrays.

    Raises:
        InputError: If there is no such type, or if it has no such colour.
    """
    offered = fixture_types(assets)
    if kind is not None and kind not in offered:
        raise InputError(f"world: no street furniture {kind!r}: choose one of {', '.join(offered)}")
    name = kind or str(generator.choice(offered))
    row = STREET_KINDS[name]
    colours = tuple(dict.fromkeys(row.kind.colours))
    if colour is not None and colour not in colours:
        raise InputError(f"world: no {colour} {row.kind.noun}: its colours are {', '.join(colours)}")
    asset = None if assets is None else assets.choose(generator, name, row.built_in, colour)
    if asset is not None:
        return Fixture(name, asset.thing, asset.entry.rights)
    painted = paint(
        generator, colour or str(generator.choice(row.kind.colours)), str(generator.choice(row.kind.materials))
    )
    model = row.kind.sketch(generator, painted)
    return Fixture(name, assemble(row.kind, painted, model, draw_size(generator, row.kind.sizes)))


def draw_size(generator: np.random.Generator, sizes: Sizes) -> np.ndarray:
    """Draw a size (3,) m, evenly in its logarithm.

    The axes of a group have the same place in their ranges.
    """
    size = np.empty(3)
    for axes in sizes.tied.split():
        chosen = ["xyz".index(axis) for axis in axes]
        low, high = np.log(sizes.bounds[:, chosen])
        size[chosen] = np.exp(low + generator.uniform(0, 1) * (high - low))
    return size
