import json
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from chronotope.evaluate import Scores, Selection, open_run, run, score_run
from chronotope.families import Family
from chronotope.models import Decoding
from chronotope.question import Benchmark, make_variants


def scores_of(bench: Benchmark, tiny: Family, model: str, out: Path, url: str | None = None, **settings: str) -> Scores:
    run(bench, tiny, model, Decoding(), tiny.RunSettings(**settings), Selection(), out, base_url=url)
    return score_run(open_run(out))


def right_by_hand(bench: Benchmark, out: Path) -> dict[str, list[bool]]:
    """Which asks of each question were answered right, from the files alone."""
    replies = {}
    for line in (out / "ledger.jsonl").read_text().splitlines()[1:]:
        call = json.loads(line)
        replies[call["key"]] = call["reply"]
    answer = {q["id"]: q["answer"][0] for q in pq.read_table(bench.folder / "questions.parquet").to_pylist()}
    right = defaultdict(list)
    for row in pq.read_table(out / "asks.parquet").to_pylist():
        right[row["question"]].append(row["placement"]["ABCD".index(replies[row["key"]])] == answer[row["question"]])
    return right


def mean(values: list) -> float:
    return sum(values) / len(values)


def test_scores_agree_with_a_count_by_hand(bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path) -> None:
    scores = scores_of(bench, tiny, "endpoint/x", tmp_path / "run", serve().url)
    right = {question: asks[0] for question, asks in right_by_hand(bench, tmp_path / "run").items()}
    assert scores.overall.value == pytest.approx(mean(list(right.values())))
    assert (scores.overall.items, scores.overall.clusters, scores.overall.chance) == (24, 6, 0.25)
    assert scores.overall.low < scores.overall.value < scores.overall.high
    assert scores.covered == scores.overall
    assert scores.circular is None
    for task in ("count", "where"):
        expected = [right[q.id] for q in bench.questions if q.task == task]
        assert (scores.tasks[task].value, scores.tasks[task].items) == (pytest.approx(mean(expected)), 12)
    for scene in ("indoor", "outdoor"):
        expected = [right[q.id] for q in bench.questions if q.tags["scene"] == (scene,)]
        assert scores.tags["scene"][scene].value == pytest.approx(mean(expected))
        assert scores.tags["scene"][scene].low is None  # three clips are too few
    assert list(scores.tasks) == ["count", "where"]
    assert scores.right_letters == dict.fromkeys("ABCD", 6)
    replies = [json.loads(line)["reply"] for line in (tmp_path / "run/ledger.jsonl").read_text().splitlines()[1:]]
    assert scores.letters == {letter: replies.count(letter) for letter in "ABCD"}
    assert scores.tables[0].rows == ((24,),)


def test_circular_is_right_in_every_placement(bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path) -> None:
    scores = scores_of(bench, tiny, "endpoint/x", tmp_path / "run", serve().url, placement="rotate")
    right = right_by_hand(bench, tmp_path / "run")
    assert all(len(asks) == 4 for asks in right.values())
    assert scores.circular.value == pytest.approx(mean([all(asks) for asks in right.values()]))
    assert (scores.overall.items, scores.circular.items) == (24, 24)
    # Rotations put every right answer at every letter once.
    assert scores.right_letters == dict.fromkeys("ABCD", 24)


def test_unread_replies_count_as_wrong_and_are_left_out_of_what_is_covered(
    bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    server = serve()
    (server.folder / "mute").touch()
    scores = scores_of(bench, tiny, "endpoint/x", tmp_path / "run", server.url)
    assert scores.states == {"replied": 24}
    assert scores.readings == {"parsed": 23, "unparsed": 1, "truncated": 0, "missing": 0}
    assert (scores.overall.items, scores.covered.items) == (24, 23)
    assert scores.overall.value * 24 == pytest.approx(scores.covered.value * 23)


def test_variants_are_rows_of_their_own(varied: Benchmark, tiny: Family, tmp_path: Path) -> None:
    out = tmp_path / "run"
    settings = tiny.RunSettings()
    run(varied, tiny, "baseline/constant-D", Decoding(), settings, Selection(variants=("none_answer",)), out)
    only = score_run(open_run(out))
    assert (only.overall.value, only.overall.items, list(only.variants)) == (1.0, 24, ["none_answer"])
    run(varied, tiny, "baseline/constant-D", Decoding(), settings, Selection(), out)
    both = score_run(open_run(out))
    assert (both.overall.value, both.overall.items) == (0.25, 24)
    assert {name: row.value for name, row in both.variants.items()} == {"base": 0.25, "none_answer": 1.0}
    assert both.tables[0].rows == ((24,),)
    assert sum(both.letters.values()) == 24


def test_variants_without_their_base_are_not_averaged_together(
    make_bench: Callable, tiny: Family, tmp_path: Path
) -> None:
    base = make_bench.questions()
    bench = make_bench([*base, *make_variants(base, ["none_answer", "none_distractor"], 0)])
    selection = Selection(variants=("none_distractor", "none_answer"))
    run(bench, tiny, "baseline/constant-D", Decoding(), tiny.RunSettings(), selection, tmp_path / "run")
    scores = score_run(open_run(tmp_path / "run"))
    assert list(scores.variants) == ["none_answer", "none_distractor"]
    assert scores.overall == scores.variants["none_answer"] and scores.overall.value == 1.0
    assert scores.variants["none_distractor"].value < 1 and len(scores.scored) == 48


def test_baselines_score_what_they_must(text_bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    random = scores_of(text_bench, tiny, "baseline/random", tmp_path / "random")
    assert (random.overall.items, random.overall.clusters, random.overall.chance) == (400, 100, 0.25)
    assert random.overall.low < 0.25 < random.overall.high
    assert random.overall.high - random.overall.low < 0.12
    assert random.states == {"replied": 400}
    share = Counter(question.answer[0] for question in text_bench.questions)
    for index, letter in ((0, "A"), (3, "D")):
        constant = scores_of(text_bench, tiny, f"baseline/constant-{letter}", tmp_path / letter)
        assert constant.overall.value == pytest.approx(share[index] / 400)
        assert constant.letters[letter] == 400
    shape = scores_of(text_bench, tiny, "baseline/option-shape", tmp_path / "shape")
    assert shape.overall.low < 0.25 < shape.overall.high
    again = scores_of(text_bench, tiny, "baseline/random", tmp_path / "again")
    assert again == random
