"""Frame plans: the shown frames of a clip as data, planned without opening it.

The samplers, for the N frames of the clip (or of the window, numbered from 0):

- ``endpoints``: frame round(i (N - 1) / (n - 1)) for i = 0 .. n - 1, half to even: first and last included. All
  frames if N < n; the first if n = 1.
- ``midpoints``: frame floor((i + 0.5) N / n), the middles of n equal parts. All frames if N < n.
- ``stride``: frames 0, k, 2k, ... with k = max(1, floor(N / n)), the first n of them; an explicit ``step`` is k.
- ``rate``: the frames nearest to 0, 1/r, 2/r, ... s after the first, each frame once.
- ``times``: the frames nearest to the given times, in the given order, repeated if two times share a frame.

"Nearest" takes the earlier of two equally near frames.

Numbered pictures that replace a clip are planned in the same way (`plan_pictures`), by ``endpoints`` or ``midpoints``.
This module opens no file and imports nothing that does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np

from chronotope.errors import InputError
from chronotope.io import canonical_json, sha256_bytes

__all__ = ["ClipFacts", "FramePlan", "Sampler", "plan_frames", "plan_pictures"]

Sampler = Literal["endpoints", "midpoints", "stride", "rate", "times"]
Encoding = Literal["jpeg", "png"]
Codec = Literal[Encoding, "file"]

# Two times that differ by less are the same: far below any frame period, far above rounding in float64.
SAME_TIME = 1e-7


@dataclass(frozen=True)
class ClipFacts:
    """The facts of a clip that planning needs.

    ``width`` and ``height`` are in px as displayed: the rotation in the file is applied, its pixel aspect ratio is
    not. ``fps`` is None if the frame rate varies. ``duration_s`` is frames / fps, or, if the rate varies, the
    last time stamp plus the period before it.
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

    ``clip`` is the clip's SHA-256, or that of the canonical JSON of the pictures' own hashes; ``window`` the sampled
    (start, end) in s, or None; ``indices`` the frames in the order shown; ``times`` their stamps in s; ``size`` the
    pictures' (width, height) in px, or None for the displayed size; ``quality`` the JPEG quality, 1 to 100. Numbered
    pictures are sent unchanged: ``codec`` is ``file``, and ``times`` is empty because their times are unknown.

    Raises:
        InputError: If a field is out of its range.
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
            raise InputError("a frame plan of numbered pictures has no times: leave them out")
        if not 1 <= self.quality <= 100:
            raise InputError(f"frame quality {self.quality} is outside 1 to 100")
        if self.size is not None and min(self.size) < 1:
            raise InputError(f"frame size {self.size[0]}x{self.size[1]} is not positive in both directions")
        stamped = self.of_files or len(self.indices) == len(self.times)
        if not self.indices or not stamped or min(self.indices) < 0:
            raise InputError("a frame plan needs at least one frame, no negative index, and one time for each index")

    def __hash__(self) -> int:
        # By what tells most plans apart: a set of frames hashes their plan once for each of them.
        return hash((self.clip, self.window, self.size, len(self.indices), self.indices[0], self.indices[-1]))

    @property
    def of_files(self) -> bool:
        """Check whether the plan is of numbered pictures.

        They are sent unchanged.
        """
        return self.codec == "file"

    @property
    def key(self) -> str:
        """Return the SHA-256 of all that determines the pictures' bytes.

        These are clip, indices, size, codec, and quality for JPEG.
        """
        what = {"clip": self.clip, "indices": list(self.indices), "size": list(self.size) if self.size else None}
        how = {"codec": self.codec, "quality": self.quality if self.codec == "jpeg" else None}
        return sha256_bytes(canonical_json(what | how).encode())

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data for JSON; `from_dict` is its inverse."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "FramePlan":
        """Read the plan that `to_dict` wrote.

        Raises:
            InputError: If a field is missing or invalid. It names the field.
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

    ``count`` is for endpoints, midpoints and stride, ``step`` for stride, ``rate`` (frames per s) for rate, ``at`` (s)
    for times. ``window`` (start, end) in s selects the frames with stamps in it or at most half a frame outside, so a
    window inside a clip of constant rate is never empty; the sampler is applied to these frames. ``size`` is (width,
    height) in px; ``max_side`` instead reduces the longer side to that many px, and never enlarges. ``times`` (N,) s
    are the exact stamps (`frame_times`); without them stamps are index / fps, so clips of varying rate need them.

    Raises:
        InputError: If arguments do not belong to the sampler, the window contains no frame, or a time is outside the
            clip.
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
    """Plan which numbered pictures replace a clip.

    All are shown if ``count`` is None. ``pictures`` are their SHA-256, in order.

    Raises:
        InputError: If there are no pictures, or ``count`` is not above 0.
    """
    if not pictures:
        raise InputError("a frame plan needs pictures: name at least one")
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
        found = ", ".join(sorted(names)) or "nothing"
        raise InputError(f"sampler {sampler!r} takes {' or '.join(takes[sampler])}, but was given {found}")
    for name in names - {"at"}:
        if not (np.isfinite(given[name]) and given[name] > 0):
            raise InputError(f"{name} of sampler {sampler!r} is {given[name]}; it must be above 0")
    if "at" in names and not (len(given["at"]) and np.all(np.isfinite(given["at"]))):
        raise InputError("sampler 'times' expects finite times in s, at least one")


def _stamps(facts: ClipFacts, times: np.ndarray | None) -> np.ndarray:
    """Return the clip's stamps in s, (N,)."""
    if times is not None:
        if len(times) != facts.frames:
            raise InputError(
                f"{len(times)} time stamps for a clip of {facts.frames} frames: read the time stamps again"
            )
        return np.asarray(times, np.float64)
    if facts.fps is None:
        raise InputError(f"clip {facts.sha256[:12]} has a variable frame rate: pass its time stamps (frame_times)")
    return np.arange(facts.frames) / facts.fps


def _period(stamps: np.ndarray, facts: ClipFacts) -> float:
    """Return the duration of a typical frame in s.

    It is 1 / fps, or the median period.
    """
    if facts.fps is not None:
        return 1 / facts.fps
    return float(np.median(np.diff(stamps))) if len(stamps) > 1 else 0.0


def _inside(stamps: np.ndarray, window: tuple[float, float] | None, facts: ClipFacts) -> np.ndarray:
    """Return the indices (M,) of the frames in the window.

    M is at least 1.
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
    """Return the requested times (K,) in s.

    Raises:
        InputError: If a time is more than one frame before the first or after the last frame.
    """
    slack = _period(stamps, facts) + SAME_TIME
    asked = np.asarray(at, np.float64)
    for time in asked:
        # The last frame is shown for one period, and printed durations are rounded up.
        if not stamps[0] - slack <= time <= stamps[-1] + 2 * slack:
            raise InputError(
                f"{time:g} s is outside clip {facts.sha256[:12]}, whose frames are from {stamps[0]:g} to "
                f"{stamps[-1]:g} s: correct the time"
            )
    return asked


def _nearest(stamps: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return the position (K,) of the nearest stamp for each target.

    Of two equally near stamps the earlier one is taken.
    """
    after = np.clip(np.searchsorted(stamps, targets), 0, len(stamps) - 1)
    before = np.maximum(after - 1, 0)
    return np.where(targets - stamps[before] <= stamps[after] - targets + SAME_TIME, before, after)


@lru_cache(maxsize=256)  # every question about clips of one length asks for the same
def _by_count(sampler: Sampler, total: int, count: int | None, step: int | None) -> Sequence[int]:
    """Choose positions among ``total`` frames by a sampler of whole numbers."""
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
            raise InputError("size and max_side exclude each other in a frame plan: give one")
        if max_side < 1:
            raise InputError(f"max_side is {max_side}; it must be above 0")
        scale = min(1.0, max_side / max(own))
        size = (max(1, round(own[0] * scale)), max(1, round(own[1] * scale)))
    return None if size is None or tuple(size) == own else (int(size[0]), int(size[1]))
