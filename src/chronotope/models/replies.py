"""The causes of failures, and the common code of the readers of all forms."""

import json
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import numpy as np

from chronotope.models.model import LENGTH_FIELDS

__all__ = [
    "Fault",
    "OtherFormError",
    "ServiceError",
    "UnreadableReplyError",
    "check_content_type",
    "count_of",
    "cure",
    "error_in",
    "fault",
    "letter_log_probabilities",
    "mapping",
    "money_of",
    "parsed",
    "read_error",
    "retry_after",
]

# passing: temporary, so try again. credit, key, settings, address, form: wrong use. content: a fault of this call.
# access, request, named (a refusal that names a field): wrong use if the service has never answered a call, otherwise a
# fault of this call.
Fault = Literal["passing", "credit", "key", "settings", "address", "form", "access", "named", "request", "content"]

MOST_TOKENS = 10**9  # maximum tokens of one call; a larger count is ignored
MOST_MONEY = 1e6  # maximum cost of one call; a larger amount is ignored

NO_CREDIT = {"insufficient_quota", "billing_hard_limit_reached"}
BAD_KEY = re.compile(r"invalid_api_key|API[_ ]KEY[_ ]INVALID|API key not valid", re.IGNORECASE)
BAD_SETTING = {"unsupported_parameter", "unsupported_value", "unknown_parameter"}
TOO_LONG = re.compile(r"too (large|long|many|big)|at most|maximum|exceed|less than|up to", re.IGNORECASE)
LENGTH_TOO_LONG = re.compile(rf"({'|'.join(LENGTH_FIELDS)})\b.{{0,40}}too large")
ABOUT_CONTENT = re.compile(
    r"content.?(policy|filter|management)|safety|moderat|flagged"
    r"|context.?(length|window|size)|input.token|prompt (is )?too (long|large)|payload size|too much media",
    re.IGNORECASE,
)


class UnreadableReplyError(Exception):
    """The error for a response with a good status whose body is not a reply.

    The message describes the content of the response.
    """


class OtherFormError(UnreadableReplyError):
    """The error for a successful response whose content type is not JSON."""


@dataclass(frozen=True)
class ServiceError:
    """A service's error for a request that it did not answer.

    ``pause`` is the time (s) that the body asks to wait. The texts are not in the repr, because some services repeat
    the key.
    """

    message: str = field(repr=False)
    code: str = field(default="", repr=False)
    parameter: str = field(default="", repr=False)
    pause: float | None = None


def parsed(data: bytes) -> Any:
    """Parse a body as JSON.

    UnreadableReplyError is raised if it is not JSON.
    """
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


def count_of(value: Any) -> int | None:
    """Return a number of tokens; None for other values."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else None


def money_of(value: Any) -> float | None:
    """Return an amount of money; None for other values."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= MOST_MONEY else None


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
    """Find the error in a body of any usual form."""
    told = (body.get("error") or body) if isinstance(body, dict) else body
    if not isinstance(told, dict):
        return ServiceError(str(told))
    message = told.get("message") or told.get("detail") or json.dumps(told)
    code = told.get("code") or told.get("type") or ""
    return ServiceError(str(message), str(code), str(told.get("param") or ""))


def fault(status: int, error: ServiceError, fields: Collection[str]) -> Fault:
    """Determine the cause of an HTTP status outside 200 to 299.

    ``fields`` are the names of the fields in every request's body.
    """
    if error.code in NO_CREDIT or status == 402:
        return "credit"
    if status in (408, 409, 425, 429) or status >= 500:
        return "passing"
    if status == 401 or BAD_KEY.search(f"{error.code} {error.message}"):
        return "key"
    if status in (400, 422) and LENGTH_TOO_LONG.search(error.message):
        return "named"  # the message can mention the context, but the cause is the limit on the reply
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
    """Return the fields that an error names.

    If the error's parameter is one of ``fields``, only this field is returned. Otherwise, the text of the error is
    searched for fields.
    """
    if error.parameter in fields:
        return [error.parameter]
    return [name for name in fields if re.search(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])", error.message)]


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
