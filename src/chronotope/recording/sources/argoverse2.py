"""Reader of the Argoverse 2 sensor data set, which has one folder per log.

Each row of ``city_SE3_egovehicle.feather`` has the pose of the ego vehicle in the city at the stamp of a sensor: the
stamp in ns, a quaternion w x y z, and a translation in m. ``annotations.feather`` has boxes at 10 stamps per second. A
box has a track, a category, a length, a width, a height, a pose, and the number of lidar points inside. A box is given
in the ego frame at the box's stamp. The ego axes are FLU (x forward, y left, z up). The city's z axis points up. There
is one sample per stamp of the annotations. If no ego pose has the stamp of a sample, the pose is interpolated between
the two neighbouring poses (linear for positions, slerp for rotations).

The calibration is in the files ``calibration/egovehicle_SE3_sensor.feather`` and ``calibration/intrinsics.feather``.
The pictures are ``sensors/cameras/<camera>/<stamp in ns>.jpg``. If the calibration and the pictures exist, each ring
camera gives one recording, called ``<log>_<camera>``. The scene of such a recording is the log. The camera axes are
OpenCV. The cameras take more pictures per second than there are annotations. A sample has the picture nearest to its
stamp, at most 0.05 s away. The camera's pose is the pose at the stamp of the picture. Samples without a picture are
omitted.

If the calibration or the pictures are missing, the recording has no pictures. The reader then assumes a camera that is
at the ego vehicle's origin and looks forward.

If the log has cameras, ``shared.sight`` decides which things are visible. The thresholds in pixels refer to a picture
whose shorter side has 360 px. If the log has no cameras, every box with 5 or more lidar points is visible. Gravity is
-z, and the kind of scene is "outdoor". The boxes have no labelled speed.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.geometry import Axes, as_pose, change_camera_axes, interpolate_pose, rotation_from_quaternion
from chronotope.recording.sources.shared.assemble import Parts, assemble
from chronotope.recording.sources.shared.columns import Columns, read_feather
from chronotope.recording.sources.shared.labels import ARGOVERSE2, plain_label
from chronotope.recording.sources.shared.repair import Repaired, from_quaternions, require_poses
from chronotope.recording.sources.shared.sight import Lens
from chronotope.recording.sources.shared.source_settings import settle
from chronotope.recording.sources.shared.timing import frame_times
from chronotope.recording.sources.shared.tracks import Boxes, by_points, entities_of, require_single, visible_by
from chronotope.recording.sources.shared.types import Given, Loaded
from chronotope.recording.types import Entity, Kind


def poses_between(
    stamps: np.ndarray, poses: np.ndarray, wanted: np.ndarray, unit: float, largest_gap: float
) -> tuple[np.ndarray, np.ndarray]:
    """Interpolate poses at the stamps ``wanted`` (N,).

    ``stamps`` (T,), which increase strictly, are the stamps of ``poses`` (T, 4, 4). ``unit`` is the number of stamp
    units per second, for both ``stamps`` and ``wanted``. The pose at a wanted stamp is known if one of ``poses`` has
    exactly this stamp. The pose is also known if the poses before and after this stamp are at most ``largest_gap`` s
    apart.

    The first result has the poses (N, 4, 4); unknown poses are NaN. The second result (N,) is True for each known
    pose.
    """
    found = np.full((len(wanted), 4, 4), np.nan)
    if not len(stamps):
        return found, np.zeros(len(wanted), bool)
    after = np.clip(np.searchsorted(stamps, wanted), 0, len(stamps) - 1)
    before = np.clip(np.searchsorted(stamps, wanted, side="right") - 1, 0, len(stamps) - 1)
    inside = (stamps[before] <= wanted) & (wanted <= stamps[after])
    near = inside & (stamps[after] - stamps[before] <= largest_gap * unit)
    # Seconds since the first stamp, because stamps in ns since 1970 would lose their last digits as float64.
    found[near] = interpolate_pose((stamps - stamps[0]) / unit, poses, (wanted[near] - stamps[0]) / unit)
    return found, near


def nearest(stamps: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Find the index of the nearest stamp for each ``wanted`` (N,).

    ``stamps`` (T,) increase, and there is at least one stamp. If two stamps are equally near, the first of the two
    is used.
    """
    right = np.clip(np.searchsorted(stamps, wanted), 0, len(stamps) - 1)
    left = np.clip(right - 1, 0, None)
    return np.where(np.abs(stamps[left] - wanted) <= np.abs(stamps[right] - wanted), left, right)


NAME = "argoverse2"
TITLE = "Argoverse 2"
EXPECTED = "a folder with city_SE3_egovehicle.feather and annotations.feather"
_EGO, _ANNOTATIONS, _MOUNTS = "city_SE3_egovehicle.feather", "annotations.feather", "egovehicle_SE3_sensor.feather"
_LICENCE = "CC BY-NC-SA 4.0"
_STAMP = "timestamp_ns"
_LARGEST_GAP = 0.1  # largest time (s) between the two ego poses around a stamp
_PICTURE_DISTANCE = 50_000_000  # largest time (ns) between a stamp and its picture
_CLIP_SIDE = 360.0  # px, shorter side of a published clip
_DOWN = np.array([0.0, 0.0, -1.0])

# Maps a label to its kind; any other label is its own kind. Some questions depend on the kind (people, animals, signs).
_KINDS = {
    "person directing traffic": "pedestrian",
    "motorcyclist": "cyclist",
    "person on a scooter or skateboard": "cyclist",
    "dog": "animal",
    "stop sign": "sign",
    "pedestrian crossing sign": "sign",
}
_ROUND = {"bollard", "traffic barrel", "traffic cone"}  # round things, so their heading is not visible


def matches(path: Path) -> bool:
    """Check whether the path looks like ``EXPECTED``."""
    return (path / _EGO).is_file() and (path / _ANNOTATIONS).is_file()


def parts(path: Path) -> list[str]:
    """Return ``<log>_<camera>`` for each usable ring camera.

    A usable camera has pictures and a calibration. If no camera is usable, the only recording is the log.
    """
    name = path.resolve().name
    return [f"{name}_{camera}" for camera in _cameras(path)] or [name]


def _cameras(path: Path) -> list[str]:
    if not (path / "calibration" / _MOUNTS).is_file() or not (path / "calibration" / "intrinsics.feather").is_file():
        return []
    folders = sorted((path / "sensors" / "cameras").glob("ring_*"))
    return [folder.name for folder in folders if any(folder.glob("*.jpg"))]


@dataclass(frozen=True, eq=False)
class _View:
    """A camera's pictures at the samples of a log.

    ``mount`` is ego_T_camera (4, 4). ``samples`` (K,) are the samples that have a picture. ``pictures`` and
    ``stamps`` (K,) ns belong to these samples.
    """

    camera: str
    mount: np.ndarray
    lens: Lens
    samples: np.ndarray
    pictures: tuple[Path, ...]
    stamps: np.ndarray


def load(path: Path, given: Given, part: str | None = None) -> Loaded:
    """Read the recording of one camera of a log.

    Raises:
        InputError: If the log does not have the form described at the top of this module.
    """
    names, cameras = parts(path), _cameras(path)
    if part is None and len(names) == 1:
        part = names[0]
    if part is None or part not in names:
        told = "choose one of these recordings" if part is None else f"{part} is not one of these recordings"
        raise InputError(f"{path}: contains {len(names)} recordings ({', '.join(names)}); {told}")
    table = read_feather(path / _ANNOTATIONS)
    stamps, frames = np.unique(table.whole(_STAMP), return_inverse=True)
    boxes, unnamed = _boxes(table, frames)
    view = _view(path, cameras[names.index(part)], stamps) if cameras else None
    if view is not None:
        boxes, stamps = _of_samples(boxes, view.samples, len(stamps)), stamps[view.samples]
    settled = settle(given, path, TITLE, kind=Kind.OUTDOOR, gravity=_DOWN)
    ego = _poses_at(path / _EGO, stamps)
    mount = change_camera_axes(np.eye(4), Axes.FLU, Axes.OPENCV) if view is None else view.mount
    taken = ego if view is None else _poses_at(path / _EGO, view.stamps)
    poses = Repaired(taken.poses @ mount, taken.valid, taken.notes)
    require_poses(poses.valid, str(path), poses.notes)
    timed = frame_times((stamps - stamps[0]) / 1e9, settled.fps, _ANNOTATIONS)
    kept = timed.kept
    boxes = boxes.rows((boxes.frames >= kept.start) & (boxes.frames < kept.stop), kept.start)
    known, notes = _known(path, boxes, view, ego.poses[kept], poses.poses[kept])
    loaded = assemble(
        NAME,
        path,
        Parts(
            poses=poses,
            times=timed.times,
            settled=settled,
            pictures=() if view is None else view.pictures,
            native_axes=Axes.FLU if view is None else Axes.OPENCV,
            notes=(*unnamed, *timed.notes, *notes),
            kept=kept,
            provenance={"first_stamp_ns": int(stamps[kept.start])} | ({} if view is None else {"camera": view.camera}),
            part=part,
        ),
    )
    fields = {"vehicle_pose": ego.poses[kept], "camera_mount": mount, "licence": _LICENCE, **known}
    return replace(loaded, recording=replace(loaded.recording, scene=path.resolve().name, **fields))


def _boxes(table: Columns, frames: np.ndarray) -> tuple[Boxes, tuple[str, ...]]:
    """Return the boxes that have a category.

    A note reports the number of boxes without a category.
    """
    categories = np.array([plain_label(name, ARGOVERSE2) for name in table.texts("category").tolist()], dtype=str)
    rotations = _rotations(table)
    boxes = Boxes(
        frames,
        table.texts("track_uuid"),
        categories,
        as_pose(rotations, table.metres(["tx_m", "ty_m", "tz_m"])),
        table.metres(["length_m", "width_m", "height_m"]),
        table.counts("num_interior_pts"),
        where=str(table.path),
        side_fields="columns 'length_m', 'width_m', 'height_m'",
    )
    named = categories != ""
    boxes = boxes.rows(named)
    require_single(boxes)
    note = f"{table.path.name}: {int((~named).sum())} boxes without a category are omitted"
    return boxes, () if named.all() else (note,)


def _with_kind(entity: Entity) -> Entity:
    """Add the kind and the known symmetry to an entity.

    The label of the entity is its category in the data set.
    """
    kind = _KINDS.get(entity.label, entity.label)
    return replace(entity, category=kind, symmetry="any" if entity.label in _ROUND else None)


def _rotations(table: Columns) -> np.ndarray:
    quaternions = table.vectors(["qx", "qy", "qz", "qw"])
    off = np.flatnonzero(np.abs(np.linalg.norm(quaternions, axis=1) - 1) > 0.05)
    if len(off):
        raise InputError(
            f"{table.path}: columns 'qw' to 'qz', row {off[0]} (from 0): {quaternions[off[0]].tolist()} is not a "
            f"rotation, expected a quaternion of length 1"
        )
    return rotation_from_quaternion(quaternions)


def _of_samples(boxes: Boxes, samples: np.ndarray, count: int) -> Boxes:
    """Return the boxes of some samples, with new sample numbers."""
    numbers = np.full(count, -1)
    numbers[samples] = np.arange(len(samples))
    kept = boxes.rows(numbers[boxes.frames] >= 0)
    return replace(kept, frames=numbers[kept.frames])


def _poses_at(path: Path, stamps: np.ndarray) -> Repaired:
    """Return city_T_ego at stamps (T,) ns.

    If no pose is stored for a stamp, the pose is interpolated between the two neighbouring poses. The interpolated
    pose is invalid if the two neighbouring poses are too far apart in time.
    """
    table = read_feather(path)
    found = table.whole(_STAMP)
    order = np.argsort(found, kind="stable")
    order = order[np.concatenate([[True], np.diff(found[order]) > 0])]
    quaternions, positions = table.vectors(["qx", "qy", "qz", "qw"]), table.vectors(["tx_m", "ty_m", "tz_m"])
    ego = from_quaternions(positions[order], quaternions[order], path.name)
    poses, near = poses_between(found[order][ego.valid], ego.poses[ego.valid], stamps, 1e9, _LARGEST_GAP)
    lost = int((~near).sum())
    note = f"{path.name}: {lost} of {len(near)} samples have no ego poses close in time and count as invalid"
    return Repaired(poses, near, (*ego.notes, *((note,) if lost else ())))


def _view(path: Path, camera: str, stamps: np.ndarray) -> _View:
    """Return a camera's view at the stamps (T,) ns of the annotations."""
    mount, lens = _calibration(path / "calibration", camera)
    folder = path / "sensors" / "cameras" / camera
    pictures = sorted(folder.glob("*.jpg"), key=lambda file: (len(file.stem), file.stem))
    strange = [file for file in pictures if not (file.stem.isascii() and file.stem.isdigit() and len(file.stem) < 19)]
    if strange:
        raise InputError(
            f"{strange[0]}: expected a picture whose name is its time stamp in ns; remove this file from the folder"
        )
    taken = np.array([int(file.stem) for file in pictures])
    closest = nearest(taken, stamps)
    samples = np.flatnonzero(np.abs(taken[closest] - stamps) <= _PICTURE_DISTANCE)
    if not len(samples):
        raise InputError(
            f"{folder}: no picture is within 0.05 s of a stamp in {_ANNOTATIONS}; expected the pictures of this log"
        )
    shown = closest[samples]
    return _View(camera, mount, lens, samples, tuple(pictures[row] for row in shown), taken[shown])


def _calibration(folder: Path, camera: str) -> tuple[np.ndarray, Lens]:
    """Read ego_T_camera (4, 4) in OpenCV axes, and the lens."""
    mounts, lenses = read_feather(folder / _MOUNTS), read_feather(folder / "intrinsics.feather")
    mounts, lenses = (table.rows(_one_sensor(table, camera)) for table in (mounts, lenses))
    mount = as_pose(_rotations(mounts), mounts.metres(["tx_m", "ty_m", "tz_m"]))[0]
    f_x, f_y, c_x, c_y, k1, k2, k3 = lenses.vectors(["fx_px", "fy_px", "cx_px", "cy_px", "k1", "k2", "k3"])[0]
    width, height = (int(lenses.whole(side)[0]) for side in ("width_px", "height_px"))
    if not (f_x > 0 and f_y > 0 and width > 0 and height > 0):
        raise InputError(
            f"{lenses.path}: camera {camera!r} has focal lengths {f_x}, {f_y} and a picture of {width} x {height} px, "
            f"expected numbers above 0"
        )
    matrix = np.array([[f_x, 0.0, c_x], [0.0, f_y, c_y], [0.0, 0.0, 1.0]])
    return mount, Lens(matrix, np.array([k1, k2, 0.0, 0.0, k3]), width, height)


def _one_sensor(table: Columns, camera: str) -> np.ndarray:
    rows = table.texts("sensor_name") == camera
    if rows.sum() != 1:
        raise InputError(f"{table.path}: column 'sensor_name' has {camera!r} in {rows.sum()} rows, expected one")
    return rows


def _known(
    path: Path, boxes: Boxes, view: _View | None, world_T_ego: np.ndarray, world_T_camera: np.ndarray
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the recording's fields without camera poses, and a tuple of notes."""
    if view is None:
        calibrated = (path / "calibration" / _MOUNTS).is_file()
        lacking = "no ring camera has both pictures and a calibration" if calibrated else "no camera is calibrated"
        notes = (
            f"{lacking}: a camera at the ego vehicle's origin that looks forward is assumed",
            "an object counts as visible if its box contains at least 5 lidar points",
        )
        entities = entities_of(boxes, by_points(boxes), world_T_ego)
        return {"entities": tuple(map(_with_kind, entities))}, notes
    scale = _CLIP_SIDE / min(view.lens.width, view.lens.height)
    seen = visible_by(view.lens, (scale, scale), boxes, world_T_ego, world_T_camera)
    fields = {"intrinsics": view.lens.intrinsics, "distortion": view.lens.distortion}
    return {**fields, "entities": tuple(map(_with_kind, entities_of(boxes, seen, world_T_ego)))}, ()
