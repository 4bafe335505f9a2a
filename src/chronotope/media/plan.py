"""Frame plans: the frames of a clip that are shown, chosen without opening the clip.

A clip, or a time window of a clip, has N frames, numbered from 0. A sampler chooses some of the N frames. The
requested number of frames is n. The samplers are:

- ``endpoints``: frame round(i (N - 1) / (n - 1)) for i = 0 .. n - 1. If a value is half-way between two frames, the
  frame with the even number is chosen. The first and the last frame are included. If N < n, all frames are chosen;
  if n = 1, only the first frame is chosen.
- ``midpoints``: frame floor((i + 0.5) N / n) for i = 0 .. n - 1. These frames are the middles of n equal intervals.
  If N < n, all frames are chosen.
- ``stride``: the first n of the frames 0, k, 2k, ..., where k is max(1, floor(N / n)), or ``step`` if this argument
  is used.
- ``rate``: the frames nearest to 0, 1/r, 2/r, ... s after the first frame, where r is the rate. Each frame is
  chosen at most once.
- ``times``: the frames nearest to the given times, in the given order. A frame is repeated if it is nearest to two
  times.

If two frames are equally near to a time, the earlier frame is chosen.

Numbered pictures that replace a clip are planned in the same way (``plan_pictures``), by ``endpoints`` or
``midpoints``. This module opens no files and imports no module that opens files.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np

from chronotope.errors import InputError
from chronotope.io import canonical_json, sha256_bytes

Sampler = Literal["endpoints", "midpoints", "stride", "rate", "times"]
SAMPLER_WORDS: dict[Sampler, str] = {
    "endpoints": "evenly from first to last (endpoints)",
    "midpoints": "midpoints of equal parts (midpoints)",
    "stride": "every k-th from the first (stride)",
    "rate": "at a fixed rate (rate)",
    "times": "at given times (times)",
}
Encoding = Literal["jpeg", "png"]
Codec = Literal[Encoding, "file"]

# Two times count as equal if they differ by less than this number of seconds. The number is far below any frame period,
# and far above the rounding errors of float64.
SAME_TIME = 1e-7


@dataclass(frozen=True)
class ClipFacts:
    """The facts of a clip that planning needs.

    ``width`` and ``height`` (px) are the size of a displayed picture. This size includes the rotation that the file
    states, but not the pixel aspect ratio. ``fps`` is None if the frame rate varies. ``duration_s`` is ``frames`` /
    ``fps``. If the rate varies, ``duration_s`` is the last time stamp plus the period before it.
    """

    sha256: str
    width: int
    height: int
    frames: int
    fps: float | None
    duration_s: float


@dataclass(frozen=True)
class FramePlan:
    """Chosen frames of one clip, or chosen numbered pictures, and their encoding.

    - ``clip``: the SHA-256 of the clip. For numbered pictures, ``clip`` is the SHA-256 of the canonical JSON list
      of their hashes.
    - ``window``: the sampled time window (start, end) in s, or None for the whole clip.
    - ``indices``: the frames in the order in which they are shown.
    - ``times``: the time stamps of these frames in s.
    - ``size``: the (width, height) of the pictures in px, or None for the displayed size.
    - ``quality``: the JPEG quality, 1 to 100.

    Numbered pictures are sent unchanged. The ``codec`` of numbered pictures is ``file``, and ``times`` is empty
    because the times of the pictures are unknown.

    Raises:
        InputError: If a field has a value that is not allowed.
    """

    clip: str
    sampler: Sampler
    window: tuple[float, float] | None
    indices: tuple[int, ...]
    times: tuple[float, ...]
    size: tuple[int, int] | None
    codec: Codec = "jpeg"
    quality: int = 85

    def __post_init__(self) -> None:
        if self.sampler not in get_args(Sampler):
            raise InputError(f"sampler {self.sampler!r} is unknown; choose one of {', '.join(get_args(Sampler))}")
        if self.codec not in get_args(Codec):
            raise InputError(f"frame codec {self.codec!r} is unknown; choose jpeg or png")
        if self.of_files and self.times:
            raise InputError("a frame plan of numbered pictures has no times: remove the times")
        if not 1 <= self.quality <= 100:
            raise InputError(f"frame quality {self.quality} is outside 1 to 100")
        if self.size is not None and min(self.size) < 1:
            raise InputError(f"frame size {self.size[0]}x{self.size[1]} is not positive in both directions")
        stamped = self.of_files or len(self.indices) == len(self.times)
        if not self.indices or not stamped or min(self.indices) < 0:
            raise InputError("a frame plan needs at least one frame, no negative index, and one time for each index")

    def __hash__(self) -> int:
        # A set of frames hashes the plan once for each frame, so the hash uses only a few values. These values
        # distinguish most plans.
        return hash((self.clip, self.window, self.size, len(self.indices), self.indices[0], self.indices[-1]))

    @property
    def of_files(self) -> bool:
        """Check whether the plan is a plan of numbered pictures.

        Numbered pictures are sent unchanged.
        """
        return self.codec == "file"

    @property
    def key(self) -> str:
        """Return the SHA-256 of all values that determine the pictures' bytes.

        The key depends on the clip, the indices, the size, the codec, and the JPEG quality.
        """
        what = {"clip": self.clip, "indices": list(self.indices), "size": list(self.size) if self.size else None}
        how = {"codec": self.codec, "quality": self.quality if self.codec == "jpeg" else None}
        return sha256_bytes(canonical_json(what | how).encode())

    def to_dict(self) -> dict[str, Any]:
        """Convert the plan to plain data for JSON.

        ``from_dict`` converts the data back to a plan.
        """
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "FramePlan":
        """Make a plan from the data that ``to_dict`` returned.

        Raises:
            InputError: If a field is missing or invalid. The message names the field.
        """
        try:
            fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
            return cls(**fields)
        except TypeError as error:
            raise InputError(f"this is not a frame plan: {error}") from error


def plan_frames(
    facts: ClipFacts,
    sampler: Sampler,
    *,
    count: int | None = None,
    step: int | None = None,
    rate: float | None = None,
    at: Sequence[float] | None = None,
    window: tuple[float, float] | None = None,
    size: tuple[int, int] | None = None,
    max_side: int | None = None,
    codec: Encoding = "jpeg",
    quality: int = 85,
    times: np.ndarray | None = None,
) -> FramePlan:
    """Plan which frames of a clip are shown.

    Each sampler has its own arguments:

    - ``count`` is the requested number of frames, for endpoints, midpoints and stride.
    - ``step`` is the number of frames from one chosen frame to the next, for stride.
    - ``rate`` is the number of frames per second to choose, for rate.
    - ``at`` are the requested times in s, for times.

    ``window`` (start, end) in s selects the frames to which the sampler is applied. A frame is selected if its
    stamp is in the window or at most half a frame period outside. So if the rate is constant, a window inside the
    clip always contains a frame.

    ``size`` is (width, height) in px. ``max_side`` (px) can be used instead: the pictures are reduced so that their
    longer side has at most ``max_side`` px, and they are never enlarged. ``times`` (N,) s are the exact stamps of
    all frames (see ``frame_times``). Without ``times``, the stamp of a frame is its index divided by the frame
    rate. So a clip with a varying rate needs ``times``.

    Raises:
        InputError: If an argument does not belong to the sampler, if the window contains no frame, or if a time is
            outside the clip.
    """
    _check_arguments(sampler, {"count": count, "step": step, "rate": rate, "at": at})
    stamps = _stamps(facts, times)
    inside = _inside(stamps, window, facts)
    if sampler == "rate":
        assert rate is not None
        targets = stamps[inside[0]] + np.arange(int((stamps[inside[-1]] - stamps[inside[0]]) * rate + 1e-6) + 1) / rate
        local = sorted(set(_nearest(stamps[inside], targets).tolist()))
    elif sampler == "times":
        assert at is not None
        local = _nearest(stamps[inside], _times_in_clip(at, stamps, facts)).tolist()
    else:
        local = _by_count(sampler, len(inside), count, step)
    indices = inside[np.array(local)]
    return FramePlan(
        clip=facts.sha256,
        sampler=sampler,
        window=None if window is None else (float(window[0]), float(window[1])),
        indices=tuple(indices.tolist()),
        times=tuple(stamps[indices].tolist()),
        size=_picture_size(facts, size, max_side),
        codec=codec,
        quality=quality,
    )


def plan_pictures(
    pictures: Sequence[str], sampler: Literal["endpoints", "midpoints"], *, count: int | None = None
) -> FramePlan:
    """Choose the pictures to show from the pictures that replace a clip.

    ``pictures`` are the SHA-256 of the pictures, in order. If ``count`` is None, all pictures are shown.

    Raises:
        InputError: If there are no pictures, or if ``count`` is not above 0.
    """
    if not pictures:
        raise InputError("a frame plan needs at least one picture")
    _check_arguments(sampler, {"count": len(pictures) if count is None else count})
    clip = sha256_bytes(canonical_json(list(pictures)).encode())
    chosen = _by_count(sampler, len(pictures), count or len(pictures), None)
    return FramePlan(clip, sampler, None, tuple(chosen), (), None, codec="file")


def _check_arguments(sampler: str, given: dict[str, Any]) -> None:
    """Check the arguments of a sampler.

    Raises:
        InputError: If an argument does not belong to the sampler, or is not a positive number.
    """
    takes = {
        "endpoints": ("count",),
        "midpoints": ("count",),
        "stride": ("count", "step"),
        "rate": ("rate",),
        "times": ("at",),
    }
    if sampler not in takes:
        raise InputError(f"sampler {sampler!r} is unknown; choose one of {', '.join(takes)}")
    names = {name for name, value in given.items() if value is not None}
    if not names or names - set(takes[sampler]):
        found = ", ".join(sorted(names)) or "no arguments"
        raise InputError(
            f"sampler {sampler!r} needs the argument {' or '.join(takes[sampler])}, but the call has {found}"
        )
    for name in names - {"at"}:
        if not (np.isfinite(given[name]) and given[name] > 0):
            raise InputError(f"{name} of sampler {sampler!r} is {given[name]}; it must be above 0")
    if "at" in names and not (len(given["at"]) and np.all(np.isfinite(given["at"]))):
        raise InputError("sampler 'times' needs at least one time, and all times must be finite numbers (s)")


def _stamps(facts: ClipFacts, times: np.ndarray | None) -> np.ndarray:
    """Return the clip's time stamps (N,) in s."""
    if times is not None:
        if len(times) != facts.frames:
            raise InputError(
                f"there are {len(times)} time stamps, but the clip has {facts.frames} frames: read the time stamps "
                "again"
            )
        return np.asarray(times, np.float64)
    if facts.fps is None:
        raise InputError(
            f"clip {facts.sha256[:12]} has a variable frame rate: pass the time stamps of its frames (see frame_times)"
        )
    return np.arange(facts.frames) / facts.fps


def _period(stamps: np.ndarray, facts: ClipFacts) -> float:
    """Return the duration of a typical frame in s.

    The duration is 1 / fps, or the median period if the rate varies.
    """
    if facts.fps is not None:
        return 1 / facts.fps
    return float(np.median(np.diff(stamps))) if len(stamps) > 1 else 0.0


def _inside(stamps: np.ndarray, window: tuple[float, float] | None, facts: ClipFacts) -> np.ndarray:
    """Return the indices (M,) of the frames in the window.

    M is at least 1, because a window without a frame is refused with an InputError.
    """
    if window is None:
        return np.arange(len(stamps))
    start, end = window
    slack = _period(stamps, facts) / 2 + SAME_TIME
    inside = np.flatnonzero((stamps >= start - slack) & (stamps <= end + slack) & (start <= end))
    if not len(inside):
        raise InputError(
            f"the window {start:g} to {end:g} s contains no frame of clip {facts.sha256[:12]}, whose frames are from "
            f"{stamps[0]:g} to {stamps[-1]:g} s: correct the window"
        )
    return inside


def _times_in_clip(at: Sequence[float], stamps: np.ndarray, facts: ClipFacts) -> np.ndarray:
    """Return the requested times (K,) in s after checking them.

    Raises:
        InputError: If a time is more than one frame period before the first frame, or more than two frame periods
        after the last.
    """
    slack = _period(stamps, facts) + SAME_TIME
    asked = np.asarray(at, np.float64)
    for time in asked:
        # The last frame is shown for one period, and durations in texts are often rounded up.
        if not stamps[0] - slack <= time <= stamps[-1] + 2 * slack:
            raise InputError(
                f"the time {time:g} s is outside clip {facts.sha256[:12]}, whose frames are from {stamps[0]:g} to "
                f"{stamps[-1]:g} s: correct the time"
            )
    return asked


def _nearest(stamps: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return the indices (K,) of the stamps nearest to the targets.

    If two stamps are equally near, the earlier stamp is used.
    """
    after = np.clip(np.searchsorted(stamps, targets), 0, len(stamps) - 1)
    before = np.maximum(after - 1, 0)
    return np.where(targets - stamps[before] <= stamps[after] - targets + SAME_TIME, before, after)


@lru_cache(maxsize=256)  # clips with the same number of frames get the same indices
def _by_count(sampler: Sampler, total: int, count: int | None, step: int | None) -> Sequence[int]:
    """Choose some of ``total`` frames with a sampler that counts frames."""
    if sampler == "stride":
        step = step or max(1, total // (count or 1))
        return range(0, total, step)[:count]
    assert count is not None
    if total <= count:
        return range(total)
    if sampler == "midpoints":
        return tuple((2 * i + 1) * total // (2 * count) for i in range(count))
    if count == 1:
        return (0,)
    return tuple(round(Fraction(i * (total - 1), count - 1)) for i in range(count))


def _picture_size(facts: ClipFacts, size: tuple[int, int] | None, max_side: int | None) -> tuple[int, int] | None:
    """Return the pictures' (width, height), or None for the clip's own size."""
    own = (facts.width, facts.height)
    if max_side is not None:
        if size is not None:
            raise InputError(
                "size and max_side cannot be used together in a frame plan: use only size or only max_side"
            )
        if max_side < 1:
            raise InputError(f"max_side is {max_side}; it must be above 0")
        scale = min(1.0, max_side / max(own))
        size = (max(1, round(own[0] * scale)), max(1, round(own[1] * scale)))
    return None if size is None or tuple(size) == own else (int(size[0]), int(size[1]))
