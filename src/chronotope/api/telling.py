"""Progress and warnings as lines of text, for scripts and notebooks."""

import os
import sys
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from time import monotonic
from types import FrameType

from chronotope.errors import InputError, visible

_PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"

PAUSE = 2.0  # seconds between two lines
Advance = Callable[..., None]  # called with the finished number, the number of all, and mostly a text
Bar = Callable[[str], AbstractContextManager[Advance | None]]  # opens a display of progress with a title


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


def advance_of(progress: Advance | bool, what: str) -> Advance | None:
    """Return the function that is called with the progress.

    If ``progress`` is true, the function writes lines to standard error.

    Raises:
        InputError: If ``progress`` is neither a function nor true or false.
    """
    if isinstance(progress, bool):
        return Lines(what) if progress else None
    if progress is not None and not callable(progress):
        raise InputError(f"found {progress!r}", where="progress", expected="True, False or a function")
    return progress


def bar_of(progress: Advance | bool) -> Bar:
    """Return a function that opens the display of progress of each step.

    Raises:
        InputError: If ``progress`` is neither a function nor true or false.
    """
    advance_of(progress, "")
    return lambda title: nullcontext(advance_of(progress, title))


def warn(text: str) -> None:
    """Warn the user, at the line that called the package."""
    warner()(text)


def warner() -> Callable[[str], None]:
    """Return a function that warns the user at this call's line.

    The user's line is the line that called the package now. The function can be called later and in other threads,
    whose frames do not lead to the user's line.
    """
    frame: FrameType | None = sys._getframe()
    caller = frame
    while frame is not None and frame.f_back is not None:
        if frame.f_code.co_filename.startswith(_PACKAGE):
            caller = frame.f_back  # the caller of the outermost function of the package
        frame = frame.f_back
    assert caller is not None
    file, line, names = caller.f_code.co_filename, caller.f_lineno, caller.f_globals
    module, registry = names.get("__name__"), names.setdefault("__warningregistry__", {})

    def tell(text: str) -> None:
        warnings.warn_explicit(visible(text), UserWarning, file, line, module, registry)

    return tell
