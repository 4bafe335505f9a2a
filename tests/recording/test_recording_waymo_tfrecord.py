"""What only version 1.4 of Waymo's format has, its check sums and messages among it, and the one public frame."""

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
import recording_waymo_files as files
from hypothesis import given
from hypothesis import strategies as st
from recording_waymo_files import SEGMENT, Drive, write_v14

from chronotope.errors import InputError
from chronotope.recording.sources import Found, load, resolve
from chronotope.recording.sources.waymo.frame import read_frames

DRIVE = Drive()
FRONT = f"{SEGMENT}_camera_1"


def test_packed_or_not_and_in_any_order_the_records_say_the_same(tmp_path):
    plain = write_v14(tmp_path / "one.tfrecord", DRIVE)
    shuffled = write_v14(tmp_path / "other.tfrecord", DRIVE, packed=False, order=[3, 0, 1, 2, *range(11, 3, -1)])
    one, other = (load(Found(path, "waymo_tfrecord", FRONT)) for path in (plain, shuffled))
    np.testing.assert_array_equal(one.recording.world_T_camera, other.recording.world_T_camera)
    np.testing.assert_array_equal(one.recording.times, other.recording.times)
    for a, b in zip(one.recording.entities, other.recording.entities, strict=True):
        np.testing.assert_array_equal(a.poses, b.poses)
        np.testing.assert_array_equal(a.box2d, b.box2d)
    np.testing.assert_array_equal(one.pictures[7], other.pictures[7])


def flipped(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def test_a_wrong_check_sum_is_told_with_its_record(tmp_path):
    payloads = [files.frame_message(DRIVE, k) for k in range(3)]
    starts = [0, *itertools.accumulate(len(payload) + 16 for payload in payloads)]
    for record, inside, what in ((2, 1000, "payload"), (1, 3, "length"), (0, 9, "length")):
        path = files.write_tfrecord(tmp_path / "drive.tfrecord", payloads)
        flipped(path, starts[record] + inside)
        with pytest.raises(InputError, match=rf"record {record} \(from 0\): the check sum of its {what} is wrong"):
            load(Found(path, "waymo_tfrecord", FRONT))


def test_a_file_that_ends_too_early_or_is_empty_is_refused(tmp_path):
    path = write_v14(tmp_path / "drive.tfrecord", Drive(3))
    whole = path.read_bytes()
    for length in (len(whole) - 1, len(whole) - 100, 5):
        path.write_bytes(whole[:length])
        with pytest.raises(InputError, match=r"is incomplete, because the file ends too early"):
            load(Found(path, "waymo_tfrecord", FRONT))
    path.write_bytes(b"")
    with pytest.raises(InputError, match=r"the file is empty"):
        resolve(path)


NAMED = files.blob(1, files.blob(1, SEGMENT))
BAD_FRAMES = {
    "no message": (b"\xff" * 40, r"the frame is incomplete or not a message"),
    "no context": (files.whole(2, 5), r"the message Frame has no field 'context' \(number 1\)"),
    "a number as context": (files.whole(1, 5), r"the message Frame has no field 'context' \(number 1\)"),
    "a group without an end": (b"\x0b", r"the frame is incomplete or not a message"),
    "nothing but groups": (b"\x0b" * 10**5, r"the frame is incomplete or not a message"),
    "no stamp": (NAMED, r"the message Frame has no field 'timestamp_micros' \(number 2\)"),
    "a short pose": (
        NAMED + files.whole(2, 1) + files.blob(3, files.doubles(1, range(12), True)),
        r"the transform 'pose' of the message Frame has 12 numbers, expected 16",
    ),
    "half a number": (NAMED + files.whole(2, 1) + files.blob(3, files.blob(1, b"123")), r"incomplete or not a message"),
    "a camera without a number": (
        files.frame_message(DRIVE, 0) + files.blob(1, files.blob(2, files.whole(4, 9))),
        r"the message CameraCalibration has no field 'name' \(number 1\)",
    ),
    "a label without a box": (
        files.frame_message(DRIVE, 0) + files.blob(6, files.whole(3, 1)),
        r"the message Label has no field 'box' \(number 1\)",
    ),
    "an id that is no text": (
        files.frame_message(DRIVE, 0)
        + files.blob(6, files.blob(1, files.box_message((1, 1, 1), 1, 1, 1, 0)) + files.blob(4, b"\xff")),
        r"field 'id' of the message Label is not text in UTF-8",
    ),
}


@pytest.mark.parametrize("fault", BAD_FRAMES)
def test_a_record_that_is_no_frame_is_refused_in_one_sentence(tmp_path, fault):
    payload, sentence = BAD_FRAMES[fault]
    path = files.write_tfrecord(tmp_path / "drive.tfrecord", [payload])
    with pytest.raises(InputError, match=sentence) as told:
        resolve(path)
    assert "record 0 (from 0)" in str(told.value)
    assert "\n" not in str(told.value)


def test_a_file_is_one_segment(tmp_path):
    payloads = [files.frame_message(DRIVE, 0), files.frame_message(DRIVE, 1, segment="another")]
    path = files.write_tfrecord(tmp_path / "drive.tfrecord", payloads)
    with pytest.raises(InputError, match=r"frames of 1234.* and of another, expected frames of only one segment"):
        load(Found(path, "waymo_tfrecord", FRONT))
    with pytest.raises(InputError, match=r"what is not one of these"):
        load(Found(path, "waymo_tfrecord", "what"))


def test_a_box_that_is_not_finite_is_refused(tmp_path):
    box = files.box_message((float("nan"), 0, 0), 1, 1, 1, 0)
    label = files.blob(6, files.blob(1, box) + files.whole(3, 1) + files.blob(4, "x"))
    path = files.write_tfrecord(tmp_path / "drive.tfrecord", [files.frame_message(DRIVE, 0) + label])
    with pytest.raises(InputError, match=r"record 0 \(from 0\): field 'box' of laser label 6 is not finite"):
        resolve(path)


@pytest.mark.parametrize(
    ("x", "length", "points", "sentence"),
    [
        (
            1.0,
            1.0,
            -3 % 2**64,
            r"record 0 \(from 0\): laser label 6 has -3 lidar points \(field 7\), expected 0 or more",
        ),
        (1e300, 1.0, 7, r"record 0 \(from 0\): field 'box' of laser label 6 is \[1e\+300.*less than 1e\+09 m"),
        (1.0, 0.0, 7, r"drive.tfrecord: field 'box' of a laser label: object x has a box of .* above 0"),
    ],
)
def test_a_box_that_cannot_be_is_refused(tmp_path, x, length, points, sentence):
    label = files.blob(1, files.box_message((x, 0, 0), length, 1, 1, 0)) + files.whole(3, 1) + files.blob(4, "x")
    spoiled = files.frame_message(DRIVE, 0) + files.blob(6, label + files.whole(7, points))
    payloads = [spoiled, *(files.frame_message(DRIVE, k) for k in (1, 2))]
    path = files.write_tfrecord(tmp_path / "drive.tfrecord", payloads)
    with pytest.raises(InputError, match=sentence):
        load(Found(path, "waymo_tfrecord", FRONT))


@given(data=st.data())
def test_whatever_a_record_says_it_is_read_or_refused_in_one_sentence(tmp_path_factory, data):
    payload = bytearray(files.frame_message(DRIVE, 0))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(payload) - 1))
        payload[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    path = files.write_tfrecord(tmp_path_factory.mktemp("spoiled") / "drive.tfrecord", [bytes(payload)])
    try:
        list(read_frames(path, 1))
    except InputError as error:
        assert "record 0 (from 0)" in str(error)
        assert "\n" not in str(error)


@pytest.mark.parametrize("package", ["google.protobuf", "google_crc32c"])
def test_a_package_that_is_missing_is_told(tmp_path, monkeypatch, package):
    path = write_v14(tmp_path / "drive.tfrecord", Drive(1))
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=r"needs protobuf and google-crc32c .*: pip install 'chronotope\[waymo\]'$"):
        resolve(path)


# ---------------------------------------------------------------- real data


@pytest.fixture(scope="module")
def real_frame(test_data):
    return test_data / "sti" / "waymo" / "pvps_data_one_frame.tfrecord"


def test_a_single_frame_is_no_recording(real_frame):
    found = resolve(real_frame)
    assert [one.part[-9:] for one in found] == [f"_camera_{k}" for k in range(1, 6)]
    with pytest.raises(InputError, match=r"1 of 1 poses are valid; a recording needs at least two"):
        load(found[0])


def points_in_picture(frame, row, steps=9):
    """Pixels (N, 2) of points on the box's twelve edges that are in front of the camera, by the writer's own lens."""
    labels, camera = frame.labels, frame.camera
    f, d = camera.lens.intrinsics, camera.lens.distortion
    lens = files.Lens((f[0, 0], f[1, 1], f[0, 2], f[1, 2], *d), camera.extrinsic, 0, 0)
    taken = np.linalg.inv(frame.picture.vehicle @ camera.extrinsic) @ frame.vehicle
    cos, sin = math.cos(labels.headings[row]), math.sin(labels.headings[row])
    grid = np.linspace(-0.5, 0.5, steps)
    found = []
    for unit in itertools.product((-0.5, 0.5), (-0.5, 0.5), grid):
        for turned in (unit, unit[1:] + unit[:1], unit[2:] + unit[:2]):
            dx, dy, dz = np.array(turned) * labels.sizes[row]
            x, y, z, _ = taken @ [*(labels.centres[row] + [cos * dx - sin * dy, sin * dx + cos * dy, dz]), 1]
            if x > 0.1:
                found.append(files.pixel(lens, -y / x, -z / x))
    return np.array(found)


@pytest.mark.parametrize("number", range(1, 6))
def test_real_boxes_lie_where_the_data_set_draws_them(real_frame, number):
    (frame,) = read_frames(real_frame, number)
    assert frame.rectangles
    for name, drawn in frame.rectangles.items():
        row = frame.labels.ids.index(name)
        size = [frame.camera.lens.width, frame.camera.lens.height]
        pixels = points_in_picture(frame, row)
        low, high = np.clip(pixels.min(axis=0), 0, size), np.clip(pixels.max(axis=0), 0, size)
        assert (low <= drawn[:2] + 1).all()
        assert (high >= drawn[2:] - 1).all()
        if (drawn[:2] > 1).all() and (drawn[2:] < np.array(size) - 1).all():
            corners = points_in_picture(frame, row, steps=2)
            assert len(corners) == 24  # each of the eight, on three edges
            np.testing.assert_allclose([*corners.min(axis=0), *corners.max(axis=0)], drawn, atol=0.5)


def test_real_label_speeds_are_in_the_world(real_frame):
    (frame,) = read_frames(real_frame, None)
    speeds = np.hypot(*frame.labels.speeds[:, :2].T)
    moving = np.flatnonzero(speeds > 2)
    assert len(moving) >= 3
    yaw = math.atan2(frame.vehicle[1, 0], frame.vehicle[0, 0])
    for row in moving:
        off = math.atan2(frame.labels.speeds[row, 1], frame.labels.speeds[row, 0]) - frame.labels.headings[row] - yaw
        assert abs(math.degrees(math.remainder(off, 2 * math.pi))) < 5


def test_the_real_frame_has_what_its_description_says(real_frame):
    (frame,) = read_frames(real_frame, 1)
    counts = {kind: int((frame.labels.types == kind).sum()) for kind in (1, 2, 3, 4)}
    assert counts == {1: 37, 2: 12, 3: 25, 4: 1}
    assert sum(len(next(read_frames(real_frame, k)).rectangles) for k in range(1, 6)) == 62


def test_sources_are_listed_without_the_packages_of_the_extra():
    code = (
        "import sys; sys.modules['google'] = sys.modules['google.protobuf'] = sys.modules['google_crc32c'] = None; "
        "from chronotope.recording.sources import SOURCES; print('waymo_tfrecord' in SOURCES)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "True"
