"""Baselines that see only the options of one ask, and choose a random letter, a fixed letter, or a letter by a rule."""

import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import combinations

import numpy as np

from chronotope.models.model import Decoding, Limits, PictureBytes, RawReply, StoppedError
from chronotope.models.option_shape import RULES
from chronotope.protocol import Option, Part

RANDOM = "baseline/random"


class Baseline:
    """A model that chooses a letter by a rule, without a service.

    The random choice depends on the id of the ask. An open question gets an empty reply.
    """

    def __init__(self, name: str, choose: Callable[[Sequence[Option], str], str], letter: str | None = None) -> None:
        self.name = name
        self.limits = Limits(looks=False, letter=letter)
        self.choose = choose
        self.stopped = False

    @asynccontextmanager
    async def open(self, prefix: Sequence[Part], pictures: PictureBytes) -> AsyncIterator["BaselineSession"]:
        """Keep the options of the prefix. No picture is requested."""
        yield BaselineSession(self, prefix)

    def trouble(self) -> None:
        """Return None, because a baseline has no service."""

    def has_answered(self) -> None:
        """Do nothing, because a baseline refuses no ask."""

    def stop(self) -> None:
        """Stop answering asks."""
        self.stopped = True

    async def close(self) -> None:
        """Do nothing, because a baseline holds no resources."""


class BaselineSession:
    """The asks of one group, answered by a baseline."""

    def __init__(self, baseline: Baseline, prefix: Sequence[Part]) -> None:
        self._baseline = baseline
        self._prefix = [part for part in prefix if isinstance(part, Option)]

    async def ask(self, tail: Sequence[Part], decoding: Decoding, *, seed: str, urgent: bool = False) -> RawReply:
        """Return a letter as the reply.

        The letter depends only on the options and ``seed``, not on the order of asks.
        """
        if self._baseline.stopped:
            raise StoppedError(f"{self._baseline.name} was stopped before this ask")
        options = [*self._prefix, *(part for part in tail if isinstance(part, Option))]
        return RawReply("replied", text=self._baseline.choose(options, seed) if options else "", finish="stop")


def draw_answer(options: Sequence[Option], name: str, seed: str) -> str:
    """Draw a letter or, if several options are correct, a set.

    A set has at least two letters.
    """
    letters = [option.letter for option in options]
    if len(options) < 2 or not options[0].multiple:
        return _draw(letters, name, seed)
    sets = [",".join(chosen) for size in range(2, len(letters) + 1) for chosen in combinations(letters, size)]
    return _draw(sets, name, seed)


def draw_letter(options: Sequence[Option], seed: str) -> str:
    """Return the reply of baseline/random to the ask with this seed."""
    return draw_answer(options, RANDOM, seed)


def _draw(answers: Sequence[str], name: str, seed: str) -> str:
    """Choose one of the answers at random, each equally likely.

    Each purpose and each ask has a separate random generator.
    """
    digest = hashlib.sha256(f"{name}\n{seed}".encode()).digest()
    return answers[int(np.random.default_rng(int.from_bytes(digest)).integers(len(answers)))]


def by_rule(rule: str, options: Sequence[Option], seed: str) -> str:
    """Return the letter chosen by a rule; ties are broken randomly."""
    tied = RULES[rule]([option.text or "" for option in options])
    return _draw([options[position].letter for position in tied], "option-shape", seed)


def by_majority(options: Sequence[Option], seed: str) -> str:
    """Return the letter that most rules choose.

    If all rules disagree, the letter of the rule ``median`` is returned.
    """
    named = {rule: by_rule(rule, options, seed) for rule in RULES}
    letter, votes = Counter(named.values()).most_common(1)[0]
    return letter if votes > 1 else named["median"]
