"""Every answer about things is worked out again by the witness; what is asked was to be seen, and is printed right."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import sti_box_witness as witness
from scipy.spatial.transform import Rotation
from sti_tables import table
from sti_witness import facts_of, half_step

from chronotope.families import WriteContext, family
from chronotope.question import MediaItem
from chronotope.recording import Scene

STI = family("sti")
FORMULAS = {"length", "width", "height", "gap", "centre-distance", "camera-distance", "relation", "nearest", "box"}
METRIC = FORMULAS - {"relation", "nearest", "box"}
TASKS = {"relation": "Spatial Relation", "nearest": "Spatial Relation", "box": "3D Video Grounding"}


def written(recording, profile="strict", seed=0, per_variant=8, **options):
    return STI.build.write(
        Scene.of(recording),
        WriteContext(
            seed, profile, STI.build.Options(per_variant=per_variant, **options), {recording.id: "clips/a.mp4"}
        ),
    )


def about_things(outcome):
    return [question for question in outcome.questions if question.entities()]


@pytest.fixture(scope="module")
def tables():
    return [table(seed) for seed in range(4)]


@pytest.fixture(scope="module")
def strict(tables):
    return [(recording, about_things(written(recording))) for recording in tables]


def check(recording, question):
    facts, right = facts_of(question), question.options[question.answer[0]].text
    again = witness.value(recording, facts)
    if facts["formula"] in METRIC:
        assert abs(again - facts["value"]) < 1e-6, question.id
        assert abs(100 * again - witness.centimetres(right)) <= half_step(right) + 1e-6, question.id
    elif facts["formula"] == "box":
        shown = witness.printed_box(right)
        slack = 0.5 * 1e-4 * 4 + np.radians(0.01) * np.linalg.norm(facts["value"]["size"])
        assert max(np.linalg.norm(a - b) for a, b in zip(shown, again, strict=True)) < slack, question.id
    else:
        assert again == facts["value"], question.id
        assert facts["formula"] == "nearest" or right == again
    texts = {option.text for option in question.options}
    assert len(texts) == 5 or texts == {"Left", "Right", "Front", "Back"}


@pytest.mark.parametrize("profile", ["strict", pytest.param("paper", marks=pytest.mark.slow)])
def test_every_answer_again(tables, strict, profile):
    seen = Counter()
    asked = strict if profile == "strict" else [(one, about_things(written(one, profile))) for one in tables]
    for recording, questions in asked:
        for question in questions:
            check(recording, question)
            seen[question.provenance["formula"]] += 1
    assert set(seen) >= FORMULAS - {"width"} and sum(seen.values()) >= 20 * len(tables)  # one size of each thing


def test_answers_between_two_samples(tables):
    # At 24 frames a second few printed times meet a frame.
    seen = set()
    for recording in tables[:3]:
        slower = replace(recording, times=recording.times * 10 / 24, clip=replace(recording.clip, fps=24.0))
        for question in about_things(written(slower)):
            check(slower, question)
            seen.add(question.provenance["formula"])
    assert seen >= {"camera-distance", "box", "relation"}


def test_what_is_asked_about_is_clearly_seen(strict):
    for recording, questions in strict:
        for question in questions:
            things = [witness.entity_of(recording, name) for name in question.entities()]
            at, window = question.provenance.get("at"), question.window
            if at is not None:
                assert (window.start, window.end) == (0.0, 7.9) and 0 <= at <= 7.9
                assert all(witness.clearly_seen(recording, thing, round(10 * at)) for thing in things)
                continue
            inside = [k for k, t in enumerate(recording.times) if window.start - 1e-6 <= t <= window.end + 1e-6]
            for k in (inside[0], inside[-1]):
                assert all(witness.clearly_seen(recording, thing, k) for thing in things)
            hidden = 0
            for k in inside:
                hidden = 0 if all(witness.clearly_seen(recording, thing, k) for thing in things) else hidden + 1
                assert hidden <= 3  # 0.3 s
            assert window.end - window.start >= (1.0 if len(things) == 1 else 0.5) - 1e-6
            if len(things) == 1:
                clear = [k for k in inside if witness.clearly_seen(recording, things[0], k)]
                assert max(things[0].visible_fraction[k] for k in range(len(recording.times)) if k in clear) >= 0.84


def test_nobody_could_answer_a_relation_otherwise(strict):
    asked = 0
    for recording, questions in strict:
        for question in questions:
            facts = facts_of(question)
            if facts["formula"] != "relation":
                continue
            asked += 1
            things = [witness.corners(witness.entity_of(recording, name)) for name in facts["entities"]]
            for frame, least in ((witness.seen_from, 1.1), (witness.levelled, 2)):
                found, ratio, room = witness.word(*(frame(recording, facts["at"], points) for points in things))
                assert found == facts["value"] and ratio > least and room >= -1e-9, question.id
    assert asked >= 8


def test_the_nearest_is_nearer_by_five_centimetres_and_by_its_surface(strict):
    asked = 0
    for recording, questions in strict:
        for question in questions:
            facts = facts_of(question)
            if facts["formula"] != "nearest":
                continue
            asked += 1
            eye = witness.camera(recording, facts["at"])[:3, 3]
            things = {name: witness.entity_of(recording, name) for name in facts["entities"]}
            away = sorted((np.linalg.norm(witness.centre(thing) - eye), name) for name, thing in things.items())
            assert away[0][1] == facts["value"] and away[1][0] - away[0][0] >= 0.05
            point = replace(things[facts["value"]], size=(1e-9, 1e-9, 1e-9), poses=np.eye(4)[None])
            point.poses[0, :3, 3] = eye
            surface = {name: witness.gap(point, thing) for name, thing in things.items()}
            assert min(surface, key=lambda name: surface[name]) == facts["value"]
    assert asked >= 3


def test_no_answer_is_told_twice(strict):
    for _, questions in strict:
        sizes, apart, related, from_camera, nearest = [], [], [], [], []
        for question in questions:
            facts = facts_of(question)
            names, formula = tuple(facts["entities"]), facts["formula"]
            if formula == "box":
                sizes += [(*names, quantity) for quantity in ("length", "width", "height")]
                from_camera.append(names)
            elif formula in ("length", "width", "height"):
                sizes.append((*names, formula))
            elif formula in ("gap", "centre-distance"):
                apart.append(frozenset(names))
            elif formula == "camera-distance":
                from_camera.append(names)
            elif formula == "relation":
                related.append(frozenset(names))
            else:
                nearest.append(facts["value"])
        for told in (sizes, apart, related, from_camera, nearest):
            assert len(set(told)) == len(told)


def test_forms_tasks_and_provenance(strict):
    for recording, questions in strict:
        for question in questions:
            facts = facts_of(question)
            formula = facts["formula"]
            assert question.task == TASKS.get(formula, "Dimensional Measurement")
            assert question.tags["scene"] == ("Desktop",) and question.cluster == recording.id
            assert question.media == (MediaItem("video", "video", ("clips/a.mp4",)),)
            assert question.recordings == (recording.id,) and facts["unit"] and "value" in facts
            assert ("at" in facts) == (f"At t = {facts.get('at')}s" in question.stem)
            for option in question.options:
                if formula in METRIC:
                    assert re.fullmatch(r"\d+\.\d{2,4}cm", option.text)
                elif formula == "nearest":
                    assert option.text.startswith("the ")
            if formula == "box":
                thing = witness.entity_of(recording, facts["entities"][0])
                assert thing.attributes["front"] in question.stem and thing.symmetry == "none"
            if formula == "gap":
                a, b = (witness.entity_of(recording, name) for name in facts["entities"])
                assert a.parent != b.id and b.parent != a.id


def test_published_items_are_flagged_and_strict_ones_are_not(tables, strict):
    assert not any(question.flags for _, questions in strict for question in questions)
    for question in about_things(written(tables[0], "paper")):
        assert question.flags == ("published-distractors",)


def test_a_rigid_change_of_world_changes_no_answer(tables):
    # A box in the camera's frame is the same box, too.
    recording = tables[2]
    move = np.eye(4)
    move[:3, :3], move[:3, 3] = Rotation.from_rotvec([0.4, -1.1, 0.7]).as_matrix(), [30.0, -4.0, 2.0]
    moved = replace(
        recording,
        world_T_camera=move @ recording.world_T_camera,
        gravity=move[:3, :3] @ recording.gravity,
        entities=tuple(replace(entity, poses=move @ entity.poses) for entity in recording.entities),
    )
    pairs = list(zip(about_things(written(recording)), about_things(written(moved)), strict=True))
    assert len(pairs) > 25
    for before, after in pairs:
        assert (before.id, before.stem) == (after.id, after.stem)
        assert before.options == after.options and before.answer == after.answer


def test_boxes_move_with_the_camera(tables):
    recording = tables[2]
    twist = np.eye(4)
    twist[:3, :3] = Rotation.from_rotvec([0.02, 0.03, -0.05]).as_matrix()
    twisted = replace(recording, world_T_camera=recording.world_T_camera @ twist)
    found = [q for q in about_things(written(twisted)) if q.provenance["formula"] == "box"]
    assert found
    for question in found:
        thing = witness.entity_of(recording, question.entities()[0])
        before = witness.seen_from(recording, question.provenance["at"], witness.corners(thing))
        shown = witness.printed_box(question.options[question.answer[0]].text)
        assert max(np.linalg.norm(twist[:3, :3].T @ a - b) for a, b in zip(before, shown, strict=True)) < 5e-4


@pytest.mark.slow
def test_the_order_of_entities_and_the_other_kinds_of_question_change_nothing(tables):
    recording = tables[3]
    turned = replace(recording, entities=recording.entities[::-1])
    assert written(recording).questions == written(turned).questions
    assert written(recording).questions == written(recording).questions
    assert written(recording, seed=1).questions != written(recording).questions
    # Without a stated scale, because a recording without things has no ruler to state.
    camera_only, everything = (written(one, scale="none") for one in (replace(recording, entities=()), recording))
    assert camera_only.questions == tuple(q for q in everything.questions if not q.entities())


def test_asking_for_more_keeps_what_was_asked_first(tables):
    few = {q.id for q in about_things(written(tables[0], per_variant=2))}
    assert 8 <= len(few) <= 14


def test_stems_say_which_box_is_measured(tables):
    """Sizes and gaps: the diameter of what is round, the smallest box, a box as its handle shows; or not at all."""
    told, seen = (
        {"smallest": "the smallest upright box(?:es)? around", "lined up with its handle": "lined up with its handle"},
        0,
    )
    for box, words in told.items():
        for recording in tables[:2]:
            entities = tuple(replace(e, attributes={**e.attributes, "box": box}) for e in recording.entities)
            for question in about_things(written(replace(recording, entities=entities))):
                formula, [name, *_] = question.provenance["formula"], question.entities()
                if formula in ("length", "width"):
                    entity = witness.entity_of(recording, name)
                    is_round = entity.symmetry == "any" and abs(entity.size[0] - entity.size[1]) < 0.005
                    assert ("diameter" in question.stem) == (is_round and formula == "length"), question.stem
                if formula in METRIC - {"height"} and "diameter" not in question.stem:
                    assert re.search(words, question.stem), question.stem
                    seen += 1
    assert seen >= 20
    unclear = tuple(replace(e, attributes={**e.attributes, "box": "unclear"}) for e in tables[0].entities)
    outcome = written(replace(tables[0], entities=unclear))
    asked = {question.provenance["formula"] for question in outcome.questions}
    assert not asked & {"length", "width", "gap"} and asked >= {"height", "centre-distance", "camera-distance"}
    assert outcome.refusals["size"]["SYMMETRIC_OBJECT"] and outcome.refusals["gap"]["SYMMETRIC_OBJECT"]


def test_a_pose_calls_its_numbers_as_the_options_do(tables):
    poses = [q for table in tables for q in written(table).questions if q.provenance["formula"] == "pose"]
    assert poses and all("(Tx, Ty, Tz, in metres)" in q.stem and "tx" not in q.stem for q in poses)
