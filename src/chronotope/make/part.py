"""One recording's share of a benchmark: made by a worker in a folder of its own, which appears whole or not at all."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chronotope.families import Profile, WriteContext, family
from chronotope.files import read_json, write_atomically, write_json
from chronotope.make.origin import Origin
from chronotope.question import write_questions

__all__ = ["Part", "PartJob", "make_part", "read_part"]


@dataclass(frozen=True)
class PartJob:
    """Everything a worker needs to make one part; ``fingerprint`` tells whether a part left behind is still good."""

    origin: Origin
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


def make_part(job: PartJob) -> None:
    """Bring a recording and write its questions. Raises InputError that names the source."""
    with write_atomically(job.folder) as folder:
        folder.mkdir()
        brought = job.origin.bring(folder)
        chosen = family(job.family)
        context = WriteContext(job.seed, job.profile, chosen.BuildOptions.model_validate(job.options), brought.clip)
        written = chosen.write(brought.recording, context)
        write_questions(folder / "questions.parquet", written.questions)
        write_json(
            folder / "part.json",
            {
                "fingerprint": job.fingerprint,
                "recording": brought.recording.id,
                "clip": brought.clip,
                "refusals": written.refusals,
                "notes": list(brought.notes),
                "licence": brought.recording.licence,
            },
        )


def read_part(folder: Path, expected_fingerprint: str | None = None) -> Part | None:
    """The part in a folder; None where there is none or its source has changed since."""
    if not (folder / "part.json").exists():
        return None
    entry = read_json(folder / "part.json")
    if expected_fingerprint is not None and entry["fingerprint"] != expected_fingerprint:
        return None
    return Part(folder, entry["recording"], entry["clip"], entry["refusals"], tuple(entry["notes"]), entry["licence"])
