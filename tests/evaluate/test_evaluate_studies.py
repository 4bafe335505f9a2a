"""Models that see all questions before the first ask: what a run hands them, and that it can be continued."""

import json
from pathlib import Path

from chronotope.audit.attacks.studied import Found, StudiedBaseline
from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import run
from chronotope.families import Family
from chronotope.models import Decoding, Study, baseline
from chronotope.question import Benchmark


def replies(folder: Path) -> dict[str, str]:
    lines = [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()[1:]]
    return {line["ask"]: line["reply"] for line in lines}


def test_a_run_shows_all_questions_and_no_answer_of_the_cluster(
    varied: Benchmark, tiny: Family, tmp_path: Path
) -> None:
    seen: list[Study] = []

    def last(study: Study) -> dict[str, Found]:
        seen.append(study)
        return {one.id: Found(len(one.options) - 1, "the last one.") for one in study.asked}

    model = StudiedBaseline("baseline/last", last)
    chosen = Selection(variants=("base",), limit=6)
    run(varied, tiny, model, Decoding(), tiny.RunSettings(), chosen, tmp_path / "run")
    assert {reply.partition("\n")[0] for reply in replies(tmp_path / "run").values()} == {"Answer: D"}
    clusters = {question.cluster for question in varied.questions}
    assert {study.cluster for study in seen} <= clusters and len(seen) == len({study.cluster for study in seen})
    for study in seen:  # also questions that are not asked
        assert len(study.asked) == sum(one.cluster == study.cluster for one in varied.questions)
        assert study.cluster not in {one.question.cluster for one in study.others()}


def test_a_continued_run_gives_the_answers_of_a_whole_one(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    for name in ("baseline/joint", "baseline/size-by-name"):
        part, whole = tmp_path / f"{name[9:]}-part", tmp_path / f"{name[9:]}-whole"
        settings = tiny.RunSettings(placement="rotate")
        first = run(bench, tiny, name, Decoding(), settings, Selection(limit=7), part)
        assert 0 < first.asked < len(bench.questions) * 4
        run(bench, tiny, name, Decoding(), settings, Selection(), part)
        run(bench, tiny, baseline(name), Decoding(), settings, Selection(), whole)
        assert replies(part) == replies(whole)
