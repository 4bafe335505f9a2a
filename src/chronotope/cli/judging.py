"""``--judge``: open answers that no rule settles are judged by a model once a run has its answers."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from chronotope.cli.console import note, progress_bar
from chronotope.errors import InputError
from chronotope.evaluate import JUDGED_AT_ONCE, Scores, judge_run
from chronotope.models import require_structured

__all__ = ["JUDGING", "Judging", "judge_answers", "judging_json", "take_judging", "tell_judging"]

JUDGING = "Open answers"  # the heading of the flags


class Judging(BaseModel):
    """Who judges open answers: its fields are flags."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    judge: str | None = Field(
        None,
        description="a model, such as openai/NAME, that judges the open answers that no rule settles; given later, it "
        "judges what is there",
    )
    judge_base_url: str | None = Field(None, description="the URL of the judge's service before /chat/completions")


def take_judging(fields: dict[str, Any], *, to_ask: bool = True) -> Judging:
    """Take the flags of `Judging` out of ``fields``; InputError where that judge could not be asked."""
    given = {name: fields.pop(name) for name in Judging.model_fields if name in fields}
    judging = Judging(**given)
    if judging.judge is not None:
        require_structured(judging.judge, judging.judge_base_url, to_ask=to_ask)
    elif judging.judge_base_url is not None:
        raise InputError("--judge-base-url: belongs to a judge: name one with --judge, or leave it out")
    return judging


def judge_answers(folder: Path, judging: Judging, concurrency: int = JUDGED_AT_ONCE) -> dict[str, Any] | None:
    """Judge the open answers of a run; how many cases were asked about, for JSON. None where there is no judge.

    An interruption goes on from here to the command.
    """
    if judging.judge is None:
        return None
    with progress_bar(f"judging by {judging.judge}") as advance:
        outcome = judge_run(folder, judging.judge, judging.judge_base_url, advance, min(concurrency, JUDGED_AT_ONCE))
    for problem in outcome.problems:
        note(problem, "yellow")
    if outcome.interrupted:
        raise KeyboardInterrupt
    return {"model": outcome.judge, **{name: getattr(outcome, name) for name in ("asked", "already", "without")}}


def judging_json(scores: Scores, judged: dict[str, Any] | None) -> dict[str, Any]:
    """The open answers of a run by who said whether they are right, and what its judge was asked now."""
    return {"open_answers": asdict(scores.open_answers), "judge": judged}


def tell_judging(result: dict[str, Any]) -> None:
    """The same in a line; nothing where no open answer was read."""
    answers, judged = result["open_answers"], result["judge"]
    if not any(answers.values()):
        return
    counts = f"{answers['settled']} settled by rules, {answers['judged']} judged, {answers['unjudged']} unjudged"
    asked = "" if judged is None else f" ({judged['model']}: {judged['asked']} asked now, {judged['already']} before)"
    note(f"{result['model']}: open answers: {counts}{asked}", "dim")
