"""Reader of ScanNet (Stanford, Princeton, Munich): rooms filmed with a depth camera, with the things in them.

The source is a folder ``<scan>``. The folder contains ``<scan>.sens``, or the folders ``color``, ``pose``,
``intrinsic`` and ``depth`` that were exported from this file. If both the .sens file and the exported folders
exist, the .sens file is read. Optional files are ``<scan>.txt``, the mesh with its objects, and
``<scan>_2d-instance-filt.zip``. Poses map camera coordinates to world coordinates, in metres. The camera axes are
OpenCV. The depth camera is assumed to be at the position of the colour camera. A frame is invalid if its pose is
not finite or has a zero rotation, because the tracking was lost in this frame.

``<scan>.txt`` contains lines ``key = value``. The 4 x 4 matrix ``axisAlignment`` (16 numbers, row by row) rotates
and moves the world so that the walls are parallel to its axes. Without ``axisAlignment``, the identity matrix is
used. The matrix ``axisAlignment`` is applied to both the poses and the mesh. The z axis of the world points up with
and without this matrix.

Time stamps (microseconds) are used if they increase at about 30 per second. Often the time stamps are zero or
random; then frame k is at k/30 s. The kind is indoor.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.geometry import as_pose, is_rigid, project_to_so3, transform_points
from chronotope.io import reading
from chronotope.recording.sources.scannet.objects import Objects, read_objects
from chronotope.recording.sources.scannet.scan import Frames, is_exported, read_exported, read_sens
from chronotope.recording.sources.scannet.sight import LEAST_PIXELS, mask_pixels, seen_by_depth
from chronotope.recording.sources.shared.assemble import Parts, assemble
from chronotope.recording.sources.shared.repair import FARTHEST, Repaired, from_matrices
from chronotope.recording.sources.shared.source_settings import settle
from chronotope.recording.sources.shared.timing import Timed, frame_times, numbered_times, require_fps
from chronotope.recording.sources.shared.types import Given, Loaded
from chronotope.recording.types import Entity, Kind

NAME = "scannet"
TITLE = "ScanNet"
EXPECTED = "a .sens file, a folder with a .sens file, or a folder with the folders color, pose and intrinsic"
FPS = 30.0
GRAVITY = np.array([0.0, 0.0, -1.0])
_DEPTH_SCALE = 1000.0  # steps per metre of exported depth
_MICROSECONDS = 1e6
_NEAR = 0.2  # largest difference from the nominal period, as a share of this period


def matches(path: Path) -> bool:
    """Check whether the path looks like ``EXPECTED``."""
    try:
        if path.is_dir():
            return len(_sens_files(path)) == 1 or is_exported(path)
        return path.suffix.lower() == ".sens" and path.is_file()
    except OSError:
        return False


def companions(path: Path) -> list[Path]:
    """Return the other files of a scan beside a .sens file.

    The other files are the mesh, the segments, the aggregation and the axis alignment. The result is empty if the
    path is a folder.
    """
    return [] if path.is_dir() else [file for file in path.parent.glob(f"{path.stem}*") if file.is_file()]


def load(path: Path, given: Given) -> Loaded:
    """Read a scan of ScanNet.

    Raises:
        InputError: If the scan does not have the form described at the top of this module.
    """
    folder, sens = _place(path)
    scan = folder.resolve().name if sens is None else sens.stem
    facts = _read_facts(folder / f"{scan}.txt")
    with_depth = sens is None and (folder / "depth").is_dir()
    settled = settle(
        given,
        folder,
        TITLE,
        kind=Kind.INDOOR,
        fps=FPS,
        gravity=GRAVITY,
        depth_scale=_DEPTH_SCALE if with_depth else None,
    )
    frames = read_exported(folder, facts.size, settled.depth_scale or _DEPTH_SCALE) if sens is None else read_sens(sens)
    repaired = from_matrices(frames.matrices, scan)
    timed = _times(frames, require_fps(settled.fps, folder), scan)
    parts = Parts(
        poses=Repaired(facts.alignment @ repaired.poses, repaired.valid, repaired.notes),
        times=timed.times,
        kept=timed.kept,
        settled=settled,
        pictures=frames.pictures,
        depth=frames.depth_files,
        intrinsics=None if frames.camera is None else frames.camera.intrinsics,
        notes=(*frames.notes, *facts.notes(frames, sens), *timed.notes),
        provenance={
            "scan": scan,
            "frames": "exported" if sens is None else "sens",
            "first_frame": int(frames.numbers[timed.kept.start]) if len(frames.numbers) else 0,
            "axis_alignment": facts.alignment.tolist() if facts.aligned else None,
        },
    )
    loaded = assemble(NAME, path, parts)
    objects = read_objects(folder, scan, facts.alignment)
    entities, seen = _seen(folder / f"{scan}_2d-instance-filt.zip", objects, frames, loaded, timed.kept)
    recording = replace(loaded.recording, entities=entities)
    return replace(loaded, recording=recording, notes=(*loaded.notes, *objects.notes, *seen))


def _sens_files(folder: Path) -> list[Path]:
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix.lower() == ".sens" and path.is_file() and not path.name.startswith(".")
    )


def _place(path: Path) -> tuple[Path, Path | None]:
    """Return the folder of a scan and its .sens file.

    The file is None if the scan was exported to folders.
    """
    if path.is_file():
        return path.parent, path
    files = _sens_files(path) if path.is_dir() else []
    if len(files) > 1:
        raise InputError(
            f"{path}: has {len(files)} .sens files, expected one: use the path of one of these files as the source"
        )
    if not files and not is_exported(path):
        raise InputError(
            f"{path}: expected a .sens file, or the folders color, pose and intrinsic that were exported from such a "
            "file"
        )
    return path, files[0] if files else None


@dataclass(frozen=True, eq=False)
class _Facts:
    """The facts in <scan>.txt.

    ``alignment`` is the matrix (4, 4) from the scan's axes to the world, and ``aligned`` is True if the file states
    this matrix. ``count`` is the number of colour pictures, and ``size`` is their width and height in px.
    """

    path: Path
    alignment: np.ndarray
    aligned: bool = False
    count: int | None = None
    size: tuple[int, int] | None = None

    def notes(self, frames: Frames, sens: Path | None) -> tuple[str, ...]:
        """Return notes about facts that do not agree with the frames.

        No note is made if the stated number of frames is too high by one.
        """
        notes: list[str] = []
        if not self.aligned:
            notes.append(
                f"{self.path.name}: has no axisAlignment, so the axes of the scan are used as the axes of the world"
            )
        if sens is not None and self.count is not None and self.count - len(frames.numbers) not in (0, 1):
            notes.append(f"{self.path.name}: states {self.count} colour frames, but there are {len(frames.numbers)}")
        return tuple(notes)


def _read_facts(path: Path) -> _Facts:
    """Read the facts in <scan>.txt, or the defaults if it is missing.

    Raises:
        InputError: If a required line has a wrong value.
    """
    if not path.is_file():
        return _Facts(path, np.eye(4))
    with reading(path):
        lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    values = {key.strip(): value.strip() for key, equals, value in (line.partition("=") for line in lines) if equals}
    size = [_whole(path, key, values.get(key)) for key in ("colorWidth", "colorHeight")]
    alignment = _alignment(path, values["axisAlignment"]) if "axisAlignment" in values else None
    return _Facts(
        path,
        np.eye(4) if alignment is None else alignment,
        alignment is not None,
        _whole(path, "numColorFrames", values.get("numColorFrames")),
        None if None in size else (size[0] or 0, size[1] or 0),
    )


def _whole(path: Path, key: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and 0 < int(text) < 2**31):
        raise InputError(f"{path}: field {key!r} is {text[:40]!r}, expected a whole number above 0")
    return int(text)


def _alignment(path: Path, text: str) -> np.ndarray:
    """Return the exactly rigid (4, 4) matrix of an axisAlignment."""
    try:
        numbers = np.array([float(part) for part in text.split()])
    except ValueError:
        numbers = np.empty(0)
    matrix = numbers.reshape(4, 4) if len(numbers) == 16 else np.zeros((4, 4))
    if not ((np.abs(matrix) < FARTHEST).all() and is_rigid(matrix)):
        raise InputError(f"{path}: field 'axisAlignment': expected the 16 numbers of a rigid 4 x 4 matrix, row by row")
    return as_pose(project_to_so3(matrix[:3, :3]), matrix[:3, 3])


def _times(frames: Frames, fps: float, scan: str) -> Timed:
    """Return the times of the frames, from stamps or frame numbers.

    Usable stamps are preferred. The text at the top of this module states which stamps are usable.
    """
    if frames.stamps is None or len(frames.stamps) < 2:
        return numbered_times(frames.numbers, len(frames.numbers), fps, scan)
    stamps = frames.stamps.astype(np.float64) / _MICROSECONDS
    stamps -= stamps[0]
    periods = np.diff(stamps)
    if (periods > 0).all() and abs(float(np.median(periods)) * fps - 1) <= _NEAR:
        return frame_times(stamps, None, scan)
    note = f"{scan}: the time stamps do not increase at about {fps:g} per second; frame k gets the time k / {fps:g} s"
    return Timed(np.arange(len(stamps)) / fps, slice(0, len(stamps)), (note,))


def _seen(
    masks: Path, objects: Objects, frames: Frames, loaded: Loaded, kept: slice
) -> tuple[tuple[Entity, ...], tuple[str, ...]]:
    """Add visibility to entities.

    The notes state how the visibility was found.
    """
    chosen = [index for index, whole in enumerate(objects.whole) if whole]
    entities = list(objects.entities)
    if not chosen:
        return objects.entities, ()
    if masks.is_file():
        pixels, missing = mask_pixels(masks, frames.numbers[kept].tolist(), [objects.numbers[i] for i in chosen])
        for index, row in zip(chosen, pixels, strict=True):
            entities[index] = replace(entities[index], visible=row >= LEAST_PIXELS, visible_pixels=row)
        told = f"{masks.name}: {missing} frames have no mask; in these frames no thing counts as visible"
        return tuple(entities), (told,) if missing else ()
    if frames.camera is None or frames.depth_camera is None:
        told = (
            f"{masks.name}: this file and depth with intrinsics are both missing; the visibility of objects is unknown"
        )
        return objects.entities, (told,)
    clouds = [transform_points(entity.poses[0], entity.points) for entity in entities if entity.points is not None]
    first = kept.start
    poses = loaded.recording.world_T_camera
    seen = seen_by_depth(
        [clouds[i] for i in chosen], poses, frames.camera, frames.depth_camera, lambda k: frames.depth_of(first + k)
    )
    for index, row in zip(chosen, seen, strict=True):
        entities[index] = replace(entities[index], visible=row)
    return tuple(entities), (f"{masks.name}: this file is missing, so visibility is computed from the depth",)
