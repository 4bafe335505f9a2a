"""Pictures with one pose each: the simple form, for your own recordings.

A folder with ``poses.txt`` and exactly one folder of pictures (PNG or JPEG, natural order; a folder called ``depth`` is
ignored). Each row of poses.txt has 16 numbers (4 x 4, row by row) or 12 (without the last row 0 0 0 1): camera to
world, metres, camera axes OpenCV (x right, y down, z forward). Row k belongs to picture k, counted from 0. The optional
``intrinsics.txt`` or ``camera-intrinsics.txt`` is 3 x 3 in pixels. Depth pictures in ``depth`` have the names of the
pictures (with any suffix of a picture), 16 bits, and 1/1000 m unless ``depth_scale`` differs.

The frame rate must be given (--fps or chronotope.yaml). If the numbers in the pictures' names skip more than
0.5 s, only the longest stretch is kept. By default gravity is unknown and the kind is indoor.
"""

from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.recording.sources.shared.assemble import Parts, assemble
from chronotope.recording.sources.shared.pictures import list_pictures, one_picture_folder, pair, picture_folders
from chronotope.recording.sources.shared.repair import from_matrices
from chronotope.recording.sources.shared.settings import settle
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
    """Check whether the path looks like `EXPECTED`."""
    return (path / "poses.txt").is_file() and not (path / "calib.txt").is_file()


def load(path: Path, given: Given) -> Loaded:
    """Read the folder.

    Raises:
        InputError: If it does not have the form in the module's docstring.
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
        raise InputError(f"{place}, expected rows of 12 or 16 numbers (camera to world, row by row)")
    meaning = " ".join(f"m{row}{column}" for row in range(width // 4) for column in range(4))
    return numbers(path, rows, meaning).reshape(-1, width // 4, 4)


def _find_depth(folder: Path, pictures: tuple[Path, ...]) -> tuple[Path | None, ...]:
    found = {path.stem: path for path in list_pictures(folder)} if folder.is_dir() else {}
    return tuple(found.get(picture.stem) for picture in pictures) if found else ()
