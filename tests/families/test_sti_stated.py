"""The stated scale: one true fact that fixes all lengths, and gives the answer of no question away."""

import re
from dataclasses import replace

import numpy as np
import pytest
import sti_box_witness as witness
from sti_tables import table
from sti_ways import way

from chronotope.families import WriteContext, family
from chronotope.recording import Scene

STI = family("sti")
SENTENCE = re.compile(r" For scale: (the [^.]+?) is (\d+\.\d\d)cm high\.")
VIEW = re.compile(r" The camera's horizontal field of view is (\d+\.\d)°\.")
METRIC_TASKS = {"Dimensional Measurement", "3D Video Grounding", "Displacement & Path Length", "Speed & Acceleration",
                "Pose Estimation"}  # fmt: skip


def written(recording, profile="strict", **options):
    return STI.write(
        Scene.of(recording), WriteContext(0, profile, STI.BuildOptions(per_variant=6, **options))
    ).questions


@pytest.fixture(scope="module")
def tables():
    return [(recording, written(recording)) for recording in (table(seed) for seed in range(3))]


def test_every_metric_question_states_a_true_height(tables):
    stated = 0
    for recording, questions in tables:
        for question in questions:
            metric = question.task in METRIC_TASKS
            assert ("scale" in question.tags) == metric, question.id
            found = SENTENCE.search(question.stem)
            assert bool(found) == (question.tags.get("scale") == ("stated",)), question.id
            if found is None:
                continue
            [ruler] = [one for one in question.mentions if one.role == "scale"]
            assert question.stem[ruler.start : ruler.end] == ruler.phrase == found[1]
            up = -recording.gravity
            heights = [corner @ up for corner in witness.corners(witness.entity_of(recording, ruler.entity))]
            assert abs(100 * (max(heights) - min(heights)) - float(found[2])) <= 0.005 + 1e-6
            assert abs(question.provenance["scale"]["value"] - (max(heights) - min(heights))) < 1e-6
            stated += 1
    metric = sum(question.task in METRIC_TASKS for _, questions in tables for question in questions)
    assert stated >= 0.8 * metric


def test_no_question_asks_about_a_ruler(tables):
    for _, questions in tables:
        rulers = {one.entity for question in questions for one in question.mentions if one.role == "scale"}
        assert 1 <= len(rulers) <= 2
        assert not any(rulers & set(question.entities()) for question in questions)


def test_a_ruler_is_clearly_seen_in_the_window(tables):
    for recording, questions in tables:
        for question in questions:
            for one in question.mentions:
                if one.role == "scale":
                    thing = witness.entity_of(recording, one.entity)
                    inside = [
                        k
                        for k, time in enumerate(recording.times)
                        if question.window.start - 1e-9 <= time <= question.window.end + 1e-9
                    ]
                    assert sum(witness.clearly_seen(recording, thing, k) for k in inside) >= 5


def test_the_field_of_view_is_stated_where_the_answer_depends_on_it(tables):
    for recording, questions in tables:
        width, focal = recording.clip.width, recording.intrinsics[0, 0]
        # The picture is as wide as its pixels are, from edge to edge; the principal point is near its middle.
        expected = 2 * np.degrees(np.arctan(width / 2 / focal))
        for question in questions:
            found = VIEW.search(question.stem)
            depends = question.tags.get("scale") == ("stated",) and question.provenance["formula"] not in (
                "length", "width", "height", "box",
            )  # fmt: skip
            assert bool(found) == depends, question.id
            assert found is None or abs(float(found[1]) - expected) < 0.2


def test_nothing_is_stated_if_it_is_not_wanted_or_not_known(tables):
    recording, _ = tables[0]
    for question in written(recording, scale="none"):
        assert "For scale" not in question.stem and question.tags.get("scale", ("none",)) == ("none",)
    for question in written(way(1, "indoor", fps=10, seconds=12)):
        assert question.tags.get("scale", ("none",)) == ("none",)
    assert not any("scale" in q.tags or "For scale" in q.stem for q in written(recording, "paper"))
    stated = [q for q in written(recording, "paper", scale="stated") if "For scale" in q.stem]
    assert stated and all(q.flags for q in stated)


def test_a_thing_that_moves_or_is_hidden_is_no_ruler(tables):
    recording, questions = tables[0]
    rulers = {one.entity for question in questions for one in question.mentions if one.role == "scale"}

    def moving(entity):
        poses = np.repeat(entity.poses[:1], len(recording.times), axis=0)
        poses[:, 0, 3] += np.linspace(0, 0.2, len(poses))
        return replace(entity, poses=poses)

    changed = tuple(moving(entity) if entity.id in rulers else entity for entity in recording.entities)
    again = written(replace(recording, entities=changed))
    assert not rulers & {one.entity for question in again for one in question.mentions if one.role == "scale"}
