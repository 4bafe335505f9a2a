"""The commands. No logic lives here: each reads its flags, calls a room, and tells what came of it."""

import os
import signal
from types import FrameType

from chronotope.cli.console import INTERRUPTED

__all__ = ["main"]


def main() -> None:
    """Entry point of the ``chronotope`` command."""
    signal.signal(signal.SIGTERM, _end)
    # NumPy and SciPy each bring an OpenBLAS that starts threads, of which our thin matrices have nothing: a twentieth
    # of a second of CPU for each, in every command and in its workers. Whoever wants them sets either variable.
    if "OMP_NUM_THREADS" not in os.environ:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from chronotope.cli.app import app  # not at the top: Ctrl-C while it loads is no error
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    app()


def _end(number: int, frame: FrameType | None) -> None:
    """Told to end, by a batch system say: what Ctrl-C does, also where a shell has made us deaf to Ctrl-C."""
    heard = signal.getsignal(signal.SIGINT)
    if not callable(heard):
        raise KeyboardInterrupt
    heard(signal.SIGINT, frame)
