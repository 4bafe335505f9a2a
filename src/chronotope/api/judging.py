"""Choose the judge of a run and its credentials, which are never those of another service."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chronotope.evaluate.plan import RunPrice
from chronotope.evaluate.run import JUDGED_AT_ONCE, JudgeSettings, RunRequest
from chronotope.models import Credentials, ModelSpec, place_of, require_structured


@dataclass(frozen=True)
class TakenJudge:
    """A judge with the settings of its calls."""

    spec: ModelSpec
    how: JudgeSettings


def take_judge(spec: ModelSpec, request: RunRequest, price: RunPrice | None) -> TakenJudge:
    """Check that a judge can be used with a run.

    The judge has the waiting times and the budget of the run.

    Raises:
        InputError: If the name, the URL or the API key of the judge cannot be used.
    """
    beside = [request.model] if isinstance(request.model, ModelSpec) else []
    credentials = judge_credentials(spec, beside, "credentials")
    require_structured(spec.name, spec.base_url, credentials, to_ask=request.to_ask)
    ours = {"concurrency": JUDGED_AT_ONCE, "price": price}
    how = JudgeSettings(credentials, spec.settings, request.calls.model_copy(update=ours))
    return TakenJudge(spec, how)


def judge_credentials(judge: ModelSpec, beside: Sequence[ModelSpec], flag: str) -> Credentials:
    """Return the credentials for the service of a judge.

    ``beside`` are the models that are asked by the same call. If no credentials are given for the judge, and the judge
    has the URL of these models, it uses their credentials. A judge at another URL never gets the key of these models.
    ``flag`` is the name of the flag or parameter that sets the judge's key.
    """
    place = place_of(judge.name, judge.base_url)
    same = [one for one in beside if place_of(one.name, one.base_url) == place]
    if judge.credentials is None and same:
        return same[0].credentials or Credentials()
    elsewhere = any(one.name.startswith("endpoint/") and one not in same for one in beside)
    return replace(judge.credentials or Credentials(), own=bool(same) or not elsewhere, flag=flag)
