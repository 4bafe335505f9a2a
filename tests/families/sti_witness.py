"""The camera's true answers worked out a second time, by means that share no code with the writer.

Local quadratics by least squares instead of a filter, rotations by matrix logarithms instead of quaternions.
It knows the specification only: a grid of min(fps, 10) Hz, windows of 0.5 s (1.0 s outdoors), the printed axes.
"""

import itertools
import json
import re

import numpy as np
from scipy.linalg import expm, logm

WINDOW = {"desktop": 0.5, "indoor": 0.5, "outdoor": 1.0}
STILL = {"desktop": 0.005, "indoor": 0.03, "outdoor": 0.05}  # m that a camera at rest may wander
SLOW = {"desktop": 0.001, "indoor": 0.01, "outdoor": 0.1}  # m/s that what is at rest may go


class Witness:
    def __init__(self, times, poses, kind, up, rate):
        self.t, self.T, self.kind = np.asarray(times, float), np.asarray(poses, float), str(kind)
        self.up = None if up is None else np.asarray(up, float)
        self.looks = self.T[0, :3, 2]
        step = 1 / rate
        self.grid = [self.t[0]]
        while self.grid[-1] + step <= self.t[-1] + 1e-7:
            self.grid.append(self.t[0] + step * len(self.grid))
        self.grid = np.array(self.grid)
        until = np.minimum(self.grid, self.t[-1])
        self.raw = np.stack([np.interp(until, self.t, self.T[:, i, 3]) for i in range(3)], axis=1)
        half = max(1, int(WINDOW[self.kind] * rate / 2 + 1e-6))
        full, offsets = len(self.grid) - 2 * half, np.arange(-half, half + 1) * step
        # The quadratics through the windows about every sample that has a whole one: x², x, 1 by window by axis.
        windows = np.stack([self.raw[k : k + full] for k in range(2 * half + 1)])
        fits = np.polyfit(offsets, windows.reshape(2 * half + 1, -1), 2).reshape(3, full, 3)
        # Samples without one take the outermost quadratic, as it is there.
        centre = np.clip(np.arange(len(self.grid)), half, len(self.grid) - 1 - half)
        x = ((np.arange(len(self.grid)) - centre) * step)[:, None]
        second, first, value = fits[:, centre - half]
        self.p, self.v, self.a = (second * x + first) * x + value, 2 * second * x + first, 2 * second

    def at(self, values, time):
        k = min(int(np.searchsorted(self.grid, time + 1e-9)) - 1, len(self.grid) - 2)
        share = (min(time, self.grid[-1]) - self.grid[k]) / (self.grid[k + 1] - self.grid[k])
        return (1 - share) * values[k] + share * values[k + 1]

    def rotation(self, time):
        time = min(max(time, self.t[0]), self.t[-1])
        k = min(int(np.searchsorted(self.t, time, side="right")) - 1, len(self.t) - 2)
        share = (time - self.t[k]) / (self.t[k + 1] - self.t[k])
        first, second = self.T[k, :3, :3], self.T[k + 1, :3, :3]
        return first @ np.real(expm(share * np.real(logm(first.T @ second))))

    def displacement(self, start, end):
        return np.linalg.norm(self.at(self.p, end) - self.at(self.p, start))

    def path(self, start, end):
        stops = [start, *(g for g in self.grid if start + 1e-9 < g < end - 1e-9), end]
        return sum(self.displacement(a, b) for a, b in itertools.pairwise(stops))

    def speed(self, time):
        return np.linalg.norm(self.at(self.v, time))

    def acceleration(self, time):
        v = self.at(self.v, time)
        return self.at(self.a, time) @ v / np.linalg.norm(v)

    def turn(self, start, end):
        def flat(time):
            forward = self.rotation(time)[:, 2]
            forward = forward - (forward @ self.up) * self.up
            return forward / np.linalg.norm(forward)

        a, b = flat(start), flat(end)
        return np.degrees(np.arctan2(np.cross(a, b) @ self.up, a @ b))

    def pose(self, start, end, profile="paper"):
        out = []
        for time in (start, end):
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = self.rotation(time), self.at(self.p, time)
            out.append(T)
        first, last = out
        if profile == "strict" and self.kind != "desktop":  # measured from where the camera is at the start
            last[:3, 3] -= first[:3, 3]
        if self.kind == "indoor":
            return last
        if self.kind == "desktop":
            flip = np.diag([1, -1, -1, 1])
            return flip @ np.linalg.inv(first) @ last @ flip
        # columns: forward, left, up of the camera
        turned = last.copy()
        turned[:3, 0], turned[:3, 1], turned[:3, 2] = last[:3, 2], -last[:3, 0], -last[:3, 1]
        if self.up is None or self.up[2] > 0.9:
            return turned
        ahead = self.looks - self.up * (self.looks @ self.up)  # a level world: x where the camera first looks
        ahead = ahead / np.sqrt(ahead @ ahead)
        rows = np.eye(4)
        rows[0, :3], rows[1, :3], rows[2, :3] = ahead, np.cross(self.up, ahead), self.up
        return rows @ turned

    def rests(self, start, end, still=None):
        """Near one place all the time, and slow on average."""
        inside = [k for k, time in enumerate(self.grid) if start - 1e-6 <= time <= end + 1e-6]
        middle = np.median(self.raw[inside], axis=0)
        near = max(np.linalg.norm(self.raw[k] - middle) for k in inside) < (still or STILL[self.kind])
        return near and sum(np.sqrt(self.v[k] @ self.v[k]) for k in inside) / len(inside) < SLOW[self.kind]

    @classmethod
    def around(cls, times, poses, kind, up, rate, start, end):
        """The witness of the stretch, free of gaps over 0.5 s, that a window lies in."""
        cuts = [0, *(np.flatnonzero(np.diff(times) > 0.5) + 1), len(times)]
        for a, b in itertools.pairwise(cuts):
            if times[a] <= start + 1e-6 and end - 1e-6 <= times[b - 1]:
                found = cls(times[a:b], poses[a:b], kind, up, rate)
                found.looks = poses[0, :3, 2]
                return found
        raise AssertionError(f"no stretch without a gap covers {start} to {end} s")

    def value(self, formula, window, at, profile="paper"):
        start, end = window
        return {
            "displacement": lambda: self.displacement(start, end),
            "path-length": lambda: self.path(start, end),
            "average-speed": lambda: self.path(start, end) / (end - start),
            "speed": lambda: self.speed(at),
            "average-acceleration": lambda: (self.speed(end) - self.speed(start)) / (end - start),
            "acceleration": lambda: self.acceleration(at),
            "orientation-change": lambda: self.turn(start, end),
            "pose": lambda: self.pose(start, end, profile),
        }[formula]()


def numbers(text):
    """The numbers that an option prints: one, or a pose as a 3 x 4 matrix."""
    if text.startswith("{"):
        cells = {key.lower(): value for key, value in json.loads(text).items()}
        return np.array(
            [[*(cells[f"r{i}{j}"] for j in (1, 2, 3)), cells[f"t{'xyz'[i - 1]}"]] for i in (1, 2, 3)], dtype=float
        )
    return float(re.match(r"-?\d+(\.\d+)?", text).group())


def half_step(text):
    """Half of the last place that a text prints."""
    decimals = re.search(r"\.(\d+)", text)
    return 0.5 * 10.0 ** -(len(decimals.group(1)) if decimals else 0)


def facts_of(question):
    """What a question says of how its answer was measured, and of which entities."""
    return question.provenance | {"entities": list(question.entities())}
