"""Names of questions, and the random numbers of a name."""

import hashlib
from dataclasses import dataclass

import numpy as np

from chronotope.families import Profile
from chronotope.question import item_generator

__all__ = ["Draws", "question_id"]

DIGITS = 12


@dataclass(frozen=True)
class Draws:
    """The random numbers of questions.

    They depend only on the seed, the profile and a question's name.
    """

    seed: int
    profile: Profile

    def of(self, name: str, stage: str) -> np.random.Generator:
        """Return the random generator of one stage of a name."""
        return item_generator(self.seed, f"ikea/{self.profile}", name, stage)


def question_id(*fields: str | int) -> str:
    """Return the first 12 hexadecimal digits of the fields' MD5.

    The fields are joined by ``|``, as in the published ids: the task, with + or - for the two kinds of a binary
    question; the product key; the step; the videos; the shown step. We add the procedure's id, because otherwise two
    procedures with the same product name would give their sequences (D2), which have no video, the same id.
    """
    text = "|".join(str(field) for field in fields)
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()[:DIGITS]
