"""The ledger line for the reply of a model."""

from dataclasses import asdict
from datetime import UTC, datetime

from chronotope.ledger import CallKind, LedgerLine
from chronotope.models.model import Lost, RawReply
from chronotope.models.services.replies import count_of, money_of

LOST = "lost"  # field in ``extra`` of a line: the usage of attempts whose replies could not be read (see `Lost`)


def lost_of(line: LedgerLine) -> Lost | None:
    """Return the usage of the unreadable attempts of a call."""
    told = line.extra.get(LOST)
    if not isinstance(told, dict):
        return None
    tokens = {name: count_of(told.get(name)) for name in ("input_tokens", "output_tokens")}
    return Lost(**tokens, money=money_of(told.get("money")), untold=count_of(told.get("untold")) or 0)


def ledger_line(
    reply: RawReply, *, key: str, ask: str, kind: CallKind = "answer", money: float | None = None
) -> LedgerLine:
    """Make the ledger line of a call that ends with this reply."""
    fields = {name: value for name, value in vars(reply).items() if name in LedgerLine.model_fields}
    fields["money"] = reply.money if money is None else money
    fields["seconds"] = None if reply.seconds is None else round(reply.seconds, 4)
    fields["pictures"] = list(reply.pictures)
    fields["extra"] = {} if reply.lost is None else {LOST: {k: v for k, v in asdict(reply.lost).items() if v}}
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    return LedgerLine(key=key, kind=kind, ask=ask, reply=reply.text, at=at, **fields)
