"""The layout of a walk: a home, and a smooth camera path along a route through it."""

import numpy as np
from scipy.ndimage import gaussian_filter1d

from chronotope.errors import InputError
from chronotope.recording import Kind
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import FilmSet
from chronotope.world.homes import scenery
from chronotope.world.homes.assets import Assets
from chronotope.world.homes.draw_plan import draw_plan
from chronotope.world.homes.explore import Route
from chronotope.world.homes.furnish import furnish
from chronotope.world.homes.home import Home
from chronotope.world.homes.inhabitants import inhabited, left_out
from chronotope.world.kinds.walk.gaze import gaze
from chronotope.world.kinds.walk.seen import Seen
from chronotope.world.people.dwellers import draw_people
from chronotope.world.quality import Quality
from chronotope.world.shot import Shot, Shots

ATTEMPTS = 60
ROOMS = (1, 5)
# m/s, mean speeds of a person who films: as likely between the first two as the usual speeds of hand-held cameras in
# STI-Bench, with the same tails (a reader of the options who knows them is no wiser).
SPEED, TAIL = (0.18, 0.3), 0.25
MOST_TAILS = 2.0
SWAY = 0.3  # largest share of the speed by which it varies
HEIGHT = (1.3, 1.65)  # m
DOWN = np.radians((6.0, 17.0))  # the camera looks down by this angle
FIELD = (50.0, 70.0)  # degrees, vertical field of view
FINE = 0.02  # m, step of the smoothed way
ROUND = 0.22  # m, by which corners of the way are rounded
AHEAD = 0.5  # m, by which the direction of the way is ahead of the walk
CLEAR = 0.12  # m, least distance of the camera from the box of a thing
STARTS = 10  # parts of the way that are tried in a home
TURNS = np.radians(35.0)  # least range of the directions in which a person looks
FEWEST = 6  # things that the camera clearly sees


def lay_walk(generator: np.random.Generator, quality: Quality, assets: Assets | None = None, people: int = 0) -> Shots:
    """Lay out a home and a walk through a part of it.

    Some things are ``assets``, if there are any. In the home there are up to ``people`` people.

    Raises:
        InputError: If no walk was found that looks at things.
    """
    times = np.arange(round(generator.uniform(*quality.seconds) * quality.fps)) / quality.fps
    # All attempts have the same speed. Otherwise, speeds at which it is easy to look at things would be more frequent.
    run = draw_run(generator, times)
    for _ in range(ATTEMPTS):
        plan = draw_plan(generator, int(generator.integers(ROOMS[0], ROOMS[1] + 1)))
        home = furnish(generator, plan, assets)
        route = scenery.walk_through(generator, home)
        if route is None:
            continue
        intrinsics = intrinsics_of(float(generator.uniform(*FIELD)), quality.width, quality.height)
        film_set = scenery.film_set_of(generator, home)
        cameras = _cameras(generator, home, film_set, route, times, run, intrinsics)
        if cameras is not None:
            break
    else:
        raise InputError(f"no walk that looks at things was found in {ATTEMPTS} homes: use another --seed")
    shot = Shot(
        film_set=film_set,
        times=times,
        camera=cameras,
        intrinsics=intrinsics,
        kind=Kind.INDOOR,
        depth_scale=scenery.DEPTH_SCALE,
        provenance=home.provenance(),
        licence=home.licence(),
        rooms=scenery.rooms_of(plan),
    )
    if people:
        shot = inhabited(generator, shot, home, draw_people(generator, people), quality)
    return Shots((shot,), notes=left_out((shot,), people))


def draw_run(generator: np.random.Generator, times: np.ndarray) -> np.ndarray:
    """Draw the distance (T,) m walked at times (T,) s."""
    low, high = np.log(SPEED)
    inner, tails = high - low, TAIL * np.sqrt(2 * np.pi)  # the areas under the flat part, and under both tails
    if generator.random() < inner / (inner + tails):
        speed = float(generator.uniform(low, high))
    else:
        beyond = TAIL * MOST_TAILS
        while beyond >= TAIL * MOST_TAILS:
            beyond = abs(float(generator.normal(0, TAIL)))
        speed = low - beyond if generator.random() < 0.5 else high + beyond
    phase, period = float(generator.uniform(0, 2 * np.pi)), float(generator.uniform(3.0, 7.0))
    pace = 1 + float(generator.uniform(0.3, 1.0)) * SWAY * np.sin(2 * np.pi * times / period + phase)
    return np.exp(speed) * np.concatenate([[0.0], np.cumsum(pace[1:] / pace[1:].mean() * np.diff(times))])


def _cameras(
    generator: np.random.Generator,
    home: Home,
    film_set: FilmSet,
    route: Route,
    times: np.ndarray,
    run: np.ndarray,
    intrinsics: np.ndarray,
) -> np.ndarray | None:
    """Draw the cameras (T, 4, 4) along a part of the route.

    The chosen part shows the most things of all parts that are tried. The result is None if each of them shows too few
    things.
    """
    way, seen, best, most = _smooth_way(route), None, None, FEWEST - 1
    slack = FINE * (len(way) - 1) - run[-1] - AHEAD
    for _ in range(STARTS if slack > 0 else 0):
        cameras = _draw_cameras(generator, home, way, times, run + float(generator.uniform(0, slack)))
        if cameras is None:
            continue
        seen = seen or Seen(home, film_set.backdrop)
        count = seen.count(cameras, times, intrinsics)
        if count > most:
            best, most = cameras, count
    return best


def _draw_cameras(
    generator: np.random.Generator, home: Home, way: np.ndarray, times: np.ndarray, run: np.ndarray
) -> np.ndarray | None:
    # Returns None if the camera would touch a thing or turn too fast.
    grid = FINE * np.arange(len(way))
    eye = np.stack([np.interp(run, grid, way[:, axis]) for axis in (0, 1)], axis=1)
    height, pitch = float(generator.uniform(*HEIGHT)), float(generator.uniform(*DOWN))
    positions = np.column_stack([eye, np.full(len(eye), height)])
    if _touches(home, positions):
        return None
    towards = np.stack([np.interp(run + AHEAD, grid, way[:, axis]) for axis in (0, 1)], axis=1) - eye
    yaw = gaze(generator, home, eye, np.unwrap(np.arctan2(towards[:, 1], towards[:, 0])), times)
    if yaw is None or np.ptp(yaw) < TURNS:
        return None
    level = np.column_stack([np.cos(yaw), np.sin(yaw)]) * np.cos(pitch)
    forward = np.column_stack([level, np.full(len(yaw), -np.sin(pitch))])
    return look_at(positions, positions + forward)


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
