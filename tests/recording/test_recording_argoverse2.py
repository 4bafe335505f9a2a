"""Argoverse 2 logs written as feather from a known truth, and the one public log against figures computed otherwise."""

import itertools
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pytest
from evo.core.trajectory import PosePath3D
from PIL import Image
from recording_truth import quaternion, rotation

from chronotope.errors import InputError
from chronotope.geometry import Axes
from chronotope.recording import Kind, load_recording, save_recording
from chronotope.recording.sources import Found, load, resolve

FIRST = 315973157959879000
ORIGIN = np.array([5000.0, 2500.0, 12.0])
SAMPLES = [FIRST + 100_000_000 * k + 37_000 * (k % 2) for k in range(10)]
EGO_STAMPS = [FIRST - 3_000_000 + 7_000_000 * k for k in range(140)]
TO_OPENCV = np.array([[0, 0, 1, 0], [-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 0, 1.0]])
MOUNT = np.eye(4)
MOUNT[:3, :3] = rotation((0, 0, 1), 0.1) @ TO_OPENCV[:3, :3]
MOUNT[:3, 3] = (1.6, -0.1, 1.4)
LENS = {"fx_px": 400.0, "fy_px": 402.0, "cx_px": 155.0, "cy_px": 205.0, "k1": -0.1, "k2": 0.02, "k3": 0.0}
WIDTH, HEIGHT = 310, 410  # portrait, as the camera in the middle is
SIZES = {"car": (4.5, 1.8, 1.5), "cone": (0.4, 0.4, 0.7), "far": (0.5, 0.5, 0.5)}
CATEGORIES = {"car": "REGULAR_VEHICLE", "cone": "CONSTRUCTION_CONE", "far": "SIGN"}
PLACES = {"car": (14.0, 2.0, 0.8), "cone": (9.0, -0.5, 0.4), "far": (90.0, 9.0, 1.5)}


def seconds(stamp):
    return (stamp - FIRST) / 1e9


def ego(stamp):
    """Straight on at 6 m/s while turning evenly, so that linear interpolation and slerp are exact."""
    pose = np.eye(4)
    pose[:3, :3] = rotation((0.1, 0, 1), 0.3 + 0.2 * seconds(stamp))
    pose[:3, 3] = ORIGIN + np.array([6.0, 1.0, 0.1]) * seconds(stamp)
    return pose


def ego_quaternion(stamp):
    x, y, z, w = quaternion((0.1, 0, 1), 0.3 + 0.2 * seconds(stamp))
    return w, x, y, z


def place(track, stamp):
    """Where a thing is in the city; the car drives."""
    return ORIGIN + PLACES[track] + np.array([5.0, 3.0, 0.0]) * seconds(stamp) * (track == "car")


def write_log(root, *, calibrated=False):
    root.mkdir(parents=True)
    poses = {"timestamp_ns": pa.array(EGO_STAMPS, pa.int64())}
    for index, name in enumerate(("qw", "qx", "qy", "qz")):
        poses[name] = pa.array([ego_quaternion(stamp)[index] for stamp in EGO_STAMPS])
    for axis, name in enumerate(("tx_m", "ty_m", "tz_m")):
        poses[name] = pa.array([ego(stamp)[axis, 3] for stamp in EGO_STAMPS])
    write(root / "city_SE3_egovehicle.feather", poses)
    write(root / "annotations.feather", annotations())
    if calibrated:
        write_camera(root, "ring_front_center")
    return root


def write(path, columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    feather.write_feather(pa.table(columns), path)


def annotations():
    rows = [(stamp, track) for track in SIZES for stamp in SAMPLES if track != "cone" or stamp > SAMPLES[2]]
    turns = [quaternion((0, 0, 1), 0.7) for _ in rows]
    centres = [ego(stamp)[:3, :3].T @ (place(track, stamp) - ego(stamp)[:3, 3]) for stamp, track in rows]
    table = {
        "timestamp_ns": pa.array([stamp for stamp, _ in rows], pa.int64()),
        "track_uuid": pa.array([track for _, track in rows]),
        "category": pa.array([CATEGORIES[track] for _, track in rows]),
        "num_interior_pts": pa.array([3 if stamp == SAMPLES[4] else 60 for stamp, _ in rows], pa.int64()),
    }
    for axis, name in enumerate(("length_m", "width_m", "height_m")):
        table[name] = pa.array([SIZES[track][axis] for _, track in rows])
    for index, name in enumerate(("qx", "qy", "qz", "qw")):
        table[name] = pa.array([turn[index] for turn in turns])
    for axis, name in enumerate(("tx_m", "ty_m", "tz_m")):
        table[name] = pa.array([centre[axis] for centre in centres])
    return table


def picture_stamps():
    """20 a second, beside the samples by 12 ms; the picture of sample 7 and its neighbours are missing."""
    stamps = [FIRST + 50_000_000 * k + 12_000_000 for k in range(-1, 20)]
    return [stamp for stamp in stamps if abs(stamp - SAMPLES[7]) > 70_000_000]


def write_camera(root, camera):
    sensors = [camera, "ring_rear_left", "up_lidar"]
    w, x, y, z = mount_quaternion()
    mounts = {"sensor_name": pa.array(sensors)}
    for name, value in zip(("qw", "qx", "qy", "qz"), (w, x, y, z), strict=True):
        mounts[name] = pa.array([value, 1.0 if name == "qw" else 0.0, 1.0 if name == "qw" else 0.0])
    for axis, name in enumerate(("tx_m", "ty_m", "tz_m")):
        mounts[name] = pa.array([MOUNT[axis, 3], 0.0, 0.0])
    write(root / "calibration" / "egovehicle_SE3_sensor.feather", mounts)
    lens = {name: pa.array([value, 1.0]) for name, value in LENS.items()}
    sizes = {"height_px": pa.array([HEIGHT, 100], pa.int64()), "width_px": pa.array([WIDTH, 100], pa.int64())}
    write(root / "calibration" / "intrinsics.feather", {"sensor_name": pa.array(sensors[:2]), **lens, **sizes})
    folder = root / "sensors" / "cameras" / camera
    folder.mkdir(parents=True)
    for stamp in picture_stamps():
        Image.new("RGB", (WIDTH, HEIGHT), (90, 90, 90)).save(folder / f"{stamp}.jpg")
    other = root / "sensors" / "cameras" / "stereo_front_left"
    other.mkdir()
    Image.new("RGB", (8, 8)).save(other / f"{FIRST}.jpg")


def mount_quaternion():
    """w x y z of MOUNT's rotation, from its matrix (trace above zero in this case or not: the largest is taken)."""
    R = MOUNT[:3, :3]
    w = math.sqrt(max(0.0, 1 + R[0, 0] + R[1, 1] + R[2, 2])) / 2
    return w, (R[2, 1] - R[1, 2]) / (4 * w), (R[0, 2] - R[2, 0]) / (4 * w), (R[1, 0] - R[0, 1]) / (4 * w)


def entity(recording, name):
    return next(one for one in recording.entities if one.id == name)


def test_a_log_without_calibration_is_the_ego_trajectory(tmp_path):
    (found,) = resolve(write_log(tmp_path / "Log-1"))
    assert (found.source, found.part) == ("argoverse2", "Log-1")
    loaded = load(found)
    recording = loaded.recording
    assert (recording.id, recording.scene, recording.kind) == ("log-1", "Log-1", Kind.OUTDOOR)
    assert (recording.native_axes, recording.clip, len(loaded.pictures)) == (Axes.FLU, None, 0)
    np.testing.assert_array_equal(recording.gravity, [0, 0, -1])
    np.testing.assert_allclose(recording.times, [seconds(stamp) for stamp in SAMPLES], atol=1e-12)
    truth = np.stack([ego(stamp) for stamp in SAMPLES])
    np.testing.assert_allclose(recording.vehicle_pose, truth, atol=1e-6)
    np.testing.assert_allclose(recording.world_T_camera, truth @ TO_OPENCV, atol=1e-6)
    np.testing.assert_allclose(recording.camera_mount, TO_OPENCV)
    assert any("looks forward" in note for note in loaded.notes)


def test_things_are_where_they_truly_are_in_the_city(tmp_path):
    recording = load(Found(write_log(tmp_path / "log"), "argoverse2")).recording
    assert {one.id: one.label for one in recording.entities} == {
        "car": "car",
        "cone": "traffic cone",
        "far": "sign",
    }
    for track, size in SIZES.items():
        found = entity(recording, track)
        np.testing.assert_allclose(found.size, size)
        for k, stamp in enumerate(SAMPLES):
            if track == "cone" and k <= 2:
                assert np.isnan(found.poses[k]).all()
                assert not found.visible[k]
                continue
            np.testing.assert_allclose(found.poses[k, :3, 3], place(track, stamp), atol=1e-6)
            turn = ego(stamp)[:3, :3] @ rotation((0, 0, 1), 0.7)
            np.testing.assert_allclose(found.poses[k, :3, :3], turn, atol=1e-9)
            assert found.visible[k] == (k != 4)  # there three points
        assert found.label_speed is None


def test_a_calibrated_log_without_pictures_is_not_called_uncalibrated(tmp_path):
    notes = {}
    for calibrated in (False, True):
        root = write_log(tmp_path / str(calibrated), calibrated=calibrated)
        for picture in root.rglob("*.jpg"):
            picture.unlink()
        notes[calibrated] = " ".join(load(resolve(root)[0]).notes)
    assert "no camera is calibrated" in notes[False] and "no camera is calibrated" not in notes[True]
    assert "no ring camera has both pictures and a calibration" in notes[True]


def test_each_ring_camera_is_a_recording(tmp_path):
    (found,) = resolve(write_log(tmp_path / "log", calibrated=True))
    assert found.part == "log_ring_front_center"
    loaded = load(found)
    recording = loaded.recording
    assert (recording.id, recording.scene, recording.native_axes) == ("log_ring_front_center", "log", Axes.OPENCV)
    kept = [k for k in range(10) if k != 7]
    assert len(recording.times) == len(loaded.pictures) == 9
    for sample, (k, picture) in enumerate(zip(kept, loaded.pictures, strict=True)):
        taken = int(picture.stem)
        assert abs(taken - SAMPLES[k]) == min(abs(stamp - SAMPLES[k]) for stamp in picture_stamps())
        np.testing.assert_allclose(recording.world_T_camera[sample], ego(taken) @ MOUNT, atol=1e-6)
        np.testing.assert_allclose(recording.vehicle_pose[sample], ego(SAMPLES[k]), atol=1e-6)
        np.testing.assert_allclose(entity(recording, "car").poses[sample, :3, 3], place("car", SAMPLES[k]), atol=1e-6)
    np.testing.assert_allclose(recording.camera_mount, MOUNT, atol=1e-12)
    np.testing.assert_allclose(recording.intrinsics, [[400, 0, 155], [0, 402, 205], [0, 0, 1]])
    np.testing.assert_allclose(recording.distortion, [-0.1, 0.02, 0, 0, 0])
    save_recording(recording, tmp_path / "saved")
    assert load_recording(tmp_path / "saved").scene == "log"


def test_the_rectangle_of_a_thing_is_about_its_corners(tmp_path):
    recording = load(resolve(write_log(tmp_path / "log", calibrated=True))[0]).recording
    taken = min(picture_stamps(), key=lambda stamp: abs(stamp - SAMPLES[0]))
    for track in ("car", "far"):
        camera = np.linalg.inv(ego(taken) @ MOUNT)
        pixels = []
        for signs in itertools.product((-0.5, 0.5), repeat=3):
            corner = rotation((0, 0, 1), 0.7) @ (np.array(signs) * SIZES[track])
            x, y, z, _ = camera @ [*(place(track, SAMPLES[0]) + ego(SAMPLES[0])[:3, :3] @ corner), 1]
            r2 = (x * x + y * y) / z**2
            bend = 1 - 0.1 * r2 + 0.02 * r2 * r2
            pixels.append((400 * bend * x / z + 155, 402 * bend * y / z + 205))
        low, high = np.min(pixels, axis=0), np.max(pixels, axis=0)
        expected = [*np.clip(low, 0, (WIDTH, HEIGHT)), *np.clip(high, 0, (WIDTH, HEIGHT))]
        np.testing.assert_allclose(entity(recording, track).box2d[0], expected, atol=1e-3)
    assert entity(recording, "car").visible[0]
    assert not entity(recording, "far").visible.any()  # a few px high


def changed(file, column, change):
    def edit(root):
        table = feather.read_table(root / file)
        cells = change(table[column].combine_chunks())
        index = table.column_names.index(column)
        table = table.remove_column(index) if cells is None else table.set_column(index, column, cells)
        feather.write_feather(table, root / file)

    return edit


def first(value):
    return lambda cells: pa.array([value, *cells.to_pylist()[1:]], cells.type)


EGO, BOXES, MOUNTS = "city_SE3_egovehicle.feather", "annotations.feather", "calibration/egovehicle_SE3_sensor.feather"
REFUSED = {
    "no column": (changed(BOXES, "width_m", lambda cells: None), r"annotations.feather: column 'width_m' is missing"),
    "text": (
        changed(EGO, "qw", lambda cells: pa.array(["1"] * 140)),
        r"egovehicle.feather: column 'qw' is of type str",
    ),
    "NaN": (changed(BOXES, "tx_m", first(float("nan"))), r"'tx_m', row 0 \(from 0\), is nan, expected a finite"),
    "no rotation": (changed(BOXES, "qw", first(9.0)), r"row 0 \(from 0\): .* is not a rotation"),
    "fraction": (changed(BOXES, "timestamp_ns", lambda cells: cells.cast(pa.float64(), safe=False)), r"expected whole"),
    "twice": (changed(BOXES, "timestamp_ns", first(SAMPLES[1])), r"object car has two boxes in sample 1"),
    "flat": (
        changed(BOXES, "height_m", first(0.0)),
        r"annotations.feather: columns 'length_m', .*'height_m': object car has a box of .* above 0",
    ),
    "points below 0": (
        changed(BOXES, "num_interior_pts", first(-2)),
        r"'num_interior_pts', row 0 \(from 0\), is -2, expected 0 or more",
    ),
    "far away": (
        changed(BOXES, "tx_m", first(-1e300)),
        r"'tx_m', row 0 \(from 0\), is -1e\+300, expected a length of less than 1e\+09 m",
    ),
    "far away camera": (changed(MOUNTS, "tx_m", first(1e200)), r"'tx_m', row 0 \(from 0\), is 1e\+200, expected"),
    "cut short": (lambda root: (root / BOXES).write_bytes((root / BOXES).read_bytes()[:700]), r"not a Feather file"),
    "empty": (
        lambda root: feather.write_feather(feather.read_table(root / BOXES).slice(0, 0), root / BOXES),
        r"the table has no rows",
    ),
    "lost ego": (
        changed(EGO, "timestamp_ns", lambda cells: pa.array([1 + k for k in range(140)], pa.int64())),
        r"0 of 9 poses are valid .*9 of 9 samples have no ego poses close in time",
    ),
    "other camera": (
        changed(MOUNTS, "sensor_name", lambda cells: pa.array(["a", "b", "c"])),
        r"'sensor_name' has 'ring_front_center' in 0 rows, expected one",
    ),
    "no focal length": (
        changed("calibration/intrinsics.feather", "fx_px", first(0.0)),
        r"camera 'ring_front_center' has focal lengths 0.0",
    ),
    "strange picture": (
        lambda root: Image.new("RGB", (8, 8)).save(root / "sensors/cameras/ring_front_center/front.jpg"),
        r"front.jpg: expected a picture whose name is its time stamp",
    ),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_a_broken_log_is_refused_in_one_sentence(tmp_path, fault):
    edit, sentence = REFUSED[fault]
    root = write_log(tmp_path / "log", calibrated=True)
    edit(root)
    with pytest.raises(InputError, match=sentence) as told:
        load(Found(root, "argoverse2", "log_ring_front_center"))
    assert "\n" not in str(told.value)


def test_boxes_without_a_category_are_left_out(tmp_path):
    root = write_log(tmp_path / "log")
    nameless = [("" if k % 2 else "_") if track == "far" else CATEGORIES[track] for k, track in enumerate(tracks(root))]
    changed(BOXES, "category", lambda cells: pa.array(nameless))(root)
    loaded = load(Found(root, "argoverse2"))
    assert [one.id for one in loaded.recording.entities] == ["car", "cone"]
    assert "annotations.feather: 10 boxes without a category are omitted" in loaded.notes
    changed(BOXES, "category", lambda cells: pa.array([""] * len(cells)))(root)
    assert load(Found(root, "argoverse2")).recording.entities == ()


def tracks(root):
    return feather.read_table(root / BOXES)["track_uuid"].to_pylist()


@pytest.mark.parametrize(
    ("category", "label", "kind", "symmetry"),
    [
        ("BICYCLIST", "cyclist", "cyclist", None),
        ("MOTORCYCLIST", "motorcyclist", "cyclist", None),
        ("WHEELED_RIDER", "person on a scooter or skateboard", "cyclist", None),
        ("WHEELED_DEVICE", "scooter or skateboard", "scooter or skateboard", None),
        ("OFFICIAL_SIGNALER", "person directing traffic", "pedestrian", None),
        ("DOG", "dog", "animal", None),
        ("STOP_SIGN", "stop sign", "sign", None),
        ("BOLLARD", "bollard", "bollard", "any"),
        ("CONSTRUCTION_BARREL", "traffic barrel", "traffic barrel", "any"),
        ("CONSTRUCTION_CONE", "traffic cone", "traffic cone", "any"),
        ("REGULAR_VEHICLE", "car", "car", None),
    ],
)
def test_categories_are_of_the_kinds_that_questions_tell_apart(tmp_path, category, label, kind, symmetry):
    root = write_log(tmp_path / "log")
    changed(BOXES, "category", lambda cells: pa.array([category] * len(cells)))(root)
    for found in load(Found(root, "argoverse2")).recording.entities:
        assert (found.label, found.category, found.symmetry) == (label, kind, symmetry)


def test_an_unknown_camera_is_refused(tmp_path):
    root = write_log(tmp_path / "log", calibrated=True)
    with pytest.raises(
        InputError, match=r"contains 1 recordings \(log_ring_front_center\).*log_ring_side is not one of these"
    ):
        load(Found(root, "argoverse2", "log_ring_side"))


# ---------------------------------------------------------------- the public log


def hamilton(a, b):
    """Product of two quaternions w x y z."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def turned(q, vector):
    return hamilton(hamilton(q, (0.0, *vector)), (q[0], -q[1], -q[2], -q[3]))[1:]


@pytest.fixture(scope="module")
def real_log(test_data):
    (found,) = resolve(test_data / "sti" / "argoverse2")
    boxes = pd.read_feather(found.path / "annotations.feather")
    poses = pd.read_feather(found.path / "city_SE3_egovehicle.feather").set_index("timestamp_ns")
    return load(found).recording, boxes, poses


def test_the_real_ego_path_is_as_long_as_another_tool_says(real_log):
    recording, boxes, poses = real_log
    stamps = sorted(set(boxes["timestamp_ns"]))
    assert len(recording.times) == len(stamps) == 156
    rows = poses.loc[stamps]  # every annotated stamp has an ego pose of its own
    other = PosePath3D(rows[["tx_m", "ty_m", "tz_m"]].to_numpy(), rows[["qw", "qx", "qy", "qz"]].to_numpy())
    found = np.linalg.norm(np.diff(recording.world_T_camera[:, :3, 3], axis=0), axis=1).sum()
    assert found == pytest.approx(other.path_length, rel=1e-6)
    raw = poses.sort_index().loc[stamps[0] : stamps[-1]]
    whole = PosePath3D(raw[["tx_m", "ty_m", "tz_m"]].to_numpy(), raw[["qw", "qx", "qy", "qz"]].to_numpy())
    assert found <= whole.path_length * (1 + 1e-9)
    assert found == pytest.approx(whole.path_length, rel=0.01)  # the raw rate adds the noise of 200 poses a second


def test_real_tracks_are_where_quaternions_by_hand_put_them(real_log):
    recording, boxes, poses = real_log
    assert len(recording.entities) == boxes["track_uuid"].nunique() == 146
    stamps = sorted(set(boxes["timestamp_ns"]))
    moving = [name for name in boxes["track_uuid"].unique() if name[:8] in ("defe1ad3", "4433e19a", "ae2af6f2")]
    assert len(moving) == 3
    for name in moving:
        found = entity(recording, name)
        rows = boxes[boxes["track_uuid"] == name]
        path = []
        for row in rows.sort_values("timestamp_ns").itertuples():
            ego_row = poses.loc[row.timestamp_ns]
            q = tuple(ego_row[["qw", "qx", "qy", "qz"]])
            there = np.add(turned(q, (row.tx_m, row.ty_m, row.tz_m)), ego_row[["tx_m", "ty_m", "tz_m"]].to_numpy())
            ahead = turned(hamilton(q, (row.qw, row.qx, row.qy, row.qz)), (1.0, 0.0, 0.0))
            k = stamps.index(row.timestamp_ns)
            np.testing.assert_allclose(found.poses[k, :3, 3], there, atol=1e-6)
            np.testing.assert_allclose(found.poses[k, :3, 0], ahead, atol=1e-6)
            assert found.visible[k] == (row.num_interior_pts >= 5)
            path.append(there)
        length = sum(math.dist(a, b) for a, b in itertools.pairwise(path))
        known = found.poses[np.isfinite(found.poses[:, 0, 3]), :3, 3]
        assert np.linalg.norm(np.diff(known, axis=0), axis=1).sum() == pytest.approx(length, rel=1e-6)
        assert length > 50
        assert np.isfinite(found.poses[:, 0, 3]).sum() == len(rows)
