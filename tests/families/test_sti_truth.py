"""Every ground truth of built questions is worked out again by the witness, and printed as the specification says."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from sti_ways import way
from sti_witness import SLOW, WINDOW, Witness, facts_of, half_step, numbers

from chronotope.errors import InputError
from chronotope.families import WriteContext, family
from chronotope.recording import Scene
from chronotope.recording.sources import Given, load, resolve

STI = family("sti")
FORMS = {
    ("displacement", "outdoor"): r"\d+\.\d{2,4}m",
    ("displacement", "desktop"): r"\d+\.\d{3,4}m",
    ("path-length", "indoor"): r"\d+\.\d{2,4}m",
    ("average-speed", "outdoor"): r"\d+\.\d{2,4}m/s",
    ("speed", "desktop"): r"\d+\.\d{3,4}m/s",
    ("average-acceleration", "outdoor"): r"-?\d+\.\d{2,4}m/s²",
    ("orientation-change", "outdoor"): r"-?\d{1,3}°",
    ("orientation-change", "indoor"): r"-?\d{1,3}\.\d\d°",
}


def written(recording, profile="strict", seed=0, per_variant=8):
    return STI.build.write(Scene.of(recording), WriteContext(seed, profile, STI.build.Options(per_variant=per_variant)))


def check(recording, questions):
    fps = recording.clip.fps if recording.clip else recording.fps
    known = recording.times[recording.valid], recording.world_T_camera[recording.valid]
    for question in questions:
        facts = facts_of(question)
        if facts["formula"] == "trajectory":  # see test_sti_courses.py
            continue
        asked = (facts["at"],) * 2 if facts["formula"] in ("speed", "acceleration") else facts["window"]
        witness = Witness.around(*known, recording.kind.value, recording.up, min(fps, 10.0), *asked)
        again = witness.value(facts["formula"], facts["window"], facts.get("at"), facts["profile"])
        if facts["formula"] in ("speed", "average-speed") and facts["value"] == 0:
            half = WINDOW[recording.kind.value] / 2
            at = facts.get("at")
            assert witness.rests(*(facts["window"] if at is None else (at - half, at + half)))
            assert at is None or witness.speed(at) < SLOW[recording.kind.value]
            continue
        truth = np.asarray(facts["value"])
        truth = truth[:3] if truth.ndim else truth
        again = np.asarray(again)[:3] if np.ndim(again) else again
        assert np.allclose(truth, again, atol=1e-6, rtol=0), question.id
        right = question.options[question.answer[0]].text
        error = np.abs(numbers(right) - again)
        if facts["formula"] == "orientation-change":
            error = np.abs((error + 180) % 360 - 180)
        assert np.all(error <= half_step(right) + 1e-6), question.id
        assert len({option.text for option in question.options}) == 5


@pytest.mark.parametrize("profile", ["strict", "paper"])
@pytest.mark.parametrize("kind", ["indoor", "outdoor", "desktop"])
def test_generated_ways(kind, profile):
    for seed, fps in ((1, 24), (4, 8)):
        recording = way(seed, kind, fps=fps, seconds=14, noise=1e-4)
        questions = written(recording, profile).questions
        assert len(questions) >= 12
        check(recording, questions)


@pytest.mark.parametrize("name", ["kitchen-rgbd", "kitti-sequence-1"])
def test_real_folders(test_data, name):
    [found] = resolve(test_data / "sti" / name)
    recording = load(found, Given()).recording
    outcome = written(recording)
    check(recording, outcome.questions)
    variants = {question.provenance["formula"] for question in outcome.questions}
    if name == "kitchen-rgbd":
        assert "orientation-change" not in variants
        assert outcome.refusals["orientation-change"]["NO_GRAVITY"] > 0
    else:
        assert len(outcome.questions) >= 12
        # A straight road: nothing turns by the least gap between options.
        assert "orientation-change" not in variants
        assert outcome.refusals["orientation-change"]["SMALL_TURN"] > 0


@pytest.mark.parametrize("name", ["freiburg1_xyz-groundtruth.txt", "fr2_desk_groundtruth.txt"])
def test_real_trajectories(test_data, name):
    [found] = resolve(test_data / "sti" / "trajectories" / name)
    recording = load(found, Given()).recording
    questions = written(recording).questions
    assert len(questions) >= 15
    check(recording, questions)


def test_printed_formats():
    seen = set()
    for kind in ("indoor", "outdoor", "desktop"):
        recording = way(7, kind, fps=10, seconds=30)
        for question in (*written(recording).questions, *written(recording, "paper").questions):
            key = (question.provenance["formula"], kind)
            if key in FORMS:
                seen.add(key)
                assert all(re.fullmatch(FORMS[key], option.text) for option in question.options), question
    assert seen == set(FORMS)


def test_a_rigid_change_of_world_moves_poses_and_nothing_else():
    recording = way(5, "indoor", seconds=20)
    move = np.eye(4)
    move[:3, :3], move[:3, 3] = Rotation.from_rotvec([0.3, -0.2, 0.9]).as_matrix(), [100.0, -7.0, 3.0]
    moved = replace(recording, world_T_camera=move @ recording.world_T_camera, gravity=move[:3, :3] @ recording.gravity)
    poses = 0
    for before, after in zip(written(recording).questions, written(moved).questions, strict=True):
        assert before.id == after.id
        if before.provenance["formula"] != "pose":
            assert abs(before.provenance["value"] - after.provenance["value"]) < 1e-8
        elif before.window == after.window:
            # Options have to lie apart as printed, and in another world another moment may be the first that has such.
            turn = np.eye(4)  # positions are measured from the start
            turn[:3, :3] = move[:3, :3]
            assert np.allclose(turn @ np.array(before.provenance["value"]), after.provenance["value"], atol=1e-9)
            poses += 1
    assert poses >= 4


def test_a_world_without_z_up_is_printed_level():
    # The same way, told in a world whose y axis points up, prints poses with the camera's up along z again.
    recording = way(5, "outdoor", seconds=12)
    tip = np.eye(4)
    tip[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
    tipped = replace(recording, world_T_camera=tip @ recording.world_T_camera, gravity=np.array([0.0, -1.0, 0.0]))
    poses = [q for q in written(tipped).questions if q.provenance["formula"] == "pose"]
    assert poses
    for question in poses:
        shown = numbers(question.options[question.answer[0]].text)
        assert np.allclose(shown[2, :3], [0, 0, 1], atol=0.005)
        assert "x where the camera first looks" in question.stem


def test_a_camera_at_rest_and_then_driving_is_refused_where_it_rests():
    t = np.arange(0, 30.01, 0.1)
    recording = way(1, "outdoor", fps=10, seconds=30)
    poses = np.repeat(recording.world_T_camera[:1], len(t), axis=0)
    poses[:, 0, 3] += np.maximum(0.0, t - 15) * 6
    recording = replace(recording, times=t, world_T_camera=poses, valid=np.ones(len(t), bool))
    outcome = written(recording)
    assert outcome.refusals["speed"]["STATIONARY"] > 0
    assert all(q.provenance["at"] > 14 for q in outcome.questions if q.provenance["formula"] == "speed")
    check(recording, outcome.questions)
    zeros = [q for q in written(recording, "paper").questions if q.options[q.answer[0]].text == "0.00m/s"]
    assert zeros  # the published rule asks about standing still


def creeping(kind, speed, seconds=30):
    """A camera that goes straight ahead at one speed."""
    recording = way(1, kind, fps=10, seconds=seconds)
    poses = np.repeat(recording.world_T_camera[:1], len(recording.times), axis=0)
    poses[:, :3, 3] += recording.times[:, None] * speed * poses[0, :3, 2]
    return replace(recording, world_T_camera=poses)


@pytest.mark.parametrize(("kind", "speed"), [("indoor", 0.109), ("desktop", 0.012), ("outdoor", 0.7)])
def test_what_is_slow_but_moves_is_not_printed_as_standing_still(kind, speed):
    for share in (1.0, 0.3):  # at the least gap between options or above it, and below it
        recording = creeping(kind, share * speed)
        questions = written(recording, "paper").questions
        speeds = [q for q in questions if q.provenance["formula"] in ("speed", "average-speed")]
        assert bool(speeds) == (share == 1.0), speeds
        check(recording, speeds)
        assert not any(q.provenance["value"] == 0 for q in speeds)
    at_rest = [q for q in written(creeping(kind, 0.0), "paper").questions if "speed" in q.provenance["formula"]]
    assert at_rest and all(q.provenance["value"] == 0 for q in at_rest)
    assert "STATIONARY" in written(creeping(kind, 0.0)).refusals["speed"]


def test_no_camera_that_moves_is_printed_as_standing_still_in_real_ways(test_data):
    for name in ("trajectories/fr2_desk_groundtruth.txt", "kitchen-rgbd"):
        [found] = resolve(test_data / "sti" / name)
        recording = load(found, Given()).recording
        questions = written(recording, "paper", per_variant=30).questions
        check(recording, [q for q in questions if "speed" in q.provenance["formula"]])


def test_the_extended_profile_is_refused():
    with pytest.raises(InputError, match="strict and paper"):
        written(way(1, seconds=10), "extended")


def test_half_an_orbit_on_a_desktop_prints_the_published_signs():
    # A camera that circles a point 1 m before it by half a turn ends 2 m behind its first picture plane, facing back.
    t = np.arange(0, 8.01, 1 / 30)
    angle = np.pi * t / 8
    positions = np.stack([np.sin(angle), -np.cos(angle), np.zeros_like(t)], 1)
    forward = -positions
    down = np.broadcast_to([0.0, 0.0, -1.0], forward.shape)
    poses = np.zeros((len(t), 4, 4))
    poses[:, :3, :3] = np.stack([np.cross(down, forward), down, forward], 2)
    poses[:, :3, 3], poses[:, 3, 3] = positions, 1
    recording = replace(way(1, "desktop", seconds=8), times=t, world_T_camera=poses, valid=np.ones(len(t), bool))
    poses = [q for q in written(recording, per_variant=10).questions if q.provenance["formula"] == "pose"]
    assert len(poses) >= 3
    for question in poses:
        turned = np.pi * question.window.end / 8
        sine, cosine = np.sin(turned), np.cos(turned)
        shown = numbers(question.options[question.answer[0]].text)
        assert np.allclose(shown, [[cosine, 0, sine, sine], [0, 1, 0, 0], [-sine, 0, cosine, cosine - 1]], atol=0.02)
