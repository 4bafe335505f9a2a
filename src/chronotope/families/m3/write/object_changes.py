"""Questions about what happened to the objects between the two states."""

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from chronotope.families.m3.observed import ObservedThing
from chronotope.families.m3.write.drafting import Choice, Draft, Listed, Pen
from chronotope.families.m3.write.listing import (
    ATTEMPTS,
    frames_of,
    list_drawn,
    list_extreme,
    list_one,
    list_several,
    shuffled_list,
)
from chronotope.families.m3.write.numbers import list_ranges
from chronotope.families.m3.write.object_info import named_things, planar
from chronotope.families.m3.write.state_pairs import PROPERTIES, compare_states
from chronotope.question import Reason

BEFORE, AFTER = 0, 1
QUESTIONS = 5  # questions about observation times, without an object in two of them
GROUPS = 10  # questions about changed rooms, without an object in two of them
# Most objects are seen about as long in both videos, so few sets have one clearly smallest difference.
MANY_ATTEMPTS = 300
LEAST_CHANGEABLE, LEAST_CARRIED = 3, 4

Drafts = Iterator[Draft | None]
T = TypeVar("T")


def _pair(pen: Pen, name: str) -> tuple[ObservedThing, ObservedThing]:
    before, after = pen.homes.states
    return before.things[name], after.things[name]


def _common(pen: Pen) -> list[str]:
    return pen.shuffled(pen.homes.common)


def _moved(pen: Pen) -> list[str]:
    return [name for name in _common(pen) if name in pen.homes.moves]


def _resting(pen: Pen) -> list[str]:
    """Return objects that a person can carry, and that nothing happened to."""
    return [
        name
        for name in _common(pen)
        if name not in pen.homes.touched
        and (thing := pen.homes.states[BEFORE].things[name]).entity.parent is not None
        and not thing.is_furniture
    ]


def _alternately(pen: Pen, changed: Sequence[T], unchanged: Sequence[T]) -> list[T]:
    """Mix changed and as many unchanged objects in a random order."""
    return pen.shuffled([*changed, *unchanged[: max(1, len(changed))]])


def _movement_distance(pen: Pen) -> Drafts:
    """Ask how far objects were moved.

    Objects that stayed are asked about, too; all listed distances are then wrong.
    """
    for name in _alternately(pen, _moved(pen), _resting(pen)):
        text = pen.name(name, BEFORE)
        if text is None:
            pen.refuse(Reason.NOT_UNIQUE)
            continue
        before, after = _pair(pen, name)
        if name in pen.homes.moves:
            value = planar(before, after)
            listed = list_ranges(pen, value, "m", hallucination=False)
        else:
            value = 0.0
            listed = list_ranges(pen, _elsewhere(pen, before), "m", hallucination=True)
        yield pen.ask(listed, [name], {"distance": value}, object=text)


def _elsewhere(pen: Pen, thing: ObservedThing) -> float:
    """Draw a distance to which an object could have been moved."""
    if pen.paper:
        return float(pen.generator.uniform(0.05, 10.0))
    parents = {other.entity.parent for other in pen.homes.states[BEFORE].things.values()}
    places = [other for other in pen.homes.states[BEFORE].things.values() if other.id in parents]
    away = [planar(thing, place) for place in places if place.id != thing.entity.parent]
    return float(pen.generator.choice(away)) if away else 1.0


def _receptacles(pen: Pen, state: int) -> dict[str, Choice]:
    """Return the named objects that carry seen objects in a state."""
    seen = pen.homes.states[state]
    carrying = {thing.entity.parent for thing in seen.things.values()}
    named = [(name, pen.name(name, state, "target")) for name in pen.shuffled(sorted(seen.things)) if name in carrying]
    return {name: Choice(text, (name,)) for name, text in named if text is not None}


def _receptacle(pen: Pen, shown: int) -> Drafts:
    """Ask for the receptacle in the state other than ``shown``."""
    asked = AFTER - shown
    places = _receptacles(pen, asked)
    for name in _alternately(pen, _moved(pen), _resting(pen)):
        text = pen.name(name, shown)
        parent = pen.homes.states[asked].things[name].entity.parent
        if text is None or parent is None or parent not in places:
            pen.refuse(Reason.NOT_UNIQUE)
            continue
        wrong = pen.shuffled([choice for each, choice in places.items() if each != parent])
        listed = list_one(pen, places[parent], wrong, hallucination=name not in pen.homes.moves)
        yield pen.ask(listed, [name], {"receptacle": parent}, object=text)


def _between(pen: Pen) -> Drafts:
    """Ask for both receptacles of a move.

    The options are all pairs of two old and two new receptacles, so that each receptacle occurs in equally many
    options.
    """
    olds, news = _receptacles(pen, BEFORE), _receptacles(pen, AFTER)
    for name in _alternately(pen, _moved(pen), _resting(pen)):
        text = pen.name(name, BEFORE)
        old, new = (thing.entity.parent for thing in _pair(pen, name))
        if text is None or old not in olds or new not in news or (name in pen.homes.moves and old == new):
            pen.refuse(Reason.NOT_UNIQUE)
            continue
        listed = _grid(pen, olds, news, (old, new), is_true=name in pen.homes.moves)
        yield pen.ask(listed, [name], {"from": old, "to": new}, object=text)


def _grid(
    pen: Pen, olds: dict[str, Choice], news: dict[str, Choice], truth: tuple[str, str], *, is_true: bool
) -> Listed | None:
    from_pool = pen.shuffled([each for each in olds if each not in truth and each not in (truth[1],)])
    to_pool = pen.shuffled([each for each in news if each not in truth and each not in from_pool[:1]])
    if not from_pool or len(to_pool) < 1 or len(from_pool) + len(to_pool) < 3:
        return pen.refuse(Reason.NO_DISTRACTORS)
    if is_true:
        ends = [truth[0], from_pool[0]], [truth[1], to_pool[0]]
    elif len(to_pool) < 2:
        return pen.refuse(Reason.NO_DISTRACTORS)
    else:
        ends = [truth[0], from_pool[0]], to_pool[:2]
    pairs = [
        (one, other, Choice(f"from {olds[one].text} to {news[other].text}", (one, other)))
        for one in ends[0]
        for other in ends[1]
    ]
    if len({choice.text for _, _, choice in pairs}) < len(pairs):
        return pen.refuse(Reason.NO_DISTRACTORS)
    right = [choice for one, other, choice in pairs if is_true and (one, other) == truth]
    return shuffled_list(pen, right, [choice for _, _, choice in pairs if choice not in right])


def _appeared(pen: Pen, state: int) -> list[Choice]:
    """Return an option for each object that only the video of ``state`` shows.

    The name of such an object fits no object in the other state.
    """
    here, there = pen.homes.states[state], pen.homes.states[AFTER - state]
    found: list[Choice] = []
    for name in pen.shuffled(sorted(here.things)):
        thing = here.things[name]
        if not pen.paper and thing.room is not None and not there.visit_count(thing.room):
            continue  # nobody can tell whether it was there
        if name in there.known or any(thing.told(key) in ("True", "true") for key in ("broken", "sliced")):
            continue
        alike = [other for other in there.known.values() if other.type == thing.type]
        kinds = ["moved"] if not alike else []
        kinds += ["room_only"] if not any(other.room == thing.room for other in alike) else []
        text = next(filter(None, (pen.name(name, state, kind) for kind in kinds)), None)
        if text is None:
            pen.refuse(Reason.NOT_UNIQUE)
        else:
            found.append(Choice(text, (name,)))
    return found


def _visible(pen: Pen, state: int) -> Drafts:
    """Ask for the objects that only the video of ``state`` shows."""
    right = _appeared(pen, state)
    stable = [name for name in _common(pen) if not pen.homes.states[BEFORE].things[name].is_furniture]
    common = [Choice(text, (name,)) for name in stable if (text := pen.lasting(name))]
    wrong = pen.shuffled([*_appeared(pen, AFTER - state), *common])
    listed = list_several(pen, right, wrong, may_be_empty=True)
    yield pen.ask(listed, facts={"objects": sorted(one.about[0] for one in right)})


def _room_movement(pen: Pen) -> Drafts:
    named = named_things(pen, [pen.homes.states[BEFORE].things[name] for name in _moved(pen) + _resting(pen)])
    after = pen.homes.states[AFTER].things
    changed = [one for thing, one in named if after[thing.id].room != thing.room]
    same = [one for thing, one in named if after[thing.id].room == thing.room]
    yield from _groups(pen, changed, same)


def _groups(pen: Pen, changed: Sequence[Choice], same: Sequence[Choice]) -> Drafts:
    """Ask about several groups of objects; no object is in two groups."""
    facts = {"changed": sorted(one.about[0] for one in changed)}
    yield from _some_empty(pen, [pen.ask(listed, facts=facts) for listed in _grouped(pen, changed, same)])


def _grouped(
    pen: Pen, changed: Sequence[Choice], same: Sequence[Choice], about: Sequence[str] = (), most: int = GROUPS
) -> Iterator[Listed]:
    """List the objects of several groups; no object is in two groups.

    With the profile ``paper``, groups are drawn regardless of the changes. Otherwise, groups with changed objects are
    made until none is left; as many groups without changed objects follow, but at least one.
    """
    made = empty = 0
    while made < most and (pen.paper or changed or empty < max(1, made - empty)):
        if pen.paper:
            listed = list_drawn(pen, changed, same, about)
        else:
            listed = list_several(pen, changed, same, about, most_removed=len(changed), may_be_empty=True)
        if listed is None:
            return
        made, empty = made + 1, empty + (not changed)
        changed = [one for one in changed if one not in listed.options]
        same = [one for one in same if one not in listed.options]
        yield listed


def _some_empty(pen: Pen, drafts: Sequence[Draft | None]) -> Drafts:
    """Mix questions about groups in a random order.

    At most half of the questions, but at least one, are about groups in which nothing changed.
    """
    made = [draft for draft in drafts if draft is not None]
    told = [draft for draft in made if not draft.listed.hallucination]
    empty = [draft for draft in made if draft.listed.hallucination]
    yield from pen.shuffled([*told, *empty[: max(1, len(told))]])


def _in_rooms(pen: Pen, changed: Sequence[str], same: Sequence[str], least: int) -> Drafts:
    """Ask about the objects of each room that has at least ``least`` objects."""
    drafts: list[Draft | None] = []
    for room, text in pen.named_rooms().items():
        right, wrong = _stable_choices(pen, changed, room), _stable_choices(pen, same, room)
        if len(right) + len(wrong) < least:
            pen.refuse(Reason.NO_DISTRACTORS)
            continue
        facts = {"changed": sorted(one.about[0] for one in right)}
        groups = _grouped(pen, right, wrong, [room], most=1)
        drafts += [pen.ask(listed, [room], facts, room=text) for listed in groups]
    yield from _some_empty(pen, drafts)


def frames_in_both(pen: Pen, name: str, measure: Callable[[int, int], int] = operator.add) -> tuple[int, ...]:
    """Return a measure of the numbers of frames that show an object.

    ``measure`` combines the numbers of frames of both states; by default it adds them. The first value of the result
    counts each glimpse, the second clear views only.
    """
    before, after = _pair(pen, name)
    return tuple(map(measure, before.counts, after.counts))


def _observation(pen: Pen, measure: Callable[[int, int], int], sign: int, attempts: int = ATTEMPTS) -> Drafts:
    named = [(name, text) for name in _common(pen) if (text := pen.lasting(name))]
    pool = [(Choice(text, (name,)), frames_in_both(pen, name, measure)) for name, text in named]
    left = pool
    for _ in range(QUESTIONS):
        listed = list_extreme(pen, left, sign, pen.margins.are_clear_stays, attempts=attempts)
        if listed is None:
            return
        left = [entry for entry in left if entry[0] not in listed.options]
        yield pen.ask(listed, facts=frames_of(pool, listed))


def _changeable(pen: Pen) -> tuple[list[str], list[str]]:
    """Return changed objects, and similar unchanged ones."""
    changed = [name for name in _common(pen) if name in pen.homes.altered]
    others = [name for name in _common(pen) if name not in pen.homes.touched]
    if not pen.paper:
        others = [name for name in others if _has_state(pen.homes.states[BEFORE].things[name])]
    return changed, others


def _has_state(thing: ObservedThing) -> bool:
    return any(each.key_of(thing) for each in PROPERTIES.values())


def _stable_choices(pen: Pen, names: Sequence[str], room: str | None = None) -> list[Choice]:
    """Return lasting names of objects that stay in their rooms."""
    found: list[Choice] = []
    for name in names:
        before, after = _pair(pen, name)
        text = pen.lasting(name)
        if before.room == after.room and text is not None and room in (None, before.room):
            found.append(Choice(text, (name,)))
    return found


def _attribute_changes(pen: Pen) -> Drafts:
    changed, others = (_stable_choices(pen, names) for names in _changeable(pen))
    yield from _groups(pen, changed, others)


def _attribute_changes_in_room(pen: Pen) -> Drafts:
    yield from _in_rooms(pen, *_changeable(pen), LEAST_CHANGEABLE)


def _position_changes(pen: Pen) -> Drafts:
    yield from _in_rooms(pen, _moved(pen), _resting(pen), LEAST_CARRIED)


def _difference(before: int, after: int) -> int:
    return int(np.abs(before - after))


WRITERS: dict[str, Callable[[Pen], Drafts]] = {
    "movement_distance": _movement_distance,
    "old_receptacle": partial(_receptacle, shown=AFTER),
    "new_receptacle": partial(_receptacle, shown=BEFORE),
    "movement_between_receptacles": _between,
    "new_visible_objects": partial(_visible, state=AFTER),
    "lost_visible_objects": partial(_visible, state=BEFORE),
    "objects_room_movement": _room_movement,
    "longest_observed_object_type": partial(_observation, measure=operator.add, sign=1),
    "shortest_observed_object_type": partial(_observation, measure=operator.add, sign=-1),
    "largest_diff_observation_time": partial(_observation, measure=_difference, sign=1),
    "smallest_diff_observation_time": partial(_observation, measure=_difference, sign=-1, attempts=MANY_ATTEMPTS),
    "attribute_changed_objects": _attribute_changes,
    "room_attribute_changed_objects": _attribute_changes_in_room,
    "room_position_changes": _position_changes,
    **{name: partial(compare_states, asked=asked) for name, asked in PROPERTIES.items()},
}
