"""Checks that the decoded clip matches the identities of the same frame.

Colours change at the border between two things. So the change of colour in a picture is measured across the outlines of
its own frame and across the outlines of other frames, without the outlines that both frames share. The change of colour
is smaller across the outlines of another frame, and decreases with the distance between the outlines. If the outlines
are within half a pixel of each other, the difference is small. The decrease differs between clips, but within a clip it
is nearly the same for later and earlier frames, and from one frame to the next. Therefore one check compares later with
earlier frames over long stretches, to detect a delay. Another check compares each frame with the next, to detect a
misplaced picture.

perf/verify.py measures the rates of false alarms and of detected faults; docs/tables.md has the figures.
"""

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from chronotope.world.verify.frame import Frame, spread
from chronotope.world.verify.outcome import Check, Worst

MOST_MIRRORED = 0.75  # largest change of colour across mirrored outlines, relative to the change across true outlines
SAMPLED, FEWEST = 2500, 150  # largest and least number of mirrored pairs of pixels in a frame

LAGS = (1, 2, 4, 8, 16)  # distances between compared frames
# Two values for the share of pairs of pixels on outlines that have moved between two frames. Below the first value,
# the two pictures hardly differ. From the second value on, the change of colour across the other outlines is random.
MOVED, FAR = 0.15, 0.6
FEWEST_MOVED = 300  # least number of moved pairs for a ratio
CHANCE = 0.3  # change across random outlines, as a share of the change across own outlines; no smaller share is used
# With this number of moved pairs, chance hardly changes a ratio. With fewer pairs, as of a lone person before a bare
# wall, logarithms of ratios differ by chance in inverse proportion to the root of their number, and count less.
ENOUGH_MOVED = 800
STEADY = 0.1  # largest difference between compared shares; above it, the camera may have started or stopped

# With a delay, the changes across the outlines of equally distant later and earlier frames differ.
DELAY_LAG, MOST_DELAY = 2, 1.7
STRETCH, FEWEST_IN_STRETCH = 100_000, 10_000  # usual and least number of moved pairs in all frames of a stretch
JUMP_LAGS, MOST_JUMP = (1, 2), 2.2  # largest factor between consecutive frames if all pictures are in order
# Where the camera is quick, a factor between consecutive frames is usual, because other things come into view. A
# picture of another frame then fits its outlines worse than the pictures before and after it fit theirs.
# In 33 stages of 320 x 180 px, this was at most 1.6 times.
MOST_DIP, FEWEST_FITS = 1.9, 3  # largest factor, and least number of comparisons for how well a picture fits
MOST_OF_ANOTHER = 1.75  # largest change at a distant frame's outlines, as a share of the change at own outlines

# In a slow clip, the change at a picture's own outlines was at least 11 times the picture's mean change, and at the
# outlines of a distant frame at most 6 times, mostly 1.3 times (3,900 frames of nine homes with enough outlines). With
# fewer outlines, a thing that is hardly visible before its background may give less.
LEAST_CONTRAST, FEWEST_FOR_CONTRAST = 6.0, 1000
# White things before tiles with dark joints gave 5.0. The change at their mirrored outlines was at most a quarter of
# the change at their own; in the picture of another frame (lag 4 or more), both are true of 1 % of the frames.
PALE_CONTRAST, PALE_MIRRORED = 4.0, 1 / 3


@dataclass(frozen=True, eq=False)
class _Outline:
    """Pairs of neighbouring pixels of different identities in one frame.

    ``picture`` (H, W, 3) is the picture of the frame. ``pairs`` (N,) are flat indices into (2, H, W). The first axis
    states whether the second pixel of the pair is to the right of the first pixel (0) or below it (1). The other axes
    are the position of the first pixel.
    """

    index: int
    picture: np.ndarray
    pairs: np.ndarray

    def change(self, pairs: np.ndarray) -> float:
        """Sum the differences of colour over pairs of this picture."""
        height, width, _ = self.picture.shape
        colours = self.picture.reshape(-1, 3)
        below, first = np.divmod(pairs, height * width)
        second = first + np.where(below, width, 1)
        return float(np.abs(colours[first].astype(np.int16) - colours[second]).sum())

    def contrast(self) -> float:
        """Return the mean change at the own outlines.

        The unit is the mean change of the picture.
        """
        picture = self.picture.astype(np.int16)
        changes = [np.abs(np.diff(picture, axis=axis)) for axis in (0, 1)]
        mean = sum(float(each.sum()) for each in changes) / sum(each.size / 3 for each in changes)
        return _ratio(self.change(self.pairs) / max(len(self.pairs), 1), mean)


class Pictures:
    """The checks with the names "picture upright", "picture of its frame" and "pictures in order"."""

    def __init__(self, is_slow: bool = False, is_quick: bool = False) -> None:
        """Start with no frames.

        In a slow clip, or if the camera ``is_quick``, consecutive frames differ much.
        """
        self._is_slow, self._is_quick = is_slow, is_quick
        self._past: deque[_Outline] = deque(maxlen=LAGS[-1])
        self._mirrored: dict[str, list[float]] = {"left and right": [], "top and bottom": [], "both": []}
        self._upright: list[float] = []
        self._frames: list[int] = []
        self._contrasts: list[float] = []
        self._pairs: dict[int, list[_Pair]] = {lag: [] for lag in LAGS}

    def look(self, frame: Frame) -> None:
        """Compare a picture with the outlines of its own and other frames."""
        if frame.picture is None:
            return
        self._frames.append(frame.index)
        outline = _outline(frame, frame.picture)
        mirrored = self._mirror(outline)
        if self._is_slow:
            contrast = outline.contrast() if len(outline.pairs) >= FEWEST_FOR_CONTRAST else np.inf
            is_pale = contrast >= PALE_CONTRAST and mirrored <= PALE_MIRRORED
            self._contrasts.append(max(contrast, LEAST_CONTRAST) if is_pale else contrast)
        far = False
        for lag in LAGS:
            if lag > len(self._past):
                break
            far = far and lag > max(DELAY_LAG, *JUMP_LAGS)  # a frame farther away would give no further information
            self._pairs[lag].append(_NOT_COMPARED if far else _compare(self._past[-lag], outline))
            far = far or self._pairs[lag][-1].share >= FAR
        self._past.append(outline)

    def _mirror(self, outline: _Outline) -> float:
        """Measure the outlines in the picture and in its mirror images.

        Returns the largest change at mirrored outlines, as a share of the change at the true outlines. The result is
        infinite if there are too few outlines.
        """
        height, width, _ = outline.picture.shape
        pairs = spread(outline.pairs, SAMPLED)
        if len(pairs) < FEWEST:
            return np.inf
        below, rows, columns = np.unravel_index(pairs, (2, height, width))
        up, left = height - 1 - below - rows, width - 2 + below - columns
        self._upright.append(outline.change(pairs))
        for name, places in (
            ("left and right", (below, rows, left)),
            ("top and bottom", (below, up, columns)),
            ("both", (below, up, left)),
        ):
            self._mirrored[name].append(outline.change(np.ravel_multi_index(places, (2, height, width))))
        return _ratio(max(found[-1] for found in self._mirrored.values()), self._upright[-1])

    @property
    def figures(self) -> tuple[float, float, float, float]:
        """Return the four figures that the checks compare with limits."""
        trends = self._trends()
        mirrored = max(_ratio(sum(found), sum(self._upright)) for found in self._mirrored.values())
        return mirrored, trends.delay().value, trends.jump().value, trends.another().value

    def _trends(self) -> "_Trends":
        pairs = {lag: np.array(pairs) for lag, pairs in self._pairs.items() if pairs}
        return _Trends(self._frames, pairs, self._is_slow, self._is_quick)

    def checks(self) -> tuple[Check, ...]:
        """Return the three checks.

        The result is empty if there was no picture. The last two checks are left out if there is too little motion.
        """
        if not self._frames:
            return ()
        if len(self._upright) < len(self._frames) / 2:
            count = f"{len(self._upright)} of {len(self._frames)}"
            told = f"only {count} frames have enough outlines to compare with their pictures"
            return (Check("picture upright", False, told),)
        trends = self._trends()
        order = self._check_contrast() or trends.check_order()
        made = self._check_upright(), trends.check_delay(), order
        return tuple(check for check in made if check is not None)

    def _check_contrast(self) -> Check | None:
        """Check that each picture of a slow clip shows its outlines.

        The check has the name "pictures in order". The result is None if they all do.
        """
        if not self._contrasts or (least := min(self._contrasts)) >= LEAST_CONTRAST:
            return None
        frame = self._frames[self._contrasts.index(least)]
        return Check(
            "pictures in order",
            False,
            f"the change of colour at the outlines of frame {frame} is only {least:.1f} times the mean change of its "
            f"picture (at least {LEAST_CONTRAST:g}; a smaller factor means the picture of another frame)",
        )

    def _check_upright(self) -> Check:
        shares = {name: _ratio(sum(found), sum(self._upright)) for name, found in self._mirrored.items()}
        most = max(shares, key=lambda name: shares[name])
        return Check(
            "picture upright",
            shares[most] <= MOST_MIRRORED,
            f"at outlines with {most} exchanged, the change of colour is {shares[most]:.2f} of the change at the true "
            f"outlines (at most {MOST_MIRRORED})",
        )


class _Pair(NamedTuple):
    """The change of colour in two frames, at places where only one of them has an outline.

    ``own`` is the change in the outline's own picture, and ``other`` is the change in the other frame's picture. The
    picture of the earlier frame comes first. ``moved`` is the number of pairs of pixels at these outlines, and
    ``share`` is the share of these pairs in all pairs of a frame.
    """

    own_early: float
    other_early: float
    own_late: float
    other_late: float
    share: float
    moved: float


_NOT_COMPARED = _Pair(0, 0, 0, 0, 0, 0)


@dataclass(frozen=True, eq=False)
class _Trends:
    """All pairs of a clip by lag: (N, 6) with the columns of _Pair.

    Row i compares the frames i and i + lag.
    """

    frames: list[int]
    pairs: dict[int, np.ndarray]
    is_slow: bool = False
    is_quick: bool = False

    def _logs(self, lag: int, least: float) -> tuple[np.ndarray, np.ndarray]:
        """Return logarithms (N,) of changes at the outlines of other frames.

        The first array is for the earlier picture at the outlines of the later frame. The second array is for the later
        picture at the outlines of the earlier frame. The changes are shares of the change at the picture's own
        outlines. The value is NaN if too few outlines differ.
        """
        pairs = self.pairs.get(lag, np.empty((0, 6)))
        known = (pairs[:, 5] >= FEWEST_MOVED) & (pairs[:, 4] >= least)
        # 1 is added to both changes, because the logarithm of 0 does not exist.
        logs = np.log(np.maximum((pairs[:, [1, 3]] + 1) / (pairs[:, [0, 2]] + 1), CHANCE))
        return np.where(known, logs[:, 0], np.nan), np.where(known, logs[:, 1], np.nan)

    def delay(self) -> Worst:
        """Return the largest factor between changes at later and earlier outlines.

        Factors below 1 are inverted. The changes of all pictures of a stretch are added.
        """
        worst, pairs = Worst(1.0), self.pairs.get(DELAY_LAG, np.empty((0, 6)))
        evidence = np.cumsum(pairs[:, 5])
        if not len(evidence) or evidence[-1] < FEWEST_IN_STRETCH:
            return worst
        # The first frames may have no evidence, for example if they show a bare wall; they belong to the first stretch.
        stretches = np.minimum(np.maximum(evidence - 1, 0) // STRETCH, max(evidence[-1] // STRETCH - 1, 0))
        for stretch in np.unique(stretches):
            chosen = np.flatnonzero(stretches == stretch)
            own_early, later, own_late, earlier, _, _ = pairs[chosen].sum(axis=0) + 1
            log = np.log(later / own_early) - np.log(earlier / own_late)
            ends = self.frames[chosen[0]], self.frames[chosen[-1] + DELAY_LAG]
            worst.note(float(np.exp(abs(log))), f"in frames {ends[0]} to {ends[1]}")
        return worst

    def jump(self) -> Worst:
        """Return the largest factor between the changes of consecutive frames.

        Factors below 1 are inverted, and those of few moved pairs are brought nearer to 1. In a slow clip, consecutive
        frames differ so much that no factor is expected, but a misplaced picture then contradicts its own outlines.
        """
        worst = Worst(1.0)
        if self.is_slow:
            return worst
        for lag, pairs in self.pairs.items():
            moved = np.minimum(pairs[1:, 5], pairs[:-1, 5])
            for logs, first in zip(self._logs(lag, FAR), (0, lag), strict=True):
                self._note_jumps(worst, np.diff(logs), np.diff(pairs[:, 4]), moved, first)
        for lag in JUMP_LAGS:
            (forward, back), pairs = self._logs(lag, MOVED), self.pairs.get(lag, np.empty((0, 6)))
            if len(pairs) > lag:
                apart = np.abs(pairs[lag:, 4] - pairs[:-lag, 4])
                moved = np.minimum(pairs[lag:, 5], pairs[:-lag, 5])
                steps = np.diff(forward[lag:] - back[:-lag])
                least = np.minimum(moved[1:], moved[:-1])
                self._note_jumps(worst, steps, np.maximum(apart[1:], apart[:-1]), least, lag)
        return worst

    def dip(self) -> Worst:
        """Return the largest factor by which a picture fits its outlines worse than both of its neighbours do.

        How well a picture fits is the mean over the outlines of the frames near it. A factor of few moved pairs is
        brought nearer to 1, as in `jump`.
        """
        worst, rows = Worst(1.0), np.full((2 * len(JUMP_LAGS), len(self.frames)), np.nan)
        moved = np.full(rows.shape, np.inf)
        for number, lag in enumerate(JUMP_LAGS):
            for place, (logs, first) in enumerate(zip(self._logs(lag, MOVED), (0, lag), strict=True)):
                row, at = 2 * number + place, slice(first, first + len(logs))
                rows[row, at] = logs
                moved[row, at] = np.where(np.isfinite(logs), self.pairs[lag][:, 5], np.inf) if len(logs) else np.inf
        known = np.isfinite(rows)
        count = known.sum(axis=0)
        fits = np.where(known, rows, 0).sum(axis=0) / np.where(count >= FEWEST_FITS, count, np.nan)
        fewest = moved.min(axis=0)
        fewest = np.minimum(fewest[1:-1], np.minimum(fewest[:-2], fewest[2:]))
        dips = np.nan_to_num(fits[1:-1] - np.maximum(fits[:-2], fits[2:]))
        dips = dips * np.sqrt(np.minimum(fewest / ENOUGH_MOVED, 1))
        if len(dips):
            at = int(dips.argmax())
            worst.note(float(np.exp(dips[at])), f"at frame {self.frames[at + 1]}")
        return worst

    def _note_jumps(self, worst: Worst, steps: np.ndarray, apart: np.ndarray, moved: np.ndarray, first: int) -> None:
        """Note the largest step between frames with similar shares.

        ``steps`` (N,) are the differences of logarithms between consecutive frames, ``apart`` (N,) are the differences
        of their shares, and ``moved`` (N,) are the fewest moved pairs of a frame that they come from. The first step
        begins at the frame with the index ``first``.
        """
        steps = np.where(np.abs(apart) <= STEADY, np.nan_to_num(np.abs(steps)), 0)
        steps = steps * np.sqrt(np.minimum(moved / ENOUGH_MOVED, 1))
        if len(steps):
            at = first + int(steps.argmax())
            worst.note(float(np.exp(steps.max())), f"from frame {self.frames[at]} to frame {self.frames[at + 1]}")

    def another(self) -> Worst:
        """Return the largest change at a far frame's outlines.

        The change is given as a share of the change at the picture's own outlines.
        """
        worst = Worst()
        for lag in self.pairs:
            for logs, first in zip(self._logs(lag, FAR), (0, lag), strict=True):
                if np.isfinite(logs).any():
                    at = int(np.nanargmax(logs))
                    worst.note(float(np.exp(logs[at])), f"in the picture of frame {self.frames[first + at]}")
        return worst

    def check_delay(self) -> Check | None:
        """Check that pictures are neither early nor late.

        The check has the name "picture of its frame". The result is None if the motion is too small to distinguish
        early from late pictures.
        """
        delay = self.delay()
        if delay.where == Worst.where:
            return None
        return Check(
            "picture of its frame",
            delay.value <= MOST_DELAY,
            f"the changes of colour at outlines {DELAY_LAG} frames later and earlier differ by a factor of up to "
            f"{delay.value:.2f} {delay.where} (at most {MOST_DELAY}; a larger factor means early or late pictures)",
        )

    def check_order(self) -> Check | None:
        """Check that no picture is misplaced.

        The check has the name "pictures in order". The result is None if the motion is too small to tell pictures
        apart.
        """
        most = MOST_DIP if self.is_quick else MOST_JUMP
        jump, another = self.dip() if self.is_quick else self.jump(), self.another()
        if jump.where == another.where == Worst.where:
            return None
        return Check(
            "pictures in order",
            jump.value <= most and another.value <= MOST_OF_ANOTHER,
            f"the change of colour at outlines of other frames varies by a factor of up to {jump.value:.2f} "
            f"{jump.where} (at most {most:g}; a larger factor means a misplaced picture), and is up to "
            f"{another.value:.2f} of the change at own outlines {another.where} (at most {MOST_OF_ANOTHER})",
        )


def _outline(frame: Frame, picture: np.ndarray) -> _Outline:
    """Return all pairs on the outlines of a frame."""
    ids = frame.identities
    pairs = np.zeros((2, *ids.shape), bool)
    np.not_equal(ids[:, :-1], ids[:, 1:], out=pairs[0, :, :-1])
    np.not_equal(ids[:-1], ids[1:], out=pairs[1, :-1])
    return _Outline(frame.index, np.ascontiguousarray(picture), np.flatnonzero(pairs))


def _compare(before: _Outline, after: _Outline) -> _Pair:
    """Measure two frames' outlines in each other's picture and in their own."""
    marked = np.zeros((2, 2 * before.picture.shape[0] * before.picture.shape[1]), bool)
    marked[0, before.pairs] = marked[1, after.pairs] = True
    only_before, only_after = before.pairs[~marked[1, before.pairs]], after.pairs[~marked[0, after.pairs]]
    return _Pair(
        before.change(only_before),
        before.change(only_after),
        after.change(only_after),
        after.change(only_before),
        share=min(len(only_before) / max(len(before.pairs), 1), len(only_after) / max(len(after.pairs), 1)),
        moved=min(len(only_before), len(only_after)),
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else np.inf
