"""Merge runs with one identity, such as the shards of a run, to one run."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chronotope.errors import InputError
from chronotope.evaluate.plan.asks import PlannedAsk, read_asks, write_asks
from chronotope.evaluate.plan.manifest import (
    LEDGER,
    RunManifest,
    check_manifest,
    differing,
    join_manifest,
    read_manifest,
)
from chronotope.evaluate.plan.shards import read_shard
from chronotope.evaluate.run.jobs import open_jobs
from chronotope.evaluate.score.results import benchmark_of
from chronotope.io.packed import Keys, PackedList, chosen, select
from chronotope.ledger import Ledger, LedgerLine, ledger_content


@dataclass(frozen=True)
class MergedRuns:
    """A run that was merged from others.

    ``asks`` counts its asks, ``answered`` those with a reply, and ``calls`` the calls that were added. ``remarks`` are
    sentences for the user.
    """

    folder: Path
    runs: int
    asks: int
    answered: int
    calls: int
    remarks: tuple[str, ...] = ()


def merge_runs(runs: Sequence[Path], out: Path) -> MergedRuns:
    """Merge runs into the run folder ``out``.

    The result is the run that one machine would have made: its asks in the order of the benchmark, and all calls in the
    order of their ends. Merging again adds only what is new. The merged runs do not change.

    Raises:
        InputError: If a folder is not a run, has an open batch job, or the runs differ in identity, schema version,
            judge, or the prompt of an ask, or ``out`` contains something else. Nothing is written then.
    """
    folders = list(dict.fromkeys(run.resolve() for run in runs))
    if not folders:
        raise InputError("RUN: expected at least one run folder")
    if out.resolve() in folders:
        raise InputError(f"--out {out}: is one of the runs to merge: name another folder")
    named = [(run, read_manifest(run)) for run in folders]
    card = _joined(named)
    asks, remarks = _asks(named)
    remarks += _missing_shards(named)
    lines = _lines(named, remarks)
    there = check_manifest(out, card, asks)
    if there is not None and there.judge is not None and card.judge not in (None, there.judge):
        raise _unlike("the judge", out, folders[0])
    with Ledger.open(out / LEDGER) as ledger:
        known = Keys(_own(line) for line in ledger_content(out / LEDGER).lines)
        new = select(lines, lambda line: _own(line) not in known) if len(known) else lines
        joined = join_manifest(out, card, asks)
        assert joined.benchmark.content_hash == card.benchmark.content_hash
        write_asks(out, asks)
        for line in new:
            ledger.append(line)
        replied = ledger.replied
    return MergedRuns(out, len(named), len(asks), sum(one.key in replied for one in asks), len(new), tuple(remarks))


def _joined(named: Sequence[tuple[Path, RunManifest]]) -> RunManifest:
    """Return the manifest of the merged run.

    Raises:
        InputError: If the runs cannot be parts of one run.
    """
    first, card = named[0]
    for run, other in named:
        if different := differing(card, other, f"in {first.name}", f"in {run.name}"):
            raise InputError(
                f"is another run than {first} ({'; '.join(different)})",
                where=str(run),
                fix="merge only runs with the same model, settings and benchmark",
            )
        if other.schema_version != card.schema_version:
            raise _unlike("the schema version", first, run)
        if jobs := open_jobs(run):
            raise InputError(
                f"batch job {jobs[0].id or jobs[0].tag} of this run has not ended",
                where=str(run),
                fix="fetch its answers with the command of the run, and merge again",
            )
    others = [other for _, other in named]
    judges = [other.judge for other in others if other.judge is not None]
    if any(judge != judges[0] for judge in judges):
        raise _unlike("the judge", first, next(run for run, other in named if other.judge not in (None, judges[0])))
    versions: list[dict[str, str]] = []
    for version in (one for other in others for one in other.versions):
        if version not in versions:
            versions.append(version)
    return card.model_copy(
        update={
            "shard": None,
            "frames": sorted({words for other in others for words in other.frames}),
            "versions": versions,
            "price": next((other.price for other in others if other.price is not None), None),
            "check": next((other.check for other in others if other.check is not None), None),
            "judge": judges[0] if judges else None,
        }
    )


def _unlike(what: str, first: Path, second: Path) -> InputError:
    return InputError(f"{what} is not the same in {first} and {second}: merge only runs that began and ended alike")


def _asks(named: Sequence[tuple[Path, RunManifest]]) -> tuple[Sequence[PlannedAsk], list[str]]:
    """Return the asks of all runs, in the order of the benchmark."""
    try:
        benchmark = benchmark_of(*named[0])
    except InputError:
        benchmark = None
    places = None if benchmark is None else Keys(question.id for question in benchmark.questions)
    found, names, order = PackedList[PlannedAsk](), Keys(), array("L")
    for run, _ in named:
        for one in read_asks(run):
            if names.add(one.ask.id):
                found.append(one)
                place = None if places is None else places.number(one.ask.question)
                if benchmark is not None and place is None:
                    raise InputError(
                        f"ask {one.ask.id!r} is about question {one.ask.question!r}, which is missing in "
                        f"{benchmark.folder}",
                        where=str(run),
                        fix="restore asks.parquet, or make the run again",
                    )
                order.append(place or 0)
            elif (known := found[names.numbered(one.ask.id)]) != one:
                raise InputError(
                    f"ask {one.ask.id!r} has another {'prompt' if known.prompt != one.prompt else 'plan'} than in the "
                    "runs before it",
                    where=str(run),
                    fix="merge runs of the same version of the protocol",
                )
    if benchmark is None:
        return found.ended(), ["the benchmark is not here, so the asks are in the order of the runs"]
    return chosen(found, sorted(range(len(order)), key=order.__getitem__)), []


def _missing_shards(named: Sequence[tuple[Path, RunManifest]]) -> list[str]:
    """Name the shards of a run that are not among the merged runs."""
    shards = [read_shard(card.shard) for _, card in named if card.shard is not None]
    if len(shards) < len(named) or len({shard.of for shard in shards}) != 1:
        return []
    missing = sorted(set(range(1, shards[0].of + 1)) - {shard.number for shard in shards})
    return [f"without {', '.join(f'{number}/{shards[0].of}' for number in missing)} (--shard)"] if missing else []


def _lines(named: Sequence[tuple[Path, RunManifest]], remarks: list[str]) -> Sequence[LedgerLine]:
    """Return the lines of all ledgers, in the order of the ends of their calls."""
    lines, known, ends = PackedList[LedgerLine](), Keys(), list[str]()
    for run, _ in named:
        content = ledger_content(run / LEDGER)
        if content.problem is not None:
            remarks.append(content.problem)
        for line in content.lines:
            if known.add(_own(line)):
                lines.append(line)
                ends.append(line.at or "")
    return chosen(lines, sorted(range(len(ends)), key=ends.__getitem__))


def _own(line: LedgerLine) -> bytes:
    """Return bytes that only copies of a line share."""
    return line.model_dump_json().encode("utf-8", "surrogatepass")
