"""Judge a run: if the rules cannot judge an open answer, a model decides whether it is correct."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from chronotope.evaluate.plan.manifest import LEDGER, RunJudge, keep_judge
from chronotope.evaluate.run.money import amount
from chronotope.evaluate.run.self_evaluation import check_self_evaluation
from chronotope.evaluate.score.results import OpenAnswers, RunResults, open_run
from chronotope.evaluate.score.usage import made_here
from chronotope.evaluate.score.verdicts import INSTRUCTIONS, NORMALISED, PROMPT, Verdict, case_of, verdict_key
from chronotope.ledger import Ledger, bytes_of_line, read_ledger
from chronotope.models import (
    Budget,
    Calls,
    Credentials,
    JobCalls,
    ModelSpec,
    OverBudgetError,
    Say,
    Stage,
    StructuredJob,
    do_all,
    reasons_of,
    unanswered,
)

JUDGING = Stage("judge", INSTRUCTIONS)


@dataclass(frozen=True)
class JudgeSettings:
    """Settings of the calls to a judge.

    - ``fields`` are further fields of the request body.
    - ``calls`` has the price of the judge's tokens. Its limit is for all calls of the run, those to the judge among
      them.
    """

    credentials: Credentials = field(default_factory=Credentials)
    fields: Mapping[str, Any] = field(default_factory=dict)
    calls: Calls = field(default_factory=JobCalls)


@dataclass(frozen=True)
class JudgeOutcome:
    """The outcome of judging the open answers of a run.

    A case is a question with an open answer. Equal answers to equal questions are one case, and each case needs one
    call. All counts except ``answers`` are numbers of cases.

    - ``asked`` counts the cases whose call was made or given up in this judging.
    - ``without`` counts the cases in ``asked`` that got no verdict.
    - ``already`` counts the cases whose verdict was already in the ledger.
    - ``answers`` counts the open answers of the run after the judging.
    - ``problems`` are sentences for the user.
    """

    judge: str
    answers: OpenAnswers
    asked: int
    already: int
    without: int = 0
    interrupted: bool = False
    problems: tuple[str, ...] = ()


def judge_run(
    folder: Path,
    judge_name: str,
    base_url: str | None,
    progress: Callable[[int, int, str], None] | None = None,
    how: JudgeSettings | None = None,
    say: Say | None = None,
) -> JudgeOutcome:
    """Let a model judge the open answers that the rules cannot judge.

    The judge sees the question, the closed set of possible answers, the expected answer and the reply, but never the
    clip. Equal cases need one call. A verdict in the ledger is never requested again. Each verdict is written to the
    ledger before the next call begins, so an interruption loses no verdict. The outcome reports an interruption. After
    the first verdict, the judge is recorded in ``run.yaml``. A case without a verdict stays unjudged; if the run is
    judged again, its call is repeated. ``say`` is called with sentences for the user during the work.

    Raises:
        InputError: If one of these conditions is met:

            - The name, the URL or the API key of the judge cannot be used.
            - The service refuses the API key or does not know the model.
            - Another process writes to the run.
    """
    how = how or JudgeSettings()
    if not (folder / LEDGER).exists():
        open_run(folder)  # reports any fault of the folder before a file is written
    with Ledger.open(folder / LEDGER) as ledger:
        results = open_run(folder)
        asked = [one.question for one in results.answered]
        check_self_evaluation(results.family, results.card.model, judge_name, results.settings, asked)
        cases = _cases(results, judge_name, how.fields)
        todo = {key: case for key, case in cases.items() if key not in ledger.replied}
        lines = read_ledger(folder / LEDGER)
        model = ModelSpec(judge_name, base_url, settings=how.fields, credentials=how.credentials)
        job = StructuredJob(
            model, [JUDGING], ledger, how.calls, earlier=made_here(lines, judge=True), flag="--judge-set"
        )
        job.budget.spent += Budget(results.card.price, None, 0).count_earlier(made_here(lines)).spent
        work = _Work(folder, job, len(todo), progress)
        earlier = results.card.judge
        if len(todo) < len(cases):
            work.keep()
        interrupted = False
        try:
            if todo:
                work.tell()
                at_once = min(how.calls.concurrency, len(todo))
                asks = [partial(work.ask, case) for case in todo.values()]
                job.run(lambda: do_all(asks, at_once), bytes_of_line(job.budget.longest_reply) * at_once, say)
        except OverBudgetError:
            pass  # the outcome tells it
        except KeyboardInterrupt:
            interrupted = True
    answers = open_run(folder).open_answers
    problems = tuple(_problems(folder, todo, work, interrupted))
    if earlier is not None and earlier.model != judge_name and work.kept:
        told = f"{earlier.model} judged this run before: its verdicts stay in the ledger, but no longer count"
        problems = (*problems, told)
    return JudgeOutcome(judge_name, answers, work.done, len(cases) - len(todo), work.without, interrupted, problems)


@dataclass(frozen=True)
class _Case:
    """A case as shown to the judge, and the first ask with this case."""

    ask: str
    shown: str


def _cases(results: RunResults, judge: str, fields: Mapping[str, Any]) -> dict[str, _Case]:
    """Return the open answers that the rules cannot judge.

    Returns a mapping from the key of the call to the case, in the order of the asks.
    """
    cases: dict[str, _Case] = {}
    for one in results.answered:
        if one.question.answer or one.reading is None or one.reading.rule.startswith(NORMALISED):
            continue
        if (shown := case_of(one.reading, one.question)) is not None:
            cases.setdefault(verdict_key(judge, shown, fields), _Case(one.ask.id, shown))
    return cases


@dataclass
class _Work:
    """The calls to a judge, and their progress."""

    folder: Path
    job: StructuredJob
    total: int
    progress: Callable[[int, int, str], None] | None
    done: int = 0
    without: int = 0
    kept: bool = False

    def keep(self) -> None:
        """Record the judge in the run's manifest."""
        if not self.kept:
            model = self.job.model
            keep_judge(self.folder, RunJudge(model=model.name, prompt=PROMPT, fields=dict(model.settings)))
            self.kept = True

    async def ask(self, case: _Case) -> None:
        """Make one call to the judge.

        After the first verdict, the judge is recorded in the manifest of the run.
        """
        verdict = await self.job.ask(JUDGING, case.ask, [case.shown], Verdict)
        self.done += 1
        if verdict is None:
            self.without += 1
        else:
            self.keep()
        self.tell()

    def tell(self) -> None:
        """Report progress."""
        if self.progress is not None:
            budget = self.job.budget
            words = [f"{self.without} without a verdict"] if self.without else []
            words += [f"money {amount(budget.spent)}"] if budget.known else []
            self.progress(self.done, self.total, ", ".join(words))


def _problems(folder: Path, todo: Mapping[str, _Case], work: _Work, interrupted: bool) -> list[str]:
    """Describe the reasons why cases have no verdict."""
    left, budget = len(todo) - work.done, work.job.budget
    if interrupted:
        return [f"interrupted with {left} verdicts left: all others are kept, and the same command continues"]
    problems: list[str] = []
    if left and budget.untold:
        problems.append(
            f"stopped with {left} verdicts left, because {work.job.model.name} does not report costs, which --max-cost "
            "needs: add --judge-price IN,OUT, and the same command continues"
        )
    elif left:
        problems.append(
            f"stopped with {left} verdicts left, because the next call could exceed --max-cost {budget.most:g} "
            f"({budget.spent:.4g} is spent): the same command with a larger limit continues"
        )
    if lines := unanswered(folder / LEDGER, todo):
        problems.append(
            f"without a verdict: {len(lines)} of {len(todo)} cases ({reasons_of(lines)}); the same command asks again"
        )
    return problems
