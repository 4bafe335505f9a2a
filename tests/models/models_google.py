"""Google's Gemini API as its tests need it: replies and errors by the types of its own client."""

import json
from typing import Any

from google.genai import errors, types
from models_chat_server import Answer
from models_hosted import KEY

from chronotope.models.services.wires.generate import GENERATE

WIRE = GENERATE
PROVIDER, MODEL = "google", "google/gemini-2.5-flash"


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


OTHER_BODIES = {
    "nothing": b"{}",
    "error": b'{"error": {"code": 500, "message": "half way", "status": "INTERNAL"}}',
    "malformed": b'{"candidates": [{"finishReason": "MALFORMED_RESPONSE", "index": 0}]}',
    "other": b'{"candidates": [{"finishReason": "OTHER"}]}',
    "list": b"[]",
    "chat form": b'{"choices": [{"message": {"content": "A"}}]}',
}

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

TOO_LARGE = {
    "context": failure(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)",
    ),
    "size": failure(400, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."),
    "too large": failure(413, "INVALID_ARGUMENT", "Request Entity Too Large"),
}

OWN_FIELDS = ("contents", "systemInstruction", "candidateCount")
BROKEN = failure(500, "INTERNAL", f"no route for {KEY}")
ECHO = response(types.Part(text=f"your key is {KEY}"))
SLOW, PAUSE = failure(429, "RESOURCE_EXHAUSTED", "slow down", retry("1.2s")), 1.2  # s
