"""Ask models, and score replies that another tool collected."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypedDict, Unpack

from chronotope.api.benchmarks import open as open_folder
from chronotope.api.judging import TakenJudge, take_judge
from chronotope.api.method import take_method
from chronotope.api.options import PythonOptions
from chronotope.api.runs import Run
from chronotope.api.settings import checked
from chronotope.api.telling import Lines, warn
from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import (
    Lead,
    Outcome,
    Progress,
    RunRequest,
    import_replies,
    judge_run,
    run_request,
)
from chronotope.evaluate.run import arun as arun_request
from chronotope.families import family
from chronotope.models import Answer, Decoding, FunctionModel, Model, ModelSpec, Say
from chronotope.protocol import Layout
from chronotope.question import Benchmark

__all__ = ["RunOptions", "arun", "run", "score"]


class RunOptions(TypedDict, total=False):
    """The options of `run` and `arun`.

    - ``out`` is the run folder; the default is in ``runs``. The same call with the same folder continues a run.
    - ``name``, ``at_once`` and ``version`` are the parameters of `FunctionModel`, if the model is a function.
    - ``base_url`` is the URL of a service, if the model is a name.
    - ``tasks``, ``variants`` and ``limit`` select questions. ``settings`` are the family's settings of a run.
    - ``temperature``, ``max_tokens`` and ``extra`` (further fields of the request body) go to the model.
    - ``price`` is the price of a million input and output tokens. ``max_cost`` limits the cost of the run.
    - ``progress`` is a function, or true to write lines about the progress to standard error.
    - ``judge`` is a model that judges open answers if the rules cannot. ``judge_price`` is the price of its tokens.
    - ``method`` gives answers in another way than by asking: ``hctr`` describes videos, and answers from the
      descriptions. ``method_settings`` are its settings. ``caption_model`` and ``summary_model`` are like ``model``,
      which is asked if they are not given. ``caption_price`` and ``summary_price`` are the prices of their tokens.
    - All other options are described in `chronotope.evaluate.run.RunRequest`.
    """

    out: Path | str | None
    name: str | None
    at_once: int
    version: str | None
    base_url: str | None
    tasks: str | Sequence[str]
    variants: str | Sequence[str]
    limit: int | None
    settings: Mapping[str, Any] | None
    temperature: float
    max_tokens: int | None
    extra: Mapping[str, Any] | None
    price: tuple[float, float] | None
    max_cost: float | None
    judge: str | ModelSpec | None
    judge_price: tuple[float, float] | None
    method: str | None
    method_settings: Mapping[str, Any] | None
    caption_model: str | ModelSpec | Model | Answer | None
    summary_model: str | ModelSpec | Model | Answer | None
    caption_price: tuple[float, float] | None
    summary_price: tuple[float, float] | None
    layout: Layout
    lead: Lead
    concurrency: int
    timeout: float
    wait: float
    reuse: Sequence[Run | Path | str]
    check: bool
    allow_lost_order: bool
    batch: bool
    progress: Progress | bool
    say: Say | None


def run(bench: Benchmark | Path | str, model: str | ModelSpec | Model | Answer, **options: Unpack[RunOptions]) -> Run:
    """Ask a model the questions of a benchmark, or continue a run.

    ``model`` is a name such as ``openai/NAME``, a `ModelSpec`, a `Model`, or a function. The function gets one `Asked`,
    with the text of the prompt, the options and the frames as arrays, and returns the reply as text; it can be async.
    ``options`` are the fields of `RunOptions`. Answered calls are never repeated. The function also works in a
    notebook. After Ctrl-C, the run folder contains a run that can be continued. After any other exception, it contains
    such a run, or does not exist.

    Raises:
        InputError: If an option is wrong, the service rejects every request, or the pictures do not reach the model.
        KeyboardInterrupt: If the user pressed Ctrl-C. All answers so far are kept.
    """
    request, judging = _request(bench, model, **options)
    outcome = run_request(request)
    _tell(outcome)
    if outcome.interrupted:
        raise KeyboardInterrupt(outcome.problems[0])
    if judging is not None:
        _judge(outcome.folder, judging)
    return Run(outcome.folder, outcome.problems)


async def arun(
    bench: Benchmark | Path | str, model: str | ModelSpec | Model | Answer, **options: Unpack[RunOptions]
) -> Run:
    """Ask a model in the running event loop.

    The options are the same as for `run`. An async function is called in this loop, so it can use connections that
    belong to the loop. If the task is cancelled, all answers so far are kept.

    Raises:
        InputError: In the same cases as `run`.
    """
    request, judging = await asyncio.to_thread(_request, bench, model, **options)
    outcome = await arun_request(request)
    _tell(outcome)
    if judging is not None:
        await asyncio.to_thread(_judge, outcome.folder, judging)
    return Run(outcome.folder, outcome.problems)


def score(
    bench: Benchmark | Path | str,
    replies: Mapping[str, Any] | Path | str,
    *,
    out: Path | str | None = None,
    name: str | None = None,
    tasks: str | Sequence[str] = (),
    variants: str | Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
) -> Run:
    """Make a run from replies that another tool collected.

    ``replies`` maps the ids of questions to replies, or is a file in one of the formats that ``chronotope score``
    reads. A question without a reply counts as wrong. ``name`` is the name of the model.

    Raises:
        InputError: If no id belongs to a question, a setting is wrong, or ``out`` contains other files.
    """
    about = {"out": out, "name": name, "tasks": tasks, "variants": variants}
    given: PythonOptions = checked(PythonOptions, about, "", "score")
    folder = bench if isinstance(bench, Benchmark) else open_folder(bench)
    chosen = family(folder.card.family)
    asked = checked(chosen.RunSettings, settings, "settings", f"family {chosen.name}")
    selection = Selection(given.tasks, None, given.variants)
    with TemporaryDirectory() as temporary:
        if isinstance(replies, Mapping):
            file = Path(temporary) / "replies.jsonl"
            file.write_text("".join(map(_line, replies.items())))
        else:
            file = Path(replies)
        try:
            made = import_replies(folder, chosen, file, given.out, asked, name, selection)
        except InputError as error:  # the user does not know the temporary file
            raise InputError(str(error).replace(f"{temporary}/replies.jsonl", "replies")) from error
    for remark in made.remarks:
        warn(remark)
    return Run(made.folder, made.remarks)


def _line(reply: tuple[str, Any]) -> str:
    try:
        return json.dumps({"id": reply[0], "reply": reply[1]}) + "\n"
    except TypeError:
        raise InputError(f"found {reply[1]!r}", where=f"replies[{reply[0]!r}]", expected="a text") from None


def _request(
    bench: Benchmark | Path | str,
    model: str | ModelSpec | Model | Answer,
    *,
    settings: Mapping[str, Any] | None = None,
    judge: str | ModelSpec | None = None,
    reuse: Sequence[Run | Path | str] = (),
    progress: Progress | bool = False,
    say: Say | None = None,
    method: str | None = None,
    method_settings: Mapping[str, Any] | None = None,
    caption_model: str | ModelSpec | Model | Answer | None = None,
    summary_model: str | ModelSpec | Model | Answer | None = None,
    **plain: Any,
) -> tuple[RunRequest, TakenJudge | None]:
    """Check the options of a run, and put them together."""
    for option in plain:
        if option not in PythonOptions.model_fields:
            raise TypeError(f"run() got an unexpected keyword argument {option!r}")
    given: PythonOptions = checked(PythonOptions, plain, "", "run")
    folder = bench if isinstance(bench, Benchmark) else open_folder(bench)
    chosen = family(folder.card.family)
    asked = checked(chosen.RunSettings, settings, "settings", f"family {chosen.name}")
    staged = take_method(
        method, method_settings, {"caption": caption_model, "summary": summary_model},
        {"caption": given.caption_price, "summary": given.summary_price},
    )  # fmt: skip
    drawn = {"temperature": given.temperature, "max_tokens": given.max_tokens or asked.max_tokens}
    request = RunRequest(
        folder, chosen, _model(model, given), checked(Decoding, drawn | {"extra": given.extra or {}}, "", "a model"),
        asked, Selection(given.tasks, given.limit, given.variants), given.out, price=given.price,
        max_cost=given.max_cost, reuse=_reused(reuse), method=staged, progress=_progress(progress),
        say=say or warn, **given.conduct,
    )  # fmt: skip
    if judge is None:
        return request, None
    if not isinstance(judge, str | ModelSpec):
        raise InputError(f"found {judge!r}", where="judge", expected="the name of a model, or a ModelSpec")
    spec = ModelSpec(judge) if isinstance(judge, str) else judge
    return request, take_judge(spec, request, given.judge_price)


def _reused(reuse: Sequence[Run | Path | str]) -> list[Path]:
    several = [reuse] if isinstance(reuse, Run | Path | str) or not isinstance(reuse, Sequence) else reuse
    for one in several:
        if not isinstance(one, Run | Path | str):
            raise InputError(f"found {one!r}", where="reuse", expected="runs, or paths of run folders")
    return [one.folder if isinstance(one, Run) else Path(one) for one in several]


def _model(model: str | ModelSpec | Model | Answer, given: PythonOptions) -> str | ModelSpec | Model | Answer:
    """Return the model with its options; refuse options of other models."""
    if isinstance(model, str):
        foreign = ("name", "version")
    elif isinstance(model, ModelSpec | Model):
        foreign = ("name", "version", "base_url")
    elif callable(model):
        if given.base_url is not None:
            raise InputError("can be used only with a model behind a service", where="base_url", fix="omit it")
        return FunctionModel(model, given.name, at_once=given.at_once, version=given.version)
    else:
        return model  # the error for this type is raised later
    for option in foreign:
        if getattr(given, option) is not None:
            raise InputError("cannot be used with this kind of model", where=option, fix="omit it")
    return ModelSpec(model, given.base_url) if isinstance(model, str) else model


def _progress(progress: Progress | bool) -> Progress | None:
    if isinstance(progress, bool):
        return Lines("asking") if progress else None
    if progress is not None and not callable(progress):
        raise InputError(f"found {progress!r}", where="progress", expected="True, False or a function")
    return progress


def _judge(folder: Path, judging: TakenJudge) -> None:
    outcome = judge_run(folder, judging.spec.name, judging.spec.base_url, None, judging.how, warn)
    for problem in outcome.problems:
        warn(problem)
    if outcome.interrupted:
        raise KeyboardInterrupt("interrupted while the judge was asked: all verdicts are kept")


def _tell(outcome: Outcome) -> None:
    for problem in outcome.problems:
        warn(problem)
