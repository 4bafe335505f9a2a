"""The selection against guessers that share no code with it, on questions whose leak is planted."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from m3_guesser import GUESSERS, VIEWS, chance, hits
from scipy.optimize import minimize
from threadpoolctl import threadpool_info, threadpool_limits

from chronotope.families import WriteContext
from chronotope.families.m3 import BuildOptions
from chronotope.families.m3.select import select
from chronotope.families.m3.shares import subtask_of
from chronotope.families.m3.subtasks import SUBTASKS
from chronotope.families.m3.tasks import NONE
from chronotope.question import Option, Question, usual_answers
from chronotope.question.usual_answers import WEIGHT, _Table

pytestmark = pytest.mark.slow
ROOMS = ("kitchen", "bedroom", "bathroom", "living room", "hall", "office")


def how_usual(questions: list[Question], generator: np.random.Generator) -> np.ndarray:
    return usual_answers.how_usual(questions, generator, subtask_of, NONE)


def planted(homes: int, usual: float, generator: np.random.Generator) -> list[Question]:
    """Questions about where things are: with a chance of ``usual``, in the room that the name of the thing tells."""
    made = []
    for home in range(homes):
        for number in range(20):
            thing = int(generator.integers(len(ROOMS)))
            right = thing if generator.random() < usual else int(generator.integers(len(ROOMS)))
            wrong = generator.permutation([room for room in range(len(ROOMS)) if room != right])[:3]
            listed = generator.permutation([right, *wrong]).tolist()
            made.append(
                Question(
                    id=f"{home}-{number}",
                    family="m3",
                    task="object_info",
                    cluster=f"home-{home}",
                    stem=f"Where is the thing {'abcdef'[thing]}?",
                    options=tuple(Option(ROOMS[room]) for room in listed),
                    answer=(listed.index(right),),
                    media=(),
                    tags={"subtask": ("object_room_location",)},
                )
            )
    return made


def usually_in_the_kitchen(homes: int, each: int, generator: np.random.Generator) -> list[Question]:
    """Questions with the options of four rooms; for four of five, the first is correct."""
    made = []
    for one in planted(homes, 0.0, generator):
        if int(one.id.split("-")[1]) < each:
            right = 0 if generator.random() < 0.8 else int(generator.integers(1, 4))
            made.append(replace(one, options=tuple(map(Option, ROOMS[:4])), answer=(right,)))
    return made


def excess(questions: list[Question], view: str) -> float:
    """Hits of the better guesser above chance."""
    fair = np.mean([chance(one) for one in questions])
    return max(hits(questions, view, guesser).mean() for guesser in GUESSERS) - fair


def test_a_leak_that_a_guesser_finds_is_gone_after_the_selection() -> None:
    questions = planted(60, 0.5, np.random.default_rng(3))
    assert excess(questions, VIEWS[1]) > 0.25
    kept = [questions[place] for place in np.flatnonzero(how_usual(questions, np.random.default_rng(4)) < 1)]
    assert len(kept) > 250
    assert excess(kept, VIEWS[1]) < 0.07  # 1.6 standard errors of 300 questions are 0.04, the better of two guessers
    assert excess(kept, VIEWS[0]) < 0.07


def test_without_a_leak_most_questions_stay() -> None:
    questions = planted(60, 0.0, np.random.default_rng(5))
    assert np.mean(how_usual(questions, np.random.default_rng(6)) < 1) > 0.5


def test_questions_of_one_home_are_all_kept() -> None:
    questions = planted(1, 0.9, np.random.default_rng(7))
    assert np.all(how_usual(questions, np.random.default_rng(8)) < 1)


def test_subtasks_with_few_questions_reveal_little_and_keep_some() -> None:
    """Of each of 15 subtasks, there are 20 questions about 10 homes, four of five with the usual answer."""
    generator = np.random.default_rng(9)
    questions = [
        replace(
            one,
            id=f"{name}-{one.id}",
            stem="Was it broken?",
            tags={"subtask": (name,), "hallucination": ("no",), "state_type": ("inter-states",)},
            provenance={"state": None, "sorted": False, "option_subjects": [[]] * 4},
        )
        for name in list(SUBTASKS)[:15]
        for one in usually_in_the_kitchen(10, 2, generator)
    ]
    kept = select(questions, WriteContext(7, "strict", BuildOptions())).questions
    sizes = Counter(one.tags["subtask"] for one in kept)
    assert len(sizes) == 15 and min(sizes.values()) >= 3
    usual = [one.options[one.answer[0]].text == ROOMS[0] for one in kept]
    assert np.mean(usual) < 0.5  # of all, four of five


def test_equal_features_are_merged_without_another_result() -> None:
    """Against the gradient of the loss, over all features one by one."""
    questions = planted(15, 0.5, np.random.default_rng(11))
    learned = 240  # the questions of 12 homes; what is learned is for the other three
    for place in (0, 299):  # the words are in one question only
        questions[place] = replace(questions[place], stem=f"Where is the odd thing {place}?")
    table = _Table.of(questions, subtask_of, NONE)
    weights = table.fit(np.arange(learned))
    features = table.features.toarray()
    border = table.rows(learned).start
    used = (features[:border].astype(bool).sum(axis=0) >= 2) & features[border:].any(axis=0)
    assert 0 < used.sum() < features.any(axis=0).sum()
    assert np.all(weights[~used] == 0)
    slope = WEIGHT * weights
    for question in range(learned):
        rows = table.rows(question)
        likely = np.exp(features[rows] @ weights)
        slope += (likely / likely.sum() - table.right[rows]) @ features[rows]
    assert np.abs(slope[used]).max() < 0.02  # each fit has a limited number of steps
    assert np.abs(weights).max() > 0.3
    same = np.unique(features[:border, used], axis=1, return_inverse=True)[1].ravel()
    assert same.max() + 1 < used.sum()  # there are equal features
    for group in range(same.max() + 1):
        assert np.ptp(weights[used][same == group]) == 0


def test_a_fit_uses_one_thread_and_gives_the_others_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def threads() -> set[int]:
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

    def watched(*given, **named):
        during.update(threads())
        return minimize(*given, **named)

    during: set[int] = set()
    monkeypatch.setattr(usual_answers, "minimize", watched)
    with threadpool_limits(2, "blas"):  # as in a script; the command line starts with one
        if threads() != {2}:
            pytest.skip("the number of threads of this BLAS cannot be set")
        how_usual(planted(5, 0.5, np.random.default_rng(3)), np.random.default_rng(4))
        assert during == {1} and threads() == {2}
