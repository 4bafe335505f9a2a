"""Who gets which items: the ring of reviewers, and the Latin square of the human baseline."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np


class Given(NamedTuple):
    """An item that a person gets; both are numbers."""

    person: int
    item: int


def ring(groups: Sequence[str], people: int) -> list[Given]:
    """Give each item to two reviewers who are neighbours in a ring.

    ``groups`` has the group of each item. The items of the i-th group, in the order of first appearance, go to the
    reviewers i and i + 1, both modulo the number of ``people``. In VGenST-Bench, the groups are its 12 tasks, and each
    of 12 reviewers gets exactly two adjacent tasks.
    """
    place = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    return [
        Given((place[group] + neighbour) % people, item) for item, group in enumerate(groups) for neighbour in (0, 1)
    ]


def latin_square(clips: Mapping[str, Sequence[str]], people: int, each: int | None = None) -> dict[str, int]:
    """Give each clip to one person, so that everybody gets clips of every task.

    ``clips`` maps each task to its clips. The clip at position j of the i-th task goes to the person (i + j) modulo
    ``people``: a Latin square over tasks and positions, so that nobody gets the same positions, and thus the same
    parameters, of all tasks. ``each`` limits the clips of a task for each person. Returns the person of each clip.
    """
    owner: dict[str, int] = {}
    for number, of_task in enumerate(clips.values()):
        fresh = [clip for clip in of_task if clip not in owner]
        count = len(fresh) if each is None else min(len(fresh), each * people)
        for place, clip in enumerate(fresh[:count]):
            owner[clip] = (number + place) % people
    return owner


def baseline_order(asks: Sequence[tuple[str, str]], apart: int, generator: np.random.Generator) -> list[str]:
    """Order the asks of a person: shuffled, and the placements of one question far apart.

    ``asks`` has the id and the question of each ask. Between two asks of one question, there are at least ``apart``
    others, or as many as possible. Returns the ids of the asks.
    """
    rounds: dict[str, list[str]] = defaultdict(list)
    for name, question in asks:
        rounds[question].append(name)
    questions = sorted(rounds)
    generator.shuffle(questions)
    # In each round, every question comes once, in nearly the same order: the order changes only inside of blocks that
    # are shorter than the slack, so two placements of a question stay apart.
    slack = max(1, len(questions) - apart)
    ordered: list[str] = []
    for number in range(max((len(names) for names in rounds.values()), default=0)):
        left = [question for question in questions if len(rounds[question]) > number]
        for start in range(0, len(left), slack):
            block = left[start : start + slack]
            generator.shuffle(block)
            ordered += [rounds[question][number] for question in block]
    return ordered
