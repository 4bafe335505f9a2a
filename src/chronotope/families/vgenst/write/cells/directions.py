"""DE: where the start of a walk lies."""

from collections.abc import Callable

from chronotope.families.vgenst.write.cell import TRIES, Asked, Draws, pool_of, template, with_article
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
    right = d.pick(landmarks(graph))
    return Asked(right.label, tuple(d.pooled(landmarks, 3, [right], landmarks(graph))))


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
    """Ask for a clock direction; options of extended scenes are at least two hours apart."""
    right = of(graph)[0].label
    if not d.is_extended:
        return d.closed(right, PAIR, ("12 o'clock", "6 o'clock"))
    pool = [entry.label for entry in pool_of(graph.task, graph.profile, of)]
    for _ in range(TRIES):
        drawn = [right, *(d.pick(pool) for _ in range(3))]
        hours = sorted(int(label.partition("-")[0]) for label in drawn)
        if all((later - sooner) % 12 >= 2 for sooner, later in zip(hours, [*hours[1:], hours[0]], strict=True)):
            return Asked(right, tuple(drawn[1:]))
    raise Refused(Reason.NO_DISTRACTORS)


@template("DE-CR", "a", is_open=True, only="paper")
def _second_landmark(graph: DeGraph, d: Draws) -> Asked:
    second = with_article(graph.of_role("landmark_2")[0].label)
    return d.closed("6 o'clock", ("6 o'clock",), ("12 o'clock", *PAIR), x=second)


@template("DE-CR", "b", is_open=True, only="strict")
def _turned_the_other_way(graph: DeGraph, d: Draws) -> Asked:
    return _clock(graph, d, mirrored_starts)
