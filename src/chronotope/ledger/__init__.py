"""The append-only file of every model call, its key, lock and repair."""

from chronotope.ledger.key import call_key
from chronotope.ledger.ledger import SCHEMA, Ledger, answers, read_ledger
from chronotope.ledger.line import CallKind, LedgerLine, Transport

__all__ = ["SCHEMA", "CallKind", "Ledger", "LedgerLine", "Transport", "answers", "call_key", "read_ledger"]
