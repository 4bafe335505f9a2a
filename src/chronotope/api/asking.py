"""A run that is ready to be asked, for Python programs, the command line and campaigns."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronotope.api.checked_settings import checked
from chronotope.api.judging import TakenJudge
from chronotope.api.telling import Bar
from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import (
    Asking,
    DryRun,
    Outcome,
    Progress,
    RunRequest,
    check_self_evaluation,
    dry_run,
    plan_request,
    run_request,
)
from chronotope.families import family
from chronotope.models import Answer, Decoding, Model, ModelSpec, Say, fitting
from chronotope.protocol import AskSettings, FramesAs
from chronotope.question import Benchmark

if TYPE_CHECKING:
    from chronotope.api.opened_run import Run


@dataclass(frozen=True)
class ForeseenRun:
    """The calls that a run would make now.

    ``open_questions`` counts the asks without options, and ``left_out`` names the settings that the model refuses.
    ``frames_as`` is how the frames of clips are sent, or None if no question shows frames.
    """

    model: str
    open_questions: int
    left_out: tuple[str, ...]
    max_cost: float | None
    batch: bool
    frames_as: FramesAs | None
    calls: DryRun

    def plain(self) -> dict[str, Any]:
        """Return all values in one mapping."""
        about = {name: value for name, value in vars(self).items() if name != "calls"}
        return about | {"left_out": list(self.left_out)} | asdict(self.calls)


@dataclass(frozen=True, eq=False)
class AskedRun:
    """A run that is ready to be asked, and the judge of its open answers."""

    request: RunRequest
    judge: TakenJudge | None = None

    def opened(self) -> "AskedRun":
        """Open the model.

        The family must permit the model and the judge.

        Raises:
            InputError: If the model cannot be used.
        """
        request = self.request
        judge = None if self.judge is None else self.judge.spec.name
        name = request.model.name if isinstance(request.model, ModelSpec) else str(request.model)
        opened = replace(request, opened=request.open())
        check_self_evaluation(request.family, name, judge, request.settings, request.benchmark.questions)
        return replace(self, request=opened)

    def ask(self, progress: Progress | None, say: Say | None) -> Outcome:
        """Make the calls of the run (see `run_request`)."""
        return run_request(replace(self.request, progress=progress, say=say))

    def made(self, title: str, bar: Bar, say: Say) -> "Run":
        """Make the calls of the run, and then those of the judge.

        ``title`` is the title of the first display of progress.

        Raises:
            KeyboardInterrupt: If the user pressed Ctrl-C. All answers so far are kept.
        """
        from chronotope.api.opened_run import Run  # loads what only notebooks and reports need

        with bar(title) as advance:
            outcome = self.ask(advance, say)
        for problem in outcome.problems:
            say(problem)
        if outcome.interrupted:
            raise KeyboardInterrupt(outcome.problems[0])
        judged = None if self.judge is None else self.judge.made(outcome.folder, bar, say)
        return Run(outcome.folder, outcome.problems, outcome, judged)

    def foresee(self) -> ForeseenRun:
        """Count the missing calls of the run; nothing is sent or written.

        Raises:
            InputError: If the model or a setting cannot be used.
        """
        request = self.request
        model, calls, decoding = request.open(), request.calls, request.decoding
        plan = plan_request(request, model)
        counted = dry_run(
            plan, model.name, decoding, request.out, calls.price, batch=request.batch, max_cost=calls.max_cost
        )
        looks = model.limits.looks and model.limits.needs_check
        if not (request.check and (looks or plan.staged is not None)):
            counted = replace(counted, check_tokens=0)
        return ForeseenRun(
            model=model.name,
            open_questions=sum(not plan.questions[ask.question].answer for ask in plan.asks),
            left_out=tuple(sorted(fitting(model.name, decoding).extra.keys() - decoding.extra.keys())),
            max_cost=calls.max_cost,
            batch=request.batch,
            frames_as=plan.settings.frames_as,
            calls=counted,
        )


def run_request_of(
    benchmark: Benchmark,
    model: str | ModelSpec | Model | Answer,
    how: Asking,
    settings: AskSettings,
    selection: Selection,
    extra: Mapping[str, Any],
    out: Path | None = None,
    **more: Any,
) -> RunRequest:
    """Put the options of a run together.

    ``extra`` are further fields of the request body, and ``more`` further fields of `RunRequest`.

    Raises:
        InputError: If a field cannot be used.
    """
    drawn = {"temperature": how.temperature, "max_tokens": how.max_tokens or settings.max_tokens, "extra": dict(extra)}
    decoding = checked(Decoding, drawn, "", "a model")
    chosen = family(benchmark.card.family)
    return RunRequest(benchmark, chosen, model, decoding, settings, selection, out, **(how.conduct | more))
