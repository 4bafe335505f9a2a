"""The data and the random choices that all questions of one subtask share."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from chronotope.families.m3.grounding import Names
from chronotope.families.m3.layout import Layout
from chronotope.families.m3.margins import SPECIFIED, TOLD_BY_EYE, Margins
from chronotope.families.m3.observed import Observed, ObservedThing, parts_of_assets
from chronotope.families.m3.subtasks import Subtask
from chronotope.families.m3.write.published import TEMPLATES
from chronotope.recording import Change, Scene

VIDEOS = ("the first video", "the second video")
# Share of questions without a correct option, where this is possible. Otherwise than published, with the profile strict
# this option is to be correct as often as any other.
PUBLISHED, EVEN = 1 / 3, 1 / 4

T = TypeVar("T")


def thinned(values: Iterable[T], key: Callable[[T], Hashable]) -> list[T]:
    """Keep the first value of each key.

    With answers as keys, usual answers are not much more common than others.
    """
    found: dict[Hashable, T] = {}
    for value in values:
        found.setdefault(key(value), value)
    return list(found.values())


@dataclass(frozen=True)
class Choice:
    """A possible option, with the ids of the objects and rooms that it is about."""

    text: str
    about: tuple[str, ...] = ()


@dataclass(frozen=True)
class Listed:
    """The options of a question in their order, and the indices of the correct options."""

    options: tuple[Choice, ...]
    answer: tuple[int, ...]
    hallucination: bool = False
    is_sorted: bool = False


@dataclass(frozen=True)
class Draft:
    """A question without an id yet.

    ``about`` are the objects and rooms of the stem. ``facts`` are the values from which the answer follows. ``state``
    is the number of the state that the question is about, or None for questions about both states or about the home
    itself.
    """

    row: Subtask
    state: int | None
    stem: str
    listed: Listed
    about: tuple[str, ...]
    facts: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Homes:
    """Both states of a home, their names, and the changes between them."""

    scene: Scene
    layout: Layout
    states: tuple[Observed, ...]
    names: Names
    margins: Margins

    @classmethod
    def of(cls, scene: Scene, *, paper: bool) -> "Homes":
        """Read a scene with one or two states.

        If ``paper`` is true, margins are as the specification of the paper has them; otherwise they are wide enough for
        the eye.
        """
        margins = SPECIFIED if paper else TOLD_BY_EYE
        layout = Layout(scene.recordings[0].rooms)
        states = tuple(Observed(recording, layout, margins) for recording in scene.recordings)
        return cls(scene, layout, states, Names(states), margins)

    @cached_property
    def common(self) -> tuple[str, ...]:
        """Return the objects that are seen long enough in each state."""
        return tuple(name for name in self.states[0].things if all(name in state.things for state in self.states))

    @cached_property
    def moves(self) -> dict[str, Change]:
        """Return the moves of objects that are seen in each state."""
        return {change.object: change for change in self.scene.changes if change.operation == "PlaceObjectAtPoint"}

    @cached_property
    def altered(self) -> frozenset[str]:
        """Return the objects whose state was changed."""
        others = ("PlaceObjectAtPoint", "AddObject", "RemoveObject")
        return frozenset(change.object for change in self.scene.changes if change.operation not in others)

    @cached_property
    def touched(self) -> frozenset[str]:
        """Return all objects that any change names."""
        return frozenset(change.object for change in self.scene.changes)

    @cached_property
    def relatives(self) -> dict[str, frozenset[str]]:
        """Return, for the id of each object, the ids of all related objects.

        Two objects are related if one carries the other in any state, or if both are parts of one asset. Each object is
        also related to itself.
        """
        found = parts_of_assets({name for state in self.states for name in state.relatives})
        for state in self.states:
            for name, others in state.relatives.items():
                found[name] |= others
        return {name: frozenset(others) for name, others in found.items()}


@dataclass(eq=False)
class Pen:
    """The means to write the questions of one subtask about one home.

    ``state`` is the number of the state for questions about one state.
    """

    homes: Homes
    row: Subtask
    state: int
    generator: np.random.Generator
    paper: bool
    refusals: Counter[str] = field(default_factory=Counter[str])

    @property
    def seen(self) -> Observed:
        """Return the state of the question."""
        return self.homes.states[self.state]

    @property
    def margins(self) -> Margins:
        """Return the least differences and views that questions need."""
        return self.homes.margins

    @property
    def layout(self) -> Layout:
        """Return the rooms of the home."""
        return self.homes.layout

    @property
    def things(self) -> list[ObservedThing]:
        """Return the objects of the state in a random order."""
        return self.shuffled(list(self.seen.things.values()))

    @property
    def rooms(self) -> list[str]:
        """Return the rooms in a random order."""
        return self.shuffled([room.id for room in self.layout.rooms])

    def shuffled(self, values: Sequence[T]) -> list[T]:
        """Return values in a random order."""
        return [values[place] for place in self.generator.permutation(len(values)).tolist()]

    def draw_count(self) -> int:
        """Draw the number of options."""
        return int(self.generator.integers(self.row.least, self.row.most + 1))

    def draws_hallucination(self) -> bool:
        """Decide at random whether no listed option is correct."""
        share = PUBLISHED if self.paper else EVEN
        return self.row.lists_none and bool(self.generator.random() < share)

    def name(self, thing: str, state: int | None = None, keys: str | None = None) -> str | None:
        """Return a name of an object in a state, or None."""
        random = self.generator if self.row.any_name else None
        return self.homes.names.of(self.state if state is None else state, thing, keys or self.row.keys, random)

    def lasting(self, thing: str) -> str | None:
        """Return a name that an object has in both states, or None."""
        return self.homes.names.lasting(thing, self.row.keys, self.generator if self.row.any_name else None)

    def room(self, room: str) -> str | None:
        """Return a name of a room, or None."""
        return self.homes.names.room(room, self.row.room_keys, self.generator if self.row.any_name else None)

    def named_rooms(self) -> dict[str, str]:
        """Return the names of rooms in a random order.

        The keys are the ids of the rooms. Rooms without a name are left out.
        """
        named = {room: self.room(room) for room in self.rooms}
        return {room: text for room, text in named.items() if text is not None}

    def refuse(self, code: str, count: int = 1) -> None:
        """Count refused candidates."""
        if count:
            self.refusals[code] += count

    def ask(
        self, listed: Listed | None, about: Sequence[str] = (), facts: dict[str, Any] | None = None, **words: str
    ) -> Draft | None:
        """Make a question of its options and words.

        The result is None if there are no options.
        """
        if listed is None:
            return None
        template = TEMPLATES.get(self.row.name, self.row.template) if self.paper else self.row.template
        stem = template.format(state=VIDEOS[self.state], state1=VIDEOS[0], state2=VIDEOS[1], **words)
        state = self.state if self.row.per_state else None
        return Draft(self.row, state, stem, listed, tuple(about), facts or {})
