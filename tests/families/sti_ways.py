"""Generated ways of a camera: smooth, of changing speed and direction, at the scale of each kind of scene."""

import numpy as np
from scipy.interpolate import CubicSpline

from chronotope.geometry import as_pose
from chronotope.recording import Kind, Recording

SPEEDS = {"indoor": (0.2, 1.2), "outdoor": (3.0, 14.0), "desktop": (0.03, 0.2)}


def way(seed, kind="indoor", *, fps=30, seconds=None, noise=0.0, gravity=(0.0, 0.0, -1.0)):
    rng = np.random.default_rng([seed, 17])
    seconds = rng.uniform(10, 40) if seconds is None else seconds
    t = np.arange(int(seconds * fps) + 1) / fps
    low, high = SPEEDS[kind]
    mean = np.exp(rng.uniform(np.log(low), np.log(high)))

    def wave(strength):
        knots = max(4, int(seconds / 4) + 3)
        return CubicSpline(np.linspace(0, t[-1], knots), strength * rng.normal(size=knots))(t)

    speed = np.abs(mean * (1 + wave(0.5)))
    yaw = rng.uniform(-np.pi, np.pi) + np.cumsum(wave(0.25)) / fps
    x, y = np.cumsum(speed * np.cos(yaw)) / fps, np.cumsum(speed * np.sin(yaw)) / fps
    positions = np.stack([x, y, 1 + 0.02 * mean * np.sin(t)], 1) + noise * rng.normal(size=(len(t), 3))
    forward = np.stack([np.cos(yaw), np.sin(yaw), np.zeros_like(yaw)], 1)
    down = np.broadcast_to([0.0, 0.0, -1.0], forward.shape)
    rotations = np.stack([np.cross(down, forward), down, forward], 2)
    return Recording(
        id=f"way-{kind}-{seed}",
        kind=Kind(kind),
        source="generated",
        times=t,
        world_T_camera=as_pose(rotations, positions),
        valid=np.ones(len(t), bool),
        gravity=None if gravity is None else np.array(gravity),
    )
