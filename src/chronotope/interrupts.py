"""Ctrl-C while a command runs: it ends cleanly at the first press.

The second press changes nothing, the third ends the command at once. Python raises KeyboardInterrupt wherever it is,
also while modules are loaded and while an earlier interruption is being dealt with; there it turns into tracebacks.
Code that uses the package from Python keeps Python's own behaviour.
"""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False  # that of `typing`, which is loaded too slowly: a press in this time is not heard yet
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import FrameType
    from typing import Any, TypeVar

    T = TypeVar("T")

__all__ = ["INTERRUPTED", "at_work", "hear", "leave", "run_async"]

INTERRUPTED = 130  # exit code
STOPPED = "stopped: run the same command again"
PATIENCE = 2  # presses that are borne


class _Interrupts:
    """What hears SIGINT in place of Python."""

    def __init__(self) -> None:
        self.presses = 0
        self.at_work = False  # else modules are loaded: there is nothing to clean up
        self.cancel: Callable[[], object] | None = None  # of what runs in a loop of asyncio

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.presses += 1
        if not self.at_work:
            try:
                os.write(2, f"{STOPPED}\n".encode())
            finally:  # also where nobody is there to read it
                os._exit(INTERRUPTED)
        if self.presses > PATIENCE:
            os._exit(INTERRUPTED)
        if self.presses == 1:
            if self.cancel is None:
                raise KeyboardInterrupt
            self.cancel()


def hear() -> None:
    """Handle Ctrl-C in this process as a command does.

    Nothing changes if the process is to ignore it.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _Interrupts())


def at_work() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, once.

    From now on there is something to clean up.
    """
    if isinstance(heard := signal.getsignal(signal.SIGINT), _Interrupts):
        heard.at_work = True


def leave() -> None:
    """Ignore Ctrl-C from now on.

    The work is done: nothing may disturb the last moments of the process.
    """
    if isinstance(signal.getsignal(signal.SIGINT), _Interrupts):
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def run_async(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine as `asyncio.run`, and clean up undisturbed.

    KeyboardInterrupt is raised once it has cleaned up; a further Ctrl-C does not disturb it.
    """
    import asyncio  # not at the top: this module is there before all others

    heard = signal.getsignal(signal.SIGINT)
    if not isinstance(heard, _Interrupts):
        return asyncio.run(main)

    async def cancellable() -> T:
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()
        heard.cancel = lambda: loop.call_soon_threadsafe(task.cancel)
        try:
            return await main
        finally:
            heard.cancel = None

    presses = heard.presses
    try:
        result = asyncio.run(cancellable())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        main.close()  # where it came to nothing
    if heard.presses > presses:  # too late to be cancelled
        raise KeyboardInterrupt
    return result
