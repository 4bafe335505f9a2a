"""Roads and daylight of stages outdoors, in the tones of a theme, and the things beside the roads."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.io import read_yaml, slug
from chronotope.world.film_set import Daylight, Placement
from chronotope.world.kinds.stage.sets import WALLS
from chronotope.world.kinds.stage.staged import standing
from chronotope.world.slabs import corners_of
from chronotope.world.street import Street, draw_fixture, street_set
from chronotope.world.street.backdrop import KERB
from chronotope.world.street.country import country_set
from chronotope.world.street.house_shade import with_shade
from chronotope.world.street.level_lane import HALF, WAY, LaneLooks, lane_set
from chronotope.world.things import Piece, Thing
from chronotope.world.things.colour_table import SRGB
from chronotope.world.things.thing import size_of

LOW_SUN, LOW_SPREAD = np.radians(30.0), 0.1  # height of a low sun, and the share of its spread

_ROWS: Mapping[str, Any] = read_yaml(Path(__file__).with_name("open_air.yaml"))
"""By tone: the colours of fields and lawns, the heights (degrees) of the sun, and the light of the sky."""


def daylight_of(generator: np.random.Generator, tones: Sequence[str], window: float, spread: float = 1.2) -> Daylight:
    """Draw the sun of a set, behind a camera that looks along +x.

    Its direction differs from -x by up to ``spread`` (rad), and its height is that of the tone. A low sun shines along
    the road, since houses would shade all of it otherwise.
    """
    low, high = np.radians(_in_tone("suns", tones))
    height = float(generator.uniform(low, high))
    spread *= LOW_SPREAD if high < LOW_SUN else 1.0
    azimuth = np.pi + float(generator.uniform(-spread, spread))  # behind the camera: what it sees is lit
    x, y, z = np.cos(height) * np.cos(azimuth), np.cos(height) * np.sin(azimuth), np.sin(height)
    return Daylight((float(x), float(y), float(z)), window=window)


def sky_light(tones: Sequence[str]) -> SRGB:
    """Return the ambient light of a set in its tones."""
    red, green, blue = _in_tone("skies", tones)
    return red, green, blue


def crops_of(tones: Sequence[str]) -> tuple[list[SRGB], SRGB]:
    """Return the colours of the fields and of the grass of a set in its tones."""
    red, green, blue = _in_tone("grass", tones)
    return [(r, g, b) for r, g, b in _in_tone("fields", tones)], (red, green, blue)


def _in_tone(name: str, tones: Sequence[str]) -> Any:
    """Return the row of a table for the first of the tones, or the usual one."""
    return _ROWS[name].get(tones[0], _ROWS[name]["usual"])


def draw_highway(
    generator: np.random.Generator, place: str, tones: Sequence[str], length: float
) -> tuple[Street, list[Placement]]:
    """Draw a straight road with three lanes along x, and what stands beside it.

    The road leads through a town or through fields.
    """
    if place == "street":
        street = street_set(generator, length, 3, False, WALLS[tones[0]])
        plants, rows, low = (("Tree", 45.0, 0.9),), (("StreetLamp", 24.0, 1.1), ("Bollard", 8.0, 1.15)), KERB
        loose = 0.0
    else:
        street = country_set(generator, length, 3, *crops_of(tones))
        plants = (("Tree", 70.0, -6.5), ("Conifer", 90.0, -10.0), ("Bush", 55.0, -3.5))
        rows, low, loose = (("MarkerPost", 12.5, 0.7),), 0.0, 0.2
    near, passed = (-length / 2 + 60, length / 2), (-length / 2 + 90, length / 2 - 100)
    trees = [beside_road(generator, street.pavements, passed, row, low, loose) for row in plants]
    posts = [each for row in rows for each in beside_road(generator, street.pavements, near, row, low)]
    props = named_props([grove(trees), *posts])
    return street._replace(pieces=tuple(map(with_shade, street.pieces))), props


def draw_lane(
    generator: np.random.Generator, place: str, tones: Sequence[str], reach: tuple[float, float], crossing: float
) -> tuple[tuple[Piece, ...], list[Placement]]:
    """Draw a narrow lane along x, with bollards and lamps, and a way that crosses it."""
    row = _ROWS["lanes"][place if place in _ROWS["lanes"] else "street"]
    surface, ground = row["lane"], row["ground"]
    if row["border"] == "hedges":
        surface, ground = _in_tone("paths", tones), crops_of(tones)[1]
    looks = LaneLooks(_srgb(surface), _srgb(ground), WALLS[tones[0]], _srgb(_in_tone("hedges", tones)))
    pieces = lane_set(generator, reach, crossing, row["border"], looks)
    middles = (-HALF, HALF)
    posts = beside_road(generator, middles, reach, ("Bollard", 4.5, -0.35), 0.0, 0.0)
    posts += beside_road(generator, middles, reach, ("StreetLamp", 27.0, -1.3), 0.0, 0.0)
    free = [(thing, pose) for thing, pose in posts if abs(pose[0, 3] - crossing) > WAY + 0.4]
    return tuple(map(with_shade, pieces)), named_props(free)


def beside_road(
    generator: np.random.Generator,
    middles: Sequence[float],
    reach: tuple[float, float],
    row: tuple[str, float, float],
    low: float,
    spread: float = 0.0,
) -> list[tuple[Thing, np.ndarray]]:
    """Place things of one model along both sides of a road, at a height ``low`` (m).

    ``middles`` (m) are the y of the middles of both pavements, and ``reach`` (m) the first and the last x. ``row`` has
    an object type, the distance (m) of two things, and how far (m) they stand from the middles towards the road. Their
    places differ from an even row by up to ``spread`` times their distance.
    """
    kind, step, inwards = row
    thing = draw_fixture(generator, kind).thing
    placed = []
    for side, middle in zip((-1, 1), middles, strict=True):
        for x in np.arange(reach[0] + 6.0 + 0.4 * step * (side > 0), reach[1] - 6.0, step):
            along, off = generator.uniform(-1.0, 1.0, 2) * (spread * step, 5.0 * spread)
            place = float(x + along), middle - side * (inwards + float(off)), low
            placed.append((thing, standing("", thing, place, -side * np.pi / 2).pose))
    return placed


def named_props(placed: Sequence[tuple[Thing, np.ndarray]]) -> list[Placement]:
    """Give things beside a road their ids."""
    return [
        Placement(f"prop-{number}-{slug(thing.category)}", thing, pose, role="furniture")
        for number, (thing, pose) in enumerate(placed, 1)
    ]


def grove(rows: Sequence[Sequence[tuple[Thing, np.ndarray]]]) -> tuple[Thing, np.ndarray]:
    """Make one thing of all plants, and return it with its pose.

    The plants of a row are the same model. Leaves are not even surfaces, so few of them should be verified.
    """
    points = np.concatenate(
        [_at(pose, piece.vertices) for row in rows for thing, pose in row for piece in thing.pieces]
    )
    low, high = points.min(axis=0), points.max(axis=0)
    middle = np.round((low + high) / 2, 3)
    pieces = tuple(
        replace(
            piece,
            vertices=np.concatenate([_at(pose, piece.vertices) - middle for _, pose in row]),
            faces=np.concatenate([piece.faces + k * len(piece.vertices) for k in range(len(row))]),
            uv=None if piece.uv is None else np.tile(piece.uv, (len(row), 1)),
            caster=None,
        )
        for row in rows
        for piece in row[0][0].pieces
    )
    whole = Thing("trees", None, "leaf", pieces, size_of(pieces), "none", "its front", 1.0,
                  (corners_of(high - low, (0.0, 0.0, 0.0)),), None, called="{category}")  # fmt: skip
    pose = np.eye(4)
    pose[:3, 3] = middle
    return whole, pose


def _at(pose: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    return vertices @ pose[:3, :3].T + pose[:3, 3]


def _srgb(values: Sequence[float]) -> SRGB:
    red, green, blue = values
    return red, green, blue
