"""What ``strict`` does not ask: lengths without a scale, turns with two answers, too fine accelerations."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import sti_box_witness as witness
from sti_rooms import room
from sti_ways import way
from sti_witness import numbers

from chronotope.families import WriteContext, family
from chronotope.recording import Kind, Recording, Scene

STI = family("sti")
RULER = re.compile(r" For scale: the [^.]+? is (\d+\.\d{3})m high(?: \(seen well at t = \d+\.\ds\))?\.")


def written(recording, per_variant=6, seed=0, **options):
    return STI.build.write(
        Scene.of(recording), WriteContext(seed, "strict", STI.build.Options(per_variant=per_variant, **options))
    )


def home(seed, furnished=True):
    """A simulated room; every second thing is furniture, or all of its things are small."""
    recording = room(seed, points=False, seconds=12)
    things = [
        replace(one, attributes={**one.attributes, "role": "furniture"}) if furnished and number % 2 else one
        for number, one in enumerate(recording.entities)
    ]
    return replace(recording, source="world:walk", entities=tuple(things))


@pytest.fixture(scope="module")
def homes():
    return [(recording, written(recording)) for recording in (home(seed) for seed in (1, 3))]


def test_every_length_in_a_simulated_home_has_a_scale_in_millimetres(homes):
    metric = furniture = 0
    for recording, outcome in homes:
        for question in outcome.questions:
            if "scale" not in question.tags:
                continue
            metric += 1
            assert question.tags["scale"] == ("stated",), question.id
            [ruler] = [one for one in question.mentions if one.role == "scale"]
            thing = witness.entity_of(recording, ruler.entity)
            assert abs(float(RULER.search(question.stem)[1]) - thing.size[2]) <= 0.0005 + 1e-9
            times = recording.times
            inside = (times >= question.window.start - 1e-9) & (times <= question.window.end + 1e-9)
            assert sum(witness.clearly_seen(recording, thing, k) for k in np.flatnonzero(inside)) >= 5, question.id
            furniture += thing.attributes.get("role") == "furniture"
            assert ruler.entity not in question.entities()
    assert metric >= 60 and furniture > metric / 2


def test_a_home_without_rulers_has_no_questions_about_lengths(homes):
    [(recording, _), *_] = homes
    flat = tuple(replace(one, size=(*one.size[:2], 0.1)) for one in recording.entities)
    outcome = written(replace(recording, entities=flat))
    assert not [question for question in outcome.questions if "scale" in question.tags]
    assert sum(counts.get("NO_SCALE", 0) for counts in outcome.refusals.values()) > 100
    assert outcome.refusals["box"] == {"TELLS_SCALE": 1}
    real = written(replace(recording, entities=flat, source="scannet"))
    assert {tag for question in real.questions for tag in question.tags.get("scale", ())} == {"none"}


def turning(degrees, seconds=10.0):
    """A camera that goes along a straight line and turns evenly to the right."""
    times = np.arange(0, seconds + 1e-9, 0.1)
    yaw = -np.radians(degrees) * times / seconds
    forward = np.stack([np.cos(yaw), np.sin(yaw), 0 * yaw], axis=1)
    down = np.broadcast_to([0.0, 0.0, -1.0], forward.shape)
    poses = np.tile(np.eye(4), (len(times), 1, 1))
    poses[:, :3, :3] = np.stack([np.cross(down, forward), down, forward], axis=2)
    poses[:, 0, 3] = 0.3 * times
    return Recording("turning", Kind.INDOOR, "made-up", times, poses, np.ones(len(times), bool),
                     gravity=np.array([0.0, 0.0, -1.0]))  # fmt: skip


def test_a_turn_of_more_than_170_degrees_has_two_answers_and_is_not_asked():
    asked = 0
    for degrees, seed in product((160, 241, 300, 355), range(4)):  # few turns of a clip fit its options
        outcome = written(turning(degrees), seed=seed, per_variant=20)
        for question in outcome.questions:
            if question.provenance["formula"] == "orientation-change":
                window = question.window
                assert degrees / 10 * (window.end - window.start) <= 170 and question.provenance["value"] < 0
                asked += 1
        # The last samples, at which the track has no window of its own for smoothing, may be missing.
        assert ("DEGENERATE_VIEW" in outcome.refusals["orientation-change"]) == (degrees > 180)
    assert asked >= 10


def test_an_acceleration_at_a_moment_is_told_from_others_by_a_fifth_at_least():
    spacings, ratios = [], set()
    for seed in range(14):
        for question in written(way(seed, "outdoor", fps=10, seconds=20), per_variant=3).questions:
            if question.provenance["formula"] == "acceleration":
                spacings.append(float(question.tags["spacing"][0]))
            if question.provenance["formula"] == "average-acceleration":
                ratios.add(question.tags["spacing"][0])
    assert len(spacings) >= 5 and min(spacings) >= 1.2
    assert {"1.05", "1.1"} & ratios


def test_a_pose_is_measured_from_the_start_and_tells_no_height():
    poses = 0
    for kind in ("indoor", "outdoor"):
        for question in written(way(3, kind, fps=10, seconds=20)).questions:
            if question.provenance["formula"] == "pose":
                assert np.abs(numbers(question.provenance["given"])[:, 3]).max() == 0
                assert "measured from where the camera is at the start of this period" in question.stem
                poses += 1
    assert poses >= 6
