"""Every pass over a small set of every family, with the options and the media that it has."""

from collections import Counter
from pathlib import Path

import pytest
from review_scripts import Scripted, asked_words, files_of, proposal

import ikea_released
import sti_released
import vgenst_released
from chronotope.make import import_release
from chronotope.models import Asked
from chronotope.question import Benchmark, open_benchmark
from chronotope.review.filters import PASSES, PassRequest, read_records, run_pass, write_filtered

pytestmark = pytest.mark.slow


def small(family: str, folder: Path) -> Benchmark:
    if family == "sti":
        rows = sti_released.published_rows()[:40]
        release = sti_released.write_release(folder, rows)
    elif family == "ikea":
        release = ikea_released.write_release(folder, ikea_released.published_rows()[:60])
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
