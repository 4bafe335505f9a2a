"""Every form of source, written here byte by byte from known poses, and read back."""

import hashlib

import numpy as np
import pytest
from recording_truth import png, poses_of, quaternion, row, walk

from chronotope.errors import InputError
from chronotope.geometry import Axes
from chronotope.recording import Kind, load_recording, save_recording
from chronotope.recording.sources import SOURCES, Found, Given, companions, load, parse_gravity, passed_over, resolve

AXES, ANGLES, POSITIONS = walk(12)
POSES = poses_of(AXES, ANGLES, POSITIONS)
QUATERNIONS = np.array([quaternion(axis, angle) for axis, angle in zip(AXES, ANGLES, strict=True)])


def write_posed_frames(folder, numbers=16):
    (folder / "rgb").mkdir(parents=True)
    (folder / "poses.txt").write_text("\n".join(row(pose.ravel()[:numbers]) for pose in POSES) + "\n")
    for k in range(len(POSES)):
        png(folder / "rgb" / f"{k}.png")  # natural order: 2 before 10
    return folder


def write_seven_scenes(folder):
    folder.mkdir()
    for k, pose in enumerate(POSES):
        (folder / f"frame-{k:06d}.pose.txt").write_text(
            "\n".join("\t ".join(f"{x:.17e}" for x in r) for r in pose) + "\n"
        )
        png(folder / f"frame-{k:06d}.color.png")
        if k % 3 == 0:
            png(folder / f"frame-{k:06d}.depth.png")
    (folder / "camera-intrinsics.txt").write_text("585.0 0 320\n0 585.0 240\n0 0 1\n")
    return folder


def write_tum_rgbd(folder):
    """Ground truth every 10 ms and pictures halfway between samples, every 30 ms, on a straight constant turn."""
    stamps = [1305031098665900 + 10000 * k for k in range(100)]
    lines = ["# ground truth trajectory", "# file: 'x.bag'", "# timestamp tx ty tz qx qy qz qw"]
    for k, stamp in enumerate(stamps):
        q = quaternion((0, 0, 1), 0.02 * k)
        lines.append(f"{stamp // 10**6}.{stamp % 10**6:06d} {row([0.01 * k, 0, 1.5, *q])}")
    folder.mkdir()
    (folder / "groundtruth.txt").write_text("\n".join(lines) + "\n")
    colour, depth = ["# color images"], ["# depth maps"]
    for k in range(30):
        stamp = stamps[0] + 5000 + 30000 * k
        name = f"{stamp // 10**6}.{stamp % 10**6:06d}"
        colour.append(f"{name} rgb/{name}.png")
        png(folder / "rgb" / f"{name}.png")
        if k != 4:  # one depth picture is missing
            shifted = stamp + 8000
            name = f"{shifted // 10**6}.{shifted % 10**6:06d}"
            depth.append(f"{name} depth/{name}.png")
            png(folder / "depth" / f"{name}.png")
    (folder / "rgb.txt").write_text("\n".join(colour) + "\n")
    (folder / "depth.txt").write_text("\n".join(depth) + "\n")
    return folder


def write_kitti(folder, *, calibration=None, pictures="image_0"):
    folder.mkdir()
    (folder / "poses.txt").write_text("\n".join(row(pose[:3].ravel()) for pose in POSES))
    (folder / "calib.txt").write_text(
        calibration or "\n".join(f"P{k}: {kitti_projection(k)}" for k in range(4)) + "\nTr: 1 2 3\n"
    )
    for k in range(len(POSES)):
        png(folder / pictures / f"{k:06d}.png")
    return folder


def kitti_projection(camera):
    """Focal length 700, centre (600, 180), camera k at x = 0.25 k m."""
    return row([700, 0, 600, -700 * 0.25 * camera, 0, 700, 180, 0, 0, 0, 1, 0])


def the_only(path, **given):
    (found,) = resolve(path)
    return load(found, Given(**given))


@pytest.mark.parametrize("numbers", [12, 16])
def test_posed_frames(tmp_path, numbers):
    folder = write_posed_frames(tmp_path / "My walk", numbers)
    (folder / "intrinsics.txt").write_text("\ufeff# camera\n500, 0, 320\n0, 501, 240\n0, 0, 1\n", encoding="utf-8")
    loaded = the_only(folder, fps=4.0)
    recording = loaded.recording
    assert (recording.id, recording.kind, recording.source) == ("my-walk", Kind.INDOOR, "posed_frames")
    np.testing.assert_allclose(recording.world_T_camera, POSES, atol=1e-15)
    np.testing.assert_array_equal(recording.times, np.arange(12) / 4)
    assert [path.name for path in loaded.pictures] == [f"{k}.png" for k in range(12)]
    assert recording.gravity is None and recording.native_axes is Axes.OPENCV and recording.clip is None
    np.testing.assert_array_equal(recording.intrinsics, [[500, 0, 320], [0, 501, 240], [0, 0, 1]])
    assert any("indoor by convention" in note for note in loaded.notes)
    assert any("gravity is unknown" in note for note in loaded.notes)
    assert not any("rotation" in note for note in loaded.notes)
    assert recording.provenance["name"] == "My walk" and str(tmp_path) not in str(recording.provenance)


def test_folders_that_are_passed_over_are_told(tmp_path):
    walk_a, walk_b = write_posed_frames(tmp_path / "a"), write_posed_frames(tmp_path / "day" / "b")
    (tmp_path / "notes").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "LICENCE.md").write_text("mine")
    assert [found.path for found in resolve(tmp_path)] == [walk_a]
    assert passed_over(tmp_path) == (
        f"folder skipped: day: its files are one folder too deep: use {walk_b.parent} as the source",
        "folder skipped: notes: its format is unknown",
    )
    assert passed_over(walk_a) == passed_over(tmp_path / "day") == ()  # a source, and a folder of nothing but sources
    assert passed_over(tmp_path / "LICENCE.md") == ()


def test_a_benchmark_is_told_to_use_the_folder_of_its_recordings(tmp_path):
    (tmp_path / "bench" / "clips").mkdir(parents=True)
    (tmp_path / "bench" / "card.yaml").write_text("name: bench")
    write_posed_frames(tmp_path / "bench" / "recordings" / "walk")
    with pytest.raises(InputError, match=r"one folder too deep: use .*bench/recordings as the source"):
        resolve(tmp_path / "bench")


def test_posed_frames_need_a_rate(tmp_path):
    folder = write_posed_frames(tmp_path / "walk")
    with pytest.raises(InputError, match=r"--fps N or with 'fps: N' in .*chronotope\.yaml"):
        the_only(folder)


def test_chronotope_yaml_says_what_the_format_cannot_and_flags_win(tmp_path):
    folder = write_posed_frames(tmp_path / "walk")
    png(folder / "depth" / "3.png")
    (folder / "chronotope.yaml").write_text("fps: 5\nkind: outdoor\ngravity: [0, 0, -9.81]\ndepth_scale: 256\n")
    loaded = the_only(folder)
    assert loaded.recording.kind is Kind.OUTDOOR and loaded.recording.times[1] == 0.2
    np.testing.assert_array_equal(loaded.recording.gravity, [0, 0, -1])
    assert loaded.depth == (None, None, None, folder / "depth" / "3.png", *[None] * 8)
    assert loaded.recording.depth_scale == 256
    assert loaded.notes == ()
    flagged = the_only(folder, fps=10.0, kind=Kind.DESKTOP, gravity=(0.0, 3.0, 0.0)).recording
    assert flagged.kind is Kind.DESKTOP and flagged.times[1] == 0.1
    np.testing.assert_array_equal(flagged.gravity, [0, 1, 0])
    assert flagged.provenance["said_by"] == {
        "fps": "flag",
        "kind": "flag",
        "gravity": "flag",
        "depth_scale": "chronotope.yaml",
    }
    assert the_only(folder, gravity="unknown").recording.gravity is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("fsp: 5", "field 'fsp' is unknown"),
        ("fps: 0", "field 'fps'.*greater than or equal to 0.1.*found '0'"),
        ("fps: fast", "field 'fps'"),
        ("kind: space", "field 'kind'"),
        ("gravity: [0, 0]", "field 'gravity'.*expected an axis"),
        ("gravity: [0, 0, 0]", "field 'gravity'.*no direction"),
        ("gravity: down", "field 'gravity'.*expected an axis"),
        ("depth_scale: -1", "field 'depth_scale'"),
        ("[1]", "expected 'name: value' lines"),
        ("a: [", "not YAML"),
    ],
)
def test_broken_chronotope_yaml(tmp_path, text, sentence):
    folder = write_posed_frames(tmp_path / "walk")
    (folder / "chronotope.yaml").write_text(text)
    with pytest.raises(InputError, match=r"chronotope\.yaml: .*" + sentence) as caught:
        the_only(folder)
    assert "\n" not in str(caught.value)


def test_seven_scenes(tmp_path):
    loaded = the_only(write_seven_scenes(tmp_path / "kitchen"))
    recording = loaded.recording
    assert (recording.id, recording.kind, recording.source) == ("kitchen", Kind.INDOOR, "seven_scenes")
    np.testing.assert_allclose(recording.world_T_camera, POSES, atol=1e-12)
    np.testing.assert_allclose(recording.times, np.arange(12) / 30, atol=1e-15)
    assert [path.name for path in loaded.depth if path] == [f"frame-{k:06d}.depth.png" for k in (0, 3, 6, 9)]
    assert len(loaded.depth) == len(loaded.pictures) == 12 and loaded.depth[1] is None
    assert recording.intrinsics[0, 0] == 585 and recording.depth_scale == 1000
    assert recording.gravity is None
    assert "7-Scenes: 30 fps by convention" in loaded.notes


def test_seven_scenes_with_gaps(tmp_path):
    folder = write_seven_scenes(tmp_path / "kitchen")
    (folder / "frame-000005.pose.txt").unlink()
    (folder / "frame-000011.color.png").unlink()
    loaded = the_only(folder)
    np.testing.assert_array_equal(loaded.recording.valid, [k != 5 for k in range(11)])
    assert np.isnan(loaded.recording.world_T_camera[5]).all()
    assert any("1 of 11 samples have no pose" in note for note in loaded.notes)
    assert any("1 poses without a picture" in note for note in loaded.notes)


def test_seven_scenes_every_third_frame_and_a_hole(tmp_path):
    folder = write_seven_scenes(tmp_path / "thirds")
    for k in range(12):
        if k % 3:
            (folder / f"frame-{k:06d}.color.png").unlink()
    np.testing.assert_allclose(the_only(folder).recording.times, [0, 0.1, 0.2, 0.3], atol=1e-12)
    folder = write_seven_scenes(tmp_path / "hole")
    (folder / "frame-000004.color.png").unlink()
    loaded = the_only(folder)
    np.testing.assert_allclose(loaded.recording.times, np.delete(np.arange(12), 4) / 30, atol=1e-12)
    assert any("missing at 1 places; the times follow the numbers" in note for note in loaded.notes)


def test_tum_rgbd_poses_lie_between_the_samples(tmp_path):
    loaded = the_only(write_tum_rgbd(tmp_path / "fr1"))
    recording = loaded.recording
    truth = poses_of(
        [(0, 0, 1)] * 30, [0.02 * (0.5 + 3 * k) for k in range(30)], [(0.01 * (0.5 + 3 * k), 0, 1.5) for k in range(30)]
    )
    np.testing.assert_allclose(recording.world_T_camera, truth, atol=1e-12)
    np.testing.assert_allclose(recording.times, 0.03 * np.arange(30), atol=1e-12)
    np.testing.assert_array_equal(recording.gravity, [0, 0, -1])
    assert recording.kind is Kind.INDOOR and recording.valid.all()
    assert recording.provenance["first_stamp"] == "1305031098.670900"
    assert recording.depth_scale == 5000
    assert [k for k, path in enumerate(loaded.depth) if path is None] == [4]
    assert loaded.depth[0].name == "1305031098.678900.png"


def test_tum_rgbd_gap_in_the_ground_truth(tmp_path):
    folder = write_tum_rgbd(tmp_path / "fr1")
    lines = (folder / "groundtruth.txt").read_text().splitlines()
    kept = [line for k, line in enumerate(lines) if not 3 + 20 < k < 3 + 40]  # 0.2 s without samples
    (folder / "groundtruth.txt").write_text("\n".join(kept[: 3 + 60]) + "\n")  # and an early end
    loaded = the_only(folder)
    at = 0.005 + 0.03 * np.arange(30)
    expected = [(t <= 0.2 or t >= 0.4) and t <= 0.78 + 1e-9 for t in at]
    np.testing.assert_array_equal(loaded.recording.valid, expected)
    assert any("pictures are not between two samples at most 0.1 s apart" in note for note in loaded.notes)


def test_tum_rgbd_picture_at_the_last_sample_is_valid(tmp_path):
    folder = tmp_path / "fr"
    folder.mkdir()
    stamps = ["1311868163.8697", "1311868163.8731", "1311868163.8764"]
    (folder / "groundtruth.txt").write_text("\n".join(f"{s} 0 0 {k} 0 0 0 1" for k, s in enumerate(stamps)))
    (folder / "rgb.txt").write_text("\n".join(f"{s} {k}.png" for k, s in enumerate(stamps)))
    for k in range(3):
        png(folder / f"{k}.png")
    recording = the_only(folder).recording
    np.testing.assert_allclose(recording.world_T_camera[:, 2, 3], [0, 1, 2], atol=1e-12)
    assert recording.valid.all()


def test_tum_rgbd_missing_picture_is_told(tmp_path):
    folder = write_tum_rgbd(tmp_path / "fr1")
    (folder / "rgb" / "1305031098.700900.png").unlink()
    with pytest.raises(InputError, match=r"rgb\.txt, line 3: there is no file rgb/1305031098\.700900\.png"):
        the_only(folder)


def test_tum_rgbd_uneven_stamps_give_the_nominal_rate(tmp_path):
    folder = write_tum_rgbd(tmp_path / "fr1")
    lines = (folder / "rgb.txt").read_text().splitlines()
    (folder / "rgb.txt").write_text("\n".join([*lines[:8], *lines[9:]]))
    loaded = the_only(folder)
    np.testing.assert_allclose(loaded.recording.times, 0.03 * np.arange(29), atol=1e-12)
    assert any("1 of 28 periods differ by more than 20 % from 0.03 s" in note for note in loaded.notes)


@pytest.mark.parametrize(("pictures", "camera"), [("image_0", 0), ("image_2", 2), ("image_3", 3)])
def test_kitti_odometry(tmp_path, pictures, camera):
    loaded = the_only(write_kitti(tmp_path / "07", pictures=pictures))
    recording = loaded.recording
    assert (recording.id, recording.kind) == ("07", Kind.OUTDOOR)
    offset = np.eye(4)
    offset[0, 3] = 0.25 * camera
    np.testing.assert_allclose(recording.world_T_camera, POSES @ offset, atol=1e-12)
    np.testing.assert_allclose(recording.times, np.arange(12) / 10, atol=1e-15)
    np.testing.assert_array_equal(recording.intrinsics, [[700, 0, 600], [0, 700, 180], [0, 0, 1]])
    np.testing.assert_allclose(recording.gravity, POSES[0, :3, 1], atol=1e-15)
    assert "KITTI odometry: 10 fps by convention" in loaded.notes
    assert any("camera 0; they are shifted by" in note for note in loaded.notes) == (camera > 0)


@pytest.mark.parametrize(
    ("pictures", "offset"), [("image_l", 0), ("right", 0.25), ("image_right", 0.25), ("color", 0), ("image_1", 0.25)]
)
def test_kitti_calibration_without_labels(tmp_path, pictures, offset):
    calibration = kitti_projection(0) + "\n" + kitti_projection(1)
    loaded = the_only(write_kitti(tmp_path / "s", calibration=calibration, pictures=pictures))
    shift = np.eye(4)
    shift[0, 3] = offset
    np.testing.assert_allclose(loaded.recording.world_T_camera, POSES @ shift, atol=1e-12)


def test_kitti_colour_pictures_come_first_and_times_are_used(tmp_path):
    folder = write_kitti(tmp_path / "07", pictures="image_2")
    for k in range(12):
        png(folder / "image_0" / f"{k:06d}.png")
    (folder / "times.txt").write_text("\n".join(f"{5 + 0.104 * k:.6e}" for k in range(12)))
    loaded = the_only(folder)
    assert {path.parent.name for path in loaded.pictures} == {"image_2"}
    np.testing.assert_allclose(loaded.recording.times, 0.104 * np.arange(12), atol=1e-6)
    assert loaded.recording.provenance["first_stamp"] == "5.000000e+00"
    assert not any("fps" in note for note in loaded.notes)


@pytest.mark.parametrize(
    ("calibration", "pictures", "sentence"),
    [
        ("P0: 1 2 3", "image_0", r"calib\.txt, line 1: 3 columns, expected 12"),
        ("P1: " + "1 " * 12, "image_0", r"no projection for the camera of image_0 \(row 0\)"),
        ("P0: " + "0 " * 12, "image_0", "not a camera projection"),
        (kitti_projection(0), "image_2", r"row 2"),
    ],
)
def test_kitti_broken_calibration(tmp_path, calibration, pictures, sentence):
    folder = write_kitti(tmp_path / "s", calibration=calibration, pictures=pictures)
    with pytest.raises(InputError, match=sentence):
        the_only(folder)


def test_tum_trajectory(tmp_path):
    path = tmp_path / "Desk 2.txt"
    lines = [f"1311868163.{8697 + 100 * k:04d} {row([*POSITIONS[k], *QUATERNIONS[k]])}" for k in range(12)]
    path.write_text("# timestamp tx ty tz qx qy qz qw\n" + "\n".join(lines) + "\n")
    loaded = the_only(path, fps=30.0)
    recording = loaded.recording
    assert (recording.id, recording.kind, recording.source) == ("desk-2", Kind.INDOOR, "tum_trajectory")
    np.testing.assert_allclose(recording.world_T_camera, POSES, atol=1e-12)
    np.testing.assert_allclose(recording.times, 0.01 * np.arange(12), atol=1e-15)
    np.testing.assert_array_equal(recording.gravity, [0, 0, -1])
    assert recording.native_axes is Axes.OPENCV and loaded.pictures == ()
    assert any("30 fps is not used" in note for note in loaded.notes)


def test_kitti_trajectory(tmp_path):
    path = tmp_path / "00.txt"
    path.write_text("\n".join(row(pose[:3].ravel()) for pose in POSES))
    loaded = the_only(path)
    np.testing.assert_allclose(loaded.recording.world_T_camera, POSES, atol=1e-12)
    np.testing.assert_allclose(loaded.recording.times, np.arange(12) / 10, atol=1e-15)
    np.testing.assert_allclose(loaded.recording.gravity, POSES[0, :3, 1], atol=1e-12)
    assert loaded.recording.kind is Kind.OUTDOOR
    assert "KITTI trajectory: 10 fps by convention" in loaded.notes
    loaded = the_only(path, fps=25.0)
    assert loaded.recording.times[1] == 0.04 and not any("fps" in note for note in loaded.notes)


@pytest.mark.parametrize("place", ["poses/00_times.txt", "poses/times.txt", "sequences/00/times.txt"])
def test_kitti_trajectory_takes_the_times_that_lie_beside_it(tmp_path, place):
    path, times = tmp_path / "poses" / "00.txt", tmp_path / place
    for file in (path, times):
        file.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(row(pose[:3].ravel()) for pose in POSES))
    times.write_text("\n".join(f"{0.1036 * k:e}" for k in range(12)))
    [found] = [one for one in resolve(path.parent) if one.path == path]
    loaded = load(found, Given())
    np.testing.assert_allclose(loaded.recording.times, 0.1036 * np.arange(12), atol=1e-9)
    assert f"00.txt: times are read from {times.name}" in loaded.notes and companions(found) == [times]
    assert not any("fps by convention" in note for note in loaded.notes)
    # Times of other poses are not taken.
    times.write_text("0.0\n0.1\n")
    assert load(found, Given()).recording.times[1] == 0.1


@pytest.mark.parametrize(("step", "kind"), [(4.0, Kind.INDOOR), (40.0, Kind.OUTDOOR)])
def test_a_way_that_no_room_holds_is_outdoor(tmp_path, step, kind):
    lines = [f"{k / 10} {row([step * k, 1.0, 0.0, 0, 0, 0, 1])}" for k in range(12)]
    (tmp_path / "track.tum").write_text("\n".join(lines))
    (tmp_path / "state.csv").write_text(
        "\n".join(f"{1403636580838555648 + 10**8 * k}, {step * k}, 0, 0, 1, 0, 0, 0" for k in range(12))
    )
    for name in ("track.tum", "state.csv"):
        loaded = the_only(tmp_path / name)
        told = [note for note in loaded.notes if "kind" in note]
        assert loaded.recording.kind is kind
        assert ("440 m wide" in told[0]) == (kind is Kind.OUTDOOR) and len(told) == 1
        assert the_only(tmp_path / name, kind=Kind.INDOOR).recording.kind is Kind.INDOOR


@pytest.mark.parametrize("more", ["", ", 0.1, 0.2, 0.3, text, , 1"])
def test_euroc_trajectory(tmp_path, more):
    path = tmp_path / "data.csv"
    lines = ["#timestamp [ns], p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], q_RS_y [], q_RS_z []"]
    for k in range(12):
        x, y, z, w = QUATERNIONS[k]
        lines.append(f"{1403636580838555392 + 5000001 * k},{','.join(row([*POSITIONS[k], w, x, y, z]).split())}{more}")
    path.write_text("\r\n".join(lines) + "\r\n")
    recording = load(Found(path, "euroc_trajectory"), Given()).recording
    np.testing.assert_allclose(recording.world_T_camera, POSES, atol=1e-12)
    np.testing.assert_allclose(recording.times, 0.005000001 * np.arange(12), rtol=1e-15)  # exact to the nanosecond
    np.testing.assert_array_equal(recording.gravity, [0, 0, -1])
    assert recording.native_axes is None and recording.provenance["first_stamp"] == "1403636580838555392"


def test_recording_folder(tmp_path):
    recording = the_only(write_kitti(tmp_path / "07")).recording
    save_recording(recording, tmp_path / "saved")
    loaded = the_only(tmp_path / "saved", kind=Kind.INDOOR, gravity="unknown")
    assert loaded.recording.kind is Kind.INDOOR and loaded.recording.gravity is None and len(loaded.notes) == 2
    with pytest.raises(InputError, match="so --fps cannot be used with it"):
        the_only(tmp_path / "saved", fps=3.0)
    plain = the_only(tmp_path / "saved")
    np.testing.assert_array_equal(plain.recording.world_T_camera, recording.world_T_camera)
    assert plain.notes == () and load_recording(tmp_path / "saved").source == "kitti_odometry"


def test_recording_folder_whose_clip_is_gone(tmp_path):
    import dataclasses

    from chronotope.recording import Clip

    recording = the_only(write_kitti(tmp_path / "07")).recording
    clip = Clip(tmp_path / "a.mp4", hashlib.sha256(b"x").hexdigest(), 10.0, 64, 36)
    save_recording(dataclasses.replace(recording, clip=clip), tmp_path / "saved")
    gone = the_only(tmp_path / "saved")
    assert gone.recording.clip is None and any("a.mp4 is missing" in note for note in gone.notes)
    clip.path.write_bytes(b"x")
    assert the_only(tmp_path / "saved").recording.clip == clip


def test_a_folder_of_sources_is_resolved_in_order(tmp_path):
    write_kitti(tmp_path / "b")
    write_seven_scenes(tmp_path / "a")
    (tmp_path / "c.txt").write_text("0 0 0 0 0 0 0 1\n1 0 0 0 0 0 0 1\n")
    (tmp_path / "readme.txt").write_text("nothing")
    (tmp_path / ".hidden").mkdir()
    assert [(f.path.name, f.source) for f in resolve(tmp_path)] == [
        ("a", "seven_scenes"),
        ("b", "kitti_odometry"),
        ("c.txt", "tum_trajectory"),
    ]
    assert [f.path.name for f in resolve(tmp_path, "tum_trajectory")] == ["c.txt"]


def test_none_and_two_are_sentences(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no source of a known form") as caught:
        resolve(tmp_path / "empty")
    assert all(name in str(caught.value) for name in SOURCES)
    with pytest.raises(InputError, match="no such file or folder"):
        resolve(tmp_path / "nowhere")
    write_tum_rgbd(tmp_path / "both")
    write_posed = tmp_path / "both" / "poses.txt"
    write_posed.write_text(row(POSES[0].ravel()))
    for path in (tmp_path / "both", tmp_path):
        with pytest.raises(
            InputError, match="matches the formats posed_frames and tum_rgbd; choose one of these formats with --source"
        ):
            resolve(path)
    assert resolve(tmp_path / "both", "tum_rgbd") == [Found(tmp_path / "both", "tum_rgbd")]
    with pytest.raises(InputError, match=r"--source tum: .*expected one of argoverse2, euroc_trajectory"):
        resolve(tmp_path, "tum")


def test_a_forced_form_says_what_it_misses(tmp_path):
    (tmp_path / "x").mkdir()
    with pytest.raises(InputError, match=r"poses\.txt: cannot be read"):
        load(resolve(tmp_path / "x", "kitti_odometry")[0], Given())
    with pytest.raises(InputError, match=r"0 pictures such as frame-000000\.color\.png"):
        load(resolve(tmp_path / "x", "seven_scenes")[0], Given())
    odd = tmp_path / "walk.trajectory"
    odd.write_text("0 0 0 0 0 0 0 1\n1 0 0 0 0 0 0 1\n")
    assert load(resolve(odd, "tum_trajectory")[0], Given()).recording.id == "walk"


def test_short_comma_stamps_could_be_either(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("0,0,0,0,0,0,0,1\n1,0,0,0,0,0,0,1\n")
    with pytest.raises(InputError, match="euroc_trajectory and tum_trajectory"):
        resolve(path)


def test_sources_are_the_modules_of_the_folder():
    assert list(SOURCES) == [
        "argoverse2",
        "euroc_trajectory",
        "kitti_odometry",
        "kitti_trajectory",
        "omni6dpose",
        "posed_frames",
        "recording_folder",
        "scannet",
        "seven_scenes",
        "tum_rgbd",
        "tum_trajectory",
        "waymo_tfrecord",
        "waymo_v2",
    ]
    assert all(
        name == module.NAME and module.TITLE and module.EXPECTED.startswith("a ") for name, module in SOURCES.items()
    )


@pytest.mark.parametrize(
    ("text", "vector"),
    [("-z", (0, 0, -1)), ("+y", (0, 1, 0)), ("0,0,-9.81", (0, 0, -1)), (" 0, 3, -4 ", (0, 0.6, -0.8))],
)
def test_gravity_is_parsed(text, vector):
    assert parse_gravity(text) == pytest.approx(vector, abs=1e-15)


@pytest.mark.parametrize("text", ["", "z", "down", "0,0", "0,0,0", "nan,0,1", "0,0,inf", "--z", "1,2,3,4"])
def test_bad_gravity_is_a_sentence(text):
    with pytest.raises(InputError, match=r"^gravity .*expected an axis"):
        parse_gravity(text)


def test_gravity_unknown_and_bad_flags(tmp_path):
    assert parse_gravity("Unknown") == "unknown"
    folder = write_kitti(tmp_path / "07")
    with pytest.raises(InputError, match="--fps -1"):
        the_only(folder, fps=-1)
    with pytest.raises(InputError, match="no direction"):
        the_only(folder, gravity=(0.0, 0.0, 0.0))


def test_files_beside_a_source_are_known(tmp_path):
    """A build made of them is made anew when one of them changes."""
    for name in ("vehicle_pose/a.parquet", "camera_box/a.parquet", "camera_box/b.parquet"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = Found(tmp_path / "vehicle_pose" / "a.parquet", "waymo_v2")
    assert companions(found) == [tmp_path / "camera_box" / "a.parquet", tmp_path / "vehicle_pose" / "a.parquet"]
    for name in ("scene0000_00.sens", "scene0000_00.txt", "scene0001_00.txt"):
        (tmp_path / name).touch()
    beside = companions(Found(tmp_path / "scene0000_00.sens", "scannet"))
    assert [file.name for file in beside] == ["scene0000_00.sens", "scene0000_00.txt"]
    (tmp_path / "Meta").mkdir()
    (tmp_path / "Meta" / "real_obj_meta.json").touch()
    (tmp_path / "scene").mkdir()
    assert companions(Found(tmp_path / "scene", "omni6dpose")) == [tmp_path / "Meta" / "real_obj_meta.json"]
    assert companions(Found(tmp_path / "scene", "kitti_odometry")) == []
