"""Faults in source files: what can be repaired is repaired and noted, the rest is one sentence with file and line."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from recording_truth import png, poses_of, quaternion, rotation, row, walk
from scipy.spatial.transform import Rotation

from chronotope.errors import InputError
from chronotope.recording.sources import Given, load, resolve

AXES, ANGLES, POSITIONS = walk(6, seed=1)
POSES = poses_of(AXES, ANGLES, POSITIONS)
QUATERNIONS = np.array([quaternion(axis, angle) for axis, angle in zip(AXES, ANGLES, strict=True)])


def tum(k, digits=17, stamp=None):
    return f"{100 + 0.1 * k if stamp is None else stamp:.4f} {row([*POSITIONS[k], *QUATERNIONS[k]], digits)}"


def kitti(k):
    return row(POSES[k, :3].ravel())


def read(tmp_path, text, name="t.txt", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    (found,) = resolve(path)
    return load(found, Given())


def notes_about(loaded, word):
    return [note for note in loaded.notes if word in note]


def test_marks_comments_blanks_commas_and_line_ends(tmp_path):
    plain = read(tmp_path, "\n".join(tum(k) for k in range(6)))
    lines = [tum(0), "", "# a comment", tum(1) + " # here too", "   ", *(tum(k).replace(" ", ", ") for k in (2, 3))]
    lines += [tum(4).replace(" ", "\t") + "\t", tum(5).replace(" ", ",") + ","]
    odd = read(tmp_path, "\r\n".join(lines), "odd.txt", "utf-8-sig")
    np.testing.assert_array_equal(odd.recording.world_T_camera, plain.recording.world_T_camera)
    np.testing.assert_array_equal(odd.recording.times, plain.recording.times)
    assert odd.notes == plain.notes


def test_rounded_quaternions_are_normalised_without_a_word(tmp_path):
    loaded = read(
        tmp_path, "\n".join(f"{k} {row(POSITIONS[k])} {' '.join(f'{x:.4f}' for x in QUATERNIONS[k])}" for k in range(6))
    )
    R = loaded.recording.world_T_camera[:, :3, :3]
    np.testing.assert_allclose(R @ R.transpose(0, 2, 1), np.tile(np.eye(3), (6, 1, 1)), atol=1e-14)
    np.testing.assert_allclose(R, POSES[:, :3, :3], atol=3e-4)
    assert not notes_about(loaded, "quaternion")


def test_long_quaternions_are_normalised_and_told_and_wild_ones_are_invalid(tmp_path):
    q = QUATERNIONS.copy()
    q[1] *= 1.02
    q[3] *= 1.5
    q[4] = 0
    loaded = read(tmp_path, "\n".join(f"{k} {row([*POSITIONS[k], *q[k]])}" for k in range(6)))
    np.testing.assert_array_equal(loaded.recording.valid, [True, True, True, False, False, True])
    np.testing.assert_allclose(loaded.recording.world_T_camera[1], POSES[1], atol=1e-12)
    assert np.isnan(loaded.recording.world_T_camera[[3, 4]]).all()
    assert notes_about(loaded, "2 of 6 samples have a quaternion that is not of unit length")
    assert notes_about(loaded, "1 of 6 samples have a quaternion whose norm differs from 1 by up to 0.02")


def test_rotations_nearly_right_are_projected(tmp_path):
    """Determinant 0.9995 and shear: the nearest rotation is the polar factor, here from SciPy's own repair."""
    rng = np.random.default_rng(2)
    bent = POSES.copy()
    bent[:, :3, :3] = POSES[:, :3, :3] @ (np.eye(3) * 0.9995 ** (1 / 3) + 1e-4 * rng.standard_normal((6, 3, 3)))
    loaded = read(tmp_path, "\n".join(row(pose[:3].ravel()) for pose in bent))
    nearest = Rotation.from_matrix(bent[:, :3, :3]).as_matrix()
    np.testing.assert_allclose(loaded.recording.world_T_camera[:, :3, :3], nearest, atol=1e-9)
    np.testing.assert_array_equal(loaded.recording.world_T_camera[:, :3, 3], bent[:, :3, 3])
    assert notes_about(loaded, "6 of 6 samples have a rotation with an error of up to") and loaded.recording.valid.all()


WILD = {
    "nan": (lambda T: np.full((3, 4), np.nan), "have no pose"),
    "infinite position": (lambda T: np.c_[T[:, :3], [0, np.inf, 0]], "not finite"),
    "minus infinity": (lambda T: np.full((3, 4), -np.inf), "not finite"),
    "absurd position": (lambda T: np.c_[T[:, :3], [0, 1e30, 0]], "not finite"),
    "zeros": (lambda T: np.zeros((3, 4)), "rotation of zeros"),
    "mirrored": (lambda T: np.c_[T[:, :3] * [1, 1, -1], T[:, 3]], "not a rigid pose"),
    "scaled": (lambda T: np.c_[T[:, :3] * 2, T[:, 3]], "not a rigid pose"),
    "sheared": (lambda T: np.c_[T[:, :3] @ [[1, 0.3, 0], [0, 1, 0], [0, 0, 1]], T[:, 3]], "not a rigid pose"),
    "huge": (lambda T: np.c_[T[:, :3] * 1e200, T[:, 3]], "not a rigid pose"),
}


@pytest.mark.parametrize("name", WILD)
def test_what_is_no_pose_is_invalid_and_counted(tmp_path, name):
    spoil, word = WILD[name]
    rows = [spoil(POSES[k, :3]).ravel() if k in (0, 4) else POSES[k, :3].ravel() for k in range(6)]
    rows[0], rows[1] = rows[1], rows[0]  # sniffed by its first row, which stays a number either way
    loaded = read(tmp_path, "\n".join(row(r) for r in rows))
    np.testing.assert_array_equal(loaded.recording.valid, [True, False, True, True, False, True])
    assert np.isnan(loaded.recording.world_T_camera[[1, 4]]).all()
    assert notes_about(loaded, "2 of 6 samples have") and notes_about(loaded, word)


def test_last_row_of_a_matrix_counts(tmp_path):
    poses = POSES.copy()
    poses[2] = poses[2].T  # written column by column
    (tmp_path / "poses.txt").write_text("\n".join(row(pose.ravel()) for pose in poses))
    for k in range(6):
        png(tmp_path / "rgb" / f"{k}.png")
    recording = load(resolve(tmp_path)[0], Given(fps=2)).recording
    np.testing.assert_array_equal(recording.valid, [True, True, False, True, True, True])


def test_stamps_out_of_order_and_repeated(tmp_path):
    stamps = [100.0, 100.3, 100.1, 100.1, 100.2, 100.4]
    loaded = read(
        tmp_path, "\n".join(tum(k, stamp=stamp) for k, stamp in enumerate(stamps)) + "\nnan " + tum(0).split(" ", 1)[1]
    )
    np.testing.assert_allclose(loaded.recording.times, [0, 0.1, 0.2, 0.3, 0.4], atol=1e-12)
    np.testing.assert_allclose(loaded.recording.world_T_camera, POSES[[0, 2, 4, 1, 5]], atol=1e-12)
    assert notes_about(loaded, "not sorted by time; they were sorted")
    assert notes_about(loaded, "1 rows that repeat an earlier time stamp are omitted")
    assert notes_about(loaded, "1 rows without a finite time stamp are omitted")


SENTENCES = {
    "short": (f"{tum(0)}\n{tum(1)} 4\n", r"t\.txt, line 2: 9 columns, expected 8 \(stamp tx ty tz qx qy qz qw\)"),
    "text": (
        f"# x\n\n{tum(0)}\n{tum(1).replace(' ', ' two ', 1).rsplit(' ', 1)[0]}",
        r"t\.txt, line 4: column 2 is 'two'",
    ),
    "python number": (f"{tum(0)}\n{tum(1).replace('100', '1_00')}", "line 2: column 1 is '1_00"),
    "hole": (f"{tum(0).replace(' ', ',')}\n1,,2,3,4,5,6,7", "line 2: column 2 is '', expected a number"),
    "kitti": (f"{kitti(0)}\n{kitti(1)} 0", r"t\.txt, line 2: 13 columns, expected 12"),
    "one": (tum(0), r"t\.txt: 1 of 1 poses are valid; a recording needs at least two"),
    "one of many": (
        "\n".join([kitti(0), *["nan " * 12] * 3]),
        r"1 of 4 poses are valid \(t\.txt: 3 of 4 samples have no pose, and count as invalid\)",
    ),
    "no stamps": (f"{'nan' + tum(0)[8:]}\n{'nan' + tum(1)[8:]}", "no row has a time stamp"),
    "out of range": (f"{tum(0)}\n1e-99999999999999999999{tum(1)[8:]}", "line 2: the time stamp .* out of range"),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_faults_of_a_trajectory_are_sentences(tmp_path, name):
    text, sentence = SENTENCES[name]
    with pytest.raises(InputError, match=sentence) as caught:
        read(tmp_path, text)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes((tum(0) + "\n" + tum(1)).encode() + b"\xff")
    with pytest.raises(InputError, match=r"t\.txt: byte \d+ is not UTF-8"):
        load(resolve(path)[0], Given())


def posed(tmp_path, names, poses=POSES):
    (tmp_path / "poses.txt").write_text("\n".join(row(pose.ravel()) for pose in poses))
    for name in names:
        png(tmp_path / "rgb" / f"{name}.png")
    return load(resolve(tmp_path)[0], Given(fps=10))


def test_surplus_pictures_with_numbers(tmp_path):
    loaded = posed(tmp_path, [f"a{k:02d}" for k in range(9)])
    assert [path.stem for path in loaded.pictures] == [f"a{k:02d}" for k in range(6)]
    assert notes_about(
        loaded, "9 pictures and 6 poses: paired by the numbers in the file names, counted from 0; 6 pairs are kept"
    )


def test_missing_pictures_with_numbers(tmp_path):
    loaded = posed(tmp_path, [0, 2, 4])
    np.testing.assert_allclose(loaded.recording.world_T_camera, POSES[[0, 2, 4]], atol=1e-12)
    np.testing.assert_allclose(loaded.recording.times, [0, 0.2, 0.4], atol=1e-12)
    assert notes_about(loaded, "3 pictures and 6 poses")


def test_surplus_pictures_numbered_from_one(tmp_path):
    loaded = posed(tmp_path, range(1, 9))
    assert [path.stem for path in loaded.pictures] == ["1", "2", "3", "4", "5", "6"]
    np.testing.assert_allclose(loaded.recording.world_T_camera, POSES, atol=1e-12)


@pytest.mark.parametrize("names", [["a", "b", "c", "d"], ["1a9", "2a8", "3a7", "4a6"], [101, 102, 103, 104]])
def test_unequal_counts_without_usable_numbers_are_cut(tmp_path, names):
    loaded = posed(tmp_path, names)
    np.testing.assert_allclose(loaded.recording.world_T_camera, POSES[:4], atol=1e-12)
    np.testing.assert_allclose(loaded.recording.times, [0, 0.1, 0.2, 0.3], atol=1e-12)
    assert notes_about(loaded, "4 pictures and 6 poses: the first 4 of both")


def test_equal_counts_pair_in_natural_order_whatever_the_numbers(tmp_path):
    loaded = posed(tmp_path, [7, 8, 9, 10, 11, 30])
    assert [path.stem for path in loaded.pictures] == ["7", "8", "9", "10", "11"]  # 30 comes after a hole of 1.9 s
    np.testing.assert_allclose(loaded.recording.times, np.arange(5) / 10, atol=1e-12)
    np.testing.assert_allclose(loaded.recording.world_T_camera, POSES[:5], atol=1e-12)
    assert notes_about(loaded, "1 of 6 samples are omitted")


@pytest.mark.parametrize(("folders", "found"), [([], "none"), (["left", "right"], "left, right")])
def test_exactly_one_folder_of_pictures(tmp_path, folders, found):
    (tmp_path / "poses.txt").write_text("\n".join(row(pose.ravel()) for pose in POSES))
    for folder in folders:
        png(tmp_path / folder / "0.jpg")
    with pytest.raises(InputError, match=f"expected exactly one folder of png or jpg pictures .* found {found}"):
        load(resolve(tmp_path)[0], Given(fps=10))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("", "no rows, expected rows of 12 or 16"), ("1 2 3", "line 1: 3 columns, expected rows of 12 or 16")],
)
def test_posed_frames_rows(tmp_path, text, sentence):
    (tmp_path / "poses.txt").write_text(text)
    png(tmp_path / "rgb" / "0.png")
    with pytest.raises(InputError, match=r"poses\.txt.*" + sentence):
        load(resolve(tmp_path)[0], Given(fps=10))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 0 0\n0 1 0", "2 rows of numbers, expected 3 rows of 3"),
        ("1 0 0\n0 1\n0 0 1", "line 2: 2 columns, expected 3"),
        ("0 0 0\n0 1 0\n0 0 1", "is not a camera matrix"),
        ("nan 0 0\n0 1 0\n0 0 1", "is not a camera matrix"),
    ],
)
def test_broken_intrinsics(tmp_path, text, sentence):
    (tmp_path / "intrinsics.txt").write_text(text)
    with pytest.raises(InputError, match=r"intrinsics\.txt.*" + sentence):
        posed(tmp_path, range(6))


def test_kitti_times_too_short_or_not_increasing(tmp_path):
    (tmp_path / "poses.txt").write_text("\n".join(kitti(k) for k in range(6)))
    (tmp_path / "calib.txt").write_text("P0: " + row([700, 0, 600, 0, 0, 700, 180, 0, 0, 0, 1, 0]))
    for k in range(6):
        png(tmp_path / "image_0" / f"{k:06d}.png")
    (tmp_path / "times.txt").write_text("0\n1")
    with pytest.raises(InputError, match=r"times\.txt: 2 rows, expected one for each of the 6 rows"):
        load(resolve(tmp_path)[0], Given())
    (tmp_path / "times.txt").write_text("\n".join(["3"] * 6))
    with pytest.raises(InputError, match=r"times\.txt: the time stamps do not increase; .*--fps N"):
        load(resolve(tmp_path)[0], Given())
    loaded = load(resolve(tmp_path)[0], Given(fps=5))
    np.testing.assert_allclose(loaded.recording.times, np.arange(6) / 5, atol=1e-12)
    assert notes_about(loaded, "5 of 5 periods differ")


def test_gravity_of_kitti_skips_an_invalid_first_pose(tmp_path):
    rows = ["0 " * 12, *(kitti(k) for k in range(1, 6))]
    loaded = read(tmp_path, "\n".join(rows))
    np.testing.assert_allclose(loaded.recording.gravity, rotation(AXES[1], ANGLES[1])[:, 1], atol=1e-12)
    assert not loaded.recording.valid[0]


def straight(folder, numbers, *, stamps=None, form="seven_scenes", rate=30.0):
    """A camera at 1 m/s along x, its pictures ``numbers`` of ``rate`` per second (or at ``stamps``) in a form."""
    at = np.array(numbers) / rate if stamps is None else np.array(stamps)
    folder.mkdir()
    poses = np.tile(np.eye(4), (len(numbers), 1, 1))
    poses[:, 0, 3] = at
    names = [f"{number:06d}" for number in numbers]
    if form == "seven_scenes":
        for name, pose in zip(names, poses, strict=True):
            (folder / f"frame-{name}.pose.txt").write_text("\n".join(row(r) for r in pose))
            png(folder / f"frame-{name}.color.png")
            png(folder / f"frame-{name}.depth.png")
    elif form == "tum_rgbd":
        for name in names:
            png(folder / "rgb" / f"{name}.png")
        (folder / "rgb.txt").write_text("\n".join(f"{t:.6f} rgb/{n}.png" for t, n in zip(at, names, strict=True)))
        steps = np.arange(0, at[-1] + 0.02, 0.01)
        (folder / "groundtruth.txt").write_text("\n".join(f"{t:.6f} {t:.6f} 0 0 0 0 0 1" for t in steps))
    else:
        (folder / "poses.txt").write_text("\n".join(row(pose[:3].ravel()) for pose in poses))
        for name in names:
            png(folder / "image_0" / f"{name}.png")
        if form == "kitti_odometry":
            (folder / "calib.txt").write_text("P0: " + row([700, 0, 600, 0, 0, 700, 180, 0, 0, 0, 1, 0]))
            (folder / "times.txt").write_text("\n".join(f"{t:.6f}" for t in at))
    return folder


def speeds(recording):
    return np.diff(recording.world_T_camera[:, 0, 3]) / np.diff(recording.times)


@pytest.mark.parametrize("form", ["seven_scenes", "posed_frames", "kitti_odometry", "tum_rgbd"])
def test_nothing_is_joined_across_a_hole(tmp_path, form):
    """Closed up, 6 s without pictures would be a step of 6 m in one period."""
    numbers = [*range(100), *range(300, 420), *range(500, 530)]
    folder = straight(tmp_path / "s", numbers, form=form)
    loaded = load(resolve(folder)[0], Given(fps=30) if form == "posed_frames" else Given())
    recording = loaded.recording
    np.testing.assert_allclose(recording.times, np.arange(120) / 30, atol=1e-5)
    np.testing.assert_allclose(speeds(recording), 1, atol=1e-3)
    np.testing.assert_allclose(recording.world_T_camera[[0, -1], 0, 3], [10, 419 / 30], atol=1e-5)
    assert [path.stem.split(".")[0][-6:] for path in loaded.pictures] == [f"{k:06d}" for k in range(300, 420)]
    assert len(recording.valid) == 120 and len(loaded.depth) in (0, 120)
    assert notes_about(loaded, "samples 100 to 219) is kept, and 130 of 250 samples are omitted")
    if form == "seven_scenes":
        assert recording.provenance["first_frame"] == 300 and loaded.depth[0].name == "frame-000300.depth.png"
    elif form != "posed_frames":
        assert recording.provenance["first_stamp"] == "10.000000"


def test_numbers_that_pair_pictures_and_poses_show_a_hole_too(tmp_path):
    folder = straight(tmp_path / "s", range(90), form="posed_frames")
    for k in range(30, 50):
        (folder / "image_0" / f"{k:06d}.png").unlink()
    loaded = load(resolve(folder)[0], Given(fps=30))
    np.testing.assert_allclose(speeds(loaded.recording), 1, atol=1e-9)
    assert len(loaded.recording.times) == 40 and notes_about(loaded, "30 of 70 samples are omitted")


def test_a_hole_of_numbers_is_never_closed(tmp_path):
    at_limit = straight(tmp_path / "a", [*range(10), *range(24, 40)])  # 15 periods of 1/30 s
    recording = load(resolve(at_limit)[0], Given()).recording
    assert len(recording.times) == 16  # the clip would show the samples behind the hole 0.47 s too early
    np.testing.assert_allclose(speeds(recording), 1, atol=1e-9)
    over = straight(tmp_path / "b", [*range(10), *range(25, 40)])
    assert len(load(resolve(over)[0], Given()).recording.times) == 15
    slow = straight(tmp_path / "c", [0, 30, 60, 120, 150])  # every period is too long for a track anyway
    np.testing.assert_allclose(load(resolve(slow)[0], Given()).recording.times, [0, 1, 2, 4, 5], atol=1e-9)


def test_a_stamp_that_is_no_number_hides_no_hole(tmp_path):
    folder = straight(tmp_path / "s", range(21), stamps=0.1 * np.arange(21), form="kitti_odometry")
    stamps = [*(f"{0.1 * k:.3f}" for k in range(8)), "nan", *(f"{20 + 0.1 * k:.3f}" for k in range(12))]
    (folder / "times.txt").write_text("\n".join(stamps))
    loaded = load(resolve(folder)[0], Given(fps=10))
    assert loaded.recording.provenance["first_stamp"] == "20.000" and len(loaded.recording.times) == 12


def test_nothing_but_holes_is_told(tmp_path):
    folder = straight(tmp_path / "s", range(6), stamps=np.arange(6.0), form="kitti_odometry")
    with pytest.raises(InputError, match=r"1 of 1 poses are valid \(times\.txt: .* 5 of 6 samples are omitted\)"):
        load(resolve(folder)[0], Given(fps=10))


@pytest.mark.parametrize("form", ["kitti_odometry", "tum_rgbd"])
def test_stamps_that_drift_from_the_rate_of_the_clip_are_not_used(tmp_path, form):
    """28 then 32 pictures per second: every period near the nominal one, yet 0.3 s away from the clip halfway."""
    stamps = np.concatenate([[0], np.cumsum([1 / 28] * 140 + [1 / 32] * 160)])
    folder = straight(tmp_path / "drift", range(301), stamps=stamps, form=form)
    loaded = load(resolve(folder)[0], Given())
    np.testing.assert_allclose(loaded.recording.times, np.arange(301) / 30, atol=1e-6)
    assert notes_about(
        loaded, "the time stamps differ by up to 0.33 s from a constant rate; picture k gets the time k /"
    )
    jitter = np.arange(301) / 30 + 0.002 * np.sin(np.arange(301))
    kept = load(resolve(straight(tmp_path / "jitter", range(301), stamps=jitter, form=form))[0], Given()).recording
    np.testing.assert_allclose(kept.times, jitter, atol=2e-6)


def test_the_sentence_about_too_few_poses_tells_repairs_of_stamps(tmp_path):
    with pytest.raises(
        InputError, match=r"1 of 1 poses are valid \(t\.txt: 1 rows that repeat an earlier time stamp are omitted"
    ):
        read(tmp_path, f"{tum(0)}\n{tum(1, stamp=100)}")


@pytest.mark.parametrize("fps", ["0.09", "1000.5", "1e300", ".inf", ".nan", "-3"])
def test_frame_rates_that_no_camera_has_are_sentences(tmp_path, fps):
    folder = straight(tmp_path / "s", range(4), form="posed_frames")
    with pytest.raises(InputError, match=r"^--fps .*: expected 0\.1 to 1000 pictures per second$"):
        load(resolve(folder)[0], Given(fps=float(fps.replace(".i", "i").replace(".n", "n"))))
    (folder / "chronotope.yaml").write_text(f"fps: {fps}")
    with pytest.raises(InputError, match=r"chronotope\.yaml: .*fps"):
        load(resolve(folder)[0], Given())


def line(stamp: object, x: float, y: float = 0.0) -> str:
    return f"{stamp} {x:.5f} {y:.5f} 1 0 0 0 1"


@pytest.mark.parametrize(
    ("unit", "word"), [(1, None), (10**3, "milliseconds"), (10**6, "microseconds"), (10**9, "nanoseconds")]
)
@pytest.mark.parametrize("first", [0, 1403636580])
@pytest.mark.parametrize("end", ["", ".000000"])
def test_the_unit_of_stamps_is_told_by_plausibility(tmp_path, unit, word, first, end):
    stamps = [f"{first * unit + k * unit // 20}{end}" if unit > 1 else f"{first + k / 20:.3f}" for k in range(60)]
    path = tmp_path / "CameraTrajectory.txt"
    path.write_text("\n".join(line(stamp, 0.025 * k) for k, stamp in enumerate(stamps)))
    loaded = load(resolve(path)[0], Given())
    np.testing.assert_allclose(loaded.recording.times, np.arange(60) / 20, atol=1e-6)
    assert [note for note in loaded.notes if "stamps are read as" in note] == notes_about(loaded, f"as {word}")


def test_samples_over_more_than_a_day_are_refused(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("\n".join(line(20 * k, 0.1 * k) for k in range(5000)))
    with pytest.raises(InputError, match=r"extend over 9.998e\+04 s, more than a day: check that"):
        load(resolve(path)[0], Given())


def test_two_runs_in_one_file_are_refused(tmp_path):
    path = tmp_path / "two.txt"
    first = [line(f"{100 + k / 20:.3f}", 0.025 * k) for k in range(50)]
    other = [line(f"{100.013 + k / 20:.3f}", 0.025 * k, 3) for k in range(50)]
    path.write_text("\n".join([*first, "# the second run", *other]))
    with pytest.raises(InputError, match=r"two runs over the same times, 3 m apart \(lines 1 to 50 and 52 to 101\)"):
        load(resolve(path)[0], Given())
    path.write_text("\n".join([*first, *other[:0], *first[20:]]))  # a tool has written the end once more
    assert len(load(resolve(path)[0], Given()).recording.times) == 50


def test_poses_that_are_far_apart_and_hardly_possible_speeds_are_told(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("\n".join(line(f"{1.35 * k:.2f}", 40.0 * (k % 2)) for k in range(20)))
    loaded = load(resolve(path)[0], Given())
    assert notes_about(loaded, "the poses are 1.35 s apart, and motion is not interpolated")
    assert notes_about(loaded, "the camera moves at 29.6 m/s, which is hardly possible")


@pytest.mark.parametrize(("missing", "kept"), [([14], 29), ([5, 20], 28), ([10, 11, 12, 13], 16)])
def test_times_follow_the_numbers_of_pictures(tmp_path, missing, kept):
    folder = straight(tmp_path / "s", range(30), form="posed_frames")
    for k in missing:
        (folder / "image_0" / f"{k:06d}.png").unlink()
    recording = load(resolve(folder)[0], Given(fps=10)).recording
    assert len(recording.times) == kept
    np.testing.assert_allclose(speeds(recording), speeds(recording)[0], atol=1e-9)
    in_clip = np.arange(kept) / recording.fps
    assert np.abs(recording.times - in_clip).max() < 0.1


def turned_walk(folder: Path, orientation: int, matrix: np.ndarray, principal: tuple[float, float] | None) -> Path:
    """Write six pictures of 40 x 24 px with an EXIF orientation, and poses that move along the world's x axis."""
    (folder / "frames").mkdir(parents=True)
    exif = Image.Exif()
    exif[0x0112] = orientation
    rows = []
    for k in range(6):
        Image.new("RGB", (40, 24), (9 * k, 0, 0)).save(folder / "frames" / f"{k}.jpg", exif=exif)
        pose = np.eye(4)
        pose[:3, :3], pose[0, 3] = matrix, 0.1 * k
        rows.append(" ".join(f"{number:.8f}" for number in pose.ravel()))
    (folder / "poses.txt").write_text("\n".join(rows))
    if principal is not None:
        (folder / "intrinsics.txt").write_text("30 0 {}\n0 31 {}\n0 0 1".format(*principal))
    return folder


# The stored picture's axes in the world, if the upright camera has the world's axes: for orientation 6, the stored
# picture is turned clockwise to be shown, so its right side (+x) is shown at the bottom (+y).
STORED = {6: np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]), 8: np.array([[0.0, 1, 0], [-1, 0, 0], [0, 0, 1]])}


@pytest.mark.parametrize(("orientation", "shown"), [(6, (24 - 11, 19)), (8, (11, 40 - 19))])
def test_poses_of_stored_pictures_are_turned_with_them(tmp_path, orientation, shown):
    folder = turned_walk(tmp_path / "w", orientation, STORED[orientation], (19, 11))
    loaded = load(resolve(folder)[0], Given(fps=10))
    np.testing.assert_allclose(loaded.recording.world_T_camera[3, :3, :3], np.eye(3), atol=1e-9)
    np.testing.assert_allclose(loaded.recording.intrinsics, [[31, 0, shown[0]], [0, 30, shown[1]], [0, 0, 1]])
    assert notes_about(loaded, f"0.jpg is stored turned (EXIF orientation {orientation})")
    upright = turned_walk(tmp_path / "u", orientation, np.eye(3), (11, 19))  # intrinsics of what is shown
    again = load(resolve(upright)[0], Given(fps=10))
    np.testing.assert_allclose(again.recording.world_T_camera, loaded.recording.world_T_camera, atol=1e-9)
    assert notes_about(again, "belong to the upright pictures")


@pytest.mark.parametrize(
    ("orientation", "principal", "told"),
    [(6, None, "nothing tells whether"), (3, (20, 12), r"EXIF orientations \[3\]"), (5, (20, 12), "orientations")],
)
def test_turned_pictures_of_which_nothing_is_known_are_refused(tmp_path, orientation, principal, told):
    folder = turned_walk(tmp_path / "w", orientation, np.eye(3), principal)
    with pytest.raises(InputError, match=told):
        load(resolve(folder)[0], Given(fps=10))
