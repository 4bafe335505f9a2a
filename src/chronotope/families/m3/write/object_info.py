"""Questions about the objects of one state: distances, looks, sizes, places and counts."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from chronotope.families.m3.looks import COLOURS, DESCRIBED, SHAPES, are_alike
from chronotope.families.m3.observed import Observed, ObservedThing, longest_run
from chronotope.families.m3.tasks import NOT_KNOWN
from chronotope.families.m3.write.drafting import Choice, Draft, Pen
from chronotope.families.m3.write.listing import list_extreme, list_one, list_several
from chronotope.families.m3.write.numbers import list_counts, list_ranges
from chronotope.families.m3.write.scene_info import LEAST_STAY
from chronotope.question import Reason
from chronotope.scene import plural

LEAST_RUN = 10  # consecutive frames that show an object whose looks are asked about
TOGETHER = 5  # consecutive frames that show both objects of a distance
DISTANCES = (0.1, 5.0)  # m
LEAST_LENGTH = 0.1  # m
LEAST_OBJECTS = 5  # objects of a room whose distances are compared
LEAST_ROOMS, LEAST_PARENTS = 4, 3
MOST_CONTENTS = 5

Drafts = Iterator[Draft | None]


def planar(one: ObservedThing, other: ObservedThing) -> float:
    """Return the horizontal distance (m) of the middles of two objects."""
    return float(np.linalg.norm(one.place[:2] - other.place[:2]))


def named_things(
    pen: Pen, things: Sequence[ObservedThing], keys: str | None = None
) -> list[tuple[ObservedThing, Choice]]:
    """Return the objects that have a name, each with its option."""
    named = [(thing, pen.name(thing.id, keys=keys)) for thing in things]
    return [(thing, Choice(text, (thing.id,))) for thing, text in named if text is not None]


def _by_room(pen: Pen) -> Iterator[list[ObservedThing]]:
    things = pen.things
    for room in pen.rooms:
        yield [thing for thing in things if thing.room == room]


def _distance(pen: Pen) -> Drafts:
    each = max(1, 10 // len(pen.layout.rooms))
    found: list[tuple[ObservedThing, ObservedThing]] = []
    for things in _by_room(pen):
        pairs = [(one, other) for place, one in enumerate(things) for other in things[place + 1 :]]
        found += [pair for pair in pen.shuffled(pairs) if _is_measured(pen, *pair)][:each]
    for one, other in pen.shuffled(found):
        first, second = pen.name(one.id), pen.name(other.id)
        if first is None or second is None:
            pen.refuse(Reason.NOT_UNIQUE)
            continue
        value = planar(one, other)
        listed = list_ranges(pen, value, "m")
        yield pen.ask(listed, [one.id, other.id], {"distance": value}, object1=first, object2=second)


def _is_measured(pen: Pen, one: ObservedThing, other: ObservedThing) -> bool:
    low, high = DISTANCES
    return (
        low <= planar(one, other) <= high
        and not pen.seen.are_related(one.id, other.id)
        and longest_run(one.clear & other.clear) >= TOGETHER
    )


def _comparison(pen: Pen, sign: int) -> Drafts:
    for things in _by_room(pen):
        if len(things) < LEAST_OBJECTS or pen.seen.longest_visit(things[0].room or "") < LEAST_STAY:
            continue
        named = named_things(pen, things)
        for target, name in named[:2]:
            others = [(choice, (planar(target, thing),)) for thing, choice in named if thing is not target]
            listed = list_extreme(pen, others, sign, pen.margins.are_clear_distances, about=[target.id])
            facts = {"distances": {choice.about[0]: value for choice, (value,) in others}}
            yield pen.ask(listed, [target.id], facts, object=name.text)


def _clear_views(pen: Pen, things: Sequence[ObservedThing]) -> Iterator[tuple[ObservedThing, str]]:
    for thing in things:
        name = pen.name(thing.id)
        if thing.run < LEAST_RUN:
            pen.refuse(Reason.NOT_VISIBLE)
        elif name is None:
            pen.refuse(Reason.NOT_UNIQUE)
        else:
            yield thing, name


def _looks(pen: Pen, key: str, vocabulary: Sequence[str]) -> Drafts:
    known = [thing for thing in pen.things if thing.told(key) is not None]
    pen.refuse(NOT_KNOWN, len(pen.seen.things) - len(known))
    for thing, name in _clear_views(pen, known):
        own = thing.told(key) or ""
        # Wrong options come as often as the looks of the home's objects, so that no option is rarer than another.
        told = [each.told(key) for each in pen.things]
        pool = pen.shuffled(vocabulary) if pen.paper else [each for each in told if each is not None]
        wrong = [Choice(each) for each in pool if each != own and not are_alike(each, own)]
        facts = {key: own} | ({DESCRIBED: True} if thing.is_described(key) else {})
        yield pen.ask(list_one(pen, Choice(own), wrong), [thing.id], facts, object=name)


def _size(pen: Pen, measure: Callable[[ObservedThing], float], key: str) -> Drafts:
    for thing, name in _clear_views(pen, pen.things):
        value = measure(thing)
        is_open = thing.told("openness") not in (None, "0", "0.0")
        if value < LEAST_LENGTH or is_open or thing.told("box") == "unclear":
            continue
        yield pen.ask(list_ranges(pen, value, "m"), [thing.id], {key: value}, object=name)


def _length(thing: ObservedThing) -> float:
    return max(thing.entity.size[:2])


def _room_location(pen: Pen) -> Drafts:
    rooms = pen.named_rooms()
    if len(rooms) < LEAST_ROOMS:
        return pen.refuse(Reason.NO_DISTRACTORS)
    for thing in pen.things:
        name = pen.name(thing.id)
        if name is None or thing.room not in rooms:
            pen.refuse(Reason.NOT_UNIQUE)
            continue
        truth, *wrong = [Choice(rooms[room], (room,)) for room in sorted(rooms, key=lambda each: each != thing.room)]
        yield pen.ask(list_one(pen, truth, pen.shuffled(wrong)), [thing.id], {"room": thing.room}, object=name)


def _counted(state: Observed, room: str | None = None) -> Counter[str]:
    """Count the objects of each type that is not in doubt.

    A type is in doubt if an object is shown too briefly to be counted.
    """
    known = [thing for thing in state.known.values() if room is None or thing.room == room]
    doubtful = {thing.type for thing in known if not thing.is_seen}
    return Counter(thing.type for thing in known if thing.type not in doubtful)


def _count_in_room(pen: Pen) -> Drafts:
    for room, name in pen.named_rooms().items():
        if pen.seen.longest_visit(room) < LEAST_STAY:
            continue
        for kind, count in _one_of_each(pen, _counted(pen.seen, room)):
            facts = {"type": kind, "count": count}
            yield pen.ask(list_counts(pen, count), [room], facts, types=plural(kind), room=name)


def _count_in_scene(pen: Pen) -> Drafts:
    if not pen.paper and not all(pen.seen.visit_count(room) for room in pen.rooms):
        return pen.refuse(Reason.NOT_VISIBLE)
    for kind, count in _one_of_each(pen, _counted(pen.seen)):
        yield pen.ask(list_counts(pen, count), (), {"type": kind, "count": count}, types=plural(kind))


def _one_of_each(pen: Pen, counts: Counter[str]) -> list[tuple[str, int]]:
    """Draw one object type for each number of objects that occurs."""
    types = {counts[kind]: kind for kind in pen.shuffled(sorted(counts))}
    return pen.shuffled([(kind, count) for count, kind in sorted(types.items())])


def _receptacle_location(pen: Pen) -> Drafts:
    parents = _receptacles(pen)
    if len(parents) < LEAST_PARENTS:
        return pen.refuse(Reason.NO_DISTRACTORS)
    for thing in pen.things:
        name, parent = pen.name(thing.id), thing.entity.parent
        if parent is None:
            continue
        if name is None or parent not in parents:
            pen.refuse(Reason.NOT_UNIQUE)
            continue
        wrong = pen.shuffled([choice for each, choice in parents.items() if each != parent])
        listed = list_one(pen, parents[parent], wrong, [])
        yield pen.ask(listed, [thing.id], {"parent": parent}, object=name)


def _receptacles(pen: Pen, keys: str = "receptacle") -> dict[str, Choice]:
    """Return the named objects that carry seen objects."""
    carrying = {thing.entity.parent for thing in pen.seen.things.values()}
    named = named_things(pen, [thing for thing in pen.things if thing.id in carrying], keys)
    return {thing.id: choice for thing, choice in named}


def _contents(pen: Pen) -> Drafts:
    carried = [thing for thing in pen.things if thing.entity.parent is not None]
    named = named_things(pen, carried, "without_parent")
    for parent, choice in _receptacles(pen).items():
        inside = [one for thing, one in named if thing.entity.parent == parent][:MOST_CONTENTS]
        outside = [one for thing, one in named if not pen.seen.holds(parent, thing.id) and thing.id != parent]
        held = sorted(thing.id for thing in pen.seen.children(parent))
        yield pen.ask(list_several(pen, inside, outside), [parent], {"contents": held}, object=choice.text)


WRITERS: dict[str, Callable[[Pen], Drafts]] = {
    "object_distance_estimation": _distance,
    "object_distance_shortest_comparison": partial(_comparison, sign=-1),
    "object_distance_longest_comparison": partial(_comparison, sign=1),
    "object_shape": partial(_looks, key="shape", vocabulary=SHAPES),
    "object_color": partial(_looks, key="colour", vocabulary=COLOURS),
    "object_height": partial(_size, measure=lambda thing: thing.extent, key="height"),
    "object_length": partial(_size, measure=_length, key="length"),
    "object_room_location": _room_location,
    "object_type_num_in_room": _count_in_room,
    "object_type_num_in_scene": _count_in_scene,
    "object_receptacle_location": _receptacle_location,
    "receptacle_contents": _contents,
}
