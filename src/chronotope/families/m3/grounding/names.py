"""The names that a question may use for an object or a room."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from chronotope.families.m3.grounding.objects import OBJECT_KINDS, describe_object
from chronotope.families.m3.grounding.rooms import ROOM_KINDS, describe_room
from chronotope.families.m3.observed import Observed, ObservedThing


def _without(*kinds: str) -> tuple[str, ...]:
    return tuple(kind for kind in OBJECT_KINDS if kind not in kinds)


_ROOM = ("type_in_room", "in_receptacle_in_room", "size_in_room")
_PARENT = ("in_receptacle", "in_receptacle_in_room")
# The kinds of names of objects that do not reveal an answer.
KEYS: dict[str, tuple[str, ...]] = {
    "all": OBJECT_KINDS,
    "without_attribute": _without("attribute"),
    "without_size": _without("size", "size_in_room"),
    "without_room": _without(*_ROOM),
    "without_parent": _without("type_in_room", *_PARENT),
    "simple": ("type", "in_receptacle", "with_contents", "attribute"),
    "without_position": _without("position"),
    "without_position_and_room": _without("position", *_ROOM),
    "receptacle": ("type", "type_in_room", *_PARENT),
    "target": ("type", "type_in_room", *_PARENT, "size", "size_in_room", "attribute"),
    "moved": ("type", "type_in_room"),
    "room_only": ("type_in_room",),
    "plain": ("type", "attribute"),
}
# The kinds of names of rooms that do not reveal an answer.
ROOM_KEYS: dict[str, tuple[str, ...]] = {
    "layout": ROOM_KINDS,
    "any": (*ROOM_KINDS, "unique_object"),
    "without_type": ("biggest_room", "smallest_room", "shape"),
    "without_shape": tuple(kind for kind in ROOM_KINDS if kind != "shape"),
    "without_area": ("type", "shape"),
    "untimed": ("type", "shape", "unique_object"),
}


@dataclass(eq=False)
class Names:
    """The names in the states of a home.

    A name is the text of a description that was checked against all objects or rooms of the state.
    """

    states: Sequence[Observed]
    _objects: dict[tuple[int, str, str], str | None] = field(default_factory=dict[tuple[int, str, str], str | None])
    _fitting: dict[tuple[int | None, str, str], list[str]] = field(
        default_factory=dict[tuple[int | None, str, str], list[str]]
    )
    _rooms: dict[tuple[str, str], str | None] = field(default_factory=dict[tuple[str, str], str | None])

    def of(self, state: int, thing: str, keys: str, generator: np.random.Generator | None = None) -> str | None:
        """Return a name of an object in a state.

        The name is the first possible name, or with a ``generator`` any of them. None means that no name fits only this
        object.
        """
        if (state, thing, keys) not in self._fitting:
            made = (self._object(state, thing, kind) for kind in KEYS[keys])
            self._fitting[state, thing, keys] = [text for text in made if text is not None]
        return self._pick(self._fitting[state, thing, keys], generator)

    def lasting(self, thing: str, keys: str, generator: np.random.Generator | None = None) -> str | None:
        """Return a name that fits only this object in each state."""
        if (None, thing, keys) not in self._fitting:
            made = ({self._object(state, thing, kind) for state in range(len(self.states))} for kind in KEYS[keys])
            self._fitting[None, thing, keys] = [text for (text, *more) in made if text is not None and not more]
        return self._pick(self._fitting[None, thing, keys], generator)

    def room(self, room: str, keys: str, generator: np.random.Generator | None = None) -> str | None:
        """Return a name of a room that fits in each state."""
        made = (self._room(room, kind) for kind in ROOM_KEYS[keys])
        return self._pick([text for text in made if text is not None], generator)

    @staticmethod
    def _pick(found: Sequence[str], generator: np.random.Generator | None) -> str | None:
        if not found:
            return None
        return found[0] if generator is None else found[int(generator.integers(len(found)))]

    def _object(self, state: int, name: str, kind: str) -> str | None:
        key = (state, name, kind)
        if key not in self._objects:
            thing = self.states[state].things.get(name)
            made = thing and describe_object(self.states[state], thing, kind)
            self._objects[key] = made.text if made else None
        return self._objects[key]

    def _room(self, room: str, kind: str) -> str | None:
        if (room, kind) not in self._rooms:
            if kind == "unique_object":
                self._rooms[room, kind] = self._by_object(room)
            else:
                made = describe_room(self.states[0].layout, room, kind, self.states[0].margins.area)
                self._rooms[room, kind] = made.text if made else None
        return self._rooms[room, kind]

    def _by_object(self, room: str) -> str | None:
        """Describe a room by an object that stays in it."""
        for name, thing in self.states[0].things.items():
            if all(self._is_in(state, name, room) for state in self.states) and thing.room == room:
                text = self.lasting(name, "plain")
                if text is not None:
                    return f"the room with {text} in it"
        return None

    @staticmethod
    def _is_in(state: Observed, name: str, room: str) -> bool:
        found: ObservedThing | None = state.things.get(name)
        return found is not None and found.room == room
