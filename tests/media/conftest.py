"""Clips made on the spot, every frame of which carries its number in its pixels."""

import struct
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from odd_clips import set_matrix

BITS, COLUMNS = 12, 4


def draw(number: int, width: int = 96, height: int = 64) -> np.ndarray:
    """A picture of (height, width, 3) uint8: twelve blocks, white for the ones of ``number``, over a drifting grey."""
    rows, columns = np.indices((height, width))
    picture = ((rows * 2 + columns + number * 3) % 64 + 96).astype(np.uint8)[..., None].repeat(3, axis=2)
    for bit in range(BITS):
        top, left = (bit // COLUMNS) * height // 3, (bit % COLUMNS) * width // COLUMNS
        bottom, right = top + height // 3 - 3, left + width // COLUMNS - 3
        picture[top + 3 : bottom, left + 3 : right] = 255 * (number >> bit & 1)
    return picture


def number_in(picture: np.ndarray) -> int:
    """The number that a (decoded) picture of `draw` carries."""
    height, width, _ = picture.shape
    number = 0
    for bit in range(BITS):
        row = (bit // COLUMNS) * height // 3 + height // 6
        column = (bit % COLUMNS) * width // COLUMNS + width // (2 * COLUMNS)
        value = int(picture[row, column].mean())
        assert not 80 < value < 176, f"bit {bit} cannot be read: {value}"
        number |= (value > 128) << bit
    return number


def make_clip(
    path: Path,
    frames: int = 80,
    *,
    codec: str = "libx264",
    options: dict[str, str] | None = None,
    stamps_ms: Iterable[int] | None = None,
    width: int = 96,
    height: int = 64,
    pix_fmt: str = "yuv420p",
    rate: int = 30,
    g: int = 30,
    mux: dict[str, str] | None = None,
    audio_s: float = 0.0,
) -> Path:
    """Write a clip of `draw` pictures, at a constant rate or at the given stamps in ms."""
    with av.open(str(path), "w", options=mux or {}) as container:
        stream = container.add_stream(codec, rate=rate, options=options or {})
        stream.width, stream.height, stream.pix_fmt = width, height, pix_fmt
        stream.codec_context.gop_size = g
        stream.codec_context.thread_count = 1
        sound = container.add_stream("aac", rate=16000) if audio_s else None
        time_base = Fraction(1, rate)
        if stamps_ms is not None:
            time_base = stream.codec_context.time_base = Fraction(1, 1000)
        stamps = list(range(frames)) if stamps_ms is None else list(stamps_ms)
        for number in range(frames):
            frame = av.VideoFrame.from_ndarray(draw(number, width, height), "rgb24").reformat(format=pix_fmt)
            frame.pts, frame.time_base = stamps[number], time_base
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
        if sound is not None:
            silence = av.AudioFrame.from_ndarray(np.zeros((1, int(audio_s * 16000)), np.float32), "fltp", "mono")
            silence.sample_rate, silence.pts = 16000, 0
            container.mux(sound.encode(silence))
            container.mux(sound.encode(None))
    return path


def straight_through(path: Path) -> list[np.ndarray]:
    """All pictures of a clip as stored, in the order in which FFmpeg's decoder gives them."""
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Clips of many kinds by name, all of 80 frames numbered from 0 unless the name says otherwise."""
    folder = tmp_path_factory.mktemp("clips")
    bframes = {"preset": "medium", "bf": "3"}
    uneven = np.cumsum([0] + [20 + (7 * i) % 60 for i in range(79)]).tolist()
    made = {
        "h264 g=30": make_clip(folder / "g30.mp4", options=bframes),
        "h264 g=250": make_clip(folder / "g250.mp4", options=bframes, g=250),
        "h264 g=2": make_clip(folder / "g2.mp4", options=bframes, g=2),
        "h264 intra": make_clip(folder / "g1.mp4", g=1),
        "h264 open groups": make_clip(
            folder / "open.mp4",
            options=bframes | {"x264-params": "open-gop=1:keyint=12:min-keyint=12:scenecut=0"},
            g=12,
        ),
        "h264 intra refresh": make_clip(
            folder / "refresh.ts", options={"x264-params": "intra-refresh=1:keyint=20:scenecut=0"}, g=20
        ),
        "h264 matroska": make_clip(folder / "g30.mkv", options=bframes),
        "h264 transport stream": make_clip(folder / "g30.ts", options=bframes),
        "h264 fragmented": make_clip(
            folder / "frag.mp4", options=bframes, mux={"movflags": "frag_keyframe+empty_moov"}
        ),
        "h264 bare": make_clip(folder / "bare.h264", options=bframes),
        "h264 with sound": make_clip(folder / "sound.mp4", options=bframes, audio_s=5.0),
        "varying rate": make_clip(folder / "vfr.mp4", options=bframes, stamps_ms=uneven),
        "varying rate webm": make_clip(
            folder / "vfr.webm", codec="libvpx-vp9", options={"cpu-used": "8", "deadline": "realtime"}, stamps_ms=uneven
        ),
        "vp9": make_clip(folder / "vp9.webm", codec="libvpx-vp9", options={"cpu-used": "5", "auto-alt-ref": "1"}),
        "vp8": make_clip(
            folder / "vp8.webm", codec="libvpx", options={"auto-alt-ref": "1", "lag-in-frames": "16", "b": "200k"}
        ),
        "mpeg4 avi": make_clip(folder / "mpeg4.avi", codec="mpeg4", options={"bf": "2", "b": "2M"}, g=12),
        "odd size": make_clip(folder / "odd.mp4", options=bframes, width=97, height=65, pix_fmt="yuv444p"),
        "odd size vp9": make_clip(
            folder / "odd.webm", codec="libvpx-vp9", options={"cpu-used": "8"}, width=97, height=65
        ),
        "one frame": make_clip(folder / "one.mp4", 1),
    }
    trimmed = folder / "trimmed.mp4"
    trimmed.write_bytes(_trimmed(made["h264 g=30"].read_bytes(), 7))
    return made | {"first 7 cut by edit list": trimmed}


def _trimmed(content: bytes, frames: int) -> bytes:
    """Start an MP4 file's edit list later by some frames, as phones do when a clip is trimmed."""
    patched = bytearray(content)
    entry = patched.index(b"elst") + 4 + 8
    duration, media_time = struct.unpack_from(">II", patched, entry)
    scale = struct.unpack_from(">I", patched, patched.index(b"mdhd") + 4 + 12)[0]
    struct.pack_into(">II", patched, entry, duration - frames * 1000 // 30, media_time + frames * scale // 30)
    return bytes(patched)


@pytest.fixture(scope="session")
def clip_maker() -> Callable[..., Path]:
    return make_clip


@pytest.fixture(scope="session")
def read_number() -> Callable[[np.ndarray], int]:
    return number_in


@pytest.fixture(scope="session")
def picture() -> Callable[..., np.ndarray]:
    return draw


@pytest.fixture(scope="session")
def all_pictures() -> Callable[[Path], list[np.ndarray]]:
    return straight_through


@pytest.fixture(scope="session")
def turn_clip() -> Callable[[Path, tuple[int, int, int, int]], None]:
    return set_matrix
