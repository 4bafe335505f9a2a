"""The rule about a whole benchmark: recordings of one scene give the answers of each other's questions away nowhere."""

from collections import Counter
from collections.abc import Sequence

from chronotope.families import WriteContext, Written
from chronotope.families.sti.write import near_of
from chronotope.io import packed
from chronotope.question import Question, Reason
from chronotope.scene import revealed_elsewhere


def select(questions: Sequence[Question], context: WriteContext) -> Written:
    """Leave out questions whose answers other recordings of their scene reveal.

    Recordings that are read one at a time, such as the cameras of a drive, are compared only here.
    """
    revealed = revealed_elsewhere(questions, "sti", context.seed, near_of(context))
    if not revealed:
        return Written(questions)
    refusals: dict[str, Counter[str]] = {}
    for question in questions:
        if question.id in revealed:
            refusals.setdefault(question.tags["variant"][0], Counter())[Reason.ALREADY_ASKED.value] += 1
    kept = packed.select(questions, lambda question: question.id not in revealed)
    return Written(kept, {kind: dict(counts) for kind, counts in refusals.items()})
