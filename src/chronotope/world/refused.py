"""The error that refuses a scene."""

from chronotope.errors import InputError


class RefusedError(InputError):
    """The error for a scene that contradicts its facts.

    ``checks`` are the names of the failed checks, and ``faults`` lists these checks with their numbers.
    """

    def __init__(self, sentence: str, checks: tuple[str, ...], faults: str) -> None:
        super().__init__(sentence)
        self.checks, self.faults = checks, faults
