"""Waymo drives in both formats, written byte by byte from a known truth, and the one public frame and file."""

import itertools
import math
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import recording_waymo_files as files
from recording_truth import rotation
from recording_waymo_files import LENSES, ORIGIN, SEGMENT, THINGS, Drive, write_v2, write_v14

from chronotope.errors import InputError
from chronotope.geometry import Axes
from chronotope.media import encode_clip
from chronotope.recording import Kind, load_recording, save_recording
from chronotope.recording.sources import Found, Given, load, resolve

DRIVE = Drive()
FRONT = f"{SEGMENT}_camera_1"
TO_OPENCV = np.array([[0, 0, 1, 0], [-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 0, 1.0]])  # camera FLU from camera OpenCV


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The same drive in both formats; how exact each is, in m."""
    folder = tmp_path_factory.mktemp("waymo")
    return {
        "waymo_v2": (write_v2(folder / "training", DRIVE), 2e-3),  # poses rounded to float32, 12 km from the origin
        "waymo_tfrecord": (write_v14(folder / "segment.tfrecord", DRIVE), 1e-9),
    }


@pytest.fixture(params=["waymo_v2", "waymo_tfrecord"])
def source(request, sources):
    path, error = sources[request.param]
    return request.param, path, error


def front(path, name):
    return load(Found(path, name, FRONT))


def entity(recording, name):
    return next(entity for entity in recording.entities if entity.id == name)


def test_each_camera_of_a_segment_is_a_recording_and_the_segment_their_scene(source):
    name, path, _ = source
    found = resolve(path)
    assert [(one.source, one.part) for one in found] == [(name, FRONT), (name, f"{SEGMENT}_camera_4")]
    recordings = [load(one).recording for one in found]
    assert [recording.id for recording in recordings] == [FRONT, f"{SEGMENT}_camera_4"]
    assert {recording.scene for recording in recordings} == {SEGMENT}
    assert [recording.kind for recording in recordings] == [Kind.OUTDOOR] * 2


def test_the_camera_is_where_it_was_when_the_picture_was_taken(source):
    name, path, error = source
    for camera, lens in LENSES.items():
        recording = load(Found(path, name, f"{SEGMENT}_camera_{camera}")).recording
        truth = np.stack([taken @ lens.extrinsic @ TO_OPENCV for taken in DRIVE.taken])
        np.testing.assert_allclose(recording.world_T_camera, truth, atol=1e-9)
        np.testing.assert_allclose(recording.vehicle_pose, np.stack(DRIVE.poses), atol=error)
        np.testing.assert_allclose(recording.camera_mount, lens.extrinsic @ TO_OPENCV, atol=1e-9)
        f_u, f_v, c_u, c_v, *distortion = lens.intrinsic
        np.testing.assert_allclose(recording.intrinsics, [[f_u, 0, c_u], [0, f_v, c_v], [0, 0, 1]])
        np.testing.assert_allclose(recording.distortion, distortion)
    assert recording.valid.all()
    assert recording.native_axes == Axes.FLU
    np.testing.assert_array_equal(recording.gravity, [0, 0, -1])
    np.testing.assert_allclose(recording.times, [DRIVE.seconds(k) for k in range(DRIVE.count)])
    assert recording.velocity[3].tolist() == [10.0, 11.0, 12.0]


def test_things_are_where_they_truly_are_in_the_world(source):
    name, path, error = source
    recording = front(path, name).recording
    assert sorted(one.id for one in recording.entities) == sorted(thing.id for thing in THINGS)
    for thing in THINGS:
        found = entity(recording, thing.id)
        assert (found.label, found.category) == (thing.type, thing.type)
        labelled = [k for k in range(DRIVE.count) if thing.first <= k < thing.last]
        assert np.flatnonzero(np.isfinite(found.poses).all(axis=(1, 2))).tolist() == labelled
        for k in labelled:
            np.testing.assert_allclose(found.poses[k, :3, 3], DRIVE.where(thing, k), atol=error)
            turn = DRIVE.poses[k][:3, :3] @ rotation((0, 0, 1), thing.turn)
            np.testing.assert_allclose(found.poses[k, :3, :3], turn, atol=1e-6)
            np.testing.assert_allclose(found.label_speed[k], thing.velocity)
        np.testing.assert_allclose(found.size, thing.size)  # sample 5 has another size, but one point


def test_rectangles_are_those_that_the_source_draws(source):
    name, path, _ = source
    recording = front(path, name).recording
    for thing in THINGS:
        found = entity(recording, thing.id)
        for k in range(DRIVE.count):
            labelled = thing.first <= k < thing.last
            drawn = DRIVE.rectangle(thing, k, LENSES[1]) if labelled else None
            np.testing.assert_allclose(found.box2d[k], [np.nan] * 4 if drawn is None else drawn, atol=1e-9)


def visible(thing, k, lens):
    """The rule by brute force, on a raster of the picture; None where it is a near thing."""
    drawn, outline = DRIVE.rectangle(thing, k, lens), DRIVE.outline(thing, k, lens)
    if drawn is None or DRIVE.points(thing, k) < 5:
        return False
    x0, y0, x1, y1 = drawn
    inside = (x1 - x0) * (y1 - y0) / ((outline[2] - outline[0]) * (outline[3] - outline[1]))
    side = min((x1 - x0) * 640 / lens.width, (y1 - y0) * 360 / lens.height)
    camera = DRIVE.taken[k] @ lens.extrinsic
    distance = math.dist(DRIVE.where(thing, k), camera[:3, 3])
    xs, ys = np.meshgrid(np.linspace(x0, x1, 301), np.linspace(y0, y1, 301))
    covered = np.zeros(xs.shape, bool)
    for other, _ in DRIVE.labels(k):
        rectangle = DRIVE.rectangle(other, k, lens)
        if rectangle and math.dist(DRIVE.where(other, k), camera[:3, 3]) < distance:
            a, b, c, d = rectangle
            covered |= (xs >= a) & (xs <= c) & (ys >= b) & (ys <= d)
    figures = (inside / 0.5, side / 12.0, 0.6 / max(covered.mean(), 1e-9))
    if any(abs(figure - 1) < 0.02 for figure in figures):
        return None
    return all(figure > 1 for figure in figures)


def test_visibility_keeps_to_the_rule(source):
    name, path, _ = source
    for camera, lens in LENSES.items():
        recording = load(Found(path, name, f"{SEGMENT}_camera_{camera}")).recording
        for thing in THINGS:
            found = entity(recording, thing.id).visible
            for k in range(DRIVE.count):
                expected = visible(thing, k, lens) if thing.first <= k < thing.last else False
                assert expected is None or found[k] == expected, (camera, thing.id, k)


def test_each_reason_to_be_unseen_occurs(source):
    name, path, _ = source
    recording = front(path, name).recording
    shown = {one.id: one.visible[0] for one in recording.entities}
    assert shown == {
        "lead": True,
        "walker": True,
        "hidden-walker": False,
        "few-points": False,
        "far-sign": False,
        "at-the-edge": False,
        "left": False,
    }
    assert not entity(recording, "lead").visible[5]  # one lidar point
    assert np.isfinite(entity(recording, "hidden-walker").box2d[0]).all()


def test_pictures_come_one_at_a_time_and_belong_to_their_samples(source):
    name, path, _ = source
    for camera, lens in LENSES.items():
        pictures = load(Found(path, name, f"{SEGMENT}_camera_{camera}")).pictures
        assert len(pictures) == DRIVE.count
        for k in (0, 11, 5, 6):
            assert pictures[k].shape == (lens.height, lens.width, 3)
            assert np.abs(pictures[k].mean(axis=(0, 1)) - files.colour(camera, k)).max() < 3
        assert np.abs(pictures[4:][1].mean(axis=(0, 1)) - files.colour(camera, 5)).max() < 3


def test_a_drive_survives_being_saved(source, tmp_path):
    name, path, _ = source
    recording = front(path, name).recording
    save_recording(recording, tmp_path / "saved")
    again = load_recording(tmp_path / "saved")
    np.testing.assert_array_equal(again.world_T_camera, recording.world_T_camera)
    np.testing.assert_array_equal(again.camera_mount, recording.camera_mount)
    np.testing.assert_array_equal(entity(again, "left").label_speed, entity(recording, "left").label_speed)


# ---------------------------------------------------------------- version 2: what may be missing


def test_one_file_of_poses_is_a_source_too(sources):
    path = sources["waymo_v2"][0] / "vehicle_pose" / f"{SEGMENT}.parquet"
    assert [one.part for one in resolve(path)] == [FRONT, f"{SEGMENT}_camera_4"]
    assert len(load(resolve(path)[0]).pictures) == DRIVE.count


def test_a_folder_of_splits_holds_sources(sources):
    assert Found(sources["waymo_v2"][0], "waymo_v2", FRONT) in resolve(sources["waymo_v2"][0].parent)


def test_poses_alone_are_the_trajectory_of_the_vehicle(tmp_path):
    root = write_v2(tmp_path / "v2", DRIVE, components=())
    (found,) = resolve(root)
    assert found.part == SEGMENT
    loaded = load(found)
    recording = loaded.recording
    assert (recording.id, recording.clip, len(loaded.pictures), recording.entities) == (SEGMENT, None, 0, ())
    np.testing.assert_allclose(recording.world_T_camera, np.stack(DRIVE.poses) @ TO_OPENCV, atol=2e-3)
    np.testing.assert_allclose(recording.camera_mount, TO_OPENCV)
    assert recording.native_axes == Axes.FLU
    assert any("vehicle's origin that looks forward" in note for note in loaded.notes)


def test_a_clip_is_of_no_use_where_nothing_says_what_its_camera_sees(tmp_path):
    root = write_v2(tmp_path / "v2", DRIVE, components=())
    (root / f"{FRONT}.mp4").write_bytes(b"not even opened")
    loaded = load(resolve(root)[0])
    assert (loaded.recording.id, loaded.recording.clip) == (SEGMENT, None)
    assert any("the clips are not used" in note for note in loaded.notes)


def test_boxes_of_unknown_type_are_left_out(tmp_path):
    changed("lidar_box", f"{BOX}type", lambda cells: pa.array([0, *cells.to_pylist()[1:]], cells.type))(tmp_path)
    loaded = load(Found(tmp_path, "waymo_v2", FRONT))
    assert np.isnan(entity(loaded.recording, "lead").poses[0]).all()
    assert any("1 boxes of unknown type are omitted" in note for note in loaded.notes)


def test_a_hole_in_a_segment_keeps_its_longest_stretch(tmp_path):
    drive = Drive(12)
    drive.stamps[4:] = [stamp + 2_000_000 for stamp in drive.stamps[4:]]
    drive.poses[4:] = [drive.at(drive.seconds(k)) for k in range(4, 12)]
    drive.taken = drive.poses
    components = [name for name in files.COMPONENTS if name != "camera_image"]
    root = write_v2(tmp_path / "v2", drive, components)
    encode_clip([np.zeros((90, 160, 3), np.uint8)] * 12, root / f"{FRONT}.mp4", 10.0)
    loaded = load(Found(root, "waymo_v2", FRONT))
    recording = loaded.recording
    assert (len(recording.times), recording.clip) == (8, None)
    assert any("not used, because samples at the start are omitted" in note for note in loaded.notes)
    np.testing.assert_allclose(entity(recording, "lead").poses[0, :3, 3], drive.where(THINGS[0], 4), atol=2e-3)
    np.testing.assert_allclose(recording.vehicle_pose[0], drive.poses[4], atol=2e-3)
    assert recording.provenance["first_stamp_us"] == drive.stamps[4]


def test_without_a_camera_what_the_lidar_hit_is_visible(tmp_path):
    loaded = load(resolve(write_v2(tmp_path / "v2", DRIVE, components=("lidar_box",)))[0])
    assert entity(loaded.recording, "far-sign").visible[0]
    assert not entity(loaded.recording, "few-points").visible.any()
    assert entity(loaded.recording, "lead").box2d is None


def test_rectangles_are_projected_where_the_source_draws_none(tmp_path):
    components = [name for name in files.COMPONENTS if name != "projected_lidar_box"]
    loaded = load(resolve(write_v2(tmp_path / "v2", DRIVE, components))[0])
    assert any("no projected boxes" in note for note in loaded.notes)
    for thing in THINGS[:6]:
        for k in range(DRIVE.count):
            if (drawn := DRIVE.rectangle(thing, k, LENSES[1])) is not None:
                # Outside the picture the lens's polynomial means nothing; what reaches there may differ a little.
                inside = drawn == DRIVE.outline(thing, k, LENSES[1])
                found = entity(loaded.recording, thing.id).box2d[k]
                np.testing.assert_allclose(found, drawn, atol=0.05 if inside else 3.0)


@pytest.mark.parametrize("inside", [".", "clips"])
def test_a_squeezed_clip_stands_for_missing_pictures(tmp_path, inside):
    components = [name for name in files.COMPONENTS if name != "camera_image"]
    root = write_v2(tmp_path / "v2", DRIVE, components)
    (root / inside).mkdir(exist_ok=True)
    grey = [np.full((90, 160, 3), 10 * k, np.uint8) for k in range(DRIVE.count)]
    encode_clip(grey, root / inside / f"{FRONT}.mp4", 10.0)
    recording = load(Found(root, "waymo_v2", FRONT)).recording
    assert recording.clip.path == (root / inside / f"{FRONT}.mp4").resolve()
    assert (recording.clip.width, recording.clip.height, recording.clip.fps) == (160, 90, 10.0)
    f_u, f_v, c_u, c_v, *_ = LENSES[1].intrinsic
    x, y = 160 / 480, 90 / 320
    np.testing.assert_allclose(recording.intrinsics, [[f_u * x, 0, c_u * x], [0, f_v * y, c_v * y], [0, 0, 1]])
    drawn = np.array(DRIVE.rectangle(THINGS[0], 2, LENSES[1]))
    np.testing.assert_allclose(entity(recording, "lead").box2d[2], drawn * [x, y, x, y])
    assert entity(recording, "lead").visible[0]  # the rule is that of the published size, whatever the clip's
    truth = np.stack([pose @ LENSES[1].extrinsic @ TO_OPENCV for pose in DRIVE.poses])
    np.testing.assert_allclose(recording.world_T_camera, truth, atol=2e-3)  # no pose of the pictures is known
    other = load(Found(root, "waymo_v2", f"{SEGMENT}_camera_4"))
    assert (other.recording.clip, len(other.pictures)) == (None, 0)
    assert any("no pictures" in note for note in other.notes)


def test_a_clip_that_is_shorter_than_the_segment_keeps_the_first_samples(tmp_path):
    components = [name for name in files.COMPONENTS if name != "camera_image"]
    root = write_v2(tmp_path / "v2", DRIVE, components)
    encode_clip([np.zeros((90, 160, 3), np.uint8)] * 8, root / f"{FRONT}.mp4", 10.0)
    loaded = load(Found(root, "waymo_v2", FRONT))
    assert len(loaded.recording.times) == 8
    assert any("the clip has 8 frames, but there are 12 samples" in note for note in loaded.notes)
    assert entity(loaded.recording, "left").poses.shape == (8, 4, 4)


def test_a_clip_of_another_rate_is_refused(tmp_path):
    root = write_v2(tmp_path / "v2", DRIVE, ("camera_calibration",))
    encode_clip([np.zeros((90, 160, 3), np.uint8)] * 12, root / f"{FRONT}.mp4", 30.0)
    with pytest.raises(InputError, match=r"30 frames per second, but the segment has 9.998 samples"):
        load(Found(root, "waymo_v2", FRONT))


def test_samples_without_a_picture_are_left_out_and_a_lost_pose_is_invalid(tmp_path):
    tables = files.v2_tables(DRIVE)
    root = write_v2(tmp_path / "v2", DRIVE)
    image = pa.table(tables["camera_image"])
    kept = [stamp != DRIVE.stamps[0] for stamp in image["key.frame_timestamp_micros"].to_pylist()]
    pq.write_table(image.filter(pa.array(kept)), root / "camera_image" / f"{SEGMENT}.parquet")
    pose = pa.table(tables["vehicle_pose"]).filter(pa.array([stamp != DRIVE.stamps[3] for stamp in DRIVE.stamps[::-1]]))
    pq.write_table(pose, root / "vehicle_pose" / f"{SEGMENT}.parquet")
    loaded = load(Found(root, "waymo_v2", FRONT))
    recording = loaded.recording
    assert (len(recording.times), len(loaded.pictures)) == (DRIVE.count - 1, DRIVE.count - 1)
    assert recording.valid.all()  # the picture's own pose is known
    assert np.isnan(recording.vehicle_pose[2]).all()
    lead = entity(recording, "lead")
    assert np.isnan(lead.poses[2]).all()
    assert not lead.visible[2]
    np.testing.assert_allclose(lead.poses[0, :3, 3], DRIVE.where(THINGS[0], 1), atol=2e-3)


# ---------------------------------------------------------------- version 2: what is refused

POSE = "[VehiclePoseComponent].world_from_vehicle.transform"


def changed(component, column, change):
    """The segment with one column of one component changed, or taken out where ``change`` gives None."""

    def write(root):
        table = files.v2_tables(DRIVE)[component]
        value = change(table[column])
        table = {name: cells for name, cells in table.items() if name != column}
        if value is not None:
            table[column] = value
        write_v2(root, DRIVE)
        files.write_table(root / component / f"{SEGMENT}.parquet", table)

    return write


def broken(component, change):
    def write(root):
        file = write_v2(root, DRIVE) / component / f"{SEGMENT}.parquet"
        file.write_bytes(change(file.read_bytes()))

    return write


def emptied(component):
    def write(root):
        file = write_v2(root, DRIVE) / component / f"{SEGMENT}.parquet"
        pq.write_table(pq.read_table(file).slice(0, 0), file)

    return write


def first(value):
    """A change of the first cell."""

    def change(cells):
        return pa.array([value, *cells.to_pylist()[1:]], cells.type)

    return change


BOX = "[LiDARBoxComponent]."
CALIBRATION = "[CameraCalibrationComponent]."
REFUSED = {
    "no poses": (changed("vehicle_pose", POSE, lambda cells: None), r"vehicle_pose.*transform' is missing.*16 numbers"),
    "poses of text": (
        changed("vehicle_pose", POSE, lambda cells: pa.array(["x"] * 12)),
        r"transform' is of type string, expected lists of 16",
    ),
    "short transform": (
        changed("vehicle_pose", POSE, lambda cells: pa.array([[1.0] * 15, *cells.to_pylist()[1:]])),
        r"row 0 \(from 0\), has 15 numbers, expected 16",
    ),
    "stamp twice": (
        changed("vehicle_pose", "key.frame_timestamp_micros", first(DRIVE.stamps[5])),
        r"occurs twice, expected each stamp once",
    ),
    "other segment": (
        changed("vehicle_pose", "key.segment_context_name", first("another")),
        r"contains 'another', expected only",
    ),
    "stamps as text": (
        changed("vehicle_pose", "key.frame_timestamp_micros", lambda cells: pa.array(["1"] * 12)),
        r"timestamp_micros' is of type string, expected whole numbers",
    ),
    "cut short": (broken("lidar_box", lambda data: data[:-20]), r"lidar_box.*not a Parquet file that can be read"),
    "no Parquet": (broken("vehicle_pose", lambda data: b"PAR1"), r"vehicle_pose.*not a Parquet file"),
    "empty": (emptied("lidar_box"), r"lidar_box.*the table has no rows"),
    "no rows of poses": (emptied("vehicle_pose"), r"vehicle_pose.*the table has no rows"),
    "centre is NaN": (
        changed("lidar_box", f"{BOX}box.center.x", first(float("nan"))),
        r"box.center.x', row 0 \(from 0\), is nan, expected a finite number",
    ),
    "empty cell": (changed("lidar_box", f"{BOX}box.heading", first(None)), r"heading' has 1 empty cells"),
    "type 9": (changed("lidar_box", f"{BOX}type", first(9)), r"lidar_box.*type 9, expected 1 to 4"),
    "flat box": (
        changed("lidar_box", f"{BOX}box.size.z", first(0.0)),
        r"lidar_box/.*\.parquet: column '\[LiDARBoxComponent\].box.size': object lead has a box of .* above 0",
    ),
    "points below 0": (
        changed("lidar_box", f"{BOX}num_lidar_points_in_box", lambda cells: pa.array([-1] * len(cells), cells.type)),
        r"lidar_box.*num_lidar_points_in_box', row 0 \(from 0\), is -1, expected 0 or more",
    ),
    "far away": (
        changed("lidar_box", f"{BOX}box.center.x", first(1e300)),
        r"box.center.x', row 0 \(from 0\), is 1e\+300, expected a length of less than 1e\+09 m",
    ),
    "track twice": (
        changed("lidar_box", "key.laser_object_id", first("walker")),
        r"object walker has two boxes in sample 0",
    ),
    "no focal length": (
        changed("camera_calibration", f"{CALIBRATION}intrinsic.f_u", first(0.0)),
        r"camera 1: field 'intrinsic'.*begin with two focal lengths",
    ),
    "no mount": (
        changed("camera_calibration", f"{CALIBRATION}extrinsic.transform", first([0.0] * 16)),
        r"camera 1: field 'extrinsic' is not a rigid pose",
    ),
    "no picture": (
        changed("camera_image", "[CameraImageComponent].pose.transform", first([1.0] * 3 + [None] * 13)),
        r"pose.transform' has an empty number in a matrix",
    ),
    "projected without sizes": (
        changed("projected_lidar_box", "[ProjectedLiDARBoxComponent].box.size.y", lambda cells: None),
        r"projected_lidar_box.*box.size.y' is missing, expected numbers",
    ),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_a_broken_segment_is_refused_in_one_sentence(tmp_path, fault):
    write, sentence = REFUSED[fault]
    write(tmp_path / "v2")
    with pytest.raises(InputError, match=sentence) as told:
        load(Found(tmp_path / "v2", "waymo_v2", FRONT))
    assert "\n" not in str(told.value)


def test_an_unknown_camera_or_segment_is_refused(tmp_path):
    root = write_v2(tmp_path / "v2", DRIVE)
    with pytest.raises(InputError, match=r"has camera 3 in 0 rows"):
        load(Found(root, "waymo_v2", f"{SEGMENT}_camera_3"))
    with pytest.raises(InputError, match=r"there is no vehicle_pose/another.parquet"):
        load(Found(root, "waymo_v2", "another_camera_1"))
    with pytest.raises(InputError, match=r"contains 2 recordings .*choose one of these"):
        load(Found(root, "waymo_v2"))
    changed("camera_calibration", "key.camera_name", first(7))(tmp_path / "strange")
    with pytest.raises(InputError, match=r"camera 7 is unknown, expected 1 to 5"):
        load(Found(tmp_path / "strange", "waymo_v2", f"{SEGMENT}_camera_7"))
    nines = changed("camera_calibration", "key.camera_name", lambda cells: pa.array([9] * len(cells), cells.type))
    nines(tmp_path / "nines")
    with pytest.raises(InputError, match=r"'key.camera_name': camera 9 is unknown, expected 1 to 5"):
        load(Found(tmp_path / "nines", "waymo_v2", f"{SEGMENT}_camera_9"))


def test_a_broken_picture_is_refused_when_it_is_asked_for(tmp_path):
    changed("camera_image", "[CameraImageComponent].image", first(b"no picture"))(tmp_path / "v2")
    pictures = load(Found(tmp_path / "v2", "waymo_v2", FRONT)).pictures
    with pytest.raises(InputError, match=r"row 0 \(from 0\): cannot be decoded as a JPEG picture"):
        _ = pictures[0]
    assert pictures[1].shape == (320, 480, 3)


# ---------------------------------------------------------------- real data


def test_real_poses_alone(test_data):
    (found,) = resolve(test_data / "sti" / "waymo" / "v2")
    recording = load(found).recording
    assert (len(recording.times), int(recording.valid.sum())) == (199, 199)
    assert recording.fps == pytest.approx(10, abs=0.01)
    table = pq.read_table(next((test_data / "sti" / "waymo" / "v2" / "vehicle_pose").glob("*.parquet")))
    rows = sorted(zip(table["key.frame_timestamp_micros"].to_pylist(), table[POSE].to_pylist(), strict=True))
    places = [(row[3], row[7], row[11]) for _, row in rows]
    length = sum(math.dist(a, b) for a, b in itertools.pairwise(places))
    found_length = np.linalg.norm(np.diff(recording.world_T_camera[:, :3, 3], axis=0), axis=1).sum()
    assert found_length == pytest.approx(length, rel=1e-9)
    ahead = [row[0] for _, row in rows], [row[4] for _, row in rows]
    np.testing.assert_allclose(recording.world_T_camera[:, :2, 2], np.stack(ahead, axis=1), atol=1e-5)


def test_the_published_clip_stands_for_the_pictures_of_its_segment(test_data, tmp_path):
    clip = next((test_data / "sti" / "clips").glob("*_camera_1.mp4"))
    segment = clip.stem.removesuffix("_camera_1")
    root = write_v2(tmp_path / "v2", Drive(199), ("camera_calibration",), segment=segment)
    (root / "clips").mkdir()
    shutil.copyfile(clip, root / "clips" / clip.name)
    loaded = load(Found(root, "waymo_v2", f"{segment}_camera_1"), Given())
    recording = loaded.recording
    assert (recording.id, recording.clip.width, recording.clip.height) == (clip.stem, 640, 360)
    assert (len(recording.times), recording.fps) == (199, 10.0)
    np.testing.assert_allclose(np.diag(recording.intrinsics)[:2], [510 * 640 / 480, 512 * 360 / 320])
    assert np.abs(recording.world_T_camera[:, :3, 3] - ORIGIN).max() < 200
