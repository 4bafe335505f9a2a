"""Encode pictures as a video clip."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.container import OutputContainer
from av.error import FFmpegError
from av.video.reformatter import ColorRange, Colorspace, Interpolation, VideoReformatter
from av.video.stream import VideoStream

from chronotope.errors import InputError
from chronotope.io import write_atomically
from chronotope.media.clip import ClipFacts, probe
from chronotope.media.container import file_url
from chronotope.media.pictures import as_rgb, read_picture

# Code numbers of ITU-T H.273. The matrix is BT.601, because readers that ignore tags assume BT.601. The primaries and
# the transfer function are defined by BT.709, as usual for computer screens.
MATRIX_BT601, PRIMARIES_BT709, TRANSFER_BT709, LIMITED_RANGE = 6, 1, 1, 1

# With these two settings, a clip has the same bytes on every processor. By default, the rounding of x264 depends on the
# processor. With AVX-512, even repeated encodings of the same pictures gave different bytes for sizes such as 480x360.
# FFmpeg's conversion of colours takes shortcuts on some processors.
SAME_EVERYWHERE = "cpu-independent=1"
ACCURATE_ROUNDING = 0x40000  # SWS_ACCURATE_RND


def encode_clip(
    pictures: Iterable[Path | str | np.ndarray], path: Path | str, fps: float | Fraction, *, crf: int = 20
) -> ClipFacts:
    """Write pictures as an H.264 MP4 clip of constant rate.

    The function returns the facts of the clip. Each picture is a file (see ``read_picture``) or an array (see
    ``as_rgb``). All pictures have the same size. If a width or height is odd, the last column or row is repeated to
    make it even. The padding is at the right and at the bottom, so the intrinsics stay correct. Colours are
    converted to BT.601 with limited range and tagged accordingly.

    The encoder is libx264 with the preset ``veryfast``, a keyframe every 30 frames, and the index at the start of
    the file. The encoder uses one thread and no processor-dependent arithmetic, so the same library versions always
    give the same bytes. If writing fails, no incomplete clip is left. OSError is raised if the disk refuses the
    file.

    Raises:
        InputError: If a picture cannot be read or has another size, or if there are no pictures. The message names
            the picture.
    """
    path = Path(path)
    if not 0.001 <= fps <= 1000:
        raise InputError(f"{path}: a rate of {float(fps):g} frames per second was requested, expected 0.001 to 1000")
    rate = Fraction(fps).limit_denominator(100_000)
    try:
        with write_atomically(path) as temporary:
            with av.open(file_url(temporary), "w", format="mp4", options={"movflags": "+faststart"}) as container:
                _encode_all(pictures, container, path, rate, crf)
            return replace(probe(temporary), fps=float(rate))
    except FFmpegError as error:
        raise InputError(f"{path}: the clip cannot be written ({error.strerror}); choose another path") from error


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
                f"{_name(picture, number)}: has {rgb.shape[1]}x{rgb.shape[0]} px, but the first picture of the clip "
                f"{path.name} has "
                f"{width}x{height} px; use pictures of the same size"
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
        raise InputError(f"{path}: there are no pictures for this clip, expected at least one")
    container.mux(stream.encode(None))


def _add_stream(container: OutputContainer, rate: Fraction, width: int, height: int, crf: int) -> VideoStream:
    """Add the clip's stream, with the encoder settings of ``encode_clip``."""
    options = {"preset": "veryfast", "crf": str(crf), "x264-params": SAME_EVERYWHERE}
    stream = container.add_stream("libx264", rate=rate, options=options)
    stream.width, stream.height, stream.pix_fmt = width + width % 2, height + height % 2, "yuv420p"
    context = stream.codec_context
    context.gop_size, context.thread_count = 30, 1
    context.colorspace, context.color_range = MATRIX_BT601, LIMITED_RANGE
    context.color_primaries, context.color_trc = PRIMARIES_BT709, TRANSFER_BT709
    return stream


def _rgb(picture: Path | str | np.ndarray, number: int) -> np.ndarray:
    if not isinstance(picture, np.ndarray):
        return read_picture(picture)
    try:
        return as_rgb(picture)
    except ValueError as error:
        raise InputError(f"{_name(picture, number)}: cannot be used ({error})") from error


def _name(picture: Path | str | np.ndarray, number: int) -> str:
    """Return the name of a picture for an error message."""
    return f"picture {number} (counted from 0)" if isinstance(picture, np.ndarray) else str(picture)
