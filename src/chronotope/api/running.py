"""Ask models, and score replies that another tool collected."""

from __future__ import annotations  # `help` shows short names of types

import asyncio
import inspect
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ParamSpec

from chronotope.api.asking import AskedRun, ForeseenRun, run_request_of
from chronotope.api.benchmarks import selected
from chronotope.api.checked_settings import as_path, checked, unknown
from chronotope.api.judging import TakenJudge, take_judge
from chronotope.api.method import take_method
from chronotope.api.opened_run import Run
from chronotope.api.options import PythonOptions, with_calls
from chronotope.api.presets import with_preset
from chronotope.api.telling import advance_of, bar_of, warner
from chronotope.errors import InputError
from chronotope.evaluate.plan import read_shard
from chronotope.evaluate.run import Lead, Progress, import_replies
from chronotope.evaluate.run import arun as arun_request
from chronotope.families import Family, family
from chronotope.methods import find_method, methods
from chronotope.models import Answer, BatchAnswer, Calls, FunctionModel, JobCalls, Model, ModelSpec, Price, Say, urls_of
from chronotope.protocol import AskSettings, Clips, FramesAs, Input, Layout, Placement
from chronotope.question import Benchmark

Parameters = ParamSpec("Parameters")
Reused = Run | Path | str | Sequence[Run | Path | str]


@with_calls(Calls)
def run(
    bench: Benchmark | Path | str,
    model: str | ModelSpec | Model | Answer | BatchAnswer,
    *,
    out: Path | str | None = None, base_url: str | Sequence[str] | None = None,
    questions: str | Sequence[str] | None = None, tasks: str | Sequence[str] = (),
    variants: str | Sequence[str] = (), limit: int | None = None, shard: str | None = None,
    preset: str | None = None, input: Input = "full",
    placement: Placement = "published", frames: int | None = None,
    clips: Clips = "frames", frames_as: FramesAs | None = None, temperature: float = 0.0, max_tokens: int | None = None,
    set: Mapping[str, Any] | None = None, layout: Layout = "published", lead: Lead = "auto",
    reuse: Reused = (), check: bool = True,
    allow_lost_order: bool = False, batch: bool = False, judge: str | ModelSpec | None = None,
    judge_price: tuple[float, float] | None = None, method: str | None = None,
    caption_model: str | ModelSpec | Model | Answer | None = None, caption_price: tuple[float, float] | None = None,
    summary_model: str | ModelSpec | Model | Answer | None = None, summary_price: tuple[float, float] | None = None,
    name: str | None = None, version: str | None = None, at_once: int = 1, batch_size: int | None = None,
    progress: Progress | bool = False, say: Say | None = None, **settings: Any,
) -> Run:  # fmt: skip
    """Ask a model the questions of a benchmark, or continue a run.

    ``model`` is a name such as ``openai/NAME``, a `ModelSpec`, a `Model`, or a function. The function is called with
    one `Asked`, which has the text of the prompt, the options and the frames as arrays, and returns the reply as text;
    it can be async. With ``batch_size``, the function is called with a list of at most ``batch_size`` `Asked`, and
    returns a list of replies. Answered calls are never repeated, and the same call continues a run. After an exception,
    the run folder contains a run that can be continued, or does not exist. The parameters have the names of the flags
    of ``chronotope run``:

    - ``out`` is the run folder (default: in ``runs``), and ``base_url`` the URL of the service, or the URLs of several
      servers of the model, which share the clips.
    - ``questions`` (ids), ``tasks``, ``variants`` and ``limit`` select questions. ``shard`` is the part of them that
      this machine asks, such as ``2/8`` (see `merge`).
    - ``input``, ``placement``, ``frames``, ``clips`` and ``frames_as`` choose what is shown. ``settings`` are further
      flags: the flags of the family, such as ``strategy``, and the flags of the method, such as ``clip_length``.
      ``preset`` names the settings with which the paper's authors ran a model.
    - ``temperature``, ``max_tokens`` and ``set`` (further fields of the request body) go to the model.
    - ``layout``, ``lead``, ``concurrency``, ``timeout`` (s), ``wait`` (s), ``check``, ``allow_lost_order``, ``batch``
      are described in `chronotope.evaluate.run.RunRequest`; ``reuse`` takes runs, or their folders.
    - ``price`` is the price of a million input and output tokens. ``max_cost`` limits the cost of the run.
    - ``judge`` is a model that judges open answers if the rules cannot.
    - ``method`` answers in another way than by asking: ``hctr`` describes videos, and answers from the descriptions.
      ``caption_model`` and ``summary_model`` are like ``model``, which is asked if they are not given.
    - ``name``, ``version``, ``at_once`` and ``batch_size`` are parameters of `FunctionModel`, for a function.
    - ``progress`` is a function, or true to write lines to standard error. ``say`` is called with each remark; without
    ``say``, remarks are warnings.

    Raises:
        InputError: If an option is wrong, the service rejects every request, or the pictures do not reach the model.
        KeyboardInterrupt: If the user pressed Ctrl-C. All answers so far are kept.
    """
    asked, tell = _asked(**locals()), say or warner()
    return asked.made("asking", bar_of(progress), tell)


def ready_run(*given: Any, **options: Any) -> AskedRun:
    """Check the options of `run`, and open its model; nothing is sent or written.

    Raises:
        InputError: If an option is wrong, or the model cannot be used.
    """
    return _asked(**_bound(given, options)).opened()


def foresee_run(*given: Any, **options: Any) -> ForeseenRun:
    """Count the calls of `run`; nothing is sent or written."""
    return _asked(**_bound(given, options), to_ask=False).opened().foresee()


def _bound(given: Sequence[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all arguments of `run` by their names."""
    bound = inspect.signature(run).bind(*given, **options)
    bound.apply_defaults()
    return bound.arguments


def _with_parameters_of(
    run: Callable[Parameters, Run],
) -> Callable[[Callable[..., Coroutine[Any, Any, Run]]], Callable[Parameters, Coroutine[Any, Any, Run]]]:
    """Show the parameters of `run` in type checkers and ``help``."""

    def give(function: Callable[..., Coroutine[Any, Any, Run]]) -> Callable[Parameters, Coroutine[Any, Any, Run]]:
        function.__signature__ = inspect.signature(run)  # type: ignore[attr-defined]
        return function

    return give


@_with_parameters_of(run)
def arun(*given: Any, **options: Any) -> Coroutine[Any, Any, Run]:
    """Ask a model in the running event loop.

    The parameters are the same as for `run`. An async function is called in this loop, so it can use connections that
    belong to the loop. If the task is cancelled, all answers so far are kept.

    Raises:
        InputError: In the same cases as `run`.
    """
    return _arun(_bound(given, options), warner())  # here, because a task has no frames of the line that began it


async def _arun(arguments: dict[str, Any], tell: Say) -> Run:
    arguments["say"] = tell = arguments["say"] or tell
    asked = await asyncio.to_thread(_asked, **arguments)
    outcome = await arun_request(asked.request)
    for problem in outcome.problems:
        tell(problem)
    judged = None
    if asked.judge is not None:
        judged = await asyncio.to_thread(asked.judge.made, outcome.folder, bar_of(arguments["progress"]), tell)
    return Run(outcome.folder, outcome.problems, outcome, judged)


def score(
    bench: Benchmark | Path | str,
    replies: Mapping[str, Any] | Path | str,
    *,
    out: Path | str | None = None,
    name: str | None = None,
    questions: str | Sequence[str] | None = None,
    tasks: str | Sequence[str] = (),
    variants: str | Sequence[str] = (),
    only: bool = False,
    judge: str | ModelSpec | None = None,
    judge_price: tuple[float, float] | None = None,
    max_cost: float | None = None,
    progress: Progress | bool = False,
    say: Say | None = None,
    **settings: Any,
) -> Run:
    """Make a run from replies that another tool collected.

    ``replies`` maps the ids of questions to replies, or is a file in one of the formats that ``chronotope score``
    reads. A question without a reply counts as wrong; ``questions`` (ids), ``tasks`` and ``variants`` select the
    questions that were asked. With ``only``, the questions without an id in ``replies`` are left out, and the run says
    that it is a subset. ``name`` is the name of the model. ``settings`` are the flags of the family, such as
    ``strategy``. ``judge`` is a model that judges open answers if the rules cannot; ``judge_price`` is the price of a
    million of its input and output tokens, and ``max_cost`` limits the cost of its calls. ``progress`` and ``say`` are
    as in `run`.

    Raises:
        InputError: If no id belongs to a question, a setting is wrong, or ``out`` contains other files.
    """
    about = {"out": out, "name": name, "questions": questions, "tasks": tasks, "variants": variants}
    about |= {"judge_price": judge_price, "max_cost": max_cost}
    given: PythonOptions = checked(PythonOptions, about, "", "score")
    if judge is None and given.max_cost is not None:
        raise _without_judge("max_cost")
    bar, tell = bar_of(progress), say or warner()
    taken = _taken(judge, JobCalls(max_cost=given.max_cost), given.judge_price)
    folder, selection = selected(bench, given.questions, given.tasks, None, given.variants)
    chosen = family(folder.card.family)
    asked = checked(chosen.RunSettings, settings, "", f"family {chosen.name}")
    with TemporaryDirectory() as temporary:
        if isinstance(replies, Mapping):
            file = Path(temporary) / "replies.jsonl"
            file.write_text("".join(map(_line, replies.items())))
        else:
            file = as_path(replies, "replies", "a mapping of ids to replies, or a path")
        try:
            by = None if taken is None else taken.spec.name
            made = import_replies(folder, chosen, file, given.out, asked, name, selection, judge=by, only=only)
        except InputError as error:  # the user does not know the temporary file
            raise InputError(str(error).replace(f"{temporary}/replies.jsonl", "replies")) from error
    for remark in made.remarks:
        tell(remark)
    judged = None if taken is None else taken.made(made.folder, bar, tell)
    return Run(made.folder, made.remarks, made, judged)


def _line(reply: tuple[str, Any]) -> str:
    try:
        return json.dumps({"id": reply[0], "reply": reply[1]}) + "\n"
    except TypeError:
        raise InputError(f"found {reply[1]!r}", where=f"replies[{reply[0]!r}]", expected="a text") from None


def _asked(
    bench: Benchmark | Path | str,
    model: str | ModelSpec | Model | Answer | BatchAnswer,
    *,
    settings: Mapping[str, Any],
    judge: str | ModelSpec | None,
    reuse: Reused,
    progress: Progress | bool,
    say: Say | None,
    preset: str | None,
    method: str | None,
    caption_model: str | ModelSpec | Model | Answer | None,
    summary_model: str | ModelSpec | Model | Answer | None,
    to_ask: bool = True,
    **plain: Any,
) -> AskedRun:
    """Check the options of a run, and put them together."""
    plain |= {option: value for option, value in settings.items() if option in Calls.model_fields}
    settings = {option: value for option, value in settings.items() if option not in Calls.model_fields}
    shown = {option: value for option, value in plain.items() if option in AskSettings.model_fields}
    given: PythonOptions = checked(PythonOptions, {o: v for o, v in plain.items() if o not in shown}, "", "run")
    folder, selection = selected(bench, given.questions, given.tasks, given.limit, given.variants)
    if given.shard is not None:
        selection = replace(selection, shard=read_shard(given.shard))
    chosen = family(folder.card.family)
    # A default value leaves the choice to the family.
    common = {option: value for option, value in shown.items() if value != AskSettings.model_fields[option].default}
    settings, body = with_preset(preset, chosen, common | settings, given.set or {})
    asked, of_method = _settings(chosen, method, settings)
    staged = take_method(
        method, of_method, {"caption": caption_model, "summary": summary_model},
        {"caption": given.caption_price, "summary": given.summary_price},
    )  # fmt: skip
    request = run_request_of(
        folder, _model(model, given), given, asked, selection, body, given.out, reuse=_reused(reuse),
        method=staged, progress=advance_of(progress, "asking"), say=say or warner(), to_ask=to_ask,
    )  # fmt: skip
    beside = [request.model] if isinstance(request.model, ModelSpec) else []
    return AskedRun(request, _taken(judge, request.calls, given.judge_price, beside, to_ask=to_ask))


def _taken(
    judge: str | ModelSpec | None, calls: Calls, price: Price, beside: Sequence[ModelSpec] = (), *, to_ask: bool = True
) -> TakenJudge | None:
    if judge is None:
        if price is not None:
            raise _without_judge("judge_price")
        return None
    if not isinstance(judge, str | ModelSpec):
        raise InputError(f"found {judge!r}", where="judge", expected="the name of a model, or a ModelSpec")
    spec = ModelSpec(judge) if isinstance(judge, str) else judge
    return take_judge(spec, calls, price, beside, to_ask=to_ask)


def _without_judge(option: str) -> InputError:
    return InputError("is a setting of a judge", where=option, fix="add judge='openai/NAME', or omit it")


def _settings(chosen: Family, method: str | None, given: Mapping[str, Any]) -> tuple[AskSettings, dict[str, Any]]:
    """Return the family's settings, and the settings of the method."""
    of_family = chosen.RunSettings.model_fields
    if method is not None and not isinstance(method, str):
        raise InputError(f"found {method!r}", where="method", expected="the name of a method, such as 'hctr'")
    of_method = {} if method is None else find_method(method).Settings.model_fields
    for option in given:
        owner = next((name for name, one in methods().items() if option in one.Settings.model_fields), None)
        if method is None and owner is not None and option not in of_family:
            raise InputError(f"belongs to method {owner}", where=option, fix=f"add method={owner!r}, or omit it")
        if option not in of_family and option not in of_method:
            known = sorted({*inspect.signature(run).parameters, *of_family, *of_method} - {"settings"})
            raise unknown("there is no such option", option, known, option)
    asked = {option: value for option, value in given.items() if option in of_family}
    theirs = {option: value for option, value in given.items() if option in of_method}
    return checked(chosen.RunSettings, asked, "", f"family {chosen.name}"), theirs


def _reused(reuse: Reused) -> list[Path]:
    several = [reuse] if isinstance(reuse, Run | Path | str) or not isinstance(reuse, Sequence) else reuse
    for one in several:
        if not isinstance(one, Run | Path | str):
            raise InputError(f"found {one!r}", where="reuse", expected="runs, or paths of run folders")
    return [one.folder if isinstance(one, Run) else Path(one) for one in several]


def _model(
    model: str | ModelSpec | Model | Answer | BatchAnswer, given: PythonOptions
) -> str | ModelSpec | Model | Answer:
    """Return the model with its options; refuse options of other models."""
    if isinstance(model, str):
        foreign = ("name", "version", "batch_size")
    elif isinstance(model, ModelSpec | Model):
        foreign = ("name", "version", "batch_size", "base_url")
    elif callable(model):
        if given.base_url:
            raise InputError("can be used only with a model behind a service", where="base_url", fix="omit it")
        how = {"at_once": given.at_once, "batch_size": given.batch_size, "version": given.version}
        return FunctionModel(model, given.name, **how)
    else:
        return model  # the error for this type is raised later
    for option in (*foreign, "at_once"):
        if getattr(given, option) != PythonOptions.model_fields[option].default:
            raise InputError("cannot be used with this kind of model", where=option, fix="omit it")
    return ModelSpec(model, **urls_of(given.base_url)) if isinstance(model, str) else model
