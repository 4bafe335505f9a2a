"""Whether a clip that a service restyled still shows what is known about the clip that it was made from.

Masks of the recording say where each entity is. Points inside a mask are followed through the restyled clip by optical
flow, and through the original clip. An entity is kept if its points end where those of the original end, inside its
mask, and if its outline is seen where the mask ends. The check needs the extra ``sight`` (OpenCV).
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.media import decode_frames, frame_times
from chronotope.models.media.clip_checks import check_clip
from chronotope.recording import Recording, read_identities

WIDTH = 320  # px of the pictures that are compared
SPAN = 0.5  # seconds for which points are followed before new ones are chosen
STRIDE = 1.0  # seconds between the beginnings of spans
LEAST_PIXELS = 150  # of an entity that is checked, at this width
MOST_POINTS, LEAST_POINTS = 40, 5  # of an entity in a span
SPREAD = 2  # px between two points
APART = 0.0125  # largest distance of a point from its place in the original, as a share of the width
SLACK = 4  # px by which a mask is widened
POINTS_KEPT = 0.6  # least share of the points of an entity in a span
OUTLINE = 1.2  # least contrast of an outline, relative to its surroundings
BESIDE = 6  # px by which an outline is moved to see whether it fits better there
SHARPER = 0.9  # least contrast of an outline, relative to that beside it
CLEAR_OUTLINE = 1.6  # contrast of an outline in the original that is clear enough to be looked for
SPANS_KEPT = 0.6  # least share of the spans of an entity
NOT_KEPT = "restyled, truth not kept"


@dataclass(frozen=True)
class KeptEntity:
    """How much of an entity a restyled clip keeps: shares of the spans in which its points and its outline agree.

    A share is None if no span of the original is clear enough.
    """

    id: str
    label: str
    spans: int
    points: float | None
    outline: float | None

    @property
    def is_kept(self) -> bool:
        """Check whether the entity is where the recording says."""
        return all(share is None or share >= SPANS_KEPT for share in (self.points, self.outline))


@dataclass(frozen=True)
class Restyled:
    """Whether a restyled clip counts as exact, and why not."""

    entities: Sequence[KeptEntity]
    faults: Sequence[str] = field(default=())

    @property
    def is_exact(self) -> bool:
        """Check whether everything that could be checked agrees, and something could be checked."""
        return bool(self.entities) and not self.faults and all(entity.is_kept for entity in self.entities)

    @property
    def told(self) -> str:
        """Return the verdict in words."""
        if self.is_exact:
            return f"restyled, and all {len(self.entities)} entities are where the recording says"
        lost = [entity.label for entity in self.entities if not entity.is_kept]
        reasons = [*self.faults, *([f"not followed: {', '.join(lost)}"] if lost else [])]
        return f"{NOT_KEPT} ({'; '.join(reasons) or 'no entity is large enough to be followed'})"


def check_restyled(clip: Path, recording: Recording, folder: Path) -> Restyled:
    """Compare a restyled clip with the recording that it was made from.

    ``folder`` is the folder of the recording, with its identity maps.

    Raises:
        InputError: If the recording has no clip or no identity maps, or a file cannot be read.
    """
    if recording.clip is None or recording.identities is None:
        raise InputError(f"{recording.id}: has no clip with identity maps, so a restyled clip cannot be compared")
    times = frame_times(recording.clip.path)
    seconds = float(times[-1] + (times[1] - times[0] if len(times) > 1 else 0.0))
    faults = [f"{check.name}: {check.told}" for check in check_clip(clip, seconds) if not check.passed]
    if any(fault.startswith("length") for fault in faults):
        return Restyled((), faults)
    pair = _Pair(clip, recording, folder, times)
    return Restyled(pair.entities(), faults)


@dataclass
class _Pair:
    """The restyled clip and the original, at one size."""

    clip: Path
    recording: Recording
    folder: Path
    times: np.ndarray

    @cached_property
    def size(self) -> tuple[int, int]:
        assert self.recording.clip is not None
        return WIDTH, round(WIDTH * self.recording.clip.height / self.recording.clip.width)

    @cached_property
    def originals(self) -> Mapping[int, np.ndarray]:
        assert self.recording.clip is not None
        return dict(decode_frames(self.recording.clip.path, self.frames, self.size))

    @cached_property
    def restyled(self) -> Mapping[int, np.ndarray]:
        """Return the restyled frames by the index of the original frame of the same time."""
        there = frame_times(self.clip)
        nearest = {frame: int(np.argmin(np.abs(there - self.times[frame]))) for frame in self.frames}
        pictures = dict(decode_frames(self.clip, sorted(set(nearest.values())), self.size))
        return {frame: pictures[index] for frame, index in nearest.items()}

    @cached_property
    def frames(self) -> list[int]:
        return sorted({frame for span in self.spans for frame in span})

    @cached_property
    def spans(self) -> list[list[int]]:
        """Return the frames of each span; those without an identity map at either end are left out."""
        assert self.recording.identities is not None
        found = []
        for start in np.arange(0.0, float(self.times[-1]) - SPAN + 1e-6, STRIDE):
            inside = np.flatnonzero((self.times >= start - 1e-6) & (self.times <= start + SPAN + 1e-6)).tolist()
            ends = (inside[0], inside[-1]) if len(inside) > 1 else ()
            if ends and all(self.recording.identities[frame] is not None for frame in ends):
                found.append(inside)
        return found

    def entities(self) -> list[KeptEntity]:
        """Follow all entities through all spans."""
        kept: dict[int, list[tuple[bool | None, bool | None]]] = {}
        for span in self.spans:
            first, last = self._identities(span[0]), self._identities(span[-1])
            for number, agreement in self._agreements(span, first, last):
                kept.setdefault(number, []).append(agreement)
        made = []
        for number, agreements in sorted(kept.items()):
            points, outline = (_share([pair[k] for pair in agreements]) for k in range(2))
            if (points, outline) != (None, None):
                entity = self.recording.entities[number - 1]
                made.append(KeptEntity(entity.id, entity.label, len(agreements), points, outline))
        return made

    def _agreements(
        self, span: Sequence[int], first: np.ndarray, last: np.ndarray
    ) -> Iterator[tuple[int, tuple[bool | None, bool | None]]]:
        """Yield, for each entity that is large enough at both ends, whether its points and its outline agree."""
        for number in np.unique(first[first > 0]).tolist():
            mask, end = first == number, last == number
            if min(mask.sum(), end.sum()) < LEAST_PIXELS:
                continue
            yield number, (self._follows(mask, span, end), self._has_outline(mask, span[0]))

    def _follows(self, mask: np.ndarray, span: Sequence[int], end: np.ndarray) -> bool | None:
        """Check whether points of an entity move through the restyled clip as through the original.

        Points that cannot even be followed through the original do not count; with too few others, the result is None.
        """
        originals, restyled = ([pictures[frame] for frame in span] for pictures in (self.originals, self.restyled))
        points = _points_in(mask, originals[0], restyled[0])
        wanted = _followed(points, originals)
        is_sure = _inside(wanted, end, 0)
        if is_sure.sum() < LEAST_POINTS:
            return None
        found = _followed(points[is_sure], restyled)
        near = np.hypot(*(found - wanted[is_sure]).T) <= APART * WIDTH
        return float(np.mean(near & _inside(found, end, SLACK))) >= POINTS_KEPT

    def _has_outline(self, mask: np.ndarray, frame: int) -> bool | None:
        """Check whether the outline of a mask is seen, and is seen nowhere beside it.

        The result is None if even the original hardly shows it.
        """
        if _contrast(self.originals[frame], mask) < CLEAR_OUTLINE:
            return None
        picture = self.restyled[frame]
        there = _contrast(picture, mask)
        beside = max(_contrast(picture, np.roll(mask, shift, axis)) for axis in (0, 1) for shift in (-BESIDE, BESIDE))
        return there >= max(OUTLINE, SHARPER * beside)

    def _identities(self, frame: int) -> np.ndarray:
        """Return an identity map at the size of the comparison."""
        assert self.recording.identities is not None
        name = self.recording.identities[frame]
        assert name is not None
        values = read_identities(self.folder / name)
        rows = np.minimum((np.arange(self.size[1]) + 0.5) * values.shape[0] / self.size[1], values.shape[0] - 1)
        columns = np.minimum((np.arange(self.size[0]) + 0.5) * values.shape[1] / self.size[0], values.shape[1] - 1)
        return values[rows.astype(int)][:, columns.astype(int)]


def _share(told: Sequence[bool | None]) -> float | None:
    """Return the share of agreements among those that are known, or None."""
    known = [value for value in told if value is not None]
    return sum(known) / len(known) if known else None


def _points_in(mask: np.ndarray, *pictures: np.ndarray) -> np.ndarray:
    """Return the points (N, 2) px of a mask whose surroundings are clearest in both pictures."""
    import cv2

    strength = np.ones(mask.shape, np.float32)
    for picture in pictures:
        grey = cv2.cvtColor(np.ascontiguousarray(picture), cv2.COLOR_RGB2GRAY)
        clear = cv2.cornerMinEigenVal(grey, 7)
        strength = np.minimum(strength, clear / max(float(np.quantile(clear[mask], 0.95)), 1e-9))
    strength[~mask] = -1.0
    rows, columns = np.unravel_index(np.argsort(strength, axis=None)[::-1], mask.shape)
    chosen: list[tuple[int, int]] = []
    taken = np.zeros(mask.shape, bool)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        if strength[row, column] < 0 or len(chosen) == MOST_POINTS:
            break
        if not taken[row, column]:
            taken[max(0, row - SPREAD) : row + SPREAD + 1, max(0, column - SPREAD) : column + SPREAD + 1] = True
            chosen.append((column, row))
    return np.array(chosen, np.float32).reshape(-1, 2)


def _inside(points: np.ndarray, mask: np.ndarray, slack: int) -> np.ndarray:
    """Return, for each point, whether it lies in a mask that is widened by ``slack`` px."""
    import cv2

    wide = cv2.dilate(mask.astype(np.uint8), np.ones((2 * slack + 1,) * 2, np.uint8)).astype(bool)
    places = np.round(points).astype(int)
    within = (places >= 0).all(axis=1) & (places < np.array(mask.shape[::-1])).all(axis=1)
    found = np.zeros(len(points), bool)
    found[within] = wide[places[within, 1], places[within, 0]]
    return found


def _followed(points: np.ndarray, pictures: Sequence[np.ndarray]) -> np.ndarray:
    """Follow points (N, 2) through pictures, and return where they end."""
    import cv2

    grey = [cv2.cvtColor(np.ascontiguousarray(picture), cv2.COLOR_RGB2GRAY) for picture in pictures]
    at = points.reshape(-1, 1, 2).copy()
    for before, after in itertools.pairwise(grey):
        moved, found, _ = cv2.calcOpticalFlowPyrLK(before, after, at, at.copy(), winSize=(21, 21), maxLevel=3)
        at = np.where(found.reshape(-1, 1, 1) == 1, moved, at)
    return at.reshape(-1, 2)


def _contrast(picture: np.ndarray, mask: np.ndarray) -> float:
    """Return the gradient along the outline of a mask, relative to that a little away from it."""
    import cv2

    colours = cv2.cvtColor(np.ascontiguousarray(picture), cv2.COLOR_RGB2LAB).astype(np.float32)
    colours = cv2.GaussianBlur(colours, (3, 3), 0)
    right, down = (cv2.Sobel(colours, cv2.CV_32F, *order) for order in ((1, 0), (0, 1)))
    strength = np.sqrt((right**2 + down**2).sum(axis=2))
    small = mask.astype(np.uint8)
    rim = (cv2.dilate(small, np.ones((3, 3), np.uint8)) - cv2.erode(small, np.ones((3, 3), np.uint8))) > 0
    wide = cv2.dilate(small, np.ones((13, 13), np.uint8)) - cv2.erode(small, np.ones((13, 13), np.uint8))
    away = (wide > 0) & ~(cv2.dilate(rim.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0)
    if not rim.any() or not away.any():
        return 0.0
    return float(strength[rim].mean() / (strength[away].mean() + 1.0))
