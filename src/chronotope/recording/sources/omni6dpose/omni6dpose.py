"""Reader of ROPE, the real part of Omni6DPose: small things on a table, filmed by a hand-held camera.

A scene is a folder of ``<6 digits>_color.png`` and ``<6 digits>_meta.json``, with ``<6 digits>_mask.exr`` for most
frames. The folder is named with six digits. The catalogue ``real_obj_meta.json`` is in a folder nearby. A pose maps
the thing to the camera, in metres and OpenCV axes. The frames have no time stamps; the rate is 30 fps. The kind is
desktop.

The things do not move, so the poses of things without symmetry determine the camera's motion (see the module
``motion``). The world coordinates are the camera coordinates of the first frame with a known thing. The source's own
camera poses are used only for a comparison. A scene is refused if its things imply different motions of the camera.

The source does not state the up direction. The field ``upAxis`` was made for simulated scenes and lists the possible up
axes of a thing. Therefore only things with a single possible up axis are used. If there are at least three such things,
and if most of their up axes point in the same direction in the world, this direction is assumed to be up: the things
then stand on a level table. The up axes of fallen things would agree only by chance. In all other cases the up
direction is unknown.

The z axis of an entity is the up axis of its thing. The x and y axes of the entity are the two other axes.
"""

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.geometry import as_pose, rotation_angle
from chronotope.io import slug
from chronotope.recording.sources.omni6dpose.catalogue import About, find_catalogue, read_catalogue, thing_T_upright
from chronotope.recording.sources.omni6dpose.frames import Frames, PosedThing, read_frames
from chronotope.recording.sources.omni6dpose.motion import Motion, camera_motion, middle_pose
from chronotope.recording.sources.shared.assemble import Parts, assemble
from chronotope.recording.sources.shared.labels import OMNI6DPOSE, plain_label
from chronotope.recording.sources.shared.repair import Repaired
from chronotope.recording.sources.shared.source_settings import settle
from chronotope.recording.sources.shared.timing import numbered_times, require_fps
from chronotope.recording.sources.shared.types import Given, Loaded
from chronotope.recording.types import Entity, Kind


def can_read_exr() -> bool:
    """Check whether the package that reads EXR files is installed."""
    return _library() is not None


def read_mask(path: Path) -> np.ndarray:
    """Read the ids (H, W) uint8 of a mask.

    An id is 255 times the value of the red channel, rounded. If the file has only one channel, this channel is used
    instead of the red channel. Call this function only if ``can_read_exr`` returns True.

    Raises:
        InputError: If the file is not an EXR picture with a red channel or a single channel.
    """
    library = _library()
    if library is None:
        raise InputError(f"{path}: reading EXR files needs OpenEXR: pip install OpenEXR")
    try:
        with library.File(str(path), separate_channels=True) as file:
            channels = file.channels()
            found = channels.get("R") or (next(iter(channels.values())) if len(channels) == 1 else None)
            values = None if found is None else np.asarray(found.pixels, np.float32) * 255
            names = ", ".join(sorted(channels))
    except (OSError, RuntimeError, ValueError, TypeError) as error:  # raised by the library for wrong bytes
        raise InputError(f"{path}: cannot be read as an EXR file ({error}): download the file again") from error
    if values is None or values.ndim != 2:
        raise InputError(f"{path}: has the channels {names}, expected a channel R or a single channel")
    return np.rint(np.fmin(np.fmax(values, 0), 255)).astype(np.uint8)  # NaN becomes 0


def _library() -> Any:
    try:
        return importlib.import_module("OpenEXR")
    except ImportError:
        return None


NAME = "omni6dpose"
TITLE = "Omni6DPose ROPE"
EXPECTED = "a folder with files such as 000000_color.png and 000000_meta.json"
FPS = 30.0
LEAST_PIXELS = 400  # least size (px) of the mask of a visible thing
MOST_METRES, MOST_ANGLE = 0.010, np.radians(1.5)  # m, rad; largest difference of camera poses from different things
_SIDES_AGREE = 1e-4  # m, largest difference between two side lengths that count as equal
_UPRIGHT = np.radians(5)  # rad, largest angle between an up axis and the common direction
_LEAST_UPRIGHT, _MOST_OF_THEM = 3, 0.75


def matches(path: Path) -> bool:
    """Check whether the path looks like ``EXPECTED``."""
    digits = "[0-9]" * 6
    try:
        return path.is_dir() and all(any(path.glob(digits + end)) for end in ("_meta.json", "_color.png"))
    except OSError:
        return False


def companions(path: Path) -> list[Path]:
    """Return the catalogue of the things, which is outside the scene's folder."""
    return [] if (place := find_catalogue(path)) is None else [place]


def load(path: Path, given: Given) -> Loaded:
    """Read a scene of Omni6DPose ROPE.

    Raises:
        InputError: If the scene does not have the form described at the top of this module.
    """
    if not path.is_dir():
        raise InputError(f"{path}: expected a folder of files such as 000000_color.png and 000000_meta.json")
    frames = read_frames(path)
    catalogue = read_catalogue(path, {thing.oid for thing in frames.things})
    abouts = [None if catalogue is None else catalogue.get(thing.oid) for thing in frames.things]
    motion = _motion(path, frames.things, abouts)
    world_T_things = [_place(thing, motion) for thing in frames.things]
    up = _common_up(world_T_things, abouts)
    settled = settle(given, path, TITLE, kind=Kind.DESKTOP, fps=FPS, gravity=None if up is None else -up)
    timed = numbered_times(frames.numbers, len(frames.numbers), require_fps(settled.fps, path), path.name)
    valid = np.asarray(np.isfinite(motion.world_T_camera).all(axis=(1, 2)))
    intrinsics = frames.intrinsics
    parts = Parts(
        poses=Repaired(motion.world_T_camera, valid, _motion_notes(path, frames, motion, valid)),
        times=timed.times,
        kept=timed.kept,
        settled=settled,
        pictures=frames.pictures,
        intrinsics=intrinsics if intrinsics is None or intrinsics.ndim == 2 else intrinsics[timed.kept],
        notes=(
            *frames.notes,
            *_without_name(path, frames.things),
            *_catalogue_notes(frames.things, abouts, catalogue is not None),
            *timed.notes,
        ),
        provenance={
            "first_frame": int(frames.numbers[timed.kept.start]),
            "world_is_camera_of_frame": int(frames.numbers[motion.reference]),
            "things_apart": {"m": motion.metres, "degrees": float(np.degrees(motion.radians))},
        },
    )
    loaded = assemble(NAME, path, parts)
    if up is not None and settled.said_by.get("gravity") == "convention":
        told = (
            f"{path.name}: the source does not state the up direction; the common up axis of most of its things is used"
        )
        loaded = replace(loaded, notes=(*loaded.notes, told))
    seen, pixels, notes = _sight(path, frames, timed.kept)
    entities = [
        replace(
            _entity(thing, about, pose),
            visible=seen[index],
            visible_pixels=None if pixels is None else pixels[index],
        )
        for index, (thing, about, pose) in enumerate(zip(frames.things, abouts, world_T_things, strict=True))
        if pose is not None and plain_label(thing.class_name)
    ]
    recording = replace(loaded.recording, entities=_with_own_ids(entities))
    return replace(loaded, recording=recording, notes=(*loaded.notes, *notes))


def _without_name(path: Path, things: tuple[PosedThing, ...]) -> tuple[str, ...]:
    """Return a note about the things without a name.

    Things without a name help to compute the camera's motion, but questions cannot name them.
    """
    nameless = [thing.oid for thing in things if not plain_label(thing.class_name)]
    told = (
        f"{path.name}: field 'class_name' of {', '.join(nameless)} is empty; no questions are asked about these things"
    )
    return (told,) if nameless else ()


def _motion(path: Path, things: tuple[PosedThing, ...], abouts: list[About | None]) -> Motion:
    """Compute the camera's motion from things without symmetry.

    If no symmetry is known, all things are used.
    """
    usable = [thing for thing, about in zip(things, abouts, strict=True) if about is None or about.symmetry == "none"]
    if not any(thing.valid.any() for thing in usable):
        raise InputError(
            f"{path}: no frame has a valid thing without symmetry in the foreground, so the camera's motion "
            "is unknown: remove the scene"
        )
    motion = camera_motion(np.array([thing.camera_T_thing for thing in usable]))
    if motion.metres > MOST_METRES or motion.radians > MOST_ANGLE:
        raise InputError(
            f"{path}: the things imply different camera motions: in the median frame they differ by "
            f"{motion.metres * 1000:.1f} mm and {np.degrees(motion.radians):.2f} degrees, expected at most "
            f"{MOST_METRES * 1000:g} mm and {np.degrees(MOST_ANGLE):g} degrees; remove the scene"
        )
    return motion


def _motion_notes(path: Path, frames: Frames, motion: Motion, valid: np.ndarray) -> tuple[str, ...]:
    notes: list[str] = []
    if motion.reference:
        notes.append(
            f"{path.name}: the world frame is the camera of frame {frames.numbers[motion.reference]}, the first frame "
            "with a "
            "known pose"
        )
    if not motion.frames:
        notes.append(f"{path.name}: no frame has two usable things, so the camera's motion was not checked")
    if not valid.all():
        notes.append(
            f"{path.name}: {(~valid).sum()} of {len(valid)} frames have no thing that determines the camera's pose"
        )
    both = valid & np.isfinite(frames.turns).all(axis=(1, 2))
    theirs, ours = frames.turns[both], motion.world_T_camera[both, :3, :3]
    if len(theirs) and rotation_angle(theirs[0].T @ theirs).max() > 0:  # constant rotations give no information
        # The camera axes, and the direction in which the poses map, do not affect the angle between two rotations.
        off = np.abs(rotation_angle(theirs[0].T @ theirs) - rotation_angle(ours[0].T @ ours))
        if (median := float(np.median(off))) > MOST_ANGLE:
            told = f"differ from the poses of the things, by {np.degrees(median):.1f} degrees in the median frame"
            notes.append(f"{path.name}: the source's own camera rotations {told}; the poses of the things are used")
    return tuple(notes)


def _place(thing: PosedThing, motion: Motion) -> np.ndarray | None:
    """Return world_T_thing (4, 4) in the source's axes, or None.

    The result is None if the thing has no valid pose in a frame with a known camera pose.
    """
    measured = motion.world_T_camera @ thing.camera_T_thing
    measured = measured[np.isfinite(measured).all(axis=(1, 2))]
    return middle_pose(measured) if len(measured) else None


def _common_up(world_T_things: list[np.ndarray | None], abouts: list[About | None]) -> np.ndarray | None:
    """Return the common direction (3,) of most up axes, or None.

    The direction is a unit vector. The result is None if the up axes do not agree (the rule is at the top of this
    module).
    """
    axes = np.array(
        [
            pose[:3, about.up[0][0]] * about.up[0][1]
            for pose, about in zip(world_T_things, abouts, strict=True)
            if pose is not None and about is not None and len(about.up) == 1
        ]
    ).reshape(-1, 3)
    if len(axes) < _LEAST_UPRIGHT:
        return None
    cosines = axes @ axes.T
    agree = cosines[int(np.argmax((cosines > np.cos(_UPRIGHT)).sum(axis=1)))] > np.cos(_UPRIGHT)
    if agree.sum() < max(_LEAST_UPRIGHT, _MOST_OF_THEM * len(axes)):
        return None
    common = axes[agree].mean(axis=0)
    return common / np.linalg.norm(common)


def _sides(thing: PosedThing, about: About | None) -> np.ndarray:
    """Return the side lengths (3,) m along the source's axes.

    If the catalogue has the thing, the side lengths are the thing's scale times its dimensions in the catalogue.
    """
    return thing.sides if about is None else thing.scale * about.dimensions


def _catalogue_notes(things: tuple[PosedThing, ...], abouts: list[About | None], there: bool) -> tuple[str, ...]:
    if not there:
        return (
            "real_obj_meta.json: not found; sizes come from the meta files, and symmetries and up axes are unknown",
        )
    notes: list[str] = []
    if missing := [thing.oid for thing, about in zip(things, abouts, strict=True) if about is None]:
        notes.append(f"real_obj_meta.json: does not have {', '.join(missing)}; the symmetry of these things is unknown")
    off = [
        thing.oid
        for thing, about in zip(things, abouts, strict=True)
        if not np.abs(_sides(thing, about) - thing.sides).max() <= _SIDES_AGREE
    ]
    if off:
        notes.append(
            f"real_obj_meta.json: the side lengths of {', '.join(off)} differ from bbox_side_len in the meta files; "
            "the side lengths of real_obj_meta.json are used"
        )
    return tuple(notes)


def _entity(thing: PosedThing, about: About | None, world_T_thing: np.ndarray) -> Entity:
    """Return an entity that does not move, with upright axes.

    The visibility of the entity is added later.
    """
    turn = thing_T_upright(() if about is None else about.up)
    length, width, height = (float(side) for side in np.abs(turn.T) @ _sides(thing, about))
    label = plain_label(thing.class_name, OMNI6DPOSE)
    return Entity(
        id=slug(f"{label}-{thing.mask_ids[thing.mask_ids >= 0][0]}"),
        label=label,
        category=label,
        size=(length, width, height),
        poses=(world_T_thing @ as_pose(turn, np.zeros(3)))[None],
        symmetry=None if about is None else about.symmetry,
    )


def _with_own_ids(entities: list[Entity]) -> tuple[Entity, ...]:
    """Return the entities with unique ids.

    A number is appended to an id that is already used.
    """
    named: dict[str, Entity] = {}
    for entity in entities:
        name, again = entity.id, 1
        while name in named:
            again += 1
            name = f"{entity.id}-{again}"
        named[name] = replace(entity, id=name)
    return tuple(named.values())


def _sight(path: Path, frames: Frames, kept: slice) -> tuple[np.ndarray, np.ndarray | None, tuple[str, ...]]:
    """Find the frames in which each thing is visible: (things, T).

    If the masks can be read, the number of pixels is returned too.
    """
    valid = np.array([thing.valid for thing in frames.things]).reshape(-1, len(frames.numbers))[:, kept]
    ids = np.array([thing.mask_ids for thing in frames.things]).reshape(-1, len(frames.numbers))[:, kept]
    files = [path / f"{number:06d}_mask.exr" for number in frames.numbers[kept]]
    there = [file.is_file() for file in files]
    if not any(there):
        return valid, None, (f"{path.name}: has no masks; a thing counts as visible if its pose is valid",)
    if not can_read_exr():
        told = "reading its masks, which are EXR files, needs OpenEXR (pip install OpenEXR)"
        return valid, None, (f"{path.name}: {told}; a thing counts as visible if its pose is valid",)
    pixels = np.zeros(ids.shape, np.int64)
    for place in np.flatnonzero(there):
        mask = read_mask(files[place])
        if frames.size is not None and mask.shape != frames.size[::-1]:
            raise InputError(
                f"{files[place]}: has {mask.shape[1]} x {mask.shape[0]} pixels, but the pictures have {frames.size[0]} "
                "x "
                f"{frames.size[1]} pixels"
            )
        counts = np.bincount(mask.ravel(), minlength=256)
        known = (ids[:, place] > 0) & (ids[:, place] < 256)
        pixels[known, place] = counts[ids[known, place]]
    missing = len(there) - sum(there)
    notes = (
        (f"{path.name}: {missing} frames have no mask; in these frames no thing counts as visible",) if missing else ()
    )
    return valid & (pixels >= LEAST_PIXELS), pixels, notes
