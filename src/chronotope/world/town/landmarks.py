"""Landmarks that people name from the air, each at its real size.

The origin of a landmark is the middle of its box, and it stands on the bottom of this box.
"""

from collections.abc import Callable

import numpy as np

from chronotope.errors import InputError
from chronotope.world.things import Thing
from chronotope.world.things.mesh import moved, volume
from chronotope.world.things.thing import finished, size_of
from chronotope.world.town.casters import with_caster
from chronotope.world.town.grounds import bridge, fountain_square, hedge_maze, roundabout, swimming_pool, tennis_courts
from chronotope.world.town.monuments import castle, church, helipad, pyramid_hall, stadium
from chronotope.world.town.solids import Parts
from chronotope.world.town.towers import big_wheel, lighthouse, water_tower, windmill

GRAIN = 1e-3  # m, of the vertices
DENSITY = 400.0  # kg/m3 of a building
_ABOVE: dict[str, Callable[[np.random.Generator], Parts]] = {
    "stadium": stadium,
    "church": church,
    "pyramid": pyramid_hall,
    "roundabout": roundabout,
    "swimming pool": swimming_pool,
    "tower with a helipad": helipad,
    "castle": castle,
    "bridge": bridge,
    "fountain": fountain_square,
    "tennis courts": tennis_courts,
    "hedge maze": hedge_maze,
}
_ASIDE: dict[str, Callable[[np.random.Generator], Parts]] = {
    "lighthouse": lighthouse,
    "windmill": windmill,
    "water tower": water_tower,
    "big wheel": big_wheel,
}

FROM_ABOVE = tuple(_ABOVE)
"""The landmarks whose outlines are known from straight above."""

LANDMARKS = (*_ABOVE, *_ASIDE)
"""All landmarks; the others are known from the side, so a camera looks at them at a slant."""


def draw_landmark(generator: np.random.Generator, kind: str) -> Thing:
    """Draw a landmark, one of LANDMARKS.

    Raises:
        InputError: If there is no such landmark.
    """
    made = (_ABOVE | _ASIDE).get(kind)
    if made is None:
        raise InputError(f"world: no landmark {kind!r}: choose one of {', '.join(LANDMARKS)}")
    parts = made(generator)
    points = np.concatenate([mesh.vertices for mesh, _ in parts])
    middle = np.round((points.min(axis=0) + points.max(axis=0)) / 2, 3)
    pieces = tuple(with_caster(finished(moved(mesh, by=-middle), look, GRAIN)) for mesh, look in parts)
    size = size_of(pieces)
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * np.array(size) / 2
    amount = sum(abs(volume(piece.vertices, piece.faces)) for piece in pieces)
    return Thing(
        category=kind, colour=None, material="stone", pieces=pieces, size=size, symmetry="none", front="its front",
        mass=float(DENSITY * amount), solids=(corners,), support=None, called="{category}",
    )  # fmt: skip
