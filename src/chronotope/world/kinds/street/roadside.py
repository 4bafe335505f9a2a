"""What is beside a road: parked vehicles, people who walk on the pavements, street furniture, and signs."""

from dataclasses import replace

import numpy as np

from chronotope.world.kinds.street.cast import Cast, weighted
from chronotope.world.kinds.street.clearance import Outline, outline_of
from chronotope.world.people import draw_person
from chronotope.world.people.motion import Walk, perform
from chronotope.world.street import Lane, Road, lane_beside
from chronotope.world.street.backdrop import KERB, PAVEMENT
from chronotope.world.street.road_set import BAY, STONE
from chronotope.world.street.roads import PARKING
from chronotope.world.things import Thing
from chronotope.world.things.signs import draw_sign

PARKED, MOST_PARKED = 0.4, 10  # share of the parking bays, and number of vehicles
PARKABLE = {"Car": 5, "SUV": 3, "Van": 2}
PARKED_ASIDE, PARKED_AHEAD = (-0.12, 0.03), (-0.3, 0.3)  # m, of a parked vehicle from the middle of its bay
STRAIGHT = np.radians(4.0)  # largest turn of the kerb along a vehicle that is parked
WALKERS = (2, 5)
SLOWEST_WALK, FASTEST_WALK = 0.8, 1.6  # m/s
ASIDE, BODY = 0.45, 0.32  # m, of walkers from the middle of the pavement, and half the width that they need
LAMPS = 24.0  # m between street lamps
BESIDE = {"Bench": 2, "LitterBin": 2, "FireHydrant": 2, "Mailbox": 2, "BusStop": 2}
"""How often each type of street furniture is met; each stands at most once beside a road."""

AGAIN = {"Tree": 4, "Bush": 1, "Bollard": 2}
"""What stands beside roads more than once; no question asks about these things."""

MOST_PLANTS = 6
PLANTS = ("Tree", "Bush")
AT_WALL = ("Bench", "BusStop")
SIGN, EDGE = 0.45, 0.12  # m, of the middle of a sign from the kerb, and of street furniture
SPEEDS = ("30", "40", "50")
NAMES = "Mill Lane,Station Road,Church Street,Park Road,High Street,Bridge Street,Queen Street,Garden Road,North Road"
SEEN = 75.0  # m ahead of the camera's way in which things are laid out
DIGITS = 6


def along_kerb(kerb: Lane, own: np.ndarray) -> np.ndarray:
    """Return the distances (N,) m along a kerb that are near the camera's way or ahead of it.

    The distances are a metre apart.
    """
    steps = np.arange(2.0, kerb.length - 2.0, 1.0)
    places, way = kerb.at(steps)[:, :2], own[::5, :2, 3]
    near = np.linalg.norm(places[:, None] - way, axis=2).min(axis=1) < SEEN
    behind = (places - own[0, :2, 3]) @ own[0, :2, 0] < -8.0
    return steps[near & ~behind]


def kerb_pose(kerb: Lane, along: float, out: float, turn: float, height: float) -> np.ndarray:
    """Return the pose (4, 4) of a thing beside a kerb.

    Its middle is ``out`` (m) to the right of the kerb and ``height`` (m) above the road. Its front looks along the
    kerb, turned by ``turn`` (rad) to the left.
    """
    ground = kerb.poses(np.array(along))
    heading = np.arctan2(ground[1, 0], ground[0, 0]) + turn
    pose = np.eye(4)
    pose[:2, :2] = [[np.cos(heading), -np.sin(heading)], [np.sin(heading), np.cos(heading)]]
    pose[:3, 3] = ground[:3, 3] - out * ground[:3, 1]
    pose[2, 3] = height
    return np.round(pose, DIGITS)


def add_parked(cast: Cast, road: Road, own: np.ndarray) -> None:
    """Add vehicles in some of the parking bays."""
    if not road.has_parking:
        return
    generator, count = cast.generator, 0
    for kerb in road.kerbs:
        near = along_kerb(kerb, own)
        for along in np.arange(near.min() + BAY, near.max(), BAY):
            ends = kerb.poses(np.array([along - BAY / 2, along + BAY / 2]))
            bends = np.arccos(np.clip(ends[0, :3, 0] @ ends[1, :3, 0], -1, 1)) > STRAIGHT
            if generator.random() >= PARKED or bends or count >= MOST_PARKED:
                continue
            vehicle = cast.draw(PARKABLE)
            if vehicle is None:
                return
            turn = 0.0 if generator.random() < 0.9 else np.pi
            # Nobody parks exactly in the middle of a bay: one round distance for all would be known beforehand.
            aside, ahead = generator.uniform(*PARKED_ASIDE), generator.uniform(*PARKED_AHEAD)
            pose = kerb_pose(kerb, float(along + ahead), float(aside) - PARKING / 2, turn, vehicle.thing.size[2] / 2)
            if cast.is_free(outline_of(pose[None], vehicle.thing.size)):
                cast.stand(vehicle.thing, pose, "vehicle")
                count += 1


def add_walkers(cast: Cast, road: Road, own: np.ndarray) -> None:
    """Add people who walk along the pavements, where the camera comes by."""
    generator, lift = cast.generator, np.array([0.0, 0.0, KERB])
    for _ in range(int(generator.integers(*WALKERS, endpoint=True))):
        person, speed = draw_person(generator), float(generator.uniform(SLOWEST_WALK, FASTEST_WALK))
        kerb = road.kerbs[int(generator.integers(len(road.kerbs)))]
        aside = STONE + PAVEMENT / 2 + float(generator.uniform(-ASIDE, ASIDE))
        line, far = lane_beside(kerb, -aside), 3.0 + speed * float(cast.times[-1])
        near = along_kerb(line, own)
        if cast.has(person.thing) or len(near) < far + 2:
            continue
        first = float(generator.uniform(near.min(), max(near.min() + 1.0, min(near.max(), near.min() + SEEN) - far)))
        ends = (first, first + far) if generator.random() < 0.5 else (first + far, first)
        way = line.at(np.linspace(*ends, max(2, int(far)))).reshape(-1, 3)[:, :2]
        name = cast.name(person.thing.label)
        walked = perform(person, cast.times, [Walk(way, speed)], agent=name)
        outline = Outline(walked.path[:, :2, 3], np.zeros(len(cast.times)), np.full(2, BODY))
        if not cast.is_free(outline):
            continue
        path, joints = walked.path.copy(), walked.joints.copy()
        path[..., :3, 3] += lift
        joints[..., :3, 3] += lift
        cast.placements.append(replace(walked, path=path, joints=joints).placement(name, person))
        cast.outlines.append(outline)
        cast.events += walked.events


def add_signs(cast: Cast, road: Road, own: np.ndarray, side_arms: tuple[int, ...] = ()) -> None:
    """Add a speed limit beside the camera's road.

    A crossing also gets stop signs on its side roads, and the name of a street.
    """
    generator, junction = cast.generator, road.junction
    limit = str(generator.choice(SPEEDS))
    kerb = road.kerbs[0]
    near = along_kerb(kerb, own)
    if junction is None:
        ahead = float(near.min() + generator.uniform(22.0, 30.0))
        _sign(cast, draw_sign(generator, "speed limit", limit), kerb, ahead)
        return
    names = generator.permutation(NAMES.split(","))[:2]
    for arm in side_arms:
        _sign(cast, draw_sign(generator, "stop"), road.kerbs[arm], junction.line + 1.0)
    if 0 not in side_arms:
        _sign(cast, draw_sign(generator, "crossing"), kerb, junction.line + 1.0)
    corner = road.kerbs[1]
    _sign(cast, draw_sign(generator, "street", str(names[0])), corner, corner.length / 2 + 8.0, np.pi / 2)
    _sign(cast, draw_sign(generator, "speed limit", limit), road.kerbs[3], road.kerbs[3].length / 2 + 14.0, 0.0, np.pi)


def _sign(cast: Cast, thing: Thing, kerb: Lane, along: float, turn: float = np.pi, more: float = 0.0) -> None:
    pose = kerb_pose(kerb, along, STONE + SIGN, turn + more, KERB + thing.size[2] / 2)
    if cast.is_free(outline_of(pose[None], (0.2, 0.2, 0.0))):
        cast.stand(thing, pose, "sign")


def add_furniture(cast: Cast, road: Road, own: np.ndarray) -> None:
    """Add street lamps, trees, benches and others beside the kerbs and before the houses."""
    generator, once, plants = cast.generator, dict(BESIDE), MOST_PLANTS
    for kerb in road.kerbs:
        near = along_kerb(kerb, own)
        for number, along in enumerate(np.arange(near.min() + float(generator.uniform(3, 9)), near.max(), LAMPS / 2)):
            if number % 2 == 0:
                kind, role = "StreetLamp", "furniture"
            elif once and generator.random() < 0.7:
                kind, role = weighted(generator, once), "fixture"
            else:
                kind, role = weighted(generator, AGAIN if plants else {"Bollard": 1}), "furniture"
            thing = cast.draw_beside(kind).thing
            out = STONE + (
                PAVEMENT - 0.05 - thing.size[0] / 2 if kind in AT_WALL else EDGE + min(thing.size[0], 0.5) / 2
            )
            pose = kerb_pose(kerb, float(along), out, np.pi / 2, KERB + thing.size[2] / 2)
            foot = (0.5, 0.5, 0.0) if thing.size[2] > 3.0 else thing.size
            if not cast.is_free(outline_of(pose[None], foot)) or (role == "fixture" and cast.has(thing)):
                continue
            once.pop(kind, None)
            if kind in PLANTS:
                cast.plant(thing, pose)
                plants -= 1
            else:
                cast.stand(thing, pose, role, foot)
