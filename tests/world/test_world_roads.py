"""Roads and who uses them: radii and widths, ways over crossings, speed limits, and people who ride bicycles."""

from itertools import combinations

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.world.kinds.street.clearance import meet, outline_of
from chronotope.world.kinds.street.cyclist import Cyclist, contacts_of
from chronotope.world.people import draw_person
from chronotope.world.people.motion import ride
from chronotope.world.street import (
    Lane,
    Road,
    Zone,
    bend_of,
    crossing_road,
    curved_lane,
    curved_road,
    draw_vehicle,
    drive,
    follow,
    road_pieces,
    route_over,
    straight_road,
)
from chronotope.world.street.backdrop import KERB, LANE

ROADS = (
    straight_road(120.0, 2),
    curved_road(20.0, np.radians(70.0), 30.0, 60.0, 8.0),
    curved_road(20.0, -np.radians(90.0), 26.0, 60.0, 7.0),
    crossing_road(70.0),
)


def least_radius(lane: Lane) -> float:
    """The smallest radius (m) of a lane, from the circles through its points a metre apart."""
    at = lane.at(np.arange(0, lane.length, 1.0))[:, :2]
    a, b, c = at[:-2], at[1:-1], at[2:]
    sides = [np.linalg.norm(p - q, axis=1) for p, q in ((a, b), (b, c), (c, a))]
    area = np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
    return float((np.prod(sides, axis=0) / np.maximum(4 * area, 1e-9)).min())


def test_a_bend_has_its_radius_and_its_angle_and_lanes_keep_their_distance() -> None:
    road = curved_road(20.0, np.radians(70.0), 30.0, 60.0, 8.0)
    assert least_radius(road.middle) == pytest.approx(30.0, rel=0.02)
    first, last = np.diff(road.middle.points[[0, 1, -2, -1], :2], axis=0)[[0, 2]]
    turned = np.arctan2(first[0] * last[1] - first[1] * last[0], first @ last)
    assert np.degrees(turned) == pytest.approx(70.0, abs=0.1)
    ahead, back = road.lane(0), road.lane(0, back=True)
    for lane in (ahead, back, road.cycle_lane()):
        away = np.linalg.norm(lane.points[:, None, :2] - road.middle.points[None, ::3, :2], axis=2).min(axis=1)
        assert np.ptp(away) < 0.02
    assert np.linalg.norm(ahead.points - back.points[::-1], axis=1) == pytest.approx(LANE, abs=0.01)
    way, across = ahead.points[1] - ahead.points[0], back.points[-1] - ahead.points[0]
    assert way[0] * across[1] - way[1] * across[0] > 0  # who comes towards us is on the left


@pytest.mark.parametrize("arm", range(4))
@pytest.mark.parametrize(("turn", "degrees"), [("straight", 0.0), ("right", -90.0), ("left", 90.0)])
def test_ways_over_a_crossing_end_in_the_right_lane(arm: int, turn, degrees: float) -> None:
    junction = crossing_road(70.0).junction
    assert junction is not None
    lane = route_over(junction, arm, turn)
    first, last = lane.points[1] - lane.points[0], lane.points[-1] - lane.points[-2]
    for way, place in ((first, lane.points[0]), (last, lane.points[-1])):
        way = way / np.linalg.norm(way)
        # The middle of the road is on the left, half a lane away.
        assert way[0] * -place[1] - way[1] * -place[0] == pytest.approx(LANE / 2, abs=0.01)
        assert abs(abs(way @ place) - junction.reach) < 0.2
    turned = np.degrees(np.arctan2(first[0] * last[1] - first[1] * last[0], first[:2] @ last[:2]))
    assert turned == pytest.approx(degrees, abs=0.1)
    if turn != "straight":
        assert 5.0 < least_radius(lane) < 10.0  # m: what cars can drive, and what fits into the crossing
        start, end = bend_of(junction, turn)
        straight = lane.at(np.array([start - 1.0, start, end, end + 1.0]))
        assert np.allclose(np.diff(straight, axis=0)[0] / 1.0, first / np.linalg.norm(first), atol=1e-3)
        assert np.allclose(np.diff(straight, axis=0)[2] / 1.0, last / np.linalg.norm(last), atol=1e-3)


@pytest.mark.parametrize("road", ROADS, ids=lambda road: road.kind)
def test_roads_have_closed_surfaces_with_pavements_beside_lanes_and_houses_beside_pavements(road: Road) -> None:
    pieces = road_pieces(np.random.default_rng(1), road)
    for piece in pieces:
        a, b, c = piece.vertices[piece.faces].transpose(1, 0, 2)
        assert np.einsum("ij,ij->", a - a[0], np.cross(b - a[0], c - a[0])) > 0
    lanes = [road.lane(k, back) for k in range(road.lanes) for back in (False, True)]
    if road.junction is not None:
        lanes = [route_over(road.junction, arm, turn) for arm in range(4) for turn in ("straight", "right", "left")]
    spots = np.concatenate([lane.at(np.arange(6.0, lane.length - 6.0, 4.0)) for lane in lanes])
    assert heights(pieces, spots).max() < 0.01  # nothing but paint lies on a lane
    beside = np.concatenate([kerb.poses(np.arange(6.0, kerb.length - 6.0, 4.0)) for kerb in road.kerbs])
    pavement = heights(pieces, beside[:, :3, 3] - 1.5 * beside[:, :3, 1])
    assert pavement == pytest.approx(KERB, abs=1e-3)
    walls = heights(pieces, beside[:, :3, 3] - 5.5 * beside[:, :3, 1])
    assert (walls > 6.0).mean() > 0.9


def heights(pieces, spots: np.ndarray) -> np.ndarray:
    """The height (N,) m of the highest surface at places (N, 3) m."""
    found = np.full(len(spots), -np.inf)
    for piece in pieces:
        a, b, c = (piece.vertices[piece.faces[:, k]] for k in range(3))
        normal = np.cross(b - a, c - a)
        up = normal[:, 2] > 1e-9
        a, b, c, normal = a[up], b[up], c[up], normal[up]
        at = spots[:, None, :2]

        def side(p, q, at=at):
            return (q - p)[:, 0] * (at[..., 1] - p[:, 1]) - (q - p)[:, 1] * (at[..., 0] - p[:, 0])

        inside = (side(a, b) >= -1e-9) & (side(b, c) >= -1e-9) & (side(c, a) >= -1e-9)
        z = a[:, 2] - ((at - a[:, :2]) * normal[:, :2]).sum(-1) / normal[:, 2]
        found = np.maximum(found, np.where(inside, z, -np.inf).max(axis=1, initial=-np.inf))
    return found


def test_drivers_brake_before_a_limit_and_keep_it() -> None:
    times, zone = np.arange(0, 16, 0.1), Zone(60.0, 90.0, 6.0)
    traffic = follow(times, np.full(2, 4.5), np.array([20.0, 5.0]), np.array([11.0, 12.0]), limits=[(zone,)] * 2)
    for number in range(2):
        inside = (traffic.distances[:, number] > 60.5) & (traffic.distances[:, number] < 90.0)
        assert inside.any() and traffic.speeds[inside, number].max() < 6.5
    assert np.gradient(traffic.speeds[:, 0], times).min() > -3.0
    assert traffic.speeds[-1, 0] > 9.0
    room = traffic.distances[:, 0] - traffic.distances[:, 1] - 4.5
    assert room.min() > 1.0


@pytest.fixture(scope="module")
def cyclist() -> Cyclist:
    return Cyclist(
        draw_vehicle(np.random.default_rng(2), "Bicycle"), draw_person(np.random.default_rng(0), age="adult")
    )


def test_a_rider_pedals_holds_the_grips_and_sits_on_the_saddle(cyclist: Cyclist) -> None:
    bicycle = cyclist.bicycle
    lane = curved_lane((3, 1, 0), 0.4, [(4, 0.0), (12, 0.06)])
    times = np.arange(0, 3, 0.05)
    ground = lane.poses(2.0 + 4.0 * times, bicycle.axles)
    rig = cyclist.rig(ground)
    joint = {name: rig.path[:, number] for number, name in enumerate(rig.joints)}
    assert cyclist.bicycle.cockpit is not None
    # The crank turns with the rear wheel, by its gear.
    local = np.linalg.inv(joint["chassis"]) @ joint["crank"]
    angles = np.unwrap(np.arctan2(local[:, 0, 2], local[:, 2, 2]))
    way = np.linalg.norm(np.diff(joint["wheel_rear"][:, :3, 3], axis=0), axis=1).sum()
    wheel = bicycle.radii[bicycle.joints.index("wheel_rear")]
    assert angles[-1] - angles[0] == pytest.approx(way / wheel / bicycle.cockpit.gear, rel=1e-2)
    inverse = np.linalg.inv(ground)
    for side, sign in (("Left", 1), ("Right", -1)):
        pedal = (inverse @ joint[f"pedal_{side.lower()}"])[:, :3, 3]
        foot, toe = ((inverse @ joint[f"{side}{part}"])[:, :3, 3] for part in ("Foot", "ToeBase"))
        assert np.ptp(pedal[:, 2]) == pytest.approx(0.34, abs=0.02)  # twice the crank arm
        assert np.abs(toe[:, 0] - pedal[:, 0]).max() < 0.05 and (toe[:, 2] > pedal[:, 2]).all()
        assert np.abs(toe[:, 2] - pedal[:, 2]).max() < 0.09 and np.abs(foot[:, 1] - pedal[:, 1]).max() < 0.03
        assert pedal[:, 2].min() > 0.03
        # Nothing is stretched: bones keep their lengths.
        for first, second in (("UpLeg", "Leg"), ("Leg", "Foot"), ("Arm", "ForeArm"), ("ForeArm", "Hand")):
            bone = np.linalg.norm(joint[f"{side}{first}"][:, :3, 3] - joint[f"{side}{second}"][:, :3, 3], axis=1)
            assert np.ptp(bone) < 1e-6
        knee = (inverse @ joint[f"{side}Leg"])[:, :3, 3]
        assert np.ptp(knee[:, 2]) > 0.15 and (sign * knee[:, 1] > 0.02).all()
        hand = (inverse @ joint[f"{side}Hand"])[:, :3, 3]
        grip = np.array(bicycle.cockpit.grip) * [1, sign, 1] + [0, 0, cyclist.height]
        assert np.linalg.norm(hand - grip, axis=1).max() < 0.14 and np.ptp(hand, axis=0).max() < 0.01
    hips = (inverse @ joint["Hips"])[:, :3, 3]
    seat = np.add(bicycle.cockpit.saddle, [0, 0, cyclist.height])
    assert (hips[:, 2] - seat[2] > 0.08).all() and (hips[:, 2] - seat[2] < 0.2).all()
    assert np.abs(hips[:, 0] - seat[0]).max() < 0.06


def test_children_do_not_come_to_the_pedals() -> None:
    bicycle = draw_vehicle(np.random.default_rng(2), "Bicycle")
    contacts = contacts_of(bicycle, np.linspace(0, 6, 8))
    with pytest.raises(InputError, match="too short for the pedals"):
        ride(draw_person(np.random.default_rng(1), age="child"), np.zeros((8, 3)), contacts)


def test_a_bicycle_that_stands_keeps_its_pedals() -> None:
    bicycle = draw_vehicle(np.random.default_rng(2), "Bicycle")
    rig = drive(bicycle, np.tile(np.eye(4), (5, 1, 1)))
    assert np.allclose(rig.path, bicycle.rest)


def test_outlines_meet_where_rectangles_share_ground() -> None:
    def at(x: float, y: float, turn: float):
        pose = np.eye(4)
        pose[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
        pose[:2, 3] = x, y
        return outline_of(pose[None], (4.0, 2.0, 1.0))

    rng, grid = np.random.default_rng(0), np.stack(np.meshgrid(*[np.linspace(-0.5, 0.5, 41)] * 2), -1).reshape(-1, 2)
    shared = 0
    for one, two in combinations([at(*rng.uniform(-3, 3, 2), rng.uniform(0, 6)) for _ in range(14)], 2):
        points = one.middles[0] + grid * 2 * one.half @ one.sides[0]
        inside = (np.abs((points - two.middles[0]) @ two.sides[0].T) < two.half).all(1).any()
        shared += inside
        assert meet(one, two) or not inside
        assert not meet(one, two) or meet(one.grown(-0.15, -0.15), two) <= inside
    assert 10 < shared < 80
