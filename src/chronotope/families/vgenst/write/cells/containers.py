"""MC: what is in which container."""

from chronotope.families.vgenst.write.cell import Asked, Draws, template, with_article
from chronotope.families.vgenst.write.entries import Entry, all_unlike, colour, thing, unlike
from chronotope.families.vgenst.write.refusal import Code
from chronotope.question import Refused
from chronotope.world.kinds.stage.graph.tasks.multi_container import McGraph
from chronotope.world.kinds.stage.graph.vocabulary import CONTENTS, EMPTY, LIQUIDS

PLACES = {
    2: ("left", "right"), 3: ("left", "middle", "right"), 4: ("leftmost", "left inner", "right inner",
                                                             "rightmost"),
}  # fmt: skip
MATERIALS = ("wood", "painted wood", "stone", "metal", "glass", "plastic")
NOTHING = "nothing"


def other_materials(right: str) -> list[str]:
    """Return materials that are not the right one; painted wood is wood, too."""
    return [word for word in MATERIALS if word.split()[-1] != right.split()[-1]]


def _row(graph: McGraph) -> list:
    by_id = {item.id: item for item in graph.objects}
    return [by_id[subject] for subject in graph.places().values()]


def containers(graph: McGraph) -> list[Entry]:
    """Return the containers."""
    return [thing(item) for item in graph.of_role("container")]


def colours(graph: McGraph) -> list[Entry]:
    """Return the colours of the containers."""
    return [colour(item.attributes.color) for item in graph.of_role("container")]


def tops(graph: McGraph) -> list[Entry]:
    """Return the colours of the surface."""
    return [colour(item.attributes.color) for item in graph.of_role("anchor")]


def inside(item) -> Entry:
    """Return the content of a container."""
    known = CONTENTS.get(item.attributes.content)
    if item.attributes.content == EMPTY:
        return Entry(NOTHING)
    return Entry(item.attributes.content, known.noun, known.colour) if known else Entry(item.attributes.content)


def contents(graph: McGraph) -> list[Entry]:
    """Return what the containers hold."""
    return [inside(item) for item in graph.of_role("container")]


@template("MC-OE", "a")
def _which_appears(graph: McGraph, d: Draws) -> Asked:
    return d.existing(containers)


@template("MC-OE", "b")
def _which_does_not(graph: McGraph, d: Draws) -> Asked:
    return d.missing(containers)


@template("MC-OA", "a", is_open=True)
def _colour_at(graph: McGraph, d: Draws) -> Asked:
    row = _row(graph)
    k = d.pick(range(len(row)))
    right = colour(row[k].attributes.color)
    own = [entry for entry in dict.fromkeys(colours(graph)) if unlike(entry, right)]
    others = d.some(own, min(2, len(own)))
    more = d.pooled(colours, 3 - len(others), [right, *others])
    wrong = (*(entry.label for entry in others), *more)
    return Asked(right.label, wrong, {"place": PLACES[len(row)][k]})


@template("MC-OA", "b", is_open=True, only="paper")
def _material_of_surface(graph: McGraph, d: Draws) -> Asked:
    right = graph.of_role("anchor")[0].attributes.material
    return Asked(right, tuple(d.some(other_materials(right), 3)))


@template("MC-OA", "c", is_open=True, only="strict")
def _colour_of_surface(graph: McGraph, d: Draws) -> Asked:
    right = tops(graph)[0]
    return Asked(right.label, tuple(d.pooled(tops, 3, [right])))


@template("MC-FL", "a", is_open=True)
def _third_of_container(graph: McGraph, d: Draws) -> Asked:
    row, view = _row(graph), d.pick(("first", "last"))
    k = d.pick(range(len(row)))
    if len(row) != 3:
        half = ("left", "right")[2 * k >= len(row)]
        asked = d.closed(half, ("left", "right"), x=with_article(row[k].label), view=view)
        return Asked(asked.right, asked.wrong, asked.words, ((row[k].id, view, f"{half} half"),))
    places = ("left", "center", "right")
    asked = d.closed(places[k], places, x=with_article(row[k].label), view=view)
    return Asked(asked.right, asked.wrong, asked.words, ((row[k].id, view, places[k]),))


@template("MC-IT", "a", is_open=True)
def _content_of(graph: McGraph, d: Draws) -> Asked:
    return _content(graph, d, lambda row, k: {"x": with_article(row[k].label)})


@template("MC-IT", "b", is_open=True)
def _holder_of(graph: McGraph, d: Draws) -> Asked:
    item = d.pick([one for one in graph.of_role("container") if one.attributes.content != EMPTY])
    own = containers(graph)
    if d.is_strict:
        return d.closed(item.label, [entry.label for entry in own], y=inside(item).label)
    others = d.some([entry for entry in own if entry.label != item.label], min(2, len(own) - 1))
    if not all_unlike([thing(item), *others]):
        raise Refused(Code.UNDECIDED)
    more = d.pooled(containers, 3 - len(others), [thing(item), *others], own)
    return Asked(item.label, (*(entry.label for entry in others), *more), {"y": inside(item).label})


@template("MC-IT", "c", is_open=True)
def _content_at(graph: McGraph, d: Draws) -> Asked:
    return _content(graph, d, lambda row, k: {"x": f"the {PLACES[len(row)][k]} container"})


def _content(graph: McGraph, d: Draws, words) -> Asked:
    row = _row(graph)
    k = d.pick(range(len(row)))
    right, own = inside(row[k]), contents(graph)
    others = d.some([entry for entry in own if entry != right], min(2, len(own) - 1))
    more = d.pooled(contents, 3 - len(others), [right, *others], own)
    return Asked(right.label, (*(entry.label for entry in others), *more), words(row, k))


@template("MC-OC", "a", is_open=True)
def _how_many(graph: McGraph, d: Draws) -> Asked:
    return d.number(len(containers(graph)), (2, 3, 4) if d.is_extended else (3,), (1, 2, 3, 4))


@template("MC-OC", "b", is_open=True, only="paper")
def _how_many_empty(graph: McGraph, d: Draws) -> Asked:
    return d.number(sum(entry.label == NOTHING for entry in contents(graph)), (), (0, 1, 2, 3))


@template("MC-OC", "c", is_open=True, only="paper")
def _how_many_liquids(graph: McGraph, d: Draws) -> Asked:
    return d.number(sum(entry.label in LIQUIDS for entry in contents(graph)), (), (0, 1, 2, 3))


@template("MC-CM", "a", is_open=True)
def _camera_way(graph: McGraph, d: Draws) -> Asked:
    ways = {"Boom_Up": "it rises and tilts down", "Boom_Down": "it sinks and tilts up"}
    dead = ("it turns to the side", "it stays where it is and zooms in")
    return d.closed(ways[graph.params.camera_trajectory], tuple(ways.values()), dead)


@template("MC-SL", "a")
def _side_of(graph: McGraph, d: Draws) -> Asked:
    row = _row(graph)
    first, second = d.some(range(len(row)), 2)
    sides = ("to the left of it", "to the right of it")
    names = {"x": with_article(row[first].label), "y": with_article(row[second].label)}
    return d.closed(sides[first > second], sides, ("in front of it", "behind it"), **names)


@template("MC-SL", "b")
def _order_of_colours(graph: McGraph, d: Draws) -> Asked:
    row = [item.attributes.color for item in _row(graph)]
    if len(row) < 3 or len(set(row)) < len(row):
        raise Refused(Code.UNDECIDED)
    return d.order(row)


@template("MC-CR", "a", is_open=True)
def _ends_swapped(graph: McGraph, d: Draws) -> Asked:
    row = _row(graph)
    k, last = d.pick([k for k in range(len(row)) if row[k].attributes.content != EMPTY]), len(row) - 1
    places = PLACES[len(row)]
    return d.closed(places[last - k if k in (0, last) else k], places, y=inside(row[k]).label)


@template("MC-CR", "b", is_open=True)
def _contents_swapped(graph: McGraph, d: Draws) -> Asked:
    row = _row(graph)
    if len(row) != 3:
        raise Refused(Code.UNDECIDED)
    first, second = sorted(d.some(range(3), 2))
    after = [inside(item) for item in row]
    after[first], after[second] = after[second], after[first]
    own = contents(graph)
    others = [entry for entry in own if entry != after[1]]
    more = d.pooled(contents, 1, own)
    names = {"x": with_article(row[first].label), "y": with_article(row[second].label)}
    return Asked(after[1].label, (*(entry.label for entry in others), *more), names)
