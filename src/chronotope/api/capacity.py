"""Foresee the needs of a run or a build on many servers or machines, with a short trial where one is wanted."""

import inspect
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from chronotope.api.asking import AskedRun, ForeseenRun
from chronotope.api.benchmarks import build, build_request
from chronotope.api.options import check_names
from chronotope.api.running import foresee_run, ready_run
from chronotope.api.telling import Advance, advance_of, warner
from chronotope.errors import InputError
from chronotope.evaluate.plan import Plan, Selection
from chronotope.evaluate.run import DryRun, foresee, plan_request
from chronotope.ledger import LedgerLine, read_ledger
from chronotope.models import RunPrice, Say, foreseen_money
from chronotope.question import Benchmark

if TYPE_CHECKING:
    from chronotope.make import BuildTrial

TRIAL = 30.0  # seconds
ROOM = 1.2  # of a context, for the error of estimated tokens; a trial needs none
BLOCK = 1024  # tokens, to which a context is rounded up


@dataclass(frozen=True)
class RunTrial:
    """The calls of a trial of a run.

    ``text`` and ``pictures`` are the counted tokens for each estimated token of text and of pictures. ``output_tokens``
    is the mean length of a reply. A value is None if the model counts no tokens.
    """

    calls: int
    seconds: float
    text: float | None
    pictures: float | None
    output_tokens: float | None


@dataclass(frozen=True)
class RunCapacity:
    """The needs of a run.

    ``calls`` counts the missing calls. ``tokens`` and ``picture_tokens`` are foreseen tokens of the input, corrected by
    the trial. ``output_tokens`` is the largest possible number without a trial, and None if replies have no limit.
    ``hours`` is the time on ``servers`` servers that are as fast as those of the trial, or None without a trial.
    ``serve`` is the command that starts a fitting vLLM server, or None for a model of a service.
    """

    foreseen: ForeseenRun
    servers: int
    calls: int
    tokens: int
    picture_tokens: int | None
    output_tokens: int | None
    gigabytes: float | None
    money: float | None
    hours: float | None
    serve: str | None
    trial: RunTrial | None

    def plain(self) -> dict[str, Any]:
        """Return all values in one mapping."""
        about = {name: value for name, value in vars(self).items() if name not in ("foreseen", "trial")}
        trial = None if self.trial is None else asdict(self.trial)
        return {"model": self.foreseen.model} | about | {"trial": trial, "dry_run": self.foreseen.plain()}


def plan_run(
    bench: Benchmark | Path | str,
    model: Any,
    *,
    servers: int = 1,
    trial: float = 0.0,
    say: Say | None = None,
    **options: Any,
) -> RunCapacity:
    """Foresee the calls, tokens, gigabytes, time and money of `run`.

    The counts are those of ``dry_run(run, ...)``. With ``trial``, calls of this run are made for about this many
    seconds, with all questions about some of its clips, within ``max_cost``. The answers belong to the run, so nothing
    is paid for twice. ``options`` are those of `run`.

    Raises:
        InputError: In the same cases as `run`.
    """
    if servers < 1 or trial < 0:
        raise InputError(f"servers {servers}, trial {trial:g} s: expected at least 1 server, and no negative time")
    tried = _tried_run(ready_run(bench, model, say=say, **options), trial, say or warner()) if trial else None
    found = foresee_run(bench, model, **options)
    counted = found.calls
    tokens, pictures, output = _tokens(counted, tried)
    hours = None
    if tried is not None and tried.calls:
        asked_servers = max(1, len(_urls(options.get("base_url"))))
        hours = counted.calls * tried.seconds * asked_servers / tried.calls / servers / 3600
    price, money = options.get("price"), counted.money
    if price is not None and output is not None and tried is not None and not counted.stages:
        cost = price if isinstance(price, RunPrice) else RunPrice(input=price[0], output=price[1])
        share = counted.money / foreseen_money(cost, counted.calls, counted.tokens, counted.longest_reply or 0) if (
            counted.money
        ) else 1.0  # fmt: skip
        money = share * foreseen_money(cost, 1, tokens, output)
    return RunCapacity(
        found, servers, counted.calls, tokens, pictures, output,
        None if counted.sent_bytes is None else counted.sent_bytes / 1e9, money, hours, _serve(found, tried), tried,
    )  # fmt: skip


def _urls(given: Any) -> Sequence[str]:
    return [given] if isinstance(given, str) else list(given or ())


def _tokens(counted: DryRun, tried: RunTrial | None) -> tuple[int, int | None, int | None]:
    """Return the tokens of the input, of its pictures, and of the replies, corrected by a trial."""
    longest, pictures = counted.longest_reply, counted.picture_tokens
    output = None if longest is None else counted.calls * longest
    if counted.stages:
        known = [of.calls * of.longest_reply for of in counted.stages if of.longest_reply is not None]
        output = sum(known) if len(known) == len(counted.stages) else None
    if tried is None or tried.text is None or tried.pictures is None or pictures is None:
        return counted.tokens, pictures, output
    if tried.output_tokens is not None:
        output = round(counted.calls * tried.output_tokens)
    of_pictures = round(pictures * tried.pictures)
    return round((counted.tokens - pictures) * tried.text) + of_pictures, of_pictures, output


def _tried_run(asked: AskedRun, seconds: float, say: Say) -> RunTrial:
    """Make calls of a run for some time: first about one clip, then always about as many more."""
    request = asked.request
    if request.batch:
        raise InputError("--trial: cannot be combined with --batch, whose answers may take a day: omit one of them")
    if request.method is not None:
        raise InputError("--trial: cannot be combined with --method: omit one of them")
    model = request.open()
    plan = plan_request(request, model)
    folder, counted = foresee(request)
    ledger = folder / "ledger.jsonl"
    before = {line.key for line in read_ledger(ledger)} if ledger.exists() else set[str]()
    clips = list(_by_clip(plan).values())
    took, calls, done, more = 0.0, 0, 0, 1
    while done < len(clips) and counted.calls and took + took * more / max(done, 1) <= seconds:
        ids = tuple(name for names in clips[done : done + more] for name in names)
        begun = monotonic()
        outcome = AskedRun(replace(request, selection=Selection(questions=ids), out=folder, opened=None)).ask(None, say)
        took, calls = took + monotonic() - begun, calls + outcome.asked
        done, more = done + more, done + more
        if outcome.interrupted:
            raise KeyboardInterrupt(outcome.problems[0])
        if "not_asked" in outcome.states:  # the limit on the cost is reached
            break
    lines = [line for line in read_ledger(ledger) if line.key not in before] if ledger.exists() else []
    return _measured(plan, lines, folder, calls, took)


def _by_clip(plan: Plan) -> dict[str, list[str]]:
    """Return the ids of the planned questions by their first clip, in the order of a hash."""
    found: dict[str, list[str]] = {}
    for question in plan.questions.values():
        paths = question.media[0].paths if question.media else ()
        key = plan.benchmark.media[paths[0]].sha256 if paths else question.base or question.id
        found.setdefault(key, []).append(question.id)
    return dict(sorted(found.items()))


def _measured(plan: Plan, lines: Sequence[LedgerLine], folder: Path, calls: int, seconds: float) -> RunTrial:
    """Compare the counted tokens of a trial with the estimated tokens."""
    from chronotope.evaluate.plan import read_asks  # after the run, which writes them

    prompts = {one.key: plan.prompts.get(one.ask.id) for one in read_asks(folder)} if lines else {}
    answers = [line for line in lines if line.kind == "answer" and line.state == "replied"]
    rows = [
        (made.tokens - made.picture_tokens, made.picture_tokens, line.input_tokens)
        for line in answers
        if line.input_tokens is not None and (made := prompts.get(line.key)) is not None
    ]
    text, pictures = _shares(rows) if rows else (None, None)
    output = [line.output_tokens for line in answers if line.output_tokens is not None]
    return RunTrial(calls, seconds, text, pictures, sum(output) / len(output) if output else None)


def _shares(rows: Sequence[tuple[int, int, int]]) -> tuple[float, float]:
    """Return the counted tokens for each estimated token of text, and of pictures.

    If the prompts are too similar to tell the two apart, both are equal.
    """
    from scipy.optimize import nnls

    estimated, counted = np.array([row[:2] for row in rows], float), np.array([row[2] for row in rows], float)
    both = float(counted.sum() / max(estimated.sum(), 1.0))
    if np.linalg.matrix_rank(estimated) < 2:
        return both, both
    text, pictures = nnls(estimated, counted)[0]
    foreseen = estimated @ [text, pictures]
    off = counted.sum() / foreseen.sum() if foreseen.sum() else 1.0
    return float(text * off), float(pictures * off)


def _serve(found: ForeseenRun, tried: RunTrial | None) -> str | None:
    """Write the command that starts a vLLM server for a run."""
    provider, _, name = found.model.partition("/")
    counted = found.calls
    if provider not in ("endpoint", "transformers") or counted.longest_prompt is None:
        return None
    shares = () if tried is None else (tried.text, tried.pictures)
    right = max((share for share in shares if share is not None), default=ROOM)
    reply = counted.longest_reply or BLOCK
    context = BLOCK * math.ceil((counted.longest_prompt * right + reply) / BLOCK)
    words = ["vllm serve", name, f"--max-model-len {context}", "--enable-prefix-caching"]
    shown: dict[str, int] = {}
    if counted.most_videos:
        shown["video"] = counted.most_videos
    if counted.most_pictures and found.frames_as != "video":
        shown["image"] = counted.most_pictures
    if shown:
        words += [f"--limit-mm-per-prompt '{json.dumps(shown)}'", "--interleave-mm-strings"]
    if found.frames_as == "video":
        words.append("--trust-request-mm-kwargs")
    return " ".join(words)


@dataclass(frozen=True)
class BuildCapacity:
    """The needs of a build.

    ``cpu_hours`` are hours of one core, and ``hours`` the time of ``workers`` workers with a core each. The true hours
    are with 95 % probability within the share ``uncertainty``, which is None if the trial made fewer than three parts.
    ``questions`` is the number before the family's selection. ``trial`` has the cost of each part of the trial.
    ``writer_calls`` are the calls of the writer if its first replies are taken, and ``most_writer_calls`` the most that
    it can get; both are None without a writer.
    """

    source: str
    parts: int
    workers: int
    questions: int
    gigabytes: float
    cpu_hours: float
    hours: float
    uncertainty: float | None
    writer_calls: int | None
    most_writer_calls: int | None
    trial: "BuildTrial"

    def plain(self) -> dict[str, Any]:
        """Return all values in one mapping."""
        return vars(self) | {"trial": [asdict(part) for part in self.trial.parts]}


def plan_build(
    family: str,
    source: Path | str,
    *,
    workers: int | None = 1,
    on: str | None = None,
    trial: float = TRIAL,
    progress: Advance | bool = False,
    **options: Any,
) -> BuildCapacity:
    """Foresee the questions, gigabytes and hours of `build`.

    Parts of the build (scenes or procedures) are made in a temporary folder for about ``trial`` seconds, and at least
    one part. ``options`` are those of `build`. With ``workers`` None, each core of this machine, or
    of the cluster ``on``, has a worker. A writer model gets no call.

    Raises:
        InputError: If an option cannot be used, or in the same cases as `build`.
    """
    from chronotope.make import try_build
    from chronotope.pool import chosen_pool

    if (workers is not None and workers < 1) or trial < 0:
        raise InputError(f"workers {workers}, trial {trial:g} s: expected at least 1 worker, and no negative time")
    workers = chosen_pool(on, workers, "no part was made").cores
    request = build_request(**_of_build(family, source, options))
    tried = try_build(request, trial, advance_of(progress, f"trying {request.called}"))
    many, share = min(workers, tried.of), tried.of / len(tried.parts)
    cpu = tried.cpu(many) / 3600
    least, most = tried.writer_calls or (None, None)
    return BuildCapacity(
        request.called, tried.of, workers, round(share * sum(part.questions for part in tried.parts)),
        share * sum(part.bytes for part in tried.parts) / 1e9, cpu,
        (math.ceil(tried.of / many) * tried.each + tried.start) / 3600, tried.uncertainty, least, most, tried,
    )  # fmt: skip


def _of_build(family: str, source: Path | str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of `build` that belong to its request, with their defaults."""
    check_names(build, options)
    bound = inspect.signature(build).bind(family, source, "plan", **options)
    bound.apply_defaults()
    return {name: value for name, value in bound.arguments.items() if name not in ("progress", "say")}
