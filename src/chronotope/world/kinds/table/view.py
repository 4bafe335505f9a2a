"""The random choice of a camera's view of a table: its distance, field of view, speed and path.

Views are drawn until one fulfils all conditions: the camera is inside the room and far enough from everything, shows
enough things at a sufficient size, and shows a moving thing for long enough.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.world.camera import intrinsics_of
from chronotope.world.film_set import Placement
from chronotope.world.kinds.table.paths import CameraPath, draw_path
from chronotope.world.kinds.table.table import Table
from chronotope.world.quality import Quality

DISTANCES = (0.45, 2.1)  # m, from the camera to the point that it faces; a path varies this distance by up to a quarter
FIELDS_OF_VIEW = (40.0, 80.0)  # degrees, horizontal
SPEEDS = (0.03, 0.27)  # m/s, average speed of the camera
TURNS = (0.02, 0.5)  # rad/s, speed divided by distance: within these limits the picture moves but does not blur
HALF_WIDTHS = (0.24, 1.25)  # m, half the width of the visible scene at the distance of the things

CLEAR = 0.09  # m, least distance of the camera from anything on the table
# m. WALL: least distance from camera to wall. SIDEBOARD: least distance for low cameras, and their largest height.
WALL, SIDEBOARD = 0.15, (0.6, 1.05)
SEEN, SEEN_PX = 5, 0.045  # least number of things in the picture; their least size as a share of the picture's height
MOVING_SECONDS = 3.0  # s, least time for which the picture shows the motion of a thing
MARGIN = 0.04  # share of the picture at each edge in which things do not count as seen
ATTEMPTS = 60
MOMENTS = 9  # number of moments at which things are counted


@dataclass(frozen=True, eq=False)
class View:
    """A camera's path, its intrinsics (3, 3) px, and its random values."""

    path: CameraPath
    intrinsics: np.ndarray
    distance: float
    field_of_view: float
    speed: float


def draw_view_of(generator: np.random.Generator, table: Table, times: np.ndarray, quality: Quality) -> View | None:
    """Draw a view of a table at times (T,) s.

    The result is None if no view fits.
    """
    speed = _log_uniform(generator, *SPEEDS)
    for _ in range(ATTEMPTS):
        view = _draw(generator, table, times, quality, speed)
        if _is_clear(view, table) and _shows(view, table, times, quality):
            return view
    return None


def _log_uniform(generator: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(generator.uniform(np.log(low), np.log(high))))


def _draw(generator: np.random.Generator, table: Table, times: np.ndarray, quality: Quality, speed: float) -> View:
    distance = _log_uniform(generator, max(DISTANCES[0], speed / TURNS[1]), min(DISTANCES[1], speed / TURNS[0]))
    narrow, wide = (np.degrees(2 * np.arctan(half / distance)) for half in HALF_WIDTHS)
    angle = float(generator.uniform(max(FIELDS_OF_VIEW[0], narrow), min(FIELDS_OF_VIEW[1], wide)))
    target = _target(generator, table, distance)
    path = draw_path(generator, times, target, table.azimuth, distance, speed)
    upright = np.degrees(2 * np.arctan(np.tan(np.radians(angle) / 2) * quality.height / quality.width))
    return View(path, intrinsics_of(float(upright), quality.width, quality.height), distance, angle, speed)


def _target(generator: np.random.Generator, table: Table, distance: float) -> np.ndarray:
    """Draw the point (3,) m that the camera faces.

    For a distant camera this point is the middle of all things; for a near camera it is one thing, often the moving
    thing.
    """
    places = np.array([placement.poses[:, :3, 3].mean(axis=0) for placement in table.things])
    moving = [number for number, placement in enumerate(table.things) if placement.path is not None]
    number = moving[0] if moving and generator.random() < 0.7 else int(generator.integers(len(places)))
    near = np.clip((1.3 - distance) / 0.7, 0.0, 1.0)
    flat = (1 - near) * places[:, :2].mean(axis=0) + near * places[number, :2]
    return np.array([*flat, table.top + generator.uniform(0.03, 0.10)])


def _is_clear(view: View, table: Table) -> bool:
    """Check that the camera stays in the room, and away from things."""
    eyes = view.path.poses[:, :3, 3]
    inside = table.walls - np.abs(eyes[:, :2])
    low = eyes[:, 2] < SIDEBOARD[1]
    if inside.min() < WALL or inside[low].min(initial=np.inf) < SIDEBOARD[0]:
        return False
    return all(_clearance(eyes, placement) >= CLEAR for placement in table.film_set.placements)


def _shows(view: View, table: Table, times: np.ndarray, quality: Quality) -> bool:
    """Check that the view shows enough things, and motion for long enough."""
    moments = np.linspace(0, len(times) - 1, MOMENTS).astype(int)
    still = [placement for placement in table.film_set.placements if placement.path is None]
    seen = np.array([_seen(view, placement, quality, still, moments) for placement in table.things])
    if seen.sum(axis=0).mean() < SEEN:
        return False
    least, every = min(MOVING_SECONDS, 0.6 * times[-1]), np.arange(len(times))
    return all(
        (_seen(view, each, quality, still, every) & _moves(each)).sum() * (times[1] - times[0]) >= least
        for each in table.things
        if each.path is not None
    )


def _clearance(eyes: np.ndarray, placement: Placement) -> float:
    """Return the least distance (m) from eyes (T, 3) to a box."""
    beyond = np.abs(_local(placement.poses, eyes)) - np.array(placement.thing.size) / 2
    return float(np.linalg.norm(np.maximum(beyond, 0), axis=1).min())


def _local(poses: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Convert points (T, 3) to the local coordinates of poses.

    There is one pose for each point, or one pose for all points.
    """
    return np.einsum("tji,tj->ti", np.broadcast_to(poses[:, :3, :3], (len(points), 3, 3)), points - poses[:, :3, 3])


def _seen(
    view: View, placement: Placement, quality: Quality, others: Sequence[Placement], frames: np.ndarray
) -> np.ndarray:
    """Find the ``frames`` (N,) that show a thing's middle.

    The thing must be large enough in the frame, and no other thing may hide its middle.
    """
    cameras = view.path.poses[frames]
    middles = np.broadcast_to(placement.poses, (len(view.path.poses), 4, 4))[frames, :3, 3]
    local = _local(cameras, middles)
    depth = np.maximum(local[:, 2], 1e-6)
    columns, rows = (view.intrinsics[:2, :2] @ (local[:, :2] / depth[:, None]).T) + view.intrinsics[:2, 2:]
    width, height = quality.width, quality.height
    inside = (np.abs(columns / width - 0.5) < 0.5 - MARGIN) & (np.abs(rows / height - 0.5) < 0.5 - MARGIN)
    across = np.sqrt(np.sort(placement.thing.size)[1:].prod()) * view.intrinsics[1, 1] / depth
    seen = inside & (local[:, 2] > 0) & (across >= SEEN_PX * height)
    for other in others:
        if seen.any() and other is not placement and other.id != placement.parent:
            seen &= ~_between(other, cameras[:, :3, 3], middles)
    return seen


def _between(placement: Placement, eyes: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Check which lines from eyes to points (N, 3) cross a box."""
    start, end = _local(placement.poses, eyes), _local(placement.poses, points)
    with np.errstate(divide="ignore", invalid="ignore"):
        one, two = ((side * np.array(placement.thing.size) / 2 - start) / (end - start) for side in (-1, 1))
    enter, leave = np.nanmax(np.minimum(one, two), axis=1), np.nanmin(np.maximum(one, two), axis=1)
    return (enter < leave) & (leave > 0) & (enter < 1)


def _moves(placement: Placement) -> np.ndarray:
    """Find the frames (T,) in which a thing moves."""
    steps = np.linalg.norm(np.diff(placement.poses[:, :3, 3], axis=0), axis=1)
    moving = steps > 0.05 * steps.max()
    return np.append(moving, moving[-1])
