"""The pixels of an entity, and of the corners of its box, in a frame."""

import numpy as np

from chronotope.geometry import corners, invert, project_points, transform_points
from chronotope.recording import Entity, Recording

NEAREST = 0.05  # m, least distance of a corner in front of the camera; a box with a nearer corner is not drawn

Rectangle = tuple[float, float, float, float]  # x0, y0, x1, y1 px


def corner_pixels(recording: Recording, entity: Entity, k: int) -> np.ndarray | None:
    """Return the pixels (8, 2) of an entity's box corners.

    ``k`` is the number of the frame. The corners have the same order as in ``chronotope.geometry.corners``. The
    centre of a pixel has whole-numbered coordinates. Lens distortion is ignored. The result is None if a pose or
    the intrinsics are unknown in frame ``k``, or if a corner is less than 0.05 m in front of the camera.
    """
    box, intrinsics = entity.box_at(k), recording.intrinsics_at(k)
    if box is None or intrinsics is None or not recording.valid[k]:
        return None
    points = transform_points(invert(recording.camera_at(k)), corners(box))
    if not np.isfinite(points).all() or points[:, 2].min() < NEAREST:
        return None
    return project_points(points, intrinsics)


def rectangle(recording: Recording, entity: Entity, k: int) -> Rectangle | None:
    """Return the rectangle of an entity in frame ``k``.

    If the source states a rectangle, this rectangle is returned. Otherwise the result is the rectangle around the
    corners of the entity's box, which can extend beyond the picture. The result is None if the source states that
    the entity is not in the picture, or if ``corner_pixels`` returns None.
    """
    if entity.box2d is not None:
        x0, y0, x1, y1 = map(float, entity.box2d[k])
    else:
        pixels = corner_pixels(recording, entity, k)
        if pixels is None:
            return None
        (x0, y0), (x1, y1) = pixels.min(axis=0).tolist(), pixels.max(axis=0).tolist()
    return None if np.isnan([x0, y0, x1, y1]).any() else (x0, y0, x1, y1)


def field_of_view(recording: Recording, time: float) -> tuple[float, float] | None:
    """Return the camera's field of view at a ``time`` (s).

    The field of view is (width, height) in degrees. The result is None if the intrinsics or the size of the picture are
    unknown. Lens distortion is ignored.
    """
    nearest = int(np.argmin(np.abs(recording.times - time)))
    intrinsics, size = recording.intrinsics_at(nearest), picture_size(recording)
    if intrinsics is None or size is None:
        return None
    width, height = size
    corners = np.linalg.inv(intrinsics) @ np.array([[0, width, 0, 0], [0, 0, 0, height], [1, 1, 1, 1]])
    slopes = np.degrees(np.arctan(corners / corners[2]))
    return float(slopes[0, 1] - slopes[0, 0]), float(slopes[1, 3] - slopes[1, 2])


def picture_size(recording: Recording) -> tuple[int, int] | None:
    """Return the width and height (px) of a recording's pictures, or None.

    Without a clip, the size is estimated from the principal point. The result is None if the intrinsics are unknown
    too.
    """
    if recording.clip is not None:
        return recording.clip.width, recording.clip.height
    intrinsics = recording.intrinsics_at(0)
    if intrinsics is None:
        return None
    return round(2 * float(intrinsics[0, 2]) + 1), round(2 * float(intrinsics[1, 2]) + 1)
