"""Recordings of one scene: what one of them asks gives the answer of no question about another."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from sti_tables import table
from sti_ways import way

from chronotope.families import WriteContext, family
from chronotope.recording import Scene

STI = family("sti")
SIDES = ("length", "width", "height")


def in_states(seed):
    """One table in two states: the same things, seen from the same ways."""
    recording = table(seed)
    return [replace(recording, id=f"home-{seed}-state-{n}", scene=f"home-{seed}", state=f"state_{n}") for n in (0, 1)]


def context(seed=0, profile="strict"):
    return WriteContext(seed, profile, STI.build.Options(per_variant=6))


def written(*recordings, seed=0):
    return STI.build.write(Scene("home", tuple(recordings)), context(seed)).questions


def told_twice(questions):
    """Pairs of questions about two recordings of one scene whose answers reveal each other."""
    told, found = {}, []
    for question in questions:
        formula, where = question.provenance["formula"], question.recordings[0]
        things = tuple(sorted(question.entities()))
        facts = [("side", things)] if formula in (*SIDES, "box") else []
        facts += [(formula, things)] if formula in ("gap", "centre-distance") else []
        scale = question.provenance.get("scale")
        facts += [("ruler", (scale["entity"],))] if scale else []
        for kind, names in facts:
            told.setdefault((kind, names), []).append((where, question.id))
    for (kind, names), asked in told.items():
        if kind == "ruler":
            sides = told.get(("side", names), [])
            found += [(kind, names, one) for where, one in sides if any(where != other for other, _ in asked)]
        elif len({where for where, _ in asked}) > 1:
            found.append((kind, names, asked))
    return found


@pytest.fixture(scope="module")
def homes():
    return [in_states(seed) for seed in range(2)]


def test_two_states_of_a_home_ask_for_one_size_of_a_thing_once(homes):
    for states in homes:
        together = written(*states)
        assert len({question.recordings for question in together}) == 2
        assert not told_twice(together)


def test_states_that_are_read_one_at_a_time_are_compared_for_the_whole_benchmark(homes):
    parts = [written(recording) for states in homes for recording in states]
    questions = [question for part in parts for question in part]
    assert told_twice(questions)
    kept = STI.build.select(questions, context())
    assert not told_twice(kept.questions)
    refused = sum(counts["ALREADY_ASKED"] for counts in kept.refusals.values())
    assert 0 < refused == len(questions) - len(kept.questions) < len(questions) / 4
    backwards = STI.build.select([question for part in parts[::-1] for question in part], context())
    assert {q.id for q in backwards.questions} == {q.id for q in kept.questions}
    # Neither state always gives way.
    left_out = {q.recordings for q in questions} - {q.recordings for q in questions if q not in kept.questions}
    assert not left_out


def test_other_scenes_and_recordings_without_a_scene_are_left_alone(homes):
    [[first, second], _] = homes
    apart = [*written(replace(first, scene=None)), *written(replace(second, scene=None))]
    assert list(STI.build.select(apart, context()).questions) == apart


def test_the_cameras_of_a_car_do_not_ask_for_one_motion_twice():
    drive = way(2, "outdoor", fps=10, seconds=20)
    cameras = [replace(drive, id=f"camera-{n}", scene="drive", camera_mount=np.eye(4)) for n in (1, 2, 3)]
    questions = [question for camera in cameras for question in written(camera)]

    def repeated(asked):
        windows = sorted((q.window.start, q.window.end, q.recordings[0]) for q in asked if "at" not in q.provenance)
        near = [a[2] != b[2] and abs(a[0] - b[0]) <= 0.31 and abs(a[1] - b[1]) <= 0.31 for a, b in pairwise(windows)]
        moments = sorted((q.provenance["at"], q.recordings[0]) for q in asked if q.tags["variant"] == ("speed",))
        return sum(near) + sum(a[1] != b[1] and abs(a[0] - b[0]) <= 0.31 for a, b in pairwise(moments))

    assert repeated(questions)
    kept = STI.build.select(questions, context()).questions
    assert not repeated(kept) and len(kept) > len(questions) / 2
    assert len({question.recordings for question in kept}) == 3
