"""DS: where the way leads, as the sign says."""

from chronotope.families.vgenst.write.cell import Asked, Draws, template
from chronotope.families.vgenst.write.entries import Entry
from chronotope.families.vgenst.write.refusal import Code
from chronotope.question import Refused
from chronotope.world.kinds.stage.graph.tasks.signage import WAYS, DsGraph

ARROWS = {"Straight": "straight on", "Left": "to the left", "Right": "to the right"}
PATHS = {"Straight": "it goes straight on", "Left": "it turns left and goes on",
         "Right": "it turns right and goes on"}  # fmt: skip
ACROSS = {"Straight": "behind them", "Left": "to their right", "Right": "to their left"}
UNSIGNED = "the sign does not say"
LINES = ("top line", "second line", "third line")


def texts(graph: DsGraph) -> list[Entry]:
    """Return the texts on the sign."""
    return [Entry(entry.text) for entry in _entries(graph)]


def _entries(graph: DsGraph):
    return graph.of_role("sign")[0].attributes.entries


def _destinations(graph: DsGraph) -> dict[str, str]:
    return {entry.arrow: entry.text for entry in _entries(graph)}


def _options(graph: DsGraph) -> tuple[str, ...]:
    """Return the answers that are equally likely: the signed destinations, and none where a way has no entry."""
    named = tuple(entry.text for entry in _entries(graph))
    return (*named, UNSIGNED) if len(named) < 3 else named


@template("DS-OE", "a")
def _which_is_on_sign(graph: DsGraph, d: Draws) -> Asked:
    own = texts(graph)
    right = d.pick(own)
    return Asked(right.label, tuple(d.pooled(texts, 3, [right], own)))


@template("DS-OE", "b")
def _which_is_not(graph: DsGraph, d: Draws) -> Asked:
    own = texts(graph)
    shown = d.some(own, 2)
    return Asked(d.pooled(texts, 1, shown, own)[0], tuple(entry.label for entry in shown))


@template("DS-OA", "a", is_open=True)
def _arrow_beside(graph: DsGraph, d: Draws) -> Asked:
    entry = d.pick(_entries(graph))
    return d.closed(ARROWS[entry.arrow], tuple(ARROWS.values()), ("backwards",), x=entry.text)


@template("DS-FL", "a", is_open=True, only="paper")
def _place_of_sign(graph: DsGraph, d: Draws) -> Asked:
    asked = d.closed("top", ("top",), ("bottom", "left", "right"))
    return Asked(asked.right, asked.wrong, asked.words, (("sign", "first", "top half"),))


@template("DS-FL", "b", is_open=True, only="strict")
def _line_of_text(graph: DsGraph, d: Draws) -> Asked:
    entries = _entries(graph)
    k = d.pick(range(len(entries)))
    return d.closed(LINES[k], LINES[: len(entries)], x=entries[k].text)


@template("DS-OC", "a", is_open=True)
def _how_many_entries(graph: DsGraph, d: Draws) -> Asked:
    return d.number(len(_entries(graph)), (2, 3) if d.is_extended else (2,), (1, 2, 3, 4))


@template("DS-CM", "a")
def _path(graph: DsGraph, d: Draws) -> Asked:
    return d.closed(PATHS[graph.params.agent_path], tuple(PATHS.values()), ("it stays where it is",))


@template("DS-SL", "a", is_open=True)
def _signed_at(graph: DsGraph, d: Draws) -> Asked:
    entry = d.pick(_entries(graph))
    own = texts(graph)
    others = [one.label for one in own if one.label != entry.text]
    more = d.pooled(texts, 1, own) if len(own) < 3 else []
    return Asked(entry.text, (*others, *more), {"way": ARROWS[entry.arrow]})


@template("DS-SL", "c")
def _where_heading(graph: DsGraph, d: Draws) -> Asked:
    right = _destinations(graph).get(graph.params.agent_path, UNSIGNED)
    return d.closed(right, _options(graph))


@template("DS-PT", "a", is_open=True)
def _for_one_who_comes(graph: DsGraph, d: Draws) -> Asked:
    entry = d.pick(_entries(graph))
    return d.closed(ACROSS[entry.arrow], tuple(ACROSS.values()), ("straight ahead",), x=entry.text)


@template("DS-CR", "a")
def _other_turn(graph: DsGraph, d: Draws) -> Asked:
    way = d.pick([way for way in WAYS if way != graph.params.agent_path])
    right = _destinations(graph).get(way, UNSIGNED)
    instead = {"Straight": "gone straight on", "Left": "turned left", "Right": "turned right"}[way]
    return d.closed(right, _options(graph), way=instead)


@template("DS-CR", "b", only="paper")
def _arrow_redirected(graph: DsGraph, d: Draws) -> Asked:
    found = _destinations(graph).get(graph.params.agent_path)
    if found is None or len(_entries(graph)) != 2:
        raise Refused(Code.NOT_THERE)
    free = next(way for way in WAYS if way not in _destinations(graph))
    dead = tuple(entry.text for entry in _entries(graph))
    return d.closed("it cannot be told", ("it cannot be told",), dead, x=found, way=ARROWS[free])
