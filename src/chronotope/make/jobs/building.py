"""Functions that build a benchmark from recordings or procedures, in worker processes.

The benchmark folder appears only when it is complete. Each scene or procedure is processed separately. The results are
stored in the folder ``.<name>.building`` next to the benchmark. After an interruption, the next build uses the results
in this folder. A result is made again if the request or the source files have changed.
"""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronotope import __version__
from chronotope.errors import InputError
from chronotope.families import CALLED, DescribeRequest, Family, WriteContext, families, family
from chronotope.io import canonical_json, read_json, same_name, sha256_bytes
from chronotope.make.jobs.assemble import ORIGIN, Failure, Material, Refusals, add_up, assemble, gather
from chronotope.make.jobs.gathering import Gathered
from chronotope.make.jobs.part import Part, PartJob, attempt_part, read_part
from chronotope.make.jobs.request import BuildRequest
from chronotope.make.jobs.workshop import workshop
from chronotope.make.sources.find import Origins, find_origins
from chronotope.make.sources.origin import Origin
from chronotope.pool import Pool, chosen_pool
from chronotope.question import Benchmark, Card, objects_that_stay, open_benchmark
from chronotope.recording import load_recording

if TYPE_CHECKING:
    from chronotope.models import ModelSpec

# Called with the number of finished parts (a half-finished part counts as 0.5), the number of all parts, and the name
# of the current step.
Progress = Callable[[float, int, str], None]


@dataclass(frozen=True)
class Built:
    """The result of a build: the benchmark, the notes by source, and the sources that failed."""

    benchmark: Benchmark
    notes: dict[str, tuple[str, ...]]
    failures: tuple[Failure, ...] = ()
    already_there: bool = False

    @property
    def folder(self) -> Path:
        """Return the folder of the benchmark."""
        return self.benchmark.folder

    @property
    def card(self) -> Card:
        """Return the card of the benchmark."""
        return self.benchmark.card


def build(
    request: BuildRequest,
    *,
    workers: int | None = None,
    on: str | None = None,
    keep_going: bool = False,
    progress: Progress | None = None,
) -> Built:
    """Build the benchmark of a request, or continue an interrupted build.

    Workers are separate processes. A script that calls this function therefore needs ``if __name__ == "__main__":``
    around the call, or ``workers=1``. ``on`` names a Ray cluster, whose workers are used instead. If ``keep_going`` is
    true, unusable sources are skipped.

    Raises:
        InputError: If the family cannot build questions, if a source cannot be used (with ``keep_going``: if no source
            can be used), if no question could be written, or if ``request.out`` contains other files.
    """
    pool = chosen_pool(on, workers, "finished recordings are kept")
    chosen, options, origins = origins_of(request, keep_going=keep_going)
    identity = sha256_bytes(canonical_json([__version__, request.command, options, request.place]).encode())
    if _is_there(request):
        return _existing(request, _origin(identity, [_mark(one) for one in origins.found]))
    _refuse_like_names(request.source, CALLED[chosen.build.subject], origins.found)
    with workshop(request.out, identity, request.command) as workplace:
        jobs = part_jobs(request, options, origins.found, workplace.parts)
        made = _make_parts(jobs, pool, keep_going, progress)
        failures = [*origins.failures, *made.failures]
        if not len(made.gathered):
            raise InputError(_nothing_usable(request.source, CALLED[chosen.build.subject], failures))
        parts, marks = made.gathered.parts, made.marks
        notes = {part.id: part.notes for part in parts}
        with objects_that_stay():
            material = _selected(request, chosen, made.gathered)
        if request.writer is not None:
            worded = _worded(request, request.writer, chosen, parts, material, workplace.ledger, progress)
            material, notes[request.writer.name] = worded
        with objects_that_stay():
            benchmark = assemble(request, parts, material, _origin(identity, marks), failures)
    return Built(benchmark, origins.notes | notes, tuple(failures))


def origins_of(request: BuildRequest, *, keep_going: bool) -> tuple[Family, dict[str, Any], Origins]:
    """Return the family of a build, all its options, and the sources.

    Raises:
        InputError: If the family cannot build questions, or a source cannot be used.
    """
    chosen = family(request.family)
    if chosen.build.write is None:
        raise InputError(_not_built(chosen))
    options = chosen.build.Options.model_validate(request.options).model_dump(mode="json")
    if request.writer is not None:
        from chronotope.models import require_structured  # few builds ask a model

        require_structured(request.writer.name, request.writer.base_url, request.writer.credentials)
    return chosen, options, find_origins(request, chosen.build.subject, keep_going, chosen.build.joins_states)


def part_jobs(request: BuildRequest, options: dict[str, Any], found: Sequence[Origin], parts: Path) -> list[PartJob]:
    """Return the job of each part, whose folder is in ``parts``."""
    return [
        PartJob(parts / f"{i:05d}", one, request.family, request.seed, request.profile, options)
        for i, one in enumerate(found)
    ]


def _selected(request: BuildRequest, chosen: Family, gathered: Gathered) -> Material:
    """Collect the questions of a build, and apply the family's selection."""
    questions, parts = gather(request, CALLED[chosen.build.subject], gathered), gathered.parts
    left: list[Refusals] = []
    if chosen.build.select is not None:
        options = chosen.build.Options.model_validate(request.options)
        selected = chosen.build.select(questions, WriteContext(request.seed, request.profile, options))
        questions, left = selected.questions, [selected.refusals]
    refusals = add_up(chain((part.refusals for part in parts), left))
    return Material(questions, refusals, tuple(one for part in parts for one in part.read_descriptions()))


def _mark(origin: Origin) -> str | None:
    """Return the fingerprint of a source, or None without one."""
    try:
        return origin.fingerprint()
    except (InputError, OSError):
        return None


def _origin(identity: str, marks: Sequence[str | None]) -> str:
    """Hash a request and the fingerprints of its sources.

    The fingerprint of a source that failed was taken before reading, because a repair may have followed.
    """
    return sha256_bytes(canonical_json([identity, marks]).encode())


def _is_there(request: BuildRequest) -> bool:
    """Check whether ``request.out`` exists and contains anything."""
    return request.out.exists() and not (request.out.is_dir() and not any(request.out.iterdir()))


def _existing(request: BuildRequest, origin: str) -> Built:
    """Return the benchmark that this request built earlier.

    Raises:
        InputError: If ``request.out`` contains other files, or if the source has changed since that build.
    """
    if not (request.out / "card.yaml").exists():
        raise InputError(f"{request.out}: exists already and is not a benchmark: choose another --out")
    benchmark = open_benchmark(request.out)
    if benchmark.card.command != request.command:
        raise InputError(
            f"{request.out}: contains the benchmark of the command '{benchmark.card.command}': choose another --out, "
            "or delete the folder"
        )
    note = request.out / ORIGIN
    noted = read_json(note) if note.exists() else {}
    if noted.get("origin") != origin:
        raise InputError(
            f"{request.out}: was built by the same command, but the files or the code of {request.source} "
            "have changed since then: choose another --out, or delete the folder"
        )
    failures = tuple(Failure(**failure) for failure in noted.get("failures", ()))
    return Built(benchmark, {}, failures, already_there=True)


def _not_built(chosen: Family) -> str:
    """Explain that a family's questions can only be imported, not built."""
    able = ", ".join(name for name, one in families().items() if one.build.write is not None)
    return (
        f"questions of family {chosen.name} cannot be built: import the released questions with `chronotope import "
        f"{chosen.name}`, or build one of {able}"
    )


def _refuse_like_names(source: Path | str, subject: str, origins: Sequence[Origin]) -> None:
    """Check, before the build begins, that all sources have different names.

    Raises:
        InputError: If two sources have the same name.
    """
    seen: dict[str, str] = {}
    for origin in origins:
        expected = origin.expected_id
        if expected is None:
            continue
        if (key := same_name(expected)) in seen:
            raise InputError(
                f"{source}: two {subject}s have the name {expected!r} ({seen[key]} and {origin.name}): rename one "
                "of them"
            )
        seen[key] = origin.name


@dataclass(frozen=True)
class _Made:
    """The parts of a build, the sources that failed, and the fingerprint of each source.

    The fingerprint of a source that failed was taken before reading.
    """

    gathered: Gathered
    failures: list[Failure]
    marks: list[str | None]


def _make_parts(jobs: list[PartJob], pool: Pool, keep_going: bool, progress: Progress | None) -> _Made:
    """Run the jobs that have no finished result, and gather the results of all jobs.

    If ``keep_going`` is false, the first failure is raised as an InputError.
    """
    marks: dict[Path, str | None] = {}
    finished: list[PartJob] = []
    for job in jobs:
        part = read_part(job.folder)
        if part is not None and part.fingerprint == _mark(job.origin) and part.is_whole:
            finished.append(job)
            marks[job.folder] = part.fingerprint
        else:
            shutil.rmtree(job.folder, ignore_errors=True)
    missing = [job for job in jobs if job.folder not in marks]
    if missing and pool.is_here:
        missing[0].origin.require()
    gathered, failed = Gathered(), dict[Path, Failure]()
    standing = _Standing(progress, len(jobs), len(jobs) - len(missing))
    for job, ended in pool.run(attempt_part, missing, standing.tell):
        standing.end(job)
        if ended.error is None:
            part = _read(job)  # while the workers make others
            gathered.add(part)
            marks[job.folder] = part.fingerprint
        elif not keep_going:
            raise ended.error
        else:
            failed[job.folder] = Failure(job.origin.name, str(ended.error))
            marks[job.folder] = ended.fingerprint
    for job in finished:
        gathered.add(_read(job))
    failures = [failed[job.folder] for job in jobs if job.folder in failed]
    return _Made(gathered, failures, [marks[job.folder] for job in jobs])


def _read(job: PartJob) -> Part:
    part = read_part(job.folder)
    if part is None:
        raise InputError(f"{job.folder}: was removed while the benchmark was built: run the same command again")
    return part


@dataclass
class _Standing:
    """The progress of a build: the number of finished jobs, and the finished share of each running job."""

    progress: Progress | None
    total: int
    done: int
    shares: dict[Path, float] = field(default_factory=dict[Path, float])

    def tell(self, job: PartJob, share: float, stage: str) -> None:
        """Report the finished share of one job, from 0 to 1."""
        self.shares[job.folder] = share
        self._say(f"{job.origin.name}: {stage}")

    def end(self, job: PartJob) -> None:
        """Report that one job has ended, with or without success."""
        self.shares.pop(job.folder, None)
        self.done += 1
        self._say(job.origin.name)

    def _say(self, label: str) -> None:
        if self.progress is not None:
            self.progress(self.done + sum(self.shares.values()), self.total, label)


def _nothing_usable(source: Path | str, subject: str, failures: Sequence[Failure]) -> str:
    """Return the error sentence for a build in which all sources failed."""
    others = len(failures) - 1
    more = f" (and {others} other{'s' if others > 1 else ''} failed)" if others else ""
    return f"{source}: no {subject} could be used: {failures[0].reason}{more}"


def _worded(
    request: BuildRequest,
    writer: "ModelSpec",
    chosen: Family,
    parts: Sequence[Part],
    material: Material,
    ledger: Path,
    progress: Progress | None,
) -> tuple[Material, tuple[str, ...]]:
    """Let the writer model describe pictures, or reword the names of things.

    Returns the changed questions and descriptions, and a note with the number of changes.
    """
    from chronotope.make.rewording.wording import reword  # imported here because few builds ask a model
    from chronotope.models import JobCalls

    calls = request.writer_calls or JobCalls()
    if chosen.build.describe is not None:
        folders = {part.id: part.folder for part in parts}
        described = chosen.build.describe(
            DescribeRequest(folders, material.descriptions, writer, calls, ledger, progress, request.profile)
        )
        return replace(material, descriptions=described.descriptions), described.notes
    recordings = {
        part.id: (
            load_recording(part.folder / "recordings" / part.id),
            part.folder / part.media[0].path if part.media else None,
        )
        for part in parts
    }
    made = reword(material.questions, recordings, writer, calls, ledger, progress)
    note = f"{made.accepted} of {made.tried} things have names from the writer; the other things keep their names"
    return replace(material, questions=made.questions), (note, *filter(None, [made.unread]))
