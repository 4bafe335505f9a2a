"""An audit of runs: models that answer without looking, and models to which one frame is enough."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import chronotope as ct
from chronotope.audit.audit_page import write_audit
from chronotope.audit.auditing import audit
from chronotope.errors import InputError
from chronotope.models import Asked, FunctionModel, RawReply
from chronotope.question import Benchmark, MediaItem
from commands import refused
from drawn_benchmarks import write_benchmark
from fair_sets import fair_questions

CLUSTERS = 80  # fewer cannot show that a difference is small


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    shown = [
        replace(
            one,
            stem=f"{one.id}: {one.stem}",
            task="Spatial Relation" if one.task == "order" else "Dimensional Measurement",
            media=(MediaItem("video", "video", (f"clips/{int(one.cluster[1:]) % 8}.mp4",)),),
        )
        for one in fair_questions(3, clusters=CLUSTERS, each=2)
    ]
    return write_benchmark(tmp_path_factory.mktemp("audited") / "bench", shown)


def model(bench: Benchmark, knows: Callable[[Asked], float], name: str) -> FunctionModel:
    """A model that gives the correct answer with the probability that ``knows`` says."""
    answers = {one.stem: "ABCDE"[one.answer[0]] for one in bench.questions}

    def answer(asked: Asked) -> RawReply:
        stem = next(stem for stem in answers if stem in asked.text)
        letter, drawn = answers[stem], random.Random(stem)
        return RawReply("replied", letter if drawn.random() < knows(asked) else drawn.choice("ABCDE"))

    return FunctionModel(answer, f"function/{name}", version="1")


def asked(bench: Benchmark, of: FunctionModel, out: Path, **how: str) -> Path:
    return ct.run(bench.folder, of, out=out, **how).folder


def found(bench: Benchmark, *runs: Path) -> dict:
    return {one.check: one for one in audit(bench, clips=False, runs=runs).findings}


def test_a_model_that_knows_the_answers_without_pictures_is_found(bench: Benchmark, tmp_path: Path) -> None:
    sees = model(bench, lambda asked: 0.9 if asked.files else 0.0, "sees")
    knows = model(bench, lambda asked: 0.6, "knows")
    honest = found(bench, asked(bench, sees, tmp_path / "blind", input="blind"))["blind"]
    assert honest.verdict in ("pass", "undecided") and "function/sees" in honest.said
    told = found(bench, asked(bench, knows, tmp_path / "knows", input="blind"))["blind"]
    assert told.verdict == "defect" and "correctly without pictures; by chance, 20 %" in told.said and told.items
    whole = told.scopes[0]
    assert whole.excess == pytest.approx(0.6 * 0.8, abs=0.15) and whole.significant


def test_the_gap_between_all_pictures_and_fewer(bench: Benchmark, tmp_path: Path) -> None:
    sees = model(bench, lambda asked: 0.9 if len(asked.files) > 1 else 0.0, "sees")
    glances = model(bench, lambda asked: 0.9 if asked.files else 0.0, "glances")
    runs = {
        (name, shown): asked(bench, of, tmp_path / f"{name}-{shown}", input=shown)
        for name, of in (("sees", sees), ("glances", glances))
        for shown in ("full", "first")
    }
    gap = found(bench, runs["sees", "full"], runs["sees", "first"])["gap"]
    assert gap.verdict == "pass" and "points more" in gap.said and "the first frame alone" in gap.said
    gap = found(bench, runs["glances", "full"], runs["glances", "first"])["gap"]
    assert gap.verdict == "slight" and "0 points more" in gap.said and gap.items
    # runs of two models are not a pair
    gap = found(bench, runs["glances", "full"], runs["sees", "first"])
    assert gap["gap"].verdict == "not tested" and gap["blind"].verdict == "not tested"
    assert gap["gap"].said.startswith("Nothing was compared")
    whole = audit(bench, clips=False, runs=list(runs.values()))
    write_audit(tmp_path / "page", whole, bench)
    assert "What the pictures add" in (tmp_path / "page" / "index.html").read_text()


def test_few_clips_decide_nothing_about_what_the_pictures_add(bench: Benchmark, tmp_path: Path) -> None:
    """Both runs guess, so that only more clips can tell whether the pictures add anything."""
    few = replace(bench, questions=tuple(one for one in bench.questions if int(one.cluster[1:]) < 12))
    few = write_benchmark(tmp_path / "few", few.questions)
    guesses = model(few, lambda asked: 0.5 if len(asked.files) > 1 else 0.4 if asked.files else 0.0, "guesses")
    runs = [asked(few, guesses, tmp_path / shown, input=shown) for shown in ("full", "first", "blind")]
    told = found(few, *runs)
    for check in ("gap", "blind"):
        one = told[check]
        assert one.verdict == "undecided" and one.needed and one.needed > 12 and "12 clips are too few" in one.said


def test_a_run_on_another_benchmark_is_refused(bench: Benchmark, tmp_path: Path) -> None:
    other = write_benchmark(tmp_path / "other", [replace(one, stem=f"{one.stem} Now.") for one in bench.questions])
    run = asked(other, model(other, lambda asked: 1.0, "any"), tmp_path / "run", input="blind")
    with pytest.raises(InputError, match="name runs on"):
        audit(bench, clips=False, runs=[run])
    assert "name runs on" in refused("audit", bench.folder, "--run", run)
