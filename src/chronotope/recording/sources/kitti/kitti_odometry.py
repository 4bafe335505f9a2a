"""Reader of KITTI odometry (Karlsruhe Institute of Technology).

The source is a folder with ``poses.txt``, ``calib.txt`` and a folder of rectified pictures. Each row of poses.txt has
12 numbers: a 3 x 4 matrix, row by row, in metres. The matrix maps coordinates of the left grey camera ("camera 0") to
world coordinates. The axes of the world are the axes of camera 0 in the first row. The pictures are in ``image_2``,
``image_0``, ``image_3`` or ``image_1``; the first existing folder in this order is used. If none of them exists, the
only folder of pictures is used. Row k belongs to picture k, counted from 0. The camera axes are OpenCV.

calib.txt contains one 3 x 4 projection P per line, as ``P0:`` to ``P3:`` or as bare rows in that order. The
projection P is K [I | K^-1 p]. Here K is the camera matrix, and p is the last column of P. The pictures in the
folder image_N use row N of calib.txt. The pictures in a folder whose name ends in _r or _right use row 1. The
pictures in any other folder use row 0. The camera of the pictures is at -K^-1 p relative to camera 0, and the poses
are moved by this offset.

``times.txt`` (s) is used if it exists; otherwise the rate is 10 fps. The kind is outdoor. The cameras are mounted
level, so the direction of gravity is the +y axis of the first camera pose.
"""

import re
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.geometry import as_pose
from chronotope.recording.sources.shared.assemble import Parts, assemble
from chronotope.recording.sources.shared.picture_folders import (
    Pairs,
    list_pictures,
    one_picture_folder,
    pair,
    picture_folders,
)
from chronotope.recording.sources.shared.repair import Repaired, from_matrices, require_poses
from chronotope.recording.sources.shared.source_settings import Settled, settle
from chronotope.recording.sources.shared.text import TextRow, numbers, read_rows
from chronotope.recording.sources.shared.timing import Timed, frame_times, numbered_times, require_fps
from chronotope.recording.sources.shared.types import Given, Loaded
from chronotope.recording.types import Kind

NAME = "kitti_odometry"
TITLE = "KITTI odometry"
EXPECTED = "a folder with poses.txt and calib.txt"
COLUMNS = "r11 r12 r13 tx r21 r22 r23 ty r31 r32 r33 tz"
FPS = 10.0
_CAMERAS = ("image_2", "image_0", "image_3", "image_1")


def matches(path: Path) -> bool:
    """Check whether the path looks like ``EXPECTED``."""
    return (path / "poses.txt").is_file() and (path / "calib.txt").is_file()


def load(path: Path, given: Given) -> Loaded:
    """Read a folder of KITTI odometry.

    Raises:
        InputError: If the folder does not have the form described at the top of this module.
    """
    rows = read_rows(path / "poses.txt")
    matrices = numbers(path / "poses.txt", rows, COLUMNS).reshape(-1, 3, 4)
    folders = picture_folders(path)
    named = [folder for name in _CAMERAS for folder in folders if folder.name == name]
    folder = one_picture_folder(path, named[:1] or folders)
    pairs = pair(list_pictures(folder), len(matrices), path)
    repaired = from_matrices(matrices[pairs.rows], "poses.txt")
    require_poses(repaired.valid, str(path), (*pairs.notes, *repaired.notes))
    projection, row = _projection(path / "calib.txt", folder.name)
    poses, moved = _move(repaired, projection, folder.name)
    stamped = (path / "times.txt").is_file()
    settled = settle(
        given, path, TITLE, kind=Kind.OUTDOOR, fps=None if stamped else FPS, gravity=first_camera_down(repaired)
    )
    timed, stamp = _times(path, pairs, settled)
    parts = Parts(
        poses=poses,
        times=timed.times,
        kept=timed.kept,
        settled=settled,
        pictures=pairs.pictures,
        intrinsics=projection[:, :3],
        notes=(*pairs.notes, *timed.notes, *moved),
        provenance={"pictures": folder.name, "calibration_row": row} | ({"first_stamp": stamp} if stamped else {}),
    )
    return assemble(NAME, path, parts)


def first_camera_down(repaired: Repaired) -> np.ndarray:
    """Return the +y axis (3,) of the first valid camera pose.

    The +y axis of the camera points down, because the cameras are mounted level.
    """
    return repaired.poses[np.argmax(repaired.valid), :3, 1]


def _projection(path: Path, folder: str) -> tuple[np.ndarray, int]:
    """Return the 3 x 4 projection for the pictures of a folder.

    ``folder`` is the name of the picture folder. The second value is the row of calib.txt.
    """
    camera = re.fullmatch(r"image_([0-9])", folder)
    row = int(camera[1]) if camera else int(re.fullmatch(r"(?:.*[_-])?(?:r|right)", folder) is not None)
    projections: dict[int, TextRow] = {}
    for index, found in enumerate(read_rows(path)):
        label = re.fullmatch(r"P([0-9]):", found.fields[0])
        if label:
            projections[int(label[1])] = TextRow(found.line, found.fields[1:], found.commas)
        elif not found.fields[0].endswith(":"):  # rows such as Tr: belong to other sensors
            projections[index] = found
    if row not in projections:
        raise InputError(
            f"{path}: no projection for the camera of {folder} (row {row}); expected a line 'P{row}:' or a bare row "
            f"with 12 numbers"
        )
    matrix = numbers(path, [projections[row]], " ".join(f"p{r}{c}" for r in range(3) for c in range(4))).reshape(3, 4)
    if not (np.isfinite(matrix).all() and (np.diag(matrix) > 0).all()):
        raise InputError(
            f"{path}, line {projections[row].line}: is not a camera projection (focal lengths must be above 0)"
        )
    return matrix, row


def _move(repaired: Repaired, projection: np.ndarray, folder: str) -> tuple[Repaired, tuple[str, ...]]:
    """Compute the poses of a folder's camera from camera 0's poses."""
    offset = -np.linalg.solve(projection[:, :3], projection[:, 3])
    if not offset.any():
        return repaired, ()
    place = ", ".join(f"{part + 0.0:.3f}" for part in offset)
    note = f"{folder}: poses.txt has the poses of camera 0; they are shifted by ({place}) m to the camera of {folder}"
    return Repaired(repaired.poses @ as_pose(np.eye(3), offset), repaired.valid, repaired.notes), (note,)


def _times(path: Path, pairs: Pairs, settled: Settled) -> tuple[Timed, str | None]:
    """Return the times of the samples, and the first stamp's text."""
    file = path / "times.txt"
    if not file.is_file():
        fps = require_fps(settled.fps, path)
        return numbered_times(pairs.numbers, len(pairs.pictures), fps, path.name), None
    rows = read_rows(file)
    if len(rows) <= pairs.rows.max():
        raise InputError(
            f"{file}: {len(rows)} rows, expected one for each of the {pairs.rows.max() + 1} rows of poses.txt"
        )
    stamps = numbers(file, rows, "t")[pairs.rows, 0]
    timed = frame_times(stamps, settled.fps, "times.txt")
    return timed, rows[pairs.rows[timed.kept.start]].fields[0]
