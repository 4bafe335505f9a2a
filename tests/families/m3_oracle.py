"""A second opinion about questions of M3-Verse: reads a question as text, and answers it from the recordings.

It knows neither the writer nor the ids of the objects of a question: it finds the objects that the words fit.
"""

import re
from itertools import pairwise

import numpy as np

from chronotope.question import Question
from chronotope.recording import Scene

NONE = "No correct option is listed."
FIRST, SECOND = 0, 1
COLOURS = [
    "red",
    "orange",
    "yellow",
    "green",
    "blue",
    "purple",
    "pink",
    "brown",
    "white",
    "black",
    "golden",
    "grey",
    "silver",
]
ROUND, BOXED = {"round", "oval", "spherical", "cylindrical", "conical"}, {"rectangular", "square", "cubic"}
NOT_STATES = ("PlaceObjectAtPoint", "AddObject", "RemoveObject")


def words(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


class Oracle:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.plan = {room.id: room for room in scene.recordings[0].rooms}
        self.states = [_State(recording, self) for recording in scene.recordings]
        self.area = {name: _cells(room.floor)[1] for name, room in self.plan.items()}
        self.shape = {name: shape_by_cells(room.floor) for name, room in self.plan.items()}
        self.type = {name: words(room.type) for name, room in self.plan.items()}

    # Names

    def rooms_called(self, text: str) -> list[str]:
        """Find all rooms that a text fits."""
        if found := re.fullmatch(r"the room with (.+) in it", text):
            held = [self.states[k].called(found[1]) for k in (FIRST, SECOND)]
            places = [{self.states[k].objects[name]["room"] for name in held[k]} for k in (FIRST, SECOND)]
            return sorted(places[0] | places[1])
        if found := re.fullmatch(r"the (largest|smallest) (.+)", text):
            group = [name for name in self.plan if found[2] in ("room", self.type[name])]
            best = (max if found[1] == "largest" else min)(group, key=self.area.__getitem__)
            own = self.area[best]
            near = [name for name in group if abs(self.area[name] - own) < 0.1 * max(self.area[name], own) - 1e-9]
            return near
        if found := re.fullmatch(r"the (.+) room", text):
            shape = {"rectangular": "rectangle", "concave": "concave", "staircase-shaped": "staircase"}
            wanted = shape.get(found[1], found[1].replace("-shaped", "-shape"))
            by_shape = [name for name in self.plan if self.shape[name] == wanted]
            if by_shape and found[1] != "living":
                return by_shape
        return [name for name in self.plan if text == f"the {self.type[name]}"]

    def room(self, text: str) -> str:
        [name] = self.rooms_called(text)
        return name

    def thing(self, text: str, *states: int) -> str:
        """Find the one object that a text fits in each of some states."""
        found = {tuple(self.states[k].called(text)) for k in states}
        assert len(found) == 1, (text, found)
        [[name]] = found
        for k in states:
            assert self.states[k].objects[name]["count"] >= 5, text
        return name

    def either(self, text: str) -> str:
        """Find the one object that a text fits in any state."""
        found = {name for state in self.states for name in state.called(text)}
        assert len(found) == 1, (text, found)
        return found.pop()

    # Answers

    def check(self, question: Question) -> None:
        """Compare the answer of a question with the correct options."""
        options = [one.text or "" for one in question.options]
        right = self.right(question, [each for each in options if each != NONE])
        expected = {place for place, text in enumerate(options) if text in right}
        if not expected and NONE in options:
            expected = {options.index(NONE)}
        assert set(question.answer) == expected, (question.id, question.stem, options, question.answer, expected)
        assert len(set(options)) == len(options) <= 7
        assert question.multiple == (len(expected) > 1)
        assert (question.tags["hallucination"] == ("yes",)) == (
            expected == {options.index(NONE)} if NONE in options else False
        )

    def right(self, question: Question, options: list[str]) -> list[str]:
        [subtask] = question.tags["subtask"]
        stem = question.stem
        for names, regex, rule in RULES:
            if subtask in names.split():
                found = re.fullmatch(regex, stem) or re.fullmatch(PUBLISHED.get(subtask, regex), stem)
                assert found, (subtask, stem)
                return rule(self, options, subtask, *found.groups())
        raise AssertionError(f"no rule for {subtask}")


class _State:
    def __init__(self, recording, oracle: Oracle) -> None:
        self.oracle = oracle
        clip = recording.clip
        share = 40 / (1024 * 768)
        pixels = clip.width * clip.height if clip else 4 * recording.intrinsics[0, 2] * recording.intrinsics[1, 2]
        self.objects = {}
        for one in recording.entities:
            seen = np.flatnonzero(one.visible_pixels >= share * pixels)
            self.objects[one.id] = {
                "type": one.category,
                "room": one.attributes["room"],
                "colour": one.attributes.get("colour"),
                "shape": one.attributes.get("shape"),
                "parent": one.parent,
                "place": one.poses[0][:3, 3],
                "size": one.size,
                "tall": float(np.ptp(_corners(one)[:, 2])),
                "volume": float(np.prod(one.size)),
                "attributes": one.attributes,
                "frames": seen.tolist(),
                "count": len(seen),
                "shown": np.flatnonzero(one.visible_pixels).tolist(),
            }
        self.known = {name: each for name, each in self.objects.items() if each["shown"]}
        self.rooms = _rooms_along(recording.world_T_camera[:, :2, 3], oracle.plan)
        self.visits = _visits(self.rooms)

    def called(self, text: str) -> list[str]:
        """Find all shown objects that a text fits."""
        return sorted(name for name in self.known if self.fits(name, text))

    def fits(self, name: str, text: str) -> bool:
        one = self.known[name]
        kind = one["type"]
        assert text.startswith("the "), text
        body = text[4:]
        if body == kind or any(body == f"{colour} {kind}" and one["colour"] == colour for colour in COLOURS):
            return True
        if found := re.fullmatch(rf"(\S+) (?:(\S+) )?{re.escape(kind)}", body):
            group = next((each for each in (ROUND, BOXED) if found[1] in each), None)
            if group and found[2] in (None, *COLOURS):  # what has no shape, or a similar one, could be meant, too
                return one["shape"] in {None, *group} and found[2] in (None, one["colour"])
        if found := re.fullmatch(rf"{re.escape(kind)} with (.+) (?:in|on) it", body):
            return self._holds(name, found[1])
        if found := re.fullmatch(rf"{re.escape(kind)} (?:in|on) (the .+)", body):
            if found[1] in self._room_texts():
                return one["room"] in self.oracle.rooms_called(found[1])
            return one["parent"] in self.called(found[1])
        if found := re.fullmatch(rf"(smaller|smallest|larger|largest) {re.escape(kind)}(?: in (the .+))?", body):
            group = [other for other in self.known if self.known[other]["type"] == kind]
            if found[2]:
                places = self.oracle.rooms_called(found[2])
                group = [other for other in group if self.known[other]["room"] in places]
            if found[1].endswith("er") and len(group) != 2:
                return False
            volume = {other: self.known[other]["volume"] for other in group}
            if name not in volume:
                return False
            own = volume[name]
            rivals = [value for other, value in volume.items() if other != name]
            if found[1].startswith("small"):
                return own <= min(rivals) * 0.9 + 1e-12
            return own * 0.9 + 1e-12 >= max(rivals)
        return False

    def _room_texts(self) -> set[str]:
        types = set(self.oracle.type.values())
        found = {f"the {each}" for each in types} | {
            f"the {w} {each}" for w in ("largest", "smallest") for each in types
        }
        shapes = (
            "rectangular",
            "concave",
            "staircase-shaped",
            "L-shaped",
            "T-shaped",
            "Z-shaped",
            "largest",
            "smallest",
        )
        return found | {f"the {each} room" for each in shapes}

    def _holds(self, name: str, text: str) -> bool:
        held = [other["type"] for other in self.known.values() if other["parent"] == name]
        for part in re.split(r", | and ", text):
            if found := re.fullmatch(r"an? (.+)", part):
                enough = held.count(found[1]) >= 1
            else:
                number, _, kinds = part.partition(" ")
                enough = any(held.count(kind) >= int(number) and several(kind) == kinds for kind in set(held))
            if not enough:
                return False
        return True

    def carries(self, low: str, high: str) -> bool:
        while (high := self.objects.get(high, {}).get("parent")) is not None:
            if high == low:
                return True
        return False


def several(noun: str) -> str:
    head, of, rest = noun.partition(" of ")
    special = {"potato": "potatoes", "tomato": "tomatoes", "knife": "knives", "loaf": "loaves", "shelf": "shelves"}
    last = head.split()[-1]
    if last in special:
        head = head[: -len(last)] + special[last]
    elif re.search(r"(s|x|ch|sh)$", head):
        head += "es"
    elif re.search(r"[^aeiou]y$", head):
        head = head[:-1] + "ies"
    else:
        head += "s"
    return head + of + rest


def _corners(entity) -> np.ndarray:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2
    return (signs * entity.size) @ entity.poses[0][:3, :3].T + entity.poses[0][:3, 3]


# Rooms


def _cells(floor: np.ndarray) -> tuple[np.ndarray, float]:
    """Cut the bounding box of a floor with right angles into cells; return which are floor, and the floor's area."""
    xs, ys = np.unique(floor[:, 0]), np.unique(floor[:, 1])
    middles = np.stack(np.meshgrid((xs[1:] + xs[:-1]) / 2, (ys[1:] + ys[:-1]) / 2, indexing="ij"), -1)
    filled = np.array([[_turns(floor, point) for point in row] for row in middles])
    return filled, float((np.outer(np.diff(xs), np.diff(ys)) * filled).sum())


def _turns(floor: np.ndarray, point: np.ndarray) -> bool:
    """Check whether a floor goes round a point, by the sum of angles."""
    towards = floor - point
    angles = np.arctan2(towards[:, 1], towards[:, 0])
    steps = (np.diff(np.append(angles, angles[0])) + np.pi) % (2 * np.pi) - np.pi
    return abs(steps.sum()) > np.pi


def shape_by_cells(floor: np.ndarray) -> str:
    """Name the shape of a floor by what it lacks of its bounding box."""
    filled, _ = _cells(floor)
    lacking = {(int(i), int(j)) for i, j in zip(*np.nonzero(~filled), strict=True)}
    pieces = []
    while lacking:
        piece, edge = set(), [min(lacking)]
        while edge:
            i, j = edge.pop()
            if (i, j) in lacking:
                lacking.discard((i, j))
                piece.add((i, j))
                edge += [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
        pieces.append(piece)
    high = filled.shape[0] - 1, filled.shape[1] - 1
    corners = [(0, 0), (0, high[1]), high, (high[0], 0)]
    if not pieces:
        return "rectangle"
    touched = [[k for k, corner in enumerate(corners) if corner in piece] for piece in pieces]
    full = [_is_box(piece) for piece in pieces]
    if len(pieces) == 1 and all(full):
        if len(touched[0]) == 1:
            return "L-shape"
        return "concave" if not touched[0] and _sides(pieces[0], high) == 1 else "other shape"
    if len(pieces) == 1 and len(touched[0]) == 1 and filled.shape == (3, 3) and len(pieces[0]) == 3:
        return "concave" if (1, 1) in pieces[0] else "staircase"  # a notch between arms of different length
    if len(pieces) == 2 and all(full) and all(len(each) == 1 for each in touched):
        return "Z-shape" if (touched[0][0] - touched[1][0]) % 2 == 0 else "T-shape"
    return "other shape"


def _is_box(piece: set) -> bool:
    (i, j), (k, m) = np.min(list(piece), axis=0), np.max(list(piece), axis=0)
    return len(piece) == (k - i + 1) * (m - j + 1)


def _sides(piece: set, high: tuple) -> int:
    return sum(any(cell[axis] == end for cell in piece) for axis in (0, 1) for end in (0, high[axis]))


def _rooms_along(way: np.ndarray, plan: dict) -> list[str]:
    found: list[str] = []
    for point in way:
        away = {name: 0.0 if _turns(room.floor, point) else _reach(room.floor, point) for name, room in plan.items()}
        on_border = {name: _reach(room.floor, point) < 1e-6 for name, room in plan.items()}
        inside = [name for name in plan if away[name] == 0.0 and not on_border[name]]
        if inside:
            found.append(inside[0])
            continue
        near = [name for name in plan if away[name] <= min(away.values()) + 1e-6 or on_border[name]]
        found.append(found[-1] if found and found[-1] in near else near[0])
    return found


def _reach(floor: np.ndarray, point: np.ndarray) -> float:
    best = np.inf
    for one, two in zip(floor, np.roll(floor, -1, axis=0), strict=True):
        along = np.clip((point - one) @ (two - one) / ((two - one) @ (two - one)), 0, 1)
        best = min(best, float(np.hypot(*(one + along * (two - one) - point))))
    return best


def _visits(rooms: list[str]) -> list[tuple[str, int, int]]:
    """Return the room, first and last frame of each visit; a visit of one or two frames joins the one before it."""
    told = list(rooms)
    while True:
        starts = [0] + [k for k in range(1, len(told)) if told[k] != told[k - 1]] + [len(told)]
        short = [(a, b) for a, b in pairwise(starts) if b - a < 3]
        if not short or len(starts) == 2:
            return [(told[a], a, b - 1) for a, b in pairwise(starts)]
        a, b = short[0]
        told[a:b] = [told[a - 1] if a else told[b]] * (b - a)


# Rules: the subtasks, the stem, and the function that returns the correct options.

V = r"the (first|second) video"


def _k(word: str) -> int:
    """Return the number of a video; published words about moves do not tell it for a name, and mean the first."""
    return ("first", "second").index(word or "first")


def _in_range(value: float, options: list[str]) -> list[str]:
    factor = {"cm": 100.0, "m": 1.0, "square meters": 1.0}
    right = []
    for text in options:
        low, unit, high = re.fullmatch(r"([\d.]+) (.+) - ([\d.]+) \2", text).groups()
        if float(low) - 0.005 <= value * factor[unit] < float(high) + 0.005:
            right.append(text)
    return right


def _best(values: dict[str, float], sign: int) -> list[str]:
    best = max(sign * value for value in values.values())
    return [text for text, value in values.items() if sign * value == best]


def _sign(subtask: str) -> int:
    return 1 if re.search("longest|largest|latest", subtask) else -1


def _flat(state: _State, one: str, other: str) -> float:
    return float(np.hypot(*(state.objects[one]["place"] - state.objects[other]["place"])[:2]))


def _closest(o, options, subtask, target, v):
    k = _k(v)
    own = o.thing(target, k)
    return _best({text: _flat(o.states[k], own, o.thing(text, k)) for text in options}, _sign(subtask))


def _distance(o, options, subtask, one, other, v):
    k = _k(v)
    return _in_range(_flat(o.states[k], o.thing(one, k), o.thing(other, k)), options)


def _connected(o, options, subtask):
    right = []
    for text in options:
        one, other = (o.room(each) for each in text.split(" -- "))
        if other in o.plan[one].connections or one in o.plan[other].connections:
            right.append(text)
    return right


FUNCTIONS = {"bedroom": "sleeping", "kitchen": "cooking", "living room": "entertaining", "bathroom": "bathing"}


def _contents(o, options, subtask, name, v):
    k = _k(v)
    own = o.thing(name, k)
    return [text for text in options if o.states[k].objects[o.thing(text, k)]["parent"] == own]


def _count_things(o, kinds, k, room=None):
    state = o.states[k]
    return sum(
        each["count"] >= 5 and several(each["type"]) == kinds and room in (None, each["room"])
        for each in state.objects.values()
    )


def _number(value, options):
    return [text for text in options if text == str(value)]


def _observed(o, options, subtask, v):
    k = _k(v)
    return _best({text: o.states[k].objects[o.thing(text, k)]["count"] for text in options}, _sign(subtask))


def _appeared(o, options, subtask, moment, order, v):
    k, end = _k(v), 0 if moment == "first" else -1
    values = {text: o.states[k].objects[o.thing(text, k)]["frames"][end] for text in options}
    return _best(values, 1 if order == "latest" else -1)


def _stay(o, options, subtask, v):
    return _best({text: o.states[_k(v)].rooms.count(o.room(text)) for text in options}, _sign(subtask))


def _after(o, options, subtask, room, v):
    visits, own = o.states[_k(v)].visits, o.room(room)
    after = {b[0] for a, b in pairwise(visits) if a[0] == own}
    return [text for text in options if o.room(text) in after]


def _visit_count(o, room, *states):
    return sum(visit[0] == o.room(room) for k in states for visit in o.states[k].visits)


def _visit(o, k, order):
    return o.states[k].visits[int(order) - 1]


def _nth_objects(o, options, subtask, order, v):
    k = _k(v)
    room, first, last = _visit(o, k, order)
    right = []
    for text in options:
        one = o.states[k].objects[o.thing(text, k)]
        during = [frame for frame in one["frames"] if first <= frame <= last]
        if one["room"] == room:
            assert len(during) >= 5, text
            right.append(text)
        else:
            assert not [frame for frame in one["shown"] if first <= frame <= last], text
    return right


def _moved_far(o, options, subtask, name, v):
    own = o.thing(name, _k(v))
    places = [state.objects[own]["place"][:2] for state in o.states]
    return _in_range(float(np.hypot(*(places[1] - places[0]))), options)


def _was_on(o, options, subtask, name, shown, asked):
    own, k = o.thing(name, _k(shown)), _k(asked)
    return [text for text in options if o.states[k].objects[own]["parent"] == o.thing(text, k)]


def _from_to(o, options, subtask, name, v):
    own = o.thing(name, _k(v))
    old, new = (state.objects[own]["parent"] for state in o.states)
    right = []
    for text in options:
        ends = {
            (o.thing(one, FIRST), o.thing(other, SECOND))
            for one, other in ((text[5 : at.start()], text[at.end() :]) for at in re.finditer(" to (?=the )", text))
        }
        if ends == {(old, new)} and old != new:
            right.append(text)
    return right


def _only(o, options, subtask, *_):
    k = SECOND if subtask.startswith("new") else FIRST
    found = {text: o.either(text) for text in options}
    return [text for text, name in found.items() if name in o.states[k].known and name not in o.states[1 - k].known]


def _changed_rooms(o, options, subtask, v):
    names = {text: o.thing(text, _k(v)) for text in options}
    return [
        text
        for text, name in names.items()
        if o.states[FIRST].objects[name]["room"] != o.states[SECOND].objects[name]["room"]
    ]


def _total(o, options, subtask):
    def value(name):
        one, two = (state.objects[name]["count"] for state in o.states)
        return abs(one - two) if "diff" in subtask else one + two

    sign = 1 if subtask == "object_observation_comparison" else _sign(subtask)
    return _best({text: value(o.thing(text, FIRST, SECOND)) for text in options}, sign)


def _altered(o, options, subtask, room=None):
    log = {one.object for one in o.scene.changes if one.operation not in NOT_STATES}
    names = {text: o.thing(text, FIRST, SECOND) for text in options}
    if room is not None:
        assert {o.states[k].objects[name]["room"] for name in names.values() for k in (0, 1)} <= {o.room(room)}
    ignored = ("room",)
    for name in names.values():
        told = [{k: v for k, v in s.objects[name]["attributes"].items() if k not in ignored} for s in o.states]
        assert (told[0] != told[1]) == (name in log), name
    return [text for text, name in names.items() if name in log]


def _shifted(o, options, subtask, room):
    names = {text: o.thing(text, FIRST, SECOND) for text in options}
    places = {text: [state.objects[name]["place"] for state in o.states] for text, name in names.items()}
    return [text for text, (one, two) in places.items() if not np.allclose(one, two, atol=0.01)]


STATE_WORDS = {
    "toggle": ("on", {"True": "on", "False": "off"}),
    "cleanliness": ("dirty", {"True": "dirty", "False": "clean"}),
    "cooking": ("cooked", {"True": "cooked", "False": "uncooked"}),
    "liquid": ("liquid", {"None": "empty", "water": "water", "coffee": "coffee", "wine": "wine"}),
    "breaking": ("broken", {"True": "broken", "False": "intact"}),
    "slicing": ("sliced", {"True": "sliced", "False": "whole"}),
    "usage": ("used_up", {"True": "used up", "False": "available"}),
}


def _compared(o, options, subtask, name):
    own = o.thing(name, FIRST, SECOND)
    told = []
    for state in o.states:
        attributes = state.objects[own]["attributes"]
        if subtask.startswith("openness"):
            value = float(attributes["openness"])
            told.append("fully closed" if value == 0 else "fully open" if value == 1 else "partially open")
        else:
            key, meaning = STATE_WORDS[subtask.split("_")[0]]
            told.append(meaning[attributes[key]])
    one, two = told
    answer = f"{one} in both videos" if one == two else f"{one} in the first video and {two} in the second video"
    return [text for text in options if text == answer]


def _longest_stay(o, options, subtask):
    values = {text: sum(state.rooms.count(o.room(text)) for state in o.states) for text in options}
    return _best(values, _sign(subtask))


def _combination(o, options, subtask):
    values = {}
    for text in options:
        room, v = re.fullmatch(rf"(.+) in {V}", text).groups()
        values[text] = o.states[_k(v)].rooms.count(o.room(room))
    return _best(values, _sign(subtask))


def _more_visits(o, options, subtask, v):
    k = _k(v)
    return [text for text in options if _visit_count(o, text, k) > _visit_count(o, text, 1 - k)]


def _visited(o, options, subtask):
    wanted = {"both": (True, True), "1": (True, False), "2": (False, True)}[re.search("both|1|2", subtask)[0]]
    return [text for text in options if tuple(_visit_count(o, text, k) > 0 for k in (0, 1)) == wanted]


def _same_look(o, options, subtask, first, second):
    looks = o.type if subtask.endswith("type") else o.shape
    one, two = (looks[_visit(o, k, order)[0]] for k, order in enumerate((first, second)))
    answer = f"Yes, the same: {one}" if one == two else f"No, {one} in the first video and {two} in the second video"
    return [text for text in options if text == answer]


def _larger(o, options, subtask, first, second):
    one, two = (o.area[_visit(o, k, order)[0]] for k, order in enumerate((first, second)))
    excess = 100 * (max(one, two) - min(one, two)) / min(one, two)
    right = []
    for text in options:
        v, low, high = re.fullmatch(rf"The room in {V}, by (\d+)% to (\d+)%", text).groups()
        if (one > two) == (v == "first") and int(low) <= excess <= int(high):
            right.append(text)
    return right


def _same_room(o, options, subtask, first, second):
    same = _visit(o, FIRST, first)[0] == _visit(o, SECOND, second)[0]
    return ["Yes" if same else "No"]


BOTH = "the first video and the second video"
ORDERS = r"the (\d+)(?:st|nd|rd|th) visited room in the first video {} the (\d+)(?:st|nd|rd|th) visited room in the "
PUBLISHED = {
    "room_type": r"What type of (.+) is\?",
    "room_type_count": r"How many (.+) are there in this scene\?",
    "object_distance_estimation": rf"What is the distance between (.+?) and (the .+) at {V}\?",
    "object_distance_shortest_comparison": rf"Which object is closer to (.+) at {V}\?",
    "object_distance_longest_comparison": rf"Which object is farthest from (.+) at {V}\?",
    "object_color": rf"What color is (.+) at {V}\?",
    **{f"object_{key}": rf"What is the {key} of (.+) at {V}\?" for key in ("shape", "height", "length")},
    "object_room_location": rf"In which room is (.+) located at {V}\?",
    "object_type_num_in_room": rf"How many (.+) are there in (the .+) at {V}\?",
    "object_type_num_in_scene": rf"How many (.+) are there in the entire scene at {V}\?",
    "object_receptacle_location": rf"What is (.+) placed on at {V}\?",
    "receptacle_contents": rf"What objects are in (.+) at {V}\?",
    "room_visit_order": rf"Which rooms were visited after (.+) at {V}\?",
    **dict.fromkeys(
        ["object_observation_longest", "object_observation_shortest", "room_longest_time", "room_shortest_time"],
        rf".+ at {V}\?",
    ),
    **{
        f"object_{moment}_appearance_{end}": rf".+ was (first|last) observed (earliest|latest) at {V}\?"
        for moment in ("first", "last")
        for end in ("earliest", "latest")
    },
    "room_visit_count": rf"How many times did the observer visit (.+) at {V}\?",
    **{
        f"nth_visit_room_{key}": rf"What is the {key} of the room (\d+)(?:st|nd|rd|th) visited at {V}\?"
        for key in ("area", "type", "shape")
    },
    "nth_visit_room_objects": rf"Which objects are observed in the room (\d+)(?:st|nd|rd|th) visited at {V}\?",
    "movement_distance": r"How far was (.+) moved from the first() video to the second video\?",
    "movement_between_receptacles": r"Where did (.+) move from the first() video to the second video\?",
    "objects_room_movement": r"Which of the following objects changed rooms between the first() video and .+",
    **{
        f"{key}_state_comparison": rf"What was the .+? of (the .+) in {BOTH}\?"
        for key in ("openness", "toggle", "cleanliness", "cooking", "liquid", "breaking")
    },
    "room_visit_count_comparison": rf"Which room was visited more times in {V} compared to .+",
    "total_room_visits": rf"How many times did the observer visit (.+) in total across {BOTH}\?",
    "nth_mth_visit_room_type": f"Do {ORDERS.format('and')}.+",
    "nth_mth_visit_room_shape": f"Do {ORDERS.format('and')}.+",
    "nth_mth_visit_room_size": f".+: {ORDERS.format('or')}.+",
    "nth_mth_visit_room_same": f"Are {ORDERS.format('and')}.+",
}
N = r"the room that was visited (\d+)(?:st|nd|rd|th)"
RULES = [
    ("scene_area", r".+", lambda o, options, s: _in_range(sum(o.area.values()), options)),
    ("room_area", r"What is the area of (.+)\?", lambda o, options, s, r: _in_range(o.area[o.room(r)], options)),
    ("room_type", r"What type of room is (.+)\?", lambda o, options, s, r: [o.type[o.room(r)]]),
    ("room_function", r"What is (.+) used for\?", lambda o, options, s, r: [FUNCTIONS[o.type[o.room(r)]]]),
    ("room_shape", r"What is the shape of (.+)\?", lambda o, options, s, r: [o.shape[o.room(r)]]),
    ("scene_room_types", r".+", lambda o, options, s: [text for text in options if text in o.type.values()]),
    (
        "room_type_count",
        r"How many (.+) are there in this home\?",
        lambda o, options, s, kinds: _number(sum(several(each) == kinds for each in o.type.values()), options),
    ),
    ("room_connectivity_pair", r".+", _connected),
    ("object_distance_estimation", rf"What is the distance between (.+?) and (the .+) in {V}\?", _distance),
    (
        "object_distance_shortest_comparison object_distance_longest_comparison",
        rf"Which object is (?:closest to|farthest from) (.+) in {V}\?",
        _closest,
    ),
    (
        "object_color",
        rf"What color is (.+) in {V}\?",
        lambda o, options, s, name, v: [o.states[_k(v)].objects[o.thing(name, _k(v))]["colour"]],
    ),
    (
        "object_shape",
        rf"What is the shape of (.+) in {V}\?",
        lambda o, options, s, name, v: [o.states[_k(v)].objects[o.thing(name, _k(v))]["shape"]],
    ),
    (
        "object_height",
        rf"What is the height of (.+) in {V}\?",
        lambda o, options, s, name, v: _in_range(o.states[_k(v)].objects[o.thing(name, _k(v))]["tall"], options),
    ),
    (
        "object_length",
        rf"What is the length of (.+) in {V}\?",
        lambda o, options, s, name, v: _in_range(
            max(o.states[_k(v)].objects[o.thing(name, _k(v))]["size"][:2]), options
        ),
    ),
    (
        "object_room_location",
        rf"In which room is (.+) located in {V}\?",
        lambda o, options, s, name, v: [
            text for text in options if o.states[_k(v)].objects[o.thing(name, _k(v))]["room"] == o.room(text)
        ],
    ),
    (
        "object_type_num_in_room",
        rf"How many (.+) are there in (the .+) in {V}\?",
        lambda o, options, s, kinds, room, v: _number(_count_things(o, kinds, _k(v), o.room(room)), options),
    ),
    (
        "object_type_num_in_scene",
        rf"How many (.+) are there in the entire home in {V}\?",
        lambda o, options, s, kinds, v: _number(_count_things(o, kinds, _k(v)), options),
    ),
    (
        "object_receptacle_location",
        rf"What is (.+) placed on or in, in {V}\?",
        lambda o, options, s, name, v: _was_on(o, options, s, name, v, v),
    ),
    ("receptacle_contents", rf"What objects are on or in (.+) in {V}\?", _contents),
    ("room_visit_order", rf"Which rooms were visited directly after (.+) in {V}\?", _after),
    ("object_observation_longest object_observation_shortest", rf".+ in {V}\?", _observed),
    ("room_longest_time room_shortest_time", rf".+ in {V}\?", _stay),
    (
        "object_first_appearance_earliest object_first_appearance_latest "
        "object_last_appearance_earliest object_last_appearance_latest",
        rf".+ was (first|last) observed (earliest|latest) in {V}\?",
        _appeared,
    ),
    (
        "room_visit_count",
        rf"How many times did the observer visit (.+) in {V}\?",
        lambda o, options, s, room, v: _number(_visit_count(o, room, _k(v)), options),
    ),
    (
        "nth_visit_room_area",
        rf"What is the area of {N} in {V}\?",
        lambda o, options, s, n, v: _in_range(o.area[_visit(o, _k(v), n)[0]], options),
    ),
    (
        "nth_visit_room_type",
        rf"What is the type of {N} in {V}\?",
        lambda o, options, s, n, v: [o.type[_visit(o, _k(v), n)[0]]],
    ),
    (
        "nth_visit_room_shape",
        rf"What is the shape of {N} in {V}\?",
        lambda o, options, s, n, v: [o.shape[_visit(o, _k(v), n)[0]]],
    ),
    ("nth_visit_room_objects", rf"Which objects of {N} are observed during this visit in {V}\?", _nth_objects),
    ("movement_distance", rf"Look at (.+) in {V}\. .+", _moved_far),
    ("old_receptacle new_receptacle", rf"Look at (.+) in {V}\. On or in .+ in {V}\?", _was_on),
    ("movement_between_receptacles", rf"Look at (.+) in {V}\. .+", _from_to),
    ("new_visible_objects lost_visible_objects", r".+", _only),
    ("objects_room_movement", rf"Which of the following objects of {V} changed .+", _changed_rooms),
    (
        "longest_observed_object_type shortest_observed_object_type largest_diff_observation_time "
        "smallest_diff_observation_time object_observation_comparison",
        r".+",
        _total,
    ),
    ("attribute_changed_objects", r".+", _altered),
    ("room_attribute_changed_objects", r"In (.+), which of the .+", _altered),
    ("room_position_changes", r"In (.+), which objects .+", _shifted),
    (
        "openness_state_comparison toggle_state_comparison cleanliness_state_comparison cooking_state_comparison "
        "liquid_state_comparison breaking_state_comparison",
        r"What was the .+? of (the .+) in the first video and in the second video\?",
        _compared,
    ),
    ("slicing_state_change usage_state_change", r"Was (.+) (?:sliced|used up) between .+", _compared),
    ("longest_stay_room shortest_stay_room", r".+", _longest_stay),
    ("cross_state_longest_room_comparison cross_state_shortest_room_comparison", r".+", _combination),
    ("room_visit_count_comparison", rf"Which room was visited more times in {V} than .+", _more_visits),
    (
        "total_room_visits",
        r"How many times did the observer visit (.+) in total in both videos\?",
        lambda o, options, s, room: _number(_visit_count(o, room, FIRST, SECOND), options),
    ),
    ("rooms_visited_both_states rooms_visited_only_state1 rooms_visited_only_state2", r".+", _visited),
    ("nth_mth_visit_room_type nth_mth_visit_room_shape", rf"Do {N} in the first video and {N} in .+", _same_look),
    ("nth_mth_visit_room_size", rf".+: {N} in the first video or {N} in .+", _larger),
    ("nth_mth_visit_room_same", rf"Are {N} in the first video and {N} in .+", _same_room),
]
