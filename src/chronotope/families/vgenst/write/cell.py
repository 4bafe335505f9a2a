"""Cells and their templates: how a question of a task and a type is made from a scene graph."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import permutations
from typing import Any, Literal, TypeVar

import numpy as np

from chronotope.families.vgenst.write.entries import Entry, all_unlike, unlike
from chronotope.families.vgenst.write.naming import kind_of, kinds_of
from chronotope.families.vgenst.write.refusal import Code
from chronotope.question import Reason, Refused
from chronotope.world.kinds.stage.graph import SceneGraph, draw_graph

T = TypeVar("T")
Design = Literal["paper", "strict"]

POOL = 240  # graphs from which options of other scenes are drawn: a multiple of the lengths of the cycles
TRIES = 400


@dataclass(frozen=True)
class Asked:
    """A question before its options get letters.

    ``words`` fill the placeholders of the stem. Options ``in_full`` keep the colours of things in a strict question.
    ``seen`` are (id of an object, "first" or "last" view, its place in the
    picture), which the pictures must confirm.
    """

    right: str
    wrong: tuple[str, ...]
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    seen: tuple[tuple[str, str, str], ...] = ()
    in_full: bool = False


Maker = Callable[[Any, "Draws"], Asked]


@dataclass(frozen=True)
class Template:
    """One way to ask a cell. ``designs`` are the profiles of questions that have it."""

    cell: str
    letter: str
    make: Maker
    is_open: bool
    designs: tuple[Design, ...]

    @property
    def name(self) -> str:
        """Return the name of the template, such as "MC-OE.a"."""
        return f"{self.cell}.{self.letter}"


TEMPLATES: dict[str, list[Template]] = {}
"""The templates of each cell, in their order."""


def template(cell: str, letter: str, *, is_open: bool = False, only: Design | None = None) -> Callable[[Maker], Maker]:
    """Add a function to the templates of a cell."""

    def add(make: Maker) -> Maker:
        designs: tuple[Design, ...] = ("paper", "strict") if only is None else (only,)
        TEMPLATES.setdefault(cell, []).append(Template(cell, letter, make, is_open, designs))
        return make

    return add


@dataclass(frozen=True)
class Draws:
    """The random choices of one question.

    ``hidden`` are nouns of things that are in the picture without being in the graph; no wrong option names them.
    """

    graph: Any
    generator: np.random.Generator
    design: Design
    hidden: frozenset[str] = frozenset()

    @property
    def is_strict(self) -> bool:
        """Check whether all options must be equally likely to be right."""
        return self.design == "strict"

    @property
    def is_extended(self) -> bool:
        """Check whether the graph has the variations that the published design lacks."""
        return self.graph.profile == "extended"

    def pick(self, values: Sequence[T]) -> T:
        """Return one of the values.

        Raises:
            Refused: If there is none.
        """
        if not values:
            raise Refused(Code.NOT_THERE)
        return values[int(self.generator.integers(len(values)))]

    def some(self, values: Sequence[T], count: int) -> list[T]:
        """Return so many of the values, in random order.

        Raises:
            Refused: If there are too few.
        """
        if len(values) < count:
            raise Refused(Reason.NO_DISTRACTORS)
        return [values[k] for k in self.generator.permutation(len(values))[:count]]

    def pooled(
        self, of: Callable[[Any], Iterable[Entry]], count: int, beside: Iterable[Entry], avoid: Iterable[Entry] = ()
    ) -> list[str]:
        """Return labels of entries of other scenes.

        The entries are unlike the options ``beside`` them, each other, and all that the clip shows (``avoid``).

        Raises:
            Refused: If other scenes have too few.
        """
        pool = pool_of(self.graph.task, self.graph.profile, of)
        beside, avoid = list(beside), list(avoid)
        fit = [e for e in pool if e.noun not in self.hidden and all(all_unlike((e, a)) for a in (*beside, *avoid))]
        for _ in range(TRIES if fit else 0):
            drawn = [fit[int(k)] for k in self.generator.integers(len(fit), size=count)]
            if all_unlike(drawn):
                return [entry.label for entry in drawn]
        raise Refused(Reason.NO_DISTRACTORS)

    def existing(self, of: Callable[[Any], list[Entry]]) -> Asked:
        """Ask which thing is there, of those that a function finds in a graph.

        Strict options all have kinds of things that are there, in colours that no other question tells.
        """
        own = of(self.graph)
        named = [entry for entry in own if entry.label in kinds_of(self.graph, self.hidden)]
        fit = self._other_colours(of)
        named = [entry for entry in named if kind_of(entry) in fit]
        if self.is_strict and named:
            right = self.pick(named)
            if foils := self._recoloured([fit[kind_of(entry)] for entry in named], 3):
                return Asked(right.label, tuple(foils), in_full=True)
        right = self.pick(own)
        return Asked(right.label, tuple(self.pooled(of, 3, [right], own)), in_full=True)

    def missing(self, of: Callable[[Any], list[Entry]]) -> Asked:
        """Ask which thing is not there, of three or four.

        Strictly, it is one of those that are there in another colour, and the others are all others.
        """
        own = of(self.graph)
        if self.is_strict and 3 <= len(own) <= 4 and len(kinds_of(self.graph, self.hidden)) == len(own):
            left_out, *shown = self.some(own, len(own))
            if foils := self._recoloured([self._other_colours(of).get(kind_of(left_out), [])], 1):
                return Asked(foils[0], tuple(entry.label for entry in shown), in_full=True)
        shown = self.some(own, 3)
        if not all_unlike(shown):
            raise Refused(Code.UNDECIDED)
        return Asked(self.pooled(of, 1, shown, own)[0], tuple(entry.label for entry in shown), in_full=True)

    def _other_colours(self, of: Callable[[Any], list[Entry]]) -> dict[str, list[Entry]]:
        """Return entries of other scenes in colours that this scene does not have, by their kinds."""
        shown = [Entry(entry.colour, "", entry.colour) for entry in of(self.graph)]
        pool = pool_of(self.graph.task, self.graph.profile, of)
        colours = {Entry(entry.colour, "", entry.colour) for entry in pool if entry.colour}
        other = {colour.colour for colour in colours if all(unlike(colour, each) for each in shown)}
        fit: dict[str, list[Entry]] = {}
        for entry in pool:
            if entry.colour in other:
                fit.setdefault(kind_of(entry), []).append(entry)
        return fit

    def _recoloured(self, fit: Sequence[Sequence[Entry]], count: int) -> list[str]:
        """Return labels of kinds in colours unlike each other, or [] if too few fit."""
        for _ in range(TRIES if all(fit) else 0):
            drawn = [self.pick(self.pick(fit)) for _ in range(count)]
            if all_unlike(Entry(entry.colour, "", entry.colour) for entry in drawn):
                return [entry.label for entry in drawn]
        return []

    def closed(self, right: str, live: Sequence[str], dead: Sequence[str] = (), **words: str) -> Asked:
        """Ask with fixed options; those that are never right (``dead``) are left out where the design is strict.

        Raises:
            Refused: If only one option would be left.
        """
        options = dict.fromkeys((*live, *(() if self.is_strict else dead)))
        if len(options) < 2:
            raise Refused(Code.CONSTANT)
        return Asked(right, tuple(option for option in options if option != right), words)

    def number(self, right: int, live: Sequence[int], published: Sequence[int], **words: str) -> Asked:
        """Ask for a number: the live ones where the design is strict, else the published ones.

        Raises:
            Refused: If only one number is live.
        """
        if self.is_strict and len(live) < 2:
            raise Refused(Code.CONSTANT)
        if self.is_strict and right not in live:
            raise Refused(Reason.NO_DISTRACTORS)
        options = live if self.is_strict else published
        return Asked(str(right), tuple(str(n) for n in options if n != right), words)

    def order(self, right: Sequence[str], **words: str) -> Asked:
        """Ask for an order of three or more names, with three other orders."""
        others = [order for order in permutations(right) if list(order) != list(right)]
        wrong = self.some(others, min(3, len(others)))
        return Asked(", ".join(right), tuple(", ".join(order) for order in wrong), words)


@cache
def _graphs(task: str, profile: str) -> tuple[SceneGraph, ...]:
    generator = np.random.default_rng(20_260_522)
    return tuple(draw_graph(generator, task, index, profile=profile) for index in range(POOL))  # type: ignore[arg-type]


@cache
def pool_of(task: str, profile: str, of: Callable[[Any], Iterable[Entry]]) -> tuple[Entry, ...]:
    """Return the entries of other scenes of a task, each as often as scenes have it."""
    return tuple(entry for graph in _graphs(task, profile) for entry in of(graph))


def labels(graph: SceneGraph, *roles: str) -> list[str]:
    """Return the labels of the objects with these roles."""
    return [item.label for item in graph.of_role(*roles)]


def with_article(label: str) -> str:
    """Return a label after "the"."""
    return f"the {label}"
