"""Baselines that see all questions: what they are handed, and that they find what does not fit together."""

import asyncio
from collections.abc import Sequence
from dataclasses import fields

import numpy as np
import pytest
from scipy import stats

from chronotope.audit.attacks.joint import joint
from chronotope.audit.attacks.size_by_name import head_noun, size_by_name
from chronotope.audit.attacks.studied import Solver
from chronotope.errors import InputError
from chronotope.models import Decoding, Studies, Unsolved, baseline, studies_of
from chronotope.protocol import Option, read_choice
from chronotope.question import Option as Offered
from chronotope.question import Question, Window, make_variants

STEMS = {
    "path-length": "How far does the camera travel during this period, measured along its path?",
    "displacement": "How far is the camera at the end of this period from where it was at the start, in a straight "
    "line?",
    "average-speed": "What is the camera's average speed during this period, that is, the length of its path divided "
    "by the time?",
    "speed": "How fast is the camera moving at t = {at:.1f}s?",
    "average-acceleration": "What is the camera's average acceleration during this period, that is, its speed at the "
    "end minus its speed at the start, divided by the time? It is negative if the speed falls.",
}
UNITS = {
    "path-length": "m",
    "displacement": "m",
    "average-speed": "m/s",
    "speed": "m/s",
    "average-acceleration": "m/s²",
}
LENGTH = 10.0  # s of a clip


def question(
    name: str, cluster: str, stem: str, options: Sequence[str], answer: int, window: tuple[float, float] = (0.0, LENGTH)
) -> Question:
    return Question(
        id=name,
        family="sti",
        task="Displacement & Path Length",
        cluster=cluster,
        stem=stem,
        options=tuple(Offered(text) for text in options),
        answer=(answer,),
        window=Window(*window),
    )


def motion_questions(generator: np.random.Generator, cluster: str, *, worlds: bool) -> list[Question]:
    """Questions about one smooth motion along a straight line.

    Wrong options are independent of each other, or those of four other worlds: all lengths times one factor.
    """
    times = np.linspace(0, LENGTH, 1001)
    mean, swing, rate, phase = generator.uniform(0.1, 0.3), generator.uniform(0.3, 0.7), *generator.uniform(0.4, 1.2, 2)
    speeds = mean * (1 + swing * np.sin(rate * times + 5 * phase))
    way = np.concatenate([[0], np.cumsum((speeds[1:] + speeds[:-1]) / 2 * np.diff(times))])
    rank = int(generator.integers(5))
    found: list[Question] = []
    for number in range(24):
        kind = list(STEMS)[number % len(STEMS)]
        start = round(float(generator.uniform(0, 6)), 1)
        end = round(start + float(generator.uniform(2, 4)), 1)
        length, (first, last, at) = (
            np.diff(np.interp([start, end], times, way))[0],
            np.interp([start, end, 5], times, speeds),
        )
        value = {
            "path-length": length,
            "displacement": length,
            "average-speed": length / (end - start),
            "speed": at,
            "average-acceleration": (last - first) / (end - start),
        }[kind]
        place = rank if worlds else int(generator.integers(5))
        ladder = 1.15 ** (np.arange(5) - place)
        order = generator.permutation(5)
        options = [f"{value * ladder[index]:.4f}{UNITS[kind]}" for index in order]
        right = int(np.flatnonzero(order == place)[0])
        stem = STEMS[kind].format(at=5.0)
        found.append(question(f"{cluster}-{number}", cluster, stem, options, right, (start, end)))
    return found


def rightness(questions: Sequence[Question], solver: Solver) -> tuple[int, int]:
    """How many of the answered questions are answered correctly."""
    truth = {one.id: one.answer for one in questions}
    found = {name: one.option for study in studies_of(questions) for name, one in solver(study).items()}
    return sum(option in truth[name] for name, option in found.items()), len(found)


def test_a_cluster_is_handed_no_answer_of_its_own() -> None:
    generator = np.random.default_rng(1)
    questions = [one for number in range(3) for one in motion_questions(generator, f"clip-{number}", worlds=False)]
    assert not {field.name for field in fields(Unsolved)} & {
        "answer",
        "expected",
        "provenance",
        "mentions",
        "recordings",
    }
    studies = studies_of([*questions, *make_variants(questions, ["none_answer", "open"], 0)])
    assert [study.cluster for study in studies] == ["clip-0", "clip-1", "clip-2"]
    for study in studies:
        assert {one.cluster for one in study.asked} == {study.cluster}
        solved = list(study.others())
        assert {one.question.cluster for one in solved} == {one.cluster for one in studies} - {study.cluster}
        assert len(solved) == 48 and all(one.question.variant == "base" for one in solved)


def test_joint_finds_the_options_that_fit_one_motion() -> None:
    generator = np.random.default_rng(2)
    questions = [one for number in range(4) for one in motion_questions(generator, f"clip-{number}", worlds=False)]
    right, answered = rightness(questions, joint)
    assert answered == len(questions) and right > 0.8 * answered


def test_joint_is_at_chance_if_every_option_is_of_a_consistent_world() -> None:
    """Then all questions of a clip stand or fall together, so the clips are counted."""
    generator = np.random.default_rng(3)
    clips = 16
    right = 0
    for number in range(clips):
        one, asked = rightness(motion_questions(generator, f"clip-{number}", worlds=True)[:8], joint)
        right += one > asked / 2
    assert right <= stats.binom.ppf(0.999, clips, 0.2)


def test_joint_uses_a_stated_motion() -> None:
    """The fact fixes the scale, so one of the consistent worlds remains."""
    generator = np.random.default_rng(4)
    right = total = 0
    for number in range(6):
        questions = motion_questions(generator, f"clip-{number}", worlds=True)
        first = next(one for one in questions if "in a straight line" in one.stem)
        assert first.window is not None
        value = first.options[first.answer[0]].text
        window = f"from t = {first.window.start:.1f}s to t = {first.window.end:.1f}s"
        told = f" For scale: {window} the camera moves {value} in a straight line."
        others = [one for one in questions if one is not first]
        last = question(
            "fact", others[0].cluster, others[-1].stem + told, [o.text or "" for o in others[-1].options], 0
        )
        one, asked = rightness([*others[:-1], last], joint)
        right, total = right + one, total + asked
    assert right > 0.8 * total


def test_joint_reads_a_size_in_another_question() -> None:
    fact = " For scale: the red mug is 10.20cm high."
    asked = question(
        "a", "c", "What is the height of the red mug, from its lowest to its highest point?", ["9.00cm", "10.20cm"], 1
    )
    other = question(
        "b", "c", "At t = 1.0s, how far is the camera from the middle of the pear?" + fact, ["1cm", "2cm"], 0
    )
    assert rightness([asked, other], joint) == (1, 1)


def size_questions(generator: np.random.Generator, *, by_name: bool) -> list[Question]:
    """Sizes of things in 30 clips: each kind has its size, or every size is independent of the name."""
    usual = {"mug": 9.0, "book": 4.0, "wine bottle": 30.0, "toy car": 12.0}
    found: list[Question] = []
    for clip in range(30):
        for noun, size in usual.items():
            place = int(generator.integers(5))
            # Without a usual size, the options are drawn before the answer: each is equally likely to be right.
            free = np.exp(generator.uniform(1, 3.5)) * 1.25 ** (place - 2)
            value = size * np.exp(generator.normal(0, 0.04)) if by_name else free
            options = [f"{value * 1.25 ** (index - place):.2f}cm" for index in range(5)]
            phrase = f"the {generator.choice(['red', 'blue'])} {noun}"
            stem = f"What is the height of {phrase}, from its lowest to its highest point?"
            found.append(question(f"{clip}-{noun}", f"clip-{clip}", stem, options, place))
    return found


def test_sizes_are_known_by_name_if_the_name_tells_them() -> None:
    right, answered = rightness(size_questions(np.random.default_rng(5), by_name=True), size_by_name)
    assert answered == 120 and right > 0.85 * answered
    right, answered = rightness(size_questions(np.random.default_rng(6), by_name=False), size_by_name)
    low, high = stats.binom.interval(0.999, answered, 0.2)
    assert low <= right <= high


@pytest.mark.parametrize(
    ("phrase", "noun"),
    [
        ("the red mug", "mug"),
        ("the larger of the two blue mugs", "mug"),
        ("the cactus in a blue pot", "cactus"),
        ("the black clock that is nearest to the camera at t = 3.2s, of those in the picture at that time", "clock"),
    ],
)
def test_the_noun_of_a_name(phrase: str, noun: str) -> None:
    assert head_noun(phrase) == noun


def replies(name: str, questions: Sequence[Question], order: Sequence[int]) -> dict[str, str]:
    """The replies to all questions, asked in an order."""

    async def go() -> dict[str, str]:
        model = baseline(name)
        assert isinstance(model, Studies)
        model.study(studies_of(questions), {one.id: one.id for one in questions})
        found: dict[str, str] = {}
        for index in order:
            one = questions[index]
            parts = [Option(letter, "", option.text) for letter, option in zip("ABCDE", one.options, strict=True)]
            async with model.open([], lambda picture: pytest.fail("nothing is looked at")) as session:
                found[one.id] = (await session.ask(parts, Decoding(), seed=one.id)).text or ""
        return found

    return asyncio.run(go())


@pytest.mark.parametrize("name", ["baseline/joint", "baseline/size-by-name"])
def test_replies_depend_neither_on_order_nor_on_chance(name: str) -> None:
    generator = np.random.default_rng(7)
    questions = [*motion_questions(generator, "clip-0", worlds=False), *size_questions(generator, by_name=True)[:8]]
    first = replies(name, questions, range(len(questions)))
    assert first == replies(name, questions, range(len(questions) - 1, -1, -1))
    for one in questions:
        read = read_choice(first[one.id], tuple("ABCDE"))
        assert read.letters is not None and len(read.letters) == 1
    told = [text.partition("\n")[2] for text in first.values()]
    assert sum(map(bool, told)) == (24 if name == "baseline/joint" else 8)  # the others are drawn, and say nothing


def test_a_variant_without_the_option_found_is_none_of_these() -> None:
    questions = motion_questions(np.random.default_rng(8), "clip-0", worlds=False)
    varied = [*questions, *make_variants(questions, ["none_answer"], 0)]
    found = replies("baseline/joint", varied, range(len(varied)))
    bases = {one.id: one for one in questions}
    for one in varied:
        if one.base is None:
            continue
        letter = found[one.base].removeprefix("Answer: ")[0]
        chosen = bases[one.base].options["ABCDE".index(letter)].text
        texts = [option.text for option in one.options]
        expected = texts.index(chosen) if chosen in texts else 4
        assert found[one.id].startswith(f"Answer: {'ABCDE'[expected]}")


def test_asking_without_the_questions_is_one_sentence() -> None:
    async def go() -> None:
        async with baseline("baseline/joint").open([], lambda picture: pytest.fail("no picture")) as session:
            await session.ask([Option("A", "", "1 m")], Decoding(), seed="x")

    with pytest.raises(InputError, match="has seen before the first ask"):
        asyncio.run(go())
