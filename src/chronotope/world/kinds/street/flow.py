"""Vehicles and cyclists on their ways: queues that follow each other, and what they cover of the ground."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.world.kinds.street.cast import Cast
from chronotope.world.kinds.street.clearance import Outline, outline_of
from chronotope.world.kinds.street.cyclist import Cyclist, draw_cyclist
from chronotope.world.street import Lane, Vehicle, Zone, drive, follow, on_road

DRIVEN = {"Car": 5, "SUV": 3, "Van": 2, "Bus": 1, "Truck": 1}
"""How often each type of vehicle is met in traffic."""

SHORT = {"Car": 5, "SUV": 3, "Van": 2}
"""The types of vehicles that turn at crossings."""

WIDTH = 0.66  # m, of a cyclist
BICYCLE = 1.85  # m, length of a bicycle


@dataclass(frozen=True, eq=False)
class Queue:
    """Vehicles that follow each other, the first one ahead, with the way of each.

    ``starts`` (N,) m are the places of their middles in the first frame, and ``desired`` (N,) m/s the speeds that they
    would have alone. ``limits`` has the speed limits of each.
    """

    vehicles: Sequence[Vehicle]
    lanes: Sequence[Lane]
    starts: np.ndarray
    desired: np.ndarray
    limits: Sequence[Sequence[Zone]] = ()

    def drive(self, times: np.ndarray, line: float = 0.0, until: float | None = None) -> list[np.ndarray]:
        """Return the paths (T, 4, 4) of the vehicles.

        If ``until`` (s) is given, nobody passes the place ``line`` (m) before that time.
        """
        lengths = np.array([vehicle.thing.size[0] for vehicle in self.vehicles])
        stops = () if until is None else ((line, -np.inf, until),)
        distances = follow(times, lengths, self.starts, self.desired, stops, self.limits).distances
        return [
            on_road(vehicle, lane.poses(distances[:, number], vehicle.axles))
            for number, (vehicle, lane) in enumerate(zip(self.vehicles, self.lanes, strict=True))
        ]


def spaced(generator: np.random.Generator, vehicles: Sequence[Vehicle], gaps: tuple[float, float]) -> np.ndarray:
    """Draw how far (N,) m each vehicle of a queue is behind the first one.

    ``gaps`` (m) is the range of what is free between two vehicles.
    """
    lengths = np.array([vehicle.thing.size[0] for vehicle in vehicles])
    between = generator.uniform(*gaps, len(vehicles) - 1) + (lengths[1:] + lengths[:-1]) / 2
    return np.concatenate([[0.0], np.cumsum(between)])


def drawn(cast: Cast, count: int, kinds: dict[str, int] = DRIVEN) -> list[Vehicle]:
    """Draw some vehicles of unlike types or colours."""
    return [vehicle for _ in range(count) if (vehicle := cast.draw(kinds)) is not None]


def add_queue(cast: Cast, vehicles: Sequence[Vehicle], paths: Sequence[np.ndarray]) -> None:
    """Add vehicles with their paths to a street."""
    for vehicle, path in zip(vehicles, paths, strict=True):
        cast.move(vehicle.thing, path, drive(vehicle, path), "vehicle")


def outlines_of(vehicles: Sequence[Vehicle], paths: Sequence[np.ndarray]) -> list[Outline]:
    """Return what vehicles cover of the ground on their paths."""
    return [outline_of(path, vehicle.thing.size) for vehicle, path in zip(vehicles, paths, strict=True)]


def ridden(lane: Lane, start: float, speed: float, times: np.ndarray, axles: tuple[float, float]) -> np.ndarray:
    """Return the poses (T, 4, 4) on the ground of a cyclist at an even speed (m/s)."""
    return lane.poses(start + speed * times, axles)


def add_cyclist(cast: Cast, lane: Lane, start: float, speed: float) -> bool:
    """Add a cyclist who rides along a lane from a place (m) on.

    If somebody is in the way, nobody is added, and the result is False.
    """
    cyclist = draw_cyclist(cast.generator)
    ground = ridden(lane, start, speed, cast.times, cyclist.bicycle.axles)
    outline = outline_of(ground, (BICYCLE, WIDTH, 0.0))
    if cast.has(cyclist.thing) or not cast.is_free(outline.grown(1.0, 0.1)):
        return False
    add_rider(cast, cyclist, ground, outline)
    return True


def add_rider(cast: Cast, cyclist: Cyclist, ground: np.ndarray, outline: Outline) -> None:
    """Add a cyclist with a path (T, 4, 4) on the ground."""
    cast.move(cyclist.thing, ground, cyclist.rig(ground), "cyclist", outline)
