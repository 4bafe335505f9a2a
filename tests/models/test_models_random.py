"""The random baseline scores what guessing is worth (M3-Verse, section 10.5), and that is the chance of a question."""

import asyncio
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from chronotope.families import family
from chronotope.models import Decoding, baseline
from chronotope.protocol import Ask, MediaFacts, Part, Reading, read_asked_choice, score_choice
from chronotope.question import Option, Question

SEEDS = 1500
SIZES = range(2, 8)
# Numbers of options and of right ones; where several are to be chosen one alone may be right, in a released set.
SINGLE = [(size, 1, False) for size in SIZES]
SEVERAL = [(size, right, True) for size in SIZES for right in range(1, size + 1)]
M3, VGENST = family("m3"), family("vgenst")


@dataclass(frozen=True)
class Expected:
    """Mean and variance of what a guess earns."""

    mean: Fraction
    variance: Fraction


def policy(size: int, *, several: bool) -> list[frozenset[int]]:
    """All that may be guessed, equally likely: one option, or where several are asked for any set of at least two."""
    lengths = range(2, size + 1) if several else [1]
    return [frozenset(chosen) for length in lengths for chosen in combinations(range(size), length)]


def credit(chosen: frozenset[int], right: frozenset[int]) -> Fraction:
    """Section 10.4: a part of the truth earns its share, any wrong option costs everything."""
    return Fraction(len(chosen), len(right)) if chosen and not chosen - right else Fraction(0)


def worth(size: int, right: Iterable[int], *, several: bool, partial: bool) -> Expected:
    """What guessing earns, by counting every guess."""
    truth = frozenset(right)
    guesses = policy(size, several=several)
    earned = [credit(guess, truth) if partial else Fraction(guess == truth) for guess in guesses]
    mean = sum(earned, Fraction(0)) / len(guesses)
    return Expected(mean, sum(((one - mean) ** 2 for one in earned), Fraction(0)) / len(guesses))


def question(size: int, right: Sequence[int], *, several: bool, name: str = "m3") -> Question:
    options = tuple(Option(f"thing {number}") for number in range(size))
    return Question("q", name, "scene_info", "scene", "What is there?", options, tuple(sorted(right)), multiple=several)


def put(one: Question, name: str = "m3") -> tuple[Ask, list[Part]]:
    """The prompt of a question, as the protocol of its family makes it."""
    chosen = family(name)
    settings = chosen.RunSettings.model_validate({"input": "blind"})
    [ask] = chosen.protocol.asks(one, settings, MediaFacts())
    return ask, chosen.protocol.parts(ask, one, MediaFacts())


@cache
def replies(size: int, *, several: bool) -> tuple[str, ...]:
    """What the baseline says to many asks, the same options each time."""
    _, parts = put(question(size, (0, 1) if several else (0,), several=several))

    async def go() -> list[str]:
        model = baseline("baseline/random")
        async with model.open(parts[:1], lambda picture: pytest.fail("a baseline looks at nothing")) as session:
            return [(await session.ask(parts[1:], Decoding(), seed=f"q{seed}")).text or "" for seed in range(SEEDS)]

    return tuple(asyncio.run(go()))


@cache
def read(size: int, reply: str, *, several: bool) -> tuple[Ask, Reading]:
    """The ask and what a reply to it says, whatever is right."""
    one = question(size, (0,), several=several)
    ask, _ = put(one)
    return ask, read_asked_choice(ask, one, reply, truncated=False)


@cache
def earned(size: int, number: int, *, several: bool, partial: bool) -> list[float]:
    """What each reply earns; of each ask other options are right."""
    generator = np.random.default_rng(size * 10 + number)

    @cache
    def of(reply: str, right: tuple[int, ...]) -> float:
        scored = question(size, right, several=several), [read(size, reply, several=several)]
        value = (M3.protocol.score(*scored) if partial else score_choice(*scored)).metrics["strict"]
        assert value is not None
        return value

    truths = [tuple(sorted(generator.choice(size, number, replace=False).tolist())) for _ in range(SEEDS)]
    return [of(reply, right) for reply, right in zip(replies(size, several=several), truths, strict=True)]


@pytest.mark.parametrize("partial", [True, False], ids=["partial", "exact"])
@pytest.mark.parametrize(("size", "number", "several"), SINGLE + SEVERAL)
def test_random_lands_on_what_is_expected(size: int, number: int, several: bool, partial: bool) -> None:
    expected = worth(size, range(number), several=several, partial=partial)
    mean = statistics.fmean(earned(size, number, several=several, partial=partial))
    assert abs(mean - float(expected.mean)) <= 4 * (float(expected.variance) / SEEDS) ** 0.5 + 1e-12


@pytest.mark.parametrize("partial", [True, False], ids=["partial", "exact"])
def test_random_over_a_mixed_set(partial: bool) -> None:
    """The mean over all kinds of questions, where what is off in one kind would add up."""
    kinds = SINGLE + [kind for kind in SEVERAL if kind[1] > 1]
    each = [worth(size, range(number), several=several, partial=partial) for size, number, several in kinds]
    means = [
        statistics.fmean(earned(size, number, several=several, partial=partial)) for size, number, several in kinds
    ]
    # Questions that share replies may err together: their errors are added, not their variances.
    bound = 4 * sum((float(one.variance) / SEEDS) ** 0.5 for one in each) / len(each)
    assert abs(statistics.fmean(means) - float(sum(one.mean for one in each)) / len(each)) <= bound


@pytest.mark.parametrize(("size", "number", "several"), SINGLE + SEVERAL)
def test_chance_is_what_guessing_is_worth(size: int, number: int, several: bool) -> None:
    for right in {tuple(range(number)), tuple(range(size - number, size))}:
        one = question(size, right, several=several)
        asked = [(put(one)[0], None)]
        for partial in (True, False):
            chance = score_choice(one, asked, partial=partial).chance
            expected = worth(size, right, several=several, partial=partial).mean
            assert chance is not None and chance == pytest.approx(float(expected), rel=1e-15, abs=0)
        assert M3.protocol.score(one, asked).chance == score_choice(one, asked, partial=True).chance


@pytest.mark.parametrize("size", SIZES)
def test_chance_of_one_right_option_is_the_same_in_vgenst(size: int) -> None:
    one = question(size, (size - 1,), several=False, name="vgenst")
    assert VGENST.protocol.score(one, [(put(one, "vgenst")[0], None)]).chance == float(Fraction(1, size))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("several", [False, True])
def test_every_guess_is_made_and_none_other(size: int, several: bool) -> None:
    """There are at least twelve replies to each guess, so that each is among them."""
    made = set(replies(size, several=several))
    said = {frozenset("ABCDEFG".index(letter) for letter in reply.split(",")) for reply in made}
    assert said == set(policy(size, several=several))
