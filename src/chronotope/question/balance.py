"""Balanced samples of questions."""

from collections import defaultdict
from collections.abc import Sequence

from chronotope.errors import InputError
from chronotope.io import sha256_bytes
from chronotope.io.packed import chosen
from chronotope.question.question import Question


def limit_balanced(questions: Sequence[Question], n: int) -> Sequence[Question]:
    """Choose at most ``n`` questions, balanced over clusters.

    In each round, one question of each cluster is chosen. The clusters, and the questions in a cluster, are ordered by
    the hashes of their names. The choice therefore depends neither on the order of the questions nor on a seed, and the
    choice for a larger ``n`` contains the choice for a smaller ``n``. A variant is chosen after its base question. The
    chosen questions keep their order.

    Raises:
        InputError: If ``n`` is less than 1.
    """
    if n < 1:
        raise InputError(f"limit {n}: expected at least 1 question")
    clusters: dict[str, list[int]] = defaultdict(list)
    for index, question in enumerate(questions):
        clusters[question.cluster].append(index)
    rounds: list[tuple[int, str, int]] = []
    for cluster, members in clusters.items():
        members.sort(key=lambda index: _stable(questions[index]))
        place = sha256_bytes(cluster.encode())
        rounds += [(number, place, index) for number, index in enumerate(members)]
    taken = sorted(index for _, _, index in sorted(rounds)[:n])
    return chosen(questions, taken)


def _stable(question: Question) -> tuple[str, bool, str]:
    return sha256_bytes((question.base or question.id).encode()), question.variant != "base", question.id
