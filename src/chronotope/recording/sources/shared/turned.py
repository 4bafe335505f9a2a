"""Pictures that are stored turned, with the turn in their EXIF data, beside poses.

The clip shows pictures upright. Poses and intrinsics may belong to the stored pictures, as most tools for structure
from motion give them, or to the upright pictures. The principal point shows which of the two is the case.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.media import PICTURE_FAULTS, stored_size
from chronotope.recording.sources.shared.types import Decoded

# The axes of the stored camera in the axes of the upright one, by the EXIF orientation: stored_R_upright.
_TURNS = {
    6: np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    8: np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
}
_NEAR = 0.1  # largest distance of a principal point from the middle, in widths and heights
_JPEG = (".jpg", ".jpeg")  # in other formats, the EXIF data are often behind the pixels
_REMEDY = (
    "store the pictures upright (`mogrify -auto-orient` also removes the orientation), with poses and intrinsics of "
    "the upright pictures"
)


@dataclass(frozen=True)
class Upright:
    """Poses (T, 4, 4) and intrinsics of upright pictures; ``notes`` has a sentence if they were turned."""

    poses: np.ndarray
    intrinsics: np.ndarray | None
    notes: tuple[str, ...] = ()


def upright(
    where: str,
    pictures: Sequence[Path | np.ndarray],
    poses: np.ndarray,
    intrinsics: np.ndarray | None,
    has_depth: bool,
) -> Upright:
    """Turn poses and intrinsics of pictures that are stored turned.

    ``poses`` (T, 4, 4) are world_T_camera, and ``intrinsics`` are (3, 3) or (T, 3, 3) px. Nothing changes if the
    pictures are stored upright, or if the intrinsics belong to the upright pictures.

    Raises:
        InputError: If the pictures are turned in several ways or mirrored, if they have depth pictures, or if nothing
            tells to which pictures the poses belong.
    """
    # Pictures inside a file have no orientation, and are not decoded here.
    files = [] if isinstance(pictures, Decoded) else [picture for picture in pictures if isinstance(picture, Path)]
    looked_at = [file for number, file in enumerate(files) if number == 0 or file.suffix.lower() in _JPEG]
    found = {file: size for file in looked_at if (size := _stored(file)) is not None}
    turns = {orientation for *_, orientation in found.values()}
    if turns <= {1}:
        return Upright(poses, intrinsics)
    first, (width, height, orientation) = next(iter(found.items()))
    told = f"{first.name} is stored turned (EXIF orientation {orientation})"
    if len(turns) > 1 or orientation not in _TURNS:
        raise InputError(f"{where}: the pictures have the EXIF orientations {sorted(turns)}: {_REMEDY}")
    if has_depth:
        raise InputError(f"{where}: {told}, and its depth picture is not: {_REMEDY}")
    of_stored = _belongs(intrinsics, width, height)
    if of_stored is None:
        raise InputError(
            f"{where}: {told}, and nothing tells whether its pose is of the stored or the upright picture: {_REMEDY}"
        )
    if not of_stored:
        return Upright(poses, intrinsics, (f"{told}; poses and intrinsics belong to the upright pictures",))
    assert intrinsics is not None
    turned = poses.copy()
    turned[:, :3, :3] = poses[:, :3, :3] @ _TURNS[orientation]
    note = f"{told}; poses and intrinsics belong to the stored pictures and were turned"
    return Upright(turned, _turned(intrinsics, width, height, orientation), (note,))


def _stored(file: Path) -> tuple[int, int, int] | None:
    try:
        return stored_size(file)
    except PICTURE_FAULTS:
        return None  # the clip's encoder tells the fault


def _belongs(intrinsics: np.ndarray | None, width: int, height: int) -> bool | None:
    """Check whether intrinsics belong to the stored pictures, by the principal point.

    The result is None if this cannot be told.
    """
    if intrinsics is None or width == height:
        return None
    point = intrinsics.reshape(-1, 3, 3)[0, :2, 2]
    sizes = np.array([width, height]), np.array([height, width])
    stored, shown = (bool(np.abs(point / size - 0.5).max() <= _NEAR) for size in sizes)
    return None if stored == shown else stored


def _turned(intrinsics: np.ndarray, width: int, height: int, orientation: int) -> np.ndarray:
    turned = intrinsics.copy()
    turned[..., 0, 0], turned[..., 1, 1] = intrinsics[..., 1, 1], intrinsics[..., 0, 0]
    x, y = intrinsics[..., 0, 2], intrinsics[..., 1, 2]
    turned[..., 0, 2], turned[..., 1, 2] = (height - y, x) if orientation == 6 else (y, width - x)
    return turned
