"""Taking fewer questions without leaning on some clips, and counting where the right options stand."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from string import ascii_uppercase

from chronotope.errors import InputError
from chronotope.io import sha256_bytes
from chronotope.question.question import Question

__all__ = ["letter_counts", "limit_balanced"]


def limit_balanced(questions: Sequence[Question], n: int) -> tuple[Question, ...]:
    """At most n questions, the same every time, balanced over clusters, in the order given.

    One question of each cluster in turn, clusters and their questions in the order of the hashes of their names: which
    ones are taken depends on no order and no seed, and a larger n contains the smaller. A variant follows its base.
    Raises InputError for n below 1.
    """
    if n < 1:
        raise InputError(f"a limit of {n} questions was asked for: expected at least 1")
    clusters: dict[str, list[int]] = defaultdict(list)
    for index, question in enumerate(questions):
        clusters[question.cluster].append(index)
    rounds: list[tuple[int, str, int]] = []
    for cluster, members in clusters.items():
        members.sort(key=lambda index: _stable(questions[index]))
        place = sha256_bytes(cluster.encode())
        rounds += [(number, place, index) for number, index in enumerate(members)]
    taken = sorted(index for _, _, index in sorted(rounds)[:n])
    return tuple(questions[index] for index in taken)


def _stable(question: Question) -> tuple[str, bool, str]:
    return sha256_bytes((question.base or question.id).encode()), question.variant != "base", question.id


def letter_counts(questions: Sequence[Question]) -> dict[str, int]:
    """How often the right option stands at each letter, A to the last letter that any closed question has.

    Questions with several right options count at each of them; open questions do not count.
    """
    closed = [question for question in questions if question.answer]
    counts = Counter(index for question in closed for index in question.answer)
    most = max((len(question.options) for question in closed), default=0)
    return {ascii_uppercase[index]: counts[index] for index in range(most)}
