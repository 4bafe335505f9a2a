"""A recording that was saved before: a folder with recording.json (see chronotope.recording.folder).

All data is as saved; --kind and --gravity replace its values, --fps is refused because its times are known. If the clip
is missing, the recording is a bare trajectory; if the clip is another file, it is refused, because the recording's
facts would not be true for it. Names that would lead out of a folder are refused too, because files are named after
them.
"""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.io import name_fault, path_fault, reading, sha256_file
from chronotope.recording.folder import load_recording
from chronotope.recording.sources.shared.types import Given, Loaded
from chronotope.recording.types import Clip, Recording

NAME = "recording_folder"
TITLE = "saved recording"
EXPECTED = "a folder with recording.json"


def matches(path: Path) -> bool:
    """Check whether the path looks like `EXPECTED`."""
    return (path / "recording.json").is_file()


def load(path: Path, given: Given) -> Loaded:
    """Read the folder.

    Raises:
        InputError: If it is broken.
    """
    if given.fps is not None:
        raise InputError(f"{path}: a saved recording has its own times; leave --fps out")
    recording = load_recording(path)
    _refuse_unsafe(path, recording)
    changes: dict[str, Any] = {}
    notes: list[str] = []
    if given.kind is not None and given.kind != recording.kind:
        changes["kind"] = given.kind
        notes.append(f"{TITLE}: kind {given.kind} by flag, saved as {recording.kind}")
    if given.gravity is not None:
        changes["gravity"] = (
            None if given.gravity == "unknown" else np.array(given.gravity) / np.linalg.norm(given.gravity)
        )
        notes.append(f"{TITLE}: gravity by flag")
    if recording.clip is not None and not recording.clip.path.is_file():
        changes["clip"] = None
        notes.append(f"{TITLE}: the clip {recording.clip.path} is missing; only the trajectory is used")
    elif recording.clip is not None:
        _refuse_changed(path, recording.clip)
    return Loaded(replace(recording, **changes), notes=tuple(notes))


def _refuse_unsafe(path: Path, recording: Recording) -> None:
    if fault := name_fault(recording.id):
        raise InputError(f"{path / 'recording.json'}: field 'id': {fault}")
    for field, files in (("depth", recording.depth), ("identities", recording.identities)):
        for sample, name in enumerate(files or ()):
            if name is None:
                continue
            fault = path_fault(name)
            if fault is None and not Path(os.path.realpath(path / name)).is_relative_to(os.path.realpath(path)):
                fault = f"{name!r} is a link to a file outside the folder; replace it by a copy of the file"
            if fault:
                raise InputError(f"{path / 'camera.parquet'}: column {field!r}, sample {sample}: {fault}")


def _refuse_changed(path: Path, clip: Clip) -> None:
    with reading(clip.path):
        found = sha256_file(clip.path)
    if found != clip.sha256:
        raise InputError(
            f"{clip.path}: not the clip that {path / 'recording.json'} describes (SHA-256 {found}, saved "
            f"{clip.sha256}): restore the correct file, or take the recording out"
        )
