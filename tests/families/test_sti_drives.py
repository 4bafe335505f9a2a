"""Simulated drives on straight, curved and crossing roads: all tasks are asked, answers hold, options tell nothing."""

from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from scipy.stats import chisquare
from scipy.stats import t as student
from sti_drive_checks import COURSES, check, retold
from sti_drives import KINDS, drive, without_looks
from sti_leaks import answer_kind, hits_of, shapes, share_and_error

from chronotope.audit.attacks.option_shape import RULES
from chronotope.families import WriteContext, family
from chronotope.families.sti.tasks import TASKS
from chronotope.recording import Scene

STI = family("sti")
FEW, MANY = 6, 48  # drives


def asked(number, profile="strict"):
    recording = drive(3, number)
    return recording, STI.build.write(Scene.of(recording), WriteContext(0, profile, STI.build.Options())).questions


def drives(count):
    with ProcessPoolExecutor(2, mp_context=get_context("spawn"), initializer=without_looks) as pool:
        return list(pool.map(asked, range(count)))


@pytest.fixture(scope="module")
def few():
    return drives(FEW)


def check_again(recording, questions):
    """Every answer again, from the recording's files alone."""
    plain, courses = 0, 0
    for question in questions:
        if question.provenance["formula"] in COURSES:
            plain += retold(recording, question)[1]
            courses += 1
        else:
            check(recording, question)
    return plain, courses


@pytest.mark.slow
def test_every_answer_of_drives_again(few):
    """From the files of recordings, by code that shares nothing with the writer; with both profiles."""
    plain = courses = 0
    for recording, strict in few:
        paper = STI.build.write(Scene.of(recording), WriteContext(0, "paper", STI.build.Options())).questions
        first, told = check_again(recording, [*strict, *paper])
        plain, courses = plain + first, courses + told
    assert courses >= 10 * FEW and plain >= 0.9 * courses, (plain, courses)


@pytest.mark.slow
def test_all_tasks_are_asked_on_all_kinds_of_roads(few):
    kinds = [recording.provenance["road"] for recording, _ in few]
    assert tuple(kinds) == KINDS * (FEW // len(KINDS))
    tasks = Counter(question.task for _, questions in few for question in questions)
    assert set(tasks) == set(TASKS), tasks
    assert not any(question.provenance["formula"] == "mount" for _, questions in few for question in questions)
    courses = {kind: set() for kind in KINDS}
    for kind, (_, questions) in zip(kinds, few, strict=True):
        for question in questions:
            if question.provenance["formula"] == "trajectory":
                courses[kind] |= {part for part, _ in question.provenance["value"]}
    assert "turn" not in courses["straight"] and courses["curve"] >= {"forward", "turn"}
    assert courses["crossing"] >= {"forward", "turn"}


def check_shapes(questions):
    for name, rule in RULES.items():
        tied = [rule([option.text for option in question.options]) for question in questions]
        hits = [(q.answer[0] in best) / len(best) - 1 / len(q.options) for q, best in zip(questions, tied, strict=True)]
        share, error = share_and_error(hits, [question.cluster for question in questions])
        print(name, round(share, 3), round(error, 3))
        # One in a thousand; the error of six drives is itself known from six only.
        limit = student.ppf(0.9995, len({question.cluster for question in questions}) - 1) * error
        assert abs(share) < limit, (name, share, error)
    letters = Counter(question.answer[0] for question in questions if len(question.options) == 5)
    assert chisquare([letters[k] for k in range(5)]).pvalue > 0.001


@pytest.mark.slow
def test_the_shape_of_options_tells_nothing(few):
    check_shapes([question for _, questions in few for question in questions])


@pytest.mark.slow
@pytest.mark.complete
def test_options_of_many_drives_give_nothing_away():
    questions = [question for _, written in drives(MANY) for question in written]
    assert len(questions) >= 80 * MANY
    check_shapes(questions)
    kinds, hits, clusters = defaultdict(list), defaultdict(list), defaultdict(list)  # hits above chance
    for question in questions:
        kinds[answer_kind(question), len(question.options)].append(question)
    for alike in kinds.values():
        if len({question.cluster for question in alike}) < 5:
            continue
        for question, hit in zip(alike, hits_of(shapes(alike), alike), strict=True):
            for row in ("all", question.task):
                hits[row].append(hit - 1 / len(question.options))
                clusters[row].append(question.cluster)
    shares = {row: (len(hits[row]), *share_and_error(hits[row], clusters[row])) for row in hits}
    print({row: (count, round(share, 3), round(error, 3)) for row, (count, share, error) in shares.items()})
    for row, (_, share, error) in shares.items():
        assert share <= (0.03 if row == "all" else 0.05) + 2 * error, (row, shares)
