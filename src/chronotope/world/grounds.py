"""The positions of things on a table: chosen at random without overlaps, then settled by gravity."""

from dataclasses import dataclass, field, replace

import numpy as np

from chronotope.geometry import rotation_from_vector
from chronotope.world.film_set import Placement
from chronotope.world.things import Thing

GAP = 0.015  # m, width of the free margin around each thing
DROP = 0.003  # m, initial height of a thing above its support
TRIES = 60

_MOST_SLIDE = 0.02  # m, largest horizontal motion of a thing during settling
_MOST_SINK = 0.006
_MOST_TILT = np.radians(2.0)


@dataclass
class Ground:
    """A level rectangle on which things stand.

    ``taken`` are the footprints (4, 2) m, in world coordinates, of the things already on the ground; ``ceiling`` (m) is
    the largest height that a thing on the ground may have.
    """

    owner: str
    middle: np.ndarray
    half: np.ndarray
    yaw: float = 0.0
    ceiling: float = np.inf
    taken: list[np.ndarray] = field(default_factory=list)

    @property
    def turned(self) -> np.ndarray:
        """Return the rotation (2, 2) from the ground's axes to the world's."""
        return _turned(self.yaw)

    def holds(self, footprint: np.ndarray) -> bool:
        """Check whether a footprint (4, 2) m is on the ground."""
        return bool((np.abs((footprint - self.middle[:2]) @ self.turned) <= self.half + 1e-9).all())

    def meets(self, footprint: np.ndarray) -> bool:
        """Check whether a footprint (4, 2) m overlaps a taken footprint."""
        return any(overlap(footprint, other) for other in self.taken)


def _turned(yaw: float) -> np.ndarray:
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s], [s, c]])


def footprint_of(sides: np.ndarray, place: np.ndarray, yaw: float, gap: float = 0.0) -> np.ndarray:
    """Return the corners (4, 2) of a thing's rectangle on the ground.

    The rectangle is wider than the thing by ``gap`` on each side.
    """
    corners = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * (sides / 2 + gap)
    return corners @ _turned(yaw).T + place


def overlap(a: np.ndarray, b: np.ndarray) -> bool:
    """Check whether two rectangles (4, 2) share a point.

    Two rectangles share no point if a side of one of them separates them.
    """
    for corners in (a, b):
        for axis in (corners[0] - corners[1], corners[1] - corners[2]):
            first, second = a @ axis, b @ axis
            if first.max() < second.min() or second.max() < first.min():
                return False
    return True


def stand(
    generator: np.random.Generator, thing: Thing, ground: Ground, name: str, yaw: float | None = None
) -> Placement | None:
    """Place a thing at a free position on the ground.

    Returns None if there is no free position.
    """
    found = find_place(generator, np.array(thing.size), ground, yaw)
    if found is None:
        return None
    place, turn = found
    pose = np.eye(4)
    pose[:3, :3] = rotation_from_vector(np.array([0.0, 0.0, turn]))
    pose[:3, 3] = [*place, ground.middle[2] + thing.size[2] / 2 + DROP]
    return Placement(name, thing, pose, ground.owner)


def find_place(
    generator: np.random.Generator, size: np.ndarray, ground: Ground, yaw: float | None = None
) -> tuple[np.ndarray, float] | None:
    """Find a free position for a box on the ground.

    ``size`` (3,) m is the size of the box. Returns its position (2,) m and its direction (rad), and takes its
    footprint. Returns None if there is no free position.
    """
    if size[2] > ground.ceiling:
        return None
    sides = size[:2]
    for _ in range(TRIES):
        turn = float(generator.uniform(-np.pi, np.pi)) if yaw is None else yaw
        reach = np.abs(_turned(turn - ground.yaw)) @ (sides / 2)
        room = ground.half - reach
        if (room < 0).any():
            continue
        place = ground.middle[:2] + ground.turned @ generator.uniform(-room, room)
        footprint = footprint_of(sides, place, turn, GAP)
        if ground.meets(footprint):
            continue
        ground.taken.append(footprint_of(sides, place, turn, 0.0))
        return place, turn
    return None


def lies_as_placed(before: Placement, pose: np.ndarray) -> bool:
    """Check whether a thing came to rest upright, where it was placed."""
    moved = pose[:3, 3] - before.pose[:3, 3]
    tilt = np.arccos(np.clip(pose[2, 2], -1, 1))
    if before.thing.symmetry == "any" and np.ptp(before.thing.size) < 1e-3:
        tilt = 0.0  # a ball may roll
    return bool(np.linalg.norm(moved[:2]) < _MOST_SLIDE and -_MOST_SINK < moved[2] + DROP < 1e-3 and tilt < _MOST_TILT)


def drop(placements: list[Placement], poses: list[np.ndarray]) -> list[Placement]:
    """Return the placements with their poses at rest."""
    return [replace(placement, pose=pose) for placement, pose in zip(placements, poses, strict=True)]
