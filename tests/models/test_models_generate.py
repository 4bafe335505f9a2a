"""Google's Gemini API: what the service receives, checked by its own client, and what becomes of its replies."""

import base64
import json
import math
import time
from collections.abc import Iterator
from typing import Any

import pytest
from google import genai
from google.genai import types
from hypothesis import given, settings
from hypothesis import strategies as st
from models_chat_server import Answer, ChatServer, Received
from models_google import MODEL, answer, failure, metadata, response, retry
from models_hosted import BYTES, KEY, ODD, VIDEO, ask, at_home, meant, picture, sha

from chronotope.errors import InputError
from chronotope.models import Decoding
from chronotope.models.services.wires.generate import GENERATE
from chronotope.protocol import Image, Text

PATH = "/own/models/gemini-2.5-flash:generateContent"


@pytest.fixture(scope="module")
def service() -> Iterator[ChatServer]:
    with ChatServer() as server, pytest.MonkeyPatch.context() as patch:
        at_home(patch, server, "google")
        yield server


def valid(request: Received) -> dict[str, Any]:
    """The body, after the client's own types, which forbid unknown fields, have accepted all of it."""
    assert request.path.startswith("/own/models/")
    body = request.json
    for content in [*body["contents"], *([body["systemInstruction"]] if "systemInstruction" in body else [])]:
        types.Content.model_validate_json(json.dumps(content))
    types.GenerationConfig.model_validate(body["generationConfig"])
    for one in body.get("safetySettings", []):
        types.SafetySetting.model_validate(one)
    assert set(body) <= {"contents", "systemInstruction", "generationConfig", "safetySettings", "serviceTier"}
    return body


# What is sent.


def test_a_prompt_is_written_as_the_service_s_own_client_writes_it(service: ChatServer) -> None:
    service.restart([response()])
    prompt = [Text("Look closely.", "system"), picture("a"), Text("Then: "), VIDEO, Text('What "is" this?\n')]
    settings = {"videoMetadata": {"fps": 2}, "thinking": 512, "seed": 7, "mediaResolution": "MEDIA_RESOLUTION_LOW"}
    ask(MODEL, prompt, decoding=Decoding(max_tokens=64, top_p=0.9, extra=settings))
    shown = types.Part(
        inline_data=types.Blob(data=BYTES["v"], mime_type="video/mp4"), video_metadata=types.VideoMetadata(fps=2)
    )
    root = service.url.replace("/v1", "")
    client = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=root, api_version="own"))
    client.models.generate_content(
        model="gemini-2.5-flash",
        contents=types.Content(
            role="user",
            parts=[
                types.Part.from_bytes(data=BYTES["a"], mime_type="image/jpeg"),
                types.Part(text="Then: "),
                shown,
                types.Part(text='What "is" this?\n'),
            ],
        ),
        config=types.GenerateContentConfig(
            system_instruction="Look closely.",
            max_output_tokens=64,
            temperature=0,
            top_p=0.9,
            seed=7,
            media_resolution=types.MediaResolution.MEDIA_RESOLUTION_LOW,
            thinking_config=types.ThinkingConfig(include_thoughts=True, thinking_budget=512),
        ),
    )
    client.close()
    ours, theirs = service.received
    body, other = valid(ours), theirs.json
    assert set(body) == set(other)
    # The client writes base64 with the letters of URLs, and some names with underlines; the service takes both.
    for field in ("contents", "systemInstruction"):
        contents = [one[field] if isinstance(one[field], list) else [one[field]] for one in (body, other)]
        read = [types.Content.model_validate_json(json.dumps(one | {"role": "user"})) for (one,) in contents]
        assert read[0] == read[1]
    config = [types.GenerationConfig.model_validate(one["generationConfig"]) for one in (body, other)]
    assert config[0] == config[1]
    assert ours.path == theirs.path == PATH
    assert ours.header("x-goog-api-key") == theirs.header("x-goog-api-key") == KEY
    assert ours.header("authorization") is None and "key=" not in ours.path


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
parts = st.lists(
    st.builds(Text, texts, st.sampled_from(["system", "user"])) | st.sampled_from([picture("a"), VIDEO]), max_size=10
)


@settings(max_examples=25)
@given(parts=parts, cut=st.integers(0, 10))
def test_everything_arrives_to_the_letter_and_in_order(
    service: ChatServer, parts: list[Text | Image], cut: int
) -> None:
    service.restart([response()])
    (reply,) = ask(MODEL, parts[cut:], prefix=parts[:cut])
    body = valid(service.received[0])
    system, user = meant(parts)
    assert "".join(part["text"] for part in body.get("systemInstruction", {}).get("parts", [])) == system
    heard = [
        part["text"] if "text" in part else sha(base64.b64decode(part["inlineData"]["data"], validate=True))
        for part in body["contents"][0]["parts"]
    ]
    assert heard == [text for text in user if text]
    assert reply.pictures == tuple(text for text in user if len(text) == 64)


def test_settings_go_where_they_belong(service: ChatServer) -> None:
    service.restart([response()])
    safety = [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}]
    extra = {"safetySettings": safety, "responseLogprobs": True, "logprobs": 5, "temperature": None, "top_p": 0.5}
    ask(MODEL, decoding=Decoding(max_tokens=16, extra=extra))
    body = valid(service.received[0])
    assert body["safetySettings"] == safety
    assert body["generationConfig"] == {"maxOutputTokens": 16, "topP": 0.5, "responseLogprobs": True, "logprobs": 5}


@pytest.mark.parametrize(
    ("told", "config"),
    [
        (512, {"includeThoughts": True, "thinkingBudget": 512}),
        (True, {"includeThoughts": True, "thinkingBudget": -1}),
        (0, {"thinkingBudget": 0}),
        (False, {"thinkingBudget": 0}),
        ("low", {"includeThoughts": True, "thinkingLevel": "LOW"}),
        ({"thinkingBudget": 7}, {"thinkingBudget": 7}),
    ],
)
def test_thinking_is_set_in_the_service_s_own_field(service: ChatServer, told: Any, config: dict[str, Any]) -> None:
    service.restart([response()])
    ask(MODEL, decoding=Decoding(extra={"thinking": told}))
    assert valid(service.received[0])["generationConfig"]["thinkingConfig"] == config


def test_settings_that_the_form_cannot_express_are_one_sentence(service: ChatServer) -> None:
    with pytest.raises(InputError, match="--set thinking=a lot: expected a number of tokens"):
        ask(MODEL, decoding=Decoding(extra={"thinking": "a lot"}))
    for name in ("generationConfig", "maxOutputTokens"):
        with pytest.raises(InputError, match="--max-tokens"):
            ask(MODEL, decoding=Decoding(extra={name: 2}))


# What comes back.


def test_words_thoughts_and_tokens_are_read(service: ChatServer) -> None:
    said = [
        types.Part(text="It is red.", thought=True),
        types.Part(text="Answer: ", thought_signature=b"x"),
        types.Part(text="B"),
    ]
    usage = {
        "prompt_token_count": 1107,
        "cached_content_token_count": 1000,
        "candidates_token_count": 10,
        "thoughts_token_count": 290,
        "total_token_count": 1407,
    }
    service.restart([response(*said, usage=usage)])
    (reply,) = ask(MODEL)
    assert (reply.state, reply.text, reply.reasoning, reply.finish) == ("replied", "Answer: B", "It is red.", "stop")
    assert (reply.input_tokens, reply.cached_tokens, reply.stored_tokens) == (1107, 1000, None)
    assert (reply.output_tokens, reply.reasoning_tokens) == (300, 290)


def test_thoughts_alone_that_reach_the_limit_are_a_reply_cut_short(service: ChatServer) -> None:
    told = types.GenerateContentResponse(
        candidates=[types.Candidate(finish_reason=types.FinishReason.MAX_TOKENS, index=0)],
        usage_metadata=metadata({"prompt_token_count": 10, "thoughts_token_count": 90, "total_token_count": 100}),
    )
    service.restart([answer(told)])
    (reply,) = ask(MODEL)
    assert (reply.state, reply.text, reply.finish, reply.output_tokens) == ("replied", "", "length", 90)


def test_log_probabilities_of_letters_are_read(service: ChatServer) -> None:
    chosen = types.LogprobsResultCandidate(token="B", token_id=1, log_probability=-0.1)
    others = [chosen, types.LogprobsResultCandidate(token=" C", token_id=2, log_probability=-2.5)]
    result = types.LogprobsResult(
        chosen_candidates=[chosen], top_candidates=[types.LogprobsResultTopCandidates(candidates=others)]
    )
    service.restart([response(types.Part(text="B"), logprobs_result=result)])
    (reply,) = ask(MODEL)
    assert reply.letter_log_probabilities == {"B": pytest.approx(-0.1), "C": pytest.approx(-2.5)}
    assert not math.isnan(sum(reply.letter_log_probabilities.values()))


@pytest.mark.parametrize("reason", ["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "SPII", "BLOCKLIST", "LANGUAGE"])
def test_a_withheld_reply_is_a_refusal(service: ChatServer, reason: str) -> None:
    told = types.Candidate(finish_reason=types.FinishReason(reason), index=0)
    service.restart([answer(types.GenerateContentResponse(candidates=[told], usage_metadata=metadata()))])
    (reply,) = ask(MODEL)
    assert (reply.state, reply.finish, reply.attempts) == ("refused", reason, 1)
    assert reply.error == f"the service withheld the reply (finish reason {reason})"


@pytest.mark.parametrize("reason", ["SAFETY", "OTHER", "PROHIBITED_CONTENT"])
def test_a_blocked_prompt_is_a_refusal(service: ChatServer, reason: str) -> None:
    feedback = types.GenerateContentResponsePromptFeedback(block_reason=types.BlockedReason(reason))
    service.restart([answer(types.GenerateContentResponse(prompt_feedback=feedback, usage_metadata=metadata()))])
    (reply,) = ask(MODEL)
    assert (reply.state, reply.attempts, reply.input_tokens) == ("refused", 1, 10)
    assert reply.error == f"the service refused the prompt (block reason {reason})"


@settings(max_examples=40)
@given(ODD, ODD, ODD)
def test_whatever_a_body_has_it_is_a_reply_or_a_sentence(one: Any, two: Any, three: Any) -> None:
    candidate = {
        "content": {"parts": [{"text": one}, two]},
        "finishReason": "STOP",
        "logprobsResult": {"chosenCandidates": three},
    }
    usage = {"promptTokenCount": one, "candidatesTokenCount": two, "thoughtsTokenCount": three, "totalTokenCount": one}
    body = {"candidates": [candidate], "usageMetadata": usage}
    assert GENERATE.read(json.dumps(body).encode()).state == "replied"
    GENERATE.error(
        json.dumps({"error": {"message": one, "details": [{"retryDelay": two, "violations": three}]}}).encode()
    )


# What goes wrong.


def test_a_header_takes_precedence_over_the_body(service: ChatServer) -> None:
    told = failure(429, "RESOURCE_EXHAUSTED", "slow down", retry("60s"))
    service.restart([Answer(told.body, 429, {"Retry-After": "0"}), response()])
    start = time.monotonic()
    assert ask(MODEL)[0].attempts == 2
    assert time.monotonic() - start < 20
