"""A function as a model: what it gets, what becomes of what it returns, and what a run makes of it."""

import asyncio
import json
import threading
import weakref
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.ledger import LedgerLine
from chronotope.media import Encoded, encode_picture
from chronotope.models import Asked, Decoding, FunctionModel, Model, RawReply, StoppedError, as_model, baseline
from chronotope.models.fingerprint import fingerprint
from chronotope.protocol import Image, Option, Part, PictureFile, Text, Video

PIXELS = np.full((12, 16, 3), (200, 30, 90), np.uint8)
FILES = {
    "a.png": encode_picture(PIXELS, "png"),
    "b.png": encode_picture(PIXELS[:6], "png"),
    "c.mp4": Encoded(b"a clip", "5" * 64, "video/mp4"),
}
PROMPT = [
    Text("Look. ", "system"),
    Image(PictureFile("a.png", "1" * 64)),
    Video("c.mp4", "2" * 64),
    Text("How many? "),
    Option("A", "A. one ", "one"),
    Option("B", "B. see ", None, PictureFile("b.png", "3" * 64)),
]


def put(model: Model, *asks: tuple[str, Sequence[Part]], skip: int = 2) -> list[RawReply]:
    """The replies to (id, parts), asked side by side, of which the first ``skip`` parts are the prefix."""

    async def one(seed: str, parts: Sequence[Part]) -> RawReply:
        async with model.open(parts[:skip], lambda shown: FILES[shown.path]) as session:
            return await session.ask(parts[skip:], Decoding(), seed=seed)

    async def go() -> list[RawReply]:
        try:
            return list(await asyncio.gather(*(one(*ask) for ask in asks)))
        finally:
            await model.close()

    return asyncio.run(go())


@pytest.mark.parametrize("skip", range(len(PROMPT) + 1))
def test_it_gets_the_whole_prompt_in_order(skip: int) -> None:
    got: list[Asked] = []

    def look(asked: Asked) -> str:
        got.append(asked)
        return "B"

    [reply] = put(FunctionModel(look), ("question#0", PROMPT), skip=skip)
    [asked] = got
    assert (asked.ask, asked.text) == ("question#0", "Look. How many? A. one B. see ")
    assert [option.letter for option in asked.options] == ["A", "B"]
    assert asked.files == (FILES["a.png"], FILES["c.mp4"], FILES["b.png"])
    first, second = asked.frames()  # no video among them
    assert np.array_equal(first, PIXELS) and np.array_equal(second, PIXELS[:6])
    assert (reply.state, reply.text, reply.finish) == ("replied", "B", "stop")
    assert reply.pictures == tuple(file.sha256 for file in asked.files)


def test_async_functions_and_replies_that_say_more_are_taken() -> None:
    async def slow(asked: Asked) -> RawReply:
        await asyncio.sleep(0)
        return RawReply("refused", error="too long", input_tokens=7, money=0.5)

    [reply] = put(FunctionModel(slow), ("q", PROMPT))
    assert (reply.state, reply.error, reply.input_tokens, reply.money) == ("refused", "too long", 7, 0.5)
    assert len(reply.pictures) == 3


@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize("at_once", [1, 3])
def test_no_more_calls_are_made_at_the_same_time_than_allowed(at_once: int, kind: str) -> None:
    """Each call waits until as many are at work as may be: with fewer this would not end, with more it is counted."""
    full, lock, counts = threading.Barrier(at_once, timeout=20), threading.Lock(), []
    working = 0

    def begin() -> None:
        nonlocal working
        with lock:
            working += 1
            counts.append(working)

    def end() -> None:
        nonlocal working
        with lock:
            working -= 1

    def sync(asked: Asked) -> str:
        begin()
        full.wait()
        end()
        return "A"

    async def asynchronous(asked: Asked) -> str:
        begin()
        await asyncio.to_thread(full.wait)
        end()
        return "A"

    model = FunctionModel(sync if kind == "sync" else asynchronous, at_once=at_once)
    assert {reply.text for reply in put(model, *((str(number), PROMPT) for number in range(6)))} == {"A"}
    assert max(counts) == at_once


@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize(("at_once", "count", "sizes"), [(1, 10, [4, 4, 2]), (3, 4, [4]), (2, 1, [1])])
def test_a_function_answers_batches(at_once: int, count: int, sizes: list[int], kind: str) -> None:
    batches: list[list[str]] = []

    def sync(asks: list[Asked]) -> list[str]:
        batches.append([one.ask for one in asks])
        return [f"reply to {one.ask}" for one in asks]

    async def asynchronous(asks: list[Asked]) -> list[str]:
        await asyncio.sleep(0.01)
        return sync(asks)

    model = FunctionModel(sync if kind == "sync" else asynchronous, at_once=at_once, batch_size=4)
    for _ in range(2):  # it can be used again after it was closed
        batches.clear()
        replies = put(model, *((str(number), PROMPT) for number in range(count)))
        assert [reply.text for reply in replies] == [f"reply to {number}" for number in range(count)]
        assert sorted(map(len, batches), reverse=True) == sizes
        assert sorted(map(int, (one for of in batches for one in of))) == list(range(count))


def test_what_a_batch_raises_is_kept_for_each_of_its_calls() -> None:
    def breaks(asks: list[Asked]) -> list[str | RawReply]:
        if any(one.ask == "2" for one in asks):
            raise ZeroDivisionError("no such thing")
        return [RawReply("refused", error="too long") if one.ask == "4" else one.ask for one in asks]

    replies = put(FunctionModel(breaks, batch_size=2), *((str(number), PROMPT) for number in range(5)))
    assert [reply.text for reply in replies] == ["0", "1", None, None, None]
    assert [reply.state for reply in replies] == ["replied", "replied", "failed", "failed", "refused"]
    assert replies[3].error == "function/breaks raised ZeroDivisionError: no such thing"
    for wrong, told in ((lambda asks: ["A"], "1 replies"), (lambda asks: "AB", "'AB'"), (lambda asks: None, "None")):
        with pytest.raises(InputError, match=f"returned {told} for 2 prompts: expected a list with one each"):
            put(FunctionModel(wrong, "function/wrong", batch_size=2), ("p", PROMPT), ("q", PROMPT))
    with pytest.raises(InputError, match="batch_size 0: expected a number of prompts, at least 1"):
        FunctionModel(breaks, batch_size=0)


def test_what_it_raises_is_kept_and_the_others_are_answered() -> None:
    def breaks(asked: Asked) -> str:
        if asked.ask == "2":
            raise ZeroDivisionError("no such thing")
        return asked.ask

    replies = put(FunctionModel(breaks), *((str(number), PROMPT) for number in range(4)))
    assert [reply.text for reply in replies] == ["0", "1", None, "3"]
    assert (replies[2].state, replies[2].error) == ("failed", "function/breaks raised ZeroDivisionError: no such thing")


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize(
    "error",
    [StopIteration(), MuteError(), SystemExit(7), GeneratorExit(), BaseException("x"), asyncio.CancelledError()],
)
def test_whatever_it_raises_costs_one_ask(error: BaseException, kind: str) -> None:
    """An exception that would end a process, or that asyncio cannot pass on, or whose text cannot be read."""

    def sync(asked: Asked) -> str:
        if asked.ask == "1":
            raise error
        return asked.ask

    async def asynchronous(asked: Asked) -> str:
        return sync(asked)

    model = FunctionModel(sync if kind == "sync" else asynchronous)
    replies = put(model, *((str(number), PROMPT) for number in range(3)))
    assert [reply.text for reply in replies] == ["0", None, "2"] and replies[1].state == "failed"
    assert replies[1].error is not None and f"raised {type(error).__name__}" in replies[1].error.replace(
        "RuntimeError: coroutine raised StopIteration", "StopIteration"
    )


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        (MuteError(), r"a MuteError whose repr cannot be read for q: expected text, or a RawReply"),
        ("x" * 5000, None),
        (["x" * 5000], r"\['x{198}… for q: expected text"),
        (RawReply("replied", text=5), r"with text=5: Input should be a valid string"),  # type: ignore[arg-type]
        (RawReply("weird"), r"with state='weird': Input should be 'replied'"),  # type: ignore[arg-type]
        (RawReply("replied", text="A", money="much"), r"with money='much': "),  # type: ignore[arg-type]
        (RawReply("replied", text="A", input_tokens=[1]), r"with input_tokens=\[1\]: "),  # type: ignore[arg-type]
    ],
)
def test_malformed_replies_are_told(returned: object, told: str | None) -> None:
    model = FunctionModel(lambda asked: returned, "function/odd")  # type: ignore[arg-type]
    if told is None:
        assert put(model, ("q", PROMPT))[0].text == returned
        return
    with pytest.raises(InputError, match=rf"^function/odd returned .*{told}"):
        put(model, ("q", PROMPT))


def test_a_reply_of_more_than_16_mb_is_a_failed_ask() -> None:
    large = "x" * ((16 << 20) + 1)
    model = FunctionModel(lambda asked: RawReply("replied", text=large, money=0.5) if asked.ask == "1" else "A")
    replies = put(model, *((str(number), PROMPT) for number in range(3)))
    assert [reply.state for reply in replies] == ["replied", "failed", "replied"]
    assert (replies[1].text, replies[1].money) == (None, 0.5)
    assert replies[1].error == "the reply has 16.0 MB, expected at most 16 MB"


def test_numbers_that_no_call_has_are_ignored() -> None:
    """Tables and sums cannot hold them: neither those of a function, nor those in the ledger of somebody else."""
    wrong = RawReply("replied", text="A", input_tokens=-5, output_tokens=10**30, cached_tokens=7, money=float("inf"))
    reply = put(FunctionModel(lambda asked: wrong, "function/odd"), ("q", PROMPT))[0]
    assert (reply.text, reply.input_tokens, reply.output_tokens, reply.cached_tokens) == ("A", None, None, 7)
    assert reply.money is None
    fields = {"input_tokens": 10**30, "money": -1.0, "attempts": 10**30, "seconds": float("nan"), "output_tokens": 7}
    line = LedgerLine(key="k", ask="q", state="replied", **fields)  # pyright: ignore[reportArgumentType]
    assert (line.input_tokens, line.output_tokens, line.money, line.attempts, line.seconds) == (None, 7, None, 1, None)


def test_functions_that_use_odd_values_have_a_fingerprint_or_a_sentence() -> None:
    class Gone:
        pass

    gone = weakref.proxy(Gone())  # asking it for its class raises an error
    assert FunctionModel(lambda asked: str(gone), "function/proxy").identity
    circle: list[object] = []
    circle.append(circle)
    with pytest.raises(InputError, match=r"a list that contains itself.*name a version of the function"):
        FunctionModel(lambda asked: str(circle), "function/circle")
    assert FunctionModel(lambda asked: str(circle), "function/circle", version="1").identity == {"code": "1"}


def test_wrong_use_is_told() -> None:
    def number(asked: Asked) -> int:
        return 3

    def wrong(asked: Asked) -> str:
        raise InputError("no weights: download them first")

    with pytest.raises(InputError, match=r"function/number returned 3 for q: expected text"):
        put(FunctionModel(number), ("q", PROMPT))
    with pytest.raises(InputError, match="no weights"):
        put(FunctionModel(wrong), ("q", PROMPT))
    with pytest.raises(InputError, match="has no name"):
        FunctionModel(partial(wrong))
    with pytest.raises(InputError, match="at_once 0: expected a number of calls, at least 1"):
        FunctionModel(wrong, at_once=0)
    with pytest.raises(InputError, match="model: found 3: expected the name of a model"):
        as_model(3)


def test_a_stopped_model_calls_nothing_and_a_closed_one_can_be_used_again() -> None:
    calls: list[str] = []

    def note(asked: Asked) -> str:
        calls.append(asked.ask)
        return "A"

    model = FunctionModel(note)
    model.stop()
    with pytest.raises(StoppedError):
        put(model, ("first", PROMPT))
    assert calls == []
    assert put(model, ("second", PROMPT))[0].text == "A"
    assert calls == ["second"]


def test_a_model_stays_what_it_is_and_a_function_becomes_one() -> None:
    model = baseline("baseline/random")
    assert as_model(model) is model
    assert as_model(put).name == "function/put"
    assert FunctionModel(lambda asked: "A", "mine").name == "mine"
    assert FunctionModel(lambda asked: "A").name == "function/lambda"


def saying(letter: str) -> Callable[[Asked], str]:
    def answer(asked: Asked) -> str:
        return letter

    return answer


def test_functions_are_told_apart_by_their_code_and_the_plain_values_that_they_close_over() -> None:
    def first(asked: Asked, letter: str = "A") -> str:
        return letter

    class Says:
        def __call__(self, asked: Asked) -> str:
            return "A"

    assert fingerprint(saying("A")) == fingerprint(saying("A")) != fingerprint(saying("B"))
    assert fingerprint(first) != fingerprint(partial(first, letter="B"))
    assert fingerprint(lambda asked: "A") != fingerprint(lambda asked: "B")
    assert fingerprint(Says()) == fingerprint(Says()) is not None
    assert fingerprint(len) is None
    assert FunctionModel(first, version="2").identity == {"code": "2"}


def test_functions_are_told_apart_by_the_globals_and_functions_that_they_name() -> None:
    def made(changed: str = "") -> str | None:
        variables = {"k": 3, "names": ("a", 1), "log": [], "calls": 0, "json": json, "shift": 0, "again": again}
        code = """
def uses(asked):
    global calls
    calls += 1
    log.append(json.dumps(names))
    return [helper(k) for _ in range(again(2))][0]

def helper(n):
    return uses if n < -1 else "ABC"[(n + shift) % 3]
"""
        exec(code, variables)  # globals of their own
        exec(changed, variables)
        return fingerprint(variables.pop("uses"))

    def again(n: int) -> int:
        return again(n - 1) if n else 1

    assert made() == made() == made("log.append(1); calls = 9; json = None.__class__; unnamed = 5")
    changes = ("k = 4", "k = True", "names = ('a', 2)", "shift = 1", "helper = lambda n: 'A'", "k = None")
    assert len({made(), *(made(change) for change in changes)}) == 1 + len(changes)
    assert fingerprint(again) == fingerprint(again)


def test_async_objects_and_functions_that_return_something_to_wait_for_are_called() -> None:
    class Slow:
        async def __call__(self, asked: Asked) -> str:
            return "B"

    async def slow(asked: Asked) -> str:
        return "C"

    assert put(FunctionModel(Slow(), "slow"), ("q", PROMPT))[0].text == "B"
    assert put(FunctionModel(lambda asked: slow(asked)), ("q", PROMPT))[0].text == "C"
