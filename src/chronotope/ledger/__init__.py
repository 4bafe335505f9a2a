"""The ledger: the append-only file of all calls to models, with its keys, its lock and its repair."""

from chronotope.ledger.content import SCHEMA, LedgerContent, ledger_content, read_ledger
from chronotope.ledger.key import call_key, messages_key
from chronotope.ledger.ledger import PATIENCE, Ledger, answers
from chronotope.ledger.line import CallKind, LedgerLine, Transport, bytes_of_line

__all__ = [
    "PATIENCE",
    "SCHEMA",
    "CallKind",
    "Ledger",
    "LedgerContent",
    "LedgerLine",
    "Transport",
    "answers",
    "bytes_of_line",
    "call_key",
    "ledger_content",
    "messages_key",
    "read_ledger",
]
