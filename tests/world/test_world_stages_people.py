"""Stages with people: sight around a pillar (VI), and an object that a person takes (IO)."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_world_stages import OPPOSITE, SMALL, cameras, edited, faults, jumped, lay, moved

from chronotope.errors import InputError
from chronotope.question import item_generator
from chronotope.recording import Recording, load_recording
from chronotope.world.kinds.stage.graph import TASKS as GRAPHS
from chronotope.world.kinds.stage.graph import draw_graph, mirror
from chronotope.world.kinds.stage.graph.tasks.visibility_change import gap, points
from chronotope.world.kinds.stage.stages import lay_graph
from chronotope.world.worlds import simulate
from tiers import complete_after

TASKS = ("VI", "IO")


def crosses(observer: int, target: int) -> float:
    """How far from the middle of a circle of 1 m the line between two clock points passes."""
    angle = abs(observer - target) % 12 * np.pi / 6
    return float(abs(np.cos(min(angle, 2 * np.pi - angle) / 2)))


def test_each_transition_has_total_states_at_both_ends() -> None:
    task = GRAPHS["VI"]
    seen = set()
    for index in range(task.cycles["extended"].length):
        params = task.params(**task.cycles["extended"].at(index))
        (first_seer, last_seer), (first_seen, last_seen) = points(params)  # type: ignore[arg-type]
        states = ["Occluded" if crosses(*ends) < 0.3 else "Visible" if crosses(*ends) > 0.7 else "Partial"
                  for ends in ((first_seer, first_seen), (last_seer, last_seen))]  # fmt: skip
        told = f"{states[0]}_to_{states[1]}" if states[0] != states[1] else f"Always_{states[0]}"
        assert told == params.transition  # type: ignore[attr-defined]
        assert (first_seer == last_seer) != (first_seen == last_seen)
        assert 1 <= gap(last_seer, last_seen) <= 6
        seen.add(told)
    assert len(seen) == 4


def records(task: str, index: int, profile: str = "paper"):
    """The episodes of a graph and of its mirror image, laid out with the same random numbers."""
    graph = draw_graph(np.random.default_rng([4, index]), task, index, profile=profile)  # type: ignore[arg-type]
    return [json.loads(lay_graph(each, np.random.default_rng(9), SMALL).states[0].files["episode.json"])
            for each in (graph, mirror(graph))]  # fmt: skip


@pytest.mark.slow
@pytest.mark.complete
@pytest.mark.parametrize("task", TASKS)
def test_a_mirrored_graph_gives_a_mirrored_episode(task: str) -> None:
    here, there = records(task, 1)
    other = {"obj_Left": "obj_Right", "obj_Right": "obj_Left"}
    of = {each["id"]: np.array(each["poses"], float)[:, :3, 3] for each in there["entities"]}
    compared = [each for each in here["entities"] if each["object"] is not None]
    assert len(compared) >= 3
    for each in compared:
        place, image = np.array(each["poses"], float)[:, :3, 3], of[other.get(each["id"], each["id"])]
        if each["id"].startswith("obj_"):
            place, image = place[:1], image[:1]  # the kinds of the objects at both ends have changed places
        assert np.abs(place[[0, -1], :2] * [-1, 1] - image[[0, -1], :2]).max() < 0.05, each["id"]
    sides = [e["params"].get("observer_side") or e["params"]["agent_entry"] for e in (here, there)]
    assert sides[0] == OPPOSITE[sides[1]]


@pytest.mark.slow
@pytest.mark.complete
@pytest.mark.parametrize("task", TASKS)
def test_the_same_seed_gives_the_same_episode(task: str) -> None:
    first, second = lay(task, 1), lay(task, 1)
    assert first.files == second.files
    assert all(
        np.array_equal(a.poses, b.poses)
        for a, b in zip(first.film_set.placements, second.film_set.placements, strict=True)
    )


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory):
    """A folder with one small, verified clip of each task."""
    folder = tmp_path_factory.mktemp("people")
    for task in TASKS:
        for seed in range(5):
            inside = folder / task
            shutil.rmtree(inside, ignore_errors=True)
            inside.mkdir()
            try:
                simulate("stage", "s", np.random.default_rng(seed), SMALL, inside, number=0, options={"task": task})
                break
            except InputError:
                continue
    return folder


def loaded(filmed: Path, task: str) -> tuple[Path, Recording]:
    folder = filmed / task / "recordings" / "s"
    return folder, load_recording(folder)


@pytest.mark.slow
@pytest.mark.usefixtures("drawable")
@pytest.mark.parametrize("task", TASKS)
def test_a_clip_passes_its_gates(filmed: Path, task: str) -> None:
    folder, recording = loaded(filmed, task)
    assert faults(folder, recording) == set()
    episode = json.loads((folder / "episode.json").read_text(encoding="utf-8"))
    assert {line["check"] for line in episode["report"]} >= {"stage record", "stage seen", "stage truth"}
    assert {event["kind"] for event in episode["events"]} >= ({"walk"} if task == "VI" else {"walk", "reach", "hold"})


def later(entity: str, by: tuple[float, float, float], first: int = 40, last: int = 80):
    """An edit that claims another place for an entity, and for its joints, from a frame to a frame."""

    def edit(folder: Path, recording: Recording) -> Recording:
        count = len(recording.times)

        def shifted(each):
            poses = np.repeat(each.poses, count, axis=0) if len(each.poses) == 1 else each.poses.copy()
            poses[first:last, :3, 3] += by
            if each.body is None:
                return replace(each, poses=poses)
            joints = each.body.poses.copy()
            joints[first:last, :, :3, 3] += by
            return replace(each, poses=poses, body=replace(each.body, poses=joints))

        return replace(recording, entities=tuple(shifted(e) if e.id == entity else e for e in recording.entities))

    return edit


def of_target(change):
    """An edit of the object that the graph calls the target."""

    def edit(folder: Path, recording: Recording) -> Recording:
        graph = json.loads((folder / "graph.json").read_text(encoding="utf-8"))
        return change(graph["ground_truth"]["target_object_id"])(folder, recording)

    return edit


def of_distractor(change):
    def edit(folder: Path, recording: Recording) -> Recording:
        graph = json.loads((folder / "graph.json").read_text(encoding="utf-8"))
        return change(next(each["id"] for each in graph["objects"] if each["role"] == "distractor"))(folder, recording)

    return edit


def brief(folder: Path, recording: Recording) -> Recording:
    """An edit that makes each hold too short for eight frames."""
    events = [replace(e, start=e.start + 0.2, end=e.start + 0.3) if e.kind == "hold" else e for e in recording.events]
    return replace(recording, events=tuple(events))


# Broken clips: the gate that must fail was named beforehand.
BROKEN = [
    ("VI", "stage sight", moved("occluder", (0.0, -7.0, 0.0))),
    ("VI", "stage mover", later("observer", (0.5, 0.0, 0.0))),
    ("IO", "stage moved", of_distractor(lambda name: later(name, (0.0, 0.2, 0.0)))),
    ("IO", "stage grasp", of_target(lambda name: later(name, (0.0, -0.12, 0.05), 52, 55))),
    ("VI", "stage picture", edited("graph.json", "temporal_flow", "observer_view_status", value=lambda told: {
        "initial": told["final"], "final": told["initial"]})),
    ("VI", "stage truth", edited("graph.json", "ground_truth", "visibility_transition", value="Always_Visible")),
    ("VI", "stage view", cameras(jumped)),
    ("VI", "stage change", edited("graph.json", "ground_truth", "final_status", value="Visible")),
    ("VI", "stage sight", edited("episode.json", "facts", "sight", value=lambda told: told[::-1])),
    ("IO", "stage entry", edited("graph.json", "params", "agent_entry", value=lambda side: OPPOSITE[side])),
    ("IO", "stage placed", of_target(lambda name: later(name, (0.0, 0.0, 0.1), 60))),
    ("IO", "stage steps", brief),
    ("IO", "stage truth", edited("graph.json", "ground_truth", "destination", value="another table")),
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


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_an_object_far_from_the_other_table_is_taken_by_the_near_hand(seed: int) -> None:
    graph = draw_graph(np.random.default_rng([7, seed]), "IO", 9)
    shot = lay_graph(graph, np.random.default_rng(seed), SMALL).states[0]
    held = next(event for event in shot.events if event.kind == "hold")
    assert (held.object, held.parameters["joint"]) == ("obj_Left", "RightHand")


@pytest.mark.slow
@pytest.mark.complete
@pytest.mark.usefixtures("drawable")
@pytest.mark.parametrize(
    ("seed", "profile", "number"),
    [pytest.param(17, "paper", 9, id="far from the other table"), pytest.param(42, "extended", 8, id="taken back")],
)
def test_an_object_that_a_hand_may_hide_is_drawn_and_passes_its_gates(
    tmp_path: Path, seed: int, profile: str, number: int
) -> None:
    generator = item_generator(seed, "world:stage", f"IO-{profile}-{number}", "")
    options = {"task": "IO", "stage_profile": profile}
    simulate("stage", "s", generator, SMALL, tmp_path, number=number, options=options)
    assert faults(tmp_path / "recordings" / "s", load_recording(tmp_path / "recordings" / "s")) == set()


@pytest.mark.slow
def test_no_furniture_is_called_like_an_object_of_the_graph() -> None:
    graph = draw_graph(np.random.default_rng([5, 127]), "IO", 127)
    shot = lay_graph(graph, np.random.default_rng([6, 127]), SMALL).states[0]
    called = [each.thing.label for each in shot.film_set.placements if each.id.startswith("prop-")]
    assert called and not {each.label for each in graph.objects} & set(called)
