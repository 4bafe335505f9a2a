"""Reader of the frames of a ScanNet scan, from a .sens file or an exported folder.

ScanNet's own tool exports ``color/<i>.jpg``, ``depth/<i>.png`` (16 bit, mm), ``pose/<i>.txt`` (a 4 x 4 matrix), and the
4 x 4 matrices ``intrinsic/intrinsic_color.txt`` and ``intrinsic/intrinsic_depth.txt``. A frame is a colour picture. A
user of this tool can choose to export every n-th frame only; the frames keep their original numbers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.media import PICTURE_FAULTS, open_picture
from chronotope.recording.maps import read_depth
from chronotope.recording.sources.scannet.sens import index_sens
from chronotope.recording.sources.scannet.sight import ScanCamera
from chronotope.recording.sources.shared.picture_folders import list_pictures
from chronotope.recording.sources.shared.text import read_matrix
from chronotope.recording.sources.shared.types import Decoded

_FARTHEST_CENTRE = 0.2  # largest distance of the principal point from the middle, as a share of the side


@dataclass(frozen=True, eq=False)
class Frames:
    """The frames of a scan.

    ``numbers`` (T,) are the source's own frame numbers. ``matrices`` (T, 4, 4) are world_T_camera as stored, NaN if
    missing. ``stamps`` (T,) are the source's time stamps, or None if it has no stamps. ``depth_of`` reads the depth
    (H, W) m of the frame with a given index, or returns None if the frame has no depth. ``depth_camera`` is None if
    the scan has no depth.
    """

    numbers: np.ndarray
    matrices: np.ndarray
    pictures: Sequence[Path | np.ndarray]
    depth_of: Callable[[int], np.ndarray | None]
    camera: ScanCamera | None = None
    depth_camera: ScanCamera | None = None
    stamps: np.ndarray | None = None
    depth_files: tuple[Path | None, ...] = ()
    notes: tuple[str, ...] = ()


def read_sens(path: Path) -> Frames:
    """Return the frames of a .sens file."""
    sens = index_sens(path)
    count = len(sens.stamps)
    with_depth = (sens.blobs[:, 2] > 0).any()
    return Frames(
        numbers=np.arange(count),
        matrices=sens.matrices,
        pictures=Decoded(range(count), sens.picture),
        depth_of=sens.depth,
        camera=_camera(path, sens.colour_intrinsics, sens.colour_size, "colour intrinsics"),
        depth_camera=_camera(path, sens.depth_intrinsics, sens.depth_size, "depth intrinsics") if with_depth else None,
        stamps=sens.stamps,
    )


def is_exported(folder: Path) -> bool:
    """Check whether a folder has the three subfolders of an exported scan."""
    return all((folder / name).is_dir() for name in ("color", "pose", "intrinsic"))


def read_exported(folder: Path, told_size: tuple[int, int] | None, depth_scale: float) -> Frames:
    """Read the frames of an exported folder.

    ``told_size`` is the width and height (px) that <scan>.txt states for the colour pictures. Smaller pictures were
    reduced when they were exported. The exporting tool does not adapt the intrinsics to the reduced pictures, so this
    function does. One depth step is 1/``depth_scale`` m.

    Raises:
        InputError: If the folder does not have the form described at the top of this module.
    """
    colour = _numbered(folder / "color", ".jpg")
    poses = {int(path.stem): path for path in (folder / "pose").iterdir() if _is_numbered(path, ".txt")}
    depths = _numbered(folder / "depth", ".png") if (folder / "depth").is_dir() else {}
    numbers = sorted(colour)
    if len(numbers) < 2:
        raise InputError(f"{folder / 'color'}: {len(numbers)} pictures such as 0.jpg, expected at least two")
    poseless = np.full((4, 4), np.nan)
    matrices = [read_matrix(poses[k], (4, 4)) if k in poses else poseless for k in numbers]
    files = tuple(depths.get(k) for k in numbers)
    first_depth = next((file for file in files if file is not None), None)
    camera, notes = _scaled_camera(folder / "intrinsic" / "intrinsic_color.txt", colour[numbers[0]], told_size)
    depth_camera = None
    if first_depth is not None:
        depth_camera, _ = _scaled_camera(folder / "intrinsic" / "intrinsic_depth.txt", first_depth, None)
    extra = len(poses.keys() - colour.keys())
    if extra:
        notes = (*notes, f"{folder.name}: {extra} poses without a picture are omitted")

    def depth_of(place: int) -> np.ndarray | None:
        file = files[place]
        return None if file is None else read_depth(file, depth_scale)

    return Frames(
        numbers=np.array(numbers),
        matrices=np.array(matrices),
        pictures=tuple(colour[k] for k in numbers),
        depth_of=depth_of,
        camera=camera,
        depth_camera=depth_camera,
        depth_files=files if first_depth is not None else (),
        notes=notes,
    )


def _numbered(folder: Path, usual: str) -> dict[int, Path]:
    """Return the pictures of a folder by number.

    If two pictures have the same number, the picture with the usual suffix is used.
    """
    files = [path for path in list_pictures(folder) if _is_numbered(path, path.suffix)]
    return {int(path.stem): path for path in sorted(files, key=lambda path: path.suffix.lower() == usual)}


def _is_numbered(path: Path, suffix: str) -> bool:
    return path.suffix == suffix and path.stem.isascii() and path.stem.isdecimal() and len(path.stem) <= 18


def _scaled_camera(
    path: Path, picture: Path, told_size: tuple[int, int] | None
) -> tuple[ScanCamera | None, tuple[str, ...]]:
    """Return the camera of an intrinsics file, scaled to a picture's size.

    The result is None if the file is missing.
    """
    if not path.is_file():
        return None, (f"{path.name}: this file is missing, so the intrinsics are unknown",)
    size = _size_of(picture)
    matrix = read_matrix(path, (4, 4))[:3, :3]
    if told_size is None or told_size == size:
        return _camera(path, matrix, size, "the matrix"), ()
    _camera(path, matrix, told_size, "the matrix")
    scale = np.array(size) / np.array(told_size)
    # The centre of the first pixel has the coordinate 0, so the edge of the picture has the coordinate -0.5.
    change = np.array([[scale[0], 0, scale[0] / 2 - 0.5], [0, scale[1], scale[1] / 2 - 0.5], [0, 0, 1]])
    note = (
        f"{path.name}: the matrix is for {told_size[0]} x {told_size[1]} px; it was scaled to {size[0]} x {size[1]} px"
    )
    return ScanCamera(change @ matrix, size), (note,)


def _size_of(picture: Path) -> tuple[int, int]:
    try:
        with open_picture(picture) as opened:
            return opened.size
    except PICTURE_FAULTS as error:
        raise InputError(f"{picture}: cannot be read as a picture ({error}): export the picture again") from error


def _camera(path: Path, matrix: np.ndarray, size: tuple[int, int], what: str) -> ScanCamera:
    """Make a camera from a matrix and a picture's size.

    Raises:
        InputError: If the matrix is not a camera matrix for pictures of this size.
    """
    if not (np.isfinite(matrix).all() and (np.diag(matrix) > 0).all() and min(size) > 0):
        raise InputError(
            f"{path}: {what}: is not a camera matrix: expected finite numbers, and numbers above 0 on the diagonal"
        )
    off = np.abs(matrix[:2, 2] / np.array(size) - 0.5)
    if (off > _FARTHEST_CENTRE).any():
        raise InputError(
            f"{path}: {what}: the principal point ({matrix[0, 2]:.1f}, {matrix[1, 2]:.1f}) is far from the centre of "
            f"pictures of {size[0]} x {size[1]} pixels; scale the matrix to these pictures"
        )
    return ScanCamera(matrix, size)
