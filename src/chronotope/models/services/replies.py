"""The common code of the readers of all forms."""

import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import numpy as np

from chronotope.ledger import MOST_MONEY, MOST_TOKENS
from chronotope.models.model import Lost, RawReply

MOST_SHOWN = 200  # characters of an unknown content in an error
SPOKEN = ("code", "message", "msg", "detail")  # fields in which a service states an error
# The HTTP status of each type of error, for errors that come without it: in batches, and under the status 200.
STATUS_OF = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
CUT = Lost(untold=1)  # the usage of a reply that cannot be read: it may be billed


class UnreadableReplyError(Exception):
    """The error for a response with a good status whose body is not a reply.

    The message describes the content of the response. ``told`` is the error in the body, and ``status`` its HTTP
    status, if the body has them: some services send an error with the status 200. ``lost`` is the usage that the body
    states; a body that is cut off, or of an unknown form, has an unknown usage.
    """

    def __init__(
        self,
        message: str,
        *,
        told: "ServiceError | None" = None,
        status: int | None = None,
        lost: Lost | None = None,
    ) -> None:
        super().__init__(message)
        self.told, self.status, self.lost = told, status, lost


class OtherFormError(UnreadableReplyError):
    """The error for a successful response whose content type is not JSON."""


@dataclass(frozen=True)
class ServiceError:
    """A service's error for a request that it did not answer.

    ``code`` is its code, or its type if it has no code; ``kind`` is its type. ``pause`` is the time (s) that the body
    asks to wait. The texts are not in the repr, because some services repeat the key.
    """

    message: str = field(repr=False)
    code: str = field(default="", repr=False)
    kind: str = field(default="", repr=False)
    parameter: str = field(default="", repr=False)
    pause: float | None = None


def parsed(data: bytes) -> Any:
    """Parse a body as JSON.

    UnreadableReplyError is raised if it is not JSON.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableReplyError(f"the body is not UTF-8 at byte {error.start}", lost=CUT) from None
    if text.lstrip().startswith("<"):
        raise UnreadableReplyError("the body is an HTML or XML page, not JSON")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableReplyError(f"the body is not JSON ({error})", lost=CUT if text.strip() else None) from None


def count_of(value: Any) -> int | None:
    """Return a number of tokens; None for other values.

    Some gateways send 70.0 or "70"; these are accepted, because the tokens are billed.
    """
    number = int(value) if isinstance(value, str) and re.fullmatch(r"[0-9]{1,10}", value) else value
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= MOST_TOKENS:
        return None
    return int(number) if number == int(number) else None


def money_of(value: Any) -> float | None:
    """Return an amount of money; None for other values.

    The amount can be a text of digits.
    """
    is_text = isinstance(value, str) and re.fullmatch(r"[0-9]{1,7}(\.[0-9]{1,30})?([eE]-?[0-9]{1,2})?", value)
    number = float(value) if is_text else value
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= MOST_MONEY:
        return None
    return float(number)


def mapping(value: Any) -> dict[str, Any]:
    """Return a JSON object; an empty object for other values."""
    return value if isinstance(value, dict) else {}


def letter_log_probabilities(choice: Mapping[str, Any]) -> dict[str, float] | None:
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


def read_error(data: bytes) -> ServiceError:
    """Read the error in the body of a failed request.

    All usual formats of errors are accepted, and no exception is raised.
    """
    try:
        body = parsed(data)
    except UnreadableReplyError:
        page = data.lstrip()[:1] == b"<"
        return ServiceError("an HTML or XML page" if page else data.decode("utf-8", "replace") or "an empty body")
    return error_in(body[0] if isinstance(body, list) and body else body)


def error_in(body: Any) -> ServiceError:
    """Find the error in a body of any usual form.

    A gateway such as OpenRouter puts the words of the service behind it into ``metadata``.
    """
    told = (body.get("error") or body) if isinstance(body, dict) else body
    if not isinstance(told, dict):
        return ServiceError(str(told))
    if base := mapping(told.get("base_resp")):  # the form of MiniMax
        told = {"message": base.get("status_msg"), "code": base.get("status_code")}
    message = str(told.get("message") or told.get("detail") or json.dumps(told, ensure_ascii=False))
    if isinstance(behind := mapping(told.get("metadata")).get("raw"), str) and behind.strip():
        message += f": {behind.strip()}"
    code, kind = (str(told.get(name) or "") for name in ("code", "type"))
    return ServiceError(message, code or kind, kind, str(told.get("param") or ""))


def broken(body: Any, why: str, lost: Lost | None = None) -> UnreadableReplyError:
    """Return the error for a JSON body that is not a reply.

    The error contains the words of the body.

    If the body is an error, its code or its type can state an HTTP status, as if the response had this status. ``why``
    describes any other body. A body without a code or message of its own is not searched for known faults, because its
    words can be the words of the model.
    """
    is_error = isinstance(body, dict) and (
        bool(body.get("error") or mapping(body.get("base_resp")).get("status_code")) or body.get("object") == "error"
    )
    told = error_in(body)
    if is_error:
        status = int(told.code) if re.fullmatch("[45][0-9]{2}", told.code) else STATUS_OF.get(told.kind)
        return UnreadableReplyError(
            f"an error with a success status: {told.message}", told=told, status=status, lost=lost
        )
    words = "" if body in ({}, []) else f": {told.message}"
    speaks = isinstance(body, dict) and any(body.get(name) and isinstance(body[name], str | int) for name in SPOKEN)
    return UnreadableReplyError(f"{why}{words}", told=told if speaks else None, lost=lost or CUT)


def lost_usage(usage: RawReply) -> Lost | None:
    """Return the usage of an unreadable response, or None."""
    lost = Lost(usage.input_tokens, usage.output_tokens, usage.money)
    return lost if lost.is_known else None


THOUGHTS = {"thinking", "reasoning", "reasoning_text", "summary_text"}  # types of parts with thoughts


def content_texts(content: Any, lost: Lost | None = None, *, silent: Collection[str] = ()) -> tuple[str, str]:
    """Return the text and the thoughts of a reply's content.

    The content is a text, one part, or a list of parts. A part is a text, or an object with its text in ``text``,
    whatever its type is. Parts without text are ignored beside others; ``silent`` are the types of parts that have no
    text by design. UnreadableReplyError is raised for content in an unknown form, with the content in its message, so
    that nothing that was paid for becomes an empty reply.
    """
    if content is None or isinstance(content, str):
        return content or "", ""
    parts = [content] if isinstance(content, dict) else content
    if not isinstance(parts, list):
        told = f"the content is {type(content).__name__}, neither text nor a list of parts"
        raise UnreadableReplyError(f"{told} ({_shortened(content)})", lost=lost or CUT)
    words, thoughts = "", ""
    for part in parts:
        kind = str(mapping(part).get("type") or "")
        if kind in THOUGHTS:
            thoughts += _text_in(part, ("thinking", "reasoning", "text", "summary", "content"))
        else:
            words += _text_in(part, ("text", "content", "value", "refusal"))
    known = THOUGHTS | {"text", *silent}
    if not words and not thoughts and _has_unknown(parts, known):
        raise UnreadableReplyError(f"the content has an unknown form ({_shortened(content)})", lost=lost or CUT)
    return words, thoughts


def _has_unknown(parts: Sequence[Any], known: Collection[str]) -> bool:
    """Check whether parts without text have other content, which would be lost."""
    objects = [part for part in parts if isinstance(part, dict)]
    bare = not objects and any(part is not None and not isinstance(part, str) for part in parts)
    return bare or any(part and str(part.get("type")) not in known for part in objects)


def thoughts_of(message: Mapping[str, Any]) -> str:
    """Return the thoughts beside the content of a message.

    Each server has its own field for them.
    """
    names = ("reasoning_content", "reasoning", "thinking", "reasoning_details")
    texts = (_text_in(message.get(name), ("text", "content", "thinking", "summary")) for name in names)
    return next(filter(None, texts), "")


def _text_in(part: Any, names: Sequence[str], depth: int = 4) -> str:
    """Return the text in the first of the fields ``names`` that has a text.

    Parts can contain parts; they are searched down to ``depth`` levels.
    """
    if isinstance(part, str):
        return part
    if depth == 0 or not isinstance(part, dict | list):
        return ""
    if isinstance(part, list):
        return "".join(_text_in(one, names, depth - 1) for one in part)
    return next((text for name in names if (text := _text_in(part.get(name), names, depth - 1))), "")


def _shortened(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the service asks to wait, or None.

    The header contains seconds or a date (RFC 9110, 10.2.3). The milliseconds of OpenAI and Azure are preferred,
    because they are more precise. A date is compared with the response's own date, or, if this date is missing, with
    the clock of this machine.
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
    except (ValueError, OverflowError):  # an impossible year or time zone
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
