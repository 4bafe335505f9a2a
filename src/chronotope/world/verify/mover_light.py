"""The check "light of movers": what moves leaves neither its picture nor its shadow at its first place.

Light that is computed once shows a scene as it was at first. If a mover is in this light by mistake, the picture shows
it at its first place for the whole clip, although depth and identities show the background there. And if only its
shadow is, the ground at its first place stays dark, and no shadow comes to its later places.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.spatial import KDTree

from chronotope.recording import Recording
from chronotope.world.verify.frame import Frame, spread
from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.skin import Skins

LEAST_MOVED_M = 0.1  # m; a thing that stays nearer to its first place is not compared
LOOKED = 24  # frames, spread over the clip, that are compared with the first one
POINTS, FEWEST = 300, 60  # points of a mover in the first frame: the largest and the least number
GROUND, FEWEST_OF_GROUND = 6000, 25  # pixels of the background in a frame, and least number of them for a median
FREE_M = 0.01  # m; the background is at least this far behind the place that a mover has left
DISTINCT = 25.0  # least difference of colour (of 255) between a mover and the surroundings of its first place
# Share of this difference: what differs less from the mover looks like the mover. A dark place in bright surroundings
# may be a shadow, so a difference that is distinct by itself is enough.
MOST_ALIKE = 0.4
FRAMES = 3  # least number of frames with evidence
LEVEL_M = 0.03  # m, largest vertical distance of the ground from the lowest point of a mover
NEAR, BESIDE, AROUND = 0.3, 0.6, 1.5  # distances from the foot of a mover, in units of its width
DARK, SHARE = 0.12, 0.3  # least darkness (logarithm) of a stale shadow, and the share of it that may come and go
PLACES = 4  # later places of a mover whose darkness is compared with that of the first place


@dataclass
class _Mover:
    """A thing that moves.

    ``feet`` has the horizontal places (N, 3) m of its lower part in each compared frame, and ``low`` (m) its lowest
    height in the first frame. ``places`` (P, 3) m and ``colours`` (P, 3) are points of it in the first frame. ``alike``
    has a ratio for each frame with evidence: the difference of the picture at the first place from the mover, divided
    by the difference of its surroundings. ``stale`` says for each frame with evidence whether its shadow stayed behind.
    """

    identity: int
    name: str
    feet: dict[int, np.ndarray]
    low: float
    places: np.ndarray = field(default_factory=lambda: np.empty((0, 3)))
    colours: np.ndarray = field(default_factory=lambda: np.empty((0, 3)))
    alike: list[float] = field(default_factory=list[float])
    stale: list[bool] = field(default_factory=list[bool])


class MoverLight:
    """Makes the check "light of movers"."""

    def __init__(self, recording: Recording, skins: Skins) -> None:
        valid = np.flatnonzero(recording.valid)
        self._up = recording.up
        self._frames = valid[np.unique(np.linspace(0, len(valid) - 1, LOOKED).astype(np.int64))]
        self._first: Frame | None = None
        self._movers = [] if self._up is None else _movers(recording, skins, self._frames, self._up)
        self._moving = np.array([0, *(len(e.poses) > 1 or e.body is not None for e in recording.entities)], bool)

    def look(self, frame: Frame) -> None:
        """Compare a frame with the first one."""
        if not self._movers or frame.picture is None or frame.index not in self._frames or self._up is None:
            return
        if self._first is None:
            self._first = frame
            for mover in self._movers:
                rows, columns = frame.pixels_of(mover.identity, POINTS, frame.interior)
                mover.places = frame.unproject(rows, columns)
                mover.colours = frame.picture[rows, columns].astype(float)
            return
        ground = self._ground(frame)
        for mover in self._movers:
            self._look_for_picture(frame, mover)
            self._look_for_shadow(frame, mover, ground)

    def _is_still(self, identities: np.ndarray) -> np.ndarray:
        return ~self._moving[np.minimum(identities, len(self._moving) - 1)]

    def _look_for_picture(self, frame: Frame, mover: _Mover) -> None:
        """Compare the colours at the place that a mover has left with the mover and with the surroundings."""
        assert frame.picture is not None
        if len(mover.places) < FEWEST:
            return
        rows, columns, depths = _pixels(frame, mover.places)
        inside = rows >= 0
        free = inside & self._is_still(frame.identities[rows, columns])
        free &= frame.depth[rows, columns] > depths + FREE_M
        if free.sum() < max(FEWEST, 0.6 * inside.sum()):
            return
        found = frame.picture[rows[free], columns[free]].astype(float)
        apart = np.abs(found - mover.colours[free]).mean(axis=1)
        around = self._surroundings(frame, rows[free], columns[free])
        if len(around) < FEWEST_OF_GROUND:
            return
        distinct = float(np.median(np.abs(around - np.median(mover.colours[free], axis=0)).mean(axis=1)))
        if distinct >= DISTINCT:
            mover.alike.append(float(np.median(apart)) / min(distinct, DISTINCT / MOST_ALIKE))

    def _surroundings(self, frame: Frame, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return the colours (N, 3) of still pixels around a part of a picture.

        The pixels are in a frame that is half as wide as the part.
        """
        assert frame.picture is not None
        height, width = frame.depth.shape
        wide = max((int(np.ptp(rows)) + int(np.ptp(columns))) // 4, 4)
        top, bottom = max(int(rows.min()) - wide, 0), min(int(rows.max()) + wide + 1, height)
        left, right = max(int(columns.min()) - wide, 0), min(int(columns.max()) + wide + 1, width)
        chosen = self._is_still(frame.identities[top:bottom, left:right])
        inner = slice(int(rows.min()) - top, int(rows.max()) + 1 - top)
        chosen[inner, int(columns.min()) - left : int(columns.max()) + 1 - left] = False
        return (
            frame.picture[top:bottom, left:right].reshape(-1, 3)[spread(np.flatnonzero(chosen), GROUND)].astype(float)
        )

    def _ground(self, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
        """Return the places (N, 3) m and the logarithms (N,) of the brightness of still pixels."""
        assert frame.picture is not None
        chosen = self._is_still(frame.identities) & np.isfinite(frame.depth)
        rows, columns = np.divmod(spread(np.flatnonzero(chosen), GROUND), chosen.shape[1])
        return frame.unproject(rows, columns), _brightness(frame, rows, columns)

    def _look_for_shadow(self, frame: Frame, mover: _Mover, ground: tuple[np.ndarray, np.ndarray]) -> None:
        """Compare the darkness of the ground at the first and at later places of a mover.

        The shadow is stale if the first place is darker than its surroundings and than the other places, and if it was
        as dark before, and the present place was too.
        """
        assert self._first is not None
        first, now = mover.feet[int(self._first.index)], mover.feet[frame.index]
        if _between(first, now) < (NEAR + AROUND) * _width(first):
            return
        assert self._up is not None
        heights = ground[0] @ self._up
        chosen = np.abs(heights - mover.low) < LEVEL_M
        places, levels = ground[0][chosen], ground[1][chosen]
        flat = places - heights[chosen, None] * self._up
        dark = _darkness(flat, levels, first)
        if not np.isfinite(dark):
            return
        if dark < DARK:
            mover.stale.append(False)
            return
        rows, columns, depths = _pixels(self._first, places)
        with np.errstate(invalid="ignore"):
            both = (rows >= 0) & (np.abs(self._first.depth[rows, columns] - depths) < FREE_M)
        both &= self._is_still(self._first.identities[rows, columns])
        change = levels[both] - _brightness(self._first, rows[both], columns[both])
        # Where a shadow leaves, the ground gets brighter; where it arrives, the ground gets darker.
        left, arrived = _darkness(flat[both], -change, first), _darkness(flat[both], change, now)
        others = [
            _darkness(flat, levels, feet)
            for feet in list(mover.feet.values())[:: max(len(mover.feet) // PLACES, 1)]
            if min(_between(feet, first), _between(feet, now)) > (NEAR + AROUND) * _width(feet)
        ]
        others = [other for other in others if np.isfinite(other)]
        if np.isfinite(arrived) and np.isfinite(left) and others:
            mover.stale.append(arrived < SHARE * dark and left < SHARE * dark and max(others) < 0.5 * dark)

    def checks(self) -> tuple[Check, ...]:
        """Return the check, or none if no mover could be compared."""
        looked = [mover for mover in self._movers if len(mover.alike) >= FRAMES or len(mover.stale) >= FRAMES]
        if not looked:
            return ()
        faults = []
        for mover in looked:
            if len(mover.alike) >= FRAMES and (alike := float(np.median(mover.alike))) < MOST_ALIKE:
                faults.append(
                    f"where {mover.name} was first, the picture still looks like it ({alike:.2f} of the difference of "
                    f"its surroundings, in the median of {len(mover.alike)} frames; at least {MOST_ALIKE})"
                )
            if len(mover.stale) >= FRAMES and sum(mover.stale) > len(mover.stale) / 2:
                faults.append(
                    f"the ground where {mover.name} was first stays dark in {sum(mover.stale)} of {len(mover.stale)} "
                    "frames, and no shadow follows it"
                )
        return (judged("light of movers", faults, f"{len(looked)} movers leave nothing behind"),)


def _movers(recording: Recording, skins: Skins, frames: np.ndarray, up: np.ndarray) -> list[_Mover]:
    """Find the things that move away from their first place, and where they stand."""
    found = []
    for identity, entity in enumerate(recording.entities, 1):
        skin = skins.by_identity.get(identity)
        if skin is not None:
            points = skin.spread(POINTS)
            corners = skin.faces[points[0]]
            every = {
                int(k): np.einsum("nk,nkj->nj", points[1], skin.vertices_at(int(k))[corners]) for k in frames.tolist()
            }
        elif len(entity.poses) > 1:
            ticks = np.linspace(-0.5, 0.5, 5)
            grid = np.stack(np.meshgrid(ticks, ticks, ticks), axis=-1).reshape(-1, 3) * entity.size
            every = {int(k): grid @ entity.poses[k][:3, :3].T + entity.poses[k][:3, 3] for k in frames.tolist()}
        else:
            continue
        middles = np.array([places.mean(axis=0) for places in every.values()])
        if np.linalg.norm(middles - middles[0], axis=1).max() < LEAST_MOVED_M:
            continue
        feet = {}
        for k, places in every.items():
            heights = places @ up
            lower = places[heights <= heights.min() + 0.3 * np.ptp(heights)]
            feet[k] = lower - (lower @ up)[:, None] * up
        low = float((every[int(frames[0])] @ up).min())
        found.append(_Mover(identity, entity.id, feet, low))
    return found


def _pixels(frame: Frame, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the pixels that show places (N, 3) m, and the depths of the places.

    The result has rows (N,), columns (N,) and depths (N,) m. Rows and columns are -1 outside the picture.
    """
    rows, columns, depths = frame.project(places)
    height, width = frame.depth.shape
    with np.errstate(invalid="ignore"):
        inside = (rows > -0.5) & (columns > -0.5) & (rows < height - 0.5) & (columns < width - 0.5)
    rows, columns = np.where(inside, np.rint(rows), -1), np.where(inside, np.rint(columns), -1)
    return rows.astype(np.int64), columns.astype(np.int64), depths


def _brightness(frame: Frame, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    assert frame.picture is not None
    return np.log(frame.picture[rows, columns].mean(axis=1) + 4.0)


def _width(feet: np.ndarray) -> float:
    return float(np.linalg.norm(np.ptp(feet, axis=0)) / np.sqrt(2))


def _between(one: np.ndarray, other: np.ndarray) -> float:
    """Return the distance (m) between the middles of the feet of a mover in two frames."""
    return float(np.linalg.norm(one.mean(axis=0) - other.mean(axis=0)))


def _darkness(places: np.ndarray, levels: np.ndarray, feet: np.ndarray, darker: float = 30.0) -> float:
    """Return by how much the ground at the feet of a mover is darker than around them.

    ``levels`` (N,) are logarithms of the brightness at horizontal ``places`` (N, 3) m, or differences of them. A shadow
    may cover only a part of the ground, so the ``darker`` percentile is compared with the median around. The result is
    NaN if too few pixels show the ground.
    """
    wide = _width(feet)
    centre = feet.mean(axis=0)
    close = np.linalg.norm(places - centre, axis=1) < AROUND * wide + np.linalg.norm(feet - centre, axis=1).max() + 1.0
    places, levels = places[close], levels[close]
    if not len(places):
        return np.nan
    away, _ = KDTree(feet).query(places)
    near, around = levels[away <= NEAR * wide], levels[(away > BESIDE * wide) & (away <= AROUND * wide)]
    if min(len(near), len(around)) < FEWEST_OF_GROUND:
        return np.nan
    return float(np.median(around) - np.percentile(near, darker))
