"""CI: what two containers share."""

from chronotope.families.vgenst.write.cell import Asked, Draws, template, with_article
from chronotope.families.vgenst.write.entries import Entry, colour, thing
from chronotope.families.vgenst.write.refusal import Code
from chronotope.question import Refused
from chronotope.world.kinds.stage.graph.tasks.container_intersection import CiGraph
from chronotope.world.kinds.stage.graph.vocabulary import with_a

BINS = ("container_A", "container_B")


def bins(graph: CiGraph) -> list[Entry]:
    """Return both containers."""
    return [thing(item) for item in graph.of_role(*BINS)]


def objects(graph: CiGraph) -> list[Entry]:
    """Return what is in the containers, each look once."""
    return list(dict.fromkeys(thing(item) for letter in "AB" for item in graph.inside(letter)))


def colours(graph: CiGraph) -> list[Entry]:
    """Return the colours of both containers."""
    return [colour(item.attributes.color) for item in graph.of_role(*BINS)]


def _names(graph: CiGraph) -> dict[str, str]:
    a, b = (graph.of_role(role)[0].label for role in BINS)
    return {"a": with_article(a), "b": with_article(b)}


def _sets(graph: CiGraph) -> tuple[set[Entry], set[Entry]]:
    return {thing(item) for item in graph.inside("A")}, {thing(item) for item in graph.inside("B")}


@template("CI-OE", "a")
def _which_container(graph: CiGraph, d: Draws) -> Asked:
    return d.existing(bins)


@template("CI-OE", "b")
def _which_object_not(graph: CiGraph, d: Draws) -> Asked:
    own = objects(graph)
    by_noun = {entry.noun: Entry(entry.label, entry.noun) for entry in d.some(own, len(own))}
    names = d.some(list(by_noun.values()), 3)  # things in containers may have one colour
    absent = d.pooled(_by_noun, 1, names, [Entry(e.label, e.noun) for e in own])
    return Asked(absent[0], tuple(entry.label for entry in names))


def _by_noun(graph: CiGraph) -> list[Entry]:
    return [Entry(entry.label, entry.noun) for entry in objects(graph)]


@template("CI-OA", "a", is_open=True)
def _colour_of(graph: CiGraph, d: Draws) -> Asked:
    k = d.pick((0, 1))
    right = colours(graph)[k]
    return Asked(right.label, tuple(d.pooled(colours, 3, [right])), {"side": ("left", "right")[k]})


@template("CI-FL", "a", is_open=True)
def _side_in_first_view(graph: CiGraph, d: Draws) -> Asked:
    k = d.pick((0, 1))
    item = graph.of_role(BINS[k])[0]
    sides = ("left", "right")
    asked = d.closed(sides[k], sides, ("center",), x=with_article(item.label))
    return Asked(asked.right, asked.wrong, asked.words, ((item.id, "first", f"{sides[k]} half"),))


@template("CI-OC", "a", is_open=True)
def _how_many_shared(graph: CiGraph, d: Draws) -> Asked:
    return d.number(len(set.intersection(*_sets(graph))), (0, 1, 2, 3), (0, 1, 2, 3), **_names(graph))


@template("CI-TO", "a")
def _first_looked_into(graph: CiGraph, d: Draws) -> Asked:
    if d.is_strict and not d.is_extended:
        raise Refused(Code.CONSTANT)
    first, second = [item.label for item in graph.of_role(*BINS)][:: 1 if graph.params.first == "A" else -1]
    return d.closed(first, (first, second), ("both at the same time",))


@template("CI-TO", "b", only="paper")
def _order_of_looks(graph: CiGraph, d: Draws) -> Asked:
    first, second = [item.label for item in graph.of_role(*BINS)][:: 1 if graph.params.first == "A" else -1]
    live = (f"first {with_article(first)}, then {with_article(second)}",)
    dead = (f"first {with_article(second)}, then {with_article(first)}", "both at the same time", f"only the {first}")
    return d.closed(live[0], live, dead)


@template("CI-CM", "a")
def _camera_way(graph: CiGraph, d: Draws) -> Asked:
    ways = {"A": "a side view, then from above the left container, then the right one",
            "B": "a side view, then from above the right container, then the left one"}  # fmt: skip
    if d.is_strict and not d.is_extended:
        raise Refused(Code.CONSTANT)
    dead = ("it circles around both containers", "it stays at the side and zooms in")
    return d.closed(ways[graph.params.first], tuple(ways.values()), dead)


@template("CI-SL", "a")
def _where_is(graph: CiGraph, d: Draws) -> Asked:
    """Ask about each of the four answers equally often over a cycle of 0 to 3 shared objects."""
    first, second = _sets(graph)
    a, b = _names(graph).values()
    where = {"A": f"only in {a}", "B": f"only in {b}", "both": "in both", "neither": "in neither"}
    kind = d.pick({0: ("A", "B"), 3: ("both", "neither")}.get(len(first & second), tuple(where)))
    own = [Entry(entry.label, entry.noun) for entry in objects(graph)]
    groups = {"A": first - second, "B": second - first, "both": first & second}
    absent = kind == "neither"
    name = d.pooled(_by_noun, 1, own)[0] if absent else d.pick(sorted(groups[kind])).label
    return d.closed(where[kind], tuple(where.values()), x=with_a(name))


# The changes of the number of shared objects that are asked about, by that number: 0 to 3 are right equally often.
CHANGES = {0: (0, 1), 1: (-1, 0), 2: (1,), 3: (-1,)}


@template("CI-CR", "a", is_open=True)
def _one_replaced(graph: CiGraph, d: Draws) -> Asked:
    shared = len(set.intersection(*_sets(graph)))
    wanted = d.pick(CHANGES[shared])
    letter, out, comes = d.pick(_replacements(graph, wanted))
    if comes is None:
        comes = d.pooled(_by_noun, 1, [Entry(e.label, e.noun) for e in objects(graph)])[0]
    names = _names(graph)
    words = {**names, "x": with_article(out), "y": with_a(comes), "place": names[letter.lower()]}
    return d.number(shared + wanted, (0, 1, 2, 3), (0, 1, 2, 3), **words)


def _replacements(graph: CiGraph, wanted: int) -> list[tuple[str, str, str | None]]:
    """Return replacements with this change: the container, what goes out, and what comes (None: a new thing)."""
    sets = dict(zip("AB", _sets(graph), strict=True))
    shared = len(sets["A"] & sets["B"])
    found: list[tuple[str, str, str | None]] = []
    for letter, other in (("A", "B"), ("B", "A")):
        own, across = sets[letter], sets[other]
        for out in sorted(own):
            left = own - {out}
            if len(left & across) - shared == wanted:
                found.append((letter, out.label, None))
            known = [comes for comes in sorted(across - own) if len((left | {comes}) & across) - shared == wanted]
            found += [(letter, out.label, comes.label) for comes in known]
    return found
