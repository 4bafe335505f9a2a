"""Checks of the rooms of a home: its layout, the places of its furniture, and the way of the camera."""

from collections.abc import Iterator

import numpy as np

from chronotope.recording import Entity, Recording
from chronotope.world.verify.frame import Frame, heights
from chronotope.world.verify.outcome import Check, judged

STEP = 0.25  # m, distance of the points at which floors are compared
STANDS_M = 0.01  # m; furniture that stands on the floor is at most this far above it
HANGS_M = 0.08  # m; a thing on a wall is at most this far from the middle of the wall
IN_ROOM_M = 0.02  # m by which a thing may reach out of its room
CLEAR_M = 0.005  # m, allowed difference between the way of a step and the depth in its direction


def check_layout(recording: Recording, has_tight_boxes: bool = True) -> Check:
    """Check that rooms, connections and furniture agree.

    Floors do not overlap, connections go both ways, each thing is in its room, and a thing without a parent stands on
    the floor or hangs on a wall. The floors are at height zero. The places of things are checked only if their boxes
    fit tightly.
    """
    rooms = {room.id: room for room in recording.rooms}
    faults = ["two rooms have the same id"] if len(rooms) < len(recording.rooms) else []
    faults += [
        f"{room.id} is connected with {other}, but not the other way round"
        for room in recording.rooms
        for other in room.connections
        if other not in rooms or room.id not in rooms[other].connections
    ]
    faults += _overlaps(recording)
    for entity in recording.entities if has_tight_boxes else ():
        faults += _misplaced(recording, entity)
    return judged("layout", faults, f"{len(rooms)} rooms with {len(recording.entities)} things")


def _overlaps(recording: Recording) -> Iterator[str]:
    corners = np.concatenate([room.floor for room in recording.rooms])
    low, high = corners.min(axis=0), corners.max(axis=0)
    # The points are beside the grid of the walls, so that none is on a border.
    axes = [np.arange(low[axis] + STEP / 3, high[axis], STEP) for axis in (0, 1)]
    points = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    inside = np.array([away_from(points, room.floor) == 0 for room in recording.rooms])
    for point, owners in zip(points, inside.T, strict=True):
        if owners.sum() > 1:
            names = [room.id for room, is_in in zip(recording.rooms, owners, strict=True) if is_in]
            yield f"the floors of {' and '.join(names)} overlap at ({point[0]:.2f}, {point[1]:.2f})"
            return


def _misplaced(recording: Recording, entity: Entity) -> Iterator[str]:
    if entity.body is not None:
        return  # its box is around its whole motion, which may lead through several rooms
    stated = entity.attributes.get("room")
    room = next((room for room in recording.rooms if room.id == stated), None)
    if room is None:
        yield f"{entity.id} is in {stated}, and there is no such room"
        return
    pose, half = entity.poses[0], np.array(entity.size) / 2
    corners = pose[:2, 3] + (np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * half[:2]) @ pose[:2, :2].T
    out = float(away_from(corners, room.floor).max())
    if out > IN_ROOM_M:
        yield f"{entity.id} reaches {out:.2f} m out of {room.id}"
    bottom = heights(pose, half, np.array([0.0, 0.0, 1.0]))[0]
    hangs = to_border(corners, room.floor).min() <= HANGS_M
    if entity.parent is None and (abs(bottom) > STANDS_M if not hangs else bottom < -STANDS_M):
        yield f"{entity.id} is {bottom:.2f} m above the floor, and rests on nothing"


class Way:
    """The check "way": at each step, the depth in the direction of the step is at least as large as the step."""

    def __init__(self) -> None:
        self._last: Frame | None = None
        self._steps = 0
        self._faults: list[str] = []

    def look(self, frame: Frame) -> None:
        """Compare the last step with the depth before it."""
        last, self._last = self._last, frame
        if last is None or frame.index != last.index + 1:
            return
        (row,), (column,), (far,) = last.project(frame.camera[None, :3, 3])
        height, width = last.depth.shape
        if not (np.isfinite(far) and -0.5 < row < height - 0.5 and -0.5 < column < width - 0.5):
            return
        self._steps += 1
        free = last.depth[round(float(row)), round(float(column))]
        if free < far - CLEAR_M:
            self._faults.append(
                f"the step to frame {frame.index} is {far:.2f} m, but something is in the way after {free:.2f} m"
            )

    def checks(self) -> tuple[Check, ...]:
        """Return the check."""
        return (judged("way", self._faults, f"{self._steps} steps are free"),)


def away_from(points: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """Return the distances (N,) m of points from a floor.

    ``points`` (N, 2) and ``polygon`` (M, 2) are in m. The distance is zero inside.
    """
    # The angles to the corners add up to a full turn only inside.
    towards = polygon - points[:, None]
    angles = np.arctan2(towards[..., 1], towards[..., 0])
    turned = (np.roll(angles, -1, axis=1) - angles + np.pi) % (2 * np.pi) - np.pi
    return np.where(np.abs(turned.sum(axis=1)) > np.pi, 0.0, to_border(points, polygon))


def to_border(points: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """Return the distances (N,) m of points from a floor's border.

    ``points`` (N, 2) and ``polygon`` (M, 2) are in m.
    """
    start, end = polygon, np.roll(polygon, -1, axis=0)
    side = end - start
    along = np.einsum("nmk,mk->nm", points[:, None] - start, side) / np.maximum((side**2).sum(axis=1), 1e-12)
    nearest = start + np.clip(along, 0, 1)[..., None] * side
    return np.linalg.norm(points[:, None] - nearest, axis=2).min(axis=1)
