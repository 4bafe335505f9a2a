"""Ids of questions, and random numbers that depend on the id."""

import hashlib
from dataclasses import dataclass

import numpy as np

from chronotope.families import Profile
from chronotope.question import item_generator

DIGITS = 12


@dataclass(frozen=True)
class Draws:
    """A generator of random numbers for writing questions.

    The random numbers depend only on the seed, the profile, the id of the question, and the stage of writing it.
    """

    seed: int
    profile: Profile

    def of(self, name: str, stage: str) -> np.random.Generator:
        """Return the random generator for one stage of writing a question.

        ``name`` is the id of the question.
        """
        return item_generator(self.seed, f"ikea/{self.profile}", name, stage)


def question_id(*fields: str | int) -> str:
    """Return a question's id: 12 hexadecimal digits of an MD5 hash.

    The hash is computed over the fields, joined by ``|``. As in the published ids, the fields are the task (with + or -
    for the two answers of T2 and D1), the product, the step, the videos, and the shown step. The id of the procedure is
    added. Without it, D2 questions about two procedures with the same product name could have the same id, because D2
    has no videos.
    """
    text = "|".join(str(field) for field in fields)
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()[:DIGITS]
