"""Second opinions about people who act (CM, IO, VI): presses and reactions, things carried, and lines of sight."""

import re
from itertools import pairwise
from math import cos, hypot, pi, sin

import numpy as np
from vgenst_oracle_cases import Case, answers, listed, side_of, with_an

from chronotope.world.kinds.stage.graph import scenario_of

PROMPT = 0.5  # s, within which a reaction follows a press
REACTIONS = {
    "desk lamp": "its light goes on",
    "desk fan": "its blades turn",
    "flag": "it goes up",
    "hinged box": "its lid opens",
}


# CM: presses and reactions are events in time. Which reaction follows which press is read off the script.


class Desk:
    """The things on the desk with their places: x to the right of the camera, y towards the camera."""

    def __init__(self, case: Case) -> None:
        self.things = {thing.id: thing for thing in case.graph.objects}
        events = [event for phase in scenario_of(case.graph).phases for event in phase.events]
        self.presses = [event.object for event in events if event.kind == "press"]
        self.starts = [event.t0 for event in events if event.kind == "press"]
        changes = [(event.t0, event.object) for event in events if event.kind == "switch"]
        self.links = {
            trigger: [effector for when, effector in changes if 0 <= when - start <= PROMPT]
            for trigger, start in zip(self.presses, self.starts, strict=True)
        }
        assert sum(map(len, self.links.values())) == len(changes)

    def place(self, name: str) -> np.ndarray:
        where = self.things[name].attributes.position if name != "agent" else "behind_middle"
        depth, side = where.split("_")
        across = {"left": -1.0, "right": 1.0, "middle": 0.0}[side]
        return np.array([across, {"foreground": 1.0, "background": 0.0, "behind": -1.0}[depth]])

    def run(self, presses: list[str]) -> list[tuple[float, str]]:
        """Press the controls in an order, at the times of the script, and return when what reacts."""
        return [(start, it) for start, name in zip(self.starts, presses, strict=True) for it in self.links[name]]

    def first(self, presses: list[str]) -> str:
        return min(self.run(presses))[1]

    def on_side(self, role: str, side: str) -> str:
        [found] = [n for n, t in self.things.items() if t.role.startswith(role) and side_of(self.place(n)[0]) == side]
        return found


def seen_by_person(vector: np.ndarray) -> np.ndarray:
    """Turn a vector from the camera's frame into that of a person who looks back at the camera."""
    return np.array([[cos(pi), -sin(pi)], [sin(pi), cos(pi)]]) @ vector


@answers("CM-OA.a")
def who_is_behind(case: Case):
    return case.is_shown


@answers("CM-FL.a")
def third_of_person(case: Case):
    x = Desk(case).place("agent")[0]
    return "center" if x == 0 else side_of(x)


@answers("CM-FL.b")
def half_of_thing(case: Case):
    return side_of(Desk(case).place(case.thing(case.words["x"]).id)[0])


@answers("CM-AR.a")
def what_person_does(case: Case):
    assert len(Desk(case).presses) == 2
    return "works two controls, one after the other"


@answers("CM-AR.b")
def reaction_to(case: Case):
    desk, effector = Desk(case), case.thing(case.words["x"])
    reacting = desk.links[desk.on_side("trigger", case.words["side"])]
    return REACTIONS[effector.attributes.type] if effector.id in reacting else "nothing"


@answers("CM-AR.c")
def effect_of(case: Case):
    desk = Desk(case)
    reacting = desk.links[case.thing(case.words["x"]).id]
    if len(reacting) == 1:
        return desk.things[reacting[0]].label
    return "both of the things in front" if reacting else "neither of the things in front"


@answers("CM-TO.a")
def first_used(case: Case):
    desk = Desk(case)
    return side_of(desk.place(desk.presses[int(np.argmin(desk.starts))])[0])


@answers("CM-SL.a")
def person_and_controls(case: Case):
    desk = Desk(case)
    away = desk.place("agent") - np.mean([desk.place(name) for name in desk.presses], axis=0)
    assert abs(away[0]) < 1e-9
    return "behind them" if away[1] < 0 else "in front of them"


@answers("CM-SL.b")
def same_side(case: Case):
    desk = Desk(case)
    side = side_of(desk.place(case.thing(case.words["x"]).id)[0])
    return desk.things[desk.on_side("effector", side)].label


@answers("CM-PT.a")
def first_for_person(case: Case):
    desk = Desk(case)
    return side_of(seen_by_person(desk.place(desk.first(desk.presses)))[0])


@answers("CM-CR.a")
def other_order(case: Case):
    desk = Desk(case)
    return side_of(desk.place(desk.first(desk.presses[::-1]))[0])


# IO: the things have places; the person's steps are read from the script and carried out.

SLOTS = {"Left": -1.0, "Center": 0.0, "Right": 1.0}


class Hands:
    """Where each thing is after each step: its slot on the table in front, or "side table"."""

    def __init__(self, case: Case, instead: str | None = None) -> None:
        self.things = {t.id: t for t in case.graph.objects if t.role in ("target", "distractor")}
        self.home = {name: SLOTS[thing.position] for name, thing in self.things.items()}
        self.where = [dict(self.home)]
        self.entry, self.picked, self.put = "", [], []
        [goal] = case.graph.of_role("destination_surface")
        for step in case.graph.temporal_flow.action_sequence:
            text = step.action_description
            if found := re.match(r"The person comes in from the (left|right)", text):
                self.entry = found[1]
                continue
            moved = instead or case.thing(re.search(r"(?:picks up|puts) the (.+?)(?: on| back|\.)", text)[1]).id
            now = dict(self.where[-1])
            if "picks up" in text:
                self.picked.append(moved)
                now[moved] = "hand"
            elif " back to its place" in text:
                now[moved] = self.home[moved]
            else:
                assert goal.label in text
                self.put.append(moved)
                now[moved] = "side table"
            self.where.append(now)

    def row(self, state: dict) -> list[str]:
        return sorted((name for name in state if state[name] in SLOTS.values()), key=state.__getitem__)

    def carried(self) -> str:
        """Find what was on the side table at any time."""
        [name] = {name for state in self.where for name, place in state.items() if place == "side table"}
        return name

    def gap(self) -> str:
        """Name the place in the row that gets empty first."""
        for state in self.where:
            for name, place in state.items():
                if place != self.home[name]:
                    return {-1.0: "left", 0.0: "center", 1.0: "right"}[self.home[name]]
        raise AssertionError("nothing is taken")


@answers("IO-OA.a")
def colour_of_table(case: Case):
    role = {"the side table": "destination_surface", "the table in front": "primary_surface"}[case.words["x"]]
    [table] = case.graph.of_role(role)
    return table.attributes.color


@answers("IO-OA.b")
def looks_of_person(case: Case):
    [person] = case.graph.of_role("agent")
    return person.attributes.appearance


@answers("IO-FL.a")
def entry(case: Case):
    return Hands(case).entry


@answers("IO-IT.a")
def carried_thing(case: Case):
    hands = Hands(case)
    return hands.things[hands.carried()].label


@answers("IO-IT.b")
def same_thing(case: Case):
    hands = Hands(case)
    return "yes" if hands.put == hands.picked else "no"


@answers("IO-AR.a")
def deed_of_person(case: Case):
    assert Hands(case).put
    return "picks something up and puts it on another table"


@answers("IO-AR.b")
def picked_thing(case: Case):
    hands = Hands(case)
    [name] = hands.picked
    return hands.things[name].label


@answers("IO-AR.c")
def place_taken_from(case: Case):
    return Hands(case).gap()


@answers("IO-OC.a")
def in_the_row_at_first(case: Case):
    hands = Hands(case)
    return str(len(hands.row(hands.where[0])))


@answers("IO-OC.b")
def moved_things(case: Case):
    hands = Hands(case)
    return str(len({n for state in hands.where for n, place in state.items() if place != hands.home[n]}))


@answers("IO-OC.c")
def in_the_row_at_last(case: Case):
    hands = Hands(case)
    return str(len(hands.row(hands.where[-1])))


@answers("IO-SL.a")
def order_in_row(case: Case):
    hands = Hands(case)
    return listed([hands.things[name].label for name in hands.row(hands.where[0])])


@answers("IO-CR.a")
def taken_from_there(case: Case):
    hands = Hands(case)
    [name] = [name for name, slot in hands.home.items() if slot == SLOTS[case.words["place"].capitalize()]]
    again = Hands(case, instead=name)
    return again.things[again.carried()].label


@answers("IO-CR.b")
def place_of_that(case: Case):
    return Hands(case, instead=case.thing(case.words["x"]).id).gap()


# VI: two people on a circle around a disc that hides what is behind it.

CIRCLE, DISC = 2.5, 0.85  # m, radius of the circle of the clock points, and of the disc
STEPS = 25


def at_hour(hour: float) -> np.ndarray:
    """Return the place of a clock point: x to the right, y to the top of the picture."""
    return CIRCLE * np.array([sin(hour * pi / 6), cos(hour * pi / 6)])


def sees(eye: np.ndarray, other: np.ndarray) -> bool:
    """Check whether a ray from an eye reaches a place beside the disc."""
    along = np.linspace(0, 1, 200)[:, None]
    return bool(np.linalg.norm(eye + along * (other - eye), axis=1).min() > DISC)


class Circle:
    """The clock point of each person over time; whoever moves takes the shorter way."""

    def __init__(self, case: Case) -> None:
        self.hours = {}
        for thing in case.graph.of_role("observer", "target"):
            first, *rest = map(int, re.findall(r"(\d+) o'clock", thing.attributes.position))
            last = rest[0] if rest else first
            turn = (last - first + 6) % 12 - 6
            self.hours[thing.id] = first + np.linspace(0, 1, STEPS) * turn

    def at(self, hour: str, frame: int) -> str | None:
        """Find who is at a clock point in a frame."""
        angle = int(re.match(r"\d+", hour)[0]) % 12
        found = [n for n, hours in self.hours.items() if abs((hours[frame] - angle + 6) % 12 - 6) < 0.01]
        return found[0] if found else None

    def places(self, frame: int) -> list[np.ndarray]:
        return [at_hour(hours[frame]) for hours in self.hours.values()]


@answers("VI-OE.b")
def in_the_middle(case: Case):
    [pillar] = case.graph.of_role("occluder")
    return pillar.label


@answers("VI-OA.a")
def pair(case: Case):
    looks = {thing.attributes.appearance for thing in case.graph.of_role("observer", "target")}
    one, other = (with_an(text) for text in looks)
    return {f"{one} and {other}".casefold(), f"{other} and {one}".casefold()}


@answers("VI-FL.a")
def points_of_people(case: Case):
    circle = Circle(case)
    first = {round(hours[0]) % 12 or 12 for hours in circle.hours.values()}
    return lambda text: set(map(int, re.findall(r"\d+", text))) == first


@answers("VI-IT.a")
def same_person(case: Case):
    circle = Circle(case)
    one, other = circle.at(case.words["p"], 0), circle.at(case.words["q"], -1)
    if one is None or other is None:
        return {"nobody is there in the first view"} if one is None else {"nobody is there in the last view"}
    return "yes" if one == other else "no"


@answers("VI-AR.a")
def what_that_person_does(case: Case):
    circle = Circle(case)
    way = [at_hour(hour) for hour in circle.hours[circle.at(case.words["p"], 0)]]
    length = sum(hypot(*(b - a)) for a, b in pairwise(way))
    return "walks to another place" if length > 0.1 else "stands still"


@answers("VI-SL.a")
def arrangement(case: Case):
    one, other = Circle(case).places({"first": 0, "last": -1}[case.words["view"]])
    angle = np.degrees(np.arccos(np.clip(one @ other / CIRCLE**2, -1, 1)))
    found = {f"on {'opposite' if angle > 120 else 'neighboring'} sides of the thing in the center"}
    if angle > 179:
        found.add("in one line, with the thing in the center between them")
    if abs(angle - 90) < 1:
        found.add("at a right angle around the thing in the center")
    return found


@answers("VI-PT.a")
def visibility(case: Case):
    circle = Circle(case)
    eyes, seen = (circle.hours[case.thing(case.words[word]).id] for word in ("x", "y"))
    sight = [sees(at_hour(a), at_hour(b)) for a, b in zip(eyes, seen, strict=True)]
    first, last = sight[0], sight[-1]
    assert sight == sorted(sight, reverse=first), "sight changes twice"
    if first == last:
        return {"visible all the time" if first else "hidden all the time", "the same in the whole clip"}
    return "at first visible, then hidden" if first else "at first hidden, then visible"
