"""Reader of a camera trajectory without pictures, in the text form of TUM RGB-D.

Each line is ``stamp tx ty tz qx qy qz qw``. Stamps are in s, or in ms, us or ns if seconds are not plausible. The
time of a sample is its stamp minus the first stamp. Poses map camera coordinates to world coordinates, in metres. The
camera axes are OpenCV. The z axis of the world points up, so gravity is (0, 0, -1), by the data set's convention. The
kind is indoor, or outdoor if the trajectory is more than 100 m wide. A chronotope.yaml in the same folder is used.
"""

from pathlib import Path

import numpy as np

from chronotope.recording.sources.shared.assemble import Parts, assemble
from chronotope.recording.sources.shared.repair import from_quaternions
from chronotope.recording.sources.shared.runs import require_one_run
from chronotope.recording.sources.shared.source_settings import kind_of_extent, settle
from chronotope.recording.sources.shared.text import NANOSECOND_DIGITS, first_row, numbers, read_rows, stamps
from chronotope.recording.sources.shared.timing import in_order, stamps_kept
from chronotope.recording.sources.shared.types import Given, Loaded

NAME = "tum_trajectory"
TITLE = "TUM trajectory"
EXPECTED = "a text file whose first row has 8 numbers and does not begin with a stamp in nanoseconds"
COLUMNS = "stamp tx ty tz qx qy qz qw"


def matches(path: Path) -> bool:
    """Check whether the path looks like ``EXPECTED``."""
    row = first_row(path)
    return (
        row is not None
        and len(row.fields) == 8
        and not (row.commas and row.fields[0].isdigit() and len(row.fields[0]) >= NANOSECOND_DIGITS)
    )


def load(path: Path, given: Given) -> Loaded:
    """Read a trajectory file of TUM RGB-D.

    Raises:
        InputError: If the file does not have the form described at the top of this module. The message names the
        line.
    """
    rows = read_rows(path)
    values = numbers(path, rows, COLUMNS, start=1)
    exact = stamps(path, rows)
    order = in_order(path, exact, None)
    require_one_run(path, rows, exact, values[:, :3])
    poses = from_quaternions(values[order.rows, :3], values[order.rows, 3:], path.name)
    kind, reasons = kind_of_extent(poses)
    down = np.array([0.0, 0.0, -1.0])
    settled = settle(given, path.parent, TITLE, kind=kind, gravity=down, reasons=reasons)
    parts = Parts(
        poses=poses,
        times=order.times,
        settled=settled,
        notes=(*order.notes, *stamps_kept(settled.fps, path)),
        provenance={"first_stamp": order.first},
    )
    return assemble(NAME, path, parts)
