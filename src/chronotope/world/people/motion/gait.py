"""A walk or a turn of the whole body, over planned footsteps."""

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import correlate1d, minimum_filter1d

from chronotope.world.people.motion.feet import CLEAR, Foot, step_foot
from chronotope.world.people.motion.footsteps import GRAVITY, PREPARE, SETTLE, Strides
from chronotope.world.people.motion.posing import trunk
from chronotope.world.people.motion.posture import ELBOW, Build, Posture
from chronotope.world.people.motion.skeleton import SIDES, about, ease

RATE = 120.0  # 1/s, rate at which the height of the hips is planned
SOFT = 0.05  # s, over which the height of the hips is smoothed
REACH = 0.994  # longest leg on a walk, as a share of its length
LOWER = 0.012  # how far the hips are lower on a walk than in a stance, for each metre of hip height
LEAD = 0.07  # how far the hips are ahead of the foot in the middle of its stance, in steps
SWAY = 0.026  # how far the hips move over the foot that bears the person, for each metre of hip height
LIST, TWIST, COUNTER = np.radians(3.0), np.radians(4.5), np.radians(6.0)  # of the pelvis, and of the chest against it
LEAN = np.radians(2.5)  # of the chest forward, at a Froude speed of 0.4
ARM_LAG = 0.12  # steps by which the arms are later than the legs
INTO = 0.5  # share of the full lean into a curve


def walk_into(build: Build, strides: Strides, starts: np.ndarray, posture: Posture, times: np.ndarray) -> None:
    """Write a walk or a turn into a posture.

    ``starts`` (2, 3) are the places of both feet before, and ``times`` (T,) s those of the frames since the walk
    begins. Frames before it keep what they have; frames after it stand where it ends.
    """
    chosen = times >= 0
    local = np.minimum(times[chosen], strides.seconds)
    fine = np.linspace(0.0, strides.seconds, max(8, round(strides.seconds * RATE)))
    height = CubicSpline(fine, _hip_height(build, strides, starts, fine))(local)
    body = _Bodily(build, strides, local)
    posture.path[chosen] = body.path
    posture.hips[chosen] = np.column_stack([body.hips, height])
    posture.pelvis[chosen], posture.chest[chosen] = body.pelvis, body.chest
    posture.swing[:, chosen] = body.swing
    for side in (0, 1):
        foot = _foot(build, strides, starts, side, local)
        for kept, new in zip(posture.feet[side], foot, strict=True):
            kept[chosen] = new


class _Bodily:
    """The trunk and the arms on a walk, apart from the height of the hips."""

    def __init__(self, build: Build, strides: Strides, times: np.ndarray) -> None:
        hip = build.skeleton.hip_height
        count = np.interp(times, strides.grid, strides.count)
        self.path = np.column_stack([np.interp(times, strides.grid, strides.pose[:, part]) for part in range(3)])
        begun, left = times / PREPARE, (strides.seconds - times) / SETTLE
        weight = ease(begun) * ease(left)
        last = strides.number
        going = ease(count / min(1.5, last / 2)) * ease((last - count) / min(1.5, last / 2))
        amount = going * min(1.3, strides.pace / 0.42)
        phase = np.pi * (count - strides.middle)  # 0 if the left foot bears the person
        bears, ahead = np.cos(phase), np.cos(phase + np.pi / 2)  # the second is 1 when the left foot comes down
        narrow = 1.0 if strides.way is not None else 1.6
        rates = np.gradient(strides.pose, strides.grid, axis=0)
        sideways = np.hypot(rates[:, 0], rates[:, 1]) * rates[:, 2]
        into = INTO * np.arctan(np.interp(times, strides.grid, sideways) / GRAVITY)
        step = LEAD * _step(strides)
        self.hips = np.column_stack([step * going, SWAY * hip * narrow * weight * bears])
        zero = np.zeros(len(times))
        self.pelvis = np.column_stack([LIST * amount * bears - into, 0.3 * LEAN * amount, -TWIST * amount * ahead])
        self.chest = np.column_stack([-0.3 * LIST * amount * bears - into, LEAN * amount, COUNTER * amount * ahead])
        late = phase - np.pi * ARM_LAG
        swings = (np.radians(3.0) + np.radians(32.0) * strides.pace) * going * np.cos(late + np.pi / 2)
        self.swing = np.zeros((2, len(times), 3))
        for side, sign in ((0, -1), (1, 1)):
            forward = sign * swings
            bent = ELBOW + (np.radians(4.0) + np.radians(26.0) * strides.pace) * going * (0.5 + forward / 0.9)
            self.swing[side] = np.column_stack([forward + np.radians(3.0) * going, zero + np.radians(7.0), bent])


def _step(strides: Strides) -> float:
    # The length (m) of a step in the middle of the walk.
    return 0.0 if strides.way is None else strides.way.length / strides.number


def _foot(build: Build, strides: Strides, starts: np.ndarray, side: int, times: np.ndarray) -> Foot:
    count = np.interp(times, strides.grid, strides.count)
    clear = CLEAR * build.skeleton.hip_height * (1.0 if strides.way is not None else 1.6)
    return step_foot(strides, side, starts[side], build.soles[side], clear, count)


def _hip_height(build: Build, strides: Strides, starts: np.ndarray, times: np.ndarray) -> np.ndarray:
    # The hips are as high as both legs can reach, smoothed over the time of a step.
    skeleton, body = build.skeleton, _Bodily(build, strides, times)
    heading = about(2, body.path[:, 2])
    pelvis = heading @ trunk(body.pelvis)
    flat = np.column_stack([body.hips, np.zeros(len(times))])
    root = (heading @ flat[..., None])[..., 0] + np.column_stack([body.path[:, :2], np.zeros(len(times))])
    last = strides.number
    count = np.interp(times, strides.grid, strides.count)
    going = ease(count) * ease(last - count)
    wanted = build.standing - LOWER * skeleton.hip_height * going
    for side, name in enumerate(SIDES):
        leg = REACH * (skeleton.length(f"{name}UpLeg", f"{name}Leg") + skeleton.length(f"{name}Leg", f"{name}Foot"))
        hip = root + pelvis @ (skeleton.place(f"{name}UpLeg") - skeleton.place("Hips"))
        ankle = _foot(build, strides, starts, side, times).ankle
        flat_way = np.hypot(*(ankle - hip)[:, :2].T)
        wanted = np.minimum(wanted, ankle[:, 2] - hip[:, 2] + np.sqrt(np.maximum(0.01, leg**2 - flat_way**2)))
    half = max(1, round(SOFT * RATE))
    eroded = minimum_filter1d(wanted, 2 * half + 1, mode="nearest")
    kernel = np.hanning(2 * half + 3)[1:-1]
    return correlate1d(eroded, kernel / kernel.sum(), mode="nearest")
