"""How many requests are in flight: the rules by simulated time, then the same through sockets."""

import asyncio
import math
import random
import selectors
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models_chat_server import Answer, ChatServer, Received, ask, completion, error, no_pictures

from chronotope.models import Decoding, RawReply, StoppedError
from chronotope.models.services.endpoint import Endpoint
from chronotope.models.services.in_flight import Window
from chronotope.protocol import Text

T = TypeVar("T")


class SimulatedLoop(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to whatever is due next, so that hours pass in no time."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(_Jumping(self))

    def time(self) -> float:
        return self.now


class _Jumping(selectors.SelectSelector):
    def __init__(self, loop: SimulatedLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "nothing is due any more: whoever waits does so for ever"
        self._loop.now += max(timeout, 0)
        return super().select(0)


def simulated(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        return runner.run(work)


class OverloadError(Exception):
    """The service has no place for a request."""


class Traffic:
    """Asks that are all put at once to a simulated service, by the rules that an endpoint keeps."""

    def __init__(self, window: Window, serve: Callable[[], Awaitable[None]], timeout: float = 300.0) -> None:
        self.window, self.serve, self.timeout = window, serve, timeout
        self.in_flight = self.peak = 0
        self.sent: list[float] = []
        self.taken: list[float] = []
        self.timed_out = self.refused = 0

    async def put(self, asks: int) -> float:
        """The time at which the last is answered."""
        await asyncio.gather(*(self._ask() for _ in range(asks)))
        return asyncio.get_running_loop().time()

    async def _ask(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            async with self.window.place() as entered:
                self.in_flight += 1
                self.peak = max(self.peak, self.in_flight)
                assert self.in_flight <= self.window.size
                self.sent.append(entered)
                try:
                    async with asyncio.timeout(self.timeout):
                        await self.serve()
                except TimeoutError:
                    self.timed_out += 1
                    self.window.overloaded(entered, None)
                except OverloadError:
                    self.refused += 1
                    self.window.overloaded(entered, None)
                else:
                    self.taken.append(loop.time() - entered)
                    self.window.answered(self.taken[-1])
                    return
                finally:
                    self.in_flight -= 1
            await asyncio.sleep(1.0)


def slots(count: int, seconds: Callable[[], float]) -> Callable[[], Awaitable[None]]:
    """A service that works at ``count`` requests at once and keeps all others in line."""
    free = asyncio.Semaphore(count)

    async def serve() -> None:
        async with free:
            await asyncio.sleep(seconds())

    return serve


def test_a_service_that_keeps_up_is_sent_three_times_as_much_each_round_trip() -> None:
    async def go() -> tuple[Counter[float], float]:
        traffic = Traffic(Window(128), slots(1000, lambda: 2.0))
        end = await traffic.put(500)
        return Counter(traffic.sent), end

    sent, end = simulated(go())
    assert [sent[at] for at in (0, 2, 4, 6, 8)] == [20, 60, 128, 128, 128]
    assert end == 12


@pytest.mark.parametrize("size", [1, 5, 16, 17])
def test_the_size_is_never_exceeded(size: int) -> None:
    async def go() -> int:
        traffic = Traffic(Window(size), slots(1000, lambda: 1.0))
        await traffic.put(100)
        return traffic.peak

    assert simulated(go()) == size


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), spread=st.sampled_from([0.0, 0.1, 0.2]), asks=st.integers(20, 300))
def test_a_service_with_one_slot_is_not_flooded_into_time_outs(seed: int, spread: float, asks: int) -> None:
    """10 s a request, one after the other; 300 s are allowed, so 30 in line would be too many."""

    async def go() -> tuple[Traffic, float]:
        draw = random.Random(seed)
        traffic = Traffic(Window(128), slots(1, lambda: 10 * draw.uniform(1 - spread, 1 + spread)))
        return traffic, await traffic.put(asks)

    traffic, end = simulated(go())
    assert traffic.timed_out == 0
    assert len(traffic.taken) == asks
    assert max(traffic.taken) < 280
    assert end == pytest.approx(10 * asks, rel=spread, abs=1e-6), "the slot is never idle"


def test_growth_goes_on_when_the_service_is_quick_again() -> None:
    async def go() -> list[float]:
        window = Window(128)
        limits: list[float] = []
        for seconds in [1.0] * 20 + [30.0] * 10 + [1.0] * 20:
            window.answered(seconds)
            limits.append(window.limit)
        return limits

    limits = simulated(go())
    assert limits[19] == limits[29] == 60
    assert limits[-1] == 100


@pytest.mark.parametrize("seed", range(5))
def test_uneven_replies_do_not_keep_the_window_small(seed: int) -> None:
    """Replies whose lengths vary as they like (exponentially), from a service that has places for all."""

    async def go() -> Traffic:
        draw = random.Random(seed)
        traffic = Traffic(Window(128), slots(1000, lambda: draw.expovariate(1 / 5)))
        await traffic.put(1000)
        return traffic

    assert simulated(go()).peak == 128


def test_after_an_overload_growth_is_slow() -> None:
    """40 places; a request too many is refused at once and comes again a second later."""

    async def go() -> Traffic:
        used = 0

        async def serve() -> None:
            nonlocal used
            if used >= 40:
                raise OverloadError
            used += 1
            try:
                await asyncio.sleep(2.0)
            finally:
                used -= 1

        traffic = Traffic(Window(128), serve)
        await traffic.put(2000)
        return traffic

    traffic = simulated(go())
    assert len(traffic.taken) == 2000
    assert 40 < traffic.peak <= 64
    assert traffic.refused < 100
    by_time = Counter(math.floor(at) for at in traffic.sent)
    late = [by_time[at] + by_time[at + 1] for at in range(10, 80, 2)]
    assert sum(late) / len(late) > 20, "the places are used well"


def test_the_limit_halves_doubles_and_creeps() -> None:
    async def go() -> list[float]:
        window = Window(64)
        limits = [window.limit]
        for _ in range(10):
            window.answered(1.0)
        limits.append(window.limit)
        async with window.place() as entered:
            window.overloaded(entered, 3.0)
        limits.append(window.limit)
        window.answered(1.0)
        limits.append(window.limit)
        start = asyncio.get_running_loop().time()
        async with window.place() as entered:
            limits.append(entered - start)
        return limits

    assert simulated(go()) == pytest.approx([20, 40, 20, 20 + 1 / 20, 3.0])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.booleans(), max_size=12), st.integers(1, 3))
def test_urgent_waiters_stand_before_all_others(urgent: list[bool], size: int) -> None:
    async def go() -> list[int]:
        window = Window(size)
        order: list[int] = []

        async def one(number: int) -> None:
            async with window.place(urgent=urgent[number]):
                order.append(number)
                await asyncio.sleep(1.0)

        async def hold() -> None:
            async with window.place():
                await asyncio.sleep(1.0)

        holders = [asyncio.create_task(hold()) for _ in range(size)]
        await asyncio.sleep(0.5)
        await asyncio.gather(*holders, *(one(number) for number in range(len(urgent))))
        return order

    numbers = range(len(urgent))
    assert simulated(go()) == [n for n in numbers if urgent[n]] + [n for n in numbers if not urgent[n]]


def test_cancelled_asks_give_their_places_back(server: ChatServer) -> None:
    server.restart([Answer(completion(), delay=0.2)])

    async def go() -> RawReply:
        endpoint = Endpoint("endpoint/m", "m", server.url, concurrency=2)
        try:
            async with endpoint.open([], no_pictures) as session:
                asks = [asyncio.create_task(session.ask([Text("q")], Decoding(), seed=str(i))) for i in range(6)]
                await asyncio.sleep(0.05)
                for task in asks:
                    task.cancel()
                await asyncio.gather(*asks, return_exceptions=True)
                return await asyncio.wait_for(session.ask([Text("q")], Decoding(), seed="last"), 5)
        finally:
            await endpoint.close()

    assert asyncio.run(go()).state == "replied"


def test_the_window_narrows_once_for_requests_refused_together_and_recovers() -> None:
    async def go() -> tuple[list[float], int]:
        window = Window(16)
        limits: list[float] = []
        async with window.place() as first, window.place() as second:
            window.overloaded(first, None)
            window.overloaded(second, None)
            limits.append(window.limit)
        async with window.place() as third:
            window.overloaded(third, None)
            limits.append(window.limit)
        for _ in range(300):
            window.answered(1.0)
        limits.append(window.limit)
        for _ in range(10):
            await asyncio.sleep(0)
            async with window.place() as entered:
                window.overloaded(entered, None)
        limits.append(window.limit)
        return limits, window.busy

    assert asyncio.run(go()) == ([8.0, 4.0, 16.0, 1.0], 0)


async def enter(window: Window) -> str:
    async with window.place():
        return "in"


def test_an_ask_that_is_cancelled_as_a_place_comes_free_takes_none() -> None:
    async def go() -> str:
        window = Window(1)
        async with window.place():
            waiting = [asyncio.create_task(enter(window)) for _ in range(2)]
            await asyncio.sleep(0)
            waiting[0].cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting[0]
        return await asyncio.wait_for(waiting[1], 5)

    assert asyncio.run(go()) == "in"


def test_a_place_given_to_an_ask_that_is_cancelled_goes_to_the_next() -> None:
    async def go() -> str:
        window = Window(1)
        async with window.place():
            waiting = asyncio.create_task(enter(window))
            await asyncio.sleep(0)
        waiting.cancel()  # the place is given, but not yet taken
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return await asyncio.wait_for(enter(window), 5)

    assert asyncio.run(go()) == "in"


def test_an_ask_that_is_cancelled_as_it_is_sent_away_gives_no_place_back() -> None:
    async def enter(window: Window) -> None:
        async with window.place():
            pass

    async def go() -> tuple[int, int]:
        window = Window(1)
        async with window.place():
            waiting = asyncio.create_task(enter(window))
            await asyncio.sleep(0)
            window.shut(window.gate)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            during = window.busy
        return during, window.busy

    assert asyncio.run(go()) == (1, 0)


@given(st.lists(st.tuples(st.sampled_from(["ask", "end", "cancel", "overload", "answer"]), st.integers(0, 30))))
def test_the_window_is_never_exceeded_and_never_stuck(steps: list[tuple[str, int]]) -> None:
    async def go() -> None:
        window = Window(3)
        inside = 0
        ends: list[asyncio.Event] = []

        async def work(end: asyncio.Event) -> None:
            nonlocal inside
            async with window.place():
                inside += 1
                assert inside <= 3
                try:
                    await end.wait()
                finally:
                    inside -= 1

        tasks: list[asyncio.Task[None]] = []
        for kind, which in steps:
            if kind == "ask":
                ends.append(asyncio.Event())
                tasks.append(asyncio.create_task(work(ends[-1])))
            elif kind == "overload":
                window.overloaded(asyncio.get_running_loop().time(), None)
            elif kind == "answer":
                window.answered(1.0)
            elif tasks and kind == "end":
                ends[which % len(ends)].set()
            elif tasks:
                tasks[which % len(tasks)].cancel()
            if which % 2:
                await asyncio.sleep(0)
            assert window.busy <= 3
        for end in ends:
            end.set()
        results = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 5)
        assert all(r is None or isinstance(r, asyncio.CancelledError) for r in results)
        assert (window.busy, inside) == (0, 0)

    asyncio.run(go())


times = st.integers(0, 20).map(float)


@settings(max_examples=150, deadline=None)
@given(
    size=st.integers(1, 3),
    asks=st.lists(st.tuples(times, st.booleans(), st.lists(st.tuples(times, times), min_size=1, max_size=3))),
    judges=st.lists(times, max_size=4),
    pauses=st.lists(st.tuples(times, times), max_size=3),
    wrong=st.lists(times, max_size=2),
    stop=st.none() | times,
)
def test_conclusions_are_drawn_in_quiet_and_nothing_is_sent_through_a_shut_gate(
    size: int,
    asks: list[tuple[float, bool, list[tuple[float, float]]]],
    judges: list[float],
    pauses: list[tuple[float, float]],
    wrong: list[float],
    stop: float | None,
) -> None:
    """Asks of several attempts with rests between, while others wait for quiet, pause all, or shut the gate.

    The simulated loop fails where anybody would wait for ever.
    """

    async def go() -> None:
        window = Window(size)
        loop = asyncio.get_running_loop()
        inside = 0
        judging: set[float] = set()  # since when, each

        async def one(start: float, urgent: bool, attempts: list[tuple[float, float]]) -> None:
            nonlocal inside
            await asyncio.sleep(start)
            gate = window.gate
            for seconds, rest in attempts:
                ended_before = gate.shut
                try:
                    async with window.place(urgent=urgent, gate=gate) as entered:
                        assert not ended_before and not gate.shut and not judging
                        assert entered == loop.time() >= window._closed_until
                        inside += 1
                        assert inside <= size
                        await asyncio.sleep(seconds)
                        inside -= 1
                except StoppedError:
                    assert gate.shut
                    return
                rested = loop.time()
                await window.rest(rest, gate)
                assert gate.shut or loop.time() == rested + rest

        async def judge(start: float) -> None:
            await asyncio.sleep(start)
            began = loop.time() + len(judging) / 1e6
            judging.add(began)
            await window.quiet()
            assert inside == 0
            judging.remove(began)

        async def pause(start: float, seconds: float) -> None:
            await asyncio.sleep(start)
            window.overloaded(loop.time(), seconds)

        async def shut(start: float, why: str | None) -> None:
            await asyncio.sleep(start)
            gate = window.gate
            window.shut(gate, why)
            assert gate.shut
            assert (window.gate is gate) == (why is None or gate.why != why)

        await asyncio.gather(
            *(one(*ask) for ask in asks),
            *map(judge, judges),
            *(pause(*one) for one in pauses),
            *(shut(at, f"wrong {number}") for number, at in enumerate(wrong)),
            *([] if stop is None else [shut(stop, None)]),
        )
        assert (window.busy, window._in_flight, window._holding) == (0, 0, 0)

    simulated(go())


def asked(request: Received) -> str:
    return request.json["messages"][0]["content"].removeprefix("Which? ")


@pytest.mark.parametrize(("size", "asks"), [(5, 30), (24, 100), (128, 400)])
def test_requests_in_flight_are_bounded_and_well_used(size: int, asks: int) -> None:
    with ChatServer([Answer(completion(), delay=0.1 if size == 5 else 0.3)]) as fresh:
        replies = ask(fresh.url, [str(i) for i in range(asks)], together=True, concurrency=size, timeout=30)
    assert {(reply.state, reply.attempts) for reply in replies} == {("replied", 1)}
    assert len(fresh.received) == asks
    assert (5 if size == 5 else 17 if size == 24 else 48) <= fresh.peak <= size


def test_a_time_out_of_an_attempt_is_an_overload() -> None:
    chat = ChatServer()
    after: list[int] = []

    def rule(request: Received) -> Answer:
        if len(chat.received) <= 20:
            return Answer(hang=True)
        after.append(chat.in_flight - 20)  # those that hang do not learn that nobody waits for them
        return Answer(completion(), delay=0.1)

    chat.script = rule
    with chat:
        replies = ask(chat.url, [str(i) for i in range(20)], together=True, timeout=1.0)
    assert {(reply.state, reply.attempts) for reply in replies} == {("replied", 2)}
    assert 1 < max(after) <= 11, "half of 20, and one more after a windowful of answers"


def test_urgent_asks_are_sent_first() -> None:
    with ChatServer([Answer(completion(), delay=0.2)]) as fresh:
        ask(fresh.url, ["0", "1", "2", "u1", "3", "u2"], together=True, urgent=["u1", "u2"], concurrency=1)
        assert [asked(request) for request in fresh.received] == ["0", "u1", "u2", "1", "2", "3"]


def test_the_next_attempt_of_an_urgent_ask_is_urgent() -> None:
    script = [error(500), *[Answer(completion(), delay=0.15)] * 9]
    with ChatServer(script) as fresh:
        ask(fresh.url, ["u", "1", "2", "3"], together=True, urgent=["u"], concurrency=1)
        assert [asked(request) for request in fresh.received] == ["u", "1", "u", "2", "3"]
    with ChatServer(script) as fresh:
        ask(fresh.url, ["0", "1", "2", "3"], together=True, concurrency=1)
        assert [asked(request) for request in fresh.received] == ["0", "1", "2", "3", "0"]
