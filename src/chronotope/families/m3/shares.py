"""The shares of hallucinations and of questions about both states in a set, and the questions left out for them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np

from chronotope.families.m3.subtasks import SUBTASKS
from chronotope.families.m3.tasks import INTER, SHARE, STATE_SHARE
from chronotope.question import Question, item_generator

_Cell = tuple[bool, bool]  # whether a question is about both states, and whether it is a hallucination
_CELLS: tuple[_Cell, ...] = tuple(product((False, True), (False, True)))


def left_out(
    questions: Sequence[Question], hallucination: float | None, inter: float | None, seed: int
) -> dict[str, str]:
    """Choose the questions that are left out.

    The remaining questions have the wanted shares.

    ``hallucination`` is the wanted share of hallucinations, and ``inter`` is the wanted share of questions about both
    states; None leaves a share as it is. As few questions as possible are left out: hallucinations out of the subtasks
    with the largest share of them, other questions out of all subtasks in proportion. The last question of a subtask is
    left out last. The result has a code for the id of each question that is left out.

    If no set has the wanted share of questions about both states, this share is not used.
    """
    cells: dict[_Cell, list[Question]] = {cell: [] for cell in _CELLS}
    for one in questions:
        cells[_is_inter(one), says_none(one)].append(one)
    sizes = {cell: len(members) for cell, members in cells.items()}
    wanted = _largest(sizes, hallucination, inter) if inter is not None else None
    chosen: dict[str, str] = {}
    if wanted is not None:
        for cell, members in cells.items():
            count, of_state = len(members) - wanted[cell], [*cells[cell[0], False], *cells[cell[0], True]]
            evened = cell[1] and hallucination is not None
            beyond = _evened(of_state, count, seed) if evened else _spread(members, count, seed, "states")
            chosen |= dict.fromkeys(beyond, STATE_SHARE)
    if hallucination is not None:
        kept = [question for question in questions if question.id not in chosen]
        chosen |= dict.fromkeys(_beyond(kept, hallucination, seed), SHARE)
    return chosen


def mostly_empty(questions: Sequence[Question], seed: int) -> set[str]:
    """Choose questions that are left out because nothing happened in too many questions.

    In some subtasks, the correct answer can be that nothing of the kind happened. In each of them, at most half of the
    remaining questions have this answer; but one question with this answer may stay in any case.
    """
    chosen: set[str] = set()
    for name in sorted(name for name, row in SUBTASKS.items() if row.may_be_empty):
        members = [question for question in questions if subtask_of(question) == name]
        empty = [member.id for member in members if says_none(member)]
        order = item_generator(seed, "m3", name, "empty").permutation(len(empty))
        chosen |= {empty[int(place)] for place in order[max(1, len(members) - len(empty)) :]}
    return chosen


def says_none(question: Question) -> bool:
    """Check whether no listed option is correct."""
    return question.tags["hallucination"] == ("yes",)


def subtask_of(question: Question) -> str:
    """Return the subtask of a question."""
    return question.tags["subtask"][0]


def _is_inter(question: Question) -> bool:
    return question.tags["state_type"] == (INTER,)


def _largest(sizes: Mapping[_Cell, int], hallucination: float | None, inter: float) -> dict[_Cell, int] | None:
    """Return the number of questions of each cell that are kept.

    The kept questions are the largest set with the wanted shares.

    Without a wanted share of hallucinations, the share within each type of state does not change. Returns None if there
    is no such set.
    """
    intra_all, inter_all = (sizes[state, False] + sizes[state, True] for state in (False, True))
    bounds = [inter_all / inter] if inter > 0 else []
    bounds += [intra_all / (1 - inter)] if inter < 1 else []
    for total in range(int(min(bounds) + 1e-9), 0, -1):
        both = round(inter * total)
        if hallucination is None:
            shares = [sizes[state, True] / max(1, sizes[state, False] + sizes[state, True]) for state in (False, True)]
            false = [round(shares[0] * (total - both)), round(shares[1] * both)]
        else:
            wanted = round(hallucination * total)
            low = max(0, wanted - sizes[False, True], both - sizes[True, False], wanted - (total - both))
            high = min(sizes[True, True], wanted, both, sizes[False, False] + wanted - (total - both))
            if low > high:
                continue
            of_both = int(np.clip(round(hallucination * both), low, high))
            false = [wanted - of_both, of_both]
        found = {
            (False, True): false[0],
            (False, False): total - both - false[0],
            (True, True): false[1],
            (True, False): both - false[1],
        }
        if all(0 <= count <= sizes[cell] for cell, count in found.items()):
            return found
    return None


def _beyond(questions: Sequence[Question], share: float, seed: int) -> set[str]:
    """Choose questions that are left out.

    Of the remaining questions, ``share`` are hallucinations.
    """
    false = [question for question in questions if says_none(question)]
    true = [question for question in questions if not says_none(question)]
    most_false = round(share / (1 - share) * len(true)) if share < 1 else len(false)
    most_true = round((1 - share) / share * len(false)) if share > 0 else len(true)
    return _evened(questions, len(false) - most_false, seed) | _spread(
        true, len(true) - most_true if len(false) < most_false else 0, seed
    )


def _evened(questions: Sequence[Question], count: int, seed: int) -> set[str]:
    """Choose hallucinations that are left out.

    The function chooses ``count`` hallucinations, one after another, always from the subtask with the largest share of
    hallucinations at that time.
    """
    false: dict[str, list[str]] = defaultdict(list)
    sizes: dict[str, int] = defaultdict(int)
    for one in questions:
        sizes[subtask_of(one)] += 1
        if says_none(one):
            false[subtask_of(one)].append(one.id)
    for name in sorted(false):
        order = item_generator(seed, "m3", name, "select").permutation(len(false[name]))
        false[name] = [false[name][int(place)] for place in order]
    chosen: set[str] = set()
    for _ in range(count):
        left = [each for each in sorted(false) if false[each]]
        name = max(left, key=lambda each: (sizes[each] > 1, len(false[each]) / sizes[each]))
        chosen.add(false[name].pop())
        sizes[name] -= 1
    return chosen


def _spread(questions: Sequence[Question], count: int, seed: int, stage: str = "select") -> set[str]:
    """Choose ``count`` questions, from each subtask in proportion."""
    if count <= 0:
        return set()
    groups: dict[str, list[str]] = defaultdict(list)
    for one in questions:
        groups[subtask_of(one)].append(one.id)
    ranked: list[tuple[float, str]] = []
    for name in sorted(groups):
        generator = item_generator(seed, "m3", name, stage)
        order = generator.permutation(len(groups[name]))
        start = float(generator.random())
        last = len(order) - 1
        ranked += [
            ((rank + start) / len(order) + (rank == last), groups[name][int(place)]) for rank, place in enumerate(order)
        ]
    return {name for _, name in sorted(ranked)[:count]}
