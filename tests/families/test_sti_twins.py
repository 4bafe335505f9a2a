"""Twins of STI-Bench's questions: their answers are worked out again from the altered recordings, by the witness."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import sti_box_witness
import test_sti_objects_truth as things
import test_sti_truth as motion
from sti_tables import table
from sti_ways import way
from sti_witness import Witness, facts_of, half_step, numbers

from chronotope.families import family
from chronotope.families.twinning import NoTwin, TwinContext
from chronotope.question import Question
from chronotope.recording import Recording
from chronotope.recording.alterations import altered

STI = family("sti")
ALTERATIONS = ("mirrored", "reversed", "half_speed", "double_size")
LENGTHS = things.METRIC
KINDS = ("indoor", "outdoor", "desktop")


def twins(recording: Recording, questions: list[Question], alteration: str) -> Iterator[tuple[Question, Question]]:
    # The things of these tables are boxes, whatever they are called: nothing on them is mirrored.
    plain = replace(recording, entities=tuple(replace(one, category="box of wood") for one in recording.entities))
    for question in questions:
        try:
            yield question, STI.twin(question, TwinContext(alteration, {recording.id: plain}))
        except NoTwin:
            continue


@pytest.fixture(scope="module")
def tables() -> list[tuple[Recording, list[Question]]]:
    return [(one, things.about_things(things.written(one))) for one in map(table, range(6))]


@pytest.fixture(scope="module")
def ways() -> list[tuple[Recording, list[Question]]]:
    made = [way(seed, kind, fps=fps, seconds=14, noise=1e-4) for kind in KINDS for seed, fps in ((1, 24), (4, 8))]
    return [(one, list(motion.written(one).questions)) for one in made]


@pytest.mark.slow
@pytest.mark.parametrize("alteration", ALTERATIONS)
def test_answers_about_things_are_those_of_the_altered_table(tables, alteration: str) -> None:
    count = Counter()
    for recording, questions in tables:
        new = altered(recording, alteration)
        for _, twin in twins(recording, questions, alteration):
            count[twin.provenance["formula"]] += 1
            if alteration == "double_size" and twin.provenance["formula"] in LENGTHS:
                right = twin.options[twin.answer[0]].text
                again = sti_box_witness.value(new, facts_of(twin))
                # All printed numbers are doubled, and with them the step by which they are rounded.
                assert abs(100 * again - sti_box_witness.centimetres(right)) <= 2 * half_step(right) + 1e-6, twin.id
                assert again == pytest.approx(twin.provenance["value"])
            elif alteration != "double_size":
                things.check(new, twin)
    assert count.total() >= (140 if alteration == "double_size" else 200)


@pytest.mark.slow
@pytest.mark.parametrize("alteration", ["mirrored", "reversed"])
def test_answers_about_motion_are_those_of_the_altered_way(ways, alteration: str) -> None:
    count = 0
    for recording, questions in ways:
        new = altered(recording, alteration)
        made = [twin for _, twin in twins(recording, questions, alteration)]
        motion.check(new, made)
        count += len(made)
    assert count >= 200


@pytest.mark.slow
def test_the_slowed_clip_has_the_right_option_nearest(ways) -> None:
    """Motion is measured within windows of fixed length, so a slowed clip measures it a little otherwise."""
    count, far = 0, 0
    for recording, questions in ways:
        new = altered(recording, "half_speed")
        fps = new.clip.fps if new.clip else new.fps
        known = new.times[new.valid], new.world_T_camera[new.valid]
        for _, twin in twins(recording, questions, "half_speed"):
            facts = facts_of(twin)
            if facts["formula"] == "trajectory" or (facts["formula"] != "pose" and facts["value"] == 0):
                continue
            asked = (facts["at"],) * 2 if facts["formula"] in ("speed", "acceleration") else facts["window"]
            witness = Witness.around(*known, new.kind.value, new.up, min(fps, 10.0), *asked)
            again = witness.value(facts["formula"], facts["window"], facts.get("at"), facts["profile"])
            if facts["formula"] == "pose":
                apart = np.abs(np.asarray(again)[:3] - np.array(facts["value"])[:3]).max()
                assert apart <= (0.05 if new.kind.value == "outdoor" else 0.001), (twin.id, apart)
                continue
            shown = np.array([numbers(option.text) for option in twin.options], float).reshape(5, -1)[:, 0]
            apart = np.abs(shown - again)
            if facts["formula"] == "orientation-change":
                apart = np.abs((apart + 180) % 360 - 180)
            count += 1
            far += int(apart.argmin()) != twin.answer[0]
    assert count >= 150 and far / count < 0.02, (far, count)


def test_words_change_with_the_world(tables) -> None:
    recording, questions = tables[0]
    for question, twin in twins(recording, questions, "mirrored"):
        old, new = ([option.text for option in one.options] for one in (question, twin))
        if question.provenance["formula"] == "relation":
            swapped = {"Left": "Right", "Right": "Left"}
            assert new == [swapped.get(text, text) for text in old]
        assert twin.answer == question.answer and len(set(new)) == len(new)
    for question, twin in twins(recording, questions, "half_speed"):
        assert twin.window is None or twin.window.end == pytest.approx(2 * question.window.end)
        for mention in twin.mentions:
            if mention.start is not None:
                assert twin.stem[mention.start : mention.end] == mention.phrase


def test_what_would_be_odd_has_no_twin() -> None:
    recording = table(1)
    questions = things.about_things(things.written(recording))
    moved = recording.entities[0]
    path = np.repeat(moved.poses[:1], len(recording.times), axis=0)
    path[:, 0, 3] += np.linspace(0, 0.3, len(path))
    moving = replace(recording, entities=(replace(moved, poses=path), *recording.entities[1:]))
    lettered = [
        replace(recording, entities=(replace(moved, category=category), *recording.entities[1:]))
        for category in ("sign", "cereal box", "poster", "television")
    ]
    cases = [(moving, "reversed", "backwards"), *((one, "mirrored", "lettering") for one in lettered)]
    for changed, alteration, words in cases:
        with pytest.raises(NoTwin, match=words):
            STI.twin(questions[0], TwinContext(alteration, {recording.id: changed}))
