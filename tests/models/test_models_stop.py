"""When nothing more is sent: the model is stopped, or use is wrong; and what has to be waited for to know that."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from models_chat_server import GOOD, Answer, ChatServer, Received, completion, error, no_pictures

from chronotope.errors import InputError
from chronotope.models import Decoding, RawReply, Session
from chronotope.models.services.endpoint import Endpoint
from chronotope.protocol import Text

SLOW = Answer(completion(), delay=0.5)
LONG = 1000.0  # s, of a back-off whose end no test waits for

Outcome = RawReply | BaseException
Put = Callable[[str], "asyncio.Task[RawReply]"]
Steps = Callable[[Endpoint, Put], Awaitable[None]]


def seed_of(request: Received) -> str:
    return request.json["messages"][0]["content"]


def by_seed(answers: dict[str, Answer]) -> Callable[[Received], Answer]:
    """A rule: the answer to a seed, by its first letter."""
    return lambda request: answers[seed_of(request)[0]]


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.005)


def outcomes(url: str, steps: Steps, **settings: Any) -> dict[str, Outcome]:
    """What becomes of each ask, by seed, that some steps put to an endpoint; all have to end within 15 s."""

    async def go() -> dict[str, Outcome]:
        endpoint = Endpoint("endpoint/m", "m", url, **({"retries": 1, "timeout": 10.0, "backoff": 0.001} | settings))
        tasks: dict[str, asyncio.Task[RawReply]] = {}
        try:
            async with asyncio.timeout(15), endpoint.open([], no_pictures) as session:
                await steps(endpoint, lambda seed: tasks.setdefault(seed, asyncio.create_task(one(session, seed))))
                found = await asyncio.gather(*tasks.values(), return_exceptions=True)
            return dict(zip(tasks, found, strict=True))
        finally:
            await endpoint.close()

    async def one(session: Session, seed: str) -> RawReply:
        return await session.ask([Text(seed)], Decoding(), seed=seed)

    return asyncio.run(go())


def states(found: dict[str, Outcome], seeds: Sequence[str] | None = None) -> list[str]:
    """The state of each reply, or the name of the exception."""
    chosen = found.values() if seeds is None else [found[seed] for seed in seeds]
    return [one.state if isinstance(one, RawReply) else type(one).__name__ for one in chosen]


def test_a_stop_ends_what_waits_and_lets_what_is_in_flight_end(server: ChatServer) -> None:
    server.restart([SLOW])

    async def steps(endpoint: Endpoint, put: Put) -> None:
        for seed in "012345":
            put(seed)
        await until(lambda: len(server.received) == 2)
        endpoint.stop()
        await asyncio.wait([put(seed) for seed in "2345"], timeout=0.2)
        assert [put(seed).done() for seed in "012345"] == [False, False, True, True, True, True], "at once"
        put("later")

    found = outcomes(server.url, steps, concurrency=2)
    assert states(found) == ["replied"] * 2 + ["StoppedError"] * 5
    assert len(server.received) == 2


def test_a_stop_before_anything_sends_nothing(server: ChatServer) -> None:
    server.restart([GOOD])

    async def steps(endpoint: Endpoint, put: Put) -> None:
        endpoint.stop()
        endpoint.stop()
        put("0")

    assert states(outcomes(server.url, steps)) == ["StoppedError"]
    assert not server.received


def test_a_stop_ends_a_back_off_with_what_the_last_attempt_ended_in(server: ChatServer) -> None:
    server.restart([error(500, "first"), error(500, "second")])

    async def steps(endpoint: Endpoint, put: Put) -> None:
        put("0")
        await until(lambda: len(server.received) == 2)
        await asyncio.sleep(0.05)  # in flight or in the back-off after it: both end the same
        endpoint.stop()

    reply = outcomes(server.url, steps, retries=5, backoff=0.2)["0"]
    assert isinstance(reply, RawReply) and reply.state == "failed"
    assert reply.attempts >= 2 and reply.error == "HTTP 500: second"
    server.restart([error(500, "first")])

    async def long(endpoint: Endpoint, put: Put) -> None:
        put("0")
        await until(lambda: endpoint._window.busy == 0 and len(server.received) == 1)
        endpoint.stop()

    reply = outcomes(server.url, long, retries=5, backoff=LONG)["0"]
    assert isinstance(reply, RawReply)
    assert (reply.state, reply.attempts, reply.error) == ("failed", 1, "HTTP 500: first")
    assert len(server.received) == 1


def test_a_stop_ends_a_pause(server: ChatServer) -> None:
    server.restart([error(429, headers={"Retry-After": "500"}), GOOD])

    async def steps(endpoint: Endpoint, put: Put) -> None:
        put("asked")
        await until(lambda: endpoint._window.busy == 0 and len(server.received) == 1)
        put("waiting")
        await until(lambda: endpoint._window.busy == 1)
        endpoint.stop()

    found = outcomes(server.url, steps)
    assert states(found) == ["failed", "StoppedError"]
    asked = found["asked"]
    assert isinstance(asked, RawReply) and asked.attempts == 1 and (asked.error or "").startswith("HTTP 429")
    assert len(server.received) == 1


def test_a_stop_ends_the_wait_for_a_place_for_another_attempt(server: ChatServer) -> None:
    server.restart([error(500, "first"), SLOW])

    async def steps(endpoint: Endpoint, put: Put) -> None:
        put("0")
        put("1")
        await until(lambda: len(endpoint._window._waiting) == 1 and len(server.received) == 2)
        endpoint.stop()

    found = outcomes(server.url, steps, concurrency=1)
    first = found["0"]
    assert isinstance(first, RawReply)
    assert (first.state, first.attempts, first.error) == ("failed", 1, "HTTP 500: first")
    assert states(found, "1") == ["replied"]


def test_what_is_in_flight_when_stopped_has_no_further_attempt(server: ChatServer) -> None:
    server.restart([Answer(b"", 500, delay=0.3)])

    async def steps(endpoint: Endpoint, put: Put) -> None:
        put("0")
        await until(lambda: len(server.received) == 1)
        endpoint.stop()

    reply = outcomes(server.url, steps, retries=5)["0"]
    assert isinstance(reply, RawReply) and (reply.state, reply.attempts) == ("failed", 1)


def test_wrong_use_is_told_to_all_who_wait_and_ends_nothing_in_flight(server: ChatServer) -> None:
    server.restart([])
    server.script = by_seed({"s": SLOW, "x": error(401, "bad key"), "w": GOOD, "t": error(500, "tried")})

    async def steps(endpoint: Endpoint, put: Put) -> None:
        put("tried before")
        await until(lambda: endpoint._window.busy == 0 and len(server.received) == 1)
        put("slow")
        await until(lambda: len(server.received) == 2)
        for seed in ("x", "w1", "w2", "w3"):
            put(seed)
        await put("slow")
        await put("w4")

    found = outcomes(server.url, steps, concurrency=2, backoff=LONG)
    assert states(found, ["slow", "tried before"]) == ["replied", "failed"]
    assert states(found, ["x", "w1", "w2", "w3"]) == ["InputError"] * 4
    assert len({str(found[seed]) for seed in ("x", "w1", "w2", "w3")}) == 1
    assert "does not accept the API key" in str(found["x"])
    assert states(found, ["w4"]) == ["replied"], "put later, by somebody who knows"
    assert [seed_of(request) for request in server.received] == ["tried before", "slow", "x", "w4"]


def test_after_wrong_use_a_stop_is_a_stop(server: ChatServer) -> None:
    server.restart([error(401)])

    async def steps(endpoint: Endpoint, put: Put) -> None:
        await asyncio.wait([put("0")])
        endpoint.stop()
        put("1")

    assert states(outcomes(server.url, steps)) == ["InputError", "StoppedError"]


async def _hold_back(server: ChatServer, endpoint: Endpoint, put: Put, quick: Sequence[str]) -> None:
    """A slow request in flight, quick ones that are refused meanwhile, and one put while all that is unclear."""
    put("slow")
    await until(lambda: len(server.received) == 1)
    for seed in quick:
        put(seed)
    await until(lambda: endpoint._window._holding > 0)
    put("later")


QUICK = {
    "a second refusal": (error(400, "no"), ["x1", "x2", "x3"], "refused"),
    "no access": (error(403, "no"), ["x1"], "refused"),
    "a lost address": (error(404, "no"), ["x1", "x2"], "failed"),
}


@pytest.mark.parametrize("name", QUICK)
def test_an_answer_that_is_under_way_shows_that_a_refusal_is_of_its_request(server: ChatServer, name: str) -> None:
    answer, quick, state = QUICK[name]
    seen: dict[str, float] = {}  # the time at which each was last sent

    def rule(request: Received) -> Answer:
        seen[seed_of(request)] = time.monotonic()
        return {"s": Answer(completion(), delay=1.0), "x": answer, "l": GOOD}[seed_of(request)[0]]

    server.restart([])
    server.script = rule
    found = outcomes(server.url, lambda endpoint, put: _hold_back(server, endpoint, put, quick))
    assert states(found) == ["replied", *[state] * len(quick), "replied"]
    assert seen["later"] - seen["slow"] > 0.98, "nothing is sent while a conclusion is open"


@pytest.mark.parametrize("name", QUICK)
def test_where_nothing_in_flight_is_answered_use_is_wrong(server: ChatServer, name: str) -> None:
    answer, quick, _ = QUICK[name]
    server.restart([])
    server.script = by_seed({"s": Answer(b"", 500, delay=1.0), "x": answer, "l": GOOD})
    found = outcomes(server.url, lambda endpoint, put: _hold_back(server, endpoint, put, quick), backoff=LONG)
    first = ["refused"] if name == "a second refusal" else []  # whichever came back before all others
    assert sorted(states(found, quick)) == ["InputError"] * (len(quick) - len(first)) + first
    told = {str(found[seed]) for seed in [*quick, "later"] if isinstance(found[seed], InputError)}
    assert isinstance(found["later"], InputError) and len(told) == 1 and "(HTTP 40" in told.pop()
    assert states(found, ["slow"]) == ["failed"], "one attempt, no further one"
    assert "later" not in [seed_of(request) for request in server.received]


@pytest.mark.parametrize("concurrency", [1, 16])
def test_what_backs_off_is_not_waited_for(server: ChatServer, concurrency: int) -> None:
    server.restart([])
    server.script = by_seed({"t": error(500, "tried"), "x": error(400, "no")})

    async def steps(endpoint: Endpoint, put: Put) -> None:
        for number in range(3):
            put(f"tried {number}")
        await until(lambda: endpoint._window.busy == 0 and len(server.received) == 3)
        for seed in ("x1", "x2"):
            put(seed)

    found = outcomes(server.url, steps, concurrency=concurrency, backoff=LONG)
    assert states(found)[:3] == ["failed"] * 3
    assert sorted(states(found, ["x1", "x2"])) == ["InputError", "refused"]


def test_all_refused_together_is_wrong_use(server: ChatServer) -> None:
    server.restart([Answer(error(400, "no").body, 400, delay=0.1)])

    async def steps(endpoint: Endpoint, put: Put) -> None:
        for number in range(40):
            put(str(number))

    found = outcomes(server.url, steps)
    assert sorted(states(found)) == ["InputError"] * 39 + ["refused"]
    assert len({str(one) for one in found.values() if isinstance(one, InputError)}) == 1
    assert 20 <= len(server.received) <= 21, "the first refusal made room for one more, the second for none"


def test_somebody_is_there_where_a_request_is_under_way() -> None:
    """A service that has stopped to take connections and still answers the one it has."""

    async def go() -> list[Outcome]:
        taken, released = asyncio.Event(), asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            taken.set()
            await released.wait()
            body = completion()
            head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            await writer.drain()
            writer.close()

        listener = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        endpoint = Endpoint("endpoint/m", "m", f"http://127.0.0.1:{port}/v1", retries=0, wait=0)
        async with asyncio.timeout(15), endpoint.open([], no_pictures) as session:
            slow = asyncio.create_task(session.ask([Text("q")], Decoding(), seed="slow"))
            await taken.wait()
            listener.close()
            seeds = [asyncio.create_task(session.ask([Text("q")], Decoding(), seed=str(i))) for i in range(3)]
            await until(lambda: endpoint._window._holding == 3)
            released.set()
            found = await asyncio.gather(slow, *seeds, return_exceptions=True)
        await endpoint.close()
        return found

    assert states(dict(zip("s012", asyncio.run(go()), strict=True))) == ["replied", "failed", "failed", "failed"]


@pytest.mark.parametrize("status", [400, 403, 422])
def test_where_a_reply_is_known_a_refusal_is_of_its_request(server: ChatServer, status: int) -> None:
    server.restart([error(status, "no")])

    async def steps(endpoint: Endpoint, put: Put) -> None:
        endpoint.has_answered()
        for seed in "012":
            await put(seed)

    assert states(outcomes(server.url, steps)) == ["refused"] * 3


def test_where_a_reply_is_known_from_before_the_address_may_be_wrong_now(server: ChatServer) -> None:
    server.restart([error(404, "no such model")])

    async def steps(endpoint: Endpoint, put: Put) -> None:
        endpoint.has_answered()
        put("0")

    found = outcomes(server.url, steps)
    assert isinstance(found["0"], InputError) and "no such model" in str(found["0"])
