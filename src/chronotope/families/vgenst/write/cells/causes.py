"""CM: which trigger works which thing."""

from chronotope.families.vgenst.write.cell import Asked, Draws, template, with_article
from chronotope.families.vgenst.write.entries import Entry, person
from chronotope.world.kinds.stage.graph.tasks.causal_mapping import CmGraph

SIDES = ("left", "right")
OTHER = {"left": "right", "right": "left"}
REACTIONS = {
    "desk lamp": "its light goes on", "desk fan": "its blades turn", "flag": "it goes up",
    "hinged box": "its lid opens",
}  # fmt: skip
STILL = "nothing"


def _of(*roles: str):
    def entries(graph: CmGraph) -> list[Entry]:
        """Return things by their colours, since there are few kinds."""
        return [Entry(item.label, "", item.attributes.color) for item in graph.of_role(*roles)]

    return entries


TRIGGERS, EFFECTORS = _of("trigger_1", "trigger_2"), _of("effector_1", "effector_2")


def people(graph: CmGraph) -> list[Entry]:
    """Return the person."""
    return [person(item) for item in graph.of_role("agent")]


def _side(graph: CmGraph, role: str) -> str:
    return graph.of_role(role)[0].attributes.position.rpartition("_")[2]


def _effects(graph: CmGraph) -> dict[str, str]:
    """Return the role of the effector that each trigger works, or ""."""
    by_label = {item.label: item.role for item in graph.of_role("effector_1", "effector_2")}
    truth = graph.ground_truth
    return {f"trigger_{k}": by_label.get(effect, "") for k, effect in
            ((1, truth.trigger_1_effect), (2, truth.trigger_2_effect))}  # fmt: skip


def _first_reaction(graph: CmGraph, order: tuple[str, str] = ("trigger_1", "trigger_2")) -> str:
    effects = _effects(graph)
    return next(effects[trigger] for trigger in order if effects[trigger])


@template("CM-OE", "a")
def _which_appears(graph: CmGraph, d: Draws) -> Asked:
    if d.is_strict:  # controls may be of one kind, and another question asks for the person
        return d.existing(EFFECTORS)
    of = d.pick((TRIGGERS, EFFECTORS, people))
    right = d.pick(of(graph))
    return Asked(right.label, tuple(d.pooled(of, 3, [right], of(graph))))


@template("CM-OA", "a")
def _looks_of_person(graph: CmGraph, d: Draws) -> Asked:
    right = people(graph)[0]
    return Asked(right.label, tuple(d.pooled(people, 3, [right])))


@template("CM-FL", "a", is_open=True, only="paper")
def _third_of_person(graph: CmGraph, d: Draws) -> Asked:
    asked = d.closed("center", ("center",), ("left", "right"))
    return Asked(asked.right, asked.wrong, asked.words, (("agent", "first", "center"),))


@template("CM-FL", "b", is_open=True, only="strict")
def _half_of_effector(graph: CmGraph, d: Draws) -> Asked:
    item = d.pick(graph.of_role("effector_1", "effector_2"))
    side = _side(graph, item.role)
    asked = d.closed(side, SIDES, x=with_article(item.label))
    return Asked(asked.right, asked.wrong, asked.words, ((item.id, "first", f"{side} half"),))


@template("CM-AR", "a", only="paper")
def _what_person_does(graph: CmGraph, d: Draws) -> Asked:
    dead = ("stands up and walks away", "reads a book", "carries something to another place")
    return d.closed("works two controls, one after the other", ("works two controls, one after the other",), dead)


@template("CM-AR", "b", only="paper")
def _what_happens(graph: CmGraph, d: Draws) -> Asked:
    trigger = d.pick(("trigger_1", "trigger_2"))
    item = d.pick(graph.of_role("effector_1", "effector_2"))
    reaction = REACTIONS.get(item.attributes.type, "it moves")
    right = reaction if _effects(graph)[trigger] == item.role else STILL
    others = [word for word in (*REACTIONS.values(), STILL) if word != right]
    wrong = [reaction] if right != reaction else [STILL]
    wrong += d.some([word for word in others if word not in wrong], 2)
    return Asked(right, tuple(wrong), {"x": with_article(item.label), "side": _side(graph, trigger)})


@template("CM-AR", "c")
def _what_trigger_works(graph: CmGraph, d: Draws) -> Asked:
    trigger = d.pick(("trigger_1", "trigger_2"))
    names = {item.role: item.label for item in graph.of_role("effector_1", "effector_2")}
    right = names.get(_effects(graph)[trigger], "neither of the things in front")
    label = graph.of_role(trigger)[0].label
    return d.closed(
        right,
        (*names.values(), "neither of the things in front"),
        ("both of the things in front",),
        x=with_article(label),
    )


@template("CM-TO", "a")
def _first_trigger(graph: CmGraph, d: Draws) -> Asked:
    return d.closed(_side(graph, "trigger_1"), SIDES, ("both at the same time",))


@template("CM-SL", "a", only="paper")
def _place_of_person(graph: CmGraph, d: Draws) -> Asked:
    return d.closed("behind them", ("behind them",), ("in front of them", "to their left", "to their right"))


@template("CM-SL", "b", only="strict")
def _on_side_of_trigger(graph: CmGraph, d: Draws) -> Asked:
    trigger = d.pick(graph.of_role("trigger_1", "trigger_2"))
    names = {_side(graph, item.role): item.label for item in graph.of_role("effector_1", "effector_2")}
    right = names[_side(graph, trigger.role)]
    return d.closed(right, tuple(names.values()), x=with_article(trigger.label))


@template("CM-PT", "a")
def _side_for_person(graph: CmGraph, d: Draws) -> Asked:
    right = OTHER[_side(graph, _first_reaction(graph))]
    return d.closed(right, SIDES, ("on both sides at the same time",))


@template("CM-CR", "a")
def _other_trigger_first(graph: CmGraph, d: Draws) -> Asked:
    right = _side(graph, _first_reaction(graph, ("trigger_2", "trigger_1")))
    return d.closed(right, SIDES, ("both at the same time",))
