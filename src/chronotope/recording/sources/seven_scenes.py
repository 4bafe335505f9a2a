"""Reader of 7-Scenes (Microsoft Research), and of folders with the same layout from TSDF fusion tools.

The source is a folder of ``frame-000000.color.png`` (or .jpg), ``frame-000000.pose.txt`` and, for some or all frames,
``frame-000000.depth.png``. A pose is a 4 x 4 matrix that maps camera coordinates to world coordinates, in metres. Depth
has 16 bits in mm; the values 0 and 65535 mean no depth. An optional file ``camera-intrinsics.txt`` has a 3 x 3 matrix
in px. The camera axes are OpenCV. The rotation matrices were printed from float32 numbers, so they are not exactly
orthonormal. By convention, the rate is 30 fps and the kind of scene is indoor. The world coordinates are the
coordinates of the camera tracker, so the up direction is unknown.

A colour picture without a pose file becomes a sample with an invalid pose. If frame numbers are missing at regular
intervals (for example, if only every third frame was kept), the time between two pictures is longer. If the frames have
a gap of more than 0.5 s, only the longest sequence without such a gap is kept.
"""

import re
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.recording.sources.shared.assemble import Parts, assemble
from chronotope.recording.sources.shared.repair import from_matrices
from chronotope.recording.sources.shared.source_settings import settle
from chronotope.recording.sources.shared.text import read_intrinsics, read_matrix
from chronotope.recording.sources.shared.timing import numbered_times, require_fps
from chronotope.recording.sources.shared.types import Given, Loaded
from chronotope.recording.types import Kind

NAME = "seven_scenes"
TITLE = "7-Scenes"
EXPECTED = "a folder with a file such as frame-000000.pose.txt"
_FILE = re.compile(r"frame-([0-9]{1,18})\.(color\.(?:png|jpg|jpeg)|pose\.txt|depth\.png)", re.IGNORECASE)


def matches(path: Path) -> bool:
    """Check whether the path looks like ``EXPECTED``."""
    try:
        return path.is_dir() and any(path.glob("frame-*.pose.txt"))
    except OSError:
        return False


def load(path: Path, given: Given) -> Loaded:
    """Read a folder of 7-Scenes.

    Raises:
        InputError: If the folder does not have the form described at the top of this module.
    """
    files = _list(path)
    frames = sorted(files["color"])
    if len(frames) < 2:
        raise InputError(f"{path}: {len(frames)} pictures such as frame-000000.color.png, expected at least two")
    poseless = np.full((4, 4), np.nan)
    matrices = [read_matrix(files["pose"][k], (4, 4)) if k in files["pose"] else poseless for k in frames]
    extra = len(files["pose"].keys() - files["color"].keys())
    depth = tuple(files["depth"].get(k) for k in frames) if files["depth"] else ()
    settled = settle(given, path, TITLE, kind=Kind.INDOOR, fps=30.0, depth_scale=1000.0 if depth else None)
    timed = numbered_times(np.array(frames), len(frames), require_fps(settled.fps, path), path.name)
    camera = path / "camera-intrinsics.txt"
    parts = Parts(
        poses=from_matrices(np.array(matrices), path.name),
        times=timed.times,
        kept=timed.kept,
        settled=settled,
        pictures=tuple(files["color"][k] for k in frames),
        depth=depth,
        intrinsics=read_intrinsics(camera) if camera.is_file() else None,
        notes=(*timed.notes, *((f"{path.name}: {extra} poses without a picture are omitted",) if extra else ())),
        provenance={"first_frame": frames[timed.kept.start]},
    )
    return assemble(NAME, path, parts)


def _list(path: Path) -> dict[str, dict[int, Path]]:
    """Return the files as {"color" | "pose" | "depth": {frame number: file}}."""
    files: dict[str, dict[int, Path]] = {"color": {}, "pose": {}, "depth": {}}
    if not path.is_dir():
        raise InputError(f"{path}: expected a folder of files such as frame-000000.color.png")
    for file in sorted(path.iterdir()):
        match = _FILE.fullmatch(file.name)
        if match:
            part = match[2].split(".")[0].lower()
            files[part].setdefault(int(match[1]), file)
    return files
