"""Keys among the settings of a request are refused, and are written down nowhere."""

import json
from typing import Any

import pytest

from chronotope.cli.flags import body_fields
from chronotope.errors import InputError
from chronotope.models import Decoding, request_fields

KEY = "sk-proj-abcdefGHIJKL0123456789"
SECRET: list[dict[str, Any]] = [
    *({name: "whatever"} for name in ("api_key", "apiKey", "API-KEY", "key", "x-api-key", "access_key", "secret")),
    *({name: "whatever"} for name in ("authorization", "Authorization", "token", "access_token", "hf_token")),
    *({name: "whatever"} for name in ("password", "aws_secret_access_key", "credentials", "cookie", "bearer")),
    {"headers": {"X-Region": "eu"}},
    {"extra_headers": {}},
    {"extra_body": {"provider": {"api_key": "whatever"}}},
    {"providers": [{"name": "a"}, {"name": "b", "token": "whatever"}]},
    {"user": KEY},
    {"stop": ["END", KEY]},
    {"metadata": {"from": "hf_abcdefghijklmnopqrstuvwxyz012345"}},
    {"note": "Bearer whatever"},
    {KEY: "1"},
    {"pwd": "whatever"},
    {"user": "AKIAIOSFODNN7EXAMPLE-whatever"},
    {"jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ3aGF0ZXZlciJ9.whatever"},
    {"a": ["Authorization: Bearer whatever"]},
    {"x": f"token {KEY}"},
    {"y": "key=AIzaSyA0123456789abcdefghij-whatever"},
    {"z": f"(basic) {KEY}"},
]
HARMLESS: dict[str, Any] = {
    **dict.fromkeys(("max_tokens", "min_tokens", "max_completion_tokens", "thinking_token_budget", "top_k"), 5),
    **dict.fromkeys(("skip_special_tokens", "add_special_tokens", "return_token_ids", "ignore_eos"), True),
    "stop_token_ids": [1, 2],
    "allowed_token_ids": [3],
    "eos_token": "</s>",
    "prompt_cache_key": "bench",
    "user": "hf-internal-testing/tiny-random-model",
    "chat_template_kwargs": {"enable_thinking": False, "keywords": ["monkey"]},
    "extra_body": {"google": {"thinking_config": {"thinking_budget": 0}}},
    "provider": {"order": ["skyline-provider-of-models"], "allow_fallbacks": False},
    "api_key": None,
    "system": "Say who the bearer of the risk-assessment-of-the-task is, and its author.",
}


@pytest.mark.parametrize("fields", SECRET, ids=lambda fields: next(iter(fields)))
def test_a_field_that_may_hold_a_key_is_refused(fields: dict[str, Any]) -> None:
    pairs = [f"{name}={json.dumps(value)}" for name, value in fields.items()]
    for attempt in (lambda: body_fields(pairs), lambda: request_fields(Decoding(extra=fields))):
        with pytest.raises(InputError, match="environment variable CHRONOTOPE_API_KEY") as told:
            attempt()
        assert "whatever" not in str(told.value) and KEY not in str(told.value)


def test_settings_of_replies_are_not_taken_for_keys() -> None:
    assert body_fields([f"{name}={json.dumps(value)}" for name, value in HARMLESS.items()]) == HARMLESS
    assert request_fields(Decoding(extra=HARMLESS))["stop_token_ids"] == [1, 2]
