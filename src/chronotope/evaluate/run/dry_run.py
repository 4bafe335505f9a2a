"""Estimate the number and the cost of the calls of a run, without making a call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from chronotope.errors import InputError
from chronotope.evaluate.plan.asks import PlannedAsk, keyed_as, plan_calls
from chronotope.evaluate.plan.manifest import LEDGER, RunManifest, check_manifest, home_of, make_manifest
from chronotope.evaluate.plan.plan import Plan, picture_size, pictures_of, shown_size
from chronotope.evaluate.plan.shown import planned_shown
from chronotope.evaluate.plan.staged import Made, estimated_tokens
from chronotope.evaluate.run.jobs import open_jobs
from chronotope.evaluate.score.check_outcome import read_outcome
from chronotope.evaluate.score.usage import judge_money, made_here
from chronotope.io.packed import Keys, PackedList
from chronotope.ledger import LedgerLine, answers, read_ledger
from chronotope.models import (
    SHARE,
    Budget,
    Decoding,
    RunPrice,
    batch_form,
    fitting,
    foreseen_money,
    tokens_of_size,
    wire_of,
)

SENT_PER_PIXEL = 0.25 * 4 / 3  # bytes of a JPEG picture in base64; see `groups`


@dataclass(frozen=True)
class StageCount:
    """The calls of one stage of a method; the fields are like those of `DryRun`.

    ``model`` is the name of the model that is asked.
    """

    kind: str
    model: str
    calls: int
    already: int
    pictures: int
    tokens: int
    money: float | None
    longest_reply: int | None


@dataclass(frozen=True)
class DryRun:
    """The number of calls that a run would make, and their cost.

    - ``asks`` counts all planned asks.
    - ``already`` counts the calls that were answered earlier, or are in a batch job. Only ``asks`` includes these
      calls.
    - ``money`` is the cost if every reply has the maximum length, or None if no price is known.
    - ``longest_reply`` is the maximum length of a reply in tokens, or None if there is no limit.
    - ``check_tokens`` estimates the tokens of the check before the run, or is 0 if no check is needed. No other value
      includes the tokens of the check.
    - ``spent`` is the known cost of the run so far, including its check and its judge.
    - ``in_jobs`` counts the calls that are in batch jobs now. ``in_jobs_money`` is the maximum cost of all unanswered
      requests of these jobs, or None if no price is known. ``money`` and ``spent`` do not include this cost.
    - ``stages`` counts the calls of each stage of a method; the last stage is the answers. The other counts are the
      sums over all stages. Calls whose prompts contain replies that are not known yet count with the maximum length of
      these replies.
    - ``picture_tokens`` is the part of ``tokens`` that belongs to pictures and videos, and ``sent_bytes`` estimates the
      bytes of the pictures of all requests. Videos that are sent as files are not included.
    - ``longest_prompt`` (tokens), ``most_pictures`` and ``most_videos`` are the largest values of a planned call. These
      and the previous values are None with a method.
    """

    asks: int
    calls: int
    already: int
    pictures: int
    tokens: int
    money: float | None
    longest_reply: int | None
    check_tokens: int
    spent: float = 0.0
    in_jobs: int = 0
    in_jobs_money: float | None = 0.0
    stages: tuple[StageCount, ...] = ()
    picture_tokens: int | None = None
    sent_bytes: int | None = None
    longest_prompt: int | None = None
    most_pictures: int | None = None
    most_videos: int | None = None


def dry_run(
    plan: Plan,
    model: str,
    decoding: Decoding,
    out: Path | None,
    price: RunPrice | None,
    *,
    batch: bool = False,
    max_cost: float | None = None,
) -> DryRun:
    """Estimate the calls that `run` would make now.

    With ``batch``, the calls cost half. No file is written. If an earlier check of this run has measured the number of
    tokens of a picture, the estimate uses this number.

    Raises:
        InputError: If the folder contains another run, the service has no batches, or `check_price` raises an error.
    """
    check_price(price, max_cost, batch=batch)
    if batch:
        batch_form(model, wire_of(model))
    decoding = fitting(model, decoding)
    card = make_manifest(plan, model, decoding, price)
    planned = plan_calls(plan, model, decoding)
    folder = out if out is not None else home_of(card, planned)
    there = check_manifest(folder, card, planned)
    planned = keyed_as((there or card).schema_version, plan, planned, model, decoding)
    return count_calls(plan, planned, folder, there, model, decoding, price, batch=batch)


def check_price(price: RunPrice | None, max_cost: float | None, *, batch: bool) -> None:
    """Check that a limit for batch jobs has a price.

    Raises:
        InputError: If ``batch`` is true and ``max_cost`` is given, but ``price`` is not.
    """
    if batch and max_cost is not None and price is None:
        raise InputError("--max-cost: with --batch it needs --price IN,OUT, because a job cannot be stopped half-way")


def count_calls(
    plan: Plan,
    planned: Sequence[PlannedAsk],
    folder: Path,
    there: RunManifest | None,
    model: str,
    decoding: Decoding,
    price: RunPrice | None,
    *,
    batch: bool = False,
) -> DryRun:
    """Count the calls of a plan that have no answer in ``folder``.

    ``there`` is the manifest in this folder, or None if the folder contains no run.
    """
    lines = _lines(folder) if there is not None else []
    replied = answers(lines)
    if plan.staged is not None:
        return _count_stages(plan, planned, lines, there, model, decoding, price)
    requested = {key: one for job in open_jobs(folder) for key, one in job.requests.items()}
    in_jobs = {key: one for key, one in requested.items() if key not in replied or replied[key].state != "replied"}
    calls, left, waiting = Keys(), PackedList[PlannedAsk](), 0
    for one in planned:
        if not calls.add(one.key):
            continue
        if one.key in in_jobs:
            waiting += 1
        elif one.key not in replied or replied[one.key].state != "replied":
            left.append(one)
    pictures, tokens = sum(one.pictures for one in left), sum(one.estimated_tokens for one in left)
    picture_tokens = sum(plan.prompts[one.ask.id].picture_tokens for one in left)
    checked = None if there is None else read_outcome(there.check)
    if checked is not None and checked.tokens_per_picture is not None and pictures:
        largest = max(left, key=lambda one: one.pictures)
        estimated = tokens_of_size(*shown_size(plan.benchmark, plan.parts(largest.ask)))
        more = round(pictures * (checked.tokens_per_picture - estimated))
        tokens, picture_tokens = tokens + more, picture_tokens + more
    price = price or (there.price if there is not None else None)
    longest = decoding.longest_reply[1]
    money, held = None, None if in_jobs else 0.0
    if price is not None:
        money = (SHARE if batch else 1.0) * foreseen_money(price, len(left), tokens, longest or 0)
        held = SHARE * foreseen_money(price, len(in_jobs), sum(one.tokens for one in in_jobs.values()), longest or 0)
    spent = _spent(lines, price)
    shown = planned_shown(plan) if pictures else None
    to_check = 0 if shown is None or (checked is not None and checked.covers(shown)) else shown.tokens
    return DryRun(
        len(plan.asks), len(left), len(calls) - len(left), pictures, tokens, money, longest, to_check, spent,
        waiting, held, (), picture_tokens,
        round(SENT_PER_PIXEL * sum(plan.prompts[one.ask.id].pixels for one in left)),
        max((one.estimated_tokens for one in planned), default=0), max((one.pictures for one in planned), default=0),
        max((plan.prompts[one.ask.id].videos for one in planned), default=0),
    )  # fmt: skip


def _count_stages(
    plan: Plan,
    planned: Sequence[PlannedAsk],
    lines: Sequence[LedgerLine],
    there: RunManifest | None,
    model: str,
    decoding: Decoding,
    price: RunPrice | None,
) -> DryRun:
    """Count the calls of a run with a method.

    An answered question needs no further calls, even if some of its captions are missing.
    """
    assert plan.staged is not None
    replied = {key: line for key, line in answers(lines).items() if line.state == "replied"}
    price = price or (there.price if there is not None else None)
    models = {kind: (of.name, of.price, of.decoding.longest_reply[1]) for kind, of in plan.staged.models.items()}
    models["answer"] = (model, price, decoding.longest_reply[1])
    counted: dict[str, dict[str, tuple[bool, int, int]]] = {kind: {} for kind in models}
    for one in planned:
        if one.key in replied:
            counted["answer"][one.key] = (True, 0, 0)
            continue
        made, parts = plan.staged.walk(plan.method_ask(one.ask), lambda key: _reply(replied, key))
        counted["answer"].setdefault(one.key, (False, 0, estimated_tokens(parts, made, plan.staged)))
        for call in made:
            if call.key not in counted[call.step.kind]:
                counted[call.step.kind][call.key] = _size_of(plan, call, made)
    stages: list[StageCount] = []
    for kind, (name, cost, longest) in models.items():
        left = [of for of in counted[kind].values() if not of[0]]
        pictures, tokens = sum(of[1] for of in left), sum(of[2] for of in left)
        money = None if cost is None else foreseen_money(cost, len(left), tokens, longest or 0)
        stages.append(
            StageCount(kind, name, len(left), len(counted[kind]) - len(left), pictures, tokens, money, longest)
        )
    checked = None if there is None else read_outcome(there.check)
    shown = planned_shown(plan) if any(of.pictures for of in stages) else None
    to_check = 0 if shown is None or (checked is not None and checked.covers(shown)) else shown.tokens
    known = [of.money for of in stages if of.money is not None]
    return DryRun(
        len(plan.asks), sum(of.calls for of in stages), sum(of.already for of in stages),
        sum(of.pictures for of in stages), sum(of.tokens for of in stages),
        sum(known) if len(known) == len(stages) else None, decoding.longest_reply[1], to_check,
        sum(line.money or 0.0 for line in made_here(lines)) + judge_money(lines), stages=tuple(stages),
    )  # fmt: skip


def _reply(replied: Mapping[str, LedgerLine], key: str) -> str | None:
    return (replied[key].reply or "") if key in replied else None


def _size_of(plan: Plan, call: Made, made: Sequence[Made]) -> tuple[bool, int, int]:
    """Return whether a call was answered, its pictures, and its tokens."""
    assert plan.staged is not None
    if call.reply is not None:
        return True, 0, 0
    pictures = pictures_of(call.step.parts)
    seen = sum(tokens_of_size(*picture_size(plan.benchmark, picture)) for picture in pictures)
    return False, len(pictures), seen + estimated_tokens(call.step.parts, made, plan.staged)


def money_spent(folder: Path, price: RunPrice | None) -> float:
    """Return the known cost of a run, with check and judge."""
    return _spent(_lines(folder), price)


def _lines(folder: Path) -> Sequence[LedgerLine]:
    return read_ledger(folder / LEDGER) if (folder / LEDGER).exists() else []


def _spent(lines: Sequence[LedgerLine], price: RunPrice | None) -> float:
    return Budget(price, None, 0).count_earlier(made_here(lines)).spent + judge_money(lines)
