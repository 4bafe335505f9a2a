"""The commands together."""

from typing import Annotated

import typer

from chronotope import __version__
from chronotope.cli import build
from chronotope.cli.check import check_command
from chronotope.cli.clean import clean_command
from chronotope.cli.demo import demo_command
from chronotope.cli.flags import Group
from chronotope.cli.import_ import import_command
from chronotope.cli.report import report_command
from chronotope.cli.run import run_command
from chronotope.cli.score import score_command
from chronotope.cli.show import show_command
from chronotope.cli.vary import vary_command

__all__ = ["app"]

app = typer.Typer(
    name="chronotope",
    cls=Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode="rich",
    help="Benchmarks of how vision-language models understand space and time in video.\n\nExample: chronotope demo",
)
app.command("demo")(demo_command)
app.command("show")(show_command)
app.command("clean")(clean_command)
app.add_typer(build.app, name="build")
app.command("import")(import_command)
app.command("vary")(vary_command)
app.command("check")(check_command)
app.command("run")(run_command)
app.command("score")(score_command)
app.command("report")(report_command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"chronotope {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass
