"""A camera that moves in equal steps and turns is told from one that moves smoothly."""

import numpy as np
import pytest

from chronotope.families import WriteContext, family
from chronotope.recording import Kind, Recording, Scene
from chronotope.scene import moves_in_steps


def recorded(places, degrees, kind=Kind.INDOOR):
    count = len(places)
    yaw = np.radians(degrees)
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, 0, 0] = poses[:, 2, 2] = np.cos(yaw)
    poses[:, 0, 2], poses[:, 2, 0] = np.sin(yaw), -np.sin(yaw)
    poses[:, :2, 3] = places
    return Recording("way", kind, "test", np.arange(count) / 3.0, poses, np.ones(count, bool))


def stepped(step=0.25, turn=30.0):
    """Ten steps, a quarter turn, ten steps."""
    places, degrees = [np.zeros(2)], [0.0]
    for way in ((1, 0), (0, 1)):
        for _ in range(10):
            places.append(places[-1] + step * np.array(way))
            degrees.append(degrees[-1])
        for _ in range(round(90 / turn)):
            places.append(places[-1])
            degrees.append(degrees[-1] + turn)
    return recorded(np.array(places), np.array(degrees))


@pytest.mark.parametrize(("step", "turn"), [(0.25, 30.0), (0.1, 90.0), (0.3, 15.0)])
def test_steps_and_turns_of_one_size_are_recognized(step, turn):
    assert moves_in_steps(stepped(step, turn))


def test_smooth_motion_and_rest_are_not_steps():
    time = np.arange(60) / 3.0
    circle = np.stack([np.cos(0.2 * time), np.sin(0.2 * time)], axis=1)
    assert not moves_in_steps(recorded(circle, 10 * time))
    at_rest_then_driving = np.stack([np.maximum(time - 5, 0), 0 * time], axis=1)
    assert not moves_in_steps(recorded(at_rest_then_driving, 0 * time))
    assert not moves_in_steps(recorded(np.zeros((60, 2)), 10 * time))


def test_sti_bench_asks_nothing_about_such_a_motion_but_under_paper():
    sti = family("sti")
    scene = Scene.of(stepped())
    for profile in ("strict", "paper"):
        written = sti.write(scene, WriteContext(0, profile, sti.BuildOptions()))
        refused = [kind for kind, counts in written.refusals.items() if "STEPWISE" in counts]
        assert bool(refused) == (profile == "strict")
        assert profile == "paper" or not written.questions
    assert {"displacement", "speed", "pose", "orientation-change"} <= {
        kind for kind, counts in sti.write(scene, WriteContext(0, "strict", sti.BuildOptions())).refusals.items()
    }
