"""Names in other words: which of them will do, and that they are put where our own names stood and nowhere else."""

import re
from dataclasses import replace

import pytest

from chronotope.question import Mention, Option, Question
from chronotope.scene import drop_shared, phrase_fault, with_phrases


def named_question(stem, phrases, options=("1m", "2m")):
    """A question whose stem has each phrase in the place of its thing's id in braces."""
    text, named = "", []
    for part in re.split(r"(\{\w+\})", stem):
        if part.startswith("{"):
            thing = part[1:-1]
            named.append(Mention(thing, "stem", phrases[thing], len(text), len(text) + len(phrases[thing])))
            part = phrases[thing]
        text += part
    return Question(
        id="q",
        family="other",
        task="t",
        cluster="c",
        stem=text,
        options=tuple(map(Option, options)),
        answer=(0,),
        window=None,
        media=(),
        tags={},
        flags=(),
        recordings=("r",),
        mentions=tuple(named) or tuple(Mention(thing, "option", phrase) for thing, phrase in phrases.items()),
    )


@pytest.mark.parametrize(
    ("stem", "phrases", "new", "said"),
    [
        (
            "how far is the camera from the centre of {a}?",
            {"a": "the camera"},
            {"a": "the small black digital camera"},
            "how far is the camera from the centre of the small black digital camera?",
        ),
        (
            "How wide is the gap between {a} and {b}, and the carpet?",
            {"a": "the car", "b": "the cart"},
            {"a": "the long red one"},
            "How wide is the gap between the long red one and the cart, and the carpet?",
        ),
        (
            "Where is {a} relative to {b}?",
            {"a": "the mug", "b": "the mug on the red book"},
            {"a": "the tall cup", "b": "the mug"},
            "Where is the tall cup relative to the mug?",
        ),
    ],
)
def test_a_name_is_put_where_our_name_was_and_nowhere_else(stem, phrases, new, said):
    question = named_question(stem, phrases)
    again = with_phrases(question, {("r", thing): phrase for thing, phrase in new.items()}, "endpoint/w")
    assert again.stem == said
    assert again.phrases() == phrases | new and again.provenance["writer"] == "endpoint/w"
    assert len(again.mentions) == len(question.mentions)
    for one in again.mentions:
        assert again.stem[one.start : one.end] == (phrases | new)[one.entity] == one.phrase
    assert with_phrases(question, {("other", "a"): "x"}, "endpoint/w") == question


def test_an_option_that_is_a_name_is_put_in_other_words_and_no_part_of_one():
    phrases = {"a": "the car", "b": "the box"}
    question = named_question("Which is nearest?", phrases, ("the car", "the carpet", "the box", "in the box"))
    again = with_phrases(question, {("r", "a"): "the long red one", ("r", "b"): "the small box"}, "endpoint/w")
    assert [one.text for one in again.options] == ["the long red one", "the carpet", "the small box", "in the box"]


def test_a_question_that_names_nothing_stays_as_it_is():
    question = replace(named_question("How far?", {}), provenance={})
    assert with_phrases(question, {("r", "a"): "the long red one"}, "endpoint/w") is question


@pytest.mark.parametrize(
    ("phrase", "fault"),
    [
        ("the shiny red mug", None),
        ("a shiny red mug", "begins with 'the'"),
        ("the", "2 to 15 words"),
        ("the " + "very " * 15 + "red mug", "2 to 15 words"),
        ("the mug 2", "number"),
        ("the mug on the left", "left or right"),
        ("The Blue mug!", "another thing has this name"),
    ],
)
def test_what_is_wrong_with_a_phrase_is_said(phrase, fault):
    found = phrase_fault(phrase, ["the blue mug", "the book"])
    assert found is None if fault is None else fault in (found or "")


def test_phrases_that_two_things_of_a_recording_share_are_dropped():
    said = {"r": {"a": "the red mug", "b": "the blue mug", "c": "the cup"}, "s": {"a": "the mug"}}
    new = {("r", "a"): "the shiny mug", ("r", "b"): "the Shiny mug", ("s", "a"): "the shiny mug"}
    drop_shared(new, said)
    assert new == {("s", "a"): "the shiny mug"}
    taken = {("r", "a"): "the cup"}  # which another thing is called already
    drop_shared(taken, said)
    assert taken == {}
