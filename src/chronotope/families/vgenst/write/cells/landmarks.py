"""LS: how landmarks lie to each other."""

from chronotope.families.vgenst.write.cell import Asked, Draws, template, with_article
from chronotope.families.vgenst.write.entries import Entry
from chronotope.families.vgenst.write.refusal import Code
from chronotope.question import Refused
from chronotope.world.kinds.stage.graph.tasks.landmark_composition import COMPASS, MARGIN, LsGraph, margin, octant

FURTHER = 20  # times the last way: the landmark then lies behind, whatever the other way was
NUMBERS = ("first", "second", "third")


def structures(graph: LsGraph) -> list[Entry]:
    """Return the landmarks."""
    return [Entry(item.label, item.attributes.type) for item in graph.objects]


def roofs(graph: LsGraph) -> list[Entry]:
    """Return the shapes of the landmarks from above."""
    return [Entry(item.attributes.rooftop_shape) for item in graph.objects]


def roof_colours(graph: LsGraph) -> list[Entry]:
    """Return the colours of the landmarks from above."""
    return [Entry(item.attributes.color) for item in graph.objects]


def _names(graph: LsGraph) -> list[str]:
    return [graph.of_role(f"landmark_{k}")[0].label for k in (1, 2, 3)]


def _compass(d: Draws, right: str, **words: str) -> Asked:
    """Ask for a direction: four at right angles, or four neighbours, so that none stands out."""
    k = COMPASS.index(right)
    if d.pick((True, False)):
        options = [COMPASS[(k + 2 * step) % 8] for step in range(4)]
    else:
        first = k - d.pick(range(4))
        options = [COMPASS[(first + step) % 8] for step in range(4)]
    return Asked(right.lower(), tuple(one.lower() for one in options if one != right), words)


def _clear(east: float, north: float) -> str:
    if margin(east, north) < MARGIN - 0.1:
        raise Refused(Code.UNDECIDED)
    return octant(east, north)


def _offset(graph: LsGraph, start: int, end: int) -> tuple[float, float]:
    (x, y), (u, v) = graph.place(start), graph.place(end)
    return u - x, v - y


def _flight(graph: LsGraph) -> tuple[float, float]:
    """Return the last leg of the flight."""
    return _offset(graph, 2 if graph.params.composed else 1, 3)


@template("LS-OE", "a")
def _which_appears(graph: LsGraph, d: Draws) -> Asked:
    right = d.pick(structures(graph))
    return Asked(right.label, tuple(d.pooled(structures, 3, [right], structures(graph))))


@template("LS-OE", "b")
def _which_does_not(graph: LsGraph, d: Draws) -> Asked:
    own = structures(graph)
    return Asked(d.pooled(structures, 1, own)[0], tuple(entry.label for entry in own))


@template("LS-OA", "a", only="paper")
def _colour_of(graph: LsGraph, d: Draws) -> Asked:
    k = d.pick(range(3))
    right = roof_colours(graph)[k]
    return Asked(right.label, tuple(d.pooled(roof_colours, 3, [right])), {"x": with_article(graph.objects[k].label)})


@template("LS-OA", "b")
def _shape_at(graph: LsGraph, d: Draws) -> Asked:
    k = d.pick(range(3))
    item = graph.of_role(f"landmark_{k + 1}")[0]
    right = Entry(item.attributes.rooftop_shape)
    return Asked(right.label, tuple(d.pooled(roofs, 3, [right])), {"number": NUMBERS[k]})


@template("LS-TO", "a")
def _order_of_appearance(graph: LsGraph, d: Draws) -> Asked:
    return d.order(_names(graph))


@template("LS-CM", "a", only="paper")
def _overall_motion(graph: LsGraph, d: Draws) -> Asked:
    live = ("it climbs, flies on and descends",)
    return d.closed(live[0], live, ("it circles around one landmark", "it walks along a street", "it stays and zooms"))


@template("LS-CM", "b", is_open=True)
def _direction_of_flight(graph: LsGraph, d: Draws) -> Asked:
    return _compass(d, _clear(*_flight(graph)))


@template("LS-SL", "a", is_open=True)
def _third_from_first(graph: LsGraph, d: Draws) -> Asked:
    _, _, third = _names(graph)
    return _compass(d, _clear(*_offset(graph, 1, 3)), x=with_article(third), y=with_article(_names(graph)[0]))


@template("LS-SL", "b", only="paper")
def _nearer(graph: LsGraph, d: Draws) -> Asked:
    first, second, third = _names(graph)
    return d.closed(second, (second, third), ("both are equally near",), x=with_article(first))


@template("LS-PT", "a", is_open=True)
def _towards_second(graph: LsGraph, d: Draws) -> Asked:
    first, second, _ = _names(graph)
    return _compass(d, _clear(*_offset(graph, 1, 2)), x=with_article(first), y=with_article(second))


@template("LS-PT", "b", is_open=True)
def _back_to_first(graph: LsGraph, d: Draws) -> Asked:
    first, _, third = _names(graph)
    return _compass(d, _clear(*_offset(graph, 3, 1)), x=with_article(third), y=with_article(first))


@template("LS-CR", "a", is_open=True)
def _flown_the_other_way(graph: LsGraph, d: Draws) -> Asked:
    start = graph.place(2 if graph.params.composed else 1)
    east, north = _flight(graph)
    x, y = graph.place(3)
    end = start[0] - east, start[1] - north
    return _compass(d, _clear(x - end[0], y - end[1]), x=with_article(_names(graph)[2]))


@template("LS-CR", "b", is_open=True)
def _second_elsewhere(graph: LsGraph, d: Draws) -> Asked:
    """Ask about landmark 2 on the other side of landmark 1, as far away."""
    first, second, third = _names(graph)
    (x1, y1), (x2, y2), (x3, y3) = (graph.place(k) for k in (1, 2, 3))
    there = 2 * x1 - x2, 2 * y1 - y2
    right = _clear(x3 - there[0], y3 - there[1])
    return _compass(d, right, x=with_article(second), y=with_article(first), z=with_article(third))


@template("LS-PR", "a", is_open=True)
def _flown_on(graph: LsGraph, d: Draws) -> Asked:
    """Ask about the end of a flight that goes on in its direction, twenty times as far."""
    east, north = _flight(graph)
    x, y = graph.place(3)
    x1, y1 = graph.place(1)
    return _compass(d, _clear(x1 - (x + FURTHER * east), y1 - (y + FURTHER * north)), x=with_article(_names(graph)[0]))
