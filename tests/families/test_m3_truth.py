"""The ground truth of a release becomes recordings in which its pictures, poses and boxes agree."""

import json
import pickle
import re
import shutil
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from chronotope.families.m3.release._truth_camera import intrinsics, poses
from chronotope.families.m3.release._truth_files import Point, Step
from chronotope.families.m3.release._truth_maps import keep_depth
from chronotope.families.m3.release._truth_objects import read_entities
from chronotope.make import Imported, import_release
from chronotope.question import open_benchmark, validate
from chronotope.recording import Recording, load_recording, read_identities
from commands import command
from m3_released import row, write_rows
from m3_truth_files import (
    EYE,
    FOCAL,
    FRIDGE,
    HEIGHT,
    MOVED,
    MUG,
    OPENED,
    PUT,
    ROOMS,
    TABLE,
    THINGS,
    WIDTH,
    Form,
    record,
    walk,
    write_maps,
    write_scene,
)

IDS = ("scene_0-state_0", "scene_0-state_1")


def release(folder: Path, form: Form = Form(), scenes: int = 1) -> Path:  # noqa: B008
    """A release of some scenes, with a question on each."""
    first = write_scene(folder / "release" / "scene_0", form)
    for scene in range(1, scenes):
        shutil.copytree(first, first.with_name(f"scene_{scene}"))
    rows = [row(number, scene=f"scene_{number}") for number in range(scenes)]
    write_rows(folder / "release" / "QAs" / "M^3-Verse.jsonl", rows)
    return folder / "release"


def bring(folder: Path) -> Imported:
    return import_release("m3", folder, folder.parent / "bench")


def recordings(folder: Path) -> list[Recording]:
    return [load_recording(folder / "recordings" / name) for name in IDS]


def changes(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "changes.jsonl").read_text().splitlines()]


def told(made: Imported) -> str:
    return "\n".join(made.notes[2:])


# Where the camera looks -----------------------------------------------------------------------------------------------


def projected(point: tuple[float, float, float], x: float, z: float, yaw: float, pitch: float) -> np.ndarray:
    """Where a point of the simulator is seen (u, v) px, and how far along the view, by the recording's convention."""
    step = Step(position=Point(x=x, z=z), rotation=yaw, pitch=pitch)
    world_T_camera = poses([step], np.array([yaw]))[0]
    camera = np.linalg.solve(world_T_camera, [point[0], point[2], point[1], 1.0])
    pixel = intrinsics(step, 1024, 768) @ camera[:3]
    return np.array([*pixel[:2] / pixel[2], camera[2]])


MIDDLE, UNIT = np.array([511.5, 383.5]), 384 / np.tan(np.radians(60))  # px for each metre at 1 m

# yaw, pitch, a point ahead, one to its right, one above it: by hand, for a camera at x 1, z 2 and EYE up.
SEEN = [
    (0, 0, (1, EYE, 4), (2, EYE, 4), (1, EYE + 1, 4)),
    (90, 0, (3, EYE, 2), (3, EYE, 1), (3, EYE + 1, 2)),
    (180, 0, (1, EYE, 0), (0, EYE, 0), (1, EYE + 1, 0)),
    (270, 0, (-1, EYE, 2), (-1, EYE, 3), (-1, EYE + 1, 2)),
    (-90, 0, (-1, EYE, 2), (-1, EYE, 3), (-1, EYE + 1, 2)),
    (0, 90, (1, EYE - 2, 2), (2, EYE - 2, 2), (1, EYE - 2, 3)),
    (90, 90, (1, EYE - 2, 2), (1, EYE - 2, 1), (2, EYE - 2, 2)),
    (0, -90, (1, EYE + 2, 2), (2, EYE + 2, 2), (1, EYE + 2, 1)),
]


@pytest.mark.parametrize(("yaw", "pitch", "ahead", "right", "above"), SEEN)
def test_points_are_seen_where_they_are(yaw: float, pitch: float, ahead: Any, right: Any, above: Any) -> None:
    np.testing.assert_allclose(projected(ahead, 1, 2, yaw, pitch), [*MIDDLE, 2], atol=1e-9)
    np.testing.assert_allclose(projected(right, 1, 2, yaw, pitch), [MIDDLE[0] + UNIT / 2, MIDDLE[1], 2], atol=1e-9)
    np.testing.assert_allclose(projected(above, 1, 2, yaw, pitch), [MIDDLE[0], MIDDLE[1] - UNIT / 2, 2], atol=1e-9)


def test_a_tilted_view_looks_down() -> None:
    """30 degrees down and half way to the right: 2 m ahead, the point in the middle lies 2 tan 30 lower."""
    low = EYE - 2 * np.tan(np.radians(30))
    there = (2 * np.sin(np.radians(45)), low, 2 * np.cos(np.radians(45)))
    np.testing.assert_allclose(projected(there, 0, 0, 45, 30)[:2], MIDDLE, atol=1e-9)
    assert projected((there[0], EYE, there[2]), 0, 0, 45, 30)[1] < MIDDLE[1]


@given(st.floats(-720, 720), st.floats(-89, 89))
def test_every_pose_is_a_turn(yaw: float, pitch: float) -> None:
    pose = poses([Step(position=Point(x=0, z=0), rotation=yaw, pitch=pitch)], np.array([yaw]))[0]
    np.testing.assert_allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-12)
    assert np.linalg.det(pose[:3, :3]) > 0.99 and pose[2, 3] == EYE


# A whole scene --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    return bring(release(tmp_path_factory.mktemp("whole"), Form(pitch=20.0)))


def test_a_scene_is_two_recordings(whole: Imported) -> None:
    bench = open_benchmark(whole.benchmark.folder)
    assert validate(bench, deep=True) == [] and len(bench.questions) == 1
    assert told(whole) == "ground truth: 2 recordings of 1 scenes, 2 operations"
    for number, recording in enumerate(recordings(bench.folder)):
        assert (recording.scene, recording.state, recording.kind) == ("scene_0", f"state_{number}", "indoor")
        assert recording.clip is not None and recording.valid.all() and len(recording.times) == len(walk())
        assert recording.clip.path == bench.folder / "clips" / "scene_0" / f"state_{number}.mp4"
        assert recording.clip.sha256 == bench.media[f"clips/scene_0/state_{number}.mp4"].sha256
        assert recording.gravity is not None and recording.gravity.tolist() == [0, 0, -1]
        assert recording.intrinsics is not None and recording.intrinsics[0, 0] == pytest.approx(FOCAL)
        assert recording.fps == 3.0 and recording.licence == bench.card.licence


def check_maps(recording: Recording, inside: Path, things: Any) -> None:
    """Each point of the depth lies on the surface of the thing that the identities say, by the recorded boxes."""
    ids = {entity.id for entity in recording.entities}
    assert ids == {thing.id for thing in things} and recording.depth is not None and recording.identities is not None
    assert recording.intrinsics is not None
    v, u = np.mgrid[:HEIGHT, :WIDTH]
    met: set[str] = set()
    for sample in np.flatnonzero(recording.valid):
        depth_file, identity_file = recording.depth[sample], recording.identities[sample]
        assert depth_file is not None and identity_file is not None
        z = np.asarray(Image.open(inside / depth_file)).astype(float) / recording.depth_scale
        identities = np.asarray(Image.open(inside / identity_file))
        K = recording.intrinsics
        camera = np.stack([(u - K[0, 2]) / K[0, 0] * z, (v - K[1, 2]) / K[1, 1] * z, z, np.ones_like(z)], axis=-1)
        points = camera @ recording.world_T_camera[sample].T
        for number, entity in enumerate(recording.entities, 1):
            seen = identities == number
            assert entity.visible is not None and entity.visible[sample] == seen.any()
            if entity.visible_pixels is not None:
                assert entity.visible_pixels[sample] == seen.sum()
            local = points[seen] @ np.linalg.inv(entity.poses[0]).T
            over = np.abs(local[:, :3]) - np.array(entity.size) / 2
            assert (np.abs(over.max(axis=1)) < 0.004).all(), entity.id
            met |= {entity.id} if seen.any() else set()
    assert met == ids


def test_depth_identities_poses_and_boxes_agree(whole: Imported) -> None:
    folder = whole.benchmark.folder
    for recording, things in zip(recordings(folder), (THINGS, MOVED), strict=True):
        check_maps(recording, folder / "recordings" / recording.id, things)


def test_things_are_told_as_they_are(whole: Imported) -> None:
    before, after = ({one.id: one for one in recording.entities} for recording in recordings(whole.benchmark.folder))
    table, mug, fridge = before[TABLE.id], before[MUG.id], before[FRIDGE.id]
    assert (table.label, table.category, table.parent) == ("dining table", "DiningTable", "Floor|1")
    np.testing.assert_allclose(table.size, (1.6, 0.9, 0.8), atol=1e-4)
    np.testing.assert_allclose(table.poses[0, :3, 3], (0.5, 3.0, 0.4), atol=1e-4)
    # 30 degrees clockwise from above: its right points between the world's +x and -y.
    np.testing.assert_allclose(table.poses[0, :3, 0], (np.sqrt(3) / 2, -0.5, 0), atol=1e-4)
    assert mug.parent == TABLE.id and mug.attributes == {"assetId": "Mug_3", "room": "room|1", "isDirty": "false"}
    assert after[MUG.id].attributes["isDirty"] == "true" and after[MUG.id].parent == "Floor|1"
    np.testing.assert_allclose(after[MUG.id].poses[0, :3, 3], (1.4, 1.2, 0.15), atol=1e-4)
    assert fridge.attributes == {"room": "room|1", "openness": "0", "isOpen": "false"}


def test_changes_are_told_in_order(whole: Imported) -> None:
    put, opened = changes(whole.benchmark.folder)
    assert put["scene"] == opened["scene"] == "scene_0"
    assert (put["operation"], put["object"], put["parameters"]) == (PUT["action"], MUG.id, PUT["params"])
    assert put["before"] == {"isDirty": False, "position": [0.4, 2.9, 0.95], "receptacle": TABLE.id}
    assert put["after"]["position"] == [1.4, 1.2, 0.15] and put["after"]["receptacle"] == "Floor|1"
    assert (opened["operation"], opened["before"], opened["after"]) == (OPENED["action"], {}, {})
    positions = [
        one.poses[0, :3, 3] for rec in recordings(whole.benchmark.folder) for one in rec.entities if one.id == MUG.id
    ]
    np.testing.assert_allclose([put["before"]["position"], put["after"]["position"]], positions, atol=1e-4)


@pytest.mark.parametrize("source", ["house.json", "room_static_analysis.json"])
def test_rooms_of_either_file(tmp_path: Path, source: str) -> None:
    folder = release(tmp_path)
    other = {"house.json": "room_static_analysis.json"}.get(source, "house.json")
    (folder / "scene_0" / other).unlink()
    rooms = recordings(bring(folder).benchmark.folder)[0].rooms
    assert [(room.id, room.type) for room in rooms] == [(name, kind) for name, kind, _ in ROOMS]
    assert [room.floor.tolist() for room in rooms] == [[list(point) for point in floor] for *_, floor in ROOMS]
    # A door without openness joins; a shut one does not, nor one to the outside.
    assert [room.connections for room in rooms] == [("room|2",), ("room|1",), ()]


def test_it_can_be_shown(whole: Imported, tmp_path: Path) -> None:
    inside = whole.benchmark.folder / "recordings" / IDS[0]
    shown = command("show", inside, "--out", tmp_path, code=0)
    assert "fridge" in shown.said, shown.said
    (sheet,) = tmp_path.glob("*.jpg")
    assert Image.open(sheet).size[0] > 500


# Forms ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("maps", ["npz", "stack", "named"])
def test_every_form_of_maps_gives_the_same(tmp_path: Path, whole: Imported, maps: str) -> None:
    folder = bring(release(tmp_path, Form(maps=maps, pitch=20.0))).benchmark.folder
    for kind in ("depth", "identities"):
        for file in sorted((whole.benchmark.folder / "recordings" / IDS[1] / kind).iterdir()):
            same = folder / "recordings" / IDS[1] / kind / file.name
            np.testing.assert_array_equal(np.asarray(Image.open(file)), np.asarray(Image.open(same)))


def true_poses(recording: Recording, views: list[Any]) -> None:
    places = [(x, z, EYE) for x, z, *_ in views]
    looks = [(np.sin(np.radians(yaw)), np.cos(np.radians(yaw)), 0) for _, _, yaw, _ in views]
    np.testing.assert_allclose(recording.world_T_camera[recording.valid][:, :3, 3], places, atol=1e-9)
    np.testing.assert_allclose(recording.world_T_camera[recording.valid][:, :3, 2], looks, atol=1e-9)


@pytest.mark.parametrize("stale", [False, True])
def test_the_authors_own_log(tmp_path: Path, stale: bool) -> None:
    """It leaves out the start view and, unless someone mends it, logs each yaw before the turn."""
    made = bring(release(tmp_path, Form(plain=True, start_in_log=False, stale=stale)))
    for recording, things in zip(recordings(made.benchmark.folder), (THINGS, MOVED), strict=True):
        assert recording.valid.tolist() == [False] + [True] * (len(walk()) - 1)
        true_poses(recording, walk()[1:])
        inside = made.benchmark.folder / "recordings" / recording.id
        check_maps(recording, inside, things)
    assert ("the yaw was logged before each turn" in told(made)) is stale
    assert "trajectory lacks the start view, which is the clip's first frame: scene_0-state_0 and 1 more" in told(made)


def test_a_stale_log_that_ends_with_a_turn_ends_unknown(tmp_path: Path) -> None:
    folder = release(tmp_path, Form(plain=True, stale=True))
    for state in (0, 1):
        path = folder / "scene_0" / f"state_{state}" / "agent_trajectory.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        lines[-1]["position"] = lines[-2]["position"]
        path.write_text("\n".join(map(json.dumps, lines)))
    assert [one.valid.tolist()[-2:] for one in recordings(bring(folder).benchmark.folder)] == [[True, False]] * 2


def test_a_clip_without_its_start_view(tmp_path: Path) -> None:
    made = bring(release(tmp_path, Form(start_in_clip=False)))
    for recording, things in zip(recordings(made.benchmark.folder), (THINGS, MOVED), strict=True):
        assert recording.valid.all() and len(recording.times) == len(walk()) - 1
        true_poses(recording, walk()[1:])
        check_maps(recording, made.benchmark.folder / "recordings" / recording.id, things)
    assert "clip lacks the start view" in told(made)


def test_pictures_in_place_of_videos(tmp_path: Path) -> None:
    recording = recordings(bring(release(tmp_path, Form(pictures=True))).benchmark.folder)[1]
    assert recording.clip is None and recording.fps == pytest.approx(3) and recording.intrinsics is not None
    true_poses(recording, walk())


def test_what_the_trajectory_records_counts(tmp_path: Path) -> None:
    folder = release(tmp_path)
    path = folder / "scene_0" / "state_0" / "agent_trajectory.jsonl"
    lines = [json.loads(line) | {"fov": 90.0} for line in path.read_text().splitlines()]
    lines[3]["position"]["y"], lines[3]["fov"] = 1.2, 60.0
    path.write_text("\n".join(map(json.dumps, lines)))
    recording = recordings(bring(folder).benchmark.folder)[0]
    assert recording.intrinsics is not None and recording.intrinsics.shape == (len(lines), 3, 3)
    assert recording.intrinsics[0, 0, 0] == pytest.approx(HEIGHT / 2)
    assert recording.intrinsics[3, 0, 0] == pytest.approx(HEIGHT / 2 * np.sqrt(3))
    assert recording.world_T_camera[3, 2, 3] == 1.2 and recording.world_T_camera[4, 2, 3] == EYE


# Part of it -----------------------------------------------------------------------------------------------------------


def remove(folder: Path, *names: str) -> None:
    for name in names:
        for file in sorted(folder.glob(name), reverse=True):
            file.rmdir() if file.is_dir() else file.unlink()


def test_a_trajectory_alone_gives_camera_and_clip(tmp_path: Path) -> None:
    folder = release(tmp_path, Form(plain=True))
    keep = ("video.mp4", "agent_trajectory.jsonl")
    for file in sorted((folder / "scene_0").rglob("*"), reverse=True):
        if file.name not in keep and (file.is_file() or not any(file.iterdir())):
            file.rmdir() if file.is_dir() else file.unlink()
    made = bring(folder)
    for recording in recordings(made.benchmark.folder):
        assert recording.clip is not None and recording.entities == () and recording.rooms == ()
        assert recording.depth is None and recording.identities is None
        true_poses(recording, walk())
    assert not (made.benchmark.folder / "changes.jsonl").exists()


def test_without_a_trajectory_the_changes_stay(tmp_path: Path) -> None:
    folder = release(tmp_path)
    remove(folder, "scene_0/state_*/agent_trajectory.jsonl")
    made = bring(folder)
    assert not (made.benchmark.folder / "recordings").exists() and len(changes(made.benchmark.folder)) == 2
    assert "no recording is made of a state without agent_trajectory.jsonl: scene_0-state_0 and 1 more" in told(made)


def test_one_state_alone(tmp_path: Path) -> None:
    folder = release(tmp_path)
    remove(folder, "scene_0/state_0/agent_trajectory.jsonl")
    made = bring(folder)
    assert [one.name for one in (made.benchmark.folder / "recordings").iterdir()] == [IDS[1]]


def test_truth_beside_videos_that_lie_elsewhere(tmp_path: Path) -> None:
    folder = release(tmp_path)
    (folder / "videos").mkdir()
    for state in (0, 1):
        (folder / "scene_0" / f"state_{state}" / "video.mp4").rename(folder / "videos" / f"scene_0_state_{state}.mp4")
    (folder / "truth").mkdir()
    (folder / "scene_0").rename(folder / "truth" / "scene_0")
    assert len(recordings(bring(folder).benchmark.folder)) == 2


class Trap:
    """Unpickled, it leaves a file behind."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return Path.touch, (self.file,)


@pytest.mark.parametrize("how", ["pkl", "npz", "npy"])
def test_pickled_arrays_are_never_opened(tmp_path: Path, how: str) -> None:
    folder = release(tmp_path)
    for kind in ("depth", "segmentation"):
        for state in (0, 1):
            place = folder / "scene_0" / f"state_{state}" / kind
            remove(place, "*.png")
            trap = np.array([Trap(tmp_path / "sprung")], object)
            if how == "pkl":
                (place / "0.pkl").write_bytes(pickle.dumps(trap))
            elif how == "npy":
                np.save(place / "0.npy", trap, allow_pickle=True)
            else:
                np.savez(place / "0.npz", trap, allow_pickle=True)
    made = bring(folder)
    assert not (tmp_path / "sprung").exists()
    for words in ("depth maps are left out", "segmentation is left out"):
        assert f"{words}: pickled arrays, which are never opened" in told(made)
    for recording in recordings(made.benchmark.folder):
        assert recording.depth is None and recording.identities is None and len(recording.entities) == 4
        left = {file.name for file in (made.benchmark.folder / "recordings" / recording.id).iterdir()}
        assert left == {"recording.json", "camera.parquet", "tracks.parquet"}


def test_identities_without_a_table_are_left_out(tmp_path: Path) -> None:
    folder = release(tmp_path)
    remove(folder, "scene_0/state_*/segmentation/ids.json")
    made = bring(folder)
    assert "segmentation is left out: expected one .json file with the ids next to it" in told(made)
    assert all(one.identities is None and one.depth is not None for one in recordings(made.benchmark.folder))


@pytest.mark.slow
def test_more_things_in_sight_than_8_bits_can_tell_have_16(tmp_path: Path) -> None:
    folder = release(tmp_path)
    state = folder / "scene_0" / "state_0"
    names = [f"Book|{number:03d}" for number in range(300)]
    (state / "objects_state.json").write_text(json.dumps({name: record(MUG) for name in names}))
    table = {str(place + 1): name for place, name in enumerate(names)}
    (state / "segmentation" / "ids.json").write_text(json.dumps(table))
    few = [np.minimum(np.arange(HEIGHT * WIDTH).reshape(HEIGHT, WIDTH) + 46, 300).astype(np.uint16)] * len(walk())
    write_maps(state / "segmentation", few, "png")
    made = bring(folder)
    seen = recordings(made.benchmark.folder)[0]
    assert seen.identities is not None and [one.id for one in seen.entities] == names[45:] + names[:45]
    write_maps(state / "segmentation", [few[0], few[0] - 45, *few[2:]], "png")
    again = import_release("m3", folder, tmp_path / "again")
    every = recordings(again.benchmark.folder)[0]
    assert every.identities is not None and len(every.entities) == 300
    numbers = {one.id: place for place, one in enumerate(every.entities, 1)}
    values = read_identities(again.benchmark.folder / "recordings" / every.id / every.identities[1])
    assert values.dtype == np.uint16
    wanted = np.vectorize(lambda number: numbers[names[number - 1]])(few[0] - 45)
    np.testing.assert_array_equal(values, wanted)


# What is malformed ----------------------------------------------------------------------------------------------------


def spoil(folder: Path, name: str, change: Any) -> None:
    """One value of a JSON file, by the path to it, is another."""
    *way, last = change[0]
    value = spot = json.loads((folder / name).read_text())
    for part in way:
        spot = spot[part]
    if len(change) == 1:
        del spot[last]
    else:
        spot[last] = change[1]
    (folder / name).write_text(json.dumps(value))


BOX = "objectOrientedBoundingBox"
SPOILT = [
    ("state_0/objects_state.json", ([MUG.id, "objectType"],), r"field 'Mug\|2\.objectType': Field required"),
    ("state_0/objects_state.json", ([MUG.id, "isDirty"], "no"), r"field 'Mug\|2\.isDirty': .*valid boolean"),
    ("state_0/objects_state.json", ([MUG.id, BOX, "cornerPoints", 2, 0], 9), "does not contain the 8 corners of a box"),
    ("state_0/objects_state.json", ([MUG.id, BOX, "cornerPoints", 2, 0], float("nan")), "contains NaN"),
    ("state_0/objects_state.json", ([MUG.id, "axisAlignedBoundingBox"],), "axisAlignedBoundingBox': Field required"),
    ("state_1/operations_log.json", (["operations", 0, "object_id"],), r"field 'operations\.0\.object_id'"),
    ("state_1/operations_log.json", (["operations", 0, "execution_order"], 1), "two operations have the same"),
    ("house.json", (["rooms", 1, "floorPolygon"], []), r"field 'rooms\.1\.floorPolygon'"),
    ("object_asset_mapping.json", ([MUG.id], 3), r"field 'Mug\|2'.*valid string"),
    ("state_1/segmentation/ids.json", ([MUG.id], 100), "expected the id of an object and a number"),
    ("state_1/segmentation/ids.json", ([MUG.id],), "contains the number 200, which is missing"),
]


def assert_refused(folder: Path, sentence: str) -> None:
    """The first scene brings no recording and says why, its question stays, and the other scene is whole."""
    made = bring(folder)
    assert len(made.benchmark.questions) == 2
    names = sorted(one.name for one in (made.benchmark.folder / "recordings").iterdir())
    assert names == ["scene_1-state_0", "scene_1-state_1"]
    (fault,) = [note for note in made.notes if note.startswith("scene scene_0 has no recordings: ")]
    assert str(folder / "scene_0") in fault and "\n" not in fault
    assert re.search(sentence, fault), fault
    assert any(one["scene"] == "scene_1" for one in changes(made.benchmark.folder))


@pytest.mark.parametrize(("name", "change", "sentence"), SPOILT)
def test_a_malformed_file_is_told(tmp_path: Path, name: str, change: Any, sentence: str) -> None:
    folder = release(tmp_path, scenes=2)
    spoil(folder / "scene_0", name, change)
    assert_refused(folder, sentence)


LINES = [
    (lambda lines: [*lines[:5], "{", *lines[6:]], "line 6 is not JSON"),
    (lambda lines: [], "the file is empty, expected one line for each frame"),
    (lambda lines: lines[2:], r"has 11 lines, but the clip has 13 frames: expected one line for each frame"),
    (lambda lines: lines + lines[:2], r"has 15 lines, but the clip has 13 frames"),
    (
        lambda lines: [lines[0].replace('"position"', '"place"'), *lines[1:]],
        r"line 1, field 'position': Field required",
    ),
    (lambda lines: [*lines[:-1], lines[-1].replace('"pixels"', '"p"')], r"step 13 lacks the field 'pixels'"),
    (
        lambda lines: [*lines[:-1], lines[-1].replace('"rotation": ', '"rotation": "north", "r": ')],
        "line 13, field 'rot",
    ),
]


@pytest.mark.parametrize(("change", "sentence"), LINES)
def test_a_malformed_trajectory_is_told(tmp_path: Path, change: Any, sentence: str) -> None:
    folder = release(tmp_path, scenes=2)
    path = folder / "scene_0" / "state_1" / "agent_trajectory.jsonl"
    path.write_text("\n".join(change(path.read_text().splitlines())))
    assert_refused(folder, sentence)


def small(place: Path) -> None:
    Image.fromarray(np.ones((9, 16), np.uint16)).save(place / "4.png")


MAPS = [
    (lambda place: (place / "4.png").write_bytes(b"no picture"), r"4\.png: cannot be read"),
    (lambda place: (place / "4.png").write_bytes((place / "4.png").read_bytes()[:300]), r"4\.png: cannot be read"),
    (lambda place: Image.new("RGB", (WIDTH, HEIGHT)).save(place / "4.png"), "picture of mode RGB, expected a 16-bit"),
    (small, r"4\.png: has 16 x 9 pixels, but the clip has 96 x 72"),
    (
        lambda place: [(place / f"{k}.png").unlink() for k in (3, 4)],
        "contains 11 maps of depth, expected one map for each of the 13 frames",
    ),
]


@pytest.mark.parametrize(("change", "sentence"), MAPS)
def test_malformed_depth_is_told(tmp_path: Path, change: Any, sentence: str) -> None:
    folder = release(tmp_path, scenes=2)
    change(folder / "scene_0" / "state_1" / "depth")
    assert_refused(folder, sentence)


@pytest.mark.parametrize("cut", [40, 1000])
def test_cut_arrays_are_told(tmp_path: Path, cut: int) -> None:
    folder = release(tmp_path, Form(maps="stack"), scenes=2)
    path = folder / "scene_0" / "state_0" / "depth" / "all.npz"
    path.write_bytes(path.read_bytes()[:-cut])
    assert_refused(folder, r"all\.npz: cannot be read as arrays")


# Boxes and memory -----------------------------------------------------------------------------------------------------


@given(
    st.tuples(*[st.sampled_from([0.0, 0.02, 0.4, 1.0, 2.5])] * 3),
    st.floats(-180, 180),
    st.permutations(range(8)),
    st.tuples(*[st.floats(-5, 5)] * 3),
)
def test_boxes_of_any_corner_order(
    tmp_path_factory: pytest.TempPathFactory, size: Any, yaw: float, order: list[int], centre: Any
) -> None:
    """Size and pose put the corners back where they were, whichever comes first."""
    a = np.radians(yaw)
    axes = np.array([[np.cos(a), 0, -np.sin(a)], [0, 1, 0], [np.sin(a), 0, np.cos(a)]])
    signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    corners = (np.array(centre) + signs * np.array(size) / 2 @ axes)[order]
    one = record(MUG) | {BOX: {"cornerPoints": corners.tolist()}, "rotation": {"y": yaw}}
    path = tmp_path_factory.mktemp("box") / "objects_state.json"
    path.write_text(json.dumps({"Mug|1": one}))
    (entity,) = read_entities(path, path.with_name("none"))
    pose = entity.poses[0]
    assert np.linalg.det(pose[:3, :3]) == pytest.approx(1)
    found = signs * np.array(entity.size) / 2 @ pose[:3, :3].T + pose[:3, 3]
    meant = corners[:, [0, 2, 1]]
    gaps = np.linalg.norm(found[:, None] - meant[None], axis=-1)
    assert gaps.min(axis=0).max() < 1e-4 and gaps.min(axis=1).max() < 1e-4
    if min(size) > 0.01:
        np.testing.assert_allclose(entity.size, (size[0], size[2], size[1]), atol=1e-4)


def test_memory_does_not_grow_with_the_frames(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "all.npz", np.full((200, 60, 80), 1.5))
    tracemalloc.start()
    names = keep_depth([tmp_path / "all.npz"], (60, 80), 200, tmp_path / "out")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(names) == 200 and peak < 40 * 60 * 80 * 8  # all of them would be 200 frames
