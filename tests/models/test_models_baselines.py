"""Baselines: chance is chance, no position is preferred, and the rules of form say what their definition says."""

import asyncio
import json
import statistics
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from chronotope.models import Decoding, RawReply, StoppedError, baseline
from chronotope.protocol import Image, Option, Part, PictureFile, Text

LETTERS = "ABCDEFG"


def options(texts: Sequence[str | None]) -> list[Option]:
    return [
        Option(letter, f"{letter}. {text}\n", text) for letter, text in zip(LETTERS[: len(texts)], texts, strict=True)
    ]


def answers(name: str, asks: Sequence[tuple[str, Sequence[Part]]]) -> list[RawReply]:
    """The replies of a baseline to (id, parts)."""

    async def go() -> list[RawReply]:
        model = baseline(name)
        found = []
        for seed, parts in asks:
            async with model.open(parts[:1], lambda picture: pytest.fail("a baseline looks at nothing")) as session:
                found.append(await session.ask(parts[1:], Decoding(), seed=seed))
        await model.close()
        return found

    return asyncio.run(go())


def letters(name: str, asks: Sequence[tuple[str, Sequence[Part]]]) -> list[str]:
    return [reply.text or "" for reply in answers(name, asks)]


def letter(name: str, texts: Sequence[str | None], seed: str = "x") -> str:
    return letters(name, [(seed, options(texts))])[0]


NAMES = [
    "baseline/random",
    "baseline/constant-C",
    "baseline/option-shape",
    "baseline/option-shape:median",
    "baseline/option-shape:longest",
    "baseline/option-shape:roundest",
]


def test_random_is_at_chance_and_uniform_over_positions() -> None:
    texts = ["1 m", "2 m", "3 m", "4 m", "5 m"]
    given_letters = letters("baseline/random", [(f"q{i}|0,1,2,3,4", options(texts)) for i in range(2000)])
    counts = Counter(given_letters)
    assert set(counts) == set("ABCDE")
    assert stats.chisquare([counts[x] for x in "ABCDE"]).pvalue > 0.001
    truth = np.random.default_rng(5).integers(5, size=2000)
    right = sum(given_letters[i] == LETTERS[truth[i]] for i in range(2000))
    low, high = stats.binom.interval(0.999, 2000, 0.2)
    assert low <= right <= high
    pairs = Counter(pairwise(given_letters))  # one ask says nothing of the next
    assert stats.chi2_contingency([[pairs[a, b] for b in "ABCDE"] for a in "ABCDE"]).pvalue > 0.001


@pytest.mark.parametrize("name", [name for name in NAMES if "shape" in name])
def test_ties_are_drawn_uniformly_over_positions(name: str) -> None:
    drawn = Counter(letters(name, [(f"q{i}", options(["red", "sky", "fog", "ash"])) for i in range(2000)]))
    assert set(drawn) == set("ABCD")
    assert stats.chisquare([drawn[x] for x in "ABCD"]).pvalue > 0.001


@pytest.mark.parametrize("name", NAMES)
def test_the_answer_depends_on_ask_and_options_alone(name: str) -> None:
    asks = [(f"q{i}", options([f"{(i * k) % 7 + 1} m" for k in range(1, 6)])) for i in range(60)]
    forwards = letters(name, asks)
    assert forwards == letters(name, asks[::-1])[::-1]
    dressed = [
        (seed, [Text("Look: E E E", "system"), Image(PictureFile("p.png", "0" * 64)), *parts, Text("Answer:")])
        for seed, parts in asks
    ]
    assert forwards == letters(name, dressed)
    for (_, parts), chosen in zip(asks, forwards, strict=True):
        assert chosen in {option.letter for option in parts}


@pytest.mark.parametrize("name", NAMES)
def test_an_open_question_gets_an_empty_reply(name: str) -> None:
    (reply,) = answers(name, [("q", [Text("How many?"), Text(" Answer concisely.")])])
    assert (reply.state, reply.text, reply.pictures, reply.attempts) == ("replied", "", (), 1)


def test_a_constant_letter_is_given_even_where_it_is_not_offered() -> None:
    assert letter("baseline/constant-E", ["a", "b", "c"]) == "E"


numbers = st.lists(st.integers(1, 99_999), min_size=5, max_size=5, unique=True)


@given(numbers, st.integers(0, 3), st.sampled_from(["{} m", "{}", "about {}m/s", "{} degrees", "-{} m", "−{}"]))
def test_median_of_five_scalars_is_the_middle_one(values: list[int], decimals: int, form: str) -> None:
    texts = [form.format(f"{value / 10**decimals:.{decimals}f}") for value in values]
    assert letter("baseline/option-shape:median", texts) == LETTERS[values.index(sorted(values)[2])]


@given(st.lists(st.integers(0, 40), min_size=2, max_size=7), st.integers(0, 10**6))
def test_median_of_any_scalars_is_a_nearest_one(values: list[int], seed: int) -> None:
    middle = statistics.median(values)
    nearest = {LETTERS[i] for i, v in enumerate(values) if abs(v - middle) == min(abs(w - middle) for w in values)}
    assert letter("baseline/option-shape:median", [f"{v} s" for v in values], str(seed)) in nearest


poses = st.lists(
    st.tuples(st.integers(-300, 300), st.integers(-20, 20), st.integers(1, 9000)), min_size=3, max_size=6, unique=True
)


@given(poses, st.integers(0, 10**6), st.booleans())
def test_median_of_poses_is_the_member_nearest_to_the_median_pose(
    rows: list[tuple[int, int, int]], seed: int, as_list: bool
) -> None:
    values = [[row[0] / 100, row[1] / 10, float(row[2])] for row in rows]
    squares = [0.0] * len(values)
    for axis in range(3):
        column = [row[axis] for row in values]
        middle = statistics.median(column)
        spread = statistics.fmean(abs(x - middle) for x in column)
        if spread > 0:
            squares = [s + ((x - middle) / spread) ** 2 for s, x in zip(squares, column, strict=True)]
    nearest = {LETTERS[i] for i, s in enumerate(squares) if s <= min(squares) + 1e-7}
    texts = [json.dumps(row if as_list else {"tx": row[0], "r11": row[1], "yaw_2": row[2]}) for row in values]
    assert letter("baseline/option-shape:median", texts, str(seed)) in nearest


@given(st.lists(st.text("abcdefg hij", min_size=1, max_size=20), min_size=2, max_size=7), st.integers(0, 10**6))
def test_longest_is_a_longest_and_words_follow_it(texts: list[str], seed: int) -> None:
    longest = {LETTERS[i] for i, t in enumerate(texts) if len(t.strip()) == max(len(u.strip()) for u in texts)}
    given_letters = {
        rule: letter(f"baseline/option-shape{rule}", texts, str(seed)) for rule in ("", ":median", ":longest")
    }
    assert given_letters[":longest"] in longest
    assert len(set(given_letters.values())) == 1, "without numbers every rule is the longest, drawn alike"


decimals = st.decimals(Decimal("0.01"), Decimal(99_999), places=2).map(str) | st.integers(1, 10**6).map(str)


@given(st.lists(decimals, min_size=2, max_size=7), st.integers(0, 10**6))
def test_roundest_has_fewest_significant_digits_then_most_trailing_zeros(texts: list[str], seed: int) -> None:
    keys = []
    for text in texts:
        written, significant = Decimal(text).as_tuple().digits, Decimal(text).normalize().as_tuple().digits
        keys.append((len(significant), -(len(written) - len(significant))))
    roundest = {LETTERS[i] for i, key in enumerate(keys) if key == min(keys)}
    assert letter("baseline/option-shape:roundest", [f"{t} m" for t in texts], str(seed)) in roundest


@pytest.mark.parametrize(
    ("rule", "texts", "expected"),
    [
        ("median", ["0.15m/s", "0.24m/s", "0.44m/s", "12 m/s", "0.05m/s"], "B"),
        ("median", ["Step 4", "Step 9", "Step 5", "Step 1", "None of these"], "A C"),
        ("median", ["No correct option is listed.", "2", "7", "4", "30", "3"], "D"),
        ("median", ["0.5-1.2 m", "1.2-1.9 m", "1.9-2.6 m"], "B"),
        ("median", ["-1e-3", "-1e3", "5e2"], "A"),
        ("median", ["0:15", "0:20", "0:45"], "B"),
        ("median", ["cam1", "cam2 or so", "cam3"], "B"),  # names, not numbers: the longest
        ("median", ["1", "2 3", "4 5 6", "7"], "C"),  # no form that most share: the longest
        ("roundest", ["1.37 m", "1.5 m", "1.40 m", "0.98 m"], "C"),  # two digits each, one zero
        ("roundest", ["100", "97", "5", "200"], "A D"),
        ("roundest", ["0.00", "5", "10"], "A"),
        ("longest", ["left", "right ahead", "back"], "B"),
        ("longest", [None, None, "x"], "C"),
    ],
)
def test_cases_worked_by_hand(rule: str, texts: list[str | None], expected: str) -> None:
    drawn = {letter(f"baseline/option-shape:{rule}", texts, str(i)) for i in range(40)}
    assert drawn == set(expected.split())


def test_pictures_as_options_are_drawn_at_random() -> None:
    shown = [Option(x, f"{x})", None, PictureFile(f"{x}.png", "0" * 64)) for x in "ABCD"]
    drawn = Counter(letters("baseline/option-shape", [(f"q{i}", shown) for i in range(2000)]))
    assert stats.chisquare([drawn[x] for x in "ABCD"]).pvalue > 0.001


@given(st.lists(decimals, min_size=3, max_size=6), st.integers(0, 10**6))
def test_plain_shape_is_the_majority_of_the_rules_or_the_median(texts: list[str], seed: int) -> None:
    by_rule = [letter(f"baseline/option-shape:{rule}", texts, str(seed)) for rule in ("median", "longest", "roundest")]
    plain = letter("baseline/option-shape", texts, str(seed))
    agreed = [x for x in set(by_rule) if by_rule.count(x) > 1]
    assert plain == (agreed[0] if agreed else by_rule[0])


def test_options_about_the_truth_are_given_away_and_exchangeable_options_are_not() -> None:
    """Options at fixed ratios about the truth are found by the median rule; exchangeable sets are not."""
    generator = np.random.default_rng(11)
    leaky, fair, truth_leaky, truth_fair = [], [], [], []
    for i in range(600):
        centre = generator.uniform(5, 9)
        around = centre + 0.3 * np.array([0, -1, 1, -2, 4]) * generator.choice([-1, 1])
        order = generator.permutation(5)
        leaky.append((f"a{i}", options([f"{around[k]:.2f} m" for k in order])))
        truth_leaky.append(LETTERS[int(np.flatnonzero(order == 0)[0])])
        ladder = np.cumsum(generator.uniform(0.1, 1.0, 5)) + 3
        order = generator.permutation(5)
        fair.append((f"b{i}", options([f"{ladder[k]:.2f} m" for k in order])))
        truth_fair.append(LETTERS[int(np.flatnonzero(order == generator.integers(5))[0])])
    rule = "baseline/option-shape:median"
    assert np.mean([a == b for a, b in zip(letters(rule, leaky), truth_leaky, strict=True)]) > 0.95
    right = sum(a == b for a, b in zip(letters(rule, fair), truth_fair, strict=True))
    low, high = stats.binom.interval(0.999, 600, 0.2)
    assert low <= right <= high


def test_a_baseline_that_is_stopped_answers_nothing_more() -> None:
    async def go() -> None:
        model = baseline("baseline/random")
        model.has_answered()
        options = [Option(letter, f"{letter}.", letter) for letter in "AB"]
        async with model.open(options, lambda shown: pytest.fail("no picture here")) as session:
            assert (await session.ask([], Decoding(), seed="1")).text in ("A", "B")
            model.stop()
            with pytest.raises(StoppedError):
                await session.ask([], Decoding(), seed="1")

    asyncio.run(go())
