"""The words of each service for its faults: one table tells them apart, whatever other words they have."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from models_chat_server import GOOD, Answer, ChatServer, ask, completion, error, no_pictures

from chronotope.errors import InputError
from chronotope.models import Decoding, RawReply
from chronotope.models.model import Lost
from chronotope.models.services.endpoint import Endpoint
from chronotope.models.services.faults import KNOWN, fault
from chronotope.models.services.replies import read_error
from chronotope.models.services.wires.generate import GENERATE
from chronotope.models.services.wires.messages import MESSAGES
from chronotope.protocol import Text

FIELDS = ("temperature", "max_tokens")  # the fields of a usual request


def flat(message: str, code: Any, kind: str = "BadRequestError") -> dict[str, Any]:
    """The older form of vLLM and SGLang, without "error"."""
    return {"object": "error", "message": message, "type": kind, "param": None, "code": code}


def nested(message: str, code: Any = None, kind: Any = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


# (service, HTTP status, body as the service sends it, kind of fault)
SAID: list[tuple[str, int, Any, str]] = [
    (
        "vLLM",
        400,
        flat(
            "The decoder prompt (length 98211) is longer than the maximum model length of 32768. Make sure that "
            "`max_model_len` is no smaller than the number of text tokens plus multimodal tokens.",
            400,
        ),
        "too_long",
    ),
    (
        "vLLM",
        400,
        nested(
            "This model's maximum context length is 16384 tokens. However, you requested 19591 tokens (9591 in the "
            "messages, 10000 in the completion). Please reduce the length of the messages or completion.",
            400,
            "BadRequestError",
        ),
        "too_long",
    ),
    ("vLLM", 400, flat("At most 1 image(s) may be provided in one request.", 400), "content"),
    ("vLLM", 400, flat("At most 0 image(s) may be provided in one prompt.", 400), "no_pictures"),
    ("vLLM", 400, flat("Qwen/Qwen3-8B is not a multimodal model None", 400), "no_pictures"),
    ("vLLM", 404, nested("The model `x` does not exist.", 404, "NotFoundError"), "address"),
    ("vLLM", 400, nested("temperature must be non-negative, got -1.0", 400), "named"),
    (
        "SGLang",
        400,
        flat("The input (61709 tokens) is longer than the model's context length (40960 tokens).", 400),
        "too_long",
    ),
    (
        "SGLang",
        400,
        flat("Multimodal prompt is too long after expanding multimodal tokens. After expanding 5192 => 6153", 400),
        "too_long",
    ),
    (
        "SGLang",
        400,
        nested(
            "Requested token count exceeds the model's maximum context length of 262144 tokens. You requested a total "
            "of 264693 tokens: 2570 tokens from the input messages and 262123 tokens for the completion.",
            400,
        ),
        "too_long",
    ),
    ("llama.cpp", 503, nested("Loading model", 503, "unavailable_error"), "loading"),
    (
        "llama.cpp",
        500,
        nested("image input is not supported - hint: if this is unexpected, you may need to provide the mmproj", 500),
        "no_pictures",
    ),
    (
        "llama.cpp",
        400,
        nested(
            "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
            400,
            "exceed_context_size_error",
        ),
        "too_long",
    ),
    ("llama.cpp", 500, nested("Context size has been exceeded.", 500, "server_error"), "too_long"),
    ("llama.cpp", 500, nested("context shift is disabled", 500, "server_error"), "too_long"),
    ("LMDeploy", 400, flat("internal error happened, status code ResponseType.INPUT_LENGTH_ERROR", 400), "too_long"),
    (
        "OpenAI",
        400,
        nested("Invalid content type. image_url is only supported by certain models.", None, "invalid_request_error"),
        "no_pictures",
    ),
    (
        "DeepSeek",
        400,
        nested(
            "Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, "
            "expected `text` at line 1 column 400",
            "invalid_request_error",
        ),
        "no_pictures",
    ),
    (
        "MiniMax",
        200,
        {"choices": None, "base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}},
        "credit",
    ),
    ("MiniMax", 200, {"choices": None, "base_resp": {"status_code": 1004, "status_msg": "login fail"}}, "key"),
    ("MiniMax", 200, {"choices": None, "base_resp": {"status_code": 1002, "status_msg": "rate limit"}}, "passing"),
    (
        "Ollama",
        400,
        nested("prompt too long; exceeded max context length by 100918 tokens", None, "api_error"),
        "too_long",
    ),
    ("Ollama", 500, nested("this model is missing data required for image input", None, "api_error"), "no_pictures"),
    ("Ollama", 404, nested('model "llava" not found, try pulling it first', None, "api_error"), "address"),
    (
        "TGI",
        422,
        {
            "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000 `inputs` "
            "tokens and 100 `max_new_tokens`",
            "error_type": "validation",
        },
        "too_long",
    ),
    (
        "TGI",
        422,
        {
            "error": "Input validation error: `inputs` must have less than 1024 tokens. Given: 1168",
            "error_type": "validation",
        },
        "too_long",
    ),
    ("TGI", 429, {"error": "Model is overloaded", "error_type": "overloaded"}, "passing"),
    ("TGI", 424, {"error": "Request failed during generation: x", "error_type": "generation"}, "passing"),
    ("TGI", 503, {"error": "Model org/m is currently loading", "estimated_time": 20.0}, "loading"),
    (
        "DashScope",
        400,
        nested(
            "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]",
            "invalid_parameter_error",
        ),
        "too_long",
    ),
    (
        "DashScope",
        400,
        nested("Access denied, please make sure your account is in good standing.", "Arrearage", "Arrearage"),
        "credit",
    ),
    (
        "DashScope",
        400,
        nested("Input data may contain inappropriate content.", "data_inspection_failed", "data_inspection_failed"),
        "content",
    ),
    ("DashScope", 400, {"code": "DataInspectionFailed", "message": "Output data...", "request_id": "1"}, "content"),
    (
        "DashScope",
        429,
        nested(
            "Allocated quota exceeded, please increase your quota limit.", "insufficient_quota", "insufficient_quota"
        ),
        "passing",
    ),
    ("DashScope", 401, nested("Incorrect API key provided.", "invalid_api_key", "invalid_request_error"), "key"),
    (
        "Moonshot",
        400,
        nested(
            "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)",
            None,
            "invalid_request_error",
        ),
        "too_long",
    ),
    ("Moonshot", 400, nested("Input token length too long", None, "invalid_request_error"), "too_long"),
    (
        "Moonshot",
        400,
        nested("The request was rejected because it was considered high risk", None, "content_filter"),
        "content",
    ),
    (
        "Moonshot",
        403,
        nested(
            "Your account x is not active, organization y exceeded current quota, please check your plan and billing",
            None,
            "exceeded_current_quota_error",
        ),
        "credit",
    ),
    ("Moonshot", 429, nested("The engine is currently overloaded", None, "engine_overloaded_error"), "passing"),
    ("Zhipu", 429, {"error": {"code": "1113", "message": "您的账户已欠费，请充值后重试。"}}, "credit"),
    ("Zhipu", 429, {"error": {"code": "1302", "message": "您当前使用该 API 的并发数过高"}}, "passing"),
    ("Zhipu", 400, {"error": {"code": "1261", "message": "Prompt 超长"}}, "too_long"),
    ("Zhipu", 400, {"error": {"code": "1261", "message": "Prompt exceeds max length"}}, "too_long"),
    ("Zhipu", 400, {"contentFilter": [], "error": {"code": "1301", "message": "系统检测到输入或生成内容"}}, "content"),
    ("Zhipu", 400, {"error": {"code": "1211", "message": "模型不存在，请检查模型代码。"}}, "address"),
    ("Zhipu", 401, {"error": {"code": "1002", "message": "Authorization Token非法"}}, "key"),
    ("OpenRouter", 402, {"error": {"code": 402, "message": "Insufficient credits. Add more to continue"}}, "credit"),
    ("OpenRouter", 429, {"error": {"code": 429, "message": "Rate limit exceeded: free-models-per-day"}}, "credit"),
    ("OpenRouter", 429, {"error": {"code": 429, "message": "Rate limit exceeded: free-models-per-min"}}, "passing"),
    (
        "OpenRouter",
        404,
        {"error": {"code": 404, "message": "No endpoints found that support image input"}},
        "no_pictures",
    ),
    (
        "OpenRouter",
        400,
        {
            "error": {
                "code": 400,
                "message": "Provider returned error",
                "metadata": {"raw": '{"message":"prompt is too long: 213462 tokens > 200000 maximum"}'},
            }
        },
        "too_long",
    ),
    ("OpenRouter", 403, {"error": {"code": 403, "message": "Your input was flagged"}}, "content"),
    (
        "LiteLLM",
        400,
        nested("litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: x", "400"),
        "too_long",
    ),
    ("LiteLLM", 429, nested("Your allowance has been reached.", "429", "budget_exceeded"), "credit"),
    ("LiteLLM", 400, nested("Budget has been exceeded! Current cost: 26.1, Max budget: 0.25", "400"), "credit"),
    ("LiteLLM", 400, nested("litellm.ContentPolicyViolationError: x", "400"), "content"),
    ("LM Studio", 400, {"error": "Model does not support images. Please use a model that does."}, "no_pictures"),
    (
        "OpenAI",
        429,
        nested(
            "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000.", "rate_limit_exceeded"
        ),
        "too_long",
    ),
    (
        "OpenAI",
        400,
        nested("Your input exceeds the context window of this model.", "context_length_exceeded"),
        "too_long",
    ),
    ("OpenAI", 400, nested("Your request was rejected as a result of our safety system.", None), "content"),
    (
        "Mistral",
        400,
        flat("Prompt contains 65673 tokens too large for model with 32768 maximum context length", 3051),
        "too_long",
    ),
]


@pytest.mark.parametrize(("service", "status", "body", "kind"), SAID, ids=[f"{s[0]}-{i}" for i, s in enumerate(SAID)])
def test_the_words_of_a_service_name_its_fault(service: str, status: int, body: Any, kind: str) -> None:
    assert fault(status, read_error(json.dumps(body, ensure_ascii=False).encode()), FIELDS) == kind


# Errors with words that also stand in the table, said of something else.
ELSEWHERE: list[tuple[int, dict[str, Any], str]] = [
    (400, nested("Missing required parameter: 'safety_identifier'.", "missing_required_parameter"), "request"),
    (400, nested("The model is in moderation of its owner's project", None), "request"),
    (400, nested("Image 3 could not be decoded by the model", None), "request"),
    (500, nested("the image model crashed", 500), "passing"),
    (503, nested("The model is overloaded. Please try again later.", 503), "passing"),
    (400, nested("Invalid input format", "1004"), "key"),  # in Zhipu's numbers, whatever the words
    (429, nested("Too many requests, reduce your context switches", None), "passing"),
    (403, nested("You do not have access to this model", None), "access"),
    (400, nested("messages[0].content must be a string", None), "request"),
]


@pytest.mark.parametrize(("status", "body", "kind"), ELSEWHERE)
def test_single_words_name_no_fault(status: int, body: dict[str, Any], kind: str) -> None:
    assert fault(status, read_error(json.dumps(body).encode()), FIELDS) == kind


def test_each_row_of_the_table_is_met_by_an_example_or_stands_for_another_form() -> None:
    told = [(status, read_error(json.dumps(body, ensure_ascii=False).encode())) for _, status, body, _ in SAID]
    met = {row.service for row in KNOWN if any(row.matches(*one) for one in told)}
    assert met >= {
        "vLLM",
        "SGLang",
        "llama.cpp",
        "Ollama",
        "TGI",
        "DashScope",
        "Moonshot",
        "Zhipu",
        "OpenRouter",
        "LiteLLM",
    }
    assert all(row.statuses or row.code or row.phrase for row in KNOWN)


LONG = flat("The decoder prompt (length 98211) is longer than the maximum model length of 32768.", 400)


def test_a_prompt_that_is_too_long_is_a_refused_call_with_the_remedy(server: ChatServer) -> None:
    server.restart([Answer(json.dumps(LONG).encode(), 400)])
    replies = ask(server.url, ["1", "2", "3"])
    assert [(reply.state, reply.attempts) for reply in replies] == [("refused", 1)] * 3
    told = str(replies[0].error)
    assert told.startswith("HTTP 400: The decoder prompt") and "fewer frames" in told and "--max-model-len" in told


MMPROJ = error(500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj")


def test_a_server_without_vision_is_told_at_once(server: ChatServer) -> None:
    server.restart([MMPROJ])
    with pytest.raises(InputError, match=r"takes no pictures there: choose a vision model.*--input blind.*--mmproj"):
        ask(server.url, ["1", "2"])
    assert len(server.received) == 1
    server.restart([GOOD, MMPROJ])  # it has answered asks without pictures
    assert [(reply.state, reply.attempts) for reply in ask(server.url, ["1", "2"])] == [("replied", 1), ("refused", 1)]


def loading(server: ChatServer, times: int, **settings: Any) -> RawReply:
    answer = error(503, "Loading model", code=503, type="unavailable_error")
    server.restart([*[answer] * times, *([GOOD] if times < 1000 else [])])

    async def go() -> RawReply:
        endpoint = Endpoint("endpoint/m", "m", server.url, **{"retries": 1, "backoff": 0.001, **settings})
        try:
            async with endpoint.open([], no_pictures) as session:
                return await session.ask([Text("q")], Decoding(), seed="1")
        finally:
            await endpoint.close()

    return asyncio.run(go())


def test_a_model_that_loads_is_waited_for(server: ChatServer) -> None:
    reply = loading(server, 30, wait=60)
    assert (reply.state, reply.attempts) == ("replied", 1) and len(server.received) == 31


def test_a_model_that_never_loads_ends_after_the_wait(server: ChatServer) -> None:
    with pytest.raises(
        InputError, match=r"still loads its model: .*wait longer \(--wait\) \(tried for 0.2 s, HTTP 503"
    ):
        loading(server, 1000, wait=0.2)


def under_200(body: Any) -> Answer:
    return Answer(json.dumps(body).encode())


@pytest.mark.parametrize(
    ("code", "told"), [(401, "does not accept the API key"), (402, "no credit left"), ("402", "no")]
)
def test_a_code_inside_a_200_counts_as_the_http_status(server: ChatServer, code: object, told: str) -> None:
    server.restart([under_200({"error": {"message": "Insufficient credits", "code": code}, "user_id": "u"})])
    with pytest.raises(InputError, match=told):
        ask(server.url, ["1", "2"])
    assert len(server.received) == 1


def test_the_type_of_an_error_inside_a_200_counts_as_its_status(server: ChatServer) -> None:
    wrong_key = under_200({"type": "error", "error": {"type": "authentication_error", "message": "no such key"}})
    server.restart([wrong_key])
    with pytest.raises(InputError, match="does not accept the API key"):
        ask(server.url, ["1", "2"])
    assert len(server.received) == 1
    server.restart([under_200({"error": {"type": "overloaded_error", "message": "busy"}}), GOOD])
    (reply,) = ask(server.url)
    assert (reply.state, reply.attempts) == ("replied", 2)


def test_the_code_of_minimax_inside_a_200_is_told_at_once(server: ChatServer) -> None:
    server.restart([under_200({"choices": None, "base_resp": {"status_code": 1008, "status_msg": "no balance"}})])
    with pytest.raises(InputError, match=r"no credit left.*no balance"):
        ask(server.url, ["1", "2"])
    assert len(server.received) == 1


def test_an_overload_inside_a_200_is_tried_again(server: ChatServer) -> None:
    server.restart([under_200({"error": {"message": "Rate limit exceeded", "code": 429}}), GOOD])
    (reply,) = ask(server.url)
    assert (reply.state, reply.attempts) == ("replied", 2)


@pytest.mark.parametrize(
    ("body", "state", "words"),
    [
        ({"id": "sync-1", "status": "IN_QUEUE"}, "failed", "IN_QUEUE"),
        ({"choices": None, "message": "worker exited"}, "failed", "worker exited"),
        (
            {"object": "error", "message": "This model's maximum context length is 4096 tokens.", "code": 40303},
            "refused",
            "maximum context length is 4096",
        ),
    ],
)
def test_a_200_without_choices_shows_the_words_of_the_body(
    server: ChatServer, body: dict[str, Any], state: str, words: str
) -> None:
    server.restart([under_200(body)])
    (reply,) = ask(server.url)
    assert reply.state == state and words in str(reply.error)


@pytest.mark.parametrize(
    "body",
    [
        {"output": {"text": "The sign says: your credit balance is too low. B"}},
        {"message": {"role": "assistant", "content": "The sign says: prompt is too long. B"}, "done": True},
    ],
)
def test_the_words_of_a_model_in_an_unknown_form_are_no_fault_of_the_service(
    server: ChatServer, body: dict[str, Any]
) -> None:
    server.restart([under_200(body)])
    (reply,) = ask(server.url)
    assert reply.state == "failed" and "The sign says" in str(reply.error)


# Money and content.

USAGE = {"prompt_tokens": 4241, "completion_tokens": 900, "total_tokens": 5141}


def test_the_usage_of_unreadable_replies_is_kept_and_asked_at_most_twice(server: ChatServer) -> None:
    empty = under_200({"choices": [], "usage": USAGE})
    server.restart([empty])
    (reply,) = ask(server.url, retries=5)
    assert (reply.state, reply.attempts, len(server.received)) == ("failed", 2, 2)
    assert reply.lost is not None and (reply.lost.input_tokens, reply.lost.output_tokens) == (8482, 1800)
    server.restart([empty, GOOD])
    (reply,) = ask(server.url)
    assert reply.state == "replied" and reply.input_tokens is None
    assert reply.lost is not None and (reply.lost.input_tokens, reply.lost.untold) == (4241, 0)


def test_the_usage_of_a_refusal_under_200_is_kept(server: ChatServer) -> None:
    filtered = under_200({"error": {"message": "blocked", "code": "content_filter"}, "usage": USAGE})
    server.restart([filtered])
    (reply,) = ask(server.url)
    assert reply.state == "refused" and reply.lost is not None and reply.lost.input_tokens == 4241
    server.restart([under_200({"choices": [], "usage": USAGE}), filtered])
    (reply,) = ask(server.url)
    assert reply.state == "refused" and reply.lost is not None and reply.lost.input_tokens == 2 * 4241


def test_a_body_that_is_too_large_may_be_billed(server: ChatServer) -> None:
    server.restart([Answer(b" " * ((16 << 20) + 1))])
    (reply,) = ask(server.url)
    assert (reply.state, reply.attempts) == ("failed", 1) and reply.lost == Lost(untold=1)
    server.restart([replace(GOOD, cut=0.5), GOOD])
    (reply,) = ask(server.url)
    assert (reply.state, reply.attempts) == ("replied", 2) and reply.lost == Lost(untold=1)


CONTENTS = {
    "output_text": [{"type": "output_text", "text": "B"}],
    "no type": [{"text": "B"}],
    "texts": ["Answer: ", "B"],
    "one part": {"type": "text", "text": "B"},
    "a value": [{"type": "text", "text": {"value": "B", "annotations": []}}],
    "nested": [{"type": "message", "content": [{"type": "output_text", "text": "B"}]}],
    "beside others": [{"type": "reasoning", "text": "hm"}, {"type": "output_text", "text": "B"}],
}


@pytest.mark.parametrize("name", CONTENTS)
def test_content_in_other_forms_is_read(server: ChatServer, name: str) -> None:
    server.restart([Answer(completion(CONTENTS[name]))])
    (reply,) = ask(server.url)
    assert reply.state == "replied" and str(reply.text).endswith("B")


@pytest.mark.parametrize("content", [[{"type": "blob", "data": "Qg=="}], {"parts": 3}, 3, [5]])
def test_content_in_an_unknown_form_is_kept_and_told(server: ChatServer, content: object) -> None:
    server.restart([Answer(completion(content, usage=USAGE))])
    (reply,) = ask(server.url)
    assert reply.state == "failed" and json.dumps(content) in str(reply.error)
    assert reply.lost is not None and reply.lost.input_tokens == 2 * 4241


def test_an_empty_list_and_an_empty_text_are_empty_replies(server: ChatServer) -> None:
    for content in ("", None, [], [{"type": "text", "text": ""}]):
        server.restart([Answer(completion(content))])
        (reply,) = ask(server.url)
        assert (reply.state, reply.text) == ("replied", "")


@pytest.mark.parametrize(
    ("fields", "text", "reasoning"),
    [
        ({"thinking": "so B"}, "", "so B"),
        ({"reasoning": {"text": "so B"}}, "", "so B"),
        ({"reasoning_details": [{"type": "reasoning.text", "text": "so B"}]}, "", "so B"),
        ({"reasoning_content": "", "reasoning": "so B"}, "", "so B"),
        ({"audio": {"transcript": "Answer: B", "data": "UklG"}}, "Answer: B", None),
    ],
)
def test_text_beside_the_content_is_kept(
    server: ChatServer, fields: dict[str, Any], text: str, reasoning: str | None
) -> None:
    server.restart([Answer(completion(None, **fields))])
    (reply,) = ask(server.url)
    assert (reply.state, reply.text, reply.reasoning) == ("replied", text, reasoning)


def test_a_byte_order_mark_is_read(server: ChatServer) -> None:
    server.restart([Answer(b"\xef\xbb\xbf" + completion("B"))])
    (reply,) = ask(server.url)
    assert (reply.state, reply.text) == ("replied", "B")


def test_other_forms_keep_the_usage_and_the_words_of_unreadable_replies() -> None:
    from chronotope.models.services.replies import UnreadableReplyError

    bodies = [
        (MESSAGES, {"content": [{"type": "blob"}], "stop_reason": "end_turn", "usage": {"input_tokens": 7}}, "blob"),
        (MESSAGES, {"content": None, "stop_reason": None, "usage": {"input_tokens": 7}, "note": "queued"}, "queued"),
        (
            GENERATE,
            {
                "candidates": [{"finishReason": "STOP", "content": {"parts": [{"functionCall": {"name": "f"}}]}}],
                "usageMetadata": {"promptTokenCount": 7},
            },
            "functionCall",
        ),
        (GENERATE, {"candidates": [{"finishReason": "OTHER"}], "usageMetadata": {"promptTokenCount": 7}}, "OTHER"),
    ]
    for wire, body, words in bodies:
        with pytest.raises(UnreadableReplyError, match=words) as caught:
            wire.read(json.dumps(body).encode())
        assert caught.value.lost is not None and caught.value.lost.input_tokens == 7
    read = MESSAGES.read(
        json.dumps({"content": [{"type": "output_text", "text": "B"}], "stop_reason": "end_turn"}).encode()
    )
    assert read.text == "B"
    with pytest.raises(UnreadableReplyError, match=r"no reason is given.*in a queue"):
        GENERATE.read(json.dumps({"candidates": [], "note": "in a queue"}).encode())
