"""The last step of all readers: assemble a recording from poses, times, settings and pictures."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.geometry import Axes
from chronotope.io import slug
from chronotope.recording.sources.shared.repair import Repaired, require_poses
from chronotope.recording.sources.shared.source_settings import Settled
from chronotope.recording.sources.shared.turned import upright
from chronotope.recording.sources.shared.types import Loaded
from chronotope.recording.types import Kind, Recording

MAX_GAP = 0.5  # s, as in `scene.tracks`
_LONGEST = 86_400.0  # s; stamps in a wrong unit would need terabytes
_FASTEST = {Kind.DESKTOP: 5.0, Kind.INDOOR: 15.0, Kind.OUTDOOR: 150.0}  # m/s, of cameras


@dataclass(frozen=True, eq=False)
class Parts:
    """The data that a reader found in a source: poses, times, pictures and more.

    ``pictures`` and ``depth`` can be empty. ``kept`` selects the samples to keep, and ``times`` (s) are the times
    of these samples. Samples that ``kept`` does not select are omitted. ``part`` has the same meaning as in
    ``Found``.
    """

    poses: Repaired
    times: np.ndarray
    settled: Settled
    pictures: Sequence[Path | np.ndarray] = ()
    depth: tuple[Path | None, ...] = ()
    intrinsics: np.ndarray | None = None
    native_axes: Axes | None = Axes.OPENCV
    notes: tuple[str, ...] = ()
    kept: slice = field(default_factory=lambda: slice(None))
    provenance: dict[str, Any] = field(default_factory=dict)
    part: str | None = None


def assemble(name: str, path: Path, parts: Parts) -> Loaded:
    """Assemble the recording of a source at ``path``.

    ``name`` is the name of the module that read the source.

    Raises:
        InputError: If fewer than two poses are valid, or if no id can be made from the path's name.
    """
    valid = parts.poses.valid[parts.kept]
    repairs = (*parts.notes, *parts.poses.notes)
    require_poses(valid, str(path), repairs)
    settled = parts.settled
    repairs = (*repairs, *_motion_notes(str(path), parts.times, parts.poses.poses[parts.kept], valid, settled.kind))
    pictures, depth = parts.pictures[parts.kept], parts.depth[parts.kept]
    seen = upright(str(path), pictures, parts.poses.poses[parts.kept], parts.intrinsics, any(depth))
    place = path.resolve()
    provenance: dict[str, Any] = {"form": name, "name": place.name, "said_by": settled.said_by, **parts.provenance}
    recording = Recording(
        id=slug(parts.part or (place.name if place.is_dir() else place.stem)),
        kind=settled.kind,
        source=name,
        times=parts.times,
        world_T_camera=seen.poses,
        valid=valid,
        gravity=settled.gravity,
        depth_scale=settled.depth_scale if parts.depth else None,
        intrinsics=seen.intrinsics,
        native_axes=parts.native_axes,
        provenance=provenance,
    )
    return Loaded(recording, pictures, (*settled.notes, *repairs, *seen.notes), depth)


def _motion_notes(where: str, times: np.ndarray, poses: np.ndarray, valid: np.ndarray, kind: Kind) -> tuple[str, ...]:
    """Describe hardly possible motions, and those without questions.

    Raises:
        InputError: If the samples extend over more than a day.
    """
    if times[-1] - times[0] > _LONGEST:
        raise InputError(
            f"{where}: the samples extend over {times[-1] - times[0]:.4g} s, more than a day: check that the stamps "
            "are in seconds, and divide longer recordings"
        )
    gaps = np.diff(times[valid])
    notes: list[str] = []
    if (gaps > MAX_GAP).all():
        notes.append(
            f"the poses are {np.median(gaps):.3g} s apart, and motion is not interpolated between poses that are more "
            f"than {MAX_GAP} s apart: questions about motion need more poses"
        )
    speed = float(np.median(np.linalg.norm(np.diff(poses[valid, :3, 3], axis=0), axis=1) / gaps))
    if speed > _FASTEST[kind]:
        notes.append(
            f"the camera moves at {speed:.3g} m/s, which is hardly possible: check the unit of the translations "
            "(metres) and of the times, and that the file has one run"
        )
    return tuple(notes)
