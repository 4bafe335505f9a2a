"""The command ``chronotope generate``."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import BaseModel, Field

import chronotope.api as ct
from chronotope.api.vocabulary import GenerationSettings, Price, amount
from chronotope.cli.console import PROBLEM, command, emit_json, note, out, progress_bar, table, warn
from chronotope.cli.flags import validated, with_flags
from chronotope.cli.judging import Judging, judge_options
from chronotope.cli.paths import existing
from chronotope.errors import InputError

if TYPE_CHECKING:
    from chronotope.api.vocabulary import GenerationForeseen, GenerationOutcome

_HOW, _JUDGE, _UNCLEAR = "How to order", "The model that looks", "Jobs whose fate is unclear"


class _Judge(Judging):
    """The model that counts what clips show; each field is a flag."""

    judge: str | None = Field(None, description="a model that counts what clips show, if all other checks passed")
    judge_price: Price = Field(None, description="IN,OUT: the judge's price per million input and output tokens")


class _Unclear(BaseModel):
    """Decisions about jobs whose fate is unclear; each field is a flag."""

    resubmit: list[str] = Field(
        default_factory=list, description="the token of a job that the service does not have, to send it again"
    )
    adopt: list[str] = Field(default_factory=list, description="TOKEN=ID: the id of a job that the service has")


def _generate(
    source: Annotated[
        Path, typer.Argument(help="a folder of chronotope draft, or a benchmark of drawn stages; it is not changed")
    ],
    service: Annotated[
        str,
        typer.Option(help="service/model that makes clips, such as google/NAME, or a description FILE.yaml:MODEL"),
    ],
    out_folder: Annotated[Path, typer.Option("--out", help="the folder of the clips, their checks and all jobs")],
    image_service: Annotated[
        str | None, typer.Option(help="service/model that makes the first frames, if clips begin with a picture")
    ] = None,
    task: Annotated[
        list[str] | None, typer.Option(help="only scenes of this task, by its short code such as MC; repeatable")
    ] = None,
    key_variable: Annotated[
        str | None,
        typer.Option(help="the environment variable with the API key (default: that of the service's description)"),
    ] = None,
    image_key_variable: Annotated[
        str | None, typer.Option(help="the environment variable with the API key of the image service")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only show the planned jobs and their cost")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
    **fields: Any,
) -> None:
    """Order clips of drafted scenes from a generation service: several candidates for each scene, each checked.

    Only scenes with validated prompts are ordered. Checks use the pixels of a clip; with --judge, a model counts what
    it shows. The page index.html shows all candidates: choose there, save picked.yaml, and give the folder to
    chronotope build vgenst. The same command continues; what was paid for is never ordered again.

    Example: chronotope generate drafts --service atlascloud/bytedance/seedance-2.0/text-to-video --out clips --dry-run

    Example: chronotope generate scripted --service my-service.yaml --control depth --out restyled --max-cost 20
    """
    judge = judge_options({name: fields.pop(name, None) for name in _Judge.model_fields}, "chronotope generate",
                          flags=_Judge)  # fmt: skip
    unclear = validated(
        _Unclear, {name: fields.pop(name, None) for name in _Unclear.model_fields}, "chronotope generate"
    )
    how: GenerationSettings = validated(GenerationSettings, fields, "chronotope generate")
    given: dict[str, Any] = {
        "image_service": image_service, "tasks": task or (), "key_variable": key_variable,
        "image_key_variable": image_key_variable, **judge, **dict(how),
    }  # fmt: skip
    if dry_run:
        _tell_foreseen(ct.dry_run(ct.generate, existing(source), out_folder, service, **given), as_json=as_json)
        return
    with progress_bar(f"generating by {service}") as advance:
        outcome = ct.generate(
            existing(source), out_folder, service, resubmit=unclear.resubmit, adopt=_adopted(unclear.adopt),
            progress=advance, say=warn, **given,
        )  # fmt: skip
    _tell(outcome, out_folder, as_json=as_json)
    if outcome.stopped is not None or any(one.state in ("ambiguous", "accepted") for one in outcome.candidates):
        raise typer.Exit(PROBLEM)


def _adopted(pairs: list[str]) -> dict[str, str]:
    """Return the ids of jobs by their tokens.

    Raises:
        InputError: If a pair has no token or no id.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        token, _, job = pair.partition("=")
        found[token] = job
    for token, job in found.items():
        if not token or not job:
            raise InputError(f"--adopt: expected TOKEN=ID, found {token!r}")
    return found


def _tell_foreseen(foreseen: "GenerationForeseen", *, as_json: bool) -> None:
    for words in foreseen.left_out:
        note(f"left out {words}", "yellow")
    if as_json:
        emit_json(asdict(foreseen))
        return
    row = [
        f"{foreseen.scenes:,}", f"{foreseen.pictures:,}", f"{foreseen.clips:,}", amount(foreseen.money),
        amount(foreseen.spent),
    ]  # fmt: skip
    table("Planned jobs", ["scenes", "pictures", "clips", "money (at most)", "spent"], [row])


def _tell(outcome: "GenerationOutcome", folder: Path, *, as_json: bool) -> None:
    """Print the candidates of each scene; remarks go to standard error."""
    for words in outcome.left_out:
        note(f"left out {words}", "yellow")
    for one in outcome.candidates:
        if one.state != "made":
            note(f"{one.name}: {one.told or one.state}", "yellow")
    if outcome.stopped is not None:
        note(outcome.stopped, "yellow")
    proposed = outcome.proposed
    if as_json:
        emit_json(
            {
                "folder": str(folder), "page": str(outcome.page), "spent": outcome.spent, "stopped": outcome.stopped,
                "left_out": list(outcome.left_out), "proposed": proposed,
                "candidates": [one.model_dump(mode="json") | {"faults": one.faults} for one in outcome.candidates],
            }
        )  # fmt: skip
        return
    rows = [
        [one.name, one.state, "; ".join(one.faults) or "none", "yes" if proposed.get(one.scene) == one.name else ""]
        for one in outcome.candidates
    ]
    table("Candidates", ["clip", "state", "faults", "proposed"], rows, words=(0, 2))
    out.print(f"money so far {amount(outcome.spent)}", markup=False)
    if outcome.stopped is None:
        out.print(f"look at {outcome.page} and save picked.yaml there", markup=False)


generate_command = command(
    with_flags(_generate, {_HOW: GenerationSettings, _JUDGE: _Judge, _UNCLEAR: _Unclear}),
    stopped="all jobs are kept, and the same command continues",
)
