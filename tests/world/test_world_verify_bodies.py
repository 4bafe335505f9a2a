"""The verifier passes what moves as the engine films it, and catches each fault by the check named beforehand."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import moving_cast
import numpy as np
import pytest
import trimesh
from moving_cast import FRAMES, Case, car, carry, drive, figure, index, things, walk, walk_path
from moving_set import at
from scipy.spatial.transform import Rotation
from verify_faults import Case as Copy
from verify_faults import open_case

from chronotope.recording import Body, Entity, Event, Recording, StateChange
from chronotope.world.verify import verify
from chronotope.world.verify.skin import Posed, Skin
from chronotope.world.verify.triangles import nearest_shares

pytestmark = pytest.mark.usefixtures("drawable")
Written = tuple[Recording, Path]
GOOD = {"things": things, "walk": walk, "carry": carry, "street": car, "drive": drive}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Written]:
    """Each good recording, filmed when it is first needed; never changed by a test."""
    filmed: dict[str, Written] = {}

    def get(name: str) -> Written:
        if name not in filmed:
            filmed[name] = GOOD[name]().film(tmp_path_factory.mktemp(name))
        return filmed[name]

    return get


def quick_and_slow(quick: int, cases: Sequence[object]) -> list[Any]:
    """The first cases as they are, and the others marked as slow."""
    return [*cases[:quick], *(pytest.param(case, marks=pytest.mark.slow) for case in cases[quick:])]


def failed(written: Written) -> dict[str, str]:
    return {check.name: check.figure for check in verify(*written).failed}


@pytest.mark.parametrize(
    ("name", "checks"),
    [
        ("things", {"stands still", "bodies", "boxes of bodies", "events", "states shown"}),
        ("walk", {"bodies", "feet", "events"}),
        ("carry", {"held", "feet", "stands still"}),
        ("street", {"wheels", "bodies", "points across frames"}),
        ("drive", {"wheels", "bodies", "points across frames"}),
    ],
)
def test_what_moves_passes(good: Callable[[str], Written], name: str, checks: set[str]) -> None:
    verification = verify(*good(name))
    assert verification.passed, verification.sentence()
    assert checks <= {check.name for check in verification.checks}


# Faults in the ground truth: the pixels stay.


def entity_of(recording: Recording, name: str) -> Entity:
    return next(entity for entity in recording.entities if entity.id == name)


def with_entity(recording: Recording, name: str, **changes: object) -> Recording:
    entities = tuple(
        replace(entity, **changes) if entity.id == name else entity  # pyright: ignore[reportArgumentType]
        for entity in recording.entities
    )
    return replace(recording, entities=entities)


def with_body(recording: Recording, name: str, **changes: object) -> Recording:
    body = entity_of(recording, name).body
    assert body is not None
    return with_entity(recording, name, body=replace(body, **changes))  # pyright: ignore[reportArgumentType]


def body_of(recording: Recording, name: str) -> Body:
    body = entity_of(recording, name).body
    assert body is not None
    return body


def limb_turned_by_ten_degrees(copy: Copy) -> Recording:
    """The left forearm with its hand, about the elbow, in all frames."""
    poses = body_of(copy.recording, "anna").poses.copy()
    turn = Rotation.from_euler("y", 10, degrees=True).as_matrix()
    elbow = poses[:, index("LeftForeArm"), :3, 3].copy()
    for joint in (index("LeftForeArm"), index("LeftHand")):
        poses[:, joint, :3, 3] = (poses[:, joint, :3, 3] - elbow) @ turn.T + elbow
        poses[:, joint, :3, :3] = turn @ poses[:, joint, :3, :3]
    return with_body(copy.recording, "anna", poses=poses)


def part_without_identity(copy: Copy) -> Recording:
    """The head has the identity of the room, in all frames; everything is counted so."""
    recording = copy.recording
    number = [entity.id for entity in recording.entities].index("anna") + 1
    pixels, boxes = [], []
    for frame in range(FRAMES):
        values = copy.map("identities", frame)
        rows, columns = np.nonzero(values == number)
        cut = rows.min() + (rows.max() - rows.min()) // 7
        values[rows[rows < cut], columns[rows < cut]] = 0
        copy.set_map("identities", frame, values)
        rows, columns = np.nonzero(values == number)
        pixels.append(len(rows))
        boxes.append([columns.min(), rows.min(), columns.max(), rows.max()])
    return with_entity(recording, "anna", visible_pixels=np.array(pixels), box2d=np.array(boxes, float))


def part_with_the_identity_of_another(copy: Copy) -> Recording:
    """The hands' side of the figure has the identity of the table; everything is counted so."""
    recording, numbers = copy.recording, [entity.id for entity in copy.recording.entities]
    anna, table = numbers.index("anna") + 1, numbers.index("table") + 1
    counts = {name: (np.zeros(FRAMES, int), np.full((FRAMES, 4), np.nan)) for name in ("anna", "table")}
    for frame in range(FRAMES):
        values = copy.map("identities", frame)
        rows, columns = np.nonzero(values == anna)
        cut = columns.min() + (columns.max() - columns.min()) // 4
        values[rows[columns < cut], columns[columns < cut]] = table
        copy.set_map("identities", frame, values)
        for name, number in (("anna", anna), ("table", table)):
            rows, columns = np.nonzero(values == number)
            counts[name][0][frame] = len(rows)
            counts[name][1][frame] = columns.min(), rows.min(), columns.max(), rows.max()
    for name, (pixels, boxes) in counts.items():
        recording = with_entity(recording, name, visible_pixels=pixels, box2d=boxes, visible=None)
    return recording


def weights_swapped(copy: Copy) -> Recording:
    """The vertices of the left leg move with the right leg, and the other way round."""
    body = body_of(copy.recording, "anna")
    names = [
        name.replace("Left", "?").replace("Right", "Left").replace("?", "Right")
        if "Leg" in name or "Foot" in name
        else name
        for name in body.joints
    ]
    other = np.array([body.joints.index(name) for name in names])
    return with_body(copy.recording, "anna", bones=other[body.bones])


def weights_of_the_stick_swapped(copy: Copy) -> Recording:
    body = body_of(copy.recording, "stick")
    return with_body(copy.recording, "stick", weights=body.weights[:, ::-1])


def weights_doubled(copy: Copy) -> Recording:
    return with_body(copy.recording, "stick", weights=body_of(copy.recording, "stick").weights * 1.02)


def lid_frozen(copy: Copy) -> Recording:
    poses = body_of(copy.recording, "chest").poses.copy()
    poses[:, 1] = poses[0, 1]
    return with_body(copy.recording, "chest", poses=poses)


def body_two_frames_late(copy: Copy) -> Recording:
    poses = body_of(copy.recording, "anna").poses
    return with_body(copy.recording, "anna", poses=np.concatenate([poses[:1], poses[:1], poses[:-2]]))


def body_one_frame_early(copy: Copy) -> Recording:
    poses = body_of(copy.recording, "car").poses
    return with_body(copy.recording, "car", poses=np.concatenate([poses[1:], poses[-1:]]))


def joint_stretched(copy: Copy) -> Recording:
    poses = body_of(copy.recording, "anna").poses.copy()
    poses[7, index("LeftLeg"), :3, 0] *= 1.01
    return with_body(copy.recording, "anna", poses=poses)


def rest_mirrored(copy: Copy) -> Recording:
    rest = body_of(copy.recording, "anna").rest.copy()
    rest[index("Head"), :3, 1] *= -1
    return with_body(copy.recording, "anna", rest=rest)


def _resized(copy: Copy, name: str, by: float) -> Recording:
    length, width, height = entity_of(copy.recording, name).size
    return with_entity(copy.recording, name, size=(length * by, width * by, height * by))


def box_of_a_body_too_small(copy: Copy) -> Recording:
    return _resized(copy, "anna", 0.94)


def box_of_a_body_too_large(copy: Copy) -> Recording:
    return _resized(copy, "chest", 1.08)


def mover_said_to_stand(copy: Copy) -> Recording:
    recording = with_entity(copy.recording, "ball", poses=entity_of(copy.recording, "ball").poses[:1])
    return replace(recording, events=recording.events[1:])


def mover_without_an_event(copy: Copy) -> Recording:
    """The ball moves, and so its poses say, but no event says so."""
    return replace(copy.recording, events=copy.recording.events[1:])


def walker_said_to_stand(copy: Copy) -> Recording:
    return replace(copy.recording, events=(Event("stand", 0.0, 0.5, agent="anna"),))


def mover_moves_on(copy: Copy) -> Recording:
    """The ball is said to have stopped after half of its way."""
    move, *others = copy.recording.events
    return replace(copy.recording, events=(replace(move, end=0.55), *others))


def cup_left_behind(copy: Copy) -> Recording:
    """The cup is said to stay on the table while the hand moves."""
    poses = entity_of(copy.recording, "cup").poses.copy()
    poses[:-3] = poses[0]
    return with_entity(copy.recording, "cup", poses=poses)


def cup_left_behind_in_a_moment(copy: Copy) -> Recording:
    """The same, and the hold is said to be shorter than twice the tolerance of times."""
    recording = cup_left_behind(copy)
    middle = next((each.start + each.end) / 2 for each in recording.events if each.kind == "hold")
    events = tuple(
        replace(each, start=middle - 0.14, end=middle + 0.14) if each.kind == "hold" else each
        for each in recording.events
    )
    return replace(recording, events=events)


def _later(copy: Copy, kind: str, by: float) -> Recording:
    last = float(copy.recording.times[-1])
    events = tuple(
        replace(event, start=min(event.start + by, last), end=min(event.end + by, last))
        if event.kind == kind
        else event
        for event in copy.recording.events
    )
    return replace(copy.recording, events=events)


def move_a_second_late(copy: Copy) -> Recording:
    return _later(copy, "move", 1.0)


def walk_a_second_late(copy: Copy) -> Recording:
    return _later(copy, "walk", 1.0)


def hold_half_a_second_late(copy: Copy) -> Recording:
    return _later(copy, "hold", 0.5)


def switch_a_second_late(copy: Copy) -> Recording:
    return _later(copy, "switch", 1.0)


def event_of_nobody(copy: Copy) -> Recording:
    return replace(copy.recording, events=(*copy.recording.events, Event("walk", 0.0, 1.0, agent="bert")))


def _change_at(copy: Copy, name: str, key: str, frame: int) -> Recording:
    recording = with_entity(copy.recording, name, changes=(StateChange(frame, key, "true"),))
    events = tuple(event for event in recording.events if event.object != name)
    return replace(recording, events=events)


def lamp_one_frame_early(copy: Copy) -> Recording:
    return _change_at(copy, "lamp", "on", 5)


def lamp_one_frame_late(copy: Copy) -> Recording:
    return _change_at(copy, "lamp", "on", 7)


def colour_never_shown(copy: Copy) -> Recording:
    return _change_at(copy, "ball", "colour", 8)


def lid_said_to_open_when_it_rests(copy: Copy) -> Recording:
    return _change_at(copy, "chest", "open", 20)


def pictures_exchanged(copy: Copy) -> Recording:
    """Two neighbouring pictures of a lone figure, which has few outlines."""
    pictures = copy.pictures()
    pictures[14], pictures[15] = pictures[15], pictures[14]
    return copy.with_pictures(pictures)


IN_TRUTH: dict[Callable[[Copy], Recording], tuple[str, str]] = {
    limb_turned_by_ten_degrees: ("walk", "bodies"),
    part_without_identity: ("walk", "bodies"),
    mover_said_to_stand: ("things", "stands still"),
    cup_left_behind: ("carry", "held"),
    walk_a_second_late: ("walk", "events"),
    lamp_one_frame_early: ("things", "states shown"),
    box_of_a_body_too_small: ("walk", "boxes of bodies"),
    joint_stretched: ("walk", "poses"),
    pictures_exchanged: ("walk", "pictures in order"),
    part_with_the_identity_of_another: ("carry", "bodies"),
    weights_swapped: ("walk", "bodies"),
    weights_of_the_stick_swapped: ("things", "bodies"),
    weights_doubled: ("things", "bodies"),
    cup_left_behind_in_a_moment: ("carry", "held"),
    lid_frozen: ("things", "bodies"),
    body_two_frames_late: ("walk", "bodies"),
    body_one_frame_early: ("street", "bodies"),
    rest_mirrored: ("walk", "poses"),
    box_of_a_body_too_large: ("things", "boxes of bodies"),
    mover_moves_on: ("things", "stands still"),
    mover_without_an_event: ("things", "stands still"),
    walker_said_to_stand: ("walk", "events"),
    move_a_second_late: ("things", "events"),
    hold_half_a_second_late: ("carry", "events"),
    switch_a_second_late: ("things", "events"),
    event_of_nobody: ("walk", "events"),
    lamp_one_frame_late: ("things", "states shown"),
    colour_never_shown: ("things", "states shown"),
    lid_said_to_open_when_it_rests: ("things", "states shown"),
}


@pytest.mark.parametrize("plant", quick_and_slow(6, tuple(IN_TRUTH)), ids=lambda plant: plant.__name__)
def test_a_fault_in_the_truth_fails_the_check_that_is_named(
    plant: Callable[[Copy], Recording], good: Callable[[str], Written], tmp_path: Path
) -> None:
    name, check = IN_TRUTH[plant]
    copy = open_case(*good(name), tmp_path / "planted")
    told = failed((plant(copy), copy.folder))
    assert check in told, told


# Faults of the motion: they are filmed, so that truth and pixels agree, and only the named check can tell.


def lamp_that_never_lights() -> Case:
    case = things()
    placements = [
        replace(each, changes=(replace(each.changes[0], looks={}),)) if each.id == "lamp" else each
        for each in case.shot.film_set.placements
    ]
    return Case(case.name, replace(case.shot, film_set=replace(case.shot.film_set, placements=tuple(placements))))


def walk_in_the_air() -> Case:
    return walk(sunk=-0.04)


def foot_in_the_floor() -> Case:
    return walk(sunk=0.03)


def foot_that_slides() -> Case:
    return walk(slide=0.1)


def wheels_that_stand_still() -> Case:
    return car(turning=0.0)


def wheels_that_turn_too_fast() -> Case:
    return car(turning=1.08)


def wheels_above_the_road() -> Case:
    return car(raised=0.03)


def hand_beside_the_cup() -> Case:
    return carry(apart=0.05)


def cup_that_slips() -> Case:
    """The cup lags behind the hand that holds it."""
    case = carry()
    placements = []
    for each in case.shot.film_set.placements:
        if each.id == "cup" and each.path is not None:
            path = each.path.copy()
            path[1:, 1, 3] += 0.3 * (path[:-1, 1, 3] - path[1:, 1, 3])
            each = replace(each, path=path)
        placements.append(each)
    return Case(case.name, replace(case.shot, film_set=replace(case.shot.film_set, placements=tuple(placements))))


IN_MOTION: dict[Callable[[], Case], str] = {
    foot_that_slides: "feet",
    foot_in_the_floor: "feet",
    wheels_that_stand_still: "wheels",
    hand_beside_the_cup: "held",
    lamp_that_never_lights: "states shown",
    walk_in_the_air: "feet",
    wheels_that_turn_too_fast: "wheels",
    wheels_above_the_road: "wheels",
    cup_that_slips: "held",
}


@pytest.mark.parametrize("plant", quick_and_slow(3, tuple(IN_MOTION)), ids=lambda plant: plant.__name__)
def test_a_fault_of_the_motion_fails_the_named_check_alone(plant: Callable[[], Case], tmp_path: Path) -> None:
    told = failed(plant().film(tmp_path))
    assert told.keys() == {IN_MOTION[plant]}, told


# Faults of baked light, planted in the pictures.


@pytest.fixture(scope="module")
def baked(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The things under baked light, filmed by a camera that does not move; never changed by a test."""
    pytest.importorskip("embreex")
    return things(sway=0.0).film(tmp_path_factory.mktemp("baked"), is_baked=True)


def _ball(copy: Copy, frame: int) -> np.ndarray:
    """The pixels (H, W) of the ball."""
    return copy.map("identities", frame) == [each.id for each in copy.recording.entities].index("ball") + 1


def mover_baked_in(copy: Copy) -> Recording:
    """The ball stays in the picture where it was first, on pixels that show the background."""
    pictures, first = copy.pictures(), _ball(copy, 0)
    for frame in range(1, FRAMES):
        ghost = first & (copy.map("identities", frame) == 0)
        pictures[frame] = np.where(ghost[..., None], pictures[0], pictures[frame])
    return copy.with_pictures(pictures)


def stale_shadow(copy: Copy) -> Recording:
    """The shadow of the ball stays where it was first: the floor looks as in the first frame.

    Where the ball hid the floor, the floor is as dark as beside it.
    """
    pictures, first = copy.pictures(), _ball(copy, 0)
    for frame in range(1, FRAMES):
        still = copy.map("identities", frame) == 0
        floor = np.where(first[..., None], (pictures[frame] * 0.75).astype(np.uint8), pictures[0])
        others = copy.map("identities", 0) != 0
        kept = still & (first | ~others)
        pictures[frame] = np.where(kept[..., None], floor, pictures[frame])
    return copy.with_pictures(pictures)


@pytest.mark.slow
def test_what_moves_under_baked_light_passes(baked: Written) -> None:
    verification = verify(*baked)
    assert verification.passed, verification.sentence()
    assert "light of movers" in {check.name for check in verification.checks}


@pytest.mark.slow
@pytest.mark.parametrize("plant", [mover_baked_in, stale_shadow], ids=lambda plant: plant.__name__)
def test_what_a_mover_leaves_behind_is_noticed(
    plant: Callable[[Copy], Recording], baked: Written, tmp_path: Path
) -> None:
    copy = open_case(*baked, tmp_path / "planted")
    told = failed((plant(copy), copy.folder))
    assert told.keys() == {"light of movers"}, told


# The verifier's own geometry, against trimesh and against sums written out.


def test_points_are_nearest_where_trimesh_says() -> None:
    rng = np.random.default_rng(0)
    corners = rng.normal(size=(500, 3, 3))
    points = rng.normal(size=(500, 3)) * 2
    shares, apart = nearest_shares(points, corners)
    found = trimesh.triangles.closest_point(corners, points)
    assert np.allclose(np.einsum("nk,nkj->nj", shares, corners), found, atol=1e-9)
    assert np.allclose(apart, np.linalg.norm(points - found, axis=1), atol=1e-9)
    assert np.allclose(shares.sum(axis=1), 1) and (shares >= 0).all()


def test_a_skin_is_posed_as_its_sums_say_and_searched_without_a_miss() -> None:
    rng = np.random.default_rng(1)
    path = walk_path(moving_cast.TIMES, (0.0, 0.0))
    rig = figure("anna", path).rig
    assert rig is not None
    joined = rig.joined(figure("anna", path).thing.pieces)
    bones, shares = joined.weights
    skin = Skin(Body(rig.joints, joined.vertices, joined.faces, bones, shares, rig.rest, path))
    vertices = skin.vertices_at(9)
    for vertex in rng.choice(len(vertices), 50):
        moved = np.zeros(4)
        for bone, share in zip(bones[vertex], shares[vertex], strict=True):
            moved += share * path[9, bone] @ np.linalg.inv(rig.rest[bone]) @ [*joined.vertices[vertex], 1]
        assert np.allclose(vertices[vertex], moved[:3], atol=1e-9)
    posed = Posed(skin, vertices)
    points = vertices[rng.choice(len(vertices), 80)] + rng.normal(scale=0.03, size=(80, 3))
    _, _, apart = posed.nearest(points)
    mesh = trimesh.Trimesh(vertices, joined.faces, process=False)
    _, meant, _ = trimesh.proximity.closest_point_naive(mesh, points)
    assert np.abs(apart - meant).max() < 1e-6
    assert posed.nearest(posed.places(*skin.spread(200)))[2].max() < 2e-3


def test_a_wheel_that_turns_more_than_once_in_a_frame_is_followed(tmp_path: Path) -> None:
    """At 24 m/s, a wheel turns by 458 degrees from frame to frame; the car soon leaves the picture."""
    assert "wheels" not in failed(car(speed=24.0).film(tmp_path / "right"))
    assert "wheels" in failed(car(speed=24.0, turning=0.9).film(tmp_path / "wrong"))


def test_far_things_have_wider_limits_and_near_things_keep_theirs(good: Callable[[str], Written]) -> None:
    """On a street, a car that is claimed 5 cm to the side is still noticed."""
    recording, folder = good("street")
    body = body_of(recording, "car")
    change = at(0, 0.05, 0)
    poses = entity_of(recording, "car").poses
    moved = with_entity(recording, "car", poses=change @ poses, body=replace(body, poses=change @ body.poses))
    assert {"bodies", "inside boxes"} & failed((moved, folder)).keys()


@pytest.mark.parametrize(("metres", "degrees"), [(0.1, 0.0), (0.0, 0.5)])
def test_a_camera_that_is_off_is_noticed_at_a_distance_too(
    good: Callable[[str], Written], metres: float, degrees: float
) -> None:
    """The camera of one frame is shifted to the side, or turned, on a street with houses up to 100 m away."""
    recording, folder = good("drive")
    poses = recording.world_T_camera.copy()
    poses[12, :3, 3] += metres * poses[12, :3, 0]
    poses[12, :3, :3] @= Rotation.from_euler("y", degrees, degrees=True).as_matrix()
    assert "points across frames" in failed((replace(recording, world_T_camera=poses), folder))
