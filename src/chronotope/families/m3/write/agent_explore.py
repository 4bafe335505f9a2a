"""Questions about the walk through one state: visits to rooms, and when objects are seen."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from chronotope.families.m3.observed import LEAST_FRAMES, ObservedThing
from chronotope.families.m3.write.drafting import Choice, Draft, Pen, thinned
from chronotope.families.m3.write.listing import frames_of, list_extreme, list_one, list_several
from chronotope.families.m3.write.numbers import list_counts, list_ranges
from chronotope.families.m3.write.object_info import named_things
from chronotope.families.m3.write.scene_info import LEAST_STAY, shape_choices, type_choices
from chronotope.question import Reason
from chronotope.scene import Visit

LEAST_OBJECTS = 8  # objects of which some are compared by time
SAMPLED = 15  # objects whose first and last appearances are compared
QUESTIONS = 4  # questions of one kind, without an object in two of them
VISITS = 2.5  # visits that are asked about on average
LEAST_ROOMS, LEAST_FOLLOWED, LEAST_NAMED = 4, 3, 4

Drafts = Iterator[Draft | None]


def ordinal(place: int) -> str:
    """Return the ordinal of a place, such as 1st.

    Places count from zero.
    """
    number = place + 1
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _visit_order(pen: Pen) -> Drafts:
    named = pen.named_rooms()
    if len(named) < LEAST_FOLLOWED:
        return pen.refuse(Reason.NO_DISTRACTORS)
    visits = pen.seen.visits
    for room, name in named.items():
        after = {follower.room for visit, follower in pairwise(visits) if visit.room == room}
        if not after or not after <= set(named) or pen.seen.longest_visit(room) < LEAST_STAY:
            continue
        right = [Choice(named[each], (each,)) for each in named if each in after]
        wrong = [Choice(named[each], (each,)) for each in named if each not in after and each != room]
        listed = list_several(pen, right, wrong)
        yield pen.ask(listed, [room], {"after": sorted(each for each in after if each)}, room=name)


def _observation(pen: Pen, sign: int) -> Drafts:
    named = named_things(pen, pen.things)
    if len(named) < LEAST_OBJECTS:
        return pen.refuse(Reason.NO_DISTRACTORS)
    pool = [(choice, thing.counts) for thing, choice in named]
    yield from _rounds(pen, pool, sign)


def _rounds(pen: Pen, pool: Sequence[tuple[Choice, Sequence[float]]], sign: int) -> Drafts:
    """Ask several questions; no object is an option of two of them."""
    left = list(pool)
    for _ in range(QUESTIONS):
        listed = list_extreme(pen, left, sign, pen.margins.are_clear_stays)
        if listed is None:
            return
        left = [entry for entry in left if entry[0] not in listed.options]
        yield pen.ask(listed, facts=frames_of(pool, listed))


def _stay(pen: Pen, sign: int) -> Drafts:
    named = pen.named_rooms()
    if len(named) < LEAST_ROOMS:
        return pen.refuse(Reason.NO_DISTRACTORS)
    pool = [(Choice(text, (room,)), (stay,)) for room, text in named.items() if (stay := pen.seen.stay[room])]
    listed = list_extreme(pen, pool, sign, pen.margins.are_clear_stays)
    yield listed and pen.ask(listed, facts=frames_of(pool, listed))


def _appearance(pen: Pen, moments: Callable[[ObservedThing], tuple[int, int]], sign: int) -> Drafts:
    named = named_things(pen, pen.things[:SAMPLED])
    pool = [(choice, moments(thing)) for thing, choice in named]
    for _ in range(2):
        listed = list_extreme(pen, pool, sign, pen.margins.are_clear_moments, ties=True)
        yield listed and pen.ask(listed, facts=frames_of(pool, listed))


def _visit_count(pen: Pen) -> Drafts:
    for room, name in pen.named_rooms().items():
        count = pen.seen.visit_count(room)
        if pen.seen.longest_visit(room) >= LEAST_STAY:
            yield pen.ask(list_counts(pen, count, spread=True), [room], {"visits": count}, room=name)


def asked_visits(pen: Pen, state: int) -> Iterator[tuple[int, Visit, str]]:
    """Return random visits, each with its place and room."""
    visits = pen.homes.states[state].visits
    for place in pen.shuffled(range(len(visits))):
        visit = visits[place]
        if visit.room is not None and visit.frames >= LEAST_STAY and pen.generator.random() < VISITS / len(visits):
            yield place, visit, visit.room


def _nth_area(pen: Pen) -> Drafts:
    for place, _, room in asked_visits(pen, pen.state):
        area = pen.layout.areas[room]
        facts = {"visit": place + 1, "area": area}
        yield pen.ask(list_ranges(pen, area, "m2"), [room], facts, order=ordinal(place))


def _nth_look(pen: Pen, choices: Callable[[Pen, str], tuple[Choice, list[Choice]]], key: str) -> Drafts:
    looks = pen.layout.types if key == "type" else pen.layout.shapes
    asked = list(asked_visits(pen, pen.state))
    for place, _, room in asked if pen.paper else thinned(asked, lambda one: looks[one[2]]):
        truth, wrong = choices(pen, room)
        facts = {"visit": place + 1, key: truth.text}
        yield pen.ask(list_one(pen, truth, wrong), [room], facts, order=ordinal(place))


def _nth_objects(pen: Pen) -> Drafts:
    named = named_things(pen, pen.things)
    for place, visit, room in asked_visits(pen, pen.state):
        during = slice(visit.first, visit.last + 1)
        right = [one for thing, one in named if thing.room == room and _frames(thing, during) >= LEAST_FRAMES]
        wrong = [one for thing, one in named if thing.room != room and not _is_shown(thing, during)]
        if len(right) + len(wrong) < LEAST_NAMED:
            pen.refuse(Reason.NO_DISTRACTORS)
            continue
        facts = {"visit": place + 1, "objects": sorted(one.about[0] for one in right)}
        yield pen.ask(list_several(pen, right, wrong), [room], facts, order=ordinal(place))


def _frames(thing: ObservedThing, during: slice) -> int:
    return int(np.count_nonzero(thing.clear[during]))


def _is_shown(thing: ObservedThing, during: slice) -> bool:
    pixels = thing.entity.visible_pixels
    return pixels is not None and bool(pixels[during].any())


WRITERS: dict[str, Callable[[Pen], Drafts]] = {
    "room_visit_order": _visit_order,
    "object_observation_longest": partial(_observation, sign=1),
    "object_observation_shortest": partial(_observation, sign=-1),
    "room_longest_time": partial(_stay, sign=1),
    "room_shortest_time": partial(_stay, sign=-1),
    "object_first_appearance_earliest": partial(_appearance, moments=lambda thing: thing.firsts, sign=-1),
    "object_first_appearance_latest": partial(_appearance, moments=lambda thing: thing.firsts, sign=1),
    "object_last_appearance_earliest": partial(_appearance, moments=lambda thing: thing.lasts, sign=-1),
    "object_last_appearance_latest": partial(_appearance, moments=lambda thing: thing.lasts, sign=1),
    "room_visit_count": _visit_count,
    "nth_visit_room_area": _nth_area,
    "nth_visit_room_type": partial(_nth_look, choices=type_choices, key="type"),
    "nth_visit_room_shape": partial(_nth_look, choices=shape_choices, key="shape"),
    "nth_visit_room_objects": _nth_objects,
}
