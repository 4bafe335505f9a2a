"""What a service receives, and what becomes of its reply."""

import asyncio
import base64
import hashlib
import json
import math
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models_chat_server import GOOD, Answer, ChatServer, completion

from chronotope.errors import InputError
from chronotope.media import Encoded
from chronotope.models import Decoding, Endpoint, RawReply
from chronotope.models.body import Encoder, fragments, stream
from chronotope.protocol import Image, Option, Part, Picture, PictureFile, Text, Video

BYTES = {name: bytes((i * 37 + j * j) % 256 for j in range(50 + 997 * i)) for i, name in enumerate("abcde")}


class Pictures:
    """The pictures by path, counting how often each is asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, picture: Picture) -> Encoded:
        self.asked.append(picture.path)
        data = BYTES[picture.path]
        return Encoded(data, hashlib.sha256(data).hexdigest(), "image/png" if picture.path == "e" else "image/jpeg")


def picture(name: str) -> PictureFile:
    return PictureFile(name, hashlib.sha256(BYTES[name]).hexdigest())


def sha(*names: str) -> tuple[str, ...]:
    return tuple(hashlib.sha256(BYTES[name]).hexdigest() for name in names)


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


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
            head, _, data = part["image_url"]["url"].partition(";base64,")
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
        if shown is not None:
            flat.append((part.role, "image/png" if shown.path == "e" else "image/jpeg", *sha(shown.path)))
    return [piece for piece in flat if piece[1:] != ("text", "")]


roles = st.sampled_from(["system", "user"])
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
shown = st.sampled_from("abcde").map(picture)
parts = st.lists(
    st.builds(Text, texts, roles)
    | st.builds(Image, shown, roles)
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
    "extra", [{"messages": []}, {"model": "other"}, {"stream": True}, {"x": math.nan}, {"x": object()}]
)
def test_settings_that_cannot_be_sent_are_a_sentence(server: ChatServer, extra: dict) -> None:
    server.restart([GOOD])
    with pytest.raises(InputError, match="request"):
        ask(server, [], [Text("q")], decoding=Decoding(extra=extra))
    assert not server.received


def test_a_video_is_a_sentence(server: ChatServer) -> None:
    with pytest.raises(InputError, match=r"clips/a\.mp4: endpoints are sent pictures"):
        ask(server, [Video("clips/a.mp4", "0" * 64)], [Text("q")])


def test_many_asks_share_the_encoded_pictures(server: ChatServer) -> None:
    pictures = Pictures()
    encoder = Encoder(pictures)
    prefix = encoder.pieces([Image(picture("a")), Image(picture("b"))])
    tails = [encoder.pieces([Text(str(i)), Image(picture("b"))]) for i in range(3)]
    bodies = [fragments("m", [*prefix, *tail], {}) for tail in tails]
    held = {id(fragment) for body in bodies for fragment in body if len(fragment) > 100}
    assert held == {id(prefix[0].data), id(prefix[1].data)}
    assert pictures.asked.count("a") == 1
    for i, body in enumerate(bodies):
        assert [value for _, _, value in heard(json.loads(b"".join(body)))] == [*sha("a", "b"), str(i), *sha("b")]


def test_chunks_are_the_body() -> None:
    body = [bytes([i % 256]) * (i * i * 7 % 90_000) for i in range(60)]

    async def chunks() -> list[bytes]:
        return [chunk async for chunk in stream(body)]

    sent = asyncio.run(chunks())
    assert b"".join(sent) == b"".join(body)
    assert len(sent) < len(body)
    assert max(map(len, sent)) < (1 << 17) + 90_000


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
            RawReply("replied", "B", None, "stop"),
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
    assert ask(server, [], [Text("q")]) == [expected]


def test_letter_log_probabilities(server: ChatServer) -> None:
    server.restart([Answer(choice({"content": LOGPROBS}))])
    (reply,) = ask(server, [], [Text("q")])
    assert reply.letter_log_probabilities == pytest.approx({"B": math.log(0.75), "C": math.log(0.1)})


@pytest.mark.parametrize(
    "logprobs",
    [None, {}, {"content": []}, {"content": [{"token": "The", "logprob": -1.0}]}, {"content": [{"token": 3}]}],
)
def test_log_probabilities_that_say_nothing(server: ChatServer, logprobs: object) -> None:
    server.restart([Answer(choice(logprobs, "B"))])
    (reply,) = ask(server, [], [Text("q")])
    assert (reply.state, reply.text, reply.letter_log_probabilities) == ("replied", "B", None)


def test_a_json_reply_under_another_content_type_is_read(server: ChatServer) -> None:
    server.restart([Answer(completion("C"), headers={"Content-Type": "text/html"})])
    assert ask(server, [], [Text("q")])[0].text == "C"
