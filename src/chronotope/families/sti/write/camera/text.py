"""Printed values and the wording of stems about the camera, in our own words."""

import numpy as np

from chronotope.families.sti.scale import Scale
from chronotope.geometry import Axes, axes_rotation, forward_of, invert
from chronotope.recording import Kind, Recording
from chronotope.scene import number, seconds

STEMS = {
    "displacement": "How far is the camera at the end of this period from where it was at the start, "
    "in a straight line?",
    "path-length": "How far does the camera travel during this period, measured along its path?",
    "average-speed": "What is the camera's average speed during this period, that is, the length of its path divided "
    "by the time?",
    "speed": "How fast is the camera moving at t = {t}?",
    "average-acceleration": "What is the camera's average acceleration during this period, that is, its speed at the "
    "end minus its speed at the start, divided by the time? It is negative if the speed falls.",
    "acceleration": "At what rate does the camera's speed change at t = {t}? The rate is negative if the speed falls.",
    "mount": "The camera is mounted on a car. In which direction does it look, as the car's driver sees it?",
    "trajectory": "Which of these describes how the camera moves during this period? The distances are those of its "
    "straight pieces: what it travels within a turn is not counted. Turns are as seen from above.",
    "orientation-change": "By how many degrees does the camera's horizontal viewing direction change from the start to "
    "the end of this period? Seen from above, a turn to the left is positive and a turn to the right is negative.",
}

UPRIGHT = 0.9999  # least z of the up axis of a world whose z axis is said to point up
_AXES_WORDS = {
    Axes.FLU: "x forward, y left, z up",
    Axes.OPENCV: "x right, y down, z forward",
    Axes.OPENGL: "x right, y up, z backward",
}
_PRINTED_AXES = {Kind.OUTDOOR: Axes.FLU, Kind.INDOOR: Axes.OPENCV, Kind.DESKTOP: Axes.OPENGL}


def turn_text(degrees: float, scale: Scale) -> str:
    """Return an angle as it is printed, wrapped to (-180°, 180°]."""
    wrapped = -((-degrees + 180) % 360 - 180)
    return f"{number(wrapped, scale.turn_decimals)}°"


def pose_axes(recording: Recording) -> Axes:
    """Return the camera axes of printed poses for a recording."""
    return _PRINTED_AXES[recording.kind]


def printed_pose(recording: Recording, first: np.ndarray, pose: np.ndarray, *, from_start: bool) -> np.ndarray:
    """Return a pose world_T_camera (4, 4) as answers print it.

    If ``from_start`` is true, positions are measured from the position of the first camera ``first``. A position in the
    world would reveal the height of the camera above the floor, and so the scale of the whole clip.

    Outdoor and indoor poses are in the world, with FLU (outdoor) or OpenCV (indoor) camera axes. Desktop poses are
    relative to the first camera ``first``, and both cameras have OpenGL axes. In some outdoor sources, such as KITTI,
    the z axis of the world does not point up. Then the world is rotated: x points along the first viewing direction, y
    to the left, and z up.
    """
    axes = np.eye(4)
    axes[:3, :3] = axes_rotation(pose_axes(recording), Axes.OPENCV)
    if recording.kind is Kind.DESKTOP:
        return axes.T @ invert(first) @ pose @ axes
    start = np.eye(4)
    start[:3, 3] = -first[:3, 3] * from_start
    return _level_world(recording) @ start @ pose @ axes


def is_releveled(recording: Recording) -> bool:
    """Check whether poses are printed in a levelled world.

    A world is levelled if z does not point up in the source's world.
    """
    return recording.kind is Kind.OUTDOOR and recording.up is not None and recording.up[2] < 0.9


def _level_world(recording: Recording) -> np.ndarray:
    """Return the rotation (4, 4) from the source's to the printed world."""
    turned = np.eye(4)
    if is_releveled(recording) and recording.up is not None:
        looks = forward_of(recording.world_T_camera[recording.valid][0])
        ahead = looks - (looks @ recording.up) * recording.up
        ahead /= np.linalg.norm(ahead)
        turned[:3, :3] = np.stack([ahead, np.cross(recording.up, ahead), recording.up])
    return turned


def pose_text(recording: Recording, printed: np.ndarray, decimals: int) -> str:
    """Print a pose as one JSON object.

    The object has the position and r11 to r33, row by row.
    """
    cells = list(zip(_names(recording), printed[:3, 3], strict=True))
    cells += [(f"r{row + 1}{column + 1}", printed[row, column]) for row in range(3) for column in range(3)]
    return "{" + ", ".join(f'"{name}": {number(float(value), decimals)}' for name, value in cells) + "}"


def _names(recording: Recording) -> tuple[str, str, str]:
    """Return the names of a position's three numbers.

    The released questions have the same names.
    """
    return ("Tx", "Ty", "Tz") if recording.kind is Kind.DESKTOP else ("tx", "ty", "tz")


def pose_stem(recording: Recording, first: str, time: float, *, from_start: bool) -> str:
    """Write the stem of a pose question.

    The stem states the axes, the pose at the start, and the moment of the question. ``from_start`` is as in
    ``printed_pose``.
    """
    frame = "the frame of the camera at the start of this period" if recording.kind is Kind.DESKTOP else "the world"
    if is_releveled(recording):
        frame = "the world (x where the camera first looks, y left, z up)"
    elif recording.kind is not Kind.DESKTOP and recording.up is not None and recording.up[2] > UPRIGHT:
        frame = "the world (z up)"
    if from_start and recording.kind is not Kind.DESKTOP:
        frame += ", measured from where the camera is at the start of this period"
    return (
        f"A camera pose has two parts. The first is the camera's position ({', '.join(_names(recording))}, in metres) "
        f"in {frame}. The second is a rotation matrix (r11 to r33, row by row) whose columns are the directions of "
        f"the camera's x, y and z axes in the same frame; the camera's axes are {_AXES_WORDS[pose_axes(recording)]}. "
        f"At the start of this period, the pose is {first}. What is the camera's pose at t = {seconds(time)}?"
    )
