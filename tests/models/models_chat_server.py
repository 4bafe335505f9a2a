"""A chat-completions service that answers by a script, and an endpoint that asks it."""

import asyncio
import json
import threading
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from chronotope.models import Decoding, RawReply
from chronotope.models.services.endpoint import Endpoint
from chronotope.protocol import Picture, Text, Video
from service import Answer, Received, Service, error

__all__ = ["GOOD", "Answer", "ChatServer", "Received", "ask", "completion", "error", "no_pictures"]


def completion(text: Any = "A", finish: str | None = "stop", usage: Any = None, **message: Any) -> bytes:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text} | message}
    return json.dumps({"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage}).encode()


GOOD = Answer(completion())


class ChatServer(Service):
    """Answers the n-th request with the n-th answer of the script, the last one for ever, or with what a rule says."""

    def __init__(self, script: Sequence[Answer] | Callable[[Received], Answer] = (GOOD,), port: int = 0) -> None:
        self.script, self._before, self._one_at_a_time = script, 0, threading.Lock()
        super().__init__(port)

    def restart(self, script: Sequence[Answer]) -> None:
        self.script, self.received, self.peak, self._before = script, [], 0, self.arrived

    def take(self, request: Received) -> Answer:
        if callable(self.script):
            with self._one_at_a_time:
                return self.script(request)
        return self.script[min(request.number - self._before, len(self.script) - 1)]


def no_pictures(shown: Picture | Video) -> NoReturn:
    raise AssertionError(f"{shown} was asked for")


def ask(
    url: str, seeds: Sequence[str] = ("q",), together: bool = False, urgent: Sequence[str] = (), **settings: Any
) -> list[RawReply]:
    """Ask a new endpoint once per seed, one after the other or all at once."""
    settings = {"retries": 2, "timeout": 10.0, "backoff": 0.001} | settings

    async def go() -> list[RawReply]:
        endpoint = Endpoint("endpoint/m", "m", url, **settings)
        try:
            async with endpoint.open([Text("Which? ")], no_pictures) as session:

                async def one(seed: str) -> RawReply:
                    return await session.ask([Text(seed)], Decoding(), seed=seed, urgent=seed in urgent)

                return await asyncio.gather(*map(one, seeds)) if together else [await one(seed) for seed in seeds]
        finally:
            await endpoint.close()

    return asyncio.run(go())
