"""Stages with hands: QC and CM laid out, mirrored, filmed, and refused by the named gate when broken."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from test_world_stages import SMALL, edited, faults

from chronotope.errors import InputError
from chronotope.recording import Recording, load_recording
from chronotope.world.film import film
from chronotope.world.film_set import Placement
from chronotope.world.kinds import world_kinds
from chronotope.world.kinds.stage import StageOptions
from chronotope.world.kinds.stage.graph import draw_graph, mirror
from chronotope.world.kinds.stage.stages import lay_graph
from chronotope.world.people import arm_of, draw_person
from chronotope.world.people.motion.own_hand import Trip, move_own_hand
from chronotope.world.things import draw_thing
from chronotope.world.worlds import simulate
from tiers import complete_after

STAGE = world_kinds()["stage"]
TASKS = ("QC", "CM")


def lay(task: str, number: int, seed: int = 5):
    made = STAGE.lay(np.random.default_rng([seed, number]), SMALL, number=number, options=StageOptions(task=task))
    return made.states[0]


def test_the_own_hand_takes_a_thing_lets_it_fall_and_leaves_the_picture() -> None:
    generator = np.random.default_rng(3)
    person, ball = draw_person(generator, "male", "adult"), draw_thing(generator, "orange")
    pose, eye = np.eye(4), np.array([0.0, 0.0, 1.1])
    pose[:3, 3] = 0.25, 0.42, 0.78
    goal, lands = np.array([0.0, 0.36, 1.14]), np.array([0.02, 0.40, 1.0])
    trip = Trip("ball", 0.4, 2.4, goal, lands, np.empty((0, 3)), np.array([[0.14, 0.38, 1.12]]))
    times = np.arange(90) / 30
    moved = move_own_hand(person, "Right", times, eye, [trip], [Placement("ball", ball, pose)])
    path = moved.objects["ball"]
    hand = moved.joints[:, person.joints.index("RightHand")]
    events = {event.kind: event for event in moved.events}
    held = (times >= events["hold"].start) & (times <= events["hold"].end)
    own = np.linalg.inv(hand[held]) @ path[held]
    assert np.abs(own - own[0]).max() < 1e-9 and np.array_equal(path[times < events["hold"].start][-1], pose)
    free = (times > events["hold"].end) & (times <= events["move"].end)
    fallen = path[held][-1, 2, 3] - path[free, 2, 3]
    since = times[free] - events["hold"].end
    assert np.allclose(fallen[:-1], 9.81 / 2 * since[:-1] ** 2, atol=1e-9)
    assert np.allclose(path[-1, :3, 3], lands) and np.allclose(path[-1, :3, 2], [0, 0, 1], atol=1e-9)
    for tip in ("Thumb", "Index"):  # the bones of the fingers end at the thing
        place = moved.joints[held, person.joints.index(f"RightHand{tip}3"), :3, 3]
        assert np.linalg.norm(place - path[held, :3, 3], axis=1).max() < 0.075
    hips = moved.joints[:, person.joints.index("Hips"), :3, 3]
    assert np.ptp(hips, axis=0).max() < 1e-9, "who leans keeps the hips in place"
    rests = hand[(times < 0.4) | (times > 2.4), :3, 3] - eye
    assert (rests[:, 2] < -0.35).all() and (rests[:, 1] < 0.1).all()
    places = [moved.joints[:, person.joints.index(f"Right{bone}"), :3, 3] for bone in ("Arm", "ForeArm", "Hand")]
    lengths = [np.linalg.norm(end - start, axis=1) for start, end in pairwise(places)]
    assert all(np.ptp(length) < 1e-6 for length in lengths), "bones keep their lengths"
    assert len(arm_of(person, "Right").thing.pieces) < len(person.thing.pieces)
    with pytest.raises(InputError, match="lacks"):
        far = trip._replace(goal=np.array([0.0, 0.96, 1.44]))
        move_own_hand(person, "Right", times, eye, [far], [Placement("ball", ball, pose)])


def laid_from(graph, seed: int):
    shot = lay_graph(graph, np.random.default_rng(seed), SMALL).states[0]
    return shot, {placement.id: placement for placement in shot.film_set.placements}


@pytest.mark.slow
@pytest.mark.complete
@pytest.mark.parametrize("task", TASKS)
def test_a_mirrored_graph_gives_a_mirrored_episode(task: str) -> None:
    graph = draw_graph(np.random.default_rng(4), task, 3)
    (shot, one), (other_shot, other) = laid_from(graph, 9), laid_from(mirror(graph), 9)
    flip = np.array([-1.0, 1.0, 1.0])
    told = [[(e.kind, e.object, round(e.start, 6), round(e.end, 6)) for e in s.events] for s in (shot, other_shot)]
    assert told[0] == told[1] and one.keys() == other.keys()
    for name in one:
        if name.startswith(("item", "trigger", "effector", "container", "anchor", "inside")):
            places = one[name].poses[:, :3, 3] * flip
            assert np.abs(places - other[name].poses[:, :3, 3]).max() < 0.03, name
    joints = {e.object: e.parameters.get("joint") for e in shot.events if e.kind == "hold"}
    for event in other_shot.events:
        if event.kind == "hold":
            assert {event.parameters["joint"], joints[event.object]} == {"LeftHand", "RightHand"}
    assert json.loads(shot.files["episode.json"])["camera"] == json.loads(other_shot.files["episode.json"])["camera"]


@pytest.mark.slow
@pytest.mark.complete
@pytest.mark.parametrize("task", TASKS)
def test_the_same_seed_gives_the_same_files(task: str) -> None:
    assert lay(task, 1).files == lay(task, 1).files


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory):
    """A folder with one small, verified clip of each task."""
    folder = tmp_path_factory.mktemp("hands")
    for task in TASKS:
        for seed in range(5):
            shutil.rmtree(folder / task, ignore_errors=True)
            (folder / task).mkdir()
            try:
                simulate(
                    "stage", "s", np.random.default_rng(seed), SMALL, folder / task, number=0, options={"task": task}
                )
                break
            except InputError:
                continue
    return folder


@pytest.mark.slow
@pytest.mark.usefixtures("drawable")
@pytest.mark.parametrize("task", TASKS)
def test_a_clip_passes_its_gates_and_its_episode_has_joints_states_and_events(filmed: Path, task: str) -> None:
    folder = filmed / task / "recordings" / "s"
    assert faults(folder, load_recording(folder)) == set()
    episode = json.loads((folder / "episode.json").read_text(encoding="utf-8"))
    entities = {entity["id"]: entity for entity in episode["entities"]}
    kinds = {event["kind"] for event in episode["events"]}
    if task == "QC":
        assert kinds == {"reach", "hold", "move"} and len(entities["item-1"]["poses"]) == 80
        assert entities["inside"]["visible_pixels"] == [0] * 80 and max(entities["hand"]["visible_pixels"]) > 1000
    else:
        assert kinds >= {"reach", "press", "sit"} and len(next(iter(entities["trigger_1"]["joints"].values()))) == 80
        states = [state for number in (1, 2) for state in entities[f"effector_{number}"]["states"]]
        assert len(states) == 2 * len([e for e in episode["events"] if e["kind"] == "switch"]) // 2 > 0


Edit = Callable[[Path, Recording], Recording]


def entity_of(name: str, change) -> Edit:
    """An edit that claims something else of an entity."""

    def edit(folder: Path, recording: Recording) -> Recording:
        return replace(recording, entities=tuple(change(e) if e.id == name else e for e in recording.entities))

    return edit


def left_behind(folder: Path, recording: Recording) -> Recording:
    """An item that is 4 cm behind the hand in the second half of its first hold."""
    hold = next(event for event in recording.events if event.kind == "hold" and event.object == "item-1")
    late = (recording.times > (hold.start + hold.end) / 2) & (recording.times <= hold.end)

    def lag(entity):
        poses = entity.poses.copy()
        poses[late, 2, 3] -= 0.04
        return replace(entity, poses=poses)

    return entity_of("item-1", lag)(folder, recording)


def lower_by(metres: float):
    def lower(entity):
        poses = entity.poses.copy()
        poses[:, 2, 3] -= metres
        return replace(entity, poses=poses)

    return lower


def squeezed(folder: Path, recording: Recording) -> Recording:
    """A clip that is played twice as fast, so that actions are too short for 8 frames."""
    return replace(recording, times=recording.times / 2)


def late(entity):
    """A reaction that comes six frames late."""
    changes = tuple(replace(change, frame=change.frame + 6) for change in entity.changes)
    if entity.body is None:
        return replace(entity, changes=changes)
    poses = np.roll(entity.body.poses, 6, axis=0)
    return replace(entity, changes=changes, body=replace(entity.body, poses=poses))


def unstated(folder: Path, recording: Recording) -> Recording:
    """A reaction that the pictures show and neither states nor joints tell, to a trigger that is said to be inert."""
    edited("graph.json", "params", "scenario_type", value="B")(folder, recording)
    edited("episode.json", "params", "scenario_type", value="B")(folder, recording)
    return entity_of("effector_1", lambda entity: replace(entity, changes=(), body=None))(folder, recording)


def nudged(entity):
    """A thing that moves by 1 cm while the first trigger is pressed."""
    poses = np.tile(entity.poses[0], (80, 1, 1))
    poses[22:, 0, 3] += 0.01
    return replace(entity, poses=poses)


SIDES = {"left": "right", "right": "left"}
# Two or more broken clips of each task: the gate that must fail was named beforehand.
BROKEN = [
    ("QC", "held", left_behind),
    ("QC", "stage hand", squeezed),
    ("QC", "stage truth", edited("graph.json", "ground_truth", "final_inside_count", value=lambda count: count + 1)),
    ("QC", "stage start", edited("graph.json", "params", "item_side", value=lambda side: SIDES[side])),
    ("QC", "stage view", entity_of("container", lower_by(0.1))),
    ("CM", "stage reactions", entity_of("effector_1", late)),
    ("CM", "stage inert", unstated),
    ("CM", "stage inert", entity_of("effector_2", nudged)),
    ("CM", "stage presses", squeezed),
    ("CM", "stage sides", edited("graph.json", "params", "trigger_1_side", value=lambda side: SIDES[side])),
    ("CM", "stage record", edited("episode.json", "events", value=lambda events: events[:-1])),
    ("CM", "stage record", edited("episode.json", "entities", value=lambda told: [{**e, "states": []} for e in told])),
    (
        "CM",
        "stage record",
        edited(
            "episode.json",
            "entities",
            value=lambda told: [
                {**e, "joints": {name: poses[::-1] for name, poses in e["joints"].items()}} for e in told
            ],
        ),
    ),
    ("CM", "stage truth", edited("graph.json", "ground_truth", "trigger_1_effect", value="No Effect")),
]


@pytest.mark.slow
@pytest.mark.usefixtures("drawable")
@pytest.mark.parametrize(
    ("task", "gate", "edit"), complete_after(2, BROKEN), ids=[f"{t}-{g}-{k}" for k, (t, g, _) in enumerate(BROKEN)]
)
def test_a_broken_clip_fails_the_gate_that_was_named(
    filmed: Path, tmp_path: Path, task: str, gate: str, edit: Edit
) -> None:
    source = filmed / task / "recordings" / "s"
    folder = tmp_path / "s"
    shutil.copytree(source, folder)
    recording = load_recording(source)
    assert gate in faults(folder, edit(folder, recording))


@pytest.mark.slow
@pytest.mark.complete
@pytest.mark.usefixtures("drawable")
@pytest.mark.parametrize(("seed", "number"), [(5, 8), (5, 9), (5, 10), (7, 11)])
def test_a_move_on_the_table_is_no_put_in(tmp_path: Path, seed: int, number: int) -> None:
    options = {"task": "QC", "stage_profile": "extended"}
    simulate("stage", "s", np.random.default_rng([seed, number]), SMALL, tmp_path, number=number, options=options)
    folder = tmp_path / "recordings" / "s"
    recording = load_recording(folder)
    actions = json.loads((folder / "graph.json").read_text(encoding="utf-8"))["ground_truth"]["action_sequence"]
    at = actions.index("MOVE")
    assert faults(folder, recording) == set()
    edited("graph.json", "ground_truth", "action_sequence", at, value="ADD")(folder, recording)
    assert "stage truth" in faults(folder, recording)


@pytest.mark.slow
@pytest.mark.complete
@pytest.mark.usefixtures("drawable")
def test_a_camera_above_the_rim_is_refused(tmp_path: Path) -> None:
    shot = lay("QC", 1)
    camera = shot.camera.copy()
    camera[:, 2, 3] += 0.25
    recording = film(replace(shot, camera=camera), "s", "stage", np.random.default_rng(0), SMALL, tmp_path)
    assert {"stage view", "stage hidden"} <= faults(tmp_path / "recordings" / "s", recording)
