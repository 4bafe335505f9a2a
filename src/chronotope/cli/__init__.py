"""The commands of ``chronotope``.

The commands contain no logic: each command reads its flags, calls another package, and prints the result. This package
imports nothing that takes long to load, so that Ctrl-C is handled from the start.
"""

from __future__ import annotations

import gc
import io
import os
import sys

from chronotope.interrupts import INTERRUPTED, hear, leave

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from types import FrameType
else:
    import _signal as signal  # `signal` itself loads `enum`, and Ctrl-C is not handled during this time

__all__ = ["main"]


def main() -> None:
    """Run the ``chronotope`` command."""
    hear()
    signal.signal(signal.SIGTERM, _end)
    if isinstance(sys.stdout, io.TextIOWrapper):  # LC_ALL=C cannot encode the signs of tables
        sys.stdout.reconfigure(errors="backslashreplace")
    # NumPy and SciPy each have an OpenBLAS, which starts threads. These threads cost 0.05 s of CPU time in every
    # command and worker, and our matrices are too small to benefit from them. Users can set either variable to get
    # threads.
    if "OMP_NUM_THREADS" not in os.environ:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Arrow's own pool would fill pages of 2 MB with zeros for tables that need some kB.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    try:
        from chronotope.cli.app import app  # imported here, so that Ctrl-C during the import prints no traceback
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    try:
        app()
    finally:
        leave()
        gc.freeze()  # otherwise, Python would search all objects for garbage while it ends


def _end(number: int, frame: FrameType | None) -> None:
    """Handle SIGTERM, the stop signal of batch systems, like Ctrl-C.

    The handler works even if the shell has made the process ignore Ctrl-C.
    """
    heard = signal.getsignal(signal.SIGINT)
    if not callable(heard):
        raise KeyboardInterrupt
    heard(signal.SIGINT, frame)
