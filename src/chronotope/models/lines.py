"""The ledger line for the reply of a model."""

from datetime import UTC, datetime

from chronotope.ledger import CallKind, LedgerLine
from chronotope.models.model import RawReply

__all__ = ["ledger_line"]


def ledger_line(
    reply: RawReply, *, key: str, ask: str, kind: CallKind = "answer", money: float | None = None
) -> LedgerLine:
    """Make the ledger line of a call that ends with this reply."""
    return LedgerLine(
        key=key,
        kind=kind,
        ask=ask,
        state=reply.state,
        reply=reply.text,
        reasoning=reply.reasoning,
        finish=reply.finish,
        letter_log_probabilities=reply.letter_log_probabilities,
        error=reply.error,
        input_tokens=reply.input_tokens,
        cached_tokens=reply.cached_tokens,
        stored_tokens=reply.stored_tokens,
        output_tokens=reply.output_tokens,
        reasoning_tokens=reply.reasoning_tokens,
        money=reply.money if money is None else money,
        attempts=reply.attempts,
        seconds=None if reply.seconds is None else round(reply.seconds, 4),
        pictures=list(reply.pictures),
        at=datetime.now(UTC).isoformat(timespec="milliseconds"),
    )
