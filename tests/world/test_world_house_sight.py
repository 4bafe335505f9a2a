"""Which changes of a home a person would notice: rays against pictures, and cases that are clear."""

from dataclasses import replace

import numpy as np
import pytest

from chronotope.world import world_kinds
from chronotope.world.homes.draw_plan import draw_plan
from chronotope.world.homes.explore import camera_poses
from chronotope.world.homes.furnish import furnish
from chronotope.world.homes.home import Home, HomeObject, pose_at
from chronotope.world.homes.rays import Rays
from chronotope.world.homes.scenery import film_set_of, walk_through
from chronotope.world.homes.walker_sight import FRAMES, PIXELS, SIDE, Sight
from chronotope.world.slabs import slab
from chronotope.world.things import HomeState, Look
from chronotope.world.things.colours import lab

pytest.importorskip("mujoco")


def look_along_x(*, x=0.0, frames=6):
    """The same view along +x from 1.5 m above the floor, several times."""
    pose = np.eye(4)
    pose[:3, :3] = np.array([[0, 0, 1], [-1, 0, 0], [0, -1, 0]])
    pose[:3, 3] = x, 0, 1.5
    return np.repeat(pose[None], frames, axis=0)


WALL = slab((0.1, 8, 4), (4, 0, 1), Look((0.9, 0.9, 0.9), 0, 0))


def lonely(name, at, state=None, seed=0):
    """A home with nothing but one object."""
    plan = draw_plan(np.random.default_rng(0), 1)
    thing = HomeObject(f"{name}|0", name, seed, plan.rooms[0].id, pose_at(np.array(at), np.pi), state or HomeState())
    return Home(plan, {thing.id: thing}), thing


def sight_of(home, *pieces, frames=6):
    return Sight(home, (WALL, *pieces), [look_along_x(frames=frames)] * 2)


def test_rays_meet_the_nearest_surface_and_tell_its_colour():
    near, far = (slab((0.2, 2, 2), (x, 0, 0), Look(colour, 0, 0)) for x, colour in ((2, (1, 0, 0)), (5, (0, 0, 1))))
    rays = Rays({"near": [near], "far": [far]})
    angles = np.array([0.0, 0.2, 0.6, 2.0])
    ways = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
    away, shades = rays.cast(np.zeros(3), ways)
    assert away[:2] == pytest.approx(1.9 / np.cos(angles[:2]), abs=1e-6)
    assert np.isinf(away[2:]).all()
    assert shades[:2] == pytest.approx(np.tile(lab(np.array([1.0, 0, 0])), (2, 1)))
    away, shades = rays.cast(np.zeros(3), ways, ["near"])
    assert away[0] == pytest.approx(4.9)
    assert shades[0] == pytest.approx(lab(np.array([0.0, 0, 1])))


def test_a_large_thing_nearby_is_noticed_and_a_small_or_far_one_is_not():
    home, box = lonely("Box", (1.2, 0, 1.2))
    assert sight_of(home).notices(box)
    assert not sight_of(home, frames=FRAMES - 1).notices(box), "too few frames show it"
    home, pen = lonely("Pen", (1.2, 0, 1.5))
    assert not sight_of(home).notices(pen)


def test_a_thing_behind_another_is_not_noticed():
    home, box = lonely("Box", (1.2, 0, 1.2))
    assert not sight_of(home, slab((0.02, 4, 4), (0.5, 0, 1), Look((0.2, 0.4, 0.2), 0, 0))).notices(box)


def test_a_thing_in_the_colour_of_the_wall_is_not_noticed():
    home, box = lonely("Pillow", (2.0, 0, 1.45))
    same = slab((0.1, 8, 4), (4, 0, 1), box.made.thing.pieces[0].look)
    assert Sight(home, [WALL], [look_along_x()]).notices(box)
    assert not Sight(home, [same], [look_along_x()]).notices(box)


def test_only_states_that_look_different_are_told_apart():
    home, off = lonely("Television", (1.5, 0, 1.2))
    on = replace(off, state=HomeState(on=True))
    assert sight_of(home).tells_apart({off.id: off}, {on.id: on})
    assert not sight_of(home).tells_apart({off.id: off}, {off.id: off})
    behind = replace(off, pose=pose_at(np.array([1.5, 0, 1.2]), 0.0))
    assert not sight_of(home).tells_apart({off.id: behind}, {on.id: replace(behind, state=on.state)})


@pytest.mark.slow
@pytest.mark.usefixtures("drawable")
def test_noticed_things_are_large_in_the_pictures():
    """The count of pixels in drawn identities, which the rays have never seen."""
    from chronotope.world.render import render

    generator = np.random.default_rng(11)
    home = furnish(generator, draw_plan(generator, 3))
    film_set, route = film_set_of(generator, home), walk_through(generator, home)
    cameras = camera_poses(route)
    sight = Sight(home, film_set.backdrop, [cameras])
    fast = world_kinds()["house"].qualities["fast"]
    assert (fast.width, fast.height) == (SIDE, SIDE)
    counts = np.array(
        [
            np.bincount(drawn.identities.ravel(), minlength=len(home.objects) + 1)[1:]
            for drawn in render(film_set, fast, SIDE / 2 / np.tan(np.radians(60)), cameras)
        ]
    )
    frames = dict(zip(home.objects, (counts >= 0.8 * PIXELS).sum(axis=0), strict=True))
    noticed = {each.id for each in home if sight.notices(each)}
    assert len(noticed) >= 0.3 * len(home.objects)
    assert {name for name in noticed if frames[name] < FRAMES} == set()
