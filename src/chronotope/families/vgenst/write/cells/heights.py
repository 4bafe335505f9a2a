"""HO: which thing is higher."""

from chronotope.families.vgenst.write.cell import Asked, Draws, template, with_article
from chronotope.families.vgenst.write.entries import Entry, colour, thing
from chronotope.families.vgenst.write.refusal import Code
from chronotope.question import Refused
from chronotope.world.kinds.stage.graph.tasks.height_ordering import HoGraph

LEVELS = ("lowest", "middle", "highest")
WAYS = {
    ("Bottom-to-Top", False): "up", ("Top-to-Bottom", False): "down",
    ("Bottom-to-Top", True): "up, then down again", ("Top-to-Bottom", True): "down, then up again",
}  # fmt: skip


def things(graph: HoGraph) -> list[Entry]:
    """Return all four things."""
    return [thing(item) for item in graph.objects]


def colours(graph: HoGraph) -> list[Entry]:
    """Return the colours of all things."""
    return [colour(item.attributes.color) for item in graph.objects]


def _ranked(graph: HoGraph) -> list[str]:
    return [graph.of_role(f"obj_{level}")[0].label for level in LEVELS]


def _distractor(graph: HoGraph):
    return graph.of_role("obj_distractor")[0]


@template("HO-OE", "a")
def _which_appears(graph: HoGraph, d: Draws) -> Asked:
    return d.existing(things)


@template("HO-OE", "b")
def _which_does_not(graph: HoGraph, d: Draws) -> Asked:
    return d.missing(things)


@template("HO-OA", "a", is_open=True)
def _colour_of(graph: HoGraph, d: Draws) -> Asked:
    item = d.pick(graph.objects)
    if [one.attributes.type for one in graph.objects].count(item.attributes.type) > 1:
        raise Refused(Code.UNDECIDED)
    right = colour(item.attributes.color)
    own = [entry for entry in dict.fromkeys(colours(graph)) if entry != right]
    others = d.some(own, 1)
    more = d.pooled(colours, 2, [right, *others])
    return Asked(right.label, (others[0].label, *more), {"x": with_article(item.attributes.type)})


@template("HO-FL", "a", is_open=True, only="paper")
def _third_in_last_view(graph: HoGraph, d: Draws) -> Asked:
    item = _last(graph)
    if graph.params.distractor_level == item.attributes.height_level:
        raise Refused(Code.UNDECIDED)
    asked = d.closed("center", ("left", "center", "right"), x=with_article(item.label))
    return Asked(asked.right, asked.wrong, asked.words, ((item.id, "last", "center"),))


def _last(graph: HoGraph):
    return graph.of_role(f"obj_{LEVELS[graph.params.stops[-1]]}")[0]


@template("HO-FL", "b", is_open=True)
def _half_beside(graph: HoGraph, d: Draws) -> Asked:
    """Ask about one of the two things of a level, each in its half of the picture."""
    fellow = graph.of_role(f"obj_{graph.params.distractor_level}")[0]
    side = graph.params.distractor_side
    item = d.pick((fellow, _distractor(graph)))
    if item is fellow:
        side = {"left": "right", "right": "left"}[side]
    asked = d.closed(side, ("left", "right"), x=with_article(item.label))
    return Asked(asked.right, asked.wrong, asked.words, ((item.id, "entry", f"{side} half"),))


@template("HO-TO", "a")
def _shown_at(graph: HoGraph, d: Draws) -> Asked:
    ranked, stops = _ranked(graph), graph.params.stops
    k = d.pick((0, 1, 2)) if d.is_strict else d.pick((1, 2))
    return d.closed(ranked[stops[k]], tuple(ranked), number=("first", "second", "third")[k])


@template("HO-CM", "a", only="paper")
def _camera_move(graph: HoGraph, d: Draws) -> Asked:
    live = ("it tilts and stays in its place",)
    return d.closed(live[0], live, ("it walks forward", "it circles around the things", "it zooms in"))


@template("HO-CM", "b", is_open=True)
def _tilt(graph: HoGraph, d: Draws) -> Asked:
    live = tuple(WAYS.values()) if d.is_extended else tuple(WAYS.values())[:2]
    dead = ("to the left", "to the right")
    return d.closed(WAYS[graph.params.tilt_dir, graph.params.turns_back], live, () if d.is_extended else dead)


@template("HO-SL", "a")
def _ranking(graph: HoGraph, d: Draws) -> Asked:
    return d.order(_ranked(graph))


@template("HO-SL", "b")
def _fellow_of_distractor(graph: HoGraph, d: Draws) -> Asked:
    right = graph.of_role(f"obj_{graph.params.distractor_level}")[0].label
    ends = [graph.of_role(f"obj_{level}")[0].label for level in ("lowest", "highest")]
    middle = graph.of_role("obj_middle")[0].label
    return d.closed(right, tuple(ends), (middle,), x=with_article(_distractor(graph).label))


@template("HO-SL", "c")
def _at_level(graph: HoGraph, d: Draws) -> Asked:
    ranked, k = _ranked(graph), d.pick((0, 2))
    options = tuple(ranked)
    return d.closed(ranked[k], options, level=LEVELS[k])


@template("HO-CR", "a", only="paper")
def _ends_swapped(graph: HoGraph, d: Draws) -> Asked:
    low, middle, high = _ranked(graph)
    return d.order([high, middle, low], x=with_article(low), y=with_article(high))


@template("HO-CR", "b", only="strict")
def _two_swapped(graph: HoGraph, d: Draws) -> Asked:
    """Swap any two of the three.

    Both options have the same middle, so one view of a level that is in the middle does not tell the order.
    """
    ranked = _ranked(graph)
    k, j = d.some(range(3), 2)
    x, y = ranked[k], ranked[j]
    ranked[k], ranked[j] = y, x
    return Asked(", ".join(ranked), (", ".join(reversed(ranked)),), {"x": with_article(x), "y": with_article(y)})
