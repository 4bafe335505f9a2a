"""Find a question by its id, and list names in a sentence."""

from collections.abc import Sequence

from chronotope.errors import InputError
from chronotope.question import Benchmark as Folder
from chronotope.question import Question

__all__ = ["find_question", "one_of"]

NAMED = 12  # maximum number of names in an error message


def find_question(benchmark: Folder, wanted: str) -> Question:
    """Return the question with an id.

    Raises:
        InputError: If there is no such question. The error lists similar ids.
    """
    for question in benchmark.questions:
        if question.id == wanted:
            return question
    every = [question.id for question in benchmark.questions]
    raise InputError(f"no question {wanted!r}", where=str(benchmark.folder), expected=one_of(every, like=wanted))


def one_of(names: Sequence[str], like: str = "") -> str:
    """Return an expected value as text, such as "one of a, b".

    At most ``NAMED`` names are listed. If some names contain ``like``, only these names are listed.
    """
    names = [name for name in names if like.strip() and like in name] or names
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"one of {', '.join(names[:NAMED])}{more}" if names else "a benchmark with at least one"
