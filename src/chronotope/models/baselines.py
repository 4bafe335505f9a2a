"""Baselines that see no picture: a random letter, a fixed letter, or a rule about the options' texts."""

import hashlib
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import combinations

import numpy as np

from chronotope.errors import InputError
from chronotope.models.model import Decoding, Limits, PictureBytes, RawReply, StoppedError
from chronotope.models.option_shape import RULES
from chronotope.protocol import Option, Part

__all__ = ["Baseline", "baseline"]

FORMS = "baseline/random, baseline/constant-A (any letter), baseline/option-shape, " + ", ".join(
    f"baseline/option-shape:{rule}" for rule in RULES
)


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
        """Report no trouble, because a baseline has no service."""

    def has_answered(self) -> None:
        """Do nothing: a baseline refuses nothing."""

    def stop(self) -> None:
        """Stop answering asks."""
        self.stopped = True

    async def close(self) -> None:
        """Do nothing: there is nothing to release."""


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


def baseline(name: str) -> Baseline:
    """Return the baseline with a name such as ``baseline/random``.

    ``option-shape:RULE`` follows one rule of ``models.option_shape``. ``option-shape`` without a rule chooses the
    letter that most rules choose. If the rules disagree, it chooses the letter of the rule ``median``. If a rule cannot
    distinguish several options, one of these options is chosen at random, independently of its position.

    Raises:
        InputError: If there is no baseline with this name. The message lists all names.
    """
    _, _, kind = name.partition("baseline/")
    if kind == "random":
        return Baseline(name, lambda options, seed: _draw_answer(options, name, seed))
    if constant := re.fullmatch(r"constant-([A-Z])", kind):
        return Baseline(name, lambda options, seed: constant.group(1), constant.group(1))
    if kind == "option-shape":
        return Baseline(name, _by_majority)
    rule = kind.removeprefix("option-shape:")
    if rule != kind and rule in RULES:
        return Baseline(name, lambda options, seed: _by_rule(rule, options, seed))
    raise InputError(f"there is no baseline {name!r}: expected one of {FORMS}")


def _draw_answer(options: Sequence[Option], name: str, seed: str) -> str:
    """Choose a letter at random, or a set of letters.

    If several options are correct, a set of at least two letters is chosen.
    """
    letters = [option.letter for option in options]
    if len(options) < 2 or not options[0].multiple:
        return _draw(letters, name, seed)
    sets = [",".join(chosen) for size in range(2, len(letters) + 1) for chosen in combinations(letters, size)]
    return _draw(sets, name, seed)


def _draw(answers: Sequence[str], name: str, seed: str) -> str:
    """Choose one of the answers at random, each equally likely.

    Each purpose and each ask has a separate random generator.
    """
    digest = hashlib.sha256(f"{name}\n{seed}".encode()).digest()
    return answers[int(np.random.default_rng(int.from_bytes(digest)).integers(len(answers)))]


def _by_rule(rule: str, options: Sequence[Option], seed: str) -> str:
    tied = RULES[rule]([option.text or "" for option in options])
    return _draw([options[position].letter for position in tied], "option-shape", seed)


def _by_majority(options: Sequence[Option], seed: str) -> str:
    named = {rule: _by_rule(rule, options, seed) for rule in RULES}
    letter, votes = Counter(named.values()).most_common(1)[0]
    return letter if votes > 1 else named["median"]
