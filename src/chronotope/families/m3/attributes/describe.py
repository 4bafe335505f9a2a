"""The describer of M3-Verse: texts of the best views, joined, compared within a type, and checked by a second pass.

The first pass is the paper's: a text of each of the five best views, one text from all of them, and a comparison of
the objects of one type, which names a colour and a shape. One call for each type asks what its objects are for. The
second pass is ours: the model sees only the pictures and chooses words of closed lists. A colour or shape is known only
if both passes agree.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import TypeVar

from chronotope.families.m3.attributes.prompts import (
    COMPARE,
    CONSOLIDATE,
    DESCRIBE,
    FUNCTION,
    LOOK,
    Description,
    Look,
    Profile,
    Purpose,
    comparison,
    comparison_form,
    consolidation,
    describer,
    function_of_type,
    second_look,
)
from chronotope.families.m3.attributes.view_pictures import Shown
from chronotope.families.m3.attributes.views import Subject
from chronotope.families.m3.looks import basic_colour, basic_shape
from chronotope.models import Asker, do_all

MOST_COMPARED = 10  # objects in one comparison
DECODED_AT_ONCE = 2  # subjects whose pictures are made in parallel

T = TypeVar("T")


@dataclass(frozen=True)
class Described:
    """The description of a subject by a model, from both passes.

    ``function`` is the purpose of things of the subject's type, or None.
    """

    subject: Subject
    text: str | None = None
    profile: Profile = field(default_factory=lambda: Profile())
    look: Look | None = None
    function: str | None = None

    @property
    def agreed(self) -> dict[str, str]:
        """Return the colour and the shape about which both passes agree."""
        look = self.look or Look(colour=None, shape=None)
        pairs = {
            "colour": (basic_colour(self.profile.color), look.colour),
            "shape": (basic_shape(self.profile.shape), look.shape),
        }
        return {key: first for key, (first, second) in pairs.items() if first is not None and first == second}


@dataclass
class Describing:
    """The work of the describer on some subjects.

    ``show`` makes the pictures of a subject's views. ``advance`` is called after each subject and after each
    comparison, with the number of finished ones and the number of all.
    """

    asker: Asker
    show: Callable[[Subject], Sequence[Shown]]
    concurrency: int
    advance: Callable[[int, int], None] | None = None
    _done: int = 0
    _total: int = 0

    async def describe(self, subjects: Sequence[Subject]) -> list[Described]:
        """Describe subjects, in their order; they are sorted by type.

        Raises:
            OverBudgetError: If the next call could exceed the limit on the cost.
            UnansweredError: If a call failed without a reply.
            InputError: If the service refuses every call, or a picture cannot be read.
        """
        groups = [list(found) for _, found in groupby(subjects, key=lambda one: one.category)]
        types = [group[0].category for group in groups]
        self._total = len(subjects) + len(types) + sum(len(_batches(group)) for group in groups)
        self._tell()
        decoding = asyncio.Semaphore(DECODED_AT_ONCE)
        seen = await self._all([partial(self._seen, subject, decoding) for subject in subjects])
        purposes = await self._all([partial(self._purpose, category) for category in types])
        self.asker.require_answers()  # or else the comparisons would be made again with further texts
        functions = dict(zip(types, purposes, strict=True))
        said = {one.subject.id: replace(one, function=functions[one.subject.category]) for one in seen}
        told = [[one.id for one in group if said[one.id].text is not None] for group in groups]
        batches = [[said[name] for name in batch] for group in told for batch in _batches(group)]
        self._total = len(subjects) + len(types) + len(batches)
        for compared in await self._all([partial(self._compared, batch) for batch in batches]):
            said |= {one.subject.id: one for one in compared}
        self.asker.require_answers()
        return [said[subject.id] for subject in subjects]

    async def _all(self, works: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
        """Do works in their order, some at once, and report the progress."""

        def advance(_done: int, _place: int) -> None:
            self._done += 1
            self._tell()

        return await do_all(works, self.concurrency, advance)

    async def _seen(self, subject: Subject, decoding: asyncio.Semaphore) -> Described:
        """Describe a subject's views, join the texts, and look again."""
        async with decoding:
            shown = await asyncio.to_thread(self.show, subject)
        alone = [cut for _, cut in shown]
        look = await self.asker.ask(LOOK, f"{subject.id}--look", [*alone, second_look(subject.category)], Look)
        texts: dict[str, None] = {}
        for number, pictures in enumerate(shown, 1):
            name = f"{subject.id}--view {number}"
            told = await self.asker.ask(DESCRIBE, name, [*pictures, describer(subject.category)], Description)
            if told is not None:
                texts[" ".join(told.description.split())] = None
        return Described(subject, await self._joined(subject, list(texts)), look=look)

    async def _joined(self, subject: Subject, texts: Sequence[str]) -> str | None:
        """Return one text from several about a subject."""
        if len(texts) < 2:
            return next(iter(texts), None)
        told = await self.asker.ask(CONSOLIDATE, f"{subject.id}--join", [consolidation(texts)], Description)
        return None if told is None else " ".join(told.description.split())

    async def _compared(self, batch: Sequence[Described]) -> list[Described]:
        """Compare subjects of one type."""
        category = batch[0].subject.category
        request = comparison(category, [one.text or "" for one in batch])
        name = f"{category}--compare {batch[0].subject.id}"
        reply = await self.asker.ask(COMPARE, name, [request], comparison_form(len(batch)))
        if reply is None:
            return list(batch)
        profiles: Mapping[str, Profile] = dict(reply)
        return [replace(one, profile=profile) for one, profile in zip(batch, profiles.values(), strict=True)]

    async def _purpose(self, category: str) -> str | None:
        """Return what objects of a type are for."""
        told = await self.asker.ask(FUNCTION, f"{category}--function", [function_of_type(category)], Purpose)
        return None if told is None else told.function

    def _tell(self) -> None:
        if self.advance is not None:
            self.advance(self._done, self._total)


def _batches(ids: Sequence[T]) -> list[list[T]]:
    """Divide a group into batches of at most ten.

    Their sizes differ by at most one.
    """
    count = -(-len(ids) // MOST_COMPARED)
    return [list(ids[number * len(ids) // count : (number + 1) * len(ids) // count]) for number in range(count)]
