"""Vehicles: built-in shapes at real sizes, wheels that turn with the road, traffic without collisions."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.world.street import (
    STREET_KINDS,
    Vehicle,
    curved_lane,
    draw_traffic,
    draw_vehicle,
    drive,
    follow,
    lane_of,
    on_road,
    straight_lane,
    vehicle_types,
)
from chronotope.world.things import COLOURS
from chronotope.world.things.main_colour import has_main_colour

TYPES = vehicle_types()
ROLLING = (*TYPES, "Pram", "ShoppingTrolley")
# Length, width with mirrors, and height (m). Cars: data sheets of saloons (segments C and D) and mid-size SUVs; vans:
# large panel vans; buses: solo city buses; trucks: rigid trucks of 7.5 to 12 t, at most 4 m high (Directive
# 96/53/EC); bicycles: wheels of 28 inches and ISO 4210; prams and trolleys of 60 to 130 l: makers' catalogues.
REAL = {
    "Car": ((4.2, 5.0), (1.85, 2.15), (1.35, 1.55)),
    "SUV": ((4.3, 5.1), (1.95, 2.25), (1.55, 1.9)),
    "Van": ((5.0, 7.0), (2.1, 2.5), (2.2, 3.0)),
    "Bus": ((10.0, 13.5), (2.55, 3.0), (2.8, 3.5)),
    "Truck": ((6.0, 12.0), (2.4, 3.0), (2.8, 4.0)),
    "Bicycle": ((1.6, 1.95), (0.5, 0.75), (0.95, 1.15)),
    "Pram": ((0.9, 1.15), (0.5, 0.65), (0.95, 1.15)),
    "ShoppingTrolley": ((0.85, 1.15), (0.5, 0.65), (0.95, 1.1)),
}
# Radii (m): tyres 185/65 R15 (0.31) to 235/60 R18 (0.37), of vans R16 (0.34 to 0.37), of buses and trucks 17.5 to 22.5
# inches (0.38 to 0.52), of bicycles 26 to 28 inches (0.32 to 0.36).
RADII = {
    "Car": (0.29, 0.36), "SUV": (0.32, 0.40), "Van": (0.31, 0.39), "Bus": (0.44, 0.53), "Truck": (0.38, 0.53),
    "Bicycle": (0.31, 0.37), "Pram": (0.12, 0.2), "ShoppingTrolley": (0.05, 0.08),
}  # fmt: skip
# Distances of axles (m).
BASES = {
    "Car": (2.4, 3.0), "SUV": (2.5, 3.0), "Van": (3.0, 4.4), "Bus": (5.0, 7.0), "Truck": (3.3, 6.5),
    "Bicycle": (0.95, 1.2), "Pram": (0.45, 0.65), "ShoppingTrolley": (0.5, 0.75),
}  # fmt: skip


@cache
def vehicle(kind: str, seed: int = 0, colour: str | None = None) -> Vehicle:
    return draw_vehicle(np.random.default_rng(seed), kind, colour)


def edges_of(faces: np.ndarray) -> np.ndarray:
    return np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])


def wheels_of(made: Vehicle) -> list[int]:
    """The numbers of the joints that are wheels."""
    return [number for number, name in enumerate(made.joints) if name.startswith("wheel")]


def test_people_can_have_the_vehicles_without_a_library() -> None:
    assert set(ROLLING) == set(REAL)


@pytest.mark.parametrize("kind", ROLLING)
def test_a_vehicle_has_a_real_size_and_its_row_says_so(kind: str) -> None:
    for seed in range(2):
        thing = vehicle(kind, seed).thing
        for side, (low, high) in zip(thing.size, REAL[kind], strict=True):
            assert low <= side <= high, f"{kind} {thing.size}"
        assert thing.sizes is not None and np.array(thing.size) in STREET_KINDS[kind].kind.sizes
        points = np.concatenate([piece.vertices for piece in thing.pieces])
        assert np.abs(points.min(axis=0) + points.max(axis=0)).max() < 1e-5  # the origin is the middle of the box
        assert sum(len(piece.faces) for piece in thing.pieces) <= 15_000


@pytest.mark.parametrize("kind", ROLLING)
def test_all_meshes_are_closed_and_look_outwards(kind: str) -> None:
    made = vehicle(kind)
    assert len(made.bindings) == len(made.thing.pieces)
    for piece in made.thing.pieces:
        places, which = np.unique(np.round(piece.vertices, 6), axis=0, return_inverse=True)
        faces = which.ravel()[piece.faces]
        faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
        ahead, back = edges_of(faces), edges_of(faces)[:, ::-1]
        count = len(places)
        assert np.array_equal(np.sort(ahead @ [count, 1]), np.sort(back @ [count, 1]))
        a, b, c = places[faces].transpose(1, 0, 2)
        assert np.einsum("ij,ij->", a, np.cross(b, c)) > 0
        assert np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2 > 1e-4


@pytest.mark.parametrize("kind", ROLLING)
def test_wheels_are_round_about_their_joints_and_stand_on_the_ground(kind: str) -> None:
    made = vehicle(kind)
    low, high = RADII[kind]
    ground = -made.thing.size[2] / 2
    for number in wheels_of(made):
        pieces = [made.thing.pieces[k] for k, joint in enumerate(made.bindings) if joint == number]
        points = np.concatenate([piece.vertices for piece in pieces])
        away = points - made.rest[number, :3, 3]
        reach = np.hypot(away[:, 0], away[:, 2])
        assert low <= made.radii[number] <= high and reach.max() == pytest.approx(made.radii[number], abs=1e-4)
        # The tread has the radius in all directions.
        tread = away[reach > 0.995 * made.radii[number]]
        turns = np.sort(np.arctan2(tread[:, 2], tread[:, 0]))
        assert np.diff(turns).max() < np.radians(20)
        assert points[:, 2].min() == pytest.approx(ground, abs=0.003)
        assert np.ptp(points[:, 1]) < 1.4 * made.radii[number]
        # A look from outside shows that it turns: at some distances from the axle, parts of different looks alternate.
        spokes = [piece for piece in pieces if sorted({piece.look.colour}) and len(piece.faces) > 20]
        assert len(spokes) >= 2
    rolling = wheels_of(made)
    places = made.rest[rolling, 0, 3]
    assert made.wheelbase == pytest.approx(np.ptp(places)) and BASES[kind][0] <= made.wheelbase <= BASES[kind][1]
    assert made.joints[0] == "chassis" and made.radii[0] == 0
    for name, (x, y, _) in zip(np.array(made.joints)[rolling], made.rest[rolling, :3, 3], strict=True):
        assert ("front" in name) == (x > 0) and ("left" in name) == (y > 0.1) and ("right" in name) == (y < -0.1)


@pytest.mark.parametrize("kind", ["Car", "SUV", "Van", "Bus"])
def test_people_call_a_vehicle_by_its_colour(kind: str) -> None:
    for colour in list(dict.fromkeys(STREET_KINDS[kind].kind.colours))[::3]:
        made = vehicle(kind, 2, colour)
        assert made.thing.label == f"{colour} {STREET_KINDS[kind].kind.noun}"
        paint = max(made.thing.pieces, key=lambda piece: np.ptp(piece.vertices, axis=0).prod() * len(piece.faces))
        assert np.abs(np.array(paint.look.colour) - COLOURS[colour]).max() < 0.08
        assert kind in ("Bus",) or has_main_colour(made.thing.pieces, colour), f"{colour} {kind}"


def test_the_same_seed_gives_the_same_vehicle() -> None:
    for kind in ("Car", "Truck", "Bicycle"):
        first, again = (draw_vehicle(np.random.default_rng(0), kind) for _ in range(2))
        for one, other in zip(first.thing.pieces, again.thing.pieces, strict=True):
            assert np.array_equal(one.vertices, other.vertices) and one.look.colour == other.look.colour
    drawn = {draw_vehicle(np.random.default_rng(seed)).type for seed in range(6)}
    assert len(drawn) >= 3


def test_bad_names_are_refused() -> None:
    generator = np.random.default_rng(0)
    with pytest.raises(InputError, match="no vehicle 'Tram': choose one of Car, SUV"):
        draw_vehicle(generator, "Tram")
    with pytest.raises(InputError, match="no purple van: its colours are white, grey"):
        draw_vehicle(generator, "Van", "purple")
    with pytest.raises(InputError, match="no vehicle 'Motorbike'"):  # only libraries have it
        draw_vehicle(generator, "Motorbike")


@pytest.mark.parametrize("kind", ["Car", "Bicycle"])
def test_wheels_roll_without_sliding_on_a_straight_road(kind: str) -> None:
    made = vehicle(kind)
    distances = np.linspace(0, 7.3, 60) ** 1.1
    path = on_road(made, straight_lane((0, 0, 0), (10, 4, 0)).poses(distances, made.axles))
    rig = drive(made, path)
    assert rig.joints == made.joints and rig.bindings == made.bindings
    assert np.allclose(rig.path[:, 0], path, atol=1e-8)
    for number in wheels_of(made):
        turned = path[:, :3, :3].transpose(0, 2, 1) @ rig.path[:, number, :3, :3]
        # A wheel that rolls forward turns the point at its top ahead: from z towards x.
        angles = np.unwrap(np.arctan2(turned[:, 0, 2], turned[:, 2, 2]))
        assert angles - angles[0] == pytest.approx(distances / made.radii[number], abs=1e-5)
        # The point of the tyre that touches the ground stands still.
        rim = made.radii[number] * np.array([0, 0, -1.0])
        for frame in (10, 30):
            at = rig.path[frame, number]
            local = at[:3, :3].T @ rim
            moved = [rig.path[k, number, :3, :3] @ local + rig.path[k, number, :3, 3] for k in (frame - 1, frame + 1)]
            travelled = np.linalg.norm(rig.path[frame + 1, number, :3, 3] - rig.path[frame - 1, number, :3, 3])
            assert np.linalg.norm(moved[1] - moved[0]) < 0.05 * travelled


def test_front_wheels_steer_and_wheels_do_not_slide_sideways_in_a_curve() -> None:
    made = vehicle("Car")
    lane = curved_lane((0, 0, 0), 0.3, [(6, 0.0), (25, 1 / 12), (6, 0.0)])
    distances = np.linspace(2, 33, 160)
    rig = drive(made, on_road(made, lane.poses(distances, made.axles)))
    middle = slice(60, 110)
    chassis = rig.path[middle, 0, :3, :3]
    angles = {}
    for number, name in enumerate(made.joints[1:], 1):
        axle = rig.path[middle, number, :3, 1]  # stays level and beside the wheel
        assert np.abs(axle[:, 2]).max() < 1e-6
        motion = np.gradient(rig.path[:, number, :3, 3], axis=0)[middle]
        sideways = np.abs(np.einsum("ti,ti->t", motion, axle)) / np.linalg.norm(motion, axis=1)
        assert sideways.max() < 0.02, name
        angles[name] = float(np.mean(np.arcsin(np.einsum("ti,ti->t", axle, -chassis[:, :, 0]))))
    # By Ackermann, the inner wheel steers more; the mean is about wheelbase / radius.
    inner, outer = angles["wheel_front_left"], angles["wheel_front_right"]
    assert inner > outer > 0 and (inner + outer) / 2 == pytest.approx(made.wheelbase / 12, rel=0.12)
    assert abs(angles["wheel_rear_left"]) < 1e-6
    turns = {}
    for number, name in enumerate(made.joints[1:], 1):
        steps = np.linalg.norm(np.diff(rig.path[:, number, :3, 3], axis=0), axis=1).sum()
        turns[name] = steps
        between = rig.path[:-1, number, :3, :3].transpose(0, 2, 1) @ rig.path[1:, number, :3, :3]
        angle = np.arctan2(between[:, 0, 2], between[:, 2, 2]).sum()
        assert angle * made.radii[number] == pytest.approx(steps, rel=0.01)
    assert turns["wheel_rear_right"] > turns["wheel_rear_left"]  # the outer wheel has the longer way


def test_a_standing_vehicle_has_still_wheels() -> None:
    made = vehicle("Van")
    path = np.repeat(np.eye(4)[None], 5, axis=0)
    rig = drive(made, path)
    assert np.abs(rig.path - rig.path[:1]).max() == 0 and np.allclose(rig.path[0], made.rest, atol=1e-8)


def test_the_camera_of_a_driver_looks_ahead_and_is_outside_the_body() -> None:
    for kind in TYPES:
        made = vehicle(kind)
        assert np.allclose(made.mount[:3, :3].T @ made.mount[:3, :3], np.eye(3))
        assert np.allclose(made.mount[:3, 2], [1, 0, 0]) and np.allclose(made.mount[:3, 1], [0, 0, -1])
        eye = made.mount[:3, 3]
        crossings = 0  # of the way upwards from the camera
        for piece in made.thing.pieces:
            a, b, c = (piece.vertices[piece.faces[:, k]][:, :2] - eye[:2] for k in range(3))
            cross = [u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0] for u, v in ((a, b), (b, c), (c, a))]
            over = np.all([part > 0 for part in cross], axis=0) | np.all([part < 0 for part in cross], axis=0)
            crossings += int((piece.vertices[piece.faces[over]][:, :, 2].mean(axis=1) > eye[2]).sum())
        assert crossings % 2 == 0, kind


def test_traffic_never_collides_and_is_a_function_of_the_seed() -> None:
    times = np.arange(0, 25, 0.1)
    for seed in range(8):
        generator = np.random.default_rng(seed)
        lengths = generator.uniform(2.5, 13, 6)
        traffic = draw_traffic(generator, times, lengths)
        gaps = traffic.distances[:, :-1] - traffic.distances[:, 1:] - (lengths[:-1] + lengths[1:]) / 2
        assert gaps.min() > 0.5
        assert (np.diff(traffic.distances, axis=0) >= -1e-6).all() and (traffic.speeds <= 13.2).all()
        # Speeds are those of the places.
        assert np.diff(traffic.distances, axis=0) / 0.1 == pytest.approx(
            (traffic.speeds[1:] + traffic.speeds[:-1]) / 2, abs=0.05
        )
    one, other = (draw_traffic(np.random.default_rng(3), times[:20], np.full(3, 4.5)) for _ in range(2))
    assert np.array_equal(one.distances, other.distances)


def test_a_vehicle_alone_drives_at_its_desired_speed() -> None:
    traffic = follow(np.arange(0, 5, 0.1), np.array([4.5]), np.array([0.0]), np.array([9.0]))
    assert traffic.speeds == pytest.approx(9.0) and traffic.distances[-1, 0] == pytest.approx(9 * 4.9)


def test_a_queue_stops_at_a_red_light_and_starts_again() -> None:
    times, lengths = np.arange(0, 60, 0.1), np.full(4, 4.5)
    traffic = follow(times, lengths, np.array([0.0, -15, -30, -45]), np.full(4, 11.0), ((60.0, 0.0, 30.0),))
    before = times < 30
    fronts = traffic.distances[:, 0] + 2.25
    assert (fronts[before] <= 60.05).all() and fronts[before].max() > 56
    assert traffic.speeds[np.flatnonzero(before)[-1]].max() < 0.2
    assert (fronts[times > 45] > 60).all()
    assert (traffic.distances[:, :-1] - traffic.distances[:, 1:] - 4.5).min() > 0.5


def test_bad_traffic_is_refused() -> None:
    with pytest.raises(InputError, match=r"0\.50 m apart"):
        follow(np.arange(3), np.full(2, 4.0), np.array([0.0, -4.5]), np.full(2, 5.0))
    with pytest.raises(InputError, match="do not increase"):
        follow(np.array([0.0, 0.0]), np.full(1, 4.0), np.zeros(1), np.full(1, 5.0))


def test_lanes_measure_distances_and_go_on_straight() -> None:
    lane = curved_lane((1, 2, 0), 0.0, [(10, 0.0), (np.pi / 2 * 8, 1 / 8)])
    assert lane.length == pytest.approx(10 + np.pi / 2 * 8, rel=1e-3)
    assert lane.at(np.array([lane.length]))[0] == pytest.approx([19, 10, 0], abs=0.02)
    assert lane.at(np.array([-3.0]))[0] == pytest.approx([-2, 2, 0])
    assert lane.at(np.array([lane.length + 5]))[0] == pytest.approx([19, 15, 0], abs=0.1)
    poses = lane_of([(0, 0, 0), (0, 10, 0)]).poses(np.array([5.0]), (1.4, -1.3))
    assert poses[0, :3, 0] == pytest.approx([0, 1, 0]) and poses[0, :3, 3] == pytest.approx([0, 5, 0])
    assert np.linalg.det(poses[0, :3, :3]) == pytest.approx(1)


def test_streets_name_no_makes() -> None:
    table = Path(__file__).parents[2] / "src/chronotope/world/street/street_types.yaml"
    text = table.read_text(encoding="utf-8").lower()
    assert not [make for make in ("ford", "renault", "seat leon", "peugeot", "yamaha", "beetle") if make in text]
