"""The flags of the judge: a model that judges open answers.

A judge decides about answers that the rules cannot judge. The judge is asked after the run has its answers.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

import chronotope.api as ct
from chronotope.api.vocabulary import Credentials, Price
from chronotope.cli.console import note
from chronotope.cli.flags import body_fields, flag_of, validated
from chronotope.errors import InputError

if TYPE_CHECKING:
    from chronotope.api.opened_run import Run

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
    judge_price: Price = Field(
        None,
        description="IN,OUT: the judge's price per million input and output tokens; its cost counts towards the "
        "--max-cost of a run",
    )


def judge_options(
    fields: dict[str, Any], owner: str, beside: Sequence[ct.ModelSpec] = (), flags: type[Judging] = Judging
) -> dict[str, Any]:
    """Remove the flags of the judge from ``fields``; return them as parameters of `chronotope.run` and `score`.

    ``owner`` is the command, and ``beside`` are the models that it asks, too. The result is empty if no flag names a
    judge.

    Raises:
        InputError: If a flag of the judge is given without ``--judge``, or its value is invalid.
    """
    given = {name: value for name in flags.model_fields if (value := fields.pop(name, None)) not in (None, [])}
    judging: Judging = validated(flags, given, owner)
    if judging.judge is None:
        for name in given:
            raise InputError(f"{flag_of(name)}: is a setting of a judge: add --judge, or omit this flag")
        return {}
    from chronotope.api.judging import with_credentials  # loads much that --help does not need

    own = Credentials(judging.judge_key_variable, tuple(judging.judge_header))
    spec = ct.ModelSpec(
        judging.judge, judging.judge_base_url, settings=body_fields(judging.judge_set, "--judge-set"),
        credentials=None if own == Credentials() else own,
    )  # fmt: skip
    options = {"judge": with_credentials(spec, beside, "--judge-key-variable")}
    return options | {name: getattr(judging, name) for name in given if name in ("judge_price", "max_cost")}


def judging_json(run: "Run") -> dict[str, Any]:
    """Return the numbers of open answers, and of the judge's calls in this command, as plain values."""
    counts = ("asked", "already", "without")
    judged = {"model": run.judged.judge} | {name: getattr(run.judged, name) for name in counts} if run.judged else None
    return {"open_answers": asdict(run.computed().open_answers), "judge": judged}


def tell_judging(result: dict[str, Any]) -> None:
    """Print the numbers of open answers in one line."""
    answers, judged = result["open_answers"], result["judge"]
    if not any(answers.values()):
        return
    counts = f"{answers['settled']} settled by rules, {answers['judged']} judged, {answers['unjudged']} unjudged"
    asked = "" if judged is None else f" ({judged['model']}: {judged['asked']} asked now, {judged['already']} before)"
    note(f"{result['model']}: open answers: {counts}{asked}", "dim")
