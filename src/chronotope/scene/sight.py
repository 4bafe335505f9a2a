"""The visibility of a thing: clearly visible, not visible, or undecided near a threshold.

The thresholds are taken from STI-Bench. A value within 5 % of a threshold is undecided, because another graphics
driver could change the result.
"""

from dataclasses import dataclass

import numpy as np

from chronotope.geometry import corners_at
from chronotope.question import Reason, Refused
from chronotope.recording import Entity, Recording

LEAST_SHARE = 0.001  # least share of the picture's pixels
LEAST_FRACTION = 0.6  # least unhidden share of the surface that faces the camera
WHOLE_FRACTION = 0.8  # a question about size needs this unhidden share in at least one sample
MARGIN = 0.05  # values that differ from a threshold by less than this share are undecided
FEW_PIXELS = 4  # a thing with at least this number of pixels is in the picture
LONGEST_GAP = 0.3  # an interval continues if the thing is invisible for at most this time (s)
_EPSILON = 1e-6  # s
_BEFORE = np.array([[0.0, 0.0, 1.0]])  # the plane through the camera, perpendicular to its axis


@dataclass(frozen=True, eq=False)
class Sight:
    """The visibility of a thing in each sample, as arrays (T,) bool.

    - ``clear``: the number of pixels and the unhidden fraction are both above their thresholds by at least the
      margin.
    - ``possible``: neither the number of pixels nor the unhidden fraction is below its threshold by more than the
      margin.
    - ``large``: the number of pixels is not below its threshold by more than the margin. For ``large``, the
      unhidden fraction does not matter.
    - ``whole``: the thing is clear, and hardly any part of it is hidden.
    - ``shown``: any part of the thing is in the picture, so a name can refer to this thing.
    """

    clear: np.ndarray
    possible: np.ndarray
    large: np.ndarray
    whole: np.ndarray
    shown: np.ndarray

    @property
    def ever(self) -> bool:
        """Check whether the thing is ever in the picture, even partly."""
        return bool((self.shown | self.possible | self.large).any())


def shown_of(entity: Entity, recording: Recording, picture: tuple[int, int] | None) -> np.ndarray:
    """Find the samples (T,) bool that show any part of an entity.

    ``picture`` is (width, height) px. If the source states the number of the entity's pixels, this number is used. If
    the source states only a rectangle, the rectangle is used. If the source states neither, the overlap of the box with
    the camera's view is used. If the camera's projection is unknown, everything in front of the camera counts as shown.
    """
    flag = np.zeros(len(recording.times), bool) if entity.visible is None else entity.visible
    if entity.visible_pixels is not None:
        return flag | (entity.visible_pixels >= FEW_PIXELS)
    if entity.box2d is not None:
        return flag | np.isfinite(entity.box2d).all(axis=1)
    if recording.intrinsics is None or picture is None:
        return np.asarray(_corners_within(entity, recording, _BEFORE).any(axis=1).all(axis=-1))
    # A box counts as in view unless it is completely outside one of these planes.
    planes = _planes(recording.intrinsics, picture)
    return np.asarray(flag | _corners_within(entity, recording, planes).any(axis=1).all(axis=-1))


def wholly_within(entity: Entity, recording: Recording, picture: tuple[int, int] | None) -> np.ndarray:
    """Find the samples (T,) bool with the whole box of an entity inside the picture.

    ``picture`` is (width, height) px. If the camera's projection is unknown, all samples with the whole box in front of
    the camera count.
    """
    if recording.intrinsics is None or picture is None:
        return wholly_before(entity, recording)
    planes = _planes(recording.intrinsics, picture)
    return np.asarray(_corners_within(entity, recording, planes).all(axis=(1, 2)))


def _planes(intrinsics: np.ndarray, picture: tuple[int, int]) -> np.ndarray:
    """Return the planes (T or 1, 5, 3) that bound what the camera sees.

    Visible points are in front of the camera, and inside the planes through the camera and the picture's edges.
    """
    rows = intrinsics.reshape(-1, 3, 3)
    inverse = np.linalg.inv(rows)
    left, right, top, bottom = (
        inverse @ np.array([x, y, 1.0]) for x, y in ((0, 0), (picture[0], 0), (0, 0), (0, picture[1]))
    )
    zeros, ones = np.zeros(len(rows)), np.ones(len(rows))
    sides = (
        np.stack([ones, zeros, -left[:, 0]], axis=1),
        np.stack([-ones, zeros, right[:, 0]], axis=1),
        np.stack([zeros, ones, -top[:, 1]], axis=1),
        np.stack([zeros, -ones, bottom[:, 1]], axis=1),
        np.stack([zeros, zeros, ones], axis=1),
    )
    return np.stack(sides, axis=1)


def wholly_before(entity: Entity, recording: Recording) -> np.ndarray:
    """Find the samples with the whole box in front of the camera.

    The result is (T,) bool.
    """
    return np.asarray(_corners_within(entity, recording, _BEFORE).all(axis=(1, 2)))


def _corners_within(entity: Entity, recording: Recording, planes: np.ndarray) -> np.ndarray:
    """Find the box corners on the inner side of given planes.

    The result is (T, 8, P) bool. ``planes`` are (P, 3) or (T, P, 3), in the camera's frame.
    """
    points = corners_at(entity.poses, entity.size)
    cameras = recording.world_T_camera
    local = (points - cameras[:, None, :3, 3]) @ cameras[:, :3, :3]
    return np.asarray(local @ np.swapaxes(planes, -1, -2) > 0)  # False for NaN


def sight_of(entity: Entity, samples: int, pixels: int | None, shown: np.ndarray) -> Sight:
    """Decide the visibility of an entity in each sample.

    ``samples`` is the number of samples, and ``pixels`` is the number of pixels of a picture. ``shown`` is the
    result of ``shown_of``. If the source has neither pixels nor fractions, the source's own flag ``visible``
    decides. If the source has no flag either, the entity is never visible.
    """
    flag = entity.visible
    known = [values for values in (entity.visible_pixels, entity.visible_fraction) if values is not None]
    if flag is None:
        flag = np.full(samples, bool(known))
    share = np.full(samples, np.inf)
    if entity.visible_pixels is not None and pixels is not None:
        share = entity.visible_pixels / pixels
    fraction = np.full(samples, np.inf) if entity.visible_fraction is None else entity.visible_fraction
    up, down = 1 + MARGIN, 1 - MARGIN
    clear = flag & (share >= up * LEAST_SHARE) & (fraction >= up * LEAST_FRACTION)
    large = share >= down * LEAST_SHARE if known else flag
    possible = large & (fraction >= down * LEAST_FRACTION)
    return Sight(clear, possible, large, clear & (fraction >= up * WHOLE_FRACTION), shown)


def require_clear(sight: Sight, samples: np.ndarray) -> None:
    """Check that a thing is clearly visible in each of ``samples``.

    ``samples`` are the indices of samples.

    Raises:
        Refused: If the thing is not clearly visible. The reason is OCCLUDED if the thing is large enough but
        hidden, otherwise NOT_VISIBLE.
    """
    if sight.clear[samples].all():
        return
    raise Refused(Reason.OCCLUDED if sight.large[samples].all() else Reason.NOT_VISIBLE)


def longest_run(times: np.ndarray, mask: np.ndarray) -> tuple[float, float] | None:
    """Return the first and last time (s) of the longest True interval.

    ``mask`` (T,) is True in the samples of an interval. Short gaps between two True intervals are ignored. The
    result is None if no sample of ``mask`` is True.
    """
    held = np.flatnonzero(mask)
    if len(held) == 0:
        return None
    breaks = np.flatnonzero(np.diff(times[held]) > _gap(times))
    firsts, lasts = held[np.concatenate([[0], breaks + 1])], held[np.concatenate([breaks, [len(held) - 1]])]
    longest = int(np.argmax(times[lasts] - times[firsts]))
    return float(times[firsts[longest]]), float(times[lasts[longest]])


def _gap(times: np.ndarray) -> float:
    """Return the longest time (s) between two samples of one interval.

    The result is the longest gap that is ignored, plus one step between samples.
    """
    step = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
    return LONGEST_GAP + step + _EPSILON
