"""What a service receives, and what becomes of its reply."""

import asyncio
import base64
import hashlib
import json
import math
import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models_chat_server import GOOD, Answer, ChatServer, completion
from pydantic import ValidationError

from chronotope import __version__
from chronotope.errors import InputError
from chronotope.media import Encoded
from chronotope.models import Decoding, RawReply
from chronotope.models.services.body import Encoder, stream
from chronotope.models.services.endpoint import Endpoint
from chronotope.models.services.wire import Fields
from chronotope.models.services.wires.chat import CHAT, SHAPE, ChatForm, request_fields
from chronotope.protocol import Image, Option, Part, Picture, PictureFile, Text, Video

BYTES = {name: bytes((i * 37 + j * j) % 256 for j in range(50 + 997 * i)) for i, name in enumerate("abcdev")}
NOTHING = Fields({}, {})
TYPES = {"e": "image/png", "v": "video/mp4"}


class Pictures:
    """The pictures and the video by path, counting how often each is asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, shown: Picture | Video) -> Encoded:
        self.asked.append(shown.path)
        data = BYTES[shown.path]
        return Encoded(data, hashlib.sha256(data).hexdigest(), TYPES.get(shown.path, "image/jpeg"))


def picture(name: str) -> PictureFile:
    return PictureFile(name, hashlib.sha256(BYTES[name]).hexdigest())


def sha(*names: str) -> tuple[str, ...]:
    return tuple(hashlib.sha256(BYTES[name]).hexdigest() for name in names)


def ask(
    server: ChatServer, prefix: Sequence[Part], *tails: Sequence[Part], decoding: Decoding | None = None
) -> list[RawReply]:
    """Put each tail after the prefix, one after the other, in one session."""

    async def go() -> list[RawReply]:
        endpoint = Endpoint("endpoint/m", "org/m", server.url, retries=0, timeout=10)
        try:
            async with endpoint.open(prefix, Pictures()) as session:
                return [await session.ask(tail, decoding or Decoding(), seed=str(i)) for i, tail in enumerate(tails)]
        finally:
            await endpoint.close()

    return asyncio.run(go())


def heard(body: dict) -> list[tuple[str, str, str]]:
    """(role, "text" or media type, text or SHA-256 of the bytes) of everything in a body, as a server reads it."""
    found = []
    for message in body["messages"]:
        content = message["content"]
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if part["type"] == "text":
                found.append((message["role"], "text", part["text"]))
                continue
            head, _, data = part[part["type"]]["url"].partition(";base64,")
            assert part["type"] == ("video_url" if head.startswith("data:video/") else "image_url")
            assert set(part) == {"type", part["type"]} and set(part[part["type"]]) == {"url"}
            digest = hashlib.sha256(base64.b64decode(data, validate=True)).hexdigest()
            found.append((message["role"], head.removeprefix("data:"), digest))
    return found


def meant(parts: Sequence[Part]) -> list[tuple[str, str, str]]:
    """The same of parts, by the rule alone: neighbouring texts of one role are one, nothing else changes place."""
    flat: list[tuple[str, str, str]] = []
    for part in parts:
        words = part.text if isinstance(part, Text) else part.shown if isinstance(part, Option) else None
        if words is not None:
            if flat and flat[-1][:2] == (part.role, "text"):
                flat[-1] = (part.role, "text", flat[-1][2] + words)
            else:
                flat.append((part.role, "text", words))
        shown = part.picture if isinstance(part, Image) else part.image if isinstance(part, Option) else None
        shown = part if isinstance(part, Video) else shown
        if shown is not None:
            flat.append((part.role, TYPES.get(shown.path, "image/jpeg"), *sha(shown.path)))
    return [piece for piece in flat if piece[1:] != ("text", "")]


roles = st.sampled_from(["system", "user"])
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
shown = st.sampled_from("abcde").map(picture)
parts = st.lists(
    st.builds(Text, texts, roles)
    | st.builds(Image, shown, roles)
    | st.builds(Video, st.just("v"), st.just(sha("v")[0]), roles)
    | st.builds(Option, st.sampled_from("ABC"), texts, texts, st.none() | shown, roles),
    max_size=12,
)


@settings(max_examples=80)
@given(parts=parts, cut=st.integers(0, 12))
def test_everything_arrives_to_the_letter_and_in_order(server: ChatServer, parts: list[Part], cut: int) -> None:
    server.restart([GOOD])
    (reply,) = ask(server, parts[:cut], parts[cut:])
    assert reply.state == "replied"
    assert [piece for piece in heard(server.received[0].json) if piece[1:] != ("text", "")] == meant(parts)
    assert reply.pictures == tuple(digest for _, kind, digest in meant(parts) if kind != "text")


def test_texts_join_across_the_end_of_the_prefix(server: ChatServer) -> None:
    server.restart([GOOD])
    ask(server, [Image(picture("a")), Text('What "is')], [Text(' this"?\n'), Option("A", "A. ä\n", "ä"), Text("\\")])
    content = server.received[0].json["messages"][0]["content"]
    assert [part["type"] for part in content] == ["image_url", "text"]
    assert content[1]["text"] == 'What "is this"?\nA. ä\n\\'


def test_a_system_part_is_a_system_message_and_texts_alone_are_a_string(server: ChatServer) -> None:
    server.restart([GOOD])
    ask(server, [Text("Be brief.", "system"), Text("Which?")], [Text(" A or B")])
    assert server.received[0].json["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Which? A or B"},
    ]


def test_the_request_line_headers_and_settings(server: ChatServer) -> None:
    server.restart([GOOD])
    decoding = Decoding(temperature=0.7, top_p=0.9, max_tokens=7, extra={"seed": 3, "chat_template_kwargs": {"x": [1]}})
    ask(server, [Image(picture("c"))], [Text("q")], decoding=decoding)
    request = server.received[0]
    assert request.path == "/v1/chat/completions"
    assert request.header("content-type") == "application/json"
    assert request.header("content-length") == str(len(request.raw))
    assert request.header("user-agent") == f"chronotope/{__version__}"
    assert request.header("transfer-encoding") is None
    assert request.header("authorization") is None
    fields = {name: value for name, value in request.json.items() if name != "messages"}
    assert fields == {
        "model": "org/m",
        "temperature": 0.7,
        "top_p": 0.9,
        "max_tokens": 7,
        "seed": 3,
        "chat_template_kwargs": {"x": [1]},
    }


def test_extra_fields_replace_and_null_removes(server: ChatServer) -> None:
    server.restart([GOOD])
    extra = {"temperature": None, "top_p": 0.5, "max_completion_tokens": 900}
    ask(server, [], [Text("q")], decoding=Decoding(extra=extra))
    fields = {name: value for name, value in server.received[0].json.items() if name not in ("messages", "model")}
    assert fields == {"top_p": 0.5, "max_completion_tokens": 900}


@pytest.mark.parametrize(
    "extra",
    [
        {"messages": []},
        {"model": "other"},
        {"stream": True},
        {"max_tokens": 0},
        {"max_tokens": "100"},
        {"max_tokens": True},
        {"max_completion_tokens": 99.5},
    ],
)
def test_settings_that_cannot_be_sent_are_a_sentence(server: ChatServer, extra: dict) -> None:
    server.restart([GOOD])
    with pytest.raises(InputError, match="request"):
        ask(server, [], [Text("q")], decoding=Decoding(extra=extra))
    assert not server.received


@pytest.mark.parametrize("value", [math.nan, object()])
def test_what_json_cannot_hold_is_refused_before_anything_is_asked(value: object) -> None:
    with pytest.raises(ValidationError, match="x cannot be written as JSON"):
        Decoding(extra={"x": value})


LIMITS = ("max_tokens", "max_completion_tokens")


@pytest.mark.parametrize("field", LIMITS)
@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ({}, {"FIELD": 100}),
        ({"max_completion_tokens": 900}, {"max_completion_tokens": 900}),
        ({"max_tokens": 900}, {"max_tokens": 900}),
        ({"max_tokens": 9, "max_completion_tokens": 8}, {"max_tokens": 9, "max_completion_tokens": 8}),
        ({"max_tokens": None, "max_completion_tokens": None}, {}),
        ({"max_tokens": None}, {}),
        ({"max_completion_tokens": None}, {}),
        ({"max_tokens": 8, "max_completion_tokens": None}, {"max_tokens": 8}),
        ({"max_tokens": None, "max_completion_tokens": 8}, {"max_completion_tokens": 8}),
    ],
)
def test_one_field_limits_the_reply(field: Literal["max_tokens", "max_completion_tokens"], extra, expected) -> None:
    fields = request_fields(Decoding(extra=extra), field)
    assert {name: fields[name] for name in LIMITS if name in fields} == {
        (field if name == "FIELD" else name): value for name, value in expected.items()
    }


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ({}, ("max_tokens", 100)),
        ({"seed": 3}, ("max_tokens", 100)),
        ({"max_tokens": 900}, ("max_tokens", 900)),
        ({"max_completion_tokens": 900}, ("max_completion_tokens", 900)),
        ({"max_completion_tokens": 900, "max_tokens": None}, ("max_completion_tokens", 900)),
        ({"max_completion_tokens": None, "max_tokens": 900}, ("max_tokens", 900)),
        ({"max_completion_tokens": 8, "max_tokens": 900}, ("max_completion_tokens", 8)),
        ({"max_tokens": None}, ("max_tokens", None)),
        ({"max_completion_tokens": None}, ("max_completion_tokens", None)),
    ],
)
def test_the_longest_reply_is_what_is_sent(extra: dict, expected: tuple[str, int | None]) -> None:
    decoding = Decoding(extra=extra)
    assert decoding.longest_reply == expected
    assert request_fields(decoding).get(expected[0]) == expected[1]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", ["temperature", "top_p"])
def test_settings_are_finite(name: str, value: float) -> None:
    with pytest.raises(ValidationError, match="finite"):
        Decoding.model_validate({name: value})


def test_the_field_of_the_service_is_sent(server: ChatServer) -> None:
    server.restart([GOOD])

    async def go() -> None:
        endpoint = Endpoint("openai/m", "m", server.url, wire=ChatForm("max_completion_tokens"))
        async with endpoint.open([], Pictures()) as session:
            await session.ask([Text("q")], Decoding(max_tokens=7), seed="1")
        await endpoint.close()

    asyncio.run(go())
    assert server.received[0].json["max_completion_tokens"] == 7
    assert "max_tokens" not in server.received[0].json


def test_a_video_is_sent_as_a_file_and_its_hash_is_told(server: ChatServer) -> None:
    server.restart([GOOD])
    (reply,) = ask(server, [Image(picture("a")), Video("v", sha("v")[0]), Text("q")], [Image(picture("b"))])
    content = server.received[0].json["messages"][0]["content"]
    assert content[1] == {
        "type": "video_url",
        "video_url": {"url": "data:video/mp4;base64," + base64.b64encode(BYTES["v"]).decode()},
    }
    assert reply.pictures == sha("a", "v", "b")


def test_many_asks_share_the_encoded_pictures(server: ChatServer) -> None:
    pictures = Pictures()
    encoder = Encoder(pictures, SHAPE)
    prefix = encoder.prefix([Text("t"), Image(picture("a")), Video("v", sha("v")[0])])
    tails = [encoder.pieces([Text(str(i)), Image(picture("b"))]) for i in range(3)]
    bodies = [CHAT.body("m", [*prefix, *tail], NOTHING) for tail in tails]
    held = {id(fragment) for body in bodies for fragment in body if len(fragment) > 100}
    assert held == {id(fragment) for fragment in (*prefix[0].fragments, *tails[0][-1].fragments)}
    assert prefix[0].sha256 == sha("a", "v") and pictures.asked.count("a") == 1
    for i, body in enumerate(bodies):
        assert [value for _, _, value in heard(json.loads(b"".join(body)))] == ["t", *sha("a", "v"), str(i), *sha("b")]


def test_chunks_are_the_body() -> None:
    body = [bytes([i % 256]) * (i * i * 7 % 90_000) for i in range(60)] + [bytes(range(256)) * 4096, b"end"]

    async def chunks() -> list[bytes]:
        return [chunk async for chunk in stream(body)]

    sent = asyncio.run(chunks())
    assert b"".join(sent) == b"".join(body)
    assert len(sent) < len(body)
    assert all(len(chunk) <= 1 << 18 < len(chunk) + len(following) for chunk, following in pairwise(sent))


ROLES = st.sampled_from(["system", "user"])
PARTS = st.one_of(
    st.builds(Text, st.sampled_from(["", "t", 'say "no"\n', "左"]), ROLES),
    st.builds(Image, st.sampled_from("abc").map(lambda name: PictureFile(name, name)), ROLES),
    st.builds(Video, st.just("v"), st.just("v"), ROLES),
    st.builds(Option, st.just("A"), st.just("A. x"), image=st.none() | st.just(PictureFile("d", "d")), role=ROLES),
)


@given(st.lists(PARTS, max_size=9), st.lists(PARTS, max_size=3))
def test_a_prefix_changes_nothing_of_what_is_sent(prefix: list[Part], tail: list[Part]) -> None:
    encoder = Encoder(lambda shown: Encoded(shown.path.encode() * 9, shown.path, "image/jpeg"), SHAPE)
    together = [*encoder.prefix(prefix), *encoder.pieces(tail)]
    apart = encoder.pieces([*prefix, *tail])
    assert b"".join(CHAT.body("m", together, NOTHING)) == b"".join(CHAT.body("m", apart, NOTHING))
    assert [sha for piece in together for sha in piece.sha256] == [sha for piece in apart for sha in piece.sha256]


@pytest.mark.parametrize("labelled", [False, True])
def test_chunks_of_a_prefix_are_sent_as_they_are(labelled: bool) -> None:
    encoder = Encoder(lambda shown: Encoded(shown.path.encode() * 100_000, shown.path, "image/jpeg"), SHAPE)
    label = [Text("this: ")] if labelled else []
    parts = [part for name in "abcdefghij" for part in (*label, Image(PictureFile(name, name)))]
    body = CHAT.body("m", [*encoder.prefix([*parts, Text("What")]), *encoder.pieces([Text(" is it?")])], NOTHING)

    async def chunks() -> list[bytes]:
        return [chunk async for chunk in stream(body)]

    sent = {id(chunk) for chunk in asyncio.run(chunks())}
    large = [fragment for fragment in body if len(fragment) > 1 << 18]
    assert len(large) == 3 and sent.issuperset(map(id, large))


def test_many_requests_in_flight_hold_their_pictures_once() -> None:
    data = {name: bytes([i]) * 60_000 for i, name in enumerate("abcdefgh")}
    data["v"] = bytes(4_000_000)

    def load(shown: Picture | Video) -> Encoded:
        return Encoded(data[shown.path], shown.path, "image/jpeg")

    async def go() -> tuple[int, int]:
        tracemalloc.start()
        encoder = Encoder(load, SHAPE)
        pictures = [part for name in "abcdefgh" for part in (Text(name), Image(PictureFile(name, name)))]
        prefix = encoder.prefix([*pictures, Video("v", "v")])
        encoded = tracemalloc.get_traced_memory()[0]
        streams = [stream(CHAT.body("m", [*prefix, *encoder.pieces([Text(str(i))])], NOTHING)) for i in range(72)]
        chunks = [await anext(body) for body in streams for _ in range(6)][5::6]
        asked = tracemalloc.get_traced_memory()[0]
        assert len(chunks) == 72
        for body in streams:
            await body.aclose()
        tracemalloc.stop()
        return encoded, asked - encoded

    encoded, more = asyncio.run(go())
    once = sum(map(len, data.values())) * 4 / 3
    assert once <= encoded < once + 20_000, "the bytes in base64 and nothing else"
    assert more < 1_000_000, "no chunk but those that all share"


USAGE = {"prompt_tokens": 900, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 800}}
LOGPROBS = [
    {"token": " ", "logprob": -0.1},
    {
        "token": "B",
        "logprob": math.log(0.5),
        "top_logprobs": [
            {"token": "B", "logprob": math.log(0.5)},
            {"token": " B", "logprob": math.log(0.25)},
            {"token": "C", "logprob": math.log(0.1)},
            {"token": "The", "logprob": -4.0},
        ],
    },
]


def choice(logprobs: object, text: str = " B") -> bytes:
    body = json.loads(completion(text))
    body["choices"][0]["logprobs"] = logprobs
    return json.dumps(body).encode()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            completion("B", "length", USAGE),
            RawReply("replied", "B", None, "length", input_tokens=900, cached_tokens=800, output_tokens=3),
        ),
        (
            completion("B", usage={"prompt_tokens": True, "completion_tokens": "3"}),
            RawReply("replied", "B", None, "stop", output_tokens=3),
        ),
        (completion("B", reasoning_content="think"), RawReply("replied", "B", "think", "stop")),
        (completion("B", reasoning="think"), RawReply("replied", "B", "think", "stop")),
        (completion(None, "length", reasoning="th"), RawReply("replied", "", "th", "length")),
        (completion("", "stop"), RawReply("replied", "", None, "stop")),
        (
            completion([{"type": "text", "text": "A"}, {"type": "other"}, {"type": "text", "text": "nswer: B"}]),
            RawReply("replied", "Answer: B", None, "stop"),
        ),
        (
            completion(
                [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "B"}]
            ),
            RawReply("replied", "B", "hm", "stop"),
        ),
        (
            completion("I c", "content_filter"),
            RawReply(
                "refused",
                "I c",
                None,
                "content_filter",
                error="the service withheld the reply (finish reason content_filter)",
            ),
        ),
        (completion(None, "stop", refusal="I cannot"), RawReply("refused", "I cannot", None, "stop")),
        (completion("ü 😀 \u2028"), RawReply("replied", "ü 😀 \u2028", None, "stop")),
    ],
)
def test_replies(server: ChatServer, body: bytes, expected: RawReply) -> None:
    server.restart([Answer(body)])
    (reply,) = ask(server, [], [Text("q")])
    assert reply.seconds is not None and 0 < reply.seconds < 10
    assert replace(reply, seconds=None) == expected


def test_letter_log_probabilities(server: ChatServer) -> None:
    server.restart([Answer(choice({"content": LOGPROBS}))])
    (reply,) = ask(server, [], [Text("q")])
    assert reply.letter_log_probabilities == pytest.approx({"B": math.log(0.75), "C": math.log(0.1)})


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        {},
        {"content": []},
        {"content": None},
        {"content": [{"token": "The", "logprob": -1.0}]},
        {"content": [{"token": 3}]},
        {"content": [{"token": "B", "logprob": None}]},
        {"content": [{"token": "B", "logprob": float("nan")}]},
        {"content": ["B"]},
        {"content": "B"},
        [["B", -0.5]],
        {"tokens": ["B"], "token_logprobs": [-0.5], "top_logprobs": [{"B": -0.5, "A": -1.0}], "text_offset": [0]},
    ],
)
def test_log_probabilities_that_say_nothing(server: ChatServer, logprobs: object) -> None:
    server.restart([Answer(choice(logprobs, "B"))])
    (reply,) = ask(server, [], [Text("q")])
    assert (reply.state, reply.text, reply.letter_log_probabilities) == ("replied", "B", None)


def test_five_top_log_probabilities_as_services_write_them(server: ChatServer) -> None:
    """The sampled token among the five or not, bytes beside it, and -9999 or -Infinity for what cannot be."""
    top = [("C", -0.1), ("A", -2.5), (" C", -4.0), ("D", -9999.0), ("**", -math.inf)]
    tokens = [{"token": token, "logprob": value, "bytes": list(token.encode())} for token, value in top]
    for sampled in (tokens[0], {"token": "B", "logprob": -7.0, "bytes": [66]}):
        content = [sampled | {"top_logprobs": tokens}, {"token": ".", "logprob": -0.01, "top_logprobs": tokens}]
        server.restart([Answer(choice({"content": content, "refusal": None}))])
        decoding = Decoding(extra={"logprobs": True, "top_logprobs": 5})
        (reply,) = ask(server, [], [Text("q")], decoding=decoding)
        assert (server.received[0].json["logprobs"], server.received[0].json["top_logprobs"]) == (True, 5)
        expected = {"A": -2.5, "C": math.log(math.exp(-0.1) + math.exp(-4.0)), "D": -9999.0}
        assert reply.letter_log_probabilities == pytest.approx(expected | ({} if sampled is tokens[0] else {"B": -7.0}))
