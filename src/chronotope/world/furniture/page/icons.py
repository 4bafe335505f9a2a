"""Pictures of fasteners, as they are drawn in the circles of a page. A picture is about 1 high, around (0, 0)."""

import numpy as np

from chronotope.world.furniture.page.drawing import WHITE, Drawing

ICON = 0.5  # half the height of a picture


def draw_fastener(drawing: Drawing, kind: str, at: tuple[float, float], height: float, line: float) -> None:
    """Draw a fastener upright around a point; ``height`` and the ``line`` width are in px."""
    for points, closed in _ICONS[kind]():
        place = np.asarray(at) + height * np.asarray(points, float)
        if closed:
            drawing.shape(place, WHITE, line)
        else:
            drawing.stroke(place, line)


def _oval(x: float, y: float, wide: float, high: float, first: float = 0.0, last: float = 360.0) -> np.ndarray:
    angle = np.radians(np.linspace(first, last, 40))
    return np.stack([x + wide * np.cos(angle), y + high * np.sin(angle)], axis=1)


def _rod(wide: float, low: float, high: float) -> np.ndarray:
    """Return the outline of an upright rod with rounded ends."""
    return np.concatenate([_oval(0, low, wide, 0.3 * wide, 0, 180), _oval(0, high, wide, 0.3 * wide, 180, 360)])


def _dowel() -> list[tuple[np.ndarray, bool]]:
    ribs = [(np.array([(x, -0.36), (x, 0.42)]), False) for x in (-0.07, -0.02, 0.03, 0.08)]
    return [(_rod(0.13, 0.42, -0.42), True), *ribs, (_oval(0, -0.42, 0.13, 0.04), True)]


def _thread(wide: float, first: float, last: float, turns: int) -> list[tuple[np.ndarray, bool]]:
    return [(np.array([(-wide, y), (0, y + 0.035), (wide, y)]), False) for y in np.linspace(first, last, turns)]


def _screw() -> list[tuple[np.ndarray, bool]]:
    shaft = np.array([(-0.07, -0.3), (0.07, -0.3), (0.07, 0.36), (0, 0.5), (-0.07, 0.36)])
    cross = [(np.array([(-0.08, -0.4), (0.08, -0.4)]), False), (np.array([(0, -0.425), (0, -0.375)]), False)]
    head = np.concatenate([_oval(0, -0.4, 0.2, 0.06, 180, 360), np.array([(0.07, -0.28), (-0.07, -0.28)])])
    return [(shaft, True), *_thread(0.095, -0.2, 0.34, 8), (head, True), (_oval(0, -0.4, 0.2, 0.06), True), *cross]


def _cam() -> list[tuple[np.ndarray, bool]]:
    side = np.concatenate([_oval(0, 0.16, 0.34, 0.2, 0, 180), _oval(0, -0.1, 0.34, 0.2, 180, 360)])
    cross = [(np.array([(-0.16, -0.1), (0.16, -0.1)]), False), (np.array([(0, -0.2), (0, 0.0)]), False)]
    return [(side, True), (_oval(0, -0.1, 0.34, 0.2), True), *cross]


def _bolt() -> list[tuple[np.ndarray, bool]]:
    shaft = _rod(0.09, 0.46, -0.3)
    head = np.array(
        [
            (-0.2, -0.46),
            (-0.1, -0.5),
            (0.1, -0.5),
            (0.2, -0.46),
            (0.2, -0.33),
            (0.1, -0.29),
            (-0.1, -0.29),
            (-0.2, -0.33),
        ]
    )
    corners = [(np.array([(x, -0.42), (x, -0.29)]), False) for x in (-0.1, 0.1)]
    rim = np.array([(-0.2, -0.46), (-0.1, -0.42), (0.1, -0.42), (0.2, -0.46)])
    return [(shaft, True), *_thread(0.09, -0.05, 0.42, 9), (head, True), (rim, False), *corners]


_ICONS = {"dowel": _dowel, "screw": _screw, "cam": _cam, "bolt": _bolt}
