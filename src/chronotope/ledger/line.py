"""One line of a ledger: a successful call to a model, or a call that was given up."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

CallKind = Literal[
    "answer", "judge", "caption", "summary", "describe", "write", "validate", "explain", "label", "check"
]
Transport = Literal["replied", "refused", "failed", "missing_media"]

# Estimated maximum bytes in a line: for the fields together, for the hash of one picture, and for one token of the
# reply. The last number is the number of tokens that is assumed for a reply without a limit.
LINE_BYTES, PICTURE_BYTES, TOKEN_BYTES, UNBOUND_REPLY = 1000, 70, 8, 4096

MOST_REPLY = 16 << 20  # bytes of a reply with its reasoning in UTF-8: a reply of a million tokens has about 4 MB
MOST_ERROR = 2000  # characters of the reason for a missing reply
MOST_TOKENS = 10**9  # maximum tokens of one call; a larger count is ignored
MOST_MONEY = 1e6  # maximum cost of one call; a larger amount is ignored
MOST_ATTEMPTS, MOST_SECONDS = 10**6, 1e9


def _within(most: float, otherwise: float | None = None) -> AfterValidator:
    """Ignore a number that no call has.

    Tables and sums cannot hold it. NaN fails each comparison.
    """
    return AfterValidator(lambda value: value if value is not None and 0 <= value <= most else otherwise)


Tokens = Annotated[int | None, _within(MOST_TOKENS)]


def bytes_of_line(tokens: int | None = None, pictures: int = 0) -> int:
    """Estimate the maximum number of bytes of a line.

    ``tokens`` is the limit on the reply in tokens, or None if there is no limit. ``pictures`` is the number of pictures
    in the prompt.
    """
    return LINE_BYTES + PICTURE_BYTES * pictures + TOKEN_BYTES * (tokens or UNBOUND_REPLY)


class LedgerLine(BaseModel):
    """One call to a model: its request, its reply and its cost.

    The answer that a reader finds in the reply is not stored. The reply is read again whenever the run is opened.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    key: str
    kind: CallKind = "answer"
    ask: str
    state: Transport
    reply: str | None = None
    reasoning: str | None = None
    finish: str | None = None
    letter_log_probabilities: dict[str, float] | None = None
    error: str | None = None
    input_tokens: Tokens = None
    cached_tokens: Tokens = None
    stored_tokens: Tokens = None  # input tokens that the service wrote to its cache, at a higher price
    output_tokens: Tokens = None
    reasoning_tokens: Tokens = None
    money: Annotated[float | None, _within(MOST_MONEY)] = None
    attempts: Annotated[int, _within(MOST_ATTEMPTS, 1)] = 1
    seconds: Annotated[float | None, _within(MOST_SECONDS)] = None
    pictures: list[str] = Field(default_factory=list[str], description="SHA-256 of every picture sent, in order")
    at: str | None = Field(None, description="when the call ended, ISO 8601 in UTC")
    extra: dict[str, Any] = Field(default_factory=dict[str, Any])


def oversize(reply: str | None, reasoning: str | None = None) -> str | None:
    """Describe a reply that is too large, or return None."""
    size = sum(map(_size, (reply or "", reasoning or "")))
    limit = MOST_REPLY >> 20
    return f"the reply has {size / 2**20:.1f} MB, expected at most {limit} MB" if size > MOST_REPLY else None


def bounded(line: LedgerLine) -> LedgerLine:
    """Return a line that every reader of a ledger accepts.

    A reply that is too large becomes a failed call, which keeps its tokens and its cost. A long reason is cut.
    """
    fault, error = oversize(line.reply, line.reasoning), line.error
    if error is not None and len(error) > MOST_ERROR:
        line = line.model_copy(update={"error": f"{error[:MOST_ERROR]}…"})
    return line if fault is None else without_reply(line, fault)


def without_reply(line: LedgerLine, why: str) -> LedgerLine:
    """Return the line of the same call, as a failed call."""
    nothing = dict.fromkeys(("reply", "reasoning", "finish", "letter_log_probabilities"))
    state = "failed" if line.state == "replied" else line.state
    return line.model_copy(update={**nothing, "state": state, "error": why})


def _size(text: str) -> int:
    """Return the bytes of a text in UTF-8.

    Texts that are short enough anyway are not encoded.
    """
    return len(text) if len(text) <= MOST_REPLY // 8 else len(text.encode("utf-8", "surrogatepass"))
