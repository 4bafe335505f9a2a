"""Questions about the walks through both states."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

from chronotope.families.m3.tasks import ALL_VISITED
from chronotope.families.m3.write.agent_explore import asked_visits, ordinal
from chronotope.families.m3.write.drafting import VIDEOS, Choice, Draft, Listed, Pen
from chronotope.families.m3.write.listing import (
    frames_of,
    list_drawn,
    list_extreme,
    list_one,
    list_several,
    shuffled_list,
)
from chronotope.families.m3.write.numbers import list_counts
from chronotope.families.m3.write.object_changes import frames_in_both
from chronotope.question import Reason

LEAST_ROOMS, LEAST_VISITED = 4, 3
OF_EACH = 3  # questions about equal and about different visited rooms
QUESTIONS = 4
LEAST_DIFFERENCE = 0.1  # of two areas, as a share of the smaller
HALF, STEP = 5, 15  # percent: half the width of a published range, and the distance of two ranges

Drafts = Iterator[Draft | None]


def _stay(pen: Pen, sign: int) -> Drafts:
    named = pen.named_rooms()
    if len(named) < LEAST_ROOMS:
        return pen.refuse(Reason.NO_DISTRACTORS)
    pool = [
        (Choice(text, (room,)), (sum(state.stay[room] for state in pen.homes.states),)) for room, text in named.items()
    ]
    yield _asked(pen, pool, list_extreme(pen, pool, sign, pen.margins.are_clear_stays))


def _asked(pen: Pen, pool: Sequence[tuple[Choice, Sequence[float]]], listed: Listed | None) -> Draft | None:
    return listed and pen.ask(listed, facts=frames_of(pool, listed))


def _combinations(pen: Pen, sign: int) -> Drafts:
    pool = [
        (Choice(f"{text} in {VIDEOS[number]}", (room,)), (state.stay[room],))
        for room, text in pen.named_rooms().items()
        for number, state in enumerate(pen.homes.states)
        if state.stay[room]
    ]
    left = pool
    for _ in range(QUESTIONS):
        if len(left) < LEAST_ROOMS:
            return pen.refuse(Reason.NO_DISTRACTORS)
        listed = list_extreme(pen, left, sign, pen.margins.are_clear_stays, ties=True)
        if listed is None:
            return
        left = [entry for entry in left if entry[0] not in listed.options]
        yield _asked(pen, pool, listed)


def _more_visits(pen: Pen) -> Drafts:
    named = pen.named_rooms()
    if len(named) < LEAST_ROOMS:
        return pen.refuse(Reason.NO_DISTRACTORS)
    counts = {room: tuple(state.visit_count(room) for state in pen.homes.states) for room in named}
    more = [room for room in named if counts[room][0] > counts[room][1]]
    rest = [Choice(named[room], (room,)) for room in named if room not in more]
    for room in more:
        truth = Choice(named[room], (room,))
        # Who leaves out a room passes through its neighbour less often, too. In a home of four rooms, two wrong ones
        # are left, which suffice if the correct one is listed.
        is_short = not pen.paper and len(rest) == pen.row.least - 2
        listed = shuffled_list(pen, [truth], rest) if is_short else list_one(pen, truth, rest)
        yield pen.ask(listed, facts={"more": sorted(more)})


def _total_visits(pen: Pen) -> Drafts:
    for room, text in pen.named_rooms().items():
        count = sum(state.visit_count(room) for state in pen.homes.states)
        if count:
            yield pen.ask(list_counts(pen, count, spread=True), [room], {"visits": count}, room=text)


def _longer_observed(pen: Pen) -> Drafts:
    names = pen.shuffled(pen.homes.common)
    pool = [(Choice(text, (name,)), frames_in_both(pen, name)) for name in names if (text := pen.lasting(name))]
    left = pool
    for _ in range(QUESTIONS):
        listed = list_extreme(pen, left, 1, pen.margins.are_clear_stays)
        if listed is None:
            return
        left = [entry for entry in left if entry[0] not in listed.options]
        yield _asked(pen, pool, listed)


def _visited(pen: Pen, wanted: tuple[bool, bool]) -> Drafts:
    """Ask for the rooms that the walks through certain states visit.

    ``wanted`` says, for each state, whether the walk through it must visit the room.
    """
    named = pen.named_rooms()
    visits = {room: tuple(state.visit_count(room) > 0 for state in pen.homes.states) for room in named}
    right = [Choice(named[room], (room,)) for room in named if visits[room] == wanted]
    wrong = [Choice(named[room], (room,)) for room in named if visits[room] != wanted and any(visits[room])]
    if len(right) + len(wrong) < LEAST_VISITED:
        return pen.refuse(Reason.NO_DISTRACTORS)
    if all(map(all, visits.values())) and not pen.paper:
        return pen.refuse(ALL_VISITED)
    facts = {"rooms": sorted(one.about[0] for one in right)}
    if pen.paper:
        yield pen.ask(list_drawn(pen, right, wrong), facts=facts)
    else:
        yield pen.ask(list_several(pen, right, wrong, most_removed=len(right), may_be_empty=True), facts=facts)


Visited = tuple[int, str]


def _visit_pairs(pen: Pen, are_equal: Callable[[str, str], bool]) -> Iterator[tuple[Visited, Visited]]:
    """Return pairs of visits: one in the first state, one in the second.

    Half of the pairs are visits to equal rooms, as ``are_equal`` decides. The order is random.
    """
    first, second = ([(place, room) for place, _, room in asked_visits(pen, state)] for state in (0, 1))
    pairs = pen.shuffled([(one, other) for one in first for other in second])
    alike = list(islice((pair for pair in pairs if are_equal(pair[0][1], pair[1][1])), OF_EACH))
    apart = list(islice((pair for pair in pairs if not are_equal(pair[0][1], pair[1][1])), OF_EACH))
    each = min(len(alike), len(apart))
    yield from pen.shuffled([*alike[:each], *apart[:each]])


def _same_look(pen: Pen, looks: Callable[[Pen], dict[str, str]]) -> Drafts:
    """Ask whether two visited rooms look alike.

    The options are the four answers that two looks allow, so that neither look occurs in more options than the other.
    """
    told = looks(pen)
    for (place, one), (other_place, other) in _visit_pairs(pen, lambda one, other: told[one] == told[other]):
        own, second = told[one], told[other]
        if own == second:
            others = sorted({look for look in told.values() if look != own})
            if not others:
                pen.refuse(Reason.NO_DISTRACTORS)
                continue
            second = others[int(pen.generator.integers(len(others)))]
        options = {(first, last): Choice(_comparison(first, last)) for first in (own, second) for last in (own, second)}
        listed = _four(pen, options[own, told[other]], list(options.values()))
        facts = {"first": own, "second": told[other]}
        yield pen.ask(listed, [one, other], facts, order1=ordinal(place), order2=ordinal(other_place))


def _comparison(first: str, second: str) -> str:
    if first == second:
        return f"Yes, the same: {first}"
    return f"No, {first} in the first video and {second} in the second video"


def _four(pen: Pen, truth: Choice, options: Sequence[Choice]) -> Listed:
    """List three of four options, and the option that none is correct.

    The correct option is among the three, unless the question is a hallucination.
    """
    wrong = pen.shuffled([option for option in options if option != truth])
    return shuffled_list(pen, [], wrong) if pen.draws_hallucination() else shuffled_list(pen, [truth], wrong[:2])


def _larger(pen: Pen) -> Drafts:
    """Ask which of two visited rooms is larger, and by how much.

    The options are each of the two rooms with each of two ranges.
    """
    first, second = (list(asked_visits(pen, state)) for state in (0, 1))
    pairs = [(one, other) for one in first for other in second]
    for (place, _, one), (other_place, _, other) in pen.shuffled(pairs):
        areas = pen.layout.areas[one], pen.layout.areas[other]
        ratio = max(areas) / min(areas)
        if ratio < _least_ratio(pen):
            continue
        ranges = _excesses(pen, ratio)
        if ranges is None:
            pen.refuse(Reason.NO_DISTRACTORS)
            continue
        own, second = ranges
        options = {(who, each): _excess(who, each) for who in (0, 1) for each in (own, second)}
        truth = options[int(areas[1] > areas[0]), own]
        facts = {"areas": list(areas), "percent": 100 * (ratio - 1)}
        listed = _four(pen, truth, list(options.values()))
        yield pen.ask(listed, [one, other], facts, order1=ordinal(place), order2=ordinal(other_place))


def _least_ratio(pen: Pen) -> float:
    """Return the least ratio of two areas whose difference is asked about."""
    return 1 + LEAST_DIFFERENCE if pen.paper else 1 / (1 - pen.margins.area)


def _excesses(pen: Pen, ratio: float) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return two ranges (%) of the excess of one area over another.

    The first range is correct, and the second is a neighbour of the first. ``ratio`` is the ratio of the areas. The
    result is None if the second range could never be correct, because a reader could then exclude it.
    """
    step = 1 if pen.generator.random() < 0.5 else -1
    if pen.paper:
        low = round(100 * (ratio - 1)) - HALF
        lows = low, low + step * STEP
        return None if min(lows) < 0 else ((lows[0], lows[0] + 2 * HALF), (lows[1], lows[1] + 2 * HALF))
    spread = pen.margins.spread
    if ratio * spread ** (4 * step) < _least_ratio(pen):
        return None
    bounds = [(ratio * spread ** (4 * each - 1), ratio * spread ** (4 * each + 1)) for each in (0, step)]
    own, second = ((round(100 * (low - 1)), round(100 * (high - 1))) for low, high in bounds)
    return own, second


def _excess(who: int, percent: tuple[int, int]) -> Choice:
    return Choice(f"The room in {VIDEOS[who]}, by {percent[0]}% to {percent[1]}%")


def _same_room(pen: Pen) -> Drafts:
    for (place, one), (other_place, other) in _visit_pairs(pen, lambda one, other: one == other):
        options = Choice("Yes"), Choice("No")
        truth, wrong = options if one == other else options[::-1]
        listed = shuffled_list(pen, [truth], [wrong])
        orders = {"order1": ordinal(place), "order2": ordinal(other_place)}
        yield pen.ask(listed, [one, other], {"same": one == other}, **orders)


def _types(pen: Pen) -> dict[str, str]:
    return pen.layout.types


def _shapes(pen: Pen) -> dict[str, str]:
    return pen.layout.shapes


WRITERS: dict[str, Callable[[Pen], Drafts]] = {
    "longest_stay_room": partial(_stay, sign=1),
    "shortest_stay_room": partial(_stay, sign=-1),
    "cross_state_longest_room_comparison": partial(_combinations, sign=1),
    "cross_state_shortest_room_comparison": partial(_combinations, sign=-1),
    "room_visit_count_comparison": _more_visits,
    "total_room_visits": _total_visits,
    "object_observation_comparison": _longer_observed,
    "rooms_visited_both_states": partial(_visited, wanted=(True, True)),
    "rooms_visited_only_state1": partial(_visited, wanted=(True, False)),
    "rooms_visited_only_state2": partial(_visited, wanted=(False, True)),
    "nth_mth_visit_room_type": partial(_same_look, looks=_types),
    "nth_mth_visit_room_shape": partial(_same_look, looks=_shapes),
    "nth_mth_visit_room_size": _larger,
    "nth_mth_visit_room_same": _same_room,
}
