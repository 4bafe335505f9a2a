"""Pairs of an open question and a reply that a judge model has judged, for people who judge them, too."""

from chronotope.errors import InputError
from chronotope.evaluate.score import RunResults
from chronotope.evaluate.score.verdicts import JUDGED, case_of
from chronotope.review.errors.sampling import cell_of, sample_evenly
from chronotope.review.studies.giving import Case
from chronotope.review.studies.study_kinds import RIGHT, WRONG


def judged_pairs(results: RunResults, count: int, seed: int) -> list[Case]:
    """Draw pairs evenly over tasks and kinds of scenes; equal pairs are drawn once.

    Raises:
        InputError: If no judge model has judged the run.
    """
    pairs = {
        case: one
        for one in results.answered
        if one.reading is not None and one.reading.rule == JUDGED and one.reading.right is not None
        and (case := case_of(one.reading, one.question)) is not None
    }  # fmt: skip
    if not pairs:
        raise InputError(
            "no judge model has judged an answer of this run", where=str(results.folder),
            fix="ask open questions, and add --judge to `chronotope run`",
        )  # fmt: skip
    found: list[Case] = []
    for one in sample_evenly(list(pairs.values()), cell_of, count, seed):
        assert one.reading is not None
        facts = {"reply": one.reading.value, "reasoning": "", "explained": False, "chosen": [], "checks": True}
        found.append(Case(one.ask.id, one.question, facts | {"judge": RIGHT if one.reading.right else WRONG}))
    return found
