"""Answers of a chat-completions service: replies, and the causes of failures."""

import json
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import numpy as np

from chronotope.models.model import LENGTH_FIELDS, RawReply

__all__ = [
    "Fault",
    "OtherFormError",
    "ServiceError",
    "UnreadableReplyError",
    "check_content_type",
    "cure",
    "fault",
    "read_completion",
    "read_error",
    "retry_after",
]

# passing: try again. credit, key, settings, address, form: wrong use. access, request, named: this call only, or wrong
# use if no call was ever answered; named is a request that is refused for a field of it. content: this call only.
Fault = Literal["passing", "credit", "key", "settings", "address", "form", "access", "named", "request", "content"]

MOST_TOKENS = 10**9  # what counts more counts nothing that can be
MOST_MONEY = 1e6  # for one call

NO_CREDIT = {"insufficient_quota", "billing_hard_limit_reached"}
BAD_KEY = re.compile(r"invalid_api_key|API[_ ]KEY[_ ]INVALID|API key not valid", re.IGNORECASE)
BAD_SETTING = {"unsupported_parameter", "unsupported_value", "unknown_parameter"}
TOO_LONG = re.compile(r"too (large|long|many|big)|at most|maximum|exceed|less than|up to", re.IGNORECASE)
LENGTH_TOO_LONG = re.compile(rf"({'|'.join(LENGTH_FIELDS)})\b.{{0,40}}too large")
ABOUT_CONTENT = re.compile(
    r"content.?(policy|filter|management)|safety|moderat|flagged"
    r"|context.?(length|window|size)|input.tokens|prompt (is )?too (long|large)",
    re.IGNORECASE,
)


class UnreadableReplyError(Exception):
    """The error for a successful response that is not a chat completion.

    The message describes the content of the response.
    """


class OtherFormError(UnreadableReplyError):
    """The error for a successful response whose content type is not JSON."""


@dataclass(frozen=True)
class ServiceError:
    """A service's error for a request that it did not answer.

    The repr of the error is empty, because some services repeat the key.
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
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else None


def _money(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= MOST_MONEY else None


def _output_tokens(usage: dict[str, Any]) -> int | None:
    """Return the output tokens, including the tokens of thinking.

    Some services count the tokens of thinking only in the total. All services charge for these tokens.
    """
    told, total, prompt = (_count(usage.get(name)) for name in ("completion_tokens", "total_tokens", "prompt_tokens"))
    rest = None if total is None or prompt is None else total - prompt
    return rest if rest is not None and rest > (told or 0) else told


def _reasoning_tokens(usage: dict[str, Any]) -> int | None:
    """Return the tokens of thinking, as reported or computed from the total."""
    told = _count(_mapping(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    completion, received = _count(usage.get("completion_tokens")), _output_tokens(usage)
    hidden = None if completion is None or received is None else received - completion
    return max(told or 0, hidden) if hidden else told


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(content: Any) -> tuple[str, str]:
    """Return the text and the reasoning of a message's content.

    The content can be a string or a list of parts.
    """
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
    """Return each letter's log-probability at the first token with text.

    Returns None if this token is not a letter, or the response has another format, such as the format of the older
    completions API.
    """
    try:
        first = next(token for token in choice["logprobs"]["content"] if token["token"].strip())
        found: dict[str, float] = {}
        for token in [first, *(other for other in first.get("top_logprobs") or [] if other["token"] != first["token"])]:
            letter, value = token["token"].strip(), float(token["logprob"])
            if re.fullmatch("[A-Z]", letter) and math.isfinite(value):
                found[letter] = float(np.logaddexp(found.get(letter, -math.inf), value))
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError, StopIteration):
        return None
    return found if first["token"].strip() in found else None


def check_content_type(headers: Mapping[str, str]) -> None:
    """Raise OtherFormError if the content type is not JSON.

    A missing content type is accepted.
    """
    told = headers.get("content-type", "").strip()
    kind = re.split("[;,]", told)[0].strip().lower()
    if told and kind not in ("application/json", "text/json") and not kind.endswith("+json"):
        raise OtherFormError(f"the answer's content type is {told!r}, not JSON")


def read_completion(data: bytes) -> RawReply:
    """Read the reply in the body of a chat completion.

    The state of the reply is ``replied``, or ``refused`` if a filter of the service withheld it. UnreadableReplyError
    is raised if the body is not a chat completion.
    """
    body = _json(data)
    if isinstance(body, dict) and body.get("error"):
        raise UnreadableReplyError(f"an error with a success status: {_told(body).message}")
    try:
        choice: dict[str, Any] = dict(body["choices"][0])
        message: dict[str, Any] = dict(choice["message"])
    except (KeyError, IndexError, TypeError, ValueError):
        raise UnreadableReplyError("the body is JSON without choices[0].message") from None
    finish, refusal = choice.get("finish_reason"), message.get("refusal")
    if choice.get("error") or finish == "error":  # what broke off half way
        raise UnreadableReplyError(f"an error with a success status: {_told(choice).message}")
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
        output_tokens=_output_tokens(usage),
        reasoning_tokens=_reasoning_tokens(usage),
        money=_money(usage.get("cost")),
    )


def read_error(data: bytes) -> ServiceError:
    """Read the error in the body of a failed request.

    The function can read all usual formats of errors, and never raises an exception.
    """
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
    """Decide what caused an HTTP status outside 200 to 299.

    ``fields`` are the names of the fields in every request's body.
    """
    if error.code in NO_CREDIT or status == 402:
        return "credit"
    if status in (408, 409, 425, 429) or status >= 500:
        return "passing"
    if status == 401 or BAD_KEY.search(f"{error.code} {error.message}"):
        return "key"
    if status in (400, 422) and LENGTH_TOO_LONG.search(error.message):
        return "named"  # though it speaks of the context: it is what is left of it for a reply
    if status == 413 or ABOUT_CONTENT.search(f"{error.code} {error.message}"):
        return "content"
    if error.code in BAD_SETTING or error.parameter in fields:
        return "settings"
    if status < 400 or status in (404, 405):
        return "address"
    if status == 403:
        return "access"
    return "named" if status in (400, 422) and _named(error, fields) else "request"


def cure(error: ServiceError, fields: Mapping[str, object], flag: str) -> str:
    """Name the flags that remove a refused field from the body.

    Returns a text, which is empty if the error names no field. ``fields`` are the fields of the body besides model and
    messages; ``flag`` is the flag that sets them (``--set``).
    """
    named = _named(error, fields)
    if {"temperature", "top_p"} <= set(named) and re.search("both|together", error.message):
        named = ["top_p"]
    return " ".join(_cure(name, error.message, fields, flag) for name in named)


def _cure(name: str, message: str, fields: Mapping[str, object], flag: str) -> str:
    other = next((one for one in LENGTH_FIELDS if one != name), name)
    if name in LENGTH_FIELDS and TOO_LONG.search(message):
        return f"{flag} {name}=N with fewer tokens than {fields[name]}"
    return f"{flag} {other}={fields[name]}" if name in LENGTH_FIELDS and other in message else f"{flag} {name}=null"


def _named(error: ServiceError, fields: Collection[str]) -> list[str]:
    """Return the fields that an error is about.

    The fields come from the parameter of the error, or else from its text.
    """
    if error.parameter in fields:
        return [error.parameter]
    return [name for name in fields if re.search(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])", error.message)]


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the service asks to wait, or None.

    The header contains seconds or a date (RFC 9110, 10.2.3). The milliseconds of OpenAI and Azure are preferred,
    because they are more precise. A date is compared with the service's own clock, if the response has it.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    asked = headers.get("retry-after", "").strip()
    if (seconds := _number(asked)) is not None:
        return seconds
    until = _date(asked)
    if until is None:
        return None
    return max(0.0, (until - (_date(headers.get("date", "")) or datetime.now(UTC))).total_seconds())


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # a year or a zone that no clock has
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
