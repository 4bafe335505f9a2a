"""The questions and files that a build makes from one scene or procedure.

The folder of these files appears when all files are complete.
"""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.families import Profile, WriteContext, family
from chronotope.io import read_json, sha256_file, write_atomically, write_json
from chronotope.make.origin import Origin, Tell
from chronotope.question import (
    SCHEMA_VERSION,
    Description,
    MediaFile,
    measure_media,
    read_descriptions,
    write_descriptions,
    write_questions,
)
from chronotope.recording import Scene, write_changes

__all__ = ["Part", "PartJob", "make_part", "read_part"]

_DESCRIPTIONS = "descriptions.parquet"
_BRINGING = 0.9  # share of the work on a part until its recording is written; then come questions and measurements


@dataclass(frozen=True)
class PartJob:
    """The input of a worker process that makes the questions of one scene or procedure."""

    origin: Origin
    family: str
    seed: int
    profile: Profile
    options: dict[str, Any]
    folder: Path
    fingerprint: str


@dataclass(frozen=True)
class Part:
    """The finished folder that a build made from one scene or procedure.

    ``media`` are the clips and pictures, with paths inside the benchmark. If the verifier refused earlier attempts to
    generate a simulated scene, ``redrawn`` lists their failed checks.
    """

    folder: Path
    id: str
    media: tuple[MediaFile, ...]
    refusals: dict[str, dict[str, int]]
    notes: tuple[str, ...]
    licence: str | None
    attributions: tuple[str, ...]
    redrawn: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Check that the clips and pictures are those that were measured."""
        places = [(self.folder / file.path, file.sha256) for file in self.media]
        return all(place.is_file() and sha256_file(place) == known for place, known in places)

    @property
    def descriptions(self) -> tuple[Description, ...]:
        """Read the source's descriptions of pictures."""
        return read_descriptions(self.folder / _DESCRIPTIONS)


def make_part(job: PartJob, tell: Tell) -> None:
    """Write a scene or procedure and its questions into the job's folder.

    ``tell`` is called with the finished share (0 to 1) and the name of the current step. The folder appears when it is
    complete.

    Raises:
        InputError: If the source cannot be used. The message names the source.
    """
    with write_atomically(job.folder) as folder:
        folder.mkdir()
        brought = job.origin.bring(folder, lambda share, stage: tell(_BRINGING * share, stage))
        tell(_BRINGING, "writing questions")
        chosen = family(job.family)
        options = chosen.BuildOptions.model_validate(job.options)
        context = WriteContext(job.seed, job.profile, options, brought.clips, folder, brought.media)
        assert chosen.write is not None, "build() refuses a family that cannot write questions"
        written = chosen.write(brought.subject, context)
        if isinstance(brought.subject, Scene):
            write_changes(folder, brought.subject.changes)
        write_questions(folder / "questions.parquet", written.questions)
        if written.descriptions:
            write_descriptions(folder / _DESCRIPTIONS, written.descriptions)
        media = _measured(folder, [*brought.media.values(), *written.media], job.origin.name)
        write_json(
            folder / "part.json",
            {
                "schema_version": SCHEMA_VERSION,
                "fingerprint": job.fingerprint,
                "id": brought.subject.id,
                "files": [asdict(file) for file in media],
                "refusals": written.refusals,
                "notes": [*brought.notes, *written.notes],
                "licence": brought.subject.licence,
                "attributions": brought.attributions,
                "redrawn": brought.redrawn,
            },
        )


def _measured(folder: Path, paths: Sequence[str], source: str) -> list[MediaFile]:
    """Measure the media of a part.

    Raises:
        InputError: If a file cannot be opened. The message names the source, because the folder will be gone.
    """
    try:
        return list(measure_media(folder, paths).values())
    except InputError as error:
        raise InputError(str(error).replace(f"{folder}{os.sep}", f"{source}: ")) from error


def read_part(folder: Path, expected_fingerprint: str | None = None) -> Part | None:
    """Read the finished folder that `make_part` wrote.

    The result is None if the folder is missing, was written by an earlier version, or has another fingerprint because
    its source has changed.
    """
    if not (folder / "part.json").exists():
        return None
    entry = read_json(folder / "part.json")
    if entry.get("schema_version") != SCHEMA_VERSION:  # questions of another schema version have other fields
        return None
    if "files" not in entry:  # an earlier version did not measure them
        return None
    if expected_fingerprint is not None and entry["fingerprint"] != expected_fingerprint:
        return None
    return Part(
        folder,
        entry["id"],
        tuple(MediaFile(**file) for file in entry["files"]),
        entry["refusals"],
        tuple(entry["notes"]),
        entry["licence"],
        tuple(entry.get("attributions", ())),
        tuple(entry["redrawn"]),
    )
