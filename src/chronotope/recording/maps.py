"""Pictures of depth and of identities, one PNG for each sample.

Depth has 16 bits: value divided by ``Recording.depth_scale`` is the distance in m along the optical axis (not along the
ray), and 0 means no value. Identities have 8 bits, or 16 bits in a recording of more than 255 entities: value v is the
entity at position v - 1 of the recording, and 0 is none.
"""

from pathlib import Path

import numpy as np
from PIL import Image

from chronotope.errors import InputError
from chronotope.media import open_picture

__all__ = ["read_depth", "read_identities", "write_depth", "write_identities"]

_MOST = 2**16 - 1
_FAST = 1  # zlib's level: a third of the time of the usual one, a tenth larger


def write_depth(path: Path, depth: np.ndarray, scale: float) -> None:
    """Write depth (H, W) m as a 16-bit PNG.

    A depth that does not fit into 16 bits gets no value.
    """
    with np.errstate(invalid="ignore"):
        values = np.rint(depth * scale)
        values = np.where((values >= 1) & (values <= _MOST), values, 0)
    Image.fromarray(values.astype(np.uint16)).save(path, "PNG", compress_level=_FAST)


def write_identities(path: Path, identities: np.ndarray) -> None:
    """Write identities (H, W) as a PNG.

    It has 8 bits if they are uint8, otherwise 16.

    Raises:
        InputError: If a value does not fit into 16 bits.
    """
    kept = np.uint8 if identities.dtype == np.uint8 else np.uint16
    fits = identities.dtype.kind in "iu" and ((identities >= 0) & (identities <= _MOST)).all()
    if not fits:
        raise InputError(f"{path}: identities are {identities.dtype}, expected whole numbers from 0 to {_MOST}")
    Image.fromarray(np.ascontiguousarray(identities, kept)).save(path, "PNG", compress_level=_FAST)


def read_depth(path: Path, scale: float) -> np.ndarray:
    """Read depth (H, W) float32 m, with NaN for missing values.

    Raises:
        InputError: If the file is not a 16-bit picture.
    """
    values = _read(path, ("I;16", "I"), "a 16-bit grey picture").astype(np.float32)
    values[values == 0] = np.nan
    return values / np.float32(scale)


def read_identities(path: Path) -> np.ndarray:
    """Read identities (H, W) with the file's type, uint8 or uint16.

    Raises:
        InputError: If the file cannot be read, or is not a grey picture of 8 or 16 bits.
    """
    values = _read(path, ("L", "I;16", "I"), "a grey picture of 8 or 16 bits")
    return values if values.dtype == np.uint8 else values.astype(np.uint16)


def _read(path: Path, modes: tuple[str, ...], expected: str) -> np.ndarray:
    try:
        with open_picture(path) as picture:
            if picture.mode not in modes:
                raise InputError(f"{path}: is a picture of mode {picture.mode}, expected {expected}: make it again")
            return np.asarray(picture)
    except InputError:
        raise  # of the mode
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:  # what Pillow raises
        raise InputError(f"{path}: cannot be read as {expected} ({error}): make it again") from error
