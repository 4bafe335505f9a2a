"""The colour by which people call an asset, or none."""

from collections.abc import Sequence

import numpy as np

from chronotope.world.things.colour_table import COLOUR_TABLE
from chronotope.world.things.colours import lab, shades_of
from chronotope.world.things.main_colour import has_main_colour, seen_pieces
from chronotope.world.things.thing import Look, Piece

MOST_OF_IT = 0.6  # least share of what is seen that has the colour
NEAR = 20.0  # largest distance from the named colour, in CIE Lab
# Colours that have other names than those of the table: what is nearest to one of them is called by no colour.
OTHERS = (
    (0.25, 0.25, 0.26),
    (0.42, 0.42, 0.43),
    (0.60, 0.60, 0.61),
    (0.74, 0.74, 0.75),
    (0.88, 0.82, 0.70),
    (0.76, 0.66, 0.52),
    (0.62, 0.45, 0.28),
    (0.50, 0.47, 0.40),
    (0.45, 0.45, 0.20),
    (0.35, 0.60, 0.62),
    (0.62, 0.75, 0.86),
    (0.10, 0.14, 0.28),
    (0.06, 0.08, 0.16),
    (0.45, 0.12, 0.12),
    (0.45, 0.22, 0.18),
    (0.95, 0.25, 0.05),
    (0.90, 0.70, 0.20),
    (0.15, 0.35, 0.40),
    (0.17, 0.09, 0.08),
    (0.18, 0.17, 0.16),
)


def colour_of(pieces: Sequence[Piece]) -> str | None:
    """Return the name of the colour that most of a thing has.

    Returns None if no colour covers most of the thing.
    """
    painted = {name: row.srgb for name, row in COLOUR_TABLE.items() if row.names_assets}
    names = [*painted, *(None for _ in OTHERS)]
    known = lab(np.array([*painted.values(), *OTHERS]))
    looks = lab(np.array([_mean(piece.look) for piece in pieces]))
    away = np.linalg.norm(looks[:, None] - known[None], axis=2)
    nearest = np.where(away.min(axis=1) <= NEAR, away.argmin(axis=1), len(names))
    counts = np.bincount(nearest[seen_pieces(pieces)], minlength=len(names) + 1)
    most = int(counts[: len(names)].argmax())
    name = names[most]
    is_main = counts[most] >= MOST_OF_IT * counts.sum() and name is not None and has_main_colour(pieces, name)
    return name if is_main else None


def _mean(look: Look) -> tuple[float, float, float]:
    if look.texture is None:
        return look.colour
    r, g, b = shades_of(look).mean(axis=0)
    return float(r), float(g), float(b)
