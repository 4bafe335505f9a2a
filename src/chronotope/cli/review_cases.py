"""The commands ``chronotope review errors`` and ``chronotope review judge-check``, about the answers of a run."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import Field

import chronotope.api as ct
from chronotope.api.vocabulary import JobCalls, amount
from chronotope.cli.console import PROBLEM, command, emit_fields, emit_json, note, out, progress_bar, table, warn
from chronotope.cli.flags import validated, with_flags
from chronotope.cli.judging import Judging, judge_options
from chronotope.cli.paths import existing
from chronotope.cli.service import Service
from chronotope.cli.study_figures import tell_figures

if TYPE_CHECKING:
    from chronotope.api.failing import Labelling
    from chronotope.api.vocabulary import ErrorsForeseen, ErrorsOutcome

_HOW, _JUDGE = "How to ask", "The judge model"
_Record = Annotated[Path | None, typer.Option("--record", help="the folder of the studies (default: BENCHMARK.review)")]
_Database = Annotated[
    str | None, typer.Option("--database", help="the URL of a database of PostgreSQL (default: a file of SQLite)")
]
_PublicUrl = Annotated[
    str | None, typer.Option("--public-url", help="the address for others, such as https://review.example.org")
]
_Sample = Annotated[int, typer.Option("--sample", min=1, help="the number of cases, even over tasks and scenes")]
_Seed = Annotated[int, typer.Option("--seed", min=0, help="another seed draws another sample")]
_Run = Annotated[Path, typer.Argument(help="a run folder, which is not changed")]
_Json = Annotated[bool, typer.Option("--json", help="print the result as JSON")]


class _How(JobCalls, Service):
    """The settings of the calls; each field is a flag."""


class _Judging(Judging):
    """The judge of errors; each field is a flag."""

    judge: str | None = Field(None, description="a model, such as openai/NAME, that names the class of each error")
    judge_price: Any = Field(None, description="IN,OUT: the judge's price per million input and output tokens")


def _errors(
    run: _Run,
    study: Annotated[
        str | None, typer.Option(help="let people label the cases, too: a YAML file, or the template error-labels")
    ] = None,
    sample: _Sample = 200,
    seed: _Seed = 0,
    model: Annotated[
        str | None, typer.Option(help="the model that explains answers without reasoning (default: that of the run)")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain/--no-explain", help="have the model explain where no reasoning was kept")
    ] = True,
    out_folder: Annotated[
        Path | None, typer.Option("--out", help="the folder of all replies (default: RUN.errors)")
    ] = None,
    record: _Record = None,
    database: _Database = None,
    public_url: _PublicUrl = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only show the planned calls and their cost")] = False,
    as_json: _Json = False,
    **fields: Any,
) -> None:
    """Find out why a model failed: sample wrong answers, let the model explain and a judge or people label them.

    The sample is even over tasks and kinds of scenes. The shares of the labels are shown with 95 % intervals, for
    STI-Bench beside those of its paper. The same command continues; answered calls are never repeated.

    Example: chronotope review errors runs/people --no-explain --study error-labels

    Example: chronotope review errors runs/NAME --judge openai/NAME --judge-price 2.5,10 --max-cost 2 --dry-run
    """
    folder = existing(run)
    given = {name: fields.pop(name, None) for name in Judging.model_fields}
    how: _How = validated(_How, fields, "chronotope review errors")
    judging = judge_options(given, "chronotope review errors", flags=_Judging)
    options = {"sample": sample, "seed": seed, "labels": study or "error-labels", "out": out_folder} | judging
    options |= {"explainer": _explainer(folder, model, how) if explain else None} | dict(how.calls)
    if dry_run:
        _tell_foreseen(ct.dry_run(ct.label_errors, folder, **options), as_json=as_json)
        return
    with progress_bar("errors") as advance:
        outcome = ct.label_errors(folder, progress=advance, say=warn, **options)
    where = {"record": record, "database": database, "public_url": public_url}
    labelled = None if study is None else ct.label_study(outcome, folder, study, **where)
    _tell(outcome, labelled, as_json=as_json)
    if outcome.stopped is not None:
        raise typer.Exit(PROBLEM)


def _explainer(folder: Path, model: str | None, how: _How) -> ct.ModelSpec | None:
    """Return the model that explains, or None if the model of the run cannot."""
    from chronotope.api.failing import explains

    name = model or ct.Run(folder).results().card.model
    if model is None and not explains(name):
        note(f"{name} cannot explain its answers: name another model with --model, or read them without", "dim")
        return None
    return replace(ct.ModelSpec(name, how.base_url), credentials=how.credentials)


def _tell_foreseen(foreseen: "ErrorsForeseen", *, as_json: bool) -> None:
    if as_json:
        emit_json(asdict(foreseen))
        return
    row = [
        f"{foreseen.wrong:,}", f"{foreseen.cases:,}", f"{foreseen.kept:,}", f"{foreseen.explain_calls:,}",
        f"{foreseen.label_calls:,}", f"{foreseen.tokens:,}", amount(foreseen.money), amount(foreseen.spent),
    ]  # fmt: skip
    columns = ["wrong answers", "cases", "with reasoning", "explanations now", "labels now", "tokens (estimated)"]
    table("Planned calls", [*columns, "money (at most)", "spent"], [row])


def _tell(outcome: "ErrorsOutcome", labelled: "Labelling | None", *, as_json: bool) -> None:
    figures = outcome.figures if labelled is None else labelled.figures
    counts = {name: getattr(outcome, name) for name in ("wrong", "kept", "explained", "labelled", "asked", "money")}
    if as_json:
        told = counts | {"cases": len(outcome.cases), "folder": str(outcome.folder), "stopped": outcome.stopped}
        told |= {"without": dict(outcome.without)}
        told |= {"study": None if labelled is None else asdict(labelled.begun)}
        emit_json(told | {"figures": figures.plain()})
        return
    cost = "" if outcome.money is None else f"; money {amount(outcome.money)}"
    note(
        f"{len(outcome.cases)} of {outcome.wrong} wrong answers: {outcome.kept} with reasoning, {outcome.explained} "
        f"explained, {outcome.labelled} labelled by the judge; {outcome.asked} calls made now{cost}", "dim",
    )  # fmt: skip
    if outcome.stopped is not None:
        note(outcome.stopped, "yellow")
    if outcome.without:
        found = " and ".join(f"{count} without {name}" for name, count in outcome.without.items())
        note(f"{found}: the replies were refused or had no valid form (see {outcome.folder}/ledger.jsonl)", "yellow")
    tell_figures(figures)
    if labelled is None:
        out.print(str(outcome.folder), markup=False)
    else:
        _tell_invitations(labelled)


def _tell_invitations(labelled: "Labelling") -> None:
    begun = labelled.begun
    note(f"{begun.study}: {begun.items} cases, {begun.assignments} assignments; next: chronotope review serve")
    for name, link in begun.invitations.items():
        emit_fields(name, link)


def _judge_check(
    run: _Run,
    study: Annotated[str, typer.Option(help="a YAML file, or the template judge-check")] = "judge-check",
    sample: _Sample = 200,
    seed: _Seed = 0,
    record: _Record = None,
    database: _Database = None,
    public_url: _PublicUrl = None,
    as_json: _Json = False,
) -> None:
    """Measure the agreement of a run's judge model with people, on pairs of an open question and a reply.

    The first time, the command begins a study: people judge the pairs without seeing the judge's verdicts. Each time,
    it shows the agreement so far and Cohen's kappa, with 95 % intervals.

    Example: chronotope review judge-check runs/NAME --sample 200
    """
    where = {"record": record, "database": database, "public_url": public_url}
    found = ct.check_judge(existing(run), study, sample=sample, seed=seed, **where)
    if as_json:
        emit_json({"study": asdict(found.begun), "figures": found.figures.plain()})
        return
    tell_figures(found.figures)
    _tell_invitations(found)


errors_command = command(
    with_flags(_errors, {_HOW: _How, _JUDGE: _Judging}), stopped="all replies are kept; the same command continues"
)
judge_check_command = command(_judge_check)
