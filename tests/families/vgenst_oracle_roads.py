"""Second opinions about roads and flights (RV, LS, BT): vehicles with speeds, a camera in the air, and hazards."""

import re
from itertools import pairwise
from math import atan2, hypot, pi

import numpy as np
from vgenst_oracle_cases import NUMBERS, Case, answers, listed, side_of

# RV: vehicles on three lanes; x goes to the right of the camera, y ahead, both in metres.

LANE = 3.5
CUES = (2.5, 5.0)  # s, when the first and the second vehicle are beside the camera
CLIP, LATER = 8.0, 60.0  # s
VIEW = pi / 4  # half the horizontal angle of view
LANES = {"left lane": -LANE, "middle lane": 0.0, "right lane": LANE}


class Road:
    """The vehicles with their places at the start and their speeds; ``speeds`` replaces those of the script."""

    def __init__(self, case: Case, speeds: dict[str, float] | None = None) -> None:
        self.things = {thing.id: thing for thing in case.graph.objects}
        told = {name: thing.motion.speed for name, thing in self.things.items()}
        order = ["slower", "faster"] if case.graph.params.overtake_order == "slower_first" else ["faster", "slower"]
        self.start = {"ego": 0.0}
        for cue, role in zip(CUES, order, strict=True):
            self.start[f"obj_{role}"] = (told["ego"] - told[f"obj_{role}"]) * cue
        self.lane = {name: LANES[thing.position] for name, thing in self.things.items()}
        self.speed = told | (speeds or {})
        self.movers = [name for name in self.things if name != "ego"]

    def place(self, name: str, time: float, seen_from: str = "ego") -> np.ndarray:
        """Return a place relative to a vehicle at a time."""
        at = {n: np.array([self.lane[n], self.start[n] + self.speed[n] * time]) for n in (name, seen_from)}
        return at[name] - at[seen_from]

    def is_seen(self, name: str, time: float) -> bool:
        x, y = self.place(name, time)
        return y > 0 and abs(atan2(x, y)) < VIEW

    def first_seen(self, name: str) -> float | None:
        return next((t for t in np.arange(0, CLIP, 0.02) if self.is_seen(name, t)), None)

    def changes(self, name: str, seen_from: str = "ego", until: float = CLIP) -> tuple[float, float]:
        """Return how far ahead a vehicle is at the start and at the end."""
        return self.place(name, 0, seen_from)[1], self.place(name, until, seen_from)[1]

    def with_way(self, ahead: bool) -> list[str]:
        """Find all vehicles that get ahead of the camera, or fall behind it."""
        return [name for name in self.movers if (np.diff(self.changes(name))[0] > 0) == ahead]


def told_of(case: Case, names: list[str]):
    """Name one of the vehicles, both, or neither."""
    labels = {thing.id: thing.label for thing in case.graph.objects}
    return labels[names[0]] if len(names) == 1 else "both of them" if names else "neither of them"


@answers("RV-FL.a")
def side_at_first(case: Case):
    road, name = Road(case), case.thing(case.words["x"]).id
    assert road.is_seen(name, 0)
    return side_of(road.place(name, 0)[0])


@answers("RV-FL.b")
def side_of_entry(case: Case):
    road, name = Road(case), case.thing(case.words["x"]).id
    when = road.first_seen(name)
    assert when is not None and when > 0
    x, y = road.place(name, when)
    assert abs(x / y) > 1 / 3
    return side_of(x)


@answers("RV-IT.a")
def overtakes(case: Case):
    road = Road(case)
    return told_of(case, [name for name in road.movers if road.changes(name)[0] < 0 < road.changes(name)[1]])


@answers("RV-AR.a")
def motion(case: Case):
    before, after = Road(case).changes(case.thing(case.words["x"]).id)
    if before < 0 < after:
        return "it passes and gets smaller ahead"
    assert before > 0 > after
    return "it comes nearer and falls back"


@answers("RV-AR.b")
def slower_ones(case: Case):
    return told_of(case, Road(case).with_way(ahead=False))


@answers("RV-OC.a")
def left_behind(case: Case):
    return str(len(Road(case).with_way(ahead=False)))


@answers("RV-OC.b")
def leaving(case: Case):
    return str(len(Road(case).with_way(ahead=True)))


@answers("RV-TO.a")
def last_in_view(case: Case):
    road = Road(case)
    seen = {name: road.first_seen(name) for name in road.movers}
    assert None not in seen.values()
    last = max(seen.values())
    late = [road.things[name].label for name, when in seen.items() if when == last]
    return late if len(late) == 1 else "both at the same time"


@answers("RV-CM.a")
def drives(case: Case):
    assert Road(case).speed["ego"] > 1
    return "it drives forward at a constant speed"


@answers("RV-CM.b")
def compared(case: Case):
    before, after = Road(case).changes(case.thing(case.words["x"]).id)
    return "faster" if after < before else "slower"


@answers("RV-SL.a")
def lane_of(case: Case):
    x = Road(case).place(case.thing(case.words["x"]).id, 1.0)[0]
    return f"on the {side_of(x)} lane" if x else "on the same lane"


@answers("RV-PT.a")
def camera_seen_from(case: Case):
    road, name = Road(case), case.thing(case.words["x"]).id
    before, after = road.changes("ego", seen_from=name)
    side = side_of(road.place("ego", 0, seen_from=name)[0])
    return f"it passes on the {side}" if after > before else f"it falls back on the {side}"


@answers("RV-PT.b")
def faster_than(case: Case):
    """Let all drive on for long, and see who is then farther ahead of a vehicle than before."""
    road, name = Road(case), case.thing(case.words["x"]).id
    gaining = {other for other in road.things if other != name
               and np.diff(road.changes(other, seen_from=name, until=LATER))[0] > 0}  # fmt: skip
    [other] = [each for each in road.movers if each != name]
    if len(gaining) != 1:
        return f"the camera's vehicle and the {road.things[other].label}" if gaining else "neither of the two"
    return "only the camera's vehicle" if "ego" in gaining else f"only the {road.things[other].label}"


@answers("RV-CR.a", "RV-CR.b")
def other_speed(case: Case):
    name = case.thing(case.words["x"]).id
    told = Road(case)
    behind = told.changes(name)[0] < 0
    pace = told.speed["ego"]
    road = Road(case, {name: pace - 6 if behind else pace + 6})
    before, after = road.changes(name)
    if road.first_seen(name) is None:
        return "it would never come into view"
    assert after > before > 0
    return "it would pull away ahead of the camera"


@answers("RV-CR.c")
def swapped_speeds(case: Case):
    one, other = (told := Road(case)).movers
    road = Road(case, {one: told.speed[other], other: told.speed[one]})
    return told_of(case, road.with_way(ahead=True))


@answers("RV-PR.a")
def place_later(case: Case):
    after = Road(case).changes(case.thing(case.words["x"]).id, until=LATER)[1]
    assert abs(after) > 50
    return "far ahead of the camera" if after > 0 else "far behind the camera"


# LS: landmarks are points; the camera climbs, flies over them and descends. x goes to the east, y to the north.

NAMES = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")
VECTORS = {name: np.array([np.sin(k * pi / 4), np.cos(k * pi / 4)]) for k, name in enumerate(NAMES)}
HALF_PICTURE = np.array([0.80, 0.45])  # of the height of the camera: half the ground that it sees, east and north
LEAST_MARGIN = 4.0  # degrees from the border of an octant


def compass(vector: np.ndarray) -> str:
    """Name the direction of a vector; it must not be near the border of two."""
    near = sorted(VECTORS, key=lambda name: -float(VECTORS[name] @ vector))
    off = np.degrees(np.arccos(np.clip(VECTORS[near[0]] @ vector / hypot(*vector), -1, 1)))
    assert off < 22.5 - LEAST_MARGIN, (vector, off)
    return near[0]


class Flight:
    """The landmarks, and the corners of the flight over the ground."""

    def __init__(self, case: Case) -> None:
        self.at = {thing.label.casefold(): np.array(thing.place) for thing in case.graph.objects}
        stations = [self.at[thing.label.casefold()] for thing in sorted(case.graph.objects, key=lambda t: t.role)]
        composed = "_then_" in case.graph.camera_movement.trajectory
        self.stations = stations if composed else [stations[0], stations[2]]
        self.heights = case.graph.camera_movement.low_height, case.graph.camera_movement.high_height

    def of(self, case: Case, word: str) -> np.ndarray:
        return self.at[case.thing(case.words[word]).label.casefold()]

    @property
    def end(self) -> np.ndarray:
        return self.stations[-1]

    @property
    def last_leg(self) -> np.ndarray:
        return self.stations[-1] - self.stations[-2]

    def looks(self):
        """Yield the places and heights of the camera: up, along the stations, and down."""
        low, high = self.heights
        for height in np.linspace(low, high, 40):
            yield self.stations[0], height
        for a, b in pairwise(self.stations):
            for share in np.linspace(0, 1, 200):
                yield a + share * (b - a), high
        for height in np.linspace(high, low, 40):
            yield self.end, height

    def first_seen(self, label: str) -> int:
        looks = enumerate(self.looks())
        return next(k for k, (eye, h) in looks if (abs(self.at[label] - eye) < HALF_PICTURE * h).all())


@answers("LS-OA.b")
def roof(case: Case):
    [found] = case.graph.of_role(f"landmark_{NUMBERS[case.words['number']]}")
    flight = Flight(case)
    order = sorted(flight.at, key=flight.first_seen)
    assert order.index(found.label.casefold()) + 1 == NUMBERS[case.words["number"]]
    return found.attributes.rooftop_shape


@answers("LS-TO.a")
def order_of_landmarks(case: Case):
    flight = Flight(case)
    seen = {label: flight.first_seen(label) for label in flight.at}
    assert len(set(seen.values())) == 3
    return listed(sorted(seen, key=seen.__getitem__))


@answers("LS-CM.a")
def flies(case: Case):
    low, high = Flight(case).heights
    assert high > low
    return "it climbs, flies on and descends"


@answers("LS-CM.b")
def last_direction(case: Case):
    return compass(Flight(case).last_leg)


@answers("LS-SL.a")
def from_there(case: Case):
    flight = Flight(case)
    return compass(flight.of(case, "x") - flight.of(case, "y"))


@answers("LS-PT.a", "LS-PT.b")
def looks_towards(case: Case):
    flight = Flight(case)
    return compass(flight.of(case, "y") - flight.of(case, "x"))


@answers("LS-SL.b")
def nearer(case: Case):
    flight = Flight(case)
    here = flight.of(case, "x")
    away = {label: hypot(*(place - here)) for label, place in flight.at.items() if label in case.options}
    one, other = sorted(away, key=away.__getitem__)
    assert away[other] > 1.3 * away[one]
    return one


@answers("LS-CR.a")
def flown_back(case: Case):
    flight = Flight(case)
    camera = flight.stations[-2] - flight.last_leg
    return compass(flight.of(case, "x") - camera)


@answers("LS-CR.b")
def on_the_other_side(case: Case):
    flight = Flight(case)
    here = 2 * flight.of(case, "y") - flight.of(case, "x")
    return compass(flight.of(case, "z") - here)


@answers("LS-PR.a")
def flown_on(case: Case):
    flight = Flight(case)
    return compass(flight.of(case, "x") - (flight.end + 20 * flight.last_leg))


# BT: a vehicle on a way, and a hazard that is on the way for a time. The vehicle brakes while the way is not free.

SPEED, BRAKING = 8.0, 8.0  # m/s, m/s2
AHEAD = 24.0  # m from the vehicle's start to where the hazard crosses
STEP = 0.05  # s


class Drive:
    """The speed of the vehicle over time, and the events."""

    def __init__(self, case: Case, without: str | None = None) -> None:
        enters, reacts = (step.action_description for step in case.graph.temporal_flow.action_sequence)
        [hazard] = case.graph.of_role("trigger")
        assert hazard.label in enters
        if "stays where it is" in reacts:
            on_way = (1.8, np.inf)
        elif "has left the path, and resumes" in reacts:
            on_way = (1.8, 4.6)
        else:
            assert "has left the path before" in reacts
            on_way = (0.3, 1.2)
        self.on_way = on_way if without != hazard.id else (np.inf, np.inf)
        self.times = np.arange(0, 8, STEP)
        self.speeds = self._drive()

    def _drive(self) -> np.ndarray:
        place, speed, speeds = 0.0, SPEED, []
        for time in self.times:
            blocked = self.on_way[0] <= time < self.on_way[1]
            near = AHEAD - place < speed**2 / (2 * BRAKING) + 10
            speed = max(speed - BRAKING * STEP, 0.0) if blocked and near else min(speed + BRAKING * STEP, SPEED)
            place += speed * STEP
            speeds.append(speed)
        return np.array(speeds)

    @property
    def stops(self) -> bool:
        return bool((self.speeds == 0).any())

    @property
    def resumes(self) -> bool:
        return self.stops and self.speeds[-1] > SPEED / 2

    def told(self) -> str:
        if not self.stops:
            assert self.speeds.min() == SPEED
            return "it goes on at the same speed"
        return "it stops, waits and drives on" if self.resumes else "it stops and stands until the end"


@answers("BT-OA.a")
def colour_followed(case: Case):
    [agent] = case.graph.of_role("agent")
    return agent.attributes.color


@answers("BT-IT.a")
def crossing(case: Case):
    text = case.graph.temporal_flow.action_sequence[0].action_description
    return re.match(r"The (.+) comes onto the path", text)[1]


@answers("BT-AR.a")
def reaction(case: Case):
    assert case.thing(case.words["agent"]).role == "agent"
    return Drive(case).told()


@answers("BT-AR.b")
def cause(case: Case):
    """Leave out one thing after the other: the cause is what changes the drive."""
    told = Drive(case).told()
    causes = [thing.label for thing in case.graph.objects if thing.role != "agent"
              and Drive(case, without=thing.id).told() != told]  # fmt: skip
    return causes or "nothing"


@answers("BT-TO.a")
def order_of_events(case: Case):
    drive = Drive(case)
    names = {thing.role: thing.label for thing in case.graph.objects}
    slow = np.flatnonzero(drive.speeds < SPEED)
    assert drive.speeds[0] == SPEED and slow.size
    when = {
        f"the {names['agent']} moves": 0.0,
        f"the {names['trigger']} comes in": drive.on_way[0],
        f"the {names['agent']} reacts": float(drive.times[slow[0]]) + STEP,
    }
    return ", then ".join(sorted(when, key=when.__getitem__))


@answers("BT-TO.b")
def last_event(case: Case):
    drive = Drive(case)
    names = {thing.role: thing.label for thing in case.graph.objects}
    if not drive.stops:
        return f"the {names['trigger']} leaves the way, and the {names['agent']} keeps its speed"
    return f"the {names['agent']} {'starts again' if drive.resumes else 'comes to a stop'}"


@answers("BT-CM.a")
def follows(case: Case):
    assert case.graph.camera_movement.is_high
    return "it follows the vehicle from behind and above"


@answers("BT-CM.b")
def camera_moves(case: Case):
    drive = Drive(case)
    if not drive.stops:
        return "it moves all the time"
    return "it moves, stops, and moves again" if drive.resumes else "it moves, then stops for good"


@answers("BT-PT.a")
def for_who_faces(case: Case):
    """Turn the entry, seen in the direction of the drive, into the frame of somebody who looks the other way."""
    entry = {"left": -1.0, "right": 1.0}[case.thing(case.words["trigger"]).attributes.entry_direction]
    return side_of((entry * np.exp(1j * pi)).real)


@answers("BT-CR.a", "BT-CR.b")
def without_it(case: Case):
    [word] = {"trigger", "distractor"} & case.words.keys()
    thing = case.thing(case.words[word])
    assert thing.role == word
    return Drive(case, without=thing.id).told()
