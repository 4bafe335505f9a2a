"""Judging a run: a model says of the open answers that no rule settles whether they say what was expected."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from chronotope.errors import InputError
from chronotope.evaluate.card import LEDGER, RunJudge, keep_judge
from chronotope.evaluate.guard import check_guard
from chronotope.evaluate.results import OpenAnswers, RunResults, open_run
from chronotope.evaluate.verdicts import INSTRUCTIONS, NORMALISED, PROMPT, Verdict, case_of, verdict_key
from chronotope.ledger import Ledger, read_ledger
from chronotope.models import Structured, open_structured

__all__ = ["JUDGED_AT_ONCE", "JudgeOutcome", "judge_run"]

JUDGED_AT_ONCE = 16  # calls in flight: nothing slows down here for a service that is overrun
REASONS_TOLD = 3


@dataclass(frozen=True)
class JudgeOutcome:
    """How a judging ended.

    ``asked`` calls were made or given up now, ``without`` of them brought no verdict, ``already`` verdicts were in the
    ledger, of cases: equal answers to equal questions are one. ``answers`` counts the answers of the run as they now
    are, ``problems`` are sentences for people.
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
    concurrency: int = JUDGED_AT_ONCE,
) -> JudgeOutcome:
    """Have a model judge the open answers of a run that no rule settles and it has not judged yet.

    The judge sees question, closed answer set, expected answer and reply, never the clip. Equal cases are one call; a
    verdict that the ledger has is never asked for again. Every verdict is in the ledger before the next call of its
    slot, so that an interruption, which the outcome tells, loses none. From its first verdict on the judge is that of
    the run, in ``run.yaml``. A case without a verdict stays unjudged, and the same call asks for it again.

    Raises InputError for a name, URL or key that cannot be used, where the service refuses the key or does not know the
    model, and where another process writes to the run.
    """
    if concurrency < 1:
        raise InputError(f"concurrency {concurrency}: expected a number of requests, at least 1")
    if not (folder / LEDGER).exists():
        open_run(folder)  # says what is wrong with the folder, and leaves nothing in it
    with Ledger.open(folder / LEDGER) as ledger:
        results = open_run(folder)
        settings = results.family.RunSettings.model_validate(results.card.protocol.settings)
        asked = [one.question for one in results.answered]
        check_guard(results.family, results.card.model, judge_name, settings, asked)
        cases = _cases(results, judge_name)
        todo = {key: case for key, case in cases.items() if key not in ledger.replied}
        work = _Work(folder, open_structured(judge_name, base_url, ledger), len(todo), progress)
        earlier = results.card.judge
        if len(todo) < len(cases):
            work.keep()
        interrupted = False
        try:
            if todo:
                work.tell()
                asyncio.run(work.ask_all(list(todo.values()), concurrency))
        except KeyboardInterrupt:
            interrupted = True
    answers = open_run(folder).open_answers
    problems = tuple(_problems(folder, todo, work.done, interrupted))
    if earlier is not None and earlier.model != judge_name and work.kept:
        told = f"{earlier.model} was the judge of this run: its verdicts stay in the ledger and no longer count"
        problems = (*problems, told)
    return JudgeOutcome(judge_name, answers, work.done, len(cases) - len(todo), work.without, interrupted, problems)


@dataclass(frozen=True)
class _Case:
    """What the judge is shown, and the first ask that it is about."""

    ask: str
    shown: str


def _cases(results: RunResults, judge: str) -> dict[str, _Case]:
    """The answers that no rule settles, by the key of the call, in the order asked."""
    cases: dict[str, _Case] = {}
    for one in results.answered:
        if one.question.answer or one.reading is None or one.reading.rule.startswith(NORMALISED):
            continue
        if (shown := case_of(one.reading, one.question)) is not None:
            cases.setdefault(verdict_key(judge, shown), _Case(one.ask.id, shown))
    return cases


@dataclass
class _Work:
    """The calls of one judging, as they go."""

    folder: Path
    judge: Structured
    total: int
    progress: Callable[[int, int, str], None] | None
    done: int = 0
    without: int = 0
    kept: bool = False
    refusal: InputError | None = None

    def keep(self) -> None:
        """Make the judge that of the run."""
        if not self.kept:
            keep_judge(self.folder, RunJudge(model=self.judge.name, prompt=PROMPT))
            self.kept = True

    async def ask_all(self, cases: Sequence[_Case], concurrency: int) -> None:
        """One call for each case; what the service refuses ends it, when the calls in flight are answered."""
        waiting = iter(cases)

        async def slot() -> None:
            for case in waiting:
                await self.ask(case)
                if self.refusal is not None:
                    break

        async with self.judge.connected():
            await asyncio.gather(*(slot() for _ in range(min(concurrency, len(cases)))))
        if self.refusal is not None:
            raise self.refusal

    async def ask(self, case: _Case) -> None:
        """One call; the judge is that of the run once it has given a verdict."""
        try:
            verdict = await self.judge.ask("judge", case.ask, INSTRUCTIONS, [case.shown], Verdict)
        except InputError as error:
            self.refusal = self.refusal or error
            return
        self.done += 1
        if verdict is None:
            self.without += 1
        else:
            self.keep()
        self.tell()

    def tell(self) -> None:
        """Say how far it is."""
        if self.progress is not None:
            self.progress(self.done, self.total, f"{self.without} without a verdict" if self.without else "")


def _problems(folder: Path, todo: Mapping[str, _Case], done: int, interrupted: bool) -> list[str]:
    """Sentences about the cases that have no verdict."""
    if interrupted:
        left = len(todo) - done
        return [f"interrupted with {left} verdicts left: all others are kept, the same command goes on from here"]
    last = {line.key: line for line in read_ledger(folder / LEDGER) if line.key in todo}
    reasons = Counter(line.error or "no reason was given" for line in last.values() if line.state != "replied")
    told = ", ".join(f"{reason}: {count}" for reason, count in reasons.most_common(REASONS_TOLD))
    if not reasons:
        return []
    return [f"without a verdict: {reasons.total()} of {len(todo)} cases ({told}); the same command asks for them again"]
