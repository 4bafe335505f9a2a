"""Reformulated questions, balanced limits and the counts of letters."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from chronotope.errors import InputError
from chronotope.question import (
    NONE_OF_THESE,
    Option,
    Question,
    item_generator,
    limit_balanced,
    make_variants,
    none_answer,
    none_distractor,
    open_ended,
    why_not,
)

NAMES = ["none_distractor", "none_answer", "open"]


def question(name: str = "q", **changes: Any) -> Question:
    colours = tuple(Option(text) for text in ("red", "green", "blue", "white", "black"))
    made = Question(
        name, "vgenst", "colour", "clip", "Which colour has the cup?", colours, (2,), tags={"level": ("1",)}
    )
    return replace(made, **changes)


def texts(made: Question | None) -> list[str | None]:
    assert made is not None
    return [option.text for option in made.options]


def test_none_of_these_as_distractor() -> None:
    base = question()
    seen = Counter[tuple[str | None, ...]]()
    for draw in range(400):
        made = none_distractor(base, item_generator(draw, "vgenst", "q"))
        assert made is not None and made.options[made.answer[0]].text == "blue"
        assert texts(made)[-1] == NONE_OF_THESE and len(made.options) == 5
        assert (made.id, made.base, made.variant) == ("q-none-distractor", "q", "none_distractor")
        assert (made.stem, made.tags, made.cluster) == (base.stem, base.tags, base.cluster)
        seen[tuple(texts(made)[:-1])] += 1
    # Each of the four wrong ones goes equally often, the rest keep their order.
    order = [option.text for option in base.options]
    assert set(seen) == {tuple(text for text in order if text != gone) for gone in order if gone != "blue"}
    assert chisquare(list(seen.values())).pvalue > 1e-3


def test_none_of_these_as_answer() -> None:
    made = none_answer(question(), item_generator(0, "vgenst", "q"))
    assert texts(made) == ["red", "green", "white", "black", NONE_OF_THESE]
    assert made is not None and made.answer == (4,)
    assert (made.id, made.base, made.variant) == ("q-none-answer", "q", "none_answer")


def test_the_papers_rule_adds_an_option_or_replaces_the_right_one() -> None:
    """VGenST-Bench, C.6: V1 has one option more, behind the others; V2 has it where the right one was."""
    base = question()
    v1, v2 = make_variants([base], NAMES[:2], 0, "paper")
    assert texts(v1) == [*texts(base), "None of these"] and v1.answer == base.answer
    assert v2.answer == base.answer and len(v2.options) == len(base.options)
    assert [place for place, text in enumerate(texts(v2)) if text == "None of these"] == list(base.answer)
    assert [made.id for made in (v1, v2)] == [made.id for made in make_variants([base], NAMES[:2], 0)]


def test_that_none_of_these_is_there_tells_nothing() -> None:
    """Over bases whose right option is any of them, both variants show the same sets, and the same one last."""
    shown = {name: Counter[tuple[str | None, ...]]() for name in NAMES[:2]}
    for number in range(2_000):
        base = question(f"q{number}", answer=(number % 5,))
        for made in make_variants([base], NAMES[:2], 0):
            shown[made.variant][tuple(texts(made))] += 1
    assert set(shown["none_distractor"]) == set(shown["none_answer"]) and len(shown["none_answer"]) == 5
    for counts in shown.values():
        assert chisquare(list(counts.values())).pvalue > 1e-3


def test_open_ended_keeps_the_options_for_a_judge() -> None:
    made = open_ended(question())
    assert made is not None
    assert (made.id, made.base, made.variant) == ("q-open", "q", "open")
    assert made.answer == () and made.expected == "blue" and made.options == question().options


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"multiple": True}, []),
        ({"answer": (), "expected": "blue"}, []),
        ({"multiple": True, "answer": (1, 2)}, []),
        ({"variant": "open", "base": "other"}, []),
        ({"options": (Option("a", "a.png"), Option("b"), Option("c"))}, []),
        ({"options": (Option("yes"), Option("no")), "answer": (0,)}, ["open"]),
        ({"options": (Option("a"), Option("b"), Option("all of the above"))}, []),
        ({"options": (Option("a"), Option("None of these"), Option("c"))}, ["open"]),
        ({"options": (Option("a"), Option("b"), Option("x" * 41))}, NAMES[:2]),
        ({"options": (Option("a"), Option("Blue "), Option("blue"))}, NAMES[:2]),
        ({"stem": "Which of the cups is blue?"}, NAMES[:2]),
        ({}, NAMES),
    ],
)
def test_variants_are_made_only_where_they_make_sense(changes: dict[str, Any], names: list[str]) -> None:
    assert [made.variant for made in make_variants([question(**changes)], NAMES, 0)] == names


def test_variants_depend_on_no_other_question() -> None:
    questions = [question(f"q{number}", answer=(number % 5,)) for number in range(20)]
    made = {variant.id: variant for variant in make_variants(questions, NAMES, 5)}
    alone = make_variants(questions[7:8], ["open", "none_distractor", "open"], 5)
    assert [variant.id for variant in alone] == ["q7-open", "q7-none-distractor"]
    assert all(made[variant.id] == variant for variant in alone)
    other = make_variants(questions, NAMES[:1], 6)
    assert any(made[variant.id] != variant for variant in other)
    with pytest.raises(InputError, match="unknown variant 'base': expected one of none_distractor, none_answer, open"):
        make_variants(questions, ["base"], 0)


sizes = st.lists(st.integers(1, 12), min_size=1, max_size=6)


def clustered(counts: list[int]) -> list[Question]:
    return [question(f"{c}-{i}", cluster=f"clip-{c}") for c, size in enumerate(counts) for i in range(size)]


@given(sizes, st.integers(1, 40), st.integers(0, 2**32))
def test_a_limit_takes_the_same_questions_evenly(counts: list[int], n: int, seed: int) -> None:
    questions = clustered(counts)
    taken = limit_balanced(questions, n)
    ids = [made.id for made in taken]
    assert len(ids) == min(n, sum(counts))
    assert ids == [made.id for made in questions if made.id in set(ids)]  # in the order given
    assert set(ids) <= {made.id for made in limit_balanced(questions, n + 1)}
    mixed = [questions[i] for i in np.random.default_rng(seed).permutation(len(questions))]
    assert {made.id for made in limit_balanced(mixed, n)} == set(ids)
    per = Counter(made.cluster for made in taken)
    most = max(per.values())
    for c, size in enumerate(counts):
        assert per[f"clip-{c}"] >= min(size, most - 1)


def test_a_variant_follows_its_base() -> None:
    bases = [question(f"q{number}") for number in range(6)]
    everything = bases + make_variants(bases, NAMES, 0)
    whole = [limit_balanced(everything, 4 * k) for k in range(1, 7)]
    for k, taken in enumerate(whole, 1):
        assert len({made.base or made.id for made in taken}) == k
    assert limit_balanced(everything, 1)[0].variant == "base"


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(InputError, match="at least 1"):
        limit_balanced([question()], 0)


@pytest.mark.parametrize(
    ("changes", "of_none", "of_open"),
    [
        ({}, None, None),
        ({"variant": "open", "base": "p"}, "is a variant itself", "is a variant itself"),
        ({"multiple": True}, "may have several correct options", "may have several correct options"),
        ({"answer": (1, 2), "multiple": True}, "may have several correct options", "may have several correct options"),
        ({"options": (Option(image="a.png"),) * 3}, "has options that are pictures", "has options that are pictures"),
        ({"options": (Option("Yes"), Option("No")), "answer": (0,)}, "has only two options, and", None),
        (
            {"options": (Option("a"), Option("b"), Option("All of these"))},
            "has an option that mentions",
            "has an answer th",
        ),
        ({"options": (Option("a"), Option("b"), Option("B"))}, None, "has options with the same text"),
        ({"options": (Option("a"), Option("b"), Option("c" * 41))}, None, "has an answer of more than 40 characters"),
        ({"stem": "Which of these is it?"}, None, "mentions its options in the question"),
    ],
)
def test_why_a_question_has_no_variant(changes: dict[str, Any], of_none: str | None, of_open: str | None) -> None:
    """And it has the variant where nothing is said."""
    asked = question(**changes)
    for name, expected in (("none_distractor", of_none), ("none_answer", of_none), ("open", of_open)):
        reason = why_not(asked, name)
        assert (reason or "").startswith(expected or "") and (reason is None) == (expected is None)
        assert (make_variants([asked], [name], 0) == []) == (expected is not None)
