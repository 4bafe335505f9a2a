"""One of our own homes while it is changed."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from chronotope.recording import Change
from chronotope.world.homes.changes import make_changes
from chronotope.world.homes.choice import Item
from chronotope.world.homes.home import Home, HomeObject
from chronotope.world.homes.operations import ImpossibleError, abilities, change_state, remove
from chronotope.world.homes.small_things import new_object, place_on
from chronotope.world.things import HOME_KINDS

_Objects = Mapping[str, HomeObject | None]


@dataclass(frozen=True, eq=False)
class Changed:
    """A home after all changes, with the log of the changes in order."""

    home: Home
    changes: tuple[Change, ...]


class Eyes(Protocol):
    """The sight of a person who walks through a home in both states."""

    def notices(self, thing: HomeObject) -> bool:
        """Check whether the person would notice that an object is missing."""
        ...

    def tells_apart(self, before: _Objects, after: _Objects) -> bool:
        """Check whether the person notices the changes of all objects.

        ``before`` and ``after`` have the changed objects of both states by their ids.
        """
        ...

    def now_in(self, home: Home) -> None:
        """Look at the home after a change of it."""
        ...


def change_home(generator: np.random.Generator, home: Home, scene: str, eyes: Eyes | None = None) -> Changed:
    """Carry out random changes in a home.

    If ``eyes`` are given, only changes that they notice are made.
    """
    seen = None if eyes is None else frozenset(each.id for each in home if eyes.notices(each))
    place = _ChangingHome(home, home, eyes, seen)
    changes = make_changes(generator, place, scene)
    return Changed(place.home, changes)


def items_of(home: Home) -> list[Item]:
    """Return the facts about each object of a home that the choice of changes needs."""
    return [_item(each) for each in home]


def _item(thing: HomeObject) -> Item:
    return Item(
        id=thing.id,
        type=thing.name,
        abilities=abilities(thing),
        state=thing.state,
        parent=thing.parent,
        size=thing.made.thing.size,
        is_receptacle=bool(thing.shelves),
        is_closed=any(shelf.closed for shelf in thing.shelves),
    )


@dataclass
class _ChangingHome:
    """A home that is being changed; it is a ``Place``.

    ``first`` is the home before all changes, ``home`` is the home with all settled changes, and ``trial`` is ``home``
    with the steps that are being tried. ``seen`` are the ids of the objects that ``eyes`` notice.
    """

    first: Home
    home: Home
    eyes: Eyes | None
    seen: frozenset[str] | None
    trial: Home = field(init=False)

    def __post_init__(self) -> None:
        self.trial = self.home

    def items(self) -> list[Item]:
        return [replace(each, is_seen=self.seen is None or each.id in self.seen) for each in items_of(self.trial)]

    def facts(self, name: str) -> dict[str, Any]:
        return _facts(self.trial.objects[name])

    def lift(self, name: str) -> None:
        self.trial = self.trial.without(name)

    def act(self, name: str, action: str, value: Any = None) -> bool:
        lit = action == "ToggleObjectOn" and HOME_KINDS[self.trial.objects[name].name].lettered
        if lit and self.trial.unlettered:
            return False
        try:
            self.trial = change_state(self.trial, self.trial.objects[name], action, value)
        except ImpossibleError:
            return False
        return True

    def put(self, generator: np.random.Generator, name: str, receptacle: str, least: float) -> bool:
        thing = self.home.objects[name]
        placed = self._placed(generator, thing, receptacle)
        if placed is None or np.linalg.norm(placed.thing_pose[:3, 3] - thing.thing_pose[:3, 3]) < least:
            return False
        self.trial = self.trial.with_object(placed)
        return True

    def add(self, generator: np.random.Generator, kind: str, receptacle: str) -> str | None:
        if self.trial.unlettered and HOME_KINDS[kind].lettered:
            return None
        room, taken = self.trial.objects[receptacle].room, self.first.objects
        # A thing that was removed before lends its id to no new one.
        thing = new_object(generator, self.trial, kind, room, "surface", taken)
        placed = self._placed(generator, thing, receptacle)
        if placed is None:
            return None
        self.trial = self.trial.with_object(placed)
        return placed.id

    def _placed(self, generator: np.random.Generator, thing: HomeObject, receptacle: str) -> HomeObject | None:
        parent = self.trial.objects[receptacle]
        return place_on(generator, self.trial, thing, parent, tuple(range(len(parent.shelves))))

    def remove(self, name: str) -> bool:
        self.trial = remove(self.trial, self.trial.objects[name])
        return True

    def settle(self, names: Sequence[str]) -> bool:
        if self.eyes is not None:
            sides = ({name: home.objects.get(name) for name in names} for home in (self.home, self.trial))
            if not self.eyes.tells_apart(*sides):
                return False
            self.eyes.now_in(self.trial)
        self.home = self.trial
        return True

    def undo(self) -> None:
        self.trial = self.home


def _facts(thing: HomeObject) -> dict[str, Any]:
    """Return the position, the receptacle and the visible states of an object."""
    shown = thing.shows
    return {
        "position": [round(float(each), 6) for each in thing.thing_pose[:3, 3]],
        "receptacle": thing.parent,
        "room": thing.room,
        **{key: value for key, value in asdict(thing.state).items() if key in shown},
    }
