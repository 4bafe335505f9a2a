"""A bare trajectory in the text form of KITTI odometry.

Each line has 12 numbers, a 3 x 4 matrix row by row, camera to world. Metres, camera axes OpenCV, one line per picture
without a time. Times (s) come from a file beside it (``NAME_times.txt``, ``times.txt``) or from KITTI's own place
(``../sequences/NAME/times.txt``), else 10 fps by convention. Outdoor; the cameras are mounted level, so gravity is the
+y axis of the first camera. A chronotope.yaml beside the file counts.
"""

from pathlib import Path

import numpy as np

from chronotope.recording.sources.kitti.kitti_odometry import COLUMNS, FPS, first_camera_down
from chronotope.recording.sources.shared.assemble import Parts, assemble
from chronotope.recording.sources.shared.repair import from_matrices, require_poses
from chronotope.recording.sources.shared.settings import settle
from chronotope.recording.sources.shared.text import NANOSECOND_DIGITS, first_row, numbers, read_rows
from chronotope.recording.sources.shared.timing import frame_times, require_fps
from chronotope.recording.sources.shared.types import Given, Loaded
from chronotope.recording.types import Kind

NAME = "kitti_trajectory"
TITLE = "KITTI trajectory"
EXPECTED = "a text file whose first row has 12 numbers, the first no stamp in nanoseconds"


def matches(path: Path) -> bool:
    """Check whether the path looks like `EXPECTED`."""
    row = first_row(path)
    return (
        row is not None
        and len(row.fields) == 12
        and not (row.fields[0].isdigit() and len(row.fields[0]) >= NANOSECOND_DIGITS)
    )


def load(path: Path, given: Given) -> Loaded:
    """Read the file.

    Raises:
        InputError: If it does not have the form in the module's docstring. It names the line.
    """
    matrices = numbers(path, read_rows(path), COLUMNS).reshape(-1, 3, 4)
    repaired = from_matrices(matrices, path.name)
    require_poses(repaired.valid, str(path), repaired.notes)
    file, down = times_beside(path, len(matrices)), first_camera_down(repaired)
    fps = None if file else FPS
    settled = settle(given, path.parent, TITLE, kind=Kind.OUTDOOR, fps=fps, gravity=down)
    if file is None:
        times = np.arange(len(matrices)) / require_fps(settled.fps, path)
        return assemble(NAME, path, Parts(poses=repaired, times=times, settled=settled))
    timed = frame_times(numbers(file, read_rows(file), "t")[:, 0], settled.fps, file.name)
    notes = (f"{path.name}: times are read from {file.name}", *timed.notes)
    return assemble(NAME, path, Parts(poses=repaired, times=timed.times, kept=timed.kept, settled=settled, notes=notes))


def companions(path: Path) -> list[Path]:
    """Return the files in which times may lie, those that are there."""
    stem = path.stem
    beside = {path.with_name(f"{stem}_times.txt"), path.with_name(f"{stem.rpartition('_')[0]}_times.txt")}
    told = [*sorted(beside), path.with_name("times.txt"), path.parent.parent / "sequences" / stem / "times.txt"]
    return [file for file in told if file.is_file() and file != path]


def times_beside(path: Path, count: int) -> Path | None:
    """Find the file with the times of ``count`` poses.

    It is the first possible file with that number of values.
    """
    for file in companions(path):
        row = first_row(file)
        if row is not None and len(row.fields) == 1 and len(read_rows(file)) == count:
            return file
    return None
