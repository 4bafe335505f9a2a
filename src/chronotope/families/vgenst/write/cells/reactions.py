"""BT: what made a vehicle react, and how."""

from chronotope.families.vgenst.write.cell import Asked, Draws, template, with_article
from chronotope.families.vgenst.write.entries import Entry, colour, thing
from chronotope.families.vgenst.write.refusal import Code
from chronotope.question import Refused
from chronotope.world.kinds.stage.graph.tasks.behavioral_trigger import BtGraph

REACTIONS = {
    "Full_Stop": "it stops and stands until the end", "Wait_and_Resume": "it stops, waits and drives on",
    "No_Reaction": "it goes on at the same speed",
}  # fmt: skip
LAST = {"Full_Stop": "{agent} comes to a stop", "Wait_and_Resume": "{agent} starts again",
        "No_Reaction": "{trigger} leaves the way, and {agent} keeps its speed"}  # fmt: skip
CAMERA = {"Full_Stop": "it moves, then stops for good", "Wait_and_Resume": "it moves, stops, and moves again",
          "No_Reaction": "it moves all the time"}  # fmt: skip
OTHER = {"left": "right", "right": "left"}
ROLES = ("agent", "distractor", "trigger")


def _of(role: str):
    def entries(graph: BtGraph) -> list[Entry]:
        return [Entry(item.label, "", thing(item).colour) for item in graph.of_role(role)]

    return entries


OF = {role: _of(role) for role in ROLES}


def _agent_and_distractor(graph: BtGraph) -> list[Entry]:
    return [*OF["agent"](graph), *OF["distractor"](graph)]


def colours(graph: BtGraph) -> list[Entry]:
    """Return the colour of the vehicle."""
    return [colour(item.attributes.color) for item in graph.of_role("agent")]


def _names(graph: BtGraph) -> dict[str, str]:
    return {role: with_article(graph.of_role(role)[0].label) for role in ROLES}


def _live(d: Draws) -> tuple[str, ...]:
    return tuple(REACTIONS) if d.is_extended else ("Full_Stop", "Wait_and_Resume")


def _reaction(graph: BtGraph) -> str:
    return graph.ground_truth.reaction_type


@template("BT-OE", "a", only="paper")
def _which_does_not(graph: BtGraph, d: Draws) -> Asked:
    own, role = [OF[role](graph)[0] for role in ROLES], d.pick(ROLES)
    return Asked(d.pooled(OF[role], 1, OF[role](graph))[0], tuple(entry.label for entry in own))


@template("BT-OE", "b", only="strict")
def _which_appears(graph: BtGraph, d: Draws) -> Asked:
    return d.existing(_agent_and_distractor)


@template("BT-OA", "a", is_open=True)
def _colour_of_agent(graph: BtGraph, d: Draws) -> Asked:
    right = colours(graph)[0]
    return Asked(right.label, tuple(d.pooled(colours, 3, [right])))


@template("BT-IT", "a")
def _what_enters(graph: BtGraph, d: Draws) -> Asked:
    return d.existing(OF["trigger"])


@template("BT-AR", "a")
def _what_agent_does(graph: BtGraph, d: Draws) -> Asked:
    live = tuple(REACTIONS[key] for key in _live(d))
    dead = ("it goes on at the same speed", "it turns back")
    return d.closed(REACTIONS[_reaction(graph)], live, dead, **_names(graph))


@template("BT-AR", "b", only="paper")
def _what_made_it_react(graph: BtGraph, d: Draws) -> Asked:
    if _reaction(graph) == "No_Reaction":
        raise Refused(Code.NOT_THERE)
    right, other = (graph.of_role(role)[0].label for role in ("trigger", "distractor"))
    return d.closed(right, (right, other), ("nothing",), **_names(graph))


@template("BT-TO", "a", only="paper")
def _order_of_events(graph: BtGraph, d: Draws) -> Asked:
    n = _names(graph)
    move, enter, react = f"{n['agent']} moves", f"{n['trigger']} comes in", f"{n['agent']} reacts"
    wrong = ([enter, move, react], [move, react, enter])
    return Asked(", then ".join([move, enter, react]), tuple(", then ".join(one) for one in wrong))


@template("BT-TO", "b", only="strict")
def _last_event(graph: BtGraph, d: Draws) -> Asked:
    texts = {key: LAST[key].format(**_names(graph)) for key in _live(d)}
    return d.closed(texts[_reaction(graph)], tuple(texts.values()))


@template("BT-CM", "a", only="paper")
def _camera_way(graph: BtGraph, d: Draws) -> Asked:
    live = ("it follows the vehicle from behind and above",)
    return d.closed(
        live[0], live, ("it stays in one place", "it circles around the vehicle", "it looks from the front")
    )


@template("BT-CM", "b", only="strict")
def _camera_pace(graph: BtGraph, d: Draws) -> Asked:
    return d.closed(CAMERA[_reaction(graph)], tuple(CAMERA[key] for key in _live(d)))


@template("BT-PT", "a", is_open=True)
def _side_for_one_who_faces(graph: BtGraph, d: Draws) -> Asked:
    side = graph.of_role("trigger")[0].attributes.entry_direction
    return d.closed(OTHER[side], ("left", "right"), ("front",), **_names(graph))


@template("BT-CR", "a", only="paper")
def _without_trigger(graph: BtGraph, d: Draws) -> Asked:
    live = ("it goes on at the same speed",)
    return d.closed(
        live[0], live, ("it stops and stands until the end", "it turns back", "it hits something"), **_names(graph)
    )


@template("BT-CR", "b", only="strict")
def _without_bystander(graph: BtGraph, d: Draws) -> Asked:
    live = tuple(REACTIONS[key] for key in _live(d))
    return d.closed(REACTIONS[_reaction(graph)], live, **_names(graph))
