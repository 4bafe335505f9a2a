"""The recording of a Waymo drive, made from the data of either format.

The module ``drive`` describes the conventions.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.geometry import Axes, change_camera_axes
from chronotope.recording.sources.shared.assemble import Parts, assemble
from chronotope.recording.sources.shared.repair import Repaired, from_matrices, require_poses
from chronotope.recording.sources.shared.source_settings import settle
from chronotope.recording.sources.shared.timing import frame_times
from chronotope.recording.sources.shared.tracks import Boxes, by_points, entities_of, require_single, visible_by
from chronotope.recording.sources.shared.types import Given, Loaded
from chronotope.recording.sources.waymo.drive import CAMERAS, Drive, Projected, WaymoCamera, part_name
from chronotope.recording.types import Clip, Kind, Recording

_LICENCE = "Waymo Dataset License Agreement for Non-Commercial Use"
_CLIP_WIDTH, _CLIP_HEIGHT = 640, 360  # px; the pictures are squeezed to this size in the published clips
_LARGEST_DIFFERENCE = 0.2  # largest difference of the clip's rate from the rate of the samples, as a share
_DOWN = np.array([0.0, 0.0, -1.0])


def drive_loaded(name: str, title: str, path: Path, given: Given, drive: Drive) -> Loaded:
    """Make the recording of a drive at ``path``.

    ``name`` is the module that read the drive.

    Raises:
        InputError: If fewer than two poses are valid, or if the clip cannot be used.
    """
    settled = settle(given, path if path.is_dir() else path.parent, title, kind=Kind.OUTDOOR, gravity=_DOWN)
    poses = _poses(drive)
    require_poses(poses.valid, str(path), poses.notes)
    timed = frame_times((drive.stamps - drive.stamps[0]) / 1e6, settled.fps, drive.segment)
    kept, clip, notes = _with_clip(drive, timed.kept)
    first, drive = int(drive.stamps[kept.start]), drive.cut(kept)
    known = _known(drive)
    part = drive.segment if drive.camera is None else part_name(drive.segment, drive.camera.number)
    parts = Parts(
        poses=Repaired(poses.poses[kept], poses.valid[kept], poses.notes),
        times=timed.times[: kept.stop - kept.start],
        settled=settled,
        pictures=drive.pictures,
        native_axes=Axes.FLU,
        notes=(*drive.notes, *timed.notes, *notes, *known.notes),
        provenance={"segment": drive.segment, "first_stamp_us": first, **known.provenance},
        part=part,
    )
    loaded = assemble(name, path, parts)
    recording = replace(loaded.recording, clip=clip, scene=drive.segment, licence=_LICENCE, **known.fields)
    return replace(loaded, recording=_in_clip(recording, drive.camera))


def _poses(drive: Drive) -> Repaired:
    """Return world_T_camera in OpenCV axes."""
    vehicle = from_matrices(drive.vehicle, "vehicle poses")
    if drive.camera_vehicle is not None:
        taken = from_matrices(drive.camera_vehicle, "vehicle poses of the pictures")
        poses = np.where(taken.valid[:, None, None], taken.poses, vehicle.poses)
        vehicle = Repaired(poses, taken.valid | vehicle.valid, (*vehicle.notes, *taken.notes))
    return Repaired(vehicle.poses @ _mount(drive.camera), vehicle.valid, vehicle.notes)


def _mount(camera: WaymoCamera | None) -> np.ndarray:
    """Return vehicle_T_camera (4, 4) in OpenCV axes.

    If there is no camera, a camera at the vehicle's origin that looks forward is assumed.
    """
    return change_camera_axes(np.eye(4) if camera is None else camera.extrinsic, Axes.FLU, Axes.OPENCV)


@dataclass(frozen=True, eq=False)
class _Known:
    """The fields of a recording except the camera's poses."""

    fields: dict[str, Any]
    provenance: dict[str, Any]
    notes: tuple[str, ...]


def _known(drive: Drive) -> _Known:
    vehicle = from_matrices(drive.vehicle, "vehicle poses").poses
    fields: dict[str, Any] = {"vehicle_pose": vehicle, "camera_mount": _mount(drive.camera)}
    provenance: dict[str, Any] = {}
    notes: list[str] = []
    if drive.camera is None:
        notes.append("no camera is calibrated: a camera at the vehicle's origin that looks forward is assumed")
    else:
        fields |= {"intrinsics": drive.camera.lens.intrinsics, "distortion": drive.camera.lens.distortion}
        provenance["camera"] = CAMERAS[drive.camera.number]
    if drive.velocity is not None:
        known = np.isfinite(drive.velocity).all(axis=1, keepdims=True)
        fields["velocity"] = np.where(known, drive.velocity, np.nan)
    if drive.boxes is not None:
        named = drive.boxes.labels != ""
        if not named.all():
            notes.append(f"{int((~named).sum())} boxes of unknown type are omitted")
        boxes = drive.boxes.rows(named)
        require_single(boxes)
        if drive.camera is None:
            seen = by_points(boxes)
            notes.append("an object counts as visible if its box contains at least 5 lidar points")
        else:
            drawn = None if drive.projected is None else _drawn(boxes, drive.projected)
            if drawn is None:
                notes.append(
                    "the source has no projected boxes, so the boxes in the pictures are computed from the 3D boxes"
                )
            lens = drive.camera.lens
            scale = (_CLIP_WIDTH / lens.width, _CLIP_HEIGHT / lens.height)
            seen = visible_by(lens, scale, boxes, vehicle, _poses(drive).poses, drawn)
        fields["entities"] = entities_of(boxes, seen, vehicle)
    return _Known(fields, provenance, tuple(notes))


def _drawn(boxes: Boxes, projected: Projected) -> np.ndarray:
    """Return the source's rectangle (N, 4) of each box.

    The rectangle is NaN for a box without a rectangle in the source.
    """
    drawn = np.full((len(boxes.frames), 4), np.nan)
    rows = {key: row for row, key in enumerate(zip(boxes.frames.tolist(), boxes.ids.tolist(), strict=True))}
    keys = zip(projected.frames.tolist(), projected.ids.tolist(), strict=True)
    found = np.array([rows.get(key, -1) for key in keys], np.int64)
    drawn[found[found >= 0]] = projected.rectangles[found >= 0]
    return drawn


def _with_clip(drive: Drive, kept: slice) -> tuple[slice, Clip | None, tuple[str, ...]]:
    """Return the samples to keep, the clip (or None), and notes.

    Frame k of the clip is sample k of the kept samples.
    """
    if drive.clip is None:
        return kept, None, ()
    if kept.start:
        return kept, None, (f"{drive.clip.name}: this clip is not used, because samples at the start are omitted",)
    from chronotope.media import probe  # imported here: the import takes a second, and few sources have a clip

    facts = probe(drive.clip)
    if facts.fps is None:
        raise InputError(f"{drive.clip}: the frame rate of the clip varies, expected a constant rate; convert the clip")
    rate = 1e6 / float(np.median(np.diff(drive.stamps)))
    if abs(facts.fps / rate - 1) > _LARGEST_DIFFERENCE:
        raise InputError(
            f"{drive.clip}: has {facts.fps:g} frames per second, but the segment has {rate:.4g} samples per second; "
            "expected a clip with all pictures of the segment"
        )
    stop = min(kept.stop, facts.frames)
    differ = facts.frames != len(drive.stamps)
    told = (
        f"{drive.clip.name}: the clip has {facts.frames} frames, but there are {len(drive.stamps)} samples: "
        f"the first {stop} of both are used"
    )
    clip = Clip(drive.clip.resolve(), facts.sha256, facts.fps, facts.width, facts.height)
    return slice(kept.start, stop), clip, (f"{told} together",) if differ else ()


def _in_clip(recording: Recording, camera: WaymoCamera | None) -> Recording:
    """Convert a recording's pixel coordinates to pixel coordinates of the clip.

    The clip can have another aspect ratio than the camera's pictures.
    """
    clip = recording.clip
    if clip is None or camera is None or recording.intrinsics is None:
        return recording
    scale = np.array([clip.width / camera.lens.width, clip.height / camera.lens.height])
    entities = [
        entity if entity.box2d is None else replace(entity, box2d=entity.box2d * np.tile(scale, 2))
        for entity in recording.entities
    ]
    return replace(recording, intrinsics=np.diag([*scale, 1.0]) @ recording.intrinsics, entities=tuple(entities))
