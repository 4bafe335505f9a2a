"""The application that contains all commands."""

import gc
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from rich.text import Text

from chronotope import __version__
from chronotope.cli.console import WRONG_USE, note
from chronotope.cli.flags import Group
from chronotope.errors import InputError
from chronotope.interrupts import INTERRUPTED

# The commands in the order of their use, each with its place: a module of `chronotope.cli`, and a name in this module.
_COMMANDS = {
    "demo": "demo.demo_command",
    "show": "show.show_command",
    "clean": "clean.clean_command",
    "forge": "forge.forge_command",
    "build": "build.app",
    "import": "import_.import_command",
    "export": "export.export_command",
    "vary": "vary.vary_command",
    "publish": "publish.publish_command",
    "describe": "describe.describe_command",
    "draft": "draft.draft_command",
    "generate": "generate.generate_command",
    "filter": "filter.filter_command",
    "review": "review.app",
    "audit": "audit.audit_command",
    "check": "check.check_command",
    "plan": "capacity.app",
    "run": "run.run_command",
    "merge": "merge.merge_command",
    "play": "play.play_command",
    "score": "score.score_command",
    "probe": "probe.probe_command",
    "compare": "compare.compare_command",
    "report": "report.report_command",
}


class _Commands(Group):
    """The group of all commands, which imports a command only when it is used."""

    def list_commands(self, ctx: Any) -> list[str]:
        """List the commands in the order of their use."""
        return list(_COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command by its name."""
        if cmd_name in _COMMANDS and cmd_name not in self.commands:
            self.commands[cmd_name] = _load(cmd_name)
        return self.commands.get(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, after all commands have been imported.

        An error in a command is therefore printed before the help.
        """
        for name in _COMMANDS:
            self.get_command(ctx, name)
        super().format_help(ctx, formatter)


@cache
def _load(name: str) -> Any:
    """Import a command by its name, once.

    If the command or a family cannot be imported, one sentence is printed as an error.
    """
    module, _, made = _COMMANDS[name].partition(".")
    gc.disable()  # imported objects are never freed, so collecting garbage would waste time
    try:
        found = getattr(import_module(f"chronotope.cli.{module}"), made)
    except InputError as error:
        note(f"error: {error}", "red")
        raise SystemExit(WRONG_USE) from None
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    finally:
        gc.freeze()
        gc.enable()
    if not isinstance(found, typer.Typer):
        one = typer.Typer(add_completion=False, rich_markup_mode="rich")
        one.command(name, cls=getattr(found, "command_class", None))(found)
        found = one
    command = typer.main.get_command(found)
    command.name = name
    return command


# In help texts, Rich would replace the middle of "world:house:4" by a picture, and Typer has no setting for it.
Text.from_markup.__func__.__kwdefaults__["emoji"] = False  # type: ignore[attr-defined]

app = typer.Typer(
    name="chronotope",
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode="rich",
    help="Benchmarks of how vision-language models understand space and time in video.\n\nExample: chronotope demo",
)


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
