"""Answers taken over from other runs."""

from collections.abc import Collection, Sequence
from pathlib import Path

from chronotope.errors import InputError
from chronotope.evaluate.card import LEDGER, read_run_card
from chronotope.ledger import Ledger, answers, read_ledger

__all__ = ["REUSED", "reuse"]

REUSED = "reused"  # the field of a line's ``extra`` that names the run it was taken from


def reuse(ledger: Ledger, keys: Collection[str], runs: Sequence[Path]) -> int:
    """Copy into a ledger the answers of other runs to calls that would be made anew; how many there were.

    A key tells messages, model and decoding, so that an answer is that of the very same call. Raises InputError where a
    folder is no run; nothing is copied then.
    """
    found = {}
    for folder in runs:
        read_run_card(folder)
        if (folder / LEDGER).resolve() == ledger.path.resolve():
            raise InputError(f"--reuse {folder}: is the run itself, whose answers are kept anyway: name other runs")
        replied = answers(line for line in read_ledger(folder / LEDGER) if line.state == "replied")
        for key in keys:
            if key in replied and key not in ledger.replied and key not in found:
                origin = replied[key].extra.get(REUSED, str(folder.resolve()))
                found[key] = replied[key].model_copy(update={"extra": {**replied[key].extra, REUSED: origin}})
    for line in found.values():
        ledger.append(line)
    return len(found)
