"""Conversion of one state of a scene to a recording with its clip and ground truth."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.families.m3.release._truth_camera import intrinsics, poses, true_yaws
from chronotope.families.m3.release._truth_files import Step, read_steps
from chronotope.families.m3.release._truth_maps import (
    DEPTH_SCALE,
    LeftOutError,
    frame_files,
    keep_depth,
    keep_identities,
)
from chronotope.families.m3.release._truth_objects import is_structure, read_entities, read_rooms
from chronotope.media import frame_times, picture_size, probe
from chronotope.question import MediaItem
from chronotope.recording import Clip, Entity, Kind, Recording, save_recording

TRAJECTORY, OBJECTS = "agent_trajectory.jsonl", "objects_state.json"
FPS = 3.0  # assumed frame rate of numbered pictures, because their rate is unknown
DOWN = np.array([0.0, 0.0, -1.0])

Notes = dict[str, list[str]]  # maps each note to the ids of the recordings with this note


@dataclass(frozen=True)
class State:
    """One state of a scene in a release.

    ``home`` is the folder of the scene and ``folder`` is the folder of the state, both in the release. ``id`` is the id
    of the recording, and ``item`` is the clip in the benchmark.
    """

    scene: str
    home: Path
    folder: Path
    number: int
    id: str
    item: MediaItem


@dataclass(frozen=True)
class _Seen:
    """The clip of a state: the times (T,) s of its frames, their size in px, and the video file.

    ``clip`` is None if the state has pictures and no video.
    """

    times: np.ndarray
    width: int
    height: int
    clip: Clip | None


def bring_state(state: State, licence: str, folder: Path, told: Notes) -> bool:
    """Write the recording of a state; return True if it was written.

    No recording is written if the state has no trajectory, or if its clip is missing in the benchmark. Notes are added
    to ``told``.
    """
    path = state.folder / TRAJECTORY
    if not path.is_file():
        told.setdefault(f"no recording is made of a state without {TRAJECTORY}", []).append(state.id)
        return False
    if not all((folder / one).is_file() for one in state.item.paths):
        told.setdefault("no recording is made of a state whose clip cannot be decoded", []).append(state.id)
        return False
    seen = _look(folder, state.item)
    steps = read_steps(path)
    first = _first_frame(len(steps), len(seen.times), path)
    for words in _told_steps(steps, first):
        told.setdefault(words, []).append(state.id)
    recording = replace(_recording(state, seen, steps, first), licence=licence)
    inside = folder / "recordings" / state.id
    inside.mkdir(parents=True)
    recording = _with_maps(recording, state, seen, inside, told)
    strangers = _strangers(steps, recording.entities)
    if strangers and recording.entities:
        told.setdefault(f"visible things that are not in {OBJECTS}, such as {strangers[0]}", []).append(state.id)
    save_recording(recording, inside)
    return True


def _look(folder: Path, item: MediaItem) -> _Seen:
    """Read the frame times and the size of a state's clip."""
    file = folder / item.paths[0]
    if item.kind != "video":
        width, height = picture_size(file)
        return _Seen(np.arange(len(item.paths)) / FPS, width, height, None)
    facts = probe(file)
    times = frame_times(file) if facts.fps is None else np.arange(facts.frames) / facts.fps
    fps = facts.fps or facts.frames / facts.duration_s
    return _Seen(times, facts.width, facts.height, Clip(file, facts.sha256, fps, facts.width, facts.height))


def _first_frame(steps: int, frames: int, path: Path) -> int:
    """Return the index of the frame that belongs to the first step.

    The index is 0 if the clip and the log begin with the same view, 1 if the log lacks the first view, and -1 if the
    clip lacks the first view.
    """
    first = frames - steps
    if abs(first) > 1:
        raise InputError(
            f"{path}: has {steps} lines, but the clip has {frames} frames: expected one line for each frame, or one "
            "line more or fewer for the first view"
        )
    return first


def _told_steps(steps: list[Step], first: int) -> Iterator[str]:
    if first > 0:
        yield "the trajectory lacks the start view, which is the clip's first frame"
    if first < 0:
        yield "the clip lacks the start view, which is the trajectory's first line"
    if true_yaws(steps)[1]:
        yield "the yaw was logged before each turn, so the yaw of the next line is used"


def _recording(state: State, seen: _Seen, steps: list[Step], first: int) -> Recording:
    """Make a recording from the trajectory, the objects and the rooms.

    The depth maps and identity maps are added later.
    """
    samples = len(seen.times)
    yaws, _ = true_yaws(steps)
    camera = _spread(poses(steps, yaws), first, samples, np.nan)
    matrices = np.array([intrinsics(step, seen.width, seen.height) for step in steps])
    same = (matrices == matrices[0]).all()
    return Recording(
        id=state.id,
        kind=Kind.INDOOR,
        source="m3-verse",
        times=seen.times,
        world_T_camera=camera,
        valid=np.asarray(np.isfinite(camera).all(axis=(1, 2))),
        clip=seen.clip,
        gravity=DOWN,
        intrinsics=matrices[0] if same else _spread(matrices, first, samples, matrices[0]),
        scene=state.scene,
        state=f"state_{state.number}",
        entities=_entities(state, steps, first, samples),
        rooms=read_rooms(state.home),
        provenance={"released": {"scene": state.scene, "state": state.folder.name, "steps": len(steps)}},
    )


def _spread(values: np.ndarray, first: int, samples: int, missing: float | np.ndarray) -> np.ndarray:
    """Copy the values (N, ...) of steps to their samples (T, ...).

    The first step belongs to the sample ``first``. Samples without a step get the value ``missing``.
    """
    spread = np.empty((samples, *values.shape[1:]), values.dtype)
    spread[:] = missing
    spread[max(first, 0) :] = values[max(-first, 0) :]
    return spread


def _entities(state: State, steps: list[Step], first: int, samples: int) -> tuple[Entity, ...]:
    """Return the objects of a state, with the samples that show them."""
    path = state.folder / OBJECTS
    if not path.is_file():
        return ()
    entities = read_entities(path, state.home / "object_asset_mapping.json")
    if steps[0].visible_objects is not None:
        sets = [set(step.visible_objects or ()) for step in steps]
        entities = tuple(
            replace(
                entity, visible=_spread(np.array([entity.id in ids for ids in sets]), first, samples, missing=False)
            )
            for entity in entities
        )
    if steps[0].pixels is not None:
        counts = [step.pixels or {} for step in steps]
        entities = tuple(
            replace(
                entity, visible_pixels=_spread(np.array([of.get(entity.id, 0) for of in counts]), first, samples, 0)
            )
            for entity in entities
        )
    return entities


def _strangers(steps: list[Step], entities: tuple[Entity, ...]) -> list[str]:
    """Return the ids of visible things that are not entities."""
    known = {entity.id for entity in entities}
    ids = dict.fromkeys(name for step in steps for name in step.visible_objects or ())
    return [name for name in ids if name not in known and not is_structure(name)]


def _with_maps(recording: Recording, state: State, seen: _Seen, inside: Path, told: Notes) -> Recording:
    """Add depth maps and identity maps to the recording of a state.

    The maps are written into the folder ``inside``. If the maps cannot be imported, a note is added to ``told``.
    """
    size, samples = (seen.height, seen.width), len(seen.times)
    try:
        if files := frame_files(state.folder, "depth"):
            depth = keep_depth(files, size, samples, inside)
            recording = replace(recording, depth=depth, depth_scale=DEPTH_SCALE)
    except LeftOutError as error:
        shutil.rmtree(inside / "depth", ignore_errors=True)
        told.setdefault(f"depth maps are left out: {error}", []).append(state.id)
    try:
        if recording.entities and (files := frame_files(state.folder, "segmentation")):
            names = {entity.id: entity for entity in recording.entities}
            identities, order = keep_identities(state.folder, files, size, names.keys(), samples, inside)
            entities = tuple(names.pop(name) for name in order) + tuple(names.values())
            recording = replace(recording, identities=identities, entities=entities)
    except LeftOutError as error:
        shutil.rmtree(inside / "identities", ignore_errors=True)
        told.setdefault(f"segmentation is left out: {error}", []).append(state.id)
    return recording
