"""How commands speak: progress and remarks on standard error, results on standard output, one sentence for an error."""

import functools
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from chronotope.errors import InputError
from chronotope.files import plain_refusal, remedy

__all__ = ["INTERRUPTED", "PROBLEM", "WRONG_USE", "command", "emit_json", "note", "out", "progress_bar", "table"]

PROBLEM, WRONG_USE, INTERRUPTED = 1, 2, 130
PAUSE = 30.0  # s at least between lines about progress, where there is no terminal to draw a bar on

out = Console(highlight=False, soft_wrap=True)
_notes = Console(stderr=True, highlight=False, soft_wrap=True)


def note(text: str, style: str | None = None) -> None:
    """A remark for the person at the terminal."""
    _notes.print(text, style=style, markup=False)


def emit_json(value: Any) -> None:
    """A result for programs."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def table(title: str, columns: list[str], rows: list[list[str]], *, words: tuple[int, ...] = (0,)) -> None:
    """A table on standard output: the columns of ``words`` to the left, figures to the right."""
    drawn = Table(title=escape(title), title_justify="left", title_style="bold")
    for index, column in enumerate(columns):
        drawn.add_column(column, justify="left" if index in words else "right")
    for row in rows:
        drawn.add_row(*map(escape, row))
    out.print(drawn)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[..., None]]:
    """A bar that is driven by ``advance(done, total, label="")``; without a terminal a plain line now and then."""
    if not _notes.is_interactive:
        yield _progress_lines(what)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[label]}"),
    )
    with Progress(*columns, console=_notes, transient=True) as bar:
        task = bar.add_task(what, total=None, label="")

        def advance(done: int, total: int, label: str = "") -> None:
            bar.update(task, completed=done, total=total, label=label)

        yield advance


def _progress_lines(what: str) -> Callable[..., None]:
    """The same for log files: quick work says nothing, and long work does not fill them."""
    last = monotonic()

    def advance(done: int, total: int, label: str = "") -> None:
        nonlocal last
        if monotonic() - last >= PAUSE:
            last = monotonic()
            note(f"{what}: {done} of {total}{label and f', {label}'}")

    return advance


def command(function: Callable[..., Any], stopped: str = "run the same command again") -> Callable[..., Any]:
    """Turn an InputError, or what the file system refuses, into a sentence and exit code 2.

    An interruption becomes a word on how to go on, ``stopped``: true whenever it comes.
    """

    @functools.wraps(function)
    def told(*args: Any, **kwargs: Any) -> Any:
        try:
            _refuse_broken_names(kwargs.values())
            return function(*args, **kwargs)
        except InputError as error:
            note(f"error: {error}", "red")
            raise typer.Exit(WRONG_USE) from None
        except BrokenPipeError:
            raise  # whoever read our output has seen enough: Typer ends quietly
        except OSError as error:
            plain = plain_refusal(error)
            note(f"error: {plain.filename or 'the file system'}: {plain.strerror or plain}: {remedy(plain)}", "red")
            raise typer.Exit(WRONG_USE) from None
        except KeyboardInterrupt:
            note(f"stopped: {stopped}", "yellow")
            raise typer.Exit(INTERRUPTED) from None

    return told


def _refuse_broken_names(values: Iterable[Any]) -> None:
    """InputError for a path that is no text: tables, JSON and PyArrow could not name it."""
    for value in values:
        for one in value if isinstance(value, list | tuple) else [value]:
            if isinstance(one, str | Path) and not _is_text(str(one)):
                raise InputError(f"{str(one)!a}: this name is not text in UTF-8: rename the file or folder")


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
