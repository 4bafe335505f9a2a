"""Studies without a database: who gets what, and figures that are those of the paper."""

import itertools
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from chronotope.errors import InputError
from chronotope.review.studies import QualityControl, baseline_order, latin_square, read_study, ring, templates
from chronotope.review.studies.agreement import Judged, agreement, by_group, cohen, fleiss

TASKS = [f"task-{number:02}" for number in range(12)]


def published(both: int, rejected: int, kept: int, dropped: int) -> list[Judged]:
    """Records of the paper's shape; splits are shared evenly between the two reviewers."""
    splits = [(number % 2 == 0, number % 2 == 1) for number in range(kept + dropped)]
    settled = [True] * kept + [False] * dropped
    return [
        *[Judged("all", (True, True), True)] * both,
        *[Judged("all", (False, False), False)] * rejected,
        *(Judged("all", pair, known) for pair, known in zip(splits, settled, strict=True)),
    ]


@pytest.mark.parametrize(
    ("counts", "items", "retention", "raw", "kappa"),
    [((1045, 70, 40, 45), 1200, 0.904, 0.929, 0.58), ((9677, 80, 30, 13), 9800, 0.9905, 0.996, 0.79)],
    ids=["clips", "questions"],
)
def test_records_of_the_published_shape_give_the_published_figures(
    counts: tuple[int, int, int, int], items: int, retention: float, raw: float, kappa: float
) -> None:
    found = agreement(published(*counts))
    assert found.items == items
    assert found.retention == pytest.approx(retention, abs=5e-4)
    assert found.raw == pytest.approx(raw, abs=6e-4)
    assert found.cohen.value == pytest.approx(kappa, abs=5e-3)
    assert found.cohen.low < kappa < found.cohen.high
    assert found.fleiss.low < found.fleiss.value < found.fleiss.high
    assert (found.split, found.split_kept, found.unsettled) == (counts[2] + counts[3], counts[2], 0)


def test_kappas_are_those_of_other_libraries() -> None:
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    generator = np.random.default_rng(1)
    for raters in (2, 3):
        truth = generator.random((200, 1)) < 0.7
        ratings = np.where(generator.random((200, raters)) < 0.2, ~truth, truth)
        table, _ = aggregate_raters(ratings.astype(int))
        assert fleiss(ratings.tolist()).value == pytest.approx(fleiss_kappa(table))
        if raters == 2:
            assert cohen(list(map(tuple, ratings.tolist()))).value == pytest.approx(cohen_kappa_score(*ratings.T))


def test_without_any_rejection_there_is_no_kappa() -> None:
    found = agreement([Judged("a", (True, True), True)] * 5)
    assert (found.cohen.value, found.fleiss.value, found.raw) == (None, None, 1.0)
    assert agreement([]).retention is None


def test_figures_by_task_add_up() -> None:
    judged = [
        Judged(TASKS[number % 3], (True, number % 5 > 0), None if number % 5 == 0 else True) for number in range(60)
    ]
    parts = by_group(judged)
    assert list(parts) == TASKS[:3]
    assert sum(one.items for one in parts.values()) == 60
    assert sum(one.unsettled for one in parts.values()) == agreement(judged).unsettled == 12


def test_in_the_ring_of_twelve_everybody_reviews_two_adjacent_tasks() -> None:
    tasks = [task for task in TASKS for _ in range(100)]
    given = ring(tasks, 12)
    people_of, tasks_of = defaultdict(set), defaultdict(set)
    for person, item in given:
        people_of[item].add(person)
        tasks_of[person].add(TASKS.index(tasks[item]))
    assert all(len(people) == 2 for people in people_of.values())
    assert all(len(of) == 2 and (max(of) - min(of)) in (1, 11) for of in tasks_of.values())
    assert Counter(person for person, _ in given) == dict.fromkeys(range(12), 200)


def test_in_the_square_each_clip_has_one_person_and_each_person_every_task() -> None:
    clips = {task: [f"{task}-{number}" for number in range(100)] for task in TASKS}
    owner = latin_square(clips, 10, 10)
    assert len(owner) == 1200
    each = Counter((person, clip.rpartition("-")[0]) for clip, person in owner.items())
    assert set(each.values()) == {10}
    assert len(each) == 120
    first = {task: {place for place, clip in enumerate(of) if owner[clip] == 0} for task, of in clips.items()}
    assert len({frozenset(of) for of in first.values()}) == 10  # other positions, and thus parameters, in each task


def test_a_clip_of_two_tasks_goes_to_one_person() -> None:
    owner = latin_square({"a": ["x", "y"], "b": ["y", "x", "z"]}, 2)
    assert set(owner) == {"x", "y", "z"}


def test_placements_of_one_question_come_far_apart() -> None:
    asks = [(f"q{question}#{number}", f"q{question}") for question in range(50) for number in range(4)]
    ordered = baseline_order(asks, 20, np.random.default_rng(0))
    assert sorted(ordered) == sorted(name for name, _ in asks)
    places = defaultdict(list)
    for place, name in enumerate(ordered):
        places[name.partition("#")[0]].append(place)
    gaps = [after - before for of in places.values() for before, after in itertools.pairwise(of)]
    assert min(gaps) > 20
    assert ordered != baseline_order(asks, 20, np.random.default_rng(1))
    few = baseline_order(asks[:8], 20, np.random.default_rng(0))  # two questions: nothing can be far apart
    assert [name.partition("#")[0] for name in few[:2]] != ["q0", "q0"]


def test_templates_are_studies() -> None:
    known = [
        "calibration",
        "error-labels",
        "filter-rounds",
        "human-baseline",
        "judge-check",
        "quality-control",
        "ranking",
    ]
    assert list(templates()) == known
    assert [read_study(name).kind for name in templates()] == list(templates())
    control = read_study("quality-control")
    assert isinstance(control, QualityControl)
    assert len(control.people) == 12
    assert [stage.of for stage in control.stages] == ["clips", "questions"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("kind: other\nstudy: x\n", "kind"),
        ("kind: human-baseline\nstudy: x\nreviewers: 0\n", "reviewers"),
        ("kind: human-baseline\nstudy: a/b\nreviewers: 2\n", "a/b"),
        ("kind: human-baseline\nstudy: x\nreviewers: [a, a]\n", "twice"),
        ("kind: human-baseline\nstudy: x\nreviewers: [a@b.org]\n", "a@b.org"),
        ("kind: quality-control\nstudy: x\nreviewers: 2\nstages: []\n", "stages"),
        (
            "kind: quality-control\nstudy: x\nreviewers: 1\nstages: [{name: q, of: questions, reasons: [r]}]\n",
            "at least 2",
        ),
        ("- 1\n", "study"),
    ],
)
def test_what_is_not_a_study_is_refused_with_a_sentence(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "study.yaml").write_text(text)
    with pytest.raises(InputError, match=told):
        read_study(tmp_path / "study.yaml")


def test_an_unknown_template_names_the_known_ones() -> None:
    with pytest.raises(InputError, match="human-baseline, judge-check, quality-control"):
        read_study("nothing")
