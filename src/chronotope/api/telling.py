"""Progress and warnings as lines of text, for scripts and notebooks."""

import os
import sys
import warnings
from pathlib import Path
from time import monotonic

from chronotope.io import visible

__all__ = ["Lines", "warn"]

_PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"

PAUSE = 2.0  # seconds between two lines


class Lines:
    """Writes the progress of a run or a build to standard error, every two seconds and at the end."""

    def __init__(self, what: str) -> None:
        self._what, self._last = what, monotonic()

    def __call__(self, done: float, total: int, words: str = "") -> None:
        """Write a line every ``PAUSE`` seconds, and one at the end."""
        now = monotonic()
        if now - self._last < PAUSE and done < total:
            return
        self._last = now
        sys.stderr.write(f"{self._what}: {int(done)} of {total}{words and f', {words}'}\n")


def warn(text: str) -> None:
    """Warn the user, at the line that called the package."""
    frame, depth, level = sys._getframe(), 1, 1
    while frame.f_back is not None:
        if frame.f_code.co_filename.startswith(_PACKAGE):
            level = depth + 1  # the caller of the outermost function of the package
        frame, depth = frame.f_back, depth + 1
    warnings.warn(visible(text), stacklevel=level)
