"""Stages of the six still tasks: laid out the same from the same seed, filmed, and refused by the gate when broken."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.question import item_generator
from chronotope.recording import Recording, load_recording
from chronotope.world.kinds import world_kinds
from chronotope.world.kinds.stage import StageOptions
from chronotope.world.kinds.stage.filling import draw_inside
from chronotope.world.kinds.stage.graph import draw_graph, mirror, parse_graph
from chronotope.world.kinds.stage.graph.tasks.direction_estimation import BEYOND
from chronotope.world.kinds.stage.graph.vocabulary import items
from chronotope.world.kinds.stage.stages import lay_graph
from chronotope.world.kinds.stage.tasks.direction_estimation import corners_of_way, draw_landmark, outline
from chronotope.world.kinds.stage.timing import eased, through
from chronotope.world.quality import Quality
from chronotope.world.things import draw_thing
from chronotope.world.verify import verify
from chronotope.world.verify.frame import read_frames
from chronotope.world.verify.picture_checks import Pictures
from chronotope.world.worlds import simulate
from tiers import complete_after

STAGE = world_kinds()["stage"]
SMALL = Quality("fast", 320, 180, 10, (8.0, 8.0), 1024, 2, 20)
TASKS = ("HO", "MC", "LS", "CI", "DE", "DS")


def lay(task: str, number: int, seed: int = 5, **options):
    made = STAGE.lay(
        np.random.default_rng([seed, number]), SMALL, number=number, options=StageOptions(task=task, **options)
    )
    return made.states[0]


@pytest.mark.parametrize(
    "task", [pytest.param(task, marks=[pytest.mark.slow] if task in ("LS", "CI") else []) for task in TASKS]
)
def test_the_same_seed_gives_the_same_graph_scenario_and_episode(task: str) -> None:
    first, second = lay(task, 1), lay(task, 1)
    assert first.files == second.files and np.array_equal(first.camera, second.camera)
    assert set(first.files) == {"graph.json", "scenario.json", "episode.json"}
    assert len(first.times) == 80 and lay(task, 1, seed=6).files != first.files
    turns = first.camera[:, :3, :3]
    assert np.abs(turns @ turns.transpose(0, 2, 1) - np.eye(3)).max() < 1e-9
    steps = np.linalg.norm(np.diff(first.camera[:, :3, 3], axis=0), axis=1)
    assert np.abs(np.diff(steps)).max() < 0.4 * max(steps.max(), 1e-9) + 0.02  # no jump of the speed


def test_motion_is_smooth_and_reaches_its_stops() -> None:
    times = np.linspace(0, 8, 801)
    share = eased(times, 2, 4)
    assert share[200] == 0 and share[400] == 1 and share[300] == pytest.approx(0.5)
    assert np.abs(np.diff(share, 2)).max() < 2e-4
    assert through(times, (1, 5, 2), ((1, 3), (4, 6)))[[0, 350, 800]] == pytest.approx([1, 5, 2])


def test_an_unknown_theme_is_refused() -> None:
    with pytest.raises(InputError, match="no set is built"):
        lay("HO", 0, theme="wizard's shelves")


def test_a_graph_from_a_file_is_laid_out_and_a_broken_one_refused(tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    path.write_text(lay("MC", 0).files["graph.json"], encoding="utf-8")
    assert STAGE.read is not None
    shot = STAGE.read(path, np.random.default_rng(1), SMALL, options=StageOptions()).states[0]
    assert json.loads(shot.files["graph.json"]) == json.loads(path.read_text(encoding="utf-8"))
    graph = json.loads(path.read_text(encoding="utf-8"))
    graph["spatial_layout"][0]["relation"] = graph["spatial_layout"][1]["relation"]
    path.write_text(json.dumps(graph), encoding="utf-8")
    with pytest.raises(InputError, match=r"MC\.R6"):
        STAGE.read(path, np.random.default_rng(1), SMALL, options=StageOptions())


def test_a_set_never_has_both_profiles(tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    path.write_text(draw_graph(np.random.default_rng(3), "HO", 1, profile="extended").model_dump_json(), "utf-8")
    assert STAGE.read is not None
    with pytest.raises(InputError, match="--stage-profile extended"):
        STAGE.read(path, np.random.default_rng(1), SMALL, options=StageOptions())
    shot = STAGE.read(path, np.random.default_rng(1), SMALL, options=StageOptions(stage_profile="extended")).states[0]
    assert json.loads(shot.files["episode.json"])["profile"] == "extended"


def laid(graph, seed: int = 4):
    """The episode of a graph, laid out with the same random numbers each time."""
    return json.loads(lay_graph(graph, np.random.default_rng(seed), SMALL).states[0].files["episode.json"])


def seen_of(task: str, episode):
    """What a viewer sees of left and right, measured in poses alone; a mirror image has the negative of it."""
    x = {each["id"]: np.array(each["poses"])[..., 0, 3].ravel()[0] for each in episode["entities"]}
    camera = np.array(episode["camera"])
    if task == "HO":
        beside = f"obj_{episode['params']['distractor_level']}"
        return [np.sign(x["obj_distractor"] - x[beside])]
    if task == "MC":
        names = sorted((name for name in x if name.startswith("container") and "-" not in name), key=lambda n: x[n])
        place = {name: index - (len(names) - 1) / 2 for index, name in enumerate(names)}
        return [place[name] for name in sorted(names)]
    if task == "LS":
        return [x[f"landmark_{k}"] for k in (1, 2, 3)]
    return [round(value, 1) for value in (camera[-1, 0, 3] - camera[0, 0, 3], camera[-1, 0, 2])]


@pytest.mark.parametrize(
    "task",
    [
        "HO",
        "DE",
        "DS",
        pytest.param("MC", marks=pytest.mark.slow),
        pytest.param("LS", marks=pytest.mark.slow),
    ],
)
def test_a_mirrored_graph_gives_a_mirrored_episode(task: str) -> None:
    graph = draw_graph(np.random.default_rng(11), task, 2 if task == "DS" else 1)
    plain, mirrored = laid(graph), laid(mirror(graph))
    there, back = np.array(seen_of(task, plain)), np.array(seen_of(task, mirrored))
    assert np.abs(there).max() > 0.4 and np.allclose(there, -back, atol=0.051)
    assert laid(mirror(mirror(graph))) == plain


@pytest.mark.parametrize("task", ["HO", pytest.param("MC", marks=pytest.mark.slow)])
def test_a_reversed_clip_keeps_its_ranking_and_its_mapping(task: str) -> None:
    graph = draw_graph(np.random.default_rng(12), task, 0)
    data = graph.model_dump(mode="json")
    if task == "HO":
        way = data["params"]["tilt_dir"] = data["camera_movement"]["trajectory"] = "Top-to-Bottom"
        data["ground_truth"]["tilt_direction"] = way
    else:
        data["params"]["camera_trajectory"] = "Boom_Down"
        data["camera_movement"]["trajectory"] = "high_angle_to_low_angle"
    told, turned = laid(graph), laid(parse_graph(data))
    assert [e["poses"] for e in told["entities"]] == [e["poses"] for e in turned["entities"]]
    forward, back = np.array(told["camera"]), np.array(turned["camera"])[::-1]
    assert np.array_equal(forward[[0, -1]], back[[0, -1]]) and np.abs(forward[1:] - back[:-1]).max() < 1e-6
    keys = ("height_ranking_low_to_high",) if task == "HO" else ("mapping",)
    assert all(data["ground_truth"][key] == graph.model_dump(mode="json")["ground_truth"][key] for key in keys)


@pytest.mark.slow
def test_a_landmark_of_a_corridor_has_the_colour_of_its_name() -> None:
    for noun, item in items("large things").items():
        colour = "green" if "green" in item.colours else item.colours[-1]
        made = draw_landmark(np.random.default_rng(0), noun, colour)
        assert (made.thing.label, made.thing.colour) == (f"{colour} {noun}", colour)


def test_nobody_sees_the_last_landmark_from_the_first_leg_of_a_way_with_two_corners() -> None:
    shares, seen = np.linspace(0, 1, 300)[:, None], 0
    for index in (4, 5, 10, 11, 16, 17):
        graph = draw_graph(np.random.default_rng(index), "DE", index, profile="extended")
        corners = corners_of_way(graph.camera_movement.legs, graph.params.turns)
        assert graph.params.shape == "Z"
        inside = Inside(outline(corners, graph.params.turns))
        end = corners[3] + [0.0, BEYOND - 0.3]
        for eye in np.linspace(corners[0], corners[1], 25):
            for across in np.linspace(-0.95, 0.95, 9):
                seen += bool(inside(eye + shares * (end + np.array([across, 0.0]) - eye)).all())
    assert seen == 0


class Inside:
    """The inside of a polygon, by the number of edges that a ray to the right crosses."""

    def __init__(self, polygon: np.ndarray) -> None:
        self.starts, self.ends = polygon, np.roll(polygon, -1, axis=0)

    def __call__(self, points: np.ndarray) -> np.ndarray:
        x, y = points[:, :1], points[:, 1:]
        (x0, y0), (x1, y1) = self.starts.T, self.ends.T
        upright = y0 != y1
        between = (y0 > y) != (y1 > y)
        crossing = x0 + (y - y0) * (x1 - x0) / np.where(upright, y1 - y0, 1.0)
        return (between & upright & (x < crossing)).sum(axis=1) % 2 == 1


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory):
    """A folder with one small, verified clip of each task."""
    folder = tmp_path_factory.mktemp("stages")
    for task in TASKS:
        inside = folder / task
        inside.mkdir()
        for seed in range(5):
            shutil.rmtree(inside)
            inside.mkdir()
            try:
                simulate("stage", "s", np.random.default_rng(seed), SMALL, inside, number=0, options={"task": task})
                break
            except InputError:
                continue
    return folder


def faults(folder: Path, recording: Recording) -> set[str]:
    return {check.name for check in verify(recording, folder).failed}


def loaded(filmed: Path, task: str) -> tuple[Path, Recording]:
    folder = filmed / task / "recordings" / "s"
    return folder, load_recording(folder)


@pytest.mark.slow
@pytest.mark.usefixtures("drawable")
@pytest.mark.parametrize("task", complete_after(3, TASKS))
def test_a_clip_passes_its_gates_and_its_episode_tells_what_is_seen(filmed: Path, task: str) -> None:
    folder, recording = loaded(filmed, task)
    assert faults(folder, recording) == set()
    episode = json.loads((folder / "episode.json").read_text(encoding="utf-8"))
    assert {line["check"] for line in episode["report"]} >= {"stage record", "stage seen", "stage truth"}
    for told, entity in zip(episode["entities"], recording.entities, strict=True):
        assert told["visible_pixels"] == entity.visible_pixels.tolist()


@pytest.mark.slow
@pytest.mark.complete
@pytest.mark.usefixtures("drawable")
def test_open_containers_are_not_refused_for_the_points_at_their_rims(tmp_path: Path) -> None:
    generator = item_generator(17, "world:stage", "MC-extended-8", "")
    simulate("stage", "s", generator, SMALL, tmp_path, number=8, options={"task": "MC", "stage_profile": "extended"})
    assert faults(tmp_path / "recordings" / "s", load_recording(tmp_path / "recordings" / "s")) == set()


@pytest.mark.slow
def test_a_thing_that_is_known_from_its_side_lies_in_a_container() -> None:
    generator = np.random.default_rng(2)
    lies, stands = draw_inside(generator, "pear", "green"), draw_thing(generator, "pear", "green")
    assert max(lies.size[:2]) > 1.15 * lies.size[2] and stands.size[2] > 1.15 * max(stands.size[:2])
    points = np.concatenate([piece.vertices for piece in lies.pieces])
    assert np.allclose(points.max(axis=0) - points.min(axis=0), lies.size) and np.allclose(
        points.max(axis=0) * 2, lies.size
    )
    assert (np.abs(np.concatenate(lies.solids)) < np.array(lies.size) / 2 + 1e-6).all()


def test_the_camera_leaves_a_container_slowly_enough_to_compare_frames() -> None:
    shot = lay("CI", 3, stage_profile="extended")
    widest = max(max(each.thing.size[:2]) for each in shot.film_set.placements if each.id.startswith("container_"))
    step = np.abs(np.diff(shot.camera[40:, 0, 3])).max()
    assert 0.1 * widest < step < 0.18 * widest


@pytest.mark.slow
@pytest.mark.usefixtures("drawable")
def test_a_picture_of_another_frame_is_found_where_the_camera_is_quick(filmed: Path) -> None:
    folder, recording = loaded(filmed, "CI")
    assert recording.clip is not None
    frames = list(read_frames(recording, folder, recording.clip.path))
    found = []
    for number in (None, 14, 16, 46, 48, 50):
        pictures = Pictures(is_quick=True)
        for k, frame in enumerate(frames):
            pictures.look(replace(frame, picture=frames[number + 6].picture) if k == number else frame)
        found.append({check.name for check in pictures.checks() if not check.passed})
    assert found[0] == set() and sum("pictures in order" in names for names in found[1:]) >= 4


def edited(name: str, *path, value):
    """An edit of one of the JSON files of a stage."""

    def edit(folder: Path, recording: Recording) -> Recording:
        data = json.loads((folder / name).read_text(encoding="utf-8"))
        *way, last = path
        inner = data
        for key in way:
            inner = inner[key]
        inner[last] = value(inner[last]) if callable(value) else value
        (folder / name).write_text(json.dumps(data), encoding="utf-8")
        return recording

    return edit


def moved(entity: str, by: tuple[float, float, float]):
    """An edit that claims another place for an entity."""

    def edit(folder: Path, recording: Recording) -> Recording:
        def shifted(each):
            poses = each.poses.copy()
            poses[:, :3, 3] += by
            return replace(each, poses=poses)

        return replace(recording, entities=tuple(shifted(e) if e.id == entity else e for e in recording.entities))

    return edit


def cameras(change):
    def edit(folder: Path, recording: Recording) -> Recording:
        return replace(recording, world_T_camera=change(recording.world_T_camera.copy()))

    return edit


def jumped(poses: np.ndarray) -> np.ndarray:
    poses[40:, :3, 3] += (0.0, 0.0, 0.8)
    return poses


def stopped(poses: np.ndarray) -> np.ndarray:
    poses[60:] = poses[60]
    return poses


def swapped(mapping: dict[str, str]) -> dict[str, str]:
    return dict(zip(mapping, reversed(mapping.values()), strict=True))


def exchanged(looks: dict) -> dict:
    one, other = looks["entry_A"], looks["entry_B"]
    return looks | {"entry_A": one | {"arrow": other["arrow"]}, "entry_B": other | {"arrow": one["arrow"]}}


def rolled(poses: np.ndarray) -> np.ndarray:
    c, s = np.cos(0.1), np.sin(0.1)
    poses[:, :3, :3] = poses[:, :3, :3] @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    return poses


OPPOSITE = {"left": "right", "right": "left", "Left": "Right", "Right": "Left"}
# Two or more broken clips of each task: the gate that must fail was named beforehand.
BROKEN = [
    ("HO", "stage side", edited("graph.json", "params", "distractor_side", value=lambda side: OPPOSITE[side])),
    ("HO", "stage levels", moved("obj_distractor", (0.0, 0.0, 1.83))),
    ("HO", "stage tilt", cameras(rolled)),
    ("HO", "stage shot", cameras(jumped)),
    ("HO", "stage truth", edited("graph.json", "ground_truth", "height_ranking_low_to_high", value=lambda r: r[::-1])),
    ("MC", "stage truth", edited("graph.json", "ground_truth", "mapping", value=swapped)),
    ("MC", "stage order", edited("graph.json", "spatial_layout", value=lambda rows: [
        {**row, "relation": other["relation"]} for row, other in zip(rows, rows[::-1], strict=True)])),
    ("MC", "stage boom", edited("graph.json", "params", "camera_trajectory", value="Boom_Down")),
    ("MC", "stage record", edited("episode.json", "theme", value="another")),
    ("CI", "stage truth", edited("graph.json", "ground_truth", "answer", value=lambda number: number + 1)),
    ("CI", "stage looks", edited("graph.json", "params", "first", value="B")),
    ("CI", "stage unlike", moved("container_B", (-0.6, 0.0, 0.0))),
    ("CI", "stage names", edited("graph.json", "objects", 3, "label", value="green dragon")),
    ("DE", "stage truth", edited("graph.json", "ground_truth", "relative_direction_to_start", value="6-7 o'clock")),
    ("DE", "stage walk", edited("graph.json", "params", "turn_direction", value=lambda side: OPPOSITE[side])),
    ("DE", "stage names", edited("graph.json", "objects", 0, value=lambda told: {
        **told, "label": f"lilac {told['label'].split(' ', 1)[1]}",
        "attributes": {**told["attributes"], "color": "lilac"}})),
    ("DS", "stage truth", edited("graph.json", "ground_truth", "destination", value="Elsewhere")),
    ("DS", "stage exits", edited("episode.json", "facts", "exits", value={"Left": [[-5.0, -7.0], [-5.0, -5.0]]})),
    ("DS", "stage exits", edited("episode.json", "facts", "exits", value={})),
    ("DS", "stage exits", edited("episode.json", "facts", "exits", value=swapped)),
    ("DS", "stage arrows", edited("graph.json", "objects", 0, "attributes", value=exchanged)),
    ("DS", "stage walk", cameras(stopped)),
    ("LS", "stage truth", moved("landmark_3", (500.0, -900.0, 0.0))),
    ("LS", "stage nadir", cameras(rolled)),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("drawable")
@pytest.mark.parametrize(
    ("task", "gate", "edit"), complete_after(4, BROKEN), ids=[f"{t}-{g}-{k}" for k, (t, g, _) in enumerate(BROKEN)]
)
def test_a_broken_clip_fails_the_gate_that_was_named(filmed: Path, tmp_path: Path, task: str, gate: str, edit) -> None:
    source, recording = loaded(filmed, task)
    folder = tmp_path / "s"
    shutil.copytree(source, folder)
    assert gate in faults(folder, edit(folder, recording))
