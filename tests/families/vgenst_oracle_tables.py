"""Second opinions about containers on tables (MC, QC, CI): the things are moved about, and then looked at again."""

import re
from itertools import pairwise

from vgenst_oracle_cases import NUMBERS, Case, answers, bare, listed, side_of, third_of

from chronotope.world.kinds.stage.graph import scenario_of

LIQUID = ("water", "coffee")
ROWS = {
    2: ("left", "right"),
    3: ("left", "middle", "right"),
    4: ("leftmost", "left inner", "right inner", "rightmost"),
}


# MC: a row of containers, each with a place along the table; a place is a number, from -1 (left) to 1 (right).


SPOTS = {"left": -1.0, "middle_left": -1 / 3, "middle": 0.0, "middle_right": 1 / 3, "right": 1.0}


class Row:
    """The containers of a table from left to right, as (id, content), and their places."""

    def __init__(self, graph) -> None:
        at = {r.subject: SPOTS[r.relation.split("standing_on_")[1][: -len("_of")]] for r in graph.spatial_layout}
        self.containers = {thing.id: thing for thing in graph.objects if thing.id in at}
        self.x = at
        self.content = {name: thing.attributes.content.casefold() for name, thing in self.containers.items()}

    def order(self) -> list[str]:
        return sorted(self.x, key=self.x.__getitem__)

    def called(self, place: str) -> str:
        """Find the container at a place such as "leftmost"."""
        return self.order()[ROWS[len(self.x)].index(place)]

    def place(self, name: str) -> str:
        return ROWS[len(self.x)][self.order().index(name)]

    def inside(self, name: str) -> str:
        return {"empty": "nothing"}.get(self.content[name], self.content[name])

    def holder(self, content: str) -> str:
        [found] = [name for name in self.content if self.inside(name) == content.casefold()]
        return found


@answers("MC-OE.a", "CI-OE.a", "HO-OE.a", "IO-OE.a", "IO-OE.b", "VI-OE.a", "RV-OE.a", "LS-OE.a", "BT-OE.b", "CM-OE.a",
         "DE-OE.a", "QC-OE.a", "QC-OE.c")  # fmt: skip
def shown(case: Case):
    return case.is_shown


@answers("MC-OE.b", "HO-OE.b", "LS-OE.b", "BT-OE.a", "QC-OE.b", "CI-OE.b")
def not_shown(case: Case):
    return case.is_not_shown


@answers("MC-OA.a")
def colour_at(case: Case):
    row = Row(case.graph)
    return row.containers[row.called(case.words["place"])].attributes.color


@answers("MC-OA.b")
def material_below(case: Case):
    [table] = case.graph.of_role("anchor")
    return table.attributes.material


@answers("MC-OA.c", "QC-OA.b")
def colour_below(case: Case):
    [table] = case.graph.of_role("anchor")
    return table.attributes.color


@answers("MC-FL.a")
def part_of_the_row(case: Case):
    x = Row(case.graph).x[case.thing(case.words["x"]).id]
    return third_of(x) if "center" in case.options else side_of(x)


@answers("MC-IT.a")
def inside_of(case: Case):
    return Row(case.graph).inside(case.thing(case.words["x"]).id)


@answers("MC-IT.b")
def holder_of(case: Case):
    row = Row(case.graph)
    return row.containers[row.holder(case.words["y"])].label


@answers("MC-IT.c")
def inside_at(case: Case):
    row = Row(case.graph)
    return row.inside(row.called(case.words["x"].removeprefix("the ").removesuffix(" container")))


@answers("MC-OC.a")
def containers(case: Case):
    return str(len(Row(case.graph).x))


@answers("MC-OC.b")
def empty_ones(case: Case):
    row = Row(case.graph)
    return str(sum(row.inside(name) == "nothing" for name in row.x))


@answers("MC-OC.c")
def with_liquids(case: Case):
    row = Row(case.graph)
    return str(sum(row.inside(name) in LIQUID for name in row.x))


@answers("MC-CM.a")
def boom(case: Case):
    camera = case.graph.camera_movement
    ends = {"low_angle": camera.low_elevation, "high_angle": camera.high_elevation}
    first, last = (ends[end] for end in camera.trajectory.split("_to_"))
    return "it rises and tilts down" if last > first else "it sinks and tilts up"


@answers("MC-SL.a")
def relative_in_row(case: Case):
    row = Row(case.graph)
    return f"to the {side_of(row.x[case.thing(case.words['x']).id] - row.x[case.thing(case.words['y']).id])} of it"


@answers("MC-SL.b")
def colours_of_row(case: Case):
    row = Row(case.graph)
    return listed([row.containers[name].attributes.color for name in row.order()])


@answers("MC-CR.a")
def ends_swapped(case: Case):
    row = Row(case.graph)
    name = row.holder(case.words["y"])
    first, *_, last = row.order()
    row.x[first], row.x[last] = row.x[last], row.x[first]
    return row.place(name)


@answers("MC-CR.b")
def contents_swapped(case: Case):
    row = Row(case.graph)
    one, other = (case.thing(case.words[word]).id for word in ("x", "y"))
    row.content[one], row.content[other] = row.content[other], row.content[one]
    return row.inside(row.called("middle"))


# QC: each item has a number of its own; a hand takes any of those in reach, so there are several possible worlds.


class Counted:
    """A possible world: which items lie on the table, and which are inside, after each of the actions so far."""

    def __init__(self, table: frozenset[int], inside: frozenset[int]) -> None:
        self.tables, self.insides = [table], [inside]

    def after(self, action: str) -> "list[Counted]":
        table, inside = self.tables[-1], self.insides[-1]
        if action == "MOVE":  # what lies on the table lies elsewhere on it
            world = Counted(table, inside)
            world.tables, world.insides = [*self.tables, table], [*self.insides, inside]
            return [world] if table else []
        source = table if action == "ADD" else inside
        worlds = []
        for item in source:
            world = Counted(table, inside)
            world.tables, world.insides = [*self.tables, table ^ {item}], [*self.insides, inside ^ {item}]
            worlds.append(world)
        return worlds


def worlds_of(case: Case, actions: list[str]) -> list[Counted]:
    """Let the hand act in all possible ways."""
    [box] = case.graph.of_role("container")
    assert box.attributes.initial_state == "Empty"
    worlds = [Counted(frozenset(range(case.graph.params.initial_surface_count)), frozenset())]
    for action in actions:
        worlds = [later for world in worlds for later in world.after(action)]
    assert worlds, "the actions are impossible"
    return worlds


def script(case: Case) -> list[str]:
    return [step.action for step in case.graph.temporal_flow.action_sequence]


def done(word: str) -> str:
    return {"put in": "ADD", "taken out": "REMOVE"}[word]


def inside_after(case: Case, actions: list[str]) -> str:
    [count] = {len(world.insides[-1]) for world in worlds_of(case, actions)}
    check_items(case)
    return str(count)


def check_items(case: Case) -> str:
    [items] = case.graph.of_role("countable_items")
    assert case.words["items"] == f"{items.label}s"
    return items.label


def deeds(case: Case) -> list[str]:
    """Tell for each action what it changes."""
    found = set()
    for world in worlds_of(case, script(case)):
        changes = (b - a for a, b in pairwise(map(len, world.insides)))
        found.add(tuple({1: "put in", -1: "take out", 0: "move on the table"}[change] for change in changes))
    [told] = found
    return list(told)


@answers("QC-OA.a")
def material_of_box(case: Case):
    [box] = case.graph.of_role("container")
    return box.attributes.material


@answers("QC-OA.c")
def colour_of_box(case: Case):
    [box] = case.graph.of_role("container")
    return box.attributes.color


@answers("QC-IT.a")
def same_ones(case: Case):
    shares = set()
    for world in worlds_of(case, script(case)):
        known = world.insides[-1] & world.tables[0]
        shares.add("yes" if known == world.insides[-1] else "partly" if known else "no")
    return shares if len(shares) == 1 else ()


@answers("QC-IT.b")
def came_out(case: Case):
    found = {
        "yes" if any(world.tables[-1] & inside for inside in world.insides) else "no"
        for world in worlds_of(case, script(case))
    }
    return found if len(found) == 1 else ()


@answers("QC-AR.a")
def put_ins(case: Case):
    check_items(case)
    return str(deeds(case).count("put in"))


@answers("QC-AR.b", "QC-AR.c")
def deed(case: Case):
    number = NUMBERS[case.words["number"]] - 1 if "number" in case.words else -1
    [items] = case.graph.of_role("countable_items")
    told = {"put in": f"it puts one {items.label} in", "take out": f"it takes one {items.label} out",
            "move on the table": f"it moves one {items.label} on the table"}  # fmt: skip
    return told[deeds(case)[number]].casefold()


@answers("QC-OC.a")
def inside_at_end(case: Case):
    return inside_after(case, script(case))


@answers("QC-TO.a")
def order_of_deeds(case: Case):
    return listed(deeds(case))


@answers("QC-SL.a", "QC-SL.b")
def where_items_lie(case: Case):
    [items] = case.graph.of_role("countable_items")
    side = re.fullmatch(r"on the table to the (left|right) of the container", items.attributes.initial_location)
    assert side and check_items(case)
    return {"beside it on the table", f"to the {side[1]} of it"}


@answers("QC-CR.a")
def last_reversed(case: Case):
    *begun, last = script(case)
    return inside_after(case, [*begun, {"ADD": "REMOVE", "REMOVE": "ADD"}[last]])


@answers("QC-CR.b")
def stopped(case: Case):
    number = re.fullmatch(r"first (?:(\d) )?actions?", case.words["number"])
    assert number and len(script(case)) > int(number[1] or 1)
    return inside_after(case, script(case)[: int(number[1] or 1)])


@answers("QC-PR.a")
def one_more(case: Case):
    return inside_after(case, [*script(case), done(case.words["more"])])


# CI: two sets of things, which are known by kind and colour.


class Bins:
    """What is in both containers: things as (kind, colour)."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.named = {case.thing(thing.label).id: thing for thing in case.graph.of_role("container_A", "container_B")}
        self.inside = {
            name: [
                (thing.attributes.type, thing.attributes.color)
                for thing in case.graph.objects
                if thing.role.startswith(f"obj_{thing_of.role[-1]}")
            ]
            for name, thing_of in self.named.items()
        }

    def bin(self, text: str) -> list[tuple[str, str]]:
        return self.inside[self.case.thing(text).id]

    def looks(self, text: str) -> tuple[str, str]:
        """Read words such as "a red toy car" as (kind, colour)."""
        name = bare(text)
        colour, _, kind = name.partition(" ")
        return (kind or colour, colour)

    def shared(self) -> str:
        first, second = self.inside.values()
        return str(len(set(first) & set(second)))

    def by_time(self) -> list[str]:
        when = {thing.attributes.revealed_in: thing.label for thing in self.named.values()}
        return [when["first"], when["second"]]

    def sides(self) -> dict[str, str]:
        """Read from the script which container is on which side."""
        told = scenario_of(self.case.graph).timeline["setup"]
        found = re.match(r"The (.+) is on the left and the (.+) on the right\.", told)
        assert found
        return {"left": found[1], "right": found[2]}


@answers("CI-OA.a")
def colour_on_side(case: Case):
    return case.thing(Bins(case).sides()[case.words["side"]]).attributes.color


@answers("CI-FL.a")
def side_of_bin(case: Case):
    return {bare(label): side for side, label in Bins(case).sides().items()}[bare(case.words["x"])]


@answers("CI-OC.a")
def shared(case: Case):
    bins = Bins(case)
    assert bins.bin(case.words["a"]) is not bins.bin(case.words["b"])
    return bins.shared()


@answers("CI-TO.a")
def first_looked_into(case: Case):
    return Bins(case).by_time()[0]


@answers("CI-TO.b")
def order_of_looks(case: Case):
    return "first the {}, then the {}".format(*Bins(case).by_time()).casefold()


@answers("CI-CM.a")
def way_over_bins(case: Case):
    bins = Bins(case)
    side = {label: side for side, label in bins.sides().items()}
    first, second = (side[label] for label in bins.by_time())
    return f"a side view, then from above the {first} container, then the {second} one"


@answers("CI-SL.a")
def which_bins(case: Case):
    bins = Bins(case)
    holders = [bins.named[name].label for name, things in bins.inside.items() if bins.looks(case.words["x"]) in things]
    return {0: "in neither", 1: f"only in the {holders[0]}" if holders else "", 2: "in both"}[len(holders)].casefold()


@answers("CI-CR.a")
def replaced(case: Case):
    bins = Bins(case)
    place = bins.bin(case.words["place"])
    new = bins.looks(case.words["y"])
    assert new not in place
    place[place.index(bins.looks(case.words["x"]))] = new
    return bins.shared()
