"""The wire format of Google's Gemini API (POST base_url/models/NAME:generateContent).

Sources: https://ai.google.dev/api (November 2026), and the types of the Python client.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from chronotope.errors import InputError
from chronotope.media import Encoded
from chronotope.models.model import LENGTH_FIELDS, NO_FRAMES, Decoding, RawReply
from chronotope.models.services.body import Piece, Shape, content_for_user, joined
from chronotope.models.services.replies import (
    CUT,
    ServiceError,
    UnreadableReplyError,
    broken,
    count_of,
    letter_log_probabilities,
    lost_usage,
    mapping,
    parsed,
    read_error,
)
from chronotope.models.services.wire import ONE_REPLY, OURS, Fields, allowed, closed_schema, written
from chronotope.protocol import FramesOf

RESERVED = {"contents": OURS, "systemInstruction": OURS, "model": OURS, "candidateCount": ONE_REPLY}
# Fields of the body outside ``generationConfig``; all other fields are put into ``generationConfig``.
BESIDE = {"cachedContent", "labels", "safetySettings", "serviceTier", "toolConfig", "tools"}
VIDEO = "videoMetadata"  # settings of each video, such as {fps: 2} for its frame rate
OWN_NAMES = {"top_p": "topP", "top_k": "topK"}
LEVELS = ("minimal", "low", "medium", "high", "xhigh")

FINISH = {"STOP": "stop", "MAX_TOKENS": "length"}
# Reasons for withholding a finished reply.
WITHHELD = {
    *("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "ESCALATION", "MODEL_ARMOR"),
    *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "PUP_LIMITED_DISABLED"),
}
WORDS = {"text", "thought", "thoughtSignature"}  # fields of a part that has words or thoughts
SECONDS = re.compile(r"(\d+(?:\.\d+)?)s")  # a duration in JSON (google.protobuf.Duration)
PER_DAY = re.compile(r"per.?day", re.IGNORECASE)


@dataclass(frozen=True)
class GenerateForm:
    """The wire format of the Gemini API.

    The system text is separate from the contents. Fields of ``extra`` are put into ``generationConfig``, except for a
    few that are put beside it.
    """

    name: str = "generate"
    service: str = "Google's Gemini API"
    remedy: str = ""

    @property
    def needs_limit(self) -> bool:
        """Check whether each request must limit its reply."""
        return False

    def path(self, model: str) -> str:
        """Return the path after the base URL."""
        return f"/models/{quote(model, safe='')}:generateContent"

    def headers(self, key: str) -> dict[str, str]:
        """Return the headers for a key; the key may be empty."""
        return {"x-goog-api-key": key} if key else {}

    def fields(self, decoding: Decoding) -> Fields:
        """Return the fields of the body besides model and messages.

        ``thinking`` in ``extra`` is short for ``thinkingConfig``: a number is a budget in tokens, ``minimal`` to
        ``xhigh`` are levels, true lets the model decide, and false or 0 switches thinking off. ``logprobs`` (true) and
        ``top_logprobs`` are also accepted under these names of the chat-completions form.
        """
        allowed(decoding.extra, RESERVED)
        if "maxOutputTokens" in decoding.extra or "generationConfig" in decoding.extra:
            raise InputError(
                "generationConfig is filled by Chronotope: set its fields one by one (--set mediaResolution=...), and "
                "its maxOutputTokens with --max-tokens"
            )
        _, most = decoding.longest_reply
        extra = {name: value for name, value in decoding.extra.items() if name not in LENGTH_FIELDS}
        told: dict[str, Any] = {"temperature": decoding.temperature, "max_tokens": most}
        if decoding.top_p != 1:
            told["top_p"] = decoding.top_p
        told = {name: value for name, value in (told | extra).items() if value is not None}
        config = {OWN_NAMES.get(name, name): value for name, value in told.items() if name not in (*BESIDE, VIDEO)}
        if "max_tokens" in config:
            config["maxOutputTokens"] = config.pop("max_tokens")
        if isinstance(config.get("logprobs"), bool):  # the names of the chat-completions form
            config["responseLogprobs"] = config.pop("logprobs")
        if (number := config.pop("top_logprobs", None)) is not None:
            config["logprobs"] = number
        if "thinking" in config:
            config["thinkingConfig"] = _thinking(config.pop("thinking"))
        beside = {name: value for name, value in told.items() if name in (*BESIDE, VIDEO)}
        return Fields({"generationConfig": config, **beside}, told)

    def with_times(self, fields: Fields, frames: FramesOf) -> Fields:
        """Refuse a video of frames."""
        raise InputError(NO_FRAMES)

    def shape(self, fields: Fields) -> Shape:
        """Return the format of content parts."""
        video = written(fields.body[VIDEO]) if VIDEO in fields.body else b""
        of_video = b'"},"%b":%b}' % (VIDEO.encode(), video) if video else b'"}}'

        def shown(encoded: Encoded) -> tuple[bytes, bytes]:
            head = f'{{"inlineData":{{"mimeType":"{encoded.media_type}","data":"'.encode()
            return head, of_video if encoded.media_type.startswith("video/") else b'"}}'

        return Shape((b'{"text":"', b'"}'), shown)

    def body(self, model: str, pieces: Sequence[Piece], fields: Fields) -> list[bytes]:
        """Return the body as fragments of one JSON object."""
        system = [piece for piece in pieces if piece.role == "system"]
        if any(piece.sha256 for piece in system):
            raise InputError("Google's service accepts no pictures in the system text: use the name endpoint/NAME")
        words = joined(system)
        settings = {name: value for name, value in fields.body.items() if name != VIDEO}
        return [
            written(settings)[:-1],
            *([b',"systemInstruction":{"parts":[{"text":"', *words, b'"}]}'] if any(words) else []),
            b',"contents":[{"role":"user","parts":[',
            *content_for_user(pieces, self.shape(fields)),
            b"]}]}",
        ]

    def answer_schema(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings that make replies valid under a schema."""
        return {"responseMimeType": "application/json", "responseJsonSchema": closed_schema(schema)}

    def read(self, data: bytes) -> RawReply:
        """Read the reply in a body with a good status."""
        body = parsed(data)
        usage = _usage(mapping(mapping(body).get("usageMetadata")))
        if not isinstance(body, dict) or body.get("error"):
            raise broken(body, "the body is JSON without candidates", lost_usage(usage))
        blocked = mapping(body.get("promptFeedback")).get("blockReason")
        if blocked:
            told = f"the service refused the prompt (block reason {blocked})"
            return replace(usage, state="refused", text="", finish=str(blocked), error=told)
        candidates = body.get("candidates")
        candidate = mapping(candidates[0]) if isinstance(candidates, list) and candidates else {}
        reason = candidate.get("finishReason")
        parts = mapping(candidate.get("content")).get("parts")
        parts = [mapping(part) for part in parts] if isinstance(parts, list) else []
        withheld = reason in WITHHELD
        if not withheld and not parts and reason not in FINISH:
            why = candidate.get("finishMessage") or reason or "no reason is given"
            raise broken(body, f"the body is JSON without candidates[0].content ({why})", lost_usage(usage))
        other = [part for part in parts if not WORDS.issuperset(part)]
        if other and not withheld and not any(part.get("text") for part in parts):
            names = ", ".join(dict.fromkeys(name for part in other for name in part if name not in WORDS))
            raise UnreadableReplyError(f"the reply has no text, only {names}", lost=lost_usage(usage) or CUT)
        finish = FINISH.get(reason, reason) if isinstance(reason, str) else None
        return replace(
            usage,
            state="refused" if withheld else "replied",
            text="".join(str(part.get("text") or "") for part in parts if not part.get("thought")),
            reasoning="".join(str(part.get("text") or "") for part in parts if part.get("thought")) or None,
            finish=finish,
            letter_log_probabilities=_letters(mapping(candidate.get("logprobsResult"))),
            error=f"the service withheld the reply (finish reason {reason})" if withheld else None,
        )

    def error(self, data: bytes) -> ServiceError:
        """Read the error in a failed request's body.

        An exhausted daily quota counts as an empty account, because a pause would not help.
        """
        told = read_error(data)
        try:
            body = parsed(data)
        except UnreadableReplyError:
            return told
        error = mapping(mapping(body[0] if isinstance(body, list) and body else body).get("error"))
        details = error.get("details")
        details = [mapping(one) for one in details] if isinstance(details, list) else []
        code, pause = str(error.get("status") or told.code), None
        for one in details:
            if (found := SECONDS.fullmatch(str(one.get("retryDelay", "")))) is not None:
                pause = float(found[1])
            violations = one.get("violations")
            for violation in violations if isinstance(violations, list) else []:
                if PER_DAY.search(str(mapping(violation).get("quotaId", ""))):
                    code = "insufficient_quota"
            if one.get("reason") == "API_KEY_INVALID":
                code = "API_KEY_INVALID"
        return replace(told, code=code, parameter=_parameter(told.message), pause=pause)


GENERATE = GenerateForm()


def _parameter(message: str) -> str:
    """Return the field that an error names, or an empty text.

    The result is the name used to set the field.
    """
    if re.search(r"max_?output_?tokens", message, re.IGNORECASE):
        return "max_tokens"
    unknown = re.search(r'Unknown name "(\w+)" at \'generation_config', message)
    return unknown[1] if unknown else ""


def _thinking(told: Any) -> dict[str, Any]:
    """Convert a value of the setting ``thinking`` to ``thinkingConfig``.

    Raises:
        InputError: If the value has no meaning.
    """
    if isinstance(told, dict):
        return told
    if told is False or told == 0:
        return {"thinkingBudget": 0}
    if told is True or isinstance(told, int):
        return {"includeThoughts": True, "thinkingBudget": -1 if told is True else told}
    if isinstance(told, str) and told.lower() in LEVELS:
        return {"includeThoughts": True, "thinkingLevel": told.upper()}
    raise InputError(
        f"--set thinking={told}: expected a number of tokens, {', '.join(LEVELS)}, true, false, or the service's own "
        "{thinkingBudget: ...}"
    )


def _usage(usage: Mapping[str, Any]) -> RawReply:
    """Return a reply with token counts only.

    The service counts thoughts separately from words, and bills both. The service leaves out counts of 0.
    """
    sent, words, thoughts, cached, total = (
        count_of(usage.get(name))
        for name in (
            "promptTokenCount",
            "candidatesTokenCount",
            "thoughtsTokenCount",
            "cachedContentTokenCount",
            "totalTokenCount",
        )
    )
    received = None if words is None and thoughts is None else (words or 0) + (thoughts or 0)
    if received is None and sent is not None and total is not None:
        received = max(0, total - sent)
    return RawReply(
        "replied", input_tokens=sent, cached_tokens=cached, output_tokens=received, reasoning_tokens=thoughts
    )


def _letters(result: Mapping[str, Any]) -> dict[str, float] | None:
    """Return the log-probabilities of letters; see `letter_log_probabilities`."""
    chosen, others = result.get("chosenCandidates"), result.get("topCandidates")
    if not isinstance(chosen, list):
        return None
    tops = [mapping(one).get("candidates") for one in others] if isinstance(others, list) else []

    def token(told: Any) -> dict[str, Any]:
        return {"token": mapping(told).get("token"), "logprob": mapping(told).get("logProbability")}

    content = []
    for place, one in enumerate(chosen):
        top = tops[place] if place < len(tops) else None
        content.append({**token(one), "top_logprobs": [token(other) for other in top] if isinstance(top, list) else []})
    return letter_log_probabilities({"logprobs": {"content": content}})
