"""The commands. No logic lives here: each reads its flags, calls a room, and tells what came of it."""

import gc

from chronotope.cli.console import WRONG_USE, note
from chronotope.errors import InputError

__all__ = ["main"]


def main() -> None:
    """Entry point of the ``chronotope`` command."""
    gc.disable()  # imports make a great many objects that stay: nothing is found among them, again and again
    try:
        # Not at the top: importing the commands finds the installed families, and what is wrong with one is told.
        from chronotope.cli.app import app
    except InputError as error:
        note(f"error: {error}", "red")
        raise SystemExit(WRONG_USE) from None
    gc.freeze()
    gc.enable()
    app()
