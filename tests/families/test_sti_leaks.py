"""The options of 5,000 questions, looked at without the questions: what a stranger to the scene would get right."""

import re
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare
from sti_leaks import answer_kind, hits_of, shapes, share_and_error
from sti_rooms import room
from sti_streets import street
from sti_tables import table
from sti_ways import way

from chronotope.audit.attacks.option_shape import RULES
from chronotope.families import WriteContext, family
from chronotope.families.sti.tasks import TASKS
from chronotope.families.sti.write import job_of, variants_of
from chronotope.recording import Scene
from chronotope.scene import camera_of, write_kind

STI = family("sti")
# What makes a recording, and its seed.
MANY = (
    *(("street", seed) for seed in range(100, 128)),
    *(("room", seed) for seed in range(100, 114)),
    *(("table", seed) for seed in range(3000, 3014)),
    *((kind, seed) for kind in ("outdoor", "indoor", "desktop") for seed in range(50, 53)),
)
FEW = (*(("street", seed) for seed in range(200, 208)), *(("room", seed) for seed in range(200, 204)))


def recording_of(kind, seed):
    makers = {"street": street, "room": room, "table": table}
    return makers[kind](seed) if kind in makers else way(seed, kind, fps=10, seconds=20)


def questions_of(job):
    kind, seed, profile = job
    context = WriteContext(0, profile, STI.build.Options(per_variant=8))
    return STI.build.write(Scene.of(recording_of(kind, seed)), context).questions


def table_of_hits(questions):
    """Right answers, questions, standard errors of shares by clip, chances: per task, and per task and variant."""
    kinds, hits, asked, found, chances = defaultdict(list), Counter(), Counter(), defaultdict(list), Counter()
    for question in questions:
        kinds[answer_kind(question), len(question.options)].append(question)
    for alike in kinds.values():
        for question, hit in zip(alike, hits_of(shapes(alike), alike), strict=True):
            variant = f"{question.tags['variant'][0]} ({question.tags['scene'][0]})"
            for row in ("all", question.task, (question.task, variant)):
                hits[row] += hit
                asked[row] += 1
                chances[row] += 1 / len(question.options)
                found[row].append((hit, question.cluster))
    errors = {row: share_and_error(*zip(*rows, strict=True))[1] for row, rows in found.items()}
    return hits, asked, errors, {row: chances[row] / asked[row] for row in asked}


def show(title, hits, asked):
    print(f"\n{title}")
    for row in ("all", *TASKS):
        if asked[row]:
            print(f"| {row} | {asked[row]} | {hits[row] / asked[row]:.1%} |")
            for part in sorted(key for key in asked if isinstance(key, tuple) and key[0] == row):
                print(f"|   {part[1]} | {asked[part]} | {hits[part] / asked[part]:.1%} |")


def check_rules(questions):
    for name, rule in RULES.items():
        tied = [rule([option.text for option in question.options]) for question in questions]
        hits = [(q.answer[0] in best) / len(best) for q, best in zip(questions, tied, strict=True)]
        share, error = share_and_error(hits, [question.cluster for question in questions])
        print(f"baseline/option-shape:{name} {share:.1%} (standard error {error:.1%})")
        assert abs(share - 0.2) < 3.3 * error, (name, share, error)


@pytest.fixture(scope="module")
def told():
    """Courses of cars on empty streets: one for each clip and seed, because those of a clip share their worlds."""
    cameras = [camera_of(street(seed, things=0)) for seed in range(300, 310)]
    questions = []
    for camera, seed in product(cameras, range(3)):
        context = WriteContext(seed, "strict", STI.build.Options(per_variant=1))
        course = next(one for one in variants_of(camera, None, context)[0] if one.name == "trajectory")
        questions += write_kind(course, camera, job_of(camera.recording, context), Counter(), set())
    return questions


def rank_of_right(values, answer):
    return sorted(values).index(values[answer])


TURN, STRAIGHT = r"turn \w+ (\d+)°", r"move \w+ (\d+\.\d\d)m"


def largest(pattern, texts):
    return [max((float(found) for found in re.findall(pattern, text)), default=0.0) for text in texts]


def test_the_sharpest_turn_of_a_course_is_of_any_size(told):
    ranks = Counter()
    for question in told:
        turns = largest(TURN, [option.text for option in question.options])
        if min(turns) > 0:
            ranks[rank_of_right(turns, question.answer[0])] += 1
    print(ranks)
    assert sum(ranks.values()) >= 10
    assert chisquare([ranks[k] for k in range(5)]).pvalue > 0.001


def test_wrong_courses_do_not_stand_in_line(told):
    in_line, asked = 0, 0
    for question in told:
        texts = [option.text for k, option in enumerate(question.options) if k != question.answer[0]]
        turns, lengths = largest(TURN, texts), largest(STRAIGHT, texts)
        if min(turns) > 0 and min(lengths) > 0:
            in_line += list(np.argsort(turns)) == list(np.argsort(lengths))
            asked += 1
    print(in_line, asked)
    assert asked >= 8
    assert binomtest(in_line, asked, 1 / 24, alternative="greater").pvalue > 0.001


def check_ranks(questions):
    """By size, the right one is any of the five, in each kind of question with enough of them.

    Questions about motion are left out: all of a clip have the same rank, see test_sti_worlds.
    """
    ranks = defaultdict(Counter)
    questions = [one for one in questions if one.tags.get("quantity") in (("sizes",), ("distances",))]
    for question in questions:
        if answer_kind(question) == "scalar":
            sizes = [abs(float(re.match(r"-?\d+(?:\.\d+)?", option.text).group())) for option in question.options]
            ranks[question.tags["variant"][0], question.tags["scene"][0]][rank_of_right(sizes, question.answer[0])] += 1
    for variant, found in ranks.items():
        if sum(found.values()) >= 100:
            assert chisquare([found[k] for k in range(5)]).pvalue > 1e-4, (variant, found)


@pytest.mark.slow
def test_the_options_alone_give_nothing_away():
    with ProcessPoolExecutor(2) as pool:
        jobs = [(*one, "strict") for one in MANY] + [(*one, "paper") for one in FEW]
        found = list(pool.map(questions_of, jobs, chunksize=4))
    strict = [question for written in found[: len(MANY)] for question in written]
    paper = [question for written in found[len(MANY) :] for question in written]
    hits, asked, errors, chances = table_of_hits(strict)
    show("strict", hits, asked)
    assert len(strict) >= 5000 and set(TASKS) <= set(asked)
    letters = Counter(question.answer[0] for question in strict if len(question.options) == 5)
    published_hits, published, *_ = table_of_hits(paper)
    show("paper", published_hits, published)
    check_rules(strict)
    check_ranks(strict)
    assert chisquare([letters[k] for k in range(5)]).pvalue > 0.001
    assert hits["all"] / asked["all"] <= chances["all"] + 0.03 + 2 * errors["all"], (hits["all"], errors["all"])
    for task in TASKS:
        assert hits[task] / asked[task] <= chances[task] + 0.05 + 2 * errors[task], (task, asked[task])
    assert published_hits["all"] > 0.60 * published["all"]
