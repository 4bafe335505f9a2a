"""What is drawn is what is there: depth and identities against rays of this test's own, left where left is."""

from dataclasses import replace

import numpy as np
import pytest

from chronotope.world.engine import require_mujoco
from chronotope.world.film_set import FilmSet, Light, Placement
from chronotope.world.quality import Quality
from chronotope.world.render import open_renderer
from chronotope.world.slabs import corners_of, slab
from chronotope.world.things import Look, Thing

QUALITY = Quality("fast", 160, 120, 10, (1.0, 1.0), 256, 4, 20)
FOCAL = 130.0
BOXES = (  # centre, size, yaw, colour
    ((0.0, 0.0, 0.1), (0.3, 0.2, 0.2), 0.4, (0.9, 0.1, 0.1)),
    ((0.35, 0.25, 0.05), (0.1, 0.2, 0.1), -0.9, (0.1, 0.2, 0.9)),
    ((-0.3, 0.1, 0.2), (0.12, 0.1, 0.4), 1.1, (0.1, 0.8, 0.2)),
)


pytestmark = pytest.mark.usefixtures("drawable")


def placement(number, centre, size, yaw, colour):
    pose = np.eye(4)
    pose[:2, :2] = [[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]]
    pose[:3, 3] = centre
    look = Look(colour, 0.0, 0.0)
    box = slab(size, (0, 0, 0), look)
    thing = Thing("box", str(number), "wood", (box,), size, "half", None, 1.0, (corners_of(size, (0, 0, 0)),), None)
    return Placement(f"box-{number}", thing, pose, None)


@pytest.fixture(scope="module")
def scene():
    floor = slab((4, 4, 0.1), (0, 0, -0.05), Look((0.7, 0.7, 0.7), 0, 0))
    light = Light((0.5, -0.5, 2.0), (-0.2, 0.2, -1.0), (0.5, 0.5, 0.5), shadows=True)
    return FilmSet(tuple(placement(k, *box) for k, box in enumerate(BOXES)), (floor,), (light,))


def eye(azimuth, elevation, distance):
    position = distance * np.array(
        [np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation), np.sin(elevation)]
    )
    forward = -position / np.linalg.norm(position)
    right = np.cross(forward, [0, 0, 1.0])
    right /= np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, :3] = np.stack([right, np.cross(forward, right), forward], axis=1)
    pose[:3, 3] = position
    return pose


def cast(pose):
    """Depth along the optical axis and identity of every pixel, ray by ray against every box and the floor."""
    depth, identity = np.full((120, 160), np.inf), np.zeros((120, 160), int)
    for v in range(120):
        for u in range(160):
            ray = pose[:3, :3] @ np.array([(u - 79.5) / FOCAL, (v - 59.5) / FOCAL, 1.0])
            if ray[2] < 0:
                t = -pose[2, 3] / ray[2]
                if np.abs(pose[:2, 3] + t * ray[:2]).max() < 2:
                    depth[v, u] = t
            for k, (centre, size, yaw, _) in enumerate(BOXES):
                turn = np.array([[np.cos(yaw), np.sin(yaw), 0], [-np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
                start, along = turn @ (pose[:3, 3] - centre), turn @ ray
                a, b = (-np.array(size) / 2 - start) / along, (np.array(size) / 2 - start) / along
                enter, leave = np.minimum(a, b).max(), np.maximum(a, b).min()
                if 0 < enter < min(leave, depth[v, u]):
                    depth[v, u], identity[v, u] = enter, k + 1
    return depth, identity


@pytest.mark.parametrize("view", [(0.3, 0.35, 1.2), (2.5, 0.7, 0.9), (-1.9, 0.2, 1.4)])
def test_depth_and_identities_are_those_of_rays_through_the_pixels(scene, view):
    pose = eye(*view)
    with open_renderer(scene, QUALITY, FOCAL) as renderer:
        drawn = renderer.draw(pose)
    depth, identity = cast(pose)
    beyond = np.isinf(depth)
    assert np.isnan(drawn.depth[beyond]).sum() >= 0.98 * beyond.sum(), "all but the rim of the floor"
    edge = np.zeros_like(identity, bool)
    edge[:, 1:] |= identity[:, 1:] != identity[:, :-1]
    edge[1:] |= identity[1:] != identity[:-1]
    edge |= np.roll(edge, -1, 0) | np.roll(edge, -1, 1)
    inner = ~edge & np.isfinite(depth)
    assert inner.mean() > 0.5 and set(np.unique(identity[inner])) == {0, 1, 2, 3}
    assert np.array_equal(drawn.identities[inner], identity[inner])
    assert (drawn.identities != identity).mean() < 0.02, "edges may fall either way, by a pixel"
    error = np.abs(drawn.depth[inner] - depth[inner])
    assert np.median(error) < 1e-4 and np.percentile(error, 99) < 1e-3


def test_colours_stand_where_their_things_stand(scene):
    with open_renderer(scene, QUALITY, FOCAL) as renderer:
        drawn = renderer.draw(eye(0.3, 0.5, 1.2))
        again = renderer.draw(eye(0.3, 0.5, 1.2))
    assert np.array_equal(drawn.rgb, again.rgb) and np.array_equal(drawn.identities, again.identities)
    for k, (_, _, _, colour) in enumerate(BOXES):
        seen = drawn.rgb[drawn.identities == k + 1].mean(axis=0)
        assert seen.argmax() == int(np.argmax(colour)), (k, seen)


def test_the_right_of_the_camera_is_right_in_the_picture():
    # Looking along +y from the south: east (+x) is to the right.
    east = placement(0, (0.3, 0.0, 0.1), (0.1, 0.1, 0.2), 0.0, (0.9, 0.1, 0.1))
    with open_renderer(FilmSet((east,)), QUALITY, FOCAL) as renderer:
        drawn = renderer.draw(eye(-np.pi / 2, 0.2, 1.0))
    columns = np.flatnonzero((drawn.identities == 1).any(axis=0))
    assert columns.min() > 80


def test_a_room_has_the_shadows_of_its_things_and_no_specks_of_its_own():
    # The lamp meets the wall at a slant that a coarse shadow map cannot follow.
    if not hasattr(require_mujoco().MjModel, "geom_castshadow"):
        pytest.skip("this version of the engine has every geom throw shadows")
    grey = Look((0.7, 0.7, 0.7), 0, 0)
    room = (slab((4, 4, 0.1), (0, 0, -0.05), grey), slab((0.1, 4, 2.4), (-1.0, 0, 1.2), grey))
    thing = placement(0, (0.0, 0.0, 0.2), (0.3, 0.3, 0.4), 0.3, (0.9, 0.1, 0.1))
    lamp = Light((-0.75, -0.9, 2.0), (0.1, 0.5, -0.86), (0.5, 0.5, 0.5), shadows=True)

    def drawn(things, light):
        with open_renderer(FilmSet(things, room, (light,)), QUALITY, FOCAL) as renderer:
            return renderer.draw(eye(0.3, 0.5, 2.0)).rgb.astype(int)

    plain = drawn((), replace(lamp, shadows=False))
    assert np.abs(drawn((), lamp) - plain).max() <= 2, "nothing is there to throw a shadow"
    bright = drawn((thing,), replace(lamp, shadows=False))
    assert ((bright - drawn((thing,), lamp)).max(axis=2) > 20).sum() > 200


def test_more_than_255_things_are_told_apart():
    grid = [(x, y) for x in np.linspace(-1, 1, 20) for y in np.linspace(-1, 1, 15)]
    many = tuple(placement(k, (x, y, 0.02), (0.08, 0.08, 0.04), 0.0, (0.5, 0.5, 0.5)) for k, (x, y) in enumerate(grid))
    above = np.eye(4)
    above[:3, :3], above[:3, 3] = [[1, 0, 0], [0, -1, 0], [0, 0, -1]], [0, 0, 2.4]
    with open_renderer(FilmSet(many), QUALITY, FOCAL) as renderer:
        drawn = renderer.draw(above)
    assert drawn.identities.dtype == np.uint16
    for value in (1, 255, 256, 257, 300):
        x, y = grid[value - 1]
        depth = 2.4 - 0.04
        column, row = round(79.5 + FOCAL * x / depth), round(59.5 - FOCAL * y / depth)
        assert drawn.identities[row, column] == value
    assert set(np.unique(drawn.identities)) == set(range(301))


def test_what_moves_is_drawn_where_it_is_and_what_stays_stays(scene):
    pose = eye(0.4, 0.6, 1.4)
    first = scene.placements[0]
    path = np.stack([first.pose] * 3)
    path[2, :3, :3] = path[2, :3, :3] @ np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    path[2, :3, 3] += [0.1, -0.15, 0.05]
    moving = replace(scene, placements=(replace(first, path=path), *scene.placements[1:]))
    there = replace(scene, placements=(replace(first, pose=path[2]), *scene.placements[1:]))
    with open_renderer(moving, QUALITY, FOCAL) as renderer:
        frames = [renderer.draw(pose, frame) for frame in (0, 1, 2, 0)]
    for one, other in ((0, scene), (1, scene), (2, there), (3, scene)):
        with open_renderer(other, QUALITY, FOCAL) as renderer:
            still = renderer.draw(pose)
        same = frames[one].identities == still.identities
        assert same.mean() > 0.998  # edges, by the last bits
        both = same & np.isfinite(still.depth)
        np.testing.assert_allclose(frames[one].depth[both], still.depth[both], atol=2e-3)
    assert not np.array_equal(frames[0].identities, frames[2].identities)
    np.testing.assert_array_equal(frames[0].identities, frames[3].identities)
