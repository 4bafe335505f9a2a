"""Open a clip and list its frames without decoding them.

The frames of a clip are the frames that a player shows from the first keyframe on, in the order in which they are
shown. The time stamps and keyframes of a clip are read from the packets of its file. In some clips, packets cannot
be matched to frames: AVI without presentation stamps, VP8 with invisible packets, clips with repeated stamps. Such
clips are decoded completely to find their frames.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from io import BufferedReader
from itertools import pairwise
from pathlib import Path
from typing import cast

import av
import numpy as np
from av.codec import CodecContext
from av.container import InputContainer
from av.error import FFmpegError
from av.stream import Disposition
from av.video.stream import VideoStream

from chronotope.errors import InputError
from chronotope.io import irregular, remedy
from chronotope.media.pictures import MOST_PIXELS

# Without this list, FFmpeg would read text files as terminal recordings and pictures as clips, and follow playlists.
FORMATS = (
    "mov,mp4,matroska,webm,avi,mpegts,mpeg,ogg,flv,asf,gif,ivf,h264,hevc,m4v,mpegvideo,yuv4mpegpipe,mxf,nut,obu,av1,dv"
)
REMEDY = "use a video file such as MP4, or convert the file with `ffmpeg -i FILE -c:v libx264 -pix_fmt yuv420p NEW.mp4`"


@dataclass(frozen=True, eq=False)
class FrameIndex:
    """The time stamps of a clip's frames, and the keyframes at which decoding can start.

    - ``stamps``: (N,) int64 presentation stamps in units of ``time_base`` seconds, ascending.
    - ``keys``: (K,) int64 stamps of the keyframes, ascending. The first keyframe can be before the first frame, if
      an edit list hides this keyframe.
    - ``entries``: (K,) int64 seek targets of the keyframes.
    - ``by_stamp``: False if a decoded frame can be identified only by counting from the start.
    - ``last_period``: the duration of the last frame in units of ``time_base``, or 0 if the container does not
      state it.
    - ``leading``: the number of packets before the first keyframe.
    """

    stamps: np.ndarray
    keys: np.ndarray
    entries: np.ndarray
    time_base: Fraction
    by_stamp: bool
    last_period: int
    leading: int = 0

    def group_start(self, frame: int) -> int:
        """Return the stamp of the keyframe from which a frame is decoded.

        The stamp is in units of ``time_base``.
        """
        return int(self.keys[max(0, int(np.searchsorted(self.keys, self.stamps[frame], side="right")) - 1)])

    def seconds(self) -> np.ndarray:
        """Return the time stamps (N,) float64 in s; the first is 0."""
        return (self.stamps - self.stamps[0]) * self.time_base.numerator / self.time_base.denominator


@contextmanager
def open_clip(path: Path, file: BufferedReader | None = None) -> Iterator[tuple[InputContainer, VideoStream]]:
    """Open a clip for reading.

    If the clip is already open, ``file`` is this open file, which is then used.

    Raises:
        InputError: If the clip cannot be opened or read. The message names the file and the remedy.
    """
    url, options = file_url(path), {"format_whitelist": FORMATS, "protocol_whitelist": "file"}
    try:
        if fault := irregular(path, "a video"):
            raise InputError(fault)
        if path.stat().st_size == 0:
            raise InputError(f"{path}: the file is empty; copy or download the clip again")
        if file is not None:
            file.seek(0)
            url, options = "fd:", options | {"protocol_whitelist": "fd", "fd": str(file.fileno())}
        # Invalid bytes in titles and comments are replaced, because the video can be correct nevertheless.
        with av.open(url, options=options, metadata_errors="replace") as container:
            stream = next((s for s in container.streams.video if not s.disposition & Disposition.attached_pic), None)
            if stream is None:
                raise InputError(f"{path}: this file contains no video; {REMEDY}")
            if cast("CodecContext | None", stream.codec_context) is None:
                raise InputError(f"{path}: cannot be read as a video (the codec is missing in its header); {REMEDY}")
            if stream.width * stream.height > MOST_PIXELS:
                size = f"{stream.width} x {stream.height} px"
                raise InputError(
                    f"{path}: has {size} per frame, expected at most {MOST_PIXELS // 10**6} million pixels; {REMEDY}"
                )
            # Slice threads do not change the order of packets and frames, so single frames can be requested.
            stream.thread_type = "SLICE"
            yield container, stream
    except FFmpegError as error:
        if isinstance(error, PermissionError):  # the video may be correct
            raise InputError(f"{path}: cannot be opened ({reason(error)}); {remedy(error)}") from error
        raise InputError(f"{path}: cannot be read as a video ({reason(error)}); {REMEDY}") from error
    except IndexError as error:  # PyAV raises this for a packet of a stream that is not in the header
        raise InputError(
            f"{path}: cannot be read as a video (it has a stream that its header does not list); {REMEDY}"
        ) from error
    except (OSError, UnicodeEncodeError) as error:
        raise InputError(f"{path}: cannot be opened ({reason(error)}); check the path") from error


def file_url(path: Path) -> str:
    """Return the address of a file for FFmpeg.

    FFmpeg takes the start of ``a:b.mp4`` for a protocol.
    """
    return f"file:{path}"


def reason(error: Exception) -> str:
    """Return the text of an error, without its number and file name."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def scan(path: Path, container: InputContainer, stream: VideoStream) -> FrameIndex:
    """List the frames of a newly opened clip by reading its packets.

    If the packets are not sufficient, the clip is decoded. After the call, the container is at its end.

    Raises:
        InputError: If the clip has no frames, or if the file is incomplete.
    """
    stamps: list[int] = []
    keys: list[tuple[int, int]] = []
    # Seek targets are presentation stamps in MP4 and Matroska, and decoding stamps in other containers.
    by_dts = not container.format.name.startswith(("mov", "matroska"))
    packets, leading, end, corrupt, complete = 0, 0, 0, False, stream.codec_context.name != "vp8"
    for packet in container.demux(stream):
        if packet.size == 0:
            continue
        packets += 1
        corrupt |= packet.is_corrupt
        stamp = packet.pts
        if stamp is None:
            complete = False
            continue
        end = max(end, stamp + (packet.duration or 0))
        if packet.is_keyframe:
            keys.append((stamp, packet.dts if by_dts and packet.dts is not None else stamp))
        leading += not keys
        # Frames before the first keyframe cannot be decoded. Frames that an edit list hides are decoded but not shown.
        if keys and not packet.is_discard:
            stamps.append(stamp)
    _refuse_cut_short(path, container, stream, packets, end, corrupt)
    if not complete or not stamps or len(set(stamps)) < len(stamps):
        return _scan_by_decoding(path)
    ordered = np.array(sorted(stamps), np.int64)
    starts, entries = np.array(sorted(keys), np.int64).T
    assert stream.time_base is not None
    last_period = max(0, end - int(ordered[-1]))
    return FrameIndex(ordered, starts, entries, stream.time_base, True, last_period, leading)


def _refuse_cut_short(
    path: Path, container: InputContainer, stream: VideoStream, packets: int, end: int, corrupt: bool
) -> None:
    """Check that a file is not shorter than its container states.

    The usual reason for a shorter file is an interrupted download.

    Raises:
        InputError: If the file is shorter, or if the data of a picture are incomplete.
    """
    assert stream.time_base is not None
    found = float(end * stream.time_base)
    if container.format.name.startswith("mov"):
        promised = float((stream.duration or 0) * stream.time_base)
        missing = stream.frames > packets and (stream.start_time or 0) * stream.time_base + promised > found + 0.001
    elif container.format.name.startswith("matroska"):
        promised = (container.duration or 0) / av.time_base
        # Other streams can be longer than the video. The tolerance allows a stated length that was rounded up.
        missing = len(container.streams) == 1 and promised > found + 0.5
    else:
        return
    if missing or corrupt:
        what = (
            f"it contains only {found:.2f} of {promised:.2f} s" if missing else "the data of a picture are incomplete"
        )
        raise InputError(f"{path}: the clip is incomplete or damaged ({what}); copy or download the clip again")


def _scan_by_decoding(path: Path) -> FrameIndex:
    """List the frames of a clip by decoding every frame.

    If stamps are missing or decrease, stamps are computed from the nominal rate.
    """
    with open_clip(path) as (container, stream):
        stamps = [frame.pts for frame in container.decode(stream)]
        assert stream.time_base is not None
        rate = stream.average_rate or stream.guessed_rate or Fraction(25)
        time_base = stream.time_base
    if not stamps:
        raise InputError(f"{path}: no frame of this video can be decoded; {REMEDY}")
    none = np.empty(0, np.int64)
    given = [stamp for stamp in stamps if stamp is not None]
    if len(given) == len(stamps) and all(a < b for a, b in pairwise(given)):
        return FrameIndex(np.array(given, np.int64), none, none, time_base, False, 0)
    return FrameIndex(np.arange(len(stamps), dtype=np.int64), none, none, 1 / Fraction(rate), False, 1)
