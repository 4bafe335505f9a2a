"""Answers taken over from other runs."""

from collections.abc import Collection, Sequence
from pathlib import Path

from chronotope.errors import InputError
from chronotope.evaluate.card import LEDGER, RunCard, differing, read_run_card
from chronotope.ledger import LedgerLine, answers, read_ledger

__all__ = ["REUSED", "reusable"]

REUSED = "reused"  # the field of a line's ``extra`` that names the run it was taken from


def reusable(folder: Path, card: RunCard, keys: Collection[str], runs: Sequence[Path]) -> dict[str, LedgerLine]:
    """The answers of other runs to calls with these keys, by key; of several answers that of the run named first.

    A key tells messages, model and decoding, so that an answer is that of the very same call. ``folder`` and ``card``
    are those of the run that wants them. Raises InputError where a folder is no run, is that run itself, or has not one
    of the answers: the sentence names what differs.
    """
    found: dict[str, LedgerLine] = {}
    for run in runs:
        other = read_run_card(run)
        if run.resolve() == folder.resolve():
            raise InputError(f"--reuse {run}: is the run itself, whose answers are kept anyway: name other runs")
        replied = answers(line for line in read_ledger(run / LEDGER) if line.state == "replied" and line.attempts)
        there = [key for key in keys if key in replied]
        if not there:
            why = "; ".join(differing(other, card, "there", "here")) or "it was asked other questions"
            raise InputError(f"--reuse {run}: has no answer to any of the {len(keys)} calls ({why}): leave it out")
        for key in there:
            origin = replied[key].extra.get(REUSED, str(run.resolve()))
            line = replied[key].model_copy(update={"extra": {**replied[key].extra, REUSED: origin}})
            found.setdefault(key, line)
    return found
