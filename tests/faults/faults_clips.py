"""Clips whose every frame says in colours which clip it is of, which number it has, and which way is up."""

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from odd_clips import set_matrix, sound_only

__all__ = ["CODECS", "SPOILT", "coded", "cut", "needs", "read_code", "sound_only", "write_clip"]

COLUMNS, ROWS = 4, 3
# Red, green, blue and yellow stand in the corners; the cells between are digits to the base of 8 (a bit a channel).
CORNERS = {(0, 0): 0b100, (0, COLUMNS - 1): 0b010, (ROWS - 1, 0): 0b001, (ROWS - 1, COLUMNS - 1): 0b110}
CLIP, NUMBER = (1, 0), ((0, 1), (0, 2), (2, 1))
# How each codec is written.
CODECS: dict[str, tuple[str, dict[str, str]]] = {
    "h264": ("libx264", {"preset": "veryfast", "crf": "12"}),
    "hevc": ("libx265", {"preset": "ultrafast", "crf": "12", "x265-params": "log-level=none"}),
    "hevc in open groups": (
        "libx265",
        {"preset": "fast", "crf": "12", "x265-params": "log-level=none:open-gop=1:keyint=12:min-keyint=12:bframes=3"},
    ),
    # Its quickest presets show now and then an earlier frame again where only flat colours change.
    "av1": ("libsvtav1", {"preset": "7", "crf": "4"}),
}


def needs(codec: str) -> bool:
    """Whether clips of this codec can be written and read here."""
    return CODECS[codec][0] in av.codecs_available


def coded(clip: int, number: int, width: int = 128, height: int = 96) -> np.ndarray:
    """A picture (height, width, 3) that tells its clip (below 8) and its number (below 512)."""
    digits = {**CORNERS, CLIP: clip}
    digits |= {cell: number >> (3 * place) & 7 for place, cell in enumerate(NUMBER)}
    picture = np.full((height, width, 3), 128, np.uint8)
    for (row, column), digit in digits.items():
        rows = slice(row * height // ROWS, (row + 1) * height // ROWS)
        columns = slice(column * width // COLUMNS, (column + 1) * width // COLUMNS)
        picture[rows, columns] = [40 + 175 * (digit >> channel & 1) for channel in (2, 1, 0)]
    return picture


def read_code(picture: np.ndarray) -> tuple[int, int]:
    """Clip and number of a picture that stands upright and is not mirrored."""
    height, width, _ = picture.shape

    def digit(row: int, column: int) -> int:
        y, x = (2 * row + 1) * height // (2 * ROWS), (2 * column + 1) * width // (2 * COLUMNS)
        colour = picture[y - 3 : y + 4, x - 3 : x + 4].mean((0, 1))
        assert (np.abs(colour - 128) > 40).all(), f"the colour at row {row}, column {column} is unclear: {colour}"
        return sum(int(value > 128) << channel for channel, value in zip((2, 1, 0), colour, strict=True))

    corners = {cell: digit(*cell) for cell in CORNERS}
    assert corners == CORNERS, f"this picture is turned or mirrored: {corners}"
    return digit(*CLIP), sum(digit(*cell) << (3 * place) for place, cell in enumerate(NUMBER))


@contextlib.contextmanager
def kept_priority() -> Iterator[None]:
    """Give this thread its priority back: SVT-AV1, run by root, makes its caller a real-time one (SCHED_FIFO 99).

    Whatever the tests start afterwards would inherit that, and starve the rest of the machine.
    """
    if not hasattr(os, "sched_getscheduler"):
        yield
        return
    policy, priority = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        yield
    finally:
        os.sched_setscheduler(0, policy, priority)


def write_clip(
    path: Path,
    codec: str = "h264",
    *,
    clip: int = 0,
    frames: int = 40,
    rate: int = 10,
    size: tuple[int, int] = (128, 96),
    turn: int = 0,
    stamps_ms: Sequence[int] | None = None,
    pix_fmt: str = "yuv420p",
    flags: str = "",
) -> Path:
    """Write a clip that looks upright to whoever heeds its display matrix.

    It is stored turned by ``turn`` degrees counter-clockwise (a multiple of 90, MP4 only), and marked so; ``size`` is
    (width, height) as displayed.
    """
    name, options = CODECS[codec]
    with kept_priority(), av.open(str(path), "w", options={"movflags": flags} if flags else {}) as container:
        stream = container.add_stream(name, rate=rate, options=options)
        stream.width, stream.height = size if turn % 180 == 0 else size[::-1]
        stream.pix_fmt, stream.codec_context.gop_size, stream.codec_context.thread_count = pix_fmt, 12, 1
        time_base = Fraction(1, rate)
        if stamps_ms is not None:
            time_base = stream.codec_context.time_base = Fraction(1, 1000)
        for number in range(frames):
            stored = np.ascontiguousarray(np.rot90(coded(clip, number, *size), turn // 90))
            frame = av.VideoFrame.from_ndarray(stored, "rgb24").reformat(format=pix_fmt)
            frame.pts, frame.time_base = number if stamps_ms is None else stamps_ms[number], time_base
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    if turn:
        set_matrix(path, {90: (0, 1, -1, 0), 180: (-1, 0, 0, -1), 270: (0, -1, 1, 0)}[turn])  # clockwise
    return path


def cut(path: Path, part: float) -> Path:
    """Leave only the first part of a file."""
    content = path.read_bytes()
    path.write_bytes(content[: int(part * len(content))])
    return path


# What may lie where a good clip was.
SPOILT: dict[str, Callable[[Path], object]] = {
    "cut short": lambda path: cut(path, 0.6),
    "empty": lambda path: path.write_bytes(b""),
    "sound only": sound_only,
    "another clip": lambda path: write_clip(path, clip=7, frames=30),
}
