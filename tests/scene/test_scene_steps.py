"""A camera that moves in equal steps and turns is told from one that moves smoothly."""

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import chisquare

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


def wandering(seed, actions=240):
    """An agent that walks on a grid and turns, with every turn and many lengths of its legs."""
    generator, places, degrees = np.random.default_rng(seed), [np.zeros(2)], [0.0]
    while len(places) < actions:
        for _ in range(int(generator.integers(1, 7))):
            yaw = np.radians(degrees[-1])
            places.append(places[-1] + 0.25 * np.array([np.sin(yaw), np.cos(yaw)]))
            degrees.append(degrees[-1])
        for _ in range(int(generator.integers(1, 6))):
            places.append(places[-1])
            degrees.append(degrees[-1] + 30.0 * (1 if generator.random() < 0.5 else -1))
    yaw = np.radians(degrees)
    recording = recorded(np.array(places), np.array(degrees))
    poses = recording.world_T_camera
    ahead, down = np.stack([np.sin(yaw), np.cos(yaw), 0 * yaw], 1), np.tile([0.0, 0.0, -1.0], (len(yaw), 1))
    poses[:, :3, :3] = np.stack([np.cross(down, ahead), down, ahead], axis=2)
    return replace(recording, gravity=np.array([0.0, 0.0, -1.0]), world_T_camera=poses, id=f"agent-{seed}")


def test_sti_bench_asks_for_whole_steps_of_such_a_motion():
    sti, ranks, formulas = family("sti"), Counter(), Counter()
    for seed in range(8):
        recording = wandering(seed)
        places, ahead = recording.world_T_camera[:, :2, 3], recording.world_T_camera[:, :2, 2]
        for question in sti.build.write(Scene.of(recording), WriteContext(0, "strict", sti.build.Options())).questions:
            formula = question.provenance["formula"]
            first, last = (round(time * 3) for time in (question.window.start, question.window.end))
            assert np.allclose([first / 3, last / 3], [question.window.start, question.window.end])
            walked = 0.25 * sum(np.linalg.norm(b - a) > 0.1 for a, b in pairwise(places[first : last + 1]))
            sides = [np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b) for a, b in pairwise(ahead[first : last + 1])]
            seconds = question.window.end - question.window.start
            again = {
                "path-length": walked,
                "average-speed": walked / seconds,
                "orientation-change": np.degrees(sum(sides)),
            }
            values = np.array([float(re.match(r"-?[\d.]+", option.text)[0]) for option in question.options])
            right = values[question.answer[0]]
            assert abs(again[formula] - question.provenance["value"]) < 1e-6 and abs(right - again[formula]) <= 0.005
            step = {"path-length": 0.25, "average-speed": 0.25 / seconds, "orientation-change": 30.0}[formula]
            assert np.abs(values / step - np.rint(values / step)).max() * step <= 0.0051
            assert np.ptp(np.diff(np.sort(values))) <= 0.011 and np.ptp(np.sign(values)) == 0
            ranks[formula, int((np.abs(values) < abs(right)).sum())] += 1
            formulas[formula] += 1
    assert set(formulas) == {"path-length", "average-speed", "orientation-change"} and min(formulas.values()) >= 40
    for formula in formulas:
        assert chisquare([ranks[formula, rank] for rank in range(5)]).pvalue > 0.001, formula


def test_sti_bench_asks_nothing_else_about_such_a_motion_but_under_paper():
    sti = family("sti")
    scene = Scene.of(stepped())
    for profile in ("strict", "paper"):
        written = sti.build.write(scene, WriteContext(0, profile, sti.build.Options()))
        refused = {kind for kind, counts in written.refusals.items() if "STEPWISE" in counts}
        assert refused == (
            {"average-acceleration", "box", "displacement", "pose", "speed"} if profile == "strict" else set()
        )
        assert not refused & {question.tags["variant"][0] for question in written.questions}
