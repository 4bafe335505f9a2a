"""Encode pictures as JPEG or PNG, without loading PyAV."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import simplejpeg

from chronotope.errors import InputError
from chronotope.io import canonical_json, sha256_bytes
from chronotope.media.pictures import read_picture

# First bytes of the picture formats that every reader accepts. Pictures of other formats are converted to PNG.
TAKEN_AS_THEY_ARE = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
HEADER_BYTES = 65_536


@dataclass(frozen=True)
class Encoded:
    """An encoded picture: its bytes, their SHA-256, and their media type (``image/jpeg`` or ``image/png``).

    A video of JPEG pictures (``video/jpeg``) has ``frames`` instead of bytes (`video_of_frames`).
    """

    data: bytes
    sha256: str
    media_type: str
    frames: tuple["Encoded", ...] = ()

    @property
    def hashes(self) -> tuple[str, ...]:
        """Return the hash of the picture, or of each frame."""
        return tuple(frame.sha256 for frame in self.frames) or (self.sha256,)


def video_of_frames(frames: Sequence[Encoded]) -> Encoded:
    """Join JPEG pictures to a video.

    The hash of the video is the hash of the list of their hashes.
    """
    hashes = [frame.sha256 for frame in frames]
    return Encoded(b"", sha256_bytes(canonical_json(hashes).encode()), "video/jpeg", tuple(frames))


def encode_picture(rgb: np.ndarray, codec: Literal["jpeg", "png"] = "jpeg", quality: int = 85) -> Encoded:
    """Encode a picture, RGB uint8 (height, width, 3).

    JPEG is baseline with 4:2:0 chroma, like the JPEG of cameras and most tools. PNG is lossless and ignores
    ``quality``. With the same library versions, the same picture gives the same bytes.
    """
    if codec == "jpeg":
        pixels = np.ascontiguousarray(rgb)
        data = simplejpeg.encode_jpeg(pixels, quality=quality, colorspace="RGB", colorsubsampling="420")
    elif codec == "png":
        from PIL import Image  # this import takes 0.05 s, and JPEG frames do not need Pillow

        buffer = io.BytesIO()
        Image.fromarray(rgb).save(buffer, "PNG", compress_level=2)
        data = buffer.getvalue()
    else:
        raise InputError(f"frame codec {codec!r} is unknown; choose jpeg or png")
    return Encoded(data, sha256_bytes(data), f"image/{codec}")


def encode_still(path: Path, data: bytes) -> Encoded:
    """Encode a still picture whose file has the bytes ``data``.

    The bytes of a PNG or JPEG file without EXIF data are not changed. Any other picture is converted to PNG.
    """
    turned = b"Exif\x00\x00" in data[:HEADER_BYTES]
    for start, media_type in TAKEN_AS_THEY_ARE.items():
        if data.startswith(start) and not turned:
            return Encoded(data, sha256_bytes(data), media_type)
    return encode_picture(read_picture(path), "png")
