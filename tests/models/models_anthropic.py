"""Anthropic's Messages API as its tests need it: replies and errors by the types of its own client."""

import json
from typing import Any

from anthropic import types
from anthropic.types.shared import ErrorResponse
from models_chat_server import Answer
from models_hosted import KEY

from chronotope.models.services.wires.messages import MESSAGES

WIRE = MESSAGES
PROVIDER, MODEL = "anthropic", "anthropic/claude-sonnet-4-6"


def message(*blocks: Any, stop: str = "end_turn", usage: dict[str, Any] | None = None, **more: Any) -> Answer:
    """A reply, written by the client's own type."""
    content = list(blocks) or [types.TextBlock(type="text", text="A")]
    told = types.Message(
        id="msg_1",
        type="message",
        role="assistant",
        model="claude-sonnet-4-6",
        content=content,
        stop_reason=stop,  # pyright: ignore[reportArgumentType]
        usage=types.Usage(**({"input_tokens": 10, "output_tokens": 5} | (usage or {}))),
        **more,
    )
    return Answer(told.model_dump_json().encode())


def failure(status: int, kind: str, text: str, headers: dict[str, str | None] | None = None) -> Answer:
    """An error, which the client's own type accepts (all but one kind, which only the service's pages name)."""
    body = {"type": "error", "error": {"type": kind, "message": text}, "request_id": "req_1"}
    if kind != "request_too_large":
        ErrorResponse.model_validate(body)
    return Answer(json.dumps(body).encode(), status, headers or {})


OTHER_BODIES = {
    "error": b'{"type": "error", "error": {"type": "api_error", "message": "half way"}}',
    "chat form": b'{"choices": [{"message": {"content": "A"}}]}',
    "no stop reason": b'{"type": "message", "content": [{"type": "text", "text": "A"}]}',
    "list": b"[]",
    "content": b'{"content": "A", "stop_reason": "end_turn"}',
}

LATER = {
    "overloaded": failure(529, "overloaded_error", "Overloaded"),
    "rate": failure(429, "rate_limit_error", "This request would exceed your rate limit", {"retry-after": "0"}),
    "internal": failure(500, "api_error", "Internal server error"),
    "timeout": failure(504, "timeout_error", "Request timed out"),
}

WRONG_USE = {
    "key": (failure(401, "authentication_error", "invalid x-api-key"), "does not accept the API key"),
    "billing": (failure(402, "billing_error", "Payment required"), "no credit left"),
    "balance": (
        failure(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
        "no credit left, or has used up its quota",
    ),
    "limit": (
        failure(400, "invalid_request_error", "You have reached your specified API usage limits."),
        "no credit left, or has used up its quota",
    ),
    "model": (failure(404, "not_found_error", "model: claude-x"), r"check the model's name \(HTTP 404: model"),
    "access": (failure(403, "permission_error", "Your key has no access"), "check that the key has access"),
    "temperature": (
        failure(400, "invalid_request_error", "`temperature` is deprecated for this model."),
        "add --set temperature=null",
    ),
    "length": (
        failure(400, "invalid_request_error", "max_tokens: 100 > 64, which is the maximum allowed number of tokens"),
        "add --set max_tokens=N with fewer tokens than 100",
    ),
}

TOO_LARGE = {
    "size": failure(413, "request_too_large", "Request exceeds the maximum size"),
    "context": failure(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    "pictures": failure(400, "invalid_request_error", "Too much media: 0 document pages + 102 images > 100"),
}

OWN_FIELDS = ("messages", "system", "cache_control", "stream")
BROKEN = failure(500, "api_error", f"no route for {KEY}")
ECHO = message(types.TextBlock(type="text", text=f"your key is {KEY}"))
SLOW, PAUSE = failure(429, "rate_limit_error", "slow down", {"retry-after": "1"}), 1.0  # s
