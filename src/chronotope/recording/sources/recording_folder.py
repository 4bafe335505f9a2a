"""A recording that was saved before: a folder with recording.json (see chronotope.recording.folder).

Everything is as it was saved; --kind and --gravity replace what it says, --fps is refused because its times are known.
A clip that is no longer there leaves the bare trajectory.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.recording.folder import load_recording
from chronotope.recording.sources._types import Given, Loaded

NAME = "recording_folder"
TITLE = "saved recording"


def matches(path: Path) -> bool:
    """A folder with recording.json."""
    return (path / "recording.json").is_file()


def load(path: Path, given: Given) -> Loaded:
    """Read the folder; InputError in one sentence where it is broken."""
    if given.fps is not None:
        raise InputError(f"{path}: a saved recording has its own times; leave --fps out")
    recording = load_recording(path)
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
        notes.append(f"{TITLE}: the clip {recording.clip.path} is not there; only the trajectory is used")
    return Loaded(replace(recording, **changes), notes=tuple(notes))
