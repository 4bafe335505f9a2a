"""The wire format of Anthropic's Messages API (POST base_url/messages).

Sources: https://platform.claude.com/docs/en/api (November 2026), and the types of the Python client.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chronotope.errors import InputError
from chronotope.media import Encoded
from chronotope.models.model import LENGTH_FIELDS, NO_FRAMES, Decoding, RawReply
from chronotope.models.services.body import Piece, Shape, content_for_user, joined
from chronotope.models.services.replies import (
    ServiceError,
    broken,
    content_texts,
    count_of,
    lost_usage,
    mapping,
    parsed,
    read_error,
)
from chronotope.models.services.wire import OURS, STREAMED, Fields, allowed, closed_schema, written
from chronotope.protocol import FramesOf

# The version of 2026-10-21 accepts no temperature for any model. This older version accepts a temperature for some
# models, and is still supported. All other fields have the same meaning in both versions. The flag `--header
# "anthropic-version: ..."` selects another version.
VERSION = "2023-06-01"
RESERVED = {"messages": OURS, "model": OURS, "system": OURS, "cache_control": OURS, "stream": STREAMED}
EFFORTS = ("low", "medium", "high", "xhigh", "max")

# Blocks that are not words of the reply, such as encrypted thoughts.
SILENT = {"redacted_thinking", "tool_use", "server_tool_use"}
# Maps the finish reasons of the service to the words that all wire formats use.
FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}


def _shown(encoded: Encoded) -> tuple[bytes, bytes]:
    if not encoded.media_type.startswith("image/"):
        raise InputError(f"Anthropic's service accepts no {encoded.media_type}: show frames as pictures instead")
    head = f'{{"type":"image","source":{{"type":"base64","media_type":"{encoded.media_type}","data":"'
    return head.encode(), b'"}}'


SHAPE = Shape(
    (b'{"type":"text","text":"', b'"}'), _shown, mark=b',"cache_control":{"type":"ephemeral"}}', drops_blank=True
)


@dataclass(frozen=True)
class MessagesForm:
    """The wire format of the Messages API.

    The system text is separate from the messages. If several asks share a prefix, its last picture is marked, so that
    the service keeps the prefix in its cache.
    """

    name: str = "messages"
    service: str = "Anthropic's Messages API"
    remedy: str = ""

    @property
    def needs_limit(self) -> bool:
        """Check whether each request must limit its reply."""
        return True

    def path(self, model: str) -> str:
        """Return the path after the base URL."""
        return "/messages"

    def headers(self, key: str) -> dict[str, str]:
        """Return the headers for a key; the key may be empty."""
        return {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})}

    def fields(self, decoding: Decoding) -> Fields:
        """Return the fields of the body besides model and messages.

        ``thinking`` in ``extra`` has short values: a number is a budget in tokens, ``low`` to ``max`` are efforts, true
        lets the model decide, and false or 0 switches thinking off.
        """
        allowed(decoding.extra, RESERVED)
        if decoding.extra.get("logprobs") or decoding.extra.get("top_logprobs"):
            raise InputError("Anthropic's service gives no log-probabilities: omit --set logprobs and top_logprobs")
        _, most = decoding.longest_reply
        if most is None:
            raise InputError("Anthropic's service needs a limit on replies: set it with --max-tokens N")
        extra = {name: value for name, value in decoding.extra.items() if name not in LENGTH_FIELDS}
        fields: dict[str, Any] = {"temperature": decoding.temperature, "max_tokens": most}
        if decoding.top_p != 1:
            fields["top_p"] = decoding.top_p
        fields = {name: value for name, value in (fields | extra).items() if value is not None}
        if "thinking" in fields:
            fields |= _thinking(fields["thinking"], fields)
        return Fields(fields, fields)

    def with_times(self, fields: Fields, frames: FramesOf) -> Fields:
        """Refuse a video of frames."""
        raise InputError(NO_FRAMES)

    def shape(self, fields: Fields) -> Shape:
        """Return the format of content parts."""
        return SHAPE

    def body(self, model: str, pieces: Sequence[Piece], fields: Fields) -> list[bytes]:
        """Return the body as fragments of one JSON object."""
        system = [piece for piece in pieces if piece.role == "system"]
        if any(piece.sha256 for piece in system):
            raise InputError("Anthropic's service accepts no pictures in the system text: use the name endpoint/NAME")
        words = joined(system)
        head = written({"model": model, **fields.body})[:-1]
        return [
            head,
            *([b',"system":"', *words, b'"'] if any(words) else []),
            b',"messages":[{"role":"user","content":[',
            *content_for_user(pieces, SHAPE),
            b"]}]}",
        ]

    def answer_schema(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings that make replies valid under a schema."""
        return {"output_config": {"format": {"type": "json_schema", "schema": closed_schema(schema)}}}

    def read(self, data: bytes) -> RawReply:
        """Read the reply in a body with a good status."""
        body = parsed(data)
        usage = _usage(mapping(mapping(body).get("usage")))
        if not isinstance(body, dict) or body.get("type") == "error" or body.get("error"):
            raise broken(body, "the body is JSON without content and stop_reason", lost_usage(usage))
        content, reason = body.get("content"), body.get("stop_reason")
        if not isinstance(content, list) or not isinstance(reason, str):
            raise broken(body, "the body is JSON without content and stop_reason", lost_usage(usage))
        text, thoughts = content_texts(content, lost_usage(usage), silent=SILENT)
        return replace(
            usage,
            state="refused" if reason == "refusal" else "replied",
            text=text,
            reasoning=thoughts or None,
            finish=FINISH.get(reason, reason),
            error=_refusal(body) if reason == "refusal" else None,
        )

    def error(self, data: bytes) -> ServiceError:
        """Read the error in a failed request's body."""
        return read_error(data)


MESSAGES = MessagesForm()


def _thinking(told: Any, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a value of the setting ``thinking`` to the service's fields.

    Raises:
        InputError: If the value has no meaning, or if a budget does not fit into the reply.
    """
    if isinstance(told, str) and told in EFFORTS:
        return {"thinking": {"type": "adaptive"}, "output_config": {"effort": told, **fields.get("output_config", {})}}
    if told is True or told == "adaptive":
        return {"thinking": {"type": "adaptive"}}
    if told is False or told == 0:
        return {"thinking": {"type": "disabled"}}
    own = {"type": "enabled", "budget_tokens": told} if isinstance(told, int) else told
    if not isinstance(own, dict) or "type" not in own:
        raise InputError(
            f"--set thinking={told}: expected a number of tokens, {', '.join(EFFORTS)}, true, false, or the service's "
            "own {type: ..., ...}"
        )
    budget = own.get("budget_tokens")
    if isinstance(budget, int) and budget >= fields["max_tokens"]:
        raise InputError(
            f"--set thinking={budget}: thoughts count towards the reply, which has at most {fields['max_tokens']} "
            "tokens: raise --max-tokens above the budget"
        )
    return {"thinking": own}


def _usage(usage: Mapping[str, Any]) -> RawReply:
    """Return a reply with token counts only.

    The service counts cached tokens separately.
    """
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    sent, stored, cached = (count_of(usage.get(name)) for name in names)
    return RawReply(
        "replied",
        input_tokens=None if sent is None else sent + (stored or 0) + (cached or 0),
        cached_tokens=cached,
        stored_tokens=stored,
        output_tokens=count_of(usage.get("output_tokens")),
        reasoning_tokens=count_of(mapping(usage.get("output_tokens_details")).get("thinking_tokens")),
    )


def _refusal(body: Mapping[str, Any]) -> str:
    details = mapping(body.get("stop_details"))
    why = [str(details[name]) for name in ("category", "explanation") if details.get(name)]
    return f"the service withheld the reply (stop reason {': '.join(['refusal', *why])})"
