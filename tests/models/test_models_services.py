"""What today's services take, tell and do: fields they refuse, tokens and money, endless bodies, silence."""

import asyncio
import gzip
import json
import resource
import socket
import time
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from models_chat_server import GOOD, Answer, ChatServer, ask, completion, error, no_pictures

from chronotope.errors import InputError
from chronotope.models import Decoding, RawReply, fitting, open_model, request_fields, watched
from chronotope.models.services import availability
from chronotope.models.services.availability import Trouble
from chronotope.models.services.endpoint import Endpoint
from chronotope.models.services.replies import UnreadableReplyError, read_error, retry_after
from chronotope.models.services.wires.chat import read_completion
from chronotope.protocol import Text


def put(url: str, decoding: Decoding, **settings: object) -> RawReply:
    """One ask with some decoding."""

    async def go() -> RawReply:
        endpoint = Endpoint("endpoint/m", "m", url, **{"retries": 1, "backoff": 0.001, **settings})
        try:
            async with endpoint.open([], no_pictures) as session:
                return await session.ask([Text("q")], decoding, seed="1")
        finally:
            await endpoint.close()

    return asyncio.run(go())


# What is sent.


def test_top_p_of_one_is_not_sent(server: ChatServer) -> None:
    server.restart([GOOD])
    put(server.url, Decoding())
    put(server.url, Decoding(top_p=0.5))
    put(server.url, Decoding(extra={"top_p": 1}))
    assert [request.json.get("top_p") for request in server.received] == [None, 0.5, 1]
    assert "top_p" not in server.received[0].json


REFUSED = {
    "notemp": ("temperature is deprecated for this model.", {}, "--set temperature=null"),
    "both": ("`temperature` and `top_p` cannot both be specified for this model.", {"top_p": 1}, "--set top_p=null"),
    "tgi": ("Input validation error: `top_p` must be > 0.0 and < 1.0", {"top_p": 1}, "--set top_p=null"),
    "litellm": (
        "UnsupportedParamsError: m does not support parameters: ['temperature', 'seed']",
        {"seed": 1},
        "--set temperature=null --set seed=null",
    ),
    "length": (
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        {},
        "--set max_completion_tokens=100",
    ),
    "too long": (
        "'max_tokens' or 'max_completion_tokens' is too large: 100. This model's maximum context length is 64 tokens",
        {},
        "--set max_tokens=N with fewer tokens than 100",
    ),
    "logprobs": ("logprobs is not supported", {"logprobs": True}, "--set logprobs=null"),
}


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize("name", REFUSED)
def test_a_field_that_is_refused_by_name_ends_with_the_flag_that_cures_it(
    server: ChatServer, name: str, status: int
) -> None:
    message, extra, flags = REFUSED[name]
    server.restart([error(status, message)])
    with pytest.raises(InputError) as caught:
        put(server.url, Decoding(extra=extra))
    assert f"the service refuses this form of request: add {flags} (HTTP {status}: " in str(caught.value)
    assert len(server.received) == 1
    with pytest.raises(InputError, match="add --judge-set"):
        put(server.url, Decoding(extra=extra), flag="--judge-set")
    # What it has answered before it takes: then it is this request that is refused.
    server.restart([GOOD, error(status, message)])
    assert [reply.state for reply in ask(server.url, ["1", "2"])][1] == "refused"


@pytest.mark.parametrize("name", ["n", "best_of", "stream", "stream_options", "messages", "model"])
def test_fields_that_cannot_be_meant_are_refused_with_a_sentence(name: str) -> None:
    with pytest.raises(InputError, match=f"the field '{name}' .* cannot be set, because it .*: leave it out"):
        request_fields(Decoding(extra={name: 3}))


def test_one_reply_may_be_asked_for_in_words() -> None:
    assert request_fields(Decoding(extra={"n": 1}))["n"] == 1


@pytest.mark.parametrize(
    ("name", "without"),
    [
        ("openai/o3-mini", True),
        ("openai/o1", True),
        ("openai/o4-mini-2025-04-16", True),
        ("openai/gpt-5", True),
        ("openai/gpt-5-mini", True),
        ("openai/gpt-5.2", True),
        ("openai/gpt-5-chat-latest", False),
        ("openai/gpt-4o", False),
        ("openai/gpt-50", False),
        ("anthropic/claude-opus-4-7", True),
        ("anthropic/claude-opus-4-10-20270101", True),
        ("anthropic/claude-opus-4-6", False),
        ("anthropic/claude-opus-4-20250514", False),
        ("anthropic/claude-sonnet-4-5", False),
        ("anthropic/claude-sonnet-4-6", False),
        ("anthropic/claude-haiku-4-5-20251001", False),
        ("anthropic/claude-opus-5", True),
        ("anthropic/claude-opus-5-5", True),
        ("anthropic/claude-sonnet-5-5", True),
        ("anthropic/claude-haiku-5-5", True),
        ("anthropic/claude-fable-5-2", True),
        ("anthropic/claude-mythos-preview", True),
        ("google/gemini-2.5-pro", False),
        ("endpoint/o3-mini", False),
        ("baseline/random", False),
    ],
)
def test_models_that_take_no_temperature_are_known(name: str, without: bool) -> None:
    plain = Decoding()
    assert fitting(name, plain) == (Decoding(extra={"temperature": None}) if without else plain)
    assert fitting(name, fitting(name, plain)) == fitting(name, plain)
    assert ("temperature" not in request_fields(fitting(name, plain))) is without
    for chosen in (Decoding(temperature=0.7), Decoding(extra={"temperature": 1})):
        assert fitting(name, chosen) == chosen, "what somebody chose is the service's to refuse"


# What is told of tokens and money.


@pytest.mark.parametrize(
    ("usage", "output", "reasoning", "money"),
    [
        ({"prompt_tokens": 1000, "completion_tokens": 1, "total_tokens": 1801}, 801, 800, None),
        ({"prompt_tokens": 10, "completion_tokens": 50, "total_tokens": 60}, 50, None, None),
        (
            {"prompt_tokens": 10, "completion_tokens": 50, "completion_tokens_details": {"reasoning_tokens": 40}},
            50,
            40,
            None,
        ),
        ({"prompt_tokens": 10, "total_tokens": 25}, 15, None, None),
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 5}, 5, None, None),
        ({"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.25}, 5, None, 0.25),
        ({"completion_tokens": 5, "cost": -1}, 5, None, None),
        ({"prompt_tokens": 10.0, "completion_tokens": 5.0, "cost": "0.25"}, 5, None, 0.25),
        ({"prompt_tokens": "10", "completion_tokens": "5", "total_tokens": "20", "cost": "2.5e-05"}, 10, 5, 2.5e-05),
        ({"input_tokens": 10, "output_tokens": 5}, 5, None, None),
        ({"completion_tokens": 5.5, "cost": "much"}, None, None, None),
        ({"completion_tokens": "9" * 5000, "cost": "9" * 5000}, None, None, None),
        ({"completion_tokens": 5, "cost": float("nan")}, 5, None, None),
        ({"completion_tokens": 5, "cost": 10**400}, 5, None, None),
        ({"completion_tokens": 10**3999, "prompt_tokens": 10**3999, "total_tokens": 10**3999}, None, None, None),
    ],
)
def test_thoughts_are_counted_and_told_money_is_taken(
    usage: dict, output: int | None, reasoning: int | None, money: float | None
) -> None:
    reply = read_completion(completion("A", usage=usage))
    assert (reply.output_tokens, reply.reasoning_tokens, reply.money) == (output, reasoning, money)


def test_milliseconds_to_wait_come_first(server: ChatServer) -> None:
    assert retry_after({"retry-after-ms": "1500", "retry-after": "30"}) == 1.5
    assert retry_after({"retry-after-ms": "soon", "retry-after": "30"}) == 30
    server.restart([error(429, headers={"Retry-After-Ms": "50", "Retry-After": "30"}), GOOD])
    start = time.monotonic()
    assert ask(server.url)[0].attempts == 2
    assert time.monotonic() - start < 10


# What no reader stumbles over.

YEARS = [
    "Fri, 31 Dec 9999 23:59:59 GMT",
    "Fri, 31 Dec 9999 23:59:59 +99999999999999",
    "Fri, 31 Dec 99999999999999999999 23:59:59 GMT",
    "Sat, 01 Jan 0001 00:00:00 +2359",
]


@pytest.mark.parametrize("date", ["", *YEARS])
@pytest.mark.parametrize("until", YEARS)
def test_dates_that_no_clock_shows_end_nothing(server: ChatServer, until: str, date: str) -> None:
    pause = retry_after({"retry-after": until, "date": date})
    assert pause is None or pause >= 0
    server.restart([GOOD, error(429, headers={"Retry-After": until, "Date": date or None}), GOOD])
    assert [reply.state for reply in ask(server.url, ["1", "2", "3"], retries=0)] == ["replied", "failed", "replied"]


ODD = [10**3999, -(10**3999), 1e308, -1e308, float("nan"), float("inf"), -float("inf"), 10**400, "1e999", None, True]
ODD_JSON = st.recursive(st.sampled_from(ODD) | st.text(max_size=3), lambda inner: st.lists(inner, max_size=2))


@given(ODD_JSON, ODD_JSON, ODD_JSON)
def test_whatever_numbers_come_it_is_a_reply_or_a_sentence(number: object, other: object, third: object) -> None:
    tokens = [{"token": "A", "logprob": number, "top_logprobs": [{"token": "B", "logprob": other}]}]
    usage = {"prompt_tokens": number, "completion_tokens": other, "total_tokens": third, "cost": number}
    body = json.loads(completion("A", usage=usage, reasoning=third))
    body["choices"][0]["logprobs"] = {"content": tokens}
    reply = read_completion(json.dumps(body).encode())
    assert reply.text == "A" and (reply.output_tokens or 0) < 10**10
    with pytest.raises(UnreadableReplyError):
        read_completion(json.dumps({"error": {"message": number, "code": other}, "choices": third}).encode())
    read_error(json.dumps({"error": {"message": number, "code": other, "param": third}}).encode())


def test_a_huge_log_probability_loses_no_answer(server: ChatServer) -> None:
    body = json.loads(completion("A"))
    body["choices"][0]["logprobs"] = {"content": [{"token": "A", "logprob": 10**3999}]}
    server.restart([Answer(json.dumps(body).encode())])
    (reply,) = ask(server.url)
    assert (reply.state, reply.letter_log_probabilities) == ("replied", None)


# How much is read, and for how long.


def bomb(megabytes: int) -> bytes:
    """A body that is small as it is sent and large when decompressed, and that would be a completion."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    head, tail = completion("A" * 10)[:-1], b',"pad":"'
    parts = [packer.compress(head + tail), *(packer.compress(b"A" * (1 << 20)) for _ in range(megabytes))]
    return b"".join([*parts, packer.compress(b'"}'), packer.flush()])


def test_a_compressed_bomb_is_one_failed_call_and_fills_no_memory(server: ChatServer) -> None:
    body = bomb(400)
    assert len(body) < 1 << 20
    server.restart([Answer(body, headers={"Content-Encoding": "gzip"}), GOOD])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    try:
        bombed, after = ask(server.url, ["1", "2"])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (bombed.state, bombed.attempts, after.state) == ("failed", 1, "replied")
    assert bombed.error == "the body is larger than 16 MB"
    assert peak < 64 << 20 and resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10


def test_a_plain_body_without_end_is_one_failed_call(server: ChatServer) -> None:
    server.restart([Answer(b" " * (17 << 20))])
    (reply,) = ask(server.url)
    assert (reply.state, reply.attempts, reply.error) == ("failed", 1, "the body is larger than 16 MB")


def test_a_large_compressed_reply_is_read(server: ChatServer) -> None:
    text = "word " * 1_000_000
    server.restart([Answer(gzip.compress(completion(text)), headers={"Content-Encoding": "gzip"})])
    (reply,) = ask(server.url)
    assert (reply.state, reply.text) == ("replied", text)
    assert server.received[0].header("accept-encoding") == "gzip"


@pytest.mark.parametrize("status", [200, 500])
def test_the_time_out_bounds_a_slow_drip(server: ChatServer, status: int) -> None:
    server.restart([Answer(completion("A" * 1000), status=status, drip=0.02)])
    start = time.monotonic()
    (reply,) = ask(server.url, timeout=0.5, retries=0)
    assert (reply.state, reply.error) == ("failed", "no answer within 0.5 s")
    assert time.monotonic() - start < 5


# Who is told what.


def watching(url: str, seconds: float, **settings: object) -> tuple[list[str], RawReply | str]:
    """What is said while one ask goes on for some time, and what became of it."""
    said: list[str] = []

    async def go() -> RawReply | str:
        endpoint = Endpoint("endpoint/m", "m", url, **{"retries": 5, "backoff": 0.1, **settings})
        try:
            async with (
                asyncio.timeout(seconds),
                watched(endpoint.trouble, said.append),
                endpoint.open([], no_pictures) as session,
            ):
                return await session.ask([Text("q")], Decoding(), seed="1")
        except (InputError, TimeoutError) as problem:
            return str(problem)
        finally:
            await endpoint.close()

    return said, asyncio.run(go())


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(availability, "SILENT", 0.3)
    monkeypatch.setattr(availability, "LOOK", 0.05)


def test_silence_is_told_within_half_a_minute() -> None:
    assert availability.SILENT + 2 * availability.LOOK < 30


def test_nobody_listening_is_said_at_once_and_given_up_after_the_wait(soon: None) -> None:
    with socket.socket() as bound:  # bound and not listening: connections are refused
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}/v1"
        start = time.monotonic()
        said, problem = watching(url, 10, wait=0.5)
        assert 0.5 <= time.monotonic() - start < 5
    assert len(said) == 1 and said[0].startswith(
        f"no service answers at {url}/chat/completions yet: trying for 0.5 s ("
    )
    assert "no service answers there" in str(problem) and "tried for 0.5 s" in str(problem)


def test_somebody_who_comes_within_the_wait_is_found(soon: None) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]

    async def go() -> RawReply:
        endpoint = Endpoint("endpoint/m", "m", f"http://127.0.0.1:{port}/v1", backoff=0.05, wait=10)
        async with endpoint.open([], no_pictures) as session:
            asked = asyncio.create_task(session.ask([Text("q")], Decoding(), seed="1"))
            await asyncio.sleep(0.4)
            assert endpoint.trouble() is not None and not asked.done()
            with ChatServer([GOOD], port=port):
                reply = await asked
        await endpoint.close()
        assert endpoint.trouble() is None
        return reply

    reply = asyncio.run(go())
    assert (reply.state, reply.attempts) == ("replied", 1)


def test_a_service_that_says_nothing_is_named(server: ChatServer, soon: None) -> None:
    server.restart([Answer(hang=True)])
    said, _ = watching(server.url, 1.0)
    assert len(said) == 1 and said[0].startswith(f"endpoint/m at {server.url}/chat/completions: no answer since ")
    assert said[0].endswith(", it has sent no message")


def test_a_service_that_asks_to_wait_again_and_again_is_named(server: ChatServer, soon: None) -> None:
    server.restart([error(429, "slow down", headers={"Retry-After": "120"})])
    said, _ = watching(server.url, 1.0)
    assert len(said) == 1 and "its last message is HTTP 429: slow down; it asks to wait 120 s" in said[0]


def test_a_service_that_answers_is_not_spoken_of(server: ChatServer, soon: None) -> None:
    server.restart([Answer(completion(), delay=0.1)])

    async def go() -> list[Trouble | None]:
        endpoint = Endpoint("endpoint/m", "m", server.url)
        found = []
        async with endpoint.open([], no_pictures) as session:
            for number in range(6):
                await session.ask([Text("q")], Decoding(), seed=str(number))
                found.append(endpoint.trouble())
        await asyncio.sleep(0.4)
        await endpoint.close()
        return [*found, endpoint.trouble()]

    assert asyncio.run(go()) == [None] * 7


def test_baselines_are_in_no_trouble() -> None:
    assert open_model("baseline/random").trouble() is None
