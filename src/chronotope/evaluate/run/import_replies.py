"""Replies of another tool, imported as a run.

An imported run has the same folder, the same reading of replies and the same scores as any other run.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from chronotope.errors import InputError
from chronotope.evaluate.plan.asks import PlannedAsk, plan_calls, write_asks
from chronotope.evaluate.plan.manifest import (
    LEDGER,
    ImportedFrom,
    RunManifest,
    check_manifest,
    default_run_folder,
    join_manifest,
    make_manifest,
)
from chronotope.evaluate.plan.plan import Plan, Selection, make_plan
from chronotope.evaluate.run.self_evaluation import check_self_evaluation
from chronotope.evaluate.score.prediction import Prediction
from chronotope.evaluate.score.predictions import (
    filmed_name,
    read_predictions,
    released_name,
    without_reply,
)
from chronotope.evaluate.score.results import CUT_SHORT
from chronotope.families import Family
from chronotope.io import canonical_json, slug, write_atomically
from chronotope.ledger import Ledger, LedgerLine, bounded, messages_key, read_ledger
from chronotope.models import Decoding, Limits
from chronotope.protocol import Ask, AskSettings, option_letters
from chronotope.question import Benchmark, Question

PROVIDER = "elsewhere"  # the first part of the model's name


@dataclass(frozen=True)
class ImportedReplies:
    """The result of importing a file of replies.

    - ``replied`` counts the asks that have a reply.
    - ``missing`` counts the asks that have no reply: their id is not in the file, or the reply is null.
    - ``unknown`` counts the ids in the file that belong to no ask.
    - ``repeated`` counts the ids that occur more than once.
    - ``differing`` counts the repeated ids that have different replies. If an ask has different replies, the first
      reply counts.
    - ``remarks`` are sentences for the user, which name the first unknown, repeated and missing id.
    """

    folder: Path
    replied: int
    missing: int
    unknown: int
    repeated: int
    differing: int
    remarks: tuple[str, ...]


def import_replies(
    benchmark: Benchmark,
    family: Family,
    predictions: Path,
    out: Path | None,
    settings: AskSettings,
    name: str | None,
    selection: Selection = Selection(),  # noqa: B008 - `Selection` is frozen
    *,
    judge: str | None = None,
    only: bool = False,
) -> ImportedReplies:
    """Write a run folder from a file of replies.

    ``out`` is None for the default folder. The file is a CSV or TSV table, or contains JSON Lines, or one JSON array,
    of objects with ``id`` and ``reply``, or is a result file of the authors' scripts (see ``read_predictions``). If an
    id is the id of a question, the reply belongs to the published placement. An id such as ``<question>#rotate-1``
    belongs to another placement planned by ``settings``. A reply is a text, a number, or null if there is no reply.
    Every selected question is planned, and a question without a reply counts as wrong. With ``only``, only the
    questions with an id in the file are planned; the manifest then says that the run is a subset. The model is called
    ``elsewhere/<name>``; the default name is the name of the file. ``judge`` is the model that will judge open answers,
    or None. Importing the same file again changes nothing, or adds newly selected questions.

    Raises:
        InputError: If the file cannot be read, all its ids are unknown, the model must not answer these questions (see
            `check_self_evaluation`), or the folder contains other files. If an error is raised, no file is written.
    """
    file = read_predictions(predictions)
    named = (name or "").strip()
    model = f"{PROVIDER}/{named or slug(predictions.stem)}"
    plan = make_plan(benchmark, family, settings, selection, Limits(looks=False))
    _check_model(plan, model, judge, named=bool(named))
    decoding = Decoding.model_validate({})
    matched = _matched(plan, file.entries, predictions)
    origin = ImportedFrom(file=predictions.name, sha256=file.sha256)
    if only:
        origin = origin.model_copy(update={"subset_of": len(plan.questions)})
        plan = _part_of(plan, {ask.question for ask in plan.asks if ask.id in matched.counts})
    planned = _plan_calls(plan, model, decoding)
    # It is unknown which frames of the clips the other tool showed.
    card = make_manifest(plan, model, decoding).model_copy(update={"elsewhere": origin, "frames": []})
    _check_right(plan, matched, predictions.name)
    _check_placements(plan, matched, predictions)
    replies = {ask: entry.reply for ask, entry in matched.counts.items()}
    folder = out if out is not None else default_run_folder(card)
    entries = matched.counts
    lines = [bounded(_line(one, entries[one.ask.id], predictions.name)) for one in planned if one.ask.id in entries]
    _write(folder, card, planned, lines)
    replied = {line.ask for line in lines if line.state == "replied"}
    missing = [ask.id for ask in plan.asks if ask.id not in replied]
    large = [line for line in lines if line.state == "failed" and replies[line.ask] is not None]
    return ImportedReplies(
        folder=folder,
        replied=len(plan.asks) - len(missing),
        missing=len(missing),
        unknown=len(matched.unknown),
        repeated=len(matched.agreeing) + len(matched.differing),
        differing=len(matched.differing),
        remarks=(*file.remarks, *_remarks(plan, matched, missing, large, predictions.name)),
    )


def _matched(plan: Plan, entries: Sequence[Prediction], predictions: Path) -> "_Matched":
    """Match the entries of a file with asks.

    Raises:
        InputError: If no entry belongs to an ask.
    """
    matched = _match(plan, entries)
    if not matched.counts:
        raise InputError(
            f"{predictions}: no id in the file belongs to a question of {plan.benchmark.folder} (the first id is "
            f"{entries[0].id[:100]!r}); expected ids such as {plan.asks[0].id!r}"
        )
    return matched


def _part_of(plan: Plan, questions: Collection[str]) -> Plan:
    """Return the plan of some questions."""
    asks = tuple(ask for ask in plan.asks if ask.question in questions)
    kept = {ask.id for ask in asks}
    return replace(
        plan,
        asks=asks,
        questions={name: question for name, question in plan.questions.items() if name in questions},
        prompts={name: prompt for name, prompt in plan.prompts.items() if name in kept},
    )


def _check_model(plan: Plan, model: str, judge: str | None, *, named: bool) -> None:
    """Check whether the model may answer these questions.

    If the name of the model comes from the file, the error explains how to set another name.
    """
    try:
        check_self_evaluation(plan.family, model, judge, plan.settings, plan.questions.values())
    except InputError as error:
        told = "" if named else f" (the name {model} comes from the file name: set the model's name with --name)"
        raise InputError(f"{error}{told}") from None


def _plan_calls(plan: Plan, model: str, decoding: Decoding) -> list[PlannedAsk]:
    """Plan the asks, and give each ask a different key.

    Asks with equal prompts do not share a key here, because it is unknown whether the other tool sent equal prompts
    only once.
    """
    drawn = decoding.model_dump(mode="json")
    return [
        replace(one, key=messages_key(canonical_json([{"ask": one.ask.id, "prompt": one.prompt}]), model, drawn))
        for one in plan_calls(plan, model, decoding)
    ]


@dataclass
class _Matched:
    """The entries of a file of replies, matched with asks.

    - ``names`` are the names of the asks in the authors' scripts.
    - ``counts`` maps the id of an ask to the entry that counts for this ask.
    - ``agreeing`` and ``differing`` map the id of an ask to two entries with the same reply, or with different replies.
    - ``unknown`` maps an id that belongs to no ask to the first entry with this id.
    """

    names: frozenset[str]
    counts: dict[str, Prediction] = field(default_factory=dict)
    agreeing: dict[str, tuple[Prediction, Prediction]] = field(default_factory=dict)
    differing: dict[str, tuple[Prediction, Prediction]] = field(default_factory=dict)
    unknown: dict[str, Prediction] = field(default_factory=dict)


def _match(plan: Plan, entries: Sequence[Prediction]) -> _Matched:
    """Match the entries of a file with asks.

    If several entries belong to one ask, the first entry with a reply counts.
    """
    asks = {ask.question: ask.id for ask in reversed(plan.asks)} | {ask.id: ask.id for ask in plan.asks}
    namesakes = _namesakes(plan, asks)
    matched = _Matched(names=frozenset(namesakes))
    for entry in entries:
        ask = asks.get(entry.id) or next((one for one, _ in namesakes.get(entry.id, ())), None)
        if ask is None:
            matched.unknown.setdefault(entry.id, entry)
            continue
        ask = next((one for one, right in namesakes.get(entry.id, ()) if _free(one, right, entry, matched)), ask)
        before = matched.counts.setdefault(ask, entry)
        if before is entry:
            continue
        if before.reply is None:
            matched.counts[ask] = entry
        agrees = None in (before.reply, entry.reply) or before.reply == entry.reply
        (matched.agreeing if agrees else matched.differing).setdefault(ask, (before, entry))
    for ask in matched.differing:
        matched.agreeing.pop(ask, None)
    return matched


def _namesakes(plan: Plan, asks: Mapping[str, str]) -> dict[str, list[tuple[str, str]]]:
    """Return the names of asks in released data.

    Returns a mapping from each name to a list of asks with their correct letters. A name is an id that several
    questions share, or a name made by the scripts of STI-Bench or VGenST-Bench.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    placed = {ask.id: ask for ask in plan.asks}
    for ask in plan.asks:
        question = plan.questions[ask.question]
        right = _right_letter(ask, question)
        for name in _filmed_names(ask, question, right):
            found.setdefault(name, []).append((ask.id, right))
    for question in plan.questions.values():
        if question.id in asks:
            ask = placed[asks[question.id]]
            for name in _released_names(plan, question):
                found.setdefault(name, []).append((ask.id, _right_letter(ask, question)))
    return {name: of for name, of in found.items() if len(of) > 1 or name not in plan.questions}


def _released_names(plan: Plan, question: Question) -> Iterator[str]:
    released = question.provenance.get("released", {})
    number, video = released.get("id"), released.get("video")
    if isinstance(number, str) and number in plan.questions:
        yield number
    if isinstance(video, str) and question.window is not None:
        yield released_name(video, number, question.window.start, question.window.end)


def _filmed_names(ask: Ask, question: Question, right: str) -> Iterator[str]:
    """Yield the names of an ask in VGenST-Bench's scripts.

    The name of an ask contains the question and the letter of the correct option.
    """
    if question.family == "vgenst" and (number := question.cluster.rpartition("-")[2]).isdecimal():
        named = (question.task, int(number), question.tags["type"][0], question.variant)
        if ask.placement == tuple(sorted(ask.placement)):
            yield filmed_name(*named)
        if right:
            yield filmed_name(*named, right)


def _free(ask: str, right: str, entry: Prediction, matched: _Matched) -> bool:
    return ask not in matched.counts and entry.right in (None, right)


def _right_letter(ask: Ask, question: Question) -> str:
    """Return the letters under which the correct options were shown.

    Returns an empty text for an open question.
    """
    letters = option_letters(len(ask.placement))
    return "".join(letters[ask.placement.index(option)] for option in sorted(question.answer))


def _check_right(plan: Plan, matched: _Matched, file: str) -> None:
    """Check that the file and the benchmark have the same correct letters.

    Raises:
        InputError: If a correct letter in the file differs from the benchmark, because the options had another order.
    """
    said = [
        (entry, right)
        for ask in plan.asks
        if (entry := matched.counts.get(ask.id)) is not None
        and entry.right is not None
        and (right := _right_letter(ask, plan.questions[ask.question])) != entry.right
    ]
    if said:
        entry, right = said[0]
        raise InputError(
            f"{file}: {entry.right!r} is the correct answer of {entry.id!r} ({entry.place}), but in this benchmark it "
            f"is {right!r}; {len(said)} of {len(matched.counts)} questions differ: the replies belong to another "
            "benchmark"
        )


def _check_placements(plan: Plan, matched: _Matched, predictions: Path) -> None:
    """Check that the file has replies to the planned placements.

    Raises:
        InputError: If several placements are planned, but the file has replies only for the published placement.
    """
    published = {ask.id for ask in plan.asks if ask.placement == tuple(sorted(ask.placement))}
    if plan.settings.placement != "published" and published.issuperset(matched.counts):
        other = next((ask.id for ask in plan.asks if ask.id not in published), plan.asks[0].id)
        raise InputError(
            f"{predictions}: has replies only for the published placement (no id such as {other!r}): omit --placement"
        )


def _remarks(
    plan: Plan, matched: _Matched, missing: Sequence[str], large: Sequence[LedgerLine], file: str
) -> Iterator[str]:
    """Describe unknown, repeated, missing and oversized replies.

    Each remark has an example.
    """
    if matched.unknown:
        entry = next(iter(matched.unknown.values()))
        question = entry.id.partition("#")[0]
        placed = "#" in entry.id and (question in plan.questions or question in matched.names)
        hint = "; ids of other placements need --placement" if placed else ""
        yield f"{file}: {_ids(matched.unknown, 'unknown')} left out; the first is {entry.id!r} ({entry.place}){hint}"
    pairs = (
        (matched.differing, "with different replies, of which the first counts"),
        (matched.agreeing, "in agreement"),
    )
    for twice, words in pairs:
        if twice:
            before, entry = next(iter(twice.values()))
            where = f"{before.place} and {entry.place}"
            yield f"{file}: {_ids(twice, 'repeated')} {words}; the first is {entry.id!r} ({where})"
    if large:
        yield f"{file}: {large[0].error} ({large[0].ask}), so it is not kept; {len(large)} such in all"
    if missing:
        yield without_reply(file, missing, len(plan.asks))


def _ids(found: Collection[str], which: str) -> str:
    return f"{len(found)} {which} id{'' if len(found) == 1 else 's'}"


def _line(one: PlannedAsk, entry: Prediction, file: str) -> LedgerLine:
    return LedgerLine(
        key=one.key,
        ask=one.ask.id,
        state="failed" if entry.reply is None else "replied",
        reply=entry.reply,
        finish=CUT_SHORT if entry.cut else None,
        error=f"null in {file}" if entry.reply is None else None,
        attempts=0,
        at=None,
        extra={"asked": PROVIDER},
    )


def _write(folder: Path, card: RunManifest, planned: Sequence[PlannedAsk], lines: Sequence[LedgerLine]) -> None:
    """Write all files of the run folder, or no file.

    If the folder was made from the same file before, new replies are added.
    """
    there = check_manifest(folder, card)
    if there is not None:
        if there.elsewhere is None or card.elsewhere is None or there.elsewhere.sha256 != card.elsewhere.sha256:
            before = "of a run made here" if there.elsewhere is None else f"from another file {there.elsewhere.file}"
            raise InputError(f"{folder}: contains replies {before}: name a new folder with --out")
        if there.elsewhere.subset_of != card.elsewhere.subset_of:
            before = "all questions" if there.elsewhere.subset_of is None else "a subset of questions (--only)"
            raise InputError(f"{folder}: contains the replies of this file for {before}: name a new folder with --out")
        _fill(folder, card, planned, lines)
        return
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder}: contains files that do not belong to a run: name a new folder with --out")
    try:
        with write_atomically(folder) as temporary:
            temporary.mkdir()
            _fill(temporary, card, planned, lines)
    except OSError as error:
        raise InputError(
            f"{folder}: cannot be written ({error.strerror or error}): name another folder with --out"
        ) from error


def _fill(folder: Path, card: RunManifest, planned: Sequence[PlannedAsk], lines: Sequence[LedgerLine]) -> None:
    with Ledger.open(folder / LEDGER) as ledger:
        known = {line.key for line in read_ledger(folder / LEDGER)}
        join_manifest(folder, card)
        write_asks(folder, planned)
        for line in lines:
            if line.key not in known:
                ledger.append(line)
