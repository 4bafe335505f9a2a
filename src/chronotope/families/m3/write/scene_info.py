"""Questions about the rooms of a home."""

from collections.abc import Callable, Iterator

from chronotope.families.m3.layout import FUNCTIONS, SHAPES
from chronotope.families.m3.write.drafting import Choice, Draft, Pen, thinned
from chronotope.families.m3.write.listing import list_one, list_several
from chronotope.families.m3.write.numbers import list_counts, list_ranges
from chronotope.question import Reason
from chronotope.scene import plural

LEAST_STAY = 10  # frames of the longest visit to a room that is asked about
PADDING = ("study", "garage", "laundry room")  # types of rooms that no home has
LEAST_PAIRS = 4

Drafts = Iterator[Draft | None]


def room_types(pen: Pen) -> list[str]:
    """Return all types of rooms in a random order."""
    return pen.shuffled(list(FUNCTIONS))


def type_choices(pen: Pen, room: str) -> tuple[Choice, list[Choice]]:
    """Return the type of a room, and the other types."""
    own = pen.layout.types[room]
    return Choice(own), [Choice(each) for each in room_types(pen) if each != own]


def shape_choices(pen: Pen, room: str) -> tuple[Choice, list[Choice]]:
    """Return the shape of a room, and the other shapes."""
    own = pen.layout.shapes[room]
    return Choice(own), [Choice(each) for each in pen.shuffled(SHAPES) if each != own]


def _watched(pen: Pen) -> Iterator[tuple[str, str]]:
    """Return the rooms that are visited long enough, with their names."""
    for room, text in pen.named_rooms().items():
        if _longest_visit(pen, room) >= LEAST_STAY:
            yield room, text
        else:
            pen.refuse(Reason.NOT_VISIBLE)


def _longest_visit(pen: Pen, room: str) -> int:
    """Return the number of frames of the longest visit to a room.

    The visit can be in any of the videos.
    """
    return max(state.longest_visit(room) for state in pen.homes.states)


def _scene_area(pen: Pen) -> Drafts:
    if any(_longest_visit(pen, room) < LEAST_STAY for room in pen.layout.by_id):
        return pen.refuse(Reason.NOT_VISIBLE)
    area = sum(pen.layout.areas.values())
    yield pen.ask(list_ranges(pen, area, "m2"), facts={"area": area})


def _room_area(pen: Pen) -> Drafts:
    for room, text in _watched(pen):
        area = pen.layout.areas[room]
        yield pen.ask(list_ranges(pen, area, "m2"), [room], {"area": area}, room=text)


def _different(pen: Pen, looks: dict[str, str]) -> list[tuple[str, str]]:
    """Return rooms that are visited long enough.

    Except with the profile ``paper``, only one room of each look is returned.
    """
    watched = list(_watched(pen))
    return watched if pen.paper else thinned(watched, lambda one: looks[one[0]])


def _room_type(pen: Pen) -> Drafts:
    for room, text in _different(pen, pen.layout.types):
        yield pen.ask(list_one(pen, *type_choices(pen, room)), [room], {"type": pen.layout.types[room]}, room=text)


def _room_function(pen: Pen) -> Drafts:
    for room, text in _different(pen, pen.layout.types):
        own = FUNCTIONS.get(pen.layout.types[room])
        if own is None:
            continue
        wrong = [Choice(FUNCTIONS[each]) for each in room_types(pen) if FUNCTIONS[each] != own]
        yield pen.ask(list_one(pen, Choice(own), wrong), [room], {"function": own}, room=text)


def _room_shape(pen: Pen) -> Drafts:
    for room, text in _different(pen, pen.layout.shapes):
        yield pen.ask(list_one(pen, *shape_choices(pen, room)), [room], {"shape": pen.layout.shapes[room]}, room=text)


def _scene_room_types(pen: Pen) -> Drafts:
    there = pen.shuffled(sorted(set(pen.layout.types.values())))
    absent = [each for each in room_types(pen) if each not in there]
    # A reader could know that no home has a room of the padding's types.
    wrong = [Choice(each) for each in pen.shuffled([*absent, *(PADDING if pen.paper else ())])]
    yield pen.ask(list_several(pen, [Choice(each) for each in there], wrong), facts={"types": sorted(there)})


def _room_type_count(pen: Pen) -> Drafts:
    for kind in pen.shuffled(sorted(pen.layout.type_counts)):
        count = pen.layout.type_counts[kind]
        yield pen.ask(list_counts(pen, count), facts={"type": kind, "count": count}, types=plural(kind))


def _room_connectivity_pair(pen: Pen) -> Drafts:
    named = list(pen.named_rooms().items())
    pairs = pen.shuffled([(one, other) for place, one in enumerate(named) for other in named[place + 1 :]])
    while len(pairs) >= LEAST_PAIRS:
        joined = [pair for pair in pairs if _is_joined(pen, pair)]
        apart = [pair for pair in pairs if pair not in joined]
        listed = list_several(pen, map(_pair, joined), map(_pair, apart))
        if listed is None:
            return
        used = {option.about for option in listed.options}
        pairs = [pair for pair in pairs if _pair(pair).about not in used]
        yield pen.ask(listed, facts={"connected": sorted(" -- ".join(_pair(pair).about) for pair in joined)})


Named = tuple[str, str]


def _is_joined(pen: Pen, pair: tuple[Named, Named]) -> bool:
    return frozenset((pair[0][0], pair[1][0])) in pen.layout.pairs


def _pair(pair: tuple[Named, Named]) -> Choice:
    (one, first), (other, second) = pair
    return Choice(f"{first} -- {second}", (one, other))


WRITERS: dict[str, Callable[[Pen], Drafts]] = {
    "scene_area": _scene_area,
    "room_area": _room_area,
    "room_type": _room_type,
    "room_function": _room_function,
    "room_shape": _room_shape,
    "scene_room_types": _scene_room_types,
    "room_type_count": _room_type_count,
    "room_connectivity_pair": _room_connectivity_pair,
}
