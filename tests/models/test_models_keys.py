"""Whatever a service repeats of the key, it is in its own header and nowhere else."""

import asyncio
import json
import logging
import traceback
from collections.abc import Callable
from dataclasses import asdict, fields

import pytest
from models_chat_server import GOOD, Answer, ChatServer, ask, completion, error
from pydantic import SecretStr

from chronotope.errors import InputError
from chronotope.models import Decoding, RawReply, open_model
from chronotope.models.services.endpoint import Endpoint
from chronotope.protocol import Text

KEY = "sk-canary-0123456789/abc+DEF="
ESCAPED = KEY.replace("/", "\\/")  # as PHP and others write it in JSON


def said(action: Callable[[], object], caplog: pytest.LogCaptureFixture) -> str:
    """Everything that an action says: its result, its exception with the traceback and all locals, its logs."""
    caplog.clear()
    with caplog.at_level(logging.DEBUG):
        try:
            told = repr(action())
        except InputError as problem:
            told = "".join(traceback.format_exception(problem))
            told += "".join(traceback.TracebackException.from_exception(problem, capture_locals=True).format())
            told += repr(problem) + repr(problem.args) + repr(vars(problem))
            assert problem.__context__ is None, "no chain to an error that holds what the service answered"
    return told + caplog.text + "".join(str(record.args) for record in caplog.records)


def page(text: str, status: int = 200) -> Answer:
    return Answer(f"<html><body>{text}</body></html>".encode(), status, {"Content-Type": "text/html"})


def in_choice(**fields: object) -> bytes:
    body = json.loads(completion())
    body["choices"][0] |= fields
    return json.dumps(body).encode()


REPEATED = {
    "no fault": GOOD,
    "400": error(400, f"you sent {KEY} and it is invalid"),
    "401": error(401, f"Incorrect API key: {KEY}"),
    "401 at the end of a long text": error(401, "x" * 285 + KEY),
    "401 in code and parameter": error(401, "no", code=KEY, param=KEY, type=KEY),
    "400 in code and parameter": error(400, "no", code=KEY, param=KEY, type=KEY),
    "402": error(402, f"{KEY} has no credit"),
    "404": error(404, f"{KEY} finds nothing"),
    "500": error(500, f"{KEY} broke"),
    "502 as text": Answer(f"key {KEY}".encode(), 502),
    "401 as a page": page(KEY, 401),
    "200 as a page": page(KEY),
    "401 with an escaped key": Answer(('{"error": {"message": "' + ESCAPED + '"}}').encode(), 401),
    "401 with half an error": Answer(('{"error": {"message": "' + ESCAPED).encode(), 401),
    "401 with a list": Answer(json.dumps([{"error": [KEY]}]).encode(), 401),
    "401 with another shape": Answer(json.dumps({"problem": {"key": [KEY]}}).encode(), 401),
    "401 not UTF-8": Answer(KEY.encode() + b"\xff", 401),
    "200 with an error": Answer(('{"error": "' + ESCAPED + '"}').encode()),
    "200 with an error in the choice": Answer(in_choice(error={"message": KEY, "code": KEY})),
    "200 with half a completion": Answer(completion(KEY)[:-9]),
    "200 not UTF-8": Answer(KEY.encode() + b"\xff"),
    "200 with something else": Answer(json.dumps({KEY: KEY}).encode()),
    "200 with a number of a type": Answer(completion({"key": KEY})),
    "reset": Answer(reset=True),
    "reason of a 401": Answer(b"{}", 401, reason=f"who is {KEY}"),
    "reason of a 500": Answer(b"{}", 500, reason=f"who is {KEY}"),
    "Location": Answer(b"{}", 301, {"Location": f"https://elsewhere/{KEY}"}),
    "a broken Location": Answer(b"{}", 301, {"Location": f"http://[{KEY}"}),
    "a cookie": error(500, headers={"Set-Cookie": f"session={KEY}; Path=/"}),
    "Retry-After": error(429, headers={"Retry-After": KEY}),
    "headers of a 401": error(401, "no", headers={"WWW-Authenticate": f'Bearer realm="{KEY}"', "X-Key": KEY}),
    "Content-Type": Answer(completion(), headers={"Content-Type": f"text/{KEY}"}),
    "Content-Encoding": Answer(completion(), headers={"Content-Encoding": KEY}),
    "a header that is none": Answer(completion(), headers={f"{KEY} (": KEY}),
    "a status that is none": Answer(b"{}", 99, reason=KEY),
    "text": Answer(completion(f"Authorization: Bearer {KEY}\nB")),
    "parts": Answer(completion([{"type": "text", "text": KEY}, {"type": "thinking", "thinking": KEY}])),
    "reasoning": Answer(completion("B", reasoning_content=f"The key is {KEY}.")),
    "finish": Answer(completion("B", f"stop {KEY}")),
    "withheld": Answer(completion("B", f"content_filter {KEY}")),
    "refusal": Answer(completion(None, "stop", refusal=f"No, {KEY}")),
    "log-probabilities": Answer(
        in_choice(logprobs={"content": [{"token": "A", "logprob": -1.0, "top_logprobs": [{"token": KEY}]}]})
    ),
    "usage": Answer(completion("B", usage={"prompt_tokens": KEY, "prompt_tokens_details": {"cached_tokens": KEY}})),
}


@pytest.mark.parametrize("name", REPEATED)
def test_the_key_is_in_the_authorization_header_and_nowhere_else(
    server: ChatServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("CHRONOTOPE_API_KEY", KEY)

    async def from_environment() -> list[RawReply]:
        model = open_model("endpoint/m", base_url=server.url)
        assert isinstance(model, Endpoint)
        model._retries, model._backoff = 1, 0.001
        try:
            async with model.open([], lambda shown: pytest.fail("no picture here")) as session:
                return [await session.ask([Text(seed)], Decoding(), seed=seed) for seed in ("1", "2")]
        finally:
            await model.close()

    server.restart([REPEATED[name]])
    told = said(lambda: asyncio.run(from_environment()), caplog)
    assert told
    for part in (KEY[:12], KEY[10:20], KEY[-8:]):
        assert part not in told
    for request in server.received:
        assert request.header("authorization") == f"Bearer {KEY}"
        others = [value for header, value in request.headers if header.lower() != "authorization"]
        assert KEY not in " ".join(others) + request.path + request.raw.decode()


def test_a_reply_that_repeats_the_key_is_otherwise_whole(server: ChatServer) -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 3}}
    server.restart([Answer(completion(f"B, by {KEY}{KEY}\n", "stop", usage, reasoning=f"<{KEY}>"))])
    (reply,) = ask(server.url, api_key=SecretStr(KEY))
    assert (reply.state, reply.text, reply.reasoning) == ("replied", "B, by [key][key]\n", "<[key]>")
    assert (reply.finish, reply.input_tokens, reply.output_tokens, reply.cached_tokens) == ("stop", 5, 4, 3)
    assert all(KEY not in str(value) for value in asdict(reply).values())
    assert {field.name for field in fields(RawReply) if field.type == "str | None"} <= {
        "text",
        "reasoning",
        "finish",
        "error",
    }, "another text of a reply is to be cleaned too"


@pytest.mark.parametrize("word", ["A", "none", "x", "EMPTY"])
def test_a_word_in_place_of_a_key_changes_no_reply(server: ChatServer, word: str) -> None:
    text = f"{word}: the answer is {word}"
    server.restart([Answer(completion(text, reasoning=text))])
    (reply,) = ask(server.url, api_key=SecretStr(word))
    assert (reply.text, reply.reasoning) == (text, text)
    assert server.received[0].header("authorization") == f"Bearer {word}"


@pytest.mark.parametrize("key", ["canary key", "canary\nsecond", "canäry", "canary\x00", 'canary"', "canary\\"])
def test_a_key_that_no_header_holds_is_not_repeated(caplog: pytest.LogCaptureFixture, key: str) -> None:
    secret = SecretStr(key)
    told = said(lambda: Endpoint("endpoint/m", "m", "http://h/v1", secret), caplog)
    assert "contains a blank or an invalid character" in told
    assert key[:5] not in told


def test_the_key_is_in_no_repr() -> None:
    endpoint = Endpoint("endpoint/m", "m", "http://localhost:1/v1", SecretStr(KEY))
    seen, queue = set(), [endpoint]
    while queue:  # everything that a debugger or a pretty traceback would print of it
        thing = queue.pop()
        if id(thing) in seen or isinstance(thing, SecretStr):
            continue
        seen.add(id(thing))
        assert KEY not in repr(thing)
        queue += list(vars(thing).values()) if hasattr(thing, "__dict__") else []
    assert len(seen) > 10
    asyncio.run(endpoint.close())
