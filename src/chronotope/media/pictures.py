"""Read still pictures as RGB arrays.

Pillow is imported only when a picture is read, because most benchmarks show clips.
"""

import struct
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from chronotope.errors import InputError
from chronotope.io import irregular_kind

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "TIFF", "GIF", "PPM")
"""The only formats that Pillow may recognize in a file. Some other formats start a program (EPS starts Ghostscript)."""

MOST_PIXELS = 80_000_000
"""Maximum pixels: ten 4K frames, and less than Pillow's limit. A PNG file of 458 bytes can expand to gigabytes."""

# Pillow reports damaged PNG chunks as SyntaxError, damaged headers as ValueError, and more by chance.
PICTURE_FAULTS = (OSError, SyntaxError, ValueError, EOFError, LookupError, ArithmeticError, TypeError, struct.error)
"""The exceptions that reading a damaged picture can raise."""

_OPENING = Lock()
_ORIENTATION = 0x0112  # the EXIF tag of a picture's orientation
_TURNED = (5, 6, 7, 8)  # the values of this tag that exchange width and height


def read_picture(path: Path | str) -> np.ndarray:
    """Read a still picture as RGB uint8 (height, width, 3).

    The picture is rotated by its EXIF orientation. Grey becomes RGB, 16 bits are scaled to 8 bits, and transparent
    areas become white, like paper.

    Raises:
        InputError: If the file is missing, empty, damaged or not a picture.
    """
    from PIL import ImageOps

    with _faults_of(path):
        # Pillow checks the checksums of a PNG file only in verify(), and the file must then be opened again.
        with open_picture(path) as opened:
            opened.verify()
        with open_picture(path) as opened:
            return as_rgb(_array(ImageOps.exif_transpose(opened)))


def picture_size(path: Path | str) -> tuple[int, int]:
    """Return the width and height (px) of a still picture.

    The size is the same as in the array that ``read_picture`` returns. A JPEG is decoded at an eighth of its width and
    height, which takes only a tenth of the time of full decoding.

    Raises:
        InputError: If the file is missing, empty, damaged or not a picture.
    """
    with _faults_of(path), open_picture(path) as opened:
        if opened.format == "JPEG":
            width, height = opened.size
            opened.draft("L", (1, 1))
            opened.load()
            return (height, width) if opened.getexif().get(_ORIENTATION) in _TURNED else (width, height)
    height, width = read_picture(path).shape[:2]
    return width, height


def stored_size(path: Path | str) -> tuple[int, int, int]:
    """Return width and height (px) as stored, and the EXIF orientation.

    The orientation is from 1 (upright) to 8. A JPEG is not decoded. The exceptions of Pillow are not caught.
    """
    with open_picture(path) as opened:
        orientation = opened.getexif().get(_ORIENTATION, 1)
        return *opened.size, orientation if orientation in range(1, 9) else 1


@contextmanager
def open_picture(path: Path | str | BinaryIO) -> Generator["Image"]:
    """Open a picture with Pillow, without decoding it.

    All pictures are opened here. The format of the picture must be one of ``FORMATS``. The exceptions of Pillow are not
    caught; they are among ``PICTURE_FAULTS``.

    Raises:
        ValueError: If the file is a pipe or a device, or if the picture has more than ``MOST_PIXELS`` pixels.
    """
    if isinstance(path, (str, Path)) and (kind := irregular_kind(Path(path))):
        raise ValueError(f"it is {kind}")
    with _opened(path) as opened:
        width, height = opened.size
        if width * height > MOST_PIXELS:
            raise ValueError(f"it has {width} x {height} px, expected at most {MOST_PIXELS // 10**6} million px")
        yield opened


def _opened(path: Path | str | BinaryIO) -> "Image":
    """Read the header of a picture."""
    from PIL import Image

    # Pillow's own limit is larger, and prints a warning. It is off only while the header is read.
    with _OPENING:
        limit, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
        try:
            return Image.open(path, formats=FORMATS)
        finally:
            Image.MAX_IMAGE_PIXELS = limit


@contextmanager
def _faults_of(path: Path | str) -> Iterator[None]:
    """Convert exceptions of Pillow to an InputError."""
    try:
        yield
    except PICTURE_FAULTS as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error).split(" '")[0]
        raise InputError(
            f"{path}: cannot be read as a picture ({why}); use a PNG or JPEG file that is not damaged"
        ) from error


def _array(image: "Image") -> np.ndarray:
    """Return the pixels of an image in a form that ``as_rgb`` accepts."""
    if image.mode.startswith("I"):
        return np.clip(np.asarray(image), 0, 65535).astype(np.uint16)
    if image.mode == "F":
        raise ValueError("its pixels are floating-point numbers")
    return np.asarray(image.convert("RGBA" if image.has_transparency_data else "RGB"))


def as_rgb(picture: np.ndarray) -> np.ndarray:
    """Convert grey, RGB or RGBA to RGB uint8 (height, width, 3).

    The result is C-contiguous. ``picture`` is (height, width) or (height, width, 1 | 3 | 4), uint8 or uint16.
    Transparent areas become white.

    Raises:
        ValueError: If the picture has another shape or another number type.
    """
    if picture.dtype == np.uint16:
        picture = ((picture.astype(np.uint32) + 128) // 257).astype(np.uint8)
    if picture.dtype != np.uint8:
        raise ValueError(f"its pixels are {picture.dtype}, not uint8 or uint16")
    if picture.ndim == 2:
        picture = picture[..., None]
    if picture.ndim != 3 or picture.shape[2] not in (1, 3, 4) or picture.size == 0:
        raise ValueError(f"its shape is {picture.shape}, not (height, width) or (height, width, 1, 3 or 4)")
    if picture.shape[2] == 1:
        picture = np.repeat(picture, 3, axis=2)
    if picture.shape[2] == 4:
        alpha = picture[..., 3:].astype(np.uint32)
        picture = ((picture[..., :3] * alpha + 255 * (255 - alpha) + 127) // 255).astype(np.uint8)
    return np.ascontiguousarray(picture)
