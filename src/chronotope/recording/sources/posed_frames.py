"""Reader of pictures with one pose each: a simple form for the user's own recordings.

The source is a folder with ``poses.txt`` and exactly one folder of pictures. The pictures are PNG or JPEG files in
natural order. A folder called ``depth`` does not count as the folder of pictures. Each row of poses.txt has 16
numbers (a 4 x 4 matrix, row by row) or 12 numbers (without the last row 0 0 0 1). A pose maps camera coordinates to
world coordinates, in metres. The camera axes are OpenCV (x right, y down, z forward). Row k belongs to picture k,
counted from 0.

The optional file ``intrinsics.txt`` or ``camera-intrinsics.txt`` is a 3 x 3 matrix in pixels. A depth picture in
``depth`` has the same name as its colour picture, but can have another suffix. Depth has 16 bits, and one step is
1/1000 m unless ``depth_scale`` has another value.

The frame rate must be given with --fps or in chronotope.yaml. The numbers in the file names show which pictures are
missing. If a gap is longer than 0.5 s, only the longest sequence without such a gap is kept. By default, gravity is
unknown and the kind of scene is indoor.
"""

from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.recording.sources.shared.assemble import Parts, assemble
from chronotope.recording.sources.shared.picture_folders import list_pictures, one_picture_folder, pair, picture_folders
from chronotope.recording.sources.shared.repair import from_matrices
from chronotope.recording.sources.shared.source_settings import settle
from chronotope.recording.sources.shared.text import numbers, read_intrinsics, read_rows
from chronotope.recording.sources.shared.timing import numbered_times, require_fps
from chronotope.recording.sources.shared.types import Given, Loaded
from chronotope.recording.types import Kind

NAME = "posed_frames"
TITLE = "pictures with poses.txt"
EXPECTED = "a folder with poses.txt and without KITTI's calib.txt"
_DEPTH = "depth"
_INTRINSICS = ("intrinsics.txt", "camera-intrinsics.txt")


def matches(path: Path) -> bool:
    """Check whether the path looks like ``EXPECTED``."""
    return (path / "poses.txt").is_file() and not (path / "calib.txt").is_file()


def load(path: Path, given: Given) -> Loaded:
    """Read a folder of pictures with poses.

    Raises:
        InputError: If the folder does not have the form described at the top of this module.
    """
    matrices = _read_poses(path / "poses.txt")
    pictures = list_pictures(
        one_picture_folder(path, [folder for folder in picture_folders(path) if folder.name != _DEPTH])
    )
    pairs = pair(pictures, len(matrices), path)
    depth = _find_depth(path / _DEPTH, pairs.pictures)
    settled = settle(given, path, TITLE, kind=Kind.INDOOR, depth_scale=1000.0 if depth else None)
    fps = require_fps(settled.fps, path)
    timed = numbered_times(pairs.numbers, len(pairs.pictures), fps, path.name)
    parts = Parts(
        poses=from_matrices(matrices[pairs.rows], "poses.txt"),
        times=timed.times,
        kept=timed.kept,
        settled=settled,
        pictures=pairs.pictures,
        depth=depth,
        intrinsics=next((read_intrinsics(path / name) for name in _INTRINSICS if (path / name).is_file()), None),
        notes=(*pairs.notes, *timed.notes),
    )
    return assemble(NAME, path, parts)


def _read_poses(path: Path) -> np.ndarray:
    rows = read_rows(path)
    width = len(rows[0].fields) if rows else 0
    if width not in (12, 16):
        place = f"{path}, line {rows[0].line}: {width} columns" if rows else f"{path}: no rows"
        raise InputError(f"{place}, expected rows of 12 or 16 numbers (the matrix world_T_camera, row by row)")
    meaning = " ".join(f"m{row}{column}" for row in range(width // 4) for column in range(4))
    return numbers(path, rows, meaning).reshape(-1, width // 4, 4)


def _find_depth(folder: Path, pictures: tuple[Path, ...]) -> tuple[Path | None, ...]:
    found = {path.stem: path for path in list_pictures(folder)} if folder.is_dir() else {}
    return tuple(found.get(picture.stem) for picture in pictures) if found else ()
