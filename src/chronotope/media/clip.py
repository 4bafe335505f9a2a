"""Measure the size, number of frames, rate and duration of a clip, without decoding all its pictures."""

from fractions import Fraction
from pathlib import Path

import numpy as np
from av.video.stream import VideoStream

from chronotope.io import sha256_file
from chronotope.media.container import FrameIndex, open_clip, scan
from chronotope.media.decoding import first_size
from chronotope.media.plan import ClipFacts


def probe(path: Path | str, sha256: str | None = None) -> ClipFacts:
    """Measure the facts of a clip.

    The function computes the SHA-256 of the file, reads all packets once, and decodes only the first picture. A known
    ``sha256`` is not computed again.

    Raises:
        InputError: If the file is missing, empty, incomplete, without video, or not decodable. The message names
        the file.
    """
    path = Path(path)
    with open_clip(path) as (container, stream):
        index = scan(path, container, stream)
        fps = constant_rate(index, stream)
        width, height = first_size(path, container, stream, index)
    frames = len(index.stamps)
    if fps is not None:
        duration = frames / fps
    else:
        seconds = index.seconds()
        last = seconds[-1] - seconds[-2] if frames > 1 else float(index.last_period * index.time_base)
        duration = float(seconds[-1] + last)
    return ClipFacts(sha256 or sha256_file(path), width, height, frames, fps, duration)


def frame_times(path: Path | str) -> np.ndarray:
    """Return the exact time stamps (N,) in s of a clip's frames.

    The stamps are float64, in the order in which the frames are shown, and the first stamp is 0. The clip is
    decoded only if its container has no stamps.

    Raises:
        InputError: If the file is missing, empty, incomplete, without video, or not decodable.
    """
    path = Path(path)
    with open_clip(path) as (container, stream):
        return scan(path, container, stream).seconds()


def constant_rate(index: FrameIndex, stream: VideoStream) -> float | None:
    """Return the frame rate of a clip, or None if it varies.

    A rate is constant if every stamp agrees with the rate within one tick of the container's clock. The tolerance
    is needed because containers round stamps (Matroska to 1 ms). However, the tolerance is at most a quarter of a
    frame period, because a larger tolerance could hide any variation.
    """
    nominal = [rate for rate in (stream.average_rate, stream.guessed_rate) if rate]
    count = len(index.stamps)
    if count == 1:
        return float(nominal[0]) if nominal else None
    seconds = index.seconds()
    measured = Fraction(count - 1) / (int(index.stamps[-1] - index.stamps[0]) * index.time_base)
    for rate in (*nominal, measured):
        tolerance = min(float(index.time_base), 0.25 / float(rate)) + 1e-9
        if np.all(np.abs(seconds - np.arange(count) / float(rate)) <= tolerance):
            return float(rate)
    return None
