"""The observation of a service, so that the user is informed if the service does not answer."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from time import monotonic
from typing import Literal, NamedTuple

SILENT = 20.0  # seconds without an answer, during requests or pauses, before the user is informed
LOOK = 0.5  # seconds between two checks of a service
AGAIN = 300.0  # seconds before the same trouble is reported again

Say = Callable[[str], None]  # shows a sentence to the user


class Trouble(NamedTuple):
    """A current problem of a service.

    All sentences of one ``kind`` describe the same problem.
    """

    kind: Literal["nobody", "fewer", "silent"]
    sentence: str


class Hearing:
    """Records the responses of a service, and describes missing answers in a sentence."""

    def __init__(self, service: str, url: str, wait: float) -> None:
        self._service, self._url, self._wait = service, url, wait
        self._in_flight = 0
        self._since, self._clock = 0.0, ""  # start of the time without an answer: in seconds, and as a time of day
        self._nobody_since: float | None = None
        self._loads = False  # whether the service says that it loads its model
        self._met = False  # whether the service has ever responded
        self._words = ""  # the last error, or the last message that was not an answer

    @contextmanager
    def request(self) -> Iterator[None]:
        """Count a request as in flight."""
        if not self._in_flight and not self._words:
            self._begin()
        self._in_flight += 1
        try:
            yield
        finally:
            self._in_flight -= 1

    def said(self, words: str, pause: float | None, *, unreachable: bool, loading: bool = False) -> None:
        """Record a response that is not an answer, or a failed connection."""
        self._loads = loading
        self._words = words if pause is None else f"{words}; it asks to wait {pause:.0f} s"
        self._met = self._met or not unreachable
        if not (unreachable or loading):
            self._nobody_since = None
        elif self._nobody_since is None:
            self._nobody_since = monotonic()
            self._begin()

    def answered(self) -> None:
        """Record an answer, and restart the measured time without an answer."""
        self._nobody_since, self._loads, self._words, self._met = None, False, "", True
        self._begin()

    def patience(self) -> float:
        """Return the seconds that remain for the service.

        In this time it must accept connections and load its model.

        The waiting time begins with the first failed connection, or the first message that the model is not loaded.
        """
        return self._wait - (0.0 if self._nobody_since is None else monotonic() - self._nobody_since)

    def trouble(self) -> Trouble | None:
        """Return the current problem of the service (see `Model.trouble`)."""
        if self._loads:
            told = f"since {self._clock}: trying for {self._wait:g} s ({self._words})"
            return Trouble("nobody", f"the service at {self._url} loads its model, {told}")
        if self._nobody_since is not None:
            how = f"any more, since {self._clock}" if self._met else f"yet: trying for {self._wait:g} s"
            return Trouble("nobody", f"no service answers at {self._url} {how} ({self._words})")
        if not (self._in_flight or self._words) or monotonic() - self._since < SILENT:
            return None
        last = f"its last message is {self._words}" if self._words else "it has sent no message"
        return Trouble("silent", f"{self._service} at {self._url}: no answer since {self._clock}, {last}")

    def _begin(self) -> None:
        self._since, self._clock = monotonic(), f"{datetime.now().astimezone():%H:%M:%S}"


@asynccontextmanager
async def watched(
    trouble: Callable[[], Trouble | None], say: Say | None, look: Callable[[], None] | None = None
) -> AsyncIterator[None]:
    """Report trouble with a service while this context lasts.

    While the same kind of trouble lasts, it is reported again every ``AGAIN`` seconds. ``look`` is called at every
    check.
    """
    told: dict[str, float] = {}

    async def watch() -> None:
        while True:
            await asyncio.sleep(LOOK)
            found = trouble()
            if say is not None and found is not None and monotonic() - told.get(found.kind, -AGAIN) >= AGAIN:
                told[found.kind] = monotonic()
                say(found.sentence)
            if look is not None:
                look()

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
