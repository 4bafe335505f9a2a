"""A table with things: the kinds, colours and positions of the things, and the surroundings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from chronotope.errors import InputError
from chronotope.io import slug
from chronotope.world.film_set import FilmSet, Placement
from chronotope.world.grounds import Ground, drop, lies_as_placed, stand
from chronotope.world.interiors.surroundings import draw_lights, draw_room
from chronotope.world.kinds.table.bearers import add_bearer, add_table
from chronotope.world.kinds.table.moving import add_mover
from chronotope.world.settle import settle
from chronotope.world.things import TABLE_KINDS, Thing, draw_thing, draw_twins

ATTEMPTS = 20
FEWEST, MOST = 8, 12  # things
BEARER_SHARE, PAIR_SHARE, MOVER_SHARE = 0.9, 0.5, 0.5  # shares of tables that have furniture, a pair, a moving thing
ALIKE_SHARE = 0.4  # share of tables with two things of one kind in different colours
PAIR_SPAN = 1.3  # least ratio of the longest sides of a pair
TALLEST_ON_TOP = 0.22  # m
STACK_SHARE = 0.8  # share of things with a flat top that support another thing


@dataclass(frozen=True, eq=False)
class Table:
    """A set, with the height of the table (m) and the best azimuth (rad).

    ``walls`` (2,) are the distances (m) of the walls from the middle of the room, along x and y.
    """

    film_set: FilmSet
    top: float
    azimuth: float
    walls: np.ndarray

    @property
    def things(self) -> list[Placement]:
        """Return the things on the table, without furniture."""
        return [placement for placement in self.film_set.placements if placement.role == "thing"]


def lay_table(generator: np.random.Generator, times: np.ndarray) -> Table:
    """Lay a table whose things stay at their places.

    On some tables one thing moves; ``times`` (T,) s are the times of the frames.

    Raises:
        InputError: If the engine is missing.
    """
    for _ in range(ATTEMPTS):
        azimuth = float(generator.uniform(-np.pi, np.pi))
        placements = _draw_placements(generator, azimuth, times)
        if placements is None:
            continue
        still = [placement for placement in placements if placement.path is None]
        moving = [placement for placement in placements if placement.path is not None]
        poses = settle(still)
        if poses is not None and all(
            placement.role == "furniture" or lies_as_placed(placement, pose)
            for placement, pose in zip(still, poses, strict=True)
        ):
            top = still[0].pose[2, 3] + still[0].thing.size[2] / 2
            room, walls = draw_room(generator)
            film_set = FilmSet((*drop(still, poses), *moving), room, draw_lights(generator, azimuth, top), near=0.06)
            return Table(film_set, top, azimuth, walls)
    raise InputError(
        f"the things on the table did not come to rest in {ATTEMPTS} attempts: leave the table out with --keep-going"
    )


def _draw_placements(generator: np.random.Generator, azimuth: float, times: np.ndarray) -> list[Placement] | None:
    """Place furniture, a moving thing, then other things, the largest first.

    Returns None if too few things have a position.
    """
    table, desk = add_table(generator)
    placements, grounds = [table], [desk]
    wanted = int(generator.integers(FEWEST, MOST + 1))
    if generator.random() < BEARER_SHARE:
        bearer, upper = add_bearer(generator, desk, azimuth, TALLEST_ON_TOP)
        placements += [] if bearer is None else [bearer]
        grounds += upper
    if generator.random() < MOVER_SHARE:
        moving = add_mover(generator, times, desk)
        if moving is not None:
            placements.append(replace(moving, id=_name(placements, moving.thing)))
    kinds = [str(kind) for kind in generator.permutation(list(TABLE_KINDS))]
    kinds = [kind for kind in kinds if all(placement.thing.category != kind for placement in placements)]
    if generator.random() < PAIR_SHARE:
        _add_pair(generator, placements, desk, kinds.pop())
    count = wanted - _things(placements) - (generator.random() < ALIKE_SHARE)
    first, rest = _largest_first(generator, kinds[:count]), kinds[count:]
    if count < wanted - _things(placements):
        rest.insert(0, kinds[int(generator.integers(count))])
    for drawn in (*first, *rest):
        if _things(placements) >= wanted:
            break
        thing = drawn if isinstance(drawn, Thing) else _fresh(generator, placements, drawn)
        bears = thing is not None and thing.support is not None and generator.random() < STACK_SHARE
        placed = _add(generator, placements, thing, [desk] if bears else grounds)
        if placed is not None and bears:
            grounds.append(_on_top(placed))
    return placements if _things(placements) >= FEWEST else None


def _largest_first(generator: np.random.Generator, kinds: Sequence[str]) -> list[Thing]:
    """Draw a thing of each kind.

    Things that can support other things come before all other things. In both groups, larger things come before smaller
    things. Otherwise large things would be placed less often than small things.
    """
    things = [draw_thing(generator, kind) for kind in kinds]
    return sorted(things, key=lambda thing: (thing.support is None, -thing.size[0] * thing.size[1]))


def _things(placements: list[Placement]) -> int:
    return sum(placement.role == "thing" for placement in placements)


def _on_top(below: Placement) -> Ground:
    """Return the ground on a thing with a flat top."""
    yaw = float(np.arctan2(below.pose[1, 0], below.pose[0, 0]))
    top = below.pose[:3, 3] + np.array([0.0, 0.0, below.thing.size[2] / 2])
    length, width = below.thing.support or (0.0, 0.0)
    return Ground(below.id, top, np.array([length, width]) / 2, yaw, TALLEST_ON_TOP)


def _add_pair(generator: np.random.Generator, placements: list[Placement], desk: Ground, kind: str) -> None:
    """Add two things that differ only in size, by a visible amount.

    Both things have the same kind and colour.
    """
    twins = draw_twins(generator, kind, str(generator.choice(TABLE_KINDS[kind].colours)), PAIR_SPAN)
    before = len(placements), len(desk.taken)
    for twin in reversed(twins or ()):
        if _add(generator, placements, twin, [desk]) is None:
            del placements[before[0] :], desk.taken[before[1] :]  # a single thing would not be a pair
            return


def _fresh(generator: np.random.Generator, placements: list[Placement], kind: str) -> Thing | None:
    """Draw a thing of a kind, in a colour not yet used."""
    taken = {placement.thing.colour for placement in placements if placement.thing.category == kind}
    colours = [colour for colour in TABLE_KINDS[kind].colours if colour not in taken]
    return draw_thing(generator, kind, colours[generator.integers(len(colours))]) if colours else None


def _add(
    generator: np.random.Generator, placements: list[Placement], thing: Thing | None, grounds: list[Ground]
) -> Placement | None:
    """Place a thing on a ground, and add its placement.

    Small grounds are usually tried before large grounds. The result is None if there is no thing, or no free place.
    """
    if thing is None:
        return None
    order = [float(np.sqrt(ground.half.prod()) * generator.uniform(0.1, 1.9)) for ground in grounds]
    for ground in [grounds[number] for number in np.argsort(order)]:
        placed = stand(generator, thing, ground, _name(placements, thing))
        if placed is not None:
            placements.append(placed)
            return placed
    return None


def _name(placements: list[Placement], thing: Thing) -> str:
    """Return a free id: the label, with a number if necessary."""
    name = slug(thing.label)
    number = 1 + sum(placement.thing.label == thing.label for placement in placements)
    return name if number == 1 else f"{name}-{number}"
