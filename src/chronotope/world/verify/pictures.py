"""Whether the decoded clip shows what the depth and the identities of the same frame describe.

Where one thing's pixels end and another's begin, colours change. So the change of colour across such outlines is
measured where they are, where they would be if the picture were mirrored, and where they would be if the camera stood
where it is claimed to stand one frame earlier or later. The first must be the strongest.
"""

from dataclasses import dataclass

import numpy as np

from chronotope.world.verify.frame import Frame, Points, spread
from chronotope.world.verify.outcome import Check, Worst

__all__ = ["Pictures"]

MOST_MIRRORED = 0.75  # of the change of colour across the outlines: what mirrored outlines may find
MOST_BESIDE = 0.9  # and what the outlines of the frame before or after may find
SAMPLED, FEWEST = 2500, 150  # pairs of pixels across outlines in one frame, and those that make a share
STEPS = ((0, 1), (1, 0))  # rows and columns from a pixel to its neighbours


@dataclass(frozen=True, eq=False)
class _Outline:
    """Pairs of neighbouring pixels of different identities in one frame: the left or upper one of each pair in
    ``rows`` and ``columns`` (N,), the other one ``down`` rows below and ``right`` columns beside it (N,).

    ``points`` is what the nearer pixels show, ``change`` (N,) the difference of colour in each pair.
    """

    frame: Frame
    picture: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    down: np.ndarray
    right: np.ndarray
    points: Points
    change: np.ndarray


class Pictures:
    """Checks "picture upright" and "picture of its frame"."""

    def __init__(self) -> None:
        self._before: _Outline | None = None
        self._mirrored, self._beside = Worst(), Worst()
        self._frames = self._looked = self._mirrored_frames = self._beside_frames = 0

    def look(self, frame: Frame) -> None:
        """Compare one frame's picture with its own outlines and with those of the frame before, and the other way."""
        if frame.picture is None:
            return
        self._frames += 1
        outline = _outline(frame, frame.picture)
        self._mirror(outline)
        before, self._before = self._before, outline
        if before is None:
            return
        shares = [share for share in (_beside(outline, before.frame), _beside(before, frame)) if share is not None]
        if shares:
            self._beside.note(max(shares), f"between frames {before.frame.index} and {frame.index}")
            self._beside_frames += max(shares) > MOST_BESIDE

    def _mirror(self, outline: _Outline) -> None:
        height, width = outline.picture.shape[:2]
        up, left = height - 1 - outline.down - outline.rows, width - 1 - outline.right - outline.columns
        shares = {
            "left and right": _share(outline, outline.rows, left),
            "top and bottom": _share(outline, up, outline.columns),
            "both": _share(outline, up, left),
        }
        known = {name: share for name, share in shares.items() if share is not None}
        for name, share in known.items():
            self._mirrored.note(share, f"in frame {outline.frame.index} with {name} exchanged")
        self._looked += bool(known)
        self._mirrored_frames += max(known.values(), default=0.0) > MOST_MIRRORED

    def checks(self) -> tuple[Check, ...]:
        """Both checks; none where no picture was looked at."""
        if not self._frames:
            return ()
        if self._looked < self._frames / 2:
            told = f"only {self._looked} of {self._frames} frames have outlines enough to compare with their pictures"
            return (Check("picture upright", False, told),)
        return (
            Check(
                "picture upright",
                self._mirrored.value <= MOST_MIRRORED,
                f"mirrored outlines find up to {self._mirrored.value:.2f} of the change of colour that the true ones "
                f"find, {self._mirrored.where} (at most {MOST_MIRRORED}, more in {self._mirrored_frames} frames)",
            ),
            Check(
                "picture of its frame",
                self._beside.value <= MOST_BESIDE,
                f"outlines of a neighbouring frame find up to {self._beside.value:.2f} of the change of colour that "
                f"the true ones find, {self._beside.where} (at most {MOST_BESIDE}, more {self._beside_frames} times)",
            ),
        )


def _beside(outline: _Outline, other: Frame) -> float | None:
    """The share of change that a picture has where its outlines would be if it were of the frame ``other``.

    Only pairs that lie at other pixels there, across the outline, are compared; None where these are few.
    """
    points = outline.points
    rows, columns, _ = outline.frame.project(outline.frame.to_world(points.places, points.identities))
    rows_there, columns_there, _ = other.project(other.to_world(points.places, points.identities))
    down, right = _whole(rows_there - rows), _whole(columns_there - columns)
    across = down * outline.down + right * outline.right  # along an outline nothing changes
    return _share(outline, outline.rows + down, outline.columns + right, across != 0)


def _whole(lengths: np.ndarray) -> np.ndarray:
    """Whole pixels; what is not finite lies outside every picture."""
    return np.rint(np.clip(np.nan_to_num(lengths, nan=1e6), -1e6, 1e6)).astype(np.int64)


def _share(outline: _Outline, rows: np.ndarray, columns: np.ndarray, chosen: np.ndarray | None = None) -> float | None:
    """The change of colour in the picture across the pairs moved to ``rows`` and ``columns``, as a share of that where
    they are; None where too few of the chosen ones lie in the picture."""
    height, width = outline.picture.shape[:2]
    inside = (rows >= 0) & (columns >= 0) & (rows + outline.down < height) & (columns + outline.right < width)
    inside &= True if chosen is None else chosen
    if inside.sum() < FEWEST:
        return None
    moved = _change(outline.picture, rows[inside], columns[inside], outline.down[inside], outline.right[inside])
    own = float(outline.change[inside].sum())
    return float(moved.sum()) / own if own else np.inf


def _outline(frame: Frame, picture: np.ndarray) -> _Outline:
    """Pairs spread over the outlines of all things in a frame."""
    ids, (height, width) = frame.identities, frame.identities.shape
    ends = [np.nonzero(ids[: height - down, : width - right] != ids[down:, right:]) for down, right in STEPS]
    rows, columns = (np.concatenate(each) for each in zip(*ends, strict=True))
    down, right = np.repeat(STEPS, [len(each) for each, _ in ends], axis=0).T
    chosen = spread(np.arange(len(rows)), SAMPLED)
    rows, columns, down, right = rows[chosen], columns[chosen], down[chosen], right[chosen]
    depths = np.stack([frame.depth[rows, columns], frame.depth[rows + down, columns + right]])
    second = ~(depths[0] <= depths[1]) & np.isfinite(depths[1])
    near = rows + second * down, columns + second * right  # without a depth both ways: NaN, in no picture
    identities = np.where(ids[near] < len(frame.things), ids[near], 0)
    places = frame.to_things(frame.unproject(*near), identities)
    change = _change(picture, rows, columns, down, right)
    return _Outline(frame, picture, rows, columns, down, right, Points(frame.index, identities, places), change)


def _change(
    picture: np.ndarray, rows: np.ndarray, columns: np.ndarray, down: np.ndarray, right: np.ndarray
) -> np.ndarray:
    """Differences (N,) of colour between the two pixels of each pair, summed over the channels."""
    width, pixels = picture.shape[1], picture.reshape(-1, 3)
    first = rows * width + columns
    one, two = (pixels[each].astype(np.float64) for each in (first, first + down * width + right))
    return np.abs(one - two) @ np.ones(3)
