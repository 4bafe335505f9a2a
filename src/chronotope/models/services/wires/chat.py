"""The chat-completions format (POST base_url/chat/completions), which most services and servers accept."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Any

from chronotope.media import Encoded
from chronotope.models.model import FRAME_TIMES, Decoding, LengthField, RawReply
from chronotope.models.services.body import Piece, Shape, content_of, joined
from chronotope.models.services.replies import (
    CUT,
    ServiceError,
    UnreadableReplyError,
    broken,
    content_texts,
    count_of,
    letter_log_probabilities,
    lost_usage,
    mapping,
    money_of,
    parsed,
    read_error,
    thoughts_of,
)
from chronotope.models.services.wire import ONE_REPLY, OURS, STREAMED, Fields, allowed, closed_schema, written
from chronotope.protocol import FramesOf

RESERVED = {
    "messages": OURS,
    "model": OURS,
    "stream": STREAMED,
    "stream_options": STREAMED,
    "n": ONE_REPLY,
    "best_of": ONE_REPLY,
}


def video_fields(frames: FramesOf) -> dict[str, Any]:
    """Return the fields that give vLLM the times of frames.

    Without ``num_frames``, vLLM reads only the first 32 frames. Source: ``VideoMediaIO`` of vLLM (2026).
    """
    return {
        "fps": frames.fps,
        "frames_indices": list(frames.indices),
        "total_num_frames": frames.total,
        "duration": frames.total / frames.fps,
        "num_frames": len(frames.frames),
        "do_sample_frames": False,
    }


def _shown(encoded: Encoded) -> tuple[bytes, bytes]:
    kind = "video_url" if encoded.media_type.startswith("video/") else "image_url"
    return f'{{"type":"{kind}","{kind}":{{"url":"data:{encoded.media_type};base64,'.encode(), b'"}}'


SHAPE = Shape((b'{"type":"text","text":"', b'"}'), _shown)


@dataclass(frozen=True)
class ChatForm:
    """The chat-completions format.

    ``length_field`` is the service's field for the maximum tokens of a reply. ``key_header`` is the name of the header
    that contains the key, or None for the header Authorization.
    """

    length_field: LengthField = "max_tokens"
    key_header: str | None = None
    name: str = "chat"
    service: str = "a chat-completions service"
    remedy: str = " and the base URL, which is the URL without /chat/completions (it often ends in /v1)"

    @property
    def needs_limit(self) -> bool:
        """Check whether each request must limit its reply."""
        return False

    def path(self, model: str) -> str:
        """Return the path after the base URL."""
        return "/chat/completions"

    def headers(self, key: str) -> dict[str, str]:
        """Return the headers for a key; the key may be empty."""
        if not key:
            return {}
        return {self.key_header: key} if self.key_header else {"Authorization": f"Bearer {key}"}

    def fields(self, decoding: Decoding) -> Fields:
        """Return the fields of the body besides model and messages."""
        fields = request_fields(decoding, self.length_field)
        return Fields(fields, fields)

    def with_times(self, fields: Fields, frames: FramesOf) -> Fields:
        """Add the times of a video of frames, in vLLM's fields."""
        return Fields({**fields.body, FRAME_TIMES: {"video": video_fields(frames)}}, fields.set_as)

    def shape(self, fields: Fields) -> Shape:
        """Return the format of content parts."""
        return SHAPE

    def body(self, model: str, pieces: Sequence[Piece], fields: Fields) -> list[bytes]:
        """Return the body as fragments of one JSON object.

        Consecutive parts of one role make one message. A message of texts alone has a string as its content, because
        servers of text-only models require it.
        """
        foot = written(fields.body)[1:]
        body = [b'{"model":' + json.dumps(model).encode() + b',"messages":[']
        for number, (role, group) in enumerate(groupby(pieces, key=attrgetter("role"))):
            body.append(b'%s{"role":"%s","content":' % (b"," if number else b"", role.encode()))
            body += _content(list(group))
            body.append(b"}")
        return [*body, b"]," if fields.body else b"]", foot]

    def answer_schema(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings that make replies valid under a schema."""
        named = {"name": "answer", "schema": closed_schema(schema), "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": named}}

    def read(self, data: bytes) -> RawReply:
        """Read the reply in a body with a good status."""
        return read_completion(data)

    def error(self, data: bytes) -> ServiceError:
        """Read the error in a failed request's body."""
        return read_error(data)


CHAT = ChatForm()


def request_fields(decoding: Decoding, length_field: LengthField = "max_tokens") -> dict[str, Any]:
    """Return the fields of the body besides model and messages.

    ``length_field`` is the name of the field for the maximum tokens of a reply. A field of ``extra`` replaces our field
    of the same name, and the value null removes the field. Each of ``max_tokens`` and ``max_completion_tokens``
    replaces the other, because some services refuse both together.

    Raises:
        InputError: If a field must not be set or looks like a secret, or if a limit is not a number of tokens.
    """
    allowed(decoding.extra, RESERVED)
    bound, most = decoding.longest_reply
    ours = bound if bound in decoding.extra else length_field
    fields: dict[str, object] = {"temperature": decoding.temperature, ours: most}
    if decoding.top_p != 1:  # some services refuse top_p together with a temperature, so the default is not sent
        fields["top_p"] = decoding.top_p
    return {name: value for name, value in (fields | decoding.extra).items() if value is not None}


def _content(pieces: list[Piece]) -> list[bytes]:
    if not any(piece.sha256 for piece in pieces):
        return [b'"', *joined(pieces), b'"']
    return [b"[", *content_of(pieces, SHAPE), b"]"]


def read_completion(data: bytes) -> RawReply:
    """Read the reply in the body of a chat completion.

    Its state is ``replied``, or ``refused`` if the service's filter withheld the reply. UnreadableReplyError is raised
    if the body is not a chat completion.
    """
    body = parsed(data)
    usage = _usage(mapping(mapping(body).get("usage")))
    lost = lost_usage(usage)
    if isinstance(body, dict) and body.get("error"):
        raise broken(body, "", lost)
    try:
        choice: dict[str, Any] = dict(body["choices"][0])
        message: dict[str, Any] = dict(choice["message"])
    except (KeyError, IndexError, TypeError, ValueError):
        raise broken(body, "the body is JSON without choices[0].message", lost) from None
    finish, refusal = choice.get("finish_reason"), message.get("refusal")
    if choice.get("error") or finish == "error":  # a reply that broke off
        raise broken({"error": choice.get("error") or choice}, "", lost)
    if message.get("content") is None and finish is None and not refusal:
        raise UnreadableReplyError("the message has neither content nor a finish reason", lost=lost or CUT)
    text, thoughts = content_texts(message.get("content"), lost)
    if not text:  # a model that speaks
        text = _text(mapping(message.get("audio")).get("transcript"))
    filtered = isinstance(finish, str) and finish.lower().startswith(("content_filter", "safety", "refusal"))
    return replace(
        usage,
        state="refused" if filtered or (refusal and not text) else "replied",
        text=text or _text(refusal),
        reasoning=thoughts_of(message) or thoughts or None,
        finish=finish if isinstance(finish, str) else None,
        letter_log_probabilities=letter_log_probabilities(choice),
        error=f"the service withheld the reply (finish reason {finish})" if filtered else None,
    )


def _text(value: Any) -> str:
    """Return a text; an empty text for other values."""
    return value if isinstance(value, str) else ""


def _usage(usage: dict[str, Any]) -> RawReply:
    """Return a reply with token counts and cost only.

    Some gateways use the names of the newer Responses form.
    """
    newer = {"prompt_tokens": usage.get("input_tokens"), "completion_tokens": usage.get("output_tokens")}
    usage = {**usage, **{name: value for name, value in newer.items() if usage.get(name) is None}}
    return RawReply(
        "replied",
        input_tokens=count_of(usage.get("prompt_tokens")),
        cached_tokens=count_of(mapping(usage.get("prompt_tokens_details")).get("cached_tokens")),
        output_tokens=_output_tokens(usage),
        reasoning_tokens=_reasoning_tokens(usage),
        money=money_of(usage.get("cost")),
    )


def _output_tokens(usage: dict[str, Any]) -> int | None:
    """Return the received tokens, including thoughts.

    Some services count thoughts only in the total, and all services bill thoughts.
    """
    told, total, prompt = (count_of(usage.get(name)) for name in ("completion_tokens", "total_tokens", "prompt_tokens"))
    rest = None if total is None or prompt is None else total - prompt
    return rest if rest is not None and rest > (told or 0) else told


def _reasoning_tokens(usage: dict[str, Any]) -> int | None:
    """Return the tokens of thoughts, reported or derived from the total."""
    told = count_of(mapping(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    completion, received = count_of(usage.get("completion_tokens")), _output_tokens(usage)
    hidden = None if completion is None or received is None else received - completion
    return max(told or 0, hidden) if hidden else told
