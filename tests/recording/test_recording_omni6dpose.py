"""Omni6DPose ROPE scenes, written from known numbers, and read back."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recording_omni6dpose_files import (
    FRONT,
    SIZE,
    THINGS,
    K,
    cameras,
    draw,
    meta_of,
    pose_of,
    quaternion,
    write_catalogue,
    write_exr_mask,
    write_scene,
)
from recording_truth import by_number, degrees, edit

from chronotope.errors import InputError
from chronotope.recording import Kind, load_recording, save_recording
from chronotope.recording.checks import check_recording
from chronotope.recording.sources import Found, Given, load, resolve
from chronotope.recording.sources.omni6dpose import omni6dpose

CAMERAS = cameras(20)
IN_FIRST = np.linalg.inv(CAMERAS[0]) @ CAMERAS  # camera 0 is the world


def read(path, given=None):
    loaded = load(Found(path, "omni6dpose"), given)
    check_recording(loaded.recording, str(path))
    return loaded


@pytest.fixture
def scene(tmp_path):
    write_catalogue(tmp_path / "Meta" / "real_obj_meta.json")
    return write_scene(tmp_path / "ROPE" / "000012", CAMERAS)


def test_found_by_what_is_inside(scene):
    assert resolve(scene) == resolve(scene.parent) == [Found(scene, "omni6dpose")]


def test_camera_and_things_are_where_they_are(scene):
    loaded = read(scene)
    recording, entities = loaded.recording, by_number(loaded.recording)
    assert recording.kind is Kind.DESKTOP
    assert recording.times == pytest.approx(np.arange(20) / 30)
    assert recording.intrinsics == pytest.approx(K)
    assert recording.valid.all()
    assert np.abs(recording.world_T_camera[:, :3, 3] - IN_FIRST[:, :3, 3]).max() < 1e-6
    assert degrees(recording.world_T_camera[:, :3, :3], IN_FIRST[:, :3, :3]).max() < 1e-5
    assert [path.name for path in loaded.pictures[:2]] == ["000000_color.png", "000001_color.png"]
    assert entities.keys() == {3, 5, 6, 8}  # the table is background
    assert [entities[k].label for k in (3, 5, 6, 8)] == ["toy car", "box", "shoe", "bowl"]
    for thing in FRONT:
        entity, truth = entities[thing.mask_id], np.linalg.inv(CAMERAS[0]) @ pose_of(thing)
        pose = entity.poses[0]
        assert np.abs(pose[:3, 3] - truth[:3, 3]).max() < 1e-6
        axis = "xyz".index(thing.up)
        assert degrees(pose[:3, 2:3], truth[:3, axis : axis + 1]) < 1e-5  # z is the upright axis
        assert entity.size[2] == pytest.approx(thing.sides[axis])
        assert np.linalg.det(pose[:3, :3]) == pytest.approx(1)
        # The same corners, whatever the axes are called.
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2
        mine = (signs * entity.size) @ pose[:3, :3].T + pose[:3, 3]
        theirs = (signs * thing.sides) @ truth[:3, :3].T + truth[:3, 3]
        assert all(np.abs(theirs - corner).sum(axis=1).min() < 1e-6 for corner in mine)
    assert [entities[k].symmetry for k in (3, 5, 6, 8)] == ["none", "none", "none", "any"]


def test_up_is_where_most_things_point(scene):
    loaded = read(scene)
    assert any("the source does not state the up direction" in note for note in loaded.notes)
    recording = loaded.recording
    assert recording.gravity == pytest.approx(-np.linalg.inv(CAMERAS[0])[:3, 2], abs=1e-9)
    given = read(scene, Given(gravity="unknown")).recording
    assert given.gravity is None


@pytest.mark.parametrize(
    "up",
    [
        {3: ["y", "-y"], 5: ["x", "y"]},  # two left that say one axis
        {3: ["x"], 5: ["z"]},  # they do not agree
        {3: ["-y"], 5: ["-y"]},
        {k: [] for k in (3, 5, 6, 8)},
    ],
)
def test_up_is_unknown_where_they_do_not_tell(tmp_path, up):
    folder = write_scene(tmp_path / "000001", CAMERAS)
    write_catalogue(tmp_path / "real_obj_meta.json", up=up)
    loaded = read(folder)
    assert loaded.recording.gravity is None
    assert any("gravity is unknown" in note for note in loaded.notes)


def test_centres_project_into_masks(scene):
    recording = read(scene).recording
    entities, checked = by_number(recording), 0
    for pose, camera in zip(recording.world_T_camera, CAMERAS, strict=True):
        shown = draw(camera)
        for thing in FRONT:
            rows, columns = np.nonzero(shown == thing.mask_id)
            local = np.linalg.inv(pose) @ entities[thing.mask_id].poses[0, :, 3]
            u, v = (recording.intrinsics @ local[:3])[:2] / local[2]
            if len(rows) < 60 or not (2 < u < SIZE[0] - 3 and 2 < v < SIZE[1] - 3):
                continue
            assert columns.min() <= u <= columns.max()
            assert rows.min() <= v <= rows.max()
            checked += 1
    assert checked > 40


def test_masks_say_what_is_seen(tmp_path, monkeypatch):
    pytest.importorskip("OpenEXR")
    # The pictures here are small.
    monkeypatch.setattr("chronotope.recording.sources.omni6dpose.omni6dpose.LEAST_PIXELS", 60)
    write_catalogue(tmp_path / "real_obj_meta.json")
    metas = [meta_of(camera, valid=(3, 5, 6) if k == 4 else ()) for k, camera in enumerate(CAMERAS)]
    folder = write_scene(tmp_path / "000002", CAMERAS, metas, write_exr_mask)
    (folder / "000007_mask.exr").unlink()
    loaded = read(folder)
    hidden = seen = 0
    for k, camera in enumerate(CAMERAS):
        shown = draw(camera)
        for mask_id, entity in by_number(loaded.recording).items():
            pixels = 0 if k == 7 else int((shown == mask_id).sum())
            assert entity.visible_pixels[k] == pixels
            assert entity.visible[k] == (pixels >= 60 and not (k == 4 and mask_id == 8))
            seen, hidden = seen + entity.visible[k], hidden + (not entity.visible[k])
    assert seen > 20
    assert hidden > 4
    assert any("1 frames have no mask" in note for note in loaded.notes)


def test_masks_of_another_size_and_of_no_form_are_refused(tmp_path):
    openexr = pytest.importorskip("OpenEXR")
    write_catalogue(tmp_path / "real_obj_meta.json")
    folder = write_scene(tmp_path / "000003", CAMERAS[:3], masks=write_exr_mask)
    write_exr_mask(folder / "000001_mask.exr", np.zeros((5, 7)))
    with pytest.raises(InputError, match=r"000001_mask.exr: has 7 x 5 pixels, but the pictures have 128 x 72"):
        read(folder)
    header = {"compression": openexr.ZIP_COMPRESSION, "type": openexr.scanlineimage}
    openexr.File(header, {name: np.zeros((72, 128), np.float32) for name in "AB"}).write(
        str(folder / "000001_mask.exr")
    )
    with pytest.raises(
        InputError, match=r"000001_mask.exr: has the channels A, B, expected a channel R or a single channel"
    ):
        read(folder)
    (folder / "000001_mask.exr").write_bytes(b"nonsense")
    with pytest.raises(InputError, match=r"000001_mask.exr: cannot be read as an EXR file"):
        read(folder)


def test_without_a_reader_of_masks_valid_poses_are_seen(scene, monkeypatch):
    (scene / "000000_mask.exr").write_bytes(b"")
    monkeypatch.setattr(omni6dpose, "_library", lambda: None)
    loaded = read(scene)
    assert all(entity.visible.all() and entity.visible_pixels is None for entity in loaded.recording.entities)
    assert any("pip install OpenEXR" in note for note in loaded.notes)


def test_without_masks_valid_poses_are_seen(tmp_path):
    write_catalogue(tmp_path / "real_obj_meta.json")
    metas = [meta_of(camera, valid=(3, 5) if k == 4 else ()) for k, camera in enumerate(CAMERAS)]
    loaded = read(write_scene(tmp_path / "000004", CAMERAS, metas))
    entities = by_number(loaded.recording)
    assert np.flatnonzero(~entities[6].visible).tolist() == [4]
    assert entities[3].visible.all()
    assert any("has no masks" in note for note in loaded.notes)


def test_a_thing_that_comes_late_and_frames_without_any(tmp_path):
    """The first frame knows things 3 and 5, the last ones 6 alone; frame 9 has a broken quaternion and nothing else."""
    write_catalogue(tmp_path / "real_obj_meta.json")
    metas = []
    for k, camera in enumerate(CAMERAS):
        meta = meta_of(camera, valid=(3, 5) if k < 8 else (5, 6) if k < 15 else (6,))
        if k == 9:
            for thing in meta["objects"].values():
                thing["quaternion_wxyz"] = [0.0, 0.0, 0.0, 0.0]
        metas.append(meta)
    folder = write_scene(tmp_path / "000005", CAMERAS, metas)
    (folder / "000011_meta.json").unlink()
    loaded = read(folder)
    recording = loaded.recording
    assert np.flatnonzero(~recording.valid).tolist() == [9, 11]
    kept = recording.valid
    assert np.abs(recording.world_T_camera[kept] - IN_FIRST[kept]).max() < 1e-6
    assert by_number(recording).keys() == {3, 5, 6}  # the bowl was never valid
    assert any("2 of 20 frames have no thing" in note for note in loaded.notes)
    assert any("1 pictures have no meta file" in note for note in loaded.notes)


def test_noise_is_averaged_and_far_off_poses_do_not_count(tmp_path):
    rng = np.random.default_rng(5)
    write_catalogue(tmp_path / "real_obj_meta.json")
    metas = []
    for k, camera in enumerate(CAMERAS):
        noise = {thing.mask_id: rng.normal(0, 0.0005, 3) for thing in THINGS}
        if k in (6, 13):
            noise[5] = np.array([0.3, 0.0, 0.1])  # two gross mistakes
        metas.append(meta_of(camera, noise=noise))
    recording = read(write_scene(tmp_path / "000006", CAMERAS, metas)).recording
    entity = by_number(recording)[8]
    truth = np.linalg.inv(CAMERAS[0]) @ pose_of(FRONT[3])
    assert np.linalg.norm(entity.poses[0, :3, 3] - truth[:3, 3]) < 0.001
    good = [k for k in range(20) if k not in (6, 13)]
    assert np.linalg.norm(recording.world_T_camera[good, :3, 3] - IN_FIRST[good, :3, 3], axis=1).max() < 0.002


@pytest.mark.parametrize(("step", "sentence"), [(0.002, None), (0.004, "they differ by 17.9 mm and 0.00 degrees")])
def test_things_that_disagree_are_refused(tmp_path, step, sentence):
    """One of three moves along; from the mean of three the root mean square is the square root of 2 thirds of that."""
    write_catalogue(tmp_path / "real_obj_meta.json")
    metas = [
        meta_of(camera, noise={thing.mask_id: np.array([step * k * (thing.mask_id == 5), 0, 0]) for thing in THINGS})
        for k, camera in enumerate(CAMERAS)
    ]
    folder = write_scene(tmp_path / "000007", CAMERAS, metas)
    if sentence is None:
        assert read(folder).recording.provenance["things_apart"]["m"] == pytest.approx(0.019 * 2**0.5 / 3)
        return
    with pytest.raises(InputError, match=sentence) as caught:
        read(folder)
    assert str(caught.value).startswith(f"{folder}: the things imply different camera motions")
    assert "\n" not in str(caught.value)


def test_things_that_turn_are_refused(tmp_path):
    write_catalogue(tmp_path / "real_obj_meta.json")
    metas = [meta_of(camera) for camera in CAMERAS]
    for k, meta in enumerate(metas):
        c, s = np.cos(0.01 * k), np.sin(0.01 * k)
        pose = np.linalg.inv(CAMERAS[k]) @ pose_of(FRONT[1])
        turned = pose[:3, :3] @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        meta["objects"]["5_phocal-box_02"]["quaternion_wxyz"] = (-quaternion(turned)).tolist()
    with pytest.raises(InputError, match=r"and 2\.\d\d degrees, expected at most 10 mm and 1.5 degrees"):
        read(write_scene(tmp_path / "000008", CAMERAS, metas))


def test_only_symmetric_things_are_refused(tmp_path):
    metas = [meta_of(camera, valid=(8,)) for camera in CAMERAS[:4]]
    folder = write_scene(tmp_path / "000009", CAMERAS[:4], metas)
    write_catalogue(tmp_path / "real_obj_meta.json")
    with pytest.raises(InputError, match=r"no frame has a valid thing without symmetry"):
        read(folder)


def test_the_product_of_scale_and_dimensions_wins(tmp_path):
    things = [replace(thing, sides=(0.30, 0.08, 0.09)) if thing.mask_id == 3 else thing for thing in THINGS]
    write_catalogue(tmp_path / "real_obj_meta.json", things)
    loaded = read(write_scene(tmp_path / "000010", CAMERAS[:4]))
    assert sorted(by_number(loaded.recording)[3].size) == pytest.approx([0.08, 0.09, 0.30])
    [note] = [note for note in loaded.notes if "bbox_side_len" in note]
    assert "real-toy_car_01" in note
    assert "box_02" not in note


def test_without_a_catalogue_the_frames_say_the_sides(tmp_path):
    loaded = read(write_scene(tmp_path / "000011", CAMERAS))
    recording = loaded.recording
    assert np.abs(recording.world_T_camera - IN_FIRST).max() < 1e-6
    assert recording.gravity is None
    entity = by_number(recording)[5]
    assert entity.size == pytest.approx(FRONT[1].sides)  # the source's own axes
    assert np.abs(entity.poses[0] - np.linalg.inv(CAMERAS[0]) @ pose_of(FRONT[1])).max() < 1e-6
    assert entity.symmetry is None
    assert any("not found" in note for note in loaded.notes)


def test_a_thing_that_the_catalogue_does_not_have(tmp_path):
    write_catalogue(tmp_path / "real_obj_meta.json", [thing for thing in THINGS if thing.mask_id != 6])
    loaded = read(write_scene(tmp_path / "000012", CAMERAS[:4]))
    assert by_number(loaded.recording)[6].symmetry is None
    assert any("does not have google_scan-shoe_03" in note for note in loaded.notes)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({"any": True, "x": "none", "y": "none", "z": "none"}, "any"),
        ({"any": False, "x": "none", "y": "half", "z": "none"}, "half"),
        ({"any": False, "x": "half", "y": "quarter", "z": "half"}, "quarter"),
        ({"any": False, "x": "any", "y": "none", "z": "none"}, "half"),  # not about the upright axis
    ],
)
def test_symmetry_is_that_about_the_upright_axis(tmp_path, labels, expected):
    things = [replace(thing, symmetry=labels) if thing.mask_id == 5 else thing for thing in THINGS]
    write_catalogue(tmp_path / "real_obj_meta.json", things)
    loaded = read(write_scene(tmp_path / "000013", CAMERAS[:4]))
    assert by_number(loaded.recording)[5].symmetry == expected


def test_two_of_one_oid_are_two_things(tmp_path):
    twin = replace(FRONT[0], mask_id=9, centre=(-0.2, -0.05, 0.04), yaw=1.0)
    write_catalogue(tmp_path / "real_obj_meta.json")
    recording = read(
        write_scene(tmp_path / "000014", CAMERAS, [meta_of(c, [*THINGS, twin]) for c in CAMERAS])
    ).recording
    entities = by_number(recording)
    assert entities.keys() == {3, 5, 6, 8, 9}
    truth = np.linalg.inv(CAMERAS[0]) @ pose_of(twin)
    assert np.abs(entities[9].poses[0, :3, 3] - truth[:3, 3]).max() < 1e-6


def test_numbers_that_are_left_out_slow_the_rate_down(tmp_path):
    write_catalogue(tmp_path / "real_obj_meta.json")
    recording = read(write_scene(tmp_path / "000015", CAMERAS, numbers=[40 + 3 * k for k in range(20)])).recording
    assert recording.times == pytest.approx(np.arange(20) / 10)
    assert recording.provenance["first_frame"] == 40


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("faster", [1.0, 1.5])
def test_the_sources_own_camera_is_only_compared(tmp_path, reverse, faster):
    """Whichever way round its poses are meant; here it turns as the things say, or half as much again."""
    theirs = cameras(20, sweep=1.2 * faster)
    metas = [meta_of(camera) for camera in CAMERAS]
    for meta, pose in zip(metas, theirs, strict=True):
        R = pose[:3, :3].T if reverse else pose[:3, :3]
        meta["camera"]["quaternion"] = quaternion(R).tolist()
    write_catalogue(tmp_path / "real_obj_meta.json")
    loaded = read(write_scene(tmp_path / "000016", CAMERAS, metas))
    assert np.abs(loaded.recording.world_T_camera - IN_FIRST).max() < 1e-6
    assert any("the poses of the things are used" in note for note in loaded.notes) == (faster > 1)


def test_survives_being_saved(scene, tmp_path):
    recording = read(scene).recording
    save_recording(recording, tmp_path / "saved")
    back = load_recording(tmp_path / "saved")
    assert [entity.id for entity in back.entities] == [entity.id for entity in recording.entities]
    assert all((a.visible == b.visible).all() for a, b in zip(back.entities, recording.entities, strict=True))


def first(document):
    return next(iter(document["objects"].values()))


@pytest.mark.parametrize("name", ["", " _ "])
def test_a_thing_without_a_name_tells_of_the_camera_only(tmp_path, name):
    write_catalogue(tmp_path / "real_obj_meta.json")
    folder = write_scene(tmp_path / "000012", CAMERAS[:4])
    before = read(folder).recording
    for file in folder.glob("*_meta.json"):
        edit(file, lambda d: [one["meta"].update(class_name=name) for one in d["objects"].values() if is_shoe(one)])
    loaded = read(folder)
    np.testing.assert_array_equal(loaded.recording.world_T_camera, before.world_T_camera)
    assert len(loaded.recording.entities) == len(before.entities) - 1
    assert all(entity.label for entity in loaded.recording.entities)
    assert any("'class_name' of google_scan-shoe_03 is empty; no questions" in note for note in loaded.notes)


def is_shoe(thing):
    return thing["meta"]["oid"] == "google_scan-shoe_03"


META = "000002_meta.json"
BROKEN = {
    "no objects": (META, lambda d: d.pop("objects"), r"field 'objects': Field required"),
    "no camera": (META, lambda d: d.pop("camera"), r"field 'camera': Field required"),
    "no focal length": (
        *(META, lambda d: d["camera"]["intrinsics"].update(fx=0)),
        r"field 'camera.intrinsics.fx': Input should be greater than 0",
    ),
    "short quaternion": (
        META,
        lambda d: first(d).update(quaternion_wxyz=[1, 0, 0]),
        r"quaternion_wxyz.*Field required",
    ),
    "words": (META, lambda d: first(d).update(translation=["a", 0, 1]), r"translation.0': Input should be a valid num"),
    "no side": (
        META,
        lambda d: first(d)["meta"].update(bbox_side_len=[1, 1, 0]),
        r"side_len.2': Input should be greater",
    ),
    "no class": (META, lambda d: first(d)["meta"].pop("class_name"), r"meta.class_name': Field required"),
    "no instances": ("../real_obj_meta.json", lambda d: d.pop("instance_dict"), r"field 'instance_dict': expected"),
    "no symmetry": (
        *("../real_obj_meta.json", lambda d: d["instance_dict"]["phocal-box_02"]["tag"].pop("symmetry")),
        r"instance_dict, phocal-box_02: field 'tag.symmetry': Field required",
    ),
    "flat": (
        *("../real_obj_meta.json", lambda d: d["instance_dict"]["phocal-box_02"].update(dimensions=[1, 0, 1])),
        r"field 'dimensions.1': Input should be greater than 0",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_refused_in_a_sentence(tmp_path, case):
    name, change, sentence = BROKEN[case]
    write_catalogue(tmp_path / "real_obj_meta.json")
    folder = write_scene(tmp_path / "000017", CAMERAS[:4])
    edit(folder / name, change)
    with pytest.raises(InputError, match=sentence) as caught:
        read(folder)
    assert str(caught.value).startswith(str((folder / name).resolve()))
    assert "\n" not in str(caught.value)


def test_what_is_no_scene_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"0 pictures such as 000000_color.png, expected at least two"):
        load(Found(tmp_path, "omni6dpose"))
    folder = write_scene(tmp_path / "000018", CAMERAS[:4])
    edit(folder / META, lambda d: d["objects"].update({"bowl": first(d)}))
    with pytest.raises(
        InputError, match=r"000002_meta.json: field 'objects': 'bowl' does not begin with the mask's id"
    ):
        read(folder)
    edit(folder / META, lambda d: d["objects"].pop("bowl"))
    for k in range(4):
        edit(folder / f"{k:06d}_meta.json", lambda d: d["camera"]["intrinsics"].update(width=1280, height=720))
    with pytest.raises(
        InputError, match=r"000000_color.png: has 128 x 72 pixels, but its intrinsics are for 1280 x 720"
    ):
        read(folder)


@settings(max_examples=60)
@given(data=st.data())
def test_damaged_values_are_refused_or_read_and_never_crash(tmp_path_factory, data):
    folder = write_scene(tmp_path_factory.mktemp("damaged") / "000019", CAMERAS[:3])
    write_catalogue(folder.parent / "real_obj_meta.json")
    victim = data.draw(
        st.sampled_from([folder / "000000_meta.json", folder / META, folder.parent / "real_obj_meta.json"])
    )
    document = json.loads(victim.read_text())
    wrong = st.sampled_from([None, -1, 0, 1e300, float("nan"), float("inf"), "x", "", [], {}, [1, 2, 3, 4], True])
    parent, key = None, None
    node = document
    while isinstance(node, (dict, list)) and node and (parent is None or data.draw(st.integers(0, 4))):
        parent, key = node, data.draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
        node = node[key]
    parent[key] = data.draw(wrong)
    victim.write_text(json.dumps(document))
    try:
        read(folder)
    except InputError as error:
        assert "\n" not in str(error)
