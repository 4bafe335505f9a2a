"""Copy the answers of other runs to identical calls."""

from collections.abc import Sequence
from pathlib import Path

from chronotope.errors import InputError
from chronotope.evaluate.plan.asks import PlannedAsk, keyed_as
from chronotope.evaluate.plan.manifest import LEDGER, RunManifest, differing, read_manifest
from chronotope.evaluate.plan.plan import Plan
from chronotope.evaluate.score.usage import REUSED
from chronotope.ledger import LedgerLine, answers, read_ledger


def reusable(
    folder: Path, card: RunManifest, plan: Plan, planned: Sequence[PlannedAsk], runs: Sequence[Path]
) -> dict[str, LedgerLine]:
    """Find the answers of other runs to the planned calls.

    Returns a mapping from the key of a call to the ledger line with its answer. A key depends on the prompt, the model
    and the decoding, so calls with equal keys are identical. If the other run computed its keys in another way, the key
    of this run replaces the key of the answer. With a method, the lines of all calls to models of its stages are
    included, because some of their keys are known only when earlier replies are there. ``folder`` and ``card`` belong
    to the run that reuses the answers.

    Raises:
        InputError: If a folder is not a run folder, is the folder of this run, or has no answer to any planned call.
            The message describes the differences between the runs.
    """
    found: dict[str, LedgerLine] = {}
    for run in runs:
        other = read_manifest(run)
        if run.resolve() == folder.resolve():
            raise InputError(
                f"--reuse {run}: is the folder of this run, whose answers are kept anyway: name other runs"
            )
        replied = answers(line for line in read_ledger(run / LEDGER) if line.state == "replied" and line.attempts)
        theirs = keyed_as(other.schema_version, plan, planned, card.model, card.decoding)
        keys = {own.key: one.key for own, one in zip(planned, theirs, strict=True)}
        if plan.staged is not None:  # the key of a call to a method's model is the same in all runs
            keys |= {key: key for key, line in replied.items() if line.kind in plan.staged.models}
        there = [key for key, of_theirs in keys.items() if of_theirs in replied]
        if not there:
            why = "; ".join(differing(other, card, "there", "here")) or "the other run has other questions"
            raise InputError(f"--reuse {run}: has no answer to any of the {len(keys)} calls ({why}): omit this --reuse")
        for key in there:
            line = replied[keys[key]]
            origin = line.extra.get(REUSED, str(run.resolve()))
            found.setdefault(key, line.model_copy(update={"key": key, "extra": {**line.extra, REUSED: origin}}))
    return found
