"""IO: what a person took, and where it went."""

from chronotope.families.vgenst.write.cell import Asked, Draws, template, with_article
from chronotope.families.vgenst.write.entries import Entry, colour, person, thing
from chronotope.world.kinds.stage.graph.tasks.interacted_object import SPOTS, IoGraph

PLACES = {"Left": "left", "Center": "center", "Right": "right"}
SURFACES = {"primary_surface": "table in front", "destination_surface": "side table"}


def things(graph: IoGraph) -> list[Entry]:
    """Return the objects of the row, from left to right."""
    row = sorted(graph.of_role("target", "distractor"), key=lambda item: SPOTS.index(item.position))
    return [thing(item) for item in row]


def people(graph: IoGraph) -> list[Entry]:
    """Return the person."""
    return [person(item) for item in graph.of_role("agent")]


def tops(graph: IoGraph) -> list[Entry]:
    """Return the colours of both tables."""
    return [colour(item.attributes.color) for item in graph.of_role(*SURFACES)]


def _target(graph: IoGraph) -> int:
    return SPOTS.index(graph.of_role("target")[0].position)


def _names(graph: IoGraph) -> tuple[str, ...]:
    return tuple(entry.label for entry in things(graph))


@template("IO-OE", "a")
def _which_object(graph: IoGraph, d: Draws) -> Asked:
    return d.existing(things)


@template("IO-OE", "b", only="paper")
def _which_person(graph: IoGraph, d: Draws) -> Asked:
    right = people(graph)[0]
    return Asked(right.label, tuple(d.pooled(people, 3, [right])))


@template("IO-OA", "a", is_open=True)
def _colour_of_surface(graph: IoGraph, d: Draws) -> Asked:
    role = d.pick(tuple(SURFACES))
    right = colour(graph.of_role(role)[0].attributes.color)
    return Asked(right.label, tuple(d.pooled(tops, 3, [right])), {"x": with_article(SURFACES[role])})


@template("IO-OA", "b")
def _looks_of_person(graph: IoGraph, d: Draws) -> Asked:
    return _which_person(graph, d)


@template("IO-FL", "a", is_open=True)
def _entry_side(graph: IoGraph, d: Draws) -> Asked:
    side = PLACES[graph.params.agent_entry]
    asked = d.closed(side, ("left", "right"), ("center",))
    return Asked(asked.right, asked.wrong, asked.words, (("agent", "entry", f"{side} half"),))


@template("IO-IT", "a")
def _ended_elsewhere(graph: IoGraph, d: Draws) -> Asked:
    names = _names(graph)
    return d.closed(names[_target(graph)], names, ("another one, which was not seen before",))


@template("IO-IT", "b", is_open=True, only="paper")
def _same_object(graph: IoGraph, d: Draws) -> Asked:
    dead = ("no", "only a part of it", "nothing was picked up")
    return d.closed("yes", ("yes",), dead)


@template("IO-AR", "a", only="paper")
def _what_person_does(graph: IoGraph, d: Draws) -> Asked:
    live = ("picks something up and puts it on another table",)
    return d.closed(live[0], live, ("pushes something off the table", "sits down", "only looks and leaves"))


@template("IO-AR", "b")
def _which_picked(graph: IoGraph, d: Draws) -> Asked:
    names = _names(graph)
    return d.closed(names[_target(graph)], names)


@template("IO-AR", "c", is_open=True)
def _picked_from(graph: IoGraph, d: Draws) -> Asked:
    places = tuple(PLACES.values())
    return d.closed(places[_target(graph)], places)


@template("IO-OC", "a", is_open=True, only="paper")
def _how_many_at_start(graph: IoGraph, d: Draws) -> Asked:
    return d.number(len(things(graph)), (), (1, 2, 3, 4))


@template("IO-OC", "b", is_open=True, only="paper")
def _how_many_moved(graph: IoGraph, d: Draws) -> Asked:
    return d.number(1, (), (0, 1, 2, 3))


@template("IO-OC", "c", is_open=True)
def _how_many_left(graph: IoGraph, d: Draws) -> Asked:
    left = len(things(graph)) - (not graph.params.returns)
    return d.number(left, (2, 3) if d.is_extended else (2,), (0, 1, 2, 3))


@template("IO-SL", "a")
def _order_in_row(graph: IoGraph, d: Draws) -> Asked:
    return d.order(_names(graph))


@template("IO-CR", "a")
def _other_place(graph: IoGraph, d: Draws) -> Asked:
    names, k = _names(graph), d.pick([k for k in range(3) if k != _target(graph)])
    return d.closed(names[k], names, ("none of the three",), place=tuple(PLACES.values())[k])


@template("IO-CR", "b", is_open=True)
def _other_object(graph: IoGraph, d: Draws) -> Asked:
    k = d.pick([k for k in range(3) if k != _target(graph)])
    places = tuple(PLACES.values())
    return d.closed(places[k], places, ("it was not there",), x=with_article(_names(graph)[k]))
