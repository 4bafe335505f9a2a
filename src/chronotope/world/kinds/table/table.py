"""A table with things: the kinds, colours and positions of the things, and the surroundings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from chronotope.errors import InputError
from chronotope.io import slug
from chronotope.world.catalogue import CATEGORIES, Thing, draw_thing, draw_twins
from chronotope.world.film_set import FilmSet, Placement
from chronotope.world.grounds import Ground, drop, lies_as_placed, stand
from chronotope.world.kinds.table.furniture import make_shelf, make_table
from chronotope.world.kinds.table.surroundings import draw_lights, draw_room, wood_look
from chronotope.world.settle import settle

__all__ = ["Table", "lay_table"]

ATTEMPTS = 20
FEWEST, MOST = 8, 12  # things
SPREAD = np.array([0.44, 0.30])  # m from the middle of the table within which things stand
SHELF_SHARE, PAIR_SHARE = 0.85, 0.6  # of the tables that have a shelf, and two things alike but for their size
PAIR_SPAN = 1.3  # ratio of the longest sides of two things alike
TALLEST_ON_TOP = 0.22  # m
SHORT = 0.16  # m; kinds of things whose least longest side is greater are not tried on shelves and on other things
SHELVED = 3  # things tried on the shelf, and as many beneath it
BEARERS = ("book", "cardboard box")  # kinds with a flat top on which other things may stand


@dataclass(frozen=True, eq=False)
class Table:
    """A set, the target of the camera (3,) m, and the best azimuth (rad)."""

    film_set: FilmSet
    target: np.ndarray
    azimuth: float


def lay_table(generator: np.random.Generator) -> Table:
    """Lay a table whose things stay where they were placed.

    Raises:
        InputError: If the engine is missing.
    """
    for _ in range(ATTEMPTS):
        azimuth = float(generator.uniform(-np.pi, np.pi))
        placements = _draw_placements(generator, azimuth)
        poses = None if placements is None else settle(placements)
        if placements is None or poses is None:
            continue
        if all(
            placement.role == "furniture" or lies_as_placed(placement, pose)
            for placement, pose in zip(placements, poses, strict=True)
        ):
            at_rest = drop(placements, poses)
            film_set = FilmSet(tuple(at_rest), draw_room(generator), draw_lights(generator, azimuth))
            things = np.array([p.pose[:3, 3] for p in at_rest if p.role == "thing"])
            top = at_rest[0].pose[2, 3] + at_rest[0].thing.size[2] / 2
            return Table(film_set, np.array([*things[:, :2].mean(axis=0), top + 0.07]), azimuth)
    raise InputError(
        f"the things on the table did not come to rest in {ATTEMPTS} attempts: leave the table out with --keep-going"
    )


def _draw_placements(generator: np.random.Generator, azimuth: float) -> list[Placement] | None:
    """Place furniture, then things that carry others, then the rest.

    Returns None if too few things found a position.
    """
    look, colour = wood_look(generator)
    size = (float(generator.uniform(1.15, 1.5)), float(generator.uniform(0.8, 0.95)), 0.74)
    table = make_table(size, look, colour, "wood")
    pose = np.eye(4)
    pose[2, 3] = size[2] / 2
    placements = [Placement("table", table, pose, role="furniture")]
    desk = Ground("table", np.array([0.0, 0.0, size[2]]), np.minimum(SPREAD, np.array(size[:2]) / 2 - 0.04))
    wanted = int(generator.integers(FEWEST, MOST + 1))
    if generator.random() < SHELF_SHARE:
        for ground in _add_shelf(generator, placements, desk, azimuth):
            for _ in range(SHELVED):
                _add(generator, placements, _fresh(generator, placements, SHORT), ground)
    for _ in range(int(generator.integers(1, 3))):
        _add_stack(generator, placements, desk)
    if generator.random() < PAIR_SHARE:
        _add_pair(generator, placements, desk)
    for _ in range(2 * wanted):
        if _things(placements) >= wanted:
            break
        _add(generator, placements, _fresh(generator, placements), desk)
    return placements if _things(placements) >= FEWEST else None


def _things(placements: list[Placement]) -> int:
    return sum(placement.role == "thing" for placement in placements)


def _add_shelf(
    generator: np.random.Generator, placements: list[Placement], desk: Ground, azimuth: float
) -> list[Ground]:
    """Add a low shelf that faces the camera.

    Returns the ground on top of the shelf and the ground under the shelf.
    """
    look, colour = wood_look(generator)
    size = (
        float(generator.uniform(0.5, 0.64)),
        float(generator.uniform(0.24, 0.28)),
        float(generator.uniform(0.22, 0.27)),
    )
    yaw = azimuth + np.pi / 2 + float(generator.uniform(-0.3, 0.3))
    placed = stand(generator, make_shelf(size, look, colour, "wood"), desk, "shelf", yaw)
    if placed is None:
        return []
    pose = placed.pose.copy()
    pose[2, 3] = desk.middle[2] + size[2] / 2
    placements.append(replace(placed, pose=pose, role="furniture"))
    half = np.array([size[0] / 2 - 0.05, size[1] / 2 - 0.005])
    top = Ground("shelf", pose[:3, 3] + np.array([0.0, 0.0, size[2] / 2]), half, yaw, TALLEST_ON_TOP)
    beneath = Ground("table", np.array([*pose[:2, 3], desk.middle[2]]), half, yaw, size[2] - 0.05)
    return [top, beneath]


def _add_stack(generator: np.random.Generator, placements: list[Placement], desk: Ground) -> None:
    """Return a thing with a flat top, and another thing on it."""
    below = _add(generator, placements, _fresh(generator, placements, categories=BEARERS), desk)
    if below is None or below.thing.support is None:
        return
    yaw = float(np.arctan2(below.pose[1, 0], below.pose[0, 0]))
    top = below.pose[:3, 3] + np.array([0.0, 0.0, below.thing.size[2] / 2])
    ground = Ground(below.id, top, np.array(below.thing.support) / 2, yaw, TALLEST_ON_TOP)
    for _ in range(4):
        if _add(generator, placements, _fresh(generator, placements, SHORT), ground) is not None:
            return


def _add_pair(generator: np.random.Generator, placements: list[Placement], desk: Ground) -> None:
    """Add two things that differ only in size, and clearly so.

    Both things have the same kind and colour.
    """
    like = _fresh(generator, placements)
    if like is None:
        return
    twins = draw_twins(generator, like.category, like.colour, PAIR_SPAN)
    if twins is None:
        return
    before = len(placements), len(desk.taken)
    if any(_add(generator, placements, twin, desk) is None for twin in twins):
        del placements[before[0] :], desk.taken[before[1] :]  # one alone would be a thing like any other


def _fresh(
    generator: np.random.Generator,
    placements: list[Placement],
    longest: float = np.inf,
    categories: Sequence[str] = tuple(CATEGORIES),
) -> Thing | None:
    """Make a random thing with a name that is still free.

    The kind must permit a longest side of ``longest`` (m). Returns None if no such name is free. The colour and the
    kind are chosen before the thing is made, because making a thing is slow.
    """
    taken = {(placement.thing.category, placement.thing.colour) for placement in placements}
    names = [
        (category, colour)
        for category in categories
        if CATEGORIES[category].sizes.bounds[0].max() <= longest
        for colour in CATEGORIES[category].colours
        if (category, colour) not in taken
    ]
    if not names:
        return None
    kinds = list(dict.fromkeys(category for category, _ in names))
    kind = kinds[generator.integers(len(kinds))]
    colours = [colour for category, colour in names if category == kind]
    return draw_thing(generator, kind, colours[generator.integers(len(colours))])


def _add(
    generator: np.random.Generator, placements: list[Placement], thing: Thing | None, ground: Ground
) -> Placement | None:
    """Place a thing on a ground, and add its placement.

    Returns None if there is no thing, or no free position for the thing.
    """
    placed = None if thing is None else stand(generator, thing, ground, _name(placements, thing))
    if placed is not None:
        placements.append(placed)
    return placed


def _name(placements: list[Placement], thing: Thing) -> str:
    """Return a free id: the thing's label, numbered from the second on."""
    name = slug(thing.label)
    number = 1 + sum(placement.thing.label == thing.label for placement in placements)
    return name if number == 1 else f"{name}-{number}"
