"""The commands. No logic lives here: each reads its flags, calls a room, and tells what came of it."""

import gc
import signal
from types import FrameType

from chronotope.cli.console import INTERRUPTED, WRONG_USE, note
from chronotope.errors import InputError

__all__ = ["main"]


def main() -> None:
    """Entry point of the ``chronotope`` command."""
    signal.signal(signal.SIGTERM, _end)
    gc.disable()  # imports make a great many objects that stay: nothing is found among them, again and again
    try:
        # Not at the top: importing the commands finds the installed families, and what is wrong with one is told.
        from chronotope.cli.app import app
    except InputError as error:
        note(f"error: {error}", "red")
        raise SystemExit(WRONG_USE) from None
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    gc.freeze()
    gc.enable()
    app()


def _end(number: int, frame: FrameType | None) -> None:
    """Told to end, by a batch system say: what Ctrl-C does, also where a shell has made us deaf to Ctrl-C."""
    heard = signal.getsignal(signal.SIGINT)
    if not callable(heard):
        raise KeyboardInterrupt
    heard(signal.SIGINT, frame)
