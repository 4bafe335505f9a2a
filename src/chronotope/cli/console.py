"""The output of the commands.

Results go to standard output. Progress, remarks and errors go to standard error. An error is one sentence.
"""

import functools
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from chronotope.cli.plain import PlainConsole, visible_json
from chronotope.cli.terminal_tables import fitted
from chronotope.errors import InputError, visible
from chronotope.interrupts import INTERRUPTED, at_work
from chronotope.io import plain_refusal, remedy

PROBLEM, WRONG_USE = 1, 2
# Times in s, for lines about progress: the pause before the first line, the shortest and the longest pause after it.
# Between these two limits, the pause is the duration of the work so far, divided by CALM.
FIRST, PAUSE, LONGEST, CALM = 2.0, 5.0, 60.0, 60.0

out = PlainConsole()
_notes = PlainConsole(stderr=True)


def note(text: str, style: str | None = None) -> None:
    """Print a remark for the user on standard error."""
    _notes.print(text, style=style)


def warn(text: str) -> None:
    """Print a warning on standard error."""
    note(text, "yellow")


def emit_json(value: Any) -> None:
    """Print a result as JSON."""
    typer.echo(visible_json(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)))


def emit_fields(*fields: str) -> None:
    """Print fields as one line, with tabs between them; Rich would print spaces."""
    typer.echo("\t".join(map(visible, fields)))


def table(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    words: Collection[int] = (0,),
    names: int = 1,
    lines: bool = True,
    bold: Collection[int] = (),
) -> None:
    """Print a table that `fitted` lays out.

    In a pipe or a file, the output is one table. In a narrow terminal, the table is split into several tables.
    """
    title, columns = visible(title), [visible(column) for column in columns]
    rows = [[visible(cell) for cell in row] for row in rows]
    room = out.width if out.file.isatty() else None
    for part in fitted(title, columns, rows, words=words, names=names, room=room, lines=lines, bold=bold):
        out.print(part)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[..., None]]:
    """Yield a function that moves a progress bar.

    The function is ``advance(done, total, label="")``. ``done`` may include the finished share of work in progress.
    Without a terminal, progress is printed as plain lines at intervals.
    """
    if not _notes.is_interactive:
        with _progress_lines(what) as lines:
            yield lines
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[label]}", markup=False),
    )
    with Progress(*columns, console=_notes, transient=True) as bar:
        task = bar.add_task(what, total=None, label="")

        def advance(done: float, total: int, label: str = "") -> None:
            bar.update(task, completed=done, total=total, label=visible(label))

        yield advance


@contextmanager
def _progress_lines(what: str) -> Iterator[Callable[..., None]]:
    """Yield a function like that of `progress_bar`, which prints lines.

    Nothing is printed for short work, and only few lines are printed for long work.
    """
    latest, ended = [f"{what}: getting ready"], Event()

    def advance(done: float, total: int, label: str = "") -> None:
        latest[0] = f"{what}: {int(done)} of {total}{label and f', {label}'}"

    speaker = Thread(target=_speak, args=(latest, ended), daemon=True)
    speaker.start()
    try:
        yield advance
    finally:
        ended.set()
        speaker.join()


def _speak(latest: list[str], ended: Event) -> None:
    """Print the latest progress at intervals until the work ends.

    A line is printed at each interval, even without progress since the last line.
    """
    start, pause = monotonic(), FIRST
    while not ended.wait(pause):
        note(latest[0])
        pause = min(max(PAUSE, (monotonic() - start) / CALM), LONGEST)


def command(function: Callable[..., Any], stopped: str = "run the same command again") -> Callable[..., Any]:
    """Turn an InputError or a file system error into exit code 2.

    The error message is printed on standard error. After an interruption, the sentence ``stopped`` is printed. The
    sentence ``stopped`` explains how to continue, and must be true at any time during the command.
    """

    @functools.wraps(function)
    def told(*args: Any, **kwargs: Any) -> Any:
        try:
            at_work()
            _refuse_broken_names(kwargs.values())
            return function(*args, **kwargs)
        except InputError as error:
            note(f"error: {error}", "red")
            raise typer.Exit(WRONG_USE) from None
        except BrokenPipeError:
            raise  # the program that reads our output has ended; Typer ends the command without an error
        except OSError as error:
            plain = plain_refusal(error)
            note(f"error: {plain.filename or 'the file system'}: {plain.strerror or plain}: {remedy(plain)}", "red")
            raise typer.Exit(WRONG_USE) from None
        except KeyboardInterrupt:
            note(f"stopped: {stopped}", "yellow")
            raise typer.Exit(INTERRUPTED) from None

    return told


def _refuse_broken_names(values: Iterable[Any]) -> None:
    """Refuse a path that is not valid text.

    Tables, JSON and PyArrow cannot store such a path.

    Raises:
        InputError: If a path is not valid UTF-8.
    """
    for value in values:
        for one in value if isinstance(value, list | tuple) else [value]:
            if isinstance(one, str | Path) and not _is_text(str(one)):
                raise InputError(f"{str(one)!a}: this name is not valid UTF-8: rename the file or folder")


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
