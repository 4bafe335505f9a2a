"""Cars, vans, buses and trucks: bodies through stations, with windows, lamps, bumpers and seams on them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from chronotope.world.street.hull import BELT, EDGE, GLASS, GLASS_END, ROOF, SHOULDER, SILL, Arch, Hull, Station
from chronotope.world.street.vehicle_model import CHASSIS, VehicleModel
from chronotope.world.street.wheels import Wheel, sketch_wheel
from chronotope.world.things.colours import plain, shade
from chronotope.world.things.mesh import Mesh, block, cylinder, merge, moved, turned
from chronotope.world.things.thing import Look, Paint

GLAZING = plain((0.10, 0.13, 0.16), "glass")
LAMP, TAIL = plain((0.80, 0.85, 0.88), "glass"), plain((0.62, 0.03, 0.04), "glass")
AMBER = plain((0.95, 0.5, 0.04), "glass")
TRIM, UNDER = plain((0.09, 0.09, 0.095), "plastic"), plain((0.04, 0.04, 0.042), "rubber")
PLATE, CHROME = plain((0.92, 0.92, 0.90), "plastic"), plain((0.70, 0.71, 0.73), "metal")
MIRROR = 0.09  # m, by which a mirror stands out on each side
_SEAM = 0.012  # m, width of the gap around a door


@dataclass(eq=False)
class _Draft:
    """The meshes of a vehicle by their looks, while it is sketched."""

    hull: Hull
    paint: Look
    meshes: dict[int, tuple[Look, list[Mesh]]] = field(default_factory=dict[int, "tuple[Look, list[Mesh]]"])

    def add(self, look: Look, *meshes: Mesh) -> None:
        """Add meshes of one look."""
        self.meshes.setdefault(id(look), (look, []))[1].extend(meshes)

    def sides(self, look: Look, u: tuple[float, float], v: tuple[float, float], **depths: float) -> None:
        """Add a panel on both sides."""
        self.add(look, *(self.hull.panel(u, v, side, **depths) for side in (1, -1)))

    def lamps(self, u: tuple[float, float], v: tuple[float, float]) -> None:
        """Add headlamps with a dark rim on both sides."""
        self.sides(TRIM, (u[0] - 0.12, u[1] + 0.06), (v[0] - 0.08, v[1] + 0.06), proud=0.006)
        self.sides(LAMP, u, v, proud=0.012)

    def seam(self, x: float, v: tuple[float, float] = (SILL + 0.2, BELT)) -> None:
        """Add the upright edge of a door on both sides, at x (m)."""
        u = self.hull.u_at(x - _SEAM / 2), self.hull.u_at(x + _SEAM / 2)
        self.sides(UNDER, u, v, proud=0.004)

    def handle(self, x: float, v: float = SHOULDER - 0.3, look: Look = CHROME) -> None:
        """Add the handle of a door on both sides, at x (m)."""
        for side in (1, -1):
            place = self.hull.at(self.hull.u_at(x), v, side)[0, 0]
            self.add(look, moved(block((0.16, 0.05, 0.03), 0.012, steps=1), by=place))

    def mirrors(self, x: float, z: float, y: float, size: tuple[float, float, float] = (0.10, 0.2, 0.14)) -> None:
        """Add the mirrors, whose outer ends stand out by ``MIRROR`` beyond y (m)."""
        for side in (1, -1):
            self.add(self.paint, moved(block(size, 0.045, steps=2), by=(x, side * (y + MIRROR - size[1] / 2), z)))

    def model(self, wheels: Sequence[Wheel], style: Literal["alloy", "steel"], eye: Sequence[float]) -> VehicleModel:
        """Return the finished model."""
        parts = [(merge(*meshes), look, CHASSIS) for look, meshes in self.meshes.values()]
        for wheel in wheels:
            parts += [(mesh, look, wheel.joint) for mesh, look in sketch_wheel(wheel, style)]
        x, y, z = (float(part) for part in eye)
        return VehicleModel(tuple(parts), tuple(wheels), (x, y, z))


def _axles(front: float, rear: float, track: float, radius: float, width: float) -> tuple[Wheel, ...]:
    """Return four wheels; ``track`` (m) is the distance of the outer sides of the wheels of an axle."""
    y = (track - width) / 2
    return tuple(
        Wheel(f"wheel_{end}_{name}", (x, side * y, radius), radius, width)
        for end, x in (("front", front), ("rear", rear))
        for name, side in (("left", 1), ("right", -1))
    )


def _body(
    paint: Paint,
    stations: Sequence[Station],
    size: np.ndarray,
    axles: tuple[float, float],
    radius: float,
    width: float,
    gap: float = 1.16,
) -> tuple[_Draft, tuple[Wheel, ...]]:
    """Sketch a painted body on four wheels with dark wheel houses."""
    front, rear = axles
    hull = Hull(stations, size, [Arch(x, radius, gap * radius) for x in (rear, front)])
    wheels = _axles(front, rear, size[1] - 0.05, radius, width)
    draft = _Draft(hull, paint.look)
    draft.add(paint.look, hull.mesh)
    inner = size[1] - 0.05 - 2 * width - 0.04
    top, bottom = (1 + gap) * radius + 0.02, 0.75 * radius
    tub = (front - rear + 2 * gap * radius + 0.1, inner, top - bottom)
    draft.add(UNDER, moved(block(tub), by=((front + rear) / 2, 0, (top + bottom) / 2)))
    return draft, wheels


def _wall(
    draft: _Draft, x: float, y: float, z: float, wide: float, tall: float, look: Look, deep: float = 0.03
) -> None:
    """Add an upright plate that faces forwards or backwards, with rounded corners."""
    draft.add(look, moved(block((deep, wide, tall), min(0.012, deep / 2), steps=1), by=(x, y, z)))


def car(generator: np.random.Generator, paint: Paint, size: np.ndarray) -> VehicleModel:
    """Make a saloon with four doors."""
    length, width, height = size - [0, 2 * MIRROR, 0]
    stations = [
        Station(-0.494, -0.492, 0.80, 0.72, 0.30, 0.60, 0.64),
        Station(-0.482, -0.478, 0.91, 0.82, 0.20, 0.655, 0.705),
        Station(-0.440, -0.440, 0.97, 0.86, 0.14, 0.67, 0.725),
        Station(-0.345, -0.345, 1.00, 0.86, 0.13, 0.675, 0.735),
        Station(-0.325, -0.215, 1.00, 0.76, 0.13, 0.68, 0.970),
        Station(-0.215, -0.130, 1.00, 0.75, 0.13, 0.68, 0.995),
        Station(-0.035, -0.030, 1.00, 0.75, 0.13, 0.67, 1.000),
        Station(-0.012, -0.008, 1.00, 0.75, 0.13, 0.67, 1.000),
        Station(0.185, 0.070, 1.00, 0.74, 0.13, 0.66, 0.985),
        Station(0.212, 0.100, 1.00, 0.74, 0.13, 0.66, 0.965),
        Station(0.245, 0.245, 1.00, 0.86, 0.13, 0.655, 0.700),
        Station(0.360, 0.360, 0.985, 0.84, 0.13, 0.61, 0.655),
        Station(0.450, 0.450, 0.94, 0.78, 0.14, 0.53, 0.575),
        Station(0.484, 0.482, 0.86, 0.70, 0.17, 0.45, 0.49),
        Station(0.496, 0.494, 0.74, 0.60, 0.26, 0.39, 0.41),
    ]
    front, rear, radius = 0.305 * length, -0.285 * length, 0.222 * height
    draft, wheels = _body(paint, stations, np.array([length, width, height]), (front, rear), radius, 0.2)
    hull = draft.hull
    draft.add(GLAZING, hull.across((9.12, 9.9), ROOF), hull.across((3.12, 3.88), ROOF))
    for u in ((5.1, 5.95), (7.05, 7.95)):
        draft.sides(GLAZING, u, (GLASS, GLASS_END))
    for x in (-0.020 * length, 0.215 * length, -0.205 * length):
        draft.seam(x)
    draft.handle(-0.155 * length)
    draft.handle(0.015 * length)
    _lamps_of_a_car(draft, length, width, height, grille=(0.33, 0.09))
    draft.sides(TRIM, (hull.u_at(rear + 1.3 * radius), hull.u_at(front - 1.3 * radius)), (EDGE + 0.3, SILL + 0.15))
    draft.mirrors(0.165 * length, 0.71 * height, width / 2)
    return draft.model(wheels, "alloy", (0.25 * length, 0.0, 0.86 * height))


def _lamps_of_a_car(draft: _Draft, length: float, width: float, height: float, grille: tuple[float, float]) -> None:
    """Add lamps, the grille, bumpers and plates.

    ``grille`` is the middle and the height of the grille, in shares of the height of the car.
    """
    last = draft.hull.last
    draft.lamps((last - 1.9, last - 0.55), (SHOULDER - 0.25, BELT + 0.2))
    draft.sides(TAIL, (0.25, 1.75), (SHOULDER - 0.7, BELT + 0.1))
    middle, tall = grille
    ahead = draft.hull.at(last, SHOULDER)[0, 0, 0]
    behind = draft.hull.at(0, SHOULDER)[0, 0, 0]
    _wall(draft, ahead, 0, middle * height, 0.55 * width, tall * height, TRIM)
    _wall(draft, ahead - 0.01, 0, 0.19 * height, 0.66 * width, 0.09 * height, TRIM, 0.12)
    _wall(draft, behind + 0.03, 0, 0.24 * height, 0.72 * width, 0.09 * height, TRIM, 0.12)
    _wall(draft, ahead + 0.012, 0, 0.24 * height, 0.5, 0.11, PLATE)
    _wall(draft, behind - 0.008, 0, 0.47 * height, 0.5, 0.11, PLATE)


def suv(generator: np.random.Generator, paint: Paint, size: np.ndarray) -> VehicleModel:
    """Make a tall car with five doors, dark cladding and rails on its roof."""
    length, width, height = size - [0, 2 * MIRROR, 0]
    stations = [
        Station(-0.494, -0.488, 0.86, 0.74, 0.26, 0.58, 0.86),
        Station(-0.480, -0.462, 0.95, 0.77, 0.17, 0.61, 0.925),
        Station(-0.440, -0.420, 0.98, 0.79, 0.14, 0.62, 0.960),
        Station(-0.335, -0.300, 1.00, 0.80, 0.13, 0.62, 0.975),
        Station(-0.205, -0.190, 1.00, 0.80, 0.13, 0.62, 0.980),
        Station(-0.185, -0.170, 1.00, 0.80, 0.13, 0.62, 0.980),
        Station(-0.030, -0.025, 1.00, 0.80, 0.13, 0.615, 0.980),
        Station(-0.006, -0.002, 1.00, 0.80, 0.13, 0.615, 0.980),
        Station(0.190, 0.095, 1.00, 0.79, 0.13, 0.61, 0.965),
        Station(0.216, 0.125, 1.00, 0.79, 0.13, 0.61, 0.945),
        Station(0.250, 0.250, 1.00, 0.88, 0.13, 0.61, 0.665),
        Station(0.370, 0.370, 0.99, 0.88, 0.13, 0.59, 0.64),
        Station(0.455, 0.455, 0.95, 0.84, 0.14, 0.545, 0.59),
        Station(0.484, 0.482, 0.89, 0.78, 0.17, 0.50, 0.54),
        Station(0.496, 0.494, 0.80, 0.70, 0.25, 0.46, 0.48),
    ]
    front, rear, radius = 0.305 * length, -0.285 * length, 0.212 * height
    draft, wheels = _body(paint, stations, np.array([length, width, height]), (front, rear), radius, 0.23)
    hull = draft.hull
    draft.add(GLAZING, hull.across((9.12, 9.9), ROOF))
    for u in ((2.2, 3.9), (5.05, 5.95), (7.05, 7.95)):
        draft.sides(GLAZING, u, (GLASS, GLASS_END))
    for x in (-0.018 * length, 0.215 * length, -0.200 * length):
        draft.seam(x)
    draft.handle(-0.150 * length)
    draft.handle(0.015 * length)
    _lamps_of_a_car(draft, length, width, height, grille=(0.41, 0.13))
    behind = hull.at(0, GLASS)[0, 0, 0]
    window = turned(block((0.03, 0.62 * width, 0.22 * height), 0.012), "y", 4)
    draft.add(GLAZING, moved(window, by=(behind + 0.003, 0, 0.72 * height)))
    clad = (hull.u_at(rear + 1.2 * radius), hull.u_at(front - 1.2 * radius))
    draft.sides(TRIM, clad, (EDGE + 0.3, SILL + 0.75))
    draft.sides(TRIM, (0.4, hull.u_at(rear - 1.2 * radius)), (EDGE + 0.3, SILL + 0.5))
    draft.sides(TRIM, (hull.u_at(front + 1.2 * radius), hull.last - 0.3), (EDGE + 0.3, SILL + 0.5))
    for side in (1, -1):
        rail = merge(
            moved(
                block((0.40 * length, 0.04, 0.03), 0.012, steps=1),
                by=(-0.10 * length, side * 0.33 * width, 0.985 * height),
            ),
            *(
                moved(block((0.05, 0.04, 0.07), 0.01, steps=1), by=(x * length, side * 0.33 * width, 0.965 * height))
                for x in (-0.29, -0.10, 0.09)
            ),
        )
        draft.add(CHROME, rail)
    draft.mirrors(0.175 * length, 0.66 * height, width / 2)
    return draft.model(wheels, "alloy", (0.255 * length, 0.0, 0.80 * height))


def van(generator: np.random.Generator, paint: Paint, size: np.ndarray) -> VehicleModel:
    """Make a panel van: a cab with windows and a closed load space."""
    length, width, height = size - [0, 2 * MIRROR, 0]
    stations = [
        Station(-0.496, -0.492, 0.93, 0.85, 0.15, 0.45, 0.955),
        Station(-0.484, -0.480, 0.98, 0.89, 0.11, 0.46, 0.985),
        Station(-0.400, -0.400, 1.00, 0.90, 0.09, 0.46, 0.995),
        Station(0.000, 0.000, 1.00, 0.90, 0.09, 0.46, 1.000),
        Station(0.170, 0.165, 1.00, 0.90, 0.09, 0.46, 0.995),
        Station(0.190, 0.185, 1.00, 0.90, 0.09, 0.46, 0.985),
        Station(0.330, 0.255, 1.00, 0.88, 0.09, 0.45, 0.955),
        Station(0.350, 0.275, 1.00, 0.87, 0.09, 0.45, 0.930),
        Station(0.390, 0.385, 0.99, 0.86, 0.09, 0.44, 0.525),
        Station(0.455, 0.452, 0.95, 0.82, 0.10, 0.40, 0.45),
        Station(0.486, 0.484, 0.89, 0.78, 0.12, 0.34, 0.385),
        Station(0.496, 0.494, 0.82, 0.72, 0.17, 0.29, 0.315),
    ]
    front, rear, radius = 0.325 * length, -0.275 * length, 0.136 * height
    draft, wheels = _body(paint, stations, np.array([length, width, height]), (front, rear), radius, 0.22)
    hull = draft.hull
    draft.add(GLAZING, hull.across((7.15, 7.85), ROOF))
    draft.sides(GLAZING, (5.2, 5.95), (GLASS, GLASS + 0.62))
    for x in (0.185 * length, 0.330 * length, 0.02 * length):
        draft.seam(x)
    draft.seam(0.02 * length, (BELT, GLASS_END))
    draft.seam(0.185 * length, (BELT, GLASS_END))
    draft.handle(0.215 * length, look=TRIM)
    draft.handle(0.165 * length, look=TRIM)
    draft.sides(TRIM, (2.3, 5.0), (SHOULDER - 0.85, SHOULDER - 0.7))
    last, ahead, behind = hull.last, 0.496 * length, -0.496 * length
    draft.lamps((last - 2.3, last - 0.6), (SHOULDER - 0.5, BELT + 0.1))
    draft.sides(TAIL, (0.1, 0.9), (SHOULDER, GLASS + 0.35))
    _wall(draft, ahead, 0, 0.245 * height, 0.52 * width, 0.06 * height, TRIM)
    _wall(draft, ahead - 0.02, 0, 0.13 * height, 0.80 * width, 0.075 * height, TRIM, 0.12)
    _wall(draft, behind + 0.01, 0, 0.14 * height, 0.90 * width, 0.06 * height, TRIM, 0.12)
    _wall(draft, ahead + 0.012, 0, 0.19 * height, 0.5, 0.11, PLATE)
    _wall(draft, behind - 0.005, 0.2, 0.26 * height, 0.5, 0.11, PLATE)
    for side in (1, -1):
        _wall(draft, behind + 0.008, side * 0.22 * width, 0.70 * height, 0.33 * width, 0.22 * height, GLAZING)
    _wall(draft, behind, 0, 0.55 * height, _SEAM, 0.76 * height, UNDER)
    draft.mirrors(0.335 * length, 0.55 * height, width / 2, (0.10, 0.2, 0.28))
    return draft.model(wheels, "steel", (0.385 * length, 0.0, 0.66 * height))


def bus(generator: np.random.Generator, paint: Paint, size: np.ndarray) -> VehicleModel:
    """Make a city bus with a low floor; its doors are on the right."""
    length, width, height = size - [0, 2 * MIRROR, 0]
    windows = np.linspace(-0.455, 0.455, 9)
    walls = [Station(x, x, 1.00, 0.955, 0.10, 0.42, 1.000) for x in windows]
    stations = [
        Station(-0.499, -0.496, 0.95, 0.89, 0.15, 0.42, 0.965),
        Station(-0.492, -0.490, 0.99, 0.94, 0.11, 0.42, 0.990),
        *walls,
        Station(0.490, 0.484, 0.985, 0.94, 0.11, 0.42, 0.990),
        Station(0.4985, 0.490, 0.93, 0.88, 0.15, 0.42, 0.955),
    ]
    front, rear, radius, tyre = 0.275 * length, -0.215 * length, 0.48, 0.30
    draft, wheels = _body(paint, stations, np.array([length, width, height]), (front, rear), radius, tyre, 1.1)
    hull = draft.hull
    for k in range(2, 10):
        draft.sides(GLAZING, (k + 0.05, k + 0.95), (GLASS, GLASS_END - 0.12))
    for x in (0.415 * length, -0.03 * length):  # doors
        u = hull.u_at(x - 0.6), hull.u_at(x + 0.6)
        draft.add(UNDER, hull.panel(u, (SILL - 0.2, GLASS_END - 0.05), -1, proud=0.012))
        for low, high in ((-0.55, -0.03), (0.03, 0.55)):
            u = hull.u_at(x + low), hull.u_at(x + high)
            draft.add(GLAZING, hull.panel(u, (SILL + 0.3, GLASS_END - 0.12), -1, proud=0.018))
    skirt = plain(shade(paint.look.colour, 0.55), "metal")
    draft.sides(skirt, (1.0, hull.u_at(rear - 1.3 * radius)), (EDGE + 0.2, SILL + 0.35))
    draft.sides(skirt, (hull.u_at(rear + 1.3 * radius), hull.u_at(-0.03 * length - 0.7)), (EDGE + 0.2, SILL + 0.35))
    ahead, behind = 0.4985 * length, -0.499 * length
    pane = turned(block((0.03, 0.86 * width, 0.46 * height), 0.012), "y", -1.4)
    draft.add(GLAZING, moved(pane, by=(ahead - 0.012, 0, 0.62 * height)))
    _wall(draft, ahead - 0.05, 0, 0.905 * height, 0.66 * width, 0.08 * height, UNDER, 0.08)
    for y in np.linspace(-0.24, 0.24, 5):  # the lamps of the destination board
        _wall(draft, ahead - 0.02, y * width, 0.905 * height, 0.085 * width, 0.04 * height, AMBER)
    for side in (1, -1):
        _wall(draft, ahead - 0.006, side * 0.34 * width, 0.25 * height, 0.16 * width, 0.075 * height, LAMP)
        _wall(draft, behind, side * 0.41 * width, 0.30 * height, 0.06 * width, 0.16 * height, TAIL)
        _wall(draft, behind, side * 0.41 * width, 0.21 * height, 0.06 * width, 0.05 * height, AMBER)
    _wall(draft, ahead - 0.02, 0, 0.15 * height, 0.90 * width, 0.10 * height, TRIM, 0.12)
    _wall(draft, behind + 0.02, 0, 0.15 * height, 0.90 * width, 0.10 * height, TRIM, 0.12)
    _wall(draft, behind, 0, 0.66 * height, 0.76 * width, 0.28 * height, GLAZING)
    _wall(draft, behind, 0, 0.33 * height, 0.6 * width, 0.16 * height, TRIM)
    _wall(draft, ahead + 0.004, 0, 0.21 * height, 0.52, 0.11, PLATE)
    _wall(draft, behind - 0.004, 0, 0.215 * height, 0.52, 0.11, PLATE)
    draft.mirrors(0.485 * length, 0.68 * height, width / 2, (0.10, 0.22, 0.36))
    return draft.model(wheels, "steel", (ahead + 0.05, 0.0, 0.62 * height))


def truck(generator: np.random.Generator, paint: Paint, size: np.ndarray) -> VehicleModel:
    """Make a truck with a cab and a closed box.

    The box is white, or grey behind a white cab.
    """
    length, width, height = size - [0, 2 * MIRROR, 0]
    cab = 0.27 * length
    back, ahead = length / 2 - cab, length / 2
    tall = 0.80 * height

    def at(share: float) -> float:
        return (back + share * cab) / length

    stations = [
        Station(at(0.0), at(0.0), 0.93, 0.88, 0.20, 0.50, 0.765),
        Station(at(0.05), at(0.05), 0.97, 0.92, 0.16, 0.50, 0.795),
        Station(at(0.22), at(0.22), 0.97, 0.93, 0.16, 0.50, 0.80),
        Station(at(0.26), at(0.26), 0.97, 0.93, 0.16, 0.50, 0.80),
        Station(at(0.74), at(0.66), 0.97, 0.93, 0.16, 0.47, 0.79),
        Station(at(0.80), at(0.74), 0.97, 0.93, 0.16, 0.47, 0.775),
        Station(at(0.955), at(0.90), 0.96, 0.91, 0.13, 0.45, 0.70),
        Station(at(0.985), at(0.965), 0.93, 0.88, 0.13, 0.42, 0.48),
        Station(at(0.996), at(0.985), 0.88, 0.83, 0.16, 0.38, 0.42),
    ]
    radius, tyre = 0.46, 0.29
    front, rear = back + 0.48 * cab, -0.27 * length
    hull = Hull(stations, (length, width, height), [Arch(front, radius, 1.14 * radius)])
    draft = _Draft(hull, paint.look)
    draft.add(paint.look, hull.mesh)
    draft.add(GLAZING, hull.across((5.2, 6.6), ROOF))
    draft.sides(GLAZING, (3.1, 3.95), (GLASS, GLASS_END - 0.1))
    draft.seam(back + 0.25 * cab)
    draft.seam(back + 0.78 * cab, (SHOULDER - 0.6, BELT))
    draft.handle(back + 0.32 * cab, look=TRIM)
    _wall(draft, ahead - 0.01, 0, 0.285 * height, 0.60 * width, 0.11 * height, TRIM, 0.05)
    _wall(draft, ahead - 0.05, 0, 0.17 * height, 0.96 * width, 0.09 * height, TRIM, 0.16)
    _wall(draft, ahead + 0.02, 0, 0.17 * height, 0.52, 0.11, PLATE)
    for side in (1, -1):
        _wall(draft, ahead - 0.005, side * 0.37 * width, 0.185 * height, 0.16 * width, 0.05 * height, LAMP, 0.10)
    _load(draft, (length, width, height), cab, (front, rear), radius, tyre)
    draft.mirrors(back + 0.80 * cab, 0.62 * height, width / 2, (0.12, 0.24, 0.42))
    wheels = _axles(front, rear, width - 0.03, radius, tyre)
    eye = (ahead + 0.05, 0.0, 0.60 * tall)
    return draft.model(wheels, "steel", eye)


def _load(
    draft: _Draft,
    size: tuple[float, float, float],
    cab: float,
    axles: tuple[float, float],
    radius: float,
    tyre: float,
) -> None:
    """Add the box of a truck, the frame under it, and the guards between the axles.

    ``cab`` (m) is the length of the cab, and ``tyre`` (m) the width of a wheel.
    """
    length, width, height = size
    front, rear = axles
    pale = min(draft.paint.colour) > 0.7
    load = plain((0.62, 0.64, 0.66) if pale else (0.93, 0.93, 0.91), "metal")
    deck = 0.34 * height
    room = (length - cab - 0.12, 0.99 * width, height - deck)
    middle = -length / 2 + room[0] / 2
    draft.add(load, moved(block(room, 0.02), by=(middle, 0, deck + room[2] / 2)))
    edge = plain((0.45, 0.46, 0.48), "metal")
    for side in (1, -1):
        for z in (deck + 0.05, height - 0.05):
            draft.add(edge, moved(block((room[0], 0.03, 0.10), 0.008), by=(middle, side * room[1] / 2, z)))
        draft.add(UNDER, moved(block((room[0] * 0.98, 0.10, 0.20)), by=(middle, side * 0.38, deck - 0.12)))
        guard = moved(block((0.30 * length, 0.04, 0.32), 0.01), by=(0.02 * length, side * 0.47 * width, 0.60))
        posts = [
            moved(
                block((0.06, 0.03, deck - 0.55)), by=((0.02 + share) * length, side * 0.46 * width, (deck + 0.55) / 2)
            )
            for share in (-0.12, 0.12)
        ]
        draft.add(edge, guard, *posts)
        bracket = moved(block((0.06, 0.10, deck - 0.46)), by=(-length / 2 + 0.12, side * 0.38, (deck + 0.46) / 2))
        draft.add(UNDER, bracket)
        draft.add(TAIL, moved(block((0.05, 0.26, 0.12), 0.01), by=(-length / 2 + 0.05, side * 0.40 * width, 0.80)))
    draft.add(UNDER, moved(block((length - 0.4, 0.8, 0.18)), by=(0, 0, 0.72)))
    draft.add(UNDER, moved(block((0.05, 0.94 * width, 0.16), 0.01), by=(-length / 2 + 0.11, 0, 0.80)))
    draft.add(
        UNDER,
        moved(cylinder(0.09, 1.5, "y"), by=(rear, 0, radius)),
        moved(cylinder(0.09, 1.5, "y"), by=(front, 0, radius)),
    )
    tub = (2.3 * radius, width - 2 * tyre - 0.12, 1.2 * radius)
    draft.add(UNDER, moved(block(tub), by=(front, 0, 1.5 * radius)))
    draft.add(TRIM, moved(block((0.08, 0.94 * width, 0.12), 0.01), by=(-length / 2 + 0.06, 0, 0.52)))
    _wall(draft, -length / 2 + 0.01, 0, 0.55, 0.52, 0.11, PLATE)
    _wall(draft, -length / 2 - 0.002, 0, deck + room[2] / 2, 0.03, room[2] - 0.14, edge)
