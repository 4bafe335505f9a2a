"""Names of questions, and randomness that belongs to a name."""

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

    They depend on the seed, the profile and a question's name, on nothing else.
    """

    seed: int
    profile: Profile

    def of(self, name: str, stage: str) -> np.random.Generator:
        """Return the generator of one stage of what has this name."""
        return item_generator(self.seed, f"ikea/{self.profile}", name, stage)


def question_id(*fields: str | int) -> str:
    """Return the first 12 hexadecimal digits of the fields' MD5.

    The fields are joined by ``|``, as the published ids are. They are the task, with + or - for the two kinds of a
    binary one; the product key; the step; the videos; the step shown; and, which the published ids lack, the
    procedure's id. Without it, two procedures of one product name give their sequences (D2), which no video tells
    apart, the same id.
    """
    text = "|".join(str(field) for field in fields)
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()[:DIGITS]
