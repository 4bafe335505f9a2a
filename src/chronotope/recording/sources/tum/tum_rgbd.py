"""Reader of TUM RGB-D (Technical University of Munich).

The source is a folder with ``rgb.txt``, ``groundtruth.txt`` and optionally ``depth.txt``. Each line of rgb.txt and
depth.txt is ``stamp file``. Each line of groundtruth.txt is ``stamp tx ty tz qx qy qz qw``, with about 100 lines
per second. Stamps are in s since 1970. Poses map camera coordinates to world coordinates, in metres. The camera
axes are OpenCV. The z axis of the world points up, so gravity is (0, 0, -1). The kind is indoor. Depth pictures
have 16 bits, in units of 1/5000 m, and the value 0 means that the depth is unknown. The format has no intrinsics.

The pose of a picture is interpolated at its stamp between two ground-truth samples that are at most 0.1 s apart. If
there are no two such ground-truth samples, the pose is invalid. A depth picture belongs to the nearest colour
picture within 0.02 s, as in the data set's own tool.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.geometry import interpolate_pose
from chronotope.recording.sources.shared.assemble import Parts, assemble
from chronotope.recording.sources.shared.repair import Repaired, from_quaternions
from chronotope.recording.sources.shared.runs import require_one_run
from chronotope.recording.sources.shared.source_settings import settle
from chronotope.recording.sources.shared.text import numbers, read_rows, stamps
from chronotope.recording.sources.shared.timing import Ordered, frame_times, in_order
from chronotope.recording.sources.shared.types import Given, Loaded
from chronotope.recording.types import Kind

NAME = "tum_rgbd"
TITLE = "TUM RGB-D"
EXPECTED = "a folder with rgb.txt and groundtruth.txt"
_COLUMNS = "stamp tx ty tz qx qy qz qw"
_LARGEST_GAP = 0.1  # largest time (s) between the two ground-truth samples around a picture
_DEPTH_DISTANCE = 0.02  # largest time (s) between depth and colour, the default of the data set's own tool
_DOWN = np.array([0.0, 0.0, -1.0])


def matches(path: Path) -> bool:
    """Check whether the path looks like ``EXPECTED``."""
    return (path / "rgb.txt").is_file() and (path / "groundtruth.txt").is_file()


@dataclass(frozen=True, eq=False)
class _Listing:
    order: Ordered
    files: tuple[Path | None, ...]  # None if the listed file does not exist


def load(path: Path, given: Given) -> Loaded:
    """Read a folder of TUM RGB-D.

    Raises:
        InputError: If the folder does not have the form described at the top of this module.
    """
    colour = _read_listing(path, "rgb.txt")
    if len(colour.files) < 2:
        raise InputError(f"{path / 'rgb.txt'}: {len(colour.files)} pictures, expected at least two")
    pictures = tuple(file for file in colour.files if file is not None)
    if len(pictures) < len(colour.files):
        row = read_rows(path / "rgb.txt")[colour.order.rows[colour.files.index(None)]]
        raise InputError(
            f"{path / 'rgb.txt'}, line {row.line}: there is no file {row.fields[1]} in {path}; add the file or remove "
            "the line"
        )
    poses = _poses_at(path / "groundtruth.txt", colour.order)
    depth = _nearest(_read_listing(path, "depth.txt"), colour.order) if (path / "depth.txt").is_file() else ()
    settled = settle(given, path, TITLE, kind=Kind.INDOOR, gravity=_DOWN, depth_scale=5000.0 if any(depth) else None)
    timed = frame_times(colour.order.times, settled.fps, "rgb.txt")
    parts = Parts(
        poses=poses,
        times=timed.times,
        kept=timed.kept,
        settled=settled,
        pictures=pictures,
        depth=depth if any(depth) else (),
        notes=(*colour.order.notes, *timed.notes),
        provenance={"first_stamp": read_rows(path / "rgb.txt")[int(colour.order.rows[timed.kept.start])].fields[0]},
    )
    return assemble(NAME, path, parts)


def _read_listing(folder: Path, name: str) -> _Listing:
    """Return the files listed in rgb.txt or depth.txt, sorted by time."""
    path = folder / name
    rows = read_rows(path)
    files: list[Path] = []
    for row in rows:
        if len(row.fields) != 2:
            raise InputError(f"{path}, line {row.line}: {len(row.fields)} columns, expected 2 (stamp file)")
        files.append(folder / row.fields[1])
    order = in_order(path, stamps(path, rows), None)
    return _Listing(order, tuple(files[row] if _is_file(files[row]) else None for row in order.rows))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that the system does not allow
        return False


def _poses_at(path: Path, pictures: Ordered) -> Repaired:
    """Return the ground-truth poses at the pictures' stamps."""
    rows = read_rows(path)
    values = numbers(path, rows, _COLUMNS, start=1)
    exact = stamps(path, rows)
    order = in_order(path, exact, None)
    require_one_run(path, rows, exact, values[:, :3])
    if order.unit != pictures.unit:
        raise InputError(f"{path}: its stamps have another unit than those of the pictures: write both in seconds")
    truth = from_quaternions(values[order.rows, :3], values[order.rows, 3:], path.name)
    known = order.times[truth.valid]
    wanted = np.array([float(stamp - order.exact[0]) for stamp in pictures.exact]) / order.unit
    poses = np.full((len(wanted), 4, 4), np.nan)
    near = np.zeros(len(wanted), bool)
    if len(known):
        after = np.clip(np.searchsorted(known, wanted), 0, len(known) - 1)
        before = np.clip(np.searchsorted(known, wanted, side="right") - 1, 0, len(known) - 1)
        inside = (known[before] <= wanted) & (wanted <= known[after])
        near = inside & (known[after] - known[before] <= _LARGEST_GAP)
        poses[near] = interpolate_pose(known, truth.poses[truth.valid], wanted[near])
    lost = int((~near).sum())
    note = (
        f"{path.name}: {lost} of {len(near)} pictures are not between two samples at most {_LARGEST_GAP} s apart, and "
        "count as invalid"
    )
    return Repaired(poses, near, (*order.notes, *truth.notes, *((note,) if lost else ())))


def _nearest(depth: _Listing, colour: Ordered) -> tuple[Path | None, ...]:
    """Return the depth picture nearest in time to each colour picture.

    The element is None if the nearest depth picture is more than 0.02 s away.
    """
    shifted = np.array([float(stamp - colour.exact[0]) for stamp in depth.order.exact])
    right = np.clip(np.searchsorted(shifted, colour.times), 0, len(shifted) - 1)
    left = np.clip(right - 1, 0, None)
    nearest = np.where(np.abs(shifted[left] - colour.times) <= np.abs(shifted[right] - colour.times), left, right)
    close = np.abs(shifted[nearest] - colour.times) <= _DEPTH_DISTANCE
    return tuple(depth.files[index] if near else None for index, near in zip(nearest, close, strict=True))
