"""The flags of the judge: a model that judges open answers.

A judge decides about answers that the rules cannot judge. The judge is asked after the run has its answers.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from chronotope.api.judging import TakenJudge, take_judge
from chronotope.api.vocabulary import Calls, Credentials, JobCalls, ModelSpec, price_of
from chronotope.cli.console import note, progress_bar, warn
from chronotope.cli.flags import body_fields
from chronotope.errors import InputError

if TYPE_CHECKING:
    from chronotope.api.vocabulary import Scores

JUDGING = "Open answers"  # the heading of the flags


class Judging(BaseModel):
    """The judge of open answers; each field is a flag."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    judge: str | None = Field(
        None,
        description="a model, such as openai/NAME, that judges open answers if the rules cannot; can be added to a "
        "finished run",
    )
    judge_base_url: str | None = Field(None, description="base URL of the judge's service, without /chat/completions")
    judge_key_variable: str | None = Field(
        None,
        description="the environment variable with the API key for the judge (default: the provider's variable; "
        "CHRONOTOPE_API_KEY for endpoint/, unless the evaluated model at another URL uses this variable)",
    )
    judge_header: list[str] = Field(
        default_factory=list, description="'Name: value', a header of each request to the judge; can be repeated"
    )
    judge_set: list[str] = Field(
        default_factory=list,
        description="key=value: a field of the judge's request body, such as temperature=null; can be repeated",
    )
    judge_price: str | None = Field(
        None,
        description="IN,OUT: the judge's price per million input and output tokens; its cost counts towards the "
        "--max-cost of a run",
    )


def take_judging(
    fields: dict[str, Any], calls: Calls | None = None, beside: Sequence[ModelSpec] = (), *, to_ask: bool = True
) -> TakenJudge | None:
    """Remove the flags of `Judging` from ``fields``; return the judge.

    Returns None if no flag names a judge. ``calls`` are the settings of the run's calls, and ``beside`` the models that
    the same command asks (see `take_judge`).

    Raises:
        InputError: If a flag of the judge is given without ``--judge``, or the judge cannot be used.
    """
    given = {name: value for name in Judging.model_fields if (value := fields.pop(name, None)) not in (None, [])}
    judging = Judging(**given)
    if judging.judge is None:
        for name in given:
            raise InputError(f"--{name.replace('_', '-')}: is a setting of a judge: add --judge, or omit this flag")
        return None
    own = Credentials(judging.judge_key_variable, tuple(judging.judge_header))
    spec = ModelSpec(
        judging.judge, judging.judge_base_url, settings=body_fields(judging.judge_set, "--judge-set"),
        credentials=None if own == Credentials() else own,
    )  # fmt: skip
    price = price_of(judging.judge_price, "--judge-price")
    return take_judge(spec, calls or JobCalls(), price, beside, to_ask=to_ask, flag="--judge-key-variable")


def judge_answers(folder: Path, judge: TakenJudge | None) -> dict[str, Any] | None:
    """Judge the open answers of a run.

    Returns the name of the judge and the numbers of cases, for JSON. Returns None if no judge is given.

    Raises:
        KeyboardInterrupt: If the judging was interrupted.
    """
    if judge is None:
        return None
    with progress_bar(f"judging by {judge.spec.name}") as advance:
        outcome = judge.ask(folder, advance, warn)
    for problem in outcome.problems:
        note(problem, "yellow")
    if outcome.interrupted:
        raise KeyboardInterrupt
    return {"model": outcome.judge, **{name: getattr(outcome, name) for name in ("asked", "already", "without")}}


def judging_json(scores: "Scores", judged: dict[str, Any] | None) -> dict[str, Any]:
    """Return the numbers of open answers, as plain values.

    The result also contains the judge's calls in this command.
    """
    return {"open_answers": asdict(scores.open_answers), "judge": judged}


def tell_judging(result: dict[str, Any]) -> None:
    """Print the numbers of open answers in one line."""
    answers, judged = result["open_answers"], result["judge"]
    if not any(answers.values()):
        return
    counts = f"{answers['settled']} settled by rules, {answers['judged']} judged, {answers['unjudged']} unjudged"
    asked = "" if judged is None else f" ({judged['model']}: {judged['asked']} asked now, {judged['already']} before)"
    note(f"{result['model']}: open answers: {counts}{asked}", "dim")
