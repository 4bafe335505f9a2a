"""The ledger: the append-only file of all calls to models, with its keys, its lock and its repair."""

from chronotope.ledger.content import SCHEMA, LedgerContent, ledger_content, read_ledger
from chronotope.ledger.key import call_key, messages_key
from chronotope.ledger.ledger import PATIENCE, Ledger, answers
from chronotope.ledger.line import (
    MOST_MONEY,
    MOST_REPLY,
    MOST_TOKENS,
    CallKind,
    LedgerLine,
    Transport,
    bounded,
    bytes_of_line,
    oversize,
)

__all__ = [
    "MOST_MONEY",
    "MOST_REPLY",
    "MOST_TOKENS",
    "PATIENCE",
    "SCHEMA",
    "CallKind",
    "Ledger",
    "LedgerContent",
    "LedgerLine",
    "Transport",
    "answers",
    "bounded",
    "bytes_of_line",
    "call_key",
    "ledger_content",
    "messages_key",
    "oversize",
    "read_ledger",
]
