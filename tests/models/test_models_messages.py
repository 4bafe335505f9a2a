"""Anthropic's Messages API: what the service receives, checked by its own client, and what becomes of its replies."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import anthropic
import pytest
from anthropic import types
from hypothesis import given, settings
from hypothesis import strategies as st
from models_anthropic import MODEL, message
from models_chat_server import ChatServer, Received
from models_hosted import BYTES, KEY, ODD, VIDEO, ask, at_home, meant, picture, sha
from pydantic import TypeAdapter

from chronotope.errors import InputError
from chronotope.models import Decoding, fitting
from chronotope.models.services.wires.messages import MESSAGES
from chronotope.protocol import Image, Text

PARAMS = TypeAdapter(types.MessageCreateParams)
SAMPLING = {"temperature", "top_p", "top_k"}  # which the version of the API that we name takes, and the newest does not
MARK = {"type": "ephemeral"}


@pytest.fixture(scope="module")
def service() -> Iterator[ChatServer]:
    with ChatServer() as server, pytest.MonkeyPatch.context() as patch:
        at_home(patch, server, "anthropic")
        yield server


def valid(request: Received) -> dict[str, Any]:
    """The body, after the client's own type has accepted all of it."""
    assert request.path == "/own/messages"
    body = {name: value for name, value in request.json.items() if name not in SAMPLING}
    # A typed dictionary drops what it does not know, so nothing may be missing afterwards.
    assert PARAMS.dump_python(PARAMS.validate_python(body), mode="json") == body
    return request.json


# What is sent.

PROMPT = [Text("Look closely.", "system"), picture("a"), Text("Step 1: "), picture("b"), Text('What "is" this?\n')]


def test_a_prompt_is_written_as_the_service_s_own_client_writes_it(service: ChatServer) -> None:
    service.restart([message()])
    ask(MODEL, PROMPT, decoding=Decoding(max_tokens=64))
    blocks: list[Any] = [
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/jpeg", "data": base64.b64encode(BYTES[name]).decode()},
        }
        for name in "ab"
    ]
    said = [{"type": "text", "text": text} for text in ("Step 1: ", 'What "is" this?\n')]
    with anthropic.Anthropic(base_url=service.url.replace("/v1", "/own"), api_key=KEY, max_retries=0) as client:
        client.messages.create(
            model="claude-sonnet-4-6",
            max_tokens=64,
            system="Look closely.",
            messages=[{"role": "user", "content": [blocks[0], said[0], blocks[1], said[1]]}],
        )
    ours, theirs = service.received
    body = valid(ours)
    assert body.pop("temperature") == 0
    assert body == theirs.json
    assert theirs.path == "/own/v1/messages"  # ours has the /v1 in the base URL
    assert (ours.header("x-api-key"), ours.header("authorization")) == (KEY, None)
    assert ours.header("anthropic-version") == "2023-06-01" and theirs.header("anthropic-version") is not None


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
parts = st.lists(
    st.builds(Text, texts, st.sampled_from(["system", "user"])) | st.sampled_from([picture("a"), picture("b")]),
    max_size=10,
)


@settings(max_examples=25)
@given(parts=parts, cut=st.integers(0, 10))
def test_everything_arrives_in_order_and_no_text_is_blank(
    service: ChatServer, parts: list[Text | Image], cut: int
) -> None:
    service.restart([message()])
    (reply,) = ask(MODEL, parts[cut:], prefix=parts[:cut])
    body = valid(service.received[0])
    system, user = meant(parts)
    assert body.get("system", "") == system
    heard = []
    for block in body["messages"][0]["content"]:
        assert block["type"] == "image" or block["text"].strip()
        heard.append(block["text"] if block["type"] == "text" else sha(base64.b64decode(block["source"]["data"])))
    assert heard == [text for text in user if text.strip()]
    assert reply.pictures == tuple(text for text in user if len(text) == 64)


def test_the_end_of_a_shared_prefix_is_marked_once(service: ChatServer) -> None:
    service.restart([message()])
    prefix = [picture("a"), Text(" then "), picture("b"), Text("Question: ")]
    ask(MODEL, [picture("c"), Text("1?")], [Text("2?")], prefix=prefix)
    ask(MODEL, [*prefix, Text("3?")])
    first, second, alone = (valid(request)["messages"][0]["content"] for request in service.received)
    assert [block.get("cache_control") for block in first] == [None, None, MARK, None, None, None]
    assert [block.get("cache_control") for block in second] == [None, None, MARK, None]
    assert first[:3] == second[:3] and second[3]["text"] == "Question: 2?"
    assert not any("cache_control" in block for block in alone), "what nobody reads again is not worth its price"


def test_what_only_this_form_cannot_express_is_one_sentence(service: ChatServer) -> None:
    with pytest.raises(InputError, match="accepts no video/mp4: show frames as pictures"):
        ask(MODEL, [VIDEO, Text("?")])
    with pytest.raises(InputError, match="needs a limit on replies: set it with --max-tokens"):
        ask(MODEL, decoding=Decoding(extra={"max_tokens": None}))


@pytest.mark.parametrize(
    ("told", "thinking", "effort"),
    [
        (2048, {"type": "enabled", "budget_tokens": 2048}, None),
        ({"type": "enabled", "budget_tokens": 1024, "display": "omitted"}, ..., None),
        ("high", {"type": "adaptive"}, "high"),
        ("adaptive", {"type": "adaptive"}, None),
        (True, {"type": "adaptive"}, None),
        (False, {"type": "disabled"}, None),
        (0, {"type": "disabled"}, None),
    ],
)
def test_thinking_is_set_in_the_service_s_own_field(
    service: ChatServer, told: Any, thinking: Any, effort: str | None
) -> None:
    service.restart([message()])
    decoding = fitting(MODEL, Decoding(max_tokens=4096, extra={"thinking": told}))
    ask(MODEL, decoding=decoding)
    body = valid(service.received[0])
    assert body["thinking"] == (told if thinking is ... else thinking)
    assert body.get("output_config") == (None if effort is None else {"effort": effort})
    assert ("temperature" in body) is (told in (False, 0)), "a model that thinks takes none"


@pytest.mark.parametrize("told", [100, 5000, "a lot", [1]])
def test_thinking_that_cannot_be_meant_is_refused(service: ChatServer, told: Any) -> None:
    service.restart([message()])
    with pytest.raises(InputError, match=r"--set thinking=.*(raise --max-tokens|expected a number of tokens)"):
        ask(MODEL, decoding=Decoding(max_tokens=100, extra={"thinking": told}))
    assert service.received == []


# What comes back.


def test_words_thoughts_and_tokens_are_read(service: ChatServer) -> None:
    blocks = [
        types.ThinkingBlock(type="thinking", thinking="It is red. ", signature="x"),
        types.RedactedThinkingBlock(type="redacted_thinking", data="y"),
        types.ThinkingBlock(type="thinking", thinking="So B.", signature="x"),
        types.TextBlock(type="text", text="Answer: "),
        types.TextBlock(type="text", text="B"),
    ]
    usage = {
        "input_tokens": 7,
        "cache_creation_input_tokens": 100,
        "cache_read_input_tokens": 1000,
        "output_tokens": 300,
        "output_tokens_details": {"thinking_tokens": 290},
    }
    service.restart([message(*blocks, usage=usage)])
    (reply,) = ask(MODEL)
    assert (reply.state, reply.text, reply.reasoning) == ("replied", "Answer: B", "It is red. So B.")
    assert (reply.input_tokens, reply.cached_tokens, reply.stored_tokens) == (1107, 1000, 100)
    assert (reply.output_tokens, reply.reasoning_tokens, reply.finish) == (300, 290, "stop")


@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("stop_sequence", "stop"),
        ("pause_turn", "pause_turn"),
    ],
)
def test_reasons_for_the_end_are_told_in_common_words(service: ChatServer, stop: str, finish: str) -> None:
    service.restart([message(stop=stop)])
    assert [(reply.state, reply.finish) for reply in ask(MODEL)] == [("replied", finish)]


def test_a_refusal_is_no_answer(service: ChatServer) -> None:
    details = types.RefusalStopDetails(type="refusal", category="bio", explanation="Not this.")
    service.restart([message(types.TextBlock(type="text", text="I "), stop="refusal", stop_details=details)])
    (reply,) = ask(MODEL)
    assert (reply.state, reply.text, reply.finish, reply.attempts) == ("refused", "I ", "refusal", 1)
    assert reply.error == "the service withheld the reply (stop reason refusal: bio: Not this.)"
    service.restart([message(stop="refusal")])
    assert ask(MODEL)[0].error == "the service withheld the reply (stop reason refusal)"


@settings(max_examples=40)
@given(ODD, ODD, ODD)
def test_whatever_a_body_has_it_is_a_reply_or_a_sentence(one: Any, two: Any, three: Any) -> None:
    body = {"content": [{"type": "text", "text": one}, two], "stop_reason": "end_turn", "usage": three, "error": None}
    assert MESSAGES.read(json.dumps(body).encode()).state == "replied"
    body["usage"] = {"input_tokens": one, "output_tokens": two, "output_tokens_details": three}
    MESSAGES.read(json.dumps(body).encode())
    MESSAGES.error(json.dumps({"type": "error", "error": one}).encode())
