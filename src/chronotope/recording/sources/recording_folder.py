"""Reader of a recording that Chronotope saved: a folder with recording.json.

The module ``chronotope.recording.folder`` describes this form. All data is used as saved, but --kind and --gravity
replace the saved values. --fps is an error, because the times are saved in the recording. If the clip is missing, only
the trajectory is used. If the clip differs from the saved clip, the recording is refused, because the ground truth
belongs only to the saved clip. A recording is also refused if the path of a file leads out of the recording's folder. A
benchmark would write its copy of the file to the same relative path, and thus outside its own folder.
"""

import os
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.io import link_check, name_fault, path_fault, reading, sha256_file
from chronotope.recording.folder import load_recording
from chronotope.recording.sources.shared.types import Given, Loaded
from chronotope.recording.types import Clip, Recording

NAME = "recording_folder"
TITLE = "saved recording"
EXPECTED = "a folder with recording.json"


def matches(path: Path) -> bool:
    """Check whether the path looks like ``EXPECTED``."""
    return (path / "recording.json").is_file()


def load(path: Path, given: Given) -> Loaded:
    """Read a saved recording from its folder.

    Raises:
        InputError: If the recording is damaged or unsafe, if its clip was replaced, or if --fps is given.
    """
    if given.fps is not None:
        raise InputError(
            f"{path}: a saved recording contains its own times, so --fps cannot be used with it; remove the flag"
        )
    recording = load_recording(path)
    _refuse_unsafe(path, recording)
    changes: dict[str, Any] = {}
    notes: list[str] = []
    if given.kind is not None and given.kind != recording.kind:
        changes["kind"] = given.kind
        notes.append(f"{TITLE}: the kind is {given.kind} because of --kind; the saved kind is {recording.kind}")
    if given.gravity is not None:
        changes["gravity"] = (
            None if given.gravity == "unknown" else np.array(given.gravity) / np.linalg.norm(given.gravity)
        )
        notes.append(f"{TITLE}: gravity is taken from --gravity")
    if recording.clip is not None and not recording.clip.path.is_file():
        changes["clip"] = None
        notes.append(f"{TITLE}: the clip {recording.clip.path} is missing; only the trajectory is used")
    elif recording.clip is not None:
        _refuse_changed(path, recording.clip)
    return Loaded(replace(recording, **changes), notes=tuple(notes), saved=None if changes else path)


def _refuse_unsafe(path: Path, recording: Recording) -> None:
    if fault := name_fault(recording.id):
        raise InputError(f"{path / 'recording.json'}: field 'id': {fault}")
    root = os.path.realpath(path)
    is_inside = cache(lambda folder: Path(os.path.realpath(folder)).is_relative_to(root))
    is_link = link_check()
    for field, files in (("depth", recording.depth), ("identities", recording.identities)):
        for sample, name in enumerate(files or ()):
            if name is None:
                continue
            fault, file = path_fault(name), f"{root}/{name}"
            # Files that are not links are where their folder is: there are thousands of them, in one or two folders.
            if fault is None and not is_inside(file if is_link(file) else file.rpartition("/")[0]):
                fault = f"{name!r} is a link to a file outside the folder; replace the link by a copy of the file"
            if fault:
                raise InputError(f"{path / 'camera.parquet'}: column {field!r}, sample {sample}: {fault}")


def _refuse_changed(path: Path, clip: Clip) -> None:
    with reading(clip.path):
        found = sha256_file(clip.path)
    if found != clip.sha256:
        raise InputError(
            f"{clip.path}: is not the clip that {path / 'recording.json'} describes (SHA-256 {found}, expected "
            f"{clip.sha256}): restore the correct file, or remove the recording"
        )
