"""Drives through simulated streets: the verifier passes them, nothing collides, and the camera sits in the car."""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pytest

from chronotope.recording import Kind, load_recording
from chronotope.world import simulate, world_kinds
from chronotope.world.verify import verify
from tiers import complete_after

pytestmark = [pytest.mark.usefixtures("drawable"), pytest.mark.slow]


STRAIGHT, CURVE, CROSSING = range(3)  # the places of the kinds of roads in a set


@pytest.fixture(scope="module", params=complete_after(1, [CROSSING, STRAIGHT, CURVE]))
def drive(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """A drive of four seconds in small pictures; `simulate` has verified it."""
    folder = tmp_path_factory.mktemp("street")
    quality = replace(world_kinds()["street"].qualities["fast"], width=320, height=180, seconds=(4.0, 4.0))
    seed = 1 if request.param == CROSSING else 8
    simulate("street", "drive", np.random.default_rng(seed), quality, folder, number=request.param)
    place = folder / "recordings" / "drive"
    return load_recording(place), place


def corners(entity, frame: int) -> np.ndarray:
    """The corners (4, 2) m of the footprint of an entity."""
    pose, half = entity.pose_at(frame), np.array(entity.size) / 2
    signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    return pose[:2, 3] + (signs * half[:2]) @ pose[:2, :2].T


def overlap(one: np.ndarray, two: np.ndarray) -> bool:
    """Whether two rectangles overlap, by separating axes."""
    for first, second in ((one, two), (two, one)):
        for number in range(4):
            side = first[number] - first[number - 1]
            axis = np.array([-side[1], side[0]])
            a, b = first @ axis, second @ axis
            if a.max() < b.min() or b.max() < a.min():
                return False
    return True


def test_the_verifier_passes_and_has_looked_at_bodies_wheels_feet_and_events(drive) -> None:
    recording, place = drive
    verification = verify(recording, place)
    assert verification.passed, verification.sentence()
    names = {check.name for check in verification.checks}
    assert names >= {"bodies", "wheels", "feet", "events", "points across frames", "stands still"}
    assert recording.kind is Kind.OUTDOOR


def test_nothing_meets_anything_else(drive) -> None:
    recording, _ = drive
    solid = [entity for entity in recording.entities if not entity.is_person and entity.size[2] < 3.4]
    frames = range(0, len(recording.times), 5)
    for one, two in combinations(solid, 2):
        if len(one.poses) == len(two.poses) == 1:
            continue
        for frame in frames:
            assert not overlap(corners(one, frame), corners(two, frame)), (one.id, two.id, frame)
    cars = [entity for entity in solid if entity.attributes.get("role") == "vehicle"]
    for person in (entity for entity in recording.entities if entity.is_person):
        for car in cars:
            for frame in frames:
                assert not overlap(corners(person, frame), corners(car, frame)), (person.id, car.id, frame)


def test_the_camera_sits_in_a_car_that_drives_on_the_right(drive) -> None:
    recording, _ = drive
    camera = recording.vehicle_pose @ recording.camera_mount
    assert np.allclose(camera, recording.world_T_camera) and recording.velocity is not None
    steps = np.diff(recording.vehicle_pose[:, :3, 3], axis=0) / np.diff(recording.times)[:, None]
    assert np.allclose(steps, (recording.velocity[1:] + recording.velocity[:-1]) / 2, atol=0.25)
    speeds = np.linalg.norm(steps, axis=1)
    if recording.provenance.get("manner") == "stops":  # and drives on
        assert speeds.min() < 0.5 and max(speeds[0], speeds[-1]) > 1.5 and speeds.max() < 12.0
    else:
        assert 1.5 < speeds.mean() < 12.0
    (ahead_x, ahead_y), (x, y) = recording.vehicle_pose[0, :2, 0], recording.vehicle_pose[0, :2, 3]
    assert ahead_x * y - ahead_y * x < 0  # the middle of the street is on the left
    assert 1.0 < recording.world_T_camera[0, 2, 3] < 1.7


def test_traffic_has_real_speeds_and_sizes(drive) -> None:
    recording, _ = drive
    moving = [entity for entity in recording.entities if len(entity.poses) > 1 and not entity.is_person]
    assert len(moving) >= 3
    for entity in moving:
        speeds = np.linalg.norm(np.diff(entity.poses[:, :3, 3], axis=0), axis=1) / np.diff(recording.times)
        assert speeds.max() < 14.0 and entity.size[0] > 1.5
        assert abs(entity.pose_at(0)[2, 3] - entity.size[2] / 2) < 0.01  # it stands on the road


@pytest.mark.parametrize(
    "number", complete_after(3, [CURVE, CROSSING, CROSSING + 3, STRAIGHT, STRAIGHT + 3, CROSSING + 6])
)
def test_cars_follow_the_road_and_who_comes_from_the_side_waits(number: int) -> None:
    """Laid and not drawn: nothing meets, and speeds in bends are those of real cars."""
    kind = world_kinds()["street"]
    [shot] = kind.lay(np.random.default_rng([2, number]), kind.qualities["fast"], number=number).states
    assert shot.ego is not None
    ego = Mover("ego", shot.ego.pose, (4.6, 2.0))
    movers = [
        Mover(one.id, one.path, (1.85, 0.66) if one.attributes["role"] == "cyclist" else one.thing.size[:2])
        for one in shot.film_set.placements
        if one.rig is not None and one.attributes["role"] in ("vehicle", "cyclist")
    ]
    assert len(movers) >= 4
    for first, second in combinations([ego, *movers], 2):
        for frame in range(len(shot.times)):
            assert not overlap(first.corners(frame), second.corners(frame)), (first.name, second.name, frame)
    for mover in (ego, *movers):
        speeds = np.linalg.norm(np.diff(mover.path[:, :2, 3], axis=0), axis=1) * 10
        turns = np.diff(np.unwrap(np.arctan2(mover.path[:, 1, 0], mover.path[:, 0, 0]))) * 10
        assert (speeds * np.abs(turns)).max() < 4.0, mover.name  # m/s2 to the side
        assert np.abs(np.diff(speeds) * 10).max() < 9.5
    moved = np.linalg.norm(np.diff(shot.ego.pose[:, :2, 3], axis=0), axis=1) * 10
    heading = np.degrees(np.ptp(np.unwrap(np.arctan2(shot.ego.pose[:, 1, 0], shot.ego.pose[:, 0, 0]))))
    if number % 3 == STRAIGHT:
        assert heading < 0.1 and moved.min() > 2.0
    elif number % 3 == CURVE:
        assert 40 < heading < 91 and moved.min() > 2.0
    elif shot.provenance["manner"] == "stops":
        assert moved.min() < 0.5 and moved[-1] > 2.0 and moved[0] > 2.0
    elif shot.provenance["manner"] == "turns":
        assert heading > 45
    else:
        assert heading < 0.1
    camera = shot.ego.pose @ shot.ego.mount
    assert np.allclose(camera, shot.camera)


@dataclass
class Mover:
    """What moves over the ground: its poses (T, 4, 4), and its length and width (m)."""

    name: str
    path: np.ndarray
    size: tuple[float, float]

    def corners(self, frame: int) -> np.ndarray:
        signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
        return self.path[frame, :2, 3] + (signs * np.array(self.size) / 2) @ self.path[frame, :2, :2].T


@pytest.mark.complete
def test_the_same_generator_draws_the_same_street() -> None:
    kind = world_kinds()["street"]
    quality = replace(kind.qualities["fast"], seconds=(1.0, 1.0))
    one, two = (kind.lay(np.random.default_rng(4), quality).states[0] for _ in range(2))
    assert [each.id for each in one.film_set.placements] == [each.id for each in two.film_set.placements]
    assert all(
        np.array_equal(a.poses, b.poses) for a, b in zip(one.film_set.placements, two.film_set.placements, strict=True)
    )
    assert np.array_equal(one.camera, two.camera) and one.events == two.events
