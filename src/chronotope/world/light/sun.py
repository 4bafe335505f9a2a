"""The sun: its direction, and the places that its beams reach through windows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.world.light.points import LIFT
from chronotope.world.light.rays import hemisphere, turned_to
from chronotope.world.light.surfaces import Surfaces
from chronotope.world.light.tracer import Tracer

HEIGHT, ASIDE = np.radians(33.0), np.radians(38.0)  # of the sun: above the horizon, and beside the way out of windows
IRRADIANCE = 2.6 * np.array([1.0, 0.92, 0.78])  # across the beam, if a bright sky gives pi
DARK = 0.15  # mean of a view's linear colour; below it is night
WIDTH = np.radians(0.7)  # half the angle of the sun's disc with some haze
BEAMS = 4  # rays to places on the disc
BEYOND = 0.05  # m, behind a pane
MARGIN = 0.03  # m, around panes
FACING = 0.02  # least cosine between the way to the sun and a surface that it lights
OUTDOORS = 2.0  # times the irradiance of a sun that shines through panes
FAR = 1e3  # m


@dataclass(frozen=True, eq=False)
class Pane:
    """A window pane.

    A pane has a ``middle`` (3,) m, half sides (2, 3) m, and an outward normal (3,).
    """

    piece: int
    middle: np.ndarray
    halves: np.ndarray
    outward: np.ndarray
    brightness: float

    @property
    def area(self) -> float:
        """Return the area in m2."""
        return float(4 * np.prod(np.linalg.norm(self.halves, axis=1)))


@dataclass(frozen=True, eq=False)
class Sun:
    """The sun and the panes through which it shines.

    ``way`` (3,) is the unit vector to the middle of the sun, and ``ways`` (B, 3) are the unit vectors to places on its
    disc. Outdoors there are no panes: ``is_open`` is true.
    """

    way: np.ndarray
    ways: np.ndarray
    panes: tuple[Pane, ...]
    is_pane: np.ndarray  # (F,), for each triangle of the common surfaces
    is_open: bool = False


def panes_of(surfaces: Surfaces, numbers: Sequence[int], tracer: Tracer) -> list[Pane]:
    """Find the panes among pieces.

    The outer side of a pane is the side from which more rays leave the home.
    """
    return [_pane(surfaces, number, tracer) for number in numbers]


def _pane(surfaces: Surfaces, number: int, tracer: Tracer) -> Pane:
    vertices = surfaces.vertices[np.unique(surfaces.faces[surfaces.piece == number])]
    middle = (vertices.max(axis=0) + vertices.min(axis=0)) / 2
    _, _, axes = np.linalg.svd(vertices - middle, full_matrices=False)
    spans = np.ptp((vertices - middle) @ axes.T, axis=0) / 2
    fan = hemisphere(32, 0)[None]
    escapes = []
    for side in (axes[2], -axes[2]):
        ways = turned_to(side[None], fan)[0]
        hits = tracer.meet(np.repeat((middle + BEYOND * side)[None], len(ways), axis=0), ways)
        escapes.append(int((hits.triangle < 0).sum()))
    outward = axes[2] if escapes[0] >= escapes[1] else -axes[2]
    return Pane(number, middle, axes[:2] * spans[:2, None], outward, float(surfaces.colours[number].mean()))


def sun_over(surfaces: Surfaces, panes: Sequence[Pane]) -> Sun | None:
    """Place the sun so that it shines through the most glass.

    Returns None if all windows show night.
    """
    bright = [pane for pane in panes if pane.brightness > DARK]
    if not bright:
        return None
    outward = np.array([pane.outward[:2] for pane in bright])
    areas = np.array([pane.area for pane in bright])
    best = np.argmax(np.round(np.maximum(outward @ outward.T, 0) @ areas, 6))
    azimuth = np.arctan2(outward[best, 1], outward[best, 0]) + ASIDE
    way = np.array([np.cos(azimuth) * np.cos(HEIGHT), np.sin(azimuth) * np.cos(HEIGHT), np.sin(HEIGHT)])
    open_panes = tuple(pane for pane in bright if pane.outward @ way > 0.05)
    is_pane = np.isin(surfaces.piece, [pane.piece for pane in open_panes])
    return Sun(way, _disc(way), open_panes, is_pane)


def sun_outdoors(towards: Sequence[float]) -> Sun:
    """Return a sun that shines from a direction onto everything outdoors."""
    way = np.array(towards, float)
    return Sun(way, _disc(way), (), np.zeros(0, bool), is_open=True)


def _disc(way: np.ndarray) -> np.ndarray:
    """Return unit vectors (B, 3) to places on the disc of the sun."""
    disc = hemisphere(BEAMS, 0) * (WIDTH, WIDTH, 0) + (0, 0, 1)
    ways = turned_to(way[None], disc[None])[0]
    return ways / np.linalg.norm(ways, axis=1, keepdims=True)


def in_beam(sun: Sun, places: np.ndarray, normals: np.ndarray, margin: float = MARGIN) -> np.ndarray:
    """Check which places (N, 3) lie in a beam through a pane, or face the sun outdoors."""
    if sun.is_open:
        return normals @ sun.way > FACING
    found = np.zeros(len(places), bool)
    towards_sun = np.flatnonzero(normals @ sun.way > FACING)
    places = places[towards_sun]
    for pane in sun.panes:
        lengths = np.linalg.norm(pane.halves, axis=1)
        axes = np.stack([pane.outward, *(pane.halves / lengths[:, None])])
        away, towards = axes @ pane.middle - places @ axes.T, axes @ sun.way
        reach = away[:, 0] / towards[0]
        # the disc of the sun widens a beam with the distance
        wider = margin + 2 * WIDTH * np.maximum(reach, 0)
        inside = reach > 0
        for number, length in enumerate(lengths, 1):
            inside &= np.abs(reach * towards[number] - away[:, number]) <= length + wider
        found[towards_sun] |= inside
    return found


def sunlight(sun: Sun, places: np.ndarray, normals: np.ndarray, tracer: Tracer) -> np.ndarray:
    """Return the irradiance (N, 3) of the sun at places."""
    share = np.zeros(len(places))
    near = np.flatnonzero(in_beam(sun, places, normals))
    starts = places[near] + LIFT * normals[near]
    if sun.is_open:
        for way in sun.ways:
            ways = np.broadcast_to(way, starts.shape)
            free = ~tracer.is_blocked(starts, ways, np.full(len(starts), FAR))[1]
            share[near] += free * np.maximum(normals[near] @ way, 0)
        return share[:, None] / len(sun.ways) * OUTDOORS * IRRADIANCE
    for way in sun.ways:
        ways = np.broadcast_to(way, starts.shape)
        hits = tracer.meet(starts, ways)
        through = np.isin(hits.triangle, np.flatnonzero(sun.is_pane))
        behind = starts[through] + (hits.distance[through, None] + BEYOND) * way
        free = ~tracer.is_blocked(behind, ways[through], np.full(through.sum(), FAR))[1]
        lit = np.zeros(len(near))
        lit[through] = free
        share[near] += lit * np.maximum(normals[near] @ way, 0)
    return share[:, None] / len(sun.ways) * IRRADIANCE
