"""VI: what an observer in the scene can see."""

from chronotope.families.vgenst.write.cell import Asked, Draws, template
from chronotope.families.vgenst.write.entries import Entry, person
from chronotope.families.vgenst.write.refusal import Code
from chronotope.question import Reason, Refused
from chronotope.world.kinds.stage.graph.tasks.visibility_change import ViGraph, gap, hours_of
from chronotope.world.kinds.stage.graph.vocabulary import with_a

CHANGES = {
    "Visible_to_Occluded": "at first visible, then hidden", "Occluded_to_Visible": "at first hidden, then visible",
    "Always_Visible": "visible all the time", "Always_Occluded": "hidden all the time",
}  # fmt: skip
SAME = "the same in the whole clip"
ARRANGED = {
    6: "in one line, with the thing in the center between them",
    3: "at a right angle around the thing in the center",
}
ACROSS = ("on opposite sides of the thing in the center", "on neighboring sides of the thing in the center")


def occluders(graph: ViGraph) -> list[Entry]:
    """Return the occluder, by its colour."""
    return [Entry(item.label, "", item.attributes.color) for item in graph.of_role("occluder")]


def people(graph: ViGraph) -> list[Entry]:
    """Return both people."""
    return [person(item) for item in graph.of_role("observer", "target")]


def _hours(graph: ViGraph) -> dict[str, tuple[int, int]]:
    return {role: hours_of(graph.of_role(role)[0].attributes.position) for role in ("observer", "target")}


def pairs(graph: ViGraph) -> list[Entry]:
    """Return the places of both in the first view, in the order of the clock."""
    return [Entry(_pair([hours[0] for hours in _hours(graph).values()]))]


def _pair(hours: list[int]) -> str:
    first, second = sorted(hours, key=lambda hour: hour % 12)
    return f"{first} and {second} o'clock"


def looks(graph: ViGraph) -> list[Entry]:
    """Return the looks of both people, in one order, so that a pair has one text."""
    first, second = sorted(item.label for item in graph.of_role("observer", "target"))
    return [Entry(f"{with_a(first)} and {with_a(second)}")]


def _moves(graph: ViGraph) -> str:
    return "observer" if graph.params.mover == "Observer_Moves" else "target"


def _is_changed(graph: ViGraph) -> bool:
    return not graph.params.transition.startswith("Always")


@template("VI-OE", "a", only="paper")
def _which_appears(graph: ViGraph, d: Draws) -> Asked:
    right = d.pick(people(graph))
    return Asked(right.label, tuple(d.pooled(people, 3, [right], people(graph))))


@template("VI-OA", "a")
def _which_pair(graph: ViGraph, d: Draws) -> Asked:
    right = looks(graph)[0]
    return Asked(right.label, tuple(d.pooled(looks, 3, [right])))


@template("VI-FL", "a")
def _places_in_first_view(graph: ViGraph, d: Draws) -> Asked:
    right = pairs(graph)[0]
    return Asked(right.label, tuple(d.pooled(pairs, 3, [right])))


@template("VI-IT", "a", is_open=True)
def _same_person(graph: ViGraph, d: Draws) -> Asked:
    """Ask about two places so that yes and no are equally likely.

    Seen from the center, the places are 60 or 90 degrees apart.
    """
    if not _is_changed(graph):
        raise Refused(Code.UNDECIDED)
    hours, mover = _hours(graph), _moves(graph)
    other = "target" if mover == "observer" else "observer"
    (first, last), (still, _) = hours[mover], hours[other]
    is_same = d.pick((True, False))
    place, goal = (first, last) if is_same else (first, still) if gap(first, still) <= 3 else (still, last)
    words = {"p": f"{place} o'clock", "q": f"{goal} o'clock"}
    dead = ("nobody is there in the first view", "nobody is there in the last view")
    return d.closed("yes" if is_same else "no", ("yes", "no"), dead, **words)


@template("VI-AR", "a")
def _what_person_does(graph: ViGraph, d: Draws) -> Asked:
    role = d.pick(("observer", "target"))
    verbs = ("walks to another place", "stands still")
    right = verbs[role != _moves(graph)]
    return d.closed(right, verbs, ("picks something up", "leaves the picture"), p=f"{_hours(graph)[role][0]} o'clock")


@template("VI-SL", "a")
def _arrangement(graph: ViGraph, d: Draws) -> Asked:
    if d.is_strict and not _is_changed(graph):
        raise Refused(Code.UNDECIDED)
    view = d.pick((0, 1))
    away = gap(*(ends[view] for ends in _hours(graph).values()))
    if d.is_extended:  # 150 degrees, or 60 to 90
        return d.closed(ACROSS[away < 5], ACROSS, view=("first", "last")[view])
    right = ARRANGED.get(away)
    if right is None:
        raise Refused(Reason.NO_DISTRACTORS)
    dead = ("both on the same side of it", "one of them in front of it")
    return d.closed(right, tuple(ARRANGED.values()), dead, view=("first", "last")[view])


@template("VI-PT", "a", is_open=True)
def _change(graph: ViGraph, d: Draws) -> Asked:
    """Ask how the visibility changes, or that it does not.

    Strictly, one option stands for both changes that are none. A frame would tell one of these two from the other.
    """
    observer, target = (graph.of_role(role)[0].label for role in ("observer", "target"))
    words = {"x": f"the {observer}", "y": f"the {target}"}
    right = CHANGES[graph.ground_truth.visibility_transition]
    live = (CHANGES["Visible_to_Occluded"], CHANGES["Occluded_to_Visible"])
    if d.is_strict:
        return d.closed(right if _is_changed(graph) else SAME, (*live, SAME) if d.is_extended else live, **words)
    return d.closed(right, tuple(CHANGES.values()), **words)


@template("VI-OE", "b")
def _which_occluder(graph: ViGraph, d: Draws) -> Asked:
    right = occluders(graph)[0]
    return Asked(right.label, tuple(d.pooled(occluders, 3, [right])))
