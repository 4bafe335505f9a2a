"""The commands of ``chronotope``.

The commands contain no logic: each command reads its flags, calls another package, and prints the result. This package
imports nothing that takes long to load, so that Ctrl-C is handled from the start.
"""

from __future__ import annotations

import os
import signal

from chronotope.interrupts import INTERRUPTED, hear, leave

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

__all__ = ["main"]


def main() -> None:
    """Run the ``chronotope`` command."""
    hear()
    signal.signal(signal.SIGTERM, _end)
    # NumPy and SciPy each bring an OpenBLAS that starts threads, of which our thin matrices have nothing: a twentieth
    # of a second of CPU for each, in every command and in its workers. Whoever wants them sets either variable.
    if "OMP_NUM_THREADS" not in os.environ:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from chronotope.cli.app import app  # not at the top: Ctrl-C while it loads is no error
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    try:
        app()
    finally:
        leave()


def _end(number: int, frame: FrameType | None) -> None:
    """End the process as Ctrl-C does, when a batch system ends it.

    This works even if the shell has made the process ignore Ctrl-C.
    """
    heard = signal.getsignal(signal.SIGINT)
    if not callable(heard):
        raise KeyboardInterrupt
    heard(signal.SIGINT, frame)
