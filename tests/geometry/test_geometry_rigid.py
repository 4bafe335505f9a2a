import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm, polar
from scipy.spatial.transform import Rotation

from chronotope.geometry import (
    Axes,
    as_pose,
    axes_rotation,
    change_camera_axes,
    interpolate_pose,
    invert,
    is_rigid,
    project_to_so3,
    relative_pose,
    rotation_angle,
    rotation_from_quaternion,
    transform_points,
)

numbers = st.floats(-1, 1, allow_subnormal=False)
quaternions = arrays(float, 4, elements=numbers).filter(lambda q: np.linalg.norm(q) > 0.1)
rotations = quaternions.map(lambda q: Rotation.from_quat(q).as_matrix())
vectors = arrays(float, 3, elements=st.floats(-100, 100, allow_subnormal=False))
axes = st.sampled_from(list(Axes))


@st.composite
def poses(draw: st.DrawFn) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = draw(rotations)
    T[:3, 3] = draw(vectors)
    return T


def cross_matrix(v: np.ndarray) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


@given(poses())
def test_inverse_agrees_with_linear_algebra(T: np.ndarray) -> None:
    np.testing.assert_allclose(invert(T), np.linalg.inv(T), atol=1e-10)
    np.testing.assert_allclose(invert(T) @ T, np.eye(4), atol=1e-10)
    np.testing.assert_allclose(invert(invert(T)), T, atol=1e-10)


@given(poses(), poses(), arrays(float, (5, 3), elements=numbers))
def test_composition_and_relative_pose(a: np.ndarray, b: np.ndarray, points: np.ndarray) -> None:
    np.testing.assert_allclose(
        transform_points(a @ b, points), transform_points(a, transform_points(b, points)), atol=1e-9
    )
    np.testing.assert_allclose(a @ relative_pose(a, b), b, atol=1e-9)
    by_hand = [np.array([*p, 1.0]) for p in points]
    np.testing.assert_allclose(transform_points(a, points), [(a @ p)[:3] for p in by_hand], atol=1e-9)


@given(poses(), poses(), arrays(float, (4, 3), elements=numbers))
def test_batches_are_the_single_results_stacked(a: np.ndarray, b: np.ndarray, points: np.ndarray) -> None:
    both = np.array([[a, b], [b, a]])
    np.testing.assert_allclose(invert(both)[0, 1], invert(b), atol=1e-12)
    moved = transform_points(both, points)
    assert moved.shape == (2, 2, 4, 3)
    np.testing.assert_allclose(moved[1, 0], transform_points(b, points), atol=1e-12)
    np.testing.assert_array_equal(relative_pose(a, both)[0, 1], relative_pose(a, b))
    np.testing.assert_array_equal(as_pose(both[..., :3, :3], both[..., :3, 3]), both)
    assert as_pose(np.eye(3), np.zeros((7, 3))).shape == (7, 4, 4)


@given(poses(), arrays(float, (4, 3), elements=numbers))
def test_distances_survive_a_rigid_change(T: np.ndarray, points: np.ndarray) -> None:
    moved = transform_points(T, points)
    for i in range(3):
        before, after = (np.linalg.norm(p[i + 1] - p[i]) for p in (points, moved))
        assert after == pytest.approx(before, abs=1e-9)


@settings(max_examples=40)
@given(arrays(float, (3, 3), elements=numbers))
def test_projection_is_a_rotation_and_no_other_is_nearer(M: np.ndarray) -> None:
    R = project_to_so3(M)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-9)
    assert np.linalg.det(R) == pytest.approx(1, abs=1e-9)
    rng = np.random.default_rng(0)
    others = np.concatenate(
        [
            Rotation.random(200, rng=rng).as_matrix(),
            [R @ Rotation.from_rotvec(w).as_matrix() for w in rng.normal(scale=0.01, size=(50, 3))],
        ]
    )
    assert (np.linalg.norm(others - M, axis=(1, 2)) >= np.linalg.norm(R - M) - 1e-9).all()


@given(rotations, arrays(float, (3, 3), elements=st.floats(-1e-3, 1e-3)))
def test_projection_repairs_rounding(R: np.ndarray, noise: np.ndarray) -> None:
    np.testing.assert_allclose(project_to_so3(R), R, atol=1e-9)
    repaired = project_to_so3(R + noise)
    np.testing.assert_allclose(project_to_so3(repaired), repaired, atol=1e-9)
    np.testing.assert_allclose(repaired, polar(R + noise)[0], atol=1e-9)
    assert is_rigid(as_pose(R + noise, np.zeros(3)))


def test_projection_of_a_reflection_is_a_rotation() -> None:
    R = project_to_so3(np.array([np.diag([1.0, 1.0, -1.0]), np.eye(3)]))
    np.testing.assert_allclose(np.linalg.det(R), 1)
    with pytest.raises(ValueError, match="not finite"):
        project_to_so3(np.full((3, 3), np.nan))


def test_is_rigid_rejects_what_cannot_be_repaired() -> None:
    good = as_pose(np.eye(3), [4e4, -2e4, 10.0])
    bad = np.array([good] * 8)
    bad[0, 0, 3] = -np.inf
    bad[1, 0, 0] = np.nan
    bad[2, :3, :3] = 0
    bad[3, :3, :3] = np.diag([1, 1, -1])
    bad[4, 3, 3] = 0
    bad[5, 3, 0] = 0.5
    bad[6, :3, :3] *= 1.1
    bad[7, 0, 1] = 0.2
    assert not is_rigid(bad).any()
    assert is_rigid(good) and is_rigid(np.array([good, bad[0]])).tolist() == [True, False]
    slightly_small = as_pose(np.eye(3) * 0.9995 ** (1 / 3), np.zeros(3))
    assert is_rigid(slightly_small) and not is_rigid(slightly_small, tolerance=1e-5)


@given(quaternions, st.floats(0.01, 100))
def test_quaternion_scale_and_sign_do_not_matter(q: np.ndarray, scale: float) -> None:
    R = rotation_from_quaternion(q)
    np.testing.assert_allclose(rotation_from_quaternion(-scale * q), R, atol=1e-12)
    x, y, z, w = q / np.linalg.norm(q)
    # Rodrigues' form with the half angle, from the axis itself.
    v = np.array([x, y, z])
    by_hand = np.eye(3) + 2 * w * cross_matrix(v) + 2 * cross_matrix(v) @ cross_matrix(v)
    np.testing.assert_allclose(R, by_hand, atol=1e-12)
    rounded = np.round(q / np.linalg.norm(q), 4)
    off = rotation_from_quaternion(rounded)
    np.testing.assert_allclose(off @ off.T, np.eye(3), atol=1e-12)
    assert np.abs(off - R).max() < 5e-4


def test_quaternions_in_batches_and_bad_ones() -> None:
    quarter_left = [0, 0, np.sqrt(0.5), np.sqrt(0.5)]
    R = rotation_from_quaternion([[[0, 0, 0, 1], quarter_left]])
    assert R.shape == (1, 2, 3, 3)
    np.testing.assert_allclose(R[0, 1] @ [1, 0, 0], [0, 1, 0], atol=1e-12)
    for bad, said in (([0, 0, 0, 0], "zero"), ([0, np.nan, 0, 1], "not finite"), ([0, 0, 1], "4 numbers")):
        with pytest.raises(ValueError, match=said):
            rotation_from_quaternion(bad)


@given(quaternions, st.floats(0, np.pi))
def test_rotation_angle_is_that_of_the_exponential(q: np.ndarray, angle: float) -> None:
    axis = q[:3] / (np.linalg.norm(q[:3]) or 1.0)
    if np.linalg.norm(axis) > 0.5:
        assert rotation_angle(expm(cross_matrix(axis * angle))) == pytest.approx(angle, abs=1e-7)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-5, np.pi - 1e-7, np.pi])
def test_rotation_angle_keeps_its_digits_at_both_ends(angle: float) -> None:
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    assert rotation_angle(np.array([R, R.T])) == pytest.approx([angle, angle], abs=1e-14)


def test_axes_by_their_words() -> None:
    # The same three arrows in every convention.
    ahead, left, up = np.eye(3)
    words = {
        Axes.FLU: (ahead, left, up),
        Axes.OPENCV: (-left, -up, ahead),
        Axes.OPENGL: (-left, up, -ahead),
    }
    arrow = np.array([2.0, 3.0, 5.0])  # ahead, left, up
    for source, source_axes in words.items():
        for target, target_axes in words.items():
            from_source, in_target = (np.array([axis @ arrow for axis in each]) for each in (source_axes, target_axes))
            np.testing.assert_array_equal(axes_rotation(source, target) @ from_source, in_target)
    np.testing.assert_array_equal(axes_rotation(Axes.FLU, Axes.OPENCV) @ [1, 2, 3], [-2, -3, 1])
    assert [str(a) for a in Axes] == ["opencv", "flu", "opengl"]


@given(poses(), axes, axes, axes, arrays(float, (3, 3), elements=numbers))
def test_changing_camera_axes_leaves_the_world_alone(
    T: np.ndarray, a: Axes, b: Axes, c: Axes, points: np.ndarray
) -> None:
    changed = change_camera_axes(T, a, b)
    np.testing.assert_array_equal(changed[:3, 3], T[:3, 3])
    same_points = points @ axes_rotation(a, b).T
    np.testing.assert_allclose(transform_points(changed, same_points), transform_points(T, points), atol=1e-9)
    np.testing.assert_array_equal(change_camera_axes(changed, b, a), T)
    np.testing.assert_array_equal(change_camera_axes(changed, b, c), change_camera_axes(T, a, c))
    assert is_rigid(changed)


@settings(max_examples=30)
@given(poses(), vectors, quaternions, st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_a_screw_of_constant_speed_is_interpolated_exactly(
    start: np.ndarray, velocity: np.ndarray, q: np.ndarray, shares: list[float]
) -> None:
    spin = q[:3] * 0.9  # rad/s; at most half a turn between samples of 1 s
    times = np.array([10.0, 10.5, 11.5, 12.0])

    def truth(t: float) -> np.ndarray:
        T = np.eye(4)
        T[:3, :3] = start[:3, :3] @ expm(cross_matrix(spin * (t - 10)))
        T[:3, 3] = start[:3, 3] + velocity * (t - 10)
        return T

    at = 10 + 2 * np.array(shares)
    found = interpolate_pose(times, np.array([truth(t) for t in times]), at)
    np.testing.assert_allclose(found, np.array([truth(t) for t in at]), atol=1e-6)


def test_interpolation_hits_samples_and_goes_no_further() -> None:
    rng = np.random.default_rng(1)
    times = np.array([0.0, 0.1, 0.35])
    samples = as_pose(Rotation.random(3, rng=rng).as_matrix(), rng.normal(size=(3, 3)))
    np.testing.assert_allclose(interpolate_pose(times, samples, times), samples, atol=1e-12)
    np.testing.assert_array_equal(interpolate_pose(times[:1], samples[:1], [0.0, 0.0]), samples[[0, 0]])
    assert interpolate_pose(times, samples, []).shape == (0, 4, 4)
    for outside in (-1e-9, 0.35 + 1e-9, np.nan):
        with pytest.raises(ValueError, match="outside"):
            interpolate_pose(times, samples, [0.1, outside])
    with pytest.raises(ValueError, match="increase strictly"):
        interpolate_pose([0, 0.1, 0.1], samples, [0.05])
    with pytest.raises(ValueError, match="one time per sample"):
        interpolate_pose(times[:2], samples, [0.05])
    samples[1, 0, 0] = np.nan
    with pytest.raises(ValueError, match="finite poses"):
        interpolate_pose(times, samples, [0.05])
