"""Footsteps: where and when the feet of a person come down on a walk or a turn."""

from dataclasses import dataclass
from math import ceil

import numpy as np
from scipy.ndimage import gaussian_filter1d

from chronotope.world.people.motion.skeleton import ease, hermite
from chronotope.world.people.motion.ways import FINE, Way

GRAVITY = 9.81  # m/s2
STEP = 1.18  # step length / hip height at a Froude speed of 1; it grows with the root of the speed
LONGEST = 1.0  # longest step / hip height
STANCE = 1.2  # length of a stance, in steps
SIDEWAYS = 1.5  # m/s2, most acceleration to the side: people slow down in tight curves
CALM = 0.25  # m, over which a change of speed is smoothed
SHORT = 0.7  # the first step and the last one are shorter by about this factor
BEFORE, CLOSING = 0.4, 0.1  # steps that the first foot rolls before it leaves, and at which the last one comes down
RAMP = 1.0  # steps in which a walk gets to its speed, and in which it comes to rest
PREPARE, SETTLE = 0.4, 0.45  # s, shift of the weight before the first step and after the last one
NARROW, WIDE = 0.055, 0.095  # half the distance of the feet / hip height: on a walk, and where a person stands
OUT = np.radians(6.0)  # the feet point outwards by this angle
TURN = np.radians(50.0)  # most turn of a foot in one step on the spot
TURN_STEP = 0.55  # s, a step of a turn, for a hip height of 0.9 m


@dataclass(frozen=True, eq=False)
class Footfall:
    """One step of a foot: it leaves the floor at ``lift`` and comes down at ``strike``, in counts of steps.

    ``side`` is 0 for the left foot. ``place`` (2,) m is the place on the floor below the ankle, and ``yaw`` (rad) the
    direction in which the foot points. The heel is raised by the angle ``toe`` when the foot leaves the floor, and the
    toes by ``heel`` when it comes down; ``peel`` and ``land`` are the counts of steps that the foot rolls before and
    after. ``span`` are the distances (m) along the way between which the foot goes, or None.
    """

    side: int
    place: np.ndarray
    yaw: float
    lift: float
    strike: float
    toe: float
    heel: float
    peel: float
    land: float
    span: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class Strides:
    """The steps of one walk, or of one turn on the spot, as functions of time from its start.

    ``falls`` are in order. ``count`` (N,) is the count of steps and ``pose`` (N, 3) the place (m) and the heading (rad)
    of the person at the times ``grid`` (N,) s. ``middle`` is a count of steps at which the left foot bears the person.
    ``pace`` is the Froude speed in the middle of the walk.
    """

    falls: tuple[Footfall, ...]
    grid: np.ndarray
    count: np.ndarray
    pose: np.ndarray
    middle: float
    pace: float
    way: Way | None = None

    @property
    def seconds(self) -> float:
        """Return the time (s) that the steps take."""
        return float(self.grid[-1])

    @property
    def number(self) -> float:
        """Return the count of steps at which the person has got on."""
        return float(len(self.falls) - (self.way is not None))

    @property
    def moving(self) -> tuple[float, float]:
        """Return the times (s) between which the person gets on."""
        return PREPARE / 2, self.seconds - SETTLE / 2


def half_width(hip_height: float) -> float:
    """Return half the distance (m) of the feet of a person who stands."""
    return WIDE * hip_height


def stance_places(pose: np.ndarray, hip_height: float) -> np.ndarray:
    """Return the places (2, 3) of both feet of a person who stands at a pose (3,).

    A place and a pose have x and y in m, and a direction in rad.
    """
    x, y, yaw = pose
    out = half_width(hip_height) * np.array([-np.sin(yaw), np.cos(yaw)])
    return np.array([[x + out[0], y + out[1], yaw + OUT], [x - out[0], y - out[1], yaw - OUT]])


def steps_along(way: Way, speed: float, start: np.ndarray, hip_height: float) -> Strides:
    """Plan the steps along a way, from standing to standing.

    ``speed`` (m/s) is lower in tight curves. ``start`` (3,) is the pose of the person before.
    """
    fine = np.linspace(0.0, way.length, max(2, round(way.length / FINE)) + 1)
    capped = np.minimum(speed, np.sqrt(SIDEWAYS * way.radius(fine)))
    capped = np.minimum(capped, gaussian_filter1d(capped, CALM / fine[1], mode="nearest"))
    capped = gaussian_filter1d(capped, CALM / fine[1], mode="nearest")
    froude = capped / np.sqrt(GRAVITY * hip_height)
    lengths = hip_height * np.minimum(LONGEST, STEP * np.sqrt(froude))
    near = np.minimum(fine, way.length - fine) / (1.3 * lengths)
    lengths *= SHORT + (1 - SHORT) * _smooth(near)
    counted = _integral(fine, 1 / lengths)
    number = max(1, round(counted[-1]))
    counted *= number / counted[-1]
    even = _integral(fine, speed / capped)  # the way as long as it would be at full speed
    grid, run = _ramped(even[-1], speed, 2 * RAMP * float(lengths.mean()) / speed)
    done = np.interp(run, even, fine)
    count = np.interp(done, fine, counted)
    pace = float(np.median(froude)) * min(1.0, even[-1] / (2 * RAMP * float(lengths.mean())))
    heading = way.heading(done)
    off = start[:2] - way.points[0]
    slip = (start[2] - heading[0] + np.pi) % (2 * np.pi) - np.pi
    fade = 1 - ease(count / min(2.0, number))
    pose = np.column_stack([way.at(done) + fade[:, None] * off, heading + fade * slip])
    first = 0 if way.heading(np.array(min(1.0, way.length))) - heading[0] > 0.05 else 1
    falls: list[Footfall] = []
    before = [0.0, 0.0]
    for step in range(1, number + 2):
        side = (first + step - 1) % 2
        last = step > number
        at = float(np.interp(min(step, number), counted, fine))
        yaw = float(way.heading(np.array(at)))
        half = half_width(hip_height) if last or step == number else NARROW * hip_height
        sign = 1 if side == 0 else -1
        place = way.at(np.array(at)) + sign * half * np.array([-np.sin(yaw), np.cos(yaw)])
        lift = 0.0 if step == 1 else step - 2.5 + STANCE
        strike = number + CLOSING if last else step - 0.5
        swung = (at - before[side]) / (2 * float(lengths.mean()))
        toe = 0.5 if step == 1 else 0.9 if step in (2, number + 1) else 1.0
        heel = min(1.0, swung) ** 2 if not last else 0.12
        falls.append(
            Footfall(
                side,
                place,
                yaw + sign * OUT,
                lift,
                strike,
                toe=toe * (np.radians(40.0) + np.radians(36.0) * pace) * min(1.0, 0.3 + swung),
                heel=heel * (np.radians(9.0) + np.radians(30.0) * pace),
                peel=min(0.55, lift + BEFORE),
                land=0.26,
                span=(before[side], at),
            )
        )
        before[side] = at
    middle = 0.0 if first == 1 else 1.0
    grid, count, pose = _settled(grid, count, pose)
    return Strides(tuple(falls), grid, _flowing(grid, count, number), pose, middle, pace, way)


def steps_round(turn: float, start: np.ndarray, hip_height: float) -> Strides:
    """Plan the steps of a turn (rad) on the spot, to the left if it is positive."""
    pairs = max(1, ceil(abs(turn) / TURN - 1e-9))
    number = 2 * pairs
    step_seconds = TURN_STEP * float(np.sqrt(hip_height / 0.9))
    grid, count = _ramped(float(number), 1 / step_seconds, step_seconds)
    yaw = start[2] + turn * ease(count / number)
    pose = np.column_stack([np.tile(start[:2], (len(grid), 1)), yaw])
    first = 0 if turn > 0 else 1  # the foot on the side of the turn goes first, so that the feet never cross
    falls: list[Footfall] = []
    for step in range(1, number + 1):
        side = (first + step - 1) % 2
        end = start + np.array([0.0, 0.0, turn * ((step + 1) // 2) / pairs])
        x, y, foot_yaw = stance_places(end, hip_height)[side]
        toe, heel = np.radians(12.0), np.radians(2.0)
        falls.append(Footfall(side, np.array([x, y]), foot_yaw, step - 0.8, step - 0.12, toe, heel, peel=0.2, land=0.1))
    middle = 0.5 if first == 1 else 1.5
    return Strides(tuple(falls), *_settled(grid, count, pose), middle, 0.1)


def _integral(grid: np.ndarray, rate: np.ndarray) -> np.ndarray:
    return np.concatenate([[0.0], np.cumsum(np.diff(grid) * (rate[1:] + rate[:-1]) / 2)])


def _ramped(length: float, speed: float, ramp: float) -> tuple[np.ndarray, np.ndarray]:
    # Times (s) and the lengths done by then, with a smooth rise of the speed in ``ramp`` seconds and a like fall.
    speed = min(speed, length / ramp)
    total = length / speed + ramp
    grid = np.linspace(0.0, total, ceil(total * 200) + 1)
    rates = speed * np.minimum(_smooth(grid / ramp), _smooth((total - grid) / ramp))
    done = _integral(grid, rates)
    return grid, done * (length / done[-1])


def _smooth(share: np.ndarray) -> np.ndarray:
    x = np.clip(share, 0.0, 1.0)
    return x * x * (3 - 2 * x)


def _flowing(grid: np.ndarray, count: np.ndarray, number: int) -> np.ndarray:
    # The first foot leaves the floor before the person gets on, and the last one comes down without a pause: there, the
    # count of steps is smooth in time instead of following the way.
    count = count.copy()
    begin = int(np.searchsorted(count, 0.5))
    end = int(np.searchsorted(count, number - 0.5, side="right")) - 1
    rates = np.gradient(count, grid)
    span = grid[begin]
    u = grid[:begin] / span
    first = hermite(u, -BEFORE, 0.0, count[begin], rates[begin] * span)
    left = grid[-1] - grid[end]
    u = (grid[end + 1 :] - grid[end]) / left
    last = hermite(u, count[end], rates[end] * left, number + BEFORE, 0.0)
    count[:begin], count[end + 1 :] = first, last
    return count


def _settled(grid: np.ndarray, count: np.ndarray, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    # Adds rest before and after, in which the weight is shifted.
    grid = np.concatenate([[0.0], grid + PREPARE, [grid[-1] + PREPARE + SETTLE]])
    return grid, np.r_[count[0], count, count[-1]], np.concatenate([pose[:1], pose, pose[-1:]])
