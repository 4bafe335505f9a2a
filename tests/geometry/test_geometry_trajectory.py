from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from chronotope.geometry import (
    SmoothTrack,
    accumulated_turn,
    displacement,
    path_between,
    path_length,
    positions_at,
    resample,
    smooth,
    split_at_gaps,
)

coordinates = st.floats(-20, 20, allow_subnormal=False)
ways = arrays(float, st.tuples(st.integers(2, 30), st.just(3)), elements=coordinates)
long_ways = arrays(float, st.tuples(st.integers(11, 40), st.just(3)), elements=coordinates)


def track_of(positions: np.ndarray, rate: float = 10.0) -> SmoothTrack:
    zeros = np.zeros_like(positions)
    return SmoothTrack(np.arange(len(positions)) / rate, positions, zeros, zeros)


@given(ways)
def test_path_is_the_sum_of_steps_and_never_shorter_than_the_displacement(positions: np.ndarray) -> None:
    steps = [np.sqrt(sum((b - a) ** 2)) for a, b in pairwise(positions)]
    assert path_length(positions) == pytest.approx(sum(steps), abs=1e-9)
    assert path_length(positions) >= displacement(positions) - 1e-9


@given(arrays(float, 3, elements=coordinates), st.lists(st.floats(0, 9), min_size=2, max_size=9))
def test_on_a_line_they_are_equal(direction: np.ndarray, along: list[float]) -> None:
    positions = np.outer(sorted(along), direction)
    assert path_length(positions) == pytest.approx(displacement(positions), abs=1e-9)
    there_and_back = np.vstack([positions, positions[::-1]])
    assert displacement(there_and_back) == 0
    assert path_length(there_and_back) == pytest.approx(2 * path_length(positions), abs=1e-9)


@given(ways, st.integers(0, 2**32 - 1))
def test_lengths_survive_a_rigid_change_of_world(positions: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    moved = Rotation.random(rng=rng).apply(positions) + rng.normal(scale=50, size=3)
    assert path_length(moved) == pytest.approx(path_length(positions), abs=1e-9)
    assert displacement(moved) == pytest.approx(displacement(positions), abs=1e-9)


def test_one_position_has_no_way() -> None:
    assert path_length(np.ones((1, 3))) == displacement(np.ones((1, 3))) == 0


@given(st.lists(st.floats(-1, 1), max_size=40), st.floats(-3, 3))
def test_the_accumulated_turn_counts_whole_turns(steps: list[float], start: float) -> None:
    headings = start + np.concatenate([[0.0], np.cumsum(steps)])
    wrapped = np.angle(np.exp(1j * headings))
    assert accumulated_turn(wrapped) == pytest.approx(sum(steps), abs=1e-9)


def test_two_turns_to_the_left_and_one_to_the_right() -> None:
    left = np.arange(0, 720 + 1, 30) % 360
    assert accumulated_turn(np.radians(left)) == pytest.approx(np.radians(720))
    assert accumulated_turn(np.radians([170, -170])) == pytest.approx(np.radians(20))
    assert accumulated_turn(np.radians([-170, 170])) == pytest.approx(np.radians(-20))
    assert accumulated_turn(np.zeros(1)) == 0


@given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), max_size=40))
def test_pieces_are_what_a_walk_over_the_samples_finds(samples: list[tuple[int, bool]]) -> None:
    times = np.cumsum([step for step, _ in samples]) / 10
    valid = np.array([known for _, known in samples], dtype=bool)
    wanted: list[list[int]] = []
    for i in range(len(samples)):
        if valid[i]:
            near = wanted and sum(step for step, _ in samples[wanted[-1][-1] + 1 : i + 1]) <= 5
            if near:
                wanted[-1].append(i)
            else:
                wanted.append([i])
    assert [piece.tolist() for piece in split_at_gaps(times, valid, 0.5)] == wanted


def test_nothing_valid_is_no_piece() -> None:
    assert split_at_gaps(np.arange(4.0), np.zeros(4, dtype=bool), 0.5) == []
    assert split_at_gaps([], [], 0.5) == []


@given(
    st.lists(st.floats(0.01, 0.4), min_size=1, max_size=30),
    st.floats(-1e3, 1e3),
    st.sampled_from([1.0, 4.0, 10.0, 30.0]),
    arrays(float, 3, elements=coordinates),
)
def test_the_grid_is_uniform_inside_the_samples_and_exact_on_a_line(
    steps: list[float], start: float, rate: float, velocity: np.ndarray
) -> None:
    times = start + np.concatenate([[0.0], np.cumsum(steps)])
    poses = np.tile(np.eye(4), (len(times), 1, 1))
    poses[:, :3, 3] = np.outer(times - start, velocity)
    poses[:, :3, :3] = Rotation.from_rotvec(np.outer(times - start, [0, 0, 0.7])).as_matrix()
    grid, on_grid = resample(times, poses, rate)
    assert grid[0] == times[0] and grid[-1] <= times[-1]
    assert times[-1] - grid[-1] < 1 / rate
    np.testing.assert_allclose(grid, times[0] + np.arange(len(grid)) / rate, atol=1.1e-4 / rate)
    np.testing.assert_allclose(on_grid[:, :3, 3], np.outer(grid - start, velocity), atol=1e-8)
    yaw = np.arctan2(on_grid[:, 1, 0], on_grid[:, 0, 0])
    assert np.abs(np.angle(np.exp(1j * (yaw - 0.7 * (grid - start))))).max() < 1e-8


def test_rounded_stamps_neither_lose_a_sample_nor_open_a_gap() -> None:
    poses = np.tile(np.eye(4), (4, 1, 1))
    printed = np.array([0, 0.033333, 0.066667, 0.099999])  # 30 Hz in microseconds; three steps are 0.1 s
    grid, _ = resample(printed, poses, 30)
    assert len(grid) == 4 and grid[-1] == printed[-1]
    spike = np.zeros((7, 3))
    spike[0] = 1
    for tenth in range(1, 10):
        unix = 1.7e9 + (tenth + np.arange(7)) / 10  # stamps with a resolution of 2e-7 s
        assert abs(smooth(unix, spike, 0.6).positions[6, 0]) > 0.01  # the window takes in all 7 samples
    tenths = np.arange(40) / 10
    pairs = [tenths[[k, k + 5]] for k in range(35)]
    assert any(late - early > 0.5 for early, late in pairs)
    assert all(len(split_at_gaps(pair, [True, True], 0.5)) == 1 for pair in pairs)


def test_samples_on_the_grid_come_back() -> None:
    times = np.arange(21) / 10  # 2.0 is not a whole number of tenths in binary
    poses = np.tile(np.eye(4), (21, 1, 1))
    poses[:, :3, 3] = np.random.default_rng(0).normal(size=(21, 3))
    grid, on_grid = resample(times, poses, 10)
    np.testing.assert_allclose(grid, times, atol=1e-12)
    np.testing.assert_allclose(on_grid, poses, atol=1e-12)
    assert len(resample(times[:1], poses[:1], 10)[0]) == 1
    for rate in (0, -1, np.nan):
        with pytest.raises(ValueError, match="above zero"):
            resample(times, poses, rate)
    with pytest.raises(ValueError, match="at least one sample"):
        resample([], np.zeros((0, 4, 4)), 10)


@settings(max_examples=30)
@given(long_ways, st.sampled_from([(0.5, 2), (1.0, 5)]), st.floats(-1e4, 1e4))
def test_smoothing_is_the_local_quadratic(positions: np.ndarray, window: tuple[float, int], start: float) -> None:
    seconds, half = window
    times = start + np.arange(len(positions)) / 10
    track = smooth(times, positions, seconds)
    for k in range(len(positions)):
        middle = min(max(k, half), len(positions) - 1 - half)
        inside = slice(middle - half, middle + half + 1)
        local = np.arange(-half, half + 1) / 10
        here = (k - middle) / 10
        for axis in range(3):
            quadratic = np.polyfit(local, positions[inside, axis], 2)
            assert track.positions[k, axis] == pytest.approx(np.polyval(quadratic, here), abs=1e-8)
            assert track.velocities[k, axis] == pytest.approx(np.polyval(np.polyder(quadratic), here), abs=1e-6)
            assert track.accelerations[k, axis] == pytest.approx(2 * quadratic[0], abs=1e-5)


@given(arrays(float, (3, 3), elements=st.floats(-3, 3)), st.sampled_from([0.1, 0.5, 1.0]))
def test_constant_acceleration_is_left_as_it_is(coefficients: np.ndarray, window: float) -> None:
    start, velocity, acceleration = coefficients
    t = np.arange(25)[:, None] / 10
    # Far from the origin, as a vehicle in a city's coordinates.
    track = smooth(t[:, 0], 4e4 + start + velocity * t + acceleration * t**2 / 2, window)
    np.testing.assert_allclose(track.positions - 4e4, start + velocity * t + acceleration * t**2 / 2, atol=1e-9)
    np.testing.assert_allclose(track.velocities, velocity + acceleration * t, atol=1e-7)
    np.testing.assert_allclose(track.accelerations, np.broadcast_to(acceleration, (25, 3)), atol=1e-6)


@settings(max_examples=40)
@given(long_ways, st.integers(0, 2**32 - 1))
def test_smoothing_commutes_with_a_rigid_change(positions: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    R, shift = Rotation.random(rng=rng), rng.normal(scale=10, size=3)
    times = np.arange(len(positions)) / 10
    one, other = smooth(times, positions, 1.0), smooth(times, R.apply(positions) + shift, 1.0)
    np.testing.assert_allclose(other.positions, R.apply(one.positions) + shift, atol=1e-8)
    np.testing.assert_allclose(other.velocities, R.apply(one.velocities), atol=1e-7)


def test_the_least_window_is_three_samples() -> None:
    positions = np.random.default_rng(0).normal(size=(8, 3))
    track = smooth(np.arange(8) / 2, positions, 0.5)  # half-width floor(0.5 * 2 / 2) = 0
    np.testing.assert_allclose(track.positions, positions, atol=1e-12)
    np.testing.assert_allclose(track.velocities[1:-1], positions[2:] - positions[:-2], atol=1e-12)
    np.testing.assert_allclose(
        track.accelerations[1:-1], 4 * (positions[2:] - 2 * positions[1:-1] + positions[:-2]), atol=1e-12
    )


@pytest.mark.parametrize(
    ("window", "rate", "samples"), [(0.5, 10, 5), (1.0, 10, 11), (1.0, 30, 31), (0.5, 5, 3), (0.1, 1, 3)]
)
def test_the_window_in_samples(window: float, rate: float, samples: int) -> None:
    """A single spike spreads over exactly one window."""
    positions = np.zeros((2 * samples + 21, 3))
    middle = len(positions) // 2
    positions[middle] = 1
    touched = np.flatnonzero(
        np.abs(smooth(np.arange(len(positions)) / rate, positions, window).accelerations[:, 0]) > 1e-9
    )
    assert touched[0] >= middle - samples // 2 and touched[-1] <= middle + samples // 2
    assert touched[0] == middle - samples // 2
    smooth(np.arange(samples) / rate, positions[:samples], window)
    with pytest.raises(ValueError, match="smoothing window has"):
        smooth(np.arange(samples - 1) / rate, positions[: samples - 1], window)


def test_smoothing_needs_a_uniform_grid_of_positions() -> None:
    times = np.arange(12) / 10
    with pytest.raises(ValueError, match="uniform grid"):
        smooth(np.where(times > 0.5, times + 0.1, times), np.zeros((12, 3)), 0.5)
    with pytest.raises(ValueError, match="uniform grid"):
        smooth(np.zeros(12), np.zeros((12, 3)), 0.5)
    with pytest.raises(ValueError, match="one finite position"):
        smooth(times, np.zeros((12, 2)), 0.5)
    with pytest.raises(ValueError, match="one finite position"):
        smooth(times, np.full((12, 3), np.nan), 0.5)


@given(ways, st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_paths_over_adjacent_windows_add_up(positions: np.ndarray, shares: list[float]) -> None:
    track = track_of(positions)
    t0, t1, t2 = (min(share * track.times[-1], track.times[-1]) for share in sorted(shares))
    whole = path_between(track, t0, t2)
    assert path_between(track, t0, t1) + path_between(track, t1, t2) == pytest.approx(whole, abs=1e-9)
    first, last = positions_at(track, [t0, t2])
    assert whole >= np.linalg.norm(last - first) - 1e-9


@given(ways)
def test_the_whole_path_is_the_polylines_length(positions: np.ndarray) -> None:
    track = track_of(positions)
    assert path_between(track, track.times[0], track.times[-1]) == pytest.approx(path_length(positions), abs=1e-9)


def test_path_between_by_hand_and_outside() -> None:
    track = track_of(np.array([[0, 0, 0], [2, 0, 0], [2, 4, 0.0]]), rate=1)
    assert path_between(track, 0.5, 1.25) == pytest.approx(2)
    assert path_between(track, 0.5, 0.5) == 0
    np.testing.assert_allclose(positions_at(track, [0, 0.5, 1.25, 2]), [[0, 0, 0], [1, 0, 0], [2, 1, 0], [2, 4, 0]])
    for window in ((-0.1, 1), (0, 2.1)):
        with pytest.raises(ValueError, match="outside"):
            path_between(track, *window)
    with pytest.raises(ValueError, match="needs an end time after"):
        path_between(track, 1, 0)


def test_a_circle_has_the_speed_and_acceleration_of_the_textbook() -> None:
    t = np.arange(200) / 10
    radius, rate = 30.0, 0.3
    circle = radius * np.column_stack([np.cos(rate * t), np.sin(rate * t), 0 * t])
    track = smooth(t, circle, 1.0)
    inner = slice(5, -5)
    # The quadratic itself falls short of a circle, by (turn in half a window)²/8 or so.
    np.testing.assert_allclose(np.linalg.norm(track.velocities[inner], axis=1), radius * rate, rtol=4e-3)
    np.testing.assert_allclose(np.linalg.norm(track.accelerations[inner], axis=1), radius * rate**2, rtol=4e-3)
    assert path_between(track, 2.0, 12.0) == pytest.approx(radius * rate * 10, rel=4e-3)
