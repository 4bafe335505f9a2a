"""What the options of IKEA-Bench give away: guessers that see steps' numbers and options, and neither clip nor diagram.

The first remembers, for each set of options in a manual of known length, which member was right most often: no guesser
that has only these can do better, given enough to learn from. The second is a gradient-boosted classifier of single
options by their numbers, gaps and letters. Both learn from 5,000 questions and are tried on 5,000 others.
"""

from collections import Counter, defaultdict
from functools import cache

import numpy as np
import pytest

from chronotope.families.ikea.write import manual
from ikea_annotations import build, plain

LEARN = TRY = 5_000
LENGTHS = (4, 5, 7, 10)
MARGIN = 0.03


def from_one_manual(folder, profile, task, length):
    """Questions of one task about a manual of so many steps that many people carry out."""
    takes = -(-(LEARN + TRY) // ((length - 1) if task == "T4" else length))
    made = plain(folder, length, takes)
    return list(build([made], profile, tasks=task, allow_short_options=True)[0].questions)


def sequences(folder, profile, length):
    """Sequences of one manual, over many seeds: each seed draws other displays and options."""
    made = plain(folder, length, 1, f"stool-{length}")
    wanted = (LEARN + TRY) // len(LENGTHS)
    questions = []
    for seed in range(-(-wanted // (length - 2))):
        questions += build([made], profile, seed, tasks="D2")[0].questions
    return questions


def members(question):
    """What a guesser sees of each option: the step's number, else its text."""
    steps = question.provenance.get("option_steps")
    return tuple(steps) if steps is not None else tuple(option.text for option in question.options)


def seen(question):
    """What a guesser sees beside the options: of T2 the number of the diagram's step."""
    return question.provenance.get("shown_step"), tuple(sorted(members(question)))


def by_memory(questions, seed=0):
    """Share right of the guesser that remembers, and chance."""
    order = np.random.default_rng(seed).permutation(len(questions))
    learn, attempt = ([questions[i] for i in part] for part in (order[:LEARN], order[LEARN : LEARN + TRY]))
    memory = defaultdict(Counter)
    for question in learn:
        memory[seen(question)][members(question)[question.answer[0]]] += 1
    hits = 0.0
    for question in attempt:
        known = memory.get(seen(question))
        right = members(question)[question.answer[0]]
        hits += known.most_common(1)[0][0] == right if known else 1 / len(question.options)
    return hits / len(attempt), float(np.mean([1 / len(question.options) for question in attempt]))


def by_trees(questions, seed=0):
    """Share right of the classifier that looks at one option after another and names the likeliest."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    order = np.random.default_rng(seed).permutation(len(questions))
    rows = [features(questions[i]) for i in order[: LEARN + TRY]]
    rights = [questions[i].answer[0] for i in order[: LEARN + TRY]]
    X = np.concatenate(rows[:LEARN])
    y = np.concatenate([np.arange(len(row)) == right for row, right in zip(rows, rights, strict=True)][:LEARN])
    model = HistGradientBoostingClassifier(max_iter=150, random_state=seed).fit(X, y)
    likely = model.predict_proba(np.concatenate(rows[LEARN:]))[:, 1]
    firsts = np.cumsum([0, *(len(row) for row in rows[LEARN:])])
    hits = [
        int(np.argmax(likely[first:end])) == right
        for first, end, right in zip(firsts, firsts[1:], rights[LEARN:], strict=False)
    ]
    return float(np.mean(hits)), float(np.mean([1 / len(row) for row in rows[LEARN:]]))


def features(question):
    steps = np.array(question.provenance["option_steps"], dtype=float)
    ordered = np.sort(steps)
    rows = []
    for letter, step in enumerate(steps):
        rank = int(np.searchsorted(ordered, step))
        below = step - ordered[rank - 1] if rank else -1
        above = ordered[rank + 1] - step if rank + 1 < len(ordered) else -1
        rows.append([letter, rank, step, below, above, step - steps.mean(), step - np.median(steps), *ordered[:3]])
    return np.array(rows)


@pytest.mark.slow
@pytest.mark.parametrize("task", ["T1", "T3", "T4"])
def test_the_numbers_of_steps_tell_nothing_under_strict(tmp_path, task):
    for length in LENGTHS:
        questions = from_one_manual(tmp_path, "strict", task, length)
        assert len(questions) >= LEARN + TRY
        share, chance = by_memory(questions)
        trees, _ = by_trees(questions)
        print(f"strict {task}, {length} steps: {share:.3f} by memory, {trees:.3f} by trees, chance {chance:.3f}")
        assert share <= chance + MARGIN
        assert trees <= chance + MARGIN


@pytest.mark.slow
@pytest.mark.parametrize(("task", "length"), [("T1", 5), ("T1", 10), ("T3", 10), ("T4", 4), ("T4", 10)])
def test_the_numbers_of_steps_tell_much_under_paper(tmp_path, task, length):
    share, chance = by_memory(from_one_manual(tmp_path, "paper", task, length))
    print(f"paper {task}, {length} steps: {share:.3f} by memory, chance {chance:.3f}")
    assert share >= chance + 0.1


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["strict", "paper"])
def test_the_orders_offered_tell_nothing(tmp_path, profile, monkeypatch):
    monkeypatch.setattr(manual, "look", cache(manual.look))  # the same diagrams, hundreds of times
    questions = [question for length in LENGTHS for question in sequences(tmp_path, profile, length)]
    share, chance = by_memory(questions)
    print(f"{profile} D2: {share:.3f} by memory, chance {chance:.3f}")
    assert chance == 0.25
    assert share <= chance + MARGIN
    displayed = Counter(tuple(np.argsort(question.provenance["steps"])) for question in questions)
    assert len(displayed) == 6
    assert max(displayed.values()) / len(questions) < 1 / 6 + 0.02


@pytest.mark.slow
@pytest.mark.parametrize("length", [4, 10])
def test_the_diagram_alone_does_not_tell_whether_it_is_the_right_one(tmp_path, length):
    made = plain(tmp_path, length, -(-(LEARN + TRY) // length))
    for profile in ("strict", "paper"):
        share, chance = by_memory(build([made], profile, tasks="T2", cap=10**6)[1].questions)
        print(f"{profile} T2, {length} steps: {share:.3f} by memory, chance {chance:.3f}")
        # Under paper a step inside the manual is the wrong one of two others, one at its end of one.
        assert share <= chance + MARGIN if profile == "strict" else share > chance + MARGIN
