"""Encode pictures and clips."""

import io
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Literal

import av
import numpy as np
import simplejpeg
from av.container import OutputContainer
from av.error import FFmpegError
from av.video.reformatter import ColorRange, Colorspace, Interpolation, VideoReformatter
from av.video.stream import VideoStream

from chronotope.errors import InputError
from chronotope.io import sha256_bytes, write_atomically
from chronotope.media.clip import ClipFacts, probe
from chronotope.media.pictures import as_rgb, read_picture

__all__ = ["Encoded", "encode_clip", "encode_picture", "encode_still"]

# Still pictures that every reader takes as they are; anything else is encoded anew without loss.
TAKEN_AS_THEY_ARE = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
HEADER_BYTES = 65_536

# Numbers of ITU-T H.273. The matrix is BT.601 because readers that ignore tags assume it; primaries and transfer are
# those of BT.709, which computer screens share.
MATRIX_BT601, PRIMARIES_BT709, TRANSFER_BT709, LIMITED_RANGE = 6, 1, 1, 1

# What keeps the processor out of a clip's bytes. Left to choose, x264 rounds otherwise on each, and with AVX-512 it
# gave sizes such as 480x360 other bytes each time; FFmpeg's conversion of colours knows shortcuts on some of them.
SAME_EVERYWHERE = "cpu-independent=1"
ACCURATE_ROUNDING = 0x40000  # SWS_ACCURATE_RND


@dataclass(frozen=True)
class Encoded:
    """An encoded picture: its bytes, their SHA-256, and their media type (``image/jpeg`` or ``image/png``)."""

    data: bytes
    sha256: str
    media_type: str


def encode_picture(rgb: np.ndarray, codec: Literal["jpeg", "png"] = "jpeg", quality: int = 85) -> Encoded:
    """Encode an RGB uint8 (height, width, 3) picture.

    JPEG is baseline with 4:2:0 chroma, as from cameras and most tools; PNG is lossless and ignores ``quality``. The
    same picture gives the same bytes with the same library versions.
    """
    if codec == "jpeg":
        pixels = np.ascontiguousarray(rgb)
        data = simplejpeg.encode_jpeg(pixels, quality=quality, colorspace="RGB", colorsubsampling="420")
    elif codec == "png":
        from PIL import Image  # a twentieth of a second that clips need not pay

        buffer = io.BytesIO()
        Image.fromarray(rgb).save(buffer, "PNG", compress_level=2)
        data = buffer.getvalue()
    else:
        raise InputError(f"frame codec {codec!r} is unknown; choose jpeg or png")
    return Encoded(data, sha256_bytes(data), f"image/{codec}")


def encode_still(path: Path, data: bytes) -> Encoded:
    """Encode a still picture whose bytes are ``data``.

    A PNG, or a JPEG without EXIF rotation, is not changed.
    """
    turned = b"Exif\x00\x00" in data[:HEADER_BYTES]
    for start, media_type in TAKEN_AS_THEY_ARE.items():
        if data.startswith(start) and not turned:
            return Encoded(data, sha256_bytes(data), media_type)
    return encode_picture(read_picture(path), "png")


def encode_clip(
    pictures: Iterable[Path | str | np.ndarray], path: Path | str, fps: float | Fraction, *, crf: int = 20
) -> ClipFacts:
    """Write pictures as an H.264 MP4 clip of constant rate.

    Returns the clip's facts. Pictures are files or arrays, as for `read_picture` and `as_rgb`, all of one size. The
    encoder is libx264 ``veryfast`` with a keyframe every 30 frames, the index at the front, one thread and no
    processor-dependent arithmetic (so the same library versions always give the same bytes). Odd widths and heights are
    padded to even ones by repeating the last column or row: at the right and bottom, so intrinsics stay true. Colours
    are converted and tagged as BT.601, limited range. The clip is written whole or not at all. OSError is raised if the
    disk refuses it.

    Raises:
        InputError: If a picture cannot be used or differs in size, or there is none. It names the picture.
    """
    path = Path(path)
    if not 0.001 <= fps <= 1000:
        raise InputError(f"{path}: {float(fps):g} frames per second is outside the range; give 0.001 to 1000")
    rate = Fraction(fps).limit_denominator(100_000)
    try:
        with write_atomically(path) as temporary:
            with av.open(str(temporary), "w", format="mp4", options={"movflags": "+faststart"}) as container:
                _encode_all(pictures, container, path, rate, crf)
            return replace(probe(temporary), fps=float(rate))
    except FFmpegError as error:
        raise InputError(f"{path}: the clip cannot be written ({error.strerror}); choose another place") from error


def _encode_all(
    pictures: Iterable[Path | str | np.ndarray], container: OutputContainer, path: Path, rate: Fraction, crf: int
) -> None:
    """Encode every picture into an open container."""
    stream: VideoStream | None = None
    height, width = 0, 0
    converter = VideoReformatter()
    for number, picture in enumerate(pictures):
        rgb = _rgb(picture, number)
        if stream is None:
            height, width, _ = rgb.shape
            stream = _add_stream(container, rate, width, height, crf)
        if rgb.shape[:2] != (height, width):
            raise InputError(
                f"{_name(picture, number)}: is {rgb.shape[1]}x{rgb.shape[0]} px, but the clip {path.name} began with "
                f"{width}x{height}; give pictures of one size"
            )
        padded = np.pad(rgb, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
        frame = converter.reformat(
            av.VideoFrame.from_ndarray(padded, "rgb24"),
            format="yuv420p",
            dst_colorspace=Colorspace.ITU601,
            src_color_range=ColorRange.JPEG,
            dst_color_range=ColorRange.MPEG,
            interpolation=Interpolation.BILINEAR | ACCURATE_ROUNDING,
        )
        frame.pts, frame.time_base = number, 1 / rate
        container.mux(stream.encode(frame))
    if stream is None:
        raise InputError(f"{path}: no pictures were given for this clip; give at least one")
    container.mux(stream.encode(None))


def _add_stream(container: OutputContainer, rate: Fraction, width: int, height: int, crf: int) -> VideoStream:
    """Add the clip's stream, with the encoder settings of `encode_clip`."""
    options = {"preset": "veryfast", "crf": str(crf), "x264-params": SAME_EVERYWHERE}
    stream = container.add_stream("libx264", rate=rate, options=options)
    stream.width, stream.height, stream.pix_fmt = width + width % 2, height + height % 2, "yuv420p"
    context = stream.codec_context
    context.gop_size, context.thread_count = 30, 1
    context.colorspace, context.color_range = MATRIX_BT601, LIMITED_RANGE
    context.color_primaries, context.color_trc = PRIMARIES_BT709, TRANSFER_BT709
    return stream


def _rgb(picture: Path | str | np.ndarray, number: int) -> np.ndarray:
    """Return a picture's pixels."""
    if not isinstance(picture, np.ndarray):
        return read_picture(picture)
    try:
        return as_rgb(picture)
    except ValueError as error:
        raise InputError(f"{_name(picture, number)}: cannot be used ({error})") from error


def _name(picture: Path | str | np.ndarray, number: int) -> str:
    """Return the name of a picture for an error."""
    return f"picture {number} (counted from 0)" if isinstance(picture, np.ndarray) else str(picture)
