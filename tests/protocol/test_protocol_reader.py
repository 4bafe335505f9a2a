"""The reader of replies: a corpus of real-shaped replies, and what must hold for any string."""

import itertools
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chronotope.protocol import Choice, read_choice, same_text, without_thinking


class Row(NamedTuple):
    reply: str
    letters: str
    options: dict[str, str]
    multiple: bool
    expected: Choice | str
    why: str


def corpus() -> list[Row]:
    rows: list[Row] = []
    for group in tomllib.loads((Path(__file__).parent / "replies.toml").read_text(encoding="utf-8")).values():
        for reply, expected, why in group["replies"]:
            rows.append(Row(reply, group["letters"], group["options"], group.get("multiple", False), expected, why))
    return rows


CORPUS = corpus()


def written(choice: Choice) -> str:
    if choice.letters is not None:
        return "".join(sorted(choice.letters))
    return "!" + "".join(sorted(choice.invalid_letters)) if choice.invalid_letters else "-"


@pytest.mark.parametrize("row", CORPUS, ids=[f"{i}-{row.reply[:20]!a}" for i, row in enumerate(CORPUS)])
def test_corpus(row: Row) -> None:
    choice = read_choice(row.reply, row.letters, options=row.options, multiple=row.multiple)
    assert written(choice) == row.expected, (row.reply, row.why, choice.rule)


def test_corpus_is_large_and_says_why() -> None:
    assert len(CORPUS) >= 150
    assert len({(row.reply, row.letters, row.multiple) for row in CORPUS}) >= 150
    assert all(row.why for row in CORPUS)


FRAGMENTS = [
    *"ABCDEFaiI().,:;?!*#`\"'[]{}<>/\\|-=&+$^~\n\r\t 0123.5°²",
    *(
        "Answer",
        "answer is",
        "The correct answer is",
        "option",
        "Options",
        "because",
        "and",
        "or",
        "not",
        "is",
        "too long",
    ),
    *(
        "<think>",
        "</think>",
        "<answer>",
        "</answer>",
        "\\boxed{",
        "\\text{",
        '{"answer": ',
        "<|begin_of_box|>",
        "I choose",
    ),
    *(
        "if",
        "are correct",
        "0.15 m/s",
        "0.44m/s",
        "red cube",
        "the",
        "答案：",
        "Ａ",
        "（",
        "\u200b",
        "\ud83d",
        "\u2028",
        "None",
    ),
]
OPTIONS = {"A": "0.15m/s", "B": "0.44m/s", "C": "a red cube", "D": "red cube", "E": ""}
replies = st.text() | st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=30).map("".join)
spaced = st.lists(st.sampled_from(FRAGMENTS), max_size=20).map(" ".join)


@settings(max_examples=600)
@given(replies | spaced, st.sampled_from(["", "A", "AB", "ABCD", "ABCDE"]), st.booleans(), st.booleans())
@example("\\boxed{" * 50, "AB", True, True)
def test_any_string_is_read_without_an_exception(reply: str, letters: str, multiple: bool, with_texts: bool) -> None:
    options = OPTIONS if with_texts else None
    choice = read_choice(reply, letters, options=options, multiple=multiple)
    assert choice == read_choice(reply, tuple(letters), options=options, multiple=multiple)
    assert choice.letters is None or (choice.letters and choice.letters <= set(letters))
    assert multiple or choice.letters is None or len(choice.letters) == 1
    assert not choice.invalid_letters & set(letters)
    assert not (choice.letters and choice.invalid_letters)


@given(replies | spaced)
def test_nothing_is_read_behind_an_open_think_block(reply: str) -> None:
    choice = read_choice("<think>" + reply.replace("</think>", ""), "ABCDE", options=OPTIONS)
    assert choice.letters is None
    assert choice.rule == "unclosed_thinking"


@given(replies, st.sampled_from("ABCDE"))
def test_thinking_changes_no_answer(thought: str, letter: str) -> None:
    said = f"<think>{thought.replace('think', '')}</think>\n{letter}"
    assert read_choice(said, "ABCDE", options=OPTIONS).letters == {letter}


@given(st.sampled_from("ABCDE"), st.text())
def test_the_first_line_wins_whatever_follows(letter: str, reasons: str) -> None:
    lines = reasons.replace("<", "").replace("◁", "").replace("[THINK]", "")
    for first in (f"Answer: {letter}", f"**{letter}**", f"({letter})"):
        said = read_choice(f"{first}\n\nReasons: {lines}", "ABCDE")
        assert said.letters == {letter}


@given(st.sampled_from("ABCDE"), st.text(st.characters(codec="ascii", exclude_characters="<>{}[]\"'"), max_size=60))
def test_a_last_box_wins_over_what_was_considered(letter: str, thoughts: str) -> None:
    assert read_choice(f"Let me see: {thoughts}\n\\boxed{{{letter}}}", "ABCDE").letters == {letter}


SAYINGS = [
    *(
        "{x}",
        "{x}.",
        "({x})",
        "**{x}**",
        "{x})",
        "Option {x}",
        "Answer: {x}",
        "The answer is {x}.",
        "the answer is ({x})",
    ),
    *(
        "{x} because the others, {y} and {z}, are too fast.",
        "{x}\n\n{y} is too fast. {z} is too slow.",
        "{x}, not {y}.",
    ),
    *(
        "{x}. {t}",
        "{x} {t}",
        "{x} ({t})",
        "Answer: {x}) {t}",
        "{t}",
        "The correct answer is {x}: {t}",
        "\\boxed{{{x}}}",
    ),
    *("{y} is too fast and {z} is too slow, so the answer is {x}.", "Not {y}.\nNot {z}.\n{x}", "<answer>{x}</answer>"),
    *("Option {x} is correct, {y} is not.", "{y}? No.\nFinal answer: {x}", "I choose {x} over {y}.\nAnswer: {x}"),
    "{x}\n\nWhy not the others:\n{y}. too fast\n{z}. too slow",
]


@pytest.mark.parametrize("saying", SAYINGS)
def test_no_letter_is_read_more_readily_than_another(saying: str) -> None:
    for x, y, z in itertools.permutations("ABCDE", 3):
        options = {letter: f"0.{5 + 7 * i:02} m/s" for i, letter in enumerate("ABCDE")}
        reply = saying.format(x=x, y=y, z=z, t=options[x])
        assert read_choice(reply, "ABCDE", options=options).letters == {x}, reply


OPENERS = [
    *("", "I think ", "I believe that ", "I would say ", "We think ", "It is ", "It's ", "It must be ", "Therefore, "),
    *("So, ", "Thus ", "Hence, it is ", "Based on the frames, I think ", "The cup stops, so it is ", "Option "),
    *("My best guess is ", "The answer is ", "Antwort: ", "La respuesta es ", "Réponse : ", "Ответ: "),
]
LONE = [
    *("A cup on the left.", "A person walks by, then stops.", "A red car and a blue one", "I saw a cup.", "A4 paper."),
    *(
        "I cannot tell.",
        "A-frame shaped.",
        "A/C unit.",
        "A's speed that counts.",
        "A lot of them.",
        "A few metres away",
    ),
    *("A bit to the left, I think.", "C shaped.", "D-shaped.", "B movie quality.", "E numbers on a label.", "A or B."),
    *("A, B or C.", "I who moved.", "I am sure.", "A priori unclear", "A while longer", "A is too long.", "A? No."),
    *("B? Perhaps.", "A would be too fast.", "C cannot be right.", "Either way unclear", "I, the viewer, see nothing."),
]


def test_a_lone_capital_in_prose_is_no_answer() -> None:
    sentences = [opener + words for opener in OPENERS for words in LONE]
    texts = {letter: text for letter, text in OPTIONS.items() if letter in "AB"}
    read = {one for one in sentences for shown in (None, texts) if read_choice(one, "ABCDE", options=shown).letters}
    assert len(set(sentences)) >= 600 and read == set()


NAMED = [
    *("I think {x}", "I believe it is {x}", "I would say {x}", "It is {x}", "It's ({x})", "It must be option {x}"),
    *("It should be {x}", "Therefore, {x}", "So {x}", "Thus, it is {x}", "Based on the frames, I think {x}"),
]
# Of the letter that these say nobody can tell that it is the answer; some name another one, which none marks either.
UNSAID = [
    *("{n}. However, the answer cannot be {x}.", "{n}. Wait, no.", "{n}. No, that is wrong.", "{n}. It is not {x}."),
    *(
        "{n}.\nIt is not {x}.",
        "{n}. Actually, {y}.",
        "{n}? No.",
        "{n}. Hmm, let me look again.",
        "{n}. But {y} is closer.",
    ),
    *("{n}. On second thoughts, {x} is too long.", "{n}. I was wrong there.", "{n}, or {y}.", "{n} or {y}.", "{n} ..."),
    *(
        "{n}. That contradicts the first frame.",
        "{n}. Scratch that.",
        "{n}. Then again, the door is 2 m high.",
        "{n} -",
    ),
    *("{n}. The cup moves left. {y}. The cup moves right.", "{n}. {y}. {z}. are all wrong.", "{n}, which is too long."),
    *("{n} (3 m) that is wrong.", "{n} that is out.", "{n} because it is too short is out.", "{n}, no: {y}.", "{n}!?"),
    *(
        "{n}, I thought, but it moves.",
        "{n}, however, is slow.",
        "{n} if it stops.",
        "{n} unless it turns.",
        "{n}, not.",
    ),
    *(
        "{n}, as some say.",
        "{n} at first glance.",
        "{n} because {y} is slow.",
        "{n} because nothing else moves, or {y}.",
    ),
    *("{n}. This does not fit.", "{n}. I take that back.", "{n}. Rather {y}.", "{n}. Correction: {y}.", "{n} and {y}."),
    *(
        "At first, {n}.",
        "At first sight it moves. {n}.",
        "If it stops, {n}.",
        "Assume that it stops. {n}.",
        "Say, {n}.",
    ),
    *(
        "When the camera moves left, {n}.",
        "In case it stops, {n}.",
        "Some would say, {n}.",
        "One may say: {n}.",
        "Not: {n}.",
    ),
    *(
        "For example, {n}.",
        "E.g. {n}.",
        "For instance:\n{n}.",
        "A wrong reply:\n{n}.",
        "It is wrong to say {n}.",
        "Were it red, {n}.",
    ),
    *(
        "Which one is wrong? {n}.",
        "Another model wrote this.\n{n}.",
        "One of them does not fit. {n}.",
        '"{n}."',
        "“It stops. {n}.”",
    ),
    *(
        "People claim, {n}.",
        "Imagine that it turns. {n}.",
        "Everyone says so. {n}.",
        "I doubt that {n}.",
        "Earlier I said: {n}.",
    ),
    *(
        "I used to say {n}.",
        "Nobody says, {n}.",
        "It is false that {n}.",
        "{y} fits. {n}? No.",
        "I think {y}. {n}.",
        "It is {y}.\n{n}.",
    ),
]


def unsaid() -> list[str]:
    """Replies that take an answer back in words, suppose it or quote it."""
    letters = ["ABC", "CAB", "EDA", "BED"]
    said = itertools.product(UNSAID, NAMED, letters)
    return list(dict.fromkeys(form.format(n=n.format(x=x), x=x, y=y, z=z) for form, n, (x, y, z) in said))


def test_an_answer_that_is_taken_back_supposed_or_quoted_is_none() -> None:
    replies = unsaid()
    options = {letter: f"0.{5 + 7 * i:02} m/s" for i, letter in enumerate("ABCDE")}
    read = [one for one in replies for shown in (None, options) if read_choice(one, "ABCDE", options=shown).letters]
    assert len(replies) >= 3000 and read == []


@pytest.mark.parametrize("said", NAMED)
def test_a_last_sentence_that_names_a_letter_is_read_unless_more_stands_behind_it(said: str) -> None:
    for x, before, end in itertools.product("ABCDE", ("", "The cup stops.\n", "It is small. "), ("", ".")):
        reply = before + said.format(x=x) + end
        assert read_choice(reply, "ABCDE").letters == {x}, reply
        assert read_choice(f"{reply.rstrip('.')}. It moves on.", "ABCDE").letters is None, reply


def test_none_is_no_answer() -> None:
    assert read_choice(None, "AB") == Choice(None, frozenset(), "empty")


@pytest.mark.parametrize(
    "piece", ["the answer is ", "<answer>", "A, ", "A.\n", "\\", "((", "<think", "if the answer ", " "]
)
def test_long_degenerate_replies_are_read(piece: str) -> None:
    """A model that repeats itself for ever: the work grows with the length, not with its square."""
    expected = {"A"} if piece.startswith("A") else None  # repeats of one letter are that letter
    assert read_choice(piece * 5000 + "x", "ABCDE", options=OPTIONS).letters == expected


@pytest.mark.parametrize(
    ("piece", "letters"),
    [("B is correct, ", {"B"}), ("答案B是正确的，", {"B"}), ("it is 0.15m/s and ", {"A"}), ("0.15-", None)],
)
def test_long_replies_of_one_sentence_are_read(piece: str, letters: set[str] | None) -> None:
    """The sentence around a letter or an amount is looked at over a limited distance, or this would take minutes."""
    assert read_choice(piece * 5000, "ABCDE", options=OPTIONS).letters == letters


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("0.15m/s", "0.150 meters per second", True),
        ("-113.37°", "−113.37 degrees", True),
        ("1,200 m", "1200 metres", True),
        ("three", "3", True),
        ("The red cube.", "red cube", True),
        ("2 m/s²", "2.0 m/s^2", True),
        ("kitchen -> bedroom", "Kitchen → Bedroom", True),
        ("5 o'clock", "5 o’clock", True),
        ("0.15 m", "0.15 cm", False),
        ("0.15 m", "-0.15 m", False),
        ("12.3 m", "12.3 m/s", False),
        ("1.5", "15", False),
        ("left", "right", False),
        ("", "", False),
        ("from A to B", "from B to A", False),
    ],
)
def test_texts_are_compared_by_what_they_say(one: str, other: str, same: bool) -> None:
    assert same_text(one, other) is same
    assert same_text(other, one) is same


@given(st.text(), st.text())
def test_text_comparison_never_raises_and_is_symmetric(one: str, other: str) -> None:
    assert same_text(one, other) == same_text(other, one)


@given(st.integers(-(10**6), 10**6), st.integers(0, 4), st.integers(0, 3))
def test_trailing_zeros_do_not_matter(value: int, places: int, more: int) -> None:
    text = f"{value / 10**places:.{places}f}"
    padded = text + ("." if places == 0 and more else "") + "0" * more
    assert same_text(text + " m", padded + " m")


def test_thinking_is_taken_out() -> None:
    assert without_thinking("before <think>x</think> after") == "before  after"
    assert without_thinking("x</think>after") == "after"
    assert without_thinking("before <think>x") is None
    assert without_thinking("no tags < here >") == "no tags < here >"
