"""Reader of a camera trajectory without pictures, in the text form of KITTI odometry.

Each line has 12 numbers: a 3 x 4 matrix, row by row, that maps camera coordinates to world coordinates, in metres.
The camera axes are OpenCV. The file has one line per picture, without times. The times (s) come from one of these
files: ``NAME_times.txt`` or ``times.txt`` in the same folder, or ``../sequences/NAME/times.txt`` as in the data
set. Without a file of times, the rate is 10 fps, by convention. The kind is outdoor. The cameras are mounted level,
so the direction of gravity is the +y axis of the first camera pose. A chronotope.yaml in the same folder is used.
"""

from pathlib import Path

import numpy as np

from chronotope.recording.sources.kitti.kitti_odometry import COLUMNS, FPS, first_camera_down
from chronotope.recording.sources.shared.assemble import Parts, assemble
from chronotope.recording.sources.shared.repair import from_matrices, require_poses
from chronotope.recording.sources.shared.source_settings import settle
from chronotope.recording.sources.shared.text import NANOSECOND_DIGITS, first_row, numbers, read_rows
from chronotope.recording.sources.shared.timing import frame_times, require_fps
from chronotope.recording.sources.shared.types import Given, Loaded
from chronotope.recording.types import Kind

NAME = "kitti_trajectory"
TITLE = "KITTI trajectory"
EXPECTED = "a text file whose first row has 12 numbers and does not begin with a stamp in nanoseconds"


def matches(path: Path) -> bool:
    """Check whether the path looks like ``EXPECTED``."""
    row = first_row(path)
    return (
        row is not None
        and len(row.fields) == 12
        and not (row.fields[0].isdigit() and len(row.fields[0]) >= NANOSECOND_DIGITS)
    )


def load(path: Path, given: Given) -> Loaded:
    """Read a trajectory file of KITTI.

    Raises:
        InputError: If the file does not have the form described at the top of this module. The message names the
        line.
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
    """Return the existing files that can contain the times of a trajectory."""
    stem = path.stem
    beside = {path.with_name(f"{stem}_times.txt"), path.with_name(f"{stem.rpartition('_')[0]}_times.txt")}
    told = [*sorted(beside), path.with_name("times.txt"), path.parent.parent / "sequences" / stem / "times.txt"]
    return [file for file in told if file.is_file() and file != path]


def times_beside(path: Path, count: int) -> Path | None:
    """Find the file with the times of ``count`` poses.

    The result is the first possible file that has exactly ``count`` values.
    """
    for file in companions(path):
        row = first_row(file)
        if row is not None and len(row.fields) == 1 and len(read_rows(file)) == count:
            return file
    return None
