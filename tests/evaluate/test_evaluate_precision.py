"""Thresholds by the tags of questions, in scores, in comparisons and in words."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import run
from chronotope.evaluate.score import (
    Precision,
    PrecisionSubject,
    Scores,
    SpacingPoint,
    ThresholdFit,
    ThresholdRatio,
    compare_precision,
    estimate,
    fit_threshold,
    open_run,
    score_run,
)
from chronotope.evaluate.score.compare import PrecisionRatio
from chronotope.evaluate.score.precision import precision_of, scale_accuracies, trials_of
from chronotope.families import Family
from chronotope.models import Asked, Decoding, FunctionModel
from chronotope.protocol import Scored
from chronotope.question import Benchmark, Option, Question
from chronotope.view.precision import precision_data, precision_sentence, quantity_sentence, ratio_data, ratio_sentence
from simulated_observers import Observer, draw_design

RATIOS, ANGLES = ("1.05", "1.1", "1.2", "1.4", "2"), ("5°", "10°", "20°", "40°")
CLIPS = 20


def tagged(number: int, cluster: str, **tags: str) -> Question:
    return Question(
        id=f"q{number}",
        family="tiny",
        task="count",
        cluster=cluster,
        stem=f"How large is thing {number}?",
        options=tuple(Option(f"{step}.{number}m") for step in range(1, 6)),
        answer=(number % 5,),
        tags={key: (value,) for key, value in tags.items()},
    )


def ladder_questions() -> list[Question]:
    """Sizes and turns of every spacing in each clip; half of the sizes without a scale; one question has no ladder."""
    questions = []
    for clip in range(CLIPS):
        name = f"clip-{clip}"
        for scale in ("stated", "none"):
            for spacing in RATIOS:
                about = {"quantity": "sizes", "spacing": spacing, "scale": scale}
                questions.append(tagged(len(questions), name, **about))
        questions += [
            tagged(len(questions) + place, name, quantity="turns", spacing=spacing)
            for place, spacing in enumerate(ANGLES)
        ]
        questions.append(tagged(len(questions), name, quantity="sizes"))
    return questions


def observed(question: Question, factor: float, generator: np.random.Generator) -> int:
    """The option picked by an observer of the threshold 1 : 1.2 or 12°, times a factor."""
    spacing = question.tags.get("spacing", ("1.2",))[0]
    degrees = spacing.endswith("°")
    threshold, step = (12.0, float(spacing[:-1])) if degrees else (math.log(1.2), math.log(float(spacing)))
    error = generator.normal() * factor * threshold / 1.348979500392163
    return int(np.clip(np.rint(question.answer[0] + error / step), 0, 4))


def scored(questions: list[Question], factor: float, seed: int = 0) -> list[Scored]:
    generator = np.random.default_rng(seed)
    return [Scored(one, {"strict": float(observed(one, factor, generator) in one.answer)}, 0.2) for one in questions]


def test_each_quantity_unit_and_lack_of_scale_has_a_threshold() -> None:
    every = scored(ladder_questions(), 1.0)
    found = {one.subject: one for one in precision_of(every)}
    sizes, without = (PrecisionSubject("sizes", "ratio", no_scale) for no_scale in (False, True))
    turns = PrecisionSubject("turns", "degrees")
    assert list(found) == [sizes, without, turns]
    assert [one.name for one in found] == ["sizes", "sizes without a stated scale", "turns"]
    for subject, ladder in ((sizes, [math.log(float(text)) for text in RATIOS]), (turns, [5.0, 10.0, 20.0, 40.0])):
        one = found[subject]
        assert [point.spacing for point in one.points] == pytest.approx(ladder)
        assert (one.finest, one.widest) == pytest.approx((ladder[0], ladder[-1]))
        own = [of for of in every if of.question.tags.get("scale") != ("none",) and "spacing" in of.question.tags]
        own = [of for of in own if of.question.tags["quantity"] == (subject.quantity,)]
        assert one.fit == fit_threshold(trials_of(own))
        assert (one.fit.items, one.fit.clusters) == (CLIPS * len(ladder), CLIPS)
        for point, text in zip(one.points, RATIOS if subject == sizes else ANGLES, strict=True):
            here = [of.metrics["strict"] for of in own if of.question.tags["spacing"] == (text,)]
            assert (point.accuracy.value, point.accuracy.items) == (pytest.approx(np.mean(here)), CLIPS)


def test_only_readable_tags_count() -> None:
    for spacing in ("wide", "1", "0.9", "0°", "1.4x", "-2", "", "∞", "9" * 400, f"{'9' * 400}°"):
        one = Scored(tagged(1, "a", quantity="sizes", spacing=spacing), {"strict": 1.0}, 0.2)
        assert precision_of([one]) == ()
    question = tagged(1, "a", quantity="sizes", spacing="1.4")
    assert len(precision_of([Scored(question, {"strict": 1.0}, 0.2)])) == 1
    for other in (
        Scored(question, {"strict": None}, 0.2),
        Scored(question, {"strict": 1.0}, None),
        Scored(replace(question, tags={**question.tags, "quantity": ("sizes", "speeds")}), {"strict": 1.0}, 0.2),
        Scored(replace(question, tags={**question.tags, "spacing": ("1.4", "2")}), {"strict": 1.0}, 0.2),
    ):
        assert precision_of([other]) == ()
    many = [Scored(tagged(n, "a", quantity="sizes", spacing=f"1.{n:03d}"), {"strict": 1.0}, 0.2) for n in range(1, 42)]
    assert precision_of(many) == ()
    assert len(precision_of(many[:40])) == 1


def test_accuracy_is_told_with_and_without_a_scale() -> None:
    every = scored(ladder_questions(), 1.0)
    found = scale_accuracies(every)
    assert {name: list(of) for name, of in found.items()} == {"sizes": ["stated", "none"]}
    for scale, one in found["sizes"].items():
        values = [of.metrics["strict"] for of in every if of.question.tags.get("scale") == (scale,)]
        assert (one.value, one.items, one.chance) == (pytest.approx(np.mean(values)), CLIPS * 5, 0.2)
    stated = [of for of in every if of.question.tags.get("scale") != ("none",)]
    assert scale_accuracies(stated) == {}
    speeds = [tagged(1000 + n, f"clip-{n}", quantity="speeds", scale=("stated", "none")[n % 2]) for n in range(8)]
    assert list(scale_accuracies([*every, *scored(speeds, 1.0)])) == ["all", "sizes", "speeds"]


def answering(factor: float, seed: int, bench: Benchmark) -> FunctionModel:
    """A model that sees as an observer does."""
    by_stem = {question.stem: question for question in bench.questions}
    generator = np.random.default_rng(seed)
    picks = {stem: "ABCDE"[observed(question, factor, generator)] for stem, question in by_stem.items()}

    def reply(asked: Asked) -> str:
        return next(letter for stem, letter in picks.items() if stem in asked.text)

    return FunctionModel(reply, f"function/times-{factor:g}-{seed}", at_once=4)


@pytest.fixture
def runs(tiny: Family, make_bench: Callable, tmp_path: Path) -> list[Scores]:
    """Three runs of real folders: one with half the threshold of the others."""
    bench = make_bench(ladder_questions())
    told = []
    for number, factor in enumerate((0.5, 1.0, 1.0)):
        out = tmp_path / f"run-{number}"
        model = answering(factor, number, bench)
        run(bench, tiny, model, Decoding(), tiny.RunSettings(input="blind"), Selection(), out, check=False)
        told.append(score_run(open_run(out)))
    return told


def test_a_run_has_thresholds_that_can_be_compared(runs: list[Scores]) -> None:
    fine, coarse, alike = runs
    subjects = [one.subject for one in fine.precision]
    assert [subject.name for subject in subjects] == ["sizes", "sizes without a stated scale", "turns"]
    assert list(fine.scales) == ["sizes"]
    held = 0
    for scores, factor in ((fine, 0.5), (coarse, 1.0), (alike, 1.0)):
        for one in scores.precision:
            truth = factor * (12.0 if one.subject.unit == "degrees" else math.log(1.2))
            assert one.fit.low is not None and one.fit.high is not None
            held += one.fit.low <= truth <= one.fit.high
    assert held >= 8
    for one in compare_precision(coarse, fine):
        assert one.ratio.value is not None and 1.2 < one.ratio.value < 4
        assert one.ratio.low is not None and one.ratio.high is not None and one.ratio.low < 2 < one.ratio.high
        worse = "coarse tells" in ratio_sentence(one, "coarse", "fine", "clip")
        assert worse == (one.ratio.low > 1)
    assert [one.subject for one in compare_precision(coarse, fine)] == subjects
    assert [one.subject for one in compare_precision(alike, coarse)] == subjects
    assert compare_precision(replace(coarse, counted="open"), fine) == ()
    data = [precision_data(one, "clip") for one in fine.precision]
    pairs = ratio_data(compare_precision(coarse, fine), "coarse", "fine", "clip")
    assert json.loads(json.dumps([data, pairs], allow_nan=False)) == [data, pairs]
    assert [point["spacing"] for point in data[0]["points"]] == pytest.approx([float(text) for text in RATIOS])
    assert [point["spacing"] for point in data[2]["points"]] == [5.0, 10.0, 20.0, 40.0]
    assert data[0]["threshold"] == pytest.approx(math.exp(fine.precision[0].fit.threshold))


def made(
    threshold: float, low: float | None, high: float | None, *, misfit: float = 0.5, unit: str = "ratio"
) -> Precision:
    clusters = 20 if low is not None else 3
    fit = ThresholdFit(threshold, low, high, 0.02, misfit if low is not None else None, 60, clusters)
    ladder = (5.0, 40.0) if unit == "degrees" else (math.log(1.05), math.log(2))
    accuracy = estimate([1.0, 0.0], ["a", "b"])
    assert accuracy is not None
    points = tuple(SpacingPoint(spacing, accuracy) for spacing in ladder)
    subject = PrecisionSubject("turns" if unit == "degrees" else "sizes", "degrees" if unit == "degrees" else "ratio")
    return Precision(subject, points, fit, 0.2)


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (made(math.log(1.4), math.log(1.3), math.log(1.6)), "sees sizes to 1 : 1.4 (1.3 to 1.6)"),
        (made(math.log(1.43), math.log(1.31), 9.0), "sees sizes to 1 : 1.43 (1.31 to more than 2)"),
        (made(math.log(1.08), 0.0, math.log(1.21)), "sees sizes to 1 : 1.08 (less than 1.05 to 1.21)"),
        (made(0.0, 0.0, 0.03), "sees sizes to better than 1 : 1.05"),
        (made(0.02, 0.0, math.log(1.1)), "sees sizes to better than 1 : 1.05 (at most 1.1)"),
        (made(math.inf, 0.9, math.inf), "is not clearly better than a guess at sizes"),
        (made(math.inf, 0.9, math.inf, misfit=0.001), "is not clearly better than a guess at sizes"),
        (made(math.log(1.4), math.log(1.3), math.inf), "is not clearly better than a guess at sizes"),
        (made(1.5, math.log(1.7), 9.0), "sees sizes only if they differ by more than 1 : 2 (1.7 to more than 2)"),
        (
            made(0.3, 0.01, math.inf),
            "has no known threshold for sizes: the interval covers all spacings asked (60 questions on 20 clips)",
        ),
        (
            made(math.log(1.4), None, None),
            "has no known threshold for sizes: an interval needs more clips (60 questions on 3 clips)",
        ),
        (
            made(0.3, 0.2, 0.4, misfit=0.001),
            "sees sizes to 1 : 1.35 (1.22 to 1.49; its accuracies do not follow the curve)",
        ),
        (made(10.4, 7.62, 14.0, unit="degrees"), "sees turns to 10° (7.6° to 14°)"),
        (made(math.inf, 41.0, math.inf, unit="degrees"), "is not clearly better than a guess at turns"),
    ],
)
def test_a_threshold_in_words(one: Precision, words: str) -> None:
    assert precision_sentence(one, "clip") == words


def test_a_quantity_has_one_sentence_for_all_runs() -> None:
    fine, guess = made(math.log(1.4), math.log(1.3), math.log(1.6)), made(math.inf, 0.9, math.inf)
    few = made(math.log(1.4), None, None)
    sees = "a sees sizes to 1 : 1.4 (1.3 to 1.6)"
    assert quantity_sentence([("a", fine), ("b", guess)], "clip") == f"{sees}; b is not clearly better than a guess."
    both = [("a", fine), ("b", guess), ("c", guess)]
    assert quantity_sentence(both, "clip") == f"{sees}; 2 other runs are not clearly better than a guess."
    assert quantity_sentence(both[1:], "clip") == "No run is clearly better than a guess."
    assert quantity_sentence([("a", few)], "clip") == "a was asked too little for an interval."
    wide = made(0.3, 0.01, math.inf)
    covered = "no known threshold, because its interval covers all spacings asked."
    assert quantity_sentence([("a", wide)], "clip") == f"a has {covered}"
    assert quantity_sentence([("a", fine), ("b", wide), ("c", wide)], "clip").endswith(f"; 2 other runs have {covered}")


def test_a_run_without_pictures_sees_nothing() -> None:
    fine, guess = made(math.log(1.4), math.log(1.3), math.log(1.6)), made(math.inf, 0.9, math.inf)
    told = quantity_sentence([("a", fine), ("b", guess), ("c", made(0.3, 0.01, math.inf))], "clip", ("a", "b", "c"))
    assert told == (
        "a sees no pictures, but is above chance for this quantity alone; b is not clearly better than a guess; "
        "c sees no pictures, and was asked too little to tell it from a guess."
    )


def test_a_comparison_in_words() -> None:
    def words(value: float | None, low: float | None, high: float | None) -> str:
        ratio = PrecisionRatio(PrecisionSubject("sizes", "ratio"), ThresholdRatio(value, low, high, 60, 20))
        return ratio_sentence(ratio, "a", "b", "clip")

    assert words(0.45, 0.3, 0.72) == (
        "a tells sizes apart more finely than b: it needs 0.45 times the spacing "
        "(0.30 to 0.72; 60 questions on 20 clips)"
    )
    worse = words(14.2, 3.0, math.inf)
    assert "a tells sizes apart less finely than b" in worse and "14 times the spacing (at least 3.00;" in worse
    assert words(1.2, 0.8, 1.6).startswith("These clips show no difference in precision between a and b for sizes: a ")
    assert "too few clips" in words(1.2, None, None)
    assert "too few questions" in words(None, 0.0, math.inf) and "too few questions" in words(math.inf, 0.0, math.inf)
    assert words(math.inf, 3.12, math.inf) == (
        "a tells sizes apart less finely than b: it needs at least 3.12 times the spacing (60 questions on 20 clips)"
    )
    assert "more finely than b: it needs at most 0.40 times the spacing" in words(0.0, 0.0, 0.4)


def test_an_observer_of_a_design_is_found_again() -> None:
    """The support of the slow tests agrees with the tags: the same answers give the same fit."""
    design = draw_design(np.random.default_rng(1), 15)
    scores = Observer(0.2).scores(np.random.default_rng(2), design)
    questions = [
        tagged(number, name, quantity="sizes", spacing=f"{math.exp(spacing):.2f}")
        for number, (name, spacing) in enumerate(zip(design.names, design.spacings, strict=True))
    ]
    every = [Scored(one, {"strict": score}, 0.2) for one, score in zip(questions, scores, strict=True)]
    (one,) = precision_of(every)
    assert one.fit.threshold == pytest.approx(fit_threshold(trials_of(every)).threshold)
    assert len(one.points) == 5
