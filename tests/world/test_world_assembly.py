"""A person assembles a product: hands hold what they bring, nothing passes through anything, and the truth is exact.

Errors are planted in the facts of a shot and of a take; the check that was named beforehand refuses each of them.
"""

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chronotope.media import encode_clip
from chronotope.question import item_generator
from chronotope.recording import Recording, Take
from chronotope.world.film import film
from chronotope.world.furniture.course.course import straight
from chronotope.world.furniture.course.mistakes import possible_mistakes
from chronotope.world.furniture.course.undoing import Wrong, steps_to_undo
from chronotope.world.furniture.designs.kit import DOWN, UP, bar
from chronotope.world.furniture.filmed.bringing import bring
from chronotope.world.furniture.filmed.cameras import Camera
from chronotope.world.furniture.filmed.pauses import draw_pause
from chronotope.world.furniture.filmed.shots import Scene, draw_scenery, scenes
from chronotope.world.furniture.filmed.situation import situations
from chronotope.world.furniture.filmed.slips import mistake_of
from chronotope.world.furniture.filmed.takes import Filmed, TakeName, make_take, told_of
from chronotope.world.furniture.manual import truth_of
from chronotope.world.furniture.possible import faults_of_assembly
from chronotope.world.furniture.product import AssemblyStep, Entry, Joining, Part, Product
from chronotope.world.furniture.random_product import draw_product
from chronotope.world.kinds.furniture import KIND
from chronotope.world.people.motion.posture import build_of
from chronotope.world.quality import Quality
from chronotope.world.verify import verify
from chronotope.world.verify.assembly import verify_motion, verify_shot, verify_take
from chronotope.world.verify.mistaken import Sight, look_at_end, verify_mistake
from chronotope.world.verify.workplace import check_camera

SMALL = Quality("fast", 240, 180, 5, (0.0, 0.0), 512, 1, 24)
pytestmark = pytest.mark.slow


@dataclass(frozen=True, eq=False)
class Shot:
    """A filmed shot with all that its checks read, and the recordings of a whole take."""

    recording: Recording
    folder: Path
    truth: dict[str, Any]
    told: dict[str, Any]


@pytest.fixture(scope="module")
def product() -> Product:
    """A seat on two legs that are put on it in two steps, and a cushion."""
    looks = draw_product(np.random.default_rng([7, 3]), 3).parts
    shapes = {
        "seat": bar((-0.2, -0.2, 0.40), (0.2, 0.2, 0.43)),
        "left leg": bar((-0.16, 0.12, 0.0), (0.16, 0.15, 0.40)),
        "right leg": bar((-0.16, -0.15, 0.0), (0.16, -0.12, 0.40)),
        "pad": bar((-0.18, -0.18, 0.43), (0.0, 0.18, 0.47)),
    }
    parts = tuple(Part(name, name, (shape,), looks[0].look) for name, shape in shapes.items())
    legs = Joining((0,), (Entry((1,), UP), Entry((2,), UP)), up=DOWN)
    pad = Joining((0, 1, 2), (Entry((3,), DOWN),))
    made = Product("Stool", "test", parts, (AssemblyStep((legs,)), AssemblyStep((pad,))))
    assert faults_of_assembly(made) == []
    return made


@pytest.fixture(scope="module")
def truth(product: Product) -> dict[str, Any]:
    return json.loads(json.dumps(truth_of(product)))


@pytest.fixture(scope="module")
def taken(product: Product, truth: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> tuple[Take, Path]:
    folder = tmp_path_factory.mktemp("take")
    name = TakeName("stool", 2)  # with a worn camera
    take = make_take(np.random.default_rng(4), straight(product), name, SMALL, folder, truth, lambda share, stage: None)
    return take, folder


def first_scene(product: Product, camera: Camera, has_things: bool = True) -> Scene:
    """The first shot of a take, with a pause, before it is filmed."""
    scenery = draw_scenery(np.random.default_rng(4), product, camera)
    stops = next(seed for seed in range(99) if draw_pause(np.random.default_rng([seed, 1])) is not None)
    scenery = replace(scenery, seed=stops, things=scenery.things if has_things else ())
    return scenes(straight(product), scenery, SMALL)[0]


def filmed(scene: Scene, truth: dict[str, Any], folder: Path) -> Shot:
    recording = film(scene.shot, "shot", "furniture", np.random.default_rng(4), SMALL, folder)
    return Shot(recording, folder / "recordings" / "shot", truth, told_of(Filmed(scene, recording, 0), SMALL))


@pytest.fixture(scope="module")
def shot(product: Product, truth: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Shot:
    return filmed(first_scene(product, "moving"), truth, tmp_path_factory.mktemp("shot"))


def test_a_person_brings_every_group_of_every_design() -> None:
    generator = np.random.default_rng(2)
    person = draw_scenery(generator, draw_product(generator, 3), "fixed").person
    build = build_of(person)
    for number in (2, 6):
        product = draw_product(np.random.default_rng([7, number]), number)
        for situation in situations(product, product.steps[-1].shown):
            done = bring(situation, person, build, 8, "person")
            assert np.abs(done.offsets[-1]).max() == 0
            assert np.linalg.norm(done.offsets[0]) > 0.14
            held = [event for event in done.events if event.kind == "hold"]
            assert {event.parameters["joint"] for event in held} == {"LeftHand", "RightHand"}


@pytest.mark.parametrize("number", [5, 6, 18])
def test_every_motion_passes_its_checks_before_it_is_filmed(number: int) -> None:
    """A bench, a desk and a cabinet on whose way the hands, the last steps or the doors once met something."""
    product = draw_product(item_generator(5, "world:furniture", f"furniture-5-{number:04d}"), number)
    truth = json.loads(json.dumps(truth_of(product)))
    scenery = draw_scenery(np.random.default_rng([5, number, 0]), product, "fixed")
    quality = KIND.qualities["fast"]
    shots = scenes(straight(product), scenery, quality)
    assert len(shots) == sum(len(joining.entries) for step in product.steps for joining in step.joinings)
    for scene in shots:
        frames, situation = len(scene.shot.times), scene.situation
        own = {one.id: one.poses for one in scene.shot.film_set.placements}
        placed = [own[f"part-{part}"] for part in range(len(product.parts))]
        told = {"step": scene.step, "parts": list(situation.entry.parts), "there": list(situation.there)}
        placed = [np.tile(each, (frames, 1, 1)) if len(each) == 1 else each for each in placed]
        assert verify_motion(placed, truth, told).faults() == ""
        [start] = {event.start for event in scene.shot.events if event.kind == "move"}
        path = own[f"part-{situation.entry.parts[0]}"][:, :3, 3]
        first = int(np.flatnonzero(np.abs(np.diff(path, axis=0)).max(axis=1) > 5e-5)[0])
        assert first / quality.fps - start < 2.5 / quality.fps, "it moves as soon as the record says"


def test_a_foot_is_seen_between_two_hands(tmp_path: Path) -> None:
    """The smallest part of all designs, in the view that shows least of it."""
    product = draw_product(item_generator(5, "world:furniture", "furniture-5-0004"), 4)
    generator = np.random.default_rng(1)
    quality = KIND.qualities["fast"]
    shown = scenes(straight(product), draw_scenery(generator, product, "fixed"), quality)
    scene = next(one for one in shown if product.parts[one.situation.entry.parts[0]].name == "foot 2")
    recording = film(scene.shot, "foot", "furniture", generator, quality, tmp_path)
    told = told_of(Filmed(scene, recording, 0), quality)
    result = verify_shot(recording, tmp_path / "recordings" / "foot", json.loads(json.dumps(truth_of(product))), told)
    assert result.faults() == ""


def test_the_same_seed_gives_the_same_bytes(
    taken: tuple[Take, Path], product: Product, truth: dict[str, Any], tmp_path: Path
) -> None:
    _, folder = taken
    name = TakeName("stool", 2)
    make_take(np.random.default_rng(4), straight(product), name, SMALL, tmp_path, truth, lambda share, stage: None)
    files = sorted(one.relative_to(folder) for one in folder.rglob("*") if one.is_file())
    assert files == sorted(one.relative_to(tmp_path) for one in tmp_path.rglob("*") if one.is_file())
    assert {one.suffix for one in files} >= {".mp4", ".json", ".parquet"}
    assert [one for one in files if (folder / one).read_bytes() != (tmp_path / one).read_bytes()] == []


def test_a_take_has_a_segment_for_each_step(taken: tuple[Take, Path], product: Product, truth: dict[str, Any]) -> None:
    take, folder = taken
    assert [segment.step for segment in take.segments] == list(range(len(product.steps)))
    assert take.segments[0].start == 0
    assert all(one.end == other.start for one, other in zip(take.segments, take.segments[1:], strict=False))
    told = json.loads((folder / "recordings" / take.id / "assembly.json").read_text())
    entries = sum(len(joining.entries) for step in product.steps for joining in step.joinings)
    assert len(told["shots"]) == entries
    assert all(len(each["contacts"]) == 2 for each in told["shots"])
    assert not list(folder.glob(".*")), "what was only needed to film is gone"


def test_a_shot_passes_all_checks(shot: Shot) -> None:
    assert verify(shot.recording, shot.folder).passed
    assert verify_shot(shot.recording, shot.folder, shot.truth, shot.told).passed


def moved(recording: Recording, part: int, by: Callable[[np.ndarray], None]) -> Recording:
    """A recording in which the poses of a part are changed."""
    entities = list(recording.entities)
    at = next(n for n, entity in enumerate(entities) if entity.id == f"part-{part}")
    poses = np.array(entities[at].poses)
    if len(poses) == 1:
        poses = np.tile(poses, (len(recording.times), 1, 1))
    by(poses)
    entities[at] = replace(entities[at], poses=poses)
    return replace(recording, entities=tuple(entities))


def shifted(poses: np.ndarray) -> None:
    poses[:, :3, 3] += [0.015, 0.0, 0.015]


def late(poses: np.ndarray) -> None:
    poses[-1, 2, 3] += 0.05


def early(poses: np.ndarray) -> None:
    poses[:] = poses[-1]


def askew(poses: np.ndarray) -> None:
    for frame in range(len(poses)):
        poses[frame, :2, 3] += 0.4 * (poses[frame, 2, 3] - poses[-1, 2, 3])


def through(poses: np.ndarray) -> None:
    half = len(poses) // 2
    poses[:half, :3, 3] = poses[-1, :3, 3] + [0.0, 0.0, -0.03]


def sideways(poses: np.ndarray) -> None:
    poses[-1, 0, 3] += 0.02


PLANTED: list[tuple[str, str, Callable[[Shot], Shot]]] = []


def planted(check: str) -> Callable[[Callable[[Shot], Shot]], Callable[[Shot], Shot]]:
    def add(change: Callable[[Shot], Shot]) -> Callable[[Shot], Shot]:
        PLANTED.append((change.__name__, check, change))
        return change

    return add


@planted("step of the product")
def a_wrong_step(shot: Shot) -> Shot:
    return replace(shot, told=shot.told | {"step": shot.told["step"] + 1})


@planted("step of the product")
def a_wrong_part(shot: Shot) -> Shot:
    return replace(shot, told=shot.told | {"parts": [len(shot.truth["parts"]) - 1]})


@planted("step of the product")
def a_step_before_its_support(shot: Shot) -> Shot:
    truth = copy.deepcopy(shot.truth)
    truth["steps"].reverse()
    return replace(shot, truth=truth)


@planted("order of parts")
def a_part_beside_its_place(shot: Shot) -> Shot:
    return replace(shot, recording=moved(shot.recording, shot.told["parts"][0], late))


@planted("order of parts")
def a_part_in_its_place_from_the_beginning(shot: Shot) -> Shot:
    return replace(shot, recording=moved(shot.recording, shot.told["parts"][0], early))


@planted("order of parts")
def a_support_that_is_not_there(shot: Shot) -> Shot:
    return replace(shot, told=shot.told | {"there": [*shot.told["there"], len(shot.truth["parts"]) - 1]})


@planted("order of parts")
def a_part_that_came_before_its_step(shot: Shot) -> Shot:
    entities = {entity.id: entity for entity in shot.recording.entities}
    base, last = shot.told["there"][0], len(shot.truth["parts"]) - 1
    middles = [
        np.concatenate([np.array(solid) for solid in shot.truth["parts"][part]["solids"]]) for part in (base, last)
    ]
    by = np.subtract(*[(points.min(axis=0) + points.max(axis=0)) / 2 for points in reversed(middles)])

    def put(poses: np.ndarray) -> None:
        poses[:] = entities[f"part-{base}"].poses[0]
        poses[:, :3, 3] += poses[:, :3, :3] @ by

    return replace(shot, recording=moved(shot.recording, last, put))


@planted("places from depth")
def a_product_beside_what_depth_shows(shot: Shot) -> Shot:
    recording = shot.recording
    for part in (*shot.told["there"], *shot.told["parts"]):
        recording = moved(recording, part, shifted)
    return replace(shot, recording=recording)


@planted("places from depth")
def a_part_of_another_size(shot: Shot) -> Shot:
    truth = copy.deepcopy(shot.truth)
    part = truth["parts"][shot.told["parts"][0]]
    middle = np.mean([np.mean(solid, axis=0) for solid in part["solids"]], axis=0)
    part["solids"] = [(middle + 1.8 * (np.array(solid) - middle)).tolist() for solid in part["solids"]]
    return replace(shot, truth=truth)


@planted("ways of parts")
def a_part_through_another(shot: Shot) -> Shot:
    return replace(shot, recording=moved(shot.recording, shot.told["parts"][0], through))


@planted("direction of parts")
def a_part_from_askew(shot: Shot) -> Shot:
    return replace(shot, recording=moved(shot.recording, shot.told["parts"][0], askew))


@planted("direction of parts")
def another_direction_in_the_file(shot: Shot) -> Shot:
    truth = copy.deepcopy(shot.truth)
    for joining in truth["steps"][shot.told["step"]]:
        for entry in joining["entries"]:
            entry["toward"] = entry["toward"][1:] + entry["toward"][:1]
    return replace(shot, truth=truth)


@planted("seen")
def a_part_that_the_masks_never_show(shot: Shot) -> Shot:
    names = [entity.id for entity in shot.recording.entities]
    own, base = names.index(f"part-{shot.told['parts'][0]}"), names.index("person")
    entities = list(shot.recording.entities)
    entities[own], entities[base] = entities[base], entities[own]
    waiting = next(
        n for n, name in enumerate(names)
        if name.startswith("part-") and int(name[5:]) not in (*shot.told["there"], *shot.told["parts"])
    )  # fmt: skip
    entities[base], entities[waiting] = entities[waiting], entities[base]
    return replace(shot, recording=replace(shot.recording, entities=tuple(entities)))


def with_clutter(recording: Recording, by: Callable[[np.ndarray], None]) -> Recording:
    """A recording in which the first thing of the room is elsewhere."""
    entities = list(recording.entities)
    at = next(n for n, entity in enumerate(entities) if entity.id == "clutter-1")
    poses = np.array(entities[at].poses)
    by(poses)
    entities[at] = replace(entities[at], poses=poses)
    return replace(recording, entities=tuple(entities))


@planted("clutter")
def a_thing_where_the_person_walks(shot: Shot) -> Shot:
    agent = next(entity for entity in shot.recording.entities if entity.id == "person")
    assert agent.body is not None
    foot = agent.body.poses[-1, agent.body.joints.index("LeftFoot"), :2, 3]

    def put(poses: np.ndarray) -> None:
        poses[:, :2, 3] = foot

    return replace(shot, recording=with_clutter(shot.recording, put))


@planted("clutter")
def a_thing_before_the_camera(shot: Shot) -> Shot:
    entities = {entity.id: entity for entity in shot.recording.entities}
    middle = entities[f"part-{shot.told['parts'][0]}"].poses[-1, :3, 3]
    eye = np.median(shot.recording.world_T_camera[:, :3, 3], axis=0)
    tall = [replace(each, size=(0.6, 0.6, 2.0)) if each.id == "clutter-1" else each for each in shot.recording.entities]

    def put(poses: np.ndarray) -> None:
        poses[:, :3, 3] = 0.35 * eye + 0.65 * middle
        poses[:, 2, 3] = 1.0

    return replace(shot, recording=with_clutter(replace(shot.recording, entities=tuple(tall)), put))


@planted("clutter")
def a_thing_above_the_floor(shot: Shot) -> Shot:
    def lift(poses: np.ndarray) -> None:
        poses[:, 2, 3] += 0.2

    return replace(shot, recording=with_clutter(shot.recording, lift))


@planted("pauses")
def a_pause_at_another_time(shot: Shot) -> Shot:
    late = [{key: value + 2.5 for key, value in pause.items()} for pause in shot.told["pauses"]]
    return replace(shot, told=shot.told | {"pauses": late})


@planted("pauses")
def a_pause_without_a_record(shot: Shot) -> Shot:
    return replace(shot, told=shot.told | {"pauses": []})


@planted("pauses")
def a_pause_that_ends_before_the_head_is_back(shot: Shot) -> Shot:
    looks = max(event.end for event in shot.recording.events if event.kind == "look")
    return replace(shot, told=shot.told | {"pauses": [shot.told["pauses"][0] | {"to": looks}]})


@planted("pauses")
def a_pause_that_begins_after_the_head_has_turned(shot: Shot) -> Shot:
    [pause] = shot.told["pauses"]
    later = {"from": pause["from"] + 0.5, "to": pause["to"]}
    return replace(shot, told=shot.told | {"pauses": [later]})


@planted("camera")
def a_moving_camera_that_should_stand(shot: Shot) -> Shot:
    return replace(shot, told=shot.told | {"camera": "fixed"})


@planted("camera")
def a_worn_camera_that_stands_far_away(shot: Shot) -> Shot:
    return replace(shot, told=shot.told | {"camera": "worn"})


def turned(camera: np.ndarray, degrees: float) -> np.ndarray:
    """Camera poses that are turned around the vertical line through the camera."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    found = camera.copy()
    found[:, :3, :3] = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ camera[:, :3, :3]
    return found


def test_a_worn_camera_is_at_the_head_and_turns_with_it(shot: Shot, product: Product) -> None:
    """The motion of the filmed shot with the camera that would have been worn, and with worse ones."""
    worn = first_scene(product, "worn").shot.camera
    told = shot.told | {"camera": "worn"}

    def faults(camera: np.ndarray) -> str:
        found = check_camera(replace(shot.recording, world_T_camera=camera), told)
        return "" if found.passed else found.figure

    assert faults(worn) == ""
    slipping, turning = worn.copy(), worn.copy()
    slipping[:, 2, 3] += np.linspace(0.0, 0.1, len(worn))
    turning[3] = turned(turning[3:4], 45.0)[0]  # 225 degrees per second, at 5 frames per second
    assert "slips by 0.100 m" in faults(slipping)
    assert "degrees per second" in faults(turning)
    assert "aside of the head" in faults(turned(worn, 170.0))
    assert "aside of the head" in faults(turned(worn, 60.0))


def test_a_worn_camera_sees_what_comes_while_it_moves(shot: Shot, product: Product) -> None:
    worn = replace(shot.recording, world_T_camera=first_scene(product, "worn").shot.camera)
    own = {f"part-{part}" for part in shot.told["parts"]}
    moves = next(entity.poses for entity in worn.entities if entity.id in own)
    frames = 1 + np.flatnonzero(np.linalg.norm(np.diff(moves[:, :3, 3], axis=0), axis=1) > 0.002)

    def passes(hidden: np.ndarray) -> bool:
        pixels = np.full(len(worn.times), 500)
        pixels[hidden] = 0
        seen = [replace(each, visible_pixels=pixels) if each.id in own else each for each in worn.entities]
        return check_camera(replace(worn, entities=tuple(seen)), shot.told | {"camera": "worn"}).passed

    assert passes(frames[: len(frames) // 3])
    assert not passes(frames[: 2 * len(frames) // 3])
    still = np.setdiff1d(np.arange(len(worn.times)), frames)
    assert passes(still), "it may look elsewhere while nothing moves"


def test_a_camera_that_looks_backwards_is_refused(product: Product, truth: dict[str, Any], tmp_path: Path) -> None:
    scene = first_scene(product, "worn")
    back = replace(scene, shot=replace(scene.shot, camera=turned(scene.shot.camera, 180.0)))
    bad = filmed(back, truth, tmp_path)
    refused = {one.name: one.figure for one in verify_shot(bad.recording, bad.folder, truth, bad.told).failed}
    assert "180 degrees aside of the head" in refused["camera"]


def test_a_room_without_things_is_refused(product: Product, truth: dict[str, Any], tmp_path: Path) -> None:
    bad = filmed(first_scene(product, "moving", has_things=False), truth, tmp_path)
    [refused] = verify_shot(bad.recording, bad.folder, truth, bad.told).failed
    assert refused.name == "clutter" and "0 things lie or stand around" in refused.figure


def test_standing_is_measured_in_seconds_and_not_in_frames(shot: Shot) -> None:
    """A drift of 3 cm/s is motion at each frame rate; in frames of 30 fps it is 1 mm."""
    from chronotope.world.verify.workplace import stands

    part = next(entity for entity in shot.recording.entities if entity.id == "part-1")
    for fps in (5, 30):
        drift, comes = (np.tile(np.eye(4), (fps, 1, 1)) for _ in range(2))
        drift[:, 0, 3] = 0.03 * np.arange(fps) / fps
        comes[-1, 0, 3] = 1.0
        short = replace(shot.recording, times=np.arange(fps) / fps, entities=(replace(part, poses=comes),))
        assert stands(short, {"parts": [1]}, np.tile(np.eye(4), (fps, 1, 1)))[: fps - 2].all()
        assert not stands(short, {"parts": [1]}, drift).any()


@pytest.mark.parametrize(("name", "check", "change"), PLANTED, ids=[name for name, _, _ in PLANTED])
def test_a_planted_error_is_refused(name: str, check: str, change: Callable[[Shot], Shot], shot: Shot) -> None:
    bad = change(shot)
    assert check in {one.name for one in verify_shot(bad.recording, bad.folder, bad.truth, bad.told).failed}


@pytest.fixture(scope="module")
def joined(taken: tuple[Take, Path]) -> tuple[Recording, dict[str, Any], list[Recording]]:
    """The recording of the take, its record, and recordings with the clips of its shots."""
    from chronotope.media import decode_frames
    from chronotope.recording import load_recording

    take, folder = taken
    recording = load_recording(folder / "recordings" / take.id)
    told = json.loads((folder / "recordings" / take.id / "assembly.json").read_text())
    shots: list[Recording] = []
    assert take.clip is not None
    for number, one in enumerate(told["shots"]):
        frames = range(one["first_frame"], one["first_frame"] + one["frames"])
        clip = folder / f"shot-{number}.mp4"
        encode_clip((picture for _, picture in decode_frames(take.clip, frames)), clip, SMALL.fps)
        assert recording.clip is not None
        shots.append(replace(recording, clip=replace(recording.clip, path=clip)))
    return recording, told, shots


def a_gap(told: dict[str, Any]) -> None:
    told["segments"][1]["start"] += 0.4


def a_swap(told: dict[str, Any]) -> None:
    told["segments"][0]["step"], told["segments"][1]["step"] = 1, 0


def a_cut_too_late(told: dict[str, Any]) -> None:
    late_by = (told["shots"][0]["frames"] - 3) / told["fps"]
    told["segments"][0]["end"] += late_by
    told["segments"][1]["start"] += late_by


def a_missing_end(told: dict[str, Any]) -> None:
    told["segments"].pop()


def frames_of_another_shot(told: dict[str, Any]) -> None:
    told["shots"][0], told["shots"][-1] = told["shots"][-1], told["shots"][0]


def frames_of_another_time(told: dict[str, Any]) -> None:
    told["shots"][1]["first_frame"] -= 12


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (a_gap, "segments"),
        (a_swap, "segments"),
        (a_cut_too_late, "segments"),
        (a_missing_end, "segments"),
        (frames_of_another_shot, "pictures of the take"),
        (frames_of_another_time, "pictures of the take"),
    ],
)
def test_a_planted_error_in_a_take_is_refused(
    joined: tuple[Recording, dict[str, Any], list[Recording]],
    truth: dict[str, Any],
    change: Callable[[dict[str, Any]], None],
    check: str,
) -> None:
    recording, told, shots = joined
    assert verify_take(recording, told, truth, shots).passed
    bad = copy.deepcopy(told)
    change(bad)
    assert check in {one.name for one in verify_take(recording, bad, truth, shots).failed}


@dataclass(frozen=True, eq=False)
class Mistaken:
    """A take with a mistake: its record, what its shots show, and its recording."""

    told: dict[str, Any]
    sights: list[Sight]
    recording: Recording


@pytest.fixture(scope="module", params=["wrong_side", "wrong_order"])
def mistaken(
    request: pytest.FixtureRequest, product: Product, truth: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> Mistaken:
    course = next(course for step in (0, 1) for course in possible_mistakes(product, request.param, step))
    assert course.slip is not None
    folder, generator = tmp_path_factory.mktemp("mistake"), np.random.default_rng(6)
    filmed: list[Filmed] = []
    sights: list[Sight] = []
    for at, scene in enumerate(scenes(course, draw_scenery(generator, product, "fixed"), SMALL)):
        recording = film(scene.shot, f"shot-{at}", "furniture", generator, SMALL, folder)
        sights.append(look_at_end(recording, folder / "recordings" / recording.id, truth))
        filmed.append(Filmed(scene, recording, sum(one.frames for one in filmed)))
    mistake = mistake_of(course.slip, filmed, SMALL.fps, truth)
    told = {"fps": SMALL.fps, "mistake": {**vars(mistake), "parts": [int(part) for part in mistake.parts]}}
    return Mistaken(told, sights, filmed[0].recording)


def test_a_mistake_is_found_again_and_a_wrong_record_of_it_is_refused(
    mistaken: Mistaken, truth: dict[str, Any]
) -> None:
    def failed(**change: Any) -> set[str]:
        told = mistaken.told | {"mistake": mistaken.told["mistake"] | change}
        return {one.name for one in verify_mistake(mistaken.recording, told, truth, mistaken.sights).failed}

    assert failed() == set()
    assert failed(kind="left_out") == {"mistake"}
    assert failed(step=mistaken.told["mistake"]["step"] - 1) == {"mistake"}
    assert failed(parts=[0]) == {"mistake"}
    assert failed(start=mistaken.told["mistake"]["start"] + 1) == {"time of the mistake"}
    assert failed(end=mistaken.told["mistake"]["end"] - 1) == {"time of the mistake"}


def test_a_mistake_that_is_not_seen_is_refused(mistaken: Mistaken, truth: dict[str, Any]) -> None:
    hidden = [replace(one, empty=dict.fromkeys(one.empty, 0.0), points=dict.fromkeys(one.points, np.zeros((0, 3))))
              for one in mistaken.sights]  # fmt: skip
    result = verify_mistake(mistaken.recording, mistaken.told, truth, hidden)
    assert "mistake seen" in {one.name for one in result.failed}


@pytest.mark.parametrize(("last", "undone"), [("back", (0, 1)), ("lid", (0,)), ("rail", (0,))])
def test_what_was_fastened_to_a_part_has_to_come_off_before_it(
    product: Product, last: str, undone: tuple[int, ...]
) -> None:
    """A board between two sides is left out. Then a back is put on both sides, or something on the left one."""
    shapes = {
        "left": bar((0.0, 0.0, 0.0), (0.3, 0.02, 0.6)),
        "low": bar((0.0, 0.02, 0.1), (0.3, 0.4, 0.12)),
        "high": bar((0.0, 0.02, 0.5), (0.3, 0.4, 0.52)),
        "right": bar((0.0, 0.4, 0.0), (0.3, 0.42, 0.6)),
    }
    others = {
        "back": (bar((-0.01, 0.0, 0.0), (0.0, 0.42, 0.6)), (1.0, 0.0, 0.0)),
        "lid": (bar((0.0, -0.1, 0.6), (0.3, 0.02, 0.62)), DOWN),
        "rail": (bar((0.3, 0.0, 0.3), (0.32, 0.02, 0.5)), (-1.0, 0.0, 0.0)),
    }
    shape, toward = others[last]
    parts = tuple(Part(name, name, (each,), product.parts[0].look) for name, each in {**shapes, last: shape}.items())
    across = (0.0, -1.0, 0.0)
    sides = Joining((0,), (Entry((1,), across), Entry((2,), across), Entry((3,), across)), up=(0.0, 1.0, 0.0))
    after = AssemblyStep((Joining((0, 1, 2, 3), (Entry((4,), toward),)),))
    right = Product("Shelf", "test", parts, (AssemblyStep((sides,)), after))
    short = Joining((0,), (sides.entries[0], sides.entries[2]), up=sides.up)
    built = replace(right, steps=(AssemblyStep((short,)), AssemblyStep((replace(after.joinings[0], base=(0, 1, 3)),))))
    assert steps_to_undo(right, built, Wrong(None, (sides.entries[1],)), (0, 1)) == undone


def test_a_camera_is_not_worn_again_after_refusals_and_never_with_a_mistake() -> None:
    assert [TakeName("stool", number).camera for number in range(4)] == ["fixed", "moving", "worn", "fixed"]
    assert TakeName("stool", 2, may_wear=False).camera == "moving"
    assert [TakeName("stool", number, is_wrong=True).camera for number in range(3)] == ["fixed", "moving", "fixed"]
