"""Stages on roads, RV and BT: what moves does what the graph says, mirrored graphs are mirrored, and gates refuse."""

import json
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.recording import Recording, load_recording
from chronotope.world.kinds import world_kinds
from chronotope.world.kinds.stage.graph import draw_graph, mirror, validate
from chronotope.world.kinds.stage.graph.vocabulary import items
from chronotope.world.kinds.stage.stages import lay_graph
from chronotope.world.kinds.stage.tasks.behavioral_trigger import Plan, rolling, run
from chronotope.world.quality import Quality
from chronotope.world.verify import verify
from chronotope.world.worlds import simulate
from tiers import complete_after

STAGE = world_kinds()["stage"]
SMALL = Quality("fast", 320, 180, 10, (8.0, 8.0), 1024, 2, 20)
TASKS = ("RV", "BT")
MIRROR = np.diag([1.0, -1.0, 1.0, 1.0])
# One stage of each task whose layout is tested; the hazard of this BT is a beach ball.
NUMBERS, BALL = {"RV": 2, "BT": 2}, "beach ball"


def graph_of(task: str, index: int, profile: str = "paper", seed: int = 1):
    return draw_graph(np.random.default_rng([seed, index]), task, index, profile=profile)  # type: ignore[arg-type]


@cache
def laid(task: str, index: int, profile: str = "paper"):
    return lay_graph(graph_of(task, index, profile), np.random.default_rng(1), SMALL).states[0]


def paths(shot) -> dict[str, np.ndarray]:
    """Where everything of the graph is, (T, 3) or (1, 3) m."""
    told = json.loads(shot.files["episode.json"])
    parts = {each["id"] for each in told["entities"] if each["object"]}
    return {p.id: p.poses[:, :3, 3] for p in shot.film_set.placements if p.id in parts}


@pytest.mark.parametrize("task", [pytest.param("RV", marks=[pytest.mark.slow, pytest.mark.complete]), "BT"])
def test_a_mirrored_graph_gives_a_mirrored_episode(task: str) -> None:
    shot = laid(task, NUMBERS[task])
    other = lay_graph(mirror(graph_of(task, NUMBERS[task])), np.random.default_rng(1), SMALL).states[0]
    assert other.camera == pytest.approx(MIRROR @ shot.camera @ np.diag([-1.0, 1.0, 1.0, 1.0]), abs=1e-6)
    here, there = paths(shot), paths(other)
    assert here.keys() == there.keys() and len(here) == {"RV": 2, "BT": 3}[task]
    for name, way in here.items():
        assert there[name] == pytest.approx(way * (1, -1, 1), abs=1e-6), name
        assert np.abs(way[:, 1]).max() > 0.5 or name == "agent"
    assert [(e.kind, e.start, e.end) for e in other.events] == [(e.kind, e.start, e.end) for e in shot.events]
    assert other.files["episode.json"] != shot.files["episode.json"]
    again = lay_graph(graph_of(task, NUMBERS[task]), np.random.default_rng(1), SMALL).states[0]
    assert again.files == shot.files


@pytest.mark.parametrize("index", [0, 2])
def test_vehicles_pass_the_camera_in_the_order_of_the_graph(index: int) -> None:
    graph, shot = graph_of("RV", index), laid("RV", index)
    assert shot.ego is not None and shot.ego.pose @ shot.ego.mount == pytest.approx(shot.camera, abs=1e-9)
    speeds = {each.id: each.motion.speed for each in graph.objects}
    assert np.linalg.norm(shot.ego.velocity, axis=1) == pytest.approx(speeds["ego"], abs=1e-6)
    passed = {}
    for name, way in paths(shot).items():
        assert np.linalg.norm(np.diff(way, axis=0), axis=1) * SMALL.fps == pytest.approx(speeds[name], abs=1e-4)
        ahead = way[:, 0] - shot.camera[:, 0, 3]
        passed[name] = shot.times[np.flatnonzero(np.diff(ahead > 0))[0]]
        assert (ahead[0] > 0) == (speeds[name] < speeds["ego"])
        side = "left lane" if way[0, 1] > 1 else "right lane"
        assert next(each.position for each in graph.objects if each.id == name) == side
    first = min(passed, key=lambda name: passed[name])
    assert first == ("obj_slower" if graph.params.overtake_order == "slower_first" else "obj_faster")


def test_an_agent_waits_for_a_ball_that_rolls_without_slipping() -> None:
    graph, shot = graph_of("BT", NUMBERS["BT"]), laid("BT", NUMBERS["BT"])
    assert graph.of_role("trigger")[0].attributes.type == BALL
    assert graph.params.reaction_type == "Wait_and_Resume"
    way = paths(shot)
    speed = np.diff(way["agent"][:, 0]) * SMALL.fps
    still = np.flatnonzero(speed < 1e-6)
    assert len(still) >= 8 and speed[-1] > 0.8 * speed[0] > 5 and np.all(np.diff(still) == 1)
    ball = next(p for p in shot.film_set.placements if p.id == "trigger")
    on_lane = np.abs(way["trigger"][:, 1]) < 1.9
    assert not on_lane[still[-1] + 1 :].any() and 32 <= np.flatnonzero(on_lane)[0] <= 35
    gap = way["trigger"][:, 0] - way["agent"][:, 0]
    assert gap[on_lane].min() > 2 + 2.2
    # The lowest point of the ball stands still while the ball rolls.
    k = int(np.flatnonzero(on_lane)[2])
    low = np.linalg.inv(ball.poses[k]) @ [*(way["trigger"][k] - (0, 0, ball.thing.size[2] / 2)), 1]
    moved = (ball.poses[k + 1] - ball.poses[k - 1]) @ low
    assert np.linalg.norm(moved[:3]) < 0.2 * np.linalg.norm(way["trigger"][k + 1] - way["trigger"][k - 1])


def test_a_hazard_that_stays_comes_to_rest_in_the_middle() -> None:
    times = np.arange(800) / 100
    gone = run(times, 3.0, Plan(times, 0.0, stays=True, brake=3.4))
    assert gone[-1] == pytest.approx(6.5) and np.interp(6.5 - 1.9, gone, times) == pytest.approx(3.4, abs=0.02)
    assert run(times, 3.0, Plan(times, 0.0, stays=False, brake=3.4))[-1] > 6.5 + 1.9
    assert np.abs(np.diff(gone, 2)).max() < 0.04
    turned = rolling(0.25, np.array([0.0, 0.25 * np.pi / 2]), 0.0, 1)[1, :3, :3]
    assert turned @ (0, 0, 1) == pytest.approx([0, -1, 0], abs=1e-9)  # its top goes ahead, from the left to the right


def test_graphs_have_the_words_of_what_streets_can_draw() -> None:
    assert set(items("agents")) == {"car", "SUV"} and {"pram", "shopping trolley", BALL} <= set(items("hazards"))
    for task, role, word in (("RV", "obj_slower", "tram"), ("BT", "trigger", "elephant"), ("BT", "agent", "bus")):
        data = graph_of(task, 0).model_dump(mode="json")
        looks = next(o for o in data["objects"] if o["id"] == role)
        looks["visual_attributes" if task == "RV" else "attributes"]["type"] = word
        graph = type(graph_of(task, 0)).model_validate(data)
        assert "ALL.R13" in {fault.rule for fault in validate(graph, is_drawn=True)}


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one small, verified clip of each task."""
    folder = tmp_path_factory.mktemp("roads")
    for task in TASKS:
        for seed in range(4):
            shutil.rmtree(folder / task, ignore_errors=True)
            (folder / task).mkdir()
            try:
                generator = np.random.default_rng(seed)
                simulate("stage", "s", generator, SMALL, folder / task, number=0, options={"task": task})
                break
            except InputError:
                continue
    return folder


def loaded(filmed: Path, task: str) -> tuple[Path, Recording]:
    folder = filmed / task / "recordings" / "s"
    return folder, load_recording(folder)


def faults(folder: Path, recording: Recording) -> set[str]:
    return {check.name for check in verify(recording, folder).failed}


@pytest.mark.slow
@pytest.mark.usefixtures("drawable")
@pytest.mark.parametrize("task", TASKS)
def test_a_clip_passes_its_gates_and_wheels_turn(filmed: Path, task: str) -> None:
    folder, recording = loaded(filmed, task)
    found = {check.name: check for check in verify(recording, folder).checks}
    assert not [name for name, check in found.items() if not check.passed]
    assert {"wheels", "stage record", "stage truth", "stage coverage"} <= found.keys()
    episode = json.loads((folder / "episode.json").read_text(encoding="utf-8"))
    assert (episode["ego"] is not None) == (task == "RV") == (recording.vehicle_pose is not None)
    assert [each for each in episode["entities"] if each["object"]]


def edited(*path, value):
    """An edit of the graph of a stage; a word in the list of objects is an id."""

    def edit(folder: Path, recording: Recording) -> Recording:
        data = json.loads((folder / "graph.json").read_text(encoding="utf-8"))
        *way, last = path
        inner = data
        for key in way:
            inner = next(each for each in inner if each["id"] == key) if isinstance(inner, list) else inner[key]
        inner[last] = value(inner[last]) if callable(value) else value
        (folder / "graph.json").write_text(json.dumps(data), encoding="utf-8")
        return recording

    return edit


def driven(name: str, change):
    """An edit of the way of an entity: ``change(poses, times)`` changes world_T_entity (T, 4, 4) in place."""

    def edit(folder: Path, recording: Recording) -> Recording:
        def other(entity):
            if entity.id != name:
                return entity
            poses = np.repeat(entity.poses, len(recording.times) if len(entity.poses) == 1 else 1, axis=0)
            before = poses.copy()
            change(poses, recording.times)
            if entity.body is None:
                return replace(entity, poses=poses)
            moved = entity.body.poses.copy()
            moved[..., :3, 3] += (poses - before)[:, None, :3, 3]
            return replace(entity, poses=poses, body=replace(entity.body, poses=moved))

        return replace(recording, entities=tuple(map(other, recording.entities)))

    return edit


def with_camera(change):
    def edit(folder: Path, recording: Recording) -> Recording:
        return replace(recording, world_T_camera=change(recording.world_T_camera.copy()))

    return edit


def keeps_on(poses: np.ndarray, times: np.ndarray) -> None:
    """The agent does not brake."""
    pace = (poses[5, 0, 3] - poses[0, 0, 3]) / (times[5] - times[0])
    poses[:, 0, 3] = poses[0, 0, 3] + pace * times


def creeps(poses: np.ndarray, times: np.ndarray) -> None:
    """A thing that should stand or drive evenly goes a little farther."""
    poses[:, 0, 3] += 0.25 * np.clip(times - 5.0, 0, None) ** 2


def changes_lane(poses: np.ndarray, times: np.ndarray) -> None:
    poses[:, 1, 3] += 0.2 * np.clip(times - 4.0, 0, 2)


def wanders(poses: np.ndarray, times: np.ndarray) -> None:
    poses[:, 1, 3] += 0.02 * times


def other_way(poses: np.ndarray, times: np.ndarray) -> None:
    poses[:, 1, 3] *= -1


def raised(poses: np.ndarray) -> np.ndarray:
    poses[:, 2, 3] += 1.5
    return poses


def reverse(values):
    return values[::-1]


OPPOSITE = {"left": "right", "right": "left", "Left": "Right", "Right": "Left"}
ORDERS = {"slower_first": "faster_first", "faster_first": "slower_first"}
# The gate that must fail was named beforehand.
BROKEN = [
    ("RV", "stage speeds", driven("obj_faster", creeps)),
    ("BT", "stage reaction", driven("agent", keeps_on)),
    ("RV", "stage entry", edited("params", "overtake_order", value=lambda order: ORDERS[order])),
    ("BT", "stage bystander", driven("distractor", wanders)),
    ("RV", "stage lanes", driven("obj_slower", changes_lane)),
    ("RV", "stage lanes", edited("params", "slow_side", value=lambda side: OPPOSITE[side])),
    ("RV", "stage truth", edited("ground_truth", "velocity_ranking_low_to_high", value=reverse)),
    ("RV", "stage truth", edited("objects", "obj_slower", "label", value="pink tram")),
    ("BT", "stage enters", driven("trigger", other_way)),
    ("BT", "stage enters", edited("params", "trigger_side", value=lambda side: OPPOSITE[side])),
    ("BT", "stage reaction", edited("params", "reaction_type", value="Wait_and_Resume")),
    ("BT", "stage follow", with_camera(raised)),
    ("BT", "stage truth", edited("ground_truth", "trigger_object_id", value="distractor")),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("drawable")
@pytest.mark.parametrize(
    ("task", "gate", "edit"), complete_after(2, BROKEN), ids=[f"{t}-{g}-{k}" for k, (t, g, _) in enumerate(BROKEN)]
)
def test_a_broken_clip_fails_the_gate_that_was_named(filmed: Path, tmp_path: Path, task: str, gate: str, edit) -> None:
    source, recording = loaded(filmed, task)
    folder = tmp_path / "s"
    shutil.copytree(source, folder)
    assert gate in faults(folder, edit(folder, recording))
