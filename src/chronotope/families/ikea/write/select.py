"""Choice of the questions that a benchmark keeps.

For T2 and D1, the two answers must be correct equally often, and the number of questions is limited. For E2 and E3, the
four answers must be correct equally often.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from chronotope.families import WriteContext, Written
from chronotope.families.ikea.refusal import Code
from chronotope.families.ikea.tasks import BINARY
from chronotope.families.ikea.write.ids import Draws
from chronotope.families.ikea.write.item import Flag
from chronotope.families.ikea.write.mistakes import KINDS, UNDOINGS
from chronotope.question import Question

CHOSEN: dict[str, tuple[str, ...]] = {"E2": tuple(KINDS), "E3": UNDOINGS}  # the answers, each equally often right


def select(questions: Sequence[Question], context: WriteContext) -> Written:
    """Choose the questions to keep; count the others by task and code.

    The chosen questions keep the given order. For T2 and D1, the numbers of positive and negative questions are equal,
    and at most ``options.cap``. For E2 and E3, each of the four options is equally often right, in manuals of about the
    same lengths. The questions of these tasks are taken from all products in turn. With the profile ``paper``,
    questions about manuals with the same product name get a flag.
    """
    draws = Draws(context.seed, context.profile)
    kept = {question.id for question in questions if question.task not in (*BINARY, *CHOSEN)}
    if len({question.id for question in questions}) != len(questions):
        raise ValueError("two questions have the same id")
    refusals: dict[str, dict[str, int]] = {}
    for task in BINARY:
        sides = [_side(questions, task, polarity) for polarity in ("positive", "negative")]
        fewer = min(len(side) for side in sides)
        count = min(fewer, context.options.cap)
        for side in sides:
            ordered = side if context.profile == "paper" else _shuffled(side, draws)
            kept |= {question.id for question in round_robin(ordered, count)}
        codes = {Code.BALANCE: sum(len(side) - fewer for side in sides), Code.CAP: 2 * (fewer - count)}
        if left_out := {code.value: n for code, n in codes.items() if n}:
            refusals[task] = left_out
    for task, rights in CHOSEN.items():
        sides = [[one for one in questions if one.task == task and one.tags["right"] == (right,)] for right in rights]
        fewest = min(sides, key=len)
        count = len(fewest)
        for side in sides:
            kept |= {question.id for question in _alike(_shuffled(side, draws), fewest)}
        if left := sum(map(len, sides)) - count * len(sides):
            refusals[task] = {Code.BALANCE.value: left}
    chosen = [question for question in questions if question.id in kept]
    return Written(tuple(_flag_collisions(chosen) if context.profile == "paper" else chosen), refusals)


def round_robin(questions: Sequence[Question], n: int) -> list[Question]:
    """Take one question of each product in turn, up to ``n`` questions.

    The products are sorted by name. The questions of a product keep the given order.
    """
    so_far: Counter[str] = Counter()
    rounds: list[tuple[int, str, Question]] = []
    for question in questions:
        rounds.append((so_far[question.cluster], question.cluster, question))
        so_far[question.cluster] += 1
    return [question for *_, question in sorted(rounds, key=lambda entry: entry[:2])[:n]]


def _alike(questions: Sequence[Question], others: Sequence[Question]) -> list[Question]:
    """Take as many questions as there are others, with as many diagrams as far as possible.

    Not every manual allows every mistake, so the number of diagrams would otherwise suggest an answer.
    """
    ordered = round_robin(questions, len(questions))
    wanted = Counter(len(one.media) for one in others)
    taken: list[Question] = []
    left: list[Question] = []
    for question in ordered:
        is_wanted = wanted[len(question.media)] > 0
        wanted[len(question.media)] -= is_wanted
        (taken if is_wanted else left).append(question)
    return [*taken, *left[: len(others) - len(taken)]]


def _side(questions: Sequence[Question], task: str, polarity: str) -> list[Question]:
    return [question for question in questions if question.task == task and question.tags["polarity"] == (polarity,)]


def _shuffled(questions: Sequence[Question], draws: Draws) -> list[Question]:
    """Shuffle questions, depending only on the seed and the ids.

    Without shuffling, the first steps of the source would be preferred.
    """
    return sorted(questions, key=lambda question: (draws.of(question.id, "select").random(), question.id))


def _flag_collisions(questions: Sequence[Question]) -> list[Question]:
    procedures: dict[str, set[str]] = {}
    for question in questions:
        procedures.setdefault(question.cluster, set()).add(question.provenance["procedure"])
    return [
        replace(question, flags=tuple(sorted({*question.flags, Flag.NAME_COLLISION})))
        if len(procedures[question.cluster]) > 1
        else question
        for question in questions
    ]
