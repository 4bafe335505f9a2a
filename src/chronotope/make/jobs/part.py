"""The questions and files that a build makes from one scene or procedure.

The folder of these files appears when all files are complete.
"""

import errno
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.families import Profile, WriteContext, family
from chronotope.io import path_fault, plain_refusal, read_json, remedy, sha256_file, write_atomically, write_json
from chronotope.make.sources.origin import Origin
from chronotope.media import ClipFacts
from chronotope.pool import FolderJob, Tell
from chronotope.question import (
    SCHEMA_VERSION,
    Description,
    MediaFile,
    Question,
    measure_media,
    objects_that_stay,
    read_descriptions,
    read_questions,
    write_descriptions,
    write_questions,
)
from chronotope.recording import Scene, write_changes

_QUESTIONS, _DESCRIPTIONS = "questions.parquet", "descriptions.parquet"
_TRUTH = ("recordings", "procedures")  # folders of a part, and of a benchmark
_BRINGING = 0.9  # share of the work on a part until its recording is written; then come questions and measurements


@dataclass(frozen=True)
class PartJob(FolderJob):
    """The input of a worker that makes the questions of one scene or procedure."""

    origin: Origin
    family: str
    seed: int
    profile: Profile
    options: dict[str, Any]

    @property
    def sources(self) -> tuple[Path, ...]:
        """Return the files and folders of the scene or procedure."""
        return self.origin.sources


@dataclass(frozen=True)
class Ended:
    """The end of a job: the error, or None if the job succeeded.

    ``fingerprint`` is the fingerprint of the source before it was read, or None if it could not be taken.
    """

    fingerprint: str | None
    error: InputError | None


@dataclass(frozen=True)
class Part:
    """The finished folder that a build made from one scene or procedure.

    ``fingerprint`` is the fingerprint of the source when it was read. ``media`` are the clips and pictures, and
    ``truth`` are the folders of recordings or procedures, with paths inside the benchmark. If the verifier refused
    earlier attempts to generate a simulated scene, ``redrawn`` lists their failed checks.
    """

    folder: Path
    fingerprint: str
    id: str
    media: tuple[MediaFile, ...]
    truth: tuple[str, ...]
    refusals: dict[str, dict[str, int]]
    notes: tuple[str, ...]
    licence: str | None
    attributions: tuple[str, ...]
    redrawn: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Check that nothing is missing, and that media are unchanged."""
        places = [(self.folder / file.path, file.sha256) for file in self.media]
        return all((self.folder / path).exists() for path in self.truth) and all(
            place.is_file() and sha256_file(place) == known for place, known in places
        )

    def move_to(self, benchmark: Path) -> None:
        """Move the media and the truth into a benchmark.

        A home has thousands of depth maps, so moving its folder takes far less time than linking each file.

        Raises:
            FileExistsError: If the benchmark has a file of this name.
        """
        for path in self._movable:
            target = benchmark / path
            if os.path.lexists(target):  # renaming would replace it
                raise FileExistsError(errno.EEXIST, "exists already", str(target))
            target.parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).rename(target)

    def take_back_from(self, benchmark: Path) -> None:
        """Move back what is in a benchmark that stayed incomplete."""
        for path in self._movable:
            if not os.path.lexists(self.folder / path) and os.path.lexists(benchmark / path):
                (benchmark / path).rename(self.folder / path)

    @property
    def _movable(self) -> tuple[str, ...]:
        return (*(file.path for file in self.media), *self.truth)

    def read_questions(self) -> Sequence[Question]:
        """Read the questions about the source."""
        return read_questions(self.folder / _QUESTIONS)

    def read_descriptions(self) -> tuple[Description, ...]:
        """Read the source's descriptions of pictures."""
        return read_descriptions(self.folder / _DESCRIPTIONS)


def attempt_part(job: PartJob, tell: Tell) -> Ended:
    """Make a part, and return an error of its source.

    Raises:
        OSError: If the fault is in the folder of the parts.
    """
    fingerprint: str | None = None
    try:
        fingerprint = job.origin.fingerprint()
        make_part(job, fingerprint, tell)
    except InputError as error:
        return Ended(fingerprint, error)
    except OSError as error:
        plain = plain_refusal(error)
        if plain.filename is None or Path(plain.filename).is_relative_to(job.folder.parent):
            raise  # the fault is in the benchmark's folder, not in this source
        return Ended(fingerprint, InputError(f"{plain.filename}: {plain.strerror}: {remedy(plain)}"))
    return Ended(fingerprint, None)


def make_part(job: PartJob, fingerprint: str, tell: Tell) -> None:
    """Write a scene or procedure and its questions into the job's folder.

    ``fingerprint`` is the fingerprint of the source before it is read. ``tell`` is called with the finished share (0 to
    1) and the name of the current step. The folder appears when it is complete.

    Raises:
        InputError: If the source cannot be used. The message names the source.
    """
    with write_atomically(job.folder) as folder:
        folder.mkdir()
        brought = job.origin.bring(folder, lambda share, stage: tell(_BRINGING * share, stage))
        tell(_BRINGING, "writing questions")
        chosen = family(job.family)
        options = chosen.build.Options.model_validate(job.options)
        context = WriteContext(job.seed, job.profile, options, brought.clips, folder, brought.media)
        assert chosen.build.write is not None, "build() refuses a family that cannot write questions"
        with objects_that_stay():
            written = chosen.build.write(brought.subject, context)
            write_questions(folder / _QUESTIONS, written.questions)
        if isinstance(brought.subject, Scene):
            write_changes(folder, brought.subject.changes)
        if written.descriptions:
            write_descriptions(folder / _DESCRIPTIONS, written.descriptions)
        media = _measured(folder, [*brought.media.values(), *written.media], brought.facts, job.origin.name)
        write_json(
            folder / "part.json",
            {
                "schema_version": SCHEMA_VERSION,
                "fingerprint": fingerprint,
                "id": brought.subject.id,
                "files": [asdict(file) for file in media],
                "truth": sorted(
                    path.relative_to(folder).as_posix() for kind in _TRUTH for path in folder.glob(f"{kind}/*")
                ),
                "refusals": written.refusals,
                "notes": [*brought.notes, *written.notes],
                "licence": brought.subject.licence,
                "attributions": brought.attributions,
                "redrawn": brought.redrawn,
            },
        )


def _measured(folder: Path, paths: Sequence[str], known: Mapping[str, ClipFacts], source: str) -> list[MediaFile]:
    """Measure the media of a part.

    Clips whose facts are ``known`` by their path are not opened.

    Raises:
        InputError: If a file cannot be opened. The message names the source, because the folder will be gone.
    """
    try:
        return list(measure_media(folder, paths, known).values())
    except InputError as error:
        raise InputError(str(error).replace(f"{folder}{os.sep}", f"{source}: ")) from error


def read_part(folder: Path) -> Part | None:
    """Read the finished folder that `make_part` wrote.

    The result is None if the folder is missing or was written by an earlier version.
    """
    if not (folder / "part.json").exists():
        return None
    entry = read_json(folder / "part.json")
    if entry.get("schema_version") != SCHEMA_VERSION:  # questions of another schema version have other fields
        return None
    if not {"files", "truth"} <= set(entry):  # an earlier version did not list them
        return None
    if any(path_fault(path) for path in (*(file["path"] for file in entry["files"]), *entry["truth"])):
        return None  # a path that leads out of the folder: the part is made anew
    return Part(
        folder,
        entry["fingerprint"],
        entry["id"],
        tuple(MediaFile(**file) for file in entry["files"]),
        tuple(entry["truth"]),
        entry["refusals"],
        tuple(map(sys.intern, entry["notes"])),
        entry["licence"],
        tuple(entry.get("attributions", ())),
        tuple(entry["redrawn"]),
    )
