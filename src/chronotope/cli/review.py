"""The command ``chronotope review``, with one subcommand for each step of a study."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

import chronotope.api as ct
from chronotope.cli.console import PROBLEM, command, emit_fields, emit_json, note, out
from chronotope.cli.flags import Group
from chronotope.cli.paths import existing
from chronotope.cli.review_cases import errors_command, judge_check_command
from chronotope.cli.study_figures import tell_figures

_Benchmark = Annotated[Path, typer.Argument(help="a benchmark folder, which is not changed")]
_Study = Annotated[str | None, typer.Option("--study", help="the name of a study (default: the only one)")]
_Record = Annotated[Path | None, typer.Option("--record", help="the folder of the studies (default: BENCHMARK.review)")]
_Database = Annotated[
    str | None, typer.Option("--database", help="the URL of a database of PostgreSQL (default: a file of SQLite)")
]
_Host = Annotated[str, typer.Option("--host", help="the address to listen on; others than 127.0.0.1 expose the server")]
_Port = Annotated[int, typer.Option("--port", min=1, max=65535, help="the port of the pages")]
_PublicUrl = Annotated[
    str | None, typer.Option("--public-url", help="the address for others, such as https://review.example.org")
]
_Days = Annotated[int, typer.Option("--days", min=1, help="for how many days an invitation is valid")]
_Partial = Annotated[bool, typer.Option("--partial", help="export before all verdicts are there")]
_Json = Annotated[bool, typer.Option("--json", help="print the result as JSON")]

_TEMPLATES = "quality-control, human-baseline, filter-rounds, ranking, calibration"

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    help="Let people review a benchmark, settle what they do not agree about, and use the result.\n\n"
    "Example: chronotope review assign bench --study quality-control",
)


def _assign(
    benchmark: _Benchmark,
    study: Annotated[str, typer.Option("--study", help=f"a YAML file, or a template: {_TEMPLATES}")],
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="the most questions of a review, drawn evenly over tasks")
    ] = None,
    record: _Record = None,
    database: _Database = None,
    host: _Host = "127.0.0.1",
    port: _Port = 8765,
    public_url: _PublicUrl = None,
    days: _Days = 30,
    as_json: _Json = False,
) -> None:
    """Begin a study: give its items to people, and print their invitations. A study that has begun stays as it is.

    Example: chronotope review assign bench --study quality-control

    Example: chronotope review assign bench --study quality-control --limit 100

    Example: chronotope review assign bench --study study.yaml --public-url https://review.example.org --days 14
    """
    made = ct.assign_study(
        existing(benchmark), study, limit=limit, record=record, database=database, host=host, port=port,
        public_url=public_url, days=days,
    )  # fmt: skip
    if as_json:
        emit_json(asdict(made))
        return
    begun = "begins" if made.new else "has begun before"
    note(f"{made.study} {begun}: {made.items} items, {made.assignments} assignments, {made.people} reviewers", "dim")
    few, most = made.each
    note(f"each reviewer gets {most if few == most else f'{few} to {most}'} items", "dim")
    for name, link in made.invitations.items():
        emit_fields(name, link)


def _serve(
    benchmark: _Benchmark,
    record: _Record = None,
    database: _Database = None,
    host: _Host = "127.0.0.1",
    port: _Port = 8765,
    public_url: _PublicUrl = None,
    days: _Days = 30,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="open the owner's page")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="print the address of the owner's page as JSON")] = False,
) -> None:
    """Serve the pages of all studies about a benchmark. Only this machine can reach them, unless --host says otherwise.

    Example: chronotope review serve bench

    Example: chronotope review serve bench --no-browser --public-url https://review.example.org
    """
    ct.serve_review(
        existing(benchmark), record=record, database=database, host=host, port=port, public_url=public_url, days=days,
        browser=browser, say=note, ready=(lambda owner: emit_json({"owner": owner})) if as_json else None,
    )  # fmt: skip


def _resolve(
    benchmark: _Benchmark,
    study: _Study = None,
    record: _Record = None,
    database: _Database = None,
    as_json: _Json = False,
) -> None:
    """Write the decisions of people beside those of models' passes (BENCHMARK.filters), and count what remains.

    Example: chronotope review resolve bench
    """
    found = ct.resolve_study(existing(benchmark), study, record=record, database=database)
    counts = {
        "questions": len(found.view.questions), "dropped": len(found.view.dropped), "splits": found.splits,
        "waiting": found.waiting, "decisions": str(found.folder),
    }  # fmt: skip
    if as_json:
        emit_json(counts)
    else:
        note(f"{counts['questions']} questions remain, {counts['dropped']} base questions are dropped", "dim")
        if found.outside:
            note(f"{found.outside} base questions are not in the study, and stay", "dim")
        out.print(str(found.folder), markup=False)
    if found.splits or found.waiting:
        note(f"{found.splits} splits and {found.waiting} items without all verdicts are left", "yellow")
        raise typer.Exit(PROBLEM)


def _report(
    benchmark: _Benchmark,
    study: _Study = None,
    out_file: Annotated[Path | None, typer.Option("--out", help="write the figures to this file, as a page")] = None,
    record: _Record = None,
    database: _Database = None,
    as_json: _Json = False,
) -> None:
    """Show the figures of a study with intervals.

    Of quality control: retention, raw agreement, Cohen's and Fleiss' kappa, and the work of each reviewer. Of the other
    kinds: mean ranks and shares judged fake, rejections by round, right verdicts in practice, or labels and agreement.

    Example: chronotope review report bench --out agreement.html
    """
    found = ct.study_report(existing(benchmark), study, record=record, database=database, out=out_file)
    if as_json:
        emit_json([one.plain() for one in found])
        return
    for one in found:
        tell_figures(one)
    if out_file is not None:
        out.print(str(out_file), markup=False)


def _export(
    benchmark: _Benchmark,
    out_folder: Annotated[Path, typer.Option("--out", help="the new folder: a benchmark, or a run of people")],
    study: _Study = None,
    record: _Record = None,
    database: _Database = None,
    partial: _Partial = False,
    as_json: _Json = False,
) -> None:
    """Write the benchmark without the rejected questions, as a new folder; or the answers of people, as a run.

    Example: chronotope review export bench --out bench-reviewed

    Example: chronotope review export bench --study human-baseline --out runs/people
    """
    written = ct.export_study(existing(benchmark), out_folder, study, record=record, database=database, partial=partial)
    if as_json:
        emit_json({"folder": str(written)})
        return
    if (left := written / "undecided.jsonl").is_file():
        count = len(left.read_text(encoding="utf-8").splitlines())
        note(
            f"{count} items are not decided yet: {left} lists them. Open splits are left out, all others stay", "yellow"
        )
    out.print(str(written), markup=False)


app.command("assign")(command(_assign))
app.command("serve")(command(_serve, stopped="every verdict is stored; run the same command again to serve on"))
app.command("resolve")(command(_resolve))
app.command("report")(command(_report))
app.command("export")(command(_export))
app.command("errors")(errors_command)
app.command("judge-check")(judge_check_command)
