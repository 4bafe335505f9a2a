"""Questions about the camera's motion, answered from its reconstructed path."""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, Slerp

from chronotope.audit.attacks.sight.structure import Structure
from chronotope.geometry import rotation_angle

STEP = 0.05  # seconds between the points of a path when its length is measured
SPEED_WINDOW = 0.5  # length (s) of the window in which a speed is measured
USUAL_RATES = (5, 10, 12, 15, 20, 24, 25, 30)  # usual frame rates of clips, in frames per second


@dataclass(frozen=True, eq=False)
class Path:
    """A camera's path: positions in units of the reconstruction, and rotations (world_T_camera)."""

    places: CubicSpline
    turns: Slerp
    end: float

    def place(self, time: float | np.ndarray) -> np.ndarray:
        """Return the positions (..., 3) at times (s)."""
        return self.places(np.clip(time, 0, self.end))

    def turn(self, time: float) -> np.ndarray:
        """Return the rotation (3, 3) at one time (s)."""
        return self.turns(float(np.clip(time, 0, self.end))).as_matrix()

    def length(self, start: float, end: float) -> float:
        """Return the length of the path between two times (s)."""
        times = np.linspace(start, end, max(2, round((end - start) / STEP) + 1))
        return float(np.linalg.norm(np.diff(self.place(times), axis=0), axis=1).sum())

    def speed(self, time: float) -> float:
        """Return the speed around a time (s)."""
        half = SPEED_WINDOW / 2
        middle = float(np.clip(time, half, max(self.end - half, half)))
        return self.length(middle - half, middle + half) / SPEED_WINDOW

    def measured(self, kind: str, start: float, end: float, at: float | None) -> float:
        """Measure the quantity that a kind of question asks for.

        The value is in units of the path.
        """
        if kind == "displacement":
            return float(np.linalg.norm(self.place(end) - self.place(start)))
        if kind == "path-length":
            return self.length(start, end)
        if kind == "average-speed":
            return self.length(start, end) / (end - start)
        if kind == "speed":
            return self.speed(at or 0.0)
        if kind == "average-acceleration":
            return (self.speed(end) - self.speed(start)) / (end - start)
        moment = at or 0.0
        return (self.speed(moment + SPEED_WINDOW / 2) - self.speed(moment - SPEED_WINDOW / 2)) / SPEED_WINDOW


def path_of(structure: Structure, times: np.ndarray, length: float | None) -> Path:
    """Return the path through the reconstructed cameras at their times (F,) s.

    ``length`` (s) of the clip is given if the times are only approximate. In this case, the exact times of the sampled
    frames are computed for each usual frame rate, and the times with the smoothest speed are used.
    """
    if length is not None:
        times = min([times, *_sampled(len(times), length)], key=lambda one: _roughness(structure, one))
    turns = Slerp(times, Rotation.from_matrix(structure.poses[:, :3, :3]))
    return Path(CubicSpline(times, structure.poses[:, :3, 3]), turns, float(times[-1]))


def _sampled(count: int, length: float) -> list[np.ndarray]:
    """Return the possible times (s) of ``count`` sampled frames.

    There is one array of times for each usual frame rate. The first and the last frame of the clip are sampled.
    """
    found: list[np.ndarray] = []
    for rate in USUAL_RATES:
        frames = round(length * rate)
        if frames > count:
            found.append(np.round(np.arange(count) * (frames - 1) / (count - 1)) / rate)
    return found


def _roughness(structure: Structure, times: np.ndarray) -> float:
    """Return the total change of acceleration along the path."""
    steps = np.linalg.norm(np.diff(structure.poses[:, :3, 3], axis=0), axis=1) / np.diff(times)
    return float(np.abs(np.diff(steps, n=2)).sum())


def upward(structure: Structure) -> np.ndarray:
    """Estimate the unit vector (3,) that points up in the world.

    The estimate assumes that the camera is held level. The vector is perpendicular to the cameras' x axes. If these
    axes are nearly parallel, the vector is opposite to the mean y axis.
    """
    across, down = structure.poses[:, :3, 0], structure.poses[:, :3, 1].mean(axis=0)
    values, vectors = np.linalg.eigh(across.T @ across / len(across))
    # If the x axes span a plane, the axis of least variance is up. Otherwise the y axes decide.
    weight = 1 / (values + 1e-3)
    up = -(vectors * weight) @ (vectors.T @ down)
    return up / np.linalg.norm(up)


def turned(structure: Structure, path: Path, start: float, end: float) -> float:
    """Return the change of the horizontal viewing direction.

    The change is in degrees, positive to the left.
    """
    up = upward(structure)
    angles = []
    for time in np.linspace(start, end, max(2, round((end - start) / 0.1) + 1)):
        ahead = path.turn(float(time))[:, 2]
        ahead = ahead - (ahead @ up) * up
        side = np.cross(up, path.turn(0.0)[:, 2])
        side /= np.linalg.norm(side)
        angles.append(np.arctan2(ahead @ side, ahead @ np.cross(side, up)))
    change = np.degrees(np.unwrap(angles)[-1] - np.unwrap(angles)[0])
    return float(-((-change + 180) % 360 - 180))


def nearest_number(values: np.ndarray, measured: float, *, ratios: bool) -> int:
    """Return the option nearest to a measured number.

    The distance is a ratio or a difference.
    """
    if ratios and measured > 0 and (values > 0).all():
        return int(np.abs(np.log(values / measured)).argmin())
    return int(np.abs(values - measured).argmin())


def nearest_pose(poses: np.ndarray, moved: np.ndarray, unit: float | None) -> int:
    """Return the option nearest to a reconstructed pose (4, 4).

    The options (5, 4, 4) are relative to the first camera. If the length of a unit (m) is unknown, the reconstructed
    translation is scaled separately for each option, so that it fits this option best.
    """
    turns = np.degrees([rotation_angle(pose[:3, :3].T @ moved[:3, :3]) for pose in poses])
    steps = poses[:, :3, 3]
    lengths = np.linalg.norm(steps, axis=1)
    step = moved[:3, 3] / max(float(np.linalg.norm(moved[:3, 3])), 1e-9)
    fitted = np.full(len(poses), np.linalg.norm(moved[:3, 3]) * unit) if unit else np.maximum(steps @ step, 0)
    off = np.linalg.norm(steps - fitted[:, None] * step, axis=1) / max(float(lengths.mean()), 1e-9)
    return int((turns / 2 + np.degrees(off) / 2).argmin())


def pose_change(path: Path, time: float) -> np.ndarray:
    """Return the pose (4, 4) at one time, relative to the start.

    The time is in s.
    """
    moved = np.eye(4)
    first = path.turn(0.0)
    moved[:3, :3] = first.T @ path.turn(time)
    moved[:3, 3] = first.T @ (path.place(time) - path.place(0.0))
    return moved


def printed_axes(stem: str) -> np.ndarray | None:
    """Return the rotation from a stem's camera axes to OpenCV's axes.

    The rotation has the shape (4, 4). Returns None if the stem does not define axes.
    """
    found = np.eye(4)
    if "the camera's axes are x forward, y left, z up" in stem:
        found[:3, :3] = [[0, -1, 0], [0, 0, -1], [1, 0, 0]]
    elif "the camera's axes are x right, y up, z backward" in stem:
        found[:3, :3] = np.diag([1, -1, -1])
    elif "the camera's axes are x right, y down, z forward" not in stem:
        return None
    return found
