"""QC: how many things are in the container."""

from chronotope.families.vgenst.write.cell import Asked, Draws, template
from chronotope.families.vgenst.write.cells.containers import other_materials
from chronotope.families.vgenst.write.entries import Entry, colour, thing
from chronotope.families.vgenst.write.refusal import Code
from chronotope.question import Reason, Refused
from chronotope.world.kinds.stage.graph import TASKS
from chronotope.world.kinds.stage.graph.tasks.quantity_change import QcGraph, inside_counts

ROLES = ("container", "countable_items", "anchor")
PUT, TAKE = "put in", "take out"
VERBS = {"ADD": PUT, "REMOVE": TAKE, "MOVE": "move on the table"}


def _things(role: str):
    def of(graph: QcGraph) -> list[Entry]:
        return [thing(item) for item in graph.of_role(role)]

    return of


def _tables(graph: QcGraph) -> list[Entry]:
    """Return the table by its colour, since there is no other kind of surface."""
    return [Entry(item.label, "", item.attributes.color) for item in graph.of_role("anchor")]


OF = {"container": _things("container"), "countable_items": _things("countable_items"), "anchor": _tables}


def tops(graph: QcGraph) -> list[Entry]:
    """Return the colour of the surface."""
    return [colour(item.attributes.color) for item in graph.of_role("anchor")]


def colours(graph: QcGraph) -> list[Entry]:
    """Return the colour of the container."""
    return [colour(item.attributes.color) for item in graph.of_role("container")]


def _actions(graph: QcGraph) -> tuple[str, ...]:
    return tuple(step.action for step in graph.temporal_flow.action_sequence)


def _words(graph: QcGraph) -> dict[str, str]:
    return {"items": f"{_item(graph)}s"}


@template("QC-OE", "a")
def _which_appears(graph: QcGraph, d: Draws) -> Asked:
    role = d.pick(("container", "anchor") if d.is_strict else ROLES)  # other questions name the things
    right = OF[role](graph)[0]
    return Asked(right.label, tuple(d.pooled(OF[role], 3, [right])))


@template("QC-OE", "b", only="paper")
def _which_does_not(graph: QcGraph, d: Draws) -> Asked:
    own, role = [entry for each in ROLES for entry in OF[each](graph)], d.pick(ROLES)
    return Asked(d.pooled(OF[role], 1, OF[role](graph))[0], tuple(entry.label for entry in own))


@template("QC-OE", "c")
def _which_surface(graph: QcGraph, d: Draws) -> Asked:
    right = OF["anchor"](graph)[0]
    return Asked(right.label, tuple(d.pooled(_tables, 3, [right])))


@template("QC-OA", "a", is_open=True, only="paper")
def _material(graph: QcGraph, d: Draws) -> Asked:
    right = graph.of_role("container")[0].attributes.material
    return Asked(right, tuple(d.some(other_materials(right), 3)))


@template("QC-OA", "b", is_open=True)
def _colour_of_surface(graph: QcGraph, d: Draws) -> Asked:
    right = tops(graph)[0]
    return Asked(right.label, tuple(d.pooled(tops, 3, [right])))


@template("QC-OA", "c", is_open=True, only="strict")
def _colour_of_container(graph: QcGraph, d: Draws) -> Asked:
    right = colours(graph)[0]
    return Asked(right.label, tuple(d.pooled(colours, 3, [right])))


@template("QC-IT", "a", is_open=True, only="paper")
def _same_items(graph: QcGraph, d: Draws) -> Asked:
    return d.closed("yes", ("yes",), ("no", "partly"), **_words(graph))


@template("QC-IT", "b", is_open=True, only="strict")
def _came_out_again(graph: QcGraph, d: Draws) -> Asked:
    actions = [action for action in _actions(graph) if action != "MOVE"]
    ends = actions[-1] == "REMOVE"
    if ("REMOVE" in actions) != ends or actions.count("REMOVE") > 1 or len(actions) > 3:
        raise Refused(Code.UNDECIDED)  # after a take-out and a put-in, nobody knows which of the equal items lies there
    return d.closed("yes" if ends else "no", ("yes", "no"), **_words(graph))


@template("QC-AR", "a", is_open=True, only="paper")
def _how_many_put_in(graph: QcGraph, d: Draws) -> Asked:
    return d.number(_actions(graph).count("ADD"), (), (0, 1, 2, 3, 4)[_from(graph) :][:4], **_words(graph))


def _from(graph: QcGraph) -> int:
    return int(_actions(graph).count("ADD") > 3)


@template("QC-AR", "b", only="paper")
def _kind_of_action(graph: QcGraph, d: Draws) -> Asked:
    actions = _actions(graph)
    k = d.pick(range(len(actions)))
    *live, dead = kinds = _kinds(graph)
    right = kinds[tuple(VERBS).index(actions[k])]
    return d.closed(right, live, (dead,), number=("first", "second", "third", "fourth", "fifth")[k])


@template("QC-AR", "c", only="strict")
def _last_action(graph: QcGraph, d: Draws) -> Asked:
    *live, _ = _kinds(graph)  # a move is never the last action
    return d.closed(live[_actions(graph)[-1] == "REMOVE"], live)


def _kinds(graph: QcGraph) -> tuple[str, str, str]:
    """Return what a hand does in each kind of action, in the order of the verbs."""
    item = _item(graph)
    return f"it puts one {item} in", f"it takes one {item} out", f"it moves one {item} on the table"


def _item(graph: QcGraph) -> str:
    return graph.of_role("countable_items")[0].label


@template("QC-OC", "a", is_open=True)
def _how_many_inside(graph: QcGraph, d: Draws) -> Asked:
    return d.number(graph.ground_truth.final_inside_count, (0, 1, 2, 3), (0, 1, 2, 3), **_words(graph))


@template("QC-TO", "a")
def _order_of_actions(graph: QcGraph, d: Draws) -> Asked:
    entries = dict.fromkeys(tuple(one["action_sequence"]) for one in TASKS["QC"].cycles[graph.profile].entries)
    right = _actions(graph)
    others = d.some([one for one in entries if one != right], 3)
    return Asked(_told(right), tuple(map(_told, others)))


def _told(actions: tuple[str, ...]) -> str:
    return ", ".join(VERBS[action] for action in actions)


@template("QC-SL", "a", only="paper")
def _place_at_start(graph: QcGraph, d: Draws) -> Asked:
    live = ("beside it on the table",)
    return d.closed(live[0], live, ("in it", "on top of it", "under the table"), **_words(graph))


@template("QC-SL", "b", only="strict")
def _side_at_start(graph: QcGraph, d: Draws) -> Asked:
    sides = {"left": "to the left of it", "right": "to the right of it"}
    return d.closed(sides[graph.params.item_side], tuple(sides.values()), **_words(graph))


@template("QC-CR", "a", is_open=True)
def _last_action_flipped(graph: QcGraph, d: Draws) -> Asked:
    actions = _actions(graph)
    other = "REMOVE" if actions[-1] == "ADD" else "ADD"
    counts = inside_counts((*actions[:-1], other))
    if not 0 <= min(counts) <= max(counts) <= graph.params.initial_surface_count:  # there are no further things
        raise Refused(Code.UNDECIDED)
    return d.number(counts[-1], (0, 1, 2, 3), (0, 1, 2, 3), **_words(graph))


@template("QC-CR", "b", is_open=True, only="paper")
def _stopped_after(graph: QcGraph, d: Draws) -> Asked:
    counts = inside_counts(_actions(graph))
    m = d.pick(range(1, len(counts)))
    number = "first action" if m == 1 else f"first {m} actions"
    return d.number(counts[m - 1], (), (0, 1, 2, 3), **_words(graph), number=number)


@template("QC-PR", "a", is_open=True)
def _continued(graph: QcGraph, d: Draws) -> Asked:
    """Ask so that 1 and 2 follow both stems equally often.

    A container with 2 or 3 inside loses one, and a container with 0 or 1 gets one.
    """
    final = graph.ground_truth.final_inside_count
    if final > 3:
        raise Refused(Reason.NO_DISTRACTORS)
    after, more = (final - 1, "taken out") if final >= 2 else (final + 1, "put in")
    return d.number(after, (1, 2), (0, 1, 2, 3), **_words(graph), more=more)
