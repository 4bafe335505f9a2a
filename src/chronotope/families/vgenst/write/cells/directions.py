"""DE: where the start of a walk lies."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations

import numpy as np

from chronotope.families.vgenst.write.cell import Asked, Draws, pool_of, template, with_article
from chronotope.families.vgenst.write.entries import Entry, colour, thing
from chronotope.question import Reason, Refused
from chronotope.world.kinds.stage.graph.tasks.direction_estimation import DeGraph, clock_hour, clock_range

TURNS = {
    ("L", "Right"): "right once", ("L", "Left"): "left once",
    ("U", "Right"): "right, then right again", ("U", "Left"): "left, then left again",
    ("Z", "Right"): "right, then left", ("Z", "Left"): "left, then right",
}  # fmt: skip
SHAPES = {"L": "an L, with one corner", "U": "a U, with two corners to the same side",
          "Z": "a Z, with two corners to different sides"}  # fmt: skip
PAIR = ("4-5 o'clock", "7-8 o'clock")
SMALL = 0.01  # weight of options next to each other, against that of scenes with options at all


def landmarks(graph: DeGraph) -> list[Entry]:
    """Return the landmarks."""
    return [thing(item) for item in graph.objects]


def colours(graph: DeGraph) -> list[Entry]:
    """Return the colours of the landmarks."""
    return [colour(item.attributes.color) for item in graph.objects]


def starts(graph: DeGraph) -> list[Entry]:
    """Return the clock direction of the start."""
    return [Entry(graph.ground_truth.relative_direction_to_start)]


def mirrored_starts(graph: DeGraph) -> list[Entry]:
    """Return the clock direction of the start if all turns were to the other side."""
    turns = tuple(-turn for turn in graph.params.turns)
    return [Entry(clock_range(clock_hour(graph.camera_movement.legs, turns)))]


@template("DE-OE", "a")
def _which_appears(graph: DeGraph, d: Draws) -> Asked:
    return d.existing(landmarks)


@template("DE-OA", "a", is_open=True)
def _colour_of(graph: DeGraph, d: Draws) -> Asked:
    k = d.pick(range(len(graph.objects)))
    right = colours(graph)[k]
    wrong = d.pooled(colours, 3, [right])
    return Asked(right.label, tuple(wrong), {"number": ("first", "second", "third")[k]})


@template("DE-TO", "a")
def _first_seen(graph: DeGraph, d: Draws) -> Asked:
    first, *others = [item.label for item in sorted(graph.objects, key=lambda item: item.role)]
    return d.closed(first, (first, *others), ("both at the same time", "neither of them"))


@template("DE-CM", "a", only="paper")
def _overall_motion(graph: DeGraph, d: Draws) -> Asked:
    live = ("it walks forward, turns and walks on",)
    return d.closed(live[0], live, ("it stays and pans", "it walks backwards", "it rises and looks down"))


@template("DE-CM", "b", is_open=True)
def _turns(graph: DeGraph, d: Draws) -> Asked:
    right = TURNS[graph.params.shape, graph.params.turn_direction]
    live = list(TURNS.values()) if d.is_extended else [TURNS["L", "Right"], TURNS["L", "Left"]]
    if len(live) == 2:
        return d.closed(right, live, ("it does not turn",))
    return Asked(right, tuple(d.some([word for word in live if word != right], 3)))


@template("DE-SL", "a", is_open=True)
def _shape(graph: DeGraph, d: Draws) -> Asked:
    live = tuple(SHAPES.values()) if d.is_extended else (SHAPES["L"],)
    return d.closed(SHAPES[graph.params.shape], live, ("a straight line", SHAPES["U"], "a closed loop"))


@template("DE-PT", "a", is_open=True)
def _start_at_the_end(graph: DeGraph, d: Draws) -> Asked:
    return _clock(graph, d, starts)


def _clock(graph: DeGraph, d: Draws, of: Callable[[DeGraph], list[Entry]]) -> Asked:
    """Ask for a clock direction.

    Options of extended scenes are four, and each of them is as often right as the others.
    """
    right = of(graph)[0].label
    if not d.is_extended:
        return d.closed(right, PAIR, ("12 o'clock", "6 o'clock"))
    fit = {options: share for options, share in _shares(graph.profile, of).items() if right in options}
    if not fit:
        raise Refused(Reason.NO_DISTRACTORS)
    shares = np.array(list(fit.values()))
    chosen = list(fit)[int(d.generator.choice(len(fit), p=shares / shares.sum()))]
    return Asked(right, tuple(option for option in chosen if option != right))


@cache
def _shares(profile: str, of: Callable[[DeGraph], list[Entry]]) -> dict[tuple[str, ...], float]:
    """Return how often four options stand together, few of them next to each other.

    Each direction is an option four times as often as it is right.
    """
    from scipy.optimize import linprog

    often = Counter(entry.label for entry in pool_of("DE", profile, of))
    labels = sorted(often, key=_hour)
    groups = list(combinations(labels, 4))
    side_by_side = np.array([_neighbours([_hour(label) for label in group]) for group in groups])
    within = np.array([[label in group for group in groups] for label in labels])
    found = linprog(SMALL * side_by_side - 1, A_ub=within, b_ub=[often[label] for label in labels])
    return {group: float(share) for group, share in zip(groups, found.x, strict=True) if share > 0}


def _hour(label: str) -> int:
    return int(label.partition("-")[0])


def _neighbours(hours: Sequence[int]) -> int:
    return sum((later - sooner) % 12 == 1 for sooner, later in zip(hours, [*hours[1:], hours[0]], strict=True))


@template("DE-CR", "a", is_open=True, only="paper")
def _second_landmark(graph: DeGraph, d: Draws) -> Asked:
    second = with_article(graph.of_role("landmark_2")[0].label)
    return d.closed("6 o'clock", ("6 o'clock",), ("12 o'clock", *PAIR), x=second)


@template("DE-CR", "b", is_open=True, only="strict")
def _turned_the_other_way(graph: DeGraph, d: Draws) -> Asked:
    return _clock(graph, d, mirrored_starts)
