"""Files of clips that cameras and editors make and encoders do not."""

import struct
from pathlib import Path

import av
import numpy as np


def set_matrix(path: Path, matrix: tuple[int, int, int, int]) -> None:
    """Write the turn (a, b, c, d) into the track header of an MP4 file."""
    content = bytearray(path.read_bytes())
    header = content.index(b"tkhd") + 4
    assert content[header] == 0, "the layout below is that of version 0"
    one = 1 << 16
    a, b, c, d = (value * one for value in matrix)
    struct.pack_into(">9i", content, header + 40, a, b, 0, c, d, 0, 0, 0, 1 << 30)
    path.write_bytes(content)


def sound_only(path: Path) -> Path:
    """A file with a second of silence and no picture."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=16000)
        silence = av.AudioFrame.from_ndarray(np.zeros((1, 16000), np.float32), "fltp", "mono")
        silence.sample_rate, silence.pts = 16000, 0
        container.mux(stream.encode(silence))
        container.mux(stream.encode(None))
    return path
