"""One frame for the checks: its pixels, and the claimed poses.

Coordinates "in the thing's frame" are the coordinates of the entity to which the pixel belongs. Identity 0 is the world
at rest, with world coordinates. Pixel centres have whole-number coordinates.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy.ndimage import find_objects

from chronotope.errors import InputError
from chronotope.media import decode_frames
from chronotope.recording import Recording, read_depth, read_identities

SLOW = 6.0  # frames per second
STRIDE = 0.1  # m between two frames
# Up to this depth, limits need not grow: a picture of depth with 10,000 steps per metre shows nothing farther away.
NEAR_M = 6.55
FINE_M = 0.0005  # m; the limits are made for depth with steps up to this size


@dataclass(frozen=True, eq=False)
class Frame:
    """Sample ``index`` of a recording.

    ``depth`` is (H, W) m along the optical axis, and NaN where no depth is known; ``identities`` (H, W) are the
    identities in the file; ``picture`` is (H, W, 3) uint8 or None. ``intrinsics`` is (3, 3) px, and ``camera`` (4, 4)
    is world_T_camera. ``things`` (E + 1, 4, 4) are world_T_entity by identity; the first is for the world itself.
    ``half`` (E + 1, 3) m is half the side lengths of the things' boxes. ``step`` (m) is the step of depth.
    """

    index: int
    depth: np.ndarray
    identities: np.ndarray
    picture: np.ndarray | None
    intrinsics: np.ndarray
    camera: np.ndarray
    things: np.ndarray
    half: np.ndarray
    step: float = 0.0

    @cached_property
    def counts(self) -> np.ndarray:
        """Count the pixels of each identity, (256,) or more."""
        return np.bincount(self.identities.ravel(), minlength=max(256, len(self.things)))

    @cached_property
    def regions(self) -> list[tuple[slice, slice] | None]:
        """Find the rows and columns of each entity's pixels.

        The result is None for an entity without pixels.
        """
        return find_objects(self.identities, max_label=len(self.things) - 1)

    @cached_property
    def interior(self) -> np.ndarray:
        """Find pixels (H, W) with depth whose neighbours show the same thing.

        All eight neighbours of such a pixel have the same identity.
        """
        ids = self.identities
        along = np.zeros(ids.shape, bool)
        along[:, 1:-1] = (ids[:, 1:-1] == ids[:, :-2]) & (ids[:, 1:-1] == ids[:, 2:])
        inner = np.zeros(ids.shape, bool)
        inner[1:-1] = along[1:-1] & along[:-2] & along[2:] & (ids[1:-1] == ids[:-2]) & (ids[1:-1] == ids[2:])
        return inner & np.isfinite(self.depth)

    def sample(self, of_thing: int, of_world: int = 0, chosen: np.ndarray | None = None) -> "Points":
        """Choose a limited number of points of each thing and the world."""
        found = [
            self.pixels_of(identity, of_thing if identity else of_world, chosen) for identity in range(len(self.things))
        ]
        rows, columns = (np.concatenate(each) for each in zip(*found, strict=True))
        identities = np.repeat(np.arange(len(found)), [len(each) for each, _ in found])
        places = self.to_things(self.unproject(rows, columns), identities)
        none = np.full(len(identities), -1)
        return Points(self.index, identities, places, self.depth[rows, columns], none)

    def pixels_of(self, identity: int, most: int, chosen: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Choose rows and columns (N,) of pixels that show one thing.

        At most ``most`` pixels are chosen, spread evenly. The pixels are chosen among the pixels in ``chosen`` (H, W)
        bool or, if ``chosen`` is not given, among the pixels with a depth.
        """
        where: tuple[slice, slice] | None = np.s_[0:, 0:] if identity == 0 else self.regions[identity - 1]
        if where is None or not most:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        shown = self.identities[where] == identity
        shown &= np.isfinite(self.depth[where]) if chosen is None else chosen[where]
        rows, columns = np.divmod(spread(np.flatnonzero(shown), most), shown.shape[1])
        return rows + where[0].start, columns + where[1].start

    def unproject(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return the points (N, 3) m of pixels, in the world."""
        inverse = np.linalg.inv(self.intrinsics)
        rays = inverse[:, :1] * columns + inverse[:, 1:2] * rows + inverse[:, 2:]
        return (rays * self.depth[rows, columns]).T @ self.camera[:3, :3].T + self.camera[:3, 3]

    def project(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Project world points (N, 3) m into the frame.

        Returns rows, columns (px) and depths (m), each (N,); NaN behind the camera.
        """
        camera = self.camera[:3, :3].T @ (points - self.camera[:3, 3]).T
        depth = np.where(camera[2] > 1e-6, camera[2], np.nan)
        columns, rows, _ = self.intrinsics @ camera
        return rows / depth, columns / depth, depth

    def to_things(self, points: np.ndarray, identities: np.ndarray | int) -> np.ndarray:
        """Convert world points (N, 3) m to the coordinates of their things."""
        pose = self.things[identities]
        return np.einsum("...ji,...j->...i", pose[..., :3, :3], points - pose[..., :3, 3])

    def to_world(self, places: np.ndarray, identities: np.ndarray | int) -> np.ndarray:
        """Convert points (N, 3) m from their things' coordinates to world coordinates."""
        pose = self.things[identities]
        return np.einsum("...ij,...j->...i", pose[..., :3, :3], places) + pose[..., :3, 3]

    @property
    def rounding(self) -> float:
        """Return by how much (m) coarse steps of depth may put a point beside its surface.

        The rounding to fine steps is small compared with all limits, and is not counted.
        """
        return max(self.step - FINE_M, 0.0) / 2

    def grown(self, limit: float, depths: np.ndarray) -> np.ndarray:
        """Return the limits (N,) m for points at depths (N,) m.

        The limits grow with the distance of what is far away, and with the rounding of depth.
        """
        return limit * np.maximum(depths / NEAR_M, 1.0) + self.rounding

    def beyond(self, places: np.ndarray, identities: np.ndarray | int) -> np.ndarray:
        """Return the distances (m) of points from things' boxes.

        A distance is negative for a point inside a box.
        """
        x, y, z = (np.abs(places) - self.half[identities]).T
        return np.maximum(np.maximum(x, y), z)


@dataclass(frozen=True, eq=False)
class Points:
    """Points seen in a frame: identities (N,), positions (N, 3) m, and depths (N,) m in this frame.

    Each position is in the coordinates of the thing to which the point belongs. ``triangles`` (N,) are the triangles of
    points on bodies, and -1 for other points; the position of a point on a body is the shares of the three corners.
    """

    frame: int
    identities: np.ndarray
    places: np.ndarray
    depths: np.ndarray
    triangles: np.ndarray


def spread(values: np.ndarray, most: int) -> np.ndarray:
    """Choose at most ``most`` of the values, evenly spread."""
    return values if len(values) <= most else values[np.arange(most) * len(values) // most]


def heights(pose: np.ndarray, half: np.ndarray, up: np.ndarray) -> tuple[float, float]:
    """Return a box's lowest and highest point (m) along ``up``.

    ``pose`` (4, 4) is the pose of the box.
    """
    middle, reach = up @ pose[:3, 3], np.abs(up @ pose[:3, :3]) @ half
    return float(middle - reach), float(middle + reach)


def is_slow(recording: Recording) -> bool:
    """Check whether the camera can move far between two frames."""
    return recording.fps is not None and recording.fps < SLOW


def moves_far(recording: Recording) -> bool:
    """Check whether the camera usually moves farther between two frames than a person who looks around."""
    steps = np.linalg.norm(np.diff(recording.world_T_camera[recording.valid][:, :3, 3], axis=0), axis=1)
    return len(steps) > 0 and float(np.median(steps)) > STRIDE


def _depth_scale(recording: Recording) -> float:
    """Return the number of depth values per metre.

    Raises:
        InputError: If the recording does not state this scale.
    """
    if recording.depth_scale is None or not recording.depth_scale > 0:
        raise InputError(
            f"recording {recording.id!r}: depth_scale is {recording.depth_scale!r}, expected the number of depth "
            "values per metre"
        )
    return recording.depth_scale


def read_frame(recording: Recording, folder: Path, index: int, picture: np.ndarray | None = None) -> Frame:
    """Read one sample with its depth and identities.

    Raises:
        InputError: If a file is missing or cannot be read. The message names the file.
    """
    samples = len(recording.times)
    maps: list[Path] = []
    for kind, names in (("depth", recording.depth), ("identities", recording.identities)):
        name = None if names is None else names[index]
        if name is None:
            raise InputError(f"recording {recording.id!r}: sample {index} has no {kind}: it cannot be verified")
        maps.append(folder / name)
    depth, identities = read_depth(maps[0], _depth_scale(recording)), read_identities(maps[1])
    if depth.shape != identities.shape:
        raise InputError(f"{maps[0]}: is {depth.shape} rows and columns, but {maps[1].name} is {identities.shape}")
    if picture is not None:  # encoders pad odd sizes at the right and at the bottom
        picture = picture[: depth.shape[0], : depth.shape[1]]
    intrinsics = recording.intrinsics
    if intrinsics is None or recording.distortion is not None or not np.linalg.det(intrinsics).all():
        raise InputError(f"recording {recording.id!r}: only pictures with intrinsics and no distortion can be verified")
    things = np.stack(
        [np.eye(4), *(entity.poses[index if len(entity.poses) == samples else 0] for entity in recording.entities)]
    )
    half = np.array([(np.inf,) * 3, *(entity.size for entity in recording.entities)], np.float64) / 2
    return Frame(
        index=index,
        depth=depth,
        identities=identities,
        picture=picture,
        intrinsics=intrinsics if intrinsics.ndim == 2 else intrinsics[index],
        camera=recording.world_T_camera[index],
        things=things,
        half=half,
        step=1 / _depth_scale(recording),
    )


def read_frames(recording: Recording, folder: Path, clip: Path | None) -> Iterator[Frame]:
    """Read every valid sample in order, one in memory at a time."""
    valid = np.flatnonzero(recording.valid).tolist()
    pictures = iter(()) if clip is None else decode_frames(clip, valid)
    shape = None
    for index in valid:
        _, picture = next(pictures, (index, None))
        frame = read_frame(recording, folder, index, picture)
        shape = shape or frame.depth.shape
        if frame.depth.shape != shape:
            raise InputError(
                f"recording {recording.id!r}: the depth picture of sample {index} has shape {frame.depth.shape}, but "
                f"earlier ones have {shape}"
            )
        yield frame
