"""What a run would score with the judge, or on the variant, of another run, as far as its ledger tells."""

from collections.abc import Mapping
from dataclasses import replace

from chronotope.evaluate.plan.manifest import RunJudge
from chronotope.evaluate.score.results import Answered, RunResults
from chronotope.evaluate.score.scores import Scores, score_run
from chronotope.evaluate.score.verdicts import JUDGED, decided
from chronotope.io.packed import PackedList
from chronotope.ledger import LedgerLine
from chronotope.protocol import Scored


def judged_by(run: RunResults, judge: RunJudge | None, answers: Mapping[str, LedgerLine]) -> dict[str, Scored]:
    """Score a run with the recorded verdicts of another judge.

    ``answers`` has the calls of both ledgers, by key. Only questions are returned of whose replies the other judge has
    judged all that the run's own judge has judged.
    """
    changed = PackedList[Answered]()
    known: dict[str, bool] = {}
    for one in run.answered:
        if one.reading is not None and one.reading.right is not None and one.reading.rule == JUDGED:
            other = decided(one.reading, one.question, judge, answers)
            known[one.question.id] = known.get(one.question.id, True) and other.right is not None
            changed.append(one if other.right is None else replace(one, reading=other))
        else:
            changed.append(one)
    found = score_run(replace(run, answered=changed.ended())).counted_questions
    return {name: one for name, one in found.items() if known.get(name)}


def in_variant(scores: Scores, variant: str) -> dict[str, Scored]:
    """Return the scores of a run on another variant, by the id of the base question."""
    chosen = (one for one in scores.scored if one.question.variant == variant and one.strategy == scores.strategy)
    return {one.question.base or one.question.id: one for one in chosen}
