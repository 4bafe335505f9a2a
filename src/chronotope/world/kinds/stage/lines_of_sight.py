"""What a person of a stage sees of another: rays from the eyes to joints, against a thing between them."""

import numpy as np

from chronotope.geometry import invert
from chronotope.world.film_set import Placement
from chronotope.world.people import Person
from chronotope.world.people.motion import Performance

EYE = "eye"  # the name of the pieces that are eyes
_FLAT = 1e-12


def eyes_of(person: Person, performance: Performance) -> np.ndarray:
    """Return the place (T, 3) m between the eyes of a person in the world."""
    head = person.joints.index("Head")
    balls = [p.vertices.mean(axis=0) for p, part in zip(person.thing.pieces, person.parts, strict=True) if part == EYE]
    middle = invert(person.rest[head]) @ np.array([*np.mean(balls, axis=0), 1.0])
    return (performance.joints[:, head] @ middle)[:, :3]


def share_in_sight(eyes: np.ndarray, person: Person, performance: Performance, between: Placement) -> np.ndarray:
    """Return the share (T,) of a person's joints that nothing hides from ``eyes`` (T, 3) m.

    The joints of the fingers do not count.
    """
    chosen = [number for number, name in enumerate(person.joints) if not name[-1].isdigit() or "Spine" in name]
    corners = np.concatenate([piece.vertices[piece.faces] for piece in between.thing.pieces])
    corners = corners @ between.pose[:3, :3].T + between.pose[:3, 3]
    points = performance.joints[:, chosen][..., :3, 3]
    return 1 - np.stack([hidden(eye, ends, corners) for eye, ends in zip(eyes, points, strict=True)]).mean(axis=1)


def hidden(eye: np.ndarray, ends: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return which lines (N,) from a point to the ends (N, 3) cross a triangle (M, 3, 3)."""
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    ways = (ends - eye)[:, None]
    across = np.cross(ways, second)
    volume = (across * first).sum(axis=-1)
    scale = np.where(np.abs(volume) > _FLAT, volume, np.inf)
    from_corner = eye - corners[:, 0]
    u = (across * from_corner).sum(axis=-1) / scale
    turned = np.cross(from_corner, first)
    v = (ways * turned).sum(axis=-1) / scale
    along = (second * turned).sum(axis=-1) / scale
    return ((u >= 0) & (v >= 0) & (u + v <= 1) & (along > 0) & (along < 1)).any(axis=1)
