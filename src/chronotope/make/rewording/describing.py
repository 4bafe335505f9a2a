"""Describe the things of saved recordings by a model, and write the recordings with the described attributes."""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pydantic import BaseModel

from chronotope.errors import InputError
from chronotope.families.m3.attributes import (
    KEYS,
    STAGES,
    Described,
    Describing,
    Description,
    Place,
    find_subjects,
    is_simulated,
    show,
)
from chronotope.interrupts import run_async
from chronotope.io import read_json, write_json
from chronotope.ledger import Ledger, LedgerLine, bytes_of_line, read_ledger
from chronotope.make.rewording.described import described_recording, record_of, save_described
from chronotope.make.sources.states import logs_beside
from chronotope.models import (
    Asker,
    Calls,
    CountedJob,
    JobCalls,
    ModelSpec,
    OverBudgetError,
    Say,
    StructuredJob,
    UnansweredError,
    require_structured,
)
from chronotope.recording import Change, read_changes, write_changes
from chronotope.recording.sources import Given, load, recording_folder, resolve

LEDGER, ATTRIBUTES, DESCRIPTIONS = "ledger.jsonl", "object_attributes.json", "object_descriptions.json"
_PICTURES = 10  # of a call at most
_CHARACTERS = 4  # of a token


@dataclass(frozen=True)
class DescribingRequest:
    """The recordings to describe, the model that describes them, and the folder of the result.

    ``source`` is a folder of saved recordings, or a benchmark with recordings. The limit of ``calls`` is for all calls
    of the ledger.
    """

    source: Path
    out: Path
    model: ModelSpec
    calls: Calls = field(default_factory=JobCalls)
    progress: Callable[[int, int], None] | None = None
    say: Say | None = None


@dataclass(frozen=True)
class DescribingForeseen:
    """The calls that a request would make now.

    ``tokens`` and ``money`` are estimates with replies of maximum length; ``money`` is None without a price. ``spent``
    is the known cost so far.
    """

    subjects: int
    views: int
    calls: int
    tokens: int
    money: float | None
    spent: float


@dataclass(frozen=True)
class DescribingOutcome:
    """The outcome of a request.

    ``known`` counts the subjects whose colour and shape are now known, and ``functions`` counts the types whose
    function is now known. ``asked`` counts the calls of this command, and ``unread`` counts the calls without a
    readable reply. ``stopped`` says why the work is incomplete; only the replies are then written.
    """

    subjects: int
    known: Mapping[str, int]
    asked: int
    unread: int
    money: float | None
    notes: tuple[str, ...] = ()
    stopped: str | None = None
    functions: int = 0


def foresee_describing(request: DescribingRequest) -> DescribingForeseen:
    """Count the calls that `describe_recordings` would make; nothing is sent or written.

    Raises:
        InputError: In the same cases as `describe_recordings`, before its first call.
    """
    work = _Work(request, to_ask=False)
    lines = work.lines()
    replied = {line.key: line for line in lines if line.state == "replied"}
    job = CountedJob(request.model, STAGES, request.calls, replied, _longest_text)
    run_async(work.describing(job).describe(work.subjects))
    counted = job.counted()
    views = sum(len(one.views) for one in work.subjects)
    spent = sum(line.money or 0.0 for line in lines)
    return DescribingForeseen(len(work.subjects), views, counted.calls, counted.tokens, counted.money, spent)


def _longest_text(form: type[BaseModel], name: str, longest: int) -> Description | None:
    """Return the longest possible description, which later calls contain."""
    return form(description=name.ljust(_CHARACTERS * longest, ".")) if issubclass(form, Description) else None


def describe_recordings(request: DescribingRequest) -> DescribingOutcome:
    """Let a model describe things whose colour or shape is unknown.

    All recordings are written with the described attributes, when all calls are made. Every reply is in
    ``ledger.jsonl`` of the new folder before the next call, and no call with a reply is made again. A thing about which
    the two passes disagree, or whose replies cannot be read, keeps its unknown attributes.

    Raises:
        InputError: If the source, the model or a setting cannot be used, or the service rejects every request.
    """
    work = _Work(request)
    is_new, stopped, found = not request.out.exists(), None, None
    with Ledger.open(request.out / LEDGER) as ledger:
        job = StructuredJob(request.model, STAGES, ledger, request.calls)
        room = bytes_of_line(pictures=_PICTURES) * request.calls.concurrency
        try:
            found = job.run(lambda: work.describing(job).describe(work.subjects), room, request.say)
        except (OverBudgetError, UnansweredError) as error:
            stopped = str(error)
        finally:
            if is_new and found is None and not ledger.replied:
                shutil.rmtree(request.out, ignore_errors=True)  # it contains only the ledger and its lock
    if found is not None:
        work.write(found)
    money = job.budget.spent if job.budget.known else None
    known = {key: sum(key in one.agreed for one in found or ()) for key in KEYS}
    functions = len({one.subject.category for one in found or () if one.function is not None})
    return DescribingOutcome(
        len(work.subjects), known, job.asked, len(job.unread), money, work.notes, stopped, functions
    )


class _Work:
    """The recordings of a request, and the subjects to describe in them."""

    def __init__(self, request: DescribingRequest, to_ask: bool = True) -> None:
        self.request = request
        model = request.model
        require_structured(model.name, model.base_url, model.credentials, to_ask=to_ask)
        self.places = _read(request.source)
        _refuse_other(request.out, model.name, [one.recording.id for one in self.places])
        self.subjects = find_subjects(self.places)
        self.notes = tuple(_notes(self.places))
        if not self.subjects:
            raise InputError(f"{request.source}: {_nothing(self.places)}")

    def lines(self) -> Sequence[LedgerLine]:
        """Return the calls so far."""
        path = self.request.out / LEDGER
        return read_ledger(path) if path.exists() else ()

    def describing(self, asker: Asker) -> Describing:
        """Return the describer whose calls ``asker`` answers."""
        places = {one.recording.id: one for one in self.places}
        return Describing(asker, partial(show, places), self.request.calls.concurrency, self.request.progress)

    def write(self, found: Sequence[Described]) -> None:
        """Write the recordings, their changes, and the record of the descriptions."""
        out, model = self.request.out, self.request.model.name
        by_subject = {one.subject.id: one for one in found}
        for place in self.places:
            save_described(place, described_recording(place.recording, by_subject, model), out)
        write_changes(out, self._changes())
        write_json(out / DESCRIPTIONS, {one.subject.id: one.text for one in found if one.text is not None})
        write_json(out / ATTRIBUTES, record_of(found, model))

    def _changes(self) -> list[Change]:
        """Read the changes of all scenes.

        The changes of a scene are from the first list that has any.
        """
        left, changes = {one.recording.scene for one in self.places}, list[Change]()
        for log in logs_beside(one.folder for one in self.places):
            found = [change for change in read_changes(log) if change.scene in left]
            left -= {change.scene for change in found}
            changes += found
        return changes


def _read(source: Path) -> list[Place]:
    """Read all saved recordings of a folder or a benchmark.

    Raises:
        InputError: If ``source`` has no saved recordings, or also other sources.
    """
    inside = source / "recordings"
    folder = inside if inside.is_dir() and not (source / "recording.json").exists() else source
    found = resolve(folder)
    for one in found:
        if one.source != recording_folder.NAME:
            raise InputError(
                f"{one.path}: is not a saved recording, and only saved recordings have identity maps: use the folder "
                "'recordings' of a benchmark"
            )
    places = [Place(load(one, Given()).recording, one.path) for one in found]
    names = [one.recording.id for one in places]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"{folder}: two recordings have the id {twice!r}: rename one of them")
    return places


def _refuse_other(out: Path, model: str, names: Sequence[str]) -> None:
    """Check that a folder can get these descriptions.

    Raises:
        InputError: If ``out`` has other files, or descriptions by another model or of other recordings.
    """
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not (out / LEDGER).is_file() or (out / "run.yaml").exists() or (out / "card.yaml").exists():
        raise InputError(f"{out}: exists already and is not a folder of descriptions: choose another --out")
    if not (out / ATTRIBUTES).exists():
        return
    record = read_json(out / ATTRIBUTES).values()
    others = {one["model"] for one in record} - {model}
    strange = {view["recording"] for one in record for view in one["views"]} - set(names)
    if others or strange:
        reason = f"descriptions by {others.pop()}" if others else f"descriptions of {strange.pop()}"
        raise InputError(f"{out}: has {reason}: choose another --out")


def _notes(places: Sequence[Place]) -> Iterator[str]:
    for place in places:
        recording = place.recording
        if is_simulated(recording):
            yield f"{recording.id}: is simulated, and its things keep the attributes by construction"
        elif recording.identities is None or recording.clip is None:
            missing = "identity maps" if recording.identities is None else "clip"
            yield f"{recording.id}: has no {missing}, so nothing in it is described"


def _nothing(places: Sequence[Place]) -> str:
    """Explain that nothing can be described."""
    if all(is_simulated(one.recording) for one in places):
        return "all recordings are simulated: their things have colours by construction, so nothing is to be described"
    if all(one.recording.identities is None or one.recording.clip is None for one in places):
        return "no recording has a clip and identity maps, which show where things are: nothing can be described"
    return "no thing with an unknown colour or shape is seen clearly enough: nothing is to be described"
