"""Homes in two states: their plans, their furniture, their changes, and the checks of both states."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.ndimage import label
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull

from chronotope.errors import InputError
from chronotope.recording import Clip, Entity, Recording, Scene, load_recording
from chronotope.world import simulate, world_kinds
from chronotope.world.homes.changing import change_home, items_of
from chronotope.world.homes.choice import candidates
from chronotope.world.homes.draw_plan import draw_plan
from chronotope.world.homes.furnish import furnish
from chronotope.world.homes.operations import ImpossibleError, change_state
from chronotope.world.homes.scenery import rooms_left_out, walk_through
from chronotope.world.homes.shell import rectangles_of, shell_of
from chronotope.world.homes.small_things import new_object, settled
from chronotope.world.kinds.house.house import _state_that_leaves_out, lay_house
from chronotope.world.things import HomeState
from chronotope.world.verify import verify_states

FAST = world_kinds()["house"].qualities["fast"]


def winding(points, polygon):
    """How often a polygon goes round each point (N,), by the sum of angles."""
    towards = polygon[None] - points[:, None]
    angles = np.unwrap(np.arctan2(towards[..., 1], towards[..., 0]), axis=1)
    last = np.arctan2(towards[:, 0, 1], towards[:, 0, 0])
    turn = (last - angles[:, -1] + np.pi) % (2 * np.pi) - np.pi
    return np.rint((angles[:, -1] + turn - angles[:, 0]) / (2 * np.pi)).astype(int)


@pytest.mark.parametrize("count", range(1, 11))
def test_rooms_fill_their_home_and_are_joined_by_doors(count):
    for seed in range(3):
        plan = draw_plan(np.random.default_rng([seed, count]), count)
        assert len(plan.rooms) == count
        high = np.max([room.polygon.max(axis=0) for room in plan.rooms], axis=0)
        points = np.stack(np.meshgrid(*(np.arange(0.06, side, 0.125) for side in high), indexing="ij"), -1).reshape(
            -1, 2
        )
        around = np.array([winding(points, room.polygon) for room in plan.rooms])
        assert (around.sum(axis=0) == 1).all(), "each point is in one room, whose outline is counter-clockwise"
        assert sum(room.area for room in plan.rooms) == pytest.approx(np.prod(high))
        numbers = {room.id: number for number, room in enumerate(plan.rooms)}
        inner = [door for door in plan.doors if not door.is_outside]
        pairs = np.array([[numbers[room] for room in door.rooms] for door in inner]).reshape(-1, 2)
        graph = coo_matrix((np.ones(len(pairs)), pairs.T), (count, count))
        assert connected_components(graph, directed=False)[0] == 1
        for door in inner:
            along = np.linspace(0.02, 0.98, 9)[:, None]
            line = door.segment[0] + along * (door.segment[1] - door.segment[0])
            across = (door.segment[1] - door.segment[0])[::-1] * [1, -1]
            sides = [line + sign * 0.2 * across / np.linalg.norm(across) for sign in (1, -1)]
            found = [{room.id for room in plan.rooms if winding(side, room.polygon).all()} for side in sides]
            assert sorted(map(sorted, found)) == sorted([room] for room in door.rooms)


def test_a_home_has_one_to_ten_rooms():
    for count in (0, 11):
        with pytest.raises(InputError, match=f"1 to 10 rooms, not {count}"):
            draw_plan(np.random.default_rng(0), count)


def test_of_a_set_every_sixth_home_has_four_rooms_and_leaves_one_out():
    """The others have any other number, so four rooms are as frequent as among single homes."""
    for seed in range(40):
        single, other = (draw_plan(np.random.default_rng(seed), other_than=each) for each in (None, 4))
        assert len(other.rooms) != 4
        if len(single.rooms) != 4:  # the draw is the same
            assert all(np.array_equal(a.polygon, b.polygon) for a, b in zip(single.rooms, other.rooms, strict=True))
    states = [_state_that_leaves_out(number) for number in range(24)]
    assert [(number, state) for number, state in enumerate(states) if state is not None] == [
        (5, 1),
        (11, 0),
        (17, 1),
        (23, 0),
    ]
    for seed, state in itertools.product(range(6), (0, 1)):
        plan = draw_plan(np.random.default_rng(seed), 4)
        left_out = rooms_left_out(np.random.default_rng(seed), plan, state)
        assert left_out[1 - state] is None
        assert left_out[state] is not None and plan.can_leave_out(left_out[state])


@pytest.mark.slow
@pytest.mark.parametrize(("number", "state"), [(5, 1), (11, 0)])
def test_a_planned_home_is_walked_through_as_planned(number, state):
    shots = lay_house(np.random.default_rng([9001, 5]), FAST, number=number)
    assert sorted(room.type for room in shots.states[0].rooms) == ["Bathroom", "Bedroom", "Kitchen", "LivingRoom"]
    for each, shot in enumerate(shots.states):
        entered = {room.id for room in shot.rooms if winding(shot.camera[:, :2, 3], room.floor).any()}
        assert len(entered) == (3 if each == state else 4)


def test_an_open_leaf_cuts_off_no_part_of_its_room():
    leaves = 0
    for seed in (7, 18, 27, 31, 39, *range(6)):
        plan = draw_plan(np.random.default_rng(seed))
        for door in (each for each in plan.doors if each.leaf is not None and not each.is_closed):
            room = next(room for room in plan.rooms if room.id == door.opens_into)
            low, high = room.inner.min(axis=0), room.inner.max(axis=0)
            axes = [np.arange(a + 0.05, b, 0.1) for a, b in zip(low, high, strict=True)]
            points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
            outline = np.vstack([room.inner, room.inner[:1]])
            is_free = winding(points.reshape(-1, 2), room.inner)
            solid = [*itertools.pairwise(outline), *itertools.pairwise([*door.leaf, door.leaf[0]])]
            for start, end in solid:  # a person needs 0.2 m on each side
                at = np.clip(((points.reshape(-1, 2) - start) @ (end - start)) / ((end - start) @ (end - start)), 0, 1)
                is_free &= np.linalg.norm(points.reshape(-1, 2) - start - at[:, None] * (end - start), axis=1) > 0.2
            parts, count = label(is_free.reshape(points.shape[:2]))
            assert np.bincount(parts[parts > 0], minlength=count + 1).max() > 0.93 * is_free.sum(), (seed, door.id)
            leaves += 1
    assert leaves > 5


def test_rectangles_cover_a_polygon():
    polygon = np.array([(0, 0), (3, 0), (3, 2), (5, 2), (5, 4), (1, 4), (1, 3), (0, 3)], float)
    boxes = rectangles_of(polygon)
    points = np.stack(np.meshgrid(np.arange(0.05, 5, 0.1), np.arange(0.05, 4, 0.1), indexing="ij"), -1).reshape(-1, 2)
    covered = sum(((points >= box[:2]) & (points <= box[2:])).all(axis=1).astype(int) for box in boxes)
    assert (covered == winding(points, polygon)).all()


def test_a_shell_has_few_pieces_and_no_wall_in_a_doorway():
    plan = draw_plan(np.random.default_rng(5), 6)
    pieces = shell_of(np.random.default_rng(1), plan)
    assert len(pieces) <= 3 * len(plan.rooms) + len(plan.windows) + 3
    for door in (door for door in plan.doors if not door.is_outside):
        middle = np.array([*door.segment.mean(axis=0), 1.0])
        for piece in pieces:
            a, b, c = (piece.vertices[piece.faces[:, k]] for k in range(3))
            for box in np.stack([np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)], axis=1):
                assert not (np.abs(np.clip(middle, *box) - middle) < 0.02).all()


@pytest.fixture(scope="module")
def homes():
    """Three furnished homes, with their changes."""
    made = []
    for seed in (1, 2, 6):
        generator = np.random.default_rng(seed)
        home = furnish(generator, draw_plan(generator, 3))
        made.append((home, change_home(generator, home, "scene")))
    return made


def test_the_same_seed_gives_the_same_home(homes):
    generator = np.random.default_rng(1)
    again = furnish(generator, draw_plan(generator, 3))
    assert [(each.id, each.seed, each.state, each.parent) for each in again] == [
        (each.id, each.seed, each.state, each.parent) for each in homes[0][0]
    ]
    assert all(np.array_equal(one.pose, other.pose) for one, other in zip(again, homes[0][0], strict=True))
    assert change_home(generator, again, "scene").changes == homes[0][1].changes


def test_a_walk_leaves_out_a_room_behind_which_no_other_is(homes):
    home = homes[0][0]
    plan = home.plan
    free = [room for room in plan.rooms if plan.can_leave_out(room.id)]
    assert free
    for room in plan.rooms:
        route = walk_through(np.random.default_rng(3), home, left_out=room.id)
        if room not in free:
            assert route is None
            continue
        entered = [winding(route.poses[:, :2], each.polygon).any() for each in plan.rooms]
        assert entered == [each is not room for each in plan.rooms]


def test_a_new_thing_has_the_id_of_no_thing_that_was_removed(homes):
    home = homes[1][0]
    taken = next(each for each in home if each.name == "RemoteControl")  # a type of which a room has several
    rest = home.without(taken.id)
    stem = taken.id.rpartition("|")[0]
    added = new_object(np.random.default_rng(1), rest, taken.name, taken.room, "surface", home.objects)
    assert added.id.startswith(stem) and added.id not in home.objects
    changes = change_home(np.random.default_rng(7), home, "scene").changes
    names = [change.object for change in changes if change.operation == "AddObject"]
    assert names and not set(names) & home.objects.keys()


def test_a_thing_in_a_closed_space_changes_only_if_it_stays_inside(homes):
    home = homes[0][0]
    fridge = next(each for each in home if each.name == "Fridge")
    number = next(number for number, shelf in enumerate(fridge.shelves) if shelf.inside)
    x, y, _ = fridge.shelves[number].centre
    corner = x + fridge.shelves[number].length / 2 - 0.03, y
    egg = new_object(np.random.default_rng(0), home, "Egg", fridge.room, "surface")
    egg = settled(replace(egg, state=HomeState()), fridge, number, (fridge.pose @ [*corner, 0, 1])[:2], fridge.yaw)
    with pytest.raises(ImpossibleError, match="no room for this"):
        change_state(home.with_object(egg), egg, "SliceObject")


def test_furniture_stands_in_its_room_and_things_lie_on_their_receptacle(homes):
    for home, _ in homes:
        assert len(home.objects) >= 25
        for each in home:
            [room] = [room for room in home.plan.rooms if room.id == each.room]
            assert winding(each.thing_pose[None, :2, 3], room.polygon).all(), each.id
            if each.parent is not None:
                parent = home.objects[each.parent]
                shelf = parent.shelves[each.shelf]
                local = np.linalg.inv(parent.pose) @ each.pose
                assert local[2, 3] == pytest.approx(shelf.centre[2], abs=1e-5), each.id
                corners = (np.linalg.inv(parent.pose)[:2, :2] @ (each.footprint() - parent.pose[:2, 3]).T).T
                reach = np.array([shelf.length, shelf.width]) / 2 + 1e-6
                assert (np.abs(corners - shelf.centre[:2]) <= reach).all(), each.id


def test_things_do_not_meet_says_the_engine(homes):
    mujoco = pytest.importorskip("mujoco")
    for home, changed in homes:
        for state in (home, changed.home):
            spec = mujoco.MjSpec()
            owners = []
            for each in state:
                pose = each.thing_pose
                body = spec.worldbody.add_body(pos=pose[:3, 3])
                body.add_freejoint()
                for part, solid in enumerate(each.made.thing.solids):
                    if len(solid) < 4 or np.ptp(solid, axis=0).min() < 1e-4 or ConvexHull(solid).volume < 1e-9:
                        continue
                    name = f"{each.id}_{part}"
                    spec.add_mesh(name=name, uservert=np.ascontiguousarray(solid @ pose[:3, :3].T, np.float32).ravel())
                    body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, mass=1.0)
                    owners.append(each.id)
            model = spec.compile()
            data = mujoco.MjData(model)
            mujoco.mj_forward(model, data)
            deep = [
                (owners[contact.geom1], owners[contact.geom2], contact.dist)
                for contact in data.contact
                if owners[contact.geom1] != owners[contact.geom2] and contact.dist < -0.004
            ]
            assert deep == []


def test_changes_are_carried_out_and_logged(homes):
    for home, changed in homes:
        last = {change.object: change for change in changed.changes}
        assert len(last) >= 1
        assert len({change.object for change in changed.changes}) == len(changed.changes), "each object is changed once"
        for name in home.objects.keys() | changed.home.objects.keys():
            one, other = home.objects.get(name), changed.home.objects.get(name)
            if name not in last:
                assert one is other, name
            else:
                assert (one is None, other is None) == (not last[name].before, not last[name].after)
                assert (
                    one is None or other is None or one.state != other.state or not np.array_equal(one.pose, other.pose)
                )


def test_only_possible_operations_are_candidates(homes):
    for home, _ in homes:
        found = candidates(items_of(home))
        assert {"AddObject", "RemoveObject", "PlaceObjectAtPoint"} <= {each.action for each in found}
        for each in found:
            thing = home.objects[each.object]
            assert not (each.action == "CloseObject" and thing.state.openness == 0)
            assert not (each.action == "OpenObject" and thing.state.openness == 1)
            assert not (each.action == "BreakObject" and thing.state.broken)
            assert not (each.action == "RemoveObject" and home.children(thing.id))


def unfilmed(shots):
    """A scene with all facts of two states, as if each thing was seen in two frames."""
    recordings = []
    for shot in shots.states:
        count = len(shot.times)
        pixels = np.zeros(count, int)
        pixels[:2] = 2000
        entities = tuple(
            Entity(
                id=each.id,
                label=each.thing.label,
                category=each.thing.category,
                size=each.thing.size,
                poses=each.poses,
                attributes={"colour": each.thing.colour, **each.attributes},
                parent=each.parent,
                visible_pixels=pixels,
            )
            for each in shot.film_set.placements
        )
        recordings.append(
            Recording(
                id=f"home-{shot.state}",
                kind=shot.kind,
                source="world:house",
                times=shot.times,
                world_T_camera=shot.camera,
                valid=np.ones(count, bool),
                clip=Clip(None, "", 3.0, 448, 448),
                scene="home",
                state=shot.state,
                entities=entities,
                rooms=shot.rooms,
                provenance=shot.provenance,
            )
        )
    return Scene.of(*recordings, changes=shots.changes)


@pytest.fixture(scope="module")
def scene():
    return unfilmed(lay_house(np.random.default_rng(21), FAST, 4))


def with_entity(scene, state, name, **changed):
    """The scene with other facts about one entity of a state; no facts remove it."""
    recordings = list(scene.recordings)
    kept = [
        replace(each, **changed) if each.id == name else each
        for each in recordings[state].entities
        if changed or each.id != name
    ]
    recordings[state] = replace(recordings[state], entities=tuple(kept))
    return replace(scene, recordings=tuple(recordings))


def with_camera(scene, change):
    poses = scene.recordings[1].world_T_camera.copy()
    change(poses)
    return replace(scene, recordings=(scene.recordings[0], replace(scene.recordings[1], world_T_camera=poses)))


def with_rooms(scene, change):
    second = scene.recordings[1]
    return replace(scene, recordings=(scene.recordings[0], replace(second, rooms=change(second.rooms))))


def unchanged(scene):
    logged = {change.object for change in scene.changes}
    return next(each for each in scene.recordings[1].entities if each.id not in logged and each.parent)


def shifted(pose, by):
    moved = pose.copy()
    moved[..., :3, 3] += by
    return moved


def changed_to(scene, *, before=False, **facts):
    """The scene with other logged facts about its first change that has facts after it."""
    key = "before" if before else "after"
    number = next(number for number, change in enumerate(scene.changes) if getattr(change, key))
    change = scene.changes[number]
    told = replace(change, **{key: {**getattr(change, key), **facts}})
    return replace(scene, changes=(*scene.changes[:number], told, *scene.changes[number + 1 :]))


def jump(poses):
    poses[20:, 0, 3] += 0.6


def outside(poses):
    poses[:, 0, 3] += 40.0


def turn(poses):
    c, s = np.cos(np.radians(100)), np.sin(np.radians(100))
    poses[9:, :3, :3] = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ poses[9:, :3, :3]


def saying_left_out(scene, state, room):
    recordings = list(scene.recordings)
    recordings[state] = replace(recordings[state], provenance={"left_out": [room]})
    return replace(scene, recordings=tuple(recordings))


PLANTED = {
    "moved and not logged": (
        "unchanged things", lambda s: with_entity(s, 1, (e := unchanged(s)).id, poses=shifted(e.poses, (0.03, 0, 0))),
    ),
    "lost and not logged": ("unchanged things", lambda s: with_entity(s, 1, unchanged(s).id)),
    "added and not logged": ("unchanged things", lambda s: with_entity(s, 0, unchanged(s).id)),
    "grown": (
        "unchanged things", lambda s: with_entity(s, 1, (e := unchanged(s)).id, size=tuple(1.1 * x for x in e.size)),
    ),
    "painted": ("unchanged things", lambda s: with_entity(s, 1, unchanged(s).id, attributes={"colour": "mauve"})),
    "another parent": ("unchanged things", lambda s: with_entity(s, 0, unchanged(s).id, parent="nobody")),
    "another name": ("unchanged things", lambda s: with_entity(s, 0, unchanged(s).id, label="mauve thing")),
    "a wrong position in the log": ("logged changes", lambda s: changed_to(s, position=[0.0, 0.0, 9.0])),
    "a wrong position before": ("logged changes", lambda s: changed_to(s, before=True, position=[0.0, 0.0, 9.0])),
    "a wrong receptacle": ("logged changes", lambda s: changed_to(s, receptacle="nobody")),
    "a wrong flag": ("logged changes", lambda s: changed_to(s, on="perhaps")),
    "a change that is logged for a missing thing": (
        "logged changes", lambda s: replace(s, changes=(*s.changes, replace(s.changes[0], object="Unicorn|1|0"))),
    ),
    "a change that did not happen": (
        "logged changes",
        lambda s: replace(s, recordings=(s.recordings[0], replace(s.recordings[0], state="state_1"))),
    ),
    "nothing seen": (
        "visible changes",
        lambda s: replace(s, recordings=tuple(
            replace(r, entities=tuple(replace(e, visible_pixels=0 * e.visible_pixels) for e in r.entities))
            for r in s.recordings
        )),
    ),
    "one changed thing too small": (
        "visible changes",
        lambda s: with_entity(s, 0, next(c.object for c in s.changes if c.before), visible_pixels=np.full(9, 100)),
    ),
    "a changed thing in one frame only": (
        "visible changes",
        lambda s: with_entity(s, 1, next(c.object for c in s.changes if c.after), visible_pixels=np.array([0, 900, 0])),
    ),
    "a jump": ("walk of state_1", lambda s: with_camera(s, jump)),
    "outside": ("walk of state_1", lambda s: with_camera(s, outside)),
    "a sudden turn": ("walk of state_1", lambda s: with_camera(s, turn)),
    "a way without a door": (
        "walk of state_1",
        lambda s: with_rooms(s, lambda rooms: tuple(replace(room, connections=()) for room in rooms)),
    ),
    "a room that is never entered": (
        "walk of state_1",
        lambda s: with_rooms(s, lambda rooms: (*rooms, replace(rooms[0], id="room|99", floor=rooms[0].floor + 50.0))),
    ),
    "a room that is entered, but said to be left out": (
        "walk of state_1", lambda s: saying_left_out(s, 1, s.recordings[1].rooms[0].id),
    ),
    "a room that no walk enters": (
        "entered rooms", lambda s: saying_left_out(saying_left_out(s, 0, "room|9"), 1, "room|9"),
    ),
    "through furniture": (
        "walk of state_1",
        lambda s: with_entity(
            s, 1, unchanged(s).id, size=(1.0, 1.0, 2.0),
            poses=shifted(np.eye(4)[None], s.recordings[1].world_T_camera[30, :3, 3]),
        ),
    ),
}  # fmt: skip


def test_a_sound_scene_passes(scene):
    assert verify_states(scene).failed == ()


@pytest.mark.parametrize("name", PLANTED)
def test_an_error_planted_in_a_state_is_refused_by_its_check(scene, name):
    check, plant = PLANTED[name]
    assert check in {each.name for each in verify_states(plant(scene)).failed}


@pytest.mark.slow
@pytest.mark.usefixtures("drawable")
def test_a_home_is_filmed_in_two_states_and_verified(tmp_path):
    told = []
    scene = simulate(
        "house", "home", np.random.default_rng(3), FAST, tmp_path, tell=lambda share, stage: told.append(share)
    )
    assert scene.states == ("state_0", "state_1")
    assert all(change.scene == "home" for change in scene.changes)
    assert told == sorted(told)
    for recording in scene.recordings:
        loaded = load_recording(tmp_path / "recordings" / recording.id)
        assert [room.id for room in loaded.rooms] == [room.id for room in recording.rooms]
        assert all(set(room.connections) <= {other.id for other in loaded.rooms} for room in loaded.rooms)
        assert {len(loaded.times), len(list((tmp_path / "recordings" / recording.id / "depth").iterdir()))} == {
            loaded.clip.path.exists() and len(loaded.world_T_camera)
        }
    pairs = itertools.pairwise(scene.recordings)
    assert all([e.id for e in one.entities] != [] and one.rooms[0].id == other.rooms[0].id for one, other in pairs)
