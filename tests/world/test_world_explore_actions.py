"""Actions, poses, rooms and records of walks whose answers are known by hand."""

import numpy as np
import pytest
from explore_houses import box
from hypothesis import given
from hypothesis import strategies as st

from chronotope.world.homes.explore import (
    EYE_HEIGHT,
    Route,
    Visit,
    camera_poses,
    from_left_handed,
    room_of_frames,
    rooms_entered,
    to_left_handed,
    visits,
)
from chronotope.world.homes.explore.actions import actions_of, frames_of

AHEAD, LEFT, RIGHT = "MoveAhead", "RotateLeft", "RotateRight"


def route_of(points: list[tuple[float, float]], yaw: float = 0.0, pitch: float = 0.0) -> Route:
    poses = np.array([(x, y, yaw, pitch) for x, y in points])
    return Route(np.zeros((len(points), 2), int), poses, (AHEAD,) * (len(points) - 1))


def test_turns_go_the_shorter_way_and_half_turns_go_right() -> None:
    assert actions_of([(0, 0), (1, 0)], 0) == [AHEAD]
    assert actions_of([(0, 0), (0, 1)], 0) == [LEFT] * 3 + [AHEAD]
    assert actions_of([(0, 0), (0, -1)], 0) == [RIGHT] * 3 + [AHEAD]
    assert actions_of([(0, 0), (-1, 0)], 0) == [RIGHT] * 6 + [AHEAD]
    assert actions_of([(0, 0), (0, 1), (0, 0), (1, 0)], 1) == [AHEAD] + [RIGHT] * 6 + [AHEAD] + [LEFT] * 3 + [AHEAD]
    assert actions_of([(0, 0)], 2) == []


def test_each_action_has_a_frame_with_the_pose_after_it() -> None:
    cells, yaws = frames_of((4, 4), 1, [RIGHT, RIGHT, RIGHT, AHEAD, AHEAD, LEFT])
    assert yaws.tolist() == [3, 2, 1, 0, 0, 0, 1]
    assert cells.tolist() == [[4, 4]] * 4 + [[5, 4], [6, 4], [6, 4]]
    assert frames_of((0, 0), 0, [RIGHT])[1].tolist() == [0, 11]


@pytest.mark.parametrize(("yaw", "forward"), [(0, (1, 0, 0)), (90, (0, 1, 0)), (180, (-1, 0, 0)), (270, (0, -1, 0))])
def test_cameras_look_along_the_yaw_with_their_right_side_right(yaw: float, forward: tuple[int, int, int]) -> None:
    (pose,) = camera_poses(route_of([(2.0, 3.0)], np.radians(yaw)))
    assert np.allclose(pose[:3, 2], forward)
    assert np.allclose(pose[:3, 1], (0, 0, -1))  # OpenCV: y of the camera points down
    assert np.allclose(pose[:3, 0], np.cross((0, 0, -1), forward))
    assert np.allclose(pose[:, 3], (2.0, 3.0, EYE_HEIGHT, 1))
    assert np.isclose(np.linalg.det(pose[:3, :3]), 1)


def test_a_positive_pitch_looks_down() -> None:
    (pose,) = camera_poses(route_of([(0.0, 0.0)], 0.0, np.radians(30)), 1.0)
    floor = pose[:3, 3] + 2 * pose[:3, 2]  # 1 m high, 30 degrees down: the ray meets the floor after 2 m
    assert np.allclose(floor, (np.sqrt(3), 0, 0))


@pytest.mark.parametrize(("ours", "theirs"), [(90, 0), (0, 90), (270, 180), (180, 270), (60, 30), (330, 120)])
def test_left_handed_yaw_is_clockwise_from_z(ours: float, theirs: float) -> None:
    (found,) = to_left_handed(np.array([[1.5, -2.0, np.radians(ours), np.radians(10)]]))
    assert np.allclose(found, (1.5, -2.0, theirs, 10))
    assert found[2] == theirs  # exact, as text too
    # Their forward (sin, cos) along (x, z) is ours along (x, y).
    forward = np.sin(np.radians(theirs)), np.cos(np.radians(theirs))
    assert np.allclose(forward, (np.cos(np.radians(ours)), np.sin(np.radians(ours))))


@given(st.lists(st.tuples(*[st.floats(-50, 50)] * 2, st.integers(0, 11), st.integers(-60, 60)), min_size=1))
def test_left_handed_poses_come_back(rows: list[tuple[float, float, int, int]]) -> None:
    poses = np.array([(x, y, np.radians(30 * turn), np.radians(pitch)) for x, y, turn, pitch in rows])
    assert np.allclose(from_left_handed(to_left_handed(poses)), poses)


ROOMS = [box(0, 0, 2, 2), box(2, 0, 4, 2)]


def test_a_point_on_a_border_belongs_to_the_room_before() -> None:
    there_and_back = [(1, 1), (2, 1), (3, 1), (2, 1), (1, 1), (2, 1), (3, 1)]
    found = room_of_frames(route_of(there_and_back), ROOMS)
    assert found.tolist() == [0, 0, 1, 1, 0, 0, 1]
    assert room_of_frames(route_of(there_and_back), ROOMS[::-1]).tolist() == [1, 1, 0, 0, 1, 1, 0]
    assert visits(found) == [Visit(0, 0, 1), Visit(1, 2, 3), Visit(0, 4, 5), Visit(1, 6, 6)]


def test_rooms_of_points_outside_and_of_a_start_on_a_border() -> None:
    route = route_of([(2, 1), (3, 1), (5, 1), (4, 1), (1, 3)])
    assert room_of_frames(route, ROOMS).tolist() == [0, 1, -1, 1, -1]
    assert room_of_frames(route, ROOMS[::-1]).tolist() == [0, 0, -1, 0, -1]
    assert rooms_entered(route, ROOMS) == [0, 1]
    assert rooms_entered(route_of([(3, 1), (1, 1), (3, 1)]), ROOMS) == [1, 0]
