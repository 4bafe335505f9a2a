"""Decode chosen frames of a clip, each identified by its exact index.

First, all packets are read once for the time stamps and keyframes. Then only the groups of pictures that contain
requested frames are decoded, from the keyframe to the last requested frame. A frame is identified by its stamp, and not
by a rate. If decoding cannot start at a keyframe, or if the container has no stamps, the clip is decoded from its
start.

Colours follow the matrix and range in the tags of the clip. A clip without tags is assumed to be BT.601 with
limited range, as in FFmpeg and OpenCV. HDR clips are mapped to the usual range (`media.hdr`). Pixels that are not
square become square, as in a player.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader
from itertools import groupby
from pathlib import Path
from typing import cast

import numpy as np
from av import VideoFrame
from av.container import InputContainer
from av.error import FFmpegError
from av.sidedata.sidedata import SideData, Type
from av.video.codeccontext import VideoCodecContext
from av.video.reformatter import VideoReformatter
from av.video.stream import VideoStream

from chronotope.errors import InputError
from chronotope.media.container import REMEDY, FrameIndex, open_clip, reason, scan
from chronotope.media.hdr import needs_mapping, to_sdr
from chronotope.media.plan import FramePlan

Size = tuple[int, int]
_WIDEST_PIXEL = 8  # times its height; other ratios in a header are errors


def decode_frames(
    path: Path | str, indices: Iterable[int], size: Size | None = None
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield (index, picture) for the given frames, in ascending order.

    Indices count the frames from 0, in the order in which they are shown. A repeated index is yielded once.
    Pictures are RGB uint8 (height, width, 3), rotated as a player shows them. ``size`` is (width, height) in px, or
    None for the clip's own size.

    Raises:
        InputError: If an index is outside the clip, or if a frame cannot be decoded.
    """
    for index, _, picture in _decode_sizes(Path(path), dict.fromkeys(indices, (size,))):
        yield index, picture


def decode(
    path: Path | str, plans: Sequence[FramePlan], file: BufferedReader | None = None
) -> Iterator[tuple[int, Size | None, np.ndarray]]:
    """Yield (index, size, picture) for every frame of the plans.

    Each pair of index and size is yielded once. The clip is opened and decoded once for all plans, in ascending order
    of the frames. If the clip is already open, ``file`` is this open file. Pictures are RGB uint8 (height, width, 3),
    rotated as a player shows them. The caller must check that the clip belongs to the plans (``FrameCache`` does).

    Raises:
        InputError: If an index is outside the clip, or if a frame cannot be decoded.
    """
    wanted: dict[int, dict[Size | None, None]] = {}
    for plan in plans:
        for index in plan.indices:
            wanted.setdefault(index, {})[plan.size] = None
    return _decode_sizes(Path(path), {index: tuple(sizes) for index, sizes in wanted.items()}, file)


def first_size(path: Path, container: InputContainer, stream: VideoStream, index: FrameIndex) -> Size:
    """Return the width and height (px) of a clip's first picture.

    The clip is open and its packets were read. The size is the size of the picture after rotation, as a player shows
    the picture. Usually, only the first keyframe is decoded. If packets are before it, the clip is decoded from its
    start, because the first keyframe may be damaged and no longer marked as such.

    Raises:
        InputError: If no picture can be decoded.
    """
    frame = _first_key(container, stream, index) if index.by_stamp and not index.leading else None
    if frame is None:
        with open_clip(path) as (again, video):
            frame = next(again.decode(video), None)
    if frame is None:
        raise InputError(f"{path}: no frame of this video can be decoded; {REMEDY}")
    width = _square_width(frame, _pixel_ratio(stream))
    return (frame.height, width) if Orientation.of(frame).swap else (width, frame.height)


def _pixel_ratio(stream: VideoStream) -> float:
    """Return the width of a pixel, divided by its height."""
    ratio = float(stream.sample_aspect_ratio or 1)
    return ratio if 1 / _WIDEST_PIXEL <= ratio <= _WIDEST_PIXEL else 1.0


def _square_width(frame: VideoFrame, ratio: float) -> int:
    """Return the width (px) of a frame whose pixels are made square."""
    return max(1, round(frame.width * ratio))


def _first_key(container: InputContainer, stream: VideoStream, index: FrameIndex) -> VideoFrame | None:
    """Decode the picture of the first keyframe, and nothing else.

    Decoding from the start returns the first picture only after pictures that are stored behind it.
    """
    with suppress(FFmpegError):
        container.seek(int(index.entries[0]), stream=stream)
        packet = next(container.demux(stream))
        for frame in (frame for each in (packet, None) for frame in stream.codec_context.decode(each)):
            return frame
    return None


@dataclass(frozen=True)
class Orientation:
    """The change from a stored to a displayed picture.

    First, the two axes of the picture are exchanged if ``swap`` is True. After that, the picture is mirrored
    left-right if ``mirror_x`` is True, and up-down if ``mirror_y`` is True.
    """

    swap: bool = False
    mirror_x: bool = False
    mirror_y: bool = False

    @classmethod
    def of(cls, frame: VideoFrame) -> "Orientation":
        """Read the display matrix that the container attaches to its frames.

        The matrix begins with (a, b, _, c, d, ...) in the file. With row vectors, the displayed position (x', y')
        of a stored position (x, y) is x' = a x + c y and y' = b x + d y. Other rotations are rounded to right
        angles.
        """
        turn = np.deg2rad(frame.rotation)
        a, b, c, d = np.cos(turn), -np.sin(turn), np.sin(turn), np.cos(turn)
        # The angle does not show whether the picture is mirrored, but the matrix does. PyAV raises ValueError if side
        # data has a kind that PyAV does not know.
        with suppress(ValueError):
            for data in cast(Iterable[SideData], frame.side_data):
                if data.type == Type.DISPLAYMATRIX:
                    a, b, c, d = np.frombuffer(bytes(data), np.int32)[[0, 1, 3, 4]]
        if abs(b) > abs(a):
            return cls(True, bool(c < 0), bool(b < 0))
        return cls(False, bool(a < 0), bool(d < 0))

    def applied(self, picture: np.ndarray) -> np.ndarray:
        """Return the displayed picture as a C-contiguous array."""
        if self.swap:
            picture = picture.swapaxes(0, 1)
        return np.ascontiguousarray(picture[:: -1 if self.mirror_y else 1, :: -1 if self.mirror_x else 1])


def _decode_sizes(
    path: Path, wanted: dict[int, tuple[Size | None, ...]], file: BufferedReader | None = None
) -> Iterator[tuple[int, Size | None, np.ndarray]]:
    """Yield (index, size, picture) in ascending order of the index."""
    # Each size has its own converter, because a single converter would make a new scaler whenever the size changes.
    converters: dict[Size | None, VideoReformatter] = {}
    orientation: Orientation | None = None
    for index, frame, own_width in _wanted_frames(path, sorted(wanted), file):
        orientation = orientation or Orientation.of(frame)
        is_wide = needs_mapping(frame)
        for size in wanted[index]:
            if size not in converters:
                converters[size] = VideoReformatter()
            width, height = size[::-1] if size and orientation.swap else size or (own_width, frame.height)
            # To reduce a picture, averaging areas is as good as bicubic interpolation, and faster. To enlarge a
            # picture, averaging areas is poor.
            shrinks = width <= frame.width and height <= frame.height
            is_own = (width, height) == (frame.width, frame.height)
            how = "BILINEAR" if size is None and is_own else "AREA" if shrinks else "BICUBIC"
            form = "rgb48le" if is_wide else "rgb24"
            picture = converters[size].reformat(frame, width, height, form, interpolation=how).to_ndarray()
            yield index, size, orientation.applied(to_sdr(picture, frame) if is_wide else picture)


def _wanted_frames(path: Path, wanted: list[int], file: BufferedReader | None) -> Iterator[tuple[int, VideoFrame, int]]:
    """Yield (index, decoded frame, width of square pixels) for ascending, distinct indices."""
    if not wanted:
        return
    done = 0
    with open_clip(path, file) as (container, stream):
        ratio = _pixel_ratio(stream)
        index = scan(path, container, stream)
        count = len(index.stamps)
        outside = next((i for i in wanted if not 0 <= i < count), None)
        if outside is not None:
            raise InputError(
                f"{path}: frame {outside} is requested, but the clip has only {count} frames (0 to {count - 1}); make "
                "a new "
                "frame plan for this clip"
            )
        if index.by_stamp:
            for number, frame in _by_groups(container, stream, index, wanted):
                done += 1
                yield number, frame, _square_width(frame, ratio)
    if done < len(wanted):
        for number, frame in _straight_through(path, index, wanted[done:]):
            yield number, frame, _square_width(frame, ratio)


def _by_groups(
    container: InputContainer, stream: VideoStream, index: FrameIndex, wanted: list[int]
) -> Iterator[tuple[int, VideoFrame]]:
    """Yield the wanted frames, one group of pictures after the other.

    The generator ends early at the first wrong frame.
    """
    # Pictures that are stored after the first keyframe but shown before this keyframe (an open group) belong to the
    # first group.
    groups = np.maximum(np.searchsorted(index.keys, index.stamps[wanted], side="right") - 1, 0)
    for group, members in groupby(zip(groups.tolist(), wanted, strict=True), key=lambda pair: pair[0]):
        expected = [(i, int(index.stamps[i])) for _, i in members]
        try:
            container.seek(int(index.entries[group]), stream=stream)
            found = 0
            for frame in _group_frames(container, stream, {stamp for _, stamp in expected}, int(index.keys[group])):
                if frame.pts != expected[found][1] or frame.is_corrupt:
                    return
                yield expected[found][0], frame
                found += 1
        except FFmpegError:
            return
        if found < len(expected):
            return


def _group_frames(container: InputContainer, stream: VideoStream, stamps: set[int], key: int) -> Iterator[VideoFrame]:
    """Decode from the keyframe stamped ``key``, and yield the requested frames.

    ``stamps`` are the stamps of the requested frames. The generator ends early if a frame is lost, because the
    decoder would continue with wrong pictures.
    """
    context = stream.codec_context
    length_size = _nal_length_size(context)
    unfed, inside = set(stamps), set[int]()
    for packet in container.demux(stream):
        stamp = packet.pts
        if length_size and stamp not in unfed and _is_never_referred_to(memoryview(packet), length_size):
            continue
        unfed.discard(stamp)
        if stamp is not None and stamp >= key and not packet.is_discard:
            inside.add(stamp)
        # After the last wanted packet, None makes the decoder return all remaining frames. So no further packet is
        # needed.
        packets = (packet,) if unfed or packet.size == 0 else (packet, None)
        for frame in (frame for each in packets for frame in context.decode(each)):
            here = cast(int, frame.pts)
            inside.discard(here)
            if here in stamps:
                if any(earlier < here for earlier in inside):
                    return
                yield frame
        if not unfed:
            return


def _nal_length_size(context: VideoCodecContext) -> int:
    """Return the size (bytes) of the length field before each NAL unit.

    NAL units are parts of an H.264 packet in MP4 or Matroska (ISO/IEC 14496-15). The result is 0 for other streams.
    """
    record = context.extradata or b""
    return (record[4] & 3) + 1 if context.name == "h264" and len(record) > 6 and record[0] == 1 else 0


def _is_never_referred_to(data: memoryview, length_size: int) -> bool:
    """Check whether no other picture refers to this H.264 picture.

    The nal_ref_idc of such a picture is 0 (ITU-T H.264, 7.4.1).
    """
    position = 0
    while position + length_size < len(data):
        header = data[position + length_size]
        if 1 <= header & 0x1F <= 5:
            return header & 0x60 == 0
        position += length_size + int.from_bytes(data[position : position + length_size])
    return False


def _straight_through(path: Path, index: FrameIndex, wanted: list[int]) -> Iterator[tuple[int, VideoFrame]]:
    """Yield the wanted frames by decoding the clip from its start.

    Raises:
        InputError: If a frame cannot be decoded.
    """
    position = {int(stamp): i for i, stamp in enumerate(index.stamps)} if index.by_stamp else None
    remaining = iter(wanted)
    target, cause, lost, previous = next(remaining), "the decoder does not return it", -1, -1
    with open_clip(path) as (container, stream):
        try:
            for count, frame in enumerate(container.decode(stream)):
                here = count if position is None else position.get(cast(int, frame.pts), -1)
                lost, previous = (here - 1 if here > previous + 1 else lost), here
                if here > target:
                    break
                if here < target:
                    continue
                # A decoder that has lost a frame continues, but returns wrong pictures until the next keyframe.
                if frame.is_corrupt or (lost >= 0 and index.stamps[lost] >= index.group_start(target)):
                    cause = "its data, or the data of its reference frames, are damaged"
                    break
                yield here, frame
                following = next(remaining, None)
                if following is None:
                    return
                target = following
        except FFmpegError as error:
            cause = reason(error)
    raise InputError(f"{path}: frame {target} cannot be decoded ({cause}); copy the clip again, or {REMEDY}")
