"""What lies and stands around the place of work: never in the way of a motion or of the camera."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.geometry import rotation_from_vector
from chronotope.io import read_yaml
from chronotope.world.film_set import Placement
from chronotope.world.things.draw import draw_home_thing, draw_thing
from chronotope.world.things.thing import Piece, Thing

_ROWS: Mapping[str, Any] = read_yaml(Path(__file__).with_name("clutter.yaml"))
LOOSE, STANDS = (4, 6), (1, 2)  # how many things lie on the floor, and how much furniture stands at the walls
TRIES = 60
FREE = 0.12  # m between a thing and everything that moves or is built
NEAREST = 0.6  # m from a camera
FARTHEST = 2.4  # m from the middle of the room
SEEDS = 2**31


@dataclass(frozen=True, eq=False)
class Taken:
    """The space that things must leave free.

    ``points`` (N, 2) m are where something moves or is built, and ``eyes`` (K, 3) m see what is at ``seen`` (K, 3) m.
    """

    points: np.ndarray
    eyes: np.ndarray
    seen: np.ndarray


def draw_things(generator: np.random.Generator) -> list[tuple[Thing, bool]]:
    """Draw the things of a room, and whether each is furniture."""
    stands, loose = (
        [str(name) for name in generator.permutation(_ROWS[key])[: int(generator.integers(low, high + 1))]]
        for key, (low, high) in (("stands", STANDS), ("loose", LOOSE))
    )
    found = [(draw_home_thing(name, int(generator.integers(SEEDS))).thing, True) for name in stands]
    return found + [(draw_thing(generator, name), False) for name in loose]


def place_clutter(
    generator: np.random.Generator,
    things: Sequence[tuple[Thing, bool]],
    half: np.ndarray,
    backdrop: Sequence[Piece],
    taken: Taken,
) -> tuple[Placement, ...]:
    """Find places for things on the floor of a room; what finds none is left out.

    ``half`` (2,) m is half of the sides of the room. Furniture stands at a wall; most other things lie near the place
    of work.
    """
    fixed = [
        (low, high) for low, high in ((one.vertices.min(axis=0), one.vertices.max(axis=0)) for one in backdrop)
        if (high - low)[:2].max() < 2 * half.min() - 0.1
    ]  # fmt: skip
    placed: list[Placement] = []
    for thing, stands in things:
        for _ in range(TRIES):
            place, yaw = _place(generator, thing, stands, half)
            if _is_free(place, thing, placed, fixed, taken):
                pose = np.eye(4)
                pose[:3, :3] = rotation_from_vector(np.array([0.0, 0.0, yaw]))
                pose[:3, 3] = np.round([*place, thing.size[2] / 2], 6)
                role = "furniture" if stands else "thing"
                placed.append(Placement(f"clutter-{len(placed) + 1}", thing, pose, role=role))
                break
    return tuple(placed)


def _radius(thing: Thing) -> float:
    return float(np.hypot(thing.size[0], thing.size[1]) / 2)


def _place(generator: np.random.Generator, thing: Thing, stands: bool, half: np.ndarray) -> tuple[np.ndarray, float]:
    """Draw a place (2,) m, and a yaw (rad)."""
    if stands:
        wall = int(generator.integers(4))
        angle = wall * np.pi / 2
        along = float(generator.uniform(-0.6, 0.6)) * half[1 - wall % 2]
        away = half[wall % 2] - 0.1 - thing.size[0] / 2
        c, s = np.cos(angle), np.sin(angle)
        return np.array([away * c - along * s, away * s + along * c]), angle + np.pi
    angle = float(generator.uniform(0, 2 * np.pi))
    away = float(generator.uniform(0.6, FARTHEST))
    return away * np.array([np.cos(angle), np.sin(angle)]), float(generator.uniform(-np.pi, np.pi))


def _is_free(
    place: np.ndarray,
    thing: Thing,
    placed: Sequence[Placement],
    fixed: Sequence[tuple[np.ndarray, np.ndarray]],
    taken: Taken,
) -> bool:
    radius, height = _radius(thing), thing.size[2]
    if any(np.linalg.norm(place - one.pose[:2, 3]) < radius + _radius(one.thing) + FREE / 2 for one in placed):
        return False
    for low, high in fixed:
        aside = np.maximum(np.maximum(low[:2] - place, place - high[:2]), 0.0)
        if low[2] < height and np.linalg.norm(aside) < radius:
            return False
    if np.linalg.norm(taken.points - place, axis=1).min() < radius + FREE:
        return False
    if np.linalg.norm(taken.eyes[:, :2] - place, axis=1).min() < NEAREST:
        return False
    return not hides(place, radius + 0.02, height, taken.eyes, taken.seen)


def hides(place: np.ndarray, radius: float, height: float, eyes: np.ndarray, seen: np.ndarray) -> bool:
    """Check whether an upright cylinder on the floor is between eyes (K, 3) and points (K, 3)."""
    way = seen - eyes
    long = np.maximum(np.linalg.norm(way[:, :2], axis=1), 1e-6)
    share = np.clip(((place - eyes[:, :2]) * way[:, :2]).sum(axis=1) / long**2, 0.0, 1.0)
    aside = np.linalg.norm(eyes[:, :2] + share[:, None] * way[:, :2] - place, axis=1)
    last = np.clip(share + radius / long, 0.0, 1.0)  # where a ray that goes down leaves the cylinder
    low = np.minimum(eyes[:, 2] + share * way[:, 2], eyes[:, 2] + last * way[:, 2])
    return bool(((aside < radius) & (low < height)).any())
