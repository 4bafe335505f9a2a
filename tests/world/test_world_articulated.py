"""Articulated things with rigid parts: each part moves as its joint says, re-derived from its vertices."""

from functools import cache

import numpy as np
import pytest
import trimesh

from chronotope.errors import InputError
from chronotope.world.articulation import Switch, place_articulated
from chronotope.world.camera import look_at
from chronotope.world.film_set import FilmSet
from chronotope.world.quality import Quality
from chronotope.world.render import open_renderer
from chronotope.world.things.articulated import ARTICULATED, Articulated, draw_articulated

STILL = np.eye(4)
STILL_KINDS = ("traffic light", "globe lamp")
MOVING = [kind for kind in ARTICULATED if kind not in (*STILL_KINDS, "ribbon fan")]  # with one joint each


@cache
def drawn(kind: str, seed: int = 1) -> Articulated:
    return draw_articulated(np.random.default_rng([3, seed]), kind)


def joint_of(articulated: Articulated) -> str:
    (name,) = articulated.limits
    return name


def posed(articulated: Articulated, openness: float) -> list[np.ndarray]:
    """The vertices of each piece in the world, with its joint opened."""
    rig = articulated.rig(STILL, **{joint_of(articulated): openness})
    return [rig.posed(number, piece.vertices, 0) for number, piece in enumerate(articulated.thing.pieces)]


def motion(before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rotation (3, 3) and the shift (3,) that map points to others best (Kabsch), without using the rig."""
    first, second = before.mean(axis=0), after.mean(axis=0)
    u, _, vt = np.linalg.svd((before - first).T @ (after - second))
    turn = vt.T @ np.diag([1, 1, np.sign(np.linalg.det(vt.T @ u.T))]) @ u.T
    return turn, second - turn @ first


@pytest.mark.parametrize("kind", MOVING)
def test_a_part_moves_rigidly_about_its_joint_and_the_rest_stands_still(kind: str) -> None:
    articulated = drawn(kind)
    name = joint_of(articulated)
    limit, number = articulated.limits[name], articulated.joints.index(name)
    at, axis = articulated.rest[number, :3, 3], np.array(limit.axis)
    for openness in (0.0, 0.3, 1.0 if not limit.endless else 2.4):
        moved = posed(articulated, openness)
        for piece, binding, points in zip(articulated.thing.pieces, articulated.bindings, moved, strict=True):
            if binding == 0:
                assert np.array_equal(points, piece.vertices)
                continue
            turn, shift = motion(piece.vertices, points)
            assert np.abs(piece.vertices @ turn.T + shift - points).max() < 1e-9, "it is bent"
            by = limit.low + openness * (limit.high - limit.low)
            if limit.slides:
                assert np.allclose(turn, np.eye(3), atol=1e-7) and np.allclose(shift, by * axis, atol=1e-9)
                continue
            assert np.allclose(turn @ at + shift, at, atol=1e-7), "the joint itself stays"
            assert np.allclose(turn @ axis, axis, atol=1e-7)
            side = np.cross(axis, [0.3, 0.5, 0.8])
            angle = np.arctan2(axis @ np.cross(side, turn @ side), side @ turn @ side)
            assert np.cos(angle - by) == pytest.approx(1, abs=1e-7)


@pytest.mark.parametrize("kind", ARTICULATED)
def test_it_is_drawn_at_rest_as_a_closed_thing_about_its_middle(kind: str) -> None:
    articulated = drawn(kind)
    thing = articulated.thing
    everything = np.concatenate([piece.vertices for piece in thing.pieces])
    assert np.allclose(everything.max(axis=0), np.array(thing.size) / 2, atol=2e-5)
    assert np.allclose(everything.min(axis=0), -np.array(thing.size) / 2, atol=2e-5)
    assert len(articulated.bindings) == len(thing.pieces) and articulated.rest.shape == (len(articulated.joints), 4, 4)
    assert set(articulated.limits) <= set(articulated.joints[1:]) and articulated.joints[0] == "base"
    assert {*articulated.bindings} == set(range(len(articulated.joints)))
    for piece in thing.pieces:
        whole = trimesh.Trimesh(np.round(piece.vertices, 5), piece.faces)
        sides = np.concatenate([whole.faces[:, pair] for pair in ([0, 1], [1, 2], [2, 0])])
        there, back = (np.unique(way, axis=0, return_counts=True) for way in (sides, sides[:, ::-1]))
        assert all(map(np.array_equal, there, back)) and whole.volume > 0
    assert 0.1 < thing.mass < 200 and sum(len(piece.faces) for piece in thing.pieces) < 8000


def top_at(articulated: Articulated, openness: float, x: float, y: float) -> float:
    """The height of the uppermost surface over a point, with trimesh's rays."""
    parts = [trimesh.Trimesh(points, piece.faces, process=False)
             for points, piece in zip(posed(articulated, openness), articulated.thing.pieces, strict=True)]  # fmt: skip
    places = trimesh.util.concatenate(parts).ray.intersects_location([[x, y, 5.0]], [[0, 0, -1.0]])[0]
    return float(places[:, 2].max())


@pytest.mark.parametrize("kind", ["hinged box", "chest"])
def test_an_open_lid_uncovers_a_deep_box(kind: str) -> None:
    for seed in range(3):
        articulated = drawn(kind, seed)
        half = articulated.thing.size[2] / 2
        x, y = articulated.thing.size[0] * 0.12, articulated.thing.size[1] * 0.1
        assert top_at(articulated, 0.0, x, y) > half - 0.02
        assert top_at(articulated, 1.0, x, y) < -half + 0.015, "the floor is seen"
        lid = posed(articulated, 1.0)[articulated.bindings.index(1)]
        assert lid[:, 2].max() > half + 0.1 and lid[:, 0].max() < 0, "the lid stands behind the box"
        inside = np.concatenate(
            [points for points, b in zip(posed(articulated, 0.6), articulated.bindings, strict=True) if b]
        )
        assert (inside[:, 2] > -half).all()


def test_parts_move_as_people_expect() -> None:
    lever = drawn("lever")
    ball = lever.bindings.index(1) + 1
    xs = [posed(lever, openness)[ball][:, 0].mean() for openness in (0.0, 0.5, 1.0)]
    assert xs[0] < -0.08 and xs[2] - xs[0] > 0.2 and xs[0] < xs[1] < xs[2], "from the back to the front"
    button = drawn("push button")
    cap = button.bindings.index(1)
    heights = [posed(button, openness)[cap][:, 2].max() for openness in (0.0, 1.0)]
    assert 0.010 < heights[0] - heights[1] < 0.020
    assert heights[1] > button.thing.pieces[1].vertices[:, 2].max(), "it does not sink into its collar"
    boom = drawn("barrier")
    tips = [posed(boom, openness)[boom.bindings.index(1)] for openness in (0.0, 1.0)]
    assert 2.8 < np.ptp(tips[0][:, 1]) < 4 and np.ptp(tips[0][:, 2]) < 0.15 and tips[1][:, 2].max() > 3
    flag = drawn("flag")
    cloth = [posed(flag, openness)[flag.bindings.index(1)][:, 2].max() for openness in (0.0, 1.0)]
    assert cloth[1] - cloth[0] > 0.25 and cloth[1] < flag.thing.size[2] / 2
    fan = drawn("desk fan")
    cage, at = fan.thing.pieces[1].vertices, fan.rest[1, :3, 3]
    for openness in np.linspace(0, 0.25, 6):
        blades = posed(fan, openness)[fan.bindings.index(1)]
        assert np.hypot(*(blades - at)[:, 1:].T).max() < np.hypot(*(cage - at)[:, 1:].T).max() - 0.005
        assert cage[:, 0].min() - 1e-3 < blades[:, 0].min() and blades[:, 0].max() < cage[:, 0].max()
    lamp = drawn("reading lamp")
    bulb = posed(lamp, 0.0)[4]
    assert bulb[:, 0].mean() > 0.05, "it shines towards its front"


def test_a_rig_has_a_pose_for_each_frame_and_follows_the_thing() -> None:
    box = drawn("hinged box")
    poses = np.tile(np.eye(4), (5, 1, 1))
    poses[:, 0, 3] = np.arange(5)
    rig = box.rig(poses, lid=np.linspace(0, 1, 5))
    assert rig.path.shape == (5, 2, 4, 4) and rig.joints == ("base", "lid")
    lid = box.bindings.index(1)
    alone = box.rig(STILL, lid=0.75).posed(lid, box.thing.pieces[lid].vertices, 0)
    assert np.allclose(rig.posed(lid, box.thing.pieces[lid].vertices, 3), np.add(alone, [3, 0, 0]))
    assert np.allclose(rig.posed(0, box.thing.pieces[0].vertices, 3), np.add(box.thing.pieces[0].vertices, [3, 0, 0]))


def brightness(look) -> float:
    return float(np.array(look.colour) @ [0.21, 0.72, 0.07])


def test_lamps_light_and_exactly_the_stated_lights_of_a_traffic_light_are_bright() -> None:
    for kind in ("reading lamp", "push button", "barrier"):
        lights = drawn(kind).states["light"]
        assert list(lights) == ["off", "on"] and set(lights["off"]) == set(lights["on"])
        for piece, look in lights["on"].items():
            assert look.glow > 0 and lights["off"][piece].glow == 0
            assert brightness(look) > 1.3 * brightness(lights["off"][piece])
            assert drawn(kind).thing.pieces[piece].look == lights["off"][piece], "it is drawn unlit"
    light = drawn("traffic light")
    heights = {piece: light.thing.pieces[piece].vertices[:, 2].mean() for piece in light.states["light"]["off"]}
    red, amber, green = sorted(heights, key=lambda piece: -heights[piece])
    for value, lit in {
        "red": {red},
        "red and amber": {red, amber},
        "green": {green},
        "amber": {amber},
        "off": set(),
    }.items():
        assert {piece for piece, look in light.states["light"][value].items() if look.glow} == lit
    shown = [light.states["light"]["red"][red].colour, light.states["light"]["green"][green].colour]
    assert np.argmax(shown[0]) == 0 and np.argmax(shown[1]) == 1
    assert light.thing.pieces[red].look.glow > 0 and light.attributes == {"light": "red"}


def test_a_placement_has_the_rig_the_first_states_and_the_changes() -> None:
    lamp = drawn("reading lamp")
    pose = np.eye(4)
    pose[:3, 3] = 0.1, 0.2, 0.9
    switches = (Switch(0, "light", "on"), Switch(6, "light", "off"))
    placement = place_articulated("lamp", lamp, pose, {"head": np.linspace(0, 0.5, 10)}, switches, "table")
    assert placement.attributes == {"light": "on"} and placement.parent == "table" and placement.moves
    assert placement.path is None and placement.rig is not None and placement.rig.path.shape == (10, 2, 4, 4)
    assert np.array_equal(placement.rig.path[:, 0], np.tile(pose @ lamp.rest[0], (10, 1, 1)))
    assert [(change.frame, change.value) for change in placement.changes] == [(0, "on"), (6, "off")]
    assert placement.changes[1].looks == lamp.states["light"]["off"]
    still = place_articulated("lamp", lamp, pose, switches=switches)
    assert not still.moves and still.rig is None and len(still.changes) == 2
    lid = place_articulated("box", drawn("hinged box"), pose, {"lid": [0.0, 1.0]}, (Switch(1, "openness", "open"),))
    assert lid.changes[0].looks == {} and lid.attributes == {"openness": "closed"}


def test_the_same_generator_gives_the_same_thing() -> None:
    for kind in ARTICULATED:
        one, other = drawn(kind), draw_articulated(np.random.default_rng([3, 1]), kind)
        assert one.thing.label == other.thing.label and np.array_equal(one.rest, other.rest)
        for first, again in zip(one.thing.pieces, other.thing.pieces, strict=True):
            assert np.array_equal(first.vertices, again.vertices) and first.look.colour == again.look.colour


def test_what_cannot_be_is_a_sentence() -> None:
    generator, box = np.random.default_rng(0), drawn("hinged box")
    with pytest.raises(InputError, match="no articulated thing 'door': choose one of hinged box"):
        draw_articulated(generator, "door")
    with pytest.raises(InputError, match="no pink barrier: its colours are"):
        draw_articulated(generator, "barrier", "pink")
    with pytest.raises(InputError, match="has no joint 'door': choose one of lid"):
        box.rig(STILL, door=0.5)
    for wrong in (1.2, -0.1, float("nan")):
        with pytest.raises(InputError, match="opens from 0 to 1"):
            box.rig(STILL, lid=[0.0, wrong])
    with pytest.raises(InputError, match="frames"):
        box.rig(np.tile(STILL, (3, 1, 1)), lid=[0.0, 1.0])
    with pytest.raises(InputError, match="has no state light=on: choose one of openness=closed"):
        place_articulated("box", box, STILL, switches=(Switch(3, "light", "on"),))
    with pytest.raises(InputError, match="is below 0"):
        place_articulated("box", box, STILL, switches=(Switch(-1, "openness", "open"),))


@pytest.mark.usefixtures("drawable")
def test_the_engine_shows_an_opening_lid_and_a_lamp_that_lights() -> None:
    quality = Quality("fast", 160, 120, 10, (1.0, 1.0), 0, 2, 20)
    pose = np.eye(4)
    box = place_articulated("box", drawn("hinged box"), pose, {"lid": [0.0, 1.0]})
    pose = np.eye(4)
    pose[1, 3] = 0.5
    lamp = place_articulated("lamp", drawn("reading lamp"), pose, switches=(Switch(1, "light", "on"),))
    eye = look_at(np.array([[1.3, 0.25, 0.25]]), np.array([[0.0, 0.25, 0.05]]))[0]
    with open_renderer(FilmSet((box, lamp), ambient=(0.8,) * 3), quality, 110.0) as renderer:
        before, after = (renderer.draw(eye, frame) for frame in (0, 1))
    rows = [np.flatnonzero((drawn_.identities == 1).any(axis=1)).min() for drawn_ in (before, after)]
    assert rows[1] < rows[0] - 8, "the lid stands up"
    same = (before.identities == 2) & (after.identities == 2)
    brighter = after.rgb[same].astype(int).sum(axis=1) - before.rgb[same].astype(int).sum(axis=1)
    assert np.array_equal(before.identities == 2, after.identities == 2) and (brighter > 150).sum() > 10


def test_the_ribbons_of_a_fan_hang_before_it_and_blow_out_over_the_front() -> None:
    fan = drawn("ribbon fan")
    assert set(fan.limits) == {"blades", "ribbons"}
    number = fan.bindings.index(fan.joints.index("ribbons"))
    hanging, blown = (
        fan.rig(STILL, ribbons=openness).posed(number, fan.thing.pieces[number].vertices, 0) for openness in (0.0, 1.0)
    )
    assert np.ptp(hanging[:, 2]) > 5 * np.ptp(hanging[:, 0]) and np.ptp(blown[:, 0]) > 5 * np.ptp(blown[:, 2])
    assert blown[:, 0].max() - hanging[:, 0].max() > 0.15 and hanging[:, 2].min() > -fan.thing.size[2] / 2


def test_a_globe_lamp_changes_only_the_look_of_its_globe() -> None:
    lamp = drawn("globe lamp")
    off, on = lamp.states["light"]["off"], lamp.states["light"]["on"]
    assert set(off) == set(on) == {1} and on[1].glow > 0 == off[1].glow
    assert sum(on[1].colour) > sum(off[1].colour) + 0.8
