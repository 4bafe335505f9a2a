"""Choose the judge of a run and its credentials; the credentials of another service are never used."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from chronotope.api.telling import Bar
from chronotope.evaluate.plan import RunPrice
from chronotope.evaluate.run import JudgeOutcome, JudgeSettings, Progress, judge_run
from chronotope.models import (
    Calls,
    Credentials,
    Decoding,
    JobCalls,
    ModelSpec,
    Say,
    place_of,
    request_fields,
    require_structured,
)

JUDGED_AT_ONCE = JobCalls().concurrency


@dataclass(frozen=True)
class TakenJudge:
    """A judge with the settings of its calls."""

    spec: ModelSpec
    how: JudgeSettings

    def ask(self, folder: Path, progress: Progress | None, say: Say | None, calls: Calls | None = None) -> JudgeOutcome:
        """Judge the open answers of a run (see `judge_run`).

        ``calls`` replace the settings of the calls.
        """
        how = self.how if calls is None else replace(self.how, calls=calls)
        return judge_run(folder, self.spec.name, self.spec.base_url, progress, how, say)

    def made(self, folder: Path, bar: Bar, say: Say) -> JudgeOutcome:
        """Judge the open answers of a run, with a display of progress, and tell the problems.

        Raises:
            KeyboardInterrupt: If the user pressed Ctrl-C. All verdicts so far are kept.
        """
        with bar(f"judging by {self.spec.name}") as advance:
            outcome = self.ask(folder, advance, say)
        for problem in outcome.problems:
            say(problem)
        if outcome.interrupted:
            raise KeyboardInterrupt("interrupted while the judge was asked: all verdicts are kept")
        return outcome


def take_judge(
    spec: ModelSpec,
    calls: Calls,
    price: RunPrice | None,
    beside: Sequence[ModelSpec] = (),
    *,
    to_ask: bool = True,
) -> TakenJudge:
    """Check that a judge can be used with a run.

    ``calls`` are the settings of the run's calls, whose waiting times and limit on the cost the judge shares.
    ``beside`` is as in `judge_credentials`.

    Raises:
        InputError: If the name, the URL, the API key or a field of the requests of the judge cannot be used.
    """
    credentials = judge_credentials(spec, beside)
    require_structured(spec.name, spec.base_url, credentials, to_ask=to_ask)
    request_fields(Decoding.model_validate({"extra": dict(spec.settings)}))
    ours = {"concurrency": min(calls.concurrency, JUDGED_AT_ONCE), "price": price}
    return TakenJudge(spec, JudgeSettings(credentials, spec.settings, calls.model_copy(update=ours)))


def with_credentials(spec: ModelSpec, beside: Sequence[ModelSpec], flag: str) -> ModelSpec:
    """Return a judge, or another second model, with the credentials for its service (see `judge_credentials`)."""
    found = judge_credentials(spec, beside, flag)
    return replace(spec, credentials=replace(found, flag=found.setter))


def judge_credentials(judge: ModelSpec, beside: Sequence[ModelSpec], flag: str = "credentials") -> Credentials:
    """Return the credentials for the service of a judge.

    ``beside`` are the models that are asked by the same call. If no credentials are given for the judge, and the judge
    has the URL of these models, it uses their credentials. A judge at another URL never gets the key of these models.
    ``flag`` is the name of the flag or parameter that sets the judge's key, unless its credentials name another one.
    """
    place = place_of(judge.name, judge.base_url)
    same = [one for one in beside if place_of(one.name, one.base_url) == place]
    if judge.credentials is None and same:
        return same[0].credentials or Credentials()
    elsewhere = any(one.name.startswith("endpoint/") and one not in same for one in beside)
    given = judge.credentials or Credentials()
    return replace(given, own=given.own and (bool(same) or not elsewhere), flag=given.flag or flag)
