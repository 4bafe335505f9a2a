"""The free floor and the free walls of a room, while furniture is placed in it."""

from dataclasses import dataclass, field

import numpy as np

from chronotope.world.grounds import footprint_of, overlap
from chronotope.world.homes.explore.grid import free_points, largest_component
from chronotope.world.homes.floor_plan import THICKNESS, within

WALL_DEPTH = 0.15  # m, depth of the space before a wall that hung things take
_EDGE = 1e-6
CONNECTED = 0.8  # least share of the free points that are connected


@dataclass(frozen=True, eq=False)
class Spot:
    """A place for a model: the middle (2,) m of its closed box from above, and its direction (rad)."""

    middle: np.ndarray
    yaw: float
    area: np.ndarray


@dataclass(frozen=True, eq=False)
class _Wall:
    """One inner side of a wall of the room: start (2,), unit direction (2,), inward normal (2,), and length (m)."""

    start: np.ndarray
    along: np.ndarray
    inward: np.ndarray
    length: float

    @property
    def yaw(self) -> float:
        return float(np.arctan2(self.inward[1], self.inward[0]))


@dataclass
class RoomFloor:
    """The floor of a room, with the rectangles (4, 2) m that are taken.

    ``polygon`` (N, 2) is the inner outline, counter-clockwise, and ``outline`` (N, 2) follows the middle lines of the
    walls. ``passages`` stay free for walking. ``windows`` are areas before windows, which only low furniture may use.
    ``reserved`` has the area that stays free before each piece of furniture, by the id of the piece. ``hung`` has the
    taken parts of walls: a rectangle, and the lowest and highest z (m). ``doorways`` (2, 2) m are the openings to other
    rooms, and ``leaves`` are open door leaves.
    """

    polygon: np.ndarray
    passages: list[np.ndarray] = field(default_factory=list[np.ndarray])
    windows: list[np.ndarray] = field(default_factory=list[np.ndarray])
    taken: list[np.ndarray] = field(default_factory=list[np.ndarray])
    reserved: dict[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])
    hung: list[tuple[np.ndarray, float, float]] = field(default_factory=list[tuple[np.ndarray, float, float]])
    outline: np.ndarray = field(default_factory=lambda: np.empty((0, 2)))
    doorways: list[np.ndarray] = field(default_factory=list[np.ndarray])
    leaves: list[np.ndarray] = field(default_factory=list[np.ndarray])

    @property
    def walls(self) -> list[_Wall]:
        """Return the inner sides of the walls."""
        ends = np.roll(self.polygon, -1, axis=0)
        found = []
        for start, end in zip(self.polygon, ends, strict=True):
            length = float(np.linalg.norm(end - start))
            if length > _EDGE:
                along = (end - start) / length
                found.append(_Wall(start, along, np.array([-along[1], along[0]]), length))
        return found

    def is_free(self, area: np.ndarray, is_tall: bool = False, served: str | None = None) -> bool:
        """Check whether a rectangle (4, 2) takes no floor that is needed.

        The rectangle must lie inside the room. ``served`` is the id of a piece of furniture. The area before this piece
        may be used: for example, a chair stands before its desk.
        """
        reserved = (kept for owner, kept in self.reserved.items() if owner != served)
        kept = [*self.taken, *self.passages, *reserved, *(self.windows if is_tall else ())]
        return within(area, self.polygon) and not any(overlap(area, other) for other in kept)

    def stays_walkable(self, *areas: np.ndarray, connected: float = CONNECTED) -> bool:
        """Check that a person can still walk through the room.

        ``areas`` (4, 2) m count as taken, too. The ways between all doors must stay free, and at least the share
        ``connected`` of the free floor must stay connected.
        """
        grid = free_points([self.outline], self.doorways, [*self.taken, *self.leaves, *areas], thickness=THICKNESS)
        largest = largest_component(grid).reachable
        if not largest.any() or largest.sum() < connected * grid.reachable.sum():
            return False
        entries = np.array([segment.mean(axis=0) for segment in self.doorways]).reshape(-1, 2)
        x, y = np.rint((entries - grid.origin) / grid.step).astype(int).T
        return bool(largest[x, y].all())

    def is_bare(self, area: np.ndarray, low: float, high: float) -> bool:
        """Check whether a piece of wall is free.

        Hung things, doors, windows and furniture before the wall take parts of walls.
        """
        return not any(overlap(area, other) and low < top and bottom < high for other, bottom, top in self.hung)

    def against_wall(
        self, generator: np.random.Generator, depth: float, width: float, corner: bool = False, gap: float = 0.02
    ) -> Spot | None:
        """Propose a place with the back to a random wall.

        Returns None if no wall is long enough. The place may be taken.
        """
        walls = [wall for wall in self.walls if wall.length >= width + 2 * gap]
        if not walls:
            return None
        wall = walls[int(generator.choice(len(walls), p=_shares([each.length for each in walls])))]
        low, high = width / 2 + gap, wall.length - width / 2 - gap
        at = float(generator.choice([low, high])) if corner else float(generator.uniform(low, high))
        middle = wall.start + wall.along * at + wall.inward * (gap + depth / 2)
        return Spot(middle, wall.yaw, footprint_of(np.array([depth, width]), middle, wall.yaw))

    def anywhere(self, generator: np.random.Generator, depth: float, width: float, yaw: float) -> Spot:
        """Propose a place at a random position."""
        low, high = self.polygon.min(axis=0), self.polygon.max(axis=0)
        middle = generator.uniform(low, high)
        return Spot(middle, yaw, footprint_of(np.array([depth, width]), middle, yaw))

    def on_wall(self, generator: np.random.Generator, width: float) -> Spot | None:
        """Propose a piece of a wall.

        The middle of the spot is a point of the wall. Returns None if no wall is long enough. The piece may be taken.
        """
        walls = [wall for wall in self.walls if wall.length >= width + 0.2]
        if not walls:
            return None
        wall = walls[int(generator.choice(len(walls), p=_shares([each.length for each in walls])))]
        at = float(generator.uniform(width / 2 + 0.1, wall.length - width / 2 - 0.1))
        point = wall.start + wall.along * at
        return Spot(point, wall.yaw, footprint_of(np.array([2 * WALL_DEPTH, width]), point, wall.yaw))


def _shares(values: list[float]) -> np.ndarray:
    numbers = np.array(values)
    return numbers / numbers.sum()
