"""Words of a command line, parsed by the real commands without running them."""

from collections.abc import Iterator, Sequence
from typing import Any

import typer.main

from chronotope.cli.app import app

# Typer brings its own Click in newer versions; its public face is this one's base.
UsageError = typer.BadParameter.__base__
assert UsageError is not None and UsageError.__name__ == "UsageError"


def every_command(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command and group below this one."""
    yield path
    if hasattr(command, "list_commands"):
        context = command.make_context("chronotope", [], resilient_parsing=True)
        for name in command.list_commands(context):
            yield from every_command(command.get_command(context, name), (*path, name))


def check_words(words: Sequence[str]) -> None:
    """Raise UsageError where the words after ``chronotope`` are no command with flags and values that it takes."""
    command: Any = typer.main.get_command(app)
    context = command.make_context("chronotope", list(words))
    while hasattr(command, "commands"):
        name, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        context = command.make_context(name, rest, parent=context)
