"""Baselines that run in this process and need no key: a random letter, a fixed letter, and the attacks of an audit."""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import combinations

import numpy as np

from chronotope.errors import InputError
from chronotope.models.model import Decoding, Limits, Model, PictureBytes, RawReply, StoppedError
from chronotope.models.providers import forms, provided, providers
from chronotope.protocol import Option, Part

RANDOM = "baseline/random"
FORMS = "baseline/random, baseline/constant-A (any letter)"


def baseline(name: str) -> Model:
    """Return the baseline of a name such as ``baseline/random``.

    The random letter and the fixed letters are made here. All others are attacks, which the room ``audit`` provides
    through the entry point ``chronotope.models``.

    Raises:
        InputError: If there is no such baseline (the message lists the names), or if a required library is missing.
    """
    kind = name.removeprefix("baseline/")
    if kind == "random":
        return Baseline(name, lambda options, seed: draw_answer(options, name, seed))
    if constant := re.fullmatch(r"constant-([A-Z])", kind):
        return Baseline(name, lambda options, seed: constant.group(1), constant.group(1))
    provider = providers().get("baseline")
    if provider is None:
        raise InputError(
            f"there is no baseline {name!r} among {FORMS}",
            fix="install Chronotope with pip, because the other baselines are found by its entry points",
        )
    if kind in provider.models and (opened := provided(name)) is not None:
        return opened
    raise InputError(f"there is no baseline {name!r}: expected one of {FORMS}, {', '.join(forms(provider))}")


class Baseline:
    """A model that chooses a letter by a rule, without a service.

    The random choice depends on the id of the ask. The reply to an open question is empty.
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
        await asyncio.sleep(0)  # a choice may take a while, so interruptions are possible between asks
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
        return draw(letters, name, seed)
    sets = [",".join(chosen) for size in range(2, len(letters) + 1) for chosen in combinations(letters, size)]
    return draw(sets, name, seed)


def draw_letter(options: Sequence[Option], seed: str) -> str:
    """Return the reply of baseline/random to the ask with this seed."""
    return draw_answer(options, RANDOM, seed)


def draw(answers: Sequence[str], name: str, seed: str) -> str:
    """Choose one of the answers at random, each equally likely.

    Each purpose and each ask has a separate random generator.
    """
    digest = hashlib.sha256(f"{name}\n{seed}".encode()).digest()
    return answers[int(np.random.default_rng(int.from_bytes(digest)).integers(len(answers)))]
