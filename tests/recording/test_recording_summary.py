"""Summaries against an independent trajectory package, plain arithmetic, and angles as windings of complex numbers."""

import cmath
import dataclasses
import itertools
import json
import math

import numpy as np
import pytest
from evo.core.trajectory import PosePath3D
from evo.tools import file_interface
from hypothesis import given
from hypothesis import strategies as st
from recording_truth import polyline, rotation

from chronotope.recording import Entity, Kind, Recording, summarise
from chronotope.recording.sources import Given, load, resolve

REAL = {
    "freiburg1": ("trajectories/freiburg1_xyz-groundtruth.txt", 3000),
    "freiburg2": ("trajectories/fr2_desk_groundtruth.txt", 20956),
    "kitti": ("kitti-sequence-1", 51),
    "kitti text": ("kitti-sequence-1/poses.txt", 51),
    "kitchen": ("kitchen-rgbd", 180),
}


def winding(recording):
    """Degrees by which the forward vectors, projected to the ground, wind about up: arguments of quotients summed."""
    up = -recording.gravity
    east = np.cross(up, [0.3, 0.5, 0.7])
    east /= np.linalg.norm(east)
    north = np.cross(up, east)
    forward = recording.world_T_camera[recording.valid][:, :3, 2]
    points = [complex(f @ east, f @ north) for f in forward]
    return math.degrees(sum(cmath.phase(b / a) for a, b in itertools.pairwise(points)))


@pytest.fixture(scope="module")
def real(test_data):
    loaded = {}
    for name, (path, _) in REAL.items():
        (found,) = resolve(test_data / "sti" / path)
        loaded[name] = load(found, Given())
    return loaded


@pytest.mark.parametrize("name", REAL)
def test_real_trajectories_agree_with_evo(real, name):
    recording = real[name].recording
    summary = summarise(recording)
    evo = PosePath3D(poses_se3=list(recording.world_T_camera[recording.valid]))
    assert PosePath3D(poses_se3=list(recording.world_T_camera[:: len(recording.times) // 50])).check()[0]
    assert summary["path_length_m"] == pytest.approx(evo.path_length, rel=1e-6)
    first, last = evo.positions_xyz[[0, -1]]
    assert summary["displacement_m"] == pytest.approx(math.dist(first, last), rel=1e-6)
    length, distance = polyline(recording.world_T_camera[:, :3, 3].tolist())
    assert (summary["path_length_m"], summary["displacement_m"]) == pytest.approx((length, distance), rel=1e-9)
    assert summary["frames"] == REAL[name][1] and summary["invalid_frames"] == 0
    assert summary["mean_speed_mps"] == pytest.approx(length / summary["duration_s"], rel=1e-12)
    json.dumps(summary, allow_nan=False)


def test_real_files_agree_with_what_evo_reads_itself(real, test_data):
    first = file_interface.read_tum_trajectory_file(test_data / "sti" / REAL["freiburg1"][0])
    assert summarise(real["freiburg1"].recording)["path_length_m"] == pytest.approx(first.path_length, rel=1e-6)
    second = file_interface.read_tum_trajectory_file(test_data / "sti" / REAL["freiburg2"][0])
    second.reduce_to_ids([k for k in range(20957) if k != 10859])  # the row with the repeated stamp, which evo keeps
    summary = summarise(real["freiburg2"].recording)
    assert summary["path_length_m"] == pytest.approx(second.path_length, rel=1e-6)
    assert summary["duration_s"] == pytest.approx(second.timestamps[-1] - second.timestamps[0], abs=1e-6)
    kitti = file_interface.read_kitti_poses_file(test_data / "sti" / "kitti-sequence-1" / "poses.txt")
    for name in ("kitti", "kitti text"):
        assert summarise(real[name].recording)["path_length_m"] == pytest.approx(kitti.path_length, rel=1e-6)
        np.testing.assert_allclose(real[name].recording.world_T_camera, kitti.poses_se3, atol=2e-6)


@pytest.mark.parametrize("name", ["freiburg1", "freiburg2", "kitti"])
def test_real_turns_agree_with_the_winding(real, name):
    recording = real[name].recording
    assert summarise(recording)["net_turn_deg"] == pytest.approx(winding(recording), abs=1e-7)


def test_real_conventions(real):
    kitti, kitchen, desk = (real[name].recording for name in ("kitti", "kitchen", "freiburg2"))
    np.testing.assert_allclose(kitti.gravity, [0, 1, 0], atol=1e-6)
    assert kitti.intrinsics[0].tolist() == [707.0912, 0, 601.8873] and kitti.fps == pytest.approx(10)
    assert kitchen.fps == pytest.approx(30) and summarise(kitchen)["net_turn_deg"] is None
    assert len(real["kitchen"].pictures) == 180 and sum(path is not None for path in real["kitchen"].depth) == 60
    assert all(path.is_file() for path in (*real["kitchen"].pictures, *real["kitti"].pictures))
    assert any("1 rows that repeat an earlier time stamp" in note for note in real["freiburg2"].notes)
    assert desk.provenance["first_stamp"] == "1311868163.8697"
    assert {path.parent.name for path in real["kitti"].pictures} == {"image_l"} and real["kitti"].pictures[
        50
    ].stem == "000050"


def test_kitti_drives_ahead(real):
    """The car moves along its own viewing direction: a wrong axis or a transposed pose would not."""
    recording = real["kitti"].recording
    steps = np.diff(recording.world_T_camera[:, :3, 3], axis=0)
    ahead = np.einsum("ij,ij->i", steps, recording.world_T_camera[:-1, :3, 2]) / np.linalg.norm(steps, axis=1)
    assert ahead.min() > 0.99


def turning(angles, *, tilt=0.0, valid=None, **changes):
    """A camera at 1 m per second along x whose heading takes the given values (rad, left positive), world z up."""
    level = np.array([[0, 0, 1.0], [-1, 0, 0], [0, -1, 0]])  # looks along +x, upright
    poses = np.tile(np.eye(4), (len(angles), 1, 1))
    for k, angle in enumerate(angles):
        poses[k, :3, :3] = rotation((0, 0, 1), angle) @ rotation((0, 1, 0), -tilt) @ level
        poses[k, 0, 3] = k
    valid = np.ones(len(angles), bool) if valid is None else np.array(valid)
    poses[~valid] = np.nan
    fields = {"gravity": np.array([0.0, 0.0, -1.0])} | changes
    return Recording("r", Kind.INDOOR, "test", np.arange(len(angles), dtype=float), poses, valid, **fields)


@given(st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=8), st.floats(-1.4, 1.4))
def test_net_turn_is_the_sum_of_turns_left_positive_and_counts_full_circles(steps, tilt):
    angles = np.concatenate([[0.4], 0.4 + np.cumsum(steps)])
    recording = turning(angles, tilt=tilt)
    turn = summarise(recording)["net_turn_deg"]
    assert turn == pytest.approx(math.degrees(sum(steps)), abs=1e-6)
    assert turn == pytest.approx(winding(recording), abs=1e-6)


def test_net_turn_is_none_where_it_has_no_meaning():
    angles = [0.0, 0.1, 0.2]
    assert summarise(turning(angles))["net_turn_deg"] == pytest.approx(math.degrees(0.2))
    assert summarise(turning(angles, gravity=None))["net_turn_deg"] is None
    assert summarise(turning(angles, native_axes=None))["net_turn_deg"] is None
    assert summarise(turning(angles, tilt=math.radians(88.9)))["net_turn_deg"] is not None
    assert summarise(turning(angles, tilt=math.radians(-88.9)))["net_turn_deg"] is not None
    assert summarise(turning(angles, tilt=math.radians(89.1)))["net_turn_deg"] is None
    assert summarise(turning(angles, tilt=math.radians(-89.1)))["net_turn_deg"] is None


def test_invalid_samples_are_left_out():
    summary = summarise(turning([9, 0, 0.1, 9, 0.2, 9], valid=[False, True, True, False, True, False]))
    assert summary["frames"] == 6 and summary["invalid_frames"] == 3 and summary["duration_s"] == 5
    assert summary["path_length_m"] == summary["displacement_m"] == 3
    assert summary["mean_speed_mps"] == 1
    assert summary["net_turn_deg"] == pytest.approx(math.degrees(0.2))


def test_single_and_no_valid_sample():
    summary = summarise(turning([0.0]))
    assert summary["mean_speed_mps"] is None and summary["path_length_m"] == 0 and summary["net_turn_deg"] == 0
    nothing = summarise(turning([0.0, 0.0], valid=[False, False]))
    assert nothing["net_turn_deg"] is None and nothing["displacement_m"] == 0 and nothing["invalid_frames"] == 2


def test_keys_and_entities():
    bare = turning([0, 0.1])
    assert ", ".join(summarise(bare)) == (
        "id, kind, source, frames, duration_s, path_length_m, displacement_m, mean_speed_mps, net_turn_deg, "
        "invalid_frames, gravity"
    )
    assert summarise(bare)["kind"] == "indoor" and summarise(bare)["gravity"] == [0, 0, -1]
    cup = Entity("cup", "red cup", "cup", (0.1, 0.2, 0.3), np.eye(4)[None])
    summary = summarise(dataclasses.replace(bare, entities=(cup,)))
    assert summary["entities"] == [{"id": "cup", "label": "red cup", "category": "cup", "size": [0.1, 0.2, 0.3]}]


def test_short_texts_of_recordings_and_things():
    cup = Entity("cup", "red cup", "cup", (0.1, 0.2, 0.345678), np.eye(4)[None])
    assert repr(cup) == "<Entity 'cup': red cup, 0.1 x 0.2 x 0.346 m>"
    assert repr(dataclasses.replace(cup, poses=np.stack([np.eye(4)] * 2))).endswith("m, moves>")
    bare = turning([0, 0.1])
    assert repr(bare) == f"<Recording {bare.id!r}: indoor, 2 frames, {bare.times[-1]:.1f} s, no clip>"
    assert "1 entity, no clip" in repr(dataclasses.replace(bare, entities=(cup,)))
    assert len(repr(dataclasses.replace(bare, entities=(cup,) * 3000))) < 120
