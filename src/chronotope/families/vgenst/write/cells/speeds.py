"""RV: who is slower and who is faster than the camera."""

from chronotope.families.vgenst.write.cell import Asked, Draws, template, with_article
from chronotope.families.vgenst.write.entries import Entry, colour, thing
from chronotope.families.vgenst.write.refusal import Code
from chronotope.question import Reason, Refused
from chronotope.world.kinds.stage.graph.tasks.relative_velocity import FASTER, SLOWER, RvGraph, is_none_at_middle

MOVERS = ("slower", "faster")
OTHER = {"left": "right", "right": "left"}
MOTIONS = {SLOWER: "it comes nearer and falls back", FASTER: "it passes and gets smaller ahead"}
LATER = {SLOWER: "far behind the camera", FASTER: "far ahead of the camera"}


def movers(graph: RvGraph) -> list[Entry]:
    """Return the other vehicles."""
    return [thing(item) for item in graph.of_role(*MOVERS)]


def colours(graph: RvGraph) -> list[Entry]:
    """Return the colours of the other vehicles."""
    return [colour(item.visual_attributes.color) for item in graph.of_role(*MOVERS)]


def _side(item) -> str:
    return item.position.split()[0]


def _of_speed(graph: RvGraph, relation: str) -> list:
    return [item for item in graph.of_role(*MOVERS) if item.relative_velocity_to_ego == relation]


def _pair(graph: RvGraph):
    """Return the slower and the faster vehicle.

    Raises:
        Refused: If both are slower or both are faster than the camera.
    """
    slower, faster = _of_speed(graph, SLOWER), _of_speed(graph, FASTER)
    if len(slower) != 1 or len(faster) != 1:
        raise Refused(Code.UNDECIDED)
    return slower[0], faster[0]


@template("RV-OE", "a")
def _which_appears(graph: RvGraph, d: Draws) -> Asked:
    if d.is_strict:
        return d.existing(_by_colour)
    right = d.pick(movers(graph))
    return Asked(right.label, tuple(_vehicles(graph, d, right)))


def _vehicles(graph: RvGraph, d: Draws, right: Entry) -> list[str]:
    """Return vehicles of other colours than those in the scene; there are four types only."""
    own = [Entry(entry.label, "", entry.colour) for entry in movers(graph)]
    return d.pooled(_by_colour, 3, [Entry(right.label, "", right.colour)], own)


def _by_colour(graph: RvGraph) -> list[Entry]:
    return [Entry(entry.label, "", entry.colour) for entry in movers(graph)]


@template("RV-OA", "a", is_open=True)
def _colour_of(graph: RvGraph, d: Draws) -> Asked:
    k = d.pick((0, 1))
    item = graph.of_role(*MOVERS)[k]
    right = colour(item.visual_attributes.color)
    others = [entry for entry in dict.fromkeys(colours(graph)) if entry != right]
    more = d.pooled(colours, 3 - len(others), [right, *others])
    return Asked(right.label, (*(entry.label for entry in others), *more), {"x": f"the {item.visual_attributes.type}"})


@template("RV-FL", "a", is_open=True)
def _slower_in_first_view(graph: RvGraph, d: Draws) -> Asked:
    slower = d.pick(_of_speed(graph, SLOWER))
    asked = d.closed(_side(slower), ("left", "right"), x=with_article(slower.label))
    return Asked(asked.right, asked.wrong, asked.words, ((slower.id, "first", f"{_side(slower)} half"),))


@template("RV-FL", "b", is_open=True)
def _faster_at_entry(graph: RvGraph, d: Draws) -> Asked:
    faster = d.pick(_of_speed(graph, FASTER))
    asked = d.closed(_side(faster), ("left", "right"), x=with_article(faster.label))
    return Asked(asked.right, asked.wrong, asked.words, ((faster.id, "entry", f"{_side(faster)} half"),))


@template("RV-IT", "a")
def _what_overtakes(graph: RvGraph, d: Draws) -> Asked:
    names = [item.label for item in graph.of_role(*MOVERS)]
    fast = [item.label for item in _of_speed(graph, FASTER)]
    right = {0: "neither of them", 2: "both of them"}.get(len(fast)) or fast[0]
    more = ("neither of them", "both of them")
    return d.closed(right, (*names, *(more if d.is_extended else ())), more)


@template("RV-AR", "a")
def _apparent_motion(graph: RvGraph, d: Draws) -> Asked:
    item = d.pick(graph.of_role(*MOVERS))
    dead = ("it stays beside the camera", "it comes towards the camera on the same lane")
    return d.closed(MOTIONS[item.relative_velocity_to_ego], tuple(MOTIONS.values()), dead, x=with_article(item.label))


@template("RV-AR", "b")
def _which_is_slower(graph: RvGraph, d: Draws) -> Asked:
    slower, faster = _pair(graph)
    return d.closed(slower.label, (slower.label, faster.label), ("both of them",))


@template("RV-OC", "a", is_open=True)
def _how_many_slower(graph: RvGraph, d: Draws) -> Asked:
    return _count(graph, d, SLOWER)


@template("RV-OC", "b", is_open=True)
def _how_many_faster(graph: RvGraph, d: Draws) -> Asked:
    return _count(graph, d, FASTER)


def _count(graph: RvGraph, d: Draws, relation: str) -> Asked:
    """Ask so that 0, 1 and 2 are equally frequent.

    Half of the scenes of the extended design have one slower and one faster vehicle.
    """
    count = len(_of_speed(graph, relation))
    if d.is_strict and count == 1 and d.pick((True, False)):
        raise Refused(Reason.NO_DISTRACTORS)
    return d.number(count, (0, 1, 2) if d.is_extended else (1,), (0, 1, 2, 3))


@template("RV-TO", "a")
def _shown_last(graph: RvGraph, d: Draws) -> Asked:
    slower, faster = _pair(graph)
    return d.closed(faster.label, (slower.label, faster.label), ("both at the same time",))


@template("RV-CM", "a", only="paper")
def _camera_motion(graph: RvGraph, d: Draws) -> Asked:
    live = ("it drives forward at a constant speed",)
    return d.closed(live[0], live, ("it drives backwards", "it stands still", "it turns to the side"))


@template("RV-CM", "b", only="strict")
def _camera_beside(graph: RvGraph, d: Draws) -> Asked:
    item = d.pick(graph.of_role(*MOVERS))
    right = {SLOWER: "faster", FASTER: "slower"}[item.relative_velocity_to_ego]
    return d.closed(right, ("faster", "slower"), x=with_article(item.label))


@template("RV-SL", "a", is_open=True)
def _lane(graph: RvGraph, d: Draws) -> Asked:
    item = d.pick(graph.of_role(*MOVERS))
    dead = ("on the same lane", "it changes its lane")
    lanes = {"left": "on the left lane", "right": "on the right lane"}
    return d.closed(lanes[_side(item)], tuple(lanes.values()), dead, x=with_article(item.label))


@template("RV-PT", "a")
def _seen_from_mover(graph: RvGraph, d: Draws) -> Asked:
    """Ask how the camera's vehicle moves for a driver.

    Strictly, all options name the right side if one frame would show it: the middle one, with a vehicle ahead.
    """
    if d.is_strict and len({item.relative_velocity_to_ego for item in graph.of_role(*MOVERS)}) == 1:
        raise Refused(Code.NOT_THERE)
    item = d.pick(graph.of_role(*MOVERS))
    side = OTHER[_side(item)]
    verbs = {SLOWER: "it passes on the {}", FASTER: "it falls back on the {}"}
    sides = (side,) if d.is_strict and not is_none_at_middle(graph) else tuple(OTHER)
    live = tuple(text.format(each) for text in verbs.values() for each in sides)
    return d.closed(verbs[item.relative_velocity_to_ego].format(side), live, x=with_article(item.label))


@template("RV-PT", "b", only="strict")
def _faster_than_mover(graph: RvGraph, d: Draws) -> Asked:
    """Ask which vehicles leave a driver behind, if both others are slower than the camera, or faster."""
    item, other = d.some(graph.of_role(*MOVERS), 2)
    if item.relative_velocity_to_ego != other.relative_velocity_to_ego:
        raise Refused(Code.NOT_THERE)
    y = with_article(other.label)
    options = {
        (True, True): f"the camera's vehicle and {y}", (True, False): "only the camera's vehicle",
        (False, True): f"only {y}", (False, False): "neither of the two",
    }  # fmt: skip
    right = options[item.relative_velocity_to_ego == SLOWER, other.motion.speed > item.motion.speed]
    return d.closed(right, tuple(options.values()), x=with_article(item.label), y=y)


@template("RV-CR", "a", only="paper")
def _slower_were_faster(graph: RvGraph, d: Draws) -> Asked:
    slower, _ = _pair(graph)
    live = ("it would pull away ahead of the camera",)
    dead = ("it would fall back behind the camera", "it would stay beside the camera", "it would come from behind")
    return d.closed(live[0], live, dead, x=with_article(slower.label))


@template("RV-CR", "b", only="paper")
def _faster_were_slower(graph: RvGraph, d: Draws) -> Asked:
    _, faster = _pair(graph)
    live = ("it would never come into view",)
    dead = ("it would pass earlier", "it would pull away ahead of the camera", "it would come into view ahead")
    return d.closed(live[0], live, dead, x=with_article(faster.label))


@template("RV-CR", "c", only="strict")
def _speeds_swapped(graph: RvGraph, d: Draws) -> Asked:
    slower, faster = _pair(graph)
    return d.closed(slower.label, (slower.label, faster.label))


@template("RV-PR", "a")
def _later(graph: RvGraph, d: Draws) -> Asked:
    item = d.pick(graph.of_role(*MOVERS))
    dead = ("beside the camera", "on the camera's own lane")
    return d.closed(LATER[item.relative_velocity_to_ego], tuple(LATER.values()), dead, x=with_article(item.label))
