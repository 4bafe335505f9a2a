"""Build a benchmark: one recording at a time over worker processes, into a folder that appears when it is whole.

While it is built, the parts lie in ``.<name>.building`` beside the benchmark. A build that was interrupted finds the
finished parts there and goes on; what was made with another request, or from files that changed, is made again.
"""

import os
import shlex
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from chronotope import __version__
from chronotope.errors import InputError
from chronotope.families import Profile, family
from chronotope.files import canonical_json, plain_refusal, read_json, remedy, sha256_bytes, write_json
from chronotope.make.links import link_or_copy
from chronotope.make.origin import Origin, find_origins, parse_world
from chronotope.make.part import Part, PartJob, read_part
from chronotope.make.wording import reword
from chronotope.make.workers import run_jobs
from chronotope.models import require_structured
from chronotope.question import (
    LICENCE_NOT_STATED,
    Card,
    CardDraft,
    Question,
    measure_media,
    open_benchmark,
    read_questions,
    write_benchmark_tables,
)
from chronotope.recording import load_recording
from chronotope.recording.sources import Given
from chronotope.world import QualityName

__all__ = ["BuildRequest", "Built", "Failure", "build"]

Progress = Callable[[int, int, str], None]

# Tells, in a finished benchmark, which request and which state of the source it was made from, and what failed then.
ORIGIN = ".origin.json"
LEDGER = "ledger.jsonl"  # every call to a writer
ASSEMBLY = "benchmark"  # where the parts are put together


@dataclass(frozen=True)
class BuildRequest:
    """What a benchmark is built from and how; equal requests give equal benchmarks.

    ``source`` is a path, or a simulated world such as ``world:table:8``; ``quality`` goes with the latter.
    """

    family: str
    source: Path | str
    out: Path
    seed: int = 0
    profile: Profile = "strict"
    options: dict[str, Any] = field(default_factory=dict)
    given: Given = field(default_factory=Given)
    source_name: str | None = None
    quality: QualityName | None = None
    writer: str | None = None  # a model that words the names of things, and where its service is
    base_url: str | None = None

    def command(self) -> str:
        """The command line that makes this benchmark, without the place where it goes."""
        world = parse_world(str(self.source))
        place = Path(os.path.abspath(self.source)).name  # noqa: PTH100 - "." has a name too, links keep theirs
        words = [
            "chronotope",
            "build",
            self.family,
            shlex.quote(place if world is None else world.source),
            f"--seed {self.seed}",
            f"--profile {self.profile}",
        ]
        for name, value in sorted(self.options.items()):
            words += _flags(name.replace("_", "-"), value)
        given = {
            "fps": self.given.fps,
            "kind": self.given.kind,
            "gravity": self.given.gravity,
            "source": self.source_name,
            "quality": self.quality or (None if world is None else "full"),
            "writer": self.writer,
        }
        for name, value in given.items():
            if value is not None:
                words.append(f"--{name} {','.join(map(str, value)) if isinstance(value, tuple) else value}")
        return " ".join(words)


def _flags(name: str, value: Any) -> list[str]:
    """The words that give an option this value."""
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    values = value if isinstance(value, list | tuple) else [value]
    return [f"--{name} {shlex.quote(str(one))}" for one in values]


@dataclass(frozen=True)
class Failure:
    """A recording that could not be used, and why."""

    source: str
    reason: str


@dataclass(frozen=True)
class Built:
    """What a build made: the folder and its card, what was noted of each recording, and what failed."""

    folder: Path
    card: Card
    notes: dict[str, tuple[str, ...]]
    failures: tuple[Failure, ...] = ()
    already_there: bool = False


def build(
    request: BuildRequest,
    *,
    workers: int | None = None,
    keep_going: bool = False,
    progress: Progress | None = None,
) -> Built:
    """Build the benchmark folder that a request describes, or go on with one that was interrupted.

    Raises InputError for a source that cannot be used (the first one; with ``keep_going`` the others are still used),
    where no question could be written, and where ``out`` holds something else.
    """
    chosen = family(request.family)
    options = chosen.BuildOptions.model_validate(request.options).model_dump(mode="json")
    if request.writer is not None:
        require_structured(request.writer, request.base_url)
    origins = find_origins(str(request.source), request.given, request.source_name, request.seed, request.quality)
    marks = [origin.fingerprint() for origin in origins]
    world = parse_world(str(request.source))
    place = os.path.abspath(request.source) if world is None else world.source  # noqa: PTH100 - links keep their names
    identity = sha256_bytes(canonical_json([__version__, request.command(), options, place]).encode())
    origin = sha256_bytes(canonical_json([identity, marks]).encode())
    existing = _existing(request, origin)
    if existing is not None:
        return existing
    _refuse_like_names(request.source, origins)
    with _workshop(request, identity) as parts_folder:
        jobs = [
            PartJob(one, request.family, request.seed, request.profile, options, parts_folder / f"{i:05d}", mark)
            for i, (one, mark) in enumerate(zip(origins, marks, strict=True))
        ]
        failures = _make_parts(jobs, workers, keep_going, progress)
        parts = [part for job in jobs if (part := read_part(job.folder, job.fingerprint)) is not None]
        if not parts:
            raise InputError(_nothing_usable(request.source, failures))
        parts = sorted(parts, key=lambda part: part.recording_id)
        questions, notes = _gather(request, parts), {part.recording_id: part.notes for part in parts}
        if request.writer is not None:
            questions, notes[request.writer] = _worded(request, parts, questions, progress)
        card = _assemble(request, parts, questions, origin, failures)
    return Built(request.out, card, notes, tuple(failures))


def _existing(request: BuildRequest, origin: str) -> Built | None:
    """The benchmark that is there already, if this request made it from these files; InputError for anything else."""
    if not request.out.exists() or (request.out.is_dir() and not any(request.out.iterdir())):
        return None
    if not (request.out / "card.yaml").exists():
        raise InputError(f"{request.out}: exists and is no benchmark: choose another --out")
    card = open_benchmark(request.out).card
    if card.command != request.command():
        raise InputError(
            f"{request.out}: holds the benchmark made by '{card.command}': choose another --out, or delete it"
        )
    note = request.out / ORIGIN
    noted = read_json(note) if note.exists() else {}
    if noted.get("origin") != origin:
        raise InputError(
            f"{request.out}: was made by the same command from other files than {request.source} holds now: choose "
            "another --out, or delete it"
        )
    failures = tuple(Failure(**failure) for failure in noted.get("failures", ()))
    return Built(request.out, card, {}, failures, already_there=True)


def _refuse_like_names(source: Path | str, origins: Sequence[Origin]) -> None:
    """InputError for two sources whose recordings would have one name, before any work is done on them."""
    seen: dict[str, str] = {}
    for origin in origins:
        expected = origin.expected_id
        if expected is None:
            continue
        if expected in seen:
            raise InputError(
                f"{source}: two recordings are called {expected!r} ({seen[expected]} and {origin.name}): rename one"
            )
        seen[expected] = origin.name


@contextmanager
def _workshop(request: BuildRequest, identity: str) -> Iterator[Path]:
    """The folder of parts, locked, emptied where another request left it; removed when the benchmark is whole.

    After a failure it stays only where a finished part in it spares work.
    """
    out = request.out.absolute()
    workshop = out.with_name(f".{out.name}.building")
    lock = FileLock(out.with_name(f".{out.name}.building.lock"))
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        Path(lock.lock_file).touch()  # the lock itself would wait for a folder that never takes it
    except OSError as error:
        raise InputError(
            f"{request.out}: nothing can be written there ({error.strerror or error}): choose another --out"
        ) from error
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise InputError(
            f"{request.out}: another process is building it: wait for it, or choose another --out"
        ) from None
    parts = workshop / "parts"
    try:
        note = workshop / "request.json"
        if workshop.exists() and not (note.exists() and read_json(note).get("identity") == identity):
            shutil.rmtree(workshop)
        workshop.mkdir(exist_ok=True)
        if not note.exists():
            write_json(note, {"identity": identity, "command": request.command()})
        parts.mkdir(exist_ok=True)
        for leftover in parts.glob(".*.partial"):
            shutil.rmtree(leftover)
        yield parts
        shutil.rmtree(workshop)
    except BaseException as error:
        shutil.rmtree(workshop / ASSEMBLY, ignore_errors=True)
        spares_work = any(part.name.isdigit() and (part / "part.json").exists() for part in parts.glob("*"))
        if not spares_work or (request.out / "card.yaml").exists():  # nothing is finished, or all is
            shutil.rmtree(workshop, ignore_errors=True)
        if isinstance(error, OSError):
            plain = plain_refusal(error)
            if plain.filename is None or Path(plain.filename).is_relative_to(workshop):
                raise InputError(
                    f"{request.out}: cannot be written ({plain.strerror}): {remedy(plain)} (finished recordings stay)"
                ) from error
        raise
    finally:
        lock.release()
        Path(lock.lock_file).unlink(missing_ok=True)


def _make_parts(jobs: list[PartJob], workers: int | None, keep_going: bool, progress: Progress | None) -> list[Failure]:
    """Make every part that is not there yet; returns what failed, in the order of the jobs."""
    missing: list[PartJob] = []
    for job in jobs:
        if read_part(job.folder, job.fingerprint) is None:
            shutil.rmtree(job.folder, ignore_errors=True)
            missing.append(job)
    if missing:
        missing[0].origin.require()
    count = min(workers or os.cpu_count() or 1, max(len(missing), 1))
    failures: dict[Path, Failure] = {}
    done = len(jobs) - len(missing)
    for job, error in run_jobs(missing, count):
        done += 1
        if progress is not None:
            progress(done, len(jobs), job.origin.name)
        if error is None:
            continue
        if not keep_going:
            raise error
        failures[job.folder] = Failure(job.origin.name, str(error))
    return [failures[job.folder] for job in jobs if job.folder in failures]


def _nothing_usable(source: Path | str, failures: Sequence[Failure]) -> str:
    """One sentence for a build whose every recording failed."""
    others = len(failures) - 1
    more = f" (and {others} other{'s' if others > 1 else ''} failed)" if others else ""
    return f"{source}: no recording could be used: {failures[0].reason}{more}"


def _gather(request: BuildRequest, parts: list[Part]) -> list[Question]:
    """The questions of all parts; InputError where two have the same name, or there is none."""
    repeated = [name for name, n in Counter(part.recording_id for part in parts).items() if n > 1]
    if repeated:
        raise InputError(f"{request.source}: two recordings are called {repeated[0]!r}: rename one of their folders")
    questions: list[Question] = []
    asked_of: dict[str, str] = {}
    for part in parts:
        for question in read_questions(part.folder / "questions.parquet"):
            other = asked_of.setdefault(question.id, part.recording_id)
            if other != part.recording_id:
                raise InputError(
                    f"{request.source}: the recordings {other!r} and {part.recording_id!r} would both have a question "
                    f"{question.id!r}: rename one of their folders"
                )
            questions.append(question)
    if not questions:
        refusals = _add_up(part.refusals for part in parts)
        reasons = Counter(code for counts in refusals.values() for code in counts.elements())
        listed = ", ".join(f"{code} {n}" for code, n in reasons.most_common()) or "the family asks nothing of these"
        raise InputError(f"{request.source}: no question could be written: all candidates were refused ({listed})")
    return questions


def _worded(
    request: BuildRequest, parts: list[Part], questions: list[Question], progress: Progress | None
) -> tuple[list[Question], tuple[str, ...]]:
    """The questions with the names that the writer gives things, and a note of how many."""
    assert request.writer is not None
    recordings = {
        part.recording_id: (
            load_recording(part.folder / "recordings" / part.recording_id),
            None if part.clip is None else part.folder / part.clip,
        )
        for part in parts
    }
    made = reword(questions, recordings, request.writer, request.base_url, _workshop_of(parts) / LEDGER, progress)
    return list(made.questions), (f"{made.accepted} of {made.tried} things have its words; the others keep ours",)


def _workshop_of(parts: list[Part]) -> Path:
    return parts[0].folder.parent.parent


def _assemble(
    request: BuildRequest, parts: list[Part], questions: list[Question], origin: str, failures: Sequence[Failure]
) -> Card:
    """Put the parts together beside the place where the benchmark goes, then move it there in one step."""
    assembly = _workshop_of(parts) / ASSEMBLY
    shutil.rmtree(assembly, ignore_errors=True)
    (assembly / "recordings").mkdir(parents=True)
    for part in parts:
        shutil.copytree(
            part.folder / "recordings", assembly / "recordings", dirs_exist_ok=True, copy_function=link_or_copy
        )
        if part.clip is not None:
            (assembly / part.clip).parent.mkdir(exist_ok=True)
            link_or_copy(part.folder / part.clip, assembly / part.clip)
    if (_workshop_of(parts) / LEDGER).exists():
        shutil.copyfile(_workshop_of(parts) / LEDGER, assembly / LEDGER)
    card = _write_tables(request, parts, questions, _add_up(part.refusals for part in parts), assembly)
    write_json(assembly / ORIGIN, {"origin": origin, "failures": [asdict(failure) for failure in failures]})
    if request.out.exists():
        request.out.rmdir()  # empty, or build() had refused it
    assembly.replace(request.out)
    return card


def _write_tables(
    request: BuildRequest,
    parts: list[Part],
    questions: list[Question],
    refusals: dict[str, Counter[str]],
    folder: Path,
) -> Card:
    licences = sorted({part.licence for part in parts if part.licence})
    draft = CardDraft(
        name=request.out.absolute().name,
        family=request.family,
        profile=request.profile,
        licence="; ".join(licences) or LICENCE_NOT_STATED,
        seed=request.seed,
        command=request.command(),
        refusals={variant: dict(sorted(counts.items())) for variant, counts in refusals.items()},
    )
    media = measure_media(folder, sorted(part.clip for part in parts if part.clip is not None))
    return write_benchmark_tables(folder, draft, questions, media)


def _add_up(refusals: Any) -> dict[str, Counter[str]]:
    total: dict[str, Counter[str]] = {}
    for counts in refusals:
        for variant, codes in counts.items():
            total.setdefault(variant, Counter()).update(codes)
    return total
