"""Convert tables of boxes around a vehicle to entities in the world.

A table has one row for each box in each sample.
"""

from dataclasses import dataclass, replace

import numpy as np

from chronotope.errors import InputError
from chronotope.geometry import as_pose, invert
from chronotope.recording.sources.shared.sight import LEAST_POINTS, Lens, inside_picture, outlines, visible_boxes
from chronotope.recording.types import Entity


@dataclass(frozen=True, eq=False)
class Boxes:
    """A table of N boxes in the frame of a vehicle.

    ``frames`` (N,) are the samples, ``ids`` (N,) are the tracks, ``labels`` (N,) are the labels, ``sizes`` (N, 3) m are
    the sizes, and ``points`` (N,) are the numbers of lidar points. ``poses`` are vehicle_T_box (N, 4, 4), in the
    vehicle's frame at the sample of the box. ``speeds`` (N, 3) m/s are in world coordinates; speeds that the source
    lacks are NaN. Error messages use ``where``, which is the file, and ``side_fields``, which are the names of the size
    fields in this file.
    """

    frames: np.ndarray
    ids: np.ndarray
    labels: np.ndarray
    poses: np.ndarray
    sizes: np.ndarray
    points: np.ndarray
    speeds: np.ndarray | None = None
    where: str = ""
    side_fields: str = ""

    def rows(self, mask: np.ndarray, first: int = 0) -> "Boxes":
        """Return the rows that the mask (N,) selects.

        The samples of the result are counted from ``first``.
        """
        return replace(
            self,
            frames=self.frames[mask] - first,
            ids=self.ids[mask],
            labels=self.labels[mask],
            poses=self.poses[mask],
            sizes=self.sizes[mask],
            points=self.points[mask],
            speeds=None if self.speeds is None else self.speeds[mask],
        )


@dataclass(frozen=True, eq=False)
class Seen:
    """The visibility of N boxes, and their rectangles in the picture.

    ``visible`` (N,) is True for visible boxes. ``box2d`` has the rectangles (N, 4) px, or is None if there is no
    camera.
    """

    visible: np.ndarray
    box2d: np.ndarray | None = None


def upright(centres: np.ndarray, headings: np.ndarray) -> np.ndarray:
    """Return vehicle_T_box (N, 4, 4) of upright boxes.

    The boxes are rotated by ``headings`` (N,) rad about +z. A heading is measured from +x.
    """
    turn = np.zeros((len(headings), 3, 3))
    turn[:, 0, 0] = turn[:, 1, 1] = np.cos(headings)
    turn[:, 1, 0] = np.sin(headings)
    turn[:, 0, 1] = -turn[:, 1, 0]
    turn[:, 2, 2] = 1.0
    return as_pose(turn, centres)


def require_single(boxes: Boxes) -> None:
    """Check that tracks and side lengths are valid.

    Raises:
        InputError: If a track has two boxes in one sample, or if a side length is not above zero.
    """
    order = np.lexsort((boxes.ids, boxes.frames))
    frames, ids = boxes.frames[order], boxes.ids[order]
    twice = np.flatnonzero((np.diff(frames) == 0) & (ids[1:] == ids[:-1]))
    if len(twice):
        raise InputError(
            f"{boxes.where}: object {ids[twice[0]]} has two boxes in sample {frames[twice[0]]}, expected one box; "
            "remove "
            "one"
        )
    flat = np.flatnonzero(~(boxes.sizes > 0).all(axis=1))
    if len(flat):
        raise InputError(
            f"{boxes.where}: {boxes.side_fields}: object {boxes.ids[flat[0]]} has a box of "
            f"{boxes.sizes[flat[0]].tolist()} m in sample {boxes.frames[flat[0]]}, expected length, width and height "
            f"above 0"
        )


def by_points(boxes: Boxes) -> Seen:
    """Decide without a camera which boxes are visible.

    A box is visible if it contains at least 5 lidar points.
    """
    return Seen(boxes.points >= LEAST_POINTS)


def visible_by(
    lens: Lens,
    clip_scale: tuple[float, float],
    boxes: Boxes,
    world_T_vehicle: np.ndarray,
    world_T_camera: np.ndarray,
    drawn: np.ndarray | None = None,
) -> Seen:
    """Find the boxes that a camera sees, by the rule of ``visible_boxes``.

    ``drawn`` (N, 4) px are the rectangles that the source itself states for the boxes, NaN for a box without a
    rectangle. If ``drawn`` is None, the parts of the computed outlines inside the picture are used. The poses are (T,
    4, 4); unknown poses are NaN.
    """
    camera_T_box = invert(world_T_camera[boxes.frames]) @ world_T_vehicle[boxes.frames] @ boxes.poses
    known = np.asarray(np.isfinite(camera_T_box).all(axis=(1, 2)))
    whole = outlines(lens, np.where(known[:, None, None], camera_T_box, np.eye(4)), boxes.sizes)
    whole[~known] = np.nan
    shown = inside_picture(lens, whole) if drawn is None else drawn
    distances = np.linalg.norm(camera_T_box[:, :3, 3], axis=1)
    visible = visible_boxes(lens, clip_scale, boxes.frames, whole, shown, distances, boxes.points)
    return Seen(visible, shown)


def entities_of(boxes: Boxes, seen: Seen, world_T_vehicle: np.ndarray) -> tuple[Entity, ...]:
    """Return one entity for each track, sorted by id.

    An entity has the pose world_T_box for each sample. The size of an entity is the median size of its boxes,
    weighted by their numbers of lidar points.
    """
    poses = world_T_vehicle[boxes.frames] @ boxes.poses
    names, codes = np.unique(boxes.ids, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if len(order) else []
    samples = len(world_T_vehicle)
    return tuple(
        _entity(str(name), rows, samples, boxes, seen, poses) for name, rows in zip(names, groups, strict=True)
    )


def _entity(name: str, rows: np.ndarray, samples: int, boxes: Boxes, seen: Seen, poses: np.ndarray) -> Entity:
    frames = boxes.frames[rows]
    label = str(boxes.labels[rows[0]])
    size = [_median(side, boxes.points[rows]) for side in boxes.sizes[rows].T]
    entity = Entity(name, label, label, (size[0], size[1], size[2]), _spread(poses[rows], frames, samples))
    visible = np.zeros(samples, bool)
    visible[frames] = seen.visible[rows]
    return replace(
        entity,
        visible=visible,
        box2d=None if seen.box2d is None else _spread(seen.box2d[rows], frames, samples),
        label_speed=None if boxes.speeds is None else _spread(boxes.speeds[rows], frames, samples),
    )


def _spread(values: np.ndarray, frames: np.ndarray, samples: int) -> np.ndarray:
    """Expand the rows of some samples to all samples, with NaN elsewhere."""
    whole = np.full((samples, *values.shape[1:]), np.nan)
    whole[frames] = values
    return whole


def _median(values: np.ndarray, weights: np.ndarray) -> float:
    """Return the weighted median of values (N,).

    Each value counts as many times as its weight. If every weight is zero, all values have equal weight.
    """
    order = np.argsort(values, kind="stable")
    counts = weights[order].astype(np.float64) if weights.any() else np.ones(len(values))
    total = np.cumsum(counts)
    return float(values[order[np.searchsorted(total, total[-1] / 2)]])
