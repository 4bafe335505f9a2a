"""Assembly of a benchmark folder from the parts of a build: one part for each scene or procedure."""

import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from chronotope.errors import InputError
from chronotope.io import write_json
from chronotope.make.jobs.gathering import Gathered
from chronotope.make.jobs.part import Part
from chronotope.make.jobs.request import BuildRequest
from chronotope.make.jobs.workshop import ASSEMBLY, LEDGER
from chronotope.question import (
    LICENCE_NOT_STATED,
    Benchmark,
    Card,
    CardDraft,
    Description,
    MediaFile,
    Question,
    write_benchmark_tables,
)
from chronotope.recording import CHANGES

# This file in a finished benchmark identifies the request and the state of the source, and lists the failures.
ORIGIN = ".origin.json"

Refusals = dict[str, dict[str, int]]


class NoQuestionError(InputError):
    """No question could be written; has the counts of refusals and the notes about the sources."""

    def __init__(self, message: str, refusals: Refusals, notes: tuple[str, ...]) -> None:
        super().__init__(message)
        self.refusals, self.notes = refusals, notes


@dataclass(frozen=True)
class Failure:
    """A scene or procedure that could not be used, with the reason."""

    source: str
    reason: str


@dataclass(frozen=True)
class Material:
    """The content of a benchmark's tables: questions, counts of refusals and descriptions of pictures."""

    questions: Sequence[Question]
    refusals: Refusals
    descriptions: tuple[Description, ...] = ()


def gather(request: BuildRequest, subject: str, gathered: Gathered) -> Sequence[Question]:
    """Collect the questions about all scenes or procedures of a build.

    Raises:
        InputError: If two scenes or procedures have the same name, if two questions have the same id, or if no part has
            a question.
    """
    questions = gathered.questions(str(request.source), subject)
    if questions:
        return questions
    refusals = add_up(part.refusals for part in gathered.parts)
    told = tuple(f"{part.id}: {note}" for part in gathered.parts for note in part.notes)
    reasons = Counter({code: 0 for counts in refusals.values() for code in counts})
    for counts in refusals.values():
        reasons.update(counts)
    listed = ", ".join(f"{code} {n}" for code, n in reasons.most_common()) or (
        f"the family asks no questions about such a {subject}"
    )
    raise NoQuestionError(
        f"{request.source}: no question could be written: all candidates were refused ({listed})",
        refusals,
        told,
    )


def add_up(refusals: Iterable[Refusals]) -> Refusals:
    """Add up several counts of refusals, separately for each kind and code.

    Each element of ``refusals`` maps kinds of question to {code of the refusal: number of candidates}.
    """
    total: dict[str, Counter[str]] = {}
    for counts in refusals:
        for variant, codes in counts.items():
            total.setdefault(variant, Counter()).update(codes)
    return {variant: dict(sorted(counts.items())) for variant, counts in total.items()}


def assemble(
    request: BuildRequest,
    parts: Sequence[Part],
    material: Material,
    origin: str,
    failures: Sequence[Failure],
) -> Benchmark:
    """Write the benchmark folder of a build, and return the benchmark.

    When the folder is complete, a single rename moves it to ``request.out``. If this function fails or is killed before
    that, `workshop` moves the files in the folder back to the parts.
    """
    workshop = parts[0].folder.parent.parent
    assembly = workshop / ASSEMBLY
    # Parts of sources that are gone must not be given back the files of others.
    for left in {*(workshop / "parts").iterdir()} - {part.folder for part in parts}:
        shutil.rmtree(left)
    assembly.mkdir()
    for part in parts:
        part.move_to(assembly)
        if (changes := part.folder / CHANGES).exists():
            with (assembly / CHANGES).open("ab") as together:
                together.write(changes.read_bytes())
    if (workshop / LEDGER).exists():
        shutil.copyfile(workshop / LEDGER, assembly / LEDGER)
    media = dict(sorted({file.path: file for part in parts for file in part.media}.items()))
    card = _write_tables(request, parts, material, media, assembly)
    write_json(assembly / ORIGIN, {"origin": origin, "failures": [asdict(failure) for failure in failures]})
    if request.out.exists():
        request.out.rmdir()  # an empty folder: build() refuses all others
    assembly.replace(request.out)
    return Benchmark(request.out, card, material.questions, media, material.descriptions)


def _write_tables(
    request: BuildRequest, parts: Sequence[Part], material: Material, media: Mapping[str, MediaFile], folder: Path
) -> Card:
    licences = sorted({part.licence for part in parts if part.licence})
    draft = CardDraft(
        name=request.out.absolute().name,
        family=request.family,
        profile=request.profile,
        licence="; ".join(licences) or LICENCE_NOT_STATED,
        attributions=tuple(sorted({each for part in parts for each in part.attributions})),
        seed=request.seed,
        command=request.command,
        refusals=material.refusals,
        redrawn={part.id: part.redrawn for part in parts if part.redrawn},
    )
    return write_benchmark_tables(folder, draft, material.questions, media, material.descriptions)
