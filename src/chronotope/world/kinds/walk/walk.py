"""The layout of a walk: a home, and a smooth camera path along a route through it."""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from chronotope.errors import InputError
from chronotope.recording import Kind
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.catalogue.homes.assets import Assets
from chronotope.world.explore import Route
from chronotope.world.kinds.house import scenery
from chronotope.world.kinds.house.draw_plan import draw_plan
from chronotope.world.kinds.house.furnish import furnish
from chronotope.world.kinds.house.home import Home
from chronotope.world.quality import Quality
from chronotope.world.shot import Shot, Shots

__all__ = ["lay_walk"]

ATTEMPTS = 40
ROOMS = (1, 5)
SPEED = (0.35, 1.1)  # m/s, of a person who looks around
SWAY = 0.2  # share of the speed by which it varies
HEIGHT = (1.3, 1.65)  # m
DOWN = np.radians((3.0, 16.0))  # the camera looks down by this angle
ASIDE = np.radians(55.0)  # largest constant angle between the view and the way
PAN = np.radians((5.0, 22.0))  # amplitude of slow turns of the view
FIELD = (50.0, 70.0)  # degrees, vertical field of view
FINE = 0.02  # m, step of the smoothed way
ROUND = 0.22  # m, by which corners of the way are rounded
AHEAD = 0.5  # m, by which the view is ahead of the walk
CLEAR = 0.12  # m, least distance of the camera from the box of a thing
STARTS = 8  # starts that are compared
SEEN = (0.5, 4.5)  # m, distances at which a thing counts as well seen
FEWEST = 3  # things that are well seen in the middle of the walk


@dataclass(frozen=True, eq=False)
class _Path:
    """A camera path: poses (T, 4, 4), and the number of things that it sees well."""

    poses: np.ndarray
    seen: int


def lay_walk(generator: np.random.Generator, quality: Quality, assets: Assets | None = None) -> Shots:
    """Lay out a home and a walk through a part of it.

    Some things are ``assets``, if there are any.

    Raises:
        InputError: If no walk was found that shows enough things.
    """
    times = np.arange(round(generator.uniform(*quality.seconds) * quality.fps)) / quality.fps
    for _ in range(ATTEMPTS):
        plan = draw_plan(generator, int(generator.integers(ROOMS[0], ROOMS[1] + 1)))
        home = furnish(generator, plan, assets)
        route = scenery.walk_through(generator, home)
        field = float(generator.uniform(*FIELD))
        paths = [] if route is None else [_draw_path(generator, home, route, times) for _ in range(STARTS)]
        found = [path for path in paths if path is not None and path.seen >= FEWEST]
        if found:
            break
    else:
        raise InputError(f"no walk that shows {FEWEST} things was found in {ATTEMPTS} homes: use another --seed")
    best = max(found, key=lambda path: path.seen)
    shot = Shot(
        film_set=scenery.film_set_of(generator, home),
        times=times,
        camera=best.poses,
        intrinsics=intrinsics_of(field, quality.width, quality.height),
        kind=Kind.INDOOR,
        depth_scale=scenery.DEPTH_SCALE,
        provenance=home.provenance(),
        licence=home.licence(),
        rooms=scenery.rooms_of(plan),
    )
    return Shots((shot,))


def _draw_path(generator: np.random.Generator, home: Home, route: Route, times: np.ndarray) -> _Path | None:
    # Returns None if the way is too short, or if the camera would touch a thing.
    way = _smooth_way(route)
    speed = float(np.exp(generator.uniform(*np.log(SPEED))))
    phase, period = generator.uniform(0, 2 * np.pi, 2), generator.uniform(3.0, 7.0, 2)
    length = FINE * (len(way) - 1)
    sway = SWAY * np.sin(2 * np.pi * times / period[0] + phase[0])
    run = speed * np.concatenate([[0.0], np.cumsum((1 + sway[1:]) * np.diff(times))])
    if run[-1] + AHEAD > length:
        return None
    run += float(generator.uniform(0, length - run[-1] - AHEAD))
    grid = FINE * np.arange(len(way))
    eye = np.stack([np.interp(run, grid, way[:, axis]) for axis in (0, 1)], axis=1)
    towards = np.stack([np.interp(run + AHEAD, grid, way[:, axis]) for axis in (0, 1)], axis=1) - eye
    heading = np.unwrap(np.arctan2(towards[:, 1], towards[:, 0]))
    heading = gaussian_filter1d(heading, 0.5 / float(times[1] - times[0]), mode="nearest")
    pan = float(generator.uniform(*PAN)) * np.sin(2 * np.pi * times / (2 * period[1]) + phase[1])
    yaw = heading + float(generator.uniform(-ASIDE, ASIDE)) + pan
    pitch, height = float(generator.uniform(*DOWN)), float(generator.uniform(*HEIGHT))
    positions = np.column_stack([eye, np.full(len(eye), height)])
    level = np.column_stack([np.cos(yaw), np.sin(yaw)]) * np.cos(pitch)
    forward = np.column_stack([level, np.full(len(yaw), -np.sin(pitch))])
    if _touches(home, positions):
        return None
    return _Path(look_at(positions, positions + forward), _well_seen(home, positions, yaw))


def _smooth_way(route: Route) -> np.ndarray:
    # The way (N, 2) m along the route in steps of FINE, with rounded corners.
    places = route.poses[:, :2]
    places = places[np.r_[True, (np.diff(places, axis=0) != 0).any(axis=1)]]
    at = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])
    fine = np.arange(0, at[-1] + FINE / 2, FINE)
    way = np.stack([np.interp(fine, at, places[:, axis]) for axis in (0, 1)], axis=1)
    way = gaussian_filter1d(way, ROUND / FINE, axis=0, mode="nearest")
    steps = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(way, axis=0), axis=1))])
    even = np.arange(0, steps[-1], FINE)
    return np.stack([np.interp(even, steps, way[:, axis]) for axis in (0, 1)], axis=1)


def _touches(home: Home, positions: np.ndarray) -> bool:
    for each in home:
        pose, half = each.thing_pose, np.array(each.made.thing.size) / 2 + CLEAR
        if (np.abs((positions - pose[:3, 3]) @ pose[:3, :3]) < half).all(axis=1).any():
            return True
    return False


def _well_seen(home: Home, positions: np.ndarray, yaw: np.ndarray) -> int:
    # Things of the same room that are before the camera in the middle of the walk, at a middle distance.
    middle = len(positions) // 2
    count = 0
    for each in home:
        offset = each.thing_pose[:2, 3] - positions[middle, :2]
        away = float(np.linalg.norm(offset))
        angle = (np.arctan2(offset[1], offset[0]) - yaw[middle] + np.pi) % (2 * np.pi) - np.pi
        room = next(room for room in home.plan.rooms if room.id == each.room)
        count += SEEN[0] < away < SEEN[1] and abs(angle) < np.radians(28) and room.holds(positions[middle, :2])
    return count
