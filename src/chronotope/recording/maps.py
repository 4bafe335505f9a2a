"""Pictures of depth and of entity numbers, one PNG file for each sample.

A depth picture has 16 bits. The value of a pixel divided by ``Recording.depth_scale`` is the distance in m along
the optical axis (not along the ray). The value 0 means that the depth is unknown.

An identity picture has 8 bits, or 16 bits in a recording with more than 255 entities. The value v > 0 means the
entity with index v - 1 in the recording, and 0 means no entity.
"""

from pathlib import Path

import numpy as np
from PIL import Image

from chronotope.errors import InputError
from chronotope.media import PICTURE_FAULTS, open_picture

_MOST = 2**16 - 1
_FAST = 1  # zlib level; it needs a third of the default level's time, and its files are a tenth larger


def write_depth(path: Path, depth: np.ndarray, scale: float) -> None:
    """Write depth (H, W) m as a 16-bit PNG file.

    A depth that does not fit into 16 bits is written as 0, which means unknown.
    """
    with np.errstate(invalid="ignore"):
        values = np.rint(depth * scale)
        values = np.where((values >= 1) & (values <= _MOST), values, 0)
    Image.fromarray(values.astype(np.uint16)).save(path, "PNG", compress_level=_FAST)


def write_identities(path: Path, identities: np.ndarray) -> None:
    """Write entity numbers (H, W) as a PNG file.

    The file has 8 bits if the array is uint8, otherwise 16 bits.

    Raises:
        InputError: If a value is not a whole number from 0 to 65,535.
    """
    kept = np.uint8 if identities.dtype == np.uint8 else np.uint16
    fits = identities.dtype.kind in "iu" and ((identities >= 0) & (identities <= _MOST)).all()
    if not fits:
        raise InputError(
            f"{path}: the entity numbers have type {identities.dtype}, expected whole numbers from 0 to {_MOST}"
        )
    Image.fromarray(np.ascontiguousarray(identities, kept)).save(path, "PNG", compress_level=_FAST)


def read_depth(path: Path, scale: float) -> np.ndarray:
    """Read a depth picture as float32 (H, W) m.

    Missing depths are NaN.

    Raises:
        InputError: If the file is not a 16-bit picture.
    """
    values = _read(path, ("I;16", "I"), "a 16-bit grey picture").astype(np.float32)
    values[values == 0] = np.nan
    return values / np.float32(scale)


def read_identities(path: Path) -> np.ndarray:
    """Read entity numbers (H, W) from a picture.

    The result has the number type of the file: uint8 or uint16.

    Raises:
        InputError: If the file cannot be read, or is not a grey picture of 8 or 16 bits.
    """
    values = _read(path, ("L", "I;16", "I"), "a grey picture of 8 or 16 bits")
    return values if values.dtype == np.uint8 else values.astype(np.uint16)


def _read(path: Path, modes: tuple[str, ...], expected: str) -> np.ndarray:
    try:
        with open_picture(path) as picture:
            if picture.mode not in modes:
                raise InputError(
                    f"{path}: is a picture of mode {picture.mode}, expected {expected}: create the file again"
                )
            return np.asarray(picture)
    except InputError:
        raise  # of the mode
    except PICTURE_FAULTS as error:
        raise InputError(f"{path}: cannot be read as {expected} ({error}): create the file again") from error
