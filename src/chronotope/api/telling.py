"""Progress as lines of text, for scripts and notebooks."""

import sys
from time import monotonic

__all__ = ["Lines"]

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
