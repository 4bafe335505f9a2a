import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation

from chronotope.geometry import (
    Box,
    as_pose,
    box_distance,
    box_from_points,
    corners,
    project_points,
    transform_points,
)

quaternions = arrays(float, 4, elements=st.floats(-1, 1)).filter(lambda q: np.linalg.norm(q) > 0.1)
quarter_turns = st.sampled_from([Rotation.identity(), *Rotation.create_group("O")]).map(lambda r: r.as_matrix())
rotations = quaternions.map(lambda q: Rotation.from_quat(q).as_matrix()) | quarter_turns
lengths = st.floats(0.05, 4) | st.sampled_from([0.0, 1.0, 2.0])
places = st.floats(-4, 4) | st.sampled_from([0.0, 1.0, 1.5, -2.0])
boxes = st.builds(Box, arrays(float, 3, elements=places), arrays(float, 3, elements=lengths), rotations)


def least_squares_distance(a: Box, b: Box) -> float:
    """The nearest pair of points as a bounded least-squares problem."""
    spans = np.hstack([a.rotation * a.size / 2, -b.rotation * b.size / 2])
    found = lsq_linear(spans, b.centre - a.centre, bounds=(-1, 1), method="bvls", tol=1e-14, max_iter=500)
    return float(np.sqrt(2 * found.cost))


def surface(box: Box, steps: int) -> np.ndarray:
    line = np.linspace(-0.5, 0.5, steps)
    grid = np.array(list(itertools.product(line, line, line)))
    grid = grid[(np.abs(grid) == 0.5).any(axis=1)]
    return box.centre + np.einsum("ij,nj->ni", box.rotation, grid * box.size)


def distance_to_box(points: np.ndarray, box: Box) -> np.ndarray:
    own = np.einsum("ji,nj->ni", box.rotation, points - box.centre)
    return np.linalg.norm(own - np.clip(own, -box.size / 2, box.size / 2), axis=1)


@settings(max_examples=150)
@given(boxes, boxes)
def test_box_distance_is_the_least_squares_distance(a: Box, b: Box) -> None:
    assert box_distance(a, b) == pytest.approx(least_squares_distance(a, b), abs=1e-6)


@settings(max_examples=40)
@given(boxes, boxes)
def test_box_distance_against_sampled_surfaces(a: Box, b: Box) -> None:
    steps = 15
    distance = box_distance(a, b)
    for one, other in ((a, b), (b, a)):
        sampled = distance_to_box(surface(one, steps), other).min()
        spacing = np.linalg.norm(one.size) / (steps - 1) / 2
        assert distance <= sampled + 1e-9
        if distance > 0:
            assert sampled <= distance + spacing + 1e-9


@settings(max_examples=60)
@given(boxes, boxes, rotations, arrays(float, 3, elements=st.floats(-100, 100)))
def test_box_distance_is_symmetric_and_rigid(a: Box, b: Box, R: np.ndarray, t: np.ndarray) -> None:
    distance = box_distance(a, b)
    assert box_distance(b, a) == pytest.approx(distance, abs=1e-9)
    moved = [Box(R @ box.centre + t, box.size, R @ box.rotation) for box in (a, b)]
    assert box_distance(*moved) == pytest.approx(distance, abs=1e-7)


def test_box_distance_by_hand() -> None:
    def cube(centre: list[float], size: float = 1.0, R: np.ndarray | None = None) -> Box:
        return Box(np.array(centre), np.full(3, size), np.eye(3) if R is None else R)

    half_quarter = Rotation.from_euler("z", 45, degrees=True).as_matrix()
    assert box_distance(cube([0, 0, 0]), cube([3, 0, 0])) == pytest.approx(2)  # faces
    assert box_distance(cube([0, 0, 0]), cube([2, 3, 5])) == pytest.approx(np.sqrt(1 + 4 + 16))  # corners
    assert box_distance(cube([0, 0, 0]), cube([3, 0, 0], R=half_quarter)) == pytest.approx(
        2.5 - np.sqrt(0.5)
    )  # edge, face
    tipped = Rotation.from_euler("y", 45, degrees=True).as_matrix()
    crossed = box_distance(cube([0, 0, 0], R=half_quarter), cube([3, 0, 0], R=tipped))
    assert crossed == pytest.approx(3 - 2 * np.sqrt(0.5))  # two edges, crossing
    assert box_distance(cube([0, 0, 0], 5), cube([0.5, 0, 0])) == 0  # one inside the other
    assert box_distance(cube([0, 0, 0]), cube([1, 0, 0])) == pytest.approx(0, abs=1e-12)  # touching
    bar, post = (Box(np.zeros(3), np.array(size), np.eye(3)) for size in ([9.0, 0.1, 0.1], [0.1, 0.1, 9.0]))
    assert box_distance(bar, post) == 0  # a cross: no corner of either lies in the other
    assert box_distance(
        cube([4e4, -3e4, 50.0], R=half_quarter), cube([4e4 + 3, -3e4, 50.0], R=half_quarter)
    ) == pytest.approx(3 - 2 * np.sqrt(0.5), abs=1e-9)


def test_box_distance_of_nearly_parallel_edges() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        R = Rotation.random(rng=rng).as_matrix()
        nearly = R @ Rotation.from_rotvec(rng.normal(size=3) * 10.0 ** rng.uniform(-12, -2)).as_matrix()
        a = Box(np.zeros(3), rng.uniform(0.1, 5, 3), R)
        b = Box(rng.uniform(-6, 6, 3), rng.uniform(0.1, 5, 3), nearly)
        assert box_distance(a, b) == pytest.approx(least_squares_distance(a, b), abs=1e-6)


@given(boxes)
def test_corners_are_all_combinations(box: Box) -> None:
    found = corners(box)
    wanted = [
        box.centre
        + sx * box.size[0] / 2 * box.rotation[:, 0]
        + sy * box.size[1] / 2 * box.rotation[:, 1]
        + sz * box.size[2] / 2 * box.rotation[:, 2]
        for sx, sy, sz in itertools.product((-1, 1), repeat=3)
    ]
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_a_box_refuses_what_is_none() -> None:
    for centre, size, R, said in (
        ([0, 0], [1, 1, 1], np.eye(3), "centre"),
        ([0, 0, 0], [1, -1, 1], np.eye(3), "negative"),
        ([0, 0, 0], [1, np.nan, 1], np.eye(3), "size"),
        ([0, 0, 0], [1, 1, 1], np.eye(4), "rotation"),
    ):
        with pytest.raises(ValueError, match=said):
            Box(np.array(centre), np.array(size), R)


@given(
    arrays(float, 2, elements=st.floats(-50, 50)),
    st.floats(-np.pi, np.pi),
    st.floats(0.2, 1.0),
    st.floats(1.2, 4.0),
    st.floats(0.1, 3.0),
)
def test_a_box_is_found_again_from_its_outline(
    centre: np.ndarray, yaw: float, width: float, ratio: float, height: float
) -> None:
    size = np.array([width * ratio, width, height])
    middle = np.array([*centre, 1.0])
    R = Rotation.from_euler("z", yaw).as_matrix()
    inside = np.random.default_rng(0).uniform(-0.5, 0.5, (60, 3))
    outline = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    found = box_from_points(np.array([middle + R @ (p * size) for p in np.vstack([outline, inside])]))
    np.testing.assert_allclose(found.centre, middle, atol=1e-9)
    np.testing.assert_allclose(found.size, size, atol=1e-9)
    assert abs(found.rotation[:, 0] @ R[:, 0]) == pytest.approx(1, abs=1e-9)  # modulo half a turn
    np.testing.assert_array_equal(found.rotation[:, 2], [0, 0, 1])
    assert np.linalg.det(found.rotation) == pytest.approx(1)
    angle = np.arctan2(found.rotation[1, 0], found.rotation[0, 0])
    assert -np.pi / 2 - 1e-9 < angle <= np.pi / 2 + 1e-9


@settings(max_examples=50)
@given(arrays(float, st.tuples(st.integers(1, 40), st.just(3)), elements=st.floats(-5, 5, width=16)))
def test_the_box_holds_its_points_and_no_turned_one_is_smaller(points: np.ndarray) -> None:
    box = box_from_points(points)
    assert (distance_to_box(points, box) <= 5e-7).all()
    assert box.size[0] >= box.size[1]
    areas = []
    for yaw in np.linspace(0, np.pi / 2, 181):
        turned = np.array(
            [[np.cos(yaw) * x + np.sin(yaw) * y, np.cos(yaw) * y - np.sin(yaw) * x] for x, y, _ in points]
        )
        areas.append(np.prod(np.ptp(turned, axis=0)))
    assert box.size[0] * box.size[1] <= min(areas) + 1e-9


def test_strays_are_cut_off_and_a_handful_is_not() -> None:
    rng = np.random.default_rng(3)
    points = rng.uniform(-0.5, 0.5, (2000, 3)) * [4, 2, 1]
    strays = np.vstack([points, [[40, 0, 0], [0, -30, 0], [0, 0, 9]]])
    np.testing.assert_allclose(box_from_points(strays).size, [4, 2, 1], atol=0.06)
    few = points[:150]
    assert box_from_points(few).size[2] == np.ptp(few[:, 2])
    with pytest.raises(ValueError, match="at least one point"):
        box_from_points(np.zeros((0, 3)))
    with pytest.raises(ValueError, match="finite"):
        box_from_points(np.array([[0, np.inf, 0]]))


def test_degenerate_points_have_a_flat_box() -> None:
    one = box_from_points(np.array([[1.0, 2.0, 3.0]] * 3))
    assert one.size.tolist() == [0, 0, 0] and one.centre.tolist() == [1, 2, 3]
    line = box_from_points(np.outer(np.arange(5.0), [3, 4, 1]))
    np.testing.assert_allclose(line.size, [20, 0, 4], atol=1e-12)
    np.testing.assert_allclose(line.rotation[:, 0], [0.6, 0.8, 0], atol=1e-12)


@given(arrays(float, (5, 3), elements=st.floats(-3, 3)), st.floats(200, 900), st.floats(200, 900))
def test_projection_is_similar_triangles(points: np.ndarray, fx: float, fy: float) -> None:
    K = np.array([[fx, 0.5, 320], [0, fy, 180], [0, 0, 1]])
    points[:, 2] = np.abs(points[:, 2]) + 0.1
    for (x, y, z), (u, v) in zip(points, project_points(points, K), strict=True):
        assert v == pytest.approx(fy * y / z + 180)
        assert u == pytest.approx(fx * x / z + 0.5 * y / z + 320)


def test_what_is_behind_the_camera_has_no_picture() -> None:
    pixels = project_points(np.array([[0, 0, 1.0], [0, 0, 0], [1, 1, -2.0]]), np.eye(3))
    np.testing.assert_array_equal(np.isnan(pixels).all(axis=1), [False, True, True])


def test_a_box_in_view_projects_about_its_centre() -> None:
    box = Box(np.array([10.0, 5.0, 1.0]), np.array([4.0, 2.0, 1.5]), np.eye(3))
    # A camera at the origin that looks along the world's x axis: x right = -y, y down = -z, z forward = x.
    camera_T_world = as_pose(np.array([[0, -1, 0], [0, 0, -1], [1, 0, 0]]), np.zeros(3))
    K = np.array([[500.0, 0, 320], [0, 500, 240], [0, 0, 1]])
    pixels = project_points(transform_points(camera_T_world, corners(box)), K)
    centre = project_points(transform_points(camera_T_world, box.centre[None]), K)[0]
    np.testing.assert_allclose(centre, [320 - 500 * 5 / 10, 240 - 500 * 1 / 10])
    assert (pixels.min(axis=0) < centre).all() and (centre < pixels.max(axis=0)).all()
