"""A trial of a build: some of its parts, made in a temporary folder to measure their cost."""

import hashlib
import resource
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from tempfile import TemporaryDirectory
from time import monotonic

from chronotope.errors import InputError
from chronotope.families import Family
from chronotope.make.jobs.building import Progress, origins_of, part_jobs
from chronotope.make.jobs.part import Part, PartJob, attempt_part, read_part
from chronotope.make.jobs.request import BuildRequest
from chronotope.question import objects_that_stay

MOST = 200  # parts of a trial; more would not change the estimate


@dataclass(frozen=True)
class TriedPart:
    """The cost of one part: processor time (s), bytes on the disk, and the number of questions.

    ``asked`` is the number of things or pictures about which a writer is asked, or None without a writer.
    """

    name: str
    cpu: float
    bytes: int
    questions: int
    asked: int | None = None


@dataclass(frozen=True)
class BuildTrial:
    """The parts that a trial made, and the number of all parts of the build.

    ``calls`` are the calls of a writer about one thing or picture: at least, if its first reply is taken, and at most.
    """

    parts: tuple[TriedPart, ...]
    of: int
    calls: tuple[int, int] | None = None

    @property
    def start(self) -> float:
        """Return the processor time (s) that a worker needs once, to load code and to start the renderer.

        The first part of the trial took this time longer than the others. A trial of one part cannot measure it.
        """
        return max(0.0, self.parts[0].cpu - fmean(self._later)) if self._later else 0.0

    @property
    def each(self) -> float:
        """Return the mean processor time (s) of a part."""
        return fmean(self._later or [self.parts[0].cpu])

    @property
    def writer_calls(self) -> tuple[int, int] | None:
        """Return the calls of the writer in the whole build, at least and at most.

        Returns None without a writer.
        """
        if self.calls is None:
            return None
        asked = sum(part.asked or 0 for part in self.parts) * self.of / len(self.parts)
        return round(asked * self.calls[0]), round(asked * self.calls[1])

    @property
    def uncertainty(self) -> float | None:
        """Return twice the standard error of `each`, as a share of it; None with fewer than three parts."""
        if len(self._later) < 2 or not self.each:
            return None
        return 2 * stdev(self._later) / len(self._later) ** 0.5 / self.each

    def cpu(self, workers: int) -> float:
        """Return the processor time (s) of the whole build with some workers."""
        return self.of * self.each + min(workers, self.of) * self.start

    @property
    def _later(self) -> list[float]:
        return [part.cpu for part in self.parts[1:]]


def try_build(request: BuildRequest, seconds: float, progress: Progress | None = None) -> BuildTrial:
    """Make parts of a build for about ``seconds``, and measure them.

    The order of the parts is random, but always the same. The first part may take longer than ``seconds``. All files
    are in a temporary folder, which is removed; ``request.out`` is not touched.

    Raises:
        InputError: If the family cannot build questions, or a source cannot be used.
    """
    chosen, options, origins = origins_of(request, keep_going=False)
    writer = None if request.writer is None else _Writer.of(chosen)
    tried: list[TriedPart] = []
    with TemporaryDirectory(prefix="chronotope-plan-") as name:
        jobs = part_jobs(request, options, origins.found, Path(name))
        jobs[0].origin.require()
        order = sorted(jobs, key=lambda job: hashlib.sha256(job.folder.name.encode()).digest())
        began = monotonic()
        for job in order[:MOST]:
            if tried and monotonic() - began >= seconds:
                break
            tried.append(_tried(job, writer))
            shutil.rmtree(job.folder)
            if progress is not None:
                progress(min(monotonic() - began, seconds), round(seconds), job.origin.name)
    return BuildTrial(tuple(tried), len(jobs), None if writer is None else writer.calls)


@dataclass(frozen=True)
class _Writer:
    """A writer model's work: the function that counts its things or pictures, and the calls about one of them."""

    count: Callable[[Part], int]
    calls: tuple[int, int]

    @classmethod
    def of(cls, chosen: Family) -> "_Writer":
        """Return the writer's work in a build of a family."""
        from chronotope.make.rewording.wording import ATTEMPTS, CALLS, count_things  # few builds ask a model
        from chronotope.models.structured import ATTEMPTS as REPAIRS

        if (pictures := chosen.build.pictures) is not None:
            return cls(lambda part: len(pictures({part.id: part.folder}, part.read_descriptions())), (1, REPAIRS))
        calls = (CALLS, CALLS * ATTEMPTS * REPAIRS)
        return cls(lambda part: count_things(part.read_questions(), {part.id} if part.media else ()), calls)


def _tried(job: PartJob, writer: _Writer | None) -> TriedPart:
    before = cpu_time()
    if (error := attempt_part(job, lambda *_: None).error) is not None:
        raise error
    spent = cpu_time() - before
    part = read_part(job.folder)
    if part is None:
        raise InputError(f"{job.folder}: was removed during the trial: run the same command again")
    with objects_that_stay():
        questions = len(part.read_questions())
        asked = None if writer is None else writer.count(part)
    return TriedPart(job.origin.name, spent, _size(job.folder), questions, asked)


def cpu_time() -> float:
    """Return the processor time (s) of this process and its ended children."""
    used: Sequence[resource.struct_rusage] = [
        resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
