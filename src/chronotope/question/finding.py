"""Find questions by their ids, and list the expected names for an error message."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from chronotope.errors import InputError
from chronotope.question.question import Question

if TYPE_CHECKING:
    from chronotope.question.benchmark import Benchmark

NAMED = 12  # maximum number of names in an error message


def find_question(benchmark: "Benchmark", wanted: str) -> Question:
    """Return the question with an id.

    Raises:
        InputError: If there is no such question. The error lists similar ids.
    """
    return find_questions(benchmark, [wanted])[0]


def find_questions(benchmark: "Benchmark", wanted: Iterable[str]) -> list[Question]:
    """Return the questions with the given ids.

    Each question is returned once, in the order of the benchmark.

    Raises:
        InputError: If there is no question with one of the ids. The error lists similar ids.
    """
    ids = dict.fromkeys(wanted)
    found = [question for question in benchmark.questions if question.id in ids]
    if missing := ids.keys() - {question.id for question in found}:
        first = next(id_ for id_ in ids if id_ in missing)
        every = [question.id for question in benchmark.questions]
        raise InputError(f"no question {first!r}", where=str(benchmark.folder), expected=one_of(every, like=first))
    return found


def one_of(names: Sequence[str], like: str = "") -> str:
    """Return an expected value as text, such as "one of a, b".

    At most ``NAMED`` names are listed. If some names contain ``like``, only these names are listed.
    """
    names = [name for name in names if like.strip() and like in name] or names
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"one of {', '.join(names[:NAMED])}{more}" if names else "a benchmark with at least one"
