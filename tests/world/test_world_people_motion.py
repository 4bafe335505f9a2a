"""The motion of people: feet that do not slide, hands that touch what they hold, and events that tell the truth.

Vertices are posed and distances measured by code of this file.
"""

import time
from itertools import pairwise

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.world.film_set import Placement
from chronotope.world.people import Person, draw_person
from chronotope.world.people.motion import (
    Act,
    Carry,
    Grasp,
    LookAt,
    Performance,
    Place,
    Press,
    Rise,
    Sit,
    Stand,
    Turn,
    Walk,
    perform,
    seconds_needed,
)
from chronotope.world.things import Thing, draw_thing
from tiers import complete_after

FPS = 30.0
SLIDE, IN, ABOVE = 0.020, 0.005, 0.010  # m, the bounds of the order
CONTACT = 0.003  # m; a foot whose lowest point is lower than this stands on the floor
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Pinky")


def clip(person: Person, acts: list[Act], objects: list[Placement] | None = None, start=None) -> tuple:
    needed = seconds_needed(person, acts, objects or [], start)
    times = np.arange(int(np.ceil((needed + 0.1 * len(acts) + 0.1) * FPS))) / FPS
    return times, perform(person, times, acts, objects or [], start)


def share_of(person: Person, piece: int, joints: list[str]) -> np.ndarray:
    numbers = [person.joints.index(name) for name in joints]
    binding = person.bindings[piece]
    return np.where(np.isin(binding.bones, numbers), binding.shares, 0.0).sum(1)


def posed(person: Person, piece: int, chosen: np.ndarray, joints: np.ndarray) -> np.ndarray:
    """Pose chosen vertices in all frames: (T, V, 3)."""
    vertices, binding = person.thing.pieces[piece].vertices[chosen], person.bindings[piece]
    bones, shares = binding.bones[chosen], binding.shares[chosen]
    result = np.zeros((len(joints), len(vertices), 3))
    for slot in range(bones.shape[1]):
        local = vertices - person.rest[bones[:, slot], :3, 3]  # joints at rest are not turned
        place = joints[:, bones[:, slot]]
        result += shares[:, slot, None] * (np.einsum("tvij,vj->tvi", place[..., :3, :3], local) + place[..., :3, 3])
    return result


def sole(person: Person, side: str, joints: np.ndarray) -> np.ndarray:
    parts = []
    for piece, shape in enumerate(person.thing.pieces):
        share = share_of(person, piece, [f"{side}Foot", f"{side}ToeBase"])
        chosen = np.flatnonzero((share > 0.98) & (shape.vertices[:, 2] < 0.05))
        if len(chosen):
            parts.append(posed(person, piece, chosen, joints))
    return np.concatenate(parts, axis=1)


def strict_path(points: np.ndarray) -> float:
    """Sum the most that any point which touches the floor in two frames moves on it."""
    path = 0.0
    for now, then in pairwise(points):
        touches = (now[:, 2] < 0.0005) & (then[:, 2] < 0.0005)
        if touches.any():
            path += np.linalg.norm((then - now)[touches, :2], axis=1).max()
    return path


def steps(points: np.ndarray) -> list[dict[str, float]]:
    """Measure the stances between two swings of a foot, from the vertices (T, V, 3) of its sole."""
    low = points[..., 2].min(1)
    down = low < CONTACT
    strikes = np.flatnonzero(~down[:-1] & down[1:]) + 1
    results = []
    for first, then in pairwise(strikes):
        span = np.arange(first, then + 1)
        phase = (span - first) / (then - first)
        stance = span[(phase >= 0.03) & (phase <= 0.57)]
        path = 0.0
        for frame in stance[:-1]:
            lowest = np.argsort(points[frame, :, 2])[:10]
            path += np.linalg.norm((points[frame + 1, lowest] - points[frame, lowest]).mean(0)[:2])
        results.append(
            {"path": path, "strict": strict_path(points[stance]), "in": -low[span].min(), "above": low[stance].max()}
        )
    return results


def winding_way(generator: np.random.Generator) -> np.ndarray:
    """Draw a way of 3 to 6 m whose radius is 0.6 m or more."""
    length = generator.uniform(3.0, 6.0)
    grid = np.linspace(0.0, length, 400)
    turn = np.zeros(400)
    for _ in range(3):
        turn += generator.uniform(-1, 1) * np.cos(generator.uniform(0.2, 1.6) * grid + generator.uniform(0, 6.3))
    turn *= generator.uniform(0.0, 1 / 0.6) / np.abs(turn).max()
    heading = generator.uniform(-np.pi, np.pi) + np.cumsum(turn) * grid[1]
    return np.cumsum(np.column_stack([np.cos(heading), np.sin(heading)]), axis=0) * grid[1]


def angular_speeds(joints: np.ndarray) -> np.ndarray:
    turn = np.swapaxes(joints[:-1, :, :3, :3], -1, -2) @ joints[1:, :, :3, :3]
    trace = np.trace(turn, axis1=-2, axis2=-1)
    return np.arccos(np.clip((trace - 1) / 2, -1, 1)) * FPS


def closest_distance(points: np.ndarray, thing: Thing, pose: np.ndarray) -> np.ndarray:
    """Return the signed distance of points (N, 3) from a thing's triangles; solid angles tell the side."""
    corners = np.concatenate([piece.vertices[piece.faces] for piece in thing.pieces])
    corners = corners @ pose[:3, :3].T + pose[:3, 3]
    result = np.empty(len(points))
    for number, point in enumerate(points):
        a, b, c = (corners[:, k] - point for k in range(3))
        la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
        volume = np.einsum("ij,ij->i", a, np.cross(b, c))
        under = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
        inside = np.arctan2(volume, under).sum() / (2 * np.pi) > 0.5
        # Minimise over each triangle by projection: onto the plane if the foot is inside, else onto the three edges.
        normal = np.cross(b - a, c - a)
        size = np.maximum(np.linalg.norm(normal, axis=1), 1e-15)
        height = (a * normal).sum(1) / size
        foot = height[:, None] * normal / size[:, None]
        within = np.ones(len(a), bool)
        least = np.full(len(a), np.inf)
        for start, end in ((a, b), (b, c), (c, a)):
            within &= (np.cross(end - start, foot - start) * normal).sum(1) >= 0
            edge = end - start
            share = np.clip(-(start * edge).sum(1) / np.maximum((edge * edge).sum(1), 1e-15), 0, 1)
            least = np.minimum(least, np.linalg.norm(start + share[:, None] * edge, axis=1))
        least = np.where(within, np.abs(height), least)
        result[number] = -least.min() if inside else least.min()
    return result


def tip_distances(
    person: Person, side: str, joints: np.ndarray, thing: Thing, pose: np.ndarray
) -> dict[str, np.ndarray]:
    results: dict[str, np.ndarray] = {}
    for finger in FINGERS:
        parts = []
        for piece in range(len(person.thing.pieces)):
            chosen = np.flatnonzero(share_of(person, piece, [f"{side}Hand{finger}3"]) > 0.6)
            if len(chosen):
                parts.append(posed(person, piece, chosen, joints[None])[0])
        results[finger] = closest_distance(np.concatenate(parts), thing, pose)
    return results


def on_table(person: Person, category: str, seed: int, side: str, ahead: float = 0.24) -> Placement:
    thing = draw_thing(np.random.default_rng(seed), category)
    pose = np.eye(4)
    out = 0.1 if side == "Left" else -0.1
    pose[:3, 3] = [ahead * person.height, out * person.height, 0.45 * person.height + thing.size[2] / 2]
    return Placement("thing", thing, pose)


@pytest.fixture(scope="module")
def adult() -> Person:
    return draw_person(np.random.default_rng(4), "female", "adult")


def measure_walks(seeds: range) -> list[dict[str, float]]:
    measured = []
    for seed in seeds:
        generator = np.random.default_rng(seed)
        person = draw_person(generator)
        way, speed = winding_way(generator), float(generator.uniform(0.6, 2.0))
        _, walked = clip(person, [Walk(way, speed)])
        for side in ("Left", "Right"):
            points = sole(person, side, walked.joints)
            assert points[..., 2].min() > -IN, (seed, side)
            measured += steps(points)
    return measured


def check_walks(measured: list[dict[str, float]]) -> None:
    paths = np.array([step["path"] for step in measured])
    assert (paths <= SLIDE).mean() >= 0.95
    assert paths.max() <= SLIDE  # better than the order asks
    assert max(step["in"] for step in measured) <= IN
    assert max(step["above"] for step in measured) <= ABOVE


@pytest.mark.slow
def test_feet_neither_slide_nor_sink_on_walks() -> None:
    measured = measure_walks(range(2))
    assert len(measured) >= 8
    check_walks(measured)


@pytest.mark.slow
@pytest.mark.complete
def test_feet_neither_slide_nor_sink_on_a_hundred_walks() -> None:
    measured = measure_walks(range(100, 200))
    assert len(measured) >= 500
    check_walks(measured)


def test_a_person_walks_the_way_at_the_speed_and_the_gait_scales_with_the_legs(adult: Person) -> None:
    child = draw_person(np.random.default_rng(0), "male", "child")
    way = np.array([[0.0, 0.0], [6.0, 0.0]])
    counts = {}
    for person in (adult, child):
        _, walked = clip(person, [Walk(way, 1.2)])
        place = walked.path[:, :3, 3]
        middle = (place[:, 0] > 2.0) & (place[:, 0] < 4.0)
        speeds = np.diff(place[middle, 0]) * FPS
        assert speeds.mean() == pytest.approx(1.2, abs=0.02)
        assert abs(place[0, 0]) < 1e-9 and place[-1, 0] == pytest.approx(6.0, abs=1e-6)
        assert np.abs(place[:, 1:]).max() < 1e-6
        counts[person.age] = sum(len(steps(sole(person, side, walked.joints))) for side in ("Left", "Right"))
        head = walked.joints[middle, person.joints.index("Head"), :3, 3]
        hips = walked.joints[middle, 0, :3, 3]
        assert 0.008 < np.ptp(hips[:, 2]) < 0.07  # up and down with each step, as people do
        assert np.ptp(head[:, 1]) < 0.09
        # The arms swing against the legs.
        hand, foot = (
            walked.joints[middle, person.joints.index(name), 0, 3] - hips[:, 0] for name in ("RightHand", "LeftFoot")
        )
        assert np.corrcoef(hand, foot)[0, 1] > 0.5
    assert counts["child"] > counts["adult"]


def test_knees_never_bend_backwards_and_joints_move_without_jumps(adult: Person) -> None:
    acts: list[Act] = [
        Walk(np.array([[0.0, 0.0], [1.5, 0.0], [2.2, 0.7], [2.2, 1.6]]), 1.3),
        Turn(-2.0),
        Stand(2.5),
        Sit(0.45),
        Stand(0.5),
        Rise(),
    ]
    _, walked = clip(adult, acts)
    number = adult.joints.index
    for side in ("Left", "Right"):
        hip, knee, ankle = (walked.joints[:, number(side + part), :3, 3] for part in ("UpLeg", "Leg", "Foot"))
        ahead = walked.joints[:, number(f"{side}UpLeg"), :3, 0]
        bend = ((knee - (hip + ankle) / 2) * ahead).sum(1)
        assert bend.min() > 0
        lengths = np.linalg.norm(knee - hip, axis=1), np.linalg.norm(ankle - knee, axis=1)
        assert max(np.ptp(length) for length in lengths) < 1e-9
    speeds = angular_speeds(walked.joints)
    assert speeds.max() < 14.0
    assert np.abs(np.diff(speeds, axis=0)).max() * FPS < 250.0
    places = walked.joints[..., :3, 3]
    assert np.linalg.norm(np.diff(places, n=2, axis=0), axis=2).max() * FPS**2 < 100.0


def test_turns_on_the_spot_neither_slide_nor_sink(adult: Person) -> None:
    for heading in (0.6, -1.6, 3.1):
        _, turned = clip(adult, [Turn(heading), Stand(0.5)], start=np.zeros(3))
        assert np.arctan2(turned.path[-1, 1, 0], turned.path[-1, 0, 0]) == pytest.approx(heading, abs=1e-6)
        for side in ("Left", "Right"):
            points = sole(adult, side, turned.joints)
            assert strict_path(points) < 0.005
            assert points[..., 2].min() > -IN and points[-1, :, 2].min() < 0.001


def test_a_standing_person_keeps_the_feet_where_they_are(adult: Person) -> None:
    _, stood = clip(adult, [Stand(6.0)], start=np.array([1.0, 2.0, 0.5]))
    for side in ("Left", "Right"):
        points = sole(adult, side, stood.joints)
        assert np.abs(points - points[0]).max() < 0.0002  # the shin has a small share in some vertices
    assert np.ptp(stood.joints[:, 0, :3, 3], axis=0).max() > 0.004  # the weight is shifted
    assert [event.kind for event in stood.events] == ["stand"]


def test_the_head_turns_to_what_the_person_looks_at(adult: Person) -> None:
    point = np.array([1.5, 1.2, 1.0])
    _, looked = clip(adult, [LookAt(point), Stand(1.0)], start=np.zeros(3))
    head = looked.joints[-1, adult.joints.index("Head")]
    way = point - head[:3, 3]
    angle = np.arccos(way @ head[:3, 0] / np.linalg.norm(way))
    assert angle < np.radians(8.0)


def check_hold(person: Person, times: np.ndarray, done: Performance, placed: Placement, side: str) -> None:
    kinds = {event.kind: event for event in done.events if event.object == "thing"}
    first, last = (int(np.argmin(np.abs(times - at))) for at in (kinds["hold"].start, kinds["hold"].end))
    for event in done.events:
        assert event.start in times and event.end in times and event.start < event.end
    assert kinds["reach"].end == kinds["hold"].start == kinds["move"].start
    assert kinds["hold"].parameters == {"joint": f"{side}Hand"}
    path, hand = done.objects["thing"], done.joints[:, person.joints.index(f"{side}Hand")]
    relative = np.linalg.inv(hand[first : last + 1]) @ path[first : last + 1]
    assert np.abs(relative - relative[0]).max() < 1e-9
    assert np.abs(path[: first + 1] - placed.pose).max() < 1e-9
    assert np.abs(path[last:] - path[last]).max() == 0
    assert np.linalg.norm(np.diff(path[:, :3, 3], axis=0), axis=1).max() * FPS < 3.0
    near = {}
    for finger, distances in tip_distances(person, side, done.joints[first], placed.thing, path[first]).items():
        assert distances.min() > -0.005, (placed.thing.category, finger)
        near[finger] = distances.min() <= 0.010
    assert near["Thumb"] and sum(near.values()) >= 3, (placed.thing.category, near)
    # Over the place where the thing stood, the hand is never lower than what the thing stood on.
    joints = [name for name in person.joints if name.startswith(f"{side}Hand")]
    under = placed.pose[2, 3] - placed.thing.size[2] / 2
    for piece in range(len(person.thing.pieces)):
        chosen = np.flatnonzero(share_of(person, piece, joints) > 0.5)
        points = posed(person, piece, chosen, done.joints[: last + 30])
        over = np.linalg.norm(points[..., :2] - placed.pose[:2, 3], axis=-1) < 0.12
        assert not over.any() or points[over][:, 2].min() > under - 0.001


def fetch(person: Person, category: str, seed: int, side: str) -> None:
    placed = on_table(person, category, seed, side)
    goal = placed.pose.copy()
    goal[:2, 3] += [0.03, 0.12]
    acts: list[Act] = [Grasp("thing", side), Carry(side), Place("thing", goal)]
    times, done = clip(person, acts, [placed], np.zeros(3))
    check_hold(person, times, done, placed, side)
    assert np.abs(done.objects["thing"][-1] - goal).max() < 1e-6


@pytest.mark.slow
def test_a_hand_takes_a_mug_and_sets_it_down_elsewhere(adult: Person) -> None:
    fetch(adult, "mug", 1, "Right")


@pytest.mark.slow
def test_a_child_takes_an_apple_with_the_left_hand() -> None:
    fetch(draw_person(np.random.default_rng(1), "male", "child"), "apple", 2, "Left")


@pytest.mark.slow
@pytest.mark.parametrize(
    "category",
    complete_after(
        2,
        ["mug", "bottle", "ball", "tin can", "milk carton", "gift box", "candle", "toy car", "pear", "alarm clock"],
    ),
)
def test_hands_of_all_sizes_take_things_of_many_shapes(category: str) -> None:
    for seed in range(3):
        person = draw_person(np.random.default_rng(seed + 20), age="adult" if seed else "old")
        fetch(person, category, seed, ("Right", "Left")[seed % 2])


def test_a_person_carries_a_mug_to_another_table(adult: Person) -> None:
    placed = on_table(adult, "mug", 1, "Right")
    goal = np.array([0.45, 1.6 + 0.25 * adult.height, placed.pose[2, 3]])
    way = np.array([[0.0, 0.0], [0.0, 0.8], [0.3, 1.6]])
    acts: list[Act] = [Grasp("thing"), Walk(way, 1.1), Turn(np.pi / 2), Place("thing", goal), Stand(1.0)]
    times, done = clip(adult, acts, [placed], np.zeros(3))
    check_hold(adult, times, done, placed, "Right")
    assert np.abs(done.objects["thing"][-1, :3, 3] - goal).max() < 1e-6
    upright = done.objects["thing"][:, 2, 2]
    assert upright.min() > np.cos(np.radians(12.0))
    assert [event.kind for event in done.events] == ["reach", "hold", "move", "walk", "stand"]
    shown = done.placement("anna", adult)
    assert shown.rig is not None and shown.rig.path is done.joints and shown.path is done.path
    assert shown.attributes == {"role": "person", "box": "unclear"}
    assert done.moved()[0].path is done.objects["thing"]


def test_the_index_finger_presses_a_button(adult: Person) -> None:
    placed = on_table(adult, "toy brick", 1, "Right", ahead=0.28)
    top = placed.pose[:3, 3] + [0.0, 0.0, placed.thing.size[2] / 2]
    times, done = clip(adult, [Press("thing", top, np.array([0.0, 0.0, -1.0]), seconds=0.4)], [placed], np.zeros(3))
    [pressed] = [event for event in done.events if event.kind == "press"]
    first, last = (int(np.argmin(np.abs(times - at))) for at in (pressed.start, pressed.end))
    assert times[first] == pressed.start and times[last] == pressed.end
    parts = []
    for piece in range(len(adult.thing.pieces)):
        chosen = np.flatnonzero(share_of(adult, piece, ["RightHandIndex3"]) > 0.6)
        if len(chosen):
            parts.append(posed(adult, piece, chosen, done.joints))
    tip = np.concatenate(parts, axis=1)
    for frame in (first, last):
        assert np.linalg.norm(tip[frame] - top, axis=1).min() < 0.003
        assert tip[frame, :, 2].min() > top[2] - 0.002
    assert tip[first - 6, :, 2].min() > top[2] + 0.01


def test_a_person_sits_on_a_seat(adult: Person) -> None:
    seat = 0.27 * adult.height
    _, sat = clip(adult, [Sit(seat), Stand(1.0)], start=np.zeros(3))
    frame = len(sat.joints) - 1
    low = []
    for piece in range(len(adult.thing.pieces)):
        chosen = np.flatnonzero(share_of(adult, piece, ["Hips", "LeftUpLeg", "RightUpLeg"]) > 0.9)
        if len(chosen) and adult.parts[piece] not in ("hair", "shoes"):
            low.append(posed(adult, piece, chosen, sat.joints[frame][None])[0][:, 2].min())
    assert min(low) == pytest.approx(seat, abs=0.04)
    assert [event.kind for event in sat.events] == ["sit"]
    for side in ("Left", "Right"):
        points = sole(adult, side, sat.joints)
        assert np.abs(points - points[0]).max() < 0.001


def test_a_clip_may_end_before_the_acts_do(adult: Person) -> None:
    acts = [Walk(np.array([[0.0, 0.0], [4.0, 0.0]]), 1.0), Stand(0.5)]
    short, long = (perform(adult, np.arange(count) / 10, acts) for count in (25, 80))
    assert np.array_equal(short.joints, long.joints[:25]) and np.array_equal(short.path, long.path[:25])
    assert 1.0 < short.path[-1, 0, 3] < 3.0 and max(event.end for event in short.events) == 2.4
    with pytest.raises(InputError, match="after the end of the clip"):
        perform(adult, np.arange(25) / 10, acts, complete=True)


@pytest.mark.parametrize(
    ("acts", "message"),
    [
        ([Walk(np.array([[3.0, 0.0], [4.0, 0.0]]))], "from where the person stands"),
        ([Walk(np.array([[0.0, 0.0], [4.0, 0.0]]), 9.0)], "m/s"),
        ([Carry()], "holds nothing"),
        ([Rise()], "does not sit"),
        ([Sit(0.45), Walk(np.array([[0.0, 0.0], [1.0, 0.0]]))], "while the person sits"),
        ([Grasp("nothing")], "no object"),
        ([Grasp("far")], "the hand lacks"),
        ([Grasp("wide")], "one hand cannot hold it"),
    ],
)
def test_acts_that_cannot_be_done_are_refused(adult: Person, acts: list[Act], message: str) -> None:
    far = on_table(adult, "mug", 1, "Right", ahead=0.9)
    wide = on_table(adult, "bowl", 1, "Right")
    objects = [Placement("far", far.thing, far.pose), Placement("wide", wide.thing, wide.pose)]
    with pytest.raises(InputError, match=message):
        perform(adult, np.arange(300) / FPS, acts, objects, np.zeros(3))


def test_the_same_acts_give_the_same_bytes_and_are_cheap(adult: Person) -> None:
    acts: list[Act] = [Walk(np.array([[0.0, 0.0], [9.6, 0.0]]), 1.2)]
    times = np.arange(300) / FPS
    begun = time.process_time()
    first = perform(adult, times, acts)
    spent = time.process_time() - begun
    second = perform(adult, times, acts)
    assert first.joints.tobytes() == second.joints.tobytes()
    assert spent < 1.0  # s, for ten seconds of walking
