"""Second opinions about ways of the camera (DE, HO, DS): walks as lines with corners, tilts as stops, and junctions."""

import re
from collections.abc import Sequence
from itertools import pairwise
from math import atan2, cos, degrees, pi, sin

import numpy as np
from vgenst_oracle_cases import NUMBERS, Case, answers, side_of

# DE: a walk is a line with corners; x goes to the east, y to the north, where it begins.

TURNS = {"L": "t", "U": "tt", "Z": "to"}  # t is a turn to the side of the first, o one to the other side
HALF = 1.05  # m, half the width of the corridor
BEYOND = 2.2  # m from the end of a part of the way to the thing there, before a wall
PACE = 0.1  # m between two looks of the camera


class Walk:
    """The corners of a walk, and the headings of its parts as vectors."""

    def __init__(self, case: Case, mirrored: bool = False) -> None:
        camera = case.graph.camera_movement
        shape, side = re.fullmatch(r"(\w)_shaped_(left|right)", camera.trajectory).groups()
        turn = {"left": 1j, "right": -1j}[side]
        if mirrored:
            turn = -turn
        self.turns = [turn if mark == "t" else -turn for mark in TURNS[shape]]
        self.corners, self.headings = [0j], [1j]
        for leg, bend in zip(camera.legs, [*self.turns, None], strict=True):
            self.corners.append(self.corners[-1] + leg * self.headings[-1])
            if bend is not None:
                self.headings.append(self.headings[-1] * bend)

    def thing(self, case: Case, number: int) -> complex:
        """Return the place of the thing that stands at the far end of a part of the way."""
        [found] = case.graph.of_role(f"landmark_{number}")
        part = int(re.search(r"segment (\d)", found.attributes.position)[1])
        return self.corners[part] + BEYOND * self.headings[part - 1]

    def hour(self, place: complex) -> float:
        """Return the clock hour of a place at the end, when 12 is straight ahead."""
        away = (place - self.corners[-1]) / self.headings[-1]
        return -degrees(atan2(away.imag, away.real)) / 30 % 12

    def looks(self):
        """Yield the places and headings of the camera, with a corner's turn in small steps."""
        for part, (a, b) in enumerate(pairwise(self.corners)):
            for s in np.arange(0, abs(b - a), PACE):
                yield a + s * self.headings[part], self.headings[part]
            if part < len(self.turns):
                for share in np.linspace(0, 1, 7):
                    yield b, self.headings[part] * self.turns[part] ** share
        yield self.corners[-1], self.headings[-1]

    def is_free(self, place: complex) -> bool:
        """Check whether a place is in the corridor."""
        for (a, b), ahead in zip(pairwise(self.corners), self.headings, strict=True):
            inside = (place - a) / ahead
            if -HALF <= inside.real <= abs(b - a) + 1.01 * BEYOND and abs(inside.imag) <= HALF:
                return True
        return False

    def first_seen(self, place: complex) -> int:
        """Return the number of the first look at which a place is in view, with no wall before it."""
        for number, (eye, heading) in enumerate(self.looks()):
            away = (place - eye) / heading
            ray = [eye + share * (place - eye) for share in np.linspace(0, 1, 40)]
            if abs(atan2(away.imag, away.real)) < pi / 4 and all(map(self.is_free, ray)):
                return number
        raise AssertionError("never in view")


def hours_told(hour: float):
    """Check a text such as "4-5 o'clock" or "6 o'clock"."""

    def is_right(text: str) -> bool:
        low, high = re.fullmatch(r"(\d+)(?:-(\d+))? o'clock", text).groups()
        if high:
            return (hour - int(low)) % 12 <= 1
        return abs((hour - int(low) + 6) % 12 - 6) < 0.25

    return is_right


@answers("DE-OA.a")
def colour_at_end_of(case: Case):
    number = NUMBERS[case.words["number"]]
    [found] = [t for t in case.graph.objects if re.search(rf"end of segment {number}$", t.attributes.position)]
    return found.attributes.color


@answers("DE-TO.a")
def first_in_view(case: Case):
    walk = Walk(case)
    seen = {thing.label: walk.first_seen(walk.thing(case, int(thing.role[-1]))) for thing in case.graph.objects}
    named = {label: when for label, when in seen.items() if label.casefold() in case.options}
    first = min(named.values())
    assert list(named.values()).count(first) == 1
    return [label for label, when in named.items() if when == first]


@answers("DE-CM.a")
def walks(case: Case):
    assert Walk(case).turns
    return "it walks forward, turns and walks on"


@answers("DE-CM.b")
def turns_told(case: Case):
    sides = ["left" if turn.imag > 0 else "right" for turn in Walk(case).turns]
    if len(sides) == 1:
        return f"{sides[0]} once"
    return f"{sides[0]}, then {sides[1]}{' again' if sides[0] == sides[1] else ''}"


@answers("DE-SL.a")
def shape(case: Case):
    turns = Walk(case).turns
    texts = {1: "an l, with one corner", 2: "a u, with two corners to the same side"}
    return texts[len(turns)] if len(set(turns)) == 1 else "a z, with two corners to different sides"


@answers("DE-PT.a")
def back_to_start(case: Case):
    return hours_told(Walk(case).hour(0j))


@answers("DE-CR.a")
def thing_after_other_turn(case: Case):
    place = Walk(case).thing(case, int(case.thing(case.words["x"]).role[-1]))
    return hours_told(Walk(case, mirrored=True).hour(place))


@answers("DE-CR.b")
def back_after_other_turns(case: Case):
    return hours_told(Walk(case, mirrored=True).hour(0j))


# HO: things at heights; the camera looks at one height after the other.

HEIGHTS = {"lowest": 0.05, "middle": 0.85, "highest": 2.0}  # m


class Levels:
    """The height and the place across of each thing, and the heights at which the camera looks."""

    def __init__(self, case: Case) -> None:
        self.things = {thing.label: thing for thing in case.graph.objects}
        self.height = {label: HEIGHTS[thing.attributes.height_level] for label, thing in self.things.items()}
        up = case.graph.camera_movement.trajectory == "Bottom-to-Top"
        stops = sorted(HEIGHTS.values(), reverse=not up)
        self.stops = [*stops, stops[1]] if case.graph.params.turns_back else stops
        side = {"left": -0.3, "right": 0.3}[case.graph.camera_movement.distractor_side]
        self.across = dict.fromkeys(self.things, 0.0)
        for label, thing in self.things.items():
            beside = [o for o in self.things if o != label and self.height[o] == self.height[label]]
            if beside:
                self.across[label] = side if thing.role == "obj_distractor" else -side

    def first_seen(self, label: str) -> int:
        return self.stops.index(self.height[label])

    def label(self, case: Case, word: str) -> str:
        return case.thing(case.words[word]).label

    def optional(self, case: Case) -> list[str]:
        """Return the labels among the options."""
        found = [label for label in self.things if label.casefold() in case.options]
        assert len(found) == len(case.options), case.options
        return found

    def ranks(self, height: dict[str, float]):
        """Check a text with labels in the order of their heights, from low to high."""
        known = {label.casefold(): at for label, at in height.items()}

        def is_right(text: str) -> bool:
            at = [known[label] for label in text.split(", ")]
            return all(a < b for a, b in pairwise(at))

        return is_right


@answers("HO-OA.a", "RV-OA.a", "LS-OA.a")
def colour_of(case: Case):
    thing = case.thing(case.words["x"])
    return (thing.attributes if hasattr(thing, "attributes") else thing.visual_attributes).color


@answers("HO-FL.a")
def third_in_last_view(case: Case):
    levels = Levels(case)
    label = levels.label(case, "x")
    assert levels.height[label] == levels.stops[-1]
    x = levels.across[label]
    return side_of(x) if x else "center"


@answers("HO-FL.b")
def half_where_shown(case: Case):
    levels = Levels(case)
    return side_of(levels.across[levels.label(case, "x")])


@answers("HO-TO.a")
def comes_into_view(case: Case):
    levels = Levels(case)
    seen = {label: levels.first_seen(label) for label in levels.optional(case)}
    when = sorted(seen.values())[NUMBERS[case.words["number"]] - 1]
    return [label for label, at in seen.items() if at == when]


@answers("HO-CM.a")
def tilts(case: Case):
    assert not case.graph.camera_movement.moves_position
    return "it tilts and stays in its place"


@answers("HO-CM.b")
def tilt_told(case: Case):
    ways = ["up" if b > a else "down" for a, b in pairwise(Levels(case).stops)]
    told = [way for k, way in enumerate(ways) if k == 0 or way != ways[k - 1]]
    return told[0] if len(told) == 1 else f"{told[0]}, then {told[1]} again"


@answers("HO-SL.a")
def by_height(case: Case):
    levels = Levels(case)
    return levels.ranks(levels.height)


@answers("HO-SL.b")
def same_level(case: Case):
    levels = Levels(case)
    own = levels.label(case, "x")
    return [label for label in levels.optional(case) if levels.height[label] == levels.height[own]]


@answers("HO-SL.c")
def extreme_level(case: Case):
    levels = Levels(case)
    among = {label: levels.height[label] for label in levels.optional(case)}
    best = {"lowest": min, "highest": max}[case.words["level"]](among.values())
    return [label for label, at in among.items() if at == best]


@answers("HO-CR.a", "HO-CR.b")
def swapped_levels(case: Case):
    levels = Levels(case)
    height = dict(levels.height)
    one, other = levels.label(case, "x"), levels.label(case, "y")
    height[one], height[other] = height[other], height[one]
    return levels.ranks(height)


# DS: the ways of the junction are vectors: x to the right, y ahead of the walker who comes to the sign.

WAYS = {"Straight": (0, 1), "Left": (-1, 0), "Right": (1, 0)}
SAID = {"straight on": (0, 1), "to the left": (-1, 0), "to the right": (1, 0), "gone straight on": (0, 1),
        "turned left": (-1, 0), "turned right": (1, 0)}  # fmt: skip
LINES = ("top line", "second line", "third line")
UNSIGNED = "the sign does not say"


class Junction:
    """The way of each entry of the sign, from the top line to the last, and the way of the walker."""

    def __init__(self, case: Case) -> None:
        [sign] = case.graph.objects
        lines = (sign.attributes.entry_A, sign.attributes.entry_B, sign.attributes.entry_C)
        self.ways = {entry.text: WAYS[entry.arrow] for entry in lines if entry is not None}
        self.walked = WAYS[case.graph.camera_movement.trajectory.rpartition("_then_")[2].capitalize()]

    def along(self, way: Sequence[int], unsigned: str = UNSIGNED) -> str:
        found = [text for text, other in self.ways.items() if other == tuple(way)]
        assert len(found) <= 1
        return found[0] if found else unsigned


def seen_from(way: Sequence[int], heading: float) -> tuple[int, int]:
    """Turn a way into the frame of somebody with a heading (radians clockwise from the walker's)."""
    x, y = way
    return round(x * cos(heading) - y * sin(heading)), round(x * sin(heading) + y * cos(heading))


@answers("DS-OE.a")
def on_the_sign(case: Case):
    return list(Junction(case).ways)


@answers("DS-OE.b")
def not_on_the_sign(case: Case):
    texts = {text.casefold() for text in Junction(case).ways}
    return lambda text: text not in texts


@answers("DS-OA.a")
def arrow_of(case: Case):
    way = Junction(case).ways[case.words["x"]]
    return [text for text, other in SAID.items() if other == way] + (["backwards"] if way == (0, -1) else [])


@answers("DS-FL.a")
def place_of_sign(case: Case):
    [sign] = case.graph.objects
    assert "hangs from the ceiling" in sign.attributes.placement
    return "top"


@answers("DS-FL.b")
def line_of(case: Case):
    return LINES[list(Junction(case).ways).index(case.words["x"])]


@answers("DS-OC.a")
def entries(case: Case):
    return str(len(Junction(case).ways))


@answers("DS-CM.a")
def way_at_junction(case: Case):
    return {(0, 1): "it goes straight on", (-1, 0): "it turns left and goes on", (1, 0): "it turns right and goes on"}[
        Junction(case).walked
    ]


@answers("DS-SL.a")
def signed_there(case: Case):
    return Junction(case).along(SAID[case.words["way"]])


@answers("DS-SL.c")
def walked_to(case: Case):
    junction = Junction(case)
    return junction.along(junction.walked)


@answers("DS-PT.a")
def for_who_comes(case: Case):
    way = seen_from(Junction(case).ways[case.words["x"]], pi)
    return {(0, 1): "straight ahead", (0, -1): "behind them", (-1, 0): "to their left", (1, 0): "to their right"}[way]


@answers("DS-CR.a")
def other_way(case: Case):
    junction = Junction(case)
    way = SAID[case.words["way"]]
    assert way != junction.walked
    return junction.along(way)


@answers("DS-CR.b")
def turned_arrow(case: Case):
    junction = Junction(case)
    way = SAID[case.words["way"]]
    assert junction.ways[case.words["x"]] != way
    junction.ways[case.words["x"]] = way
    return junction.along(junction.walked, "it cannot be told")
