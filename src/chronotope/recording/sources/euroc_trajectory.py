"""Reader of a camera trajectory without pictures, in the CSV form of EuRoC MAV (ETH Zurich).

The columns are ``stamp, px, py, pz, qw, qx, qy, qz`` and more; all further columns (velocity, biases) are ignored.
Stamps are in ns. The time of a sample is its stamp minus the first stamp. A pose maps the body to the world, in metres.
Quaternions have the scalar first. The z axis of the world points up, so gravity is (0, 0, -1), by the data set's
convention. The kind of scene is indoor, or outdoor if the trajectory is more than 100 m wide.

The poses belong to an inertial sensor, and the file does not state the viewing direction of a camera. Therefore
``native_axes`` is None, and questions that need the viewing direction are refused. A chronotope.yaml in the folder
of the file is used.
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

NAME = "euroc_trajectory"
TITLE = "EuRoC trajectory"
EXPECTED = (
    "a CSV file whose first row has a whole number and then at least 7 numbers (with 12 columns, the whole number must "
    "have 13 digits or more)"
)
COLUMNS = "stamp px py pz qw qx qy qz"


def matches(path: Path) -> bool:
    """Check whether the path looks like ``EXPECTED``."""
    row = first_row(path)
    if row is None or not row.commas or len(row.fields) < 8 or not row.fields[0].isdigit():
        return False
    return len(row.fields) != 12 or len(row.fields[0]) >= NANOSECOND_DIGITS


def load(path: Path, given: Given) -> Loaded:
    """Read a trajectory file of EuRoC.

    Raises:
        InputError: If the file does not have the form described at the top of this module. The message names the
        line.
    """
    rows = read_rows(path)
    values = numbers(path, rows, COLUMNS, start=1, exact=False)
    exact = stamps(path, rows)
    order = in_order(path, exact, 1e9)
    require_one_run(path, rows, exact, values[:, :3])
    poses = from_quaternions(values[order.rows, :3], values[order.rows][:, [4, 5, 6, 3]], path.name)
    kind, reasons = kind_of_extent(poses)
    down = np.array([0.0, 0.0, -1.0])
    settled = settle(given, path.parent, TITLE, kind=kind, gravity=down, reasons=reasons)
    parts = Parts(
        poses=poses,
        times=order.times,
        settled=settled,
        native_axes=None,
        notes=(*order.notes, *stamps_kept(settled.fps, path)),
        provenance={"first_stamp": order.first},
    )
    return assemble(NAME, path, parts)
