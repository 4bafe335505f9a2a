"""Checks of articulated things: their pixels lie on the posed surface, and the posed surface is in the pixels.

The surface is posed by linear blend skinning of the verifier's own, with the joints that the recording states. A pixel
that shows the thing must lie on this surface. A point of this surface must not be in front of what is visible, and if
the visible surface is at the point, it must have the identity of the thing.
"""

import numpy as np
from scipy.ndimage import binary_dilation

from chronotope.recording import Recording
from chronotope.world.verify.frame import Frame
from chronotope.world.verify.outcome import Check, Worst, judged
from chronotope.world.verify.skin import Posed, Skins

PIXELS, POINTS = 150, 400  # sampled pixels of a thing, and sampled points of its surface, in a frame
TOLERANCE_M = 0.005  # m; a pixel that is farther than this from the surface is beside it
MOST_APART_M = 0.001  # m, allowed median distance of pixels from the surface
COARSE_M = 0.008  # m; pixels are coarse that cover more than this of a surface
ON_M = 0.002  # m; a point that is nearer than this to the visible surface is on it
MOST_BESIDE, MOST_UNSEEN = 0.03, 0.04  # allowed shares of pixels, and of points of the surface, in a frame
FEWEST = 60  # least number of pixels or points for a share
FEWEST_CELLS = 150  # least number of pixels at which points of a surface lie: of a distant body, six may be wrong
MOST_IN_ALL, FEWEST_IN_ALL = 0.003, 1500  # allowed share of pixels in all frames, and least number of them
BOX_M = 0.005  # m, allowed distance of the surface from a face of its box, inside and outside
WEIGHTS = 1e-3  # allowed difference of a sum of weights from 1


class Bodies:
    """The checks with the names "bodies" and "boxes of bodies"."""

    def __init__(self, recording: Recording, skins: Skins) -> None:
        self._skins = skins
        self._names = ["the world", *(entity.id for entity in recording.entities)]
        self._faults = [
            f"the weights of {self._names[identity]} have sums from {sums.min():.3f} to {sums.max():.3f}"
            for identity, skin in skins.by_identity.items()
            if np.abs((sums := skin.body.weights.sum(axis=1)) - 1).max() > WEIGHTS
        ]
        self._beside, self._apart, self._unseen = Worst(), Worst(), Worst()
        self._all = {identity: np.zeros(2, np.int64) for identity in skins.by_identity}  # pixels beside, and pixels
        self._points = {identity: skin.spread(POINTS) for identity, skin in skins.by_identity.items()}
        # The extent of the surface in the coordinates of the box, over all frames: the lowest and the highest corner.
        self._extents = {identity: np.array([[np.inf] * 3, [-np.inf] * 3]) for identity in skins.by_identity}
        self._half: dict[int, np.ndarray] = {}

    def look(self, frame: Frame) -> None:
        """Compare the posed surfaces with one frame."""
        for identity, posed in self._skins.at(frame.index).items():
            own = frame.to_things(posed.vertices[posed.skin.used], identity)
            low, high = self._extents[identity]
            self._extents[identity] = np.array([np.minimum(low, own.min(axis=0)), np.maximum(high, own.max(axis=0))])
            self._half[identity] = frame.half[identity]
            if frame.counts[identity]:
                self._look_at_pixels(frame, identity, posed)
            self._look_at_surface(frame, identity, posed)

    def _look_at_pixels(self, frame: Frame, identity: int, posed: Posed) -> None:
        rows, columns = frame.pixels_of(identity, PIXELS, frame.interior)
        if not len(rows):
            return
        depths = frame.depth[rows, columns]
        _, _, apart = posed.nearest(frame.unproject(rows, columns))
        where = f"of {self._names[identity]} in frame {frame.index}"
        beside = apart > frame.grown(TOLERANCE_M, depths)
        self._all[identity] += int(beside.sum()), len(beside)
        self._beside.note(float(beside.sum() / max(len(apart), FEWEST)), where)
        if len(apart) >= FEWEST:
            self._apart.note(
                float(np.median(np.maximum(apart - frame.rounding, 0.0) / frame.grown(1.0, depths))), where
            )

    def _look_at_surface(self, frame: Frame, identity: int, posed: Posed) -> None:
        points = posed.places(*self._points[identity])
        rows, columns, depths = frame.project(points)
        height, width = frame.depth.shape
        inside = (rows >= 0) & (columns >= 0) & (rows < height - 1) & (columns < width - 1)
        rows, columns, depths = rows[inside], columns[inside], depths[inside]
        if len(rows) < FEWEST:
            return
        first = rows.astype(np.int64) * width + columns.astype(np.int64)
        four = first + np.array([[0], [1], [width], [width + 1]])
        around = frame.depth.ravel()[four]
        named = (frame.identities.ravel()[four] == identity).any(axis=0)
        # A finger is narrower than a coarse pixel, so the pixels around a point on it may not show it.
        is_coarse = depths / frame.intrinsics[0, 0] > COARSE_M
        if is_coarse.any():
            about = binary_dilation(frame.identities == identity, np.ones((3, 3), bool)).ravel()
            named |= is_coarse & about[four].any(axis=0)
        with np.errstate(invalid="ignore"):
            # Beyond the largest depth, nothing is known, and NaN compares as False.
            nearest, farthest = around.min(axis=0), around.max(axis=0)
            through = ~(is_coarse & named) & (depths < nearest - frame.grown(TOLERANCE_M, depths))
            alien = ~named & (np.abs(depths - (nearest + farthest) / 2) < frame.grown(ON_M, depths))
            seen = (named & (depths <= farthest + frame.grown(TOLERANCE_M, depths))) | through | alien
        # The points of a distant body share few pixels, so that each pixel counts once.
        wrong, looked = (len(np.unique(first[which])) for which in (through | alien, seen))
        where = f"of {self._names[identity]} in frame {frame.index}"
        self._unseen.note(wrong / max(looked, FEWEST_CELLS), where)

    def checks(self) -> tuple[Check, ...]:
        """Return both checks, or none if no entity has a body."""
        return (self._check_surface(), self._check_boxes()) if self._points else ()

    def _check_surface(self) -> Check:
        shares = {identity: beside / max(looked, FEWEST_IN_ALL) for identity, (beside, looked) in self._all.items()}
        most = max(shares, key=lambda identity: shares[identity])
        told = (
            f"{self._beside.value:.1%} of the pixels {self._beside.where} are beside the posed surface (at most "
            f"{MOST_BESIDE:.0%} by more than {TOLERANCE_M * 1000:.0f} mm), and {shares[most]:.2%} of "
            f"{self._names[most]} in all frames (at most {MOST_IN_ALL:.1%}), the median distance is up to "
            f"{self._apart.value * 1000:.2f} mm {self._apart.where} (at most {MOST_APART_M * 1000:.0f} mm), and "
            f"{self._unseen.value:.1%} of the posed surface {self._unseen.where} should be visible but is not (at most "
            f"{MOST_UNSEEN:.0%})"
        )
        passed = bool(
            not self._faults
            and self._beside.value <= MOST_BESIDE
            and shares[most] <= MOST_IN_ALL
            and self._apart.value <= MOST_APART_M
            and self._unseen.value <= MOST_UNSEEN
        )
        return Check("bodies", passed, "; ".join([*self._faults, told]))

    def _check_boxes(self) -> Check:
        faults, widest = [], 0.0
        for identity, extent in self._extents.items():
            # Positive inside the box, negative outside: the distance of the surface from each face.
            gaps = np.array([extent[0] + self._half[identity], self._half[identity] - extent[1]])
            most = np.unravel_index(np.abs(gaps).argmax(), gaps.shape)
            gap = float(gaps[most])
            widest = max(widest, abs(gap))
            if abs(gap) > BOX_M:
                faults.append(
                    f"the surface of {self._names[identity]} {'stays' if gap > 0 else 'reaches'} "
                    f"{abs(gap) * 1000:.1f} mm {'inside' if gap > 0 else 'beyond'} the "
                    f"{'-+'[most[0]]}{'xyz'[most[1]]} face of its box"
                )
        return judged(
            "boxes of bodies", faults, f"the surfaces reach the faces of their boxes to {widest * 1000:.1f} mm"
        )
