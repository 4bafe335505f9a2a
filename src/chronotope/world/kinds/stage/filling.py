"""Containers with their contents: things on the floor inside, or a liquid, always below the rim."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from chronotope.geometry import rotation_from_vector
from chronotope.world.film_set import Placement
from chronotope.world.kinds.stage.graph.vocabulary import CONTENTS, EMPTY, LIQUIDS, LYING
from chronotope.world.kinds.stage.staged import standing
from chronotope.world.refused import RefusedError
from chronotope.world.things import Container, Thing, draw_liquid, draw_thing
from chronotope.world.things.open_tops import measured
from chronotope.world.things.thing import size_of

TRIES = 12
LOWEST = 0.85  # share of the depth that contents may reach
LIQUID_LEVEL = 0.6
CLEAR = 0.004  # m, between contents and the wall
FEWEST, USUAL, MOST = 2, 4, 7  # things in a layer
WIDER = 0.05  # share by which a container is wider at each further attempt
BOXES = 3  # containers that are drawn for one of the right size
LAID = np.radians(102.0)  # by which a thing turns that lies on its side: its narrow end is lower
ENOUGH = 24  # things in all layers
FULL, STACKED = 0.62, 0.95  # share of the depth that is filled, and distance of layers in heights of a thing
# The radius of a circle in which so many circles have room beside each other, in their width.
PACKED = {2: 1.0, 3: 1.078, 4: 1.208, 5: 1.351, 6: 1.5, 7: 1.5}


@dataclass(frozen=True, eq=False)
class Filled:
    """A container and its contents, in the frame of the container: the middle of its box is the origin."""

    name: str
    container: Container
    items: tuple[Placement, ...]

    def placed(self, place: tuple[float, float, float], parent: str) -> list[Placement]:
        """Return the container on a support at a place, and its contents."""
        shift = np.eye(4)
        shift[:3, 3] = np.round([place[0], place[1], place[2] + self.container.thing.size[2] / 2], 6)
        body = Placement(self.name, self.container.thing, shift, parent)
        return [body, *(replace(each, pose=shift @ each.pose, parent=self.name) for each in self.items)]


def draw_box(generator: np.random.Generator, noun: str, colour: str, wide: float) -> Container:
    """Draw a container that is about ``wide`` m wide, and somewhat lower."""
    drawn = [draw_thing(generator, noun, colour) for _ in range(BOXES)]
    return measured(min(drawn, key=lambda each: abs(each.size[0] - wide) + abs(each.size[2] - 0.8 * wide)))


def fill(generator: np.random.Generator, name: str, looks: Any, wide: float = 0.30) -> Filled:
    """Draw a container of a graph, with its content.

    Raises:
        RefusedError: If the content has no room below the rim.
    """
    for attempt in range(TRIES):
        container = draw_box(generator, looks.type, looks.color, wide * (1 + WIDER * attempt))
        if looks.content == EMPTY:
            return Filled(name, container, ())
        if looks.content in LIQUIDS:
            disc, middle = draw_liquid(container, looks.content, LIQUID_LEVEL)
            pose = np.eye(4)
            pose[:3, 3] = middle
            return Filled(name, container, (Placement(f"{name}-liquid", disc, pose),))
        kind = CONTENTS[looks.content]
        items = _laid(generator, name, container, kind.noun, kind.colour)
        if items is not None:
            return Filled(name, container, items)
    raise no_room(f"{looks.content} have no room in a {looks.type}")


def no_room(fault: str) -> RefusedError:
    """Return the error for a scene with too large things, which is then drawn anew."""
    return RefusedError(f"world: {fault}: leave the scene out", ("room",), fault)


def _laid(
    generator: np.random.Generator, name: str, container: Container, noun: str, colour: str
) -> tuple[Placement, ...] | None:
    """Lay rings of equal things into a container; None if two have no room beside each other."""
    best: tuple[int, Thing] | None = None
    for _ in range(TRIES):
        thing = draw_inside(generator, noun, colour)
        count = _room(container.radius - CLEAR, width_of(thing))
        fits = thing.size[2] <= LOWEST * container.depth and count >= FEWEST
        if fits and (best is None or abs(count - USUAL) < abs(best[0] - USUAL)):
            best = count, thing
    if best is None:
        return None
    count, thing = best
    around = count - (count == MOST)  # one of seven lies in the middle
    away = container.radius - CLEAR - width_of(thing) / 2
    first = float(generator.uniform(0, 2 * np.pi))
    layers = max(1, int((FULL * container.depth / thing.size[2] - 1) / STACKED) + 1)
    items, layers = [], min(layers, ENOUGH // count)
    for layer, number in product(range(layers), range(count)):
        turn = first + np.pi / around * (2 * number + layer)  # each layer lies in the gaps of the one below
        place = away * np.array([np.cos(turn), np.sin(turn)]) if number < around else np.zeros(2)
        height = container.floor + layer * STACKED * thing.size[2]
        yaw = float(generator.uniform(-np.pi, np.pi))
        items.append(standing(f"{name}-item-{len(items) + 1}", thing, (*(container.axis + place), height), yaw))
    return tuple(items)


def draw_inside(generator: np.random.Generator, noun: str, colour: str) -> Thing:
    """Draw a thing for a container, in the position in which people know it from above."""
    thing = draw_thing(generator, noun, colour)
    if noun not in LYING:
        return thing
    turn = rotation_from_vector(np.array([0.0, LAID, 0.0]))
    points = np.concatenate([piece.vertices for piece in thing.pieces]) @ turn.T
    middle = (points.min(axis=0) + points.max(axis=0)) / 2

    def laid(vertices: np.ndarray) -> np.ndarray:
        return vertices @ turn.T - middle

    pieces = tuple(
        replace(piece, vertices=laid(piece.vertices), caster=None if piece.caster is None else laid(piece.caster))
        for piece in thing.pieces
    )
    solids = tuple(laid(points) for points in thing.solids)
    return replace(thing, pieces=pieces, size=size_of(pieces), solids=solids, symmetry="none", front="its thin end")


def width_of(thing: Thing) -> float:
    """Return the diameter (m) of the circle around a thing from above."""
    points = np.concatenate([piece.vertices[:, :2] for piece in thing.pieces])
    return 2 * float(np.linalg.norm(points, axis=1).max())


def _room(radius: float, width: float) -> int:
    """Return how many circles of a width fit into a circle of a radius, up to seven."""
    return max((count for count, ratio in PACKED.items() if radius >= ratio * width), default=0)


def loose_places(
    generator: np.random.Generator, container: Container, things: Sequence[Thing]
) -> list[tuple[np.ndarray, float]]:
    """Return places (2,) m on the floor of a container, and yaws, for different things.

    The things lie around the middle and do not touch. The result is empty if they have no room.
    """
    widths = [width_of(thing) for thing in things]
    if max(thing.size[2] for thing in things) > LOWEST * container.depth:
        return []
    inner = container.radius - CLEAR
    for _ in range(TRIES):
        first = float(generator.uniform(0, 2 * np.pi))
        turns = first + 2 * np.pi * np.arange(len(things)) / len(things)
        spots = [(inner - width / 2) * np.array([np.cos(t), np.sin(t)]) for t, width in zip(turns, widths, strict=True)]
        gaps = [
            np.linalg.norm(spots[a] - spots[b]) - (widths[a] + widths[b]) / 2
            for a in range(len(things))
            for b in range(a)
        ]
        if min(widths) > 0 and inner > max(widths) / 2 and min(gaps) > CLEAR:
            return [(container.axis + spot, float(generator.uniform(-np.pi, np.pi))) for spot in spots]
    return []
