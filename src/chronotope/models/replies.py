"""What came back from a chat-completions service: a reply, or whose fault it is that there is none."""

import json
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import numpy as np

from chronotope.models.model import RawReply

__all__ = [
    "Fault",
    "ServiceError",
    "UnreadableReplyError",
    "check_content_type",
    "fault",
    "read_completion",
    "read_error",
    "retry_after",
]

# passing: try again. credit, key, settings, address: wrong use. access, request: this call only, or wrong use if no
# call was ever answered. content: this call only.
Fault = Literal["passing", "credit", "key", "settings", "address", "access", "request", "content"]

NO_CREDIT = {"insufficient_quota", "billing_hard_limit_reached"}
BAD_KEY = re.compile(r"invalid_api_key|API[_ ]KEY[_ ]INVALID|API key not valid", re.IGNORECASE)
BAD_SETTING = {"unsupported_parameter", "unsupported_value", "unknown_parameter"}
ABOUT_CONTENT = re.compile(
    r"content.?(policy|filter|management)|safety|moderat|flagged"
    r"|context.?(length|window|size)|input.tokens|prompt (is )?too (long|large)",
    re.IGNORECASE,
)


class UnreadableReplyError(Exception):
    """A reply with a good status that is no chat completion; the text says what it is instead."""


@dataclass(frozen=True)
class ServiceError:
    """What a service says of a request that it did not answer.

    Some services repeat the key: nothing of it is in the repr.
    """

    message: str = field(repr=False)
    code: str = field(default="", repr=False)
    parameter: str = field(default="", repr=False)


def _json(data: bytes) -> Any:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableReplyError(f"the body is not UTF-8 at byte {error.start}") from None
    if text.lstrip().startswith("<"):
        raise UnreadableReplyError("the body is an HTML or XML page, not JSON")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableReplyError(f"the body is not JSON ({error})") from None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(content: Any) -> tuple[str, str]:
    """The words and the reasoning of a message's content: a string, or a list of parts."""
    if content is None or isinstance(content, str):
        return content or "", ""
    if not isinstance(content, list):
        raise UnreadableReplyError(f"the content is neither text nor a list of parts but {type(content).__name__}")
    words = [str(part.get("text") or "") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    thoughts: list[str] = []
    for part in content:
        if isinstance(part, dict) and part.get("type") in ("thinking", "reasoning"):
            inner = part.get("thinking") or part.get("reasoning") or part.get("text")
            thoughts.append(inner if isinstance(inner, str) else _texts(inner)[0])
    return "".join(words), "".join(thoughts)


def _letter_log_probabilities(choice: dict[str, Any]) -> dict[str, float] | None:
    """Log-probability of each letter at the first token that is not blank; None where that token is no letter.

    Any other shape, such as the older completions form's, says nothing: None.
    """
    try:
        first = next(token for token in choice["logprobs"]["content"] if token["token"].strip())
        found: dict[str, float] = {}
        for token in [first, *(other for other in first.get("top_logprobs") or [] if other["token"] != first["token"])]:
            letter, value = token["token"].strip(), float(token["logprob"])
            if re.fullmatch("[A-Z]", letter) and math.isfinite(value):
                found[letter] = float(np.logaddexp(found.get(letter, -math.inf), value))
    except (KeyError, TypeError, ValueError, AttributeError, StopIteration):
        return None
    return found if first["token"].strip() in found else None


def check_content_type(headers: Mapping[str, str]) -> None:
    """Raise UnreadableReplyError for a body that says that it is something else than JSON; it need not say anything."""
    told = headers.get("content-type", "").strip()
    kind = re.split("[;,]", told)[0].strip().lower()
    if told and kind not in ("application/json", "text/json") and not kind.endswith("+json"):
        raise UnreadableReplyError(f"the answer's content type is {told!r}, not JSON")


def read_completion(data: bytes) -> RawReply:
    """The reply in the body of a chat completion, state ``replied`` or ``refused`` (by the service's filter).

    Raises UnreadableReplyError where the body is no such thing.
    """
    body = _json(data)
    if isinstance(body, dict) and body.get("error"):
        raise UnreadableReplyError(f"an error under a good status: {_told(body).message}")
    try:
        choice: dict[str, Any] = dict(body["choices"][0])
        message: dict[str, Any] = dict(choice["message"])
    except (KeyError, IndexError, TypeError, ValueError):
        raise UnreadableReplyError("the body is JSON but holds no choices[0].message") from None
    finish, refusal = choice.get("finish_reason"), message.get("refusal")
    if choice.get("error") or finish == "error":  # what broke off half way
        raise UnreadableReplyError(f"an error under a good status: {_told(choice).message}")
    if message.get("content") is None and finish is None and not refusal:
        raise UnreadableReplyError("the message has neither content nor a finish reason")
    text, thoughts = _texts(message.get("content"))
    apart = message.get("reasoning_content") or message.get("reasoning")
    filtered = isinstance(finish, str) and finish.lower().startswith(("content_filter", "safety", "refusal"))
    usage = _mapping(body.get("usage"))
    return RawReply(
        state="refused" if filtered or (refusal and not text) else "replied",
        text=text or (refusal if isinstance(refusal, str) else ""),
        reasoning=(apart if isinstance(apart, str) else thoughts) or None,
        finish=finish if isinstance(finish, str) else None,
        letter_log_probabilities=_letter_log_probabilities(choice),
        error=f"the service withheld the reply (finish reason {finish})" if filtered else None,
        input_tokens=_count(usage.get("prompt_tokens")),
        cached_tokens=_count(_mapping(usage.get("prompt_tokens_details")).get("cached_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
    )


def read_error(data: bytes) -> ServiceError:
    """What the body of a failed request says, in whatever of the usual shapes; never raises."""
    try:
        body = _json(data)
    except UnreadableReplyError:
        page = data.lstrip()[:1] == b"<"
        return ServiceError("an HTML or XML page" if page else data.decode("utf-8", "replace") or "an empty body")
    return _told(body[0] if isinstance(body, list) and body else body)


def _told(body: Any) -> ServiceError:
    told = (body.get("error") or body) if isinstance(body, dict) else body
    if not isinstance(told, dict):
        return ServiceError(str(told))
    message = told.get("message") or told.get("detail") or json.dumps(told)
    code = told.get("code") or told.get("type") or ""
    return ServiceError(str(message), str(code), str(told.get("param") or ""))


def fault(status: int, error: ServiceError, fields: Collection[str]) -> Fault:
    """Whose fault a status outside 200 to 299 is; ``fields`` are the names that every request's body shares."""
    if error.code in NO_CREDIT or status == 402:
        return "credit"
    if status in (408, 409, 425, 429) or status >= 500:
        return "passing"
    if status == 401 or BAD_KEY.search(f"{error.code} {error.message}"):
        return "key"
    if status == 413 or ABOUT_CONTENT.search(f"{error.code} {error.message}"):
        return "content"
    if error.code in BAD_SETTING or error.parameter in fields:
        return "settings"
    if status < 400 or status in (404, 405):
        return "address"
    return "access" if status == 403 else "request"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the service asks to wait (RFC 9110, 10.2.3: seconds or a date); None where it does not ask.

    A date is compared with the service's own clock where it sends one.
    """
    asked = headers.get("retry-after", "").strip()
    try:
        seconds = float(asked)
        return max(0.0, seconds) if math.isfinite(seconds) else None
    except ValueError:
        pass
    until = _date(asked)
    if until is None:
        return None
    return max(0.0, (until - (_date(headers.get("date", "")) or datetime.now(UTC))).total_seconds())


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
