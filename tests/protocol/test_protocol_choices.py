"""Placements, asks, readings and scores of questions with options and of open ones."""

import itertools
from statistics import mean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.errors import InputError
from chronotope.media import FramePlan
from chronotope.protocol import (
    Ask,
    AskSettings,
    Placement,
    Reading,
    choice_asks,
    option_letters,
    placements,
    read_asked_choice,
    score_choice,
)
from chronotope.question import Option, Question

NONE = "None of these"


def question(texts: list[str | None], answer: tuple[int, ...], **fields: Any) -> Question:
    options = tuple(Option(text=text, image=None if text else f"images/{i}.png") for i, text in enumerate(texts))
    return Question("q7", "sti", "Speed", "clip", "How fast?", options, answer, **fields)


texts = st.lists(st.text("abcdefgh ", min_size=3, max_size=12).map(str.strip).filter(bool), min_size=2, max_size=6)


@st.composite
def single(draw: st.DrawFn) -> Question:
    offered = draw(texts)
    right = draw(st.integers(0, len(offered) - 1))
    if draw(st.booleans()):
        offered = [*offered, NONE]
    return question(list(offered), (right,))


@st.composite
def several(draw: st.DrawFn) -> Question:
    offered = draw(texts)
    right = draw(st.sets(st.integers(0, len(offered) - 1), min_size=1))
    return question(list(offered), tuple(sorted(right)), multiple=True)


any_placement = st.sampled_from(["published", "swap", "rotate"])


@given(single(), any_placement)
def test_placements_are_permutations_that_begin_with_the_published_one(asked: Question, kind: Placement) -> None:
    orders = placements(asked, kind)
    assert orders[0] == tuple(range(len(asked.options)))
    assert len(set(orders)) == len(orders)
    for order in orders:
        assert sorted(order) == list(range(len(asked.options)))
        assert (asked.options[-1].text == NONE) <= (order[-1] == len(asked.options) - 1)


@given(single(), st.sampled_from(["swap", "rotate"]))
def test_the_right_option_stands_once_under_every_letter(asked: Question, kind: Placement) -> None:
    orders = placements(asked, kind)
    movable = len(asked.options) - (asked.options[-1].text == NONE)
    assert sorted(order.index(asked.answer[0]) for order in orders) == list(range(movable))
    for order in orders if kind == "swap" else []:  # all but the two exchanged stay
        assert sum(place != index for place, index in enumerate(order)) in (0, 2)


def test_placements_by_hand() -> None:
    three = question(["x", "y", "z"], (1,))
    assert placements(three, "published") == [(0, 1, 2)]
    assert placements(three, "swap") == [(0, 1, 2), (1, 0, 2), (0, 2, 1)]
    assert placements(three, "rotate") == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    assert placements(question(["yes", "no"], (0,)), "swap") == [(0, 1), (1, 0)]
    assert placements(question(["x", "y", NONE], (1,)), "rotate") == [(0, 1, 2), (1, 0, 2)]
    assert placements(question(["x", "y", NONE], (2,)), "swap") == [(0, 1, 2)]  # the right one may not move
    assert len(placements(question(["x", NONE, "z"], (1,)), "swap")) == 3  # not last as published: an option like any
    assert len(placements(question(["x", "y", "none of the above options"], (0,)), "swap")) == 2
    assert len(placements(question(["x", "y", "a bone of these"], (0,)), "swap")) == 3


def test_swapping_needs_one_right_option() -> None:
    asked = question(["x", "y", "z"], (0, 2), multiple=True)
    with pytest.raises(InputError, match=r"q7.*rotate"):
        placements(asked, "swap")
    assert len(placements(asked, "rotate")) == 3


def test_letters() -> None:
    assert option_letters(3) == ("A", "B", "C")
    assert option_letters(26)[-1] == "Z"
    with pytest.raises(InputError, match="at most 26"):
        option_letters(27)


PLAN = FramePlan.__new__(FramePlan)  # only passed through


def test_asks_have_stable_ids() -> None:
    asked = question(["x", "y", "z"], (1,))

    def ids(**settings: Any) -> list[str]:
        return [ask.id for ask in choice_asks(asked, AskSettings(**settings), (PLAN,))]

    assert ids() == ["q7"]
    assert ids(placement="rotate") == ["q7", "q7#rotate-1", "q7#rotate-2"]
    assert ids(placement="swap") == ["q7", "q7#swap-1", "q7#swap-2"]
    assert ids(input="blind") == ["q7#blind"]
    assert ids(placement="rotate", input="blind")[1] == "q7#rotate-1#blind"
    assert [a.id for a in choice_asks(asked, AskSettings(), (), strategy="text_only")] == ["q7#text_only"]


def test_asks_carry_the_plans_unless_blind() -> None:
    asked = question(["x", "y"], (1,))
    shown = choice_asks(asked, AskSettings(placement="swap"), (PLAN, None))
    assert all(ask.plans == (PLAN, None) and ask.input == "full" for ask in shown)
    assert [ask.placement for ask in shown] == [(0, 1), (1, 0)]
    blind = choice_asks(asked, AskSettings(input="blind"), (PLAN, None))
    assert [ask.plans for ask in blind] == [(None, None)]


def test_an_open_question_is_asked_once() -> None:
    asked = question(["north", "south"], (), expected="north", variant="open")
    for kind in ("published", "swap", "rotate"):
        (ask,) = choice_asks(asked, AskSettings(placement=kind), (PLAN,))
        assert ask.placement == ()
        assert ask.id == "q7"


def test_pictures_cannot_be_chosen_blind() -> None:
    with pytest.raises(InputError, match=r"q7.*pictures"):
        choice_asks(question([None, None], (0,)), AskSettings(input="blind"), (None,))


FORMS = ["{}", "({})", "{}.", "Answer: {}", "The answer is {}.", "Well.\n\\boxed{{{}}}", "<answer>{}</answer>"]


@given(single() | several(), any_placement, st.sampled_from(FORMS))
def test_who_names_the_right_letters_scores_one_under_any_placement(
    asked: Question, kind: Placement, form: str
) -> None:
    if asked.multiple and kind == "swap":
        kind = "rotate"
    asks = choice_asks(asked, AskSettings(placement=kind), ())
    readings: list[tuple[Ask, Reading | None]] = []
    for ask in asks:
        right = [chr(ord("A") + place) for place, index in enumerate(ask.placement) if index in asked.answer]
        reading = read_asked_choice(ask, asked, form.format(", ".join(right)), truncated=False)
        assert reading.options == set(asked.answer)
        readings.append((ask, reading))
    assert score_choice(asked, readings).metrics == {
        "strict": 1.0,
        "covered": 1.0,
        "circular": 1.0 if len(asks) > 1 else None,
    }


@given(single(), st.sampled_from(["swap", "rotate"]), st.data())
def test_who_always_names_one_letter_is_right_in_one_placement(
    asked: Question, kind: Placement, data: st.DataObject
) -> None:
    asks = choice_asks(asked, AskSettings(placement=kind), ())
    letter = chr(ord("A") + data.draw(st.integers(0, len(asks) - 1)))
    readings = [(ask, read_asked_choice(ask, asked, letter, truncated=False)) for ask in asks]
    metrics = score_choice(asked, readings).metrics
    assert metrics["strict"] == pytest.approx(1 / len(asks))
    assert metrics["circular"] == 0.0


@given(single(), any_placement)
def test_who_names_the_text_is_read_under_any_placement(asked: Question, kind: Placement) -> None:
    offered = [" ".join(o.text.split()) for o in asked.options if o.text]
    for ask in choice_asks(asked, AskSettings(placement=kind), ()):
        for index, text in enumerate(offered):
            # Texts of one letter, or equal to another's, name nothing; "a" is an article.
            plain = [t for t in text.split() if t != "a"]
            if len("".join(plain)) < 3 or [[w for w in t.split() if w != "a"] for t in offered].count(plain) > 1:
                continue
            said = read_asked_choice(ask, asked, text, truncated=False)
            assert said.options in ({index}, None)
            if len(text.split()[0]) > 1:
                assert said.options == {index}


def test_unread_and_missing_count_as_wrong_but_are_not_covered() -> None:
    asked = question(["x", "y", "z"], (1,))
    asks = choice_asks(asked, AskSettings(placement="rotate"), ())
    right = Reading(frozenset({1}), "first_line")
    unread = Reading(None, "no_answer")
    scored = score_choice(asked, [(asks[0], right), (asks[1], unread), (asks[2], None)])
    assert scored.metrics == {"strict": pytest.approx(1 / 3), "covered": 1.0, "circular": 0.0}
    nothing = score_choice(asked, [(asks[0], None)])
    assert nothing.metrics == {"strict": 0.0, "covered": None, "circular": None}
    wrong = score_choice(asked, [(asks[0], Reading(frozenset({0}), "first_line"))])
    assert wrong.metrics == {"strict": 0.0, "covered": 0.0, "circular": None}


def test_right_means_exactly_the_right_set() -> None:
    asked = question(["x", "y", "z"], (0, 2), multiple=True)
    (ask,) = choice_asks(asked, AskSettings(), ())
    for size in range(4):
        for chosen in itertools.combinations(range(3), size):
            scored = score_choice(asked, [(ask, Reading(frozenset(chosen), "first_line"))])
            assert scored.metrics["strict"] == float(chosen == (0, 2))


@given(st.integers(1, 8), st.booleans())
def test_chance_is_that_of_guessing_among_all_answers(size: int, multiple: bool) -> None:
    multiple = multiple and size > 1
    right = {0, 1} if multiple else {0}
    asked = question([f"t{i}" for i in range(size)], tuple(right), multiple=multiple)
    answers = [
        set(chosen)
        for count in (range(2, size + 1) if multiple else [1])  # who is told "several" names at least two
        for chosen in itertools.combinations(range(size), count)
    ]
    assert score_choice(asked, []).chance == pytest.approx(mean(answer == right for answer in answers))
    credit = [len(answer) / len(right) if answer <= right else 0 for answer in answers]
    assert score_choice(asked, [], partial=True).chance == pytest.approx(mean(credit))


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("A", {0}),  # one token was allowed
        ("Answer: A\n\nBecause the car", {0}),
        ("The answer is A. To see this, look at the", {0}),
        ("The speed was moderate. The answer is A", None),  # may go on: "A rather slow ..."
        ("Let me see. First,\n\nA", None),
        ("0.44 m/s", None),  # may go on: "... is too fast"
        ("<think>A", None),
        ("It is A.", None),  # what follows may take it back
        ("I think A", None),
        ("Therefore, A.", None),
        ("It is A. Let me check that against the door, which is 2 m high, and compare with", None),
    ],
)
def test_truncated_replies(reply: str, read: set[int] | None) -> None:
    asked = question(["0.30 m/s", "0.44 m/s"], (0,))
    (ask,) = choice_asks(asked, AskSettings(), ())
    reading = read_asked_choice(ask, asked, reply, truncated=True)
    assert reading.truncated
    assert reading.options == read


@pytest.mark.parametrize(("reply", "read"), [("A, B", None), ("A,", None), ("AB", None), ("A, B because both", {0, 1})])
def test_truncated_lists(reply: str, read: set[int] | None) -> None:
    asked = question(["x", "y", "z"], (0, 1), multiple=True)
    (ask,) = choice_asks(asked, AskSettings(), ())
    assert read_asked_choice(ask, asked, reply, truncated=True).options == read


@pytest.mark.parametrize(
    ("reply", "value", "right"),
    [
        ("north", "north", 1.0),
        ("North.", "North.", 1.0),
        ("<think>south?</think>\n**North**", "North", 1.0),
        ("Answer: north", "north", 1.0),
        ("The answer is: north", "north", 1.0),
        ("It is there.\n\\boxed{north}", "north", 1.0),
        ("<answer>north</answer>", "north", 1.0),
        ("northeast", "northeast", 0.0),
        ("It is north of here", "It is north of here", 0.0),
        ("", None, 0.0),
        ("<think>north", None, 0.0),
        (None, None, 0.0),
    ],
)
def test_open_answers(reply: str | None, value: str | None, right: float) -> None:
    asked = question(["north", "south"], (), expected="north", variant="open")
    (ask,) = choice_asks(asked, AskSettings(), ())
    reading = read_asked_choice(ask, asked, reply, truncated=False)
    assert reading.options is None
    assert reading.value == value
    assert reading.parsed == (value is not None)
    scored = score_choice(asked, [(ask, reading)])
    assert scored.metrics["strict"] == right
    assert scored.metrics["covered"] == (1.0 if right else None)  # of other words nobody has said it
    assert scored.chance is None


@given(st.text(), single() | several(), st.booleans())
def test_any_reply_is_read(reply: str, asked: Question, truncated: bool) -> None:
    for ask in choice_asks(asked, AskSettings(placement="rotate"), ()):
        reading = read_asked_choice(ask, asked, reply, truncated)
        assert reading.options is None or reading.options <= set(range(len(asked.options)))
