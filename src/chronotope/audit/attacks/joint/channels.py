"""The channels of a clip's questions: speeds, and the turns and poses of the camera."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from chronotope.audit.attacks.joint.sampler import Channel
from chronotope.audit.attacks.poses import relative_poses
from chronotope.audit.attacks.stems import Fact, Quantity, quantity_of, value_of
from chronotope.geometry import rotation_vector
from chronotope.models.study import Unsolved

MOST_POINTS = 200  # maximum number of points of a grid


def grid_of(end: float) -> np.ndarray:
    """Return times (G,) in s from 0 to ``end``.

    Neighbouring times are at least 0.1 s apart.
    """
    return np.linspace(0.0, end, max(2, min(MOST_POINTS, round(end / 0.1))) + 1)


def value(grid: np.ndarray, time: float) -> np.ndarray:
    """Return the weights (G,) that interpolate at one time (s)."""
    weights = np.zeros(len(grid))
    step = grid[1] - grid[0]
    place = float(np.clip(time / step, 0, len(grid) - 1))
    low = min(int(place), len(grid) - 2)
    weights[low], weights[low + 1] = low + 1 - place, place - low
    return weights


def integral(grid: np.ndarray, start: float, end: float) -> np.ndarray:
    """Return the weights (G,) that integrate between two times (s)."""
    points = np.linspace(start, end, 4 * max(1, round((end - start) / (grid[1] - grid[0]))) + 1)
    each = np.full(len(points), (end - start) / (len(points) - 1))
    each[[0, -1]] /= 2
    return each @ np.stack([value(grid, float(point)) for point in points])


def difference(grid: np.ndarray, start: float, end: float) -> np.ndarray:
    """Return the weights (G,) of the mean change per second."""
    return (value(grid, end) - value(grid, start)) / (end - start)


def kernels(grid: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the correlations (L, G, G) of smooth functions.

    There is one matrix for each correlation length, in seconds.
    """
    apart = np.abs(grid[:, None] - grid[None])
    scaled = np.sqrt(5) * apart[None] / lengths[:, None, None]
    return (1 + scaled + scaled**2 / 3) * np.exp(-scaled)


MOTIONS = ("displacement", "path-length", "average-speed", "speed", "average-acceleration", "acceleration")
LENGTHS = np.array([0.7, 1.5, 3.0, 6.0])  # correlation lengths of motion (s)
UNEVEN = (0.25, 0.8)  # deviation of a speed, as a share of its mean
BENDS = (0.0, 0.15, 0.35, 0.7)  # turning rate of the direction of motion, rad/s
OPEN = 2.0  # deviation of an unknown mean, as a share of the guess
NOISE = 0.004  # relative error of a length or a speed, from printing and smoothing
POSE_NOISE, TURN_NOISE = 0.005, 0.012  # m, rad
HYPOTHESES = tuple(product(range(len(LENGTHS)), UNEVEN, BENDS))


@dataclass(frozen=True)
class Level:
    """The usual speed (m/s) in other clusters, with the deviation of its logarithm."""

    mean: float
    deviation: float


@dataclass(frozen=True, eq=False)
class Asked:
    """A question about motion, with its options' values (SI units, degrees); poses are (5, 4, 4)."""

    question: Unsolved
    quantity: Quantity
    start: float
    end: float
    values: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """Return the magnitude of each option.

        The magnitude of a pose is the length of its translation.
        """
        return np.abs(self.values) if self.values.ndim == 1 else np.linalg.norm(self.values[:, :3, 3], axis=1)


@dataclass
class _Rows:
    """Observations of a channel while they are collected."""

    variables: list[int] = field(default_factory=list)
    values: list[np.ndarray] = field(default_factory=list)
    weights: list[np.ndarray] = field(default_factory=list)  # (G,)
    noise: list[float] = field(default_factory=list)
    chords: list[float] = field(default_factory=list)  # the window's length (s) for a displacement, otherwise 0

    def add(self, variable: int, values: np.ndarray, weights: np.ndarray, noise: float, chord: float = 0.0) -> None:
        self.variables.append(variable)
        self.values.append(values)
        self.weights.append(weights)
        self.noise.append(noise)
        self.chords.append(chord)


def asked_motion(question: Unsolved) -> Asked | None:
    """Read a question about a motion, a turn or a pose.

    Returns None for other questions.
    """
    quantity = quantity_of(question.stem)
    if quantity is None or question.variant != "base" or question.window is None or len(question.options) < 2:
        return None
    start, end = question.window
    if quantity.kind == "pose":
        found = relative_poses(question.stem, question.options)
        if found is None or len(found[0]) < len(question.options):
            return None
        return Asked(question, quantity, start, quantity.at or end, found[1])
    if quantity.kind not in (*MOTIONS, "turn"):
        return None
    numbers = [value_of(text) for text in question.options]
    if any(number is None for number in numbers):
        return None
    return Asked(question, quantity, start, end, np.array(numbers, float))


def motion_channels(asked: Sequence[Asked], facts: Sequence[Fact], usual: Level | None) -> list[Channel]:
    """Make the channels of questions about one motion in one clip.

    Variable k of the channels is ``asked[k]``.
    """
    end = max([0.5, *(one.end for one in asked), *(one.quantity.at or 0.0 for one in asked), *(f.end for f in facts)])
    grid = grid_of(end)
    smooth = kernels(grid, LENGTHS)
    level = _level(asked, facts, usual)
    channels = [
        _speeds(asked, facts, grid, smooth, level, usual),
        _turns(asked, grid, smooth),
        *_poses(asked, grid, smooth),
    ]
    return [channel for channel in channels if channel is not None]


def _level(asked: Sequence[Asked], facts: Sequence[Fact], usual: Level | None) -> float:
    """Return a rough speed (m/s).

    The speed comes from a fact, from other clusters, or from the options.
    """
    stated = [fact.value / (fact.end - fact.start) for fact in facts if fact.end > fact.start]
    if stated:
        return float(np.median(stated))
    speeds: list[float] = []
    for one in asked:
        kind, middle = one.quantity.kind, float(np.abs(one.values).mean()) if one.values.ndim == 1 else 0.0
        if kind in ("path-length", "displacement"):
            speeds.append(middle / max(one.end - one.start, 0.1))
        elif kind in ("average-speed", "speed"):
            speeds.append(middle)
        elif kind == "pose":
            speeds.append(float(np.linalg.norm(one.values[:, :3, 3], axis=1).mean()) / max(one.end - one.start, 0.1))
    return float(np.median(speeds)) if speeds else usual.mean if usual is not None else 1.0


def _speeds(
    asked: Sequence[Asked],
    facts: Sequence[Fact],
    grid: np.ndarray,
    smooth: np.ndarray,
    level: float,
    usual: Level | None,
) -> Channel | None:
    """Return the channel of the speed: its integrals, values and changes."""
    rows = _Rows()
    for variable, one in enumerate(asked):
        kind, span, at = one.quantity.kind, one.end - one.start, one.quantity.at or 0.0
        if kind in ("path-length", "displacement") and span > 0:
            chord = span if kind == "displacement" else 0.0
            rows.add(variable, one.values, integral(grid, one.start, one.end), NOISE * level * span + 0.001, chord)
        elif kind == "average-speed" and span > 0:
            rows.add(variable, one.values, integral(grid, one.start, one.end) / span, NOISE * level + 0.0005)
        elif kind == "speed":
            rows.add(variable, one.values, value(grid, at), 2 * NOISE * level + 0.001)
        elif kind == "average-acceleration" and span > 0:
            noise = 4 * NOISE * level / span + 0.0005
            rows.add(variable, one.values, difference(grid, one.start, one.end), noise)
        elif kind == "acceleration":
            weights = difference(grid, max(at - 0.25, 0.0), min(at + 0.25, float(grid[-1])))
            rows.add(variable, one.values, weights, 0.05 * level)
        elif kind == "pose" and span > 0:
            moved = np.linalg.norm(one.values[:, :3, 3], axis=1)
            rows.add(variable, moved, integral(grid, one.start, one.end), NOISE * level * span + 0.006, span)
    for fact in facts:
        if fact.kind == "displacement" and fact.end > fact.start:
            span, known = fact.end - fact.start, np.full(5, fact.value)
            rows.add(-1, known, integral(grid, fact.start, fact.end), NOISE * level * span + 0.003, span)
    if len(rows.variables) < 2:
        return None
    mean, deviation = (level, OPEN) if usual is None else (usual.mean, max(np.expm1(usual.deviation), 0.1))
    return _channel(rows, grid, smooth, level, mean, (mean * deviation) ** 2)


def _channel(rows: _Rows, grid: np.ndarray, smooth: np.ndarray, level: float, mean: float, constant: float) -> Channel:
    """Return the channel of a speed with an uncertain mean.

    The variance of the mean is ``constant``. A displacement is the chord of an arc. The ratio of chord to arc is
    assumed to be the ratio on a circle. Half of the difference between arc and chord is treated as the standard
    deviation of an error.
    """
    weights, chords = np.stack(rows.weights), np.array(rows.chords)
    widest = max(len(one) for one in rows.values)
    covariances: list[np.ndarray] = []
    for length, uneven, bend in HYPOTHESES:
        arc = np.sinc(np.minimum(bend * chords / 2, np.pi) / np.pi)
        seen = weights * arc[:, None]
        doubt = 0.5 * (1 - arc) * level * chords
        kernel = constant + (uneven * level) ** 2 * smooth[length]
        covariances.append(seen @ kernel @ seen.T + np.diag(np.array(rows.noise) ** 2 + doubt**2))
    # The expected values are computed for a straight path: a bend changes them much less than their deviation.
    expected = mean * weights.sum(axis=1)
    values = np.stack([np.resize(one, widest) for one in rows.values]) - expected[:, None]
    return Channel(np.array(rows.variables), values[:, :, None], np.stack(covariances))


def _turns(asked: Sequence[Asked], grid: np.ndarray, smooth: np.ndarray) -> Channel | None:
    """Return the channel of the camera's turns about the vertical, in degrees."""
    rows = _Rows()
    for variable, one in enumerate(asked):
        if one.quantity.kind == "turn" and one.end > one.start:
            rows.add(variable, one.values, integral(grid, one.start, one.end), 0.6)
    if len(rows.variables) < 2:
        return None
    rates = [np.abs(one).mean() / weights.sum() for one, weights in zip(rows.values, rows.weights, strict=True)]
    return _channel(rows, grid, smooth, rate := float(np.median(rates)), 0.0, rate**2)


def _poses(asked: Sequence[Asked], grid: np.ndarray, smooth: np.ndarray) -> list[Channel]:
    """Return the channels of the camera's translation and rotation since the start.

    Translations are in m, rotations in rad.
    """
    posed = [(variable, one) for variable, one in enumerate(asked) if one.quantity.kind == "pose" and one.end > 0]
    if len(posed) < 2:
        return []
    variables = np.array([variable for variable, _ in posed])
    weights = np.stack([integral(grid, one.start, one.end) for _, one in posed])
    places = np.stack([np.resize(one.values[:, :3, 3], (5, 3)) for _, one in posed])
    turned = np.stack([np.resize(rotation_vector(one.values[:, :3, :3]), (5, 3)) for _, one in posed])
    spans = weights.sum(axis=1)
    channels = []
    for values, noise in ((places, POSE_NOISE), (turned, TURN_NOISE)):
        rate = float(np.median(np.linalg.norm(values, axis=2).mean(axis=1) / spans)) / np.sqrt(3)
        covariances = [
            weights @ (rate**2 + (uneven * rate) ** 2 * smooth[length]) @ weights.T + noise**2 * np.eye(len(posed))
            for length, uneven, _ in HYPOTHESES
        ]
        channels.append(Channel(variables, values, np.stack(covariances)))
    return channels
