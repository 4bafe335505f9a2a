"""The wheels of a vehicle in a mesh: round, narrow components that stand on the ground, and all that is inside them."""

from dataclasses import dataclass

import numpy as np

from chronotope.world.asset_folder import WheelEntry

SMALLEST, LARGEST = 0.12, 0.62  # m, radii of wheels
_GROUND = 0.05  # of the vehicle's height: wheels begin lower
_ROUND = 0.04  # of the radius: largest difference between the radii in different directions
_NARROW = 0.62  # largest width of a tyre in its diameters
_WAYS = np.linspace(0, np.pi, 12, endpoint=False)
_SAME = 0.4  # m; tyres nearer than this along x are on one axle
_BEYOND = 0.10  # m, by which parts of a wheel stand out of its tyre, along its axle
_MIDDLE = 0.12  # m, wheels nearer than this to the middle are those of two-wheelers
_DISC = 0.5  # of the width of the widest tyre of a wheel: narrower round components are its discs
_STEERED = np.radians(50)  # largest angle of a steered wheel
_NAMES = {1: ("front",), 2: ("front", "rear"), 3: ("front", "middle", "rear")}
_MANY = ("front", "second", "third", "fourth", "fifth", "sixth")


@dataclass(eq=False)
class Component:
    """A connected part of a surface: its corners (F, 3, 3) m, and the joint that carries it."""

    corners: np.ndarray
    joint: int = 0

    @property
    def box(self) -> np.ndarray:
        """Return its lowest and its highest corner, (2, 3) m."""
        points = self.corners.reshape(-1, 3)
        return np.array([points.min(axis=0), points.max(axis=0)])


@dataclass
class _Tyre:
    """A round component: its middle (3,), its radius and half its width (m), and its angle about z (rad)."""

    centre: np.ndarray
    radius: float
    half: float
    yaw: float


def find_wheels(components: list[Component], height: float) -> tuple[WheelEntry, ...]:
    """Find the wheels of a vehicle, and give their parts to their joints.

    The vehicle stands on z = 0 with its front at +x. Wheels that are steered are turned straight. The wheels are listed
    from the front to the rear, the left one before the right one. Vehicles with more than seven axles have none.
    """
    tyres = [tyre for component in components if (tyre := _tyre(component, height)) is not None]
    groups = _groups(tyres)
    if not 1 <= len(groups) <= len(_MANY) + 1:
        return ()
    names = _NAMES.get(len(groups), (*_MANY[: len(groups) - 1], "rear"))
    wheels: list[WheelEntry] = []
    for name, axle in zip(names, groups, strict=True):
        # Wheels that are steered turn about points beside their middles, so one is ahead of the other.
        shift = float(np.mean([group[0].centre[0] for _, group in axle])) if axle[0][1][0].yaw else None
        for side, group in axle:
            wheels.append(_wheel("_".join(filter(None, ("wheel", name, side))), group, shift))
            _give(components, group, len(wheels), wheels[-1].centre[0])
    return tuple(wheels)


def _tyre(component: Component, height: float) -> _Tyre | None:
    low, high = component.box
    tall = high[2] - low[2]
    if low[2] > _GROUND * height or not 2 * SMALLEST <= tall <= 2 * LARGEST:
        return None
    points = np.unique(component.corners.reshape(-1, 3).round(5), axis=0)
    centre = (low + high) / 2
    level = (points - centre)[:, :2]
    yaw = _yaw(level) if high[0] - low[0] < 0.94 * tall or high[1] - low[1] > 0.5 * tall else 0.0
    c, s = np.cos(yaw), np.sin(yaw)
    across = level @ [-s, c]
    flat = np.column_stack([level @ [c, s], points[:, 2] - centre[2]])
    radii = [np.ptp(flat @ [np.cos(way), np.sin(way)]) / 2 for way in _WAYS]
    radius, half = float(np.mean(radii)), float(np.ptp(across) / 2)
    if np.ptp(radii) > 2 * _ROUND * radius or half > _NARROW * radius or abs(yaw) > _STEERED:
        return None
    return _Tyre(centre, radius, half, yaw)


def _yaw(level: np.ndarray) -> float:
    """Return the direction (rad) in which points (N, 2) about their middle extend most, from -90° to 90°."""
    ways = np.radians(np.arange(-60, 61))
    across = np.abs(level @ np.stack([-np.sin(ways), np.cos(ways)])).max(axis=0)
    return float(ways[across.argmin()])


def _groups(tyres: list[_Tyre]) -> list[list[tuple[str, list[_Tyre]]]]:
    """Sort tyres by their axles, from the front, and on each axle by their sides."""
    axles: list[list[_Tyre]] = []
    for tyre in sorted(tyres, key=lambda tyre: -tyre.centre[0]):
        if axles and abs(axles[-1][0].centre[0] - tyre.centre[0]) < _SAME:
            axles[-1].append(tyre)
        else:
            axles.append([tyre])
    found: list[list[tuple[str, list[_Tyre]]]] = []
    for axle in axles:
        widest = max(tyre.half for tyre in axle)
        axle = sorted((tyre for tyre in axle if tyre.half >= _DISC * widest), key=lambda tyre: -tyre.radius)
        sides = {
            "left": [tyre for tyre in axle if tyre.centre[1] >= _MIDDLE],
            "right": [tyre for tyre in axle if tyre.centre[1] <= -_MIDDLE],
            "": [tyre for tyre in axle if abs(tyre.centre[1]) < _MIDDLE],
        }
        if sides["left"] and sides["right"]:
            found.append([("left", sides["left"]), ("right", sides["right"])])
        elif sides[""]:
            found.append([("", sides[""])])
    return found


def _wheel(joint: str, group: list[_Tyre], shift: float | None) -> WheelEntry:
    """Describe a wheel; ``shift`` is its new place along x (m), if it was steered."""
    largest = group[0]
    low = min(tyre.centre[1] - tyre.half for tyre in group)
    high = max(tyre.centre[1] + tyre.half for tyre in group)
    x, z = (round(float(part), 5) for part in (largest.centre[0] if shift is None else shift, largest.centre[2]))
    middle = round(float(low + high) / 2, 5)
    return WheelEntry(
        joint=joint, centre=(x, middle, z), radius=round(largest.radius, 5), width=round(float(high - low), 5)
    )


def _give(components: list[Component], group: list[_Tyre], joint: int, x: float) -> None:
    """Give the components inside tyres to a joint.

    Steered ones are turned straight, and their middle is moved to x (m).
    """
    for component in components:
        points = component.corners.reshape(-1, 3)
        for tyre in group:
            away = points - tyre.centre
            c, s = np.cos(tyre.yaw), np.sin(tyre.yaw)
            across = away[:, :2] @ [-s, c]
            reach = np.hypot(away[:, :2] @ [c, s], away[:, 2]).max()
            if component.joint == 0 and reach <= 1.02 * tyre.radius and np.abs(across).max() <= tyre.half + _BEYOND:
                if tyre.yaw:
                    straight = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
                    component.corners = (component.corners - tyre.centre) @ straight.T + [x, *tyre.centre[1:]]
                component.joint = joint
                break
