"""A bare trajectory in the text form of KITTI odometry: 12 numbers per line, 3 x 4, row by row, camera to world.

Metres, camera axes OpenCV, one line per picture without a time: 10 fps by convention. Outdoor; the cameras are mounted
level, so gravity is the +y axis of the first camera. A chronotope.yaml beside the file counts.
"""

from pathlib import Path

import numpy as np

from chronotope.recording.sources._assemble import Parts, assemble
from chronotope.recording.sources._repair import from_matrices, require_poses
from chronotope.recording.sources._settings import settle
from chronotope.recording.sources._text import NANOSECOND_DIGITS, first_row, numbers, read_rows
from chronotope.recording.sources._timing import require_fps
from chronotope.recording.sources._types import Given, Loaded
from chronotope.recording.sources.kitti_odometry import COLUMNS, FPS, first_camera_down
from chronotope.recording.types import Kind

NAME = "kitti_trajectory"
TITLE = "KITTI trajectory"


def matches(path: Path) -> bool:
    """A text file whose first row has 12 numbers, the first no stamp in nanoseconds."""
    row = first_row(path)
    return (
        row is not None
        and len(row.fields) == 12
        and not (row.fields[0].isdigit() and len(row.fields[0]) >= NANOSECOND_DIGITS)
    )


def load(path: Path, given: Given) -> Loaded:
    """Read the file; InputError names the line that is not as the module's text says."""
    matrices = numbers(path, read_rows(path), COLUMNS).reshape(-1, 3, 4)
    repaired = from_matrices(matrices, path.name)
    require_poses(repaired.valid, str(path), repaired.notes)
    settled = settle(given, path.parent, TITLE, kind=Kind.OUTDOOR, fps=FPS, gravity=first_camera_down(repaired))
    times = np.arange(len(matrices)) / require_fps(settled.fps, path)
    return assemble(NAME, path, Parts(poses=repaired, times=times, settled=settled))
