"""Every pass over a small set of every family, with the options and the media that it has."""

from collections import Counter
from pathlib import Path

import pytest
from review_scripts import Scripted, asked_words, files_of, proposal

import ikea_released
import m3_released
import sti_released
import vgenst_released
from chronotope.evaluate.run import HumanRequest, begin_human_run
from chronotope.families import families
from chronotope.make import import_release
from chronotope.media import FrameCache
from chronotope.models import Asked
from chronotope.question import Benchmark, open_benchmark
from chronotope.review.filters import PASSES, PassRequest, read_records, run_pass, write_filtered
from chronotope.view.answers import asked_state
from chronotope.view.asked_page import asked_page

pytestmark = pytest.mark.slow


def small(family: str, folder: Path) -> Benchmark:
    if family == "sti":
        rows = sti_released.published_rows()[:40]
        release = sti_released.write_release(folder, rows)
    elif family == "ikea":
        release = ikea_released.write_release(folder, ikea_released.published_rows()[:60])
    elif family == "m3":
        release = m3_released.write_release(folder, [m3_released.row(number) for number in range(9)])
    else:
        task = vgenst_released.MC
        release = vgenst_released.write_release(folder, vgenst_released.published_rows(task)[:6])
    return import_release(family, release, folder.with_name("bench")).benchmark


def reply(asked: Asked) -> str:
    text = asked.text
    if "rewrite the given" in text:
        stem, options = asked_words(text)
        return proposal(f"Now: {stem}", options)
    if "Two versions" in text:
        return "Same"
    return "spatial" if "capabilities" in text else "Keep" if "Filter out" in text else "A"


@pytest.mark.parametrize("family", ["sti", "ikea", "vgenst"])
def test_every_pass_over_every_family(family: str, tmp_path: Path) -> None:
    bench = small(family, tmp_path / "release")
    before = files_of(bench.folder)
    for name in PASSES:
        outcome = run_pass(PassRequest(bench, name, Scripted(reply).model(), tmp_path / "record"))
        outcomes = Counter(one.outcome for one in outcome.record.decisions)
        assert outcome.problems == () and "unanswered" not in outcomes, (name, outcomes)
        assert set(outcomes) <= {"keep", "drop", "rewritten", "unchanged", "tagged", "skipped"}
        assert outcomes.total() - outcomes["skipped"] > 0
    filtered = write_filtered(bench, read_records(tmp_path / "record", bench), tmp_path / "out")
    opened = open_benchmark(tmp_path / "out")
    assert opened.card.content_hash == filtered.card.content_hash and opened.questions
    assert all(one.tags["capability"] == ("spatial",) for one in opened.questions)
    assert files_of(bench.folder) == before


@pytest.mark.parametrize("family", ["sti", "ikea", "m3", "vgenst"])
def test_a_person_can_answer_every_family(family: str, tmp_path: Path) -> None:
    """Each question is shown with its options and pictures, and what a click sends is read as an answer."""
    pytest.importorskip("fastapi", reason="the extra play is not installed")
    bench, chosen = small(family, tmp_path / "release"), families()[family]
    settings, cache, frames = chosen.RunSettings.model_validate({}), FrameCache(), tmp_path / "frames"
    frames.mkdir()
    with begin_human_run(HumanRequest(bench, chosen, "ada", settings, out=tmp_path / "run")) as run:
        for name in list(run.planned)[:12]:
            ask = run.planned[name].ask
            question = run.plan.questions[ask.question]
            page = asked_page(bench, ask, question, run.plan.parts(ask), frames, cache)
            assert len(page.hashes) == run.planned[name].pictures
            assert bool(page.options) == bool(question.answer)
            assert all(option.text or (frames / str(option.picture)).is_file() for option in page.options)
            assert page.options == () or len(page.right) == len(question.answer)
            run.answer(name, ", ".join(page.right) if page.options else question.expected, page.hashes)
        answered = [one for one in run.results().answered if one.line is not None]
    assert answered and all(one.reading is not None and one.reading.parsed for one in answered)
    states = [asked_state(run.results(), one) for one in answered if one.question.answer]
    assert set(states) <= {"right"}
