import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from chronotope.geometry import (
    bearing,
    clock_direction,
    compass_direction,
    elevation,
    forward_of,
    heading,
    horizontal_basis,
    sector,
    wrap_angle,
)

UP = np.array([0.0, 0.0, 1.0])
AROUND = ("front", "front-left", "left", "back-left", "back", "back-right", "right", "front-right")
arrows = arrays(float, 3, elements=st.floats(-1, 1, allow_subnormal=False)).filter(lambda v: np.linalg.norm(v) > 0.1)
angles = st.floats(-50, 50)
# Hours by look-up: degrees to the left of straight ahead.
HOURS = {12: 0, 11: 30, 10: 60, 9: 90, 8: 120, 7: 150, 6: 180, 5: -150, 4: -120, 3: -90, 2: -60, 1: -30}


@given(angles)
def test_wrapped_angles_point_the_same_way(a: float) -> None:
    wrapped = float(wrap_angle(a))
    assert -np.pi < wrapped <= np.pi
    assert np.exp(1j * wrapped) == pytest.approx(np.exp(1j * a), abs=1e-9)
    assert wrap_angle(wrapped) == wrapped


def test_half_a_turn_is_positive() -> None:
    turns = wrap_angle([np.pi, -np.pi, 3 * np.pi, -3 * np.pi, np.nextafter(-np.pi, -4), np.nextafter(np.pi, 4)])
    np.testing.assert_allclose(turns[:5], np.pi)
    assert (turns > -np.pi).all() and (turns <= np.pi).all()
    assert wrap_angle([[0.5, -0.5]]).tolist() == [[0.5, -0.5]]


@given(arrows)
def test_the_basis_is_right_handed_about_up(up: np.ndarray) -> None:
    e1, e2 = horizontal_basis(up)
    np.testing.assert_allclose(np.array([e1, e2]) @ np.array([e1, e2]).T, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(np.cross(e1, e2), up / np.linalg.norm(up), atol=1e-12)


def test_z_up_is_the_plain_case_and_no_up_is_refused() -> None:
    e1, e2 = horizontal_basis(UP)
    assert e1.tolist() == [1, 0, 0] and e2.tolist() == [0, 1, 0]
    for none in ([0, 0, 0], [np.nan, 0, 1], [0, 1]):
        with pytest.raises(ValueError, match="Up must be"):
            horizontal_basis(none)


def test_heading_in_the_plain_case() -> None:
    ahead, left, right, back = [1, 0, 0.3], [0, 2, -0.3], [0, -2, 0], [-1, 0, 0]
    np.testing.assert_allclose(heading([ahead, left, right, back], UP), [0, np.pi / 2, -np.pi / 2, np.pi])
    assert heading([-1, -0.0, 0], UP) == np.pi
    np.testing.assert_allclose(
        elevation([[1, 0, 1], [0, 3, 0], [0, 0, -2], [1, 1, -np.sqrt(2)]], UP), [np.pi / 4, 0, -np.pi / 2, -np.pi / 4]
    )


@given(arrows, arrows, st.floats(-3.1, 3.1))
def test_turning_left_about_up_raises_the_heading_by_the_turn(up: np.ndarray, forward: np.ndarray, turn: float) -> None:
    unit = up / np.linalg.norm(up)
    assume(np.linalg.norm(np.cross(unit, forward)) > 0.01)
    turned = Rotation.from_rotvec(unit * turn).apply(forward)
    assert wrap_angle(heading(turned, up) - heading(forward, up) - turn) == pytest.approx(0, abs=1e-9)
    assert elevation(turned, up) == pytest.approx(float(elevation(forward, up)), abs=1e-9)
    assert bearing(turned, forward, up) == pytest.approx(turn, abs=1e-9)


@given(arrows, arrows)
def test_elevation_is_what_is_left_of_the_right_angle(up: np.ndarray, forward: np.ndarray) -> None:
    cosine = up @ forward / np.linalg.norm(up) / np.linalg.norm(forward)
    assert elevation(forward, up) == pytest.approx(np.pi / 2 - np.arccos(np.clip(cosine, -1, 1)), abs=1e-7)


def test_a_camera_that_turns_left_has_a_growing_heading() -> None:
    # OpenCV camera at yaw psi in a world with z up: right = (sin, -cos, 0), down = -z, forward = (cos, sin, 0).
    T = np.tile(np.eye(4), (4, 1, 1))
    for pose, psi in zip(T, (0.0, 0.2, 0.4, 0.6), strict=True):
        pose[:3, :3] = np.array([[np.sin(psi), -np.cos(psi), 0], [0, 0, -1], [np.cos(psi), np.sin(psi), 0]]).T
    np.testing.assert_allclose(heading(forward_of(T), UP), [0, 0.2, 0.4, 0.6], atol=1e-12)
    assert forward_of(T[0]).tolist() == [1, 0, 0]


def test_bearing_in_a_camera_frame() -> None:
    camera_up = np.array([0, -1.0, 0])  # OpenCV: y is down
    ahead = np.array([0, 0, 1.0])
    points = [[0, 1, 5], [-5, 0, 0], [5, 0, 0], [-2, 0, 2], [1, 0, -1]]
    np.testing.assert_allclose(bearing(points, ahead, camera_up), np.radians([0, 90, -90, 45, -135]), atol=1e-12)


@given(arrows, arrows, arrows)
def test_bearing_is_atan2_of_left_and_ahead(offset: np.ndarray, forward: np.ndarray, up: np.ndarray) -> None:
    unit = up / np.linalg.norm(up)
    level = forward - (forward @ unit) * unit
    assume(np.linalg.norm(level) > 0.01)
    left, ahead = np.cross(unit, level) @ offset, level @ offset
    assume(np.hypot(left, ahead) > 1e-3)
    assert wrap_angle(bearing(offset, forward, up) - np.arctan2(left, ahead)) == pytest.approx(0, abs=1e-9)


@given(angles)
def test_the_hour_is_the_nearest_on_the_dial(a: float) -> None:
    hour = clock_direction(a)
    gap = {h: abs(np.angle(np.exp(1j * (a - np.radians(d))))) for h, d in HOURS.items()}
    assert gap[hour] == pytest.approx(min(gap.values()), abs=1e-9)


def test_every_hour_and_its_mirror() -> None:
    for hour, degrees in HOURS.items():
        for off in (-14.9, 0, 14.9):
            found = clock_direction(np.radians(degrees + off))
            assert found == hour and type(found) is int
        assert clock_direction(-np.radians(degrees)) == (12 - hour or 12)


@given(angles)
def test_the_sector_is_the_nearest_and_the_border_is_where_it_says(a: float) -> None:
    name, margin = sector(a, AROUND)
    centre = np.radians(45) * AROUND.index(name)
    gap = abs(np.angle(np.exp(1j * (a - centre))))
    assert margin == pytest.approx(np.radians(22.5) - gap, abs=1e-9)
    assert -1e-9 <= margin <= np.radians(22.5)
    if margin > 1e-6:
        outside = [sector(a + side * (margin + 1e-7), AROUND)[0] for side in (-1, 1)]
        assert sum(other != name for other in outside) >= 1
        assert all(sector(a + side * (margin - 1e-7), AROUND)[0] == name for side in (-1, 1))


def test_sectors_and_compass_in_words() -> None:
    assert [sector(np.radians(d), AROUND)[0] for d in (0, 90, -90, 180, -180, 50, -130)] == [
        "front",
        "left",
        "right",
        "back",
        "back",
        "front-left",
        "back-right",
    ]
    words = {0: "north", 45: "north-west", 90: "west", 135: "south-west", 180: "south", -135: "south-east", -90: "east"}
    for degrees, word in {**words, -45: "north-east"}.items():
        for off in (-22, 0, 22):
            assert compass_direction(np.radians(degrees + off)) == word


def test_directions_refuse_what_has_none() -> None:
    with pytest.raises(ValueError, match="Eight sector names"):
        sector(0.0, AROUND[:4])
    for call in (lambda: sector(np.nan, AROUND), lambda: clock_direction(np.inf), lambda: compass_direction(np.nan)):
        with pytest.raises(ValueError, match="finite angle"):
            call()
