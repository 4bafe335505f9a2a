"""Google's Gemini API: what the service receives, checked by its own client, and what becomes of its replies."""

import base64
import json
import math
import time
from collections.abc import Iterator
from typing import Any

import pytest
from google import genai
from google.genai import errors, types
from hypothesis import given, settings
from hypothesis import strategies as st
from models_chat_server import Answer, ChatServer, Received
from models_hosted import BYTES, KEY, VIDEO, ask, at_home, bytes_of, meant, picture, sha

from chronotope.errors import InputError
from chronotope.models import Decoding
from chronotope.models.body import Encoder
from chronotope.models.generate import GENERATE
from chronotope.protocol import Image, Text

MODEL = "google/gemini-2.5-flash"
PATH = "/own/models/gemini-2.5-flash:generateContent"


@pytest.fixture(scope="module")
def service() -> Iterator[ChatServer]:
    with ChatServer() as server, pytest.MonkeyPatch.context() as patch:
        at_home(patch, server, "google")
        yield server


def response(
    *parts: types.Part, reason: str | None = "STOP", usage: dict[str, Any] | None = None, **more: Any
) -> Answer:
    """A reply, written by the client's own type."""
    candidate = types.Candidate(
        content=types.Content(role="model", parts=list(parts) or [types.Part(text="A")]),
        finish_reason=types.FinishReason.STOP,
        index=0,
        **more,
    )
    return answer(types.GenerateContentResponse(candidates=[candidate], usage_metadata=metadata(usage)))


def metadata(usage: dict[str, Any] | None = None) -> types.GenerateContentResponseUsageMetadata:
    counts = {"prompt_token_count": 10, "candidates_token_count": 5, "total_token_count": 15}
    return types.GenerateContentResponseUsageMetadata(**(counts if usage is None else usage))


def answer(told: types.GenerateContentResponse) -> Answer:
    body = told.model_dump_json(by_alias=True, exclude_none=True).encode()
    return Answer(body, headers={"Content-Type": "application/json; charset=UTF-8"})


def failure(code: int, status: str, text: str, *details: dict[str, Any], listed: bool = False) -> Answer:
    """An error, which the client reads as we do."""
    body: Any = {"error": {"code": code, "message": text, "status": status, "details": list(details)}}
    read = errors.APIError(code, body)
    assert (read.code, read.status, read.message) == (code, status, text)
    return Answer(json.dumps([body] if listed else body).encode(), code)


def retry(delay: str) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


def quota(name: str) -> dict[str, Any]:
    violation = {"quotaMetric": "generativelanguage.googleapis.com/requests", "quotaId": name, "quotaValue": "250"}
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]}


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


def test_bodies_share_the_bytes_of_a_prefix() -> None:
    fields = GENERATE.fields(Decoding())
    encoder = Encoder(bytes_of, GENERATE.shape(fields))
    prefix = encoder.prefix([picture("a"), picture("b")])
    bodies = [GENERATE.body("m", [*prefix, *encoder.pieces([Text(text)])], fields) for text in ("1?", "2?")]
    shared = [{id(fragment) for fragment in body if len(fragment) > 1000} for body in bodies]
    assert shared[0] == shared[1] != set()


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


def test_what_the_form_cannot_express_is_one_sentence(service: ChatServer) -> None:
    with pytest.raises(InputError, match="no pictures in the system text"):
        ask(MODEL, [Image(picture("a").picture, "system"), Text("?")])
    with pytest.raises(InputError, match="--set thinking=a lot: expected a number of tokens"):
        ask(MODEL, decoding=Decoding(extra={"thinking": "a lot"}))
    for name in ("contents", "systemInstruction", "candidateCount"):
        with pytest.raises(InputError, match=f"the field '{name}' .* leave it out"):
            ask(MODEL, decoding=Decoding(extra={name: 2}))
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


OTHER_BODIES = {
    "nothing": b"{}",
    "error": b'{"error": {"code": 500, "message": "half way", "status": "INTERNAL"}}',
    "malformed": b'{"candidates": [{"finishReason": "MALFORMED_RESPONSE", "index": 0}]}',
    "other": b'{"candidates": [{"finishReason": "OTHER"}]}',
    "list": b"[]",
    "chat form": b'{"choices": [{"message": {"content": "A"}}]}',
}


@pytest.mark.parametrize("name", OTHER_BODIES)
def test_other_bodies_are_failed_calls(service: ChatServer, name: str) -> None:
    service.restart([Answer(OTHER_BODIES[name])])
    (reply,) = ask(MODEL, retries=1)
    assert (reply.state, reply.attempts) == ("failed", 2)


ODD = st.recursive(
    st.sampled_from([None, True, -1, 1e308, "x", 10**400]), lambda inner: st.lists(inner, max_size=2), max_leaves=4
)


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

LATER = {
    "rate": failure(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).", retry("0s")),
    "per minute": failure(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota",
        quota("RequestsPerMinutePerProject"),
        retry("0.1s"),
    ),
    "overloaded": failure(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
    "internal": failure(500, "INTERNAL", "An internal error has occurred."),
    "deadline": failure(504, "DEADLINE_EXCEEDED", "The request timed out."),
    "listed": failure(503, "UNAVAILABLE", "The model is overloaded.", listed=True),
}


@pytest.mark.parametrize("name", LATER)
def test_passing_trouble_is_tried_again(service: ChatServer, name: str) -> None:
    service.restart([LATER[name], response()])
    (reply,) = ask(MODEL)
    assert (reply.state, reply.attempts) == ("replied", 2)


def test_the_pause_in_the_body_is_kept(service: ChatServer) -> None:
    service.restart([failure(429, "RESOURCE_EXHAUSTED", "slow down", retry("1.2s")), response()])
    start = time.monotonic()
    assert ask(MODEL)[0].attempts == 2
    assert time.monotonic() - start >= 1.2


def test_a_header_takes_precedence_over_the_body(service: ChatServer) -> None:
    told = failure(429, "RESOURCE_EXHAUSTED", "slow down", retry("60s"))
    service.restart([Answer(told.body, 429, {"Retry-After": "0"}), response()])
    start = time.monotonic()
    assert ask(MODEL)[0].attempts == 2
    assert time.monotonic() - start < 20


WRONG_USE = {
    "key": (
        failure(
            400,
            "INVALID_ARGUMENT",
            "API key not valid. Please pass a valid API key.",
            {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"},
        ),
        "does not accept the API key",
    ),
    "day": (
        failure(429, "RESOURCE_EXHAUSTED", "You exceeded your quota", quota("RequestsPerDayPerProject"), retry("22s")),
        "has used up its quota: top it up or wait",
    ),
    "model": (failure(404, "NOT_FOUND", "models/gemini-x is not found"), r"check the model's name \(HTTP 404"),
    "access": (failure(403, "PERMISSION_DENIED", "The caller does not have permission"), "check that the key"),
    "field": (
        failure(
            400,
            "INVALID_ARGUMENT",
            "Invalid JSON payload received. Unknown name \"effort\" at 'generation_config': Cannot find field.",
        ),
        "add --set effort=null",
    ),
    "length": (
        failure(400, "INVALID_ARGUMENT", "Unable to submit request because maxOutputTokens exceeds the maximum of 64"),
        "add --set max_tokens=N with fewer tokens than 100",
    ),
}


@pytest.mark.parametrize("name", WRONG_USE)
def test_wrong_use_ends_with_one_sentence(service: ChatServer, name: str) -> None:
    told, sentence = WRONG_USE[name]
    service.restart([told])
    with pytest.raises(InputError, match=sentence) as caught:
        ask(MODEL, decoding=Decoding(extra={"effort": 1} if name == "field" else {}))
    assert KEY not in str(caught.value) and "/chat/completions" not in str(caught.value)
    assert len(service.received) == 1


CONTENT = {
    "context": failure(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)",
    ),
    "size": failure(400, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."),
    "too large": failure(413, "INVALID_ARGUMENT", "Request Entity Too Large"),
}


@pytest.mark.parametrize("name", CONTENT)
def test_a_request_that_is_too_large_is_refused_alone(service: ChatServer, name: str) -> None:
    service.restart([CONTENT[name]])
    replies = ask(MODEL, [Text("1?")], [Text("2?")], [Text("3?")])
    assert [(reply.state, reply.attempts) for reply in replies] == [("refused", 1)] * 3


def test_an_echoed_key_is_hidden(service: ChatServer) -> None:
    service.restart([failure(500, "INTERNAL", f"no route for {KEY}")])
    assert KEY not in str(ask(MODEL, retries=0)[0].error)
    service.restart([response(types.Part(text=f"your key is {KEY}"))])
    assert ask(MODEL)[0].text == "your key is [key]"
