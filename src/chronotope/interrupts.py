"""Handling of Ctrl-C while a command runs: the first press ends the command cleanly.

The second press of Ctrl-C changes nothing; the third press ends the command at once. Without this module, Python
raises KeyboardInterrupt anywhere, even while it loads modules or handles an earlier interruption, and prints
tracebacks. This module does not affect scripts that import the package: there, Ctrl-C works as usual in Python.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # not imported: loading `typing` takes long, and Ctrl-C is not handled yet
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Coroutine
    from types import FrameType
    from typing import Any, TypeVar

    T = TypeVar("T")
else:
    import _signal as signal  # `signal` itself loads `enum`

INTERRUPTED = 130  # exit code
STOPPED = "stopped: run the same command again"
PATIENCE = 2  # after this number of presses of Ctrl-C, the next press ends the process at once


class _Interrupts:
    """The handler of SIGINT that replaces Python's default handler."""

    def __init__(self) -> None:
        self.presses = 0
        self.at_work = False  # False while modules are loaded: nothing needs a clean-up yet
        self.cancel: Callable[[], object] | None = None  # cancels the running asyncio task

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.presses += 1
        if not self.at_work:
            try:
                os.write(2, f"{STOPPED}\n".encode())
            finally:  # exit even if standard error is closed
                os._exit(INTERRUPTED)
        if self.presses > PATIENCE:
            os._exit(INTERRUPTED)
        if self.presses == 1:
            if self.cancel is None:
                raise KeyboardInterrupt
            self.cancel()


def hear() -> None:
    """Install this module's handling of Ctrl-C in the process.

    If the process already ignores Ctrl-C, the function changes nothing.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _Interrupts())


def at_work() -> None:
    """Make the next Ctrl-C raise KeyboardInterrupt.

    Call the function before the first work that needs a clean-up after an interruption.
    """
    if isinstance(heard := signal.getsignal(signal.SIGINT), _Interrupts):
        heard.at_work = True


def leave() -> None:
    """Ignore Ctrl-C from now on.

    Call the function when the work is done, so that Ctrl-C cannot disturb the end of the process.
    """
    if isinstance(signal.getsignal(signal.SIGINT), _Interrupts):
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def run_async(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine like `asyncio.run`, and protect its clean-up.

    After Ctrl-C, KeyboardInterrupt is raised when the clean-up is complete. A second Ctrl-C does not interrupt the
    clean-up. If an event loop is running in this thread, as in a notebook, the coroutine gets a loop of its own in
    another thread, and this thread waits.
    """
    import asyncio  # not at the top, because this module is imported before all others

    if _in_loop():
        return _run_beside(main)
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
        main.close()  # needed if the coroutine was never started
    if heard.presses > presses:  # Ctrl-C came too late to cancel the task
        raise KeyboardInterrupt
    return result


def _in_loop() -> bool:
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _run_beside(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a loop of its own, in another thread.

    After Ctrl-C in the waiting thread, the coroutine is cancelled, and KeyboardInterrupt is raised when it has ended.
    """
    import asyncio
    from concurrent.futures import Future, ThreadPoolExecutor
    from contextlib import suppress

    begun: Future[Callable[[], object]] = Future()

    async def cancellable() -> T:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None
        begun.set_result(lambda: loop.call_soon_threadsafe(task.cancel))
        return await main

    with ThreadPoolExecutor(1, thread_name_prefix="loop") as threads:
        ended = threads.submit(asyncio.run, cancellable())
        presses = 0
        while True:
            try:
                result = ended.result()
                break
            except KeyboardInterrupt:
                if ended.done():  # the coroutine raised the exception, or Ctrl-C came too late to cancel it
                    raise
                presses += 1
                if presses > PATIENCE:
                    raise
                with suppress(RuntimeError):  # the event loop may have ended a moment ago
                    begun.result()()
            except asyncio.CancelledError:
                if presses:
                    raise KeyboardInterrupt from None
                raise
    if presses:
        raise KeyboardInterrupt
    return result
