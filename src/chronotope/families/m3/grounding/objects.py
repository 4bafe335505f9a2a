"""Descriptions of objects that fit exactly one object of a state."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from chronotope.families.m3.grounding.rooms import ROOM_KINDS, describe_room
from chronotope.families.m3.looks import are_alike
from chronotope.families.m3.observed import Observed, ObservedThing
from chronotope.scene import Descriptor, fits_only, plural

OBJECT_KINDS = (
    "type",
    "type_in_room",
    "in_receptacle",
    "in_receptacle_in_room",
    "with_contents",
    "size",
    "size_in_room",
    "position",
    "attribute",
)

CONTAINERS = frozenset(
    [
        *("refrigerator", "fridge", "cabinet", "drawer", "microwave", "safe", "box", "garbage can", "sink", "oven"),
        *("sink basin", "bathtub", "bathtub basin", "bowl", "pot", "pan", "cup", "mug", "laundry hamper", "toilet"),
    ]
)
"""Types of objects that hold things inside."""

NOTICED = 0.001  # m3; nobody compares the sizes of smaller things
MOST_CONTENTS = 3  # objects that a description by contents lists at most
LEVEL, NEIGHBOUR = 0.05, 0.10  # m, smallest distances in height of any two parts, and of neighbouring parts
NESTED = ("type", "size", "attribute")  # kinds that a description inside another one may have

Fits = Callable[[ObservedThing], bool]


def describe_object(state: Observed, thing: ObservedThing, kind: str) -> Descriptor[ObservedThing] | None:
    """Describe an object in a certain way.

    The result is None if the description fits another object of the state too.
    """
    for made in _MAKERS[kind](state, thing):
        if fits_only(made, thing, state.known.values()):
            return made
    return None


def is_inside(thing: ObservedThing, parent: ObservedThing) -> bool:
    """Check whether an object is in, and not on, its parent."""
    top = parent.place[2] + parent.extent / 2
    return parent.type in CONTAINERS and bool(thing.place[2] < top)


def with_article(noun: str) -> str:
    """Put the indefinite article before a noun."""
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"


def _type(state: Observed, thing: ObservedThing) -> Iterator[Descriptor[ObservedThing]]:
    yield Descriptor("type", f"the {thing.type}", _same_type(thing))


def _type_in_room(state: Observed, thing: ObservedThing) -> Iterator[Descriptor[ObservedThing]]:
    room = _room_name(state, thing)
    if room is not None:
        alike = _same_type(thing)
        yield Descriptor("type_in_room", f"the {thing.type} in {room}", _and(alike, lambda one: one.room == thing.room))


def _in_receptacle(
    state: Observed, thing: ObservedThing, kinds: Sequence[str] = NESTED, kind: str = "in_receptacle"
) -> Iterator[Descriptor[ObservedThing]]:
    parent = state.things.get(thing.entity.parent or "")
    named = parent and next(filter(None, (describe_object(state, parent, each) for each in kinds)), None)
    if parent and named:
        word = "in" if is_inside(thing, parent) else "on"
        alike, owner = _same_type(thing), parent.id
        text = f"the {thing.type} {word} {named.text}"
        yield Descriptor(kind, text, _and(alike, lambda one: one.entity.parent == owner))


def _with_contents(state: Observed, thing: ObservedThing) -> Iterator[Descriptor[ObservedThing]]:
    held = state.children(thing.id)
    if not held or len(held) > MOST_CONTENTS or not all(one.is_seen for one in held):
        return
    types = Counter(one.type for one in held)
    word = "in" if all(is_inside(one, thing) for one in held) else "on"
    text = f"the {thing.type} with {_listed(types)} {word} it"
    alike = _same_type(thing)
    contents: Fits = lambda one: all(  # noqa: E731 - a test of one line
        Counter(each.type for each in state.children(one.id))[kind] >= count for kind, count in types.items()
    )
    yield Descriptor("with_contents", text, _and(alike, contents))


def _in_receptacle_in_room(state: Observed, thing: ObservedThing) -> Iterator[Descriptor[ObservedThing]]:
    yield from _in_receptacle(state, thing, ("type_in_room",), "in_receptacle_in_room")


def _size(state: Observed, thing: ObservedThing) -> Iterator[Descriptor[ObservedThing]]:
    yield from _sizes(state, thing, "size", _same_type(thing), "")


def _size_in_room(state: Observed, thing: ObservedThing) -> Iterator[Descriptor[ObservedThing]]:
    room = _room_name(state, thing)
    if room is not None:
        among = _and(_same_type(thing), lambda one: one.room == thing.room)
        yield from _sizes(state, thing, "size_in_room", among, f" in {room}")


def _sizes(
    state: Observed, thing: ObservedThing, kind: str, among: Fits, place: str
) -> Iterator[Descriptor[ObservedThing]]:
    group = [one for one in state.known.values() if among(one)]
    if len(group) < 2 or max(one.volume for one in group) < NOTICED:
        return
    for sign, pair, many in ((1, "larger", "largest"), (-1, "smaller", "smallest")):
        text = f"the {pair if len(group) == 2 else many} {thing.type}{place}"
        yield Descriptor(kind, text, _extreme(group, sign, state.margins.volume))


def _extreme(group: Sequence[ObservedThing], sign: int, gap: float) -> Fits:
    members = {one.id for one in group}
    best, rival, *_ = sorted((one.volume for one in group), reverse=sign > 0)

    def is_extreme(one: ObservedThing) -> bool:
        return (
            one.id in members
            and one.volume == best
            and sign * (one.volume - rival) >= gap * max(one.volume, rival)  # and so to all others
        )

    return is_extreme


def _position(state: Observed, thing: ObservedThing) -> Iterator[Descriptor[ObservedThing]]:
    asset, mark, _ = thing.id.partition("___")
    group = [
        one for one in state.known.values() if mark and one.type == thing.type and one.id.startswith(f"{asset}___")
    ]
    if len(group) < 2 or any(_same_type(thing)(one) and one not in group for one in state.known.values()):
        return
    heights = sorted(float(one.place[2]) for one in group)
    gaps = [high - low for low, high in pairwise(heights)]
    if min(gaps) < max(LEVEL, NEIGHBOUR):
        return
    height = float(thing.place[2])
    text = f"the {_ordinal(heights.index(height), len(heights))} {thing.type}"
    yield Descriptor("position", text, _and(_same_type(thing), lambda one: float(one.place[2]) == height))


def _ordinal(rank: int, count: int) -> str:
    if count == 2:
        return ("lower", "higher")[rank]
    if count % 2 and rank == count // 2:
        return "middle" if count == 3 else f"{_NUMBERS[rank]}lowest"
    return f"{_NUMBERS[rank]}lowest" if rank < count / 2 else f"{_NUMBERS[count - 1 - rank]}highest"


_NUMBERS = ("", "second ", "third ", "fourth ", "fifth ", "sixth ", "seventh ", "eighth ")


def _attribute(state: Observed, thing: ObservedThing) -> Iterator[Descriptor[ObservedThing]]:
    colour, shape = thing.told("colour"), thing.told("shape")
    alike = _same_type(thing)
    same_colour: Fits = lambda one: one.told("colour") in (colour, None)  # noqa: E731 - a test of one line
    same_shape: Fits = lambda one: (  # noqa: E731 - a test of one line
        (other := one.told("shape")) in (shape, None) or are_alike(shape or "", other or "")
    )
    if colour:
        yield Descriptor("attribute", f"the {colour} {thing.type}", _and(alike, same_colour))
    if shape:
        yield Descriptor("attribute", f"the {shape} {thing.type}", _and(alike, same_shape))
    if shape and colour:
        text = f"the {shape} {colour} {thing.type}"
        yield Descriptor("attribute", text, _and(alike, _and(same_shape, same_colour)))


def _same_type(thing: ObservedThing) -> Fits:
    return lambda one: one.type == thing.type


def _and(first: Fits, second: Fits) -> Fits:
    return lambda one: first(one) and second(one)


def _room_name(state: Observed, thing: ObservedThing) -> str | None:
    if thing.room is None:
        return None
    made = (describe_room(state.layout, thing.room, kind, state.margins.area) for kind in ROOM_KINDS)
    return next((each.text for each in made if each is not None), None)


def _listed(types: Counter[str]) -> str:
    parts = [with_article(kind) if count == 1 else f"{count} {plural(kind)}" for kind, count in sorted(types.items())]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


_MAKERS: dict[str, Callable[[Observed, ObservedThing], Iterator[Descriptor[ObservedThing]]]] = {
    "type": _type,
    "type_in_room": _type_in_room,
    "in_receptacle": _in_receptacle,
    "in_receptacle_in_room": _in_receptacle_in_room,
    "with_contents": _with_contents,
    "size": _size,
    "size_in_room": _size_in_room,
    "position": _position,
    "attribute": _attribute,
}
