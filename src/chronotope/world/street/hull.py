"""Bodies of vehicles: closed surfaces through stations along x, and thin panels on them, such as windows and lamps.

A body is a grid of control points: one row of points for each station from the rear to the front, and in each station
the rows of half a cross-section, from the middle of the bottom to the middle of the top. Smooth curves through the
grid give the surface, at the coordinates u (a station's number, from the rear) and v (a row's number). The other half
is its mirror image.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.interpolate import PchipInterpolator

from chronotope.world.things.mesh import Mesh, loft

BOTTOM, EDGE, SILL, WIDEST, SHOULDER, BELT, GLASS, GLASS_END, RAIL, ROOF, TOP = range(11)
"""The rows of a cross-section. Side windows are between ``GLASS`` and ``GLASS_END``."""

PROUD = 0.008  # m, panels stand out by this: more than the surface differs from its triangles
SUNK = 0.012  # m, panels reach this far into the body
_UPPER = ((0.08, 0.10), (0.84, 0.92), (0.93, 0.99), (0.985, 0.90))  # rows above the belt: shares of height and inset
_FINE_U, _FINE_V = 3, 2  # steps of the surface between two stations, and between two rows
_ARCH = 7  # steps of half a wheel arch


class Station(NamedTuple):
    """A cross-section of a body.

    ``x`` is its place below the belt line and ``top`` its place at the roof; they differ at slanted windows. ``half``
    and ``rail`` are half the width below the belt line and at the roof. ``sill``, ``belt`` and ``roof`` are heights.
    A table of stations may state them in shares of the length, half the width and the height of a vehicle.
    """

    x: float
    top: float
    half: float
    rail: float
    sill: float
    belt: float
    roof: float


class Arch(NamedTuple):
    """A round opening above an axle: its middle at ``x`` and ``z``, and its ``radius`` (m)."""

    x: float
    z: float
    radius: float


class Hull:
    """A body of a vehicle, with z = 0 at the ground.

    Args:
        stations: The cross-sections, from the rear to the front, in shares of ``size``.
        size: Length, width and height (m) of the body.
        arches: The openings of the wheels (m).
    """

    def __init__(
        self, stations: Sequence[Station], size: Sequence[float] | np.ndarray, arches: Sequence[Arch] = ()
    ) -> None:
        length, width, height = (float(side) for side in size)
        scale = np.array([length, length, width / 2, width / 2, height, height, height])
        self._arches = tuple(arches)
        control = np.array([_section(Station(*row)) for row in np.array(stations) * scale])
        self._along = PchipInterpolator(np.arange(len(control)), control)
        self.last = len(control) - 1
        dense = np.linspace(0, self.last, 40 * self.last + 1)
        self._u_of = dense, self._along(dense)[:, SHOULDER, 0]

    def at(self, u: np.ndarray | float, v: np.ndarray | float, side: int = 1) -> np.ndarray:
        """Return the points (U, V, 3) m of the surface at u (U,) and v (V,).

        ``side`` is 1 for the left side and -1 for the right side.
        """
        rows = self._along(np.atleast_1d(u))
        points = PchipInterpolator(np.arange(TOP + 1), rows, axis=1)(np.atleast_1d(v))
        for arch in self._arches:
            inside = np.clip(arch.radius**2 - (points[..., 0] - arch.x) ** 2, 0, None)
            lowest = np.where(np.abs(points[..., 0] - arch.x) <= arch.radius, arch.z + np.sqrt(inside), 0.0)
            points[..., 2] = np.maximum(points[..., 2], lowest)
        return points * [1, side, 1]

    def u_at(self, x: float) -> float:
        """Return the coordinate u of a place (m) below the belt line."""
        dense, xs = self._u_of
        return float(np.interp(x, xs, dense))

    @property
    def mesh(self) -> Mesh:
        """Return the whole body."""
        half = self.at(self._lines(0, self.last, True), np.linspace(0, TOP, _FINE_V * TOP + 1))
        return loft(np.concatenate([half, half[:, -2:0:-1] * [1, -1, 1]], axis=1))

    def panel(
        self, u: tuple[float, float], v: tuple[float, float], side: int = 1, proud: float = PROUD, sunk: float = SUNK
    ) -> Mesh:
        """Make a thin closed plate on one side of the body, between two stations and two rows."""
        rows = np.union1d(v, np.arange(np.ceil(v[0] * _FINE_V), v[1] * _FINE_V) / _FINE_V)
        return plate(self.at(self._lines(*u, v[0] < BELT), rows, side)[:, ::-side], proud, sunk)

    def across(self, u: tuple[float, float], v: float, proud: float = PROUD, sunk: float = SUNK) -> Mesh:
        """Make a thin closed plate over the top of the body, such as a windscreen.

        The plate goes from row ``v`` of one side to the same row of the other side.
        """
        rows = np.union1d(v, np.arange(np.ceil(v * _FINE_V), TOP * _FINE_V + 1) / _FINE_V)
        half = self.at(self._lines(*u, False), rows)
        return plate(np.concatenate([half * [1, -1, 1], half[:, -2::-1]], axis=1), proud, sunk)

    def _lines(self, first: float, last: float, low: bool) -> np.ndarray:
        """Return the values of u at which the surface has points.

        ``low`` says that the surface reaches below the belt line.
        """
        lines = [np.array([first, last]), np.arange(np.ceil(first * _FINE_U), last * _FINE_U) / _FINE_U]
        for arch in self._arches if low else ():
            around = arch.x + arch.radius * np.cos(np.linspace(0, np.pi, 2 * _ARCH + 1))
            edges = arch.x + np.array([-1, 1]) * (arch.radius + 0.002)
            lines.append(np.array([self.u_at(x) for x in (*around, *edges)]))
        found = np.unique(np.concatenate(lines).round(9))
        return found[(found >= first - 1e-9) & (found <= last + 1e-9)]


def _section(station: Station) -> np.ndarray:
    """Return half a cross-section (11, 3) m."""
    x, top, half, rail, sill, belt, roof = station
    low = min(sill + 0.07, belt)
    rows = [
        (x, 0.0, sill),
        (x, 0.86 * half, sill),
        (x, 0.97 * half, low),
        (x, half, (low + belt) / 2),
        (x, 0.99 * half, belt - 0.1 * (belt - low)),
        (x, 0.965 * half, belt),
    ]
    shoulder = 0.965 * half
    for share, inset in _UPPER:
        y = shoulder + inset * (rail - shoulder) if share < 0.95 else inset * rail
        rows.append((x + share * (top - x), y, belt + share * (roof - belt)))
    return np.array([*rows, (top, 0.0, roof)])


def plate(points: np.ndarray, proud: float, sunk: float) -> Mesh:
    """Make a closed plate from a grid of points (U, V, 3) m on a surface.

    Its outer side is ``proud`` (m) above the surface and its inner side ``sunk`` (m) below it. Outside is at the right
    hand of u x v.
    """
    ahead, across = np.gradient(points, axis=0), np.gradient(points, axis=1)
    normal = np.cross(ahead, across)
    normal /= np.maximum(np.linalg.norm(normal, axis=2, keepdims=True), 1e-12)
    count_u, count_v = points.shape[:2]
    total = count_u * count_v
    vertices = np.concatenate([(points + proud * normal).reshape(-1, 3), (points - sunk * normal).reshape(-1, 3)])
    corner = (np.arange(count_u - 1)[:, None] * count_v + np.arange(count_v - 1)).ravel()
    quads = np.stack([corner, corner + count_v, corner + count_v + 1, corner + 1], axis=1)
    rim = np.concatenate(
        [
            np.arange(count_v),
            np.arange(1, count_u) * count_v + count_v - 1,
            total - 2 - np.arange(count_v - 1),
            np.arange(count_u - 2, 0, -1) * count_v,
        ]
    )
    after = np.roll(rim, -1)
    edges = np.stack([rim, after, after + total, rim + total], axis=1)
    faces = np.concatenate([quads, quads[:, ::-1] + total, edges])
    triangles = np.concatenate([faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]])
    return Mesh(vertices, triangles, np.zeros((len(vertices), 2)))
