"""One recording's share of a benchmark: made by a worker in a folder of its own, which appears whole or not at all."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.families import Profile, WriteContext, family
from chronotope.files import canonical_json, read_json, sha256_bytes, write_atomically, write_json
from chronotope.media import encode_clip
from chronotope.question import write_questions
from chronotope.recording import Clip, Recording, save_recording
from chronotope.recording.sources import Found, Given, Loaded, load

__all__ = ["Part", "PartJob", "fingerprint", "make_part", "read_part"]


@dataclass(frozen=True)
class PartJob:
    """Everything a worker needs to make one part; ``fingerprint`` tells whether a part left behind is still good."""

    found: Found
    given: Given
    family: str
    seed: int
    profile: Profile
    options: dict[str, Any]
    folder: Path
    fingerprint: str


@dataclass(frozen=True)
class Part:
    """What a finished part's folder holds besides the recording, the clip and the questions."""

    folder: Path
    recording_id: str
    clip: str | None  # path inside the benchmark
    refusals: dict[str, dict[str, int]]
    notes: tuple[str, ...]
    licence: str | None


def fingerprint(found: Found) -> str:
    """Changes whenever a file of the source is added, removed or written to, or the settings beside a bare file."""
    if found.path.is_dir():
        walked = os.walk(found.path, followlinks=True)
        files = sorted(Path(folder) / name for folder, _, names in walked for name in names)
    else:
        beside = found.path.with_name("chronotope.yaml")
        files = [found.path, *([beside] if beside.is_file() else [])]
    entries = [
        [file.relative_to(found.path.parent).as_posix(), file.stat().st_size, file.stat().st_mtime_ns]
        for file in files
        if file.exists()  # a dangling link is no part of a source
    ]
    return sha256_bytes(canonical_json(entries).encode())


def make_part(job: PartJob) -> None:
    """Load a recording, encode its clip, write its questions. Raises InputError that names the source."""
    loaded = load(job.found, job.given)
    with write_atomically(job.folder) as folder:
        folder.mkdir()
        recording, clip = _with_clip(loaded, folder)
        chosen = family(job.family)
        context = WriteContext(job.seed, job.profile, chosen.BuildOptions.model_validate(job.options), clip)
        written = chosen.write(recording, context)
        # In the benchmark the recording lies two folders below the root that the clip's path starts from.
        save_recording(recording, folder / "recordings" / recording.id)
        write_questions(folder / "questions.parquet", written.questions)
        write_json(
            folder / "part.json",
            {
                "fingerprint": job.fingerprint,
                "recording": recording.id,
                "clip": clip,
                "refusals": written.refusals,
                "notes": list(loaded.notes),
                "licence": recording.licence,
            },
        )


def _with_clip(loaded: Loaded, folder: Path) -> tuple[Recording, str | None]:
    """The recording with its pictures as a clip in the part's folder, and that clip's path inside the benchmark."""
    recording = loaded.recording
    if recording.clip is not None:
        inside = f"clips/{recording.id}{recording.clip.path.suffix}"
        target = folder / inside
        target.parent.mkdir(parents=True)
        target.write_bytes(recording.clip.path.read_bytes())
        return replace(recording, clip=replace(recording.clip, path=target)), inside
    if not loaded.pictures:
        return recording, None
    if recording.fps is None:
        raise InputError(f"{recording.id}: a single picture is no recording: at least two are needed")
    inside = f"clips/{recording.id}.mp4"
    target = folder / inside
    fps = round(recording.fps, 3)  # stamps read from text carry noise that no clip needs
    facts = encode_clip(loaded.pictures, target, fps)
    clip = Clip(target, facts.sha256, fps, facts.width, facts.height)
    return replace(recording, clip=clip), inside


def read_part(folder: Path, expected_fingerprint: str | None = None) -> Part | None:
    """The part in a folder; None where there is none or its source has changed since."""
    if not (folder / "part.json").exists():
        return None
    entry = read_json(folder / "part.json")
    if expected_fingerprint is not None and entry["fingerprint"] != expected_fingerprint:
        return None
    return Part(folder, entry["recording"], entry["clip"], entry["refusals"], tuple(entry["notes"]), entry["licence"])
