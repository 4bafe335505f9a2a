"""Draw wrong answers of a run evenly over tasks and kinds of scenes (STI-Bench, section 4.3)."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import numpy as np

from chronotope.evaluate.score import Answered, RunResults
from chronotope.review.studies.items import scene_of
from chronotope.view.answers import asked_state

WRONG = ("wrong", "unread", "cut short")  # the states of answers that get no score
LONGEST_ANSWER = 20  # words; a longer reply shows its reasoning itself

Thing = TypeVar("Thing")


def wrong_answers(results: RunResults) -> list[Answered]:
    """Return the wrong answers of a run, at most one for each question.

    An unreadable reply is a wrong answer, too.
    """
    found: dict[str, Answered] = {}
    for one in results.answered:
        if asked_state(results, one) in WRONG:
            found.setdefault(one.question.id, one)
    return list(found.values())


def cell_of(answered: Answered) -> tuple[str, str]:
    """Return the task and the kind of scene of an answer."""
    return answered.question.task, scene_of(answered.question)


def sample_evenly(things: Sequence[Thing], cell: Callable[[Thing], Hashable], count: int, seed: int) -> list[Thing]:
    """Draw things without replacement, one after the other from each cell.

    A cell that is short gives all it has.

    Returns the drawn things in the order of the cells, which is that of their first things.
    """
    cells: dict[Hashable, list[Thing]] = {}
    for thing in things:
        cells.setdefault(cell(thing), []).append(thing)
    generator = np.random.default_rng(seed)
    shuffled = [[of[int(place)] for place in generator.permutation(len(of))] for of in cells.values()]
    quota = [0] * len(shuffled)
    left = min(count, len(things))
    while left:
        for place, of in enumerate(shuffled):
            if left and quota[place] < len(of):
                quota[place] += 1
                left -= 1
    return [thing for of, many in zip(shuffled, quota, strict=True) for thing in of[:many]]


def kept_reasoning(answered: Answered) -> str | None:
    """Return the reasoning that the run kept: its field, or a reply longer than an answer."""
    line = answered.line
    if line is None:
        return None
    if (line.reasoning or "").strip():
        return line.reasoning
    reply = line.reply or ""
    return reply if len(reply.split()) > LONGEST_ANSWER else None
